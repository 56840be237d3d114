"""Games in which seeds jump pits: those out of play (Deka), and those that hold certain numbers (Lamlameta)."""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Direction, Goal, MarkedPits, Option, Ruleset, Skipping, When, two_rows

OPPONENTS = When(side="opponent", count={3}, from_ply=1).close()
CLOSES = Option(
    "closes",
    "whose pits are closed when a last seed makes them three",
    {"opponents": OPPONENTS, "any": When(count={3}).close()},
    {"opponents": "the opponent's, but not on the first ply", "any": "any"},
)

DEKA = Ruleset(
    name="deka",
    region="Central Africa",
    people="Yombe, DR Congo",
    source="P. Townshend, Les jeux de mankala au Zaire, au Rwanda et au Burundi, 1977, pp. 12-13; L. Russ, Mancala "
    "Games, 1984",
    about="Twelve pits, on the real board a ring round a hole in the middle, hold two seeds each. Sow "
    "counter-clockwise, on from occupied pits. Where the last seed makes a pit of the opponent three, the pit is "
    "closed for good and its three seeds are sown on; not on the first move, and never the pit at the owner's right "
    "end. Players jump their own closed pits; a seed due in a closed pit of the opponent falls into the hole in the "
    "middle and is lost, and if it is the last one the turn ends. A player who cannot move has lost. Townshend tells "
    "that any pit is closed by a three, whoever owns it: closes='any', without the first clause.",
    mark_word="closed",
    options=(CLOSES,),
    board=two_rows(6),
    seeds=2,
    landing=(When(was="occupied", place={-1}).relay(), OPPONENTS, RELAY),
    marked_pits=MarkedPits.CLOSED,
    goal=Goal.LAST_MOVER,
)

LAMLAMETA = Ruleset(
    name="lamlameta",
    region="Horn of Africa",
    people="of Ethiopia",
    source="L. Russ, Mancala Games, 1984",
    about="Two rows of twelve pits with two seeds each. Sow counter-clockwise, on from occupied pits. After the first "
    "move of the game seeds pass over the opponent's pits that hold exactly two. A last seed in an empty pit of your "
    "row, across from a pit with two, takes every pit of the opponent that holds two; the last seed stays. Where the "
    "player to move has nothing to lift, each gets what lies in their own row. Russ also restricts what may be played "
    "first, and which pits of two may be lifted; that is left out.",
    board=two_rows(12),
    seeds=2,
    skipping=Skipping(counts={2}, side="opponent", from_ply=1),
    landing=(RELAY, When(side="own", facing={2}).capture("every", every={2}, every_side="opponent")),
)

# The rounds that follow close pits that cannot be filled; what is here is one round.
PUHULMUTU = Ruleset(
    name="puhulmutu",
    region="South Asia",
    people="Sri Lanka",
    source="H. Parker, Ancient Ceylon, 1909",
    about="Two rows of seven pits with four seeds each. The player who begins chooses the direction of both players "
    "for the game. Pits of a single seed are not played. Seeds pass over every pit that holds three, but a last seed "
    "falls into it and makes four: these are captured, and the turn goes on with the next pit. Otherwise a turn goes "
    "on from pits that were not empty. The round is over when the player to move has no pit with two seeds; what is "
    "left is its owner's.",
    board=two_rows(7),
    direction=Direction.CHOSEN_ONCE,
    min_start=2,
    skipping=Skipping(counts={3}, last=False),
    landing=(When(count={4}, next="occupied").capture("here").relay("next"), When(count={4}).capture("here"), RELAY),
)

KOTU_BAENDUM = PUHULMUTU.changes(
    name="kotu_baendum",
    source="H. Parker, Ancient Ceylon, 1909, pp. 598-599",
    about="As Puhulmutu, but each player's first move is from one of the two end pits of the row, and a turn that "
    "captures in a pit at the end of a row is over.",
    opening=((0, -1), (0, -1)),
    landing=(When(count={4}, place={0, -1}).capture("here"), *PUHULMUTU.landing),
)
