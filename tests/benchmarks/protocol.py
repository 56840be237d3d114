"""What a move costs over the protocol of ``docs/protocol.md``, next to a line sent to and fro through bare pipes.

``python -m tests.benchmarks.protocol`` prints medians of this machine, in microseconds: of the question and the answer
(the seconds that a clock would count), of the whole call, and of an echo by a program in the same language. The goal
for the whole call is 200.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import mancala_env as mancala
from agents.bots.client import Bot
from tests.benchmarks import frame

BOTS = Path(__file__).parents[2] / "agents" / "bots"
ECHO = "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\n    sys.stdout.flush()\n"
C_ECHO = """#include <stdio.h>
int main(void) { char line[4096]; while (fgets(line, sizeof line, stdin)) { fputs(line, stdout); fflush(stdout); } }
"""


def echo(command: Sequence[str], times: int) -> float:
    """Median seconds of a line there and back."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        took = []
        line = b"x" * 200 + b"\n"
        for _ in range(times):
            begin = time.perf_counter()
            os.write(process.stdin.fileno(), line)
            left = len(line)
            while left:
                left -= len(os.read(process.stdout.fileno(), left))
            took.append(time.perf_counter() - begin)
        process.stdin.close()
    return statistics.median(took)


def moves(command: Sequence[str], rules: mancala.Ruleset, games: int) -> tuple[float, float]:
    """Median seconds that the bot's clock ran, and of the whole call, over all moves of some games with itself."""
    clock, call = [], []
    with Bot(command) as bot:
        for seed in range(games):
            bot.new_game(rules, seed)
            opening = state = rules.start()
            actions: list[int] = []
            while not state.is_over:
                begin = time.perf_counter()
                answer = bot.move(opening, actions, state, movetime=1.0, bank=10.0, hard_limit=60.0)
                call.append(time.perf_counter() - begin)
                clock.append(answer.seconds)
                actions.append(answer.action)
                state = state.play(answer.action)
    return statistics.median(clock), statistics.median(call)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("protocol", __doc__)
    parser.add_argument("--games", type=int, default=40, help="of each ruleset and bot (default: 40)")
    options = parser.parse_args(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bots = {"Python": ([sys.executable, "-S", str(BOTS / "random_bot.py")], [sys.executable, "-S", "-c", ECHO])}
        compiler = shutil.which("cc")
        if compiler is None:
            print("there is no cc here: without the bot in C")
        else:
            source = Path(folder) / "echo.c"
            source.write_text(C_ECHO, encoding="utf-8")
            for file in (BOTS / "random_bot.c", source):
                subprocess.run([compiler, "-O2", "-o", Path(folder) / file.stem, file], check=True)
            bots["C"] = ([f"{folder}/random_bot"], [f"{folder}/echo"])
        for language, (command, reply) in bots.items():
            bare = echo(reply, 5000)
            for game in ("kalah", "oware"):
                clock, call = moves(command, mancala.ruleset(game), options.games)
                figures = (f"{1e6 * each:.0f}" for each in (clock, call, bare, call - bare))
                rows.append((f"{game}, bot in {language}", *figures))
    frame.print_table("median microseconds", ("", "clock", "call", "echo", "call - echo"), rows)


if __name__ == "__main__":
    main()
