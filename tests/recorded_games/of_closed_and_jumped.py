"""Recorded games of ``deka``."""

from mancala_env import State, ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.of_gaps import ends_within_a_turn
from tests.recorded_games.replay import Difference, Kind, Played

FULL = 3  # seeds of a pit that is closed, or passed over


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
    theirs = state.rules.board.homes[1 - state.player]
    is_lost = state.removed > 0 and any(state.marks[pit] >= 0 for pit in theirs)
    return difference.kind is Kind.PASS and is_forced and is_lost


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
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _passing_over(difference.state, difference.action)
    if (difference.pits, difference.stores) == laps[-1][:2]:
        return True
    half = len(difference.pits) // 2
    for pits, stores, following in laps:  # the program ends the round where ``ends_at_a_single_seed`` says it does
        totals = (stores[0] + sum(pits[:half]), stores[1] + sum(pits[half:]))
        if following is not None and pits[following] == 1 and totals == difference.stores:
            return not any(difference.pits)
    return False


def _passing_over(state: State, action: int) -> list[tuple[tuple[int, ...], tuple[int, int], int | None]]:
    """Pits, stores and the pit to go on from after each lap of a turn in which seeds pass over what held three."""
    rules, size = state.rules, len(state.pits)
    chosen = state.chosen_directions[state.player]
    step = -1 if (state.direction(action) if chosen is None else chosen) == 1 else 1
    stops = {place % (size // 2) for clause in rules.landing for place in clause.place or ()}
    pits, stores, at = [*state.pits], [*state.stores], state.pit(action)
    laps: list[tuple[tuple[int, ...], tuple[int, int], int | None]] = []
    while at is not None and len(laps) <= rules.max_laps:
        hand, pits[at] = pits[at], 0
        full = {pit for pit, seeds in enumerate(pits) if seeds == FULL}
        while hand > 0:
            at = (at + step) % size
            if hand > 1 and at in full:
                continue
            pits[at] += 1
            hand -= 1
        end, following = at, (at + step) % size
        at = end if pits[end] > 1 else None
        if pits[end] == FULL + 1:
            stores[state.player] += pits[end]
            pits[end] = 0
            at = following if pits[following] and end % (size // 2) not in stops else None
        laps.append((tuple(pits), (stores[0], stores[1]), at))
    return laps


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
        explained=(ends_at_a_single_seed, ends_within_a_turn, passes_over_what_the_lap_has_filled),
    ),
    "puhulmutu": Played(
        "puhulmutu",
        rounds="first",
        explained=(ends_at_a_single_seed, ends_within_a_turn, passes_over_what_the_lap_has_filled),
    ),
}
