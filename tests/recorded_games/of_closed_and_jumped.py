"""Recorded games of ``deka``."""

from mancala_env import ruleset
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


RECORDED: dict[str, Played] = {
    # in the program three closes any pit, from the first move on
    "deka": Played(
        ruleset("deka", closes="any", unmarkable=()),
        pits=(0, 1, 2, 3, 4, 11, 10, 9, 8, 7, 6, 5),
        explained=(closes_in_another_way, passes_after_a_seed_is_lost),
    ),
}
