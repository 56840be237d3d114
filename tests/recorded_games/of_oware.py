"""Recorded games of kin of ``oware`` that differ from it in what may be played and when they end."""

from mancala_env import Skipping, State, ruleset
from mancala_env.rules import When
from tests.recorded_games.explained import ends_by_vote, only_a_majority_wins, pushed_past_origin
from tests.recorded_games.records import Game
from tests.recorded_games.replay import Difference, Kind, Played


def draws_when_nobody_can_move(difference: Difference) -> bool:
    """The program calls it a draw when neither player can move, whatever they have captured."""
    stuck = difference.state.termination == difference.state.rules.end_reason
    return difference.kind is Kind.RESULT and stuck and difference.winner is None


FULL = 12  # seeds of a pit that is passed over


def passes_over_what_was_full_before(difference: Difference) -> bool:
    """The program passes over pits that held twelve before the lap, ours over those that hold twelve at the time."""
    action = difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    return _passing_over_what_was_full(difference.state, action) == (difference.pits, difference.stores)


def leaves_seeds_to_the_opponent(difference: Difference) -> bool:
    """In the program a move must leave the opponent seeds, which ours cannot ask for where pits are passed over."""
    state = difference.state
    leaves = {action for action in state.legal_actions if _opponents_seeds(state, action)}
    if difference.kind is Kind.LEGAL:
        return difference.legal == leaves
    return not leaves and (difference.kind is Kind.PASS or (difference.kind is Kind.END and difference.over))


def _opponents_seeds(state: State, action: int) -> int:
    pits, _ = _passing_over_what_was_full(state, action)
    return sum(pits[pit] for pit in state.rules.board.homes[1 - state.player])


def _passing_over_what_was_full(state: State, action: int) -> tuple[tuple[int, ...], tuple[int, int]]:
    """Pits and stores after a lap of Oware in which seeds pass over the origin and over what was full before it.

    A last seed that was pushed past the origin captures nothing, as in ``pushed_past_origin``.
    """
    pits, stores, size = [*state.pits], [*state.stores], len(state.pits)
    origin = at = state.pit(action) or 0
    full = {pit for pit, seeds in enumerate(pits) if seeds >= FULL}
    hand, pits[origin], is_pushed = pits[origin], 0, False
    while hand > 0:
        at = (at + 1) % size
        is_pushed = is_pushed or at == origin
        if at != origin and at not in full:
            pits[at] += 1
            hand -= 1
            is_pushed = is_pushed and hand == 0
    while not is_pushed and state.owner[at] != state.player and pits[at] in (2, 3):
        stores[state.player] += pits[at]
        pits[at] = 0
        at = (at - 1) % size
    return tuple(pits), (stores[0], stores[1])


def after_both_distributions(game: Game) -> int:
    """The plies of an opening in which each player lays two pits out at will: until both have done so."""
    return next((at for at, ply in enumerate(game.plies, 1) if ply.values == (1, 1)), len(game.plies))


TWOS_AND_THREES = When(count={2, 3}, lifted=2).capture("here", chain={2, 3}, chain_side="any")

RECORDED: dict[str, Played] = {
    "awari": Played(
        ruleset("oware").changes(
            feeding="must_leave",
            grand_slam="capture",
            indeterminacy_max_seeds=0,
            majority_stop=False,
            stuck="pass",
            end_when="all_single",
            leftover="none",
        ),
        explained=(pushed_past_origin, draws_when_nobody_can_move),
    ),
    # pits of twelve seeds or more are passed over, which goes without feeding in our rules, and 25 seeds win
    "oware__awari_suggested": Played(
        ruleset("oware").changes(
            skipping=Skipping(counts=range(FULL, 62)),
            feeding="none",
            grand_slam="capture",
            indeterminacy_max_seeds=0,
            majority_stop=False,
            target_seeds=25,
            stuck="pass",
        ),
        explained=(
            passes_over_what_was_full_before,
            leaves_seeds_to_the_opponent,
            pushed_past_origin,
            ends_by_vote,
            only_a_majority_wins,
        ),
    ),
    # Oware in which single seeds capture nothing, and twos and threes of either row are taken
    "ti": Played(
        ruleset("oware").changes(
            landing=(TWOS_AND_THREES,),
            feeding="must_leave",
            grand_slam="capture",
            indeterminacy_max_seeds=0,
            majority_stop=False,
        ),
        begins=after_both_distributions,
        laid_out=True,
        explained=(pushed_past_origin,),
    ),
}
