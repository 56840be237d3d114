"""Weg and other games in which a pit becomes a player's own, and nobody lifts it any more.

Most of these games go on with rounds in which captured seeds buy pits; what is here is one round.
"""

from mancala_env.games.clauses import ACROSS, PANKHURST, RELAY
from mancala_env.games.layli_goobalay import LAYLI_GOOBALAY
from mancala_env.rules import Direction, Leave, MarkedPits, Match, Option, Ruleset, Stuck, When, arcs, two_rows

RAID = When(marked="opponent").capture("last_and_one")
STAY = When(marked=True)

OPPONENTS_FOUR = When(side="opponent", count={4}).mark("here")

RAID_AGAIN = Option(
    "raid_again", "whether a raid on a marked pit earns another turn", {False: RAID, True: RAID.again()}
)
MARKS_IN = Option(
    "marks_in",
    "whose pits are marked when a last seed makes them four",
    {"opponents_row": OPPONENTS_FOUR, "both_rows": When(count={4}).mark("here")},
    {"opponents_row": "only the opponent's", "both_rows": "both players'"},
)

GABATA_SHOA_I = Ruleset(
    people="of Shoa, Ethiopia",
    source=f"{PANKHURST}, pp. 174-176; M. Cohen, Jeux abyssins, 1911",
    about="A pit of the opponent that comes to four is the mover's weg, which nobody lifts any more; last seeds in "
    "those of the opponent take seeds out of them. Five or seven pits a row are played, too. Whether fours of the "
    "mover's row count as well is told in both ways.",
    mark_word="weg",
    options=(RAID_AGAIN, MARKS_IN),
    landing=(RAID, STAY, OPPONENTS_FOUR, RELAY),
    stuck=Stuck.PASS,
)

WEG = GABATA_SHOA_I.changes(
    source=f"{PANKHURST}, pp. 174-176, as read by StoneShark",
    about="Gabata of Shoa with another turn after a last seed in the opponent's weg.",
    landing=(RAID.again(), STAY, OPPONENTS_FOUR, RELAY),
)

WEG_MATCH = WEG.changes(
    about="Rounds of Weg: wegs and captured seeds buy pits of the next one, and whoever owns all pits wins.",
    board=arcs(6),
    match=Match.TERRITORY,
)

GABATA_SHOA_AND_ADEGRAT = WEG.changes(
    people="of Shoa and Adegrat, Ethiopia",
    source=PANKHURST,
    about="As Weg, but fours of both rows become wegs. The player who opens moves one seed on from every second pit, "
    "all around the board, which makes a first weg of the other's first pit; here the other player begins after that.",
    landing=(RAID.again(), STAY, MARKS_IN.choices["both_rows"], RELAY),
    setup=(4, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 4),
    setup_marks=(1, *[-1] * 11),
)

TUZ = GABATA_SHOA_AND_ADEGRAT.changes(
    people="of Wallo, Ethiopia",
    source=f"{PANKHURST}, p. 179",
    about="As Weg, begun as Gabata of Shoa and Adegrat. (The opener may make threes and fives by turns and no tuz.)",
    mark_word="tuz",
    landing=WEG.landing,
)

GABATA_SHOA_III = WEG.changes(
    people="of central Ethiopia",
    source=f"{PANKHURST}, p. 177",
    about="As Weg, but all seeds of every second pit are laid in the pit after it, which makes the opponent's first "
    "pit a weg; the first player begins with the last pit of their row that has seeds.",
    setup=(8, 0) * 6,
    setup_marks=(*[-1] * 6, 0, *[-1] * 5),
    opening=((4,),),
)

UM_EL_BANAT = GABATA_SHOA_I.changes(
    people="Kababish, Sudan",
    source="R. Davies, Some Arab Games and Puzzles, 1925",
    about="The game of daughters: as Gabata of Shoa, but fours in either row end the turn, and raids earn another one.",
    mark_word="daughter",
    options=(),
    landing=(RAID.again(), STAY, OPPONENTS_FOUR, When(count={4}), RELAY),
)

LEYLA = GABATA_SHOA_I.changes(
    people="Somali (Habr Awal), near Jigjiga, Ethiopia",
    source=f"{PANKHURST}, p. 182",
    about="As Gabata of Shoa, but clockwise, and a four marks the pit across, too. Each keeps the rest of their row.",
    mark_word="marked",
    options=(),
    direction=Direction.CLOCKWISE,
    landing=(RAID, STAY, When(side="opponent", count={4}).mark("here", "facing"), RELAY),
    stuck=Stuck.END,
)

GAMACHA_NOBILITY = GABATA_SHOA_I.changes(
    people="Hadiya, Ethiopia",
    source=f"{PANKHURST}, p. 185",
    about="As Gabata of Shoa, but nothing is taken out of marked pits; a single seed is taken across from an empty "
    "pit. The source knows ways to lengthen a turn that are not told clearly enough to be played here.",
    mark_word="qasamo",
    options=(),
    landing=(STAY, OPPONENTS_FOUR, RELAY, When(side="own", facing={1}).capture("facing")),
)

LEYLA_GOBALE_GABRADARRE = LAYLI_GOOBALAY.changes(
    people="Somali of Gabradarre, Ogaden, Ethiopia",
    source=f"{PANKHURST}, p. 181",
    about="As Layli Goobalay, but the capturing seed stays. Further rounds, in which the poorer player lays out their "
    "seeds evenly and the other does the same, are not played here.",
    seeds=5,
    landing=(*LAYLI_GOOBALAY.landing[:-1], ACROSS),
    repetition=0,
)

LEYLA_GOBALE_SOMALILAND = LEYLA_GOBALE_GABRADARRE.changes(
    people="Somali, Somaliland",
    source="G. Marin, Somali Games, 1931",
    about="As in Gabradarre, but sown clockwise, with four seeds in each pit, and the first move of the game is from "
    "the player's right end. Rows of eight and twelve pits are played, too.",
    seeds=4,
    direction=Direction.CLOCKWISE,
    opening=((-1,),),
)

TOGUZ = Ruleset(
    people="Kyrgyz, Kazakhs and Altai",
    source="World Nomad Games, Toguz Korgool; playstrategy.org, Togyzqumalaq",
    about="Toguz Korgool, in Kazakhstan Toguz Kumalak, 'nine pebbles'. Even pits of the opponent are won, and one that "
    "comes to three becomes a player's tuz: all that falls there later is theirs. More than 81 of the 162 seeds win.",
    mark_word="tuz",
    board=two_rows(9),
    seeds=9,
    leave=Leave.FIRST_LAP,
    landing=(
        When(side="opponent", count={3}, place={-1}),
        When(side="opponent", marked=False, count={3}).capture("here").mark("here"),
        When(side="opponent", marked=False, count="even").capture("here"),
    ),
    mark_limit=1,
    marked_pits=MarkedPits.COLLECT,
    majority_stop=True,
)
