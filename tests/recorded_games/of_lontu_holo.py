"""Recorded games of Lontu-Holo: each player sows round an own block of two by three pits, and wins by clearing it.

A last seed that makes four gives these away, one by one, to pits of the opponent that the player chooses. Our rules
have no such choice: in ours a four earns another turn, and the plies in which seeds are given are explained.
"""

from mancala_env import Ruleset
from mancala_env.rules import Goal, Stuck, When, four_rows
from tests.recorded_games.records import Choice, Game
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
    """The player gives the four seeds of the last pit away, one by one, to pits of the opponent with two or more."""
    state, choice, before, pits = difference.state, difference.choice, difference.before, [*difference.state.pits]
    if difference.kind is not Kind.LEGAL or choice is None or choice.kind != "place" or before is None:
        return False
    source = PITS[_last_pit(difference)] if before.chosen.kind == "lift" else before.chosen.source
    theirs = [pit for pit in state.rules.board.homes[1 - state.player] if pits[pit] >= TWO]
    pits[PITS.index(source)] -= 1
    pits[PITS.index(choice.target)] += 1
    choices = {Choice(source, PITS[pit], choice.label) for pit in theirs}
    return difference.choices == choices and tuple(pits) == difference.pits


def _last_pit(difference: Difference) -> int:
    """The pit in which the last seed of the turn before fell."""
    state, action = difference.last or (difference.state, difference.state.legal_actions[0])
    loop = state.rules.board.loops[state.player]
    pit = state.pit(action) or 0
    return loop[(loop.index(pit) + state.pits[pit]) % len(loop)]


def has_nobody_to_give_to(difference: Difference) -> bool:
    """The player passes instead, as no pit of the opponent has two."""
    state, last = difference.state, difference.last
    theirs = state.rules.board.homes[1 - state.player]
    is_due = last is not None and last[0].player == state.player
    return difference.kind is Kind.PASS and is_due and all(state.pits[pit] < TWO for pit in theirs)


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
