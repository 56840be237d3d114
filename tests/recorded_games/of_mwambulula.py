"""Recorded games of Mwambulula, in which each player first takes the seeds of the inner row into the hand.

Once in the game a player may, instead of a move, lay one of them in each own pit. Our rules have no such thing: here
that choice is left out of what is legal (``without_the_hand``), and where it was made the record goes on as after a
pass (``brings_the_hand_in``).
"""

from dataclasses import replace

from mancala_env import State, ruleset
from mancala_env.rules import When
from tests.recorded_games.of_chosen_directions import ends_a_move_later
from tests.recorded_games.records import PASS, Choice, Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

HANDS = {1: 32, 2: 33}  # the site of each player's hand


def without_the_hand(record: Record) -> Record:
    """The record, in which the hand is played by passing, and offered in no other ply while there are seeds in it."""
    return replace(record, games=tuple(replace(game, plies=tuple(_without_the_hand(game))) for game in record.games))


def _without_the_hand(game: Game) -> list[Ply]:
    plies, counts = [], game.start
    for ply in game.plies:
        hand = HANDS[ply.mover]
        offered, held = Choice(hand, hand, "") in ply.legal, counts[hand] > 0
        counts = ply.counts
        if ply.chosen.source == hand:
            forced = Choice(PASS, PASS, "")
            plies.append(ply._replace(legal=(forced,), chosen=forced))
        elif offered and held:
            plies.append(ply._replace(legal=tuple(choice for choice in ply.legal if choice.source != hand)))
        else:
            plies.append(ply)
    return plies


def brings_the_hand_in(difference: Difference) -> bool:
    """The player lays a seed from the hand in each own pit, which is a turn of its own."""
    state = difference.state
    if difference.kind not in (Kind.PASS, Kind.BOARD) or difference.action is not None:
        return False
    laid = [seeds + (pit in state.rules.board.homes[state.player]) for pit, seeds in enumerate(state.pits)]
    return difference.pits == tuple(laid)


def captures_from_the_outer_row(difference: Difference) -> bool:
    """The program captures from the outer row, too, both pits of the column across, if the inner one holds seeds."""
    action = difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    return _capturing_from_both_rows(difference.state, action) == difference.pits


def _capturing_from_both_rows(state: State, action: int) -> tuple[int, ...]:
    """The board after a turn that ends with a capture, sown from where its lap began, or in an empty pit."""
    board, pits = state.rules.board, [*state.pits]
    loop = board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        start, hand, pits[loop[place]] = place, pits[loop[place]], 0
        place = _sow(pits, loop, place, hand)
        last = loop[place]
        inner = loop[len(loop) - 1 - place] if board.facing[last] == last else last
        across, outer = board.facing[inner], board.outer[inner]
        if pits[last] == 1:
            break
        if pits[across] > 0:
            booty = pits[across] + pits[outer]
            pits[across] = pits[outer] = 0
            _sow(pits, loop, start, booty)
            break
    return tuple(pits)


def _sow(pits: list[int], loop: tuple[int, ...], place: int, seeds: int) -> int:
    for _ in range(seeds):
        place = (place + 1) % len(loop)
        pits[loop[place]] += 1
    return place


RECORDED: dict[str, Played] = {
    "mwambulula": Played(
        ruleset("ryakati").changes(
            name="mwambulula",
            setup=None,
            seeds=2,
            min_start=1,
            landing=(
                When(was="occupied", facing="occupied").sow_on("facing", "outer", first="after_lap_start", stops=True),
                When(was="occupied").relay(),
            ),
            goal="last_mover",
            stuck="end",
        ),
        begins=16,
        laid_out=True,
        reads=without_the_hand,
        explained=(brings_the_hand_in, captures_from_the_outer_row, ends_a_move_later),
    ),
}
