"""The bot's side of the protocol, for an agent or a function of one's own: ``agents.bots.server``."""
