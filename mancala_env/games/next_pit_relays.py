"""Games of two rows that look at the pit after the last seed: it is sown on or taken, or what lies beyond it. Later
rounds, in which pits stay empty, are played in Pallanguzhi's match only."""

from mancala_env.games.chosen_directions import DARAMUTI
from mancala_env.games.clauses import BEYOND, IN_ROUNDS, PANKHURST, RELAY, RELAY_NEXT, ROW_EMPTY, taken
from mancala_env.rules import Direction, Goal, Leftover, Passing, Ruleset, Stuck, Unfilled, When, two_rows

BOSH = Ruleset(
    people="Darod, Somalia",
    source="G. Marin, Somali Games, 1931",
    about="A round. Turns go on from the pit after the last seed; where that is empty, the pit beyond it is won. "
    "Rounds follow in which pits are closed that their owner cannot fill.",
    board=two_rows(5),
    landing=(RELAY_NEXT, BEYOND),
    **ROW_EMPTY,
)

PACHGARHWA = Ruleset(
    people="Indians",
    source="described in 1904; Ludii, Pachgarhwa",
    about="As Bosh, until one seed is left. Another reading takes an occupied next pit, and sows on the last one.",
    board=two_rows(5),
    seeds=5,
    landing=(RELAY_NEXT, BEYOND),
    stuck=Stuck.PASS,
    end_few=1,
)

MAWKAR_KATIYA = Ruleset(
    people="Khasi, India",
    source="Ludii, Mawkar Katiya",
    about="A round: the pit across from an empty next one is won. Later ones have closed pits, tolls, lucky numbers.",
    board=two_rows(7),
    seeds=5,
    direction=Direction.CLOCKWISE,
    landing=(RELAY_NEXT, When(facing_next="occupied").capture("facing_next")),
    stuck=Stuck.PASS,
)

BOUKEROUROU = Ruleset(
    people="People of Tidikelt, Algeria",
    source="described in 1899; Ludii, Boukerourou",
    about="Sixes are won in the opponent's row, and the player who has no seeds left loses.",
    board=two_rows(4),
    seeds=6,
    landing=(taken({6}, "opponent"), When(was="empty", next="occupied").relay("next")),
    goal=Goal.OUTLAST,
)

GABATA_ADEGRAT = Ruleset(
    people="of Adegrat, Ethiopia",
    source=f"{PANKHURST}, p. 172",
    about="The pit after the last seed is sown on from an occupied pit, and won from an empty one. In later rounds "
    "three seeds buy a pit; what is here is one round.",
    seeds=3,
    landing=(When(was="occupied", next="occupied").relay("next"), When(was="empty", next="occupied").capture("next")),
    **ROW_EMPTY,
)

DONGJINTIAN = PACHGARHWA.changes(
    direction=Direction.CHOICE,
    landing=(RELAY_NEXT, When(next2="occupied").capture("next2", chain_direction="gaps")),
    leftover=Leftover.NONE,
    people="Yunnan, China",
    source="V. Eagle, On some newly described mancala games from Yunnan province, China, 1995",
    about="As Pachgarhwa, but sown in either direction, with captures that go on over empty pits; only these count.",
)
WALAK_PUSSA = DARAMUTI.changes(
    landing=(RELAY, When(next="occupied").capture("next", chain_direction="gaps")),
    about='As Daramuti, "a blank, then a heap": after an empty pit the next one is captured, and so on over gaps.',
)

PALLANGUZHI = Ruleset(
    people="of Tamil Nadu and Sri Lanka",
    source="Mancala World; StoneShark (Pallam Kuzhi); H. G. Durai, 1928",
    about="A pit that comes to hold four on the way is a cow and goes at once to the player in whose row it lies. "
    "Turns go on from the next pit, or win the pit beyond an empty one.",
    board=two_rows(7),
    seeds=6,
    passing=Passing(counts={4}, to="owner", last=True),
    landing=(RELAY_NEXT, BEYOND),
)

PALLANGUZHI_MATCH = PALLANGUZHI.changes(
    source="Mancala World; H. G. Durai, 1928",
    about="Rounds of Pallanguzhi. Pits that their owner cannot fill are rubbish holes, until a later round.",
    unfilled=Unfilled.RIGHT,
    **IN_ROUNDS,
)

PALLANKULI = PALLANGUZHI.changes(
    people="of South India",
    source="H. G. Durai, 1928, p. 135",
    about="As Pallanguzhi, but sown on from occupied pits, until a row is empty; an empty pit wins the next one.",
    landing=(RELAY, When(next="occupied").capture("next")),
    **ROW_EMPTY,
)

KHUTKA_BOIA = PACHGARHWA.changes(
    people="of Mianwali, Punjab",
    source="H. C. Das-Gupta, A Few Types of Sedentary Games Prevalent in the Punjab, 1926, pp. 147-148",
    about="Pallanguzhi on rows of five. Later rounds, with lost pits and rights for odd seeds, are not played here.",
    passing=PALLANGUZHI.passing,
)
