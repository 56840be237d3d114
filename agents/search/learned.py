# mypy: allow-untyped-defs, no-check-untyped-defs
"""The compiled part of a learned evaluation (``agents.search.evaluation``), the same on every machine: whole numbers
only.

The level of each pit (a number of seeds; large ones share one), its mark, and each player's seeds in hand choose rows
of the first layer, which are added up, clipped, squared, and weighed by the second layer.
"""

from pathlib import Path

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.compilers import cgutils, intrinsic, ir, types
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, compiler
from mancala_env.kernels.scores import WIN

inlined = compiler(KERNELS, Path(__file__).parent, inline=True)

LANES = 32  # units added at once: the width of the first layer is a multiple of it
ONE = 181  # what 1 is in the first layer, and the most that a unit can be: its square fits 16 bits
SHIFT = 24  # binary places of the factor
UNIT = 16  # parts of half a seed that an evaluation tells apart
SURE = WIN  # half seeds: a win that is certain counts about twice as much as the best chance

# The numbers of an evaluation, int64[NUMBERS].
(
    LEVELS,  # of seeds that are told apart
    MARKED,  # the first row of marks; those of hands follow
    FACTOR,  # what the sum of the second layer is multiplied by, times 2 ** SHIFT
    CONSTANT,  # added then
    NUMBERS,
) = range(5)


@intrinsic
def clipped_squares(typing_context, first, second, rows, count):
    """int64: ``count`` of ``rows`` int32[m] of ``first`` int16[R, H] summed, clipped, squared, weighed by ``second``
    int16[H]; as vectors, since a loop costs several times as much.
    """

    def generate(context, builder, signature, arguments):
        arrays = [
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args[:3], arguments[:3], strict=True)
        ]
        weights, out, chosen = (array.data for array in arrays)
        width = builder.extract_value(arrays[1].shape, 0)
        short, whole, size = ir.IntType(16), ir.IntType(32), ir.IntType(64)
        lanes, sums = ir.VectorType(short, LANES), ir.VectorType(whole, LANES)
        total = cgutils.alloca_once_value(builder, ir.Constant(sums, [0] * LANES))
        added = cgutils.alloca_once(builder, lanes)

        def at(pointer, index):
            place = builder.bitcast(builder.gep(pointer, [index]), lanes.as_pointer())
            return builder.load(place, align=2)

        with cgutils.for_range_slice(builder, size(0), width, size(LANES), size) as (block, _):
            builder.store(ir.Constant(lanes, [0] * LANES), added)
            with cgutils.for_range(builder, arguments[3]) as loop:
                row = builder.sext(builder.load(builder.gep(chosen, [loop.index])), size)
                start = builder.add(builder.mul(row, width), block)
                builder.store(builder.add(builder.load(added), at(weights, start)), added)
            unit = builder.load(added)
            for limit, above in ((0, "<"), (ONE, ">")):
                bound = ir.Constant(lanes, [limit] * LANES)
                unit = builder.select(builder.icmp_signed(above, unit, bound), bound, unit)
            unit = builder.sext(unit, sums)
            weighed = builder.mul(builder.mul(unit, unit), builder.sext(at(out, block), sums))
            builder.store(builder.add(builder.load(total), weighed), total)
        adder = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(whole, [sums]), f"llvm.vector.reduce.add.v{LANES}i32"
        )
        return builder.sext(builder.call(adder, [builder.load(total)]), size)

    return types.int64(first, second, rows, types.intp), generate


def _clipped_squares(first, second, rows, count):
    units = np.clip(first[rows[:count]].sum(axis=0, dtype=np.int16), 0, ONE).astype(np.int64)
    return int((units * units * second).sum())


if DISABLE_JIT:
    clipped_squares = _clipped_squares  # type: ignore[assignment]


@inlined
def write_rows(position, levels, rows, numbers, axes, tables):
    """Write to ``rows`` which rows of the first layer are added for a position; returns how many. Row 0 always is."""
    pits = axes[L.PITS]
    mover = np.int64(position[pits + L.MOVER])
    rows[0] = 0
    row = 1
    most = len(levels) - 1
    for k in range(pits):
        seeds = np.int64(position[tables[mover, L.VIEW + k]])
        rows[1 + k] = row + np.int64(levels[min(seeds, most)])
        row += numbers[LEVELS]
    count = 1 + pits
    if axes[L.MARKS] != 0:
        for k in range(pits):
            mark = np.int64(position[axes[L.MARKS] + tables[mover, L.VIEW + k]])
            if mark >= 0:
                rows[count] = numbers[MARKED] + 2 * k + (mark != mover)
                count += 1
    if axes[L.HANDS] != 0:
        base = numbers[MARKED] + 2 * pits * (axes[L.MARKS] != 0)
        for k in range(2):
            seeds = np.int64(position[axes[L.HANDS] + (mover ^ k)])
            rows[count] = base + k * numbers[LEVELS] + np.int64(levels[min(max(seeds, 0), most)])
            count += 1
    return count


@inlined
def unit_of(axes):
    """In how many parts half a seed is told; 1 where games are not about seeds."""
    return UNIT if axes[L.GOAL] == L.GOAL_SEEDS else 1


@inlined
def expected(position, weights, axes, tables):
    """What the mover of a running position may expect from here on, in parts (``unit_of``) of half a seed: the margin
    of the seeds still on the board; in games not about seeds, of ``scores.WIN``, the chance to win minus that to lose.
    In ``weights``, those of ``Evaluation.weights``, the ``rows`` are work space.
    """
    levels, first, second, numbers, rows = weights
    count = write_rows(position, levels, rows, numbers, axes, tables)
    value = (clipped_squares(first, second, rows, count) * numbers[FACTOR] >> SHIFT) + numbers[CONSTANT]
    limit = np.int64(SURE)
    if axes[L.GOAL] == L.GOAL_SEEDS:
        limit = np.int64(0)
        for pit in range(axes[L.PITS]):
            limit += np.int64(position[pit])
        limit *= 2 * UNIT
    return min(max(value, -limit), limit)
