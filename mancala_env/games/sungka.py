"""Sungka (Congklak, Dakon) and its relatives around the Indian Ocean: relay sowing with a store at each player's end.

Most of these games go on in rounds, in which pits are closed that their owner cannot fill: here a round is the game.
"""

from mancala_env.games.clauses import ACROSS, ACROSS_ANY, ACROSS_BOTH, AGAIN, IN_ROUNDS, RELAY, RELAY_NEXT, ROW_EMPTY
from mancala_env.rules import Direction, Leftover, Ruleset, Store, Stuck, Unfilled, When, two_rows

ROUNDS = "Rounds follow in which pits are closed that their owner cannot fill; these are not played here."

SUNGKA = Ruleset(
    people="Filipinos, Indonesians and Malays",
    source="Mancala World, Sungka",
    about=f"A round: relay sowing, another turn from the own store, captures across. {ROUNDS} In the Philippines both "
    "make the first turn at once, and many sow clockwise.",
    board=two_rows(7),
    seeds=7,
    store=Store.OWN,
    landing=(AGAIN, RELAY, ACROSS_BOTH),
    stuck=Stuck.PASS,
)

SUNGKA_MATCH = SUNGKA.changes(
    source="Mancala World, Sungka; H. Overbeck, New Notes on the Game of Chongkak, Journal of the Straits Branch of "
    "the Royal Asiatic Society 68, 1915 (which pits stay empty)",
    about="Rounds of Sungka, or Congklak. Pits that their owner cannot fill are closed, burnt as the Filipinos say, "
    "until a later round. The players take turns to begin; Overbeck's players have the last mover begin.",
    unfilled=Unfilled.LEFT,
    **IN_ROUNDS,
)

CHONGKA = SUNGKA.changes(
    people="Chamorro, Mariana Islands",
    source="G. Fritz, Die Chamorro, 1904",
    about="As Sungka, but clockwise and without another turn; the capturing seed stays, and only stores count.",
    direction=Direction.CLOCKWISE,
    landing=(RELAY, ACROSS),
    leftover=Leftover.NONE,
)

CHUNGCAJON = CHONGKA.changes(
    people="Filipinos",
    source="S. Culin, Philippine Games, 1900",
    about="As Chongka, but nothing is captured but what is sown into the store.",
    landing=(RELAY,),
)

CHONKA = SUNGKA.changes(
    people="Tamils, Sri Lanka",
    source="H. Parker, Ancient Ceylon, 1909",
    about="As Sungka, but without another turn, and either row captures.",
    landing=(RELAY, When(facing="occupied").capture("here", "facing")),
    majority_stop=True,
)

GALATJANG = SUNGKA.changes(
    people="Makassarese, Indonesia",
    source="B. F. Matthes, Makassaarsch-Hollandsch woordenboek, 1859",
    about=f"A round of Sungka on two rows of six, in which the capturing seed stays. {ROUNDS}",
    board=two_rows(6),
    landing=(AGAIN, RELAY, ACROSS),
)

OVALHU = SUNGKA.changes(
    people="Maldivians",
    source="described in 2000; Ludii, Ovalhu",
    about=f"A round of Sungka on rows of eight, in which either row captures, and the capturing seed stays. {ROUNDS}",
    board=two_rows(8),
    seeds=8,
    landing=(AGAIN, RELAY, ACROSS_ANY),
)

MAIN_CHONGKAK = SUNGKA.changes(
    people="Malays",
    source="Ludii, Main Chongkak",
    about=f"A round of Sungka on rows of six, clockwise and into both stores. {ROUNDS} Rows up to nine are used, too.",
    board=two_rows(6),
    seeds=6,
    direction=Direction.CLOCKWISE,
    store=Store.BOTH,
    landing=(AGAIN, When(store="opponent"), RELAY, ACROSS),
    stuck=Stuck.END,
    **ROW_EMPTY,
)

SONKA = SUNGKA.changes(
    people="Iloko, Philippines",
    source="M. Vanoverbergh, 1927, pp. 236-237, as told by Ludii, Sonka",
    about=f"A round, in which turns go on with the pit after the one where a lap ends, or after the store. {ROUNDS} "
    "Players are also said to make the first turn at once.",
    board=two_rows(5),
    seeds=6,
    landing=(When(store="own").relay("next"), RELAY_NEXT, When(side="own").capture("facing")),
)
