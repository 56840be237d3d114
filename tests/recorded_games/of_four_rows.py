"""Recorded games of four rows, and what explains differences in them."""

from mancala_env.games.tsoro import HAWALIS, INNER_PIT
from mancala_env.trace import EventKind
from tests.recorded_games.replay import Difference, Kind, Played


def takes_from_outer_pits(difference: Difference) -> bool:
    """A lap ended in an empty outer pit, where the program captures as well: own seeds, or those across."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None or difference.after is None:
        return False
    ends = [event for event in state.trace(difference.action).events if event.kind is EventKind.LAND]
    end = ends[-1].target if ends else None
    if end is None or state.rules.board.behind[end] != end or difference.after.pits[end] != 1:
        return False
    board = state.rules.board
    half, place = board.pits // 2, end % (board.pits // 2)
    inner = end - place + half - 1 - place  # of the same column
    lost = {pit for pit, seeds in enumerate(difference.pits) if seeds != difference.after.pits[pit]}
    return set() < lost <= {inner, board.facing[inner]} and not any(difference.pits[pit] for pit in lost)


RECORDED: dict[str, Played] = {
    "bao_ki_arabu_zanzibar_2": Played("bao_ki_arabu_zanzibar_2"),
    "chiana_wa_bwalo": Played("chiana_wa_bwalo", explained=(takes_from_outer_pits,)),
    # the program neither relays nor takes outer pits, moves single seeds anywhere and counts seeds at the end
    "hawalis": Played(HAWALIS.changes(landing=(INNER_PIT,), singles="last_resort", goal="seeds")),
    "makonn": Played("makonn", explained=(takes_from_outer_pits,), begins="lift"),
    "moruba": Played("moruba"),
    "muvalavala_luena": Played("muvalavala_luena"),
    "nchayo": Played("nchayo"),
    "njombwa": Played("njombwa", begins=20),
    "njombwa_one_counter": Played("njombwa_one_counter", begins=20),
    "njombwa_two_counters": Played("njombwa_two_counters"),
    "tsoro": Played("tsoro"),
    "tsoro_reentered_captures": Played("tsoro_reentered_captures"),
}
