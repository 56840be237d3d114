"""A ruleset's arrays handed to a kernel as one: the addresses where they lie.

A call from Python examines each array that it passes, which for five arrays takes as long as a move. So where one move
is played at a time, their addresses are collected once.

Beside them stands the address of the function that plays a move by these rules: all kernels call it there, so that none
of them is compiled anew for another game (``engine.play``).
"""

from operator import itemgetter

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.compilers import TypingError, cgutils, intrinsic, ir, make_array, populate_array, types
from mancala_env.kernels.jit import DISABLE_JIT, inlined

# What ``addresses`` holds.
(
    AXES_AT, AXES_LENGTH, TABLES_AT, TABLES_LINES, TABLES_WIDTH, NO_CAPTURE_AT, NO_CAPTURE_LENGTH, WIDTH, PLAY_AT,
    ADDRESSES,
) = range(10)  # fmt: skip


def addresses(axes, tables, no_capture_table, width=0, play=0):
    """int64[ADDRESSES]: the addresses and sizes of the arrays of a ruleset (``rules.encode.Encoded``), the width of a
    position, and the address of the function that plays a move.

    The arrays must be kept as long as this is used. With ``NUMBA_DISABLE_JIT=1`` the arrays themselves and the width.
    """
    if DISABLE_JIT:
        return (axes, tables, no_capture_table), width
    found = np.zeros(ADDRESSES, dtype=np.int64)
    found[:] = (
        axes.ctypes.data, len(axes), tables.ctypes.data, *tables.shape,
        no_capture_table.ctypes.data, len(no_capture_table), width, play,
    )  # fmt: skip
    return found


def _array(context, builder, kind, address, shape):
    """Code that makes an array of numbers that lie somewhere."""
    made = make_array(kind)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.inttoptr(address, made.data.type)
    populate_array(made, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return made._getvalue()


@intrinsic
def arrays_of(typing_context, found):
    """(axes, tables, no_capture_table) of what ``addresses`` made, of the types that all kernels are compiled for."""
    places = (AXES_AT, AXES_LENGTH), (TABLES_AT, TABLES_LINES, TABLES_WIDTH), (NO_CAPTURE_AT, NO_CAPTURE_LENGTH)
    kinds = [
        types.Array(dtype, len(place) - 1, "C", readonly=True)
        for dtype, place in zip((types.int64, types.uint8, types.bool_), places, strict=True)
    ]

    def generate(context, builder, signature, arguments):
        number = _numbers(context, builder, signature.args[0], arguments[0])
        arrays = [
            _array(context, builder, kind, number(at), [*map(number, lengths)])
            for kind, (at, *lengths) in zip(kinds, places, strict=True)
        ]
        return context.make_tuple(builder, signature.return_type, arrays)

    return types.Tuple(kinds)(found), generate


def _numbers(context, builder, kind, found):
    """Code that loads an entry of what ``addresses`` made."""
    data = cgutils.create_struct_proxy(kind)(context, builder, found).data
    return lambda k: builder.load(builder.gep(data, [ir.Constant(ir.IntType(64), k)]))


def _from_address(dtype, *rest):
    """A function that makes an array from the address of its numbers and its length; ``rest`` are further lengths."""
    kind = types.Array(dtype, 1 + len(rest), "C")

    @intrinsic
    def make(typing_context, address, length):
        def generate(context, builder, signature, arguments):
            shape = [arguments[1], *(context.get_constant(types.intp, each) for each in rest)]
            return _array(context, builder, kind, arguments[0], shape)

        return kind(types.int64, types.int64), generate

    return make


position_at, mask_at, history_at = _from_address(types.int16), _from_address(types.bool_), _from_address(types.uint64)
log_at, addresses_at = _from_address(types.int16, 3), _from_address(types.int64)


@intrinsic
def copy_of(typing_context, position):
    """A copy of a position, on the stack: gone when the kernel that calls this returns, or calls it here again."""
    kind = types.Array(types.int16, 1, "C")

    def generate(context, builder, signature, arguments):
        given = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        fields = cgutils.unpack_tuple(builder, given.shape)[0]
        place = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(16), L.MAX_FIELDS))
        cgutils.raw_memcpy(builder, builder.bitcast(place, given.data.type), given.data, fields, 2)
        return _array(context, builder, kind, builder.ptrtoint(place, fields.type), [fields])

    return kind(position), generate


@intrinsic
def lowest(typing_context, bits):
    """The place of the lowest bit of a whole number that is not 0."""
    return types.int64(bits), lambda _, builder, __, arguments: builder.cttz(arguments[0], ir.IntType(1)(1))


def trap_unless_ok(builder, code):
    """Code that stops the process if a function of Numba has raised: nothing else could be told to the caller."""
    failed = builder.icmp_signed("!=", code, ir.Constant(code.type, 0))
    with builder.if_then(failed, likely=False):
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.trap"), [])


@intrinsic
def call_play(typing_context, found, position, action, mask, history, start, log):
    """Call the function at ``PLAY_AT`` of what ``addresses`` made: ``engine.play_by_address``, or its like, with these.

    The arrays must be contiguous.
    """
    arrays = (found, position, mask, history, log)
    if any(not isinstance(kind, types.Array) or kind.layout != "C" for kind in arrays):
        raise TypingError(f"a move is played on contiguous arrays; not on {arrays}")
    whole = types.int64
    signature = whole(found, position, whole, mask, history, whole, log)

    def generate(context, builder, signature, arguments):
        def array(k):
            return cgutils.create_struct_proxy(signature.args[k])(context, builder, arguments[k])

        def address(k):
            return builder.ptrtoint(array(k).data, number)

        def length(k):
            return cgutils.unpack_tuple(builder, array(k).shape)[0]

        number = ir.IntType(64)
        passed = [
            address(1), length(1), arguments[2], address(3), length(3), address(4), length(4), arguments[5], address(6),
            length(6), address(0),
        ]  # fmt: skip
        kind = context.call_conv.get_function_type(whole, [whole] * len(passed))  # its result and any error by address
        places = [cgutils.alloca_once(builder, each.pointee) for each in kind.args[:2]]
        play = _numbers(context, builder, signature.args[0], arguments[0])(PLAY_AT)
        code = builder.call(builder.inttoptr(play, kind.as_pointer()), [*places, *passed])
        trap_unless_ok(builder, code)
        return builder.load(places[0])

    return signature, generate


@inlined
def width_of(found):
    """The width of a position."""
    return found[WIDTH]


def _lowest_plainly(bits):
    """``lowest`` without the compiler."""
    return int(bits & -bits).bit_length() - 1


if DISABLE_JIT:
    lowest = _lowest_plainly  # type: ignore[assignment]
    arrays_of, width_of, copy_of = itemgetter(0), itemgetter(1), np.copy  # type: ignore[assignment]
