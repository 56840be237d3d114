"""Recorded games of the family ``gaps``."""

from tests.recorded_games.replay import Difference, Kind, Played


def ends_within_a_turn(difference: Difference) -> bool:
    """The program ends the round as soon as either side has nothing to lift, even between two laps of a turn."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None or any(difference.pits):
        return False
    seeds, least = [*state.pits, *state.stores], state.rules.min_start
    for event in state.trace(difference.action).events:
        if event.kind == "lift" and event.clause is not None:
            sides = [
                [seeds[pit] for pit, owner in enumerate(state.owner.tolist()) if owner == player] for player in (0, 1)
            ]
            stuck = any(max(side) < least for side in sides)
            totals = tuple(store + sum(side) for store, side in zip(seeds[-2:], sides, strict=True))
            if stuck:
                return totals == difference.stores
        event.happen(seeds)
    return False


RECORDED = {
    "dongjintian": Played("dongjintian"),
    "walak_pussa": Played("walak_pussa", rounds="first", explained=(ends_within_a_turn,)),
}
