"""Recorded games of ``deka``."""

from mancala_env import ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.of_gaps import ends_within_a_turn
from tests.recorded_games.replay import Difference, Kind, Played


def closes_in_another_way(difference: Difference) -> bool:
    """The program sows the seeds of a pit that it closes after the next pit, not into it, and ends the turn with that
    lap; and seeds of the second player fall into closed pits of the own side, and leave the board a turn later."""
    if difference.kind is Kind.BOARD and difference.action is not None:
        return _as_the_program_plays(difference) == difference.pits
    return False


def passes_after_a_seed_is_lost(difference: Difference) -> bool:
    """The program lets a player who has just lost the last seed of a lap go on from there, which is a pass."""
    state, choice = difference.state, difference.choice
    is_forced = choice is not None and choice.kind == "pass"
    return difference.kind is Kind.PASS and is_forced and state.removed > 0 and max(state.marks) >= 0


def _as_the_program_plays(difference: Difference) -> tuple[int, ...]:
    """The board after the turn by the readings of ``closes_in_another_way``."""
    state, action = difference.state, difference.action
    board, player = state.rules.board, state.player
    closed = {pit for pit, mark in enumerate(state.marks) if mark >= 0}
    pits = [0 if pit in closed else seeds for pit, seeds in enumerate(state.pits)]
    at = board.homes[player][action or 0]
    goes_on = True
    hand, pits[at] = pits[at], 0
    while goes_on:
        while hand > 0:
            at = (at + 1) % board.pits
            if at in closed and board.owner[at] == player == 0:
                continue
            pits[at] += at not in closed or board.owner[at] == player
            hand -= 1
        if at in closed:
            return tuple(pits)
        goes_on = pits[at] > 1
        if pits[at] == 3:
            closed.add(at)
            hand, pits[at], at = 3, 0, (at + 1) % board.pits
            while hand > 0:
                at = (at + 1) % board.pits
                if at in closed and board.owner[at] == player:
                    continue
                pits[at] += at not in closed
                hand -= 1
            return tuple(pits)
        if goes_on:
            hand, pits[at] = pits[at], 0
    return tuple(pits)


def passes_over_what_the_lap_has_filled(difference: Difference) -> bool:
    """The program passes over the pits that held three before the lap, ours over those that hold three at the time."""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    loop = state.rules.board.loops[state.player]
    step = -1 if state.chosen_directions[state.player] == 1 or (
        state.chosen_directions[state.player] is None and state.rules.direction_of(state.player, action) == 1
    ) else 1  # fmt: skip
    sown: set[int] = set()
    for event in state.trace(action).events:
        if event.kind is EventKind.LIFT:
            sown = set()
        if event.kind is EventKind.SOW and event.source is not None and event.target is not None:
            at = loop.index(event.source)
            while (at := (at + step) % len(loop)) != loop.index(event.target):
                if loop[at] in sown:
                    return True
            sown.add(event.target)
    return False


def ends_at_a_single_seed(difference: Difference) -> bool:
    """The program ends the round where a turn would go on from a pit of a single seed."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None or any(difference.pits):
        return False
    seeds, half = [*state.pits, *state.stores], len(state.pits) // 2
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and event.clause is not None and event.seeds == 1:
            totals = (seeds[-2] + sum(seeds[:half]), seeds[-1] + sum(seeds[half:-2]))
            return totals == difference.stores
        event.happen(seeds)
    return False


RECORDED: dict[str, Played] = {
    # in the program three closes any pit, from the first move on
    "deka": Played(
        ruleset("deka", closes="any", unmarkable=()),
        pits=(0, 1, 2, 3, 4, 11, 10, 9, 8, 7, 6, 5),
        explained=(closes_in_another_way, passes_after_a_seed_is_lost),
    ),
    "kotu_baendum": Played(
        "kotu_baendum",
        rounds="first",
        explained=(passes_over_what_the_lap_has_filled, ends_at_a_single_seed, ends_within_a_turn),
    ),
    "puhulmutu": Played(
        "puhulmutu",
        rounds="first",
        explained=(passes_over_what_the_lap_has_filled, ends_at_a_single_seed, ends_within_a_turn),
    ),
}
