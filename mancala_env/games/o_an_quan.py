"""Ô ăn quan, "the mandarin's squares", of Vietnam: two rows of squares with a mandarin at either end."""

from mancala_env.games.clauses import BEYOND, IN_ROUNDS, RELAY_NEXT
from mancala_env.rules import Direction, MarkedPits, Option, Ruleset, Stuck, Unfilled, When, rows_and_houses

MANDARIN = 10  # what the large piece counts: it is as many seeds and a mark, both taken with its square

AT_LOADED = When(next="occupied_house")
ON_AND_ON = When(next2="occupied").capture("next2", chain_direction="gaps")
STOPS = Option(
    "stops_at",
    "which squares of a mandarin end the turn that would go on from them",
    {"loaded": AT_LOADED, "any": When(next="house")},
    {"loaded": "only one that holds anything", "any": "any"},
)
GAPS = Option(
    "captures",
    "whether a capture goes on over each further empty square to the full one after it, or takes one square",
    {"on": ON_AND_ON, "one": BEYOND},
    {"on": "it goes on", "one": "it takes one square"},
)

O_AN_QUAN = Ruleset(
    people="Vietnamese",
    source="Wikipedia (Vietnamese), Ô ăn quan; Mancala World, O An Quan",
    about="Five squares a row, and at either end a mandarin's square with one large piece, worth ten seeds. Where the "
    "next square is empty, all of the one after it is won, and so on. The game ends when both mandarins are taken. "
    "Sources differ: here a mandarin may be taken however few seeds lie with it, and some count it as five.",
    options=(STOPS, GAPS),
    mark_word="mandarin",
    board=rows_and_houses(5),
    setup=(5, 5, 5, 5, 5, MANDARIN) * 2,
    setup_marks=(*[-1] * 5, 0, *[-1] * 5, 1),
    marked_pits=MarkedPits.TAKEN,
    direction=Direction.CHOICE,
    landing=(AT_LOADED, RELAY_NEXT, ON_AND_ON),
    stuck=Stuck.REFILL,
    end_when="marks_taken",
)

O_AN_QUAN_MATCH = O_AN_QUAN.changes(
    about="Rounds of Ô ăn quan, each until both mandarins' squares are empty. Who has fewer seeds borrows, and pays "
    "back from what the round brings; who could not fill one square has lost. Mancala World tells of squares that are "
    "sold instead of debts, until three or four of a row belong to the opponent; that is not played here.",
    mark_word="marked",
    setup_marks=(),
    marked_pits=MarkedPits.GATHER,
    end_when="houses_empty",
    unfilled=Unfilled.BORROWED,
    **IN_ROUNDS,
)
