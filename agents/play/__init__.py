"""Play against an agent: in a terminal, in a browser, in a notebook."""

from agents.play.hints import Hint, hint_for
from agents.play.session import Session

__all__ = ["Hint", "Session", "hint_for"]
