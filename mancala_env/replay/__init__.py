"""Replays: games shown move by move on a page that needs only a browser."""

from mancala_env.replay.game import Replay, player_html

__all__ = ["Replay", "player_html"]
