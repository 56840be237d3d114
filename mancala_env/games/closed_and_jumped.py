"""Games in which seeds jump pits: those out of play (Deka), and those that hold certain numbers (Lamlameta)."""

from mancala_env.rules import Goal, MarkedPits, Option, Ruleset, Skipping, When, two_rows

RELAY = When(was="occupied").relay()

OPPONENTS = When(side="opponent", count={3}, from_ply=1).close()
CLOSES = Option(
    "closes",
    "whose pits are closed when a last seed makes them three: the opponent's, but not on the first ply, or any",
    {"opponents": OPPONENTS, "any": When(count={3}).close()},
)

DEKA = Ruleset(
    name="deka",
    region="Central Africa",
    people="Yombe, DR Congo",
    source="P. Townshend, Les jeux de mankala au Zaire, au Rwanda et au Burundi, 1977, pp. 12-13; L. Russ, Mancala "
    "Games, 1984",
    about=(
        "Twelve pits, on the real board a ring round a hole in the middle, hold two seeds each. Sow counter-clockwise,"
        " on from occupied pits. Where the last seed makes a pit of the opponent three, the pit is closed for good and"
        " its three seeds are sown on; not on the first move, and never the pit at the owner's right end. A closed pit"
        " of their own a player jumps; a seed due in a closed pit of the opponent falls into the hole in the middle and"
        " is lost, and if it is the last one the turn ends. A player who cannot move has lost. Townshend tells that any"
        " pit is closed by a three, the own ones too: closes='any', and unmarkable=()."
    ),
    mark_word="closed",
    options=(CLOSES,),
    board=two_rows(6),
    seeds=2,
    landing=(OPPONENTS, RELAY),
    marked_pits=MarkedPits.CLOSED,
    unmarkable=(-1,),
    goal=Goal.LAST_MOVER,
)

LAMLAMETA = Ruleset(
    name="lamlameta",
    region="Horn of Africa",
    people="of Ethiopia",
    source="L. Russ, Mancala Games, 1984",
    about=(
        "Two rows of twelve pits with two seeds each. Sow counter-clockwise, on from occupied pits. After the first"
        " move of the game seeds pass over the opponent's pits that hold exactly two. A last seed in an empty pit of"
        " your row, across from a pit with two, takes every pit of the opponent that holds two; the last seed stays."
        " Where the player to move has nothing to lift, each gets what lies in the own row. Russ also restricts what"
        " may be played first, and which pits of two may be lifted; that is left out."
    ),
    board=two_rows(12),
    seeds=2,
    skipping=Skipping(counts={2}, side="opponent", from_ply=1),
    landing=(
        RELAY,
        When(side="own", facing_count={2}).capture("every", every={2}, every_side="opponent"),
    ),
)

GAMES = (DEKA, LAMLAMETA)
