"""Recorded games of two rows whose left pits are sown one way, and whose right pits the other."""

from dataclasses import replace

from mancala_env import Ruleset, State
from mancala_env.rules import Direction, When, two_rows
from tests.recorded_games.records import Choice, Ply, Record
from tests.recorded_games.replay import PLAYERS, Difference, Kind, Played

COLUMNS = 6
LEFT = (0, 1, 2, 9, 10, 11)  # pits at the left of the board
LEFT_THEN_RIGHT = (Direction.CLOCKWISE,) * 3 + (Direction.COUNTERCLOCKWISE,) * 3
TO_THE_RIGHT, TO_THE_LEFT = 1, 2  # the direction that the program of Waache Waledat keeps
PASSES = "passes"  # the number that is kept after each ply of Andot: how many were made in a row
FOUR = frozenset({4})


def _pit(site: int) -> int:
    """Our pit for a recorded site; a pass, which has none, counts as the first in the program."""
    return max(0, site) if site < COLUMNS else 3 * COLUMNS - 1 - site


def holds_lone_seeds_back(difference: Difference) -> bool:
    """A lone seed may not enter an empty pit just played, nor the opponent's three; who has no other pit passes."""
    state, before = difference.state, difference.before
    if difference.kind is Kind.END:  # both have passed
        return difference.over and before is not None and before.variables[PASSES] == len(PLAYERS)
    played = _pit(before.chosen.source) if before else 0
    legal = {action for action in state.legal_actions if not _is_held_back(state, action, played)}
    if difference.kind is Kind.PASS:
        return not legal
    return difference.kind is Kind.LEGAL and difference.legal == legal


def _is_held_back(state: State, action: int, played: int) -> bool:
    pit = state.pit(action) or 0
    target = (pit + (-1 if state.direction(action) == 1 else 1)) % len(state.pits)
    back = state.pits[target] == 0 and target == played
    return state.pits[pit] == 1 and (back or (state.pits[target] == 3 and state.owner[target] != state.player))


def goes_on_in_the_same_direction(difference: Difference) -> bool:
    """In the turn after a capture, even after a pass, the program sows the same way, as it keeps the direction.

    So only half of the pits can be played.
    """
    state, before = difference.state, difference.before
    if before is None or before.variables.get("Direction") not in (TO_THE_LEFT, TO_THE_RIGHT):
        return False
    goes_left = before.variables["Direction"] == TO_THE_LEFT
    legal = {action for action in state.legal_actions if (state.pit(action) in LEFT) == goes_left}
    if difference.kind is Kind.PASS:
        return not legal
    return difference.kind is Kind.LEGAL and difference.legal == legal


def with_passes(record: Record) -> Record:
    """The record, which keeps after each ply how many passes were made in a row."""
    games = []
    for game in record.games:
        plies, passes = list[Ply](), 0
        for ply in game.plies:
            passes = passes + 1 if ply.chosen.kind == "pass" else 0
            plies.append(ply._replace(variables={PASSES: passes}))
        games.append(replace(game, plies=tuple(plies)))
    return replace(record, games=tuple(games))


def with_directions(record: Record) -> Record:
    """The record, in which the pits that are played bear the direction of their half of the board."""
    games = []
    for game in record.games:
        plies = [ply._replace(chosen=_with_direction(ply.chosen)) for ply in game.plies]
        games.append(replace(game, plies=tuple(plies)))
    return replace(record, games=tuple(games))


def _with_direction(choice: Choice) -> Choice:
    if choice.kind != "lift":
        return choice
    return choice._replace(label="TrackCW" if _pit(choice.source) in LEFT else "TrackCCW")


RECORDED: dict[str, Played] = {
    "andot": Played(
        Ruleset(
            name="andot",
            board=two_rows(COLUMNS),
            direction=LEFT_THEN_RIGHT,
            landing=(
                When(side="opponent", count=FOUR).mark("here"),
                When(side="own", place={0, -1}, count=FOUR).mark("here"),
            ),
            stuck="pass",
        ),
        reads=with_passes,
        explained=(holds_lone_seeds_back,),
    ),
    # the three columns at the left are sown clockwise and the others counter-clockwise, whoever plays them, which our
    # rules cannot say: in ours each pit may go either way, and is played the way that it goes in the program
    "waache_waledat": Played(
        Ruleset(
            name="waache_waledat",
            board=two_rows(COLUMNS),
            seeds=3,
            direction=Direction.CHOICE,
            landing=(When(count=FOUR, from_ply=2).capture("here").again(), When(was="occupied").relay()),
            end_check="any_side",
            end_reason="side_empty",
        ),
        reads=with_directions,
        explained=(goes_on_in_the_same_direction,),
    ),
}
