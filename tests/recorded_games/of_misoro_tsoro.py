"""Recorded games of Misoro Tsoro in which the players first choose their special pits.

Our game has special pits in set places. So these records are played as Tsoro, where no turn may stop, and the choice to
stop is looked at here: ``with_forced_laps`` makes a lap from a special pit of the mover one without a choice, and
``stops_at_a_special_pit`` explains the turns that were stopped.
"""

from collections.abc import Sequence
from dataclasses import replace

from mancala_env.trace import EventKind
from tests.recorded_games.places import Places
from tests.recorded_games.records import Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played, allows

SPECIAL = 2  # pits of each player
DUE = "ExtraCapture"  # the number that the program keeps of picks that are still to be made


def with_forced_laps(record: Record) -> Record:
    """The record, without the choice to stop wherever a lap begins in a special pit of the mover, and only there."""
    return replace(record, games=tuple(replace(game, plies=tuple(_forced(game))) for game in record.games))


def _forced(game: Game) -> list[Ply]:
    plies: list[Ply] = []
    for before, ply in zip((None, *game.plies), game.plies, strict=False):
        lifts = [choice for choice in ply.legal if choice.kind == "lift"]
        stops = len(lifts) == 1 and sorted(choice.kind for choice in ply.legal) == ["lift", "pass"]
        if before is None or not stops or ply.marks.get(lifts[0].source) != ply.mover:
            plies.append(ply)
        elif ply.chosen.kind == "lift":
            plies.append(ply._replace(legal=tuple(lifts)))
        else:
            plies[-1] = plies[-1]._replace(next=ply.next)  # the turn ends with the lap before
    return plies


def with_numbered_picks(record: Record) -> Record:
    """The same, and each pick has as ``values`` how many this player makes from there on."""
    forced = with_forced_laps(record)
    return replace(forced, games=tuple(replace(game, plies=tuple(_numbered(game))) for game in forced.games))


def _numbered(game: Game) -> list[Ply]:
    plies, left = [], 0
    for ply in reversed(game.plies):
        left = (left + 1 if plies and plies[-1].mover == ply.mover else 1) if _picks(ply) else 0
        plies.append(ply._replace(values=(left, left)))
    return plies[::-1]


def _picks(ply: Ply) -> bool:
    """Does the player take a pit of the opponent, in whose half of the board it lies?"""
    half = len(ply.counts) // 2
    return ply.chosen.kind == "lift" and (ply.chosen.source < half) == (ply.mover == 2)


def picks_due(places: Places, before: Sequence[int], ply: Ply) -> tuple[str, int] | None:
    """The picks that are left, as ``with_numbered_picks`` counts them."""
    return ("pick", ply.values[0]) if ply.values[0] else None


@allows  # at which of them is the player's choice
def stops_at_a_special_pit(difference: Difference) -> bool:
    """The player stopped with a lap that ended in one of the special pits that this player had chosen."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds = [*state.pits, *state.stores]
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and event.clause is not None and tuple(seeds[:-2]) == difference.pits:
            return difference.marks[event.source or 0] == state.player
        event.happen(seeds)
    return False


def spares_special_pits(difference: Difference) -> bool:
    """The special pits that the opponent has chosen cannot be picked."""
    state = difference.state
    if difference.kind is not Kind.LEGAL or state.pending is None or state.pending.kind != "pick":
        return False
    pits = {action: state.pit(action) or 0 for action in state.legal_actions}
    return difference.legal == {action for action, pit in pits.items() if difference.marks[pit] < 0}


def leaves_a_pick_to_the_opponent(difference: Difference) -> bool:
    """A player to whom only special pits are left to pick passes, and the opponent makes the pick."""
    state, choice = difference.state, difference.choice
    if difference.kind is not Kind.PASS or choice is None or choice.kind != "pass":
        return False
    theirs = [pit for pit in state.rules.board.homes[1 - state.player] if state.pits[pit]]
    is_due = difference.before is not None and difference.before.variables.get(DUE, 0) > 0
    return is_due and all(difference.marks[pit] >= 0 for pit in theirs)


RECORDED: dict[str, Played] = {
    "misoro_tsoro": Played(
        "tsoro", begins=2 * SPECIAL, laid_out=True, reads=with_forced_laps, explained=(stops_at_a_special_pit,)
    ),
    "misoro_tsoro_additional_capture": Played(
        "tsoro_additional_capture",
        begins=2 * SPECIAL,
        laid_out=True,
        reads=with_numbered_picks,
        pending=picks_due,
        explained=(stops_at_a_special_pit, spares_special_pits, leaves_a_pick_to_the_opponent),
    ),
}
