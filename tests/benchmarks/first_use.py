"""What a fresh machine waits for: the first move, the first batch, the first search, from empty caches.

    python -m tests.benchmarks.first_use [--runs 3] [--against COMMIT] [--suite] [--small]

Each line is measured in processes of their own whose cache of kernels is empty, one after another; medians of
``--runs``. With ``--against`` the same is measured on another commit, in turn with this one, and the ratio is given.
``--suite`` adds the whole test suite, run once from an empty cache (a quarter of an hour or more). ``--small`` measures
the first line alone, once.
Seconds are processor time, which a busy machine disturbs less than the clock.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIRST_MOVE = "import mancala_env as m; m.ruleset('oware').start().play(2)"
BATCH = "b = m.Batch('{}', 64); b.play(b.random_actions()); b.observe()"
AGENT = "from agents import make_agent; make_agent('{}').act(m.ruleset('oware').start())"
# What is measured -> what runs before, and what is measured then.
LINES = {
    "first State.play, oware": ("", FIRST_MOVE),
    "then the first Batch step, oware": (FIRST_MOVE, BATCH.format("oware")),
    "then the first Batch step, hus": (FIRST_MOVE, BATCH.format("hus")),
    "then the first minimax:depth=4 move": (FIRST_MOVE, AGENT.format("minimax:depth=4")),
    "then the first mcts move": (FIRST_MOVE, AGENT.format("mcts:simulations=100")),
    "all of these in one process": (
        "",
        "; ".join(
            [FIRST_MOVE, *map(BATCH.format, ("oware", "hus")), AGENT.format("minimax:depth=4"), AGENT.format("mcts")]
        ),
    ),
}
TIMED = """
import time
{before}
begun = time.process_time()
{measured}
print(time.process_time() - begun)
"""


def seconds(root: Path, before: str, measured: str) -> tuple[float, int]:
    """Processor time of ``measured`` after ``before`` in a process with an empty cache; bytes of the cache then."""
    with tempfile.TemporaryDirectory() as cache:
        told = subprocess.run(
            [sys.executable, "-c", TIMED.format(before=before, measured=measured)],
            env={**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": cache},
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
    return float(told.stdout), size


def suite_seconds(root: Path) -> float:
    """Processor time of the whole test suite of a checkout, with all processes that it starts, from an empty cache."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "2"], cwd=root, stdout=subprocess.DEVNULL, check=False,
            env={**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": cache},
        )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """``python -m tests.benchmarks.first_use``."""
    parser = argparse.ArgumentParser(description="First uses from empty caches, in seconds of processor time.")
    parser.add_argument("--runs", type=int, default=3, help="number of runs for the medians (default: 3)")
    parser.add_argument("--against", metavar="COMMIT", help="measure this commit too, and give ratios")
    parser.add_argument("--suite", action="store_true", help="measure the whole test suite, too")
    parser.add_argument("--small", action="store_true", help="the first line alone, once")
    options = parser.parse_args()
    lines, runs = (dict([next(iter(LINES.items()))]), 1) if options.small else (LINES, options.runs)
    roots = {"here": ROOT}
    with tempfile.TemporaryDirectory() as folder:
        if options.against:
            other = Path(folder) / "other"
            subprocess.run(
                ["git", "worktree", "add", "--quiet", "--detach", str(other), options.against], cwd=ROOT, check=True
            )
            roots[options.against] = other
        try:
            print(f"{'':40}" + "".join(f"{name[:12]:>14}" for name in roots) + (f"{'ratio':>8}" * (len(roots) - 1)))
            sizes: dict[str, int] = dict.fromkeys(roots, 0)
            for line, (before, measured) in lines.items():
                took: dict[str, list[float]] = {name: [] for name in roots}
                for _ in range(runs):
                    for name, root in roots.items():
                        found, size = seconds(root, before, measured)
                        took[name].append(found)
                        sizes[name] = max(sizes[name], size)
                medians = [statistics.median(each) for each in took.values()]
                ratio = f"{medians[0] / medians[1]:8.2f}" if len(medians) > 1 else ""
                print(f"{line:40}" + "".join(f"{each:12.1f} s" for each in medians) + ratio, flush=True)
            print(
                f"{'the kernels of all of these on disk':40}"
                + "".join(f"{size / 1e6:11.1f} MB" for size in sizes.values()),
                flush=True,
            )
            if options.suite:
                suites = [suite_seconds(root) for root in roots.values()]
                ratio = f"{suites[0] / suites[1]:8.2f}" if len(suites) > 1 else ""
                print(f"{'the whole test suite':40}" + "".join(f"{each:12.0f} s" for each in suites) + ratio)
        finally:
            if options.against:
                shutil.rmtree(roots[options.against], ignore_errors=True)
                subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
