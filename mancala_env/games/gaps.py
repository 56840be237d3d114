"""Games of captures over gaps: a pit after an empty one is taken, and so on over the next gap."""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Direction, Leftover, Ruleset, Stuck, When, two_rows

DONGJINTIAN = Ruleset(
    name="dongjintian",
    board=two_rows(5),
    seeds=5,
    direction=Direction.CHOICE,
    landing=(When(next="occupied").relay("next"), When(next2="occupied").capture("next2", onward="gaps")),
    stuck=Stuck.PASS,
    leftover=Leftover.NONE,
    end_few=1,
    region="East Asia",
    people="Yunnan, China",
    source="V. Eagle, On some newly described mancala games from Yunnan province, China, 1995",
    about="The mover chooses a direction in every turn. When a lap is sown, the next pit is lifted and sown on, as "
    "long as it holds seeds. If it is empty, the pit after it is captured, and going on the same way every second pit "
    "as long as those between are empty. The game is over when one seed or none is left on the board; the player who "
    "has captured more wins.",
)
WALAK_PUSSA = Ruleset(
    name="walak_pussa",
    board=two_rows(7),
    direction=Direction.CHOSEN_ONCE,
    min_start=2,
    landing=(RELAY, When(next="occupied").capture("next", onward="gaps")),
    region="South Asia",
    people="Sri Lanka",
    source="H. Parker, Ancient Ceylon, 1909",
    about='As Daramuti, "a blank, then a heap": after a last seed in an empty pit the next pit is captured, and going '
    "on the same way every second pit as long as those between are empty. This is one round.",
)

GAMES = (DONGJINTIAN, WALAK_PUSSA)
