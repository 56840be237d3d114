"""Games of Mount Kenya, in which each lap of a turn goes the other way than the one before.

A turn must come to the opponent's side before it may capture. Captures are made from own empty pits across.
"""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Direction, FirstMover, Leftover, Match, Ruleset, Stuck, Unfilled, When, two_rows

GIUTHI = Ruleset(
    name="giuthi",
    board=two_rows(8),
    seeds=6,
    direction=Direction.CHOICE,
    turns_round=True,
    min_start=2,
    landing=(
        RELAY,
        When(side="own", visited=False).again(),
        When(side="own", facing="occupied").capture("here", "facing", onward="across"),
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
        When(side="own", facing="occupied").capture("facing"),
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

GAMES = (GIUTHI, KIUTHI, KIUTHI_MATCH, UTHI)
