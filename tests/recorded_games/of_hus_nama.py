"""Recorded games of ``hus_nama``."""

from mancala_env import State, ruleset
from mancala_env.rules import When
from tests.recorded_games.replay import Difference, Kind, Played

INNER = When(was="occupied", facing="occupied")


def captures_in_another_way(difference: Difference) -> bool:
    """The program captures from the outer row, too; and seeds of an inner pit join the last one if more are sown.

    From the outer row both pits of the column across are sown on. From the inner row only the outer one of them, and
    the seeds of the inner one stay with the last seed; where the outer one is empty, they are sown.
    """
    action = difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    return _as_the_program_captures(difference.state, action) == difference.pits


def _as_the_program_captures(state: State, action: int) -> tuple[int, ...]:
    """The board after a turn by the reading of ``captures_in_another_way``."""
    board, pits, at = state.rules.board, [*state.pits], state.pit(action) or 0
    loop = board.loops[state.player]
    place, laps = loop.index(at), 0
    while laps < state.rules.max_laps:
        hand, pits[loop[place]], laps = pits[loop[place]], 0, laps + 1
        for _ in range(hand):
            place = (place + 1) % len(loop)
            pits[loop[place]] += 1
        last = loop[place]
        if pits[last] == 1:
            break
        is_outer = board.facing[last] == last
        inner = loop[len(loop) - 1 - place] if is_outer else last
        across, outer = board.facing[inner], board.outer[inner]
        if pits[across] == 0:
            continue
        hand = pits[across] + pits[outer]
        if not is_outer and pits[outer] > 0:
            pits[last] += pits[across]
            hand -= pits[across]
        pits[across] = pits[outer] = 0
        for _ in range(hand):
            place = (place + 1) % len(loop)
            pits[loop[place]] += 1
        break
    return tuple(pits)


RECORDED: dict[str, Played] = {
    # in the program a capture needs seeds in the inner pit only, and ends the turn
    "hus_nama": Played(
        ruleset("hus_nama").changes(
            landing=(INNER.sow_on("facing", "outer", stops=True), When(was="occupied").relay()),
        ),
        begins=2,
        laid_out=True,
        explained=(captures_in_another_way,),
    ),
}
