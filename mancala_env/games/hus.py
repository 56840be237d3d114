"""Hus (||Hus, Owela), of Namibia: four rows, two for each player; captured seeds are sown on."""

from dataclasses import replace

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Goal, Option, Ruleset, When, four_rows

BOTH_PITS = When(was="occupied", facing="occupied").sow_on("facing", "outer")
CAPTURE_REQUIRES_BOTH = Option(
    "capture_requires_both",
    "captures only where both pits, the inner and the outer one, hold seeds",
    {False: BOTH_PITS, True: replace(BOTH_PITS, outer="occupied")},
)

HUS = Ruleset(
    people="Nama, Damara, Herero and others",
    about="Players sow round their own two rows. A last seed on others goes on with them; in the inner row, across "
    "from seeds, both pits across are sown on instead. A single seed cannot be played, and who cannot move loses.",
    options=(CAPTURE_REQUIRES_BOTH,),
    board=four_rows(8),
    setup=((2,) * 12 + (0,) * 4) * 2,
    min_start=2,
    landing=(BOTH_PITS, RELAY),
    goal=Goal.LAST_MOVER,
)
