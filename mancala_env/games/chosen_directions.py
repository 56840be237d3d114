"""Games in which a player chooses the direction of sowing: in every turn, or once for a whole game."""

from mancala_env.games.clauses import RELAY
from mancala_env.games.omweso import MURRAY
from mancala_env.games.weg import PANKHURST
from mancala_env.rules import Direction, Goal, Ruleset, Stuck, When, four_rows, two_rows

TWO_OR_MORE = range(2, 62)

QELAT_BENI_AMIR_MENSA = Ruleset(
    name="qelat_beni_amir_mensa",
    board=two_rows(6),
    direction=(Direction.CLOCKWISE,) * 3 + (Direction.COUNTERCLOCKWISE,) * 3,
    landing=(When(count={4}, marked=False).mark("here"),),
    unmarkable=(2, 3),
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
KATRA = Ruleset(
    name="katra",
    board=four_rows(8),
    seeds=2,
    direction=Direction.CHOSEN_BY_EACH,
    landing=(
        When(was="occupied", facing=TWO_OR_MORE).capture("facing", to="here"),
        When(was="occupied", outer=TWO_OR_MORE).capture("outer", to="here"),
        When(inner=True),
        RELAY,
    ),
    goal=Goal.LAST_MOVER,
    region="East Africa",
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
        When(was="occupied", inner=True).capture("facing", "outer", to="here"),
        When(inner=True, facing={1}, outer={1}),
        When(inner=True, facing="occupied").capture("facing", "outer", to="here"),
        When(inner=True, outer="occupied").capture("outer", to="here"),
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
    landing=(RELAY, When(inner=True, facing="empty").capture("outer")),
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

GAMES = (QELAT_BENI_AMIR_MENSA, BAO_KI_ARABU_ZANZIBAR_1, KATRA, KATRA_BOAOAKA, NAMUDILAKUNZE, CHISOLO, DARAMUTI, LUUTH)
