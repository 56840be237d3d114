"""Bots: what a host survives, what a bot can rely on, and that nothing is left; one file, as all play by one host."""

import dataclasses
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mancala_env as mancala
from agents import make_agent
from agents.bots import check
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.protocol import Game, rules_lines
from agents.bots.server import Lines, Misunderstood, Server
from agents.tournament.record import FAULTS
from mancala_env.rules.fields import DECLARED, NOT_RULES
from mancala_env.rules.plain import from_plain
from tests.games import CORE
from tests.processes import MANCALA, PATIENCE, PLAY, ROOT, children, is_running, wait_until, write_bot

RANDOM_BOT = ROOT / "agents" / "bots" / "random_bot.py"
KALAH, SERIES = mancala.ruleset("kalah"), mancala.ruleset("oware_series_wins")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and ends that only Linux knows")


@pytest.fixture
def bots(tmp_path):
    """A function that makes bots from what they do; all are closed at the end, and must leave nothing."""
    made = []
    number = itertools.count()

    def make(start="", rules='say("rulesok")', go=PLAY, **settings):
        file = write_bot(tmp_path / f"bot{next(number)}.py", start, rules, go)
        settings = {"start_timeout": PATIENCE, **settings}
        made.append(Bot([sys.executable, "-S", str(file)], **settings))
        return made[-1]

    yield make
    pids = [bot.process.pid for bot in made if bot.process is not None]
    for bot in made:
        bot.close()
    assert not any(map(is_running, pids))


def ask(bot, hard_limit=PATIENCE, **limits):
    """One question about the start of a game of Kalah."""
    if bot.process is None or not bot.process.is_alive:
        bot.new_game(KALAH, 0)
    return bot.move(KALAH.start(), (), KALAH.start(), hard_limit=hard_limit, **limits)


def fault_of(bot, hard_limit=PATIENCE):
    with pytest.raises(BotFault) as caught:
        ask(bot, hard_limit)
    return caught.value


def playout(bot, rules, seed=0, first=0, **limits):
    """The actions of a game that the bot plays with itself."""
    bot.new_game(rules, seed)
    state, actions = rules.start(), []
    while not state.is_over and len(actions) < 300:
        answer = bot.move(rules.start(), actions, state, hard_limit=PATIENCE, **limits)
        actions.append(answer.action)
        state = state.play(answer.action)
    return actions


# Games that go well


@pytest.mark.integration
@pytest.mark.parametrize("language", ["Python", "C"])
def test_a_bot_that_knows_no_rules_plays_every_game_and_keeps_its_seed(language, tmp_path):
    program = RANDOM_BOT
    if language == "C":
        program, compiler = tmp_path / "random_bot", shutil.which("cc") or pytest.skip("there is no cc")
        flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
        subprocess.run([compiler, *flags, "-o", program, RANDOM_BOT.with_suffix(".c")], check=True)
    with Bot(resolve_command(str(program))) as bot:
        for game in CORE:
            assert playout(bot, mancala.ruleset(game))
        games = [playout(bot, KALAH, seed) for seed in (1, 2, 1)]
        assert bot.name == f"Random ({language})"
        assert len(playout(bot, SERIES)) == 300  # lines of a thousand bytes
    assert games[0] == games[2] != games[1]


@pytest.mark.integration
def test_a_bot_hears_the_whole_game_and_all_limits(bots, tmp_path):
    rules, told = mancala.ruleset("kalah", seeds=6), tmp_path / "told"
    state = rules.start().play(0).play(1)
    bot = bots(start=f"sys.stdin = Tee(sys.stdin, {str(told)!r})")
    bot.new_game(rules, 42)
    bot.move(rules.start(), (), rules.start(), movetime=1.0)
    bot.move(rules.start(), (0, 1), state, movetime=0.5, bank=2.0, hard_limit=PATIENCE)
    bot.move(rules.start(), (0, 1), state, bank=60.0, increment=0.5, hard_limit=PATIENCE)
    bot.close()
    lines = told.read_text().splitlines()
    (data,) = [line for line in lines if line.startswith("ruleset ")]
    names = " ".join(state.name(action) for action in state.legal_actions)
    position = ["position kalah 6-6-6-6-6-6-6-6-6-6-6-6-0-0-S moves A B", "startpos moves A B", f"board {state}"]
    assert [line for line in lines if line not in ("isready", data)] == [
        "uci",
        'rules kalah {"seeds":6}',
        "setoption name Seed value 42",
        "ucinewgame",
        "position kalah 6-6-6-6-6-6-6-6-6-6-6-6-0-0-S moves",
        "startpos moves",
        "board kalah 6-6-6-6-6-6-6-6-6-6-6-6-0-0-S",
        "go movetime 1000 searchmoves A B C D E F",
        *position,
        f"go movetime 500 bank 2000 searchmoves {names}",
        *position,
        f"go bank 60000 increment 500 searchmoves {names}",
        "quit",
    ]


@pytest.mark.integration
def test_what_a_bot_says_besides_is_passed_over(bots):
    noise = 'print("hello"); print(); print("bestmovement"); print("\\x00\\xff"); sys.stderr.write("y" * 500_000); '
    start = 'print("*** Script 1.0 ***"); sys.stderr.write("x" * 200_000)'
    bot = bots(start=start, go=f'{noise} say("info depth 1"); {PLAY}; say("bestmove " + moves[-1])')
    assert [ask(bot).action for _ in range(20)] == [0] * 20  # a second answer is none to the next question


@pytest.mark.integration
def test_a_bot_may_be_late_and_is_told_to_stop_when_its_time_is_up(bots):
    for go, least in (
        (f"time.sleep(0.3); {PLAY}", 0.3),  # that it is late is the caller's to judge
        (f'say("info string thinks"); sys.stdin.readline() == "stop\\n" and {PLAY}', 0.1),
    ):
        answer = ask(bots(go=go), movetime=0.05, bank=0.05)
        assert answer.action == 0
        assert least <= answer.seconds < PATIENCE


@pytest.mark.integration
def test_what_a_question_costs_the_host_is_not_on_the_clock(bots, monkeypatch):
    """The clock here goes on only while a question is written."""
    now = [0.0]
    write = Game.question
    monkeypatch.setattr("agents.bots.client.time.perf_counter", lambda: now[0])
    monkeypatch.setattr(Game, "question", lambda *told: now.__setitem__(0, 9.0) or write(*told))
    assert ask(bots()).seconds == 0.0
    assert now[0] == 9.0


# Faults: what a bot does at a move, else at its start or when it is told the rules; the reason and the detail

IGNORES = "[signal.signal(each, signal.SIG_IGN) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]"
FAULTY = {
    "no move": ('say("bestmove Z")', "illegal_move", r"answered 'bestmove Z'; legal are A B C D E F in kalah 4-4"),
    "a remark": ('say("info string I resign"); say("bestmove 0000")', "illegal_move", ".*it said: I resign"),
    "no text": (r'sys.stdout.buffer.write(b"bestmove \xff\x1b[2J\n"); sys.stdout.flush()', "illegal_move", "answered"),
    "exit": (r'sys.stderr.write("bad luck\n"); sys.exit(3)', "crash", "exit code 3; stderr: bad luck$"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", "crash", "ended by signal SIGSEGV$"),
    "much stderr": ('sys.stderr.write("x" * 300_000 + " the end"); sys.exit(1)', "crash", ".{,480}x the end$"),
    "long line": ('[print("x" * 4096, end="") for _ in range(10**9)]', "flood", ".*a line of more than 64 KiB"),
    "many lines": ('[print("info depth 1") for _ in range(10**9)]', "flood", ".*more than 1 MiB"),
    "stderr": ('[sys.stderr.write("x" * 4096) for _ in range(10**9)]', "flood", ".*more than 16 MiB to stderr"),
    "closed output": ("os.close(1); time.sleep(1000)", "crash", "closed its output, but goes on running$"),
    "sleep": ("time.sleep(1000)", "silence", r"no bestmove within 0\.3 s in kalah"),
    "signals ignored": ({"start": IGNORES, "go": "time.sleep(1000)"}, "silence", "no bestmove"),
    "no start": ({"start": 'sys.exit("no weights")'}, "start", "exit code 1; stderr: no weights"),
    "no greeting": ({"start": "time.sleep(1000)", "start_timeout": 0.3}, "start", "no uciok within"),
    "refusal": ({"rules": 'say("refused only oware")'}, "refused", "kalah: only oware$"),
    "no answer to rules": ({"rules": "pass"}, "refused", "did not answer to 'rules kalah {}'"),
}
LINUX_ONLY = {
    "memory": ({"go": "x = bytearray(600 << 20)", "memory_mb": 300}, "crash", ".*MemoryError"),
    "processor time": ({"go": "while True: pass", "cpu_seconds": 1}, "crash", "used up its processor time$"),
}


@pytest.mark.integration
@pytest.mark.parametrize("name", [*FAULTY, *(pytest.param(name, marks=LINUX) for name in LINUX_ONLY)])
def test_what_a_bot_does_wrong_is_a_fault_with_a_name(bots, name):
    does, reason, said = (FAULTY | LINUX_ONLY)[name]
    bot = bots(**(does if isinstance(does, dict) else {"go": does}))
    pids = []
    with pytest.raises(BotFault) as caught:  # noqa: PT012 - at any of these steps
        bot.new_game(KALAH, 0)
        pids.append(bot.process.pid)
        ask(bot, hard_limit=0.3 if reason == "silence" else PATIENCE)
    fault = caught.value
    assert fault.reason == reason
    assert reason in FAULTS
    assert re.match(said, fault.detail)
    assert fault.detail.isprintable()
    assert len(fault.stderr) <= 2048
    assert (bot.process is not None) == (reason in ("illegal_move", "refused"))  # the process goes on
    assert bot.process is not None or not any(map(is_running, pids))


@pytest.mark.integration
def test_after_a_fault_the_next_game_is_played(bots, tmp_path):
    mark = tmp_path / "mark"
    bot = bots(go=f"os.path.exists({str(mark)!r}) or (open({str(mark)!r}, 'w'), os._exit(1)); {PLAY}")
    assert fault_of(bot).reason == "crash"
    with pytest.raises(ValueError, match="call new_game first"):
        bot.move(KALAH.start(), (), KALAH.start())
    assert ask(bot).action == 0
    picky = bots(rules='say("refused only oware" if "kalah" in line else "rulesok")')
    assert fault_of(picky).reason == "refused"
    assert playout(picky, mancala.ruleset("oware"))


@pytest.mark.integration
def test_who_does_not_read_is_not_waited_for_and_who_closes_its_input_has_crashed(bots, tmp_path):
    deaf = bots()
    deaf.new_game(KALAH, 0)
    os.kill(deaf.process.pid, signal.SIGSTOP)
    with pytest.raises(BotFault, match="silence: does not read its input"):
        deaf.process.say("x" * 1_000_000, time.monotonic() + 0.3)
    closes = bots(go=f"{PLAY}; os.close(0); time.sleep(1000)")
    ask(closes)
    pipe = Path(f"/proc/{closes.process.pid}/fd/0")
    wait_until(lambda: not pipe.exists())  # where there is no /proc, it may be asked before: then it is silent
    assert fault_of(closes, hard_limit=1.0).reason in ("crash", "silence")
    nowhere = fault_of(Bot([str(tmp_path / "nowhere")]))
    assert (nowhere.reason, "not found" in nowhere.detail) == ("start", True)


# Limits, and what is left


@pytest.mark.integration
@LINUX
def test_processor_time_is_limited_for_each_game(bots):
    spend = "end = time.process_time() + 0.5\n        while time.process_time() < end: pass"
    bot = bots(go=f"{spend}\n        {PLAY}", cpu_seconds=0.8)
    for _ in range(3):
        bot.new_game(KALAH, 0)
        ask(bot)


@pytest.mark.integration
@LINUX
def test_children_end_with_the_bot(bots):
    for end, go in (("close", PLAY), ("silence", "time.sleep(1000)"), ("crash", "os._exit(1)")):
        bot = bots(start="subprocess.Popen(['sleep', '1000'])", go=go)
        bot.new_game(KALAH, 0)
        (child,) = wait_until(lambda: children(bot.process.pid))  # noqa: B023
        if end == "close":
            bot.close()
        else:
            assert fault_of(bot, hard_limit=0.2 if end == "silence" else PATIENCE).reason == end
        wait_until(lambda: not is_running(child))  # noqa: B023


@pytest.mark.integration
@pytest.mark.parametrize("how", ["ends", pytest.param("killed", marks=LINUX)])
def test_a_bot_ends_with_its_host(how, tmp_path):
    host = (
        "import sys, time; from agents.bots.client import Bot; bot = Bot(sys.argv[1:]); bot.start();"
        "print(bot.process.pid, bot.process._end.peek()[2][2], flush=True)"
    )
    host += "" if how == "ends" else "; time.sleep(1000)"
    command = [sys.executable, "-c", host, sys.executable, "-S", str(RANDOM_BOT)]
    here = {**os.environ, "TMPDIR": str(tmp_path)}  # where nobody is left to remove the home of the bot
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=here, text=True) as process:
        pid, home = process.stdout.readline().split()
        if how == "killed":
            assert is_running(int(pid))
            process.kill()
    wait_until(lambda: not is_running(int(pid)))
    assert how == "killed" or not Path(home).exists()


@pytest.mark.integration
def test_a_bot_inherits_nothing(bots, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    out = tmp_path / "environment"
    bot = bots(start=f"import json; open({str(out)!r}, 'w').write(json.dumps(dict(os.environ)))")
    ask(bot)
    found = json.loads(out.read_text())
    assert set(found) - {"LC_CTYPE", "LC_ALL"} == {"PATH", "LANG", "HOME", "TMPDIR", "PWD"}
    assert os.listdir(found["HOME"]) == []
    assert found["HOME"] != os.environ.get("HOME")
    bot.close()
    assert not os.path.exists(found["HOME"])


@pytest.mark.integration
@LINUX
def test_many_games_cost_no_descriptors_and_leave_no_zombies():
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    with Bot([sys.executable, "-S", str(RANDOM_BOT)]) as bot:
        bot.start()
        during = min(descriptors() for _ in range(20))
        for seed in range(100):
            bot.new_game(KALAH, seed)
            bot.move(KALAH.start(), (), KALAH.start(), hard_limit=PATIENCE)
        wait_until(lambda: descriptors() == during)  # looking at what it uses opens files for a moment
        for _ in range(5):
            bot.kill()
            bot.new_game(KALAH, 0)
        pid = bot.process.pid
    wait_until(lambda: descriptors() == before)
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


# What the caller gets wrong


@pytest.mark.integration
def test_what_is_asked_wrongly_is_no_fault_of_the_bot(bots):
    bot = bots()
    with pytest.raises(ValueError, match="call new_game first"):
        bot.move(KALAH.start(), (), KALAH.start())
    bot.new_game(KALAH, 0)
    with pytest.raises(ValueError, match="the actions lead from"):
        bot.move(KALAH.start(), (1,), KALAH.start())
    with pytest.raises(ValueError, match="plays kalah until the next new_game"):
        bot.move(mancala.ruleset("oware").start(), (), mancala.ruleset("oware").start())
    assert ask(bot).action == 0
    with pytest.raises(ValueError, match="seed must be from 0"):
        bot.new_game(KALAH, -1)
    with pytest.raises(BotFault, match="refused: did not answer to 'ruleset "):
        bot.new_game(mancala.Ruleset(name="nowhere", store="own"), 0)
    with pytest.raises(ValueError, match="must be above 0"):
        Bot(["x"], memory_mb=0)
    with pytest.raises(ValueError, match="resolve_command"):
        Bot("x y")


def test_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my bot.py").write_text("x = 1\n")
    with pytest.raises(ValueError, match=r"is not executable: chmod \+x 'my bot.py' \(or write 'cmd:python3"):
        resolve_command("my bot.py")
    Path("my bot.py").chmod(0o755)
    assert resolve_command("./my bot.py") == [str(tmp_path / "my bot.py")]
    assert resolve_command("cmd:sh 'my bot.py' -x")[1:] == ["my bot.py", "-x"]
    with pytest.raises(FileNotFoundError, match=r"write 'cmd:sh my bot\.py'"):
        resolve_command("sh my bot.py")
    for wrong, error, said in (
        ("", FileNotFoundError, "there is no bot"),
        (".", ValueError, "is a folder"),
        ("cmd:", ValueError, "is empty"),
        ("cmd:sh 'x", ValueError, "No closing quotation"),
        ("cmd:no_such_program_here", FileNotFoundError, "no program"),
        ("python:x.py", ValueError, "write FILE.py:FUNCTION"),
        ("python:nowhere.py:play", FileNotFoundError, "no file 'nowhere.py'"),
    ):
        with pytest.raises(error, match=said):
            resolve_command(wrong)


def test_rules_travel_as_a_name_with_changes_and_as_data_that_leave_nothing_to_know():
    """All axes are there, defaults too; and a line of them is short enough for any reader of lines."""
    changed = mancala.ruleset("oware", pits_per_row=4, grand_slam="no_capture", repetition=0)
    named = 'rules oware {"grand_slam":"no_capture","pits_per_row":4,"repetition":0}'
    assert rules_lines(changed).splitlines()[0] == named
    for rules in (changed, *map(mancala.ruleset, CORE)):
        (data,) = [line for line in rules_lines(rules).splitlines() if line.startswith("ruleset ")]
        told = json.loads(data.removeprefix("ruleset "))
        assert DECLARED.keys() - {*NOT_RULES} == told.keys()
        assert from_plain(told) == rules
        assert len(data) < 8192


# Agents that are served


SERVE = (*MANCALA, "bot", "serve")


@pytest.mark.integration
def test_a_served_agent_plays_as_it_does_at_home():
    agent = make_agent("mcts:simulations=5")
    with Bot([*SERVE, "mcts:simulations=5"], start_timeout=PATIENCE) as bot:
        nameless = dataclasses.replace(KALAH, name="house_kalah", landing=KALAH.landing[:1], seeds=3)
        for rules, seed in ((KALAH, 1), (mancala.ruleset("hus"), 3), (nameless, 0)):
            agent.reset(seed)
            state, expected = rules.start(), []
            while not state.is_over and len(expected) < 300:
                expected.append(agent.act(state))
                state = state.play(expected[-1])
            assert playout(bot, rules, seed) == expected
        assert bot.name == agent.name


START = f"rules kalah {{}}\nucinewgame\nposition {KALAH.start()} moves C\n"


@pytest.mark.integration
def test_served_minimax_stops_when_told():
    with Bot([*SERVE, "minimax:depth=60"], start_timeout=PATIENCE) as bot:
        oware = mancala.ruleset("oware")
        bot.new_game(oware, 0)
        answer = bot.move(oware.start(), (), oware.start(), movetime=0.3, bank=0.0, hard_limit=60)
        assert 0.1 < answer.seconds < PATIENCE
        bot.process.say("go depth 60 searchmoves A\nstop\n", time.monotonic() + PATIENCE)
        while not (bot.process.hear(time.monotonic() + PATIENCE) or "").startswith("bestmove"):
            pass


def serve_here(text, agent="random"):
    """What a server in this process answers."""
    here, there = os.pipe()
    os.write(there, text.encode())
    os.close(there)
    out = io.StringIO()
    try:
        Server(make_agent(agent) if isinstance(agent, str) else agent, Lines(here), out).run()
    finally:
        os.close(here)
    return out.getvalue().splitlines()


def test_served_minimax_keeps_to_the_limits_it_is_told():
    lines = serve_here(f"{START}go\ngo depth 5\ngo nodes 3000\ngo depth 1 nodes 5\n", "minimax:depth=2")
    told = [line.split() for line in lines if line.startswith("info")]
    assert [line[2] for line in told if line[2] in ("1", "2", "5")][:2] == ["2", "5"]
    assert told[3][2] == "1"
    assert 3000 <= int(told[2][told[2].index("nodes") + 1]) < 3100
    best = [line.split()[1] for line in lines if line.startswith("bestmove")]
    assert len(best) == 4
    assert set(best) <= set("ABDEF")  # South moves again


MISUNDERSTOOD = {
    "no game": ("position chess\n", "unknown game 'chess'"),
    "no move": (START.replace("moves C", "moves Z"), "'Z' is no move of player 0"),
    "an illegal move": (START.replace("moves C", "moves C C"), "player 0 cannot play 2"),
    "no position": ("go depth 3\n", "go without a position"),
    "no depth": (f"{START}go depth x\n", "depth must be a whole number, not 'x'"),
    "no seed": ("setoption name Seed value -1\n", "Seed must be a whole number"),
    **{
        line: (f"{START}{line} {'9' * digits}\n", "must be a whole number")
        for line, digits in (("go movetime", 400), ("go depth", 5000), ("setoption name Seed value", 5000))
    },
    **{
        field[:12]: (f"rules oware_series_wins {{}}\nposition {SERIES.start()} {field} moves\n", "cannot read")
        for field in ("tally=inf-0", "last=1e999-0", "ply=" + "9" * 5000)
    },
}


@pytest.mark.parametrize("what", MISUNDERSTOOD)
def test_a_server_does_not_guess(what):
    text, said = MISUNDERSTOOD[what]
    with pytest.raises(Misunderstood, match=said):
        serve_here(text)


def test_a_server_refuses_what_is_no_game_and_passes_over_what_it_does_not_know():
    for rules in ("chess {}", "kalah {", "kalah []", 'kalah {"seed":1}', 'kalah {"game":1}', "kalah " + "[" * 30_000):
        (line,) = serve_here(f"rules {rules}\n")
        assert line.startswith("refused ")
    assert serve_here("xyzzy\n\nsetoption name Hash value 3\nstop\nisready\nquit\nisready\n") == ["readyok"]


def test_a_server_knows_what_was_played_before():
    rules = mancala.ruleset("oware", repetition=2)
    state, names = rules.start(), []
    while not state.is_over:
        names.append(state.name(state.legal_actions[-1]))
        state = state.play(state.legal_actions[-1])
    text = f"position {rules.start()} moves"
    for played in (names[:5], names, names[:-1]):  # longer, and shorter again
        text += "" if text.endswith("moves") else f"position {rules.start()} moves"
        text += f" {' '.join(played)}\n"
    lines = serve_here(f'rules oware {{"repetition":2}}\n{text}go searchmoves {names[-1]}\n')
    assert lines[-1].startswith("bestmove ")


def circling():
    """A running position of Oware after ten moves of a circle, and the two moves that close it."""
    oware = mancala.ruleset("oware")
    state = oware.position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], (22, 23))
    for pit in (5, 11, 0, 6, 1, 7, 2, 8, 3, 10):
        state = state.play(oware.action(state.player, pit))
    return state, [oware.action(0, 4), oware.action(1, 9)]


@pytest.mark.integration
def test_a_bot_that_begins_in_the_middle_counts_repetitions_as_the_referee_does(bots, tmp_path):
    """And is told anew where the same position has another history."""
    state, (first, last) = circling()
    line = mancala.State.parse(state.rules, state.to_line())
    for opening in (state, line):
        told = tmp_path / "told"
        told.unlink(missing_ok=True)
        bot = bots(start=f"sys.stdin = Tee(sys.stdin, {str(told)!r})")
        bot.new_game(state.rules, 0)
        for actions in ((), (first,)):  # the second is asked without telling anew what was told
            bot.move(opening, actions, opening.play(first) if actions else opening, hard_limit=PATIENCE)
        asked = [line for line in told.read_text().splitlines() if line.startswith("position ")]
        server = Server(make_agent("random"), Lines(os.open(os.devnull, os.O_RDONLY)), io.StringIO())
        for each in asked:
            server._set_position(each.removeprefix("position "))
        assert server._state.history.tolist() == state.play(first).history.tolist()
        assert server._state.play(last).termination == "repetition"
    for opening in (mancala.State.parse(state.rules, str(state)), state):
        bot.move(opening, (), opening, hard_limit=PATIENCE)
    asked = [line for line in told.read_text().splitlines() if line.startswith("position ")]
    assert asked[-2:] == [f"position {state} moves", f"position {state.to_line()}"]


@pytest.mark.integration
def test_what_cannot_be_served_is_one_line_on_stderr():
    for agent, text, said in (("random", "go\n", "go without a pos"), ("minimax:dept=3", "uci\n", "did you mean")):
        done = subprocess.run([*SERVE, agent], input=text, capture_output=True, text=True, cwd=ROOT, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("mancala bot serve: ")
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


# The checker


def checked(command, capsys, *arguments):
    code = check.main([command, "--rules", "kalah", "oware", "--games", "1", "--timeout", str(PATIENCE), *arguments])
    return code, capsys.readouterr().out


@pytest.mark.integration
@pytest.mark.parametrize(
    ("parts", "more", "failed"),
    [
        ({"go": 'say("bestmove Z")'}, "", "plays whole games: illegal_move"),
        (
            {"go": f"time.sleep(0.05); {PLAY}"}, "--movetime 0.01 --margin 0.03 --rules reaping",
            "answers in time: sent 'go movetime 10 ...'",
        ),
        ({"rules": "pass"}, "", "says which games it plays: sent 'rules kalah {}'"),
        ({"start": "import atexit; atexit.register(lambda: os._exit(5))"}, "", "quits: sent quit; it ended with exit"),
        ({"start": "time.sleep(1000)"}, "--timeout 1", "greets: start"),
    ],
)  # fmt: skip
def test_a_bad_bot_is_told_what_is_wrong(capsys, tmp_path, parts, more, failed):
    file = write_bot(tmp_path / "bad.py", **parts)
    code, out = checked(f"cmd:{sys.executable} -S {file}", capsys, "--margin", "5", *more.split())
    assert code == 1
    assert f"FAILED  {failed}" in out


@pytest.mark.integration
def test_a_good_bot_passes_and_rules_are_named_as_tournaments_name_them(capsys):
    code, out = checked(str(RANDOM_BOT), capsys, "--margin", "5", "--rules", "kalah:pits_per_row=3,seeds=2", "oware")
    assert code == 0
    assert out.count("ok ") == len(out.splitlines()) == 10
    assert "kalah:pits_per_row=3,seeds=2 yes, oware yes" in out
    for bot, wrong, said in (
        ("nowhere", "kalah", "there is no bot at 'nowhere'"),
        (str(RANDOM_BOT), "chess", "chess"),
        (str(RANDOM_BOT), "kalah:pits_per_row", "pits_per_row"),
        (str(RANDOM_BOT), "kalah:horns=2", "horns"),
    ):
        assert check.main([bot, "--rules", wrong]) == 2
        err = capsys.readouterr().err
        assert said in err
        assert len(err.splitlines()) == 1


@pytest.mark.integration
def test_a_bot_cannot_write_into_the_terminal(capsys, tmp_path):
    escape = "\\x1b[2J\\x9b1A\\u202e"
    file = write_bot(tmp_path / "bot.py", rules=f'say("refused {escape}") if "oware" in line else say("rulesok")')
    body = file.read_text(encoding="utf-8").replace("id name Script", f"id name Script{escape}")
    body = body.replace('say("uciok")', f'say("id author {escape}"); say("option name O{escape} type"); say("uciok")')
    file.write_text(body, encoding="utf-8")
    code, out = checked(f"cmd:{sys.executable} -S {file}", capsys, "--margin", "5")
    assert code == 0
    assert "Script?[2J?1A?" in out
    assert all(letter.isprintable() for line in out.splitlines() for letter in line)


# The page


PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_the_conversation_of_the_page_is_a_game():
    told = re.findall(r"^> (.*)$", PAGE, flags=re.MULTILINE)
    opening, moves = next(line for line in told if line.startswith("position"))[len("position ") :].split(" moves ")
    rules = mancala.ruleset("kalah", seeds=6)
    state = mancala.State.parse(rules, opening)
    state = state.play(state.parse_move(moves))
    assert f"board {state}" in told
    names = " ".join(state.name(action) for action in state.legal_actions)
    assert f"go movetime 100 bank 5000 searchmoves {names}" in told
    names_rules, holds_rules = rules_lines(rules).splitlines()
    (shortened,) = (line for line in told if line.startswith("ruleset"))
    assert names_rules in told
    assert holds_rules.startswith(shortened.removesuffix(" ...}"))
    told[told.index(shortened)] = holds_rules
    answers = serve_here("\n".join(told) + "\n")
    assert [line for line in answers if line in ("uciok", "rulesok")] == ["uciok", "rulesok"]
    assert answers[-1].split()[1] in names.split()


def test_every_fault_is_on_the_page():
    assert all(f"| `{reason}` |" in PAGE for reason in FAULTS)
