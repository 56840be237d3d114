"""Games of relay sowing in which a last seed that makes a certain number of seeds, mostly four, takes these."""

from mancala_env.games.clauses import FOUR, RELAY
from mancala_env.rules import Direction, EndCheck, Feeding, Leftover, Passing, Ruleset, Singles, Stuck, When, two_rows

OT_TJIN = Ruleset(
    name="ot_tjin",
    region="Southeast Asia",
    people="Penihing, Borneo",
    source="C. Lumholtz, Through Central Borneo, 1920, pp. 435-437; Mancala World, Ot-tjin",
    about="Two rows of ten with three seeds each. If the last seed makes three in either row, they are a fish, and are "
    "taken. Other occupied last pits are lifted and sown on. A player who cannot move ends the game, and the rest "
    "belongs to the other player. Fish are of as many seeds as each pit has at the start; two, four and five are used, "
    "too.",
    board=two_rows(10),
    seeds=3,
    landing=(When(count={3}).capture("here"), RELAY),
)

NSA_ISONG = Ruleset(
    name="nsa_isong",
    region="West Africa",
    people="Ibibio and Efik, Nigeria",
    source="Mancala World, Nsa Isong",
    about="A round. Seeds are sown clockwise. Every pit that reaches four on the way goes to its owner at once. If the "
    "last seed of a lap makes four, the mover takes these, and the turn ends; other occupied last pits are lifted and "
    "sown on. When four seeds or fewer are left after a turn, or the opponent cannot move, the rest goes to the player "
    "who moved last. Rounds follow in which four seeds hold a pit; these are not played here.",
    direction=Direction.CLOCKWISE,
    passing=Passing(counts={4}, to="owner"),
    landing=(FOUR, RELAY),
    leftover=Leftover.LAST_MOVER,
    end_few=4,
)

BA_AWA = NSA_ISONG.changes(
    name="ba_awa",
    people="Akan, Ghana",
    source="Mancala World, Ba-awa",
    about="As Nsa Isong, but sown counter-clockwise, and eight seeds or fewer end the round.",
    direction=Direction.COUNTERCLOCKWISE,
    end_few=8,
)

HOYITO_1 = Ruleset(
    name="hoyito_1",
    region="Caribbean",
    people="Dominicans",
    source="Mancala World, Hoyito",
    about="Every pit that reaches four, on the way or last, in either row, goes to the mover. A last seed that makes "
    "four ends the turn; other occupied last pits are lifted and sown on. A player without seeds waits. When four "
    "seeds or fewer are left after a turn, they go to the player who has moved.",
    passing=Passing(counts={4}),
    landing=(FOUR, RELAY),
    stuck=Stuck.PASS,
    leftover=Leftover.LAST_MOVER,
    end_few=4,
)

# Where few seeds end the game the capture that left them has earned another turn, and "last mover" would mean the other
# player; so each keeps the own.
HOYITO_2 = HOYITO_1.changes(
    name="hoyito_2",
    about="If the last seed makes four in either row, these are taken, and so are the pits before it while they hold "
    "four; the mover has another turn. Else as the first Hoyito. By the sources the mover takes the last four seeds or "
    "fewer; here each keeps what lies in their own row.",
    passing=None,
    landing=(When(count={4}).capture("here", chain={4}, chain_side="any").again(), RELAY),
    leftover=Leftover.OWNER,
)

HOYITO_3 = HOYITO_1.changes(
    name="hoyito_3",
    about="As the first Hoyito, but only the last seed takes fours. The last four seeds of the board are decided by "
    "rounds, which are not played here: each keeps what lies in their own row. In another reading a turn is a single "
    "lap, the first four made with eight seeds left takes them all, and only what was captured counts.",
    passing=None,
    landing=(FOUR, RELAY),
    leftover=Leftover.OWNER,
)

MEUSUEB = Ruleset(
    name="meusueb",
    region="Southeast Asia",
    people="Acehnese, Indonesia",
    source="described in 1909; Ludii, Meusueb",
    about="If the last seed makes four in either row, these are taken, and the turn goes on with the pit after it, if "
    "that holds any. Other occupied last pits are lifted and sown on. A player who cannot move ends the game, and each "
    "keeps what lies in their own row.",
    landing=(When(count={4}, next="occupied").capture("here").relay("next"), FOUR, RELAY),
)

MOTIQ = MEUSUEB.changes(
    name="motiq",
    people="Kedang, Indonesia",
    source="Ludii, Motiq",
    about="A round of Meusueb on two rows of seven. It ends when a row is empty. Rounds follow in which four seeds "
    "hold a pit; these are not played here.",
    board=two_rows(7),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

WHYO = Ruleset(
    name="whyo",
    region="West Africa",
    people="Oron, Nigeria",
    source="Ludii, Whyo",
    about="A round. If the last seed makes four in either row, these are taken, and the turn ends. Other occupied last "
    "pits are lifted and sown on; in another reading a turn is a single lap. A player who cannot move ends the round, "
    "and each keeps what lies in their own row. In a second round the winner of the first owns seven pits; it is not "
    "played here.",
    landing=(FOUR, RELAY),
)

WOURI = Ruleset(
    name="wouri",
    region="West Africa",
    people="People of Mopti, Mali",
    source="Ludii, Wouri",
    about="If the last seed makes four in the opponent's row, these are taken, and so is every other pit of that row "
    "that holds four. Other occupied last pits are lifted and sown on; no lap drops a seed in the pit that it started "
    "from. A player whose opponent has no seeds must give some, if that is possible. A player who cannot move ends the "
    "game, and each keeps what lies in their own row.",
    skip_origin=True,
    landing=(When(side="opponent", count={4}).capture("every", every={4}, every_side="opponent"), RELAY),
    feeding=Feeding.IF_STARVED,
    end_reason="famine",
)

KAY = Ruleset(
    name="kay",
    region="Caribbean",
    people="Haitians",
    source="described in 1952; Ludii, Kay",
    about="If the last seed makes four in either row, these are taken, and so are the pits before it while they hold "
    "four. Other occupied last pits are lifted and sown on if the pit after them is occupied, too; no lap drops a seed "
    "in the pit that it started from. A single seed may move only into an empty pit. A player who cannot move ends the "
    "game, and only what was captured counts.",
    skip_origin=True,
    singles=Singles.INTO_EMPTY,
    landing=(
        When(count={4}).capture("here", chain={4}, chain_side="any"),
        When(was="occupied", next="occupied").relay(),
    ),
    leftover=Leftover.NONE,
)

GAMES = (OT_TJIN, NSA_ISONG, BA_AWA, HOYITO_1, HOYITO_2, HOYITO_3, MEUSUEB, MOTIQ, WHYO, WOURI, KAY)
