"""Kernels that only kernels call, to be called from tests."""

from collections.abc import Callable
from typing import Any

import numba

from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.kernels.linking import ENTRY


def from_python(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A part or an inlined kernel, to be called from Python: compiled anew in each process."""
    if DISABLE_JIT:
        return kernel

    def call(*arguments):
        return kernel(*arguments)

    return numba.njit(error_model="numpy", **ENTRY)(call)
