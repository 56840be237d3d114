"""Recorded games of four rows, and what explains differences in them."""

from dataclasses import replace

from mancala_env import ruleset
from mancala_env.games.tsoro import HAWALIS, INNER_PIT, RELAY
from mancala_env.rules import When
from mancala_env.trace import EventKind
from tests.recorded_games.replay import Difference, Kind, Played, allows


def takes_from_outer_pits(difference: Difference) -> bool:
    """A lap ended in an empty outer pit, where the program captures as well: own seeds, or those across."""
    state = difference.state
    if difference.kind is not Kind.BOARD or difference.action is None or difference.after is None:
        return False
    ends = [event for event in state.trace(difference.action).events if event.kind is EventKind.LAND]
    end = ends[-1].target if ends else None
    if end is None or state.rules.board.outer[end] != end or difference.after.pits[end] != 1:
        return False
    board, pits, stores = state.rules.board, [*difference.after.pits], [*difference.after.stores]
    half, place = board.pits // 2, end % (board.pits // 2)
    inner = end - place + half - 1 - place  # of the same column
    takes = state.rules.landing[-1].takes
    for pit in (inner, board.facing[inner])[: len(takes)] if pits[inner] else ():
        stores[state.player], pits[pit] = stores[state.player] + pits[pit], 0
    return tuple(pits) == difference.pits and difference.stores in (None, tuple(stores))


@allows  # that is the player's choice
def gives_up(difference: Difference) -> bool:
    """A player of the program passed, who could have moved, as every player may: that gives the game up."""
    lost = difference.over and difference.winner == 1 - difference.state.player
    return difference.kind is Kind.PASS and lost and bool(difference.state.legal_actions)


FULL = When(was="occupied", facing="occupied")
BOTH_FULL = When(was="occupied", facing="occupied", outer="occupied")


def _wins_the_pit(name: str, full: When, min_start: int) -> Played:
    """The program wins the pit that captures, with what it captures, and goes on from the next; seeds are counted."""
    takes = full.capture("here", "facing", "outer")
    landing = (replace(takes, next=range(2, 62)).relay("next"), takes, RELAY)
    return Played(ruleset(name).changes(landing=landing, min_start=min_start, goal="seeds"))


RECORDED: dict[str, Played] = {
    # seeds are counted at the end, here and in some others below
    "bao_ki_arabu_zanzibar_2": Played("bao_ki_arabu_zanzibar_2:pits_per_row=8,goal=seeds,stuck=end"),
    "chiana_wa_bwalo": Played("chiana_wa_bwalo", explained=(takes_from_outer_pits,)),
    # the program neither relays nor takes outer pits, moves single seeds anywhere and counts seeds at the end
    "hawalis": Played(HAWALIS.changes(landing=(INNER_PIT,), singles="last_resort", goal="seeds")),
    "hus_damara": _wins_the_pit("hus_damara", BOTH_FULL, 1),
    "hus_damara__wagner_observed": _wins_the_pit("hus_damara", BOTH_FULL, 2),
    "kisolo_lali": Played("kisolo_lali"),
    # the program captures also where one of the two pits across is empty
    "lisolo": Played(
        ruleset("lisolo").changes(
            landing=(
                FULL.capture("facing", "outer"),
                When(was="occupied", outer="occupied").capture("outer"),
                RELAY,
            )
        ),
        begins="lift",
    ),
    "makonn": Played("makonn:singles=last_resort", explained=(takes_from_outer_pits,), begins="lift"),
    "moruba": Played("moruba"),
    "muvalavala_luena": Played("muvalavala_luena"),
    "muvalavala_quioco": Played("muvalavala_quioco"),
    "nchayo": Played("nchayo:goal=seeds,stuck=end"),
    "nchuwa": Played("nchuwa", begins=14, laid_out=True),
    "ngolo": Played("ngolo", explained=(gives_up,)),
    "njombwa": Played("njombwa", begins=20),
    "njombwa_one_counter": Played("njombwa_one_counter", begins=20),
    "njombwa_two_counters": Played("njombwa_two_counters"),
    "nsumbi": Played("nsumbi"),
    "otep": Played("otep:goal=last_mover,stuck=end", begins=8),
    "owela_benguela": _wins_the_pit("owela_benguela", FULL, 2),
    "ryakati": Played("ryakati", begins=20),
    "sute": Played("sute"),
    "tsoro": Played("tsoro"),
    "tsoro_reentered_captures": Played("tsoro_reentered_captures"),
}
