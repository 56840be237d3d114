"""How fast the environments are, next to their peers in the same run.

Every figure is the median of several runs; the loops of a group take turns, and a ratio is the median of the ratios of
neighbouring runs, so that a busy machine slows both sides alike. One core, counted in processor time of this process,
except for threads and for starting up, which are counted in time on the wall.

A ply: a random legal action is chosen and played, the legal mask and the observation of the new position are written,
and a game that ends starts anew; all endings are on.

Groups:
  batch     Batch and State.play next to OpenSpiel's Python loop
  engine    Batch on the landing table next to a kernel written by hand for the one game (first checked to agree)
  parts     where the time of a Batch ply goes
  encoders  what an observation takes
  threads   two threads next to one: a Batch in each, and one Batch shared by both
  aec       PettingZoo turns next to PettingZoo's own tic-tac-toe
  vector    the Gymnasium vector environment: learner steps against a random opponent
  ppo       self-play PPO with its defaults next to the route of PettingZoo's tutorial for Stable-Baselines3
  rows      bytes of a position
  start     import, and the first move with and without compiled kernels on disk
"""

import math
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import mancala_env as mancala
from mancala_env.kernels import batch as kernels
from mancala_env.observation import ENCODERS
from mancala_env.warm_up import warm_up
from tests.benchmarks import frame
from tests.benchmarks.frame import COLUMNS, Line, Loop, per_second
from tests.benchmarks.specialised import Specialised, disagreement
from tests.games import CORE

PEERS = {"oware": "oware", "kalah": "mancala"}  # a game, and its name in OpenSpiel


def aged(batch: Any, steps: int = 200) -> Any:
    """A Batch, or what plays as one, with games of all ages."""
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


class ByHand(Specialised):
    """A kernel written by hand, with random actions."""

    turn = 0

    def random_actions(self) -> Any:
        """Drawn as ``Batch`` draws them."""
        self.turn += 1
        drawn = np.empty(len(self.masks), dtype=np.int64)
        kernels.random_actions(self.masks, 1, self.turn, 0, drawn)
        return drawn


def hand_plies(game: str, n: int) -> Callable[[], float]:
    """Plies per second of the kernel written by hand for ``game``."""
    hand, steps = aged(ByHand(game, n)), max(1, 600_000 // n)
    return lambda: per_second(steps * n, lambda: aged(hand, steps))


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
    rules = mancala.ruleset(game)

    def play() -> None:
        choose = random.Random(0).random
        state = rules.start()
        for _ in range(60_000):
            legal = state.legal_actions
            state = state.play(legal[int(choose() * len(legal))])
            if state.is_over:
                state = rules.start()
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


def engine_group(n: int) -> Iterator[Loop]:
    """The landing-table engine next to kernels written by hand."""
    for game in PEERS:
        if difference := disagreement(game, 200, 400):
            raise AssertionError(f"the kernel written by hand plays another game: {difference}")
    for game in PEERS:
        hand = f"by hand, {game}"
        yield Loop(hand, hand_plies(game, n))
        yield Loop(f"engine, {game}", batch_plies(game, "counts", n), peer=hand, cost=True, goal="<= 1.33")


PARTS_OF_A_PLY = ("random actions", "play", "masks", "observe, counts", "observe, onehot")


def parts_of_a_ply(game: str, n: int) -> Callable[[], dict[str, float]]:
    """Nanoseconds that each call of a Batch ply takes per game, all measured in one pass."""
    batch = aged(mancala.Batch(game, n, encoder="counts"))
    encode = mancala.Batch(game, n, encoder="onehot").encoder
    positions, players = batch.positions, batch.players  # copies
    out, onehot, steps = batch.observe(), encode(positions, players), max(1, 600_000 // n)

    def run() -> dict[str, float]:
        spent = np.zeros(len(PARTS_OF_A_PLY))
        for _ in range(steps):
            times, actions = [time.process_time()], batch.random_actions()
            for call in (
                lambda: None,  # the actions are drawn
                lambda actions=actions: batch.play(actions),
                lambda: batch.legal_mask,
                lambda: batch.observe(out),
                lambda: encode(positions, players, onehot),
            ):
                call()
                times.append(time.process_time())
            spent += np.diff(times)
        return dict(zip(PARTS_OF_A_PLY, (spent / steps / n * 1e9).tolist(), strict=True))

    return run


def taken(measure: Callable[[], dict[str, float]], names: Sequence[str]) -> Iterator[tuple[str, Callable[[], float]]]:
    """Each part of what is measured together: of the last pass, or of a new one if it has been taken before."""
    last: dict[str, float] = {}

    def take(name: str) -> float:
        if name not in last:
            last.update(measure())
        return last.pop(name)

    return ((name, partial(take, name)) for name in names)


def parts_group(n: int) -> Iterator[Loop]:
    """Where the time of a ply goes."""
    for game in PEERS:
        for name, run in taken(parts_of_a_ply(game, n), PARTS_OF_A_PLY):
            yield Loop(f"{game}: {name}", run, unit="ns a ply")


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
    one, many = f"Batch oware, {4 * n:,} games, 1 thread", f"Batch oware, {16 * n:,} games, 1 thread"
    yield Loop(one, batch_plies("oware", "onehot", 4 * n, time.perf_counter))
    two = f"a Batch of {4 * n:,} games in each of 2 threads"
    yield Loop(two, side_by_side("oware", "onehot", 4 * n), peer=one, goal=">= 1.7")
    yield Loop(many, batch_plies("oware", "onehot", 16 * n, time.perf_counter))
    shared = batch_plies("oware", "onehot", 16 * n, time.perf_counter, threads=2)
    yield Loop(f"Batch oware, {16 * n:,} games, 2 threads", shared, peer=many, goal=">= 1.7")


def side_by_side(game: str, encoder: str, n: int, threads: int = 2) -> Callable[[], float]:
    """Plies per second on the wall of ``threads`` Batches, each in a thread of its own."""
    loops = [batch_plies(game, encoder, n, time.perf_counter) for _ in range(threads)]
    pool = ThreadPoolExecutor(threads)
    return lambda: sum(each.result() for each in [pool.submit(loop) for loop in loops])


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


def vector_steps(game: str, n: int) -> Callable[[], float]:
    """Learner steps per second of the Gymnasium vector environment; learner and opponent play at random."""
    import gymnasium

    envs = gymnasium.make_vec(f"mancala/{game}-v0", num_envs=n, encoder="counts")
    _, infos = envs.reset(seed=0)
    turn = 0

    def play(steps: int) -> None:
        nonlocal infos, turn
        actions = np.empty(n, dtype=np.int64)
        for _ in range(steps):
            turn += 1
            kernels.random_actions(infos["action_mask"].view(np.bool_), 2, turn, 0, actions)
            _, _, _, _, infos = envs.step(actions)

    play(100)
    steps = max(1, 200_000 // n)
    return lambda: per_second(steps * n, lambda: play(steps))


def vector_group(n: int) -> Iterator[Loop]:
    """Many games through Gymnasium."""
    for game in PEERS:
        yield Loop(f"make_vec {game}, {n:,} games, counts", vector_steps(game, n), "learner steps/s", goal=">= 2 M")


def _quiet_learn(model: Any, steps: int, callback: Any = None) -> None:
    with redirect_stdout(StringIO()):
        model.learn(steps, callback=callback, reset_num_timesteps=False)


PARTS = ("updates", "the learner's decisions", "opponents", "games", "all else")


class _SelfPlay:
    """Self-play PPO with the settings of ``training.ppo``, but ``games`` at once at most, rollout by rollout."""

    def __init__(self, games: int) -> None:
        import torch

        from training.ppo import PPO, PPOConfig
        from training.trainer import Task

        torch.set_num_threads(1)
        self.folder = tempfile.TemporaryDirectory()
        usual = PPOConfig(rules="oware", out=self.folder.name)
        envs = min(games, usual.envs)
        batch_size = math.gcd(usual.batch_size, envs * usual.rollout_steps)
        self.config = replace(usual, envs=envs, batch_size=batch_size)
        self.algorithm = PPO(Task(self.config, torch.device("cpu")), None)
        self.model, env = self.algorithm.model, self.algorithm.env
        self.times: dict[str, float] = {}
        self._time(self.model, "train", "updates")
        self._time(self.model.policy, "forward", "the learner's decisions")
        self._time(env, "step_wait", "games and opponents")
        self._time(env.core, "ask_opponents", "opponents")
        self._learn()

    def _time(self, owner: Any, name: str, what: str) -> None:
        """Take the time of a method, together with all that it calls."""
        method = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            begin = time.process_time()
            result = method(*given, **named)
            self.times[what] = self.times.get(what, 0.0) + time.process_time() - begin
            return result

        setattr(owner, name, timed)

    def _learn(self) -> float:
        self.times.clear()
        begin = time.process_time()
        self.algorithm.round(0.0)
        return time.process_time() - begin

    def run(self) -> float:
        """Learner steps per second of one rollout with its update."""
        self.seconds = self._learn()
        return self.config.rollout / self.seconds

    def share(self, what: str) -> float:
        """Percent of the time of the last rollout that a part of it took."""
        took = {**self.times, "games": self.times["games and opponents"] - self.times["opponents"]}
        took["all else"] = self.seconds - sum(took[part] for part in PARTS[:-1])
        return 100 * took[what] / self.seconds


def _one_seat_env(game: Any) -> Any:
    """A two-player AEC game as Gymnasium's single agent who plays both sides in turn, as PettingZoo's tutorial does."""
    import gymnasium

    class BothSides(gymnasium.Env[Any, Any]):
        def __init__(self) -> None:
            self.observation_space = game.observation_space("player_0")["observation"]
            self.action_space = game.action_space("player_0")

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            game.reset(seed=seed, options=options)
            return game.observe(game.agent_selection)["observation"], {}

        def step(self, action: Any) -> Any:
            mover = game.agent_selection
            game.step(action)
            seen = game.observe(game.agent_selection)["observation"]
            reward, over = game._cumulative_rewards[mover], game.terminations[mover]
            return seen, reward, over, game.truncations[mover], {}

        def action_mask(self) -> Any:
            return game.observe(game.agent_selection)["action_mask"]

    return BothSides()


def tutorial_steps(steps: int = 2048) -> Callable[[], float]:
    """Steps per second of MaskablePPO with its own defaults on one such environment."""
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from sb3_contrib.common.wrappers import ActionMasker

    from mancala_env.aec import env

    torch.set_num_threads(1)
    masked = ActionMasker(_one_seat_env(env("oware")), lambda wrapped: wrapped.unwrapped.action_mask())
    model = MaskablePPO(MaskableActorCriticPolicy, masked, n_steps=steps, seed=0, device="cpu", verbose=0)
    _quiet_learn(model, steps)
    return lambda: per_second(steps, lambda: _quiet_learn(model, steps))


def ppo_group(n: int) -> Iterator[Loop]:
    """Training."""
    peer = "tutorial route: MaskablePPO on one AEC game"
    warnings.filterwarnings("ignore", category=UserWarning)  # hints on wrappers and devices
    yield Loop(peer, tutorial_steps(), unit="learner steps/s")
    selfplay = _SelfPlay(n)
    yield Loop("training.ppo oware, defaults", selfplay.run, unit="learner steps/s", peer=peer, goal=">= 12")
    for part in PARTS:
        yield Loop(f"training.ppo oware: {part}", partial(selfplay.share, part), unit="% of the time")


def rows_group(_: int) -> Iterator[Loop]:
    """What a position takes."""
    for game in CORE:
        if mancala.ruleset(game).board.rows == 2:
            size = mancala.ruleset(game).start().array.nbytes
            yield Loop(f"position row, {game}", lambda size=size: float(size), "bytes", goal="<= 128", repeat=False)


def seconds(code: str, **variables: str) -> float:
    """Wall seconds that ``code`` takes in a fresh Python process, without the interpreter's own start."""
    timed = f"import time; begin = time.perf_counter()\n{code}\nprint(time.perf_counter() - begin)"
    process = subprocess.run(
        [sys.executable, "-c", timed], check=True, capture_output=True, text=True, env={**os.environ, **variables}
    )
    return float(process.stdout)


def start_group(_: int) -> Iterator[Loop]:
    """The first seconds of a process."""
    first = "import mancala_env\nmancala_env.ruleset('oware').start().play(0)"

    def cold() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return seconds(first, NUMBA_CACHE_DIR=folder)

    yield Loop("first move, kernels to compile", cold, unit="s", repeat=False)
    yield Loop("first move, kernels on disk", lambda: seconds(first), unit="s")
    yield Loop("import mancala_env", lambda: seconds("import mancala_env"), unit="s")


GROUPS: dict[str, tuple[str, Callable[[int], Iterator[Loop]]]] = {
    "batch": ("Batch and State next to OpenSpiel", batch_group),
    "engine": ("landing-table engine next to a kernel by hand", engine_group),
    "parts": ("where the time of a Batch ply goes", parts_group),
    "encoders": ("observations", encoders_group),
    "threads": ("two threads", threads_group),
    "aec": ("PettingZoo", aec_group),
    "vector": ("Gymnasium vector environment", vector_group),
    "ppo": ("training", ppo_group),
    "rows": ("memory", rows_group),
    "start": ("starting up", start_group),
}
TURNS = {"engine": 4, "threads": 2}  # groups of short loops whose ratios are close: more runs


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

Medians, of the number of runs in brackets after each group. The loops of a group take turns, and a ratio is the
median of the ratios of neighbouring runs. A ply: a random legal action is chosen and played, legal mask and
observation of the new position are written, a game that ends starts anew; all endings are on; the build of the engine
for the game is made before. One core and processor time, except for threads and for starting up. `training.ppo` and
the tutorial's route are counted in processor time of one torch thread.
"""
    for group, lines in results.items():
        rows = [COLUMNS, head, *(line.cells() for line in lines)]
        page += f"\n## {GROUPS[group][0].capitalize()} ({runs * TURNS.get(group, 1)} runs)\n\n"
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
        _ = list(warm_up(game))
    results = {}
    for group in dict.fromkeys(options.only):
        title, make = GROUPS[group]
        results[group] = frame.show(title, list(make(options.games)), options.runs * TURNS.get(group, 1))
    if options.markdown:
        options.markdown.write_text(markdown(results, options.runs))


if __name__ == "__main__":
    main()
