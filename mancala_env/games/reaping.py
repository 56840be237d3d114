"""Reaping, by Jeff Erickson (1996): sowing reversed, on one row of pits."""

from mancala_env.rules import Goal, Ruleset, Sowing, one_row

REAPING = Ruleset(
    people="by Jeff Erickson, 1996",
    about="Instead of sowing, a player takes a seed out of a pit and of each one after it, up to the nearest empty "
    "pit, and lays them all into that. A pit of one seed cannot be played, and who cannot move loses.",
    board=one_row(15),
    sowing=Sowing.REAPING,
    setup=(0, 1, 0, 2, 2, 0, 3, 3, 3, 0, 2, 2, 0, 1, 0),
    min_start=2,
    goal=Goal.LAST_MOVER,
)
