"""Mangala of the Suez: relays, and captures across on either side, after which the last seed walks on."""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Ruleset, When


def across_from(ply: int) -> When:
    """A last seed in an empty pit takes what lies across, from this ply of the game on, and is itself sown on."""
    return When(facing="occupied", from_ply=ply).capture("facing").relay()


MANGALA_SUEZ = Ruleset(
    name="mangala_suez",
    region="North Africa",
    people="Arabs of the Suez",
    source="H. Parker, Ancient Ceylon, 1909, p. 601",
    about="Two pits of one row and one of the other are left empty, eight seeds lie in each of the rest; which ones is "
    "for the players to agree (start=[...]). Sow counter-clockwise, on from occupied pits. From the second turn of "
    "each player on a last seed in an empty pit of either row takes what lies across and then moves on by itself: it "
    "is lifted and sown like any other; if nothing lies across, the turn ends. The game ends when the player to move "
    "has nothing to lift, and each keeps the rest of their row. Parker adds that later turns must begin after the pit "
    "where the other ended, which would leave no choice; that is not played here.",
    setup=(8, 8, 0, 8, 8, 8, 8, 0, 8, 8, 0, 8),
    landing=(RELAY, across_from(2)),
)

GAMES = (MANGALA_SUEZ,)
