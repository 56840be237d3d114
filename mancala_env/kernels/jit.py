"""Compiling kernels, with a disk cache whose folder is named after a digest of every kernel source: Numba's own cache
does not notice an edit in a file that a compiled function calls into. When kernels are compiled a line says so, a page
can query it (``compiled_now``), and clocks leave it out (``working_time``, ``Stopwatch``)."""

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mancala_env.kernels import linking
from mancala_env.kernels.compilers import AHEAD, DISABLE_JIT, config, event, global_compiler_lock, numba

KERNELS = Path(__file__).parent
QUIET = "MANCALA_ENV_QUIET"  # set in the environment, where no line about compiling is wanted
SAY_AFTER = 1e6 if os.environ.get(QUIET) else 0.7  # seconds of compiling after which a line says so
COMPILING = "mancala_env: compiling"  # the beginning of the line
SAID = "MANCALA_ENV_SAID"  # in the environment, which processes started from here inherit: what has been said
UNUSED = 86400.0  # seconds after which compiled kernels of another version are no longer kept


class Work(NamedTuple):
    """What kernels are for, as a line says it, and about how many seconds all that a first use needs takes to compile:
    on one core of a server of 2023; other machines take from half of it to three times as long."""

    what: str
    seconds: int

    def __str__(self) -> str:
        return f"the kernels for {self.what}, about {self.seconds} s"


MOVES = Work("the moves of the games", 15)


def digest(folders: tuple[Path, ...]) -> str:
    """Sixteen hexadecimal digits that change with the content of any Python file in ``folders``."""
    content = hashlib.sha256()
    for folder in folders:
        for file in sorted(folder.glob("*.py")):
            content.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return content.hexdigest()[:16]


def cache_folder(name: str, beside: Path) -> Path:
    """The first writable place for compiled kernels, created if need be: in ``$NUMBA_CACHE_DIR``,
    ``beside/__pycache__``, the user's cache folder, or a private temporary folder."""
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    for place in filter(None, (os.environ.get("NUMBA_CACHE_DIR"), beside / "__pycache__", f"{user}/mancala_env")):
        with contextlib.suppress(OSError, RuntimeError):  # not writable; or nobody knows whose home "~" is
            folder = Path(str(place)).expanduser() / f"kernels-{name}"
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):  # which also marks it as used now
                pass
            for other in folder.parent.glob("kernels-*") if is_new else ():  # those of other versions
                with contextlib.suppress(OSError):  # another process removes it too
                    if time.time() - other.stat().st_mtime > UNUSED:
                        shutil.rmtree(other, ignore_errors=True)
            return folder
    return Path(tempfile.mkdtemp(prefix="mancala_env-"))


class _Watch(event.Listener):
    """A listener to Numba's events: when kernels are compiled or loaded. Both happen under one lock, with an event
    before it is requested, after it is released, and at each compilation."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.since: float | None = None  # when a thread asked for Numba's lock
        self.waited = 0.0  # seconds of all such times that are over
        self.work = ""  # what is compiled
        self._timer = threading.Timer(0.0, lambda: None)

    def on_start(self, event: Any) -> None:
        with self.guard:
            self.since = self.since or time.perf_counter()
        function: Any = (event.data or {}).get("dispatcher")
        if hasattr(function, "work") and not self.work:  # one of ours, and not called by one that is being compiled
            self.work = str(function.work)
            self._timer = threading.Timer(SAY_AFTER, self._say, [function])
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        if event.kind == "numba:compile" or global_compiler_lock.is_locked():  # by this thread
            return
        self._timer.cancel()
        with self.guard:
            now = time.perf_counter()
            self.waited += now - (self.since or now)
            self.since, self.work = None, ""

    def _say(self, function: Any) -> None:
        said = os.environ.get(SAID, "").split(";")
        if sys.stderr is not None and function.work.what not in said:
            os.environ[SAID] = ";".join([*said, function.work.what])
            with contextlib.suppress(OSError, ValueError):  # nobody reads it
                print(f"{COMPILING} {function.work}; kept in {function.folder}", file=sys.stderr, flush=True)


_watch = _Watch()
for _kind in ("numba:compiler_lock", "numba:compile"):
    event.register(_kind, _watch)


def compiled_now() -> str:
    """What any thread of this process compiles, not loads, now, and about how long it takes; "" for nothing."""
    return _watch.work


def working_time() -> float:
    """Seconds on a clock that stands while a thread waits for kernels: what a speed is measured with."""
    with _watch.guard:
        return (_watch.since or time.perf_counter()) - _watch.waited


class Stopwatch:
    """Seconds of ``working_time`` since this was made."""

    def __init__(self) -> None:
        self._begun = working_time()

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return working_time() - self._begun


def compiler(
    *folders: Path, inline: bool = False, part: bool = False, nogil: bool = True, work: Work = MOVES
) -> Callable[..., Any]:
    """A decorator that compiles kernels whose code lies in ``folders``: they release the GIL if ``nogil``, do not check
    bounds (but with ``NUMBA_BOUNDSCHECK=1``), divide as NumPy does, and cannot create arrays, as references are not
    counted. A kernel that Python calls is an entry, kept on disk, for ``work``; one that only kernels call says
    ``part``, or ``inline`` if its code is to stand in each of its callers (``linking``)."""
    if DISABLE_JIT:
        return lambda function: function
    if AHEAD is not None:
        return lambda function: function if inline or part else AHEAD.kernel(function)
    options: Any = {"nogil": nogil, "error_model": "numpy", "forceinline": inline}
    if inline or part:
        return numba.njit(**options, **linking.PART)
    name = digest(folders) + ("-bounds" if config.BOUNDSCHECK else "")  # with NUMBA_BOUNDSCHECK=1 the code is another
    folder = str(cache_folder(name, folders[-1]))

    def decorate(function: Callable[..., Any]) -> Any:
        before, config.CACHE_DIR = config.CACHE_DIR, folder  # read while the function is decorated, not later
        try:
            kernel = numba.njit(cache=True, **options, **linking.ENTRY)(function)
        finally:
            config.CACHE_DIR = before
        kernel.work, kernel.folder = work, folder
        return kernel

    return decorate


def direct(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """``kernel`` compiled or loaded now for these types, which it does not check; others crash the interpreter."""
    if DISABLE_JIT or AHEAD is not None:
        return kernel
    compiled: Callable[..., Any] = kernel.compile(tuple(map(numba.typeof, arguments)))
    return compiled


def address(kernel: Any, *kinds: Any) -> int:
    """Where the compiled code of ``kernel`` for arguments of these kinds of Numba lies; compiled or loaded now."""
    if AHEAD is not None:
        return int(kernel.builds[0].address)
    kernel.compile(kinds)
    compiled = kernel.overloads[kinds]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


wrapping = np.errstate(over="ignore") if DISABLE_JIT else lambda kernel: kernel  # whose numbers wrap around on purpose
njit = compiler(KERNELS)
njit_brief = compiler(KERNELS, nogil=False)  # for kernels that take less time than releasing the GIL
part = compiler(KERNELS, part=True)
inlined = compiler(KERNELS, inline=True)
