"""Games of the Sudan in which every pit has its own direction: seeds go round from the middle of a row towards its end.

In Um el-Bagara the two pits at the left are sown clockwise, the two at the right counter-clockwise, and the middle one
either way, as the mover likes.
"""

from mancala_env.rules import Direction, Ruleset, Stuck, When, two_rows

LEFT, MIDDLE, RIGHT = Direction.CLOCKWISE, Direction.CHOICE, Direction.COUNTERCLOCKWISE

UM_EL_BAGARA = Ruleset(
    name="um_el_bagara",
    board=two_rows(5),
    seeds=5,
    direction=(LEFT, LEFT, MIDDLE, RIGHT, RIGHT),
    min_start=2,
    landing=(When(side="opponent", count={2, 4}).capture("here", chain={2, 4}),),
    stuck=Stuck.PASS,
    region="North Africa",
    people="Sudan",
    source="R. Davies, Some Arab games and puzzles, Sudan Notes and Records 8, 1925, pp. 140-141",
    about='"Mother of the cow." The two pits at the player\'s left are sown clockwise, the two at the right '
    "counter-clockwise, so that seeds leave the row by its nearer end; the pit in the middle goes either way. A pit of "
    "a single seed is not played. A last seed that makes one of the opponent's pits two or four captures it, and with "
    "it the pits sown before it, as long as these are the opponent's and hold two or four. A player who cannot move "
    "passes; when neither can, the seeds left are those of the owners of their pits.",
)
UM_EL_TUWEISAT = UM_EL_BAGARA.changes(
    name="um_el_tuweisat",
    board=two_rows(3),
    seeds=3,
    direction=(LEFT, MIDDLE, RIGHT),
    landing=(When(side="opponent", count={2}).capture("here", chain={2}),),
    people="Sudan",
    about='"Mother of the little goat", a smaller Um el-Bagara: of three pits the left one goes clockwise, the right '
    "one counter-clockwise and the middle one either way, and pits of two are captured.",
)

GAMES = (UM_EL_BAGARA, UM_EL_TUWEISAT)
