"""Parts of the engine that only some games need.

``engine.play_any`` does not contain them. Each is compiled, or loaded, when the first game that needs it is bound, and
called by its address, which stands beside those of the ruleset's arrays (``references``). So what is added for one kind
of games costs the others no time, neither when they are compiled nor when they are played.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from mancala_env.kernels.compilers import cgutils, intrinsic, ir, types
from mancala_env.kernels.jit import DISABLE_JIT, address, njit
from mancala_env.kernels.references import trap_unless_ok

# Kinds of arguments, as all kernels take them.
WHOLE, POSITION, MASK = types.int64, types.Array(types.int16, 1, "C"), types.Array(types.bool_, 1, "C")
LOG = types.Array(types.int16, 2, "C")
AXES, TABLES = types.Array(types.int64, 1, "C", readonly=True), types.Array(types.uint8, 2, "C", readonly=True)


class Extension(NamedTuple):
    """A part that is called by address."""

    slot: int  # where in what ``references`` makes its address stands
    kernel: Any
    kinds: tuple[Any, ...]  # of its arguments
    is_needed: Callable[[Any], bool]  # by the axes of a ruleset


EXTENSIONS: list[Extension] = []


def extension(
    slot: int, is_needed: Callable[[Any], bool], result: Any, *kinds: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for a kernel that is called by address; ``result`` and ``kinds``: Numba's types of what it gives and
    takes.

    Other kernels call what it makes, with what ``engine.bind`` made of the ruleset as one more argument in front.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = njit(function)
        EXTENSIONS.append(Extension(slot, kernel, kinds, is_needed))
        if DISABLE_JIT:
            return lambda found, *arguments: function(*arguments)
        return _by_address(slot, result, kinds)

    return decorate


def _by_address(slot: int, result: Any, kinds: tuple[Any, ...]) -> Any:
    @intrinsic
    def call(typing_context, found, *arguments):
        signature = result(found, types.StarArgTuple(kinds))

        def generate(context, builder, signature, given):
            addresses = cgutils.create_struct_proxy(signature.args[0])(context, builder, given[0]).data
            place = builder.load(builder.gep(addresses, [ir.Constant(ir.IntType(64), slot)]))
            kind = context.call_conv.get_function_type(result, kinds)  # its result and any error by address
            places = [cgutils.alloca_once(builder, each.pointee) for each in kind.args[:2]]
            passed = context.get_arg_packer(kinds).as_arguments(builder, cgutils.unpack_tuple(builder, given[1]))
            code = builder.call(builder.inttoptr(place, kind.as_pointer()), [*places, *passed])
            trap_unless_ok(builder, code)
            return context.get_returned_value(builder, result, builder.load(places[0]))

        return signature, generate

    return call


def load(found: Any, axes: Any) -> None:
    """Compile or load the extensions that a ruleset needs, and write where they lie to ``found``."""
    for each in EXTENSIONS:
        if each.is_needed(axes):
            found[each.slot] = address(each.kernel, *each.kinds)
