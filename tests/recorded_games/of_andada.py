"""Recorded games of Andada, a race on two rows of twelve that ends with single seeds."""

from mancala_env import Ruleset, State
from mancala_env.rules import When, two_rows
from tests.recorded_games.replay import Difference, Kind, Played


def bears_single_seeds_off(difference: Difference) -> bool:
    """A lap that leaves no pit with two seeds captures nothing; its last seed leaves the board at the row's end."""
    action = difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    return _bearing_off(difference.state, action) == (difference.pits, difference.stores)


def _bearing_off(state: State, action: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Pits and stores after a turn whose last lap leaves no pit with two seeds; None after another one."""
    pits, stores, pit, size = [*state.pits], [*state.stores], state.pit(action) or 0, len(state.pits)
    for _ in range(state.rules.max_laps):
        hand, pits[pit] = pits[pit], 0
        for _ in range(hand):
            pit = (pit + 1) % size
            pits[pit] += 1
        if pits[pit] == 1:
            break
    if max(pits) > 1:
        return None
    if state.owner[(pit + 1) % size] != state.player:  # the pit after the one where the last seed fell
        stores[state.player] += 1
        pits[pit] = 0
    return tuple(pits), tuple(stores)


RECORDED: dict[str, Played] = {
    "andada": Played(
        Ruleset(
            name="andada",
            board=two_rows(12),
            seeds=2,
            landing=(When(was="occupied").relay(), When(side="own", facing="occupied").capture("facing")),
            stuck="pass",
            goal="outlast",
        ),
        begins="turn",
        laid_out=True,
        explained=(bears_single_seeds_off,),
    ),
}
