"""Building endgame tables, from few seeds to many: in threads, resumable, with the same result for any threads."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.processes import only_one, usable_cores
from agents.tablebase import files, kernel
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules import Ruleset

CHUNK = 1 << 16  # positions that a thread takes at a time
STEPS = 1 << 17  # positions whose predecessors a thread generates before the threads share what is left
SMALL = 1 << 15  # a level with fewer positions is not worth a second thread
ROOM = 1 << 20  # entries of a thread's stack

Report = Callable[[int, float, str], None]


def build(
    rules: Ruleset, seeds: int, folder: Path | str, threads: int | None = None, report: Report | None = None
) -> list[Path]:
    """Write the tables of a ruleset for 0 to ``seeds`` seeds on the board; returns their files.

    Whole files are kept, so that a killed build can be started again. It needs one byte of memory (two for bounds) for
    every position and, except for games like Kalah, about five more for each with the most seeds. ``threads`` is by
    default one for each processor; ``report(seeds, share, what)`` tells the progress on each number, 0 to 1. ValueError
    for a ruleset without tables, or impossible numbers; OSError if they do not fit (finished files stay); Locked if
    another process builds tables in this folder.
    """
    files.check_seeds(rules, seeds)
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    folder, report = Path(folder), report or (lambda seeds, share, what: None)
    with only_one(folder, "builds endgame tables"):  # else each would remove the other's temporary files
        pits = rules.board.pits
        found: dict[int, npt.NDArray[np.int8]] = {}
        for n in range(seeds + 1):
            if (path := files.table_path(folder, rules, n)).exists():
                try:
                    found[n] = files.read_table(path, rules, n)
                except files.DamagedTable as error:
                    report(n, 0.0, f"built again: {error}")
        missing = [n for n in range(seeds + 1) if n not in found]
        size = sum(files.table_size(rules, n) for n in missing)
        if missing:
            files.require_room(folder, size, f"tables of {missing[0]} to {seeds} seeds")

        known = np.zeros((len(files.planes(rules)), files.first_number(pits, seeds + 1)), dtype=np.int8)
        count = 1 if DISABLE_JIT else threads or usable_cores()
        pool = ThreadPoolExecutor(count)
        try:
            for n in range(seeds + 1):
                first = files.first_number(pits, n)
                entries = known[:, first : first + files.layer_size(pits, n)]
                if n in found:
                    entries[:] = found.pop(n)
                    report(n, 1.0, "kept")
                    continue
                report(n, 0.0, "started")
                if n and files.is_acyclic(rules):
                    _look_ahead(rules, n, known[0], pool, report)
                elif n:  # else the entry stays 0
                    _analyse(rules, n, known, entries, count, pool, report)
                files.write_table(folder, rules, n, entries)
                report(n, 1.0, "built")
        finally:
            pool.shutdown(cancel_futures=True)
        return [files.table_path(folder, rules, n) for n in range(seeds + 1)]


def _look_ahead(
    rules: Ruleset, seeds: int, known: npt.NDArray[np.int8], pool: ThreadPoolExecutor, report: Report
) -> None:
    """Write into ``known``, int8[M], the margins for one number of seeds of a game in which no position comes back."""
    pits, actions = rules.board.pits, rules.num_actions
    first, size = files.first_number(pits, seeds), files.layer_size(pits, seeds)
    known[first : first + size] = kernel.UNKNOWN
    chunks = [(start, min(start + CHUNK, size)) for start in range(0, size, CHUNK)]
    depth = kernel.depth(seeds, actions)
    arrays = rules.encoded.to_play(size * actions)

    def solve(chunk: tuple[int, int]) -> None:
        levels = np.zeros((depth, kernel.LEVEL), dtype=np.int64)
        kernel.solve(*chunk, seeds, known, levels, kernel.scratch(rules, depth), arrays)

    for done, _ in enumerate(pool.map(solve, chunks)):
        report(seeds, 0.99 * done / len(chunks), "moves played")


def _analyse(
    rules: Ruleset,
    seeds: int,
    known: npt.NDArray[np.int8],
    entries: npt.NDArray[np.int8],
    threads: int,
    pool: ThreadPoolExecutor,
    report: Report,
) -> None:
    """Write the entries of one number of seeds, int8[planes, size]; ``known`` holds those of fewer seeds."""
    size = entries.shape[1]
    layer = kernel.Layer(*np.zeros((5, size), dtype=np.uint8))
    threads = threads if size > SMALL else 1
    chunks = [(start, min(start + CHUNK, size)) for start in range(0, size, CHUNK)]
    arrays = rules.encoded.to_play(size * rules.num_actions)

    def scan(chunk: tuple[int, int]) -> None:
        kernel.scan(*chunk, seeds, known, layer, kernel.scratch(rules, 2), arrays)

    for done, _ in enumerate(pool.map(scan, chunks)):
        report(seeds, 0.25 * done / len(chunks), "moves played")
    for level in range(seeds, 0, -1):
        _settle_level(rules, seeds, layer, level, chunks, threads, pool)
        report(seeds, 0.25 + 0.74 * (seeds + 1 - level) / seeds, f"{level} seeds forced")
    if len(entries) == 1:
        np.subtract(layer.movers.view(np.int8), layer.others.view(np.int8), out=entries[0])
    else:
        entries[0], entries[1] = layer.movers, layer.others


def _settle_level(
    rules: Ruleset,
    seeds: int,
    layer: kernel.Layer,
    level: int,
    chunks: list[tuple[int, int]],
    threads: int,
    pool: ThreadPoolExecutor,
) -> None:
    """Settle all positions of one level. Threads take chunks as they come, and now and then share their stacks."""
    waiting = deque(chunks)

    def spread(share: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Work on a share of the stack, then on chunks; returns what is left of the stack."""
        stack = np.empty(len(share) + ROOM, dtype=np.int64)
        stack[: len(share)] = share
        start, stop, top, steps = 0, 0, len(share), STEPS
        scratch = kernel.scratch(rules, 3)
        while True:
            start, top, steps = kernel.spread(
                level, seeds, start, stop, steps, layer, stack, top, scratch, rules.encoded.rules
            )
            if start < stop or top > 0:
                break
            try:
                start, stop = waiting.popleft()
            except IndexError:
                break
        if start < stop:
            waiting.append((start, stop))
        return stack[:top].copy()

    left = np.zeros(0, dtype=np.int64)
    while waiting or len(left):
        count = threads if waiting or len(left) > SMALL else 1
        parts = [left[k::count] for k in range(count)]
        left = np.concatenate([spread(parts[0])] if count == 1 else list(pool.map(spread, parts)))
