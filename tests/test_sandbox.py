"""Hostile programs: what each tries is contained as the table of ``docs/protocol.md`` says, and nothing is left."""

import os
import re
import socket
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from agents.bots import check, groups, sandbox
from agents.bots.client import Bot
from agents.bots.commands import read_program
from agents.tournament.__main__ import main
from agents.tournament.event import Event, Player
from agents.tournament.executors import LocalExecutor, SerialExecutor
from agents.tournament.run import run_event
from agents.tournament.store import Store
from mancala_env import ruleset
from mancala_env.state import State
from tests.processes import PATIENCE, PLAY, children, is_running, wait_until, write_bot

ROOT = Path(__file__).parents[1]
KALAH = ruleset("kalah:seeds=2")
SECRET = "mancala-secret-of-the-host"
DAEMON = "31536017"  # seconds that a process sleeps which nobody is to find afterwards
WORKED = "it worked"  # what a bot says when it ends because it could do what it should not

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is of Linux"),
]


class Hostile(NamedTuple):
    """What a bot does at a move, and what comes of it: "" (it plays on), or the reason and the detail of its fault.

    ``try_to`` is Python that raises OSError or MemoryError where it is not allowed, and ends the bot where it is.
    """

    go: str = PLAY
    start: str = ""
    try_to: str = ""
    boxed: str = ""
    bare: str | None = ""  # None: not tried, for it would do harm

    def write(self, file):
        """The bot as a program."""
        go = self.go
        if self.try_to:
            lines = [*self.try_to.strip().splitlines(), f"raise SystemExit({WORKED!r})"]
            body = "".join(f"            {line}\n" for line in lines)
            go = f"try:\n{body}        except (OSError, MemoryError):\n            {PLAY}"
        write_bot(file, self.start, go=go)
        return f"{file.stem}=cmd:{sys.executable} -S {file}"


UP = "int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1])"  # the parent of its parent
LEAVE = f"os.fork() or (os.setsid(), os.fork() and os._exit(0), os.execve('/bin/sleep', ['sleep', '{DAEMON}'], {{}}))"
EVERYBODY = "[int(each) for each in os.listdir('/proc') if each.isdigit() and int(each) != os.getpid()]"
FLOOD = "b = b'x' * 65536\n        while True: os.write({}, b)"
HOSTILE = {
    "crash": Hostile(go="os.abort()", boxed="crash: .*SIGABRT", bare="crash: .*SIGABRT"),
    "hang": Hostile(go="time.sleep(1000)", boxed="silence", bare="silence"),
    "late": Hostile(go="time.sleep(3.5); say('bestmove ' + moves[0])", boxed="time", bare="time"),
    "flood_of_answers": Hostile(go=FLOOD.format(1), boxed="flood", bare="flood"),
    "flood_on_both_pipes": Hostile(
        go=f"threading.Thread(target=lambda: [os.write(2, b'y' * 65536) for _ in range(10**9)]).start()\n"
        f"        {FLOOD.format(1)}",
        boxed="flood",
        bare="flood",
    ),
    "binary": Hostile(
        go=r"os.write(1, bytes(range(256)) + b'\nbestmove \xff\x80\n')", boxed="illegal_move", bare="illegal_move"
    ),
    "wrong_move": Hostile(go="say('bestmove Z9')", boxed="illegal_move", bare="illegal_move"),
    "wrong_position": Hostile(
        go='say(f\'bestmove {({*"ABCDEF"} - {*moves} or {"a"}).pop()}\')', boxed="illegal_move", bare="illegal_move"
    ),
    "sigterm_ignored": Hostile(
        start="import atexit; signal.signal(signal.SIGTERM, signal.SIG_IGN); atexit.register(time.sleep, 1000)"
    ),
    "daemon": Hostile(start=f"{LEAVE}; os.wait()"),
    "fork_bomb": Hostile(try_to="for _ in range(400):\n    if not os.fork():\n        time.sleep(1000)", bare=None),
    "processor_time": Hostile(
        go="signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n        while True: pass",
        boxed="crash: used up its processor time",
        bare="crash: used up its processor time",
    ),
    "memory": Hostile(try_to="bytearray(8 << 30)"),
    "shared_memory": Hostile(
        try_to="import mmap\nshared = mmap.mmap(-1, 8 << 30)\nfor k in range(0, 300 << 20, 4096): shared[k] = 1",
        boxed="|crash: .*SIGKILL",  # of a control group
        bare=f"crash: .*{WORKED}",
    ),
    "memory_of_no_process": Hostile(
        try_to="for _ in range(300): os.write(os.memfd_create('x'), b'x' * (1 << 20))",
        boxed="|crash: .*SIGKILL",
        bare=f"crash: .*{WORKED}",
    ),
    "disk": Hostile(
        try_to="for folder in ('/tmp', '/dev/shm'):\n"
        "    for k in range(3):\n"
        "        with open(f'{folder}/full{k}', 'wb') as file: os.posix_fallocate(file.fileno(), 0, 100 << 20)",
        bare=None,
    ),
    "files_of_the_user": Hostile(try_to="open('{secret}').read()", bare=f"crash: .*{WORKED}"),
    "own_folder": Hostile(try_to="open(sys.argv[0], 'a').close()", bare=f"crash: .*{WORKED}"),
    "file_of_the_event": Hostile(try_to="open('{event}', 'r+b').close()", bare=f"crash: .*{WORKED}"),
    "settings_of_the_system": Hostile(
        try_to="open('/proc/self/oom_score_adj', 'w').close()", bare=f"crash: .*{WORKED}"
    ),
    "network": Hostile(
        try_to="import socket\nsocket.create_connection(('127.0.0.1', {port}), 5).close()", bare=f"crash: .*{WORKED}"
    ),
    "processes_of_others": Hostile(
        try_to=f"if not any(b'pytest' in open(f'/proc/{{each}}/cmdline', 'rb').read() for each in {EVERYBODY}):\n"
        "    raise OSError('nobody')",
        bare=f"crash: .*{WORKED}",
    ),
    "environment_of_others": Hostile(
        try_to="found = False\n"
        f"for each in {EVERYBODY}:\n"
        "    try: found |= b'{variable}' in open(f'/proc/{each}/environ', 'rb').read()\n"
        "    except OSError: pass\n"
        "if not found: raise OSError('nothing')",
        bare=f"crash: .*{WORKED}",
    ),
    "parent_killed": Hostile(
        go=f"os.kill(os.getppid(), 9); time.sleep(0.1)\n        {PLAY}", boxed="", bare="crash: .*SIGKILL"
    ),
    "parent_stopped": Hostile(go=f"os.kill(os.getppid(), signal.SIGSTOP)\n        {PLAY}"),
    "host_killed": Hostile(
        start=f"{LEAVE}; os.wait()",
        go=f"other = {UP}\n        if other > 1: os.kill(other, 9); time.sleep(1000)\n        {PLAY}",
        bare="crash: 3 processes that played",
    ),
    "host_stopped": Hostile(
        go=f"other = {UP}\n        if other > 1: os.kill(other, signal.SIGSTOP); time.sleep(1000)\n        {PLAY}",
        bare="crash: 3 processes that played",
    ),
}
OWN = {  # settings of an event of its own
    "late": {"move_time": 0.5, "bank": 2.5},
    "processor_time": {"patience": PATIENCE},  # a busy machine takes long to spend two seconds
}


def needs_bubblewrap():
    """A sandbox that works; without one tests are skipped, and fail where CI=true."""
    box = sandbox.choose("auto")
    if box.warning:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"{box.warning}; in CI hostile programs must be tested")
        pytest.skip(box.warning)
    return box


def traces(folder):
    """What an event in a folder could leave: processes, homes, control groups, mounts."""
    running = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{entry}/cmdline").read_bytes()
        except OSError:
            continue
        if DAEMON.encode() in command or str(folder).encode() in command:
            running.append((entry, command))
    made = [each for parent in set(filter(None, groups.parents())) for each in Path(parent).glob("mancala-bot-*")]
    left = [each for each in made if not is_running(each.name.split("-")[2])]  # by the process that made it
    return running, list(Path(tempfile.gettempdir()).glob("mancala-bot-*")), left, Path("/proc/self/mounts").read_text()


def played(folder, box, which):
    """An event of a player of this package against hostile bots; the games, by the name of the bot."""
    folder.mkdir()
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "diary").write_text("dear diary")
    (folder / "bots").mkdir()
    path = folder / "bots" / "event.db"  # in the very folder of the bots
    games = {}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = {
            "{secret}": str(folder / "elsewhere" / "diary"),
            "{event}": str(path),
            "{port}": str(listener.getsockname()[1]),
            "{variable}": SECRET,
        }
        made = {}
        for name in which:
            bot = HOSTILE[name]
            for word, meant in words.items():
                bot = bot._replace(try_to=bot.try_to.replace(word, meant))
            made[name] = Player.parse(bot.write(folder / "bots" / f"{name}.py"))
        for name, settings in (*OWN.items(), ("", {})):
            names = [name] if name else [each for each in which if each not in OWN]
            if not set(names) <= set(which):
                continue
            good = Player("good", f"cmd:{sys.executable} -S {write_bot(folder / 'bots' / 'good.py')}")
            event = Event(
                (good if name else Player("random", "random"), *(made[each] for each in names)),
                rules=("kalah:seeds=2",),
                form="gauntlet",
                pairs=1,
                memory=256,
                cpu=2,
                start_time=PATIENCE,
                **{"patience": 6.0, **settings},
            )
            file = path.with_name(f"{name or 'event'}.db")
            hidden = sandbox.Sandbox(box.program, box.version, (str(path),) if box.program else ())
            progress = run_event(event, file, executor=LocalExecutor(2, hidden))
            assert progress.games == progress.all_games == 2 * len(names)
            with Store(file) as store:
                assert store.provenance["sandbox"] == str(hidden)
                for record in store.records():
                    hostile = record.north if record.south in ("random", "good") else record.south
                    games.setdefault(hostile, []).append(record)
    return games


@pytest.fixture(scope="module", params=["bwrap", "none"])
def events(request, tmp_path_factory):
    """An event of all hostile bots in the box, and one without it; nothing is left of either."""
    box = needs_bubblewrap() if request.param == "bwrap" else sandbox.Sandbox()
    which = [name for name, bot in HOSTILE.items() if box.program or bot.bare is not None]
    folder, mine = tmp_path_factory.mktemp("event"), children(os.getpid())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANCALA_TEST", SECRET)
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", None)
        before = traces(folder)
        games = played(folder / request.param, box, which)
        wait_until(lambda: traces(folder) == before)
    wait_until(lambda: len(children(os.getpid()) - mine) <= 1)  # but for the tracker of multiprocessing
    return request.param, games


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(events, name):
    mode, games = events
    expected = HOSTILE[name].boxed if mode == "bwrap" else HOSTILE[name].bare
    if expected is None:
        pytest.skip("it would do harm")
    assert len(games[name]) == 2
    for record in games[name]:
        at_fault = None if record.fault is None else (record.south, record.north)[record.fault]
        assert at_fault in (None, name), "an innocent player was blamed"
        said = "" if at_fault is None else f"{record.reason}: {record.detail}"
        assert re.match(f"(?:{expected})" if said else f"(?:{expected})$", said), said
        state = State.parse(KALAH, record.opening)
        for action in record.actions:
            state = state.play(action)
        assert record.winner == (1 - record.fault if at_fault else state.winner)
        assert bool(at_fault) != state.is_over


def test_the_table_of_threats_is_that_of_the_tests():
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    table = page.partition("| threat |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = {}
    for line in table:
        _, _, boxed, bare, name, _ = (cell.strip() for cell in line.split("|"))
        rows[name.strip("`")] = boxed, bare
    assert set(rows) == set(HOSTILE)
    for name, (boxed, bare) in rows.items():
        assert "not contained" not in boxed, name
        worked = HOSTILE[name].bare is None or WORKED in HOSTILE[name].bare
        assert ("not contained" in bare) == worked, name


def test_who_stops_its_host_does_not_end_an_event_of_one_process(tmp_path):
    name = "host_stopped"
    bot = Player.parse(HOSTILE[name].write(tmp_path / f"{name}.py"))
    event = Event((Player("random", "random"), bot), rules=("kalah:seeds=2",), pairs=1, start_time=PATIENCE)
    progress = run_event(event, tmp_path / "event.db", executor=SerialExecutor())
    assert progress.games == progress.all_games == 2
    with Store(tmp_path / "event.db") as store:
        for record in store.records():
            assert (record.south, record.north)[record.fault] == name
            assert f"{record.reason}: {record.detail}".startswith(HOSTILE[name].bare)


def test_every_kind_of_program_plays_in_the_box(tmp_path):
    box = needs_bubblewrap()
    (tmp_path / "mine.py").write_text("def move(state):\n    return state.legal_actions[-1]\n")
    specs = [
        str(ROOT / "agents/bots/random_bot.py"),
        f"python:{tmp_path / 'mine.py'}:move",
        "cmd:{0} {1} bot /usr/bin/env PYTHONPATH={2} {0} {1} play 127.0.0.1:{{port}} greedy".format(
            sys.executable, ROOT / "agents/bots/examples/kgp.py", ROOT
        ),
    ]
    for spec in specs:
        program = read_program(spec)
        with Bot(program.command, protocol=program.protocol, sandbox=box, start_timeout=PATIENCE) as bot:
            bot.new_game(KALAH, 1)
            start = KALAH.start()
            assert bot.move(start, (), start, movetime=PATIENCE).action in start.legal_actions


def test_limits_without_control_groups(tmp_path, monkeypatch):
    box = needs_bubblewrap()
    monkeypatch.setattr(groups, "parents", groups.Parents)
    assert "memory: each process" in str(box)
    assert box.limits_of(1 << 28)["RLIMIT_AS"] == 1 << 28
    go = "import mmap\n        try: mmap.mmap(-1, 1 << 30)\n        except OSError: " + PLAY
    with Bot([sys.executable, "-S", str(write_bot(tmp_path / "x.py", go=go))], sandbox=box, memory_mb=256) as bot:
        bot.new_game(KALAH, 1)
        assert bot.move(KALAH.start(), (), KALAH.start(), hard_limit=PATIENCE).action == 0


def fake(folder, said):
    """A bubblewrap that is there and does not work."""
    (folder / "bwrap").write_text(f"#!/bin/sh\necho {said} >&2\nexit 1\n")
    (folder / "bwrap").chmod(0o755)
    return str(folder)


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Namespaces are forbidden."""
    monkeypatch.setenv("PATH", fake(tmp_path, "bwrap: No permissions to create new namespace"), prepend=os.pathsep)
    sandbox._probe.cache_clear()
    yield
    sandbox._probe.cache_clear()


def test_without_bubblewrap_a_command_says_what_is_not_contained(broken, tmp_path, capsys):
    bot = f"cmd:{sys.executable} -S {write_bot(tmp_path / 'bot.py')}"
    options = ["--agents", bot, "random", "--rules", "kalah:seeds=2", "--pairs", "1", "--quiet", "--no-report"]
    options += ["--processes", "0", "--out", str(tmp_path / "event.db")]
    assert main([*options, "--sandbox", "bwrap"]) == 2
    assert "the sandbox bwrap does not work here: " in capsys.readouterr().err
    assert main(options) == 0
    out, err = capsys.readouterr()
    assert err.count("read your files") == 1
    assert "No permissions to create new namespace" in err
    assert "sandbox of programs: none" in out
    assert check.main([bot, "--rules", "kalah:seeds=2", "--games", "1"]) == 0
    assert "read your files" in capsys.readouterr().err


def test_who_plays_without_programs_hears_nothing_of_sandboxes(broken, tmp_path, capsys):
    options = ["--agents", "greedy", "random", "--rules", "kalah:seeds=2", "--pairs", "1", "--quiet", "--no-report"]
    assert main([*options, "--processes", "0", "--out", str(tmp_path / "event.db")]) == 0
    assert "sandbox" not in "".join(capsys.readouterr())


def test_a_folder_that_holds_much_else_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    bot = write_bot(tmp_path / "bot.py")
    shown = sandbox.Sandbox("bwrap", "bubblewrap").wrap([sys.executable, str(bot)], str(tmp_path))
    assert str(bot) in shown
    assert str(tmp_path) not in [shown[k + 1] for k, word in enumerate(shown) if word.startswith("--ro-bind")]
