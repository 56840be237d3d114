"""Fours: a pit that comes to hold four seeds is taken, while it is sown past or by the last seed.

Most of these games go on with rounds in which captured seeds buy pits; what is here is one round.
"""

from mancala_env.games.clauses import FOUR, PANKHURST, RELAY
from mancala_env.rules import Direction, EndCheck, Feeding, Leftover, Passing, Ruleset, Singles, Stuck, When, two_rows

RIO_KADALIS = Ruleset(
    name="rio_kadalis",
    region="Horn of Africa",
    people="of Ethiopia and Somalia",
    source=f"{PANKHURST}, p. 182",
    about="Lift a pit of your row and sow it counter-clockwise; a last seed in an occupied pit lifts that pit for "
    "another lap, one in an empty pit ends the turn. Any pit that a seed makes four on the way goes to the player in "
    "whose row it lies; where the last seed makes four, the mover takes the pit and the turn ends. The game ends when "
    "the player to move has nothing to lift, and the other takes what is left. Mewelad of Eritrea, which opens with a "
    "race that is not played here, and Lahemay Walida of Tigray are the same.",
    passing=Passing(counts={4}, to="owner"),
    landing=(FOUR, RELAY),
)

GABATA_GHINDA = RIO_KADALIS.changes(
    name="gabata_ghinda",
    people="of Ghinda, Eritrea",
    source=PANKHURST,
    about="As Rio Kadalis, but each player's first turn is from their leftmost pit. Pits of five that somebody forgot "
    "to take when they held four are not marked here.",
    opening=((0,), (0,)),
)

# The first player sows all seeds of the own row into the other, lap after lap; then the other player moves, as South.
GABATA_WUQRO = RIO_KADALIS.changes(
    name="gabata_wuqro",
    people="of Wuqro, Ethiopia",
    source=PANKHURST,
    about="The game opens with a fixed turn: one player gathers all seeds of their row, three from each pit, and sows "
    "them on from the opponent's first pit, and so on from occupied pits. Here the other player begins after that. "
    "Then as in Rio Kadalis, but fours are taken when the lap is sown. The game ends when four seeds or fewer are "
    "left; the source leaves these to the players, here the last mover has them.",
    setup=(3, 1, 6, 6, 6, 6, 3, 0, 3, 1, 0, 1),
    passing=Passing(counts={4}, to="owner", when="after_lap"),
    end_few=4,
    leftover=Leftover.LAST_MOVER,
)

# One seed each is moved on from every second pit, all around the board, the last one into the other player's first pit,
# which is taken with it; then the other player moves, as South.
LAMOSH = RIO_KADALIS.changes(
    name="lamosh",
    people="of Shoa, Ethiopia",
    source=PANKHURST,
    about="The game opens with a fixed turn that makes pits of five and three by turns and takes a four from the "
    "opponent's first pit; here the other player begins after that. Then as in Rio Kadalis.",
    setup=(0, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 4, 0, 4),  # North has four in the store
)

# Every second pit is laid in the pit after it; the opener sows the last of these, in the other row, and wins a four on
# the way; then the other player moves, as South.
GABATA_OROMO = RIO_KADALIS.changes(
    name="gabata_oromo",
    people="Oromo, Addis Ababa, Ethiopia",
    source=f"{PANKHURST}, p. 178",
    about="The game opens with a fixed turn: all seeds of every second pit are laid in the one after it, and the "
    "opener sows the last of them; here the other player begins after that. Sow counter-clockwise, on from occupied "
    "pits. The mover takes every pit that a seed makes four on the way; one that the last seed makes four is sown on "
    "like any other. A player without seeds waits. The game ends when no seeds are left to play.",
    setup=(0, 3, 0, 12, 0, 0, 0, 13, 1, 1, 2, 12, 0, 4),
    passing=Passing(counts={4}),
    landing=(RELAY,),
    stuck=Stuck.PASS,
)

OBRIDJE = RIO_KADALIS.changes(
    name="obridje",
    region="West Africa",
    people="of Ghana, and Ijaw, Nigeria",
    source="H. J. R. Murray, A History of Board-Games other than Chess, 1951, pp. 185-186",
    about="As Rio Kadalis, but where the last seed makes four these, too, go to the player in whose row they lie. Each "
    "keeps the rest of their row.",
    passing=Passing(counts={4}, to="owner", last=True),
    landing=(When(count={4}), RELAY),
)

LAM_WALADACH = Ruleset(
    name="lam_waladach",
    region="Horn of Africa",
    people="of Eritrea",
    source=PANKHURST,
    about="The opener sows eighteen seeds of their row and takes fours on the way, always with the same outcome: here "
    "the other player begins after that. Sow counter-clockwise, on from occupied pits. When a lap has been sown, every "
    "pit that came to hold four is taken, also the last; then the lap is the turn's last, and the player has another "
    "turn. A player without seeds waits. Here the last four seeds, which hardly ever meet, end the round, and each "
    "keeps their own row. Rounds follow in which captured seeds buy pits; one is played.",
    setup=(8, 0, 1, 8, 8, 2, 1, 1, 1, 1, 0, 1, 0, 16),
    passing=Passing(counts={4}, last=True, when="after_lap", then="again"),
    landing=(When(count={4}), RELAY),
    stuck=Stuck.PASS,
    end_few=4,
)

DUENE = Ruleset(
    name="duene",
    region="West Africa",
    people="Ewe of Togo and Ghana",
    source="Schönhärl, 1909, p. 147, as told by Ludii, Duene",
    about="Sow counter-clockwise, on from occupied pits. When a lap has been sown, every pit that it made four goes to "
    "the player in whose row it lies; a pit that the last seed makes four goes to the mover, with the fours before it, "
    "and ends the turn. With eight seeds or fewer left the first such capture takes all that is on the board. A player "
    "without seeds waits; only captured seeds count.",
    passing=Passing(counts={4}, to="owner", when="after_lap"),
    landing=(
        When(count={4}, few=8).capture("every", every=range(1, 62)),
        When(count={4}).capture("here", chain={4}, chain_side="any"),
        RELAY,
    ),
    leftover=Leftover.NONE,
    stuck=Stuck.PASS,
)

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

NSA_ISONG = RIO_KADALIS.changes(
    name="nsa_isong",
    region="West Africa",
    people="Ibibio and Efik, Nigeria",
    source="Mancala World, Nsa Isong",
    about="A round. Seeds are sown clockwise. Every pit that reaches four on the way goes to its owner at once. If the "
    "last seed of a lap makes four, the mover takes these, and the turn ends; other occupied last pits are lifted and "
    "sown on. When four seeds or fewer are left after a turn, or the opponent cannot move, the rest goes to the player "
    "who moved last. Rounds follow in which four seeds hold a pit; these are not played here.",
    direction=Direction.CLOCKWISE,
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

HOYITO_3 = HOYITO_2.changes(
    name="hoyito_3",
    about="As the first Hoyito, but only the last seed takes fours. The last four seeds of the board are decided by "
    "rounds, which are not played here: each keeps what lies in their own row. In another reading a turn is a single "
    "lap, the first four made with eight seeds left takes them all, and only what was captured counts.",
    landing=(FOUR, RELAY),
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
