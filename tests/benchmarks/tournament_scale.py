"""What an event of many games costs, and how far moves pass their time: ``python -m tests.benchmarks.tournament_scale``

Random against random and alpha-beta of depth 4 in stored events; then moves of 20 ms while every core is busy.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agents.processes import usable_cores
from agents.tournament.event import Event, Player
from agents.tournament.run import Progress, make_executor, run_event
from agents.tournament.store import Store
from tests.benchmarks import frame

MOVE_TIME = 0.02  # seconds
BUSY = "while True: pass"
TIMED = ("minimax:time=0.02", "mcts:time=0.02")


def memory() -> tuple[float, float]:
    """MiB in use now, as /proc tells: this process, and its children together."""
    kib = {}
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        except OSError:
            continue
        kib[int(folder.name)] = int(lines.get("VmRSS", "0").split()[0])
        parents[int(folder.name)] = int(lines["PPid"])
    own = os.getpid()
    return kib[own] / 1024, sum(kib[child] for child, parent in parents.items() if parent == own) / 1024


def event_of_games(spec: str, games: int, processes: int, folder: Path) -> None:
    """Play, resume and report an event, and print what each took; an event that the folder holds goes on."""
    event = Event((Player("one", spec), Player("other", spec)), pairs=games // 2)
    path = folder / f"{event.digest[:10]}.db"
    play(event, path, games, processes)
    begin = time.perf_counter()
    run_event(event, path, executor=make_executor(processes))
    print(f"  resumed in {time.perf_counter() - begin:.1f} s", flush=True)
    report(path)


def play(event: Event, path: Path, games: int, processes: int) -> None:
    """Play the games that are missing, and print their speed and the memory on the way."""
    marks = [(games * percent // 100, f"{percent} %") for percent in (100, 50, 10, 1)]
    first: list[int] = []

    def watch(progress: Progress) -> None:
        first.append(progress.games) if not first else None
        while marks and progress.games >= marks[-1][0]:
            name = marks.pop()[1]
            if first[0] < progress.games:
                host, workers = memory()
                print(f"  memory at {name:>5}: host {host:,.0f} MiB, workers {workers:,.0f} MiB", flush=True)

    print(f"{event.players[0].spec} twice, {games:,} games", flush=True)
    begin = time.perf_counter()
    run_event(event, path, executor=make_executor(processes), watch=watch)
    seconds, played = time.perf_counter() - begin, games - first[0]
    if played:
        print(f"  {played:,} games in {seconds:,.0f} s, {played / seconds:,.0f} games/s")
    print(f"  {path.stat().st_size / 1e6:.1f} MB stored", flush=True)


def report(path: Path) -> None:
    """Show a stored event and write its report, in a process of its own, and print what that took."""
    page, tables = path.with_suffix(".html"), path.with_suffix(".json")
    begin = time.perf_counter()
    shown = ("--resume", str(path), "--report", str(page), "--json", str(tables))
    command = [sys.executable, "-m", "mancala_env", "tournament", "run", *shown]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    print(
        f"  tables and report: {page.stat().st_size / 1e6:.1f} MB in {time.perf_counter() - begin:.1f} s, at most "
        f"{usage.ru_maxrss / 1024:,.0f} MiB"
    )


def bare_overstep(moves: int) -> list[float]:
    """Milliseconds by which a loop that only looks at the clock passes its time: what the machine itself adds."""
    found = []
    for _ in range(moves):
        begin = time.perf_counter()
        while (now := time.perf_counter()) - begin < MOVE_TIME:
            pass
        found.append(1e3 * (now - begin - MOVE_TIME))
    return found


def overstep(spec: str, games: int) -> list[float]:
    """Milliseconds by which the moves of an agent pass their time, in games of an event with that limit."""
    event = Event((Player("one", spec), Player("random", "random")), pairs=games // 2, move_time=MOVE_TIME, bank=60.0)
    with tempfile.TemporaryDirectory() as folder:
        run_event(event, Path(folder, "event.db"), executor=make_executor(0))
        with Store(Path(folder, "event.db")) as store:
            records = list(store.records())
    rules = event.rulesets["oware"]
    return [
        max(0.0, 1e3 * (thought.seconds - MOVE_TIME))
        for record in records
        for state, thought in zip(record.states(rules), record.thoughts, strict=False)
        if thought.seconds is not None and (record.south, record.north)[state.player] == "one"
    ]


def print_overstep(name: str, found: list[float]) -> None:
    """One line: how many moves, and by how many milliseconds they passed their time."""
    middle, most, last = np.percentile(found, [50, 95, 100])
    print(f"  {name:20} {len(found):5} moves: median {middle:.2f}, 95 % {most:.2f}, most {last:.2f} ms", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("tournament_scale", __doc__)
    parser.add_argument("--games", type=int, default=1_000_000, help="of random players")
    parser.add_argument("--deep", type=int, default=100_000, help="games at depth 4")
    parser.add_argument("--timed", type=int, default=4, help="games of each agent with a limit of time")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--folder", help="that keeps the events: those in it are not played again (default: none)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:  # compiles
        warm = Event((Player("one", "random"), Player("two", "minimax:depth=4")), pairs=1)
        run_event(warm, Path(folder, "event.db"), executor=make_executor(0))
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {usable_cores()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for spec, games in (("random", options.games), ("minimax:depth=4", options.deep)):
            if games:
                event_of_games(spec, games, options.processes, Path(options.folder or folder))
    if not options.timed:
        return
    print(f"moves of {1e3 * MOVE_TIME:g} ms with every core busy, beyond their time")
    busy = [subprocess.Popen([sys.executable, "-S", "-c", BUSY]) for _ in range(usable_cores())]
    try:
        print_overstep("a bare loop", bare_overstep(200))
        for spec in TIMED:
            print_overstep(spec, overstep(spec, options.timed))
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
