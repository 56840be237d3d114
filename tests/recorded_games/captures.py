"""Captures that recorded programs make in another way: each explanation comes to the recorded board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mancala_env import State
from mancala_env.trace import EventKind
from tests.recorded_games.explained import comes_to, is_recorded, lift, sow, told, way
from tests.recorded_games.records import Choice, Game, Ply, Record, in_each_game
from tests.recorded_games.replay import Difference, Kind


def takes_the_last_eight(difference: Difference) -> bool:
    """With eight seeds or fewer on the board the program lets a capture take them all."""
    state, after = difference.state, difference.after
    if difference.kind is not Kind.BOARD or after is None or sum(state.pits) > 8 or any(difference.pits):
        return False
    all_of_it = [*state.stores]
    all_of_it[state.player] += sum(state.pits)
    return after.stores != state.stores and tuple(all_of_it) == difference.stores


def chains_back_to_the_next_pit_at_most(difference: Difference) -> bool:
    """After a lap of more than a round the program's chain goes back to the pit after the one that was played."""
    origin = difference.state.pit(difference.action) if difference.action is not None else None
    for event, seeds in told(difference):
        if event.kind is EventKind.TAKE and event.source == origin and difference.state.pits[origin] % len(seeds[:-2]):
            return is_recorded(difference, seeds)
    return False


def chains_no_further_than_the_pit_across(difference: Difference) -> bool:
    """The pit across comes before the last one, and the program, which has just emptied it, ends the chain there."""
    last, size = 0, len(difference.state.pits)
    for event, seeds in told(difference):
        if event.kind is EventKind.LAND:
            last = event.target or 0
        across = difference.state.rules.board.facing[last]
        if event.kind is EventKind.TAKE and event.source not in (last, across) and (last - across) % size == 1:
            return is_recorded(difference, seeds)
    return False


def chains_over_empty_pits(difference: Difference) -> bool:
    """The program counts nought as an even number, so that its chains go on over empty pits, up to a seventh pit."""
    state = difference.state
    for event, seeds in told(difference):
        if event.kind is EventKind.TAKE:
            pits, stores, at = seeds[:-2], seeds[-2:], event.source or 0
            for _ in range(7):
                if pits[at] % 2:
                    break
                stores[state.player] += lift(pits, at)
                at = (at + way(state, difference.action or 0)) % len(pits)
            return is_recorded(difference, [*pits, *stores])
    return False


@comes_to
def takes_from_outer_pits(state: State, action: int) -> list[int] | None:
    """A lap ended in an empty outer pit, where the program captures as well: own seeds, or those across."""
    after, board = state.play(action), state.rules.board
    ends = [event for event in state.trace(action).events if event.kind is EventKind.LAND]
    end = ends[-1].target if ends else None
    if end is None or board.outer[end] != end or after.pits[end] != 1:
        return None
    pits, stores, half = [*after.pits], [*after.stores], board.pits // 2
    inner = end // half * half + half - 1 - end % half  # of the same column
    takes = state.rules.landing[-1].takes
    for pit in (inner, board.facing[inner])[: len(takes)] if pits[inner] else ():
        stores[state.player] += lift(pits, pit)
    return [*pits, *stores]


# Ako Okwe, in which the first captures must be of a set size: what is due to a player with so many seeds in the store.

ODD = frozenset({1, 3, 5, 7, 9})
DUE: Mapping[str, Mapping[int, int]] = {"ako_okwe": {0: 3, 3: 1}, "ako_okwe_murray": {0: 1}}


@comes_to
def captures_only_what_is_due(state: State, action: int) -> list[int]:
    """The first captures of a player must be of set sizes; and a lone seed that stays may be one."""
    pits, stores, pit = [*state.pits], [*state.stores], state.pit(action) or 0
    hand, pits[pit] = pits[pit] - 1, 1
    pit = sow(pits, range(len(pits)), pit, hand, way(state, action))
    captured = DUE[state.rules.name].get(stores[state.player])
    if pits[pit] in (ODD if captured is None else {captured}):
        stores[state.player] += lift(pits, pit)
    return [*pits, *stores]


# Gifia, of two rows of which each player owns the left, or the right, half. It is played on two rows of which each
# player owns one, as the halves are rows of four on the loop.

GIFIA = (6, 5, 1, 2, 3, 4, 8, 7)  # sites: the left half, and then the right one, in sowing order
BESIDE = {1: (2,), 2: (1, 3), 3: (2, 4), 4: (3,), 5: (6,), 6: (5, 7), 7: (6, 8), 8: (7,)}  # sites of the same row
TAKEN = frozenset({2, 4})


@comes_to
def takes_pits_beside(state: State, action: int) -> list[int]:
    """A capture takes the pits beside it as well, in the rows of the board, that hold two or four.

    The round ends, and each player wins the own seeds, when neither has two.
    """
    pits, stores, pit = [*state.pits], [*state.stores], state.pit(action) or 0
    pit = sow(pits, range(len(pits)), pit, lift(pits, pit), way(state, action))
    if pits[pit] in TAKEN:
        for taken in (pit, *(GIFIA.index(site) for site in BESIDE[GIFIA[pit]])):
            if pits[taken] in TAKEN:
                stores[state.player] += lift(pits, taken)
    south, north = sum(pits[:4]), sum(pits[4:])
    if max(south, north) <= 1:
        return [*[0] * len(pits), stores[0] + south, stores[1] + north]
    return [*pits, *stores]


# Four rows.


def _column_across(state: State, last: int) -> tuple[bool, int, int]:
    """Is a pit one of the outer row, and which pits of the opponent are in its column: the inner and the outer one."""
    board, loop = state.rules.board, state.rules.board.loops[state.player]
    is_outer = board.facing[last] == last
    inner = loop[len(loop) - 1 - loop.index(last)] if is_outer else last
    return is_outer, board.facing[inner], board.outer[inner]


@comes_to
def captures_in_another_way(state: State, action: int) -> list[int]:
    """The program captures from the outer row, too; and seeds of an inner pit join the last one if more are sown.

    From the outer row both pits of the column across are sown on. From the inner row only the outer one of them, and
    the seeds of the inner one stay with the last seed; where the outer one is empty, they are sown.
    """
    pits, loop = [*state.pits], state.rules.board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        place = sow(pits, loop, place, lift(pits, loop[place]))
        last = loop[place]
        if pits[last] == 1:
            break
        is_outer, across, outer = _column_across(state, last)
        if pits[across] == 0:
            continue
        if not is_outer and pits[outer] > 0:
            pits[last] += lift(pits, across)
        sow(pits, loop, place, lift(pits, across) + lift(pits, outer))
        break
    return pits


@comes_to
def captures_from_the_outer_row(state: State, action: int) -> list[int]:
    """The program captures from the outer row, too, both pits of the column across, if the inner one holds seeds."""
    pits, loop = [*state.pits], state.rules.board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        start = place
        place = sow(pits, loop, place, lift(pits, loop[place]))
        _, across, outer = _column_across(state, loop[place])
        if pits[loop[place]] == 1:
            break
        if pits[across] > 0:
            sow(pits, loop, start, lift(pits, across) + lift(pits, outer))
            break
    return pits


# Mbelele: two bent loops of eighteen pits, each of which faces one of the opponent's. It is played on four rows of
# nine, where the pits of the inner row face each other.

MBELELE = (
    *(10, 11, 31, 32, 35, 25, 26, 24, 0, *range(1, 10)),
    *(12, 28, 27, 29, 34, 33, 30, 23, 22, *range(21, 12, -1)),
)
ACROSS = {site: site + 12 for site in range(12)} | {24: 30, 25: 27, 26: 28, 31: 33, 32: 34, 35: 29}
ACROSS |= {there: here for here, there in ACROSS.items()}
CLOCKWISE = "clockwise"  # the number kept after each ply: did the last turn begin so, with two seeds or more?


@in_each_game
def with_beginnings(game: Game) -> list[Ply]:
    """Keep after each ply whether the last turn began clockwise with two seeds or more."""
    plies, counts, clockwise = list[Ply](), game.start, False
    for ply in game.plies:
        if ply.chosen.label:  # a turn begins
            clockwise = ply.chosen.label == "TrackCW" and counts[ply.chosen.source] > 1
        plies.append(ply._replace(variables={CLOCKWISE: clockwise}))
        counts = ply.counts
    return plies


def plays_single_seeds(difference: Difference) -> bool:
    """After a turn that began clockwise with two seeds or more, the program lets players play single seeds only."""
    state = difference.state
    single = {action for action in state.legal_actions if state.pits[state.pit(action) or 0] == 1}
    if difference.before is None or not difference.before.variables[CLOCKWISE]:
        return False
    if difference.kind is Kind.PASS:
        return not single
    return difference.kind is Kind.LEGAL and difference.legal == single


@comes_to
def captures_on_all_sides(state: State, action: int) -> list[int]:
    """Each pit of the loops faces one of the opponent's, also those that lie in our outer rows."""
    pits, loop = [*state.pits], state.rules.board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        place = sow(pits, loop, place, lift(pits, loop[place]), way(state, action))
        if pits[loop[place]] == 1:
            pits[MBELELE.index(ACROSS[MBELELE[loop[place]]])] = 0
            break
    return pits


# Kisolo, in which a player captures before sowing, from own inner pits across from seeds. In the record each capture is
# a ply of its own, which is made a move from one pit to another; the boards that come of them are explained.

COLUMNS = 7
KISOLO = (*range(7), *range(13, 6, -1), *range(27, 20, -1), *range(14, 21))
INNER = {1: range(7, 14), 2: range(14, 21)}


@in_each_game
def with_captures_apart(game: Game) -> list[Ply]:
    """Make a capture a move from the pit across, wherever the choice was among all that could be made."""
    plies, counts = list[Ply](), game.start
    for ply in game.plies:
        site = ply.chosen.source
        can = {each for each in INNER[ply.mover] if counts[each] and counts[_across(each)]}
        if ply.counts[site] == counts[site] > 0 and {choice.source for choice in ply.legal} == can:
            legal = tuple(Choice(_across(each.source), each.source, "") for each in ply.legal)
            ply = ply._replace(legal=legal, chosen=Choice(_across(site), site, ""))  # noqa: PLW2901
        plies.append(ply)
        counts = ply.counts
    return plies


def _across(site: int) -> int:
    """The opponent's inner pit of the column."""
    return site + COLUMNS if site in INNER[1] else site - COLUMNS


def captures_before_sowing(difference: Difference) -> bool:
    """While own inner pits lie across from seeds, the player takes a seed of each pit there into the own outer pit."""
    state, choice, pits = difference.state, difference.choice, [*difference.state.pits]
    if difference.kind is not Kind.LEGAL or choice is None or choice.kind != "place":
        return False
    inner = [pit for pit in state.rules.board.homes[state.player] if _captures(state, pits, pit)]
    choices = {Choice(KISOLO[state.rules.board.facing[pit]], KISOLO[pit], "") for pit in inner}
    _capture(state, pits, KISOLO.index(choice.target))
    return difference.choices == choices and tuple(pits) == difference.pits


@comes_to
def captures_before_a_lap(state: State, action: int) -> list[int]:
    """Instead of lifting an inner pit across from seeds a turn captures, and goes on after the own outer pit."""
    return _capturing_before_laps(state, action)[0]


def passes_after_a_capture(difference: Difference) -> bool:
    """Where the pit after the own outer pit of such a capture is empty, the turn ends with a pass."""
    state, last = difference.state, difference.last
    if difference.kind is not Kind.PASS or last is None or last[0].player != state.player:
        return False
    pits, is_captured = _capturing_before_laps(*last)
    return is_captured and tuple(pits) == state.pits


def loses_the_outer_row(difference: Difference) -> bool:
    """A player whose outer row is empty has lost."""
    state = difference.state
    empty = [not any(state.pits[pit] for pit in home[:COLUMNS]) for home in state.rules.board.homes]
    lost = True in empty and difference.winner == 1 - empty.index(True)
    return difference.kind is Kind.END and difference.over and lost


def _capturing_before_laps(state: State, action: int) -> tuple[list[int], bool]:
    """The board after a turn in which such captures are made, and whether it ends with one."""
    pits, loop = [*state.pits], state.rules.board.loops[state.player]
    pit = state.pit(action) or 0
    for _ in range(state.rules.max_laps):
        place = sow(pits, loop, loop.index(pit), lift(pits, pit))
        pit = loop[(place + 1) % len(loop)]
        if is_captured := _captures(state, pits, pit):
            pit = loop[(loop.index(_capture(state, pits, pit)) + 1) % len(loop)]
        if pits[pit] == 0:
            return pits, is_captured
    return pits, False


def _captures(state: State, pits: Sequence[int], pit: int) -> bool:
    """Does an own inner pit hold seeds, and lie across from seeds?"""
    across = state.rules.board.facing[pit]
    return across != pit and pits[pit] > 0 and pits[across] > 0


def _capture(state: State, pits: list[int], pit: int) -> int:
    """Take a seed from each pit across from an inner one, and return the own outer pit where they are laid."""
    board, loop = state.rules.board, state.rules.board.loops[state.player]
    outer = loop[len(loop) - 1 - loop.index(pit)]
    for across in (board.facing[pit], board.outer[pit]):
        if pits[across] > 0:
            pits[across] -= 1
            pits[outer] += 1
    return outer


# O An Quan, whose large pieces are counted as seeds.

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
                marks={site: player for site, player in MARKS.items() if LARGE in ply.piles.get(site, ())},
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
        seeds[hand] += WORTH * lift(seeds, hand + 1)
    return tuple(seeds)


@dataclass
class _End:
    """How a turn of the program ends, and by which of its readings: is it one of a long lap, for example?"""

    seeds: list[int]
    is_long: bool = False
    is_laid_out: bool = False
    is_cleared: bool = False


def _as_o_an_quan_ends(difference: Difference) -> _End:
    """The end of the recorded turn, if it is as the program comes to it; else one of no reading."""
    state = difference.state
    marks, size, homes = [*state.marks], len(state.pits), state.rules.board.homes
    hands = [*_in_hand(difference)]
    end, lifted = _End([*state.pits, *state.stores]), 0
    for event, before in told(difference):
        if event.kind is EventKind.LIFT:
            lifted = event.seeds
        if event.kind is EventKind.TAKE and event.source is not None:
            hands[state.player] += event.seeds - (WORTH if marks[event.source] >= 0 else 0)
            marks[event.source] = -1
        end.seeds = [*before]
        event.happen(end.seeds)
        end.is_long = event.kind is EventKind.LAND and lifted >= size - 2
        if end.is_long:
            break
    for player in (0, 1):
        store, home = size + player, homes[player]
        if max(marks) < 0:
            left = size - 1 if player == 0 else size // 2 - 1  # the house
            end.seeds[store] += sum(lift(end.seeds, pit) for pit in (*home, left))
            end.is_cleared = True
        elif not any(end.seeds[pit] for pit in home) and hands[player] >= len(home):
            end.is_laid_out = True
            end.seeds[store] -= len(home)
            for pit in home:
                end.seeds[pit] = 1
    is_turn = difference.kind is Kind.BOARD and difference.action is not None
    return end if is_turn and is_recorded(difference, end.seeds) else _End([])


def _in_hand(difference: Difference) -> tuple[int, ...]:
    """The seeds that each player has won, without the large pieces."""
    return difference.before.values if difference.before else (0, 0)


def ends_with_a_long_lap(difference: Difference) -> bool:
    """The program ends a turn with a lap of ten seeds or more."""
    return _as_o_an_quan_ends(difference).is_long


def lays_out_at_the_end_of_a_turn(difference: Difference) -> bool:
    """The program fills an empty row at the end of the turn, ours when its owner plays again, and where the owner has
    fewer than five seeds the owner passes."""
    state = difference.state
    if difference.kind is Kind.PASS:
        home = state.rules.board.homes[state.player]
        return not any(state.pits[pit] for pit in home) and _in_hand(difference)[state.player] < len(home)
    return _as_o_an_quan_ends(difference).is_laid_out


def ends_with_the_large_pieces(difference: Difference) -> bool:
    """The program ends the round when both large pieces are taken, and gives each player the row and the left house."""
    return _as_o_an_quan_ends(difference).is_cleared
