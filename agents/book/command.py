"""``mancala solve book``: build an opening book from searches of one's own, and look into one.

A book is one file of at most 2 MB. Building goes on where it was if the file is there already; Ctrl-C keeps what is
done. ``minimax:depth=8,book=FILE`` plays from it.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agents.book.expansion import LOSS, NODES, Expansion
from agents.processes import lock
from agents.search.book import Book, capacity
from mancala_env.cli import GAME, Namespace, Parser, in_words, rules_text
from mancala_env.games import ruleset
from mancala_env.kernels.jit import working_time
from mancala_env.progress import Progress
from mancala_env.rules.plain import called

EVERY = 20.0  # seconds between two savings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status: 0, 2 for a wrong call or a damaged file, 130 when interrupted."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        return {"build": _build, "show": _show}[asked.command](asked[asked.command])
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {in_words(error)}", file=sys.stderr)
        return 2


def _parser() -> Parser:
    parser = Parser("mancala solve book", __doc__, allow_abbrev=False)
    builder = parser.add_command("build", "search position after position, the least costly line first")
    builder.add_argument("rules", metavar="GAME", help=GAME)
    builder.add_argument("--out", type=Path, required=True, metavar="FILE", help="the book; what it holds is kept")
    builder.add_argument("--nodes", type=int, default=NODES, help="positions made in the search of each")
    builder.add_argument("--depth", type=int, help="maximum plies of each search")
    builder.add_argument("--evaluation", default="margin", help="by which it searches, as minimax takes it")
    builder.add_argument("--loss", type=float, default=LOSS, metavar="PLIES", help="what a seed counts as in a line")
    builder.add_argument("--positions", type=int, metavar="N", help="stop at so many positions in the book")
    builder.add_argument("--minutes", type=float, metavar="M", help="stop after this time; by default when it is full")
    shower = parser.add_command("show", "who made a book, and its main line after every first move")
    shower.add_argument("file", type=Path, metavar="FILE")
    return parser


def _build(asked: Namespace) -> int:
    rules, path = ruleset(rules_text(asked.rules)), asked.out
    for name in ("positions", "minutes"):
        if asked[name] is not None and not asked[name] > 0:
            raise ValueError(f"--{name} must be above 0, not {asked[name]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with lock(path.with_name(f"{path.name}.lock"), f"builds {path}", "name another file"):
        there = Book.load(path) if path.exists() else None
        growing = Expansion(rules, asked.nodes, asked.depth, asked.evaluation, asked.loss, book=there)
        return _grow(growing, path, asked.positions, asked.minutes)


def _grow(growing: Expansion, path: Path, positions: int | None, minutes: float | None) -> int:
    most = capacity(growing.rules)
    print(
        f"{growing.rules.name}: {len(growing):,} positions in {path}; room for {most:,}. Ctrl-C keeps what is done",
        file=sys.stderr,
    )
    began, saved = working_time(), time.monotonic()
    status, kept = 0, len(growing)
    try:
        with Progress("positions", positions or most) as progress:
            while not growing.is_complete and len(growing) < (positions or most):
                state = growing.step()
                progress(len(growing), what=f"positions, last after {state}")
                if time.monotonic() - saved > EVERY:
                    growing.book().save(path)
                    kept, saved = len(growing), time.monotonic()
                if minutes is not None and working_time() - began >= 60 * minutes:
                    break
    except KeyboardInterrupt:
        print("mancala solve book build: stopped; the same command goes on from here", file=sys.stderr)
        status = 130
    if len(growing) > kept:
        growing.book().save(path)
    size = path.stat().st_size if path.exists() else 0
    why = ", nothing left to search" if growing.is_complete else ""
    print(f"{len(growing):,} positions, {size / 1e3:.1f} kB in {path}{why}")
    return status


def _show(asked: Namespace) -> int:
    book = Book.load(asked.file)
    searched = " ".join(f"{name}={value}" for name, value in book.search.items() if value is not None)
    print(f"{called(book.rules)}: {len(book):,} positions, each searched with {searched}")
    print("values in seeds for the player to move first; a line ends where the book does")
    start = book.rules.start()
    values = book.values[0]
    for action in sorted(start.legal_actions, key=lambda each: (-values[each], each)):
        names, state = [start.name(action)], start.play(action)
        seen = set()
        while (place := book.find(state)) is not None and place not in seen:
            seen.add(place)
            best = int(np.nanargmax(book.values[place]))
            names.append(state.name(best))
            state = state.play(best)
        print(f"{values[action]:+8.2f}  {' '.join(names)}")
    return 0
