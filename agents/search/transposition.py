# mypy: allow-untyped-defs, no-check-untyped-defs
"""The transposition table of a compiled search: names of positions, and what is known of them.

An entry is a name and a packed number. The name is the key of the position xor that number, so that an entry of which
two threads wrote one part each belongs to no position (R. M. Hyatt and T. Mann, "A lockless transposition-table
implementation for parallel search", ICGA Journal 25, 2002). From the lowest bit on, the number is

- of a search to a depth: 2 bits which bound it is, 1 bit whether the depth cut a line off, 8 bits best action, 8 bits
  depth, 6 bits logarithm of the nodes it took, 6 bits generation, and from bit 32 on the value;
- of a proof, a search to the end of the game whose next test asks for another number: 3 bits 1, best action, logarithm
  and generation at the same places, 16 bits upper bound from bit 32 on and 16 bits lower bound.
"""

from pathlib import Path

import numpy as np

from agents.search import stack as S
from agents.search.learned import SURE
from mancala_env.kernels import layout as L
from mancala_env.kernels.compilers import cgutils, intrinsic, ir, types
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, compiler

inlined = compiler(KERNELS, Path(__file__).parent, inline=True)
njit = compiler(KERNELS, Path(__file__).parent)

EXACT, LOWER, UPPER = 1, 2, 3
NO_LOWER, NO_UPPER = -(1 << 15), (1 << 15) - 1
KEYS = np.random.default_rng(20001109).integers(0, 2**64, 512, dtype=np.uint64) | np.uint64(1)
KEYS.setflags(write=False)
APART = np.uint64(0x5851F42D4C957F2D)  # so that no entry of another search in the same table is taken for a proof's


@inlined
def _mixed(key):
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(32))


@inlined
def _position_key(position, relative, axes):
    pits = axes[L.PITS]
    key = np.uint64(position[pits + L.MOVER]) * KEYS[pits]
    for pit in range(pits):
        key += np.uint64(position[pit]) * KEYS[pit]
    if not relative:
        key += (
            np.uint64(position[pits + L.STORES]) * KEYS[pits + 1]
            + np.uint64(position[pits + L.STORES + 1]) * KEYS[pits + 2]
        )
    if position[pits + L.PLY] < axes[L.BY_PLY]:  # the same position later is another one
        key += np.uint64(position[pits + L.PLY] + 1) * KEYS[pits + L.PLY]
    for field in range(pits + L.OVER + 1, len(position)):
        key += np.uint64(np.int64(position[field]) & 0xFFFF) * KEYS[field]
    return _mixed(key)


@inlined
def key_of(proof, position, relative, axes):
    """uint64: the hash of a position without plies or, if ``relative``, stores; in a proof, of what the mover sees."""
    if proof is None:
        return _position_key(position, relative, axes)
    pits = axes[L.PITS]
    if axes[L.HALVES] == 0 or len(position) > pits + L.POSITION_FIELDS or not relative:
        return _position_key(position, relative, axes) ^ APART
    half = pits // 2
    own = half if position[pits + L.MOVER] != 0 else 0
    key = np.uint64(0)
    for pit in range(half):
        key += np.uint64(position[own + pit]) * KEYS[pit] + np.uint64(position[half - own + pit]) * KEYS[half + pit]
    return _mixed(key) ^ APART


if DISABLE_JIT:
    key_of = np.errstate(over="ignore")(key_of)  # it wraps around on purpose


@njit
def root_key(position, relative, axes):
    """``key_of`` a position that is searched to a depth."""
    return key_of(None, position, relative, axes)


@inlined
def offset(position, value, level, relative, axes):
    """What is subtracted from a stored value: a lead in stores that share an entry; plies to the root from a win."""
    pits = axes[L.PITS]
    if relative:
        lead = 2 * relative * (np.int64(position[pits + L.STORES]) - np.int64(position[pits + L.STORES + 1]))
        return lead if position[pits + L.MOVER] == 0 else -lead
    if axes[L.GOAL] == L.GOAL_SEEDS or abs(value) <= SURE:
        return 0
    return -2 * level if value > 0 else 2 * level


@intrinsic
def _prefetch(typing_context, array, index):
    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        strides = cgutils.unpack_tuple(builder, view.strides)
        byte = ir.IntType(8).as_pointer()
        place = builder.gep(builder.bitcast(view.data, byte), [builder.mul(arguments[1], strides[0])])
        whole = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        wish = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(wish, [place, whole(0), whole(3), whole(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


if DISABLE_JIT:
    _prefetch = lambda *_: None  # type: ignore[assignment]  # noqa: E731


@inlined
def first_place(names, key):
    """The first of the two places of an entry."""
    return np.int64(key & np.uint64(len(names) - 2))


@inlined
def prefetch(names, key):
    """Ask for the cache line of a position, which will be wanted soon."""
    _prefetch(names, first_place(names, key))


@inlined
def find(names, entries, key):
    """The entry of a position: its packed number, or 0."""
    first = first_place(names, key)
    for index in range(first, first + 2):
        data = entries[index]
        if names[index] ^ np.uint64(data) == key:
            return data
    return np.int64(0)


@inlined
def store(names, entries, key, data):
    """Write an entry in one of its two places: over its own, an older search's, or the one that was less work."""
    first = first_place(names, key)
    kept, name = entries[first], names[first]
    same = name ^ np.uint64(kept) == key
    older = (kept >> 25) & 63 != (data >> 25) & 63
    index = first
    if not same:
        if older or (data >> 19) & 63 >= (kept >> 19) & 63:
            names[first + 1], entries[first + 1] = name, kept
        else:
            index = first + 1
    names[index], entries[index] = key ^ np.uint64(data), data


@inlined
def action_of(data):
    """The best action of an entry, or ``NO_MOVE``."""
    return (data >> 3) & 255


@inlined
def cut_of(proof, data):
    """Whether the depth cut off a line that an entry is about; 1 or 0."""
    return (data >> 2) & 1 if proof is None else np.int64(0)


@inlined
def _bounds_of(data):
    return data >> 48, (data << 16) >> 48


@inlined
def fits(data, remaining, position, axes):
    """Whether an entry was searched as deep, or to the end, and no line can repeat a position or meet the ply limit."""
    pits = axes[L.PITS]
    depth = (data >> 11) & 255
    if depth != remaining and (depth > remaining or (data >> 2) & 1 != 0):
        return False
    repeats = axes[L.REPEATS] > 0 and np.int64(position[pits + L.PLIES_SINCE_CAPTURE]) + depth >= axes[L.REPEAT_GAP]
    return not repeats and np.int64(position[pits + L.PLY]) + depth < axes[L.PLY_LIMIT]


@inlined
def answer(proof, data, remaining, position, turned, alpha, beta, level, relative, axes):
    """Whether an entry is all that a search wants to know, its value, and whether that is exact, for the mover, or if
    ``turned`` for the other player. An inexact value is a lower bound from beta on, or an upper one up to alpha.
    """
    if proof is None:
        bound = data & 3
        lower = bound == (UPPER if turned else LOWER)
        if not (lower or bound == EXACT or alpha > -S.INFINITY) or not fits(data, remaining, position, axes):
            return False, np.int64(0), False
        value = data >> 32
        value += offset(position, value, level, relative, axes)
        value = -value if turned else value
        return bound == EXACT or (value >= beta if lower else value <= alpha), value, bound == EXACT
    low, high = _bounds_of(data)
    low += offset(position, low, level, relative, axes)
    high += offset(position, high, level, relative, axes)
    low, high = (-high, -low) if turned else (low, high)
    return low >= beta or high < beta, low if low >= beta else high, False


@inlined
def remember(proof, table, key, position, value, frame, control, nodes, level, axes):
    """Store in a table, (names, entries), what a search of a position, of so many nodes until now, has found: its
    value, and what ``frame`` holds."""
    names, entries = table
    effort = _logarithm(max(nodes - frame[S.BEFORE], 1))
    data = (control[S.GENERATION] & 63) << 25 | effort << 19 | frame[S.BEST_ACTION] << 3
    stored = value - offset(position, value, level, control[S.RELATIVE], axes)
    if proof is None:
        bound = LOWER if value >= frame[S.BETA] else UPPER if value <= frame[S.OLD_ALPHA] else EXACT
        data |= stored << 32 | frame[S.REMAINING] << 11 | frame[S.CUT] << 2 | bound
        if fits(data, frame[S.REMAINING], position, axes):
            store(names, entries, key, data)
    else:
        lower, upper = np.int64(NO_LOWER), np.int64(NO_UPPER)
        kept = find(names, entries, key)
        if kept != 0:
            lower, upper = _bounds_of(kept)
        if value >= frame[S.BETA]:
            lower = max(lower, stored)
        else:
            upper = min(upper, stored)
        store(names, entries, key, data | lower << 48 | (upper & 0xFFFF) << 32 | 7)


@inlined
def _logarithm(nodes):
    """The binary logarithm of a number from 1 on, rounded down; at most 63."""
    bits = 0
    while nodes > 1:
        nodes >>= 1
        bits += 1
    return bits
