"""Games of a single lap that, like Kalah, sow into the own store and move again from there."""

from mancala_env.games.clauses import AGAIN, ROW_EMPTY
from mancala_env.games.kalah import ACROSS, KALAH
from mancala_env.rules import Goal, Leave, Leftover, Match, Ruleset, Store, When

FAIRKALAH = KALAH.changes(
    people="computer scientists",
    source="Ludii, FairKalah",
    about="Kalah with empty captures from a position that should favour neither side, the first of 254 such positions.",
    setup=(4, 4, 5, 4, 3, 4, 4, 4, 4, 4, 4, 4),
    empty_capture=True,
)

WAURIE = Ruleset(
    region="Caribbean",
    people="Cayman Islanders",
    source="described from 1985 to 1995; Ludii, Waurie",
    about="Nothing is captured but what is sown into the store, and the player whose row is empty first wins.",
    store=Store.OWN,
    landing=(AGAIN,),
    goal=Goal.EMPTY_BLOCK,
)

MANGALA_TR = Ruleset(
    people="Turks",
    source="World Ethnosport Confederation, rules of Mangala",
    about="The national sport, one set of it. Even pits of the opponent are won as well, and the player whose row is "
    "empty first also takes everything that is left.",
    store=Store.OWN,
    leave=Leave.FIRST_LAP,
    landing=(AGAIN, When(side="opponent", count="even").capture("here"), ACROSS),
    **ROW_EMPTY,
    leftover=Leftover.EMPTIER,
)

MANGALA_TR_MATCH = MANGALA_TR.changes(
    about="A match of five sets of Mangala, in which a win counts one and a draw a half.",
    match=Match.WINS,
    target=3,
    max_games=5,
    draw_points=0.5,
    first_mover="alternate",
)
