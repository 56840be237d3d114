"""Recorded games of Papan Dakon, in which a lap that ends in own seeds may capture instead of being sown on.

Our rules have no such choice. So the record is read as one in which laps are always sown on, and the turns that ended
with a capture are explained (``captures_instead_of_sowing_on``).
"""

from dataclasses import replace

from mancala_env import ruleset
from mancala_env.rules import When
from mancala_env.trace import EventKind
from tests.recorded_games.records import Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

COLUMNS = 7


def without_the_choice(record: Record) -> Record:
    """The record, in which a lap that ends in own seeds across from seeds is sown on without a choice."""
    return replace(record, games=tuple(replace(game, plies=tuple(_without_the_choice(game))) for game in record.games))


def _without_the_choice(game: Game) -> list[Ply]:
    plies: list[Ply] = []
    for ply in game.plies:
        sites = [(choice.source, choice.target) for choice in ply.legal]
        across = sites[0][0] + COLUMNS * (1 if ply.mover == 1 else -1)
        if sites != [(sites[0][0], sites[0][0]), (sites[0][0], across)]:
            plies.append(ply)
        elif ply.chosen.kind == "lift":
            plies.append(ply._replace(legal=ply.legal[:1]))
        else:  # it belongs to the lap before, and ends the turn
            plies[-1] = plies[-1]._replace(counts=ply.counts, next=ply.next)
    return plies


def captures_instead_of_sowing_on(difference: Difference) -> bool:
    """With the last seed of a lap, which fell in own seeds, the player captured the pit across, and ended the turn."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds, board = [*state.pits, *state.stores], state.rules.board
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and event.clause is not None:
            last = event.source or 0
            pits, stores, across = seeds[:-2], seeds[-2:], board.facing[last]
            stores[state.player] += 1 + pits[across]
            pits[last], pits[across] = pits[last] - 1, 0
            if (tuple(pits), tuple(stores)) == (difference.pits, difference.stores):
                return last in board.homes[state.player]
        event.happen(seeds)
    return False


RECORDED: dict[str, Played] = {
    "papan_dakon": Played(
        ruleset("chungcajon").changes(name="papan_dakon", landing=(When(was="occupied").relay(),)),
        rounds="first",
        reads=without_the_choice,
        explained=(captures_instead_of_sowing_on,),
    ),
}
