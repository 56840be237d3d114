"""Halusa and Baqura, written down in 1694: even pits are taken."""

from mancala_env.games.clauses import EVEN, RELAY
from mancala_env.rules import Feeding, Leftover, Ruleset, When

HALUSA = Ruleset(
    people="Arabs and Turks of Mesopotamia",
    source="T. Hyde, De ludis orientalibus, 1694, pp. 226-230",
    about="Even pits of the mover's own row are won. A player must leave the opponent something to move.",
    seeds=6,
    landing=(When(side="own", count="even").capture("here", chain=EVEN, chain_side="own"),),
    feeding=Feeding.MUST_LEAVE,
    leftover=Leftover.LAST_MOVER,
)

BAQURA = Ruleset(
    people="of Mesopotamia",
    source="T. Hyde, De ludis orientalibus, 1694",
    about="Each player lays out thirty-six seeds in their own row, one at a time in turn; here six in each pit, unless "
    "another start is chosen. One round is played; in the next the poorer player lays out all, the other as many.",
    seeds=6,
    landing=(
        When(count="even").capture("here", "facing", chain=EVEN, chain_side="own", chain_direction="columns"),
        RELAY,
    ),
)
