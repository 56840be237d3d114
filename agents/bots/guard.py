"""The parent of a bot: it sets limits, starts the bot, and ends it and everything that it started.

A program of its own, ``guard.py SETTINGS COMMAND...``, between the host and the bot: what a bot does to its parent
meets the guard, and when the host dies, in whatever way, the guard ends the bot (on Linux). All that the bot starts
becomes a child of the guard when its own parent ends, whatever session it is in, so that none is lost. The guard ends
with the exit code of the bot, or 128 + the number of the signal that ended it.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

try:
    import resource
except ImportError:  # Windows, where ``agents.bots.process`` starts nothing
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
SECCOMP = 9  # a file descriptor
_PATIENCE = 8.0  # seconds in which processes that were killed have to be gone
LEFT = "it ended, and left behind "  # the beginning of what the guard then writes to stderr
LINUX = sys.platform == "linux"


class Settings(NamedTuple):
    """What the host tells the guard.

    Attributes
    ----------
    parent : int
        The id of the host.
    limits : dict of str to int
        Limits of each process of the bot, by their names in ``resource``.
    home : str
        A folder that is removed at the end, or "".
    groups : list of str
        Folders of control groups (``agents.bots.groups``) for the bot, which are removed at the end.
    seccomp : str
        A filter of system calls, in hexadecimal, which the command reads from ``SECCOMP``; or "".
    """

    parent: int
    limits: Mapping[str, int]
    home: str = ""
    groups: tuple[str, ...] = ()
    seccomp: str = ""


class Usage(NamedTuple):
    """A process: its parent, and the processor time, in clock ticks, of it and of its children that have ended."""

    parent: int
    ticks: int


def tree(root: int) -> dict[int, Usage]:
    """A process and all its descendants, those that have ended and are still listed included (on Linux; else none)."""
    found: dict[int, Usage] = {}
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc") if LINUX else ():
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
                found[int(entry)] = Usage(int(fields[1]), sum(map(int, fields[11:15])))
                children.setdefault(int(fields[1]), []).append(int(entry))
    inside, new = {}, [root]
    while new:
        pid = new.pop()
        if pid in found and pid not in inside:
            inside[pid] = found[pid]
            new += children.get(pid, [])
    return inside


def remove(settings: Settings) -> None:
    """Remove what a bot had: its home and its control groups, which must be empty."""
    if settings.home:
        import shutil

        shutil.rmtree(settings.home, ignore_errors=True)
    for group in settings.groups:
        until = time.monotonic() + 2.0
        while os.path.isdir(group) and time.monotonic() < until:  # what was killed may take a moment to leave
            with contextlib.suppress(OSError):
                os.rmdir(group)
                break
            time.sleep(0.002)


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _become(settings: Settings, command: list[str], guard: int) -> None:
    """In the child: limits, then the bot. Does not return."""
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard:
        os._exit(1)
    try:
        for group in settings.groups:
            with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")
        if settings.seccomp:
            reader, writer = os.pipe()
            os.write(writer, bytes.fromhex(settings.seccomp))
            os.close(writer)
            os.dup2(reader, SECCOMP)
        for name, most in settings.limits.items():
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (allowed, allowed))
    except (OSError, ValueError) as error:
        os.write(2, f"cannot set a limit: {error}\n".encode())
        os._exit(126)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and exec would pass that on
        signal.signal(ignored, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        os.execvp(command[0], command)
    except OSError as error:
        hint = "; a script begins with a line such as #!/usr/bin/env python3" if error.errno == 8 else ""
        os.write(2, f"cannot run {command[0]}: {error.strerror}{hint}\n".encode())
    os._exit(127)


def _end_all(child: int) -> None:
    """Kill the bot and all that it started, and wait for their end."""
    me, until = os.getpid(), time.monotonic() + _PATIENCE
    stopped: set[int] = set()
    while new := set(tree(me)) - stopped - {me}:  # first held, so that they cannot start others meanwhile
        for pid in new:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= new
    while time.monotonic() < until:
        if not LINUX:
            with contextlib.suppress(OSError):
                os.killpg(child, signal.SIGKILL)
        for pid in set(tree(me)) - {me}:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def main() -> None:
    """The command."""
    if resource is None:
        raise SystemExit("a bot's limits need Linux or macOS; on Windows use the subsystem for Linux (WSL)")
    settings, command = Settings(*json.loads(sys.argv[1])), sys.argv[2:]
    heard = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != settings.parent:  # the host ended before that was arranged
        remove(settings)
        os._exit(1)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    guard = os.getpid()
    child = os.fork()
    if not child:
        _become(settings, command, guard)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)  # the host must see when the bot closes its ends
    os.dup2(null, 1)
    code = 128 + signal.SIGTERM
    waiting = True
    while waiting and signal.sigwait(heard) == signal.SIGCHLD:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    code = os.waitstatus_to_exitcode(ended[1])
                    code = code if code >= 0 else 128 - code
                    waiting = False
    left = len(tree(os.getpid())) - 1
    if settings.home and not waiting and left > 0:
        os.set_blocking(2, False)
        with contextlib.suppress(OSError):
            os.write(2, f"{LEFT}{left} processes\n".encode())
    _end_all(child)
    remove(settings)
    os._exit(code)


if __name__ == "__main__":
    main()
