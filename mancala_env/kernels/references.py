"""A ruleset's arrays handed to a kernel as one: the addresses where they lie.

A call from Python examines each array that it passes, which for five arrays takes as long as a move. So where one move
is played at a time, their addresses are collected once.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from mancala_env.kernels.jit import DISABLE_JIT, inlined

# What ``references`` holds.
AXES_AT, AXES_LENGTH, TABLES_AT, TABLES_WIDTH, DEAD_AT, DEAD_LENGTH, WIDTH = range(7)


def references(encoded, width):
    """int64[7], the addresses and sizes of the arrays of a ruleset (``rules.ruleset.Encoded``) and the width of a row.

    The arrays must be kept as long as this is used. With ``NUMBA_DISABLE_JIT=1`` the arrays themselves.
    """
    if DISABLE_JIT:
        return encoded, width
    axes, tables, dead = encoded.axes, encoded.tables, encoded.dead
    found = [axes.ctypes.data, len(axes), tables.ctypes.data, tables.shape[1], dead.ctypes.data, len(dead), width]
    return np.array(found, dtype=np.int64)


@intrinsic
def arrays_of(typing_context, found):
    """(axes, tables, dead), of the types that all kernels are compiled for, from what ``references`` made."""
    whole = types.intp
    axes, tables, dead = (
        types.Array(dtype, ndim, "C", readonly=True)
        for dtype, ndim in ((types.int64, 1), (types.uint8, 2), (types.bool_, 1))
    )

    def generate(context, builder, signature, arguments):
        numbers = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data

        def number(k):
            return builder.load(builder.gep(numbers, [ir.Constant(ir.IntType(64), k)]))

        def array(kind, address, shape):
            made = make_array(kind)(context, builder)
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            strides = [context.get_constant(whole, size)]
            for length in shape[:0:-1]:
                strides.insert(0, builder.mul(strides[0], length))
            data = builder.inttoptr(number(address), made.data.type)
            populate_array(
                made, data=data, shape=shape, strides=strides, itemsize=context.get_constant(whole, size), meminfo=None
            )
            return made._getvalue()

        two = context.get_constant(whole, 2)
        return context.make_tuple(
            builder,
            signature.return_type,
            [
                array(axes, AXES_AT, [number(AXES_LENGTH)]),
                array(tables, TABLES_AT, [two, number(TABLES_WIDTH)]),
                array(dead, DEAD_AT, [number(DEAD_LENGTH)]),
            ],
        )

    return types.Tuple((axes, tables, dead))(found), generate


@inlined
def width_of(found):
    """The width of a row."""
    return found[WIDTH]


def _arrays_plainly(found):
    """``arrays_of`` without the compiler."""
    return found[0].axes, found[0].tables, found[0].dead


def _width_plainly(found):
    """``width_of`` without the compiler."""
    return found[1]


if DISABLE_JIT:
    arrays_of, width_of = _arrays_plainly, _width_plainly  # type: ignore[assignment]
