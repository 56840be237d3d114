"""``mancala solve tables``: build endgame tables, check their files, count their values.

``get`` builds them once, into the cache (``tables`` in $MANCALA_ENV_CACHE, else in the user's cache folder, mostly
~/.cache/mancala_env), where players with the setting tables= find them: minimax:depth=8,tables=12.
"""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from agents.tablebase import cached, files
from agents.tablebase.retrograde import Report, build
from agents.tablebase.table import Tablebase
from mancala_env.cli import GAME, Namespace, Parser, in_words, rules_text
from mancala_env.games import ruleset
from mancala_env.kernels.jit import working_time
from mancala_env.progress import duration, every_half_minute
from mancala_env.rules import Ruleset

COMMAND = "mancala solve tables"
SEEDS_HELP = "maximum number of seeds on the board"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status: 0, 1 if a file is damaged or the disk is full, 2 for a wrong call."""
    asked = _parser().parse_args(arguments)
    command = {"build": _build, "get": _get, "check": _check, "stats": _stats}[asked.command]
    try:
        return command(asked[asked.command])
    except (files.DamagedTable, files.DiskFull) as error:
        print(f"{COMMAND}: {in_words(error)}", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"{COMMAND}: {in_words(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{COMMAND}: stopped; the same command goes on from the last finished file", file=sys.stderr)
        return 130


def _parser() -> Parser:
    parser = Parser(COMMAND, __doc__, allow_abbrev=False)
    builder = parser.add_command("build", "write the tables for 0 to N seeds on the board; whole files are kept")
    builder.add_argument("--seeds-on-board", type=int, required=True, metavar="N", help=SEEDS_HELP)
    builder.add_argument("--out", type=Path, default=Path("tables"), help="folder of the files")
    builder.add_argument("--threads", type=int, help="by default one for each processor")
    getter = parser.add_command("get", "have the tables for 0 to N seeds in the cache; says size and time first")
    getter.add_argument("--seeds-on-board", type=int, default=12, metavar="N", help=SEEDS_HELP)
    getter.add_argument("--threads", type=int, help="by default one for each processor")
    checker = parser.add_command("check", "read every file and compare its digests")
    checker.add_argument("folder", type=Path)
    counter = parser.add_command("stats", "how many positions have each value, as CSV")
    counter.add_argument("folder", type=Path)
    for each in (builder, getter, counter):
        each.add_argument("rules", metavar="GAME", help=GAME)
    return parser


def _rules(asked: Namespace) -> Ruleset:
    return ruleset(rules_text(asked.rules))


def _build(asked: Namespace) -> int:
    rules = _rules(asked)
    with _progress(rules, asked.seeds_on_board) as report:
        paths = build(rules, asked.seeds_on_board, asked.out, asked.threads, report)
    print(f"{len(paths)} tables, {_megabytes(sum(path.stat().st_size for path in paths))} in {asked.out}")
    return 0


def _get(asked: Namespace) -> int:
    rules, folder = _rules(asked), cached.tables_folder()
    threads = asked.threads if asked.threads is not None else os.cpu_count() or 1
    size, seconds = cached.cost(rules, asked.seeds_on_board, folder, max(1, threads))
    what = f"{rules.name}, tables for 0 to {asked.seeds_on_board} seeds, {_megabytes(size)} in {folder}"
    if cached.whole(rules, asked.seeds_on_board, folder):
        print(f"{what}: they are there, and whole")
        return 0
    print(f"{what}: building takes about {duration(seconds)}, and compiling some seconds the first time")
    sys.stdout.flush()
    with _progress(rules, asked.seeds_on_board) as report:
        build(rules, asked.seeds_on_board, folder, asked.threads, report)
    setting = f"tables={asked.seeds_on_board}"
    print(f"done: a player uses them with {setting}, as in minimax:depth=8,{setting}")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _check(asked: Namespace) -> int:
    paths = sorted(asked.folder.glob(f"*{files.SUFFIX}"))
    if not paths:
        raise ValueError(f"there are no endgame tables in {asked.folder}")
    damaged = 0
    for path in paths:
        try:
            files.TableFile(path).check()
            print(f"{path}: whole")
        except files.DamagedTable as error:
            damaged += 1
            print(f"damaged: {error}", file=sys.stderr)
    print(f"{len(paths) - damaged} of {len(paths)} tables are whole")
    return 1 if damaged else 0


def _stats(asked: Namespace) -> int:
    tables = Tablebase(asked.folder, _rules(asked))
    print("stones,value,positions" if tables.exact else "stones,mover,other,positions")
    for seeds in range(tables.seeds + 1):
        layer = tables.layer(seeds).astype(np.int64) + files.MAX_SEEDS + 1
        key = layer[0] if tables.exact else layer[0] * 256 + layer[1]
        numbers = np.bincount(key)
        for value in np.flatnonzero(numbers):
            shown = [value] if tables.exact else divmod(value, 256)
            print(seeds, *(each - files.MAX_SEEDS - 1 for each in shown), numbers[value], sep=",")
    return 0


@contextlib.contextmanager
def _progress(rules: Ruleset, most: int) -> Iterator[Report]:
    """Show the progress of a build: a bar of rich on a terminal, else one line per file."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    except ImportError:
        bar = None
    else:
        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        bar = Progress(*columns, console=Console(stderr=True), get_time=working_time)
    if bar is None or not sys.stderr.isatty():
        last = ""

        def line(seeds: int, share: float, what: str) -> None:
            nonlocal last
            last = f"{rules.name}, {seeds} of {most} seeds: {what}, {100 * share:.0f} %"
            if share == 1.0 or what.startswith("built again"):
                print(f"{rules.name}, {seeds} seeds: {what}", file=sys.stderr, flush=True)

        with every_half_minute(lambda: last):
            yield line
        return
    pits = rules.board.pits
    with bar:
        task = bar.add_task(rules.name, total=files.first_number(pits, max(most, 0) + 1))

        def move(seeds: int, share: float, what: str) -> None:
            if what.startswith("built again"):
                bar.console.print(f"{rules.name}, {seeds} seeds: {what}")
                return
            done = files.first_number(pits, seeds) + share * files.layer_size(pits, seeds)
            bar.update(task, completed=done, description=f"{rules.name}, {seeds} seeds: {what}")

        yield move
