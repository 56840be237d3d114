"""Recorded games of three rows, and of ``toguz``."""

from mancala_env import State, ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.of_two_rows import ends_between_laps
from tests.recorded_games.replay import Difference, Kind, Played

HORN = (0, 1, 2, 3, 4, 5, 11, 10, 9, 17, 16, 15, 14, 13, 12, 6, 7, 8)  # sites of our pits


def plays_on_with_a_tuz_in_the_first_pit(difference: Difference) -> bool:
    """In the program a tuz in the first pit of all is a pit like others: seeds lie in it, are played, and captured;
    but its owner gets no other."""
    state = difference.state
    if difference.kind not in (Kind.LEGAL, Kind.BOARD) or state.marks[0] < 0:
        return False
    others = state.marks[1:].tolist()
    plain = state.rules.position(state.pits, state.stores, state.player, marks=(-1, *others))
    if difference.kind is Kind.LEGAL and difference.legal != frozenset(plain.legal_actions):
        return False
    after = plain.play(state.rules.action(state.player, difference.pit))
    pits, stores, marks = [*after.pits], [*after.stores], [*after.marks.tolist()]
    if state.marks[0] == state.player in marks:
        new = marks.index(state.player)
        pits[new], stores[state.player], marks[new] = 3, stores[state.player] - 3, -1
    marks[0] = int(state.marks[0])
    return (tuple(pits), tuple(stores), tuple(marks)) == (difference.pits, difference.stores, difference.marks)


def counts_the_row_of_a_tuz(difference: Difference) -> bool:
    """At the end the program gives what lies in a tuz to the player of that row."""
    state = difference.state
    if difference.kind is not Kind.RESULT or state.scores is None:
        return False
    scores = [*state.scores]
    for pit, mark in enumerate(state.marks):
        if mark >= 0:
            scores[mark] -= state.pits[pit]
            scores[state.rules.board.owner[pit]] += state.pits[pit]
    first = scores.index(max(scores))
    return difference.winner == (None if scores[0] == scores[1] else first)


def overlooks_a_tuz_in_the_first_pit(difference: Difference) -> bool:
    """In the program a tuz in the first pit of all does not count as one until the other player has one, too."""
    before, after = difference.state, difference.after
    if difference.kind is not Kind.BOARD or after is None:
        return False
    overlooked = after.marks[0] == 1 and 0 not in after.marks
    remembered = max(before.marks) < 0 and 0 in after.marks
    marks = (-1 if overlooked else 1, *after.marks[1:].tolist())
    same = (difference.pits, difference.stores, difference.marks) == (after.pits, after.stores, marks)
    return same and (overlooked or remembered)


def ends_after_a_capture_on_the_way(difference: Difference) -> bool:
    """The program ends a turn with the first lap on which something is captured, and lets the player pass."""
    state = difference.state
    if difference.kind is Kind.PASS and difference.last is not None:  # the player to move has just moved
        return _first_capture(*difference.last) == (*state.pits, *state.stores)
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    return _first_capture(state, difference.action) == (*difference.pits, *(difference.stores or ()))


def _first_capture(state: State, action: int) -> tuple[int, ...] | None:
    """Pits and stores after the first lap that captures something, if another follows."""
    seeds, taken = [*state.pits, *state.stores], False
    for event in state.trace(action).events:
        if event.kind is EventKind.LIFT and taken:
            return tuple(seeds)
        event.happen(seeds)
        taken = taken or event.kind is EventKind.TAKE
    return None


RECORDED: dict[str, Played] = {
    "abalalae": Played("abalalae:end_check=any_side", pits=HORN, explained=(ends_between_laps,)),
    # in the program pits are marked from the first turn on
    "gabata_adowa": Played("gabata_adowa:marks_from=0", pits=HORN, rounds="first"),
    "gabata_aksum": Played("gabata_aksum:marks_from=0", pits=HORN, rounds="first"),
    "rabe": Played("rabe", pits=HORN, rounds="each", explained=(ends_after_a_capture_on_the_way, ends_between_laps)),
    "selus_massawa": Played("selus", pits=HORN, rounds="first"),
    "toguz_kumalak": Played(
        ruleset("toguz", unmarkable=(), majority_stop=False),
        pits=(*range(9), *range(19, 10, -1)),
        marks="values",
        explained=(plays_on_with_a_tuz_in_the_first_pit, overlooks_a_tuz_in_the_first_pit, counts_the_row_of_a_tuz),
    ),
}
