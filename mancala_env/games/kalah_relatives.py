"""Games of a single lap that, like Kalah, sow into the own store and move again from there."""

from mancala_env.games.clauses import AGAIN
from mancala_env.games.kalah import KALAH
from mancala_env.rules import EndCheck, FirstMover, Goal, Leave, Leftover, Match, Ruleset, Store, When

FAIRKALAH = KALAH.changes(
    name="fairkalah",
    people="computer scientists",
    source="Ludii, FairKalah",
    about="Kalah from a position in which neither side should have the better of it: one or two seeds are moved at the "
    "start. There are 254 such positions, of which this is the first. A last seed in an empty pit of the mover's row "
    "is taken even if the pit across is empty.",
    setup=(4, 4, 5, 4, 3, 4, 4, 4, 4, 4, 4, 4),
    empty_capture=True,
)

WAURIE = Ruleset(
    name="waurie",
    region="Caribbean",
    people="Cayman Islanders",
    source="described from 1985 to 1995; Ludii, Waurie",
    about="Seeds are sown one lap, the mover's store included, where a last seed earns another turn. Nothing is "
    "captured. The player whose row is empty first wins.",
    store=Store.OWN,
    landing=(AGAIN,),
    goal=Goal.EMPTY_BLOCK,
)

MANGALA_TR = Ruleset(
    name="mangala_tr",
    region="Middle East",
    people="Turks",
    source="World Ethnosport Confederation, rules of Mangala",
    about="The national sport, one set of it. The first stone stays in the pit that is played; a lone stone moves on. "
    "A last stone in the mover's treasury earns another turn. If it makes an even number in a pit of the opponent's "
    "row, these are taken. In an empty pit of the mover's row it takes itself and the pit across, if that holds any. "
    "As soon as a row is empty its owner also takes everything that is left.",
    store=Store.OWN,
    leave=Leave.FIRST_LAP,
    landing=(
        AGAIN,
        When(side="opponent", count="even").capture("here"),
        When(side="own", was="empty", facing="occupied").capture("here", "facing"),
    ),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
    leftover=Leftover.EMPTIER,
)

MANGALA_TR_MATCH = MANGALA_TR.changes(
    name="mangala_tr_match",
    about=f"{MANGALA_TR.about} A match is five sets, in which a win counts one and a draw a half.",
    match=Match.WINS,
    target=3,
    max_games=5,
    draw_points=0.5,
    first_mover=FirstMover.ALTERNATE,
)
