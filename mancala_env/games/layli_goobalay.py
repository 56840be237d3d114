"""Layli Goobalay, of Somalia, on the short board: relay sowing, captures across, and gravid pits.

A player lifts a pit of the own row and sows it counter-clockwise. Where the last seed falls into seeds, all of them are
lifted and sown on. Where it falls into an empty pit of the own row, it is taken together with the seeds facing it;
but three seeds facing it become a gravid pair (Uur): one of them is moved across, and both pits belong to the mover
from then on. Nobody lifts a gravid pit; a turn that ends in one simply ends. The round ends when the player to move
has nothing to lift, and each collects the own store, the own gravid pits and the rest of the own row.
"""

from mancala_env.games.clauses import ACROSS_WITH_LAST, RELAY
from mancala_env.rules import FirstMover, Match, Ruleset, When

LAYLI_GOOBALAY = Ruleset(
    name="layli_goobalay",
    region="East Africa",
    people="Somali",
    source="Jama Musse Jama; a leaflet that also describes Awele",
    about="A last seed that falls on others lifts them all, and the sowing goes on. In an empty pit of the own row it "
    "captures itself and the seeds across; if just three lie there, a seed comes over and both pits are marked: they "
    "are never lifted again, and gather seeds for their owner.",
    mark_word="gravid",
    aliases=(("uur", "marks"),),
    landing=(
        When(marked=True),
        RELAY,
        When(side="own", facing={3}).mark_pair(),
        ACROSS_WITH_LAST,
    ),
    repetition=2,
)

# Rounds: both lay out as many seeds as the poorer player has, until these are fewer than a row has pits.
LAYLI_GOOBALAY_MATCH = LAYLI_GOOBALAY.changes(
    name="layli_goobalay_match",
    about="Games of Layli Goobalay: both lay out as many seeds as the poorer player has, until they do not fill a row.",
    match=Match.REFILL,
    first_mover=FirstMover.ALTERNATE,
    max_games=50,
)
