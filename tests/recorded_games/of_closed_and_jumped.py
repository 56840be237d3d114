"""Recorded games of ``deka``."""

from mancala_env import State, ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.of_gaps import ends_within_a_turn
from tests.recorded_games.replay import Difference, Kind, Played

FULL = 3  # seeds of a pit that is closed, or passed over


def closes_in_another_way(difference: Difference) -> bool:
    """The program sows the three seeds of a pit that it closes after the next pit, and ends the turn with that lap."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    pits, closed, _ = _as_the_program_plays(difference.state, difference.action)
    marks = [mark >= 0 for mark in difference.marks]
    return tuple(pits) == difference.pits and [pit in closed for pit in range(len(pits))] == marks


def passes_after_a_seed_is_lost(difference: Difference) -> bool:
    """The program goes on where a lap ended on lost seeds, which is a pass and ends the game."""
    if difference.kind is not Kind.PASS or not difference.over or difference.last is None:
        return False
    pits, _, goes_on = _as_the_program_plays(*difference.last)
    return goes_on and tuple(pits) == difference.state.pits


def _as_the_program_plays(state: State, action: int) -> tuple[list[int], set[int], bool]:
    """The pits after a turn, which of them are closed, and whether the turn should go on from a pit that is empty.

    South's seeds jump South's closed pits; North's fall into those of North, and lie there. With each lap all that lies
    in the opponent's closed pits is lost. A pit beside one that is closed is opened again where it is empty, for the
    program lays the three seeds there before it sows them.
    """
    player, pits, board = state.player, [*state.pits], state.rules.board
    closed = {pit for pit, mark in enumerate(state.marks) if mark >= 0}

    def sow(at: int, seeds: int, jumps: bool) -> int:
        """The last pit of a lap after a pit; what falls into the opponent's closed pits is still there."""
        while seeds:
            at = (at + 1) % board.pits
            if not (jumps and at in own):
                pits[at] += 1
                seeds -= 1
        return at

    own = {pit for pit in closed if board.owner[pit] == player}
    theirs = closed - own
    at = board.homes[player][action]
    while pits[at]:
        seeds, pits[at] = pits[at], 0
        at = sow(at, seeds, jumps=player == 0)
        full, single = pits[at] == FULL, pits[at] == 1
        if full:
            following = (at + 1) % board.pits
            pits[at] = 0
            closed.add(at)
            if not pits[following]:
                closed.discard(following)
            sow(following, FULL, jumps=True)
        for pit in theirs:
            pits[pit] = 0
        if full or single:
            return pits, closed, False
    return pits, closed, True


def passes_over_what_the_lap_has_filled(difference: Difference) -> bool:
    """The program passes over the pits that held three before the lap, ours over those that hold three at the time."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _passing_over(difference.state, difference.action)
    if (difference.pits, difference.stores) == laps[-1][:2]:
        return True
    half = len(difference.pits) // 2
    for pits, stores, following in laps:  # the program ends the round where ``ends_at_a_single_seed`` says it does
        totals = (stores[0] + sum(pits[:half]), stores[1] + sum(pits[half:]))
        if following is not None and pits[following] == 1:
            return totals == difference.stores and not any(difference.pits)
    return False


def _passing_over(state: State, action: int) -> list[tuple[tuple[int, ...], tuple[int, int], int | None]]:
    """Pits, stores and the pit to go on from after each lap of a turn in which seeds pass over what held three."""
    rules, size = state.rules, len(state.pits)
    chosen = state.chosen_directions[state.player]
    step = -1 if (state.direction(action) if chosen is None else chosen) == 1 else 1
    stops = {place % (size // 2) for clause in rules.landing for place in clause.place or ()}
    pits, stores, at = [*state.pits], [*state.stores], state.pit(action)
    laps: list[tuple[tuple[int, ...], tuple[int, int], int | None]] = []
    while at is not None and len(laps) <= rules.max_laps:
        hand, pits[at] = pits[at], 0
        full = {pit for pit, seeds in enumerate(pits) if seeds == FULL}
        while hand > 0:
            at = (at + step) % size
            if hand > 1 and at in full:
                continue
            pits[at] += 1
            hand -= 1
        end, following = at, (at + step) % size
        at = end if pits[end] > 1 else None
        if pits[end] == FULL + 1:
            stores[state.player] += pits[end]
            pits[end] = 0
            at = following if pits[following] and end % (size // 2) not in stops else None
        laps.append((tuple(pits), (stores[0], stores[1]), at))
    return laps


def ends_at_a_single_seed(difference: Difference) -> bool:
    """The program ends the round where a turn would go on from a pit of a single seed."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None or any(difference.pits):
        return False
    seeds, half = [*state.pits, *state.stores], len(state.pits) // 2
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and event.clause is not None and event.seeds == 1:
            totals = (seeds[-2] + sum(seeds[:half]), seeds[-1] + sum(seeds[half:-2]))
            return totals == difference.stores
        event.happen(seeds)
    return False


RECORDED: dict[str, Played] = {
    # in the program three closes any pit, from the first move on
    "deka": Played(
        ruleset("deka", closes="any", unmarkable=()),
        pits=(0, 1, 2, 3, 4, 11, 10, 9, 8, 7, 6, 5),
        explained=(closes_in_another_way, passes_after_a_seed_is_lost),
    ),
    "kotu_baendum": Played(
        "kotu_baendum",
        rounds="first",
        explained=(ends_at_a_single_seed, ends_within_a_turn, passes_over_what_the_lap_has_filled),
    ),
    "puhulmutu": Played(
        "puhulmutu",
        rounds="first",
        explained=(ends_at_a_single_seed, ends_within_a_turn, passes_over_what_the_lap_has_filled),
    ),
}
