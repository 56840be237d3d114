"""Kalah (Kalaha): sow into the own store, move again from there, capture across.

The modern game of W. J. Champion (1940s). Seeds are sown counter-clockwise, one into the own store on the way past it,
none into the enemy's. The last seed in the own store earns another move; in an own pit that was empty, facing seeds,
it takes itself and these. The game ends as soon as a row is empty; the seeds left belong to the other row's owner.
"""

from mancala_env.rules import EndCheck, Ruleset, Store, When

KALAH = Ruleset(
    name="kalah",
    store=Store.OWN,
    landing=(
        When(store="own").again(),
        When(side="own", was="empty", facing="occupied").capture("here", "facing"),
    ),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
    max_plies=0,  # every game ends: a seed crosses over only behind one that fell in the store
)
