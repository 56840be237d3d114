"""Foreign protocols: whole games against little engines in both directions, and what goes wrong with them."""

import contextlib
import os
import re
import shlex
import socket
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import mancala_env as mancala
from agents import make_agent
from agents.bots import check, server
from agents.bots.client import Bot, BotFault
from agents.bots.commands import read_program
from agents.bots.protocols import PROTOCOLS
from agents.bots.protocols.uci import moves_from_start
from agents.bots.serving.lines import Lines
from agents.bots.serving.thinking import limits_of, think
from agents.reference import LEARNED, NAMES
from agents.tournament.command import main as tournament
from agents.tournament.participants import with_rungs
from agents.tournament.record import FAULTS
from agents.tournament.store import Store
from tests.engines import sowing
from tests.processes import MANCALA, PATIENCE

if os.name != "posix":
    pytest.skip("bots run on Linux and macOS", allow_module_level=True)

ROOT = Path(__file__).parent.parent
ENGINES = ROOT / "tests" / "engines"
KALAH, OWARE = mancala.ruleset("kalah"), mancala.ruleset("oware")


def engine(protocol, *more, settings=""):
    """A little engine as a word for a bot."""
    command = shlex.join([sys.executable, "-S", str(ENGINES / f"{protocol}_engine.py"), *more])
    return f"bot:protocol={protocol},{settings}command={command}"


BOARD = "format=board,"
WHOLE = {  # engine, a game it plays
    "uci": (engine("uci"), OWARE),
    "moves": (engine("stdin"), KALAH),
    "boards": (engine("stdin", "--board", settings=BOARD), KALAH),
    "boards with stores": (engine("stdin", "--board", "--stores", settings=f"{BOARD}stores=true,"), KALAH),
}


def bot_of(text, **settings):
    program = read_program(text)
    return Bot(program.command, protocol=program.protocol, start_timeout=PATIENCE, **settings)


def play(bot, rules, seat, opening=None, movetime=0.01, third=PATIENCE, lead=None):
    """The actions of a game against random moves; ``third`` is the hard limit of the bot's third move."""
    bot.new_game(rules, 0)
    random = np.random.default_rng(seat)
    opening = state = rules.start() if opening is None else opening
    actions, moves = [], 0
    while not state.is_over:
        if state.player == seat:
            limit = third if moves == 2 else PATIENCE
            answer = bot.move(opening, actions, state, movetime=movetime, hard_limit=limit, lead=lead)
            action, moves = answer.action, moves + 1
        else:
            action = int(random.choice(state.legal_actions))
        actions.append(action)
        state = state.play(action)
    return actions


# Whole games, as host


@pytest.mark.integration
@pytest.mark.parametrize("which", WHOLE)
def test_an_engine_plays_whole_games_in_both_seats(which):
    text, rules = WHOLE[which]
    with bot_of(text) as bot:
        for seat in (0, 1):
            assert len(play(bot, rules, seat)) > 3


@pytest.mark.integration
def test_engines_say_who_they_are():
    with bot_of(engine("uci")) as uci:
        uci.start()
        assert (uci.name, uci.author, list(uci.known_options)) == ("Little Oware", "Ada", ["Hash"])


@pytest.mark.integration
def test_a_uci_engine_is_told_the_clock_and_moves_from_the_start():
    with bot_of(engine("uci")) as bot:
        bot.new_game(OWARE)
        asked = []
        say = bot.start() or bot.process.say
        bot.process.say = lambda text, deadline: (asked.append(text), say(text, deadline))
        state = OWARE.start().play(2)
        bot.move(OWARE.start(), (), OWARE.start(), movetime=0.05)
        bot.move(OWARE.start(), (2,), state)
        bot.move(state, (1,), state.play(1), depth=3, nodes=40)
    assert asked[:3] == [
        "position startpos\nisready\ngo movetime 50\n",
        "position startpos moves C\nisready\ngo movetime 1000\n",
        "position startpos moves Cb\nisready\ngo depth 3 nodes 40\n",
    ]


@pytest.mark.integration
def test_openings_are_told_as_moves_that_are_looked_for():
    state = OWARE.start()
    for action in (2, 3, 1, 5, 0):
        state = state.play(action)
    opening = mancala.State.parse(OWARE, str(state))  # as openings of tournaments are: without history
    moves = moves_from_start(opening)
    found = mancala.State.parse(OWARE, f"{OWARE.start()} moves {' '.join(moves)}")
    assert found == opening
    assert moves_from_start(state) == ["C", "d", "B", "f", "A"]
    with bot_of(engine("uci")) as bot:
        assert play(bot, OWARE, opening.player, opening)


@pytest.mark.integration
def test_an_opening_that_no_moves_lead_to_is_refused_or_told_as_a_position():
    opening = OWARE.position([0, 3, 0, 0, 2, 1, 0, 1, 0, 0, 2, 0], (20, 19))
    with bot_of(engine("uci")) as bot, pytest.raises(BotFault, match=r"refused: found no moves .*fen=true"):
        play(bot, OWARE, 0, opening)
    with bot_of(engine("uci", settings="fen=true,")) as bot:
        assert play(bot, OWARE, 0, opening)


@pytest.mark.integration
def test_moves_of_an_opening_that_the_host_knows_are_not_looked_for(tmp_path, monkeypatch, capsys):
    """Ten plies are further than the search for moves looks; a tournament's schedule knows how it came to them."""

    def forbidden(state):
        raise AssertionError(f"looked for {state}")

    monkeypatch.setattr("agents.bots.protocols.uci.moves_from_start", forbidden)
    arguments = ["--agents", f"uci={engine('uci')}", "random", "--rules", "oware", "--opening-plies", "10"]
    arguments += ["--pairs", "1", "--out", str(tmp_path / "event.db"), "--no-report", "--quiet", "--processes", "0"]
    assert tournament(arguments) == 0
    assert "by faults" not in capsys.readouterr().out
    state = OWARE.start()
    with bot_of(engine("uci")) as bot:
        bot.new_game(OWARE)
        with pytest.raises(ValueError, match=r"the actions \[2\] lead to .*, not to the opening"):
            bot.move(state, (), state, lead=(2,))


@pytest.mark.integration
def test_what_a_question_costs_the_host_is_not_on_the_clock(monkeypatch):
    """The clock here goes on only while a question is written."""
    now = [0.0]
    monkeypatch.setattr("agents.bots.client.time.perf_counter", lambda: now[0])
    with bot_of(engine("uci")) as bot:
        bot.new_game(OWARE)
        write = bot.protocol.question

        def question(asked):
            now[0] = 9.0
            return write(asked)

        monkeypatch.setattr(bot.protocol, "question", question)
        assert bot.move(OWARE.start(), (), OWARE.start(), movetime=0.05).seconds == 0.0
    assert now[0] == 9.0


@pytest.mark.integration
def test_a_reader_of_moves_cannot_begin_in_the_middle():
    opening = mancala.State.parse(KALAH, str(KALAH.start().play(0)))
    with bot_of(engine("stdin")) as bot, pytest.raises(BotFault, match="refused: is told moves only"):
        play(bot, KALAH, opening.player, opening)
    with bot_of(engine("stdin", "--board", settings=BOARD)) as bot:
        assert play(bot, KALAH, opening.player, opening)


def test_pits_are_written_as_the_contest_writes_them():
    program = read_program("bot:protocol=stdin,format=board,pits=1,stores=true,command=cat").protocol
    state = KALAH.start().play(2).play(0)
    assert program.notation.board(state) == " ".join(map(str, (*state.pits[6:], 0, *state.pits[:6], 1)))
    assert program.legal(state) == [str(action + 1) for action in state.legal_actions]
    assert program.notation.read_board(KALAH, program.notation.board(state)).pits == state.pits[6:] + state.pits[:6]


# Faults


GAMES = {"uci": OWARE, "stdin": KALAH}
FAULTY = {
    ("illegal", "uci"): ("illegal_move", "answered 'bestmove Z'; legal are "),
    ("illegal", "stdin"): ("illegal_move", "answered 'Z'; legal are A "),
    ("garbage", "uci"): ("illegal_move", "answered 'bestmove ?"),
    ("garbage", "stdin"): ("illegal_move", "answered '?"),
    **{("flood", name): ("flood", "wrote a line of more than 64 KiB") for name in ("uci", "stdin")},
    **{("crash", name): ("crash", "exit code 3; stderr: ") for name in ("uci", "stdin")},
    **{("silence", name): ("silence", f"no {word} within ") for name, word in zip(
        ("uci", "stdin"), ("bestmove", "move"), strict=True)},
}  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize(("fault", "protocol"), FAULTY)
def test_what_an_engine_does_wrong_has_the_names_that_tournaments_use(fault, protocol):
    reason, said = FAULTY[fault, protocol]
    with bot_of(engine(protocol, f"--fault={fault}")) as bot:
        rules, third = GAMES[protocol], 0.2 if fault == "silence" else PATIENCE
        with pytest.raises(BotFault) as caught:
            play(bot, rules, 0, third=third)
        assert caught.value.reason == reason
        assert reason in FAULTS
        assert said in caught.value.detail
        assert caught.value.detail.isprintable()
        if reason == "crash":
            assert "bad luck" in caught.value.stderr
        kept = bot.process is not None
        assert kept == (reason == "illegal_move")


# What cannot be


@pytest.mark.parametrize(
    ("text", "rules", "said"),
    [
        ("uci", "kalah", "kalah: the protocol uci plays single games of oware, awari"),
        ("uci", "oware:seeds=3", "on two rows of six pits with four seeds in each"),
        ("uci", "oware:pits_per_row=4", "single games of oware"),
        ("uci", "oware_series_wins", "single games of oware"),
        ("stdin,format=board", "hus", ""),
        ("stdin,format=board", "oware_territory", "hus"),
        ("stdin,pits=0", "tchuka_ruma", "tchuka_ruma: the protocol stdin is for two players"),
    ],
)
def test_rules_that_a_protocol_cannot_express_are_refused(text, rules, said):
    protocol = read_program(f"bot:protocol={text},command=cat").protocol
    refusal = protocol.refusal(mancala.ruleset(rules))
    assert said in refusal if said != "hus" else "a pit's number says nothing of its moves" in refusal


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bot:protocol=ucci,command=cat", "there is no protocol 'ucci'; did you mean 'uci'"),
        ("bot:protocol=uci", "the command last"),
        ("bot:protocol=uci;command=cat", "the command last"),
        ("bot:protocol=uci,fen,command=cat", "'fen' is no setting such as format=board"),
        ("bot:protocol=uci,fen=true,fen=true,command=cat", "'fen=true' is given twice"),
        ("bot:protocol=uci,depth=3,command=cat", "protocol uci has no setting 'depth'; it takes fen, movetime"),
        ("bot:protocol=uci,fen=1,command=cat", "fen must be true or false, not '1'"),
        ("bot:protocol=uci,movetime=x,command=cat", "movetime must be a whole number from 0, not 'x'"),
        ("bot:protocol=stdin,format=x,command=cat", "format must be moves or board, not 'x'"),
        ("bot:protocol=stdin,pits=2,command=cat", "pits must be one of letters, 0, 1, not '2'"),
        ("bot:command=", "the command in 'bot:command=' is empty"),
        ("bot:command=no_such_program_here", "there is no program 'no_such_program_here'"),
    ],
)
def test_a_word_for_a_bot_that_cannot_be_read(text, said):
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(said)):
        read_program(text)


@pytest.mark.integration
def test_a_tournament_says_before_its_first_game_what_a_protocol_cannot_play(capsys, tmp_path):
    code = tournament(["--agents", engine("uci"), "random", "--rules", "kalah", "--out", str(tmp_path / "event.db")])
    assert code == 2
    assert "the protocol uci plays single games of oware" in capsys.readouterr().err


@pytest.mark.integration
def test_engines_of_every_protocol_meet_in_a_tournament(tmp_path, capsys):
    for rules, players in (
        ("oware", [f"uci={engine('uci')}", "random"]),
        ("kalah", ["random", f"boards={engine('stdin', '--board', settings=BOARD)}"]),
    ):
        out = str(tmp_path / f"{rules}.db")
        arguments = ["--agents", *players, "--rules", rules, "--pairs", "1", "--out", out, "--no-report", "--quiet"]
        assert tournament([*arguments, "--processes", "0"]) == 0
        assert "by faults" not in capsys.readouterr().out


@pytest.mark.integration
@pytest.mark.parametrize("which", WHOLE)
def test_the_checker_tries_every_protocol(which, capsys):
    text, rules = WHOLE[which]
    game = "kalah:seeds=3" if "boards" in which else rules.name  # the others know one game by heart
    code = check.main([text, "--rules", game, "--games", "1", "--margin", "5", "--timeout", str(PATIENCE)])
    out = capsys.readouterr().out
    assert code == 0, out
    assert out.count("ok ") == len(out.splitlines()) == 5


@pytest.mark.integration
def test_the_checker_says_what_a_protocol_cannot_be_told(capsys):
    assert check.main([engine("uci"), "--rules", "kalah", "--games", "1", "--margin", "5"]) == 1
    assert (
        "FAILED  can be told the games: kalah: the protocol uci plays single games of oware" in capsys.readouterr().out
    )
    assert check.main([engine("uci", "--fault=illegal"), "--rules", "oware", "--games", "1", "--margin", "5"]) == 1
    assert "FAILED  plays whole games: illegal_move" in capsys.readouterr().out


# Agents that are served


@contextlib.contextmanager
def serving(*arguments, agent=None):
    """A text file to talk through with an agent that is served in this process, as the command says."""
    options = server.parser().parse_args(list(arguments))
    server.check_options(options)
    here, there = socket.socketpair()
    problems = []
    with here, there, here.makefile("w", newline="") as out, there.makefile("rw", newline="\n") as talk:
        player = server.served(options, agent or make_agent(options.agent), Lines(here.fileno()), out)

        def run():
            try:
                player.run()
                out.flush()
            except Exception as error:
                problems.append(error)
            here.shutdown(socket.SHUT_RDWR)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            there.settimeout(PATIENCE)
            yield talk
            talk.flush()
            there.shutdown(socket.SHUT_WR)
        finally:
            thread.join(PATIENCE)
    assert not thread.is_alive()
    if problems:
        raise problems[0]


def say(talk, text):
    talk.write(text)
    talk.flush()


def test_an_interface_of_oware_runs_an_agent():
    """The interface here is the little engine's own rules: what the agent answers is legal by them."""
    letters = "ABCDEFabcdef"
    pits, mover, captured, line = [4] * 12, 0, [0, 0], ""
    with serving("minimax:depth=2", "--protocol", "uci") as talk:

        def ask(text, word):
            if text:  # writing, even nothing, forgets what has been read ahead
                say(talk, text)
            return next(line.split() for line in talk if line.startswith(word))

        assert ask("uci\n", "uciok")
        assert ask("ucinewgame\nisready\n", "readyok")
        while max(captured) <= 24 and sum(pits) > 6 and len(line) < 200:
            moves = f" moves {line}" if line else ""
            move = ask(f"position startpos{moves}\ngo movetime 50\n", "bestmove")[1]
            assert letters.index(move) in sowing.oware_legal(pits, mover)
            pits, more = sowing.oware_after(pits, mover, letters.index(move))
            captured[mover] += more
            mover, line = 1 - mover, line + move
        assert len(line) > 20
        position = "position fen 2-0-0-0-0-1-0-4-4-4-4-4-12-13-S moves F a"
        assert ask(f"{position}\ngo wtime 3000 btime 3000 winc 10 binc 10\n", "bestmove")[1] == "A"
        assert ask("position startpos\ngo infinite\nisready\nponderhit\n", "readyok")  # while it searches
        assert ask("stop\n", "info")[3:5] == ["score", "cp"]
        assert ask("", "bestmove")[1] in "ABCDEF"
        over = "position fen 0-0-0-0-0-1-1-0-0-0-0-1-23-22-S moves F"
        assert ask(f"{over}\ngo movetime 50\n", "bestmove") == ["bestmove", "0000"]
        say(talk, "position startpos\ngo infinite\n")  # the end of the input ends it as well


class Watchful:
    """Plays the first legal move, and notes what it hears of its clock."""

    name = "watchful"

    def __init__(self):
        self.heard = []

    def reset(self, seed):
        pass

    def clock(self, left, increment):
        self.heard.append((left, increment))

    def act(self, state):
        return state.legal_actions[0]


def test_an_interface_tells_the_clock_and_waits_for_nothing_before_stop():
    agent = Watchful()
    with serving("random", "--protocol", "uci", agent=agent) as talk:
        say(talk, "position startpos moves A\ngo wtime 9000 btime 3000 winc 1 binc 20\n")
        assert talk.readline() == "bestmove a\n"
        say(talk, "position startpos\ngo wtime -40 btime 1\n")  # who has overstepped the time has none left
        assert talk.readline() == "bestmove A\n"
        say(talk, "go infinite\nisready\n")
        assert talk.readline() == "readyok\n"  # it has chosen long ago, and must not say so yet
        say(talk, "stop\n")
        assert talk.readline() == "bestmove A\n"
        say(talk, "quit\n")
    assert agent.heard == [(3.0, 0.02), (0.0, 0.0)]


@pytest.mark.parametrize("board", [False, True])
@pytest.mark.parametrize(("me", "first"), [(1, ""), (0, "Start\n")])
def test_a_contest_site_runs_an_agent(board, me, first):
    """The referee has the little engine's rules."""
    letters = "ABCDEFabcdef"
    options = ["--format", "board", "--stores", "--pits", "0"] if board else ["--format", "moves"]
    with serving("minimax:depth=2", "--protocol", "stdin", "--rules", "kalah", *options) as talk:
        pits, stores, mover = [4] * 12, [0, 0], 0
        say(talk, "" if board else first)
        while any(pits[:6]) and any(pits[6:]):
            own = range(6 * mover, 6 * mover + 6)
            if mover == me and board:
                row = [*pits[6 * me : 6 * me + 6], stores[me], *pits[6 - 6 * me : 12 - 6 * me], stores[1 - me]]
                say(talk, " ".join(map(str, row)) + "\n")
                pit = 6 * me + int(talk.readline())
            elif mover == me:
                pit = letters.index(talk.readline().strip())
            else:
                pit = next(pit for pit in own if pits[pit])
                say(talk, "" if board else f"{letters[pit]}\n")
            assert pit in own
            assert pits[pit]
            pits, stores, mover = sowing.kalah_after(pits, stores, mover, pit)


@pytest.mark.integration
@pytest.mark.parametrize("protocol", ["uci", "stdin"])
def test_what_is_served_and_what_a_host_speaks_fit_together(protocol):
    command = shlex.join([*MANCALA, "bot", "serve", "minimax:depth=2", "--protocol", protocol])
    with bot_of(f"bot:protocol={protocol},command={command}", cwd=ROOT) as bot:
        assert play(bot, GAMES[protocol], 1, movetime=5.0)


UCI, STDIN = (("random", "--protocol", name) for name in ("uci", "stdin"))


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        ((*UCI, "--rules", "kalah"), "", "the protocol uci plays single games of oware"),
        ((*STDIN, "--rules", "bulgarian_solitaire"), "", "is for two players"),
        (("random", "--stores"), "", "--stores is for --protocol stdin, not for mancala"),
        (UCI, "position chess\n", "position is followed by startpos or fen"),
        (UCI, "position startpos moves Aa-\n", "'-' is no move"),
        (UCI, "position startpos\ngo wtime x\n", "a clock is a whole number of milliseconds"),
        (STDIN, "Z\n", "'Z' is no legal move in kalah"),
        ((*STDIN, "--format", "board"), "1 2\n", "a board of kalah is 12 numbers"),
    ],
)
def test_what_cannot_be_served_is_said(arguments, text, said):
    with pytest.raises(ValueError, match=re.escape(said)), serving(*arguments) as talk:
        say(talk, text)


def test_every_protocol_is_on_the_page():
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    for name in set(PROTOCOLS) - {"mancala"}:
        assert f"bot:protocol={name}" in page
        assert f"--protocol {name}" in page


@pytest.mark.parametrize(
    "name", ["minimax:time=clock", "mcts:time=clock", "minimax:depth=60", "mcts:simulations=9000000"]
)
def test_served_agents_keep_to_the_clock(name):
    state = mancala.ruleset("oware").start()
    agent, heard = make_agent(name), []
    asked = limits_of("bank 600 increment 10 searchmoves A B")
    assert asked == {"bank": 600, "increment": 10}
    for limits in (asked, {"movetime": 40}):  # without a clock it would take an error or hours
        assert think(agent, state, limits, lambda: False, heard.append) in state.legal_actions
    assert heard


@pytest.mark.integration
def test_programs_of_others_are_optional_rungs_of_the_reference_ladder(tmp_path, capsys):
    there, absent = f"little={engine('uci')}", "absent=bot:protocol=uci,command=no-such-engine --fast"
    found, left_out = with_rungs(["greedy"], [OWARE], True, [absent, there])
    assert found == ["greedy", *NAMES, there]
    assert len(left_out) == 1
    assert not set(LEARNED) & set(with_rungs([], [mancala.ruleset("kalah", pits_per_row=3)], True, [])[0])
    path = tmp_path / "event.db"
    options = ["--agents", "random", "--optional", absent, there, "--rules", "oware", "--max-plies", "4"]
    assert tournament([*options, "--pairs", "1", "--processes", "0", "--no-report", "--out", str(path)]) == 0
    assert "absent is left out: there is no program 'no-such-engine'" in capsys.readouterr().err
    with Store(path) as store:
        assert [player.name for player in store.event.players] == ["random", "little"]
        assert all(record.fault is None for record in store.records())
    assert (
        tournament(["--agents", "random", "greedy", "--optional", "odd=bot:protocol=none,command=no-such-engine"]) == 2
    )
