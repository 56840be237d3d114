"""Recorded games of Mbelele: two bent loops of eighteen pits, each of which faces one of the opponent's.

They are played on four rows of nine, where the pits of the inner row face each other; captures from the others are
explained.
"""

from dataclasses import replace

from mancala_env import Ruleset, State
from mancala_env.rules import Direction, Goal, Stuck, When, four_rows
from tests.recorded_games.records import Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

PITS = (
    *(10, 11, 31, 32, 35, 25, 26, 24, 0, *range(1, 10)),
    *(12, 28, 27, 29, 34, 33, 30, 23, 22, *range(21, 12, -1)),
)
ACROSS = {site: site + 12 for site in range(12)} | {24: 30, 25: 27, 26: 28, 31: 33, 32: 34, 35: 29}
ACROSS |= {there: here for here, there in ACROSS.items()}
CLOCKWISE = "clockwise"  # the number kept after each ply: did the last turn begin so, with two seeds or more?


def with_beginnings(record: Record) -> Record:
    """The record, which keeps after each ply whether the last turn began clockwise with two seeds or more."""
    return replace(record, games=tuple(replace(game, plies=tuple(_with_beginnings(game))) for game in record.games))


def _with_beginnings(game: Game) -> list[Ply]:
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


def captures_on_all_sides(difference: Difference) -> bool:
    """Each pit of the loops faces one of the opponent's, also those that lie in our outer rows."""
    action = difference.action
    return difference.kind is Kind.BOARD and action is not None and _turn(difference.state, action) == difference.pits


def _turn(state: State, action: int) -> tuple[int, ...]:
    """The board after a turn, in which an empty pit captures what it faces."""
    pits, loop = [*state.pits], state.rules.board.loops[state.player]
    place, step = loop.index(state.pit(action) or 0), -1 if state.direction(action) == 1 else 1
    for _ in range(state.rules.max_laps):
        hand, pits[loop[place]] = pits[loop[place]], 0
        for _ in range(hand):
            place = (place + step) % len(loop)
            pits[loop[place]] += 1
        if pits[loop[place]] == 1:
            pits[PITS.index(ACROSS[PITS[loop[place]]])] = 0
            break
    return tuple(pits)


RECORDED: dict[str, Played] = {
    "mbelele": Played(
        Ruleset(
            name="mbelele",
            board=four_rows(9),
            seeds=3,
            direction=Direction.CHOICE,
            landing=(When(was="occupied").relay(), When(facing="occupied").capture("facing")),
            goal=Goal.OUTLAST,
            stuck=Stuck.PASS,
        ),
        pits=PITS,
        stores=False,
        reads=with_beginnings,
        explained=(plays_single_seeds, captures_on_all_sides),
    ),
}
