"""What benchmarks share: their command, and loops that take turns, as medians and ratios in a table."""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

COLUMNS = ("what", "median", "range", "ratio", "to", "goal")


@dataclass(frozen=True)
class Loop:
    """One figure: ``run`` measures it once.

    ``peer`` names another loop of the group: the ratio tells how many times its rate this one has. ``goal`` is for
    the ratio if there is a peer, else for the figure.
    """

    name: str
    run: Callable[[], float]
    unit: str = "plies/s"
    peer: str = ""
    goal: str = ""
    repeat: bool = True  # False: measured once, however many runs there are


@dataclass
class Line:
    """A measured loop."""

    loop: Loop
    values: list[float]
    ratios: list[float] = field(default_factory=list)

    def cells(self) -> tuple[str, str, str, str, str, str]:
        """What stands in ``COLUMNS``."""
        ratio = ""
        if self.ratios:
            middle = statistics.median(self.ratios)
            ratio = f"{middle:.{1 if middle >= 3 else 2}f} x"
        spread = f"{short(min(self.values))} to {short(max(self.values))}" if len(self.values) > 1 else ""
        figure = f"{short(statistics.median(self.values))} {self.loop.unit}"
        return self.loop.name, figure, spread, ratio, self.loop.peer, self.loop.goal


def short(value: float) -> str:
    """A number of three digits or so."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{value:,.0f}" if value >= 20 else f"{value:.2f}"


def measure(loops: Sequence[Loop], runs: int, progress: Callable[[str], None] = lambda _: None) -> list[Line]:
    """Run the loops in turn, ``runs`` times."""
    lines = {loop.name: Line(loop, []) for loop in loops}
    for k in range(runs):
        for loop in loops:
            if loop.repeat or k == 0:
                progress(loop.name)
                lines[loop.name].values.append(loop.run())
    for line in lines.values():
        if peer := lines.get(line.loop.peer):
            line.ratios = [own / other for own, other in zip(line.values, peer.values, strict=True)]
    return list(lines.values())


def show(title: str, loops: Sequence[Loop], runs: int) -> list[Line]:
    """Measure loops, with a bar on stderr, and print the table."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=sum(runs if loop.repeat else 1 for loop in loops), completed=-1)
        lines = measure(loops, runs, lambda name: bar.update(task, advance=1, description=f"{title}: {name}"))
    print_table(f"{title} (median of {runs})", COLUMNS, [line.cells() for line in lines])
    return lines


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)


def per_second(count: int, work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """How many a second are done by ``work``, which does ``count``."""
    begin = clock()
    work()
    return count / (clock() - begin)


def parser(name: str, doc: str | None) -> argparse.ArgumentParser:
    """The arguments of ``python -m tests.benchmarks.NAME``."""
    return argparse.ArgumentParser(
        prog=f"python -m tests.benchmarks.{name}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
