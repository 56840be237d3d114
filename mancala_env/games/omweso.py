"""Omweso of Uganda and its kin round Lake Victoria: what is captured goes round once more from where the lap began.

From a few pits at the left a lap may go clockwise, if it captures: the first one of a turn, or, as the sources let a
player reverse also when a pit is lifted within a turn, a later one, which is a decision in mid-turn.
"""

from mancala_env.games.clauses import BOTH_FULL, RELAY
from mancala_env.rules import Direction, Goal, Ruleset, When, four_rows

MURRAY = "H. J. R. Murray, A History of Board-Games Other than Chess, 1951"

REENTER = BOTH_FULL.sow_on("facing", "outer", first="after_lap_start")


def reversed_from(*places: int) -> tuple[Direction, ...]:
    """The directions of a player's sixteen pits, of which these can be reversed."""
    return tuple(Direction.REVERSE if place in places else Direction.COUNTERCLOCKWISE for place in range(16))


OMWESO = Ruleset(
    name="omweso",
    board=four_rows(8),
    setup=((4,) * 8 + (0,) * 8) * 2,
    direction=reversed_from(0, 1, 14, 15),
    reverse_laps=True,
    min_start=2,
    landing=(REENTER, RELAY),
    goal=Goal.LAST_MOVER,
    region="East Africa",
    people="Baganda, Uganda",
    source="R. S. Shackell, Mweso: the board game, Uganda Journal 2, 1934; B. Wernham",
    about="Each player has two rows of eight, and at first four seeds in each outer pit. Pits of two or more are sown "
    "counter-clockwise round the mover's rows, on and on from pits that were not empty. A last seed in an inner pit "
    "that was not empty, across from seeds in both of the opponent's pits of that column, captures them: they are sown "
    "from the pit after the one where this lap began. A lap that begins in one of the four pits at the left end may go "
    "clockwise, if it captures, also in mid-turn; the next one again goes counter-clockwise. The player who has no pit "
    "of two or more loses. Players may also agree to lay out their seeds as they like, and a win by captures from both "
    "ends of the inner row in one turn; neither is played here.",
)
KUBUGUZA = OMWESO.changes(
    name="kubuguza",
    setup=((0,) * 8 + (3,) * 8) * 2,
    direction=reversed_from(1, 6, 8, 15),
    landing=(
        When(was="occupied", facing="occupied", outer="occupied", from_ply=2).sow_on(
            "facing", "outer", first="after_lap_start"
        ),
        RELAY,
    ),
    people="Rwanda",
    source="P. Merriam, The game of kubuguza among the Abatutsi of North-East Ruanda, Man 53, 1953",
    about="Played like Omweso, from three seeds in each inner pit. Nobody captures in their first turn. A lap may go "
    "clockwise, if it captures, from the last pits but one of the outer row and from the two ends of the inner row.",
)
MWEISO = OMWESO.changes(
    name="mweiso",
    setup=(2,) * 32,
    direction=reversed_from(0, 14),
    opening=((0, 1, 2, 5, 6, 7),) * 2,
    people="Kagera, Tanzania",
    source=f"{MURRAY}, p. 217",
    about="Played like Omweso, from two seeds in each pit. In their first turn players lift a pit of the outer row, "
    "but not one of the two in its middle. A turn may begin clockwise, if that captures, from the first pit of the "
    "outer row and from the second of the inner row, counted from the left.",
)
CHORO_ACHOLI = MWEISO.changes(
    name="choro_acholi",
    opening=(tuple(range(8)),) * 2,
    people="Didinga and Acholi, South Sudan and Uganda",
    source="J. H. Driberg, The game of choro or pereauni, Man 27, 1927",
    about="Played like Mweiso; in their first turn players lift any pit of the outer row. (In that turn outer pits are "
    "also said to capture outer pits, which is not played here.)",
)
IKIBUGUZO_OPENING_1 = MWEISO.changes(
    name="ikibuguzo_opening_1",
    setup=(0, 6, 0, 0, 0, 0, 0, 17, 0, 0, 2, 1, 2, 1, 2, 1) * 2,
    opening=(),
    people="Great Lakes",
    source=f"{MURRAY}, p. 217",
    about="Played like Mweiso, from a set-up of six seeds and seventeen in the outer row and three threes in the inner "
    "one, of which both players first sow the threes, one after the other. This game begins after these moves, which "
    "are always the same.",
)
IKIBUGUZO_OPENING_2 = IKIBUGUZO_OPENING_1.changes(
    name="ikibuguzo_opening_2",
    source=f"{MURRAY}, p. 217",
    setup=(0, 2, 3, 4, 4, 4, 4, 4, 4, 2, 1, 0, 0, 0, 0, 0) * 2,
    about="Played like Mweiso, from four seeds in each outer pit, of which players at first sow pit after pit from the "
    "right end on, two seeds into the next pit and one into each of the two after it. This game begins after these "
    "moves, which are always the same.",
)

GAMES = (OMWESO, KUBUGUZA, MWEISO, CHORO_ACHOLI, IKIBUGUZO_OPENING_1, IKIBUGUZO_OPENING_2)
