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
    options=(EMPTY_CAPTURE,),
    store=Store.OWN,
    landing=(AGAIN, ACROSS),
    **ROW_EMPTY,
    max_plies=0,  # every game ends: a seed crosses over only after another has fallen in the store
)
