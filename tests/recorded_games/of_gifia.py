"""Recorded games of Gifia, of two rows of which each player owns the left, or the right, half.

They are played on two rows of which each player owns one, as the halves are rows of four on the loop.
"""

from mancala_env import Ruleset, State
from mancala_env.rules import Direction, Stuck, When, two_rows
from tests.recorded_games.replay import Difference, Kind, Played

PITS = (6, 5, 1, 2, 3, 4, 8, 7)  # the left half, and then the right one, in sowing order
BESIDE = {1: (2,), 2: (1, 3), 3: (2, 4), 4: (3,), 5: (6,), 6: (5, 7), 7: (6, 8), 8: (7,)}  # sites of the same row
TAKEN = frozenset({2, 4})


def takes_pits_beside(difference: Difference) -> bool:
    """A capture takes the pits beside it as well, in the rows of the board, that hold two or four.

    The round ends, and each player wins the own seeds, when neither has two.
    """
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    pits, stores = _taking_pits_beside(state, action)
    south, north = sum(pits[:4]), sum(pits[4:])
    if max(south, north) <= 1:
        pits, stores = [0] * len(pits), [stores[0] + south, stores[1] + north]
    return (tuple(pits), tuple(stores)) == (difference.pits, difference.stores)


def _taking_pits_beside(state: State, action: int) -> tuple[list[int], list[int]]:
    pits, stores, pit = [*state.pits], [*state.stores], state.pit(action) or 0
    step = -1 if state.direction(action) == 1 else 1
    hand, pits[pit] = pits[pit], 0
    for _ in range(hand):
        pit = (pit + step) % len(pits)
        pits[pit] += 1
    if pits[pit] in TAKEN:
        for taken in (pit, *(PITS.index(site) for site in BESIDE[PITS[pit]])):
            if pits[taken] in TAKEN:
                stores[state.player] += pits[taken]
                pits[taken] = 0
    return pits, stores


RECORDED: dict[str, Played] = {
    "gifia": Played(
        Ruleset(
            name="gifia",
            board=two_rows(4),
            seeds=6,
            direction=Direction.CHOICE,
            landing=(When(count=TAKEN).capture("here"),),
            stuck=Stuck.PASS,
        ),
        pits=PITS,
        rounds="first",
        explained=(takes_pits_beside,),
    ),
}
