"""How fast the environments are, next to OpenSpiel in the same run: ``python -m tests.benchmarks.speed``.

Every figure is the median of several runs in turn, one core each. A ply is: choose a random legal action, play it,
legal mask and observation of the new position, a new game when one ends; all endings on.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import mancala_env as mancala
from mancala_env.aec import env, raw_env


def batch_loop(game: str, encoder: str, n: int, **changes: object) -> Callable[[], float]:
    """Plies per second of a Batch."""
    batch = mancala.Batch(mancala.ruleset(game, **changes), n, encoder=encoder)
    out = batch.observe()
    mask = batch.legal_mask

    def run() -> float:
        steps = max(1, 1_000_000 // n)
        begin = time.perf_counter()
        for _ in range(steps):
            batch.play(batch.random_actions())
            batch.masks(mask)
            batch.observe(out)
        return steps * n / (time.perf_counter() - begin)

    for _ in range(200):  # games of all ages
        batch.play(batch.random_actions())
    return run


def open_spiel_loop(name: str) -> Callable[[], float]:
    """Plies per second of OpenSpiel's Python loop."""
    import pyspiel

    game = pyspiel.load_game(name)

    def run() -> float:
        plies = 60_000
        choose = random.Random(0).random
        state = game.new_initial_state()
        begin = time.perf_counter()
        for _ in range(plies):
            legal = state.legal_actions()
            state.apply_action(legal[int(choose() * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor(state.current_player())
        return plies / (time.perf_counter() - begin)

    return run


def state_loop(game: str) -> Callable[[], float]:
    """Plies per second of State.play from Python."""
    rules = mancala.ruleset(game)

    def run() -> float:
        plies = 20_000
        choose = random.Random(0).random
        state = rules.start()
        begin = time.perf_counter()
        for _ in range(plies):
            legal = state.legal_actions
            state = state.play(legal[int(choose() * len(legal))])
            if state.is_over:
                state = rules.start()
        return plies / (time.perf_counter() - begin)

    return run


def aec_loop(make: Callable[[], object]) -> Callable[[], float]:
    """Turns per second of a PettingZoo environment with a random legal policy."""
    game = make()

    def run() -> float:
        turns, limit = 0, 10_000
        choose = np.random.default_rng(0).random
        begin = time.perf_counter()
        while turns < limit:
            game.reset()
            for _ in game.agent_iter():
                observation, _, terminated, truncated, _ = game.last()
                if terminated or truncated:
                    game.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                game.step(legal[int(choose() * len(legal))])
                turns += 1
        return turns / (time.perf_counter() - begin)

    return run


def seconds(code: str) -> float:
    """Wall seconds of a fresh Python process that runs ``code``, without the interpreter's own start."""
    timed = f"import time; begin = time.perf_counter()\n{code}\nprint(time.perf_counter() - begin)"
    return float(subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="runs of each loop, in turn (default 7)")
    parser.add_argument("--games", type=int, default=4096, help="games in a Batch (default 4096)")
    runs, n = parser.parse_args().runs, parser.parse_args().games

    loops: dict[str, tuple[Callable[[], float], str | None]] = {}
    peers = {"oware": "oware", "kalah": "mancala"}
    for name in peers.values():
        try:
            loops[f"OpenSpiel {name}, Python"] = (open_spiel_loop(name), None)
        except ImportError:
            print("OpenSpiel is not installed (pip install open_spiel): no ratios")
    for game, name in peers.items():
        peer = f"OpenSpiel {name}, Python"
        for encoder in ("counts", "onehot"):
            loops[f"Batch {game}, {encoder}"] = (batch_loop(game, encoder, n), peer)
        loops[f"State.play {game}"] = (state_loop(game), peer)
    loops["AEC raw_env oware"] = (aec_loop(lambda: raw_env("oware", encoder="counts")), None)
    loops["AEC env oware"] = (aec_loop(lambda: env("oware", encoder="counts")), None)

    figures: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(runs):
        for name, (loop, _) in loops.items():
            figures[name].append(loop())
    table = Table(title=f"plies per second on one core, median of {runs} runs (lowest to highest)")
    for column in ("what", "plies/s", "range", "times the peer"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, (_, peer) in loops.items():
        values = figures[name]
        ratio = ""
        if peer in figures:
            ratio = f"{statistics.median(a / b for a, b in zip(values, figures[peer], strict=True)):.1f}"
        table.add_row(name, f"{statistics.median(values):,.0f}", f"{min(values):,.0f} to {max(values):,.0f}", ratio)
    console = Console(width=100)
    console.print(table)
    console.print(f"import mancala_env: {statistics.median(seconds('import mancala_env') for _ in range(5)):.2f} s")
    first = "import mancala_env\nmancala_env.ruleset('oware').start().play(0)"
    console.print(f"first move, kernels from the cache: {statistics.median(seconds(first) for _ in range(3)):.2f} s")


if __name__ == "__main__":
    main()
