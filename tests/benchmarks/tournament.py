"""Games a second of a stored tournament beside OpenSpiel's Python loop: ``python -m tests.benchmarks.tournament``

Both play Oware from the start in pairs, one number after the other in the same run. Ours: everything that
``mancala tournament run`` does, from the schedule to the disk, workers' start included. OpenSpiel: the loop of its
examples, ``legal_actions`` and ``apply_action``, or its ``alpha_beta_search``, and nothing is kept.
"""

import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyspiel
from open_spiel.python.algorithms import minimax

from agents.tournament.event import Event, Player
from agents.tournament.run import make_executor, run_event
from tests.benchmarks import frame

DEPTH = 4


def ours(one: str, other: str, pairs: int, processes: int, opening_plies: int = 0) -> float:
    """Games a second of a stored event between two players."""
    event = Event((Player("one", one), Player("other", other)), pairs=pairs, opening_plies=opening_plies)
    with tempfile.TemporaryDirectory() as folder:
        path, executor = Path(folder, "event.db"), make_executor(processes)
        return frame.per_second(2 * pairs, lambda: run_event(event, path, executor=executor), time.perf_counter)


def margin(state: pyspiel.State, player: int) -> float:
    """How far a player of OpenSpiel's Oware is ahead: the stores are the last two numbers of what it observes."""
    south, north = state.observation_tensor(0)[-2:]
    return south - north if player == 0 else north - south


def theirs(games: int, depth: int = 0) -> float:
    """Games a second of OpenSpiel: random moves in its Python loop, or its alpha-beta in Python of this depth.

    Before that there are four random plies, as it chooses nothing at random.
    """
    game, random = pyspiel.load_game("oware"), np.random.default_rng(0)

    def play() -> None:
        for _ in range(games):
            state, plies = game.new_initial_state(), 0
            while not state.is_terminal():
                if plies < 4 or not depth:
                    legal = state.legal_actions()
                    action = legal[int(random.random() * len(legal))]
                else:
                    player = state.current_player()
                    _, action = minimax.alpha_beta_search(
                        game, state, value_function=partial(margin, player=player), maximum_depth=depth,
                        maximizing_player_id=player,
                    )  # fmt: skip
                state.apply_action(action)
                plies += 1

    return frame.per_second(games, play, time.perf_counter)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("tournament", __doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=100_000, help="of random games; a twentieth of minimax ones")
    options = parser.parse_args(arguments)
    deep, few = f"minimax:depth={DEPTH}", max(1, options.pairs // 20)
    ours("random", "random", 10, 0)  # compiles
    ours(deep, "greedy", 2, 0)
    loops = [
        frame.Loop("OpenSpiel, random", partial(theirs, 3000), "games/s"),
        frame.Loop(
            "random-random", partial(ours, "random", "random", options.pairs, options.processes), "games/s",
            peer="OpenSpiel, random",
        ),
        frame.Loop("OpenSpiel, alpha-beta", partial(theirs, 3, DEPTH), "games/s"),
        frame.Loop(
            f"{deep} twice", partial(ours, deep, deep, few, options.processes, opening_plies=4), "games/s",
            peer="OpenSpiel, alpha-beta",
        ),
    ]  # fmt: skip
    frame.show(f"Oware, {options.processes} processes", loops, options.repeats)


if __name__ == "__main__":
    main()
