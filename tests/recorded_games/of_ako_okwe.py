"""Recorded games of Ako Okwe: two rows of five, sown either way, in which the first captures must be of a set size."""

from collections.abc import Mapping

from mancala_env import Ruleset, State
from mancala_env.rules import Direction, Leave, When, two_rows
from tests.recorded_games.replay import Difference, Explanation, Kind, Played

ODD = frozenset({1, 3, 5, 7, 9})

AKO_OKWE = Ruleset(
    name="ako_okwe",
    board=two_rows(5),
    seeds=10,
    direction=Direction.CHOICE,
    leave=Leave.UNLESS_ALONE,
    landing=(When(count=ODD).capture("here"),),
)


def first_captures(due: Mapping[int, int]) -> Explanation:
    """What explains that a player with so many seeds in the store can only capture the number that is due."""

    def captures_only_what_is_due(difference: Difference) -> bool:
        """The first captures of a player must be of set sizes; and a lone seed that stays may be one."""
        state, action = difference.state, difference.action
        if difference.kind is not Kind.BOARD or action is None:
            return False
        return _after(state, action, due) == (difference.pits, difference.stores)

    return captures_only_what_is_due


def _after(state: State, action: int, due: Mapping[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Pits and stores after a turn in which only the number of seeds that is due is captured."""
    pits, stores, pit = [*state.pits], [*state.stores], state.pit(action) or 0
    step = -1 if state.direction(action) == 1 else 1
    hand, pits[pit] = pits[pit] - 1, 1
    for _ in range(hand):
        pit = (pit + step) % len(pits)
        pits[pit] += 1
    captured = due.get(stores[state.player])
    if pits[pit] in (ODD if captured is None else {captured}):
        stores[state.player] += pits[pit]
        pits[pit] = 0
    return tuple(pits), tuple(stores)


RECORDED: dict[str, Played] = {
    "ako_okwe": Played(AKO_OKWE, explained=(first_captures({0: 3, 3: 1}),)),
    "ako_okwe__murray_observed": Played(AKO_OKWE, explained=(first_captures({0: 1}),)),
}
