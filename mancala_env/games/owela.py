"""Kin of Hus: four rows in which a last seed among others captures, from Namibia and Angola to Congo and Mozambique."""

from mancala_env.games.clauses import BOTH_FULL, RELAY
from mancala_env.games.hus import HUS
from mancala_env.games.tsoro import SILVA
from mancala_env.rules import Goal, Leave, Ruleset, Stuck, When, four_rows

INNER_FULL = When(was="occupied", facing="occupied")

OWELA = Ruleset(
    name="owela",
    region="Southern Africa",
    people="Namibia",
    source="Mancala World, Owela",
    about="Two seeds lie in each outer pit and in the three inner pits that follow. Pits of two seeds or more are "
    "played. Where the last seed falls into seeds of the inner row and both pits across hold seeds, these are taken "
    "and sown on together with the seeds of that pit, from the next pit on. Other seeds that a lap ends in are sown "
    "on, too. A player who cannot move loses. Whether the outer pit must hold seeds is told differently: see Owela of "
    "Benguela.",
    board=four_rows(8),
    setup=((2,) * 11 + (0,) * 5) * 2,
    min_start=2,
    landing=(BOTH_FULL.capture("facing", "outer", to="here"), RELAY),
    goal=Goal.LAST_MOVER,
)

OWELA_BENGUELA = OWELA.changes(
    name="owela_benguela",
    region="Central Africa",
    people="Umbundu, Angola",
    source=SILVA,
    about="Owela on rows of 12 pits (13 to 20 are played, too), with two seeds in each outer pit and in the five inner "
    "pits that follow. A capture needs seeds in the inner pit across only; the outer pit is taken with it. The seeds "
    "of the pit that captured stay.",
    board=four_rows(12),
    setup=((2,) * 17 + (0,) * 7) * 2,
    landing=(INNER_FULL.sow_on("facing", "outer"), RELAY),
)

HUS_DAMARA = HUS.changes(
    name="hus_damara",
    people="Damara",
    source="H. Vedder, 1923; P. A. Wagner, 1918; translated by P. Townshend, The SWA Game of ||hus, 1977",
    about="Hus on rows of 12 pits (up to 24 are played, of an even number), with two seeds in each outer pit and in "
    "the four inner pits that follow. A capture needs seeds in both pits across. The first move is told to be a set "
    "one, but not which.",
    board=four_rows(12),
    setup=((2,) * 16 + (0,) * 8) * 2,
    capture_requires_both=True,
)

HUS_NAMA = HUS_DAMARA.changes(
    name="hus_nama",
    people="Nama",
    source="L. Schultze, 1907; translated by P. Townshend, The SWA Game of ||hus, 1977",
    about="Hus on rows of 16 pits (up to 22 are played), with two seeds in each outer pit and in the right half of the "
    "inner row. A capture needs seeds in both pits across. The set first move, in which the opponent copies one of "
    "four that the first player may choose, is left out. The recorded program also captures from outer pits and ends "
    "the turn with a capture.",
    board=four_rows(16),
    setup=((2,) * 24 + (0,) * 8) * 2,
)

MUVALAVALA_QUIOCO = OWELA_BENGUELA.changes(
    name="muvalavala_quioco",
    people="Quioco, Angola",
    about="Twelve seeds lie in the leftmost outer pit, none in the leftmost inner pit, and one in each of the others; "
    "rows of 6 pits (7 to 16 are played, too). Pits of two seeds or more are played. Where the last seed falls into "
    "seeds of the inner row across from seeds, these and the outer pit of that column are sown from the next pit on, "
    "and the turn ends. Other seeds that a lap ends in are sown on. A player who cannot move loses.",
    board=four_rows(6),
    setup=(12, *(1,) * 10, 0) * 2,
    landing=(INNER_FULL.sow_on("facing", "outer", stops=True), RELAY),
)

NGOLO = Ruleset(
    name="ngolo",
    region="Central Africa",
    people="DR Congo",
    source="a description of 1971 from Congo",
    about="Two seeds lie in each pit, in rows of 9. Any pit is played, and a turn is a single lap. Where it ends in "
    "the inner row, empty or not, and both pits across hold seeds, these are sown from the next pit on, and the turn "
    "ends. A player without seeds loses; a player may give up.",
    board=four_rows(9),
    seeds=2,
    landing=(When(facing="occupied", outer="occupied").sow_on("facing", "outer", stops=True),),
    stuck=Stuck.PASS,
    goal=Goal.OUTLAST,
)

LISOLO = NGOLO.changes(
    name="lisolo",
    people="Bemba, DR Congo",
    source="Edmé, 1946",
    about="Two seeds lie in each pit; before the first move each player may rearrange theirs at will, which our game "
    "leaves to start=[...]. Any pit is played. Where the last seed falls into seeds of the inner row, and both pits "
    "across hold seeds, these leave the board and the turn ends. Other seeds that a lap ends in are sown on. A player "
    "who has lost all seeds loses.",
    board=four_rows(8),
    landing=(BOTH_FULL.capture("facing", "outer"), RELAY),
)

KISOLO_LALI = OWELA.changes(
    name="kisolo_lali",
    region="Central Africa",
    people="Lali, Congo",
    source="a description of 1971 from the Lali",
    about="Four seeds lie in each inner pit, none in the outer ones. Pits of two seeds or more are played, and one "
    "seed stays in each pit that is lifted. Where the last seed falls into seeds of the inner row across from seeds, "
    "these are laid to them, and all are sown on, as are other seeds that a lap ends in; outer pits are never taken. A "
    "player who cannot move loses. A turn can go round for ever; here it stops after 2,000 laps.",
    setup=((0,) * 8 + (4,) * 8) * 2,
    leave=Leave.EVERY_LAP,
    landing=(INNER_FULL.capture("facing", to="here"), RELAY),
)
