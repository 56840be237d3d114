"""Ô ăn quan, "the mandarin's squares", of Vietnam: two rows of squares with a mandarin at either end.

A player lifts a square of the own row and sows it either way, the squares of the mandarins included. The turn goes on
from the square after the last one as long as that holds seeds; after an empty square the next one is captured.
"""

from mancala_env.games.clauses import BEYOND, RELAY_NEXT
from mancala_env.rules import Option, Ruleset, When, rows_and_houses
from mancala_env.rules.choices import Direction, EndWhen, FirstMover, MarkedPits, Match, Stuck, Unfilled

MANDARIN = 10  # what the large piece counts: it is as many seeds and a mark, both taken with its square
NO_PIECES = (-1,) * 5

STOPS = Option(
    "stops_at",
    "which squares of a mandarin end the turn that would go on from them",
    {"loaded": When(next="occupied_house"), "any": When(next="house")},
    {"loaded": "only one that holds anything", "any": "any"},
)
GAPS = Option(
    "captures",
    "whether a capture goes on over each further empty square to the full one after it, or takes one square",
    {"on": When(next2="occupied").capture("next2", chain_way="gaps"), "one": BEYOND},
    {"on": "it goes on", "one": "it takes one square"},
)

O_AN_QUAN = Ruleset(
    name="o_an_quan",
    region="Southeast Asia",
    people="Vietnamese",
    source="Wikipedia (Vietnamese), Ô ăn quan; Mancala World, O An Quan",
    about="Five squares a row with five seeds each, and at either end a mandarin's square with one large piece, worth "
    "ten seeds. Lift a square of your row and sow it either way, the mandarins' squares included. If the square after "
    "the last one holds seeds, lift it and sow on. If that is a mandarin's square that is not empty, the turn ends. If "
    "it is empty and the one after it is not, you take all of that one, a mandarin with what lies around it; and so "
    "on, as long as an empty square and a full one follow. Two empty squares end the turn. A player whose row is empty "
    "first lays a seed in each of its squares from those captured, and borrows what is missing until the end. When "
    "both mandarins are taken the game ends: the seeds of each row are its owner's, those in a mandarin's square "
    "nobody's. More points win. Sources differ: here a mandarin may be taken however few seeds lie with it, and some "
    "count it as five.",
    options=(STOPS, GAPS),
    mark_word="mandarin",
    board=rows_and_houses(5),
    setup=(5, 5, 5, 5, 5, MANDARIN) * 2,
    setup_marks=(*NO_PIECES, 0, *NO_PIECES, 1),
    marked_pits=MarkedPits.TAKEN,
    direction=Direction.CHOICE,
    landing=(
        When(next="occupied_house"),
        RELAY_NEXT,
        When(next2="occupied").capture("next2", chain_way="gaps"),
    ),
    stuck=Stuck.REFILL,
    end_when=EndWhen.MARKS_TAKEN,
)

O_AN_QUAN_MATCH = O_AN_QUAN.changes(
    name="o_an_quan_match",
    about="Rounds of Ô ăn quan, each until both mandarins' squares are empty. For each the board is laid out as at "
    "first, each player bringing one mandarin and the seeds of their row, 35 points. Who has fewer borrows from the "
    "other player, and pays back from what the round brings; who could not fill one square with five has lost. Seeds "
    "left in a mandarin's square at the end of a round count for nobody. Mancala World tells of squares that are sold "
    "instead of debts, until three or four of a row belong to the opponent; that is not played here.",
    mark_word="marked",
    setup_marks=(),
    marked_pits=MarkedPits.GATHER,
    end_when=EndWhen.HOUSES_EMPTY,
    match=Match.REFILL,
    unfilled=Unfilled.BORROWED,
    first_mover=FirstMover.ALTERNATE,
    max_games=50,
)
