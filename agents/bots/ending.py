"""Ending a program and everything that it started, whatever session that is in."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from agents.bots import guard

TOKEN = "MANCALA_BOT"  # the variable by which everything that a bot started is found again


def pipes(popen: "subprocess.Popen[bytes]") -> list[IO[bytes]]:
    """The pipes to and from a program: its input, output and errors."""
    return [pipe for pipe in (popen.stdin, popen.stdout, popen.stderr) if pipe is not None]


def end(popen: "subprocess.Popen[bytes]", token: str, settings: guard.Settings, owner: int) -> None:
    """Let the guard of a program end it and what it started; nothing in a fork of the owner.

    Where the program has killed its guard, everything that runs with its token is killed, and its home removed.
    """
    if os.getpid() != owner:  # a fork of the host: the bot is not its own
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        popen.send_signal(signal.SIGTERM)
        popen.send_signal(signal.SIGCONT)  # the program may have stopped it
    try:
        popen.wait(10)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()
    for pipe in pipes(popen):
        pipe.close()
    if popen.returncode < 0:
        for _ in range(100):  # a process that forks during one pass is found in the next
            if not kill_marked(token):
                break
            time.sleep(0.002)
    guard.remove(settings)


def marked(token: str) -> list[int]:
    """The ids of the processes that run with a token that begins so (on Linux; else none are found)."""
    mark = f"{TOKEN}={token}".encode()
    found = []
    for entry in os.scandir("/proc") if sys.platform == "linux" else ():
        if entry.name.isdigit() and _is_marked(int(entry.name), mark):
            found.append(int(entry.name))
    return found


def kill_marked(token: str) -> list[int]:
    """Kill what ``marked`` finds, and return it."""
    mark = f"{TOKEN}={token}".encode()
    found = marked(token)
    for pid in found:
        with contextlib.suppress(OSError):
            descriptor = os.pidfd_open(pid)
            try:
                if _is_marked(pid, mark):  # still the same process, which the descriptor holds on to
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            finally:
                os.close(descriptor)
    return found


def wake_guards(owner: int) -> None:
    """Let what a host left behind go on that has died, so that guards that were stopped end their programs."""
    for pid in marked(f"{owner}-"):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGCONT)


def _is_marked(pid: int, mark: bytes) -> bool:
    try:
        return b"\0" + mark in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
