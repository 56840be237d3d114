"""Baqura, as described in 1694: even pits are taken, odd ones sown on."""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Ruleset, When

EVEN = range(2, 61, 2)

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

GAMES = (BAQURA,)
