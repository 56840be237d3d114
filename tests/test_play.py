"""Games of a person against an agent: sessions, saved games, the terminal, what others think of a move."""

import io
import os
import re
import signal
import socket
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mancala_env as mancala
from agents import make_agent, move_values, plays, zoo
from agents.agent import refusal
from agents.mcts import MctsAgent
from agents.play import Session, hint_for, lobby
from agents.play.command import main
from agents.play.lobby import opponents
from agents.play.terminal import PLAYED, TAKEN, Terminal, last_move, read_move
from agents.tablebase import build
from agents.tournament.export import game_text, read_games, rows
from agents.tournament.record import UNFINISHED
from mancala_env.games import ruleset
from mancala_env.state import IllegalAction
from tests.games import CORE
from tests.pages import random_record
from tests.processes import MANCALA, PATIENCE, is_waiting, wait_until

ROOT = Path(__file__).parent.parent
KALAH = mancala.ruleset("kalah")


def session(rules="kalah", against="greedy", **more):
    return Session(rules, against, **more)


def spoken(lines, **more):
    """What a terminal says to these lines."""
    out, left = io.StringIO(), iter(lines)

    def read(prompt):
        out.write(prompt)
        line = next(left, None)
        if line is None:
            raise EOFError
        if isinstance(line, BaseException):
            raise line
        return line

    game = more.pop("session", None) or session(**more)
    Terminal(game, read, out).run()
    return game, out.getvalue()


class Fails:
    name = "fails"

    def __init__(self, act):
        self._act = act

    def reset(self, seed):
        pass

    def act(self, state):
        return self._act(state)


def test_a_person_and_an_agent_play_in_turn_and_by_the_rules():
    game = session("kalah", "minimax:depth=2", seat=1)
    assert game.is_agents_turn
    with pytest.raises(ValueError, match="turn of minimax:depth=2"):
        game.play(0)
    game.replies()
    assert game.is_persons_turn or game.state.is_over
    assert all(state.player == 0 for state in game.states[:-1])
    with pytest.raises(ValueError, match="not the turn"):
        game.reply()
    with pytest.raises(IllegalAction):
        game.play(9)
    other = session(seat=0)
    other.load(game.save())  # whose seat the person takes
    assert (other.seat, other.names) == (1, ("greedy", "you"))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rules": "chess"}, "chess"),
        ({"against": "nobody"}, "unknown agent"),
        ({"seat": 2}, "seat is 0"),
        ({"seed": -1}, "whole number"),
    ],
)
def test_sessions_that_cannot_be_are_refused(options, why):
    with pytest.raises(ValueError, match=why):
        session(**options)


@pytest.mark.parametrize("rules", ["kalah", "oware", "hus", "layli_goobalay", "diffusion", "reaping"])
@pytest.mark.parametrize("seat", [0, 1])
def test_undo_and_redo_go_from_turn_to_turn_of_the_person(rules, seat):
    game = session(rules, "random", seat=seat, seed=3)
    game.replies()
    reached = [game.state]
    while len(reached) < 4 and not game.state.is_over:
        game.play(game.state.legal_actions[0])
        game.replies()
        reached.append(game.state)
    last, moves = game.state, game.actions
    for state in reversed(reached[:-1]):
        assert game.undo() == state
    assert not game.can_undo
    with pytest.raises(ValueError, match="no move of yours"):
        game.undo()
    while game.can_redo:
        game.redo()
    assert (game.state, game.actions) == (last, moves)
    with pytest.raises(ValueError, match="taken back"):
        game.redo()
    game.undo()
    game.play(game.state.legal_actions[-1])  # another move: what was taken back is forgotten
    assert not game.can_redo


def test_asking_does_not_change_how_the_agent_plays():
    moves = []
    for asks in (False, True):
        game = session("kalah", "mcts:simulations=60", seed=5)
        for _ in range(3):
            if asks:
                game.opinion()
                game.hint()
            game.play(game.state.legal_actions[0])
            game.replies()
        moves.append(game.actions)
    assert moves[0] == moves[1]


def test_a_position_that_is_laid_out_begins_a_game_of_the_agent():
    game = Session("oware", "random", seat=1, seed=5)
    begun = game.replies()
    game.lay_out()
    assert game.replies() == begun


@pytest.mark.parametrize("rules", ["kalah:pits_per_row=4,seeds=3", "oware_territory", "reaping:start=[0,2,1,3,0]"])
def test_a_game_is_saved_and_loaded_finished_or_not(rules):
    game = session(rules, "random", seed=1)
    for _ in range(3):
        other = session(rules, "random")
        assert other.load(game.save()) == game.state
        assert other.actions == game.actions
        assert other.record == game.record
        assert other.record.reason == (game.state.termination or UNFINISHED)
        if game.state.is_over:
            break
        game.play(game.state.legal_actions[-1])
        game.replies()
    while not game.state.is_over and len(game.actions) < 400:
        game.play(game.state.legal_actions[-1])
        game.replies()
    assert session(rules, "random").load(game.save()) == game.state


def test_saved_games_are_checked():
    game = session()
    text = game.save()
    assert read_games(text) == [game.record]
    assert (game.record.points, game.record.told) == ((0, 0), "not finished")  # it counts for nobody
    assert next(rows([game.record]))["reason"] == UNFINISHED
    with pytest.raises(ValueError, match="no game 2"):
        game.load(text, 2)
    with pytest.raises(ValueError, match="cannot play"):
        game.load(text.replace("\n\n*", "\n\nC C *"))
    for wrong, why in (
        (text.replace('"*"', '"1-0"').replace("\n*", "\n1-0"), "does not go with"),
        (text.replace("unfinished", "side_empty"), "does not go with"),
        (text.replace("[Result", '[Scores "1 0"]\n[Result'), "neither a winner nor scores"),
    ):
        with pytest.raises(ValueError, match=why):
            game.load(wrong)
    over = game_text(random_record(KALAH, 3), KALAH)
    told = next(line for line in over.splitlines() if line.startswith("[Reason"))
    scores = next(line for line in over.splitlines() if line.startswith("[Scores"))
    result = over.split()[-1]
    open_ended = over.replace(told, '[Reason "unfinished"]').replace(scores + "\n", "")
    open_ended = open_ended.replace(f'"{result}"', '"*"').replace(f" {result}\n", " *\n")
    with pytest.raises(ValueError, match="says that it goes on"):
        game.load(open_ended)
    assert game.actions == ()


def test_agents_that_fail_are_told_of():
    for act, why in ((lambda _: 77, "played an illegal action"), (lambda _: int("x"), "cannot go on")):
        game = Session("kalah", Fails(act))
        game.play(0)
        with pytest.raises(RuntimeError, match=why):
            game.reply()
        assert game.actions == (0,)


def test_the_likeliest_action_of_a_policy_is_the_one_it_plays():
    pytest.importorskip("torch")
    agent = make_agent("zoo:kalah")
    state = agent.rules.start()
    found = hint_for(state, agent)
    assert found.best == agent.act(state)
    assert sum(found.values.values()) == pytest.approx(1)


@pytest.mark.parametrize("agent", [None, "minimax:depth=3", "mcts:simulations=200", "random"])
@pytest.mark.parametrize("rules", ["kalah", "hus", "reaping"])
def test_a_judgement_names_a_legal_move(rules, agent):
    state = mancala.ruleset(rules).start()
    found = hint_for(state, agent and make_agent(agent))
    if agent == "minimax:depth=3":
        assert found.values == move_values(state, 3)
    assert found.best in state.legal_actions
    assert set(found.values) <= set(state.legal_actions)
    assert all(np.isfinite(value) for value in found.values.values())
    assert found.by in found.told(state)
    assert ("seed" in found.told(state)) == (rules == "kalah" and found.unit == "seed")


def test_moves_are_read_in_capitals_and_small_letters():
    start = KALAH.start()
    assert read_move(start, "c") == read_move(start, "C") == 2
    north = start.play(0)
    assert read_move(north, "C") == read_move(north, "c") == 2
    with pytest.raises(ValueError, match="C is empty; you can play A, B, D"):
        read_move(start.play(2), "C")
    with pytest.raises(ValueError, match="no move and no command"):
        read_move(start, "Z")
    starving = mancala.ruleset("oware").position([1, 0, 0, 0, 0, 6] + [0] * 6)
    with pytest.raises(ValueError, match="A cannot be played now; you can play F"):
        read_move(starving, "A")


def test_a_terminal_draws_asks_and_answers():
    game, said = spoken(
        ["C", "a", "", "x", "C", "hint", "undo", "undo", "moves", "redo", "moves", "help", "board", "quit"]
    )
    assert said.count("South plays: ") == 14
    assert "greedy plays" in said
    assert "'x' is no move and no command; you can play" in said
    assert "undo, redo" in said
    assert game.actions
    _, said = spoken(["hint"])
    hint, start = session().hint(), KALAH.start()
    assert f"Play {start.name(hint.best)}: {hint.told(start)}.\nWhat it does: {start.trace(hint.best).text}." in said
    for end in ([], [KeyboardInterrupt()], ["A"]):  # the end of the input, and Ctrl-C, leave cleanly
        spoken(end)


@pytest.mark.parametrize(
    "rules",
    ["kalah:pits_per_row=3,seeds=2", "oware_series_wins:pits_per_row=3,seeds=2,target=2"],
)
def test_a_terminal_tells_a_whole_game_or_match(rules):
    player, out = session(rules, "random", seed=2), io.StringIO()
    Terminal(
        player, lambda _: "quit" if player.state.is_over else player.state.name(player.state.legal_actions[0]), out
    ).run()
    said, ends = out.getvalue(), player.game_ends
    assert all(
        f"{state.trace(action).text}.\n" in said for state, action in zip(player.states, player.actions, strict=False)
    )
    assert f"{player.state.ending}." in said
    assert f"\n{player.result}\n" in said
    assert len(ends) >= 2 or rules.startswith("kalah")
    _, listed = spoken(["moves", "quit"], session=player)
    for end in ends:
        assert end.full(0) in said
        assert f"\n{end.short(0)}.\n" in listed
    assert not any(reason in text for reason in mancala.TERMINATIONS[1:] for text in (said, listed))
    _, over = spoken(["A", "hint", "undo", "quit"], session=player)
    assert "the game is over" in over


def test_a_terminal_ends_a_game_with_the_board_and_the_reason_in_words():
    player = session("kalah:pits_per_row=3,seeds=2", "random", seed=2)
    player.lay_out("kalah 0-0-1-0-2-0-4-5-S")
    _, said = spoken(["C", "quit"], session=player)
    assert "You lose, 5 to 7: South's row was empty; the rest went to North." in said
    assert "North │ 7 ├───┼───┼───┤ 5 │ South" in said


def test_a_terminal_says_who_moves_again_and_marks_the_last_move_in_colour(monkeypatch):
    _, said = spoken(["C", "A", "quit"])
    assert said.count("You move again.") == 1
    assert "\x1b" not in said
    before = mancala.ruleset("oware").position([0, 0, 0, 0, 0, 2, 1, 2, 4, 0, 0, 0])
    after = before.play(5)
    styles = last_move(before, 5, after)
    names = before.rules.board.names
    assert {names[pit]: style for pit, style in styles.items()} == {"F": PLAYED, "a": TAKEN, "b": TAKEN}
    text = after.to_text(styles=styles)
    assert text.count("\x1b[1;31m 0 \x1b[0m") == 2
    assert re.sub(r"\x1b\[[\d;]*m", "", text) == after.to_text()
    out = io.StringIO()
    out.isatty = lambda: True
    for no_colour, is_coloured in (("1", False), ("", True)):
        monkeypatch.setenv("NO_COLOR", no_colour)
        monkeypatch.setenv("TERM", "xterm")
        lines = iter(["C", "quit", "yes"])
        out.truncate(0)
        Terminal(session(), lambda _, lines=lines: next(lines), out).run()
        assert ("\x1b[1;33m" in out.getvalue()) == is_coloured


def test_a_terminal_asks_before_it_drops_an_unfinished_game(tmp_path):
    file = tmp_path / "game.txt"
    game, said = spoken(["new", "A", "new oware", "no", "new mancala/oware-v0", "yes", "quit"])
    assert said.count("Drop it?") == 2
    assert (game.rules.name, game.actions, game.seed) == ("oware", (), 2)
    game, said = spoken(["A", "quit", "no", f"save {file}", "quit", "A"])
    assert said.count("Drop it?") == 1
    assert len(game.actions) == len(read_games(file.read_text(encoding="utf-8"))[0].actions)
    _, said = spoken(["A", "new kalha", "yes", "board"])
    assert "did you mean" in said


def test_a_terminal_keeps_games_in_files(tmp_path):
    file = tmp_path / "a game.txt"
    game, said = spoken(["C", f"save {file}", "undo", f"load {file}", "save", "load", f"load {tmp_path}/none", "quit"])
    assert read_games(file.read_text(encoding="utf-8")) == [game.record]
    assert "Saved to" in said
    assert "save needs the name" in said
    assert "load needs the name" in said
    assert "No such file" in said
    assert "no game 7" in spoken([f"load {file} 7"])[1]


def test_a_failing_agent_does_not_end_the_terminal():
    _, said = spoken(["A", "undo", "quit"], session=Session("kalah", Fails(lambda _: 77)))
    assert "fails played an illegal action" in said
    _, said = spoken(["", "A", "quit"], session=Session("kalah", Fails(lambda _: 77), seat=1))
    assert said.count("fails played an illegal action") == 2
    assert "turn of fails" in said


def command(*arguments, text="", **more):
    return subprocess.run(
        [*MANCALA, "play", *arguments], input=text, capture_output=True, text=True, timeout=120,
        cwd=ROOT, check=False, **more,
    )  # fmt: skip


@pytest.mark.integration
def test_the_command_plays_from_a_pipe(tmp_path):
    file = tmp_path / "game.txt"
    done = command(
        "--rules", "kalah:empty_capture=true,pits_per_row=4", "--against", "greedy", "--seat", "north",
        text=f"a\nbad\nsave {file}\nquit\n",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "kalah:pits_per_row=4,empty_capture=true: you are North, against greedy" in done.stdout
    assert "'bad' is no move" in done.stdout
    loaded = command("--load", str(file), "--against", "greedy", text="moves\n")
    assert (loaded.returncode, loaded.stderr) == (0, "")
    assert "kalah:pits_per_row=4,empty_capture=true: you are North" in loaded.stdout
    other = command("--load", str(file), "--rules", "oware", "--against", "greedy", text="")
    assert other.returncode == 2
    assert "is a game of kalah:pits_per_row=4,empty_capture=true, not of oware; leave --rules out\n" in other.stderr


def test_the_command_refuses_in_a_line(capsys, tmp_path):
    empty = tmp_path / "game.txt"
    empty.touch()
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    for arguments, why in (
        (["--load", str(empty)], f"{empty} holds no game; --load takes a saved game"),
        (["--web", "--port", str(port)], f"port {port} of 127.0.0.1 is in use by another program: choose another"),
        (["--rules", "chess"], "chess"),
        (["--against", "nobody"], "unknown agent"),
        (["--load", str(tmp_path / "none")], "No such file"),
        (["--against", "random", "greedy"], "one opponent"),
        (["--web", "--host", "0.0.0.0"], "--open-to-network"),
        (["--web", "--port", "70000"], "from 0 to 65535"),
    ):
        assert main(arguments) == 2
        told = capsys.readouterr().err
        assert why in told
        assert told.count("\n") == 1
    taken.close()


@pytest.mark.integration
def test_ctrl_c_ends_the_command(tmp_path):
    running = subprocess.Popen(
        [*MANCALA, "play", "--against", "greedy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    seen = b""
    while b"South plays: " not in seen:
        seen += os.read(running.stdout.fileno(), 4096)
    wait_until(lambda: is_waiting(running.pid))  # for a move
    running.send_signal(signal.SIGINT)
    wait_until(lambda: running.poll() is not None)  # its input is still open: that is not what ends it
    _, wrong = running.communicate(timeout=PATIENCE)
    assert (running.returncode, wrong) == (0, b"")


OFFERED = (
    *CORE, "kalah:empty_capture=true", "kalah:pits_per_row=4", "oware:grand_slam=no_capture",
    "awari:pits_per_row=3", "oware_series_wins:target=2", "reaping:start=[0,2,1,3,0]", "diffusion:blocks=rows",
)  # fmt: skip
DEEP = ("minimax:depth=6", "minimax:depth=8", "minimax:depth=10", "mcts:simulations=2000")


@cache
def trained_for(name):
    """The game of a trained agent, as its weights say."""
    agent = make_agent(name)
    return agent.evaluate.rules if name.startswith("mcts") else agent.rules


@pytest.mark.integration
@pytest.mark.parametrize("rules", OFFERED)
def test_every_opponent_that_is_offered_makes_a_move(rules, tmp_path):
    """Of those that only look deeper than others, the others stand for them."""
    tables = f"minimax:depth=2,tables={tmp_path}"
    more = (tables, "zoo:oware,seed=3", "mcts:simulations=9,network=zoo:kalah", "policy:nowhere")
    offered = [each.name for each in opponents(rules, more)]
    assert {"random", "greedy", *DEEP} <= set(offered)
    for name in offered:
        if name not in DEEP:
            player = session(rules, name, seat=1)
            assert player.reply() in player.states[0].legal_actions
    pytest.importorskip("torch")
    game = ruleset(rules)
    for name in (*(f"zoo:{name}" for name in zoo.names()), *more[1:3]):
        assert (name in offered) == (trained_for(name) == game)
        if name not in offered and rules in ("oware", "kalah:empty_capture=true"):
            with pytest.raises(ValueError, match=f"does not play {re.escape(rules)}"):
                session(rules, name)
    assert not {more[0], more[3]} & set(offered)


def test_a_card_says_how_long_a_game_is():
    (kalah,), (match,), (own,) = (lobby.cards([name]) for name in ("kalah", "oware_series_wins", "kalah:seeds=3"))
    assert re.fullmatch(r"about \d+ moves", kalah["length"])
    assert re.fullmatch(r"about \d+ games, \d+ moves in all", match["length"])
    assert own["length"] == ""  # nobody has counted it


def test_agents_say_which_games_they_play(tmp_path):
    small = ruleset("awari:pits_per_row=2,seeds=1")
    build(small, 4, tmp_path)
    tables = f"minimax:depth=2,tables={tmp_path}"
    for who in (tables, make_agent(tables)):
        assert plays(who, small)
        assert not plays(who, KALAH)
        assert "has no endgame tables of these rules" in refusal(who, KALAH)
    with pytest.raises(ValueError, match="has no endgame tables of these rules"):
        session("kalah", tables)
    assert session("awari:pits_per_row=2,seeds=1", tables, seat=1).reply() in (0, 1)
    assert "unknown agent" in refusal("nobody", KALAH)
    assert "no agent 'nobody' in the zoo" in refusal("zoo:nobody", KALAH)
    assert plays(Fails(None), KALAH)
    choosy = Fails(None)
    choosy.rules = mancala.ruleset("oware")
    assert not plays(choosy, KALAH)
    assert plays(choosy, mancala.ruleset("oware"))


def uniform(positions, masks):
    """An evaluation that knows nothing."""
    return masks / masks.sum(axis=1, keepdims=True), np.zeros(len(masks))


@pytest.mark.parametrize("settings", [{}, {"evaluate": uniform}])
def test_a_tree_search_that_is_interrupted_plays_what_it_has_found(settings):
    asked = []
    player = MctsAgent(100_000, **settings)
    game = session("kalah", player, seat=1)
    assert game.reply(lambda: asked.append(True) or True) in game.states[0].legal_actions
    assert asked == [True]
    assert player.search(game.state, stop=lambda: True).simulations < 100
