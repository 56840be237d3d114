"""Games of three rows, from Eritrea and Tigray: each player owns the row nearest to them and half of the middle row.

Most go on with rounds in which captured seeds buy pits; what is here is one round.
"""

from mancala_env.games.clauses import PANKHURST, RELAY, ROW_EMPTY
from mancala_env.games.weg import STAY
from mancala_env.rules import Barred, Option, Passing, Ruleset, Stuck, When, three_rows_horn, three_rows_snake

RAID = When(marked="opponent", was="occupied").capture("last_and_one")

ABALALAE = Ruleset(
    people="of Eritrea",
    source=f"{PANKHURST}, pp. 163-165",
    about="The rows are sown back and forth, like a snake, and the seed that captures is sown on alone. Both players "
    "open at once in a race, and rounds follow; neither is played here. One source sows round the horn as in Selus.",
    board=three_rows_snake(6),
    seeds=3,
    landing=(
        RELAY,
        When(side="own", facing="occupied").capture("facing", "outer").relay(),
        When(side="own", outer="occupied").capture("outer").relay(),
    ),
)

FOUR = When(side="opponent", count={4}, from_ply=2).mark("here")
OPENING = Option(
    "marks_from",
    "from which ply on a four in the opponent's pits is marked",
    {0: When(side="opponent", count={4}).mark("here"), 2: FOUR},
    {0: "the first", 2: "the third, when both have played"},
)

GABATA_ADOWA = Ruleset(
    people="of Adowa, Tigray",
    source=f"{PANKHURST}, pp. 164-165",
    about="From each player's second turn on a pit of the opponent that comes to four is the mover's wegue; last seeds "
    "in those of the opponent take seeds out of them. Rounds follow in which seeds buy pits.",
    mark_word="wegue",
    options=(OPENING,),
    board=three_rows_horn(6),
    seeds=3,
    landing=(RAID, STAY, FOUR, RELAY),
    stuck=Stuck.PASS,
)

GABATA_AKSUM = GABATA_ADOWA.changes(
    people="of Aksum, Tigray",
    about="Gabata of Adowa in which the leftmost own pit is played with four seeds or more, or if nothing else can be.",
    barred=Barred(places={0}, counts={1, 2, 3}),
)

SELUS = GABATA_ADOWA.changes(
    people="of Massawa, Eritrea",
    source=f"{PANKHURST}, pp. 171-172",
    about="As Gabata of Adowa, but any pit that comes to four is a hole of the mover, and seeds are taken out of own "
    "holes, too, which gives another turn; holes in leftmost outer pits have rules of their own. Another account also "
    "tells of guardian pits, too little to play them.",
    mark_word="hole",
    options=(),
    landing=(
        When(marked=True, side="own", place={0}),
        When(marked="own", was="occupied").capture("last_and_one").again(),
        When(marked="opponent", side="opponent", place={0}, was="occupied").capture("last_and_one").again(),
        RAID,
        STAY,
        When(count={4}, from_ply=2).mark("here"),
        RELAY,
    ),
)

RABE = Ruleset(
    people="of Eritrea",
    source=PANKHURST,
    about="Every pit that a lap leaves with four is won, wherever it lies. Further rounds, in which the poorer player "
    "lays out and the other does the same, are not played here.",
    board=three_rows_horn(6),
    passing=Passing(counts={4}, last=True),
    landing=(When(count={4}), RELAY),
    **ROW_EMPTY,
)
