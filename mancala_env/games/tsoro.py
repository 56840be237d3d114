"""Four rows whose captures leave the board, from Angola to Oman: Tsoro, and Tshuba, where a capture earns more."""

from dataclasses import replace

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Direction, Goal, Leftover, Ruleset, Stuck, When, four_rows

INNER_PIT = When(was="empty", facing="occupied").capture("facing")
BOTH_PITS = When(was="empty", facing="occupied").capture("facing", "outer")
SANDERSON = "M. Sanderson, Native Games of Central Africa, Journal of the Royal Anthropological Institute 43, 1913"
SILVA = "E. R. S. da Silva, Jogos de quadrícula do tipo mancala, 1995"

TSORO = Ruleset(
    people="Zimbabwe",
    source="Matthews, 1964, pp. 64-66, as told by Ludii, Tsoro",
    about="Captured seeds leave the board; single seeds move only as a last resort. Rows of 6 to 21 pits are played.",
    board=four_rows(8),
    setup=((2,) * 8 + (0,) * 8) * 2,
    landing=(RELAY, BOTH_PITS),
    singles="last_resort_into_empty",
    stuck=Stuck.PASS,
    goal=Goal.OUTLAST,
)

TSORO_REENTERED_CAPTURES = TSORO.changes(
    about="Tsoro in which nothing leaves the board: captured seeds are sown on, and the turn ends with that.",
    landing=(RELAY, When(place="inner", facing="occupied").sow_on("facing", "outer", stops=True)),
)

NJOMBWA_TWO_COUNTERS = TSORO.changes(
    region="East Africa",
    people="Yao",
    source=SANDERSON,
    about="As Tsoro, from twos, but, as recorded, turns from a single seed capture nothing. Rows of 9 and 10 are used.",
    setup=((2,) * 14 + (1, 0)) * 2,
    landing=(RELAY, When(was="empty", facing="occupied", lifted=2).capture("facing", "outer")),
)

NJOMBWA_ONE_COUNTER = NJOMBWA_TWO_COUNTERS.changes(
    about="Njombwa laid out with one seed in each pit. Both players open in the same prescribed way, which leaves two "
    "seeds in every other pit, and then take one pair of the opponent's off the board; the game begins there.",
    setup=((0, 2) * 4 + (0, 0, 0, 2, 0, 2, 0, 2)) * 2,
)

NJOMBWA = NJOMBWA_TWO_COUNTERS.changes(
    about="Njombwa laid out in a corner: 29 seeds in the leftmost outer pit, then two and one. The pair is moved round "
    "first, ten turns a player without a choice, until North captures the one of South; here the game begins there.",
    setup=(29, *(0,) * 11, 1, 0, 0, 0, 29, *(0,) * 10, 1, 1, 0, 0, 0),
)

BAO_KI_ARABU_ZANZIBAR_2 = Ruleset(
    people="Zanzibar",
    source="W. H. Ingrams, Zanzibar: its History and its People, 1931",
    about="Told to be the true form of Arabian Bao: any pit is played, and captured seeds leave the board.",
    board=four_rows(7),
    seeds=2,
    landing=(RELAY, BOTH_PITS),
    stuck=Stuck.PASS,
    goal=Goal.OUTLAST,
)

NCHAYO = BAO_KI_ARABU_ZANZIBAR_2.changes(
    people="Makonde",
    source="M. Viegas Guerreiro, Os Macondes de Moçambique IV, 1966",
    about="As Bao Ki Arabu, with one seed in each pit, in rows of 5 or of 8. An endless turn stops after 2,000 laps.",
    board=four_rows(5),
    seeds=1,
)

MUVALAVALA_LUENA = Ruleset(
    people="Luena, Angola",
    source=SILVA,
    about="Sown clockwise, with first moves from the inner row. Rows of 7 to 16 pits are played, too.",
    board=four_rows(6),
    seeds=2,
    direction=Direction.CLOCKWISE,
    landing=(RELAY, BOTH_PITS),
    opening=(tuple(range(6, 12)),) * 2,
)

MORUBA = Ruleset(
    people="South Africa",
    source="descriptions from South Africa, 1934 to 2002",
    about="A turn is a single lap; a last seed in any inner pit across from seeds wins; only captured seeds count.",
    board=four_rows(12),
    landing=(When(facing="occupied").capture("facing", "outer"),),
    leftover=Leftover.NONE,
)

CHIANA_WA_BWALO = Ruleset(
    people="Nyanja",
    source=SANDERSON,
    about="A turn is a single lap, and the outer pits are safe. Rows of 6 to 28 pits are played.",
    board=four_rows(16),
    setup=((4,) * 16 + (0,) * 16) * 2,
    landing=(INNER_PIT,),
)

MAKONN = TSORO.changes(
    people="Seychelles",
    source="A. J. de Voogt, 2013, from players met in 2007",
    about="Tsoro with 20 seeds each. Players begin with one in each pit, and first one, then the other rearranges "
    "theirs at will; the game begins here with two in each outer pit, unless another start is chosen.",
    board=four_rows(10),
    setup=((2,) * 10 + (0,) * 10) * 2,
)

NCHUWA = TSORO.changes(
    people="Tonga, Malawi",
    source=SANDERSON,
    about="Tsoro in which any pit is played. Both open with four prescribed turns, after which the game begins here. "
    "They then go on to move two seeds each into an empty pit of their own and to take two pits of the opponent off "
    "the board, which is left out: another start can be chosen instead. Rows of 9 to 15 pits are played, too.",
    board=four_rows(6),
    setup=(0, 3, 3) * 8,
    singles="as_others",
)

HAWALIS = BAO_KI_ARABU_ZANZIBAR_2.changes(
    people="Oman",
    source="A. J. de Voogt, Hawalis in Oman, 2003",
    about="As Bao Ki Arabu, but single seeds move only where there is nothing else, and a player who cannot move "
    "loses. (A turn that never ends loses, too; here it stops after 2,000 laps.)",
    singles="last_resort_into_empty",
    goal=Goal.LAST_MOVER,
    stuck=Stuck.END,
)

SUTE = TSORO.changes(
    people="Chikunda, Malawi",
    source=SANDERSON,
    about="A turn moves one seed one pit on, into an empty one, so that none holds more; only outer pits are captured.",
    setup=((1,) * 8 + (0,) + (1,) * 7) * 2,
    landing=(When(facing="empty", outer="occupied").capture("outer"),),
    singles="into_empty",
)

QUIELA = TSORO.changes(
    people="Jinga, Angola",
    source=SILVA,
    about="As Tsoro, with three seeds in each outer pit, which each player may rearrange first. Single "
    "seeds are played like others, but when a player has nothing else, into empty pits only.",
    board=four_rows(7),
    setup=((3,) * 7 + (0,) * 7) * 2,
    singles="into_empty_at_last",
)

ALL_PITS = When(was="empty", facing="occupied", outer="occupied").capture("facing", "outer")

TSHUBA = HAWALIS.changes(
    people="Tsonga, Mozambique",
    source="H. A. Junod, The Life of a South African Tribe, 1912",
    about="As Hawalis, but with each capture one more pit of the opponent is picked. Rows of 4 to 22 are played.",
    board=four_rows(8),
    landing=(RELAY, BOTH_PITS.pick(1)),
)

MEFUVHA = Ruleset(
    people="Venda, South Africa",
    source="H. A. Stayt, The Bavenda, 1931",
    about="With each capture the player picks one more pit of the opponent, even if both pits across were empty. Both "
    "begin with the fourth inner pit from the left. Rows of 6 to 28 are played.",
    board=four_rows(16),
    setup=((2,) * 30 + (1, 0)) * 2,
    landing=(RELAY, When(place="inner").capture("here", "facing", "outer").pick(1)),
    singles="last_resort",
    opening=((29,), (), (29,)),  # the pick after South's is a ply, too
)

MSUWA = TSORO.changes(
    people="Nyanja, Malawi",
    source=SANDERSON,
    about="As Tsoro, but after a capture from both pits the player picks two more. Rows of 12 to 20 are played, too.",
    board=four_rows(10),
    setup=((2,) * 10 + (0, 1) + (2,) * 8) * 2,
    landing=(RELAY, ALL_PITS.pick(2), BOTH_PITS),
)

MSUWA_WA_KUNJA = MSUWA.changes(
    about="Msuwa of the outside: two seeds lie in each outer pit, none in the inner ones.",
    setup=((2,) * 10 + (0,) * 10) * 2,
)

NSOLO = MSUWA.changes(
    people="Ngoni, Malawi",
    about="As Msuwa, but the player picks one pit.",
    setup=((2,) * 10 + (0,) + (2,) * 9) * 2,
    landing=(RELAY, ALL_PITS.pick(1), BOTH_PITS),
)

SPRETA = MSUWA.changes(
    people="Chikunda, Malawi",
    about="As Msuwa, with one seed in most pits and a prescribed first lap; the player picks two pits even if those "
    "across were empty. Rows of 12 pits are played, too.",
    setup=((1,) * 10 + (0,) + (1,) * 6 + (2, 1, 1)) * 2,
    landing=(replace(RELAY, from_ply=2), When(place="inner", from_ply=2).capture("facing", "outer").pick(2)),
    opening=((17,), (17,)),
)

TSORO_ADDITIONAL_CAPTURE = TSORO.changes(
    about="Tsoro in which with each capture the player picks three more pits of the opponent.",
    landing=(RELAY, BOTH_PITS.pick(3)),
)

MUSORO_TSORO = TSORO.changes(
    about="Tsoro in which a lap may be sown on, or not, from among seeds in the rightmost outer pit, a special one.",
    setup=((2,) * 7 + (3,) + (0,) * 8) * 2,
    landing=(When(was="occupied", place={7}).relay().or_stop(), RELAY, BOTH_PITS),
)

MISORO_TSORO = MUSORO_TSORO.changes(
    about="Musoro Tsoro with two special pits each, here the ends of the outer row; elsewhere players choose them.",
    landing=(When(was="occupied", place={0, 7}).relay().or_stop(), RELAY, BOTH_PITS),
)

MISORO_TSORO_ADDITIONAL_CAPTURE = MISORO_TSORO.changes(
    about="Misoro Tsoro in which with each capture the player picks three more pits, but no special ones.",
    landing=(When(was="occupied", place={0, 7}).relay().or_stop(), RELAY, BOTH_PITS.pick(3, sparing={0, 7})),
)
