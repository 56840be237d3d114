"""A ruleset's arrays handed to a kernel as one: their addresses, and that of the function that plays a move by them, so
that a call examines one array, and no kernel is compiled anew for another game (``engine.play``)."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.compilers import TypingError, cgutils, intrinsic, ir, make_array, populate_array, types
from mancala_env.kernels.jit import DISABLE_JIT, inlined

# ``engine.Encoded.rules``: addresses and sizes.
(
    AXES_AT, AXES_LENGTH, TABLES_AT, TABLES_LINES, TABLES_WIDTH, NO_CAPTURE_AT, NO_CAPTURE_LENGTH, PLAY_AT, ADDRESSES,
) = range(9)  # fmt: skip


def _array(context, builder, kind, data, shape):
    """An array of this kind whose numbers lie at a pointer."""
    strides = [context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    made = make_array(kind)(context, builder)
    populate_array(made, data=data, shape=shape, strides=strides, itemsize=strides[-1], meminfo=None)
    return made._getvalue()


@intrinsic
def array_at(typing_context, address, shape, dtype):
    """The array of this shape, a tuple, that lies at an address. (``numba.carray`` needs arrays that are counted.)"""
    kind = types.Array(dtype.dtype, len(shape), "C")

    def generate(context, builder, signature, arguments):
        data = builder.inttoptr(arguments[0], context.get_data_type(kind.dtype).as_pointer())
        return _array(context, builder, kind, data, cgutils.unpack_tuple(builder, arguments[1]))

    return kind(types.int64, types.UniTuple(types.int64, len(shape)), dtype), generate


@inlined
def arrays_of(rules):
    """(axes, tables, no_capture_table) of ``engine.Encoded.rules``."""
    axes = array_at(rules[AXES_AT], (rules[AXES_LENGTH],), np.int64)
    tables = array_at(rules[TABLES_AT], (rules[TABLES_LINES], rules[TABLES_WIDTH]), np.uint8)
    return axes, tables, array_at(rules[NO_CAPTURE_AT], (rules[NO_CAPTURE_LENGTH],), np.bool_)


@intrinsic
def copy_of(typing_context, position):
    """A copy of a position, on the stack: gone when the kernel that calls this returns, or calls it here again."""
    kind = types.Array(types.int16, 1, "C")

    def generate(context, builder, signature, arguments):
        given = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        shape = cgutils.unpack_tuple(builder, given.shape)
        place = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(16), L.MAX_FIELDS))
        data = builder.bitcast(place, given.data.type)
        cgutils.raw_memcpy(builder, data, given.data, shape[0], 2)
        return _array(context, builder, kind, data, shape)

    return kind(position), generate


@intrinsic
def lowest(typing_context, bits):
    """The place of the lowest bit of a whole number that is not 0."""
    return types.int64(bits), lambda _, builder, __, arguments: builder.cttz(arguments[0], ir.IntType(1)(1))


@intrinsic
def call_play(typing_context, rules, position, action, mask, history, start, log):
    """Call the function at ``PLAY_AT`` of ``engine.Encoded.rules``, on contiguous arrays. If it raises, all stops."""
    arrays = (rules, position, mask, history, log)
    if any(not isinstance(kind, types.Array) or kind.layout != "C" for kind in arrays):
        raise TypingError(f"a move is played on contiguous arrays; not on {arrays}")
    whole = types.int64

    def generate(context, builder, signature, arguments):
        number = ir.IntType(64)
        given = [
            cgutils.create_struct_proxy(kind)(context, builder, value) if isinstance(kind, types.Array) else None
            for kind, value in zip(signature.args, arguments, strict=True)
        ]  # fmt: skip
        at = [builder.ptrtoint(array.data, number) if array else None for array in given]
        length = [cgutils.unpack_tuple(builder, array.shape)[0] if array else None for array in given]
        passed = [at[1], arguments[2], at[3], at[4], length[4], arguments[5], at[6], length[6], at[0]]
        kind = context.call_conv.get_function_type(whole, [whole] * len(passed))  # its result and any error by address
        places = [cgutils.alloca_once(builder, each.pointee) for each in kind.args[:2]]
        play = builder.load(builder.gep(given[0].data, [ir.Constant(number, PLAY_AT)]))
        code = builder.call(builder.inttoptr(play, kind.as_pointer()), [*places, *passed])
        with builder.if_then(builder.icmp_signed("!=", code, ir.Constant(code.type, 0)), likely=False):
            trap = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, trap, "llvm.trap"), [])
        return builder.load(places[0])

    return whole(rules, position, whole, mask, history, whole, log), generate


@intrinsic
def add_lap(typing_context, position, first, tables, player, lap, emptied, kept):
    """Leave ``kept`` seeds in pit ``first + emptied`` (below 0: none) and add ``tables[player, lap:]`` to ``LAP_WIDTH``
    fields from ``first`` on, by one vector instruction: Numba unrolls the loop of a lap before it looks for vectors,
    and cannot tell that two arrays do not overlap; narrow stores would delay a later wide load."""

    def generate(context, builder, signature, arguments):
        position_array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        table_array = cgutils.create_struct_proxy(signature.args[2])(context, builder, arguments[2])
        first, (player, lap, emptied, kept) = arguments[1], arguments[3:]
        width = cgutils.unpack_tuple(builder, table_array.shape)[1]
        byte, word, place = ir.IntType(8), ir.IntType(16), ir.IntType(32)
        narrow, wide, places = (ir.VectorType(each, L.LAP_WIDTH) for each in (byte, word, place))
        here = builder.gep(table_array.data, [builder.add(builder.mul(player, width), lap)])
        seeds = builder.zext(builder.load(builder.bitcast(here, narrow.as_pointer()), align=1), wide)
        fields = builder.bitcast(builder.gep(position_array.data, [first]), wide.as_pointer())
        both = (
            builder.insert_element(ir.Constant(wide, ir.Undefined), builder.trunc(each, word), place(0))
            for each in (emptied, kept)
        )
        there, left = (builder.shuffle_vector(each, each, ir.Constant(places, [0] * L.LAP_WIDTH)) for each in both)
        is_there = builder.icmp_signed("==", ir.Constant(wide, list(range(L.LAP_WIDTH))), there)
        before = builder.select(is_there, left, builder.load(fields, align=2))
        builder.store(builder.add(before, seeds), fields, align=2)
        return context.get_dummy_value()

    return types.void(position, types.intp, tables, *[types.intp] * 4), generate


if DISABLE_JIT:

    def add_lap(position, first, tables, player, lap, emptied, kept):  # type: ignore[misc]  # noqa: D103
        if emptied >= 0:
            position[first + emptied] = kept
        position[first : first + L.LAP_WIDTH] += tables[player, lap : lap + L.LAP_WIDTH]

    lowest = lambda bits: int(bits & -bits).bit_length() - 1  # type: ignore[assignment]  # noqa: E731
    arrays_of = lambda rules: rules[AXES_AT]  # noqa: E731
    copy_of = np.copy  # type: ignore[assignment]
