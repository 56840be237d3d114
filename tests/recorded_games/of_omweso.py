"""Recorded games of the family ``omweso``.

The recorded programs lay what is captured in the pit where the lap began, which is a ply of its own, and let the mover
choose the direction each time a pit is lifted that can be reversed.
"""

from dataclasses import replace

from mancala_env import Ruleset, State, ruleset
from mancala_env.rules import Direction
from tests.recorded_games.replay import Difference, Kind, Played


def chooses_between_laps(difference: Difference) -> bool:
    """The program lets the mover choose a direction also between two laps of a turn."""
    state, legal = difference.state, difference.legal
    if difference.kind is Kind.LEGAL and legal is not None:  # the turn goes on from a pit that can be reversed
        pits = {state.pit(action) for action in legal}
        return len(legal) == 2 and len(pits) == 1 and all(can_be_reversed(state, pit) for pit in pits)
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    pits, booty, begun = [*state.pits], 0, state.pit(difference.action)
    for event in state.trace(difference.action).events:
        if event.kind == "lift":
            again = event.clause is not None
            if again and can_be_reversed(state, event.source) and difference.pits == tuple(pits):
                return True
            begun = event.source
        if event.kind == "take" and event.target is None:
            booty += event.seeds
        pits_then = [*pits, 0, 0]
        event.happen(pits_then)
        pits = pits_then[:-2]
        if booty and event.kind == "take" and can_be_reversed(state, begun):
            laid = [*pits]
            laid[begun or 0] += booty
            if difference.pits == tuple(laid):
                return True
        booty = 0 if event.kind == "sow" else booty
    return False


def lifts_what_came_round(difference: Difference) -> bool:
    """The program lays captured seeds in the pit where the lap began, and sows on a seed that has come round to it."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    return difference.pits in _sown_with_what_came_round(state, difference.action)


def _sown_with_what_came_round(state: State, action: int, depth: int = 4) -> set[tuple[int, ...]]:
    """The boards after a turn, and between two laps of it, in which captured seeds are laid on one that came round."""
    boards: set[tuple[int, ...]] = set()
    seeds, begun, booty = [*state.pits, *state.stores], 0, 0
    for event in state.trace(action).events:
        if booty and event.kind != "take":  # all is captured: what lies there is sown with it
            if seeds[begun] > 0 and depth:
                seeds[begun] += booty
                laid = state.rules.position(seeds[:-2], seeds[-2:], state.player, len(state.rules.opening))
                boards.add(laid.pits)
                for other in laid.legal_actions:
                    if state.pit(other) == begun:
                        boards |= _boards(laid, other) | _sown_with_what_came_round(laid, other, depth - 1)
                return boards
            booty = 0
        if event.kind == "lift" and event.source is not None:
            begun = event.source
        if event.kind == "take" and event.target is None:
            booty += event.seeds
        event.happen(seeds)
    return boards


def _boards(state: State, action: int) -> set[tuple[int, ...]]:
    """The boards after a turn, and between two laps of it."""
    boards, seeds = {state.play(action).pits}, [*state.pits, *state.stores]
    for event in state.trace(action).events:
        if event.kind == "lift" and event.clause is not None and can_be_reversed(state, event.source):
            boards.add(tuple(seeds[:-2]))
        event.happen(seeds)
    return boards


def opens_forward(difference: Difference) -> bool:
    """In the program nobody reverses in their first turn."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None or state.ply >= len(state.rules.opening):
        return False
    ours = set(state.legal_actions)
    return legal < ours and all(state.direction(action) for action in ours - legal)


def reverses_into_empty_pits(difference: Difference) -> bool:
    """The program lets a turn begin clockwise also where its first lap ends in an empty pit, if seeds lie across."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None:
        return False
    further = legal - set(state.legal_actions)
    return legal >= set(state.legal_actions) and all(ends_empty(state, action) for action in further)


def can_be_reversed(state: State, pit: int | None) -> bool:
    """May this pit be sown clockwise?"""
    directions, home = state.rules.direction, state.rules.board.homes[state.player]
    return pit in home and directions[home.index(pit)] is Direction.REVERSE


def ends_empty(state: State, action: int) -> bool:
    """Does the first lap of an action end in an empty inner pit that faces seeds in both pits of its column?"""
    board, pits = state.rules.board, [*state.pits]
    pit = state.pit(action)
    if pit is None or not state.direction(action):
        return False
    loop = board.loops[state.player][::-1]
    hand, pits[pit] = pits[pit], 0
    at = loop.index(pit)
    for step in range(1, hand + 1):
        pits[loop[(at + step) % len(loop)]] += 1
    last = loop[(at + hand) % len(loop)]
    return (
        pits[last] == 1 and board.facing[last] != last and min(pits[board.facing[last]], pits[board.behind[last]]) > 0
    )


CHOICES = (chooses_between_laps, reverses_into_empty_pits, lifts_what_came_round, opens_forward)


def as_the_programs(name: str) -> Ruleset:
    """The game, with captured seeds laid in the pit where the lap began, and all that lies there sown; laps are reversed
    also into empty pits."""
    rules = ruleset(name)
    landing = tuple(replace(each, joins=each.then == "sow_on") for each in rules.landing)
    return rules.changes(landing=landing, reverse_to_empty=True)


RECORDED = {
    "choro_acholi": Played(as_the_programs("choro_acholi"), begins="turns", laps=False, explained=CHOICES),
    "ikibuguzo_opening_1": Played(as_the_programs("ikibuguzo_opening_1"), begins=6, laps=False, explained=CHOICES),
    "ikibuguzo_opening_2": Played(as_the_programs("ikibuguzo_opening_2"), begins=16, laps=False, explained=CHOICES),
    "kubuguza": Played(as_the_programs("kubuguza"), laps=False, explained=CHOICES),
    "mweiso": Played(as_the_programs("mweiso"), laps=False, explained=CHOICES),
}
