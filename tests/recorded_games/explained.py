"""Rules of recorded programs that ours do not have: conditions that explain a difference, by name in ``games.toml``.

Each takes a ``Difference`` and is true where the program's rule comes to exactly what is recorded there. What accounts
for a few plies of a game is no function here, but a sentence of the table that allows them (``Played.allowed``)."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps

from mancala_env import Ruleset, State
from mancala_env.trace import Event, EventKind
from tests.recorded_games.replay import Difference, Explanation, Kind, walk


def is_recorded(difference: Difference, seeds: Sequence[int]) -> bool:
    """Are these seeds, of the pits, or of pits and stores, what is recorded after the turn?"""
    size = len(difference.pits)
    stores = tuple(seeds[size:])
    return tuple(seeds[:size]) == difference.pits and (not stores or difference.stores in (None, stores))


def comes_to(turn: Callable[[State, int], Sequence[int] | None]) -> Explanation:
    """The explanation that a turn comes to the recorded board: ``turn`` plays it as the program does. It gives pits, or
    pits and stores, or None for a turn that it is not about."""

    @wraps(turn)
    def explanation(difference: Difference) -> bool:
        if difference.kind is not Kind.BOARD or difference.action is None:
            return False
        seeds = turn(difference.state, difference.action)
        return seeds is not None and is_recorded(difference, seeds)

    return explanation


def told(difference: Difference) -> Iterator[tuple[Event, list[int]]]:
    """Each event of a turn that leads to another board, with the seeds of pits and stores before it."""
    if difference.kind is Kind.BOARD and difference.action is not None:
        yield from walk(difference.state, difference.action)


def sow(pits: list[int], loop: Sequence[int], place: int, seeds: int) -> int:
    """Lay seeds, one in each of the next places of a loop; the place of the last one."""
    for _ in range(seeds):
        place = (place + 1) % len(loop)
        pits[loop[place]] += 1
    return place


def lift(pits: list[int], pit: int) -> int:
    """Empty a pit, and how many seeds there were."""
    seeds, pits[pit] = pits[pit], 0
    return seeds


def pushed_past_origin(difference: Difference) -> bool:
    """The last seed was pushed past the skipped origin, and the program looks up what follows at the origin."""
    state = difference.state
    if difference.kind is Kind.LEGAL:  # such a lap leaves seeds in all pits of the opponent
        home = state.rules.board.homes[state.player]
        pushed = [state.rules.action(state.player, pit) for pit in home if _is_pushed(state.rules, state.pits[pit])]
        return difference.legal == frozenset(state.legal_actions).union(pushed)
    lifted = origin = 0
    for event, before in told(difference):
        if event.kind is EventKind.LIFT:
            lifted, origin = event.seeds, event.source or 0
        seeds = [*before]
        event.happen(seeds)
        if event.kind is EventKind.LAND and _is_pushed(state.rules, lifted):
            across, size = state.rules.board.facing[origin], len(state.pits)
            if state.rules.board.owner[origin] == state.player and any(
                clause.takes == ("facing",)
                and seeds[across] in (range(1, sum(seeds)) if clause.facing in (None, "occupied") else clause.facing)
                for clause in state.rules.landing
            ):
                seeds[size + state.player] += lift(seeds, across)
            return is_recorded(difference, seeds)
    return False


def _is_pushed(rules: Ruleset, seeds: int) -> bool:
    """Does the last of a number of seeds fall into the pit after the origin only because a lap skips the origin?"""
    return rules.skip_origin and seeds >= rules.board.pits and seeds % (rules.board.pits - 1) == 1


def feeds_with_the_first_lap(difference: Difference) -> bool:
    """The program looks after the first lap of a turn whether the opponent has seeds, ours after the whole turn."""
    if difference.kind not in (Kind.LEGAL, Kind.PASS):
        return False
    state = difference.state
    free = state.rules.changes(feeding="none").position(state.pits, state.stores, state.player)
    opponent = state.rules.board.homes[1 - state.player]
    feeding = {action for action in free.legal_actions if any(_after_a_lap(free, action)[pit] for pit in opponent)}
    return feeding == (difference.legal or set())


def _after_a_lap(state: State, action: int) -> list[int]:
    """Seeds of pits and stores after the first lap of a turn and what comes of it."""
    seeds = [*state.pits, *state.stores]
    for event, seeds in walk(state, action):
        if event.kind is EventKind.LIFT and event.clause is not None:
            return seeds
    return seeds


def ends_when_a_side_is_stuck(difference: Difference) -> bool:
    """The program ends the round as soon as either side has nothing to lift, not when it is that player's turn."""
    after = difference.after
    if difference.kind is not Kind.BOARD or after is None or not any(_is_stuck(after, player) for player in (0, 1)):
        return False
    totals = [*after.stores]
    for pit, seeds in enumerate(after.pits):
        totals[int(after.owner[pit] if after.marks[pit] < 0 else after.marks[pit])] += seeds
    return not any(difference.pits) and tuple(totals) == difference.stores


def _is_stuck(state: State, player: int) -> bool:
    """Has a player no pit to lift, marked ones left out?"""
    pits = state.rules.board.homes[player]
    return not any(state.pits[pit] >= state.rules.min_start and state.marks[pit] < 0 for pit in pits)


def ends_between_laps(difference: Difference) -> bool:
    """The program ends the game or round as soon as a row is empty after a lap, though the turn goes on."""
    for event, seeds in told(difference):
        rows = [sum(seeds[pit] for pit in home) for home in difference.state.rules.board.homes]
        if event.kind is EventKind.LIFT and 0 in rows:
            if any(difference.pits):
                return difference.over and is_recorded(difference, seeds)
            return difference.stores == (seeds[-2] + rows[0], seeds[-1] + rows[1])
    return False


def ends_after_a_capture_on_the_way(difference: Difference) -> bool:
    """The program ends a turn with the first lap on which something is captured, and lets the player pass."""
    state = difference.state
    if difference.kind is Kind.PASS and difference.last is not None:  # the player to move has just moved
        return _first_capture(*difference.last) == [*state.pits, *state.stores]
    return _ends_with_a_capture(difference)


def _first_capture(state: State, action: int) -> list[int] | None:
    """Pits and stores after the first lap that captures something, if another follows."""
    taken = False
    for event, seeds in walk(state, action):
        if event.kind is EventKind.LIFT and taken:
            return seeds
        taken = taken or event.kind is EventKind.TAKE
    return None


_ends_with_a_capture = comes_to(_first_capture)


def counts_ends_of_laps(difference: Difference) -> bool:
    """The program takes a turn to have been on the other side only if a lap has ended there."""
    state = difference.state
    passed, owner = False, [*state.owner.tolist(), 0, 1]
    for event, before in told(difference):
        theirs = event.target is not None and owner[event.target] != state.player
        passed = passed or (event.kind is EventKind.SOW and theirs)
        if event.kind is EventKind.LAND:
            if theirs:
                return False
            asked = [clause.visited for clause in state.rules.landing[: (event.clause or 0) + 1]]
            if passed and (False in asked or asked[-1]):  # the clause applies to turns that have been there
                return is_recorded(difference, before)
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


@comes_to
def captures_in_another_way(state: State, action: int) -> list[int]:
    """The program captures from the outer row, too; and seeds of an inner pit join the last one if more are sown. From
    the outer row both pits of the column across are sown on. From the inner row only the outer one of them, and the
    seeds of the inner one stay with the last seed; where the outer one is empty, they are sown."""
    board, pits, loop = state.rules.board, [*state.pits], state.rules.board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        place = sow(pits, loop, place, lift(pits, loop[place]))
        last = loop[place]
        if pits[last] == 1:
            break
        is_outer = board.facing[last] == last
        inner = loop[len(loop) - 1 - place] if is_outer else last
        across, outer = board.facing[inner], board.outer[inner]
        if pits[across] == 0:
            continue
        if not is_outer and pits[outer] > 0:
            pits[last] += lift(pits, across)
        sow(pits, loop, place, lift(pits, across) + lift(pits, outer))
        break
    return pits


def reverses_into_empty_pits(difference: Difference) -> bool:
    """The program reverses first laps also if they end in an empty inner pit of a column in which the opponent's pits
    hold seeds."""
    state, board = difference.state, difference.state.rules.board
    if difference.kind is not Kind.LEGAL or state.pending is not None:
        return False
    home, loop = board.homes[state.player], board.loops[state.player]
    also = set()
    for pit in state.rules.reversible[state.player]:
        end = loop[(loop.index(pit) - state.pits[pit]) % len(loop)]
        across = board.facing[end], board.outer[end]
        is_empty = end not in across and not state.pits[end] and all(state.pits[each] for each in across)
        if is_empty and state.rules.min_start <= state.pits[pit] < len(loop):
            also.add(home.index(pit) + len(home))
    return difference.legal == {*state.legal_actions} | also
