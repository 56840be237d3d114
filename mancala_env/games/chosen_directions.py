"""Games in which the direction of sowing is chosen, depends on the pit, or turns round from lap to lap."""

from mancala_env.games.clauses import ACROSS, ACROSS_ANY, IN_ROUNDS, MURRAY, PANKHURST, RELAY, chain
from mancala_env.rules import Direction, Goal, Leftover, Ruleset, Stuck, Unfilled, When, four_rows, two_rows

TWO_OR_MORE = range(2, 62)

QELAT_BENI_AMIR_MENSA = Ruleset(
    direction=(Direction.CLOCKWISE,) * 3 + (Direction.COUNTERCLOCKWISE,) * 3,
    landing=(When(place={2, 3}), When(count={4}, marked=False).mark("here")),
    mark_word="qelat",
    stuck=Stuck.PASS,
    people="Beni Amir and Mensa, Eritrea",
    source=PANKHURST,
    about="The left half of a row is sown clockwise, the right half counter-clockwise. Nothing is captured: pits that "
    "come to four are the mover's to keep.",
)
BAO_KI_ARABU_ZANZIBAR_1 = Ruleset(
    board=four_rows(8),
    seeds=3,
    direction=Direction.CHOICE,
    landing=(RELAY, When(facing="occupied").capture("facing", "outer"), When(outer="occupied").capture("outer")),
    people="Zanzibar",
    source="W. H. Ingrams, Zanzibar: its history and its people, 1931",
    about="Sown either way; captured seeds leave the board. Another account of it is Bao Ki Arabu Zanzibar 2.",
)
KATRA = BAO_KI_ARABU_ZANZIBAR_1.changes(
    seeds=2,
    direction=Direction.CHOSEN_BY_EACH,
    landing=(
        When(was="occupied", facing=TWO_OR_MORE).capture("facing", to="here"),
        When(was="occupied", outer=TWO_OR_MORE).capture("outer", to="here"),
        When(place="inner"),
        RELAY,
    ),
    goal=Goal.LAST_MOVER,
    people="Sakalava, Madagascar",
    source=f"{MURRAY}, pp. 214-215",
    about="Each player chooses a direction for the game in their first turn. Captured seeds are laid into the pit "
    "where the last seed fell, and all of it is sown on.",
)
KATRA_BOAOAKA = KATRA.changes(
    landing=(
        When(was="occupied", place="inner").capture("facing", "outer", to="here"),
        When(place="inner", facing={1}, outer={1}),
        When(place="inner", facing="occupied").capture("facing", "outer", to="here"),
        When(place="inner", outer="occupied").capture("outer", to="here"),
        RELAY,
    ),
    people="Madagascar",
    source="R. Linton, The Tanala, 1933, pp. 261-262; Ludii, Katra Boaoaka",
    about="As Katra, but a last seed in any inner pit takes both pits of the opponent in that column, full or not.",
)
NAMUDILAKUNZE = Ruleset(
    board=four_rows(7),
    setup=(0, *[1] * 13) * 2,
    direction=Direction.CHOSEN_BY_EACH,
    landing=(RELAY, When(place="inner", facing="empty").capture("outer")),
    goal=Goal.OUTLAST,
    people="Ba-Ila, Zambia",
    source="E. W. Smith and A. M. Dale, The Ila-speaking peoples of Northern Rhodesia, 1920",
    about="Captures are made from an empty inner pit that faces an empty one, and take the outer pit behind that.",
)
CHISOLO = NAMUDILAKUNZE.changes(
    setup=(3,) * 10 + (0, 0, 1, 2) + (3,) * 10 + (0, 0, 1, 2),
    landing=(RELAY, When(facing="occupied").capture("facing", "outer").pick(1)),
    goal=Goal.LAST_MOVER,
    about="As Namudilakunze, but an empty pit across from seeds captures these, and one more pit that the player "
    "picks. By the sources the first turn of each goes clockwise, and the second one settles the direction.",
)
DARAMUTI = Ruleset(
    board=two_rows(7),
    direction=Direction.CHOSEN_ONCE,
    min_start=2,
    landing=(RELAY, ACROSS_ANY),
    people="Sri Lanka",
    source="H. Parker, Ancient Ceylon, 1909",
    about="The first player chooses the direction of both. In the next round pits that cannot be filled are closed.",
)
LUUTH = Ruleset(
    board=two_rows(7),
    direction=Direction.CHOICE,
    seeds_a_pit=4,
    landing=(
        When(side="own", was="empty", facing="occupied").capture("facing").again(),
        When(side="own", was="empty").again(),
    ),
    stuck=Stuck.PASS,
    end_few=4,
    people="Nuer, Ethiopia",
    source=PANKHURST,
    about="Four seeds at a time fall into each pit. First moves of a whole pit into another are not played here.",
)

LEFT, MIDDLE, RIGHT = Direction.CLOCKWISE, Direction.CHOICE, Direction.COUNTERCLOCKWISE

UM_EL_BAGARA = Ruleset(
    board=two_rows(5),
    seeds=5,
    direction=(LEFT, LEFT, MIDDLE, RIGHT, RIGHT),
    min_start=2,
    landing=(chain({2, 4}, "opponent"),),
    stuck=Stuck.PASS,
    people="Sudan",
    source="R. Davies, Some Arab games and puzzles, Sudan Notes and Records 8, 1925, pp. 140-141",
    about='"Mother of the cow." Seeds leave the row by its nearer end; the pit in the middle goes either way.',
)
UM_EL_TUWEISAT = UM_EL_BAGARA.changes(
    board=two_rows(3),
    seeds=3,
    direction=(LEFT, MIDDLE, RIGHT),
    landing=(chain({2}, "opponent"),),
    about='"Mother of the little goat", a smaller Um el-Bagara in which pits of two are captured.',
)

GIUTHI = Ruleset(
    board=two_rows(8),
    seeds=6,
    direction=Direction.CHOICE_TURNING,
    min_start=2,
    landing=(
        RELAY,
        When(side="own", visited=False).again(),
        When(side="own", facing="occupied").capture("here", "facing", chain_direction="across"),
    ),
    stuck=Stuck.PASS,
    people="Kikuyu, Kenya",
    source="L. S. B. Leakey, 1936, pp. 165-173; L. Russ, Mancala games, 1984",
    about="Each lap of a turn turns round, and a turn must come to the opponent's side before it may capture. This is "
    "one round; in the next, the board is shorter for the loser.",
)
KIUTHI = GIUTHI.changes(
    board=two_rows(6),
    landing=(
        When(visited=False).again(),
        RELAY,
        When(side="own", facing="occupied", next="empty").capture("facing", "facing_next"),
        ACROSS,
    ),
    about="A smaller Giuthi: the capturing seed stays, and takes two pits where the next own pit is empty, too.",
)
KIUTHI_MATCH = KIUTHI.changes(
    about="Rounds of Kiuthi, on a board as long as the player with fewer seeds can fill. Leakey tells of it otherwise: "
    "the poorer player lays out as they like and the other in the same way, on a board that is one hole shorter below "
    "a half of the seeds, two below a quarter and three below an eighth.",
    unfilled=Unfilled.COLUMNS,
    **IN_ROUNDS,
)
UTHI = GIUTHI.changes(
    seeds=5,
    min_start=1,
    landing=(RELAY, When(side="own", visited=True, facing="occupied").capture("facing")),
    leftover=Leftover.NONE,
    stuck=Stuck.END,
    people="Embu, Kenya",
    source="G. St. J. Orde Browne, The vanishing tribes of Kenya, 1925",
    about="The Embu game: a Giuthi in which a capture takes a single pit, and only captured seeds count.",
)
