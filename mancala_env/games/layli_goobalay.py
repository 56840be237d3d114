"""Layli Goobalay, of Somalia, on the short board: relay sowing, captures across, and gravid pits."""

from mancala_env.games.clauses import ACROSS_BOTH, IN_ROUNDS, RELAY
from mancala_env.rules import Ruleset, When

LAYLI_GOOBALAY = Ruleset(
    people="Somali",
    source="Jama Musse Jama; a leaflet that also describes Awele",
    about="A last seed that falls on others lifts them all, and the sowing goes on. In an empty pit of the own row it "
    "captures itself and the seeds across; if just three lie there, a seed comes over and both pits are marked: they "
    "are never lifted again, and gather seeds for their owner.",
    mark_word="gravid",
    mark_name="uur",
    landing=(When(marked=True), RELAY, When(side="own", facing={3}).mark_pair(), ACROSS_BOTH),
    repetition=2,
)

# Rounds: both lay out as many seeds as the poorer player has, until these are fewer than a row has pits.
LAYLI_GOOBALAY_MATCH = LAYLI_GOOBALAY.changes(
    about="Games of Layli Goobalay: both lay out as many seeds as the poorer player has, until they do not fill a row.",
    **IN_ROUNDS,
)
