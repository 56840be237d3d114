"""Games of two rows that look at the pit after the last seed: it is sown on, or taken, or what lies beyond an empty
one.

In rounds that follow, pits that a player cannot fill stay empty: these are played in Pallanguzhi's match only.
"""

from mancala_env.games.clauses import BEYOND, PANKHURST, RELAY, RELAY_NEXT
from mancala_env.rules import Passing, Ruleset, When, two_rows
from mancala_env.rules.choices import Direction, EndCheck, FirstMover, Goal, Leftover, Match, Stuck, Unfilled

BOSH = Ruleset(
    name="bosh",
    region="East Africa",
    people="Darod, Somalia",
    source="G. Marin, Somali Games, 1931",
    about="A round on two rows of five. If the pit after the last seed is occupied, it is lifted and sown on. If it is "
    "empty, the pit beyond it is taken, and the turn ends. The round ends when a row is empty, and each keeps what "
    "lies in their own row. Rounds follow in which pits are closed that their owner cannot fill; these are not played "
    "here.",
    board=two_rows(5),
    landing=(RELAY_NEXT, BEYOND),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

PACHGARHWA = Ruleset(
    name="pachgarhwa",
    region="South Asia",
    people="Indians",
    source="described in 1904; Ludii, Pachgarhwa",
    about="Two rows of five with five seeds each. If the pit after the last seed is occupied, it is lifted and sown "
    "on. If it is empty, the pit beyond it is taken, and the turn ends. The game ends when at most one seed is left, "
    "and a player without seeds waits. In another reading an occupied next pit is taken, and the last pit itself sown "
    "on.",
    board=two_rows(5),
    seeds=5,
    landing=(RELAY_NEXT, BEYOND),
    stuck=Stuck.PASS,
    end_few=1,
)

MAWKAR_KATIYA = Ruleset(
    name="mawkar_katiya",
    region="South Asia",
    people="Khasi, India",
    source="Ludii, Mawkar Katiya",
    about="A round on two rows of seven, sown clockwise. If the pit after the last seed is occupied, it is lifted and "
    "sown on. If it is empty, the pit across from that empty one is taken, and the turn ends. A player without seeds "
    "waits. Rounds follow with closed pits, tolls and lucky numbers; these are not played here.",
    board=two_rows(7),
    seeds=5,
    direction=Direction.CLOCKWISE,
    landing=(RELAY_NEXT, When(facing_next="occupied").capture("facing_next")),
    stuck=Stuck.PASS,
)

BOUKEROUROU = Ruleset(
    name="boukerourou",
    region="North Africa",
    people="People of Tidikelt, Algeria",
    source="described in 1899; Ludii, Boukerourou",
    about="Two rows of four with six seeds each. If the last seed makes six in the opponent's row, these are taken. If "
    "it falls into an empty pit and the pit after it is occupied, that one is lifted and sown on. The player who has "
    "no seeds left loses.",
    board=two_rows(4),
    seeds=6,
    landing=(When(side="opponent", count={6}).capture("here"), When(was="empty", next="occupied").relay("next")),
    goal=Goal.OUTLAST,
)

GABATA_ADEGRAT = Ruleset(
    name="gabata_adegrat",
    region="Horn of Africa",
    people="of Adegrat, Ethiopia",
    source=f"{PANKHURST}, p. 172",
    about="Lift a pit of your row and sow it counter-clockwise. After a last seed in an occupied pit lift the pit that "
    "follows and sow on; if that is empty, the turn ends. A last seed in an empty pit takes what lies in the pit that "
    "follows, and the turn ends. The game ends as soon as a row is empty, and the other player takes what is left. In "
    "later rounds three seeds buy a pit; what is here is one round.",
    seeds=3,
    landing=(When(was="occupied", next="occupied").relay("next"), When(was="empty", next="occupied").capture("next")),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

DONGJINTIAN = PACHGARHWA.changes(
    name="dongjintian",
    direction=Direction.CHOICE,
    landing=(RELAY_NEXT, When(next2="occupied").capture("next2", chain_way="gaps")),
    leftover=Leftover.NONE,
    region="East Asia",
    people="Yunnan, China",
    source="V. Eagle, On some newly described mancala games from Yunnan province, China, 1995",
    about="The mover chooses a direction in every turn. When a lap is sown, the next pit is lifted and sown on, as "
    "long as it holds seeds. If it is empty, the pit after it is captured, and going on the same way every second pit "
    "as long as those between are empty. The game is over when one seed or none is left on the board; the player who "
    "has captured more wins.",
)
WALAK_PUSSA = Ruleset(
    name="walak_pussa",
    board=two_rows(7),
    direction=Direction.CHOSEN_ONCE,
    min_start=2,
    landing=(RELAY, When(next="occupied").capture("next", chain_way="gaps")),
    region="South Asia",
    people="Sri Lanka",
    source="H. Parker, Ancient Ceylon, 1909",
    about='As Daramuti, "a blank, then a heap": after a last seed in an empty pit the next pit is captured, and going '
    "on the same way every second pit as long as those between are empty. This is one round.",
)

COWS = Passing(counts={4}, to="owner", last=True)

PALLANGUZHI = Ruleset(
    name="pallanguzhi",
    region="South Asia",
    people="of Tamil Nadu and Sri Lanka",
    source="Mancala World; StoneShark (Pallam Kuzhi); H. G. Durai, 1928",
    about="Lift a pit of your row and sow it counter-clockwise; then lift the pit after the last seed and sow on. If "
    "that pit is empty, take what lies in the pit after it, and the turn ends. A pit that comes to hold four on the "
    "way is a cow and goes at once to the player in whose row it lies. The game ends when the player to move has "
    "nothing to lift, and each keeps the rest of their row.",
    board=two_rows(7),
    seeds=6,
    passing=COWS,
    landing=(RELAY_NEXT, BEYOND),
)

PALLANGUZHI_MATCH = PALLANGUZHI.changes(
    name="pallanguzhi_match",
    source="Mancala World; H. G. Durai, 1928",
    about="Rounds of Pallanguzhi. After a round each player fills their own pits with six of the seeds that they have, "
    "from the left on, and keeps the rest. Pits for which seeds lack are rubbish holes: nobody sows into them in this "
    "round, and they are used again as soon as their owner can fill them before a later one. The players take turns to "
    "begin a round, and a player who cannot fill one pit has lost.",
    match=Match.REFILL,
    unfilled=Unfilled.RIGHT,
    first_mover=FirstMover.ALTERNATE,
    max_games=50,
)

PALLANKULI = PALLANGUZHI.changes(
    name="pallankuli",
    people="of South India",
    source="H. G. Durai, 1928, p. 135",
    about="Lift a pit of your row and sow it counter-clockwise; a last seed in an occupied pit lifts that pit for "
    "another lap, and one in an empty pit takes the seeds of the pit after it, which ends the turn. A pit that comes "
    "to hold four goes at once to the player in whose row it lies. The game ends when a row is empty, and the other "
    "player takes what is left.",
    landing=(RELAY, When(next="occupied").capture("next")),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

KHUTKA_BOIA = PALLANGUZHI.changes(
    name="khutka_boia",
    people="of Mianwali, Punjab",
    source="H. C. Das-Gupta, A Few Types of Sedentary Games Prevalent in the Punjab, 1926, pp. 147-148",
    about="Pallanguzhi on two rows of five. A player without seeds waits; the game ends when one seed is left. In "
    "later rounds pits are lost, and odd seeds give rights that are not played here.",
    board=two_rows(5),
    seeds=5,
    stuck=Stuck.PASS,
    end_few=1,
)
