"""What explains a difference that remains: a fault or a reading of the recorded program that our game does not copy.

An explanation is a condition on the position and the move, never on a file, a seed or a ply. Its docstring is the
sentence that the report prints.
"""

from mancala_env import State
from mancala_env.trace import EventKind
from tests.recorded_games.replay import Difference, Kind


def pushed_past_origin(difference: Difference) -> bool:
    """The last seed was pushed past the skipped origin, and the program looks up the capture at the origin."""
    state = difference.state
    if difference.kind is Kind.LEGAL and difference.legal is not None:
        return all(_pushed(state, action) for action in difference.legal ^ set(state.legal_actions))
    if difference.kind is not Kind.BOARD or difference.action is None or not _pushed(state, difference.action):
        return False
    seeds = [*state.pits, *state.stores]
    for event in state.trace(difference.action).events:
        if event.kind is not EventKind.TAKE:
            event.happen(seeds)
    return tuple(seeds[:-2]) == difference.pits


def ends_when_a_side_is_stuck(difference: Difference) -> bool:
    """The program ends the round as soon as either side has nothing to lift, not when it is that player's turn."""
    after = difference.after if difference.kind is Kind.BOARD else difference.state
    if after is None or not difference.over or not any(_is_stuck(after, player) for player in (0, 1)):
        return False
    totals = [*after.stores]
    for pit, seeds in enumerate(after.pits):
        totals[int(after.owner[pit] if after.marks[pit] < 0 else after.marks[pit])] += seeds
    return difference.kind is Kind.END or tuple(totals) == difference.stores


def fixed_first_move(difference: Difference) -> bool:
    """The program prescribes the first move of a game, which is free in ours."""
    state = difference.state
    first = state.pits == state.rules.start().pits and not any(state.stores)
    is_part = difference.legal is not None and difference.legal < set(state.legal_actions)
    return difference.kind is Kind.LEGAL and first and is_part


def only_a_majority_wins(difference: Difference) -> bool:
    """Nobody has captured more than half of the seeds, without which nobody wins in the program."""
    half = difference.state.rules.total_seeds / 2
    return difference.kind is Kind.RESULT and difference.winner is None and max(difference.state.stores) <= half


def _pushed(state: State, action: int) -> bool:
    """Does the last seed of an action's only lap fall into the pit after the origin because the origin is skipped?"""
    pit, rules = state.pit(action), state.rules
    if pit is None or not rules.skip_origin or rules.relays:
        return False
    seeds = state.pits[pit]
    return seeds >= rules.board.pits and seeds % (rules.board.pits - 1) == 1


def _is_stuck(state: State, player: int) -> bool:
    """Has a player no pit to lift, marked ones left out?"""
    pits = state.rules.board.homes[player]
    return not any(state.pits[pit] >= state.rules.min_start and state.marks[pit] < 0 for pit in pits)
