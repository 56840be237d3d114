"""Recorded games of the family ``chosen_directions``."""

from mancala_env import State, ruleset
from mancala_env.rules import When
from mancala_env.trace import EventKind
from tests.recorded_games.explained import ends_when_a_side_is_stuck
from tests.recorded_games.of_gaps import ends_within_a_turn
from tests.recorded_games.places import Places, pit_and_direction
from tests.recorded_games.records import Choice, Game
from tests.recorded_games.replay import Difference, Kind, Played


def ends_a_move_later(difference: Difference) -> bool:
    """The program lets a player who cannot move pass, and ends the game when the other has sown one more lap."""
    state = difference.state
    if difference.kind is not Kind.END or not difference.over or state.termination != state.rules.end_reason:
        return False
    chosen = {"direction": state.chosen_directions} if "direction" in state.rules.fields else {}
    once_more = state.rules.position(state.pits, state.stores, 1 - state.player, **chosen)
    for action in once_more.legal_actions:
        seeds = [*once_more.pits, *once_more.stores]
        for event in once_more.trace(action).events:
            if event.kind is EventKind.LIFT and event.clause is not None:
                break
            event.happen(seeds)
        if once_more.pit(action) == difference.pit:
            return tuple(seeds[:-2]) == difference.pits
    return False


def loses_for_want_of_a_pick(difference: Difference) -> bool:
    """In the program a player loses who has captured the opponent's last seeds, for there is nothing left to pick."""
    state = difference.state
    bare = not any(state.pits[pit] for pit in state.rules.board.homes[state.player])
    return difference.kind is Kind.RESULT and bare and difference.winner == state.player


def picked_into_the_hand(board: Places, state: State, choice: Choice) -> int:
    """The action for a choice; a pit is picked by moving its seeds into the hand."""
    if choice.kind == "place" and choice.source in board.pits:
        return state.rules.action(state.player, board.pits.index(choice.source))
    return pit_and_direction(board, state, choice)


def after_first_turns(game: Game) -> int:
    """The plies of an opening in which players take pits of the opponent at will, and then each makes one turn."""
    plies, at = game.plies, 0
    while at < len(plies) and plies[at].chosen.kind != "lift":
        at += 1
    for _ in ("the first player", "the second"):
        mover = plies[at].mover if at < len(plies) else 0
        while at < len(plies) and plies[at].mover == mover:
            at += 1
    return at


def _chisolo(seeds: int) -> Played:
    """Chisolo laid out evenly, of which both players first take three pits of the opponent, and sow clockwise."""
    return Played(
        ruleset("chisolo").changes(setup=(seeds,) * 28),
        begins=after_first_turns,
        laid_out=True,
        action=picked_into_the_hand,
        explained=(loses_for_want_of_a_pick,),
    )


RECORDED = {
    "bao_ki_arabu_zanzibar_1": Played("bao_ki_arabu_zanzibar_1"),
    "chisolo": Played("chisolo", begins="turns", action=picked_into_the_hand, explained=(loses_for_want_of_a_pick,)),
    "chisolo__nambidi_observed": _chisolo(2),
    # as Namudilakunze, with a pick after each capture
    "chisolo__namudilakunze_observed": Played(
        ruleset("namudilakunze").changes(
            landing=(
                When(was="occupied").relay(),
                When(inner=True, facing="empty", outer="occupied").capture("outer").pick(1),
            ),
            goal="last_mover",
        ),
        begins="turns",
        action=picked_into_the_hand,
        explained=(loses_for_want_of_a_pick,),
    ),
    "chisolo__one_counter_observed": _chisolo(1),
    "daramuti": Played("daramuti", rounds="first", explained=(ends_within_a_turn, ends_when_a_side_is_stuck)),
    "katra": Played("katra"),
    "katra_boaoaka": Played("katra_boaoaka", explained=(ends_a_move_later,)),
    "luuth": Played("luuth", begins="turns", result="none"),
    "namudilakunze": Played("namudilakunze", begins="turns", stores=False),
    "qelat_beni_amir_mensa": Played("qelat_beni_amir_mensa"),
}
