"""Recorded games of Kisolo, in which a player captures before sowing: from own inner pits across from seeds.

Our rules have no captures before a lap. In the record each is a ply of its own, which ``with_captures_apart`` makes a
move from one pit to another; the boards that come of them are explained.
"""

from collections.abc import Sequence
from dataclasses import replace

from mancala_env import Ruleset, State
from mancala_env.rules import Goal, When, four_rows
from tests.recorded_games.records import Choice, Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

COLUMNS = 7
PITS = (*range(7), *range(13, 6, -1), *range(27, 20, -1), *range(14, 21))
INNER = {1: range(7, 14), 2: range(14, 21)}


def with_captures_apart(record: Record) -> Record:
    """The record, in which a capture is a move from the pit across, wherever the choice was among all that could be
    made."""
    return replace(record, games=tuple(replace(game, plies=tuple(_with_captures_apart(game))) for game in record.games))


def _with_captures_apart(game: Game) -> list[Ply]:
    plies, counts = list[Ply](), game.start
    for ply in game.plies:
        site = ply.chosen.source
        can = {each for each in INNER[ply.mover] if counts[each] and counts[_across(each)]}
        captures = ply.counts[site] == counts[site] > 0 and {choice.source for choice in ply.legal} == can
        if captures:
            legal = tuple(Choice(_across(each.source), each.source, "") for each in ply.legal)
            plies.append(ply._replace(legal=legal, chosen=Choice(_across(site), site, "")))
        else:
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
    choices = {Choice(PITS[state.rules.board.facing[pit]], PITS[pit], "") for pit in inner}
    _capture(state, pits, PITS.index(choice.target))
    return difference.choices == choices and tuple(pits) == difference.pits


def captures_before_a_lap(difference: Difference) -> bool:
    """Instead of lifting an inner pit across from seeds a turn captures, and goes on after the own outer pit."""
    action = difference.action
    return (
        difference.kind is Kind.BOARD and action is not None and _turn(difference.state, action)[0] == difference.pits
    )


def passes_after_a_capture(difference: Difference) -> bool:
    """Where the pit after the own outer pit of such a capture is empty, the turn ends with a pass."""
    state, last = difference.state, difference.last
    if difference.kind is not Kind.PASS or last is None or last[0].player != state.player:
        return False
    pits, is_captured = _turn(*last)
    return is_captured and pits == state.pits


def loses_the_outer_row(difference: Difference) -> bool:
    """A player whose outer row is empty has lost."""
    state = difference.state
    empty = [not any(state.pits[pit] for pit in home[:COLUMNS]) for home in state.rules.board.homes]
    return (
        difference.kind is Kind.END and difference.over and True in empty and difference.winner == 1 - empty.index(True)
    )


def _turn(state: State, action: int) -> tuple[tuple[int, ...], bool]:
    """The board after a turn in which such captures are made, and whether it ends with one."""
    pits, loop = [*state.pits], state.rules.board.loops[state.player]
    pit = state.pit(action) or 0
    for _ in range(state.rules.max_laps):
        place, hand, pits[pit] = loop.index(pit), pits[pit], 0
        for _ in range(hand):
            place = (place + 1) % len(loop)
            pits[loop[place]] += 1
        pit = loop[(place + 1) % len(loop)]
        if is_captured := _captures(state, pits, pit):
            pit = loop[(loop.index(_capture(state, pits, pit)) + 1) % len(loop)]
        if pits[pit] == 0:
            return tuple(pits), is_captured
    return tuple(pits), False


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


def _kisolo(setup: Sequence[int]) -> Played:
    return Played(
        Ruleset(
            name="kisolo",
            board=four_rows(COLUMNS),
            setup=tuple(setup) * 2,
            landing=(When(next="occupied").relay("next"),),
            goal=Goal.LAST_MOVER,
        ),
        stores=False,
        reads=with_captures_apart,
        explained=(captures_before_sowing, captures_before_a_lap, passes_after_a_capture, loses_the_outer_row),
    )


RECORDED: dict[str, Played] = {
    "kisolo": _kisolo((3,) * 7 + (0,) * 7),
    "kisolo__starting_position_1_observed": _kisolo((1, 0, 1, 0, 1, 0, 15, 0, 1, 0, 1, 0, 1, 0)),
    "kisolo__starting_position_2_observed": _kisolo((9, 0, 0, 0, 0, 0, 9, 0, 1, 0, 1, 0, 1, 0)),
}
