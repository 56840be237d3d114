"""Which games a bot plays: what it says of itself, games without a name, and openings as moves from the start."""

import sys
from dataclasses import replace

import pytest

import mancala_env as mancala
from agents.bots import check
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.tournament.command import main as tournament
from mancala_env.rules.plain import text_of
from tests.processes import PATIENCE, ROOT

pytestmark = pytest.mark.integration
KALAH, OWARE = mancala.ruleset("kalah"), mancala.ruleset("oware")
NAMELESS = replace(KALAH, name="house_kalah", landing=KALAH.landing[:1], seeds=3)

# Knows nothing but the line ``ruleset``, from which it takes who sows where, and the moves from the start: it keeps a
# board of its own, and refuses all else.
INTERPRETER = """
import json, sys
rules, moves = {}, []

def legal():
    columns, seeds = rules["board"]["columns"], rules["seeds"]
    names = [chr(65 + k) for k in range(columns)] + [chr(97 + k) for k in range(columns)]
    pits, stores, mover = [seeds] * 2 * columns, [0, 0], 0
    for move in moves:
        place = names.index(move)
        hand, pits[place] = pits[place], 0
        again = False
        while hand:
            again = rules["store"] == "own" and place == columns - 1 + mover * columns
            if again:
                stores[mover] += 1
                hand -= 1
            place = (place + 1) % len(pits)
            if hand:
                pits[place] += 1
                hand -= 1
                again = False
        mover = mover if again and rules["landing"][0]["then"] == "again" else 1 - mover
    own = range(mover * columns, (mover + 1) * columns)
    return [names[k] for k in own if pits[k]]

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "uci":
        print("id name Interpreter\\nuciok")
    elif word == "isready":
        print("readyok")
    elif word == "ruleset":
        rules = json.loads(rest)
        plain = rules["board"]["kind"] == "two_rows" and rules["store"] == "own" and rules["match"] == "none"
        print("rulesok" if plain else "refused it reads the plainest rules only")
    elif word == "startpos":
        moves = rest.split()[1:]
    elif word == "go":
        print("bestmove", legal()[-1])
    elif word == "quit":
        break
    sys.stdout.flush()
"""


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    file = tmp_path_factory.mktemp("bot") / "interpreter.py"
    file.write_text(INTERPRETER)
    return f"cmd:{sys.executable} -S {file}"


@pytest.fixture
def knows(tmp_path):
    """A bot that says which games it plays, in a folder of its own."""
    body = (ROOT / "agents" / "bots" / "random_bot.py").read_text()
    said = 'print("id name Kalah only\\nid games kalah layli_goobalay")\n            print("id author'
    assert 'print("id name Random (Python)\\nid author' in body
    file = tmp_path / "bot" / "knows.py"
    file.parent.mkdir()
    file.write_text(body.replace('print("id name Random (Python)\\nid author', said))
    return f"cmd:{sys.executable} -S {file}"


def test_a_bot_interprets_rules_without_a_name_and_replays_openings(interpreter):
    """Its own board, made from the data and the moves from the start alone, agrees with the host's to the end."""
    lead = (2, 4, 0)
    opening = NAMELESS.start()
    for action in lead:
        opening = opening.play(action)
    opening = mancala.State.parse(NAMELESS, str(opening))  # as openings of tournaments are: without history
    with Bot(resolve_command(interpreter), start_timeout=PATIENCE) as bot:
        bot.new_game(NAMELESS)
        state, actions = opening, []
        while not state.is_over:
            answer = bot.move(opening, actions, state, hard_limit=PATIENCE, lead=lead)
            assert answer.action == state.legal_actions[-1]
            actions.append(answer.action)
            state = state.play(answer.action)
        assert len(actions) > 10
        with pytest.raises(BotFault, match="refused: oware: it reads the plainest rules only"):
            bot.new_game(OWARE)


def test_moves_from_the_start_are_left_out_where_nobody_knows_them():
    opening = mancala.State.parse(KALAH, str(KALAH.start().play(1)))
    with Bot(resolve_command(str(ROOT / "agents" / "bots" / "random_bot.py")), start_timeout=PATIENCE) as bot:
        bot.new_game(KALAH)
        heard = []
        say = bot.process.say
        bot.process.say = lambda text, deadline: (heard.append(text), say(text, deadline))
        bot.move(opening, (), opening, hard_limit=PATIENCE)
        bot.move(opening, (), opening, hard_limit=PATIENCE, lead=(1,))
        assert ["startpos" in text for text in heard] == [False, False]  # the opening was begun without them


def test_the_checker_and_tournaments_take_a_game_without_a_name(interpreter, tmp_path, capsys):
    text = text_of(NAMELESS)
    assert check.main([interpreter, "--rules", text, "--games", "1", "--margin", "5"]) in (0, 1)
    assert "ok      plays whole games" in capsys.readouterr().out
    arguments = ["--agents", f"reads={interpreter}", "random", "--rules", text, "--pairs", "1"]
    arguments += ["--opening-plies", "2", "--out", str(tmp_path / "event.db"), "--no-report", "--quiet"]
    assert tournament([*arguments, "--processes", "0"]) == 0
    assert "by faults" not in capsys.readouterr().out


def test_a_bot_says_which_games_it_plays(knows, capsys):
    with Bot(resolve_command(knows), start_timeout=PATIENCE) as bot:
        bot.new_game(KALAH)
        assert bot.said.games == ("kalah", "layli_goobalay")
        with pytest.raises(BotFault, match="refused: oware: it plays kalah, layli_goobalay"):
            bot.new_game(OWARE)
        bot.new_game(KALAH)
    assert check.main([knows, "--rules", "oware", "kalah:seeds=3", "--games", "1", "--margin", "5"]) == 0
    out = capsys.readouterr().out
    assert "greets: Kalah only by mancala-env" in out
    assert ", games kalah, layli_goobalay" in out
    assert "says which games it plays: oware is none of its games (kalah, layli_goobalay), kalah:seeds=3 yes" in out
    assert check.main([knows, "--rules", "oware", "--games", "1", "--margin", "5"]) == 1


def test_a_tournament_refuses_before_its_first_game(knows, tmp_path, capsys):
    """Also where other players would have met first."""
    out = tmp_path / "event.db"
    arguments = ["--agents", "random", "greedy", f"late={knows}", "--rules", "oware", "--pairs", "200"]
    arguments += ["--out", str(out), "--no-report", "--quiet", "--processes", "1"]
    assert tournament(arguments) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == "mancala tournament run: late says that it plays kalah, layli_goobalay, and not oware"
    assert tournament(["--resume", str(out), "--no-report"]) == 0
    assert "0 of 1,200 games are stored" in capsys.readouterr().out
