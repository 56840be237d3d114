"""Compiling kernels, with a disk cache that notices an edit in any kernel file.

Numba's own cache looks only at the file that holds the compiled function: after an edit in a file that it calls into,
it would go on running the old code. So the cache folder is named after a digest of every kernel source.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config as numba_config

KERNELS = Path(__file__).parent
config: Any = numba_config  # numba fills it at run time
DISABLE_JIT = bool(config.DISABLE_JIT)


def digest(folders: tuple[Path, ...]) -> str:
    """Sixteen hexadecimal digits that change with the content of any Python file in ``folders``."""
    content = hashlib.sha256()
    for folder in folders:
        for file in sorted(folder.glob("*.py")):
            content.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return content.hexdigest()[:16]


def cache_folder(name: str, beside: Path) -> Path:
    """The first writable place for compiled kernels, created if need be.

    In order: ``$NUMBA_CACHE_DIR``, ``beside/__pycache__``, the user's cache folder, a private temporary folder.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [chosen] if chosen else []
    for place in (*places, beside / "__pycache__", f"{user}/mancala_env"):
        try:
            folder = Path(str(place)).expanduser() / f"kernels-{name}"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except (OSError, RuntimeError):  # not writable; or nobody knows whose home "~" is
            continue
    return Path(tempfile.mkdtemp(prefix="mancala_env-"))


def compiler(*folders: Path, inline: bool = False, allocates: bool = False) -> Callable[..., Any]:
    """A decorator that compiles kernels whose code lies in ``folders``.

    The kernels release the GIL, do not check bounds (but with ``NUMBA_BOUNDSCHECK=1``) and divide as NumPy does. With
    ``NUMBA_DISABLE_JIT=1`` they stay plain Python functions: the debugger and the coverage tool of this project.

    Two habits of Numba would cost more than the rules themselves, so they are off by default. Counting references to
    array views (several atomic operations a game): a kernel that creates arrays, or assigns one to a slice of
    another, needs it and says ``allocates``. And calling small functions that take arrays: those say ``inline``.
    """
    if DISABLE_JIT:
        return lambda function: function

    name = digest(folders) + ("-bounds" if config.BOUNDSCHECK else "")  # with NUMBA_BOUNDSCHECK=1 the code is another
    folder = str(cache_folder(name, folders[-1]))
    options: Any = {"cache": True, "nogil": True, "error_model": "numpy", "forceinline": inline, "_nrt": allocates}

    def decorate(function: Callable[..., Any]) -> Any:
        before = config.CACHE_DIR
        config.CACHE_DIR = folder  # read while the function is decorated, not later
        try:
            return numba.njit(**options)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


njit = compiler(KERNELS)
inlined = compiler(KERNELS, inline=True)
allocating = compiler(KERNELS, allocates=True)
