"""A subprocess that exchanges lines of text with its host, under limits and deadlines, and is always ended. Its
``Sandbox`` says what it may reach besides: without one all that its user may."""

import contextlib
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from agents.bots.sandbox import NO_SANDBOX, PROCESSES, Sandbox
from agents.processes import require

KEPT = 2 << 10  # bytes of stderr that are kept
_LINE = 64 << 10  # bytes of a line
_OUTPUT = 1 << 20  # bytes of output for each question
_ERRORS = 16 << 20  # the same of stderr
_CHUNK = 64 << 10
_LOOK = 0.25  # seconds between two checks whether a silent program still runs
_MEASURE = 0.5  # seconds between two looks at what its processes have used


class BotFault(Exception):
    """A bot broke the protocol or a limit, which loses it the game: ``reason``, a key of
    ``agents.tournament.record.FAULTS``, ``detail`` in one line, and ``stderr``, the last 2 KiB that it wrote there."""

    def __init__(self, reason: str, detail: str, stderr: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail, self.stderr = reason, detail, stderr

    def __reduce__(self) -> tuple[type["BotFault"], tuple[str, str, str]]:
        return type(self), (self.reason, self.detail, self.stderr)


def check_system() -> None:
    """Raise NotImplementedError, in one sentence, on a system that lacks the means to run bots: Windows."""
    require("bots are run", "os.killpg", "os.setsid", "select.poll", "signal.SIGKILL")


class _Usage(NamedTuple):
    """What a process and all that it started use: processor time in seconds, tasks, bytes of memory."""

    seconds: float
    tasks: int
    memory: int


class _Warden(threading.Thread):
    """Kills a program that uses more than it may, also while nobody waits for it; ``why`` then says what for.
    ``seconds`` is the processor time that its processes may have used."""

    def __init__(self, popen: "subprocess.Popen[bytes]", memory: int) -> None:
        super().__init__(daemon=True)
        self._popen, self._memory = popen, memory
        self.seconds, self.why = math.inf, ""
        self._seen: dict[tuple[int, int], int] = {}
        self.ended = threading.Event()

    def usage(self) -> _Usage:
        """What the program and its descendants use now (on Linux; else nothing). Of those that have ended, the time
        that they were waited for counts, or else the ticks that were seen of every process that was ever looked at."""
        fields: dict[int, list[bytes]] = {}
        children: dict[int, list[int]] = {}
        for entry in os.listdir("/proc") if sys.platform == "linux" else ():
            if entry.isdigit():
                with contextlib.suppress(OSError):
                    fields[int(entry)] = Path(f"/proc/{entry}/stat").read_bytes().rpartition(b")")[2].split()
                    children.setdefault(int(fields[int(entry)][1]), []).append(int(entry))
        ticks = tasks = pages = 0
        new = [self._popen.pid] if self._popen.pid in fields else []
        while new:
            pid = new.pop()
            ticks += sum(map(int, fields[pid][11:15]))
            self._seen[pid, int(fields[pid][19])] = sum(map(int, fields[pid][11:13]))
            tasks += int(fields[pid][17])
            pages += int(fields[pid][21])
            new += children.get(pid, [])
        if not tasks:
            return _Usage(0.0, 0, 0)
        ticks = max(ticks, sum(list(self._seen.values())))
        return _Usage(ticks / os.sysconf("SC_CLK_TCK"), tasks, pages * os.sysconf("SC_PAGE_SIZE"))

    def run(self) -> None:
        """Until the program has ended."""
        while not self.why and not self.ended.wait(_MEASURE):
            used = self.usage()
            if used.seconds > self.seconds:
                self.why = "used up its processor time"
            elif used.tasks > PROCESSES:
                self.why = f"started more than {PROCESSES} processes and threads"
            elif used.memory > self._memory:
                self.why = f"used more than {self._memory >> 20} MB of memory"
            if self.why and not self.ended.is_set():
                _kill(self._popen)


def _kill(popen: "subprocess.Popen[bytes]") -> None:
    """Kill a program and its process group; with the first process of a box the kernel ends all others."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)


def _end(popen: "subprocess.Popen[bytes]", warden: _Warden, home: str, owner: int) -> None:
    """End a program, and remove its home; nothing in a fork of the owner, whose it is not."""
    if os.getpid() != owner:
        return
    warden.ended.set()
    if warden.is_alive() and warden is not threading.current_thread():
        warden.join()  # it kills by a number, which is another's once the program has been waited for
    _kill(popen)
    with popen:  # closes its pipes, and waits
        pass
    if home:
        shutil.rmtree(home, ignore_errors=True)


class Process:
    """A running program, used by one thread at a time, in a session of its own. In a sandbox it ends, with all that it
    started, with the thread that started it; without one its process group is killed, and when the host is killed it
    meets the end of its input. Its environment holds ``PATH``, ``LANG`` and ``LC_ALL`` as here, and ``HOME`` and
    ``TMPDIR``, a directory that is removed with it. ``memory_mb`` is for each of its processes (in a sandbox of address
    space, else of data), and, on Linux, for all together. A ``start`` fault if no process can be made; a command that
    cannot be run shows later, as a ``crash``. NotImplementedError on Windows."""

    def __init__(self, command: Sequence[str], *, memory_mb: int, sandbox: Sandbox = NO_SANDBOX) -> None:
        check_system()
        home = "" if sandbox.program else tempfile.mkdtemp(prefix="mancala-bot-")
        variables = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        variables = {"LANG": "C.UTF-8", **variables, "HOME": home, "TMPDIR": home}
        try:
            self._popen = sandbox.start(command, os.getcwd(), variables, memory_mb << 20)
        except (OSError, ValueError) as error:
            shutil.rmtree(home, ignore_errors=True)
            raise BotFault("start", f"cannot run {command[0]!r}: {error}") from None
        self._warden = _Warden(self._popen, memory_mb << 20)
        self._end = weakref.finalize(self, _end, self._popen, self._warden, home, os.getpid())
        self._warden.start()
        pipes = [pipe for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr) if pipe is not None]
        self._listen(*(pipe.fileno() for pipe in pipes))

    def _listen(self, to: int, out: int, err: int) -> None:
        """Take the descriptors of its input, output and errors; -1 for none."""
        self._in, self._out, self._err = to, out, err
        self._open = {descriptor for descriptor in (out, err) if descriptor >= 0}
        for descriptor in {to, *self._open}:
            os.set_blocking(descriptor, False)
        self._lines: deque[bytes] = deque()
        self._partial, self._stderr = bytearray(), bytearray()
        self._heard = self._complained = 0

    @property
    def pid(self) -> int:
        """Its id; in a sandbox that of bubblewrap."""
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        """Is it still running?"""
        return self._end.alive and self._status() is None

    @property
    def stderr(self) -> str:
        """The last 2 KiB that it wrote to stderr, as far as they have been read."""
        return self._stderr.decode("utf-8", "replace")

    def begin(self) -> None:
        """A new question: count its output from here."""
        self._heard = self._complained = 0

    def ask(self, text: str, until: str, seconds: float, on_line: Callable[[str], object] = lambda line: None) -> str:
        """Write whole lines, and return the answer, whose first word is ``until``; ``on_line`` gets those before it.
        BotFault: ``silence`` after so many seconds, ``crash`` or ``flood``."""
        self.begin()
        deadline = time.monotonic() + seconds
        self.say(text, deadline)
        while (line := self.hear(deadline)) is not None:
            if line.split(" ")[0] == until:
                return line
            on_line(line)
        asked = f"within {seconds:g} s of {text.splitlines()[-1]!r}"
        raise BotFault("silence", f"no {until} {asked}{self.last_words()}", self.stderr)

    def say(self, text: str, deadline: float) -> None:
        """Write whole lines, by the deadline (``time.monotonic()``). BotFault: ``silence``, ``crash`` or ``flood``."""
        data = memoryview(text.encode())
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                if not self._wait(deadline, to_write=True):
                    raise BotFault("silence", "does not read its input", self.stderr) from None
            except OSError:
                raise self._crashed("closed its input") from None

    def hear(self, deadline: float) -> str | None:
        """The next line that it writes; None if there is none at the deadline (``time.monotonic()``). BotFault:
        ``crash``, if it ended or closed its output; ``flood``, if a line is longer than 64 KiB, or it has written more
        than 1 MiB (to stderr: 16 MiB) since the last ``begin``."""
        while not self._lines:
            if not self._wait(deadline):
                return None
        return self._lines.popleft().decode("utf-8", "replace").strip()

    def _wait(self, deadline: float, to_write: bool = False) -> bool:
        """Wait a moment for output, and take it in, or for room in its input. False once the deadline has passed."""
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        poll = select.poll()
        for descriptor in self._open:
            poll.register(descriptor, select.POLLIN)
        if to_write:  # its output is read meanwhile: it may wait for that
            poll.register(self._in, select.POLLIN | select.POLLOUT)
        events = poll.poll(math.ceil(1000 * min(left, _LOOK)))
        if not events and self._status() is not None:  # a child of it may hold the other end of the pipe open
            self._read_output()
            if not self._lines:
                raise self._crashed("ended")
        for descriptor, _ in events:
            if descriptor == self._out:
                self._read_output()
            else:
                self._read_errors()
        return True

    def _read_output(self) -> None:
        try:
            data = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return
        except OSError:  # of a connection that was lost
            data = b""
        if not data:
            raise self._crashed("closed its output")
        self._heard += len(data)
        *lines, rest = data.split(b"\n")
        if lines:
            self._lines.append(bytes(self._partial) + lines[0])
            self._lines.extend(lines[1:])
            self._partial.clear()
        self._partial += rest
        longest = max(len(self._partial), max(map(len, self._lines), default=0))
        if longest > _LINE or self._heard > _OUTPUT:
            what = "a line of more than 64 KiB" if longest > _LINE else "more than 1 MiB"
            raise BotFault("flood", f"wrote {what}, which began with {bytes(data[:40])!r}", self.stderr)

    def _read_errors(self) -> None:
        try:
            data = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._open.discard(self._err)
            return
        self._stderr += data
        del self._stderr[:-KEPT]
        self._complained += len(data)
        if self._complained > _ERRORS:
            raise BotFault("flood", "wrote more than 16 MiB to stderr", self.stderr)

    def _status(self) -> int | None:
        """How it ended, as ``Popen.returncode``; None while it runs. It is not reaped here: its id, by which it is
        killed later, must not go to another process."""
        if self._popen.returncode is not None:
            return self._popen.returncode
        if not hasattr(os, "waitid"):
            return self._popen.poll()
        seen = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if seen is None:
            return None
        return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status

    def _crashed(self, what: str) -> BotFault:
        patience = time.monotonic() + 2.0  # pipes close a good while before a large process has ended
        while (status := self._status()) is None and time.monotonic() < patience:
            time.sleep(0.002)
        with contextlib.suppress(BotFault, OSError):
            for _ in range(_ERRORS // _CHUNK):
                before = self._complained
                self._read_errors()
                if self._complained == before:
                    break
        if self._warden.why:
            detail = self._warden.why
        elif status is None:
            detail = f"{what}, but goes on running"
        elif 0 <= status <= 128:
            detail = f"exit code {status}"
        else:  # bubblewrap says 128 + the signal
            number = -status if status < 0 else status - 128
            detail = f"ended by signal {next((each.name for each in signal.Signals if each == number), number)}"
        return BotFault("crash", detail + self.last_words(), self.stderr)

    def last_words(self) -> str:
        """The end of stderr as something to append to a line of text: "; stderr: ...", or ""."""
        words = " / ".join(line.strip() for line in self.stderr.splitlines()[-8:] if line.strip())
        words = "".join(letter if letter.isprintable() else "?" for letter in words)
        return f"; stderr: {words if len(words) <= 400 else '...' + words[-400:]}" if words else ""

    def renew_processor_time(self, seconds: float) -> None:
        """Let it use ``seconds`` more of processor time from now on, all its processes together (on Linux only)."""
        self._warden.seconds = self._warden.usage().seconds + seconds

    def wait_for_end(self, seconds: float) -> int | None:
        """How it ended, as in ``Popen.returncode``; None if it still runs then. What it writes is thrown away."""
        deadline = time.monotonic() + seconds
        while (status := self._status()) is None and time.monotonic() < deadline:
            self._throw_away()
            time.sleep(0.002)
        self._throw_away()
        return status

    def _throw_away(self) -> None:
        """Read what it has written; the end of stderr is kept."""
        with contextlib.suppress(OSError):  # nothing there, or closed
            os.read(self._out, _CHUNK)
        with contextlib.suppress(BotFault, OSError):
            self._read_errors()

    def close_input(self) -> None:
        """Let it read the end of its input."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()

    def kill(self) -> None:
        """End it and everything that it started, in a sandbox within a moment. Nothing else works afterwards."""
        self._end()
