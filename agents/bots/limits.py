"""What a bot may not do: the limits of its process, which run as a program that becomes the bot.

A program of its own, since what is done between a fork and its exec must not be Python in a process with threads.
``limits.py PARENT MEMORY FILE COMMAND...``: the id of the host, bytes of memory, bytes of a file.
"""

import ctypes
import os
import signal
import sys

try:
    import resource
except ImportError:  # Windows, where ``agents.bots.process`` starts nothing
    resource = None  # type: ignore[assignment]

LINE = 64 << 10  # bytes of a line
OUTPUT = 1 << 20  # bytes of output for each question
ERRORS = 16 << 20  # the same of stderr, of which only the end is kept
FILE = 256 << 20  # bytes of a file that it may write

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def _limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def main() -> None:
    """The command."""
    if resource is None:
        raise SystemExit("a bot's limits need Linux or macOS; on Windows use the subsystem for Linux (WSL)")
    parent, memory, file = map(int, sys.argv[1:4])
    command = sys.argv[4:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the host ended before that was arranged
            os._exit(1)
    _limit(resource.RLIMIT_DATA, memory)
    _limit(resource.RLIMIT_FSIZE, file)
    _limit(resource.RLIMIT_CORE, 0)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and exec would pass that on
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        hint = "; a script begins with a line such as #!/usr/bin/env python3" if error.errno == 8 else ""
        os.write(2, f"cannot run {command[0]}: {error.strerror}{hint}\n".encode())
        os._exit(127)


if __name__ == "__main__":
    main()
