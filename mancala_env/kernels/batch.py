"""Many games at once: play, reset and observe ``n`` positions, or a part of them on each thread, without the GIL."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import NO_ACTION, play
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler, inlined, part
from mancala_env.kernels.scores import final_scores
from mancala_env.kernels.single import WORD, mask_end

njit = compiler(KERNELS, work=Work("batches of games", 15))


@njit
def first_illegal(games, actions, masks):
    """The first k whose ``actions[k]`` is not legal in game ``games[k]``, or -1. int64[m], int64[m], bool[n, A]."""
    for k in range(len(games)):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or not masks[games[k], action]:
            return k
    return -1


@njit
def play_games(games, moves, positions, masks, history, logs, rewards, over, finals, rules):
    """Play one legal action of ``moves``, int64[m], in each of different ``games``, int64[m], in place; a game that
    ends is reset at once. ``positions``: int16[n, W]; ``masks``: bool[n, A]; ``history``: uint64[n, H], H at least two
    more than the plies since a capture; ``logs``: int16[n, G, 3], of ``ending.check_termination``. Where a game ends:
    ``rewards``, float32[n, 2], ``over``, int8[n], and ``finals``, int16[n + 1, ...], its last position and then twice
    the final scores; the last line of ``finals`` holds the data (``single``) of the start. Returns the most plies since
    a capture."""
    axes, tables, _ = arrays_of(rules)
    pits, width, actions = axes[L.PITS], positions.shape[1], masks.shape[1]
    first = finals[len(positions)]
    first_mask = first[width:].view(np.bool_)
    longest = 0
    for k in range(len(games)):
        game = games[k]
        position = positions[game]
        hashes = history[game]
        start = play(rules, position, moves[k], masks[game], hashes, 0, logs[game])
        if position[pits + L.OVER] != 0:
            over[game] = position[pits + L.OVER]
            finals[game, width], finals[game, width + 1], lead = final_scores(position, axes, tables)
            rewards[game, 0], rewards[game, 1] = np.sign(lead), -np.sign(lead)
            for field in range(width):
                finals[game, field] = position[field]
                position[field] = first[field]
            for action in range(actions):
                masks[game, action] = first_mask[action]
            if axes[L.REPEATS] > 0:
                at = mask_end(width, actions)
                hashes[0] = first[at : at + WORD].view(np.uint64)[0]
        elif start > 0 and axes[L.REPEATS] > 0:
            hashes[0] = hashes[start]
        longest = max(longest, np.int64(position[pits + L.PLIES_SINCE_CAPTURE]))
    return longest


@njit
def first_unlike(positions, masks, position, mask, history, log, rules):
    """The first k such that ``positions[k]``, int16[n, W], sound, is no running position in which its mover may play
    ``masks[k]``, bool[n, A], or -1; ends by repetition are not seen. ``position`` to ``log`` are work space for one
    game, with room for the most plies since a capture and two more; ``rules``: ``engine.bind`` of
    ``Ruleset.one_game``."""
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    for k in range(len(positions)):
        for field in range(len(position)):
            position[field] = positions[k, field]
        play(rules, position, NO_ACTION, mask, history, 0, log)
        history[np.int64(positions[k, pits + L.PLIES_SINCE_CAPTURE])] = 0  # nor is the next position a repetition of it
        is_like = position[pits + L.MOVER] == positions[k, pits + L.MOVER]
        is_like = is_like and positions[k, pits + L.OVER] == 0 and position[pits + L.OVER] == 0
        for action in range(len(mask)):
            is_like = is_like and mask[action] == masks[k, action]
        if not is_like:
            return k
    return -1


@inlined
def pick(mask, actions, x):
    """The legal action that the random number ``x``, uint64, picks; -1 if there is none."""
    legal = 0
    for action in range(actions):
        legal += mask[action]
    choice = np.int64(((x >> np.uint64(32)) * np.uint64(legal)) >> np.uint64(32))
    chosen = 0  # the number of actions before the chosen one
    for action in range(actions):
        choice -= mask[action]
        chosen += choice >= 0
    return chosen if legal > 0 else -1


@njit
def random_actions(masks, seed, turn, first, out):
    """Write a uniformly random legal action of each game to ``out``, int64[n]; -1 where there is none. The numbers
    depend on (seed, turn, first + game) alone, by the mixer of SplitMix64 (Steele, Lea and Flood 2014), so that any
    split of the games over threads draws the same ones."""
    stream = np.uint64(seed) + np.uint64(turn) * np.uint64(0x9E3779B97F4A7C15)
    for game in range(len(masks)):
        x = stream ^ (np.uint64(first + game) * np.uint64(0xD1342543DE82EF95))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
        if masks.shape[1] == L.COMMON_ACTIONS:  # loops of a constant length are unrolled
            out[game] = pick(masks[game], L.COMMON_ACTIONS, x)
        else:
            out[game] = pick(masks[game], masks.shape[1], x)


if DISABLE_JIT:
    random_actions = np.errstate(over="ignore")(random_actions)  # it wraps around on purpose


@inlined
def write_rest(position, seat, out, at, axes, tables):
    """What every encoder writes after the pits, from ``out[at]`` on.

    The shares of all seeds in the own store and in the other's; then, as far as the game has them: for each pit
    whether it is the seat's own; whether it bears the own mark; whether it bears the other's; the share of seeds
    removed; of a match, where the seat stands and where the other does (the share of the target, of pits, or of seeds
    in reserve; half of that from 0.5 up, or down, where they may be owed), the share of games played, and the result
    of the game before (1 won, 0.5 drawn or none, 0 lost); where players choose a direction for the whole game, whether
    the seat goes counter-clockwise, whether it goes clockwise, and the same of the other; a ninth of the pits that the
    mover has still to pick, or whether the mover may go on counter-clockwise, or clockwise, and for each pit whether
    from there (0 if the seat is not to move); where a direction or an end is chosen in mid-turn, the share of all
    seeds that are to be sown, and for each pit whether it is that one; for each pit whether it is remembered; the
    shares of all seeds that the seat, and the other, has in hand; whether the seat, and the other, has a stronghold;
    for each pit whether it is under a threat; half a share of all seeds that the seat owes the other, from 0.5 up, or
    is owed, from 0.5 down; and for each pit whether it is closed.
    """
    pits = axes[L.PITS]
    scale = np.float32(1.0 / axes[L.TOTAL_SEEDS])
    write_pair(position, seat, out, at, pits + L.STORES, scale)
    at += 2
    if axes[L.OWNERS] != 0:
        at = write_pits(position, seat, out, at, axes[L.OWNERS], seat, pits, tables)
    if axes[L.MARKS] != 0:
        at = write_pits(position, seat, out, at, axes[L.MARKS], seat, pits, tables)
        at = write_pits(position, seat, out, at, axes[L.MARKS], 1 - seat, pits, tables)
    if axes[L.REMOVED] != 0:
        out[at] = position[axes[L.REMOVED]] * scale
        at += 1
    if axes[L.MATCH] != 0:
        match, whole = axes[L.MATCH], axes[L.TARGET]
        if axes[L.MATCH_KIND] == L.MATCH_TERRITORY:
            whole = pits
        elif axes[L.MATCH_KIND] == L.MATCH_REFILL:
            whole = axes[L.TOTAL_SEEDS]
        for k in range(2):
            tally = position[match + L.TALLY + (seat if k == 0 else 1 - seat)]
            stands = min(np.float32(1.0), np.float32(tally) / np.float32(whole))
            if axes[L.UNFILLED] == L.UNFILLED_BORROWED:
                stands = np.float32(0.5) + np.float32(0.5) * stands
            out[at + k] = stands
        out[at + 2] = np.float32(position[match + L.GAME] - 1) / np.float32(axes[L.MAX_GAMES])
        before = np.int64(position[match + L.LAST + seat]) - np.int64(position[match + L.LAST + 1 - seat])
        out[at + 3] = 0.5 * (1 + np.sign(before))
        at += 4
    if axes[L.CHOSEN] != 0:
        for k in range(4):
            out[at + k] = position[axes[L.CHOSEN] + (seat if k < 2 else 1 - seat)] == k % 2
        at += 4
    if axes[L.PENDING] != 0:
        at = write_decision(position, seat, out, at, axes, tables)
    if axes[L.MEMORY] != 0:
        at = write_pits(position, seat, out, at, axes[L.MEMORY], 1, pits, tables)
    if axes[L.HANDS] != 0:
        at = write_pair(position, seat, out, at, axes[L.HANDS], scale)
    if axes[L.STRONGHOLD] != 0:
        at = write_pair(position, seat, out, at, axes[L.STRONGHOLD], np.float32(1.0))
    if axes[L.THREAT] != 0:
        at = write_pit(np.int64(position[axes[L.THREAT]]) - 1, seat, out, at, pits, tables)
    if axes[L.DEBT] != 0:
        owed = np.float32(position[axes[L.DEBT]] * scale)
        out[at] = np.float32(0.5) + np.float32(0.5) * (owed if seat == 0 else -owed)
        at += 1
    if axes[L.CLOSED] != 0:
        write_pits(position, seat, out, at, axes[L.CLOSED], 1, pits, tables)


@inlined
def write_pair(position, seat, out, at, field, scale):
    """Two fields, the seat's first, as shares. This and the next ones return where the next entry goes."""
    out[at] = position[field + seat] * scale
    out[at + 1] = position[field + 1 - seat] * scale
    return at + 2


@part
def write_pits(position, seat, out, at, field, value, pits, tables):
    """For each pit whether its field has this value."""
    for k in range(pits):
        out[at + k] = position[field + tables[seat, L.VIEW + k]] == value
    return at + pits


@part
def write_pit(pit, seat, out, at, pits, tables):
    """For each pit whether it is this one; -1: none is."""
    for k in range(pits):
        out[at + k] = pit == tables[seat, L.VIEW + k]
    return at + pits


@part
def write_decision(position, seat, out, at, axes, tables):
    """What the seat has to decide in mid-turn."""
    pits, left, kind, pit = axes[L.PITS], np.int64(0), np.int64(0), np.int64(position[axes[L.PENDING] + L.AT])
    if position[pits + L.MOVER] == seat:
        left = np.int64(position[axes[L.PENDING] + L.LEFT])
        kind = np.int64(position[axes[L.PENDING] + L.DECISION])
    picks = False
    for k in range(axes[L.CLAUSES]):
        picks = picks or 0 < axes[L.LANDING + k * L.CLAUSE_SIZE + L.PICKS] < L.MAY_STOP
    if picks:
        out[at] = left * np.float32(1.0 / 9) if kind == L.PICK else np.float32(0.0)
        at += 1
    if axes[L.DECISIONS] > pits:
        for k in range(2):
            out[at + k] = kind == L.GO_ON and left == k
        at = write_pit(pit if kind == L.GO_ON else np.int64(-1), seat, out, at + 2, pits, tables)
    if axes[L.REVERSES] & L.REVERSE_LAPS:
        asked = kind == L.CHOOSE_WAY
        out[at] = left * np.float32(1.0 / axes[L.TOTAL_SEEDS]) if asked else np.float32(0.0)
        at = write_pit(pit if asked else np.int64(-1), seat, out, at + 1, pits, tables)
    return at


@inlined
def write_shares(position, first, out, at, pits, scale):
    """The seeds of ``pits`` pits from the first one on, as shares."""
    for k in range(pits):
        out[at + k] = min(position[first + k] * scale, np.float32(1.0))


@njit
def write_counts(positions, seats, out, rules):
    """Encoder ``counts``: seeds as a share of all in play, from the seat's own first pit on, then ``write_rest``.
    float32[n, N + rest], positions int16[n, W], seats int8[n]."""
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    half, is_common = pits // 2, axes[L.HALVES] != 0 and pits == L.COMMON_PITS
    scale = np.float32(1.0 / axes[L.TOTAL_SEEDS])
    for game in range(len(positions)):
        seat = np.int64(seats[game])
        if is_common:  # loops of a constant length are unrolled
            write_shares(positions[game], seat * half, out[game], 0, L.COMMON_PITS // 2, scale)
            write_shares(positions[game], (1 - seat) * half, out[game], half, L.COMMON_PITS // 2, scale)
        else:
            for k in range(pits):
                pit = np.int64(tables[seat, L.VIEW + k])
                out[game, k] = min(positions[game, pit] * scale, np.float32(1.0))
        write_rest(positions[game], seat, out[game], pits, axes, tables)


@njit
def write_onehot(positions, seats, out, bins, rules):
    """Encoder ``onehot``: for each pit ``bins`` entries, that of its seeds 1, the last for ``bins - 1`` or more; then
    ``write_rest``. float32[n, N * bins + rest]."""
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    for game in range(len(positions)):
        seat = np.int64(seats[game])
        for k in range(pits * bins):
            out[game, k] = 0.0
        for k in range(pits):
            count = np.int64(positions[game, tables[seat, L.VIEW + k]])
            out[game, k * bins + min(count, bins - 1)] = 1.0
        write_rest(positions[game], seat, out[game], pits * bins, axes, tables)
