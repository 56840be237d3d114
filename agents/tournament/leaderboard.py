"""``mancala tournament leaderboard``: players by games, from the stored results of any number of events."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from agents.provenance import write_text
from agents.tournament import sections
from agents.tournament.run import counted
from agents.tournament.store import Store
from agents.tournament.summary import Summary
from agents.tournament.tables import rated
from mancala_env.cli import Parser, in_words
from mancala_env.rules import Ruleset
from mancala_env.words import markdown_table

_APART = 1 << 40  # numbers of games between those of two events
_NOTE = (
    "Elo with 95 % intervals, by the games decided by play, each game of the family on a scale of its own, on which "
    "{origin}; * rests on the prior. A share in % is a score: there the games do not connect all players. Times for a "
    "move may differ between events."
)


def summary_of_all(paths: Iterable[Path]) -> Summary:
    """The games of several events as one. ValueError if a name stands for different players or rules in two of them."""
    summary = Summary()
    meant: dict[str, str] = {}
    rulesets: dict[str, Ruleset] = {}
    events: dict[str, Path] = {}
    for k, path in enumerate(paths):
        with Store(path) as store:
            event = store.event
            if (same := events.setdefault(event.digest, path)) is not path:
                raise ValueError(f"{path} holds the event of {same}, whose games would count twice; give one of them")
            told = {player.name: player.spec for player in event.players}
            others = [name for name, spec in told.items() if meant.setdefault(name, spec) != spec]
            others += [name for name, rules in event.rulesets.items() if rulesets.setdefault(name, rules) != rules]
            if others:
                raise ValueError(f"{path}: {', '.join(others)} is something else there than in the files before it")
            for record in counted(store):
                summary.add(replace(record, number=record.number + k * _APART, pair=record.pair + k * _APART))
    return summary


def markdown(table: sections.Table) -> str:
    """A table in Markdown."""
    rows = [[sections.seen(cell) for cell in line] for line in table.rows]
    return markdown_table([str(name) for name, _ in table.columns], rows) + "".join(
        f"\n{note}\n" for note in table.after
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = Parser("mancala tournament leaderboard", __doc__)
    add = parser.add_argument
    add("events", nargs="+", type=Path, metavar="EVENT.db", help="files of events")
    add("--rating-origin", metavar="NAME", help="the player whose rating is 0 (default: the mean is)")
    add("--nash", action="store_true", help="and a table of Nash averaging, which copies and easy prey do not change")
    add("--out", type=Path, metavar="FILE", help="a page, if it ends in .html, else Markdown (default: print it)")
    options = parser.parse_args(arguments)
    try:
        summary = summary_of_all(options.events)
        overall = rated(summary, options.rating_origin)
        if options.rating_origin not in (None, *summary.players):
            raise ValueError(f"{options.rating_origin} did not play; players are {', '.join(summary.players)}")
        by_rules = {rules: rated(summary, options.rating_origin, rules) for rules in summary.rules}
        origin = f"{options.rating_origin} has 0" if options.rating_origin else "the mean of its players is 0"
        table = replace(sections.leaderboard(overall, by_rules), after=[_NOTE.format(origin=origin)])
        shown = [table]
        if options.nash:
            from agents.tournament.nash import nash_table

            shown.append(nash_table(summary, [line.player for line in overall]))
        if options.out is None:
            print("\n".join(map(markdown, shown)), end="")
        elif options.out.suffix == ".html":
            from agents.tournament.report import tables_html

            write_text(options.out, tables_html("Leaderboard", summary, shown))
        else:
            write_text(options.out, "\n".join(map(markdown, shown)))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {in_words(error)}", file=sys.stderr)
        return 2
    return 0
