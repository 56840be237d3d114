"""Ayoayo and other games of two rows that sow on from occupied pits, and capture the pit across from an empty one.

In the last ones the first lap of a turn has to end in the opponent's row or in an empty own pit.
"""

from dataclasses import replace

from mancala_env.games.clauses import ACROSS, ACROSS_WITH_LAST, MURRAY, PANKHURST, RELAY
from mancala_env.rules import Direction, EndCheck, Feeding, FirstLap, Goal, Ruleset, Stuck, When, two_rows

ACROSS_ANYWHERE = When(facing="occupied").capture("facing")

AYOAYO = Ruleset(
    name="ayoayo",
    region="West Africa",
    people="Yoruba, Nigeria",
    source="Mancala World, Ayoayo",
    about="Occupied last pits are lifted and sown on; no lap drops a seed in the pit that it started from. A last seed "
    "in an empty pit of the mover's row takes itself and the pit across. A player whose opponent has no seeds must "
    "give some, if that is possible. A player who cannot move ends the game, and each keeps what lies in their own "
    "row; some give it to the last mover.",
    skip_origin=True,
    landing=(RELAY, ACROSS_WITH_LAST),
    feeding=Feeding.IF_STARVED,
    end_reason="famine",
)

JODU = Ruleset(
    name="jodu",
    region="West Africa",
    people="Yoruba, Nigeria",
    source="described in 1951; Ludii, J'odu",
    about="Occupied last pits are lifted and sown on. A last seed in an empty pit of the mover's row stays there, and "
    "takes the pit across. No turn may leave the opponent without seeds. A player who has no such turn ends the game, "
    "and each keeps what lies in their own row.",
    landing=(RELAY, ACROSS),
    feeding=Feeding.MUST_LEAVE,
    end_reason="famine",
)

FOJI = JODU.changes(
    name="foji",
    people="Peoples of Benin",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="J'odu sown clockwise, in which no lap drops a seed in the pit that it started from. The players may agree "
    "on the end when a position has come back.",
    direction=Direction.CLOCKWISE,
    skip_origin=True,
)

YOVODJI = Ruleset(
    name="yovodji",
    region="West Africa",
    people="Peoples of Benin",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="If the last seed makes two or three in the opponent's row, these are taken. Other occupied last pits are "
    "lifted and sown on; no lap drops a seed in the pit that it started from. A last seed in an empty pit of the "
    "mover's row stays there, and takes the pit across if that holds two or more. A player who cannot move ends the "
    "game, and each keeps what lies in their own row. The players may agree on the end when a position has come back.",
    skip_origin=True,
    landing=(
        When(side="opponent", count={2, 3}).capture("here"),
        RELAY,
        When(side="own", facing=range(2, 62)).capture("facing"),
    ),
)

ALTIEV = Ruleset(
    name="altiev",
    region="Middle East",
    people="Turks",
    source="described in 1935; Ludii, Altiev",
    about="Three seeds in each pit. Occupied last pits are lifted and sown on. A last seed in an empty pit of the "
    "mover's row stays there, and takes the pit across. The player whose row is empty first loses, whatever was "
    "captured.",
    seeds=3,
    landing=(RELAY, ACROSS),
    goal=Goal.OUTLAST,
)

FRENCH_WARI = Ruleset(
    name="french_wari",
    region="Caribbean",
    people="Barbadians",
    source="M. J. Herskovits, Wari in the New World, 1932",
    about="Occupied last pits are lifted and sown on. A last seed in an empty pit of either row stays there, and takes "
    "the pit across. A player who cannot move ends the game, and each keeps what lies in their own row.",
    landing=(RELAY, ACROSS_ANYWHERE),
)

HUFESAY = Ruleset(
    name="hufesay",
    region="East Africa",
    people="Ethiopians",
    source="R. Pankhurst, Gabata and Related Board Games of Ethiopia and the Horn of Africa, 1971",
    about="A round. Occupied last pits are lifted and sown on. A last seed in an empty pit of the mover's row stays "
    "there, and takes the pit across. The round ends when a row is empty, and each keeps what lies in their own row. "
    "In the rounds that follow, four seeds hold a pit, and three with a lent one buy another; these are not played "
    "here.",
    landing=(RELAY, ACROSS),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

# The players first gather each second pit's seeds in the pit after it; then South sows the last pit of eight.
JIMAFESOSH = HUFESAY.changes(
    name="jimafesosh",
    about="A round. Every second pit is emptied into the one after it, so that eights and empty pits alternate; South "
    "then sows the rightmost of their own eights. Occupied last pits are lifted and sown on. A last seed in an empty "
    "pit of either row stays there, and takes the pit across. A player without seeds waits. The round ends when at "
    "most one seed is left. Rounds follow in which four seeds hold a pit; these are not played here.",
    setup=(8, 0, 8, 0, 8, 0) * 2,
    landing=(RELAY, ACROSS_ANYWHERE),
    opening=((4,),),
    end_check=EndCheck.SIDE_TO_MOVE,
    end_reason="stuck",
    stuck=Stuck.PASS,
    end_few=1,
)

GABATA_ANSABA = HUFESAY.changes(
    name="gabata_ansaba",
    people="Peoples of Eritrea",
    about="A round as of Hufesay, with three seeds in each pit; after a capture the last seed walks on. Both players "
    "are said to race through the first turn at once; in the rounds that follow the poorer lays out threes, then ones, "
    "and the other the same. Neither is played here. Another reading leaves the last seed where it fell.",
    seeds=3,
    landing=(RELAY, When(side="own", facing="occupied").capture("facing").relay()),
)

EN_GEHE = Ruleset(
    name="en_gehe",
    region="East Africa",
    people="Maasai",
    source="M. Merker, Die Masai, 1904",
    about="Occupied last pits are lifted and sown on. A last seed in an empty pit of the mover's row takes itself and "
    "the pit across. A player who cannot move ends the game, and the rest belongs to the other player. Merker saw "
    "boards of forty to fifty pits a row, played by teams; eight a row is a board to learn on.",
    board=two_rows(8),
    landing=(RELAY, ACROSS_WITH_LAST),
)

EN_GEHE_40 = EN_GEHE.changes(
    name="en_gehe_40",
    about="En Gehe on a board of forty pits a row, as Merker saw it played by teams: a long game.",
    board=two_rows(40),
)

DABUDA = EN_GEHE.changes(
    name="dabuda",
    people="Afar",
    source="R. Pankhurst, Gabata and Related Board Games of Ethiopia and the Horn of Africa, 1971",
    about="En Gehe on two rows of ten. Each player's first turn is from one of their own four rightmost pits, in "
    "another form from the rightmost one. Each keeps what lies in their own row at the end.",
    board=two_rows(10),
    opening=((-4, -3, -2, -1),) * 2,
)

YOVODI = Ruleset(
    name="yovodi",
    region="West Africa",
    people="Ewe of Togo and Ghana",
    source="Schönhärl, 1909, pp. 147-148, as told by Ludii, Yovodi",
    about="Sow clockwise, on from occupied pits. A last seed in an empty pit of the mover's row takes the pit across; "
    "one in an empty pit of the opponent's row loses the mover's pit across to the opponent. A player who cannot move "
    "ends the game, and each keeps what lies in their own row.",
    direction=Direction.CLOCKWISE,
    landing=(RELAY, ACROSS, When(side="opponent", facing="occupied").capture("facing", to="opponent")),
)

MANGALA_SUEZ = Ruleset(
    name="mangala_suez",
    region="North Africa",
    people="Arabs of the Suez",
    source="H. Parker, Ancient Ceylon, 1909, p. 601",
    about="Two pits of one row and one of the other are left empty, eight seeds lie in each of the rest; which ones is "
    "for the players to agree (start=[...]). Sow counter-clockwise, on from occupied pits. From the second turn of "
    "each player on a last seed in an empty pit of either row takes what lies across and then moves on by itself: it "
    "is lifted and sown like any other; if nothing lies across, the turn ends. The game ends when the player to move "
    "has nothing to lift, and each keeps the rest of their row. Parker adds that later turns must begin after the pit "
    "where the other ended, which would leave no choice; that is not played here.",
    setup=(8, 8, 0, 8, 8, 8, 8, 0, 8, 8, 0, 8),
    landing=(RELAY, When(facing="occupied", from_ply=2).capture("facing").relay()),
)

RIGHT_HALF = (6, 7, 8, 9, 10, 11)

GAMACHA = Ruleset(
    name="gamacha",
    region="Horn of Africa",
    people="Hadiya, Ethiopia",
    source=PANKHURST,
    about="Two rows of twelve, four seeds in every second pit. The game opens with a fixed move, after which it begins "
    "here. Sow counter-clockwise, on from occupied pits; a first lap that would end among seeds of the mover's row may "
    "not be played. A last seed in an empty pit of the mover's row takes what lies across. A player without seeds, or "
    "without a move, loses.",
    board=two_rows(12),
    setup=(4, 0, 4, 0, 4, 4, 4, 0, 4, 0, 4, 0, 0, 0, 4, 0, 4, 0, 0, 0, 4, 0, 4, 0),
    landing=(RELAY, ACROSS),
    first_lap=FirstLap.NOT_IN_OWN_FULL,
    goal=Goal.OUTLAST,
)

TAPATA = GAMACHA.changes(
    name="tapata",
    people="Konso, Ethiopia",
    about="Two rows of twelve; in each, from the left, an empty pit and two pits of three seeds, four times over. Each "
    "player's first turn is a single lap from their own right half, of which the last seed is laid in the opponent's "
    "row, which it mostly reaches anyhow: here it falls where it falls. Then as in Gamacha; a player who cannot move "
    "loses.",
    setup=(0, 3, 3) * 8,
    opening=(RIGHT_HALF, RIGHT_HALF),
    landing=(replace(RELAY, from_ply=2), replace(ACROSS, from_ply=2)),
    goal=Goal.LAST_MOVER,
)

INTOTOI = GAMACHA.changes(
    name="intotoi",
    region="East Africa",
    people="Samburu, Kenya",
    source=f"{MURRAY}, p. 200",
    about="Two rows of twelve; in each, from the left, an empty pit and two pits of three seeds, four times over. The "
    "opener moves two seeds of the last but one pit, after which the game begins here; the other player's first move, "
    "of two seeds as well, is not played in that way. Then as in Gamacha; a player who cannot move ends the game, and "
    "each keeps their own row; more seeds win.",
    setup=(1, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 1, 4),
    goal=Goal.SEEDS,
)
