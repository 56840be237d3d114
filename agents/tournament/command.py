"""``mancala tournament run``: play an event, show how it stands, and write its report."""

import contextlib
import os
import secrets
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agents.bots import sandbox
from agents.bots.remote import TOKEN_VARIABLE, address_of, token_of
from agents.evaluation.elo import Sprt
from agents.executors import WorkerDied, make_executor
from agents.provenance import write_json, write_text
from agents.tournament import tables
from agents.tournament.event import FORMATS, OPEN, Event, Player
from agents.tournament.game import has_programs, with_rungs
from agents.tournament.run import Progress, SprtWatch, counted, run_event
from agents.tournament.schedule import games_in
from agents.tournament.serve import PLAYERS, WAIT, serve_event
from agents.tournament.store import Store
from agents.tournament.summary import Summary
from mancala_env.cli import GAME, Namespace, Parser, in_words, printable, rules_text
from mancala_env.games import ruleset
from mancala_env.progress import Progress as Counted

NEEDED = ("rich", "choix", "scipy", "jinja2")  # imported where there are games to rate: it takes a second
INTERRUPTED = 130  # the exit code after Ctrl-C
ADDRESS = "127.0.0.1:2672"  # where bots join, unless another one is given
LIVE_EVERY = 5.0  # seconds at least between two writings of the page of a running event
LOADS_ANEW = f'<meta http-equiv="refresh" content="{LIVE_EVERY:g}">'

# Settings that a resumed event takes from its file, besides its players. The origin only shifts the ratings, so it may
# change.
FREE = {"players", "increment", "rating_origin", "rulesets", "balance_depth"}
SETTINGS = ["reference", "optional", "sprt_alpha", "sprt_beta", "out"]
SETTINGS += [each.name for each in fields(Event) if each.name not in FREE]


def parser() -> Parser:
    """What the command takes."""
    made = Parser(
        "mancala tournament run",
        "A tournament of agents and programs: games in pairs with swapped seats from the same opening, "
        "stored as they end. The same command goes on with an event that was stopped.",
        epilog="Players: agents as make_agent names them (random, greedy, minimax:depth=4, mcts:simulations=800, "
        "zoo:oware, ppo:runs/oware, v1-depth4); programs that speak the protocol of docs/protocol.md (./mybot, "
        "'cmd:python3 mybot.py'), and others behind an example; Python functions, python:FILE.py:FUNCTION. NAME=PLAYER "
        "gives a player a name.",
    )
    add = made.add_argument
    add("--agents", nargs="+", metavar="PLAYER", help="who plays; in a gauntlet the first meets all others")
    add("--reference", action="store_true", help="the reference opponents, which never change, play as well")
    add("--optional", nargs="+", metavar="PLAYER", help="programs that play as well, where they are installed")
    add("--rules", nargs="+", default=["oware"], metavar="GAME", help=GAME)
    forms = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
    add("--form", choices=FORMATS, default="round_robin", metavar="FORM", help=f"who meets whom: {forms}")
    add("--pairs", type=int, default=50, help="pairs of games in each pairing")
    add("--rounds", type=int, default=5, help="of a Swiss tournament")
    add("--seed", type=int, default=0, help="fixes openings and the random choices of the players")
    openings = made.add_argument_group("openings")
    add = openings.add_argument
    add("--opening-plies", type=int, default=4, help="random plies before the players take over")
    add("--balanced", type=float, metavar="SEEDS", help="only openings of at most this value for either side")
    add("--openings", metavar="FILE", help="positions instead, one a line, as str(state) or state.to_line() write them")
    clock = made.add_argument_group("clock and limits", "with a clock each player runs as a process of its own")
    add = clock.add_argument
    add("--move-time", type=float, metavar="SECONDS", help="for each move")
    add("--bank", type=float, default=0.0, metavar="SECONDS", help="beyond that, for a whole game")
    add("--clock", metavar="SECONDS+INCREMENT", help="instead: for a whole game, and what each move adds, as in 60+0.5")
    add("--memory", type=int, default=2048, metavar="MB", help="of a player's process")
    add("--cpu", type=float, default=600.0, metavar="SECONDS", help="of its processor time in a game")
    add("--patience", type=float, default=60.0, metavar="SECONDS", help="for a move of a process, without a clock")
    add("--start-time", type=float, default=120.0, metavar="SECONDS", help="in which it has to be ready")
    add("--sandbox", choices=sandbox.MODES, default="bwrap", help="where programs run (docs/protocol.md)")
    add("--max-plies", type=int, help="after which the player with more in store wins")
    add("--tables", metavar="FOLDER", help="endgame tables that adjudicate (mancala solve tables build)")
    results = made.add_argument_group("results")
    add = results.add_argument
    add("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop as soon as it is decided which one fits")
    chance = "with --sprt: nominal chance, met approximately, to accept %s where %s is true (default: 0.05)"
    add("--sprt-alpha", type=float, metavar="CHANCE", help=chance % ("ELO1", "ELO0"))
    add("--sprt-beta", type=float, metavar="CHANCE", help=chance % ("ELO0", "ELO1"))
    add("--rating-origin", metavar="NAME", help="the player whose rating is 0 (default: the mean is)")
    add("--out", metavar="FILE", help="the event's file (default: runs/tournament-....db, fixed by the settings)")
    add("--resume", metavar="FILE", help="show this event; with the same --agents, or --trust, go on with it")
    add("--trust", action="store_true", help="with --resume: run the players that the file names, programs too")
    add("--again", action="store_true", help="play games that were lost by a fault once more: a bot was mended")
    add("--report", metavar="FILE", help="a page with everything (default: beside the event's file)")
    add("--no-report", action="store_true", help="write none")
    add("--live", action="store_true", help="write the page while games are played, too; browsers load it anew")
    add("--json", metavar="FILE", help="the tables as JSON")
    joining = made.add_argument_group("an event that bots of other people join (mancala tournament join)")
    add = joining.add_argument
    add("--serve", nargs="?", const=ADDRESS, metavar="HOST:PORT", help=f"instead of --agents (default: {ADDRESS})")
    add("--token", help=f"what they have to know (default: the variable {TOKEN_VARIABLE}, or a new one, printed)")
    add("--token-file", metavar="FILE", help="that holds it")
    add("--wait", type=float, metavar="SECONDS", help=f"for players once there is no game (default: {WAIT:g})")
    add("--players", type=int, metavar="N", help=f"that may join (default: {PLAYERS})")
    work = made.add_argument_group("work")
    add = work.add_argument
    add("--processes", type=int, metavar="N", help="of this machine; 0: this one alone (default: one a core)")
    add("--executor", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster")
    add("--address", help="of the Ray cluster (default: one on this machine)")
    add("--quiet", action="store_true", help="only the tables at the end")
    return made


def event_of(options: Namespace) -> Event:
    """The event that the options describe."""
    clock, increment = (None, 0.0) if options.clock is None else clock_of(options.clock)
    given = {each.name: getattr(options, each.name) for each in fields(Event) if hasattr(options, each.name)} | {
        "players": tuple(Player.parse(each) for each in options.agents or ()),
        "rules": tuple(map(rules_text, options.rules)),
        "openings": _openings(options.openings) if options.openings else (),
        "clock": clock,
        "increment": increment,
        "sprt": sprt_of(options),
    }
    if options.serve is not None:  # nobody is here yet: an origin is of the tables
        given |= {"form": OPEN, "rating_origin": None}
    return Event(**given)


def _openings(file: str) -> tuple[str, ...]:
    """The positions in a file, one a line; empty lines and those that begin with # are left out."""
    try:
        lines = [line.strip() for line in Path(file).read_text(encoding="utf-8").splitlines()]
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is no text: {error}") from None
    if not (found := tuple(line for line in lines if line and not line.startswith("#"))):
        raise ValueError(f"{file} holds no openings")
    return found


def clock_of(text: str) -> tuple[float, float]:
    """Seconds for a game and after each move, of a text such as ``60+0.5`` or ``60``."""
    base, _, increment = text.partition("+")
    try:
        return float(base), float(increment or 0)
    except ValueError:
        raise ValueError(
            f"a clock is seconds for a game, and after a + those that each move adds, as in 60+0.5, not {text!r}"
        ) from None


def sprt_of(options: Namespace) -> Sprt | None:
    """The sequential test that the options describe."""
    given = {name: value for name in ("alpha", "beta") if (value := getattr(options, f"sprt_{name}")) is not None}
    if options.sprt:
        return Sprt(*options.sprt, **given)
    if given:
        raise ValueError(f"--sprt-{next(iter(given))} is of a sequential test: give --sprt ELO0 ELO1 as well")
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    made = parser()
    options = made.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a worker for each core: torch must not take them all in each
    if missing := [name for name in NEEDED if find_spec(name) is None]:  # else found out after hours of games
        made.error(f'No module named {missing[0]!r}; install what tournaments need with pip install -e ".[arena]"')
    if why := _refuse_serving(options):
        made.error(why)
    try:
        if options.resume:
            given = [name for name in SETTINGS if getattr(options, name) != made.get_default(name)]
            if given:
                made.error(f"--resume takes the settings from the file; leave --{given[0].replace('_', '-')} out")
            path = Path(options.resume)
            if options.agents and not path.exists():
                made.error(f"there is no event at {path} to go on with; leave --resume out: --out {path} begins one")
            with Store(path) as store:
                event = store.event
            if (event.form == OPEN) != (options.serve is not None) and (options.serve is not None or options.trust):
                raise ValueError(
                    f"{path} is an event that players join: go on with it by --serve"
                    if event.form == OPEN
                    else f"{path} is an event whose players are named, and do not join: leave --serve out"
                )
            if options.serve is None and not _is_trusted(event, options):
                return _show(event, path, options)
        else:
            if options.trust:
                made.error("--trust is about the players that a file names: it goes with --resume FILE")
            if options.reference or options.optional:
                games = [ruleset(rules_text(text)) for text in options.rules]
                options.agents, left_out = with_rungs(
                    options.agents or (), games, options.reference, options.optional or ()
                )
                for line in left_out:
                    print(printable(f"{made.prog}: {line}"), file=sys.stderr)
            if not options.agents and options.serve is None:
                made.error("who plays? Give --agents, --serve for players who join, or --resume FILE to see an event")
            event = event_of(options)
            path = Path(options.out or f"runs/tournament-{event.digest[:10]}.db")
            if options.serve is not None and path.exists():
                with Store(path) as store:
                    event = replace(event, players=store.event.players)
        return _play(event, path, options)
    except (OSError, ValueError, ImportError, NotImplementedError, WorkerDied) as error:
        print(f"{made.prog}: {in_words(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped at once; what was stored before is safe, and the same command goes on", file=sys.stderr)
        return INTERRUPTED


def _refuse_serving(options: Namespace) -> str:
    """Why the options do not fit to an event that players join, or only to one; "" if they do."""
    if options.serve is None:
        given = [name for name in ("token", "token_file", "wait", "players") if getattr(options, name) is not None]
        return f"--{given[0].replace('_', '-')} is of an event that players join: give --serve as well" if given else ""
    if options.agents or options.reference or options.optional:
        return "players join with --serve: leave --agents out, and let agents join by mancala tournament join --agent"
    for name, usual in (("form", "round_robin"), ("sprt", None), ("executor", "local"), ("processes", None)):
        if getattr(options, name) != usual:
            return (
                f"--{name} is not for --serve: everybody who joins plays everybody else, each on a machine of their own"
            )
    if options.wait is not None and not 0 <= options.wait < float("inf"):
        return f"--wait is a number of seconds from 0, not {options.wait:g}"
    if options.players is not None and options.players < 2:
        return f"--players is 2 or more, not {options.players}"
    return ""


def _is_trusted(event: Event, options: Namespace) -> bool:
    """May a file's players play? If the caller names the same programs (names prove nothing), or trusts the file."""
    if options.trust or not options.agents:
        return bool(options.trust)
    asked, there = (
        sorted(player.spec for player in players) for players in (map(Player.parse, options.agents), event.players)
    )
    if asked != there:
        raise ValueError(
            f"{options.resume} has other players than --agents: {shlex.join(map(_player_text, event.players))}; give "
            "exactly these to go on with them, or leave --agents out to see the event"
        )
    return True


def _player_text(player: Player) -> str:
    """The text from which ``Player.parse`` makes this player."""
    return player.spec if player.name == player.spec else f"{player.name}={player.spec}"


def _go_on(event: Event, path: Path) -> str:
    """The command that goes on with an event; it names what will run."""
    words = ["--resume", str(path), *(["--serve"] if event.form == OPEN else ["--agents"])]
    words += [] if event.form == OPEN else map(_player_text, event.players)
    return printable(f"  mancala tournament run {shlex.join(words)}")


def _show(event: Event, path: Path, options: Namespace) -> int:
    """Print the state of an event, and run nothing that its file names."""
    _check_targets(path, options)
    with Store(path) as store:
        games, whole = len(store), games_in(event, store.results())
        finished = games >= whole or (event.sprt is not None and SprtWatch(event, store.results()).end is not None)
    if options.again or not finished:
        done = "no game was played" if options.again else f"{games:,} of {whole:,} games are stored"
        print(
            f"{done}: the event is only shown, since a file may name any program as a player; if these are yours, go "
            f"on with\n{_go_on(event, path)}{' --again' if options.again else ''}"
        )
    else:
        print(f"all {games:,} games were stored in {path} before: none was played")
    _tell(path, options)
    return 0


def _check_targets(path: Path, options: Namespace) -> None:
    """Raise ValueError if the report or the tables could not be written after the games."""
    page = _page_of(path, options)
    if options.live and options.no_report:
        raise ValueError("--live writes the page that --no-report leaves out: leave one of them out")
    for target in ([] if options.no_report else [page]) + ([Path(options.json)] if options.json else []):
        if target.resolve() == path.resolve():
            raise ValueError(f"{target} is the file of the event: give its report or tables another (--report, --json)")
    for option, name in (("--report", None if options.no_report else options.report), ("--json", options.json)):
        if name and (Path(name).is_dir() or not Path(name).absolute().parent.is_dir()):
            raise ValueError(f"{option} {name} cannot be written: it needs a file name in a folder that is there")


def _play(event: Event, path: Path, options: Namespace) -> int:
    _check_targets(path, options)
    if options.serve is not None:
        return _serve(event, path, options)
    box = sandbox.choose(options.sandbox if has_programs(event, {}) else "none", [path])
    executor = make_executor(options.processes, ray=(options.address or "") if options.executor == "ray" else None)
    with _interrupts() as asked, _counted(options) as count, _live(path, options):
        progress = run_event(event, path, executor=executor, sandbox=box, watch=count, stop=asked, again=options.again)
    if progress.games == progress.stored > 0 and not asked():
        print(
            f"all {progress.games:,} games were stored in {path} before: none was played (--again plays faults again)"
        )
    return _end(path, options, asked(), progress)


@contextlib.contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Tells whether there was a Ctrl-C, which asks to stop; a second one does it at once."""
    heard = 0

    def hear(*_: object) -> None:
        nonlocal heard
        heard += 1
        if heard > 1:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield lambda: heard > 0
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _counted(options: Namespace) -> Iterator[Callable[[Progress], None]]:
    if options.quiet:
        yield lambda progress: None
        return
    with Counted("games") as counted:

        def show(progress: Progress) -> None:
            before = f", beside {progress.stored:,} that were stored before" if progress.stored else ""
            counted(progress.games - progress.stored, progress.all_games - progress.stored, f"games{before}")

        yield show


@contextlib.contextmanager
def _live(path: Path, options: Namespace) -> Iterator[None]:
    """With ``--live``, write the page while the event runs, in at most a twentieth of the time, until the report takes
    its place, whether it ends or is stopped; of an event that fails, as one that no longer loads itself anew."""
    if not options.live:
        yield
        return
    from agents.tournament.report import last_look, report_html

    over, page, written = threading.Event(), _page_of(path, options), False
    before = last_look(page)

    def write(running: bool) -> None:
        nonlocal written
        with contextlib.suppress(OSError, ValueError):  # nothing is there yet, or no room: the event says so
            if shown := _shown(path, options):
                html = report_html(*shown, before=before, running=running)
                write_text(page, html.replace("<head>", f"<head>\n{LOADS_ANEW}", 1) if running else html)
                written = True

    def follow() -> None:
        took = 0.0
        while not over.wait(max(LIVE_EVERY, 19 * took)):
            begun = time.monotonic()
            write(running=True)
            took = time.monotonic() - begun

    print(f"live:   {page}", flush=True)
    writer = threading.Thread(target=follow, daemon=True)
    writer.start()
    failed = True
    try:
        yield
        failed = False
    finally:
        over.set()
        writer.join()
        if failed and written:  # else the event may have been refused, and the page be another one's
            write(running=False)


def _serve(event: Event, path: Path, options: Namespace) -> int:
    address, given = address_of(options.serve), token_of(options.token, options.token_file)
    token = given or secrets.token_hex(18)

    def opened(where: tuple[str, int]) -> None:
        place = f"{f'[{where[0]}]' if ':' in where[0] else where[0]}:{where[1]}"
        shown = "TOKEN" if given else token
        print(f"Bots join by: mancala tournament join {place} --token {shown} --name NAME -- ./mybot", flush=True)

    def say(text: str) -> None:
        if not options.quiet:
            print("\r\x1b[K" * sys.stderr.isatty() + printable(text), file=sys.stderr, flush=True)

    with _interrupts() as asked, _counted(options) as count, _live(path, options):
        progress, remarks = serve_event(
            event, path, address, token, opened=opened, players=options.players or PLAYERS,
            wait=WAIT if options.wait is None else options.wait, watch=count, say=say, stop=asked, again=options.again,
        )  # fmt: skip
    return _end(path, options, asked(), progress, remarks)


def _end(path: Path, options: Namespace, stopped: bool, progress: Progress, remarks: Sequence[str] = ()) -> int:
    """Show the tables of an event that has been played, or stopped; the exit code."""
    _tell(path, options, remarks)
    if stopped and progress.games < progress.all_games:
        with Store(path) as store:
            event = store.event
        done = f"stopped after {progress.games:,} of {progress.all_games:,} games, all of them stored"
        print(f"{done}; go on with\n{_go_on(event, path)}")
        return INTERRUPTED
    return 0


def _page_of(path: Path, options: Namespace) -> Path:
    return Path(options.report) if options.report else path.with_suffix(".html")


def _shown(path: Path, options: Namespace) -> tuple[Event, tables.Tables, Mapping[str, Any]] | None:
    """An event as far as it is stored, with its tables and provenance; None without games."""
    with Store(path) as store:
        event = store.event
        if options.rating_origin is not None:
            event = replace(event, rating_origin=options.rating_origin)
        summary = Summary.of(counted(store), event.rulesets, event.move_time)
        return (event, tables.Tables.of(event, summary, store.results()), store.provenance) if summary.games else None


def _tell(path: Path, options: Namespace, remarks: Sequence[str] = ()) -> None:
    """Print the tables of the games, if there are any, and write the report and the files that the options name."""
    if (shown := _shown(path, options)) is None:
        return
    event, found, made_by = shown
    print(printable(tables.render(event, found)))
    if "sandbox" in made_by:
        print(printable(f"sandbox of programs: {made_by['sandbox']}"))
    for warning in (*remarks, *found.warnings):
        print(printable(f"note: {warning}"))
    if options.json:
        write_json(Path(options.json), {"event": event.as_dict(), "provenance": made_by, **found.as_dict()})
    if not options.no_report:
        from agents.tournament.report import last_look, report_html

        page = _page_of(path, options)
        try:
            write_text(page, report_html(*shown, before=last_look(page), remarks=remarks))
            print(f"report: {page}")
        except OSError as error:
            if options.report:
                raise
            print(f"no report was written, {in_words(error)}: --report FILE writes it elsewhere")
    print(f"games:  {path}")
