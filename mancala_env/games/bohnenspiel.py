"""Bohnenspiel and other games of two rows of a single lap, in which pits are won for the seeds that they then hold."""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Ruleset, When, two_rows
from mancala_env.rules.choices import Direction, EndCheck, FirstMover, Leave, Leftover, Match, Stuck


def taken(counts: set[int], side: str | None = None) -> When:
    """The pit is taken if it now holds one of these numbers of seeds."""
    return When(count=counts, side=side).capture("here")


def chain(counts: set[int]) -> When:
    """The same, and so are the pits before it, in either row, as far as they hold one of these numbers."""
    return When(count=counts).capture("here", chain=counts, chain_side="any")


BOHNENSPIEL = Ruleset(
    name="bohnenspiel",
    region="Europe",
    people="Germans of the Baltic",
    source="igGameCenter, Bohnenspiel; Wikipedia, Das Bohnenspiel",
    about="Seeds are sown one lap counter-clockwise. If the last pit, in either row, then holds two, four or six, it "
    "is taken, and so are the pits before it one by one while they hold two, four or six. A player who cannot move "
    "ends the game, and what is left belongs to the other player. Most of the 72 seeds win.",
    seeds=6,
    landing=(chain({2, 4, 6}),),
)

BOHNENSPIEL_MATCH = BOHNENSPIEL.changes(
    name="bohnenspiel_match",
    source="igGameCenter, Bohnenspiel; Wikipedia, Das Bohnenspiel; StoneShark (the match)",
    about="Games of Bohnenspiel, begun in turn. Each player adds the beans won in a game to their points. The first to "
    "reach a hundred wins; if both do in the same game, who has more.",
    match=Match.POINTS,
    target=100,
    first_mover=FirstMover.ALTERNATE,
)

BESTEMSHE = Ruleset(
    name="bestemshe",
    region="Central Asia",
    people="Kazakhs",
    source="Mancala World, Bestemshe",
    about="Two rows of five with five seeds each, the children's form of Toguz Kumalak. The first seed stays in the "
    "pit that is played; a lone seed moves on. If the last seed makes an even number in a pit of the opponent's row, "
    "these are taken. More than half of the seeds win; who cannot move ends the game, and the rest belongs to the "
    "other player.",
    board=two_rows(5),
    seeds=5,
    leave=Leave.FIRST_LAP,
    landing=(When(side="opponent", count="even").capture("here"),),
    majority_stop=True,
)

MANKALA = BOHNENSPIEL.changes(
    name="mankala",
    region="North Africa",
    people="Egyptians",
    source="C. Niebuhr, Reisebeschreibung nach Arabien, 1774: seen in 1762",
    about="The game that Niebuhr saw in Egypt: Bohnenspiel in which a player without seeds waits; when neither can "
    "move, only what was captured counts.",
    stuck=Stuck.PASS,
    leftover=Leftover.NONE,
)

MANGALA_TURKEY = Ruleset(
    name="mangala_turkey",
    region="Middle East",
    people="Turks",
    source="described in 1979; Ludii, Mangala (Turkey)",
    about="Another game than the Turkish sport of that name. The last seed is taken with its pit if this then holds "
    "one or three, and so are the pits before it while they hold one or three. A player without seeds waits, until the "
    "board is empty. It is also played with six pits a row.",
    board=two_rows(7),
    seeds=5,
    landing=(chain({1, 3}),),
    stuck=Stuck.PASS,
)

VAI_LUNG_THLAN = Ruleset(
    name="vai_lung_thlan",
    region="South Asia",
    people="Mizo",
    source="J. Shakespear, The Lushei Kuki Clans, 1912, p. 39",
    about="Seeds are sown one lap clockwise. A last seed that falls into an empty pit, in either row, is taken, and so "
    "is every pit before it that holds exactly one, without a gap. A player without seeds waits, and the game lasts "
    "until the board is empty. Most of the 60 seeds win.",
    seeds=5,
    direction=Direction.CLOCKWISE,
    landing=(chain({1}),),
    stuck=Stuck.PASS,
)

UM_EL_BIL = Ruleset(
    name="um_el_bil",
    region="North Africa",
    people="Tunisians",
    source="described in 1988; Ludii, Um el-Bil",
    about="Seeds are sown one lap counter-clockwise. A last seed that falls into an empty pit, in either row, is "
    "taken. South begins with the rightmost pit. A player without seeds waits, until the board is empty. Boards of "
    "seven and eight pits a row are used, too.",
    landing=(taken({1}),),
    opening=((-1,),),
    stuck=Stuck.PASS,
)

NTYENGE = Ruleset(
    name="ntyenge",
    region="Central Africa",
    people="Mbenge, Gabon",
    source="described in 1899; Ludii, Ntyenge",
    about="Two rows of eight. The pit in which the last seed falls is taken if it then holds two or four, and only "
    "that one. A player without seeds waits, until the board is empty.",
    board=two_rows(8),
    landing=(taken({2, 4}),),
    stuck=Stuck.PASS,
)

WORE = Ruleset(
    name="wore",
    region="West Africa",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="Two rows of four with six seeds each. The pit in which the last seed falls is taken if it then holds two, "
    "four or six. A player who cannot move ends the game, and only what was captured counts.",
    board=two_rows(4),
    seeds=6,
    landing=(taken({2, 4, 6}),),
    leftover=Leftover.NONE,
)

KHROUR = Ruleset(
    name="khrour",
    region="West Africa",
    people="Moors of Moudjéria, Mauritania",
    source="Ludii, Khrour",
    about="A round on two rows of two. The pit in which the last seed falls is taken if it then holds two, four, six "
    "or eight. A player without seeds waits, until the board is empty. Rounds follow in which a pit that its owner can "
    "fill only in part stays out of the game until it is full; these are not played here. Rows of three, four and six "
    "are used, too.",
    board=two_rows(2),
    landing=(taken({2, 4, 6, 8}),),
    stuck=Stuck.PASS,
)

KPO = Ruleset(
    name="kpo",
    region="West Africa",
    people="Vai, Liberia",
    source="Ludii, Kpo",
    about="The pit in which the last seed falls, in either row, is taken if it then holds two or three. A player who "
    "cannot move ends the game, and each keeps what lies in their own row. Three and four players have rules of their "
    "own.",
    landing=(taken({2, 3}),),
)

UNNEE_TUGALLUULAX = Ruleset(
    name="unnee_tugalluulax",
    region="East Asia",
    people="Mongols",
    source="A. Popova, Analyse formelle et classification des jeux de calculs mongols, 1974",
    about="The cow's calving. Seeds are sown one lap clockwise. If the last one makes four in a pit of the mover's "
    "row, these are taken. The game ends when the mover has no seeds, or when a position comes back; each keeps what "
    "lies in their own row. Another reading takes fours in either row.",
    seeds=6,
    direction=Direction.CLOCKWISE,
    landing=(taken({4}, "own"),),
    repetition=2,
)

WARI_ASHANTI = Ruleset(
    name="wari_ashanti",
    region="West Africa",
    people="Ashanti, Ghana",
    source="R. S. Rattray, Religion and Art in Ashanti, 1927",
    about="If the last seed makes six in a pit of the opponent's row, these are taken. A player who cannot move ends "
    "the game, and only what was captured counts. Another reading takes sixes in either row.",
    landing=(taken({6}, "opponent"),),
    leftover=Leftover.NONE,
)

AW_LI_ON_NAM_OT_TJIN = Ruleset(
    name="aw_li_on_nam_ot_tjin",
    region="Southeast Asia",
    people="Penihing, Borneo",
    source="C. Lumholtz, Through Central Borneo, 1920, pp. 435-437",
    about="Two rows of nine with three seeds each. One lap is sown from a pit of two seeds or more; if the last pit "
    "then holds three, they are a fish, and are taken. When the mover has no pit of two seeds left, the rest belongs "
    "to the other player. It is also played with two, four or five seeds, and then fish are of as many. Ot-tjin is the "
    "same game sown on from occupied pits.",
    board=two_rows(9),
    seeds=3,
    min_start=2,
    landing=(taken({3}),),
    leftover=Leftover.LAST_MOVER,
)

LAB_AKILA = MANGALA_TURKEY.changes(
    name="lab_akila",
    people="Syrians and Egyptians",
    source="S. Culin, Mancala, the National Game of Africa, 1896",
    about="The rational game. If the last pit then holds two or four, it is taken with the pit across, and so are the "
    "pits before it while they hold two or four, each with the pit across. A last seed in another occupied pit goes on "
    "with all that lies there; in an empty pit it ends the turn. The game ends when at most one seed is left. Another "
    "reading sows a single lap.",
    seeds=7,
    landing=(When(count={2, 4}).capture("here", "facing", chain={2, 4}, chain_side="any", chain_way="columns"), RELAY),
    end_few=1,
)

I = Ruleset(  # noqa: E741
    name="i",
    region="West Africa",
    people="Dogon, Mali",
    source="M. Griaule, Jeux dogons, 1938",
    about="Two rows of three; a pit of a single seed cannot be played. If the last pit then holds two or three, it is "
    "taken, and so are the pits beside it in its row that hold two or three. A player who cannot move waits; when "
    "neither can, only what was captured counts. Five to seven seeds are used, too.",
    board=two_rows(3),
    min_start=2,
    landing=(When(count={2, 3}).capture("here", "neighbours", every={2, 3}),),
    leftover=Leftover.NONE,
    stuck=Stuck.PASS,
)

ERHERHE = Ruleset(
    name="erherhe",
    region="Central Africa",
    people="Mpongwe, Gabon",
    source="described in 1906; Ludii, Erherhe",
    about="A round. If the last seed makes two or four in a pit of the opponent's row, these are taken, and so are the "
    "pits beside it in that row that hold two or four. The round ends when a row is empty. Rounds follow in which pits "
    "are closed that their owner cannot fill; these are not played here.",
    landing=(When(side="opponent", count={2, 4}).capture("here", "neighbours", every={2, 4}),),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

OURE_NGAT = Ruleset(
    name="oure_ngat",
    region="West Africa",
    people="Senegalese",
    source="Ludii, Oure N'gat",
    about="Two rows of four with six seeds each. The first seed of a lap stays in the pit that is played, and a lone "
    "seed does not move at all, which ends the turn. When the lap is sown, every pit of the board that holds two, four "
    "or six is taken. A player without seeds waits, until the board is empty; players who only leave lone seeds where "
    "they are do not get there.",
    board=two_rows(4),
    seeds=6,
    leave=Leave.UNLESS_ALONE,
    landing=(When().capture("every", every={2, 4, 6}),),
    stuck=Stuck.PASS,
)
