"""One vector instruction where Numba would write sixteen scalar ones, as it unrolls the loop of a lap before it looks
for vectors, and cannot tell that two arrays do not overlap; narrow stores also delay a later wide load."""

from mancala_env.kernels import layout as L
from mancala_env.kernels.compilers import TypingError, cgutils, intrinsic, ir, types
from mancala_env.kernels.jit import DISABLE_JIT


@intrinsic
def add_lap(typing_context, position, first, tables, player, lap, emptied):
    """Empty pit ``first + emptied`` (below 0: none) and add ``tables[player, lap:]``, uint8[2, T], to ``LAP_WIDTH``
    fields of ``position``, int16[W], from ``first`` on. Both arrays must be C-contiguous, or it does not compile."""
    for name, array, dtype, dimensions in (("position", position, types.int16, 1), ("tables", tables, types.uint8, 2)):
        asked = f"{dtype}, {dimensions}d, C-contiguous"
        if not isinstance(array, types.Array) or (array.dtype, array.ndim, array.layout) != (dtype, dimensions, "C"):
            raise TypingError(f"add_lap: {name} must be an array of {asked}, not {array}; copy it to one that is")
        if name == "position" and not array.mutable:
            raise TypingError(f"add_lap: {name} is read-only, but is written to; copy it to a writable array")

    def generate(context, builder, signature, arguments):
        position_array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        table_array = cgutils.create_struct_proxy(signature.args[2])(context, builder, arguments[2])
        first, (player, lap, emptied) = arguments[1], arguments[3:]
        width = cgutils.unpack_tuple(builder, table_array.shape)[1]
        narrow, wide = ir.VectorType(ir.IntType(8), L.LAP_WIDTH), ir.VectorType(ir.IntType(16), L.LAP_WIDTH)
        word = ir.IntType(16)

        def everywhere(value):
            one = builder.insert_element(ir.Constant(wide, ir.Undefined), builder.trunc(value, word), ir.IntType(32)(0))
            places = ir.Constant(ir.VectorType(ir.IntType(32), L.LAP_WIDTH), [0] * L.LAP_WIDTH)
            return builder.shuffle_vector(one, one, places)

        here = builder.gep(table_array.data, [builder.add(builder.mul(player, width), lap)])
        seeds = builder.zext(builder.load(builder.bitcast(here, narrow.as_pointer()), align=1), wide)
        fields = builder.bitcast(builder.gep(position_array.data, [first]), wide.as_pointer())
        cells = ir.Constant(wide, list(range(L.LAP_WIDTH)))
        empty = builder.icmp_signed("==", cells, everywhere(emptied))
        kept = builder.select(empty, ir.Constant(wide, [0] * L.LAP_WIDTH), builder.load(fields, align=2))
        builder.store(builder.add(kept, seeds), fields, align=2)
        return context.get_dummy_value()

    whole = types.intp
    return types.void(position, whole, tables, whole, whole, whole), generate


def add_lap_plainly(position, first, tables, player, lap, emptied):
    """``add_lap`` without the compiler."""
    if emptied >= 0:
        position[first + emptied] = 0
    position[first : first + L.LAP_WIDTH] += tables[player, lap : lap + L.LAP_WIDTH]


if DISABLE_JIT:
    add_lap = add_lap_plainly  # type: ignore[assignment]
