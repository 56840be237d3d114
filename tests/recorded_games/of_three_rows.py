"""Recorded games of three rows, and of ``toguz``."""

from collections.abc import Sequence

from mancala_env import State, ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.of_two_rows import ends_between_laps
from tests.recorded_games.replay import Difference, Kind, Played

HORN = (0, 1, 2, 3, 4, 5, 11, 10, 9, 17, 16, 15, 14, 13, 12, 6, 7, 8)  # sites of our pits


def leaves_a_last_seed_in_a_tuz(difference: Difference) -> bool:
    """In the program a last seed that falls in a tuz lies there until another seed passes, and can be played."""
    state, after = difference.state, difference.after
    if difference.kind is Kind.LEGAL and difference.legal is not None:
        played = [state.pit(action) for action in difference.legal - {*state.legal_actions}]
        lying = [pit for pit in played if pit is not None and state.marks[pit] >= 0 and state.pits[pit] > 0]
        return played == lying and {*state.legal_actions} <= difference.legal
    if difference.kind is not Kind.BOARD or after is None or difference.stores is None:
        return False
    ours, theirs = _with_tuz(state, after.pits, after.stores), _with_tuz(state, difference.pits, difference.stores)
    return ours == theirs and any(
        seeds > 0 and mark >= 0
        for seeds, mark in zip((*state.pits, *difference.pits), (*state.marks, *state.marks), strict=True)
    )


def counts_the_row_of_a_tuz(difference: Difference) -> bool:
    """At the end the program gives what lies in a tuz to the player of that row."""
    state = difference.state
    lying = [pit for pit, mark in enumerate(state.marks) if mark >= 0 and state.pits[pit] > 0]
    return difference.kind is Kind.RESULT and bool(lying)


def overlooks_a_tuz_in_the_first_pit(difference: Difference) -> bool:
    """In the program a tuz in the first pit of all does not count as one until the other player has one, too."""
    before, after = difference.state, difference.after
    if difference.kind is not Kind.BOARD or after is None:
        return False
    overlooked = after.marks[0] == 1 and 0 not in after.marks
    remembered = max(before.marks) < 0 and 0 in after.marks
    return (difference.pits, difference.stores) == (after.pits, after.stores) and (overlooked or remembered)


def ends_after_a_capture_on_the_way(difference: Difference) -> bool:
    """The program ends a turn with the first lap on which something is captured, and lets the player pass."""
    state = difference.state
    if difference.kind is Kind.PASS:  # the player to move has just moved
        choice, captured = difference.choice, state.stores[state.player] > 0
        return choice is not None and choice.kind == "pass" and captured
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds, taken = [*state.pits, *state.stores], False
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and taken:
            return (tuple(seeds[:-2]), tuple(seeds[-2:])) == (difference.pits, difference.stores)
        event.happen(seeds)
        taken = taken or event.kind is EventKind.TAKE
    return False


def _with_tuz(state: State, pits: Sequence[int], stores: Sequence[int]) -> tuple[list[int], list[int]]:
    """Seeds in the pits without a mark, and what each player has in the store and in the own tuz."""
    own = [*stores]
    for pit, mark in enumerate(state.marks):
        own[mark] += pits[pit] if mark >= 0 else 0
    return [seeds for seeds, mark in zip(pits, state.marks, strict=True) if mark < 0], own


RECORDED: dict[str, Played] = {
    "abalalae": Played("abalalae:end_check=any_side", pits=HORN, explained=(ends_between_laps,)),
    # in the program pits are marked from the first turn on
    "gabata_adowa": Played("gabata_adowa:marks_from=0", pits=HORN, rounds="first"),
    "gabata_aksum": Played("gabata_aksum:marks_from=0", pits=HORN, rounds="first"),
    "rabe": Played("rabe", pits=HORN, rounds="first", explained=(ends_after_a_capture_on_the_way, ends_between_laps)),
    "selus_massawa": Played("selus", pits=HORN, rounds="first"),
    "toguz_kumalak": Played(
        ruleset("toguz", unmarkable=(), majority_stop=False),
        pits=(*range(9), *range(19, 10, -1)),
        marks="values",
        explained=(leaves_a_last_seed_in_a_tuz, overlooks_a_tuz_in_the_first_pit, counts_the_row_of_a_tuz),
    ),
}
