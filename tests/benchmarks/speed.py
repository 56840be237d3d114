"""How fast the environments are, next to their peers in the same run.

Every figure is the median of several runs; the loops of a group take turns, and a ratio is the median of the ratios of
neighbouring runs, so that a busy machine slows both sides alike. One core, counted in processor time of this process,
except for threads, which are counted in time on the wall.

A ply: a random legal action is chosen and played, the legal mask and the observation of the new position are written,
and a game that ends starts anew; all endings are on.

Groups:
  batch     Batch and State.play next to OpenSpiel's Python loop
  encoders  what an observation takes
  threads   two threads next to one: a Batch in each, and one Batch shared by both
  family    a batch that mixes games next to single batches, for as many plies of each
  aec       PettingZoo turns next to PettingZoo's own tic-tac-toe
  rows      bytes of a position
"""

import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mancala_env as mancala
from mancala_env.family import FamilyBatch
from mancala_env.observation import ENCODERS
from mancala_env.warm_up import warm_up
from tests.benchmarks import frame
from tests.benchmarks.frame import COLUMNS, Line, Loop, per_second
from tests.games import CORE

PEERS = {"oware": "oware", "kalah": "mancala"}  # a game, and its name in OpenSpiel
FAMILY = ("oware", "kalah", "hus")


def aged(batch: Any, steps: int = 200) -> Any:
    """A batch with games of all ages."""
    for _ in range(steps):
        batch.play(batch.random_actions())
    return batch


def batch_plies(
    game: str, encoder: str, n: int, clock: Callable[[], float] = time.process_time, threads: int = 1
) -> Callable[[], float]:
    """Plies per second of a Batch."""
    batch = aged(mancala.Batch(game, n, encoder=encoder, threads=threads))
    out, steps = batch.observe(), max(1, 600_000 // n)

    def play() -> None:
        for _ in range(steps):
            batch.play(batch.random_actions())
            _ = batch.legal_mask
            batch.observe(out)

    return lambda: per_second(steps * n, play, clock)


def open_spiel_plies(name: str) -> Callable[[], float]:
    """Plies per second of OpenSpiel's Python loop."""
    import pyspiel

    game = pyspiel.load_game(name)

    def play() -> None:
        choose = random.Random(0).random
        state = game.new_initial_state()
        for _ in range(60_000):
            legal = state.legal_actions()
            state.apply_action(legal[int(choose() * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor(state.current_player())

    return lambda: per_second(60_000, play)


def state_plies(game: str) -> Callable[[], float]:
    """Moves per second of ``State.play`` from Python, a new immutable State each, with its legal mask."""

    def play() -> None:
        choose = random.Random(0).random
        state = start = mancala.ruleset(game).start()
        for _ in range(60_000):
            legal = state.legal_actions
            state = state.play(legal[int(choose() * len(legal))])
            if state.is_over:
                state = start
            state.legal_mask  # noqa: B018 (written anew each time it is asked for)

    return lambda: per_second(60_000, play)


def batch_group(n: int) -> Iterator[Loop]:
    """Batch and State next to OpenSpiel."""
    peer = "OpenSpiel {}, Python loop"
    try:
        for name in PEERS.values():
            yield Loop(peer.format(name), open_spiel_plies(name))
    except ImportError:
        print('OpenSpiel is not installed (pip install -e ".[bench]"): no ratios', file=sys.stderr)
    for game, name in PEERS.items():
        for encoder in ("counts", "onehot"):
            yield Loop(f"Batch {game}, {encoder}", batch_plies(game, encoder, n), peer=peer.format(name))
        yield Loop(f"State.play {game}", state_plies(game), peer=peer.format(name), goal=">= 1")


def encoders_group(n: int) -> Iterator[Loop]:
    """What an observation takes, of games of all ages."""
    for game in PEERS:
        for encoder in ENCODERS:
            batch = aged(mancala.Batch(game, n, encoder=encoder))
            observe = partial(batch.observe, batch.observe())
            run = lambda observe=observe: 1e9 / per_second(n, observe)  # noqa: E731
            yield Loop(f"{game}: {encoder}", run, unit="ns a position")


def threads_group(n: int) -> Iterator[Loop]:
    """Two threads next to one."""
    if len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) < 2:
        print("one core only: threads are not measured", file=sys.stderr)
        return
    plies = partial(batch_plies, "oware", "onehot", clock=time.perf_counter)
    one, many = f"Batch oware, {4 * n:,} games, 1 thread", f"Batch oware, {16 * n:,} games, 1 thread"
    yield Loop(one, plies(4 * n))
    pool, loops = ThreadPoolExecutor(2), [plies(4 * n) for _ in range(2)]
    both = lambda: sum(each.result() for each in [pool.submit(loop) for loop in loops])  # noqa: E731
    yield Loop(f"a Batch of {4 * n:,} games in each of 2 threads", both, peer=one, goal=">= 1.7")
    yield Loop(many, plies(16 * n))
    yield Loop(f"Batch oware, {16 * n:,} games, 2 threads", plies(16 * n, threads=2), peer=many, goal=">= 1.7")


def family_group(n: int) -> Iterator[Loop]:
    """A batch that mixes games next to single batches of as many."""
    alone, peer = [batch_plies(game, "onehot", n) for game in FAMILY], f"Batch, {', '.join(FAMILY)} in turn"
    mixed, steps = aged(FamilyBatch(FAMILY, n)), max(1, 300_000 // n)

    def play() -> None:
        for _ in range(steps):
            mixed.play(mixed.random_actions())
            _ = mixed.legal_mask, mixed.observe()

    yield Loop(peer, lambda: len(alone) / sum(1 / plies() for plies in alone))
    yield Loop("FamilyBatch of these games", lambda: per_second(steps * n, play), peer=peer)


def aec_turns(make: Callable[[], Any], turns: int = 6000) -> Callable[[], float]:
    """Turns per second of a PettingZoo environment with a random legal policy, of whole games."""
    game = make()

    def run() -> float:
        played, choose, begin = 0, random.Random(0).random, time.process_time()
        while played < turns:
            game.reset()
            for _ in game.agent_iter():
                observation, _, terminated, truncated, _ = game.last()
                if terminated or truncated:
                    game.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                game.step(legal[int(choose() * len(legal))])
                played += 1
        return played / (time.process_time() - begin)

    return run


def aec_group(_: int) -> Iterator[Loop]:
    """Turns of one game through PettingZoo."""
    import pettingzoo

    from mancala_env.aec import env, raw_env

    peer = "PettingZoo tic-tac-toe, env()"
    yield Loop(peer, aec_turns(lambda: pettingzoo.make("aec", "classic/tictactoe-v3")), unit="turns/s")
    for game in PEERS:
        for encoder in ("counts", "onehot"):
            for make, name, goal in ((env, "env", ">= 5"), (raw_env, "raw_env", ">= 7")):
                loop = aec_turns(lambda game=game, encoder=encoder, make=make: make(game, encoder=encoder))
                yield Loop(f"{name}() {game}, {encoder}", loop, unit="turns/s", peer=peer, goal=goal)


def rows_group(_: int) -> Iterator[Loop]:
    """What a position takes."""
    for game in CORE:
        if mancala.ruleset(game).board.rows == 2:
            size = mancala.ruleset(game).start().array.nbytes
            yield Loop(f"position row, {game}", lambda size=size: float(size), "bytes", goal="<= 128", repeat=False)


GROUPS: dict[str, tuple[str, Callable[[int], Iterator[Loop]]]] = {
    "batch": ("Batch and State next to OpenSpiel", batch_group),
    "encoders": ("Observations", encoders_group),
    "threads": ("Two threads", threads_group),
    "family": ("Batches that mix games", family_group),
    "aec": ("PettingZoo", aec_group),
    "rows": ("Memory", rows_group),
}


def machine() -> str:
    """What the figures were measured on, in one line."""
    name = platform.processor() or platform.machine()
    with suppress(OSError):
        models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        name = models[0].partition(":")[2].strip() if models else name
    packages = ", ".join(f"{package} {version(package)}" for package in ("numpy", "numba"))
    return f"{os.cpu_count()} cores, {name}; {platform.system()}; Python {platform.python_version()}, {packages}"


def markdown(results: dict[str, list[Line]], runs: int) -> str:
    """All figures as one page, a table for each group."""
    head = ("---", "---:", "---:", "---:", "---", "---")
    page = f"""# Speed

Made by `python -m tests.benchmarks.speed --runs {runs} --markdown docs/speed.md`. {machine()}.

Medians of {runs} runs. The loops of a group take turns, and a ratio is the median of the ratios of neighbouring runs.
A ply: a random legal action is chosen and played, legal mask and observation of the new position are written, a game
that ends starts anew; all endings are on; the build of the engine for the game is made before. One core and processor
time, except for threads.
"""
    for group, lines in results.items():
        rows = [COLUMNS, head, *(line.cells() for line in lines)]
        page += f"\n## {GROUPS[group][0]}\n\n"
        page += "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return page


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write."""
    parser = frame.parser("speed", __doc__)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS), metavar="GROUP", help="these groups")
    parser.add_argument("--runs", type=int, default=5, help="runs of each loop, in turn (default 5)")
    parser.add_argument("--games", type=int, default=4096, help="games side by side (default 4096)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the figures there as a page of Markdown")
    options = parser.parse_args(arguments)
    if options.runs < 1 or options.games < 1:
        parser.error("--runs and --games must be 1 or more")
    if hasattr(os, "getloadavg") and (load := os.getloadavg()[0]) > 1:
        print(f"others are busy on this machine (load {load:.1f}): trust ratios, and threads not at all")
    for game in PEERS:  # as games run that are played much
        warm_up(game)
    results = {}
    for group in dict.fromkeys(options.only):
        title, make = GROUPS[group]
        results[group] = frame.show(title, list(make(options.games)), options.runs)
    if options.markdown:
        options.markdown.write_text(markdown(results, options.runs))


if __name__ == "__main__":
    main()
