"""How records are read that say in another way what our games have, or begin before ours; by name in ``games.toml``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps

from mancala_env import State
from tests.recorded_games.places import Places, pit_and_direction
from tests.recorded_games.records import Choice, Game, Ply, Record

HORN = (0, 1, 2, 3, 4, 5, 11, 10, 9, 17, 16, 15, 14, 13, 12, 6, 7, 8)  # sites of pits of three rows


def after_first_moves(game: Game) -> int:
    """The plies until each player has lifted a pit, which is a set one, in a lap that captures nothing."""
    lifts = [at for at, ply in enumerate(game.plies, 1) if ply.chosen.kind == "lift"]
    return lifts[1] if len(lifts) > 1 else len(game.plies)


def after_first_turns(game: Game) -> int:
    """The plies of an opening in which players take pits of the opponent at will, and then each makes one turn."""
    plies, at = game.plies, 0
    while at < len(plies) and plies[at].chosen.kind != "lift":
        at += 1
    for _ in ("the first player", "the second"):
        mover = plies[at].mover if at < len(plies) else 0
        while at < len(plies) and plies[at].mover == mover:
            at += 1
    return at


def after_both_distributions(game: Game) -> int:
    """The plies of an opening in which each player lays two pits out at will: until both have done so."""
    return next((at for at, ply in enumerate(game.plies, 1) if ply.values == (1, 1)), len(game.plies))


def picked_into_the_hand(board: Places, state: State, choice: Choice) -> int:
    """The action for a choice; a pit is picked by moving its seeds into the hand."""
    if choice.kind == "place" and choice.source in board.pits:
        return state.rules.action(state.player, board.pits.index(choice.source))
    return pit_and_direction(board, state, choice)


def or_stops(places: Places, state: State, choice: Choice) -> int:
    """Sow the chosen site; or where a turn may stop, which is recorded as a pass, go on from it or stop."""
    if state.pending is None or state.pending.kind != "go_on":
        return pit_and_direction(places, state, choice)
    return state.legal_actions[-1 if choice.kind == "pass" else 0]


def _with_marks(marks: Callable[[Ply], Mapping[int, int]]) -> Callable[[Record], Record]:
    """What reads a record with these marks after each ply."""

    @wraps(marks)
    def read(record: Record) -> Record:
        games = [
            replace(game, plies=tuple(ply._replace(marks=marks(ply)) for ply in game.plies)) for game in record.games
        ]
        return replace(record, games=tuple(games))

    return read


@_with_marks
def marks_from_lists(ply: Ply) -> dict[int, int]:
    """Make marks of the lists of the pits of each player."""
    lists = {player: ply.remembered.get(f"CapturedP{player}", ()) for player in (1, 2)}
    return {site: player for player, sites in lists.items() for site in sites}


@_with_marks
def marks_from_values(ply: Ply) -> dict[int, int]:
    """Make marks of the sites that the values of players name."""
    return {site: player for player, site in enumerate(ply.values, 1) if site >= 0}


HOUSES, HANDS = (0, 11), (12, 14)  # sites of O An Quan; beside a hand of seeds lies one of large pieces
LARGE, WORTH = 2, 10  # the kind of the large pieces, and what they count
MARKS = {11: 1, 0: 2}  # the player whose mark of ours a large piece is, by its house


def in_seeds(record: Record) -> Record:
    """The record with large pieces counted as seeds, and as marks of the houses where they lie."""
    games = []
    for game in record.games:
        plies = tuple(
            ply._replace(
                counts=_seeds(ply.counts, ply.piles),
                marks={site: player for site, player in MARKS.items() if LARGE in ply.piles.get(site, ())},
            )
            for ply in game.plies
        )
        start = _seeds(game.start, dict.fromkeys(HOUSES, (LARGE,)))
        games.append(replace(game, start=start, marks=MARKS, plies=plies))
    return replace(record, stores=HANDS, games=tuple(games))


def _seeds(counts: Sequence[int], piles: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    seeds = [*counts]
    for site in HOUSES:
        seeds[site] += (WORTH - 1) * list(piles.get(site, ())).count(LARGE)
    for hand in HANDS:
        seeds[hand] += WORTH * seeds[hand + 1]
        seeds[hand + 1] = 0
    return tuple(seeds)
