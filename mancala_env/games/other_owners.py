"""Games in which players own other pits than the row before them: Tap-Urdy, Kanji Guti and Kapana Bona."""

from mancala_env.games.clauses import RELAY_NEXT, ROW_EMPTY
from mancala_env.rules import Direction, Leave, Leftover, Ruleset, Stuck, When, crossed_rows, open_rows, side_blocks

TAP_URDY = Ruleset(
    people="Turkmens",
    source="A. Deledicq and A. Popova, Wari et Solo, 1977, p. 90, after a report of 1931",
    about="A turn begins in the opponent's row; the seeds left in a row at the end belong to its player.",
    board=crossed_rows(6),
    direction=Direction.CLOCKWISE,
    landing=(When(was="occupied", next="occupied").relay(), When(was="occupied", next2="occupied").capture("next2")),
    **ROW_EMPTY,
)

KANJI_GUTI = Ruleset(
    people="Orissa, India",
    source="Gupta, 1923, p. 73, as told by Ludii, Kanji Guti",
    about="Each player owns the three pits at their left in both rows, and nobody the two in the middle.",
    board=side_blocks(7),
    setup=(12, 12, 12, 1, 12, 12, 12, 12, 12, 12, 0, 12, 12, 12),
    landing=(RELAY_NEXT, When(facing_next="occupied").capture("facing_next")),
    stuck=Stuck.PASS,
)

KAPANA_BONA = Ruleset(
    people="Gourounsi",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955, p. 511",
    about="The pits belong to nobody: both players play any, and leave one seed in it. Each lap wins every pit that it "
    "leaves with two, four or six.",
    board=open_rows(3),
    seeds=8,
    leave=Leave.UNLESS_ALONE,
    landing=(When().capture("every", every={2, 4, 6}),),
    leftover=Leftover.NONE,
    end_when="all_single",
)
