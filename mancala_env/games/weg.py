"""Weg: games of the Horn of Africa and the Sudan in which a four in the opponent's row becomes a pit of one's own.

Most of these games go on with rounds in which captured seeds buy pits; what is here is one round.
"""

from mancala_env.games.clauses import RELAY
from mancala_env.rules import Direction, Match, Option, Ruleset, Stuck, When, arcs

PANKHURST = "R. Pankhurst, Gabata and Related Board-Games of Ethiopia and the Horn of Africa, 1971"

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
    name="gabata_shoa_i",
    region="Horn of Africa",
    people="of Shoa, Ethiopia",
    source=f"{PANKHURST}, pp. 174-176; M. Cohen, Jeux abyssins, 1911",
    about="Lift a pit of your row and sow it counter-clockwise; a last seed in an occupied pit lifts that pit for "
    "another lap, one in an empty pit ends the turn. A last seed that makes a pit of the opponent four marks it as "
    "your weg, which nobody lifts any more, and ends the turn. A last seed in the opponent's weg takes that seed and "
    "one more and ends the turn. A player without a pit to lift waits. In the end each has what was taken and the "
    "seeds in their own wegs. Five or seven pits a row are played, too. Whether fours of the mover's row count as well "
    "is told in both ways: marks_in.",
    mark_word="weg",
    options=(RAID_AGAIN, MARKS_IN),
    landing=(RAID, STAY, OPPONENTS_FOUR, RELAY),
    stuck=Stuck.PASS,
)

# As the program StoneShark has it, after the same source.
WEG = GABATA_SHOA_I.changes(
    name="weg",
    source=f"{PANKHURST}, pp. 174-176, as read by StoneShark",
    about="Gabata of Shoa with another turn after a raid: a last seed in the opponent's weg takes that seed and one "
    "more, and the player lifts any pit of their row again.",
    landing=(RAID.again(), STAY, OPPONENTS_FOUR, RELAY),
)

# Wegs and captured seeds buy pits of the next round, four seeds each.
WEG_MATCH = WEG.changes(
    name="weg_match",
    about="Rounds of Weg: in the next round each owns as many pits as four seeds each of those won will fill; whoever "
    "owns all pits wins.",
    board=arcs(6),
    match=Match.TERRITORY,
)

# The player who opens moves one seed on from every second pit, all around the board, which makes the other's first pit
# four; then the other player moves, as South.
GABATA_SHOA_AND_ADEGRAT = WEG.changes(
    name="gabata_shoa_and_adegrat",
    people="of Shoa and Adegrat, Ethiopia",
    source=PANKHURST,
    about="The game opens with a fixed turn that makes pits of five and three by turns and a first weg in the "
    "opponent's row; here the other player begins after that. Then as in Weg, but fours of both rows become wegs.",
    landing=(RAID.again(), STAY, MARKS_IN.choices["both_rows"], RELAY),
    setup=(4, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 4),
    setup_marks=(1, *[-1] * 11),
)

TUZ = GABATA_SHOA_AND_ADEGRAT.changes(
    name="tuz",
    people="of Wallo, Ethiopia",
    source=f"{PANKHURST}, p. 179",
    about="The game opens with a fixed turn that makes pits of five and three by turns and a first tuz in the "
    "opponent's row; here the other player begins after that. (The opener may also make pits of three and five by "
    "turns and no tuz.) Then as in Weg.",
    mark_word="tuz",
    landing=WEG.landing,
)

# All seeds of every second pit are laid in the pit after it, which makes the opponent's first pit the opener's weg.
GABATA_SHOA_III = WEG.changes(
    name="gabata_shoa_iii",
    people="of central Ethiopia",
    source=f"{PANKHURST}, p. 177",
    about="Pits hold eight seeds and none by turns, and the first pit of the second row is the first player's weg from "
    "the start; that player begins with the last pit of their row that has seeds. Then as in Weg.",
    setup=(8, 0) * 6,
    setup_marks=(*[-1] * 6, 0, *[-1] * 5),
    opening=((4,),),
)

UM_EL_BANAT = GABATA_SHOA_I.changes(
    name="um_el_banat",
    region="North Africa",
    people="Kababish, Sudan",
    source="R. Davies, Some Arab Games and Puzzles, 1925",
    about="The game of daughters: as Gabata of Shoa, but a lap that makes a four ends the turn in either row, and a "
    "raid on a daughter earns another turn.",
    mark_word="daughter",
    options=(),
    landing=(RAID.again(), STAY, OPPONENTS_FOUR, When(count={4}), RELAY),
)

LEYLA = GABATA_SHOA_I.changes(
    name="leyla",
    people="Somali (Habr Awal), near Jigjiga, Ethiopia",
    source=f"{PANKHURST}, p. 182",
    about="As Gabata of Shoa, but sown clockwise, and a lap that makes a pit of the opponent four marks that pit and "
    "the one across from it as yours. The game ends when the player to move has nothing to lift; each has what was "
    "taken, the seeds in their own marked pits and the rest of their own row.",
    mark_word="marked",
    options=(),
    direction=Direction.CLOCKWISE,
    landing=(RAID, STAY, When(side="opponent", count={4}).mark("here", "facing"), RELAY),
    stuck=Stuck.END,
)

GAMACHA_NOBILITY = GABATA_SHOA_I.changes(
    name="gamacha_nobility",
    people="Hadiya, Ethiopia",
    source=f"{PANKHURST}, p. 185",
    about="As Gabata of Shoa, where wegs are qasamo, but nothing is taken out of them: a last seed in an empty pit of "
    "the mover's row takes the seed across if there is exactly one. The source knows ways to lengthen a turn that are "
    "not told clearly enough to be played here.",
    mark_word="qasamo",
    options=(),
    landing=(STAY, OPPONENTS_FOUR, RELAY, When(side="own", facing={1}).capture("facing")),
)

GAMES = (
    GABATA_SHOA_I, WEG, WEG_MATCH, GABATA_SHOA_AND_ADEGRAT, TUZ, GABATA_SHOA_III, UM_EL_BANAT, LEYLA, GAMACHA_NOBILITY,
)  # fmt: skip
