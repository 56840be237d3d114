"""Bohnenspiel and other games of two rows of a single lap, in which pits are won for the seeds that they then hold."""

from mancala_env.games.clauses import RELAY, ROW_EMPTY, chain, taken
from mancala_env.rules import Direction, Leave, Leftover, Match, Ruleset, Stuck, When, two_rows

BOHNENSPIEL = Ruleset(
    people="Germans of the Baltic",
    source="igGameCenter, Bohnenspiel; Wikipedia, Das Bohnenspiel",
    about="Twos, fours and sixes are won, in chains through both rows. Who cannot move leaves the rest to the other.",
    seeds=6,
    landing=(chain({2, 4, 6}),),
)

BOHNENSPIEL_MATCH = BOHNENSPIEL.changes(
    source="igGameCenter, Bohnenspiel; Wikipedia, Das Bohnenspiel; StoneShark (the match)",
    about="Games of Bohnenspiel, begun in turn, in which the beans won are points, up to a hundred.",
    match=Match.POINTS,
    target=100,
    first_mover="alternate",
)

BESTEMSHE = Ruleset(
    people="Kazakhs",
    source="Mancala World, Bestemshe",
    about="The children's form of Toguz Kumalak: smaller, and without a tuz.",
    board=two_rows(5),
    seeds=5,
    leave=Leave.FIRST_LAP,
    landing=(When(side="opponent", count="even").capture("here"),),
    majority_stop=True,
)

MANKALA = BOHNENSPIEL.changes(
    people="Egyptians",
    source="C. Niebuhr, Reisebeschreibung nach Arabien, 1774: seen in 1762",
    about="What Niebuhr saw in Egypt: Bohnenspiel in which a player without seeds waits, and only captures count.",
    stuck=Stuck.PASS,
    leftover=Leftover.NONE,
)

MANGALA_TURKEY = Ruleset(
    people="Turks",
    source="described in 1979; Ludii, Mangala (Turkey)",
    about="Another game than the Turkish sport of that name: ones and threes are won. Six pits a row are used, too.",
    board=two_rows(7),
    seeds=5,
    landing=(chain({1, 3}),),
    stuck=Stuck.PASS,
)

VAI_LUNG_THLAN = Ruleset(
    people="Mizo",
    source="J. Shakespear, The Lushei Kuki Clans, 1912, p. 39",
    about="A last seed in an empty pit is won, and so are the lone seeds before it.",
    seeds=5,
    direction=Direction.CLOCKWISE,
    landing=(chain({1}),),
    stuck=Stuck.PASS,
)

UM_EL_BIL = Ruleset(
    people="Tunisians",
    source="described in 1988; Ludii, Um el-Bil",
    about="A last seed in an empty pit is won. Boards of seven and eight pits a row are used, too.",
    landing=(taken({1}),),
    opening=((-1,),),
    stuck=Stuck.PASS,
)

NTYENGE = Ruleset(
    people="Mbenge, Gabon",
    source="described in 1899; Ludii, Ntyenge",
    about="The pit of the last seed is won for two or four, and only that one.",
    board=two_rows(8),
    landing=(taken({2, 4}),),
    stuck=Stuck.PASS,
)

WORE = Ruleset(
    region="West Africa",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="The pit of the last seed is won for two, four or six, and only what was captured counts.",
    board=two_rows(4),
    seeds=6,
    landing=(taken({2, 4, 6}),),
    leftover=Leftover.NONE,
)

KHROUR = Ruleset(
    people="Moors of Moudjéria, Mauritania",
    source="Ludii, Khrour",
    about="A round on a tiny board. In those that follow a pit that its owner can fill only in part stays out of the "
    "game until it is full. Rows of three, four and six are used, too.",
    board=two_rows(2),
    landing=(taken({2, 4, 6, 8}),),
    stuck=Stuck.PASS,
)

KPO = Ruleset(
    people="Vai, Liberia",
    source="Ludii, Kpo",
    about="A last seed wins its pit for two or three, in either row. Three and four players have rules of their own.",
    landing=(taken({2, 3}),),
)

UNNEE_TUGALLUULAX = Ruleset(
    people="Mongols",
    source="A. Popova, Analyse formelle et classification des jeux de calculs mongols, 1974",
    about="The cow's calving: fours are won in the mover's own row. Another reading takes fours in either row.",
    seeds=6,
    direction=Direction.CLOCKWISE,
    landing=(taken({4}, "own"),),
    repetition=2,
)

WARI_ASHANTI = Ruleset(
    people="Ashanti, Ghana",
    source="R. S. Rattray, Religion and Art in Ashanti, 1927",
    about="Sixes are won in the opponent's row. Another reading takes sixes in either row.",
    landing=(taken({6}, "opponent"),),
    leftover=Leftover.NONE,
)

AW_LI_ON_NAM_OT_TJIN = Ruleset(
    people="Penihing, Borneo",
    source="C. Lumholtz, Through Central Borneo, 1920, pp. 435-437",
    about="A pit that comes to three is a fish, and won. It is also played with two, four or five seeds, and then fish "
    "are of as many. Ot-tjin is the same game sown on from occupied pits.",
    board=two_rows(9),
    seeds=3,
    min_start=2,
    landing=(taken({3}),),
    leftover=Leftover.LAST_MOVER,
)

LAB_AKILA = MANGALA_TURKEY.changes(
    people="Syrians and Egyptians",
    source="S. Culin, Mancala, the National Game of Africa, 1896",
    about="The rational game: twos and fours are won together with the pits across. Another reading sows a single lap.",
    seeds=7,
    landing=(
        When(count={2, 4}).capture("here", "facing", chain={2, 4}, chain_side="any", chain_direction="columns"),
        RELAY,
    ),
    end_few=1,
)

I = Ruleset(  # noqa: E741
    people="Dogon, Mali",
    source="M. Griaule, Jeux dogons, 1938",
    about="A capture takes the pits at both sides, too. Five to seven seeds are used as well.",
    board=two_rows(3),
    min_start=2,
    landing=(When(count={2, 3}).capture("here", "neighbours", every={2, 3}),),
    leftover=Leftover.NONE,
    stuck=Stuck.PASS,
)

ERHERHE = Ruleset(
    people="Mpongwe, Gabon",
    source="described in 1906; Ludii, Erherhe",
    about="A round, in which a capture takes the pits at both sides, too. In later ones unfilled pits are closed.",
    landing=(When(side="opponent", count={2, 4}).capture("here", "neighbours", every={2, 4}),),
    **ROW_EMPTY,
)

OURE_NGAT = Ruleset(
    people="Senegalese",
    source="Ludii, Oure N'gat",
    about="Each lap wins every pit that it leaves with two, four or six. Players who only leave lone seeds where they "
    "are never come to an end.",
    board=two_rows(4),
    seeds=6,
    leave=Leave.UNLESS_ALONE,
    landing=(When().capture("every", every={2, 4, 6}),),
    stuck=Stuck.PASS,
)
