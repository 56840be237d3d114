"""One row: Sowing and Atomic Wari, in which Left (South) sows to the right and Right to the left; two solitaires."""

from mancala_env.games.clauses import AGAIN, RELAY, chain
from mancala_env.rules import Direction, Goal, Leave, Ruleset, Sowing, Store, When, one_row, piles, solo_row

SOWING = Ruleset(
    people="by John Conway and Richard Guy",
    source="J. Erickson, Sowing Games, in: Games of No Chance, 1996",
    about="A row of any length with any seeds, which must not run off it; the last one must fall in a "
    "pit that has seeds. From 1, 2, 2, 3 Left can leave 0, 3, 2, 3 or 1, 0, 3, 4.",
    board=one_row(15),
    setup=(1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1),
    first_lap="in_full",
    goal=Goal.LAST_MOVER,
)

ISOWING = SOWING.changes(
    about="Sowing in which both may sow either way: the same moves are open to both. 1, 2, 2, 3 has Grundy value 2.",
    direction=Direction.CHOICE,
)

ATOMIC_WARI = Ruleset(
    people="modern, an abstract cousin of Wari",
    source="Mancala World, Atomic Wari",
    about="Pits of two and three leave the game, in chains. The player who moves last wins.",
    board=one_row(36),
    min_start=2,
    leave=Leave.FIRST_LAP,
    landing=(chain({2, 3}),),
    goal=Goal.LAST_MOVER,
)

TCHUKA_RUMA = Ruleset(
    people="described by Henri Delannoy as Tchouka Roumi",
    source="H. Delannoy, 1895; P. J. Campbell and D. P. Chavey, Tchuka Ruma Solitaire, 1995",
    about="A solitaire: four holes in a line with two balls each, and after the last one an empty store, the ruma, in "
    "which all balls are to come. Four holes with two balls can be won by playing the third, "
    "the fourth, the third, the fourth, the second and the fourth. Other numbers of holes and balls can be chosen.",
    board=solo_row(4),
    seeds=2,
    store=Store.OWN,
    landing=(AGAIN, RELAY, When(was="empty").lose()),
    goal=Goal.CLEAR,
    max_plies=0,  # every lap brings seeds nearer to the store
)

BULGARIAN_SOLITAIRE = Ruleset(
    people="made known in Bulgaria and Russia about 1980",
    source="Kvant, 1980; M. Gardner, Scientific American, 1983",
    about="A puzzle rather than a game: there is one move. It is won when the piles stand still, as 4, 3, "
    "2 and 1 do, which is only possible with 1, 3, 6, 10, 15 ... seeds, and then always happens, with k piles after k "
    "times k - 1 moves at the latest. With other numbers a position comes back, and the game is lost.",
    board=piles(10),
    setup=(10, *[0] * 9),
    sowing=Sowing.PILES,
    goal=Goal.STANDSTILL,
    repetition=2,
)
