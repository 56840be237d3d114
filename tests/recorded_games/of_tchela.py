"""Recorded games of Tchela, in which each player has an extra pit that a lap may take in, if it is empty, or leave out.

Our boards have no such pit. So the choice is left out of what is legal (``without_the_extra_pit``), and the turns in
which a seed was laid in it are explained.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mancala_env import State, ruleset
from mancala_env.rules import four_rows
from tests.recorded_games.records import Ply, Record
from tests.recorded_games.replay import Difference, Explanation, Kind, Played, allows

PITS = {  # the sites of our pits, by columns
    8: (
        *(0, 1, 2, 3, 16, 17, 18, 19, 23, 22, 21, 20, 7, 6, 5, 4),
        *(31, 30, 29, 28, 15, 14, 13, 12, 8, 9, 10, 11, 24, 25, 26, 27),
    ),
    6: (
        *(0, 1, 2, 12, 13, 14, 17, 16, 15, 5, 4, 3),
        *(23, 22, 21, 11, 10, 9, 6, 7, 8, 18, 19, 20),
    ),
}


def extra_pits(columns: int) -> tuple[int, int]:
    """The sites of South's and North's extra pit."""
    return 4 * columns, 4 * columns + 1


def without_the_extra_pit(record: Record) -> Record:
    """The record, in which a pit is one choice, whichever way it goes, and the extra pit only where it was played."""
    extra = extra_pits(8 if len(record.sites) > 4 * 8 else 6)
    games = [
        replace(game, plies=tuple(_without_the_extra_pit(ply, extra) for ply in game.plies)) for game in record.games
    ]
    return replace(record, games=tuple(games))


def _without_the_extra_pit(ply: Ply, extra: tuple[int, int]) -> Ply:
    chosen = ply.chosen._replace(label="")
    others = [choice._replace(label="") for choice in ply.legal if choice.source not in extra]
    return ply._replace(legal=tuple(dict.fromkeys([*others, chosen])), chosen=chosen)


@allows  # whether it is taken in, and when, is the player's choice
def lays_a_seed_in_the_extra_pit(difference: Difference) -> bool:
    """The player took the extra pit in, in which a seed of the lap then lies."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    return any(turn.leads_to(difference) for turn in _with_the_extra_pit(difference, difference.action))


@allows  # where the seed falls is not foretold
def plays_the_extra_pit(difference: Difference) -> bool:
    """The seed of the extra pit was played."""
    choice, extra = difference.choice, extra_pits(difference.state.rules.board.columns)
    return difference.kind in (Kind.LEGAL, Kind.END) and choice is not None and choice.source in extra


class _Turn(NamedTuple):
    """Pits and stores after a turn, and how often it passed the extra pit."""

    pits: tuple[int, ...]
    stores: tuple[int, ...]
    passes: int

    def leads_to(self, difference: Difference) -> bool:
        """Is that what is recorded?"""
        return (self.pits, self.stores) == (difference.pits, difference.stores)


def _with_the_extra_pit(difference: Difference, action: int) -> Iterator[_Turn]:
    """The turn in which a seed is laid in the extra pit when it is passed for the first time, for the second time, and
    so on."""
    passes, laid = 1, 0
    while laid < passes:
        turn = _turn(difference, action, laid)
        passes = turn.passes
        if laid < passes:
            yield turn
        laid += 1


def _turn(difference: Difference, action: int, laid: int | None) -> _Turn:
    """A turn in which a seed is laid in the extra pit after so many passes, or in none."""
    state, before = difference.state, difference.before
    board, loop, pits, stores = state.rules.board, state.rules.board.loops[state.player], [*state.pits], [*state.stores]
    place, passes = loop.index(state.pit(action) or 0), 0
    for _ in range(state.rules.max_laps):
        hand, pits[loop[place]] = pits[loop[place]], 0
        while hand > 0:
            if (place + 1) % len(loop) == 3 * board.columns // 2:  # the extra pit lies in the middle of the inner row
                hand -= passes == laid
                passes += 1
                if hand == 0:  # the last seed lies in the extra pit
                    return _Turn(tuple(pits), tuple(stores), passes)
            place = (place + 1) % len(loop)
            pits[loop[place]] += 1
            hand -= 1
        last = loop[place]
        if pits[last] == 1:
            sites = _across(state, last)
            taken = [PITS[board.columns].index(site) for site in sites if site in PITS[board.columns]]
            if not taken or pits[taken[0]] == 0:
                break
            extra = [site for site in sites if site in extra_pits(board.columns)]
            stores[state.player] += sum(pits[pit] for pit in taken)
            stores[state.player] += sum(before.counts[site] for site in extra) if before else 0
            for pit in taken:
                pits[pit] = 0
            break
    return _Turn(tuple(pits), tuple(stores), passes)


def _across(state: State, last: int) -> list[int]:
    """The sites that a last seed in this empty pit captures, if the first holds seeds; none in an outer pit.

    On six columns the program counts sites as on eight.
    """
    board = state.rules.board
    if board.facing[last] == last:
        return []
    sites = PITS[board.columns]
    if board.columns == 8:
        return [sites[board.facing[last]], sites[board.outer[last]]]
    return [sites[last] + step * (1 - 2 * state.player) for step in (4, 8)]


def captures_as_on_eight_columns(difference: Difference) -> bool:
    """The program takes pits as many sites ahead as on a board of eight columns, and so others than those across."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    return _turn(difference, difference.action, None).leads_to(difference)


def _tchela(columns: int, *explained: Explanation) -> Played:
    return Played(
        ruleset("bao_ki_arabu_zanzibar_2").changes(
            name="tchela", board=four_rows(columns), seeds=1, goal="seeds", stuck="end"
        ),
        begins=2 * columns + 2,  # in turn players play all pits but those just filled, and then a pair
        laid_out=True,
        pits=PITS[columns],
        reads=without_the_extra_pit,
        result="winner",  # seeds in the extra pits are not among our scores
        explained=(lays_a_seed_in_the_extra_pit, plays_the_extra_pit, *explained),
    )


RECORDED: dict[str, Played] = {
    "tchela": _tchela(8),
    "tchela__4x6_board_observed": _tchela(6, captures_as_on_eight_columns),
}
