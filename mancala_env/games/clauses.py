"""Clauses of the landing table, groups of options, and sources, that games of many families share."""

from typing import Any

from mancala_env.rules import Match, When

EVEN = range(2, 62, 2)


def taken(counts: set[int], side: str | None = None) -> When:
    """The pit is taken if it now holds one of these numbers of seeds; in either row, or in those of one side."""
    return When(count=counts, side=side).capture("here")


def chain(counts: set[int], side: str | None = None) -> When:
    """The same, and so are the pits before it on these sides, one by one, while they hold one of these numbers."""
    return When(count=counts, side=side).capture("here", chain=counts, chain_side=side or "any")


AGAIN = When(store="own").again()
RELAY = When(was="occupied").relay()
RELAY_NEXT = When(next="occupied").relay("next")
FOUR = taken({4})
FOUR_AND_ON = When(count={4}, next="occupied").capture("here").relay("next")
ACROSS = When(side="own", facing="occupied").capture("facing")  # the last seed stays
ACROSS_ANY = When(facing="occupied").capture("facing")
ACROSS_BOTH = When(side="own", facing="occupied").capture("here", "facing")
BEYOND = When(next2="occupied").capture("next2")
BOTH_FULL = When(was="occupied", facing="occupied", outer="occupied")  # of four rows: here, and both pits across

ROW_EMPTY: dict[str, Any] = {"end_check": "any_side", "end_reason": "side_empty"}
IN_ROUNDS: dict[str, Any] = {"match": Match.REFILL, "first_mover": "alternate", "max_games": 50}

MURRAY = "H. J. R. Murray, A History of Board-Games Other than Chess, 1951"
PANKHURST = "R. Pankhurst, Gabata and Related Board-Games of Ethiopia and the Horn of Africa, 1971"
