"""A Ray cluster plays the same games as one process, also when it loses a node."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from rich.console import Console

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.*"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray.*"),
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]
ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

from agents import executors  # noqa: E402
from agents.executors import LocalExecutor, RayExecutor, WorkerDied  # noqa: E402
from agents.tournament.event import Event, Player  # noqa: E402
from agents.tournament.run import run_event  # noqa: E402
from tests import players  # noqa: E402
from tests.players import Slow  # noqa: E402
from tests.processes import MANCALA, wait_until  # noqa: E402
from tests.tournaments import RANDOM_BOT, ROOT, games_of, untimed  # noqa: E402

STORE = 100 << 20  # bytes of an object store
PATIENCE = 300.0


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of one processor each; the driver is beside the first."""
    import ray.cloudpickle

    here = sys.modules[__name__], players  # which other processes cannot import
    for module in here:
        ray.cloudpickle.register_pickle_by_value(module)
    made = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    )
    try:
        made.add_node(num_cpus=1, object_store_memory=STORE)
        made.wait_for_nodes()
        ray.init(made.address, log_to_driver=False, logging_level="ERROR")
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
        for module in here:
            ray.cloudpickle.unregister_pickle_by_value(module)


def test_an_event_that_is_stopped_and_then_loses_a_node_ends_with_the_same_games(cluster, tmp_path):
    event = Event(
        players=(Player("slow", "an object"), *map(Player.parse, ("random", RANDOM_BOT))), rules=("kalah",), pairs=4
    )
    path, seen = tmp_path / "there.db", [0]
    part = run_event(
        event, path, executor=RayExecutor(), agents={"slow": Slow(0.01)},
        watch=lambda progress: seen.append(progress.games), stop=lambda: seen[-1] >= 2,
    )  # fmt: skip
    assert 2 <= part.games < 12
    (node,) = cluster.worker_nodes
    removing = threading.Thread(target=cluster.remove_node, args=(node,), kwargs={"allow_graceful": False})

    def watch(progress):
        seen.append(progress.games)
        if progress.games >= part.games + 2 and removing.ident is None:
            removing.start()

    progress = run_event(event, path, executor=RayExecutor(), agents={"slow": Slow(0.02)}, watch=watch)
    removing.join(PATIENCE)
    assert not cluster.worker_nodes
    assert progress.games == progress.all_games == 24
    run_event(event, tmp_path / "here.db", executor=LocalExecutor(0), agents={"slow": Slow(0.0)})
    assert untimed(games_of(path)) == untimed(games_of(tmp_path / "here.db"))


def times(argument, factor):
    """Of odd numbers the process dies at the first try, which leaves a file; of negative ones at each."""
    number, folder = argument
    seen = folder / str(number)
    if number < 0 or (number % 2 and not seen.exists()):
        seen.touch()
        os._exit(1)
    return number * factor


def wait_or_fail(folder, seconds):
    if seconds < 0:
        raise FileNotFoundError(folder)
    (folder / "begun").touch()
    try:
        for _ in range(int(100 * seconds)):  # Ray interrupts between two steps of Python, not a sleep
            time.sleep(0.01)
    except KeyboardInterrupt:
        (folder / "kept").touch()
        raise


def test_calls_on_a_cluster_are_made_again_where_their_process_dies_raise_and_are_interrupted(cluster, tmp_path):
    seen, waits = tmp_path / "seen", tmp_path / "waits"
    seen.mkdir()
    waits.mkdir()
    executor = executors.make_executor(ray="")
    assert dict(executor.run(times, ((k, seen) for k in range(4)), shared=3)) == {k: 3 * k for k in range(4)}
    assert len(list(seen.iterdir())) == 2
    with pytest.raises(WorkerDied, match="3 processes were lost at the same work"):
        list(executor.run(times, [(-1, seen)], shared=3))
    with pytest.raises(FileNotFoundError, match="somewhere"):
        list(executor.run(wait_or_fail, ["somewhere"], shared=-1))
    assert list(executor.run(wait_or_fail, [waits], shared=PATIENCE, stop=(waits / "begun").exists)) == []
    wait_until((waits / "kept").exists)


@pytest.mark.slow
def test_the_command_plays_on_a_ray_of_its_own(tmp_path):
    options = ["--agents", "random", "minimax:depth=2", RANDOM_BOT, "--rules", "kalah", "--pairs", "2", "--no-report"]
    for name, more in (("ray", ["--executor", "ray"]), ("here", ["--processes", "0"])):
        for _ in range(3):
            ran = subprocess.run(
                [*MANCALA, "tournament", "run", *options, *more, "--out", str(tmp_path / f"{name}.db")],
                cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
                env={**os.environ, "RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES": str(STORE)},
            )  # fmt: skip
            if "timed out during startup" not in ran.stderr:  # within Ray's half a minute, as on a busy machine
                break
        assert ran.returncode == 0, ran.stderr
        assert "12 games" in ran.stdout
    assert untimed(games_of(tmp_path / "ray.db")) == untimed(games_of(tmp_path / "here.db"))


@pytest.mark.slow
def test_self_play_on_a_cluster_is_that_of_this_process(cluster, tmp_path):
    pytest.importorskip("sb3_contrib")
    from training.alphazero import AlphaZeroConfig, train

    same = AlphaZeroConfig(
        rules="kalah:pits_per_row=3,seeds=2", encoder="counts", layers=(8,), games=6, group=2, moves=8, simulations=6,
        fast_simulations=2, rounds=3, batch_size=8, buffer=200, curve_every=0, pairs=0, processes=1,
    )  # fmt: skip
    found = []
    for name, ray_of in (("here", ""), ("there", "local")):
        done = train(replace(same, ray=ray_of, out=str(tmp_path / name)), console=Console(quiet=True))
        found.append(done.network.digest)
    assert found[0] == found[1]
