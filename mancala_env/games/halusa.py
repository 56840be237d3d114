"""Halusa, one of the first games of this kind whose rules were written down: even pits of the own row are taken."""

from mancala_env.rules import Feeding, Leftover, Ruleset, When

EVEN = range(2, 62, 2)

HALUSA = Ruleset(
    name="halusa",
    region="Middle East",
    people="Arabs and Turks of Mesopotamia",
    source="T. Hyde, De ludis orientalibus, 1694, pp. 226-230",
    about="Lift a pit of your row and sow it counter-clockwise. A last seed that makes a pit of your own row even "
    "takes it, and with it the pits before it in your row, one by one, as long as they are even and not empty. A "
    "player must leave the opponent something to move; who cannot do so, or has no seeds, is stuck, and that ends the "
    "game. The rest goes to the player who moved last.",
    seeds=6,
    landing=(When(side="own", count="even").capture("here", chain=EVEN, chain_side="own"),),
    feeding=Feeding.MUST_LEAVE,
    leftover=Leftover.LAST_MOVER,
)

GAMES = (HALUSA,)
