"""What a fresh machine waits for: the first move, the first batch, the first search, from empty caches.

    python -m tests.benchmarks.first_use [--runs 3] [--against COMMIT] [--small]

Each line is measured in processes of their own whose cache of kernels is empty, one after another; medians of
``--runs``. With ``--against`` the same is measured on another commit, in turn with this one, and the ratio is given.
``--small`` measures the first line alone, once. Seconds are processor time, which a busy machine disturbs less than the
clock.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.benchmarks import frame

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


def seconds(root: Path, sizes: dict[Path, int], before: str, measured: str) -> float:
    """Processor time of ``measured`` after ``before`` in a process with an empty cache; notes the size of that then."""
    with tempfile.TemporaryDirectory() as cache:
        told = subprocess.run(
            [sys.executable, "-c", TIMED.format(before=before, measured=measured)],
            env={**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": cache},
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
    sizes[root] = max(sizes.get(root, 0), size)
    return float(told.stdout)


def main() -> int:
    """``python -m tests.benchmarks.first_use``."""
    parser = frame.parser("first_use", __doc__)
    parser.add_argument("--runs", type=int, default=3, help="number of runs for the medians (default: 3)")
    parser.add_argument("--against", metavar="COMMIT", help="measure this commit too, and give ratios")
    parser.add_argument("--small", action="store_true", help="the first line alone, once")
    options = parser.parse_args()
    lines, runs = ([*LINES.items()][:1], 1) if options.small else ([*LINES.items()], options.runs)
    sizes: dict[Path, int] = {}
    loops = [frame.Loop(name, partial(seconds, ROOT, sizes, *line), unit="s") for name, line in lines]
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        if options.against:
            add = ["git", "worktree", "add", "--quiet", "--detach", str(other), options.against]
            subprocess.run(add, cwd=ROOT, check=True)
            loops += [
                frame.Loop(f"{options.against[:12]}: {name}", partial(seconds, other, sizes, *line), "s", name, True)
                for name, line in lines
            ]
        try:
            frame.show("first uses from empty caches", loops, runs)
        finally:
            if options.against:
                shutil.rmtree(other, ignore_errors=True)
                subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=False)
    print("the kernels of all of these on disk: " + ", ".join(f"{size / 1e6:.1f} MB" for size in sizes.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
