"""Ayoayo and other games of two rows that sow on from occupied pits, and capture the pit across from an empty one."""

from dataclasses import replace

from mancala_env.games.clauses import ACROSS, ACROSS_ANY, ACROSS_BOTH, MURRAY, PANKHURST, RELAY, ROW_EMPTY, taken
from mancala_env.rules import Direction, Feeding, Goal, Ruleset, Stuck, When, two_rows

AYOAYO = Ruleset(
    people="Yoruba, Nigeria",
    source="Mancala World, Ayoayo",
    about="Relay sowing, captures across, and a duty to feed who has no seeds. Some give the rest to the last mover.",
    skip_origin=True,
    landing=(RELAY, ACROSS_BOTH),
    feeding=Feeding.IF_STARVED,
    end_reason="famine",
)

JODU = AYOAYO.changes(
    source="described in 1951; Ludii, J'odu",
    about="As Ayoayo, but the capturing seed stays, and no turn may leave the opponent without seeds.",
    skip_origin=False,
    landing=(RELAY, ACROSS),
    feeding=Feeding.MUST_LEAVE,
)

FOJI = JODU.changes(
    people="Peoples of Benin",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="J'odu sown clockwise, past the pit where a lap begins. Players may agree on the end at a repetition.",
    direction=Direction.CLOCKWISE,
    skip_origin=True,
)

YOVODJI = Ruleset(
    people="Peoples of Benin",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="Twos and threes are won in the opponent's row, and two seeds or more across from an empty own pit. The "
    "players may agree on the end when a position has come back.",
    skip_origin=True,
    landing=(taken({2, 3}, "opponent"), RELAY, When(side="own", facing=range(2, 62)).capture("facing")),
)

ALTIEV = Ruleset(
    people="Turks",
    source="described in 1935; Ludii, Altiev",
    about="The player whose row is empty first loses, whatever was captured.",
    seeds=3,
    landing=(RELAY, ACROSS),
    goal=Goal.OUTLAST,
)

FRENCH_WARI = Ruleset(
    people="Barbadians",
    source="M. J. Herskovits, Wari in the New World, 1932",
    about="A last seed in an empty pit of either row stays there, and takes the pit across.",
    landing=(RELAY, ACROSS_ANY),
)

HUFESAY = Ruleset(
    people="Ethiopians",
    source=PANKHURST,
    about="A round, until a row is empty. In later ones four seeds hold a pit, and three with a lent one buy another.",
    landing=(RELAY, ACROSS),
    **ROW_EMPTY,
)

JIMAFESOSH = HUFESAY.changes(
    about="A round, in which every second pit is emptied into the one after it before South begins with the rightmost "
    "of their own eights. Either row captures. Rounds follow in which four seeds hold a pit.",
    setup=(8, 0, 8, 0, 8, 0) * 2,
    landing=(RELAY, ACROSS_ANY),
    opening=((4,),),
    end_check="side_to_move",
    end_reason="stuck",
    stuck=Stuck.PASS,
    end_few=1,
)

GABATA_ANSABA = HUFESAY.changes(
    people="Peoples of Eritrea",
    about="A round as of Hufesay, but after a capture the last seed walks on; another reading leaves it where it fell. "
    "Both players are said to race through the first turn at once; in the rounds that follow the poorer lays out "
    "threes, then ones, and the other the same. Neither is played here.",
    seeds=3,
    landing=(RELAY, When(side="own", facing="occupied").capture("facing").relay()),
)

EN_GEHE = Ruleset(
    people="Maasai",
    source="M. Merker, Die Masai, 1904",
    about="Merker saw boards of forty to fifty pits a row, played by teams; eight a row is a board to learn on.",
    board=two_rows(8),
    landing=(RELAY, ACROSS_BOTH),
)

EN_GEHE_40 = EN_GEHE.changes(
    about="En Gehe on a board of forty pits a row, as Merker saw it played by teams: a long game.",
    board=two_rows(40),
)

DABUDA = EN_GEHE.changes(
    people="Afar",
    source=PANKHURST,
    about="En Gehe on rows of ten, first turns from the four rightmost pits; in another form from the rightmost one.",
    board=two_rows(10),
    opening=((-4, -3, -2, -1),) * 2,
)

YOVODI = Ruleset(
    people="Ewe of Togo and Ghana",
    source="Schönhärl, 1909, pp. 147-148, as told by Ludii, Yovodi",
    about="A last seed in an empty pit of the opponent's row loses the mover's pit across to the opponent.",
    direction=Direction.CLOCKWISE,
    landing=(RELAY, ACROSS, When(side="opponent", facing="occupied").capture("facing", to="opponent")),
)

MANGALA_SUEZ = Ruleset(
    people="Arabs of the Suez",
    source="H. Parker, Ancient Ceylon, 1909, p. 601",
    about="Two pits of one row and one of the other are left empty, as the players agree. Parker adds that later turns "
    "must begin after the pit where the other ended, which would leave no choice; that is not played here.",
    setup=(8, 8, 0, 8, 8, 8, 8, 0, 8, 8, 0, 8),
    landing=(RELAY, When(facing="occupied", from_ply=2).capture("facing").relay()),
)

GAMACHA = Ruleset(
    people="Hadiya, Ethiopia",
    source=PANKHURST,
    about="A first lap may not end among seeds of the mover's row. The game begins here after a fixed opening move.",
    board=two_rows(12),
    setup=(4, 0, 4, 0, 4, 4, 4, 0, 4, 0, 4, 0, 0, 0, 4, 0, 4, 0, 0, 0, 4, 0, 4, 0),
    landing=(RELAY, ACROSS),
    first_lap="not_in_own_full",
    goal=Goal.OUTLAST,
)

TAPATA = GAMACHA.changes(
    people="Konso, Ethiopia",
    about="As Gamacha, from pits of three. The last seed of each player's first turn is laid in the opponent's row, "
    "which it mostly reaches anyhow: here it falls where it falls.",
    setup=(0, 3, 3) * 8,
    opening=(tuple(range(6, 12)),) * 2,
    landing=(replace(RELAY, from_ply=2), replace(ACROSS, from_ply=2)),
    goal=Goal.LAST_MOVER,
)

INTOTOI = GAMACHA.changes(
    people="Samburu, Kenya",
    source=f"{MURRAY}, p. 200",
    about="As Gamacha, from pits of three, but more seeds win. The opener moves two seeds of the last but one pit, "
    "after which the game begins here; the other player's first move, of two seeds as well, is not played in that way.",
    setup=(1, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 1, 4),
    goal=Goal.SEEDS,
)
