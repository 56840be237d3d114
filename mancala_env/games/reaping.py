"""Reaping, by Jeff Erickson (1996): sowing reversed, on one row of pits."""

from mancala_env.rules import Goal, Ruleset, Sowing, one_row

REAPING = Ruleset(
    people="by Jeff Erickson, 1996",
    board=one_row(15),
    sowing=Sowing.REAPING,
    setup=(0, 1, 0, 2, 2, 0, 3, 3, 3, 0, 2, 2, 0, 1, 0),
    min_start=2,
    goal=Goal.LAST_MOVER,
)
