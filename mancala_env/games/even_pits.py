"""Halusa and Baqura, written down in 1694: even pits are taken."""

from mancala_env.games.clauses import RELAY
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

BAQURA = Ruleset(
    name="baqura",
    region="Middle East",
    people="of Mesopotamia",
    source="T. Hyde, De ludis orientalibus, 1694",
    about="Each player has thirty-six seeds and lays them out in their own row, one at a time in turn; here six lie in "
    "each pit, or others by start=[...]. Sow counter-clockwise. A last seed that makes a pit odd, if that held seeds, "
    "is sown on with them; one that makes it even takes the pit and the one across, and so on with the mover's pits "
    "before it and those across from them, while they are even. A player who cannot move ends the round, and each "
    "keeps their own row. In the next round the poorer player lays out all seeds and the other as many in the same "
    "way; one round is played here.",
    seeds=6,
    landing=(When(count="even").capture("here", "facing", chain=EVEN, chain_side="own", chain_way="columns"), RELAY),
)
