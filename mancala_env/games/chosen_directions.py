"""Games in which the direction of sowing is chosen, depends on the pit, or turns round from lap to lap.

In those of the Sudan seeds go round from the middle of a row towards its end. In those of Mount Kenya each lap of a
turn goes the other way than the one before, and a turn must come to the opponent's side before it may capture.
"""

from mancala_env.games.clauses import ACROSS, MURRAY, PANKHURST, RELAY
from mancala_env.rules import Ruleset, When, four_rows, two_rows
from mancala_env.rules.choices import Direction, FirstMover, Goal, Leftover, Match, Stuck, Unfilled

TWO_OR_MORE = range(2, 62)

QELAT_BENI_AMIR_MENSA = Ruleset(
    name="qelat_beni_amir_mensa",
    board=two_rows(6),
    direction=(Direction.CLOCKWISE,) * 3 + (Direction.COUNTERCLOCKWISE,) * 3,
    landing=(When(place={2, 3}), When(count={4}, marked=False).mark("here")),
    mark_word="qelat",
    stuck=Stuck.PASS,
    region="Horn of Africa",
    people="Beni Amir and Mensa, Eritrea",
    source=PANKHURST,
    about="The three pits at the player's left are sown clockwise, the three at the right counter-clockwise, one lap a "
    "turn. A last seed that makes a pit four marks it as the mover's, on either side, but not one of the two pits in "
    "the middle of a row. Nobody lifts a marked pit. A player without a pit to lift waits; when neither has one, each "
    "has the seeds in the pits with their own mark.",
)
BAO_KI_ARABU_ZANZIBAR_1 = Ruleset(
    name="bao_ki_arabu_zanzibar_1",
    board=four_rows(8),
    seeds=3,
    direction=Direction.CHOICE,
    landing=(RELAY, When(facing="occupied").capture("facing", "outer"), When(outer="occupied").capture("outer")),
    region="East Africa",
    people="Zanzibar",
    source="W. H. Ingrams, Zanzibar: its history and its people, 1931",
    about="A player sows in the direction of their choice, round their own two rows, and keeps it for the whole turn. "
    "The turn goes on from every pit that was not empty. A last seed in an empty inner pit captures the opponent's "
    "inner and outer pit of that column, each if there are seeds in it; they leave the board. The player with more "
    "seeds wins when the mover has none, those left on a side counting for its owner.",
)
KATRA = BAO_KI_ARABU_ZANZIBAR_1.changes(
    name="katra",
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
    about="Each player chooses a direction in their first turn, and keeps it for the game. A last seed in an inner pit "
    "that was not empty takes the opponent's inner pit across, if it holds two seeds or more, else the outer pit of "
    "that column, if that does: they are laid into the pit where the last seed fell, and all of it is sown on. With "
    "nothing to take there the turn ends. A turn goes on from outer pits that were not empty. The player who cannot "
    "move loses.",
)
KATRA_BOAOAKA = KATRA.changes(
    name="katra_boaoaka",
    landing=(
        When(was="occupied", place="inner").capture("facing", "outer", to="here"),
        When(place="inner", facing={1}, outer={1}),
        When(place="inner", facing="occupied").capture("facing", "outer", to="here"),
        When(place="inner", outer="occupied").capture("outer", to="here"),
        RELAY,
    ),
    people="Madagascar",
    source="R. Linton, The Tanala, 1933, pp. 261-262; Ludii, Katra Boaoaka",
    about="As Katra, but a last seed in any inner pit takes both pits of the opponent in that column, whatever they "
    "hold; they are laid into the pit where it fell, and all of it is sown on. Only where that pit was empty, and the "
    "two others hold one seed each or none, the turn ends.",
)
NAMUDILAKUNZE = Ruleset(
    name="namudilakunze",
    board=four_rows(7),
    setup=(0, *[1] * 13) * 2,
    direction=Direction.CHOSEN_BY_EACH,
    landing=(RELAY, When(place="inner", facing="empty").capture("outer")),
    goal=Goal.OUTLAST,
    region="Central Africa",
    people="Ba-Ila, Zambia",
    source="E. W. Smith and A. M. Dale, The Ila-speaking peoples of Northern Rhodesia, 1920",
    about="Each player settles their direction by their first turn. Turns go on from pits that were not empty. A last "
    "seed in an empty inner pit that faces an empty one captures the opponent's outer pit of that column; the seeds "
    "leave the board. A player without seeds has lost.",
)
CHISOLO = NAMUDILAKUNZE.changes(
    name="chisolo",
    setup=(3,) * 10 + (0, 0, 1, 2) + (3,) * 10 + (0, 0, 1, 2),
    landing=(RELAY, When(facing="occupied").capture("facing", "outer").pick(1)),
    goal=Goal.LAST_MOVER,
    about="As Namudilakunze, but a last seed in an empty inner pit across from seeds captures these, with what lies in "
    "the outer pit of that column, and then one more pit of the opponent that the player picks. The player who cannot "
    "move loses. (By the sources the first turn of each goes clockwise, and the second one settles the direction.)",
)
DARAMUTI = Ruleset(
    name="daramuti",
    board=two_rows(7),
    direction=Direction.CHOSEN_ONCE,
    min_start=2,
    landing=(RELAY, When(facing="occupied").capture("facing")),
    region="South Asia",
    people="Sri Lanka",
    source="H. Parker, Ancient Ceylon, 1909",
    about="The player who begins chooses the direction of both players for the game. A pit of one seed is not played. "
    "A turn goes on from pits that were not empty; a last seed in an empty pit of either side captures what lies "
    "across. A round is over when the player to move has no pit to play; seeds left belong to the owners of their "
    "pits. This is one round: in the next, pits that cannot be filled are closed.",
)
LUUTH = Ruleset(
    name="luuth",
    board=two_rows(7),
    direction=Direction.CHOICE,
    seeds_a_pit=4,
    landing=(
        When(side="own", was="empty", facing="occupied").capture("facing").again(),
        When(side="own", was="empty").again(),
    ),
    stuck=Stuck.PASS,
    end_few=4,
    region="Horn of Africa",
    people="Nuer, Ethiopia",
    source=PANKHURST,
    about="The mover sows in either direction, four seeds at a time into each pit; the last pit gets what is left. A "
    "lap that ends in an empty pit of the mover captures what lies across, and another turn follows, even if nothing "
    "lies there. The game is over when four seeds or fewer are left. (By the source each player at first moves all "
    "seeds of one pit into another, which is not played here.)",
)

LEFT, MIDDLE, RIGHT = Direction.CLOCKWISE, Direction.CHOICE, Direction.COUNTERCLOCKWISE

UM_EL_BAGARA = Ruleset(
    name="um_el_bagara",
    board=two_rows(5),
    seeds=5,
    direction=(LEFT, LEFT, MIDDLE, RIGHT, RIGHT),
    min_start=2,
    landing=(When(side="opponent", count={2, 4}).capture("here", chain={2, 4}),),
    stuck=Stuck.PASS,
    region="North Africa",
    people="Sudan",
    source="R. Davies, Some Arab games and puzzles, Sudan Notes and Records 8, 1925, pp. 140-141",
    about='"Mother of the cow." The two pits at the player\'s left are sown clockwise, the two at the right '
    "counter-clockwise, so that seeds leave the row by its nearer end; the pit in the middle goes either way. A pit of "
    "a single seed is not played. A last seed that makes one of the opponent's pits two or four captures it, and with "
    "it the pits sown before it, as long as these are the opponent's and hold two or four. A player who cannot move "
    "passes; when neither can, the seeds left are those of the owners of their pits.",
)
UM_EL_TUWEISAT = UM_EL_BAGARA.changes(
    name="um_el_tuweisat",
    board=two_rows(3),
    seeds=3,
    direction=(LEFT, MIDDLE, RIGHT),
    landing=(When(side="opponent", count={2}).capture("here", chain={2}),),
    people="Sudan",
    about='"Mother of the little goat", a smaller Um el-Bagara: of three pits the left one goes clockwise, the right '
    "one counter-clockwise and the middle one either way, and pits of two are captured.",
)

GIUTHI = Ruleset(
    name="giuthi",
    board=two_rows(8),
    seeds=6,
    direction=Direction.CHOICE_TURNING,
    min_start=2,
    landing=(
        RELAY,
        When(side="own", visited=False).again(),
        When(side="own", facing="occupied").capture("here", "facing", chain_way="across"),
    ),
    stuck=Stuck.PASS,
    region="East Africa",
    people="Kikuyu, Kenya",
    source="L. S. B. Leakey, 1936, pp. 165-173; L. Russ, Mancala games, 1984",
    about="The mover sows a pit of two seeds or more in either direction. From a pit that was not empty the turn goes "
    "on, and each lap turns round. A last seed in an empty pit of the mover gives another turn if the turn has not yet "
    "dropped a seed on the opponent's side. If it has, that seed and the pit across are captured, and the pits across "
    "from the mover's empty pits that follow, as long as these face seeds. A player who cannot move passes; when "
    "neither can, each has the seeds of their own side. This is one round; in the next, the board is shorter for the "
    "loser.",
)
KIUTHI = GIUTHI.changes(
    name="kiuthi",
    board=two_rows(6),
    landing=(
        When(visited=False).again(),
        RELAY,
        When(side="own", facing="occupied", next="empty").capture("facing", "facing_next"),
        ACROSS,
    ),
    people="Kikuyu, Kenya",
    about="A Giuthi of two rows of six: the pit across from an empty pit of the mover is captured without the last "
    "seed, and with it what faces the next pit, if that is empty. A turn that has not been on the opponent's side is "
    "followed by another one.",
)
KIUTHI_MATCH = KIUTHI.changes(
    name="kiuthi_match",
    about="Rounds of Kiuthi. After a round both lay six seeds in as many pits as the player with fewer seeds can fill, "
    "and the board is so many columns long, shorter or longer than before; who cannot fill one pit has lost. Leakey "
    "tells of it otherwise: the poorer player lays out as they like and the other in the same way, on a board that is "
    "one hole shorter below a half of the seeds, two below a quarter and three below an eighth.",
    match=Match.REFILL,
    unfilled=Unfilled.COLUMNS,
    first_mover=FirstMover.ALTERNATE,
    max_games=50,
)
UTHI = GIUTHI.changes(
    name="uthi",
    seeds=5,
    min_start=1,
    landing=(RELAY, When(side="own", visited=True, facing="occupied").capture("facing")),
    leftover=Leftover.NONE,
    stuck=Stuck.END,
    people="Embu, Kenya",
    source="G. St. J. Orde Browne, The vanishing tribes of Kenya, 1925",
    about="The Embu game: five seeds a pit, each sown in either direction, and each lap turns round. A last seed in an "
    "empty pit of the mover captures what lies across, if the turn has been on the opponent's side; the seed itself "
    "stays. When the mover has no seeds, the player who has captured more wins.",
)
