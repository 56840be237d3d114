"""Compiling kernels, with a disk cache whose folder is named after a digest of every kernel source: Numba's own cache
does not notice an edit in a file that a compiled function calls into. When kernels are compiled a line says so, a page
can query it (``compiled_now``), and clocks leave it out (``Stopwatch``, ``working_time``)."""

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

from mancala_env.kernels import linking
from mancala_env.kernels.compilers import AHEAD, DISABLE_JIT, config, event, global_compiler_lock, numba

KERNELS = Path(__file__).parent
PASSING = "mancala_env-"  # the beginning of the name of a folder that no other process finds again
QUIET = "MANCALA_ENV_QUIET"  # set in the environment, where no line about compiling is wanted
SAY_AFTER = 1e6 if os.environ.get(QUIET) else 0.7  # seconds of compiling after which a line says so
APART = 30.0  # seconds without compiling after which short compilations are added up anew
COMPILING = "mancala_env: compiling"  # the beginning of the line
KEPT, NOT_KEPT = "kept for the next time", "they cannot be kept, so each process that needs them compiles them"
SAID = "MANCALA_ENV_SAID"  # in the environment, which processes started from here inherit: what has been said


class Work(NamedTuple):
    """What kernels are for, as a line says it, and about how many seconds all that a first use needs takes to compile:
    on one core of a server of 2023; other machines take from half of it to three times as long."""

    what: str
    seconds: int

    def __str__(self) -> str:
        near = f"{self.seconds} s" if self.seconds < 90 else f"{round(self.seconds / 60)} minutes"
        return f"the kernels for {self.what}, about {near}"


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
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [chosen] if chosen else []
    for place in (*places, beside / "__pycache__", f"{user}/mancala_env"):
        try:
            folder = Path(str(place)).expanduser() / f"kernels-{name}"
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):  # which also marks it as used now
                if is_new:
                    prune(folder)
                return folder
        except (OSError, RuntimeError):  # not writable; or nobody knows whose home "~" is
            continue
    return Path(tempfile.mkdtemp(prefix=PASSING))


def prune(folder: Path) -> None:
    """Remove the kernels of other versions beside ``folder`` that have not been used for thirty days; in the
    ``__pycache__`` of one copy of this package, for an hour, as a program of before an edit may still run."""
    unused = 3600.0 if folder.parent.name == "__pycache__" else 30 * 86400.0
    for other in folder.parent.glob("kernels-*"):
        try:
            if other != folder and time.time() - other.stat().st_mtime > unused:
                shutil.rmtree(other, ignore_errors=True)
        except OSError:  # another process removes it too
            continue


class _Watch(event.Listener):
    """A listener to Numba's events: when a thread waits for kernels, and when one is compiled rather than loaded. Both
    happen under one lock, with an event before it is requested, after it is released, and at each compilation."""

    def __init__(self) -> None:
        self._own = threading.local()  # of each thread: when its wait began, and how long it has waited in all
        self._thread = 0  # the one that compiles
        self._since: float | None = None  # when it began to
        self._work = MOVES  # what it compiles
        self._all = 0.0  # seconds of all compilations that are over
        self._ended, self._spent = -APART, 0.0  # the last time, and of all lately
        self._timer = threading.Timer(0.0, lambda: None)

    @property
    def waited(self) -> float:
        """Seconds that this thread has waited until now, in waits that are over."""
        return float(getattr(self._own, "seconds", 0.0))

    def on_start(self, event: Any) -> None:
        """A thread asks for the lock, or begins to compile."""
        now = time.perf_counter()
        if event.kind == "numba:compile":
            function: Any = (event.data or {}).get("dispatcher")
            kept = getattr(function, "is_kept", None)
            if kept is not None and self._since is None:  # one of ours, and not called by one that is being compiled
                self._spent *= now - self._ended < APART
                self._thread, self._since, self._work = threading.get_ident(), now, function.work
                self._timer = threading.Timer(max(0.0, SAY_AFTER - self._spent), self._say, [now, kept, self._work])
                self._timer.daemon = True
                self._timer.start()
        elif not global_compiler_lock.is_locked():  # by this thread: it has not asked before
            self._own.begun = now

    def on_end(self, event: Any) -> None:
        """A thread has given the lock back, or has compiled."""
        if event.kind == "numba:compile" or global_compiler_lock.is_locked():
            return
        now = time.perf_counter()
        self._own.seconds = self.waited + now - getattr(self._own, "begun", now)
        if self._since is not None and self._thread == threading.get_ident():
            self._spent += now - self._since
            self._all += now - self._since
            self._ended, self._since = now, None
            self._timer.cancel()

    def _say(self, begun: float, kept: bool, work: Work) -> None:
        said = os.environ.get(SAID, "").split(";")
        if self._since == begun and sys.stderr is not None and work.what not in said:
            os.environ[SAID] = ";".join([*said, work.what])
            with contextlib.suppress(OSError, ValueError):  # nobody reads it
                print(f"{COMPILING} {work}; {KEPT if kept else NOT_KEPT}", file=sys.stderr, flush=True)


_watch = _Watch()
for _kind in ("numba:compiler_lock", "numba:compile"):
    event.register(_kind, _watch)


def compiled_now() -> str:
    """What any thread of this process compiles, not loads, now, and about how long it takes; "" for nothing."""
    return str(_watch._work) if _watch._since is not None else ""


def working_time() -> float:
    """Seconds on a clock that stands while any thread of this process compiles: what a speed is measured with."""
    now, since = time.perf_counter(), _watch._since
    return (now if since is None else since) - _watch._all


class Stopwatch:
    """Seconds of one thread since this was made, but for those in which it waited for kernels."""

    def __init__(self) -> None:
        self._begun = time.perf_counter() - _watch.waited

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return time.perf_counter() - _watch.waited - self._begun


def watched(function: Any, kept: bool = False, work: Work = MOVES) -> Any:
    """Mark a function of Numba as a kernel, whose compilation is reported. ``kept``: on the disk."""
    function.is_kept, function.work = kept, work
    return function


def compiler(
    *folders: Path, inline: bool = False, part: bool = False, cache: bool = True, nogil: bool = True, work: Work = MOVES
) -> Callable[..., Any]:
    """A decorator that compiles kernels whose code lies in ``folders``: they release the GIL if ``nogil``, do not check
    bounds (but with ``NUMBA_BOUNDSCHECK=1``), divide as NumPy does, and cannot create arrays, as references are not
    counted. A kernel that Python calls is an entry, kept on disk if ``cache``, for ``work``; one that only kernels call
    says ``part``, or ``inline`` if its code is to stand in each of its callers (``linking``)."""
    if DISABLE_JIT:
        return lambda function: function
    if AHEAD is not None:
        return lambda function: function if inline or part else AHEAD.kernel(function)

    options: Any = {"nogil": nogil, "error_model": "numpy", "forceinline": inline}
    options |= linking.PART if inline or part else linking.ENTRY
    cache = cache and not (inline or part)
    if not cache:
        return lambda function: watched(numba.njit(**options)(function), work=work)
    name = digest(folders) + ("-bounds" if config.BOUNDSCHECK else "")  # with NUMBA_BOUNDSCHECK=1 the code is another
    place = cache_folder(name, folders[-1])
    folder, kept = str(place), not place.name.startswith(PASSING)

    def decorate(function: Callable[..., Any]) -> Any:
        before = config.CACHE_DIR
        config.CACHE_DIR = folder  # read while the function is decorated, not later
        try:
            return watched(numba.njit(cache=True, **options)(function), kept, work)
        finally:
            config.CACHE_DIR = before

    return decorate


def direct(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """``kernel`` compiled or loaded now for these types, without the look at each argument; others crash the
    interpreter."""
    if DISABLE_JIT or AHEAD is not None:
        return kernel
    compiled = kernel.compile(tuple(numba.typeof(argument) for argument in arguments))
    return compiled if callable(compiled) else kernel


def address(kernel: Any, *kinds: Any) -> int:
    """Where the compiled code of ``kernel`` for arguments of these kinds of Numba lies; compiled or loaded now."""
    if AHEAD is not None:
        return int(kernel.builds[0].address)
    kernel.compile(kinds)
    compiled = kernel.overloads[kinds]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


njit = compiler(KERNELS)
njit_brief = compiler(KERNELS, nogil=False)  # for kernels that take less time than releasing the GIL
part = compiler(KERNELS, part=True)
inlined = compiler(KERNELS, inline=True)
