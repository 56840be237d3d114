"""Recorded games in which a rule of its own says what may be played, or what is captured where."""

from tests.recorded_games.replay import Difference, Kind, Played


def forgets_too_little_after_a_round(difference: Difference) -> bool:
    """After a lap of a round or more the program looks only at the first few pits of it, to forget them."""
    state, after, action = difference.state, difference.after, difference.action
    if difference.kind is not Kind.BOARD or after is None or action is None:
        return False
    seeds = state.pits[state.pit(action) or 0]
    same = after.pits == difference.pits and after.stores == difference.stores
    return same and seeds >= len(state.pits)


RECORDED: dict[str, Played] = {
    "adi": Played(
        "adi", rounds="first", memory=("P1SowFrom", "P2SowFrom"), explained=(forgets_too_little_after_a_round,)
    ),
    "adjiboto": Played("adji_boto:captures_from=10", result="winner"),
    "kara": Played("kara"),
    "mewegae": Played("mewegae", rounds="first"),
}
