"""Omweso, Soro and their kin between the Nile and the great lakes: four rows, and captures that are sown again.

From a few pits at the left a lap of Omweso may go clockwise, if it captures: the first one of a turn, or, as the
sources let a player reverse also when a pit is lifted within a turn, a later one, which is a decision in mid-turn.
"""

from dataclasses import replace

from mancala_env.games.clauses import BOTH_FULL, MURRAY, RELAY
from mancala_env.rules import Direction, Goal, Ruleset, Stuck, When, four_rows

REENTER = BOTH_FULL.sow_on("facing", "outer", first="after_lap_start")


def reversed_from(*places: int) -> tuple[Direction, ...]:
    """The directions of a player's sixteen pits, of which these can be reversed."""
    return tuple(Direction.REVERSE_LAPS if place in places else Direction.COUNTERCLOCKWISE for place in range(16))


OMWESO = Ruleset(
    name="omweso",
    board=four_rows(8),
    setup=((4,) * 8 + (0,) * 8) * 2,
    direction=reversed_from(0, 1, 14, 15),
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

BEATON = "A. C. Beaton, A Bari Game: Soro, Sudan Notes and Records 22, 1939"
OUTER = tuple(range(8))

PEREAUNI = Ruleset(
    name="pereauni",
    region="East Africa",
    people="Didinga",
    source="J. H. Driberg, 1927",
    about="Two seeds lie in each pit. Each player's first move starts from the outer row (the players make it at the "
    "same time, and capture from the outer row in it, which is left out here). Pits of two seeds or more are played. "
    "Where the last seed falls into seeds of the inner row, and both pits across hold seeds, these are laid in the pit "
    "that the lap was sown from and sown from there, and so on. Other seeds that a lap ends in are sown on. A player "
    "who cannot move loses. The recorded program captures with one pit across full, too, and sows from the mover's "
    "outer pit of that column.",
    board=four_rows(8),
    seeds=2,
    min_start=2,
    landing=(BOTH_FULL.sow_on("facing", "outer", first="after_lap_start"), RELAY),
    opening=(OUTER, OUTER),
    goal=Goal.LAST_MOVER,
)

NSUMBI = PEREAUNI.changes(
    name="nsumbi",
    region="Central Africa",
    people="Taabwa",
    source="Ludii, Nsumbi",
    about="Two seeds lie in each pit, and pits of two or more are played. Each player's first move is a plain lap. "
    "After that, where the last seed falls into seeds of the inner row and both pits across hold seeds, these are sown "
    "from the pit that the lap began in, which gets the first of them, and the turn ends. Other seeds that a lap ends "
    "in are sown on. A player who cannot move loses.",
    landing=(
        replace(BOTH_FULL, from_ply=2).sow_on("facing", "outer", first="lap_start", stops=True),
        replace(RELAY, from_ply=2),
    ),
    opening=(),
)

RYAKATI = Ruleset(
    name="ryakati",
    region="East Africa",
    people="Bari",
    source=BEATON,
    about="Two seeds lie in each pit. In the opening, which has no choices and which the players make at the same "
    "time, each sows the second outer pit from the right, twice takes two of the opponent's pits, and plays on until a "
    "lap ends in an empty pit; the game begins after it here. Pits of two seeds or more are played. Where the last "
    "seed falls into seeds of the inner row, and both pits across hold seeds, these are sown from the pit after the "
    "one that the lap began in, and the turn ends; whether it could go on is not told. Other seeds that a lap ends in "
    "are sown on. A player without seeds loses; who cannot move waits.",
    board=four_rows(8),
    setup=(2, 1, 1, 3, 0, 3, 1, 0, 6, 5, 1, 4, 4, 0, 1, 0) * 2,
    min_start=2,
    landing=(BOTH_FULL.sow_on("facing", "outer", first="after_lap_start", stops=True), RELAY),
    stuck=Stuck.PASS,
    goal=Goal.OUTLAST,
)

OTEP = RYAKATI.changes(
    name="otep",
    about="Ryakati with a privilege: a first lap may go clockwise into the four pits at either end if a capture comes "
    "of it, which is left out. The game begins here after an opening without choices; it is told to be that of "
    "Ryakati, but the recorded games, which are followed here, make it from the two rightmost inner pits.",
    setup=(1, 0, 2, 2, 2, 2, 2, 2, 0, 2, 5, 5, 0, 4, 2, 1) * 2,
)
