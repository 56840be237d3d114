"""Bots for the tests, written on the spot, and a look at the processes of this machine."""

import contextlib
import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent

MANCALA = (sys.executable, "-m", "mancala_env")  # the command, whether or not it is on the path
PATIENCE = 120.0  # seconds: of everything that is to go well, also on a busy machine
PLAY = 'say("bestmove " + moves[0])'
_SCRIPT = """
import os, resource, signal, subprocess, sys, threading, time
def say(text):
    print(text, flush=True)
class Tee:
    def __init__(self, lines, copy):
        self.lines, self.copy = lines, open(copy, "a", buffering=1)
    def __iter__(self):
        for line in self.lines:
            self.copy.write(line)
            yield line
{start}
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        say("id name Script")
        say("option name Seed type spin default 0")
        say("uciok")
    elif words[:1] == ["isready"]:
        say("readyok")
    elif words[:1] == ["rules"]:
        {rules}
    elif words[:1] == ["go"]:
        moves = words[words.index("searchmoves") + 1 :]
        {go}
    elif words[:1] == ["quit"]:
        break
"""


def python(*words, environment=os.environ, folder=ROOT):
    """What a Python of its own, which must end well, writes to stdout and stderr."""
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False,
        timeout=5 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


def write_bot(file, start="", rules='say("rulesok")', go=PLAY):
    """A well-behaved bot, but for what it is to do at its start, at the start of a game, and at a move."""
    file.write_text(_SCRIPT.format(start=start, rules=rules, go=go), encoding="utf-8")
    return file


def wait_until(condition, seconds=PATIENCE):
    """What the condition is, once it is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


def is_running(pid):
    """Is there such a process, and has it not ended?"""
    return _fields(pid)[:1] not in ([], ["Z"])


def is_waiting(pid):
    """Has a process nothing to do until something happens? Where that cannot be told: yes."""
    return _fields(pid)[:1] in ([], ["S"])


def running(text, but=b"\0no such word\0"):
    """The processes of this machine whose command holds a text, and not another one."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{entry}/cmdline").read_bytes()
            found += [int(entry)] if os.fsencode(text) in command and but not in command else []
    return list(filter(is_running, found))


def children(pid):
    """All descendants of a process that run."""
    parents = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (fields := _fields(entry.name)) and fields[0] != "Z":
            parents[int(entry.name)] = int(fields[1])
    found, new = set(), {pid}
    while new := {child for child, parent in parents.items() if parent in new} - found:
        found |= new
    return found


def _fields(pid):
    """State, parent and so on; [] if there is no such process."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return []


@contextlib.contextmanager
def bound_by_permissions():
    """Root, too, may write only where permissions let it: this thread goes without the capability to override them."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # the third version of the call, for this thread
    data = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, data) == 0, os.strerror(ctypes.get_errno())
    effective = data[0]
    data[0] = effective & ~(1 << 1)  # CAP_DAC_OVERRIDE
    assert libc.capset(header, data) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        data[0] = effective
        assert libc.capset(header, data) == 0, os.strerror(ctypes.get_errno())
