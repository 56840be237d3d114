"""Whether a game is over, and why; what it changes in a match, and the next game. Arguments as in ``engine``."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.board import board_hash, marks_of, side
from mancala_env.kernels.jit import inlined, part, wrapping
from mancala_env.kernels.landing import LOST, SLAM_ENDED
from mancala_env.kernels.legality import legal_actions
from mancala_env.kernels.ranking import BINOMIAL, configuration
from mancala_env.kernels.scores import game_scores


@inlined
@wrapping
def history_hash(position, axes):
    """uint64: of pits, mover, what is to be decided in mid-turn, and the directions that players have chosen."""
    pits = axes[L.PITS]
    value = np.uint64(position[pits + L.MOVER]) * L.HASH_KEYS[pits] + board_hash(position, axes)
    if axes[L.CHOSEN] != 0:
        for player in range(2):
            value += np.uint64(position[axes[L.CHOSEN] + player] + 1) * L.HASH_KEYS[L.MAX_PITS + 1 + player]
    if axes[L.PENDING] != 0:
        for k in range(L.PENDING_FIELDS):
            value = value * L.HASH_KEYS[k] + np.uint64(position[axes[L.PENDING] + k]) * L.HASH_KEYS[pits]
    return value


@inlined
def no_capture_entry(position, seeds, mover, axes, tables):
    """The index of a position with ``seeds`` seeds on the board in ``indeterminacy.make_no_capture_table``'s table."""
    pits = axes[L.PITS]
    entry = 2 * configuration(position, pits, seeds) + mover
    if axes[L.OWNERS] != 0:
        territory = 0  # the number of South's pits: it determines the owner of each pit
        for pit in range(pits):
            territory += position[axes[L.OWNERS] + pit] == 0
        entry += territory * 2 * BINOMIAL[pits + axes[L.NO_CAPTURE_SEEDS], pits]
    return entry


@part
def solitaire_over(position, outcome, board, axes):
    """Why a solitaire is over: where the last seed fell, or its goal; 0 if neither. ``board``: seeds in all pits."""
    if outcome & LOST:
        return L.LOST_BY_LANDING
    if axes[L.GOAL] == L.GOAL_CLEAR:
        return L.CLEARED if board == 0 else 0
    for pit in range(1, axes[L.PITS]):  # piles stand still that have k, k - 1, ..., 1 seeds
        if position[pit] != max(position[pit - 1] - 1, 0):
            return 0
    return L.STANDSTILL


@inlined
def check_game(position, outcome, mask, history, start, axes, tables, no_capture_table):
    """Write whether the game is over, and if not the legal actions of the mover; arguments as ``check_termination``.
    While a decision is due, only a majority, a target and the ply limit end the game."""
    actions, pits = axes[L.ACTIONS], axes[L.PITS]
    mover = turn = np.int64(position[pits + L.MOVER])
    legal, own, other = 0, 0, 0
    for _ in range(2):  # the mover; if that player is stuck and passes, the other
        legal, own, other = legal_actions(position, mover, mask, axes, tables)
        ended = (axes[L.ENDS_WITH_SIDE] or axes[L.GOAL] >= L.GOAL_EMPTY_BLOCK) and (own == 0 or other == 0)
        if legal > 0 or not axes[L.PASSES] or ended or outcome & SLAM_ENDED:
            break
        mover = 1 - mover
    if axes[L.PASS_ACTION]:
        passes = actions + axes[L.DECISIONS]
        mask[passes] = legal > 0 and mover != position[pits + L.MOVER]
        if mask[passes]:  # the stuck player has to pass by an action
            mover = 1 - mover
            mask[:actions] = False
    if legal > 0:
        position[pits + L.MOVER] = mover

    end, value = np.int64(0), np.uint64(0)
    if axes[L.REPEATS] > 0:  # also at the end, so that every history ends with the position it is of
        end = start + np.int64(position[pits + L.PLIES_SINCE_CAPTURE])
        value = history_hash(position, axes)
        history[end] = value
    over = 0
    south, north = np.int64(position[pits + L.STORES]), np.int64(position[pits + L.STORES + 1])
    houses = side(position, np.int64(2), axes, tables) if axes[L.SHARED] != 0 else np.int64(0)  # pits that nobody owns
    board = own + other + houses
    is_few = axes[L.END_FEW] != 0 and board <= axes[L.END_FEW]
    if axes[L.END_WHEN] == L.END_ALL_SINGLE:
        most = 0
        for pit in range(pits):
            most = max(most, np.int64(position[pit]))
        is_few = is_few or most <= 1
    if outcome & SLAM_ENDED:
        over = L.GRAND_SLAM
    elif axes[L.MAJORITY_STOP] and 2 * max(south, north) > south + north + board:
        over = L.MAJORITY
    elif axes[L.TARGET_SEEDS] != 0 and max(south, north) >= axes[L.TARGET_SEEDS]:
        over = L.TARGET_REACHED
    elif axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] != 0:
        over = 0  # the turn goes on
    elif is_few:
        over = L.FEW_SEEDS
    elif axes[L.END_WHEN] == L.END_HOUSES_EMPTY and houses == 0:
        over = L.HOUSES_EMPTY
    elif axes[L.END_WHEN] == L.END_MARKS_TAKEN and marks_of(position, 0, axes) + marks_of(position, 1, axes) == 0:
        over = L.MARKS_TAKEN
    elif axes[L.GOAL] >= L.SOLITAIRES and solitaire_over(position, outcome, board, axes) != 0:
        over = solitaire_over(position, outcome, board, axes)
    elif L.GOAL_EMPTY_BLOCK <= axes[L.GOAL] < L.SOLITAIRES and (own == 0 or other == 0):
        over = L.BLOCK_EMPTY if axes[L.GOAL] == L.GOAL_EMPTY_BLOCK else L.SIDE_EMPTY
    elif legal == 0:
        over = axes[L.END_REASON]
    elif (
        axes[L.NO_CAPTURE_SEEDS] >= 0
        and board <= axes[L.NO_CAPTURE_SEEDS]
        and no_capture_table[no_capture_entry(position, board, mover, axes, tables)]
    ):
        over = L.INDETERMINACY
    elif axes[L.REPEATS] > 0:
        seen = 1
        for k in range(start, end - axes[L.REPEAT_GAP] + 1):
            seen += history[np.uint64(k)] == value  # an unsigned index: it cannot count from the end
        if seen >= axes[L.REPEATS]:
            over = L.REPETITION
    if over == 0 and position[pits + L.PLY] >= axes[L.PLY_LIMIT]:
        over = L.MAX_PLIES
    position[pits + L.OVER] = over
    if over != 0:
        mask[:] = False
        if axes[L.LEFTOVER] == L.LEFT_LAST_MOVER:
            position[pits + L.MOVER] = turn  # also if that player has to pass: it tells who moved last


@inlined
def check_termination(position, outcome, mask, history, start, log, axes, tables, no_capture_table):
    """Write whether the game is over (in ``position``), and if not ``mask``; go on to the next game of a match.
    ``log``, int16[G, 3], gets doubled scores and why for each game of a match that ends, from line 0 on, as far as
    there are lines. ``history[start : start + plies]`` holds the hashes of the positions since the last capture,
    ``plies`` ago; that of this one is appended. Returns where the history begins."""
    pits = axes[L.PITS]
    while True:  # one pass; one more for each game of a match that ends
        check_game(position, outcome, mask, history, start, axes, tables, no_capture_table)
        if axes[L.MATCH] == 0 or position[pits + L.OVER] == 0:
            return start
        outcome, plies = 0, np.int64(position[pits + L.PLIES_SINCE_CAPTURE])
        south, north = game_scores(position, axes, tables)
        game = np.int64(position[axes[L.MATCH] + L.GAME]) - 1
        if game < len(log):
            log[game, 0], log[game, 1], log[game, 2] = south, north, position[pits + L.OVER]
        if not next_game(position, south, north, axes, tables):
            return start
        start += plies


@inlined
def conquest(south, north, axes):
    """What the winner of a territory match's game has won: (whole pits more than one half, seeds over, r). The winner
    fills pits with START_SEEDS each, the own half first. The r seeds and the loser's rest meet in one pit, which
    belongs to whoever has more of it; to the loser, on whose side it lies, if both have as many."""
    surplus = max(np.int64(0), max(south, north) // 2 - axes[L.START_SEEDS] * (axes[L.PITS] // 2))
    return surplus // axes[L.START_SEEDS], surplus % axes[L.START_SEEDS]


@inlined
def book(position, south, north, axes):
    """Add the doubled final scores of a game to the tallies of the match, in place. Returns whether that decides it: a
    player has reached the target, or has too few seeds to lay out another round."""
    at, kind, half = axes[L.MATCH], axes[L.MATCH_KIND], axes[L.PITS] // 2
    position[at + L.LAST], position[at + L.LAST + 1] = south, north
    position[at + L.LAST_OVER] = position[axes[L.PITS] + L.OVER]
    if kind == L.MATCH_REFILL:  # the reserve changes when the next round is laid out
        south, north = 2 * np.int64(position[at + L.TALLY]) + south, 2 * np.int64(position[at + L.TALLY + 1]) + north
        return min(south, north) < 2 * (half if axes[L.UNFILLED] == L.UNFILLED_THINNED else axes[L.START_SEEDS])
    for player in range(2):
        own, other = (south, north) if player == 0 else (north, south)
        points = own if kind == L.MATCH_POINTS else max(own - other, np.int64(0))
        if kind == L.MATCH_WINS:
            points = 2 * np.int64(own > other) + axes[L.DRAW_POINTS] * np.int64(own == other)
        position[at + L.TALLY + player] += points
    if kind == L.MATCH_TERRITORY:
        whole, rest = conquest(south, north, axes)
        extra = min(half, whole + (2 * rest > axes[L.START_SEEDS]))
        position[at + L.TALLY] = half + extra if south > north else half - extra
        position[at + L.TALLY + 1] = 2 * half - position[at + L.TALLY]
    if kind == L.MATCH_DIFFERENCE and axes[L.SIGNED]:
        both = min(np.int64(position[at + L.TALLY]), np.int64(position[at + L.TALLY + 1]))
        position[at + L.TALLY] -= both
        position[at + L.TALLY + 1] -= both
    return max(position[at + L.TALLY], position[at + L.TALLY + 1]) >= axes[L.TARGET]


@inlined
def lay_territory(position, south, north, axes):
    """Deal out the pits after a game of a territory match; seeds left over go where KEEPS says."""
    half, seeds, winner = axes[L.PITS] // 2, axes[L.START_SEEDS], np.int64(south < north)
    whole, rest = conquest(south, north, axes)
    extra = whole + (2 * rest > seeds)
    camp = half if winner == 0 else 0  # the loser's own half begins here
    for pit in range(2 * half):
        conquered = camp <= pit < camp + extra
        position[axes[L.OWNERS] + pit] = winner if conquered or not camp <= pit < camp + half else 1 - winner
    if axes[L.KEEPS] and rest > 0:  # the pit on the border holds the seeds of one of them, if one has more of its seeds
        stores, other = axes[L.PITS] + L.STORES, seeds - rest
        position[camp + whole] = max(rest, other) if rest != other else 0
        position[stores + winner] = rest if rest <= other else 0
        position[stores + 1 - winner] = other if rest >= other else 0


@inlined
def lay_refill(position, south, north, axes):
    """Players lay out their reserves and half of their doubled scores; ``position`` says who begins. THINNED: the
    poorer one lays all out, one at a time from the own right, and the richer as many. Else each fills the own pits;
    those that lack seeds are closed, or seeds are borrowed; the rest is the reserve, below 0 owed."""
    at, rule, full, half = axes[L.MATCH], axes[L.UNFILLED], axes[L.START_SEEDS], axes[L.PITS] // 2
    south = np.int64(position[at + L.TALLY]) + south // 2
    north = np.int64(position[at + L.TALLY + 1]) + north // 2
    for player in range(2):
        seeds, poorer = south if player == 0 else north, min(south, north)
        laid = poorer if rule == L.UNFILLED_THINNED else axes[L.TOTAL_SEEDS] // 2
        if rule == L.UNFILLED_THINNED:
            for place in range(half):
                position[player * half + place] = laid // half + (half - 1 - place < laid % half)
        elif rule != L.UNFILLED_BORROWED:
            filled = min((poorer if rule == L.UNFILLED_COLUMNS else seeds) // full, half)
            laid, left = filled * full, half - filled  # pits that are closed at the left end
            if rule == L.UNFILLED_RIGHT or (rule == L.UNFILLED_COLUMNS and position[at + L.FIRST] == player):
                left = np.int64(0)
            elif rule == L.UNFILLED_OUTSIDE:
                left = (left + 1) // 2
            for place in range(half):
                closed = not left <= place < left + filled
                position[axes[L.CLOSED] + player * half + place] = closed
                if closed:
                    position[player * half + place] = 0
        position[at + L.TALLY + player] = seeds - laid


@part
def next_game(position, south, north, axes, tables):
    """A game of a match has ended with these doubled scores: add it to the match, and set up the next. Returns False if
    the match is over; then ``position`` says why, and pits and stores stand as the last game left them."""
    pits, at = axes[L.PITS], axes[L.MATCH]
    over = book(position, south, north, axes)
    if over or position[at + L.GAME] >= axes[L.MAX_GAMES]:
        last = L.ROUNDS_PLAYED if axes[L.MATCH_KIND] == L.MATCH_REFILL else L.GAMES_PLAYED
        position[pits + L.OVER] = L.MATCH_TARGET if over else last
        return False
    first, rule = np.int64(position[at + L.FIRST]), axes[L.FIRST_MOVER]
    if rule == L.FIRST_SOUTH:
        first = np.int64(0)
    elif rule == L.FIRST_ALTERNATES:
        first = 1 - first
    elif south != north:
        winner = 0 if south > north else 1
        first = winner if rule == L.FIRST_WINNER else 1 - winner
    position[at + L.GAME] += 1
    position[at + L.FIRST] = position[pits + L.MOVER] = first
    for field in (L.PLY, L.PLIES_SINCE_CAPTURE, L.OVER, L.STORES, L.STORES + 1):
        position[pits + field] = 0
    for offset, size in ((axes[L.REMOVED], 1), (axes[L.DEBT], 1), (axes[L.PENDING], L.PENDING_FIELDS)):
        if offset != 0:
            position[offset : offset + size] = 0
    for pit in range(pits):
        position[pit] = tables[0, L.SETUP + pit]
        if axes[L.MARKS] != 0:
            position[axes[L.MARKS] + pit] = -1
    if axes[L.CHOSEN] != 0:
        position[axes[L.CHOSEN]] = position[axes[L.CHOSEN] + 1] = -1
    if axes[L.MATCH_KIND] == L.MATCH_TERRITORY:
        lay_territory(position, south, north, axes)
    elif axes[L.MATCH_KIND] == L.MATCH_REFILL:
        lay_refill(position, south, north, axes)
    return True
