"""Recorded games of ``o_an_quan``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mancala_env import ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Difference, Kind, Played

HOUSES, HANDS = (0, 11), (12, 14)  # sites; beside a hand of seeds lies one of large pieces
LARGE, WORTH = 2, 10  # the kind of the large pieces, and what they count
MARKS = {11: 1, 0: 2}  # the player whose mark of ours a large piece is, by its house


def in_seeds(record: Record) -> Record:
    """The record with large pieces counted as seeds, and as marks of the houses where they lie; a player's value is the
    number of seeds in hand without them."""
    games = []
    for game in record.games:
        plies = [
            ply._replace(
                counts=_seeds(ply.counts, ply.piles),
                marks=_marks(ply.piles),
                values=tuple(ply.counts[hand] for hand in HANDS),
            )
            for ply in game.plies
        ]
        start = _seeds(game.start, dict.fromkeys(HOUSES, (LARGE,)))
        games.append(replace(game, start=start, marks=MARKS, plies=tuple(plies)))
    return replace(record, stores=HANDS, games=tuple(games))


def _seeds(counts: Sequence[int], piles: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    seeds = [*counts]
    for site in HOUSES:
        seeds[site] += (WORTH - 1) * list(piles.get(site, ())).count(LARGE)
    for hand in HANDS:
        seeds[hand] += WORTH * seeds[hand + 1]
        seeds[hand + 1] = 0
    return tuple(seeds)


def _marks(piles: Mapping[int, Sequence[int]]) -> dict[int, int]:
    return {site: player for site, player in MARKS.items() if LARGE in piles.get(site, ())}


@dataclass
class _End:
    """How a turn of the program ends: pits and stores, and whether it is a lap of many seeds that ends it."""

    pits: list[int]
    stores: list[int]
    is_long: bool = False
    is_laid_out: bool = False
    is_cleared: bool = False


def _as_the_program_plays(difference: Difference) -> _End | None:
    """The end of the recorded turn, as the program comes to it; None where there is no turn of ours."""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return None
    seeds, marks, size = [*state.pits, *state.stores], [*state.marks], len(state.pits)
    hands, homes = [*_in_hand(difference)], state.rules.board.homes
    lifted, is_long = 0, False
    for event in state.trace(action).events:
        if is_long:
            break
        if event.kind is EventKind.LIFT:
            lifted = event.seeds
        if event.kind is EventKind.TAKE and event.source is not None:
            hands[state.player] += event.seeds - (WORTH if marks[event.source] >= 0 else 0)
            marks[event.source] = -1
        event.happen(seeds)
        is_long = event.kind is EventKind.LAND and lifted >= size - 2
    end = _End(seeds[:size], seeds[size:], is_long)
    if max(marks) < 0:
        rows = [sum(end.pits[pit] for pit in homes[player]) for player in (0, 1)]
        left = (end.pits[size - 1], end.pits[size // 2 - 1])
        end.stores = [end.stores[player] + rows[player] + left[player] for player in (0, 1)]
        end.pits, end.is_cleared = [0] * size, True
        return end
    for player in (0, 1):
        if not any(end.pits[pit] for pit in homes[player]) and hands[player] >= len(homes[player]):
            end.is_laid_out = True
            end.stores[player] -= len(homes[player])
            for pit in homes[player]:
                end.pits[pit] = 1
    return end


def _in_hand(difference: Difference) -> tuple[int, ...]:
    """The seeds that each player has won, without the large pieces."""
    return difference.before.values if difference.before else (0, 0)


def _is_recorded(difference: Difference, end: _End) -> bool:
    return (tuple(end.pits), tuple(end.stores)) == (difference.pits, difference.stores)


def ends_with_a_long_lap(difference: Difference) -> bool:
    """The program ends a turn with a lap of ten seeds or more."""
    end = _as_the_program_plays(difference)
    return end is not None and end.is_long and _is_recorded(difference, end)


def lays_out_at_the_end_of_a_turn(difference: Difference) -> bool:
    """The program fills an empty row at the end of the turn, ours when its owner plays again, and where the owner has
    fewer than five seeds the owner passes."""
    state = difference.state
    if difference.kind is Kind.PASS:
        bare = not any(state.pits[pit] for pit in state.rules.board.homes[state.player])
        return bare and _in_hand(difference)[state.player] < len(state.rules.board.homes[state.player])
    end = _as_the_program_plays(difference)
    return end is not None and end.is_laid_out and _is_recorded(difference, end)


def ends_with_the_large_pieces(difference: Difference) -> bool:
    """The program ends the round when both large pieces are taken, and gives each player the row and the left house."""
    end = _as_the_program_plays(difference)
    return end is not None and end.is_cleared and _is_recorded(difference, end)


RECORDED: dict[str, Played] = {
    # the program takes one square, and its houses end every turn that comes to them
    "o_an_quan": Played(
        ruleset("o_an_quan", captures="one").changes(stops_at="any"),
        pits=(1, 2, 3, 4, 5, 11, 10, 9, 8, 7, 6, 0),
        rounds="first",
        reads=in_seeds,
        explained=(ends_with_a_long_lap, lays_out_at_the_end_of_a_turn, ends_with_the_large_pieces),
    ),
}
