"""Games of three rows, from Eritrea and Tigray: each player owns the row nearest to them and half of the middle row.

Most go on with rounds in which captured seeds buy pits; what is here is one round.
"""

from mancala_env.games.clauses import PANKHURST, RELAY
from mancala_env.games.weg import STAY
from mancala_env.rules import Barred, EndCheck, Option, Passing, Ruleset, Stuck, When, three_rows_horn, three_rows_snake

RAID = When(marked="opponent", was="occupied").capture("last_and_one")

ABALALAE = Ruleset(
    name="abalalae",
    region="Horn of Africa",
    people="of Eritrea",
    source=f"{PANKHURST}, pp. 163-165",
    about="Sow your row from left to right, then the whole middle row back, then the opponent's row from left to "
    "right, and so on; on from occupied pits. A last seed in an empty pit of yours with seeds in a pit of the opponent "
    "in its column takes these, and is then lifted and sown on alone; the pits at the left of your row face two pits "
    "of the opponent, and take both. Otherwise an empty pit ends the turn. A player who cannot move loses what lies in "
    "the other's pits to the other. Both players open at once in a race, and rounds follow; neither is played here. "
    "One source sows round the horn as in Selus.",
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
    name="gabata_adowa",
    region="Horn of Africa",
    people="of Adowa, Tigray",
    source=f"{PANKHURST}, pp. 164-165",
    about="Sow your outer row, your half of the middle row, then the opponent's pits in the same way, on from occupied "
    "pits. From each player's second turn on a last seed that makes a pit of the opponent four marks it as your wegue, "
    "which nobody lifts, and ends the turn. A last seed in the opponent's wegue takes that seed and one more, if one "
    "lies there, and ends the turn; so does one in your own. A player without a pit to lift waits. In the end each has "
    "what was taken, the seeds in their own wegue and those left in their own pits. Rounds in which seeds buy pits "
    "follow; they are not played here.",
    mark_word="wegue",
    options=(OPENING,),
    board=three_rows_horn(6),
    seeds=3,
    landing=(RAID, STAY, FOUR, RELAY),
    stuck=Stuck.PASS,
)

GABATA_AKSUM = GABATA_ADOWA.changes(
    name="gabata_aksum",
    people="of Aksum, Tigray",
    source=f"{PANKHURST}, pp. 164-165",
    about="Gabata of Adowa in which the leftmost pit of the mover's row is played with four seeds or more, or when "
    "nothing else can be.",
    barred=Barred(places={0}, counts={1, 2, 3}),
)

LEFT = (0,)

# In the source's other account guardian pits are told of as well, too little to play them.
SELUS_MASSAWA = GABATA_ADOWA.changes(
    name="selus",
    people="of Massawa, Eritrea",
    source=f"{PANKHURST}, pp. 171-172",
    about="Sow your outer row, your half of the middle row, then the opponent's pits in the same way, on from occupied "
    "pits. From each player's second turn on a last seed that makes any pit four takes it as a hole of yours, which "
    "nobody lifts, and ends the turn. A last seed in an occupied hole of your own takes that seed and one more and "
    "gives another turn, also in the opponent's leftmost outer pit; in another hole of the opponent it takes as many "
    "and ends the turn. In an empty hole, and in a hole in your own leftmost outer pit, the turn ends. A player "
    "without a pit to lift waits. In the end each has what was taken, the seeds in their own holes and those left in "
    "their own pits.",
    mark_word="hole",
    options=(),
    landing=(
        When(marked=True, side="own", place=LEFT),
        When(marked="own", was="occupied").capture("last_and_one").again(),
        When(marked="opponent", side="opponent", place=LEFT, was="occupied").capture("last_and_one").again(),
        RAID,
        STAY,
        When(count={4}, from_ply=2).mark("here"),
        RELAY,
    ),
)

RABE = Ruleset(
    name="rabe",
    region="Horn of Africa",
    people="of Eritrea",
    source=PANKHURST,
    about="Sow your outer row, your half of the middle row, then the opponent's pits in the same way, on from occupied "
    "pits. Every pit that a lap leaves with four is yours, wherever it lies; a last seed that makes one ends the turn, "
    "and so does one in an empty pit. The round ends when all pits of a player are empty; what is left is its owner's. "
    "Further rounds, in which the poorer player lays out and the other does the same, are not played here.",
    board=three_rows_horn(6),
    seeds=4,
    passing=Passing(counts={4}, last=True),
    landing=(When(count={4}), RELAY),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)
