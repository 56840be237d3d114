"""Fours: games of Africa in which a pit that comes to hold four seeds while it is sown past is taken at once.

Most of these games go on with rounds in which captured seeds buy pits; what is here is one round.
"""

from mancala_env.games.clauses import FOUR, RELAY
from mancala_env.games.weg import PANKHURST
from mancala_env.rules import Leftover, Passing, Ruleset, Stuck, When

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
    setup=(0, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 4),
    setup_stores=(0, 4),
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
    setup=(0, 3, 0, 12, 0, 0, 0, 13, 1, 1, 2, 12),
    setup_stores=(0, 4),
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
    setup=(8, 0, 1, 8, 8, 2, 1, 1, 1, 1, 0, 1),
    setup_stores=(0, 16),
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

GAMES = (RIO_KADALIS, GABATA_GHINDA, GABATA_WUQRO, LAMOSH, GABATA_OROMO, OBRIDJE, LAM_WALADACH, DUENE)
