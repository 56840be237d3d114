"""Kernels that were compiled before, to WebAssembly, for Python in a browser, where Numba cannot be.

The page has this file as ``mancala_env.kernels.ahead``, which ``mancala_env.kernels.compilers`` asks for, and beside it
the library that ``engine.py`` made, with what each kernel takes and returns. A kernel is called as Numba calls it: two
addresses, for its result and for an error, then its arguments, an array as its address, its shape and its strides."""

import ctypes
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

LIBRARY, CONTENT = "kernels.so", "kernels.json"

Kind = str | list[Any]
"""What a kernel takes: "int", "uint", "bool", "float" or "none"; "int16 2 C" for an array of two dimensions, "A" if
it need not be contiguous; a list for a tuple. It returns a number, a truth value, "none" or a list of them."""

_PASSED = {
    "int": ctypes.c_int64,
    "uint": ctypes.c_uint64,
    "bool": ctypes.c_int32,
    "float": ctypes.c_double,
    "none": ctypes.c_void_p,
}
_RETURNED = _PASSED | {"bool": ctypes.c_int8}


def _fits(kind: Kind, value: Any) -> bool:
    """Is a value of this kind?"""
    if isinstance(kind, list):
        return isinstance(value, tuple) and len(kind) == len(value) and all(map(_fits, kind, value))
    if " " in kind:
        dtype, dimensions, layout = kind.split()
        if not isinstance(value, np.ndarray) or (value.dtype.name, value.ndim) != (dtype, int(dimensions)):
            return False
        return layout == "A" or value.flags.c_contiguous
    if kind == "none":
        return value is None
    if kind == "bool":
        return isinstance(value, bool | np.bool_)
    return isinstance(value, float if kind == "float" else int | np.integer) and not isinstance(value, bool)


def _types(kind: Kind) -> Iterator[Any]:
    """How a value of this kind is passed."""
    if isinstance(kind, list):
        for each in kind:
            yield from _types(each)
    elif " " in kind:
        dimensions = int(kind.split()[1])
        yield from (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        yield from [ctypes.c_int64] * (2 * dimensions)
    else:
        yield _PASSED[kind]


def _passed(kind: Kind, value: Any) -> Iterator[Any]:
    """A value as it is passed."""
    if isinstance(kind, list):
        for each, part in zip(kind, value, strict=True):
            yield from _passed(each, part)
    elif " " in kind:
        yield from (None, None, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    else:
        yield bool(value) if kind == "bool" else value


class Build:
    """A kernel for arguments of certain kinds."""

    def __init__(self, code: Any, takes: list[Kind], gives: Kind) -> None:
        self.takes, self._code = takes, code
        code.restype = ctypes.c_int32
        code.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *(each for kind in takes for each in _types(kind))]
        self._is_tuple = isinstance(gives, list)
        fields = [(f"_{k}", _RETURNED[each]) for k, each in enumerate(gives if isinstance(gives, list) else [gives])]
        self._result: Any = type("Result", (ctypes.Structure,), {"_fields_": fields})

    @property
    def address(self) -> int:
        """Where its code lies."""
        return ctypes.cast(self._code, ctypes.c_void_p).value or 0

    def __call__(self, *arguments: Any) -> Any:
        """What it returns for these arguments, which must be of its kinds. RuntimeError if it raises."""
        result, error = self._result(), ctypes.c_void_p()
        flat = [each for kind, value in zip(self.takes, arguments, strict=True) for each in _passed(kind, value)]
        if self._code(ctypes.byref(result), ctypes.byref(error), *flat):
            raise RuntimeError("a kernel that was compiled before failed")
        found = tuple(getattr(result, name) for name, _ in self._result._fields_)
        return found if self._is_tuple else found[0]


class Kernel:
    """A kernel for any arguments that it was compiled for."""

    def __init__(self, function: Any, builds: list[Build]) -> None:
        self.py_func, self.builds = function, builds
        self.__module__, self.__name__, self.__doc__ = function.__module__, function.__name__, function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """What it returns for these arguments. TypeError if it was not compiled for their kinds."""
        for build in self.builds:
            if len(build.takes) == len(arguments) and all(map(_fits, build.takes, arguments)):
                return build(*arguments)
        given = ", ".join(
            f"{each.dtype}[{each.ndim}]" if isinstance(each, np.ndarray) else type(each).__name__ for each in arguments
        )
        raise TypeError(f"{self.__name__} was not compiled for ({given}): docs.browser.engine says what is")


class Library:
    """The kernels that lie beside this file. OSError if they cannot be loaded here."""

    def __init__(self) -> None:
        folder = Path(__file__).parent
        self._content = json.loads((folder / CONTENT).read_text(encoding="utf-8"))
        self._code = ctypes.CDLL(str(folder / LIBRARY))

    def kernel(self, function: Callable[..., Any], module: str = "") -> Kernel:
        """The kernel that was made from a function, or in its stead in a ``module``."""
        found = self._content.get(f"{module or function.__module__}.{function.__name__}", {})
        return Kernel(function, [Build(self._code[symbol], *each) for symbol, each in found.items()])

    def own(self, kernel: Kernel, module: str) -> Kernel | None:
        """The kernel that was made in its stead in the ``module`` of one ruleset, if there is one."""
        found = self.kernel(kernel.py_func, module)
        return found if found.builds else None
