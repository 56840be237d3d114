"""Soro, between the Nile and Lake Tanganyika: four rows, two seeds in each pit, and captures that are sown again.

Some games of the family also let a player sow clockwise from certain pits where that captures, which is left out here.
"""

from mancala_env.games.clauses import BOTH_FULL
from mancala_env.games.tsoro import RELAY
from mancala_env.rules import Goal, Ruleset, Stuck, four_rows

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

NSUMBI = Ruleset(
    name="nsumbi",
    region="Central Africa",
    people="Taabwa",
    source="Ludii, Nsumbi",
    about="Two seeds lie in each pit, and pits of two or more are played. Each player's first move is a plain lap. "
    "After that, where the last seed falls into seeds of the inner row and both pits across hold seeds, these are sown "
    "from the pit that the lap began in, which gets the first of them, and the turn ends. Other seeds that a lap ends "
    "in are sown on. A player who cannot move loses.",
    board=four_rows(8),
    seeds=2,
    min_start=2,
    landing=(BOTH_FULL.sow_on("facing", "outer", first="lap_start", stops=True), RELAY),
    plain_plies=2,
    goal=Goal.LAST_MOVER,
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

GAMES = (PEREAUNI, NSUMBI, RYAKATI, OTEP)
