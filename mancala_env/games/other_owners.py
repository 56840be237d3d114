"""Games in which players own other pits than the row before them: Tap-Urdy, Kanji Guti and Kapana Bona."""

from mancala_env.games.clauses import RELAY_NEXT
from mancala_env.rules import Ruleset, When, crossed_rows, open_rows, side_blocks
from mancala_env.rules.choices import Direction, EndCheck, EndWhen, Leave, Leftover, Stuck

TAP_URDY = Ruleset(
    name="tap_urdy",
    region="Central Asia",
    people="Turkmens",
    source="A. Deledicq and A. Popova, Wari et Solo, 1977, p. 90, after a report of 1931",
    about="A turn begins in the opponent's row: lift one of its pits and sow it clockwise. If the last pit held seeds "
    "and so does the next one, lift the last pit and sow on; if it held seeds and the next one is empty, take what "
    "lies in the pit after that. A last seed in an empty pit ends the turn. The game ends when a row is empty; what is "
    "left in a row belongs to its player.",
    board=crossed_rows(6),
    direction=Direction.CLOCKWISE,
    landing=(When(was="occupied", next="occupied").relay(), When(was="occupied", next2="occupied").capture("next2")),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

KANJI_GUTI = Ruleset(
    name="kanji_guti",
    region="South Asia",
    people="Orissa, India",
    source="Gupta, 1923, p. 73, as told by Ludii, Kanji Guti",
    about="Two rows of seven pits with twelve seeds each; of the two pits in the middle one holds one seed and the "
    "other none. Each player owns the three pits at their left in both rows. Sow counter-clockwise, and go on from the "
    "pit after the last one as long as that holds seeds. If it is empty, you take what lies across from it, and the "
    "turn ends. A player without seeds waits; when neither has any in their own pits, the game is over.",
    board=side_blocks(7),
    setup=(12, 12, 12, 1, 12, 12, 12, 12, 12, 12, 0, 12, 12, 12),
    landing=(RELAY_NEXT, When(facing_next="occupied").capture("facing_next")),
    stuck=Stuck.PASS,
)

KAPANA_BONA = Ruleset(
    name="kapana_bona",
    region="West Africa",
    people="Gourounsi",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955, p. 511",
    about="Two rows of three pits with eight seeds each, which belong to nobody: both players play any pit, leaving "
    "one seed in it; a seed that lies alone stays. After the sowing, which goes counter-clockwise, every pit that "
    "holds two, four or six is taken. The game ends when no pit holds two seeds; what is left is nobody's.",
    board=open_rows(3),
    seeds=8,
    leave=Leave.UNLESS_ALONE,
    landing=(When().capture("every", every={2, 4, 6}),),
    leftover=Leftover.NONE,
    end_when=EndWhen.ALL_SINGLE,
)
