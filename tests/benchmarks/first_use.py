"""What the first use of a game costs, in processor seconds: ``python -m tests.benchmarks.first_use [GAME...]``

Each step is a process of its own, its imports included: first without any compiled kernel, then with those that
it left.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from tests.benchmarks import frame

STEPS = {
    "State.play": "import mancala_env; s = mancala_env.ruleset({game!r}).start(); s.play(s.legal_actions[0])",
    "Batch step": "import mancala_env; batch = mancala_env.Batch({game!r}, 64); batch.play(batch.random_actions())",
    "search move": "import mancala_env as m, agents; agents.MinimaxAgent(depth=4).act(m.ruleset({game!r}).start())",
}


def seconds(code: str, folder: str) -> float:
    """Processor seconds of a Python process that runs ``code`` with the kernels of a folder."""
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "NUMBA_CACHE_DIR": folder})
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("first_use", __doc__)
    parser.add_argument("games", nargs="*", default=["oware"], metavar="GAME", help="rulesets (default: oware)")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=list(STEPS), help="these steps")
    options = parser.parse_args(arguments)
    rows = []
    for game in options.games:
        for step in options.only:
            with tempfile.TemporaryDirectory() as folder:
                spent = [seconds(STEPS[step].format(game=game), folder) for _ in range(2)]
            rows.append((game, step, *(f"{each:.2f}" for each in spent)))
    frame.print_table("processor seconds of a process", ("game", "step", "nothing compiled", "kernels on disk"), rows)


if __name__ == "__main__":
    main()
