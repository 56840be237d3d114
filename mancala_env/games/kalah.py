"""Kalah (Kalaha): sow into the own store, move again from there, capture across.

The modern game of W. J. Champion (1940s). Seeds are sown counter-clockwise, one into the own store on the way past it,
none into the opponent's. The last seed in the own store earns another move; in an own pit that was empty, facing seeds,
it takes itself and these. The game ends as soon as a row is empty; the seeds left belong to the other row's owner.
"""

from mancala_env.games.clauses import AGAIN
from mancala_env.rules import EndCheck, Option, Ruleset, Store, When

ACROSS = When(side="own", was="empty", facing="occupied").capture("here", "facing")
EMPTY_CAPTURE = Option(
    "empty_capture",
    "the last seed in an own empty pit is captured also where nothing faces it",
    {False: ACROSS, True: When(side="own", was="empty").capture("here", "facing")},
)

KALAH = Ruleset(
    name="kalah",
    region="North America",
    people="by W. J. Champion, 1940s",
    about="Seeds are sown counter-clockwise, one also into the own store. A last seed in the store gives another turn. "
    "One in an empty pit of the own row captures itself and the seeds across. The game ends when a row is empty; the "
    "other player keeps what lies in theirs, and most seeds win.",
    options=(EMPTY_CAPTURE,),
    store=Store.OWN,
    landing=(AGAIN, ACROSS),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
    max_plies=0,  # every game ends: a seed crosses over only after another has fallen in the store
)
