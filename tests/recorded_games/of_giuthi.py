"""Recorded games of the family ``giuthi``."""

from tests.recorded_games.replay import Difference, Kind, Played


def counts_ends_of_laps(difference: Difference) -> bool:
    """The program takes a turn to have been on the other side only if a lap has ended there."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds, passed, owner = [*state.pits, *state.stores], False, [*state.owner.tolist(), 0, 1]
    for event in state.trace(difference.action).events:
        event.happen(seeds)
        if event.kind == "sow" and owner[event.target or 0] != state.player:
            passed = True
        if event.kind == "land":
            if owner[event.target or 0] != state.player:
                return False
            asked = [clause.visited for clause in state.rules.landing[: (event.clause or 0) + 1]]
            if passed and (False in asked or asked[-1]):  # the clause applies to turns that have been there
                return difference.pits == tuple(seeds[:-2]) and difference.stores in (None, tuple(seeds[-2:]))
    return False


RECORDED = {
    "kiuthi": Played("kiuthi", rounds="first", explained=(counts_ends_of_laps,)),
    "uthi": Played("uthi", begins="turns", explained=(counts_ends_of_laps,)),
}
