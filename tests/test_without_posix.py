"""On a system without the means of POSIX every module can be imported, and what needs them says so when it is used."""

import pytest

from tests.processes import python

# What others need is loaded first, with everything: the means that are then taken away are missed by our modules alone.
WITHOUT = """
import importlib, os, pkgutil, select, signal, sys

PACKAGES = ("mancala_env", "agents", "training")
BLOCKED = ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty", "readline", "syslog")
GONE = {
    os: "killpg setsid setpgid getpgid fork forkpty openpty waitid wait3 wait4 WNOHANG WEXITED WNOWAIT P_PID getuid "
        "geteuid sched_getaffinity sysconf pidfd_open getloadavg nice uname mkfifo fchmod O_NONBLOCK O_CLOEXEC "
        "O_NOFOLLOW O_DIRECTORY pread pwrite posix_spawn posix_fadvise register_at_fork set_blocking",
    signal: "SIGKILL SIGXCPU SIGXFSZ SIGPIPE SIGHUP SIGUSR1 SIGSTOP SIGCONT SIGALRM SIGCHLD SIG_BLOCK SIG_UNBLOCK "
            "SIG_SETMASK pthread_sigmask pthread_kill pidfd_send_signal alarm setitimer",
    select: "poll epoll",
}
names = list(PACKAGES)
for package in PACKAGES:
    root = importlib.import_module(package)
    names += [found.name for found in pkgutil.walk_packages(root.__path__, package + ".")]
for name in names:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
    del sys.modules[name]
for name in BLOCKED:
    sys.modules[name] = None
for module, means in GONE.items():
    for name in means.split():
        if hasattr(module, name):
            delattr(module, name)
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name in BLOCKED or missing.name.partition(".")[0] in PACKAGES:  # else of an extra
            raise
"""


@pytest.mark.integration
def test_every_module_can_be_imported_and_what_needs_more_says_so(tmp_path):
    code = f"""
import contextlib, io
from pathlib import Path
from agents import make_agent
from agents.tournament.event import Event, Player
from agents.bots.check import main as check
from agents.bots.process import Process
from agents.bots.server import main as serve
from agents.tournament.store import Store, StoreError
from agents.tournament.command import main as tournament
import mancala_env

folder = Path({str(tmp_path)!r})

def told(function, *arguments):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            function(*arguments)
        except (NotImplementedError, StoreError) as error:
            print(error, file=said)
        except SystemExit as left:
            if isinstance(left.code, str):
                print(left.code, file=said)
    text = said.getvalue()
    assert text.count("\\n") == 1, text
    assert "Windows" in text, text
    print(text, end="")

told(lambda: Process(["bot"], memory_mb=100))
event = Event(players=(Player.parse("random"), Player.parse("greedy")), rules=("kalah",))
told(lambda: Store(folder / "event.db", event))
told(tournament, ["--agents", "random", "greedy", "--rules", "kalah", "--pairs", "1", "--out", str(folder / "two.db")])
told(check, ["cmd:bot"])
told(serve, ["random"])
assert not list(folder.iterdir())
state = mancala_env.ruleset("kalah").start()
assert make_agent("minimax:depth=2").act(state) in state.legal_actions
print("done")
"""
    said = python("-W", "ignore", "-c", WITHOUT + code)[0].splitlines()
    assert len(said) == 6
    assert "bots are run on Linux and macOS; this system has no os.killpg" in said[0]
    assert "event.db is read everywhere, and written to on Linux and macOS; this system has no fcntl.flock" in said[1]
    assert said[-1] == "done"
