"""Recorded games of Lontu-Holo: each player sows round an own block of two by three pits, and wins by clearing it.

A last seed that makes four gives these away, one by one, to pits of the opponent that the player chooses. Our rules
have no such choice: in ours a four earns another turn, and the plies in which seeds are given are explained.
"""

from mancala_env import Ruleset
from mancala_env.rules import Goal, Stuck, When, four_rows
from tests.recorded_games.records import Game
from tests.recorded_games.replay import Difference, Kind, Played

PITS = (1, 2, 3, 9, 8, 7, 12, 11, 10, 4, 5, 6)
STORES = (0, 13)  # sites
TWO = 2  # the least seeds of a pit that gets more


def after_the_stores_are_empty(game: Game) -> int:
    """The plies of the opening, which lays seeds in the stores, and then from there in the pits of the block."""
    filled = False
    for at, ply in enumerate(game.plies, 1):
        held = [ply.counts[site] for site in STORES]
        if filled and not any(held):
            return at
        filled = filled or any(held)
    return len(game.plies)


def gives_a_seed_away(difference: Difference) -> bool:
    """The player gives one of four seeds to a pit of the opponent with two or more."""
    state, choice = difference.state, difference.choice
    if difference.kind is not Kind.LEGAL or choice is None or choice.kind != "place":
        return False
    source, target, pits = PITS.index(choice.source), PITS.index(choice.target), [*state.pits]
    pits[source] -= 1
    pits[target] += 1
    is_given = state.owner[source] == state.player != state.owner[target] and state.pits[target] >= TWO
    return is_given and tuple(pits) == difference.pits


def has_nobody_to_give_to(difference: Difference) -> bool:
    """The player passes instead, as no pit of the opponent has two."""
    state = difference.state
    theirs = state.rules.board.homes[1 - state.player]
    return difference.kind is Kind.PASS and all(state.pits[pit] < TWO for pit in theirs)


ENTRY = Played(
    Ruleset(
        name="lontu_holo",
        board=four_rows(3),
        landing=(When(count={4}).again(),),
        goal=Goal.EMPTY_BLOCK,
        stuck=Stuck.PASS,
    ),
    begins=after_the_stores_are_empty,
    laid_out=True,
    pits=PITS,
    stores=False,
    explained=(gives_a_seed_away, has_nobody_to_give_to),
)

RECORDED: dict[str, Played] = {
    "lontu_holo": ENTRY,
    "lontu_holo__alternate_opening_1_observed": ENTRY,
    "lontu_holo__alternate_opening_2_observed": ENTRY,
    "lontu_holo__alternate_opening_3_observed": ENTRY,
}
