"""Diffusion, whose author asks that its name and rules be kept and credit be given; and Reaping: sowing reversed."""

from mancala_env.rules import Goal, Option, Ruleset, Sowing, blocks_in_rows, halves, one_row

BLOCKS = Option(
    "blocks",
    "which half of the board is whose",
    {"halves": halves, "rows": blocks_in_rows},
    {"halves": "the half at each player's left", "rows": "each player's row"},
)

DIFFUSION = Ruleset(
    people="by Mark Steere, 2006",
    about="A pit is emptied by spreading its seeds to the pits beside it. What does not fit, or falls over the edge, "
    "leaves the board. Both players play all pits; who empties the own half first wins.",
    options=(BLOCKS,),
    board=halves(6),
    sowing=Sowing.NEIGHBOURS,
    goal=Goal.EMPTY_BLOCK,
    max_plies=0,  # every move lowers a weighted sum of the seeds, so that no game is longer than 3616 plies
)

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
