"""Pallankuli and its relatives of South Asia: fours go to their owner, and a turn looks at the next pit.

In later rounds pits that a player cannot fill stay empty: these are played in Pallanguzhi's match; else what is here is
one round.
"""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import EndCheck, FirstMover, Match, Passing, Ruleset, Stuck, Unfilled, When, two_rows

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
    landing=(When(next="occupied").relay("next"), When(next2="occupied").capture("next2")),
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

GAMES = (PALLANGUZHI, PALLANGUZHI_MATCH, PALLANKULI, KHUTKA_BOIA)
