"""Games of two rows whose turns go on from the pit after the last seed, and which capture beyond an empty one."""

from mancala_env.rules import Direction, EndCheck, Goal, Ruleset, Stuck, When, two_rows

RELAY_NEXT = When(next="occupied").relay("next")
BEYOND = When(next2="occupied").capture("next2")

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

GAMES = (BOSH, PACHGARHWA, MAWKAR_KATIYA, BOUKEROUROU)
