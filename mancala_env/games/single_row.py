"""One row: Sowing and Atomic Wari, in which a player who cannot move loses, and two solitaires.

Left (South) sows to the right and Right (North) to the left; a hand must not run off the end of the row.
"""

from mancala_env.games.clauses import AGAIN, RELAY
from mancala_env.rules import Direction, FirstLap, Goal, Leave, Ruleset, Sowing, Store, When, one_row, piles, solo_row

SOWING = Ruleset(
    name="sowing",
    people="by John Conway and Richard Guy",
    source="J. Erickson, Sowing Games, in: Games of No Chance, 1996",
    about="A row of any length with any seeds (start=[...]). Left lifts a pit and sows it to the right, Right to the "
    "left, one seed in each pit. The seeds must not run off the row, and the last one must fall in a pit that has "
    "seeds. A player who cannot move loses. From 1, 2, 2, 3 Left can leave 0, 3, 2, 3 or 1, 0, 3, 4.",
    board=one_row(15),
    setup=(1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1),
    first_lap=FirstLap.IN_FULL,
    goal=Goal.LAST_MOVER,
)

ISOWING = SOWING.changes(
    name="isowing",
    about="Sowing in which both players may sow either way, so that the same moves are open to both. A row of any "
    "length with any seeds (start=[...]); the seeds must not run off the row, and the last one must fall in a pit that "
    "has seeds. A player who cannot move loses. 1, 2, 2, 3 has the Grundy value 2.",
    direction=Direction.CHOICE,
)

ATOMIC_WARI = Ruleset(
    name="atomic_wari",
    people="modern, an abstract cousin of Wari",
    source="Mancala World, Atomic Wari",
    about="A row of thirty-six pits with four seeds each. Left lifts a pit of two or more but for one seed, and sows "
    "these to the right, Right to the left; they must not run off the row. If the last seed makes a pit two or three, "
    "it leaves the game, and so do the pits before it, one by one, while they hold two or three. The player who moves "
    "last wins.",
    board=one_row(36),
    min_start=2,
    leave=Leave.FIRST_LAP,
    landing=(When(count={2, 3}).capture("here", chain={2, 3}, chain_side="any"),),
    goal=Goal.LAST_MOVER,
)

TCHUKA_RUMA = Ruleset(
    name="tchuka_ruma",
    people="described by Henri Delannoy as Tchouka Roumi",
    source="H. Delannoy, 1895; P. J. Campbell and D. P. Chavey, Tchuka Ruma Solitaire, 1995",
    about="A solitaire: four holes in a line with two balls each, and after the last one an empty store, the ruma. The "
    "player lifts a hole and sows its balls to the right, the next after the last hole into the ruma, and after that "
    "from the left hole on. If the last ball falls into the ruma, the player is free to choose again; if it falls into "
    "a hole with balls, these are sown on; if it falls into an empty hole, the game is lost. It is won when all balls "
    "are in the ruma. Four holes with two balls can be won by holes 2, 3, 2, 3, 1, 3, counted from 0. Holes and balls "
    "are options: pits_per_row and seeds.",
    board=solo_row(4),
    seeds=2,
    store=Store.OWN,
    landing=(AGAIN, RELAY, When(was="empty").lose()),
    goal=Goal.CLEAR,
    max_plies=0,  # every lap brings seeds nearer to the store
)

BULGARIAN_SOLITAIRE = Ruleset(
    name="bulgarian_solitaire",
    people="made known in Bulgaria and Russia about 1980",
    source="Kvant, 1980; M. Gardner, Scientific American, 1983",
    about="A puzzle rather than a game: there is one move. The seeds lie in piles (start=[10]); one is taken from each "
    "pile, and these make a new pile. It is won when the piles stand still, as 4, 3, 2 and 1 do, which is only "
    "possible with 1, 3, 6, 10, 15 ... seeds, and then always happens, with k piles after k times k - 1 moves at the "
    "latest. With other numbers a position comes back, and the game is lost.",
    board=piles(10),
    setup=(10, *[0] * 9),
    sowing=Sowing.PILES,
    goal=Goal.STANDSTILL,
    repetition=2,
)
