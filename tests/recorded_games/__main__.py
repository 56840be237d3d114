"""The command: ``python -m tests.recorded_games [FILE...]``."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.recorded_games.games import RECORDS, NotPlayedError, entry_of
from tests.recorded_games.places import MisfitError
from tests.recorded_games.records import BadFileError, read
from tests.recorded_games.replay import Difference, Report, replay

# What the last line but one counts: each ply of the files is one of these.
COUNTED = {
    "compared exactly": "agreed",
    "predicted by an explanation": "predicted",
    "allowed by one": "allowed",
    "not explained": "failed",
    "of set-ups and later rounds not compared": "between",
}


def main(arguments: list[str] | None = None) -> int:
    """Replay files and say what came of it. 0 if every difference is explained, else 1: also for a file that cannot be
    read, and for one of a game that is neither in the table nor among those that are not played (``missing``)."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.recorded_games",
        description="Play recorded games again, and compare legal moves, boards and results turn by turn.",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help=f"default: {RECORDS}/*.jsonl.gz")
    files = parser.parse_args(arguments).files or sorted(RECORDS.glob("*.jsonl.gz"))
    agree = explained = not_played = 0
    plies: Counter[str] = Counter()
    for file in files:
        try:
            record = read(file)
            name, entry = entry_of(record)
            report = replay(record, entry)
        except NotPlayedError as error:
            print(error)
            not_played += 1
            continue
        except (BadFileError, MisfitError) as error:
            print(error)
            continue
        print(summary(name, report))
        agree += report.agrees
        explained += sum(map(len, report.explained.values()))
        for what, name in COUNTED.items():
            plies[what] += getattr(report, name)
    print("plies: " + ", ".join(f"{plies[what]} {what}" for what in COUNTED))
    played = len(files) - not_played
    last = f"{agree} of {played} games agree, {explained} difference{'s' * (explained != 1)} explained"
    print(last + f"; {not_played} not played" * (not_played > 0))
    return 0 if files and agree == played else 1


def summary(name: str, report: Report) -> str:
    """What came of the games of one file: a line, and one more for each explanation and for the first difference."""
    counts = f"{report.games} games, {report.plies} plies, {report.agreed} agreed"
    if report.between:
        counts += f", {report.between} of set-ups and later rounds not compared"
    lines = [f"{name}: {counts}" + ("" if report.results else "; results not compared")]
    for reason, differences in report.explained.items():
        is_allowed = isinstance(reason, str)
        why = f"{reason}." if is_allowed else " ".join((reason.__doc__ or "").split())
        how = "allowed" if is_allowed else "predicted"
        lines.append(f"  {len(differences)} {how}: {why} First: {located(differences[0])}")
    if report.differences:
        lines.append(f"  {len(report.differences)} not explained. First: {located(report.differences[0])}")
    return "\n".join(lines)


def located(difference: Difference) -> str:
    """Where a difference is, and what differs."""
    return f"game seed {difference.seed}, ply {difference.ply}: {difference.text}"


if __name__ == "__main__":
    sys.exit(main())
