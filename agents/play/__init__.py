"""Play against an agent: in a terminal, in a browser, in a notebook."""

from agents.play.session import Hint, Session, hint_for

__all__ = ["Hint", "Session", "hint_for"]
