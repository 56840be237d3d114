"""Omweso, Soro and their kin between the Nile and the great lakes: four rows, and captures that are sown again."""

from dataclasses import replace

from mancala_env.games.clauses import BOTH_FULL, MURRAY, RELAY
from mancala_env.rules import Direction, Goal, Ruleset, Stuck, four_rows

REENTER = BOTH_FULL.sow_on("facing", "outer", first="after_lap_start")
OUTER = tuple(range(8))


def reversed_from(*places: int) -> tuple[Direction, ...]:
    """The directions of a player's sixteen pits, of which these can be reversed."""
    return tuple(Direction.REVERSE_LAPS if place in places else Direction.COUNTERCLOCKWISE for place in range(16))


OMWESO = Ruleset(
    board=four_rows(8),
    setup=((4,) * 8 + (0,) * 8) * 2,
    direction=reversed_from(0, 1, 14, 15),
    min_start=2,
    landing=(REENTER, RELAY),
    goal=Goal.LAST_MOVER,
    people="Baganda, Uganda",
    source="R. S. Shackell, Mweso: the board game, Uganda Journal 2, 1934; B. Wernham",
    about="Captured seeds are sown on by the player who takes them. A lap that begins in one of the four pits at the "
    "left end may go clockwise, if it captures. Players may also agree to lay out their seeds as they like, and a win "
    "by captures from both ends of the inner row in one turn; neither is played here.",
)
KUBUGUZA = OMWESO.changes(
    setup=((0,) * 8 + (3,) * 8) * 2,
    direction=reversed_from(1, 6, 8, 15),
    landing=(replace(REENTER, from_ply=2), RELAY),
    people="Rwanda",
    source="P. Merriam, The game of kubuguza among the Abatutsi of North-East Ruanda, Man 53, 1953",
    about="Omweso from threes in the inner row, with other pits that may go clockwise, and no captures in first turns.",
)
MWEISO = OMWESO.changes(
    setup=(2,) * 32,
    direction=reversed_from(0, 14),
    opening=((0, 1, 2, 5, 6, 7),) * 2,
    people="Kagera, Tanzania",
    source=f"{MURRAY}, p. 217",
    about="Omweso from twos, with other pits that may go clockwise, and first turns from the outer row.",
)
CHORO_ACHOLI = MWEISO.changes(
    opening=(OUTER,) * 2,
    people="Didinga and Acholi, South Sudan and Uganda",
    source="J. H. Driberg, The game of choro or pereauni, Man 27, 1927",
    about="Mweiso with first turns from any outer pit. (Outer pits that capture outer pits are not played here.)",
)
IKIBUGUZO_OPENING_1 = MWEISO.changes(
    setup=(0, 6, 0, 0, 0, 0, 0, 17, 0, 0, 2, 1, 2, 1, 2, 1) * 2,
    opening=(),
    people="Great Lakes",
    about="Mweiso from six seeds and seventeen in the outer row and three threes in the inner one, of which both "
    "players first sow the threes. This game begins after these moves, which are always the same.",
)
IKIBUGUZO_OPENING_2 = IKIBUGUZO_OPENING_1.changes(
    setup=(0, 2, 3, 4, 4, 4, 4, 4, 4, 2, 1, 0, 0, 0, 0, 0) * 2,
    about="Mweiso from fours in the outer row, first sown pit after pit from the right end on, two seeds into the next "
    "pit and one into each of the two after it. This game begins after these moves, which are always the same.",
)

PEREAUNI = OMWESO.changes(
    people="Didinga",
    source="J. H. Driberg, 1927",
    about="Captured seeds are sown from where the lap began. The players make their first moves at the same time, and "
    "capture from the outer row in them, which is left out here.",
    seeds=2,
    setup=None,
    direction=Direction.COUNTERCLOCKWISE,
    opening=(OUTER,) * 2,
)

NSUMBI = PEREAUNI.changes(
    people="Taabwa",
    source="Ludii, Nsumbi",
    about="As Pereauni, but first moves are plain laps, captured seeds are sown into the pit itself that the lap began "
    "in, and the turn ends.",
    landing=(
        replace(BOTH_FULL, from_ply=2).sow_on("facing", "outer", first="lap_start", stops=True),
        replace(RELAY, from_ply=2),
    ),
    opening=(),
)

RYAKATI = Ruleset(
    people="Bari",
    source="A. C. Beaton, A Bari Game: Soro, Sudan Notes and Records 22, 1939",
    about="In the opening, which has no choices and which the players make at the same time, each sows the second "
    "outer pit from the right, twice takes two of the opponent's pits, and plays on until a lap ends in an empty pit; "
    "the game begins after it here. A turn ends with its capture; whether it could go on is not told.",
    board=four_rows(8),
    setup=(2, 1, 1, 3, 0, 3, 1, 0, 6, 5, 1, 4, 4, 0, 1, 0) * 2,
    min_start=2,
    landing=(BOTH_FULL.sow_on("facing", "outer", first="after_lap_start", stops=True), RELAY),
    stuck=Stuck.PASS,
    goal=Goal.OUTLAST,
)

OTEP = RYAKATI.changes(
    about="Ryakati with a privilege: a first lap may go clockwise into the four pits at either end if a capture comes "
    "of it, which is left out. The opening is told to be that of Ryakati, but the recorded games, which are followed "
    "here, make it from the two rightmost inner pits.",
    setup=(1, 0, 2, 2, 2, 2, 2, 2, 0, 2, 5, 5, 0, 4, 2, 1) * 2,
)
