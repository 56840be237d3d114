"""Fours: a pit that comes to hold four seeds is taken, while it is sown past or by the last seed. Most go on with
rounds in which seeds buy pits: one is played here. After a forced opening South is the player who then moves."""

from mancala_env.games.clauses import FOUR, FOUR_AND_ON, MURRAY, PANKHURST, RELAY, ROW_EMPTY, chain, taken
from mancala_env.rules import Direction, Feeding, Leftover, Passing, Ruleset, Stuck, When, two_rows

RIO_KADALIS = Ruleset(
    people="of Ethiopia and Somalia",
    source=f"{PANKHURST}, p. 182",
    about="Fours on the way go to the player in whose row they lie, a last seed's to the mover. Mewelad of Eritrea, "
    "which opens with a race that is not played here, and Lahemay Walida of Tigray are the same.",
    passing=Passing(counts={4}, to="owner"),
    landing=(FOUR, RELAY),
)

GABATA_GHINDA = RIO_KADALIS.changes(
    people="of Ghinda, Eritrea",
    source=PANKHURST,
    about="As Rio Kadalis, but each player's first turn is from their leftmost pit. Pits of five that somebody forgot "
    "to take when they held four are not marked here.",
    opening=((0,), (0,)),
)

GABATA_WUQRO = RIO_KADALIS.changes(
    people="of Wuqro, Ethiopia",
    source=PANKHURST,
    about="At first a player sows their whole row into the other, lap after lap; here the other then begins. Fours are "
    "taken after the lap, else as in Rio Kadalis; the last four, which the source leaves open, go to the last mover.",
    setup=(3, 1, 6, 6, 6, 6, 3, 0, 3, 1, 0, 1),
    passing=Passing(counts={4}, to="owner", when="after_lap"),
    end_few=4,
    leftover=Leftover.LAST_MOVER,
)

LAMOSH = RIO_KADALIS.changes(
    people="of Shoa, Ethiopia",
    source=PANKHURST,
    about="At first one seed each is moved on from every second pit, the last one into the opponent's first pit, which "
    "is taken with it; here the other player begins after that. Then as in Rio Kadalis.",
    setup=(0, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 4, 0, 4),  # North has four in the store
)

GABATA_OROMO = RIO_KADALIS.changes(
    people="Oromo, Addis Ababa, Ethiopia",
    source=f"{PANKHURST}, p. 178",
    about="At first every second pit is laid in the one after it, and the opener sows the last of these; here the "
    "other player begins after that. All fours on the way are the mover's, and a last seed takes none.",
    setup=(0, 3, 0, 12, 0, 0, 0, 13, 1, 1, 2, 12, 0, 4),
    passing=Passing(counts={4}),
    landing=(RELAY,),
    stuck=Stuck.PASS,
)

OBRIDJE = RIO_KADALIS.changes(
    people="of Ghana, and Ijaw, Nigeria",
    source=f"{MURRAY}, pp. 185-186",
    about="As Rio Kadalis, but a last seed's four, too, goes to the player in whose row it lies.",
    passing=Passing(counts={4}, to="owner", last=True),
    landing=(When(count={4}), RELAY),
)

LAM_WALADACH = Ruleset(
    people="of Eritrea",
    source=PANKHURST,
    about="The opener sows eighteen seeds of their row, with one outcome: here the other player begins after that. A "
    "lap that makes fours earns another turn. The last four seeds end the round; in later ones seeds buy pits.",
    setup=(8, 0, 1, 8, 8, 2, 1, 1, 1, 1, 0, 1, 0, 16),
    passing=Passing(counts={4}, last=True, when="after_lap", then="again"),
    landing=(When(count={4}), RELAY),
    stuck=Stuck.PASS,
    end_few=4,
)

DUENE = Ruleset(
    people="Ewe of Togo and Ghana",
    source="Schönhärl, 1909, p. 147, as told by Ludii, Duene",
    about="Fours on the way go to the player in whose row they lie, the last seed's and those before it to the mover. "
    "With eight seeds or fewer left the first such capture takes all that is on the board.",
    passing=Passing(counts={4}, to="owner", when="after_lap"),
    landing=(When(count={4}, few=8).capture("every", every=range(1, 62)), chain({4}), RELAY),
    leftover=Leftover.NONE,
    stuck=Stuck.PASS,
)

OT_TJIN = Ruleset(
    people="Penihing, Borneo",
    source="C. Lumholtz, Through Central Borneo, 1920, pp. 435-437; Mancala World, Ot-tjin",
    about="A pit that comes to three is a fish, and won. Pits of two, four and five, with such fish, are used, too.",
    board=two_rows(10),
    seeds=3,
    landing=(taken({3}), RELAY),
)

NSA_ISONG = RIO_KADALIS.changes(
    people="Ibibio and Efik, Nigeria",
    source="Mancala World, Nsa Isong",
    about="As Rio Kadalis, but sown clockwise, until four seeds or fewer are left. In later rounds four hold a pit.",
    direction=Direction.CLOCKWISE,
    leftover=Leftover.LAST_MOVER,
    end_few=4,
)

BA_AWA = NSA_ISONG.changes(
    people="Akan, Ghana",
    source="Mancala World, Ba-awa",
    about="As Nsa Isong, but sown counter-clockwise, and eight seeds or fewer end the round.",
    direction=Direction.COUNTERCLOCKWISE,
    end_few=8,
)

HOYITO_1 = Ruleset(
    people="Dominicans",
    source="Mancala World, Hoyito",
    about="Every four, on the way or last, goes to the mover.",
    passing=Passing(counts={4}),
    landing=(FOUR, RELAY),
    stuck=Stuck.PASS,
    leftover=Leftover.LAST_MOVER,
    end_few=4,
)

# The capture that leaves few seeds has earned another turn, and "last mover" would mean the other player.
HOYITO_2 = HOYITO_1.changes(
    about="Only the last seed takes fours, in chains, which earns another turn. By the sources the mover takes the "
    "last four seeds or fewer; here each keeps what lies in their own row.",
    passing=None,
    landing=(chain({4}).again(), RELAY),
    leftover=Leftover.OWNER,
)

HOYITO_3 = HOYITO_2.changes(
    about="As the first Hoyito, but only the last seed takes fours. The last four seeds of the board are decided by "
    "rounds, which are not played here: each keeps what lies in their own row. In another reading a turn is a single "
    "lap, the first four made with eight seeds left takes them all, and only what was captured counts.",
    landing=(FOUR, RELAY),
)

MEUSUEB = Ruleset(
    people="Acehnese, Indonesia",
    source="described in 1909; Ludii, Meusueb",
    about="Where the last seed makes four these are won, and the turn goes on with the next pit.",
    landing=(FOUR_AND_ON, FOUR, RELAY),
)

MOTIQ = MEUSUEB.changes(
    people="Kedang, Indonesia",
    source="Ludii, Motiq",
    about="A round of Meusueb, until a row is empty. Rounds follow in which four seeds hold a pit.",
    board=two_rows(7),
    **ROW_EMPTY,
)

WHYO = Ruleset(
    people="Oron, Nigeria",
    source="Ludii, Whyo",
    about="Where the last seed makes four these are won. In another reading a turn is a single lap; in a second round "
    "the winner of the first owns seven pits.",
    landing=(FOUR, RELAY),
)

WOURI = Ruleset(
    people="People of Mopti, Mali",
    source="Ludii, Wouri",
    about="Where the last seed makes four in the opponent's row, all fours of that row are won.",
    skip_origin=True,
    landing=(When(side="opponent", count={4}).capture("every", every={4}, every_side="opponent"), RELAY),
    feeding=Feeding.IF_STARVED,
    end_reason="famine",
)

KAY = Ruleset(
    people="Haitians",
    source="described in 1952; Ludii, Kay",
    about="Fours are won in chains, and turns go on only with an occupied next pit. Singles move into empty pits only.",
    skip_origin=True,
    singles="into_empty",
    landing=(chain({4}), When(was="occupied", next="occupied").relay()),
    leftover=Leftover.NONE,
)
