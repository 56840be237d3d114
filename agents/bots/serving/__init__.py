"""The program's side of each protocol, for an agent or a function of one's own: ``agents.bots.server``."""
