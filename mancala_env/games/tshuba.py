"""Four rows where a capture earns more: Tshuba of the Tsonga, and its kin in Zimbabwe, Malawi and South Africa."""

from mancala_env.games.tsoro import BOTH_PITS, RELAY, SANDERSON, TSORO
from mancala_env.rules import Goal, Ruleset, Singles, When, four_rows

ALL_PITS = When(was="empty", facing="occupied", outer="occupied").capture("facing", "outer")

TSHUBA = Ruleset(
    name="tshuba",
    region="Southern Africa",
    people="Tsonga, Mozambique",
    source="H. A. Junod, The Life of a South African Tribe, 1912",
    about="Two seeds lie in each pit, in rows of 8; rows of 4 to 22 are played. Pits of two seeds or more are played; "
    "where there is none a single seed, into an empty pit. A lap that ends in seeds is sown on. One that ends in an "
    "empty inner pit across from seeds takes these, and those of the outer pit of that column, off the board; then the "
    "player picks one more pit of the opponent, wherever it lies, and takes its seeds, too. A player who cannot move "
    "loses.",
    board=four_rows(8),
    seeds=2,
    landing=(RELAY, BOTH_PITS.pick(1)),
    singles=Singles.LAST_RESORT_INTO_EMPTY,
    goal=Goal.LAST_MOVER,
)

MEFUVHA = Ruleset(
    name="mefuvha",
    region="Southern Africa",
    people="Venda, South Africa",
    source="H. A. Stayt, The Bavenda, 1931",
    about="Two seeds lie in each pit, but none and one in the two leftmost inner pits, in rows of 16; rows of 6 to 28 "
    "are played. Both begin with the fourth inner pit from the left. Pits of two seeds or more are played, single "
    "seeds only where there is nothing else. A lap that ends in seeds is sown on. One that ends in an empty inner pit "
    "wins what lies in the pit across and in the outer pit of that column, the seed that captured, and one more pit of "
    "the opponent that the player picks, even if both of these were empty. When the player to move has no seeds left, "
    "the player with more seeds, those in their own rows included, wins.",
    board=four_rows(16),
    setup=((2,) * 30 + (1, 0)) * 2,
    landing=(RELAY, When(inner=True).capture("here", "facing", "outer").pick(1)),
    singles=Singles.LAST_RESORT,
    opening=((29,), (), (29,)),  # the pick after South's is a ply, too
)

MSUWA = TSORO.changes(
    name="msuwa",
    people="Nyanja, Malawi",
    source=SANDERSON,
    about="As Tsoro, with two seeds in each pit, but none and one in the two rightmost inner pits, in rows of 10; rows "
    "of 12 to 20 are played, too. If a capture took seeds of both pits, the player picks two more pits of the opponent "
    "and takes them, too.",
    board=four_rows(10),
    setup=((2,) * 10 + (0, 1) + (2,) * 8) * 2,
    landing=(RELAY, ALL_PITS.pick(2), BOTH_PITS),
)

MSUWA_WA_KUNJA = MSUWA.changes(
    name="msuwa_wa_kunja",
    about="Msuwa of the outside: two seeds lie in each outer pit, none in the inner ones. Otherwise it is Msuwa.",
    setup=((2,) * 10 + (0,) * 10) * 2,
)

NSOLO = MSUWA.changes(
    name="nsolo",
    people="Ngoni, Malawi",
    about="As Msuwa, with two seeds in each pit but the rightmost inner one; of the opponent's pits the player picks "
    "one.",
    setup=((2,) * 10 + (0,) + (2,) * 9) * 2,
    landing=(RELAY, ALL_PITS.pick(1), BOTH_PITS),
)

SPRETA = MSUWA.changes(
    name="spreta",
    people="Chikunda, Malawi",
    about="As Msuwa, with one seed in each pit of rows of 10 (12 are played, too), but none in the rightmost inner pit "
    "and two in the third inner pit from the left, which both begin with, in a single lap. A lap that ends in an empty "
    "inner pit takes the two pits across and two more that the player picks, even if both of these were empty.",
    setup=((1,) * 10 + (0,) + (1,) * 6 + (2, 1, 1)) * 2,
    landing=(RELAY, When(inner=True).capture("facing", "outer").pick(2)),
    opening=((17,), (17,)),
    plain_plies=2,
)

TSORO_ADDITIONAL_CAPTURE = TSORO.changes(
    name="tsoro_additional_capture",
    about="Tsoro in which a capture earns three more: the player picks three more pits of the opponent and takes them, "
    "too.",
    landing=(RELAY, BOTH_PITS.pick(3)),
)

MUSORO_TSORO = TSORO.changes(
    name="musoro_tsoro",
    about="Tsoro in which the rightmost outer pit of each player is special, and holds three seeds at the start: a lap "
    "that ends there in seeds may be sown on, or not.",
    setup=((2,) * 7 + (3,) + (0,) * 8) * 2,
    landing=(When(was="occupied", place={7}).relay().or_stop(), RELAY, BOTH_PITS),
)

MISORO_TSORO = MUSORO_TSORO.changes(
    name="misoro_tsoro",
    about="Musoro Tsoro with two special pits for each player, here the outermost ones of the outer row, of which the "
    "right one holds three seeds at the start; elsewhere players choose two pits of that row.",
    landing=(When(was="occupied", place={0, 7}).relay().or_stop(), RELAY, BOTH_PITS),
)

MISORO_TSORO_ADDITIONAL_CAPTURE = MISORO_TSORO.changes(
    name="misoro_tsoro_additional_capture",
    about="Misoro Tsoro in which a capture earns three more: the player picks three more pits of the opponent, other "
    "than the special ones, and takes them, too.",
    landing=(When(was="occupied", place={0, 7}).relay().or_stop(), RELAY, BOTH_PITS.pick(3, sparing={0, 7})),
)

GAMES = (
    TSHUBA, MEFUVHA, MSUWA, MSUWA_WA_KUNJA, NSOLO, SPRETA, TSORO_ADDITIONAL_CAPTURE, MUSORO_TSORO, MISORO_TSORO,
    MISORO_TSORO_ADDITIONAL_CAPTURE,
)  # fmt: skip
