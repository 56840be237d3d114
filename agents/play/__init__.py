"""A person against an agent: in a terminal, in a browser, in a notebook."""

from agents.play.judge import Judgement, judge
from agents.play.session import Session

__all__ = ["Judgement", "Session", "judge"]
