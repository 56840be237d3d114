"""Kalah (Kalaha), the modern game of W. J. Champion: sow into the own store, move again from there, capture across."""

from mancala_env.games.clauses import AGAIN, ROW_EMPTY
from mancala_env.rules import Option, Ruleset, Store, When

ACROSS = When(side="own", was="empty", facing="occupied").capture("here", "facing")
EMPTY_CAPTURE = Option(
    "empty_capture",
    "the last seed in an own empty pit is captured also where nothing faces it",
    {False: ACROSS, True: When(side="own", was="empty").capture("here", "facing")},
)

KALAH = Ruleset(
    region="North America",
    people="by W. J. Champion, 1940s",
    about="Seeds are sown counter-clockwise, one also into the own store. A last seed in the store gives another turn. "
    "One in an empty pit of the own row captures itself and the seeds across. The game ends when a row is empty; the "
    "other player keeps what lies in theirs, and most seeds win.",
    options=(EMPTY_CAPTURE,),
    store=Store.OWN,
    landing=(AGAIN, ACROSS),
    **ROW_EMPTY,
    max_plies=0,  # every game ends: a seed crosses over only after another has fallen in the store
)
