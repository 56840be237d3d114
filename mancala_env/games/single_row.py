"""Sowing and Atomic Wari: one row of pits that belong to nobody, and a player who cannot move loses.

Left (South) sows to the right and Right (North) to the left; a hand must not run off the end of the row.
"""

from mancala_env.rules import Direction, FirstLap, Goal, Leave, Ruleset, When, one_row

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

GAMES = (SOWING, ISOWING, ATOMIC_WARI)
