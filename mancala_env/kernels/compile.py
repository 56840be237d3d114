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

from mancala_env.kernels import linking

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


def compiler(
    *folders: Path, inline: bool = False, part: bool = False, allocates: bool = False, cache: bool = True
) -> Callable[..., Any]:
    """A decorator that compiles kernels whose code lies in ``folders``.

    The kernels release the GIL, do not check bounds and divide as NumPy does. With ``NUMBA_DISABLE_JIT=1`` they stay
    plain Python functions: the debugger and the coverage tool of this project.

    A kernel that Python calls is an entry, kept on disk if ``cache``. One that only kernels call says ``part``, or
    ``inline`` if its code is to stand in each of its callers (``linking`` says what becomes of both); calling one from
    Python is not possible. A kernel that creates arrays, or assigns one to a slice of another, needs references to
    them counted, which costs several atomic operations for each view of an array: it says ``allocates``.
    """
    if DISABLE_JIT:
        return lambda function: function

    options: Any = {"nogil": True, "error_model": "numpy", "_nrt": allocates, "forceinline": inline}
    if inline or part:
        options |= linking.PART
        cache = cache and not linking.PART
    else:
        options |= linking.ENTRY
    if not cache:
        return numba.njit(**options)
    folder = str(cache_folder(digest(folders), folders[-1]))

    def decorate(function: Callable[..., Any]) -> Any:
        before = config.CACHE_DIR
        config.CACHE_DIR = folder  # read while the function is decorated, not later
        try:
            return numba.njit(cache=True, **options)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


def from_python(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A part or an inlined kernel, to be called from Python: compiled anew in each process, for tests and debugging."""
    if DISABLE_JIT:
        return kernel

    def call(*arguments):  # type: ignore[no-untyped-def]
        return kernel(*arguments)

    return compiler(cache=False)(call)


njit = compiler(KERNELS)
part = compiler(KERNELS, part=True)
allocating_part = compiler(KERNELS, part=True, allocates=True)
inlined = compiler(KERNELS, inline=True)
