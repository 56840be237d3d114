"""Recorded games of I Pere, in which a player once has to sow the own store, when it is full enough.

The last pit of each row is a store, into which both players sow.
"""

from dataclasses import replace

from mancala_env import Ruleset
from mancala_env.rules import Leftover, Store, When, two_rows
from tests.recorded_games.records import Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

STORES = (4, 5)  # sites
SOWN = ("South's store has been sown", "North's store has been sown")  # what is kept after each ply
FULL = 13
TAKEN = frozenset({2, 3})


def with_stores_on_the_board(record: Record) -> Record:
    """The record, with the stores where the seeds lie that players win, which keeps whether they have been sown."""
    games = tuple(replace(game, plies=tuple(_with_sown_stores(game))) for game in record.games)
    return replace(record, stores=STORES, games=games)


def _with_sown_stores(game: Game) -> list[Ply]:
    plies, sown = list[Ply](), dict.fromkeys(SOWN, 0)
    for ply in game.plies:
        if ply.chosen.kind == "lift" and ply.chosen.source in STORES:
            sown = sown | {SOWN[ply.mover - 1]: 1}
        plies.append(ply._replace(variables=sown))
    return plies


def sows_the_store(difference: Difference) -> bool:
    """Once in the game a player with thirteen seeds in the store has to sow them, and takes all twos and threes across.

    They fall in pits only, from the first after the store on.
    """
    state, choice, recorded = difference.state, difference.choice, difference.stores
    player, size = state.player, len(state.pits)
    if difference.kind is not Kind.LEGAL or choice is None or choice.source != STORES[player]:
        return False
    if difference.choices != {choice} or difference.before is None or difference.before.variables[SOWN[player]]:
        return False
    pits, stores, home = [*state.pits], [*state.stores], state.rules.board.homes[player]
    for step in range(stores[player]):
        pits[(home[-1] + 1 + step) % size] += 1
    stores[player] = 0
    for pit in state.rules.board.homes[1 - player]:
        if pits[pit] in TAKEN:
            stores[player] += pits[pit]
            pits[pit] = 0
    return state.stores[player] >= FULL and (tuple(pits), tuple(stores)) == (difference.pits, recorded)


RECORDED: dict[str, Played] = {
    "i_pere": Played(
        Ruleset(
            name="i_pere",
            board=two_rows(4),
            setup=(4, 4, 4, 0) * 2,
            setup_stores=(8, 8),
            store=Store.BOTH,
            landing=(When(count=TAKEN).capture("here"),),
            leftover=Leftover.NONE,
        ),
        begins=2,  # each lays a pit in the store
        pits=(0, 1, 2, 3, 9, 8, 7, 6),
        reads=with_stores_on_the_board,
        explained=(sows_the_store,),
    ),
}
