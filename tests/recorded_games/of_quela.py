"""Recorded games of Quela, a kin of Tsoro that begins with small pits."""

from dataclasses import replace

from mancala_env import State, ruleset
from tests.recorded_games.records import Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

STORES = (24, 25)  # sites
SMALL = 2  # the most seeds of a pit that is played before a player has lost
LOSS = 2  # so many seeds
LARGEST = ("South played a largest pit", "North played a largest pit")  # what is kept after each ply


def with_largest_pits(record: Record) -> Record:
    """The record, which keeps after each ply whether a player has had a turn since two seeds were lost."""
    return replace(record, games=tuple(replace(game, plies=tuple(_with_largest_pits(game))) for game in record.games))


def _with_largest_pits(game: Game) -> list[Ply]:
    plies, counts, had = list[Ply](), game.start, dict.fromkeys(LARGEST, 0)
    for ply in game.plies:
        lost = counts[STORES[2 - ply.mover]] >= LOSS
        had = had | ({LARGEST[ply.mover - 1]: 1} if lost else {})
        plies.append(ply._replace(variables=had))
        counts = ply.counts
    return plies


def begins_with_small_pits(difference: Difference) -> bool:
    """In the program a player plays pits of one and two seeds until two seeds are lost, and then once a largest one."""
    state, before = difference.state, difference.before
    has_lost = state.stores[1 - state.player] >= LOSS
    if difference.kind is not Kind.LEGAL or (has_lost and (before is None or before.variables[LARGEST[state.player]])):
        return False
    return difference.legal == (_largest(state) if has_lost else _small(state))


def _small(state: State) -> set[int]:
    return {action for action in state.legal_actions if state.pits[state.pit(action) or 0] <= SMALL}


def _largest(state: State) -> set[int]:
    held = {action: state.pits[state.pit(action) or 0] for action in state.legal_actions}
    return {action for action, seeds in held.items() if seeds == max(held.values())}


RECORDED: dict[str, Played] = {
    "quela": Played(
        ruleset("nchuwa").changes(name="quela", setup=(2,) * 24),
        begins="lift",
        reads=with_largest_pits,
        explained=(begins_with_small_pits,),
    ),
}
