"""Recorded games of ``o_an_quan``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mancala_env import ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Difference, Kind, Played

HOUSES, HANDS = (0, 11), (12, 14)  # sites; beside a hand of seeds lies one of large pieces
LARGE, WORTH = 2, 10  # the kind of the large pieces, and what they count
MARKS = {11: 1, 0: 2}  # the player whose mark of ours a large piece is, by its house


def in_seeds(record: Record) -> Record:
    """The record with large pieces counted as seeds, and as marks of the houses where they lie."""
    games = []
    for game in record.games:
        plies = [ply._replace(counts=_seeds(ply.counts, ply.piles), marks=_marks(ply.piles)) for ply in game.plies]
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


def ends_short_of_its_beginning(difference: Difference) -> bool:
    """The program ends a turn with a lap whose last seed falls one or two places before the pit that it began in."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds, lifted, size = [*state.pits, *state.stores], 0, len(state.pits)
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT:
            lifted = event.seeds
        event.happen(seeds)
        if event.kind is EventKind.LAND and lifted % size in (size - 2, size - 1):
            return (tuple(seeds[:-2]), tuple(seeds[-2:])) == (difference.pits, difference.stores)
    return False


def lays_out_at_the_end_of_a_turn(difference: Difference) -> bool:
    """The program fills an empty row at the end of the turn that empties it, ours when its owner plays again."""
    after = difference.after
    if difference.kind is not Kind.BOARD or after is None or difference.stores is None:
        return False
    pits, stores, homes = [*after.pits], [*after.stores], after.rules.board.homes
    empty = [player for player in (0, 1) if not any(pits[pit] for pit in homes[player])]
    for player in empty:
        stores[player] -= len(homes[player])
        for pit in homes[player]:
            pits[pit] = 1
    return bool(empty) and (tuple(pits), tuple(stores)) == (difference.pits, difference.stores)


def ends_with_the_large_pieces(difference: Difference) -> bool:
    """The program ends the round when both large pieces are taken, and gives each player the row and the left house."""
    after = difference.after
    if difference.kind is not Kind.BOARD or after is None or any(difference.pits):
        return False
    pits, half = after.pits, len(after.pits) // 2
    south = after.stores[0] + sum(pits[: half - 1]) + pits[-1]
    north = after.stores[1] + sum(pits[half:-1]) + pits[half - 1]
    return difference.stores == (south, north)


RECORDED: dict[str, Played] = {
    # the program takes one square, and its houses end every turn that comes to them
    "o_an_quan": Played(
        ruleset("o_an_quan", captures="one").changes(stops_at="any"),
        pits=(1, 2, 3, 4, 5, 11, 10, 9, 8, 7, 6, 0),
        rounds="first",
        reads=in_seeds,
        explained=(ends_short_of_its_beginning, lays_out_at_the_end_of_a_turn, ends_with_the_large_pieces),
    ),
}
