"""Foreign protocols by the programs of ``agents/bots/examples``: whole games against little engines."""

import io
import shlex
import sys

import numpy as np
import pytest

import mancala_env as mancala
from agents import make_agent
from agents.bots import check
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.examples import uci
from agents.bots.server import limits_of, think
from agents.reference import LEARNED, NAMES
from agents.tournament.command import main as tournament
from agents.tournament.game import with_rungs
from agents.tournament.store import Store
from tests.processes import PATIENCE, ROOT

KALAH, OWARE = mancala.ruleset("kalah"), mancala.ruleset("oware")


def behind(example, *words):
    """A program behind an example, as a word for a bot."""
    return f"cmd:{shlex.join(map(str, [sys.executable, '-S', example.__file__, *words]))}"


def engine(*more):
    """A little engine of Awari behind the example."""
    return behind(uci, sys.executable, "-S", ROOT / "tests" / "engines" / "uci_engine.py", *more)


def play(bot, rules, seat):
    """The actions of a game against random moves."""
    bot.new_game(rules, 0)
    random = np.random.default_rng(seat)
    state, actions = rules.start(), []
    while not state.is_over:
        if state.player == seat:
            action = bot.move(rules.start(), actions, state, movetime=0.01, hard_limit=PATIENCE).action
        else:
            action = int(random.choice(state.legal_actions))
        actions.append(action)
        state = state.play(action)
    return actions


@pytest.mark.integration
def test_an_engine_plays_whole_games_in_both_seats_and_keeps_to_the_protocol(capsys):
    with Bot(resolve_command(engine()), start_timeout=PATIENCE) as bot:
        for seat in (0, 1):
            assert len(play(bot, mancala.ruleset("awari"), seat)) > 3
        assert (bot.name, bot.said.author, list(bot.said.options)) == ("Little Awari", "Ada", ["Hash"])
    options = ["--games", "1", "--margin", "5", "--timeout", str(PATIENCE)]
    code, out = check.main([engine(), "--rules", "awari", *options]), capsys.readouterr().out
    assert code == 0, out
    assert out.count("ok ") == len(out.splitlines()) == 10


@pytest.mark.integration
def test_what_an_engine_does_wrong_is_its_fault():
    for text, said in (
        (engine("--illegal"), "illegal_move: answered 'bestmove Z'"),
        (behind(uci, "sh", "-c", "read line; echo bad >&2; exit 3"), "exit code 3; stderr: bad"),
    ):
        with Bot(resolve_command(text), start_timeout=PATIENCE) as bot, pytest.raises(BotFault, match=said):
            play(bot, OWARE, 0)


def told(host, fen=False):
    """What the engine of ``uci.py`` is told where its host writes this, line by line."""

    class Engine(io.BytesIO):
        def close(self):
            pass

    heard = Engine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(host))
        uci.ask(heard, fen)
    return heard.getvalue().decode().splitlines()


START = str(OWARE.start())


@pytest.mark.parametrize(
    ("host", "fen", "heard"),
    [
        ("startpos moves\ngo movetime 50 searchmoves A", False, ["position startpos", "go movetime 50"]),
        ("startpos moves C\ngo searchmoves a b", False, ["position startpos moves C", "go movetime 1000"]),
        ("startpos moves C b\ngo depth 3 nodes 40", False, ["position startpos moves Cb", "go depth 3 nodes 40"]),
        ("startpos moves\ngo bank 60000 increment 500", False, ["position startpos", "go movetime 2400"]),
        ("go depth 1", False, []),
        ("go depth 1", True, ["position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S moves C", "go depth 1"]),
        ("isready\nstop\nruleset {}\nquit", False, ["isready", "stop", "quit"]),
    ],
)
def test_a_uci_engine_is_told_moves_from_the_start_and_limits(host, fen, heard, capsys):
    assert told(f"position {START} moves C\nboard x\n{host}\n", fen) == heard
    assert ("nobody knows the moves" in capsys.readouterr().out) == (not heard)


@pytest.mark.parametrize(
    ("rules", "plays"),
    [
        ("oware {}", True), ('oware_liberta {"max_plies":90}', True), ("kalah {}", False),
        ('oware {"seeds":3}', False), ('oware {"pits_per_row":4}', False), ("oware_series_wins {}", False),
    ],
)  # fmt: skip
def test_rules_that_uci_cannot_express_are_refused(rules, plays):
    assert uci.answer_to_rules(rules).startswith("rulesok" if plays else "refused UCI is for single games of oware")


@pytest.mark.integration
def test_engines_meet_in_a_tournament_from_random_openings(tmp_path, capsys):
    """A tournament's schedule knows how it came to them."""
    players = ["--agents", f"uci={engine()}", "random", "--rules", "awari", "--opening-plies", "10"]
    players += ["--pairs", "1", "--out", str(tmp_path / "event.db"), "--no-report", "--quiet", "--processes", "0"]
    assert tournament(players) == 0
    assert "by faults" not in capsys.readouterr().out
    state = OWARE.start()
    with Bot(resolve_command(engine()), start_timeout=PATIENCE) as bot:
        bot.new_game(OWARE)
        with pytest.raises(ValueError, match=r"the actions \[2\] lead to .*, not to the opening"):
            bot.move(state, (), state, lead=(2,))


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
    there, absent = f"little={engine()}", f"absent=cmd:python3 {uci.__file__} --fen no-such-engine --fast"
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
