"""``python -m agents.export``: the games of an event as text, CSV or Parquet, and a check of every move."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from agents.arena import export
from agents.arena.store import Store
from agents.command import in_words


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m agents.export", description=__doc__)
    parser.add_argument("event", help="the file of an event, or with --check also a text that --games wrote")
    parser.add_argument("--games", metavar="FILE", help="the games in the manner of PGN")
    parser.add_argument("--csv", metavar="FILE", help="a table with a line a game")
    parser.add_argument("--parquet", metavar="FILE", help="the same table, for pandas and others")
    parser.add_argument("--check", action="store_true", help="play every game once more")
    options = parser.parse_args(arguments)
    if not (options.games or options.csv or options.parquet or options.check):
        parser.error("what is to be done? Give --games, --csv, --parquet or --check")
    for target in filter(None, (options.games, options.csv, options.parquet)):
        if Path(target).resolve() == Path(options.event).resolve():
            parser.error(f"{target} is the event itself: give what is exported a file of its own")
    try:
        return _export(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"{parser.prog}: error: {in_words(error)}", file=sys.stderr)
        return 2


def _export(options: argparse.Namespace) -> int:
    with open(options.event, "rb") as file:
        is_text = file.read(1) == b"["
    if is_text:
        records = export.read_games(Path(options.event).read_text(encoding="utf-8"))
    else:
        with Store(options.event) as store:
            records = list(store.records())
            rulesets = store.event.rulesets
        if options.check:
            for record in records:
                try:
                    export.check(record, rulesets[record.rules])
                except ValueError as error:
                    raise ValueError(f"game {record.number}: {error}") from error
    if options.check:
        print(f"{len(records):,} games: every move is legal, and every result is that of its moves")
    if options.games:
        _write(options.games, export.write_games(records))
    if options.csv:
        _write(options.csv, export.write_csv(records))
    if options.parquet:
        export.write_parquet(records, options.parquet)
    return 0


def _write(path: str, parts: Iterable[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        for part in parts:
            file.write(part)


if __name__ == "__main__":
    sys.exit(main())
