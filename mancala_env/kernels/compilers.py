"""What kernels import from Numba and LLVM; where Numba is not installed, in a browser say, stand-ins that do nothing:
as with ``NUMBA_DISABLE_JIT=1`` results are the same, some hundred times slower, unless kernels were compiled before."""

import contextlib
import importlib
import os
import warnings
from typing import Any

AHEAD: Any = None  # such a library

try:
    import numba
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils, event
    from numba.core import config as numba_config
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.errors import TypingError
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    config: Any = numba_config  # numba fills it at run time
    DISABLE_JIT = bool(config.DISABLE_JIT)
except ModuleNotFoundError as error:
    if error.name not in ("numba", "llvmlite"):  # it is installed, but broken
        raise

    class _Absent:
        """Stands for all of Numba: what decorates or describes kernels is asked for, and never used."""

        Listener = object

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return self

        def __call__(self, *arguments: Any, **settings: Any) -> Any:
            return self

    absent: Any = _Absent()
    numba = ir = types = cgutils = event = config = global_compiler_lock = absent
    TypingError = TypeError  # type: ignore[assignment, misc]
    intrinsic = make_array = populate_array = absent
    with contextlib.suppress(ModuleNotFoundError, OSError):  # only the page of docs/browser has it
        AHEAD = importlib.import_module("mancala_env.kernels.ahead").Library()
    DISABLE_JIT = AHEAD is None
    if DISABLE_JIT and os.environ.get("NUMBA_DISABLE_JIT") != "1":
        warnings.warn(
            "numba is not installed: games are played by plain Python, some hundred times slower; pip install numba, "
            "or set NUMBA_DISABLE_JIT=1 if that is meant",
            RuntimeWarning,
            stacklevel=2,
        )

__all__ = [
    "AHEAD", "DISABLE_JIT", "TypingError", "cgutils", "config", "event", "global_compiler_lock", "intrinsic", "ir",
    "make_array", "numba", "populate_array", "types",
]  # fmt: skip
