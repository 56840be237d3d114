"""What explains a difference that remains: a fault or a reading of the recorded program that our game does not copy.

An explanation is a condition on the position and the move, never on a file, a seed or a ply, and comes to exactly what
is recorded: the board, the marks, what is legal, who passes. One that cannot is marked (``replay.allows``) and counted
apart. Its docstring is the sentence that the report prints. Here stand the tools of all of them, and those about what
many games share: pushed origins, feeding, and the end. Others are about how turns are sown (``sowings``), what is
captured (``captures``) and what the program lets players choose (``choices``).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps

from mancala_env import Ruleset, State
from mancala_env.trace import Event, EventKind
from tests.recorded_games.replay import Difference, Explanation, Kind, allows, walk


def is_recorded(difference: Difference, seeds: Sequence[int]) -> bool:
    """Are these seeds, of the pits, or of pits and stores, what is recorded after the turn?"""
    size = len(difference.pits)
    stores = tuple(seeds[size:])
    return tuple(seeds[:size]) == difference.pits and (not stores or difference.stores in (None, stores))


def comes_to(turn: Callable[[State, int], Sequence[int] | None]) -> Explanation:
    """The explanation that a turn comes to the recorded board: ``turn`` plays it as the program does.

    It gives pits, or pits and stores, or None for a turn that it is not about.
    """

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


def goes_on(event: Event) -> bool:
    """Does a turn go on with another lap?"""
    return event.kind is EventKind.LIFT and event.clause is not None


def collected(state: State, seeds: Sequence[int]) -> tuple[int, ...]:
    """What players have if each takes the seeds of the own pits."""
    totals = [*seeds[-2:]]
    for pit, owner in enumerate(state.owner.tolist()):
        totals[owner] += seeds[pit]
    return tuple(totals)


def sow(pits: list[int], loop: Sequence[int], place: int, seeds: int, step: int = 1) -> int:
    """Lay seeds, one in each of the next places of a loop; the place of the last one."""
    for _ in range(seeds):
        place = (place + step) % len(loop)
        pits[loop[place]] += 1
    return place


def lift(pits: list[int], pit: int) -> int:
    """Empty a pit, and how many seeds there were."""
    seeds, pits[pit] = pits[pit], 0
    return seeds


def way(state: State, action: int) -> int:
    """1 for an action that sows as pits are numbered, else -1."""
    return -1 if state.direction(action) == 1 else 1


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


def refuses_the_only_slam(difference: Difference) -> bool:
    """The program refuses a grand slam also to a player who has no other move."""
    state = difference.state
    if difference.kind not in (Kind.PASS, Kind.END):
        return False
    turns = [state.trace(action).events for action in state.legal_actions]
    return bool(turns) and all(any(event.kind is EventKind.SLAM for event in events) for events in turns)


def feeds_with_the_first_lap(difference: Difference) -> bool:
    """The program looks after the first lap of a turn whether the opponent has seeds, ours after the whole turn."""
    if difference.kind not in (Kind.LEGAL, Kind.PASS):
        return False
    state = difference.state
    free = state.rules.changes(feeding="none").position(state.pits, state.stores, state.player)
    opponent = state.rules.board.homes[1 - state.player]
    feeding = {
        action for action in free.legal_actions if any(after_a_lap(free, action)[pit] for pit in opponent)
    }  # fmt: skip
    return feeding == (difference.legal or set())


def after_a_lap(state: State, action: int) -> list[int]:
    """Seeds of pits and stores after the first lap of a turn and what comes of it."""
    seeds = [*state.pits, *state.stores]
    for event, seeds in walk(state, action):
        if goes_on(event):
            return seeds
    return seeds


# How games and rounds end.


def ends_by_vote(difference: Difference) -> bool:
    """The players of the program agreed on the end, which they may after a repeated position."""
    ends = difference.kind is Kind.END and difference.over and not difference.state.is_over
    choice = difference.choice
    return ends and choice is not None and choice.kind == "vote" and choice.label.endswith("End")


def only_a_majority_wins(difference: Difference) -> bool:
    """Nobody has captured more than half of the seeds, without which nobody wins in the program."""
    half = difference.state.rules.total_seeds / 2
    return difference.kind is Kind.RESULT and difference.winner is None and max(difference.state.stores) <= half


def draws_when_nobody_can_move(difference: Difference) -> bool:
    """The program calls it a draw when neither player can move, whatever they have captured."""
    stuck = difference.state.termination == difference.state.rules.end_reason
    return difference.kind is Kind.RESULT and stuck and difference.winner is None


def ends_when_a_side_is_stuck(difference: Difference) -> bool:
    """The program ends the round as soon as either side has nothing to lift, not when it is that player's turn."""
    after = difference.after if difference.kind is Kind.BOARD else difference.state
    if after is None or not any(_is_stuck(after, player) for player in (0, 1)):
        return False
    if difference.kind is Kind.END:
        return difference.over and not difference.state.is_over
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


def ends_before_a_lap(difference: Difference) -> bool:
    """The program ends the round when the row of the player to move is empty between two laps of a turn."""
    row = difference.state.rules.board.homes[difference.state.player]
    for event, seeds in told(difference):
        if goes_on(event) and not any(seeds[pit] for pit in row):
            return is_recorded(difference, seeds)
    return False


def ends_with_few_seeds_between_laps(difference: Difference) -> bool:
    """The program ends the game as soon as few enough seeds are left after a lap, though the turn goes on."""
    for event, seeds in told(difference):
        if event.kind is EventKind.LIFT and sum(seeds[:-2]) <= difference.state.rules.end_few:
            return is_recorded(difference, seeds)
    return False


def ends_within_a_turn(difference: Difference) -> bool:
    """The program ends the round as soon as either side has nothing to lift, even between two laps of a turn."""
    state, owner = difference.state, difference.state.owner.tolist()
    for event, seeds in told(difference) if not any(difference.pits) else ():
        most = [max(seeds[pit] for pit, whose in enumerate(owner) if whose == player) for player in (0, 1)]
        if goes_on(event) and min(most) < state.rules.min_start:
            return collected(state, seeds) == difference.stores
    return False


def ends_at_a_single_seed(difference: Difference) -> bool:
    """The program ends the round where a turn would go on from a pit of a single seed."""
    for event, seeds in told(difference) if not any(difference.pits) else ():
        if goes_on(event) and event.seeds == 1:
            return collected(difference.state, seeds) == difference.stores
    return False


def ends_a_move_later(difference: Difference) -> bool:
    """The program lets a player who cannot move pass, and ends the game when the other has sown one more lap."""
    state = difference.state
    if difference.kind is not Kind.END or not difference.over or state.termination != state.rules.end_reason:
        return False
    chosen = {"direction": state.chosen_directions} if "direction" in state.rules.fields else {}
    once_more = state.rules.position(state.pits, state.stores, 1 - state.player, **chosen)
    for action in once_more.legal_actions:
        if once_more.pit(action) == difference.pit:
            return tuple(after_a_lap(once_more, action)[:-2]) == difference.pits
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


def notices_a_turn_late_that_only_single_seeds_are_left(difference: Difference) -> bool:
    """The program looks when a player has moved, not when they are to move, whether only single seeds are left."""
    state = difference.state
    own = [state.pit(action) or 0 for action in range(state.rules.num_actions)]
    filled = {action for action, pit in enumerate(own) if state.pits[pit] > 0}
    return difference.kind is Kind.LEGAL and difference.legal == filled and all(state.pits[pit] <= 1 for pit in own)


def loses_for_want_of_a_pick(difference: Difference) -> bool:
    """In the program a player loses who has captured the opponent's last seeds, for there is nothing left to pick."""
    state = difference.state
    bare = not any(state.pits[pit] for pit in state.rules.board.homes[state.player])
    return difference.kind is Kind.RESULT and bare and difference.winner == state.player


@allows  # that is the player's choice
def gives_up(difference: Difference) -> bool:
    """A player of the program passed, who could have moved, as every player may: that gives the game up."""
    lost = difference.over and difference.winner == 1 - difference.state.player
    return difference.kind is Kind.PASS and lost and bool(difference.state.legal_actions)


def passes_with_only_the_last_pit_left(difference: Difference) -> bool:
    """The program's first player passes where only the last pit can be played, which the second one plays."""
    state = difference.state
    return difference.kind is Kind.PASS and state.player == 0 and state.legal_actions == (state.rules.num_actions - 1,)


# How games begin.


def opens_forward(difference: Difference) -> bool:
    """In the program nobody reverses in their first turn."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None or state.ply >= len(state.rules.opening):
        return False
    return legal == {action for action in state.legal_actions if not state.direction(action)}


def opens_without_a_mark(difference: Difference) -> bool:
    """The first player has chosen the opening that makes threes and fives, and no mark."""
    threes = tuple(3 + pit % 2 * 2 for pit in range(len(difference.state.pits)))
    state = difference.state
    return difference.kind is Kind.START and state.pits == threes[::-1] and max(state.marks) < 0


@allows
def empties_pits_at_will(difference: Difference) -> bool:
    """The players choose which three pits are empty at the start, two of one row and one of the other."""
    pits = difference.state.pits
    half = len(pits) // 2
    empty = sorted(row.count(0) for row in (pits[:half], pits[half:]))
    return difference.kind is Kind.START and empty == [1, 2] and {*pits} == {0, 8}


def opens_with_two_seeds(difference: Difference) -> bool:
    """The first move of the program's second player lifts two seeds of the ninth or the eleventh pit."""
    state, home = difference.state, difference.state.rules.board.homes[difference.state.player]
    if state.ply > 0:
        return False
    if difference.kind is Kind.LEGAL:
        return difference.legal == {state.rules.action(state.player, home[place]) for place in (8, 10)}
    return _opening_with_two_seeds(difference)


@comes_to
def _opening_with_two_seeds(state: State, action: int) -> list[int]:
    pits, pit = [*state.pits], state.pit(action) or 0
    pits[pit] -= 2
    sow(pits, range(len(pits)), pit, 2)
    return [*pits, *state.stores]
