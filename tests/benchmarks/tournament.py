"""Games a second of a stored tournament beside OpenSpiel's Python loop: ``python -m tests.benchmarks.tournament``

Both play Oware from the start in pairs, one number after the other in the same run. Ours: everything that
``mancala tournament run`` does, from the schedule to the disk, workers' start included. OpenSpiel: the loop of its
examples, ``legal_actions`` and ``apply_action``, or its ``alpha_beta_search``, and nothing is kept.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyspiel
from open_spiel.python.algorithms import minimax

from agents.tournament.event import Event, Player
from agents.tournament.run import make_executor, run_event

DEPTH = 4


def ours(one: str, other: str, pairs: int, processes: int, opening_plies: int = 0) -> float:
    """Games a second of a stored event between two players."""
    event = Event((Player("one", one), Player("other", other)), pairs=pairs, opening_plies=opening_plies)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        done = run_event(event, Path(folder, "event.db"), executor=make_executor(processes))
        seconds = time.perf_counter() - begin
    assert done.games == 2 * pairs
    return done.games / seconds


def margin(state: pyspiel.State, player: int) -> float:
    """How far a player of OpenSpiel's Oware is ahead: the stores are the last two numbers of what it observes."""
    south, north = state.observation_tensor(0)[-2:]
    return south - north if player == 0 else north - south


def peer_random(games: int) -> float:
    """Games a second of random moves in OpenSpiel's Python loop."""
    game, random = pyspiel.load_game("oware"), np.random.default_rng(0)
    begin = time.perf_counter()
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(random.random() * len(legal))])
    return games / (time.perf_counter() - begin)


def peer_alpha_beta(games: int) -> float:
    """Games a second of OpenSpiel's alpha-beta in Python against itself, both ``DEPTH`` plies deep.

    Four random plies first, as it chooses nothing at random.
    """
    game, random = pyspiel.load_game("oware"), np.random.default_rng(0)
    begin = time.perf_counter()
    for _ in range(games):
        state = game.new_initial_state()
        for _ in range(4):
            state.apply_action(int(random.choice(state.legal_actions())))
        while not state.is_terminal():
            player = state.current_player()
            _, action = minimax.alpha_beta_search(
                game,
                state,
                value_function=partial(margin, player=player),
                maximum_depth=DEPTH,
                maximizing_player_id=player,
            )
            state.apply_action(action)
    return games / (time.perf_counter() - begin)


def compare(name: str, mine: Callable[[], float], theirs: Callable[[], float], repeats: int) -> None:
    """Print the medians of both, taken in turn, and their ratio."""
    pairs = [(mine(), theirs()) for _ in range(repeats)]
    own, peer = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = sorted(one / other for one, other in pairs)
    print(
        f"{name:22} {own:12,.1f} games/s   OpenSpiel {peer:10,.2f}   x {statistics.median(ratios):.1f}"
        f"  ({ratios[0]:.1f} to {ratios[-1]:.1f})",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.tournament", description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=100_000, help="of random games; a twentieth of minimax ones")
    options = parser.parse_args(arguments)
    ours("random", "random", 10, 0)  # compiles
    ours(f"minimax:depth={DEPTH}", "greedy", 2, 0)
    print(f"Oware, {options.processes} processes, medians of {options.repeats}")
    compare(
        "random-random",
        lambda: ours("random", "random", options.pairs, options.processes),
        lambda: peer_random(3000),
        options.repeats,
    )
    deep = f"minimax:depth={DEPTH}"
    compare(
        f"{deep} twice",
        lambda: ours(deep, deep, max(1, options.pairs // 20), options.processes, opening_plies=4),
        lambda: peer_alpha_beta(3),
        options.repeats,
    )


if __name__ == "__main__":
    main()
