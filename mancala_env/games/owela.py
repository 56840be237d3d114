"""Kin of Hus: four rows in which a last seed among others captures, from Namibia and Angola to Congo and Mozambique."""

from mancala_env.games.clauses import BOTH_FULL, RELAY
from mancala_env.games.hus import HUS
from mancala_env.games.tsoro import SILVA
from mancala_env.rules import Goal, Leave, Ruleset, Stuck, When, four_rows

INNER_FULL = When(was="occupied", facing="occupied")

OWELA = Ruleset(
    people="Namibia",
    source="Mancala World, Owela",
    about="Captured seeds are sown on together with those of the pit that captured. Whether the outer pit must hold "
    "seeds is told differently: see Owela of Benguela.",
    board=four_rows(8),
    setup=((2,) * 11 + (0,) * 5) * 2,
    min_start=2,
    landing=(BOTH_FULL.capture("facing", "outer", to="here"), RELAY),
    goal=Goal.LAST_MOVER,
)

OWELA_BENGUELA = OWELA.changes(
    people="Umbundu, Angola",
    source=SILVA,
    about="Owela on longer rows (13 to 20 pits are played, too), in which a capture needs seeds in the inner pit "
    "across only, and the seeds of the pit that captured stay.",
    board=four_rows(12),
    setup=((2,) * 17 + (0,) * 7) * 2,
    landing=(INNER_FULL.sow_on("facing", "outer"), RELAY),
)

HUS_DAMARA = HUS.changes(
    people="Damara",
    source="H. Vedder, 1923; P. A. Wagner, 1918; translated by P. Townshend, The SWA Game of ||hus, 1977",
    about="Hus on rows of 12 pits (up to 24 are played, of an even number), in which a capture needs seeds in both "
    "pits across. The first move is told to be a set one, but not which.",
    board=four_rows(12),
    setup=((2,) * 16 + (0,) * 8) * 2,
    capture_requires_both=True,
)

HUS_NAMA = HUS_DAMARA.changes(
    people="Nama",
    source="L. Schultze, 1907; translated by P. Townshend, The SWA Game of ||hus, 1977",
    about="Hus on rows of 16 pits (up to 22 are played), in which a capture needs seeds in both pits across. The set "
    "first move, in which the opponent copies one of four that the first player may choose, is left out.",
    board=four_rows(16),
    setup=((2,) * 24 + (0,) * 8) * 2,
)

MUVALAVALA_QUIOCO = OWELA_BENGUELA.changes(
    people="Quioco, Angola",
    about="As Owela of Benguela, from a pit of twelve and ones; a capture ends the turn. Rows of 7 to 16 are played.",
    board=four_rows(6),
    setup=(12, *(1,) * 10, 0) * 2,
    landing=(INNER_FULL.sow_on("facing", "outer", stops=True), RELAY),
)

NGOLO = Ruleset(
    people="DR Congo",
    source="a description of 1971 from Congo",
    about="A turn is a single lap, or two if the first one captures. A player may give up.",
    board=four_rows(9),
    seeds=2,
    landing=(When(facing="occupied", outer="occupied").sow_on("facing", "outer", stops=True),),
    stuck=Stuck.PASS,
    goal=Goal.OUTLAST,
)

LISOLO = NGOLO.changes(
    people="Bemba, DR Congo",
    source="Edmé, 1946",
    about="Captured seeds leave the board. Before the first move players may rearrange theirs, here by a chosen start.",
    board=four_rows(8),
    landing=(BOTH_FULL.capture("facing", "outer"), RELAY),
)

KISOLO_LALI = OWELA.changes(
    people="Lali, Congo",
    source="a description of 1971 from the Lali",
    about="One seed stays in each pit that is lifted, and outer pits are safe. An endless turn stops after 2,000 laps.",
    setup=((0,) * 8 + (4,) * 8) * 2,
    leave=Leave.EVERY_LAP,
    landing=(INNER_FULL.capture("facing", to="here"), RELAY),
)
