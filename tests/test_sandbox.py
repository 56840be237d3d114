"""Hostile programs: what each tries is contained as the table of ``docs/protocol.md`` says, and nothing is left."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from agents.bots import check, sandbox
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.examples import masked
from agents.tournament.command import main
from mancala_env import ruleset
from tests.conftest import missing
from tests.processes import PATIENCE, PLAY, ROOT, running, wait_until, write_bot

KALAH = ruleset("kalah:seeds=2")
DAEMON = "31536017"  # seconds that a process sleeps which nobody is to find afterwards
WORKED = "it worked"  # what a bot says when it ends because it could do what it should not

pytestmark = [pytest.mark.integration, pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is of Linux")]


class Hostile(NamedTuple):
    """What a bot does at a move, and what comes of it: "" (it plays on), or the reason and the detail of its fault.

    ``try_to`` is Python that raises OSError or MemoryError where it is not allowed, and ends the bot where it is.
    """

    go: str = PLAY
    start: str = ""
    try_to: str = ""
    fault: str = ""

    def write(self, file):
        """The bot as a program."""
        go = self.go
        if self.try_to:
            lines = [*self.try_to.strip().splitlines(), f"raise SystemExit({WORKED!r})"]
            body = "".join(f"            {line}\n" for line in lines)
            go = f"try:\n{body}        except (OSError, MemoryError):\n            {PLAY}"
        return write_bot(file, self.start, go=go)


OF_THE_HOST = {"command": "cmdline", "variables": "environ"}  # what others may not read there
LEAVE = f"os.fork() or (os.setsid(), os.fork() and os._exit(0), os.execve('/bin/sleep', ['sleep', '{DAEMON}'], {{}}))"
EVERYBODY = "[int(each) for each in os.listdir('/proc') if each.isdigit() and int(each) != os.getpid()]"
HOSTILE = {
    "crash": Hostile(go="os.abort()", fault="crash: .*SIGABRT"),
    "hang": Hostile(go="time.sleep(1000)", fault="silence"),
    "flood": Hostile(
        go="threading.Thread(target=lambda: [os.write(2, b'y' * 65536) for _ in range(10**9)]).start()\n"
        "        while True: os.write(1, b'x' * 65536)",
        fault="flood",
    ),
    "binary": Hostile(go=r"os.write(1, bytes(range(256)) + b'\nbestmove \xff\x80\n')", fault="illegal_move"),
    "sigterm_ignored": Hostile(
        start="import atexit; signal.signal(signal.SIGTERM, signal.SIG_IGN); atexit.register(time.sleep, 1000)"
    ),
    "daemon": Hostile(start=f"{LEAVE}; os.wait()"),
    "fork_bomb": Hostile(
        try_to="while True:\n    if not os.fork():\n        time.sleep(1000)\n    time.sleep(0.001)",
        fault="|crash: started more than 256|crash: used more than 128 MB",  # root, whom the kernel does not limit
    ),
    "processor_time": Hostile(
        go="signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n        while True: pass",
        fault="crash: used up its processor time",
    ),
    "processor_time_of_many": Hostile(
        go="signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n        while True:\n            if not os.fork():\n"
        "                until = time.process_time() + 0.8\n                while time.process_time() < until: pass\n"
        "                os._exit(0)\n            time.sleep(1.0)",
        fault="crash: used up its processor time",
    ),
    "memory": Hostile(try_to="import mmap\ntry: bytearray(8 << 30)\nexcept MemoryError: mmap.mmap(-1, 8 << 30)"),
    "memory_of_many": Hostile(
        go="more = bytearray(b'x') * (70 << 20); os.fork(); os.fork(); more[::4096] = more[::4096]; time.sleep(1000)",
        fault="crash: used more than 128 MB of memory",
    ),
    "memory_of_no_process": Hostile(try_to="for _ in range(300): os.write(os.memfd_create('x'), b'x' * (1 << 20))"),
    "disk": Hostile(
        try_to="for folder in ('/tmp', '/dev/shm'):\n"
        "    for k in range(3):\n"
        "        with open(f'{folder}/full{k}', 'wb') as file: os.posix_fallocate(file.fileno(), 0, 100 << 20)"
    ),
    "files_of_the_user": Hostile(try_to="open('{secret}').read()"),
    "own_folder": Hostile(try_to="open(sys.argv[0], 'a').close()"),
    "file_of_the_event": Hostile(try_to="open('{event}', 'r+b').close()"),
    "settings_of_the_system": Hostile(try_to="open('/proc/self/oom_score_adj', 'w').close()"),
    "network": Hostile(try_to="import socket\nsocket.create_connection(('127.0.0.1', {port}), 5).close()"),
    "processes_of_others": Hostile(
        try_to="found = False\n"
        f"for each in {EVERYBODY}:\n"
        "    for what in 'cmdline', 'environ':\n"
        "        try: text = open(f'/proc/{each}/{what}', 'rb').read()\n"
        "        except OSError: text = b''\n"
        "        found |= text.hex() in ('{command}', '{variables}')\n"
        "if not found: raise OSError('nothing')"
    ),
    "everybody_killed": Hostile(
        go=f"for each in {EVERYBODY}:\n"
        "            for kill in (signal.SIGSTOP, signal.SIGKILL): os.kill(each, kill)\n"
        f"        {PLAY}"
    ),
}


@pytest.fixture(scope="module")
def box():
    """A sandbox that works; without one tests are skipped, and fail where CI=true."""
    try:
        return sandbox.choose("bwrap")
    except ValueError as error:
        missing(f"{error}: hostile programs are not tested")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name, box, tmp_path):
    mounts = Path("/proc/self/mounts").read_text()
    secret, event = tmp_path / "elsewhere" / "diary", tmp_path / "bots" / "event.db"  # in the very folder of the bot
    for file in (secret, event):
        file.parent.mkdir()
        file.write_text("dear diary")
    hostile, box = HOSTILE[name], sandbox.Sandbox(box.program, box.version, (str(event),))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        own = {name: Path(f"/proc/self/{what}").read_bytes().hex() for name, what in OF_THE_HOST.items()}
        words = {"secret": secret, "event": event, "port": listener.getsockname()[1], **own}
        for word, meant in words.items():
            hostile = hostile._replace(try_to=hostile.try_to.replace(f"{{{word}}}", str(meant)))
        command = [sys.executable, "-S", str(hostile.write(tmp_path / "bots" / "bot.py"))]
        settings = {"memory_mb": 128, "cpu_seconds": 1, "start_timeout": PATIENCE}
        limit = 0.3 if name == "hang" else PATIENCE
        with Bot(command, sandbox=box, **settings) as bot:
            said = ""
            try:
                bot.new_game(KALAH)
                assert bot.move(KALAH.start(), (), KALAH.start(), hard_limit=limit).action in range(6)
            except BotFault as fault:
                said = str(fault)
    faults = hostile.fault.split("|")
    assert any(re.match(fault, said) if fault else not said for fault in faults), said
    assert WORKED not in said
    wait_until(lambda: not running(str(tmp_path)) and not running(DAEMON))
    assert Path("/proc/self/mounts").read_text() == mounts


def test_the_table_of_threats_is_that_of_the_tests():
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    table = page.partition("| threat |")[2].partition("\n\n")[0].splitlines()[2:]
    assert [line.split("|")[-2].strip().strip("`") for line in table] == list(HOSTILE)


def test_nothing_outlives_a_host_that_is_killed(box, tmp_path):
    bot = HOSTILE["daemon"]._replace(go="time.sleep(1000)").write(tmp_path / "bot.py")
    host = (
        "import sys, time; from agents.bots.client import Bot; from agents.bots.sandbox import choose\n"
        "bot = Bot(sys.argv[1:], sandbox=choose('bwrap')); bot.start(); print('started', flush=True); time.sleep(1000)"
    )
    command = [sys.executable, "-c", host, sys.executable, "-S", str(bot)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            assert process.stdout.readline() == b"started\n"
            wait_until(lambda: running(DAEMON))
        finally:
            process.kill()
    wait_until(lambda: not running(str(tmp_path)) and not running(DAEMON))


def test_every_kind_of_program_plays_in_the_box(box):
    uci, program = ROOT / "agents/bots/examples/uci.py", ROOT / "tests/engines/uci_engine.py"
    for spec, rules in (
        (str(ROOT / "agents/bots/random_bot.py"), KALAH),
        (f"python:{masked.__file__}:play", KALAH),  # our package, NumPy and compiled kernels are in the box
        (f"cmd:{sys.executable} {uci} {sys.executable} {program}", ruleset("awari")),
    ):
        with Bot(resolve_command(spec), sandbox=box, start_timeout=PATIENCE) as bot:
            bot.new_game(rules, 1)
            start = rules.start()
            assert bot.move(start, (), start, movetime=PATIENCE).action in start.legal_actions


def test_without_bubblewrap_programs_are_refused_unless_their_user_wants_no_sandbox(tmp_path, monkeypatch, capsys):
    fake = tmp_path / "bwrap"  # namespaces are forbidden
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(sandbox, "_probe", sandbox._probe.__wrapped__)
    bot = f"cmd:{sys.executable} -S {write_bot(tmp_path / 'bot.py')}"
    common = ["--rules", "kalah:seeds=2", "--pairs", "1", "--quiet", "--no-report", "--processes", "0"]
    options = ["--agents", bot, "random", *common, "--out", str(tmp_path / "event.db")]
    for command, words in ((main, options), (check.main, [bot, "--rules", "kalah:seeds=2"])):
        assert command(words) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "No permissions to create new namespace" in said
        assert "--sandbox none" in said
    assert main([*options, "--sandbox", "none"]) == 0
    out, err = capsys.readouterr()
    assert "sandbox of programs: none" in out
    assert main(["--agents", "greedy", "random", *common, "--out", str(tmp_path / "other.db")]) == 0
    assert "sandbox" not in err + "".join(capsys.readouterr())


def test_a_folder_that_holds_much_else_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    bot = write_bot(tmp_path / "bot.py")
    shown = sandbox.Sandbox("bwrap", "bubblewrap").wrap([sys.executable, str(bot)], str(tmp_path), 9)
    assert str(bot) in shown
    assert str(tmp_path) not in [shown[k + 1] for k, word in enumerate(shown) if word.startswith("--ro-bind")]
