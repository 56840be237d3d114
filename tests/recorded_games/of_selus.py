"""Recorded games of Selus, of three rows, in which seeds pass over the threes of the opponent."""

from mancala_env import Barred, Ruleset, Skipping, State
from mancala_env.rules import When, three_rows_horn
from tests.recorded_games.of_three_rows import HORN
from tests.recorded_games.replay import Difference, Kind, Played

THREE, FOUR = 3, 4


def passes_over_what_held_three_before(difference: Difference) -> bool:
    """The program passes over pits that held three before the lap, ours over those that hold three at the time."""
    action = difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    return difference.pits == _passing_over(difference.state, action)


def _passing_over(state: State, action: int) -> tuple[int, ...]:
    """The board after a turn in which seeds pass over what held three before each lap."""
    pits, owner, loop = [*state.pits], state.owner, state.rules.board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        hand, pits[loop[place]] = pits[loop[place]], 0
        passed = {pit for pit, seeds in enumerate(pits) if seeds == THREE and owner[pit] != state.player}
        while hand > 0:
            place = (place + 1) % len(loop)
            if loop[place] not in passed:
                pits[loop[place]] += 1
                hand -= 1
        last = loop[place]
        if pits[last] == 1 or (pits[last] == FOUR and owner[last] != state.player):
            break
    return tuple(pits)


RECORDED: dict[str, Played] = {
    # the mark that a four of the opponent gets does not keep it from being played
    "selus": Played(
        Ruleset(
            name="selus_eritrea",
            board=three_rows_horn(6),
            seeds=3,
            skipping=Skipping(counts={THREE}, side="opponent"),
            barred=Barred(places={0, 1, 2}, counts={1, 2, 3}),
            landing=(When(side="opponent", count={FOUR}), When(was="occupied").relay()),
            goal="last_mover",
        ),
        pits=HORN,
        explained=(passes_over_what_held_three_before,),
    ),
}
