"""The examples of ``agents/bots/examples``: programs that stand between the bots' protocol and another one."""

import os
import sys
from pathlib import Path

import pytest

from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.examples import kgp
from mancala_env import ruleset
from tests.processes import PATIENCE

if os.name != "posix":
    pytest.skip("bots run on Linux and macOS", allow_module_level=True)

ROOT = Path(__file__).parents[1]
KGP = f"cmd:{sys.executable} {kgp.__file__} bot"


@pytest.mark.integration
def test_the_kalah_game_protocol_in_both_directions():
    """The client that the bot starts is an agent that plays on its server."""
    rules = ruleset("kalah:pits_per_row=3,seeds=2")
    client = f"/usr/bin/env PYTHONPATH={ROOT} {sys.executable} {kgp.__file__} play 127.0.0.1:{{port}} minimax:depth=2"
    with Bot(resolve_command(f"{KGP} {client}"), start_timeout=PATIENCE) as bot:
        bot.new_game(rules)
        state, actions = rules.start(), []
        while not state.is_over:
            actions.append(bot.move(rules.start(), actions, state, movetime=PATIENCE).action)
            state = state.play(actions[-1])
        assert bot.name == "minimax:depth=2"
        with pytest.raises(BotFault, match="refused: oware"):
            bot.new_game(ruleset("oware"))


@pytest.mark.integration
def test_a_client_that_thinks_until_it_is_told_to_stop(tmp_path):
    client = tmp_path / "client.py"
    client.write_text(
        "import os, socket\n"
        "lines = socket.create_connection((os.environ['KGP_HOST'], int(os.environ['KGP_PORT']))).makefile('rw')\n"
        "def say(text): lines.write(text + '\\r\\n'); lines.flush()\n"
        "lines.readline(); say('1 ping x'); assert lines.readline() == '2@1 pong x\\n'; say('mode freeplay')\n"
        "assert lines.readline() == '4 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\\n'\n"
        "say('3@2 move 1'); say('5@4 move 2'); say('7@4 move 3'); assert lines.readline() == '6@4 stop\\n'\n"
        "assert lines.readline().startswith('8 state'); raise SystemExit('bad luck')\n"
    )
    kalah = ruleset("kalah")
    with Bot(resolve_command(f"{KGP} {sys.executable} {client}"), start_timeout=PATIENCE) as bot:
        bot.new_game(kalah)
        assert bot.move(kalah.start(), (), kalah.start(), movetime=0.3).action == 2
        with pytest.raises(BotFault, match=r"crash: exit code 1; .*the other end closed the connection"):
            bot.move(kalah.start(), (2,), kalah.start().play(2), movetime=PATIENCE)
    missing = Bot(resolve_command(f"{KGP} sh -c 'exit 3'"), start_timeout=PATIENCE)
    with missing, pytest.raises(BotFault, match=r"start: .*ended with exit code 3 before it connected"):
        missing.start()
