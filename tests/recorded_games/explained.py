"""What explains a difference that remains: a fault or a reading of the recorded program that our game does not copy.

An explanation is a condition on the position and the move, never on a file, a seed or a ply, and comes to exactly what
is recorded: the board, the marks, what is legal, who passes. One that cannot is marked (``replay.allows``) and counted
apart. Its docstring is the sentence that the report prints.
"""

from mancala_env import Ruleset, State
from mancala_env.trace import EventKind
from tests.recorded_games.replay import Difference, Kind, allows


def pushed_past_origin(difference: Difference) -> bool:
    """The last seed was pushed past the skipped origin, and the program looks up what follows at the origin."""
    state = difference.state
    if difference.kind is Kind.LEGAL:  # such a lap leaves seeds in all pits of the opponent
        home = state.rules.board.homes[state.player]
        pushed = [state.rules.action(state.player, pit) for pit in home if _is_pushed(state.rules, state.pits[pit])]
        return difference.legal == frozenset(state.legal_actions).union(pushed)
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds, lifted, origin = [*state.pits, *state.stores], 0, 0
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT:
            lifted, origin = event.seeds, event.source or 0
        event.happen(seeds)
        if event.kind is EventKind.LAND and _is_pushed(state.rules, lifted):
            across, size = state.rules.board.facing[origin], len(state.pits)
            if state.rules.board.owner[origin] == state.player and any(
                clause.takes == ("facing",)
                and seeds[across] in (range(1, sum(seeds)) if clause.facing in (None, "occupied") else clause.facing)
                for clause in state.rules.landing
            ):
                seeds[size + state.player], seeds[across] = seeds[size + state.player] + seeds[across], 0
            return (tuple(seeds[:size]), tuple(seeds[size:])) == (difference.pits, difference.stores)
    return False


def refuses_the_only_slam(difference: Difference) -> bool:
    """The program refuses a grand slam also to a player who has no other move."""
    state = difference.state
    if difference.kind not in (Kind.PASS, Kind.END):
        return False
    told = [state.trace(action).events for action in state.legal_actions]
    return bool(told) and all(any(event.kind is EventKind.SLAM for event in events) for events in told)


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


@allows
def fixed_first_move(difference: Difference) -> bool:
    """The program prescribes the first move of a game, which is free in ours."""
    state = difference.state
    first = state.pits == state.rules.start().pits and not any(state.stores)
    is_part = difference.legal is not None and difference.legal < set(state.legal_actions)
    return difference.kind is Kind.LEGAL and first and is_part


def ends_by_vote(difference: Difference) -> bool:
    """The players of the program agreed on the end, which they may after a repeated position."""
    ends = difference.kind is Kind.END and difference.over and not difference.state.is_over
    choice = difference.choice
    return ends and choice is not None and choice.kind == "vote" and choice.label.endswith("End")


def only_a_majority_wins(difference: Difference) -> bool:
    """Nobody has captured more than half of the seeds, without which nobody wins in the program."""
    half = difference.state.rules.total_seeds / 2
    return difference.kind is Kind.RESULT and difference.winner is None and max(difference.state.stores) <= half


def _is_pushed(rules: Ruleset, seeds: int) -> bool:
    """Does the last of a number of seeds fall into the pit after the origin only because a lap skips the origin?"""
    return rules.skip_origin and seeds >= rules.board.pits and seeds % (rules.board.pits - 1) == 1


def _is_stuck(state: State, player: int) -> bool:
    """Has a player no pit to lift, marked ones left out?"""
    pits = state.rules.board.homes[player]
    return not any(state.pits[pit] >= state.rules.min_start and state.marks[pit] < 0 for pit in pits)
