"""Gamacha, Tapata and Intotoi: the first lap of a turn must not end among seeds of one's own.

Two rows of twelve pits, laid out in patterns. A player lifts a pit and sows it counter-clockwise, and goes on from pits
that held seeds; but the first lap has to end in the opponent's row or in an empty own pit.
"""

from mancala_env.games.clauses import ACROSS, RELAY
from mancala_env.games.omweso import MURRAY
from mancala_env.games.weg import PANKHURST
from mancala_env.rules import FirstLap, Goal, Ruleset, two_rows

RIGHT_HALF = (6, 7, 8, 9, 10, 11)

GAMACHA = Ruleset(
    name="gamacha",
    region="Horn of Africa",
    people="Hadiya, Ethiopia",
    source=PANKHURST,
    about="Two rows of twelve, four seeds in every second pit. The game opens with a fixed move, after which it begins "
    "here. Sow counter-clockwise, on from occupied pits; a first lap that would end among seeds of the mover's row may "
    "not be played. A last seed in an empty pit of the mover's row takes what lies across. A player without seeds, or "
    "without a move, loses.",
    board=two_rows(12),
    setup=(4, 0, 4, 0, 4, 4, 4, 0, 4, 0, 4, 0, 0, 0, 4, 0, 4, 0, 0, 0, 4, 0, 4, 0),
    landing=(RELAY, ACROSS),
    first_lap=FirstLap.NOT_IN_OWN_FULL,
    goal=Goal.OUTLAST,
)

TAPATA = GAMACHA.changes(
    name="tapata",
    people="Konso, Ethiopia",
    about="Two rows of twelve; in each, from the left, an empty pit and two pits of three seeds, four times over. Each "
    "player's first turn is a single lap from their own right half, of which the last seed is laid in the opponent's "
    "row, which it mostly reaches anyhow: here it falls where it falls. Then as in Gamacha; a player who cannot move "
    "loses.",
    setup=(0, 3, 3) * 8,
    opening=(RIGHT_HALF, RIGHT_HALF),
    plain_plies=2,
    goal=Goal.LAST_MOVER,
)

INTOTOI = GAMACHA.changes(
    name="intotoi",
    region="East Africa",
    people="Samburu, Kenya",
    source=f"{MURRAY}, p. 200",
    about="Two rows of twelve; in each, from the left, an empty pit and two pits of three seeds, four times over. The "
    "opener moves two seeds of the last but one pit, after which the game begins here; the other player's first move, "
    "of two seeds as well, is not played in that way. Then as in Gamacha; a player who cannot move ends the game, and "
    "each keeps their own row; more seeds win.",
    setup=(1, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 1, 4),
    goal=Goal.SEEDS,
)

GAMES = (GAMACHA, TAPATA, INTOTOI)
