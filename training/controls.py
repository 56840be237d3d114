"""What a policy has learnt, and what its input knew before: ``mancala train controls --rules oware``

Encoders that look k plies ahead show a policy what each action is worth after k plies. Three players stand next to each
other for each of them: that input played greedily, without training (``agents.batched.LookaheadAgent``); alpha-beta to
depth k; and the policies that were trained with it. Each is scored against the reference opponents, its moves are
timed, and it meets alpha-beta of two depths that follow each other: one takes less time for a move than it, one more.
``docs/controls.md`` holds such tables.
"""

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from agents import Agent, MinimaxAgent, make_agent, zoo
from agents.batched import LookaheadAgent
from agents.evaluation import Result, evaluate
from agents.evaluation.openings import random_opening
from agents.policy.agent import PolicyAgent
from agents.provenance import provenance, write_json, write_text
from agents.reference import REFERENCE
from mancala_env import checks
from mancala_env.cli import GAME, fail
from mancala_env.games import ruleset
from mancala_env.observation import make_encoder
from mancala_env.progress import at_work
from mancala_env.rules import Ruleset
from mancala_env.state import State
from training.cli import check_ranges, make_console, make_parser, parse, rules_spec, setting
from training.evaluate import agent_of
from training.timing import Timed, one_thread, processor, timed

COMMAND = "mancala train controls"
OPPONENTS = tuple(name for name, depth in REFERENCE.items() if depth != 1)
DEEPEST = 12  # alpha-beta that is timed, to find the depth that takes as long as a player
TIMED_BY = "minimax:depth=4"  # plays the games whose positions are timed


@dataclass(frozen=True)
class ControlsConfig:
    """Score and time what encoders that look ahead show, played greedily, beside alpha-beta and trained policies."""

    rules: str = setting("oware", GAME)
    encoders: tuple[str, ...] = setting(("lookahead1", "lookahead2", "lookahead4", "lookahead6"), "that look ahead")
    policies: tuple[str, ...] = setting(
        (), "runs, policy files or zoo:NAME; if not given, those of the zoo that play this game by these rules"
    )
    against: tuple[str, ...] = setting(OPPONENTS, "opponents")
    pairs: int = setting(100, "pairs of games against each of them", 1)
    opening_plies: int = setting(4, "random plies at the start of each pair", 0)
    seed: int = setting(0, "of the openings, of the choice among equals, and of the positions that are timed", 0)
    positions: int = setting(200, "positions of games in which single moves are timed", 1)
    batch: int = setting(512, "positions in a batch that is timed", 1)
    markdown: str = setting("", "write the table to this file")
    json: str = setting("", "write everything to this file")

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", rules_spec(self.rules))
        check_ranges(self)
        checks.two_players(self.ruleset, "a comparison of players")
        names = []
        for name in self.encoders:
            encoder = make_encoder(name, self.ruleset)
            if not encoder.lookahead:
                raise ValueError(
                    f"encoder {name!r} does not look ahead: nothing can be played from it without training"
                )
            names.append(encoder.name)
        object.__setattr__(self, "encoders", tuple(names))
        for opponent in self.against:
            make_agent(opponent)
        for name in ("markdown", "json"):
            if (file := getattr(self, name)) and not Path(file).parent.is_dir():
                raise ValueError(f"{name}: there is no folder {Path(file).parent} to write to")

    @property
    def ruleset(self) -> Ruleset:
        """The game."""
        return ruleset(self.rules)


@dataclass
class Row:
    """A player, how it scores, and how long it takes.

    Attributes
    ----------
    agent : Agent
    sees : str
        The encoder, or "" for alpha-beta.
    plies : int
        That its input, or its search, looks ahead.
    kind : str
        ``untrained``, ``alpha-beta`` or ``trained``.
    results : list of Result
        Against each of the opponents.
    timed : Timed
    near : list of (Result, float)
        At equal time: against alpha-beta of the greatest depth that takes no longer for a move, by ``Timed.single``,
        and of the next depth, each with the seconds that a move of it takes. Empty for alpha-beta itself.
    """

    agent: Agent
    sees: str
    plies: int
    kind: str
    results: list[Result] = field(default_factory=list)
    timed: Timed = field(default_factory=lambda: Timed(0.0, None))
    near: list[tuple[Result, float]] = field(default_factory=list)

    @property
    def player(self) -> str:
        """What it is called in a table."""
        if self.kind == "trained":
            return f"{self.agent.name} ({self.sees})"
        return f"{self.sees}, untrained" if self.kind == "untrained" else f"alpha-beta, depth {self.plies}"

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""
        return {
            "agent": self.agent.name,
            "kind": self.kind,
            "sees": self.sees,
            "plies_ahead": self.plies,
            "results": [result.as_dict() for result in self.results],
            "seconds_a_move": self.timed.single,
            "seconds_a_move_in_a_batch": self.timed.batched,
            "equal_time": [{**result.as_dict(), "opponent_seconds_a_move": each} for result, each in self.near],
        }


def players(config: ControlsConfig) -> list[Row]:
    """The players of a table: for each encoder its input, alpha-beta and the policies; then policies with other inputs.

    Raises
    ------
    ValueError
        If a policy is none, or plays other rules.
    """
    rows = []
    policies = _policies(config)
    for name in config.encoders:
        plies = make_encoder(name, config.ruleset).lookahead
        rows.append(Row(LookaheadAgent(plies, config.seed), name, plies, "untrained"))
        rows.append(Row(MinimaxAgent(plies, config.seed), "", plies, "alpha-beta"))
        rows += [row for row in policies if row.sees == name]
    return [*rows, *(row for row in policies if row.sees not in config.encoders)]


def _policies(config: ControlsConfig) -> list[Row]:
    found = []
    asked = config.policies or [f"zoo:{name}" for name in zoo.names() if zoo.rules_of(name) == config.ruleset]
    for text in asked:
        agent = agent_of(text)
        if not isinstance(agent, PolicyAgent):
            raise ValueError(f"{text} is no trained policy: name a run, a policy file or zoo:NAME")
        encoder = agent.encoder_of(config.ruleset)
        found.append(Row(agent, encoder.name, encoder.lookahead, "trained"))
    return found


def controls(config: ControlsConfig, console: Console | None = None) -> list[Row]:
    """Score and time all players.

    The scores depend on the config alone; times are of this machine, and with them which depths of alpha-beta a player
    meets at equal time.
    """
    console = console or make_console()
    rules = config.ruleset
    states = positions_of_games(rules, max(config.positions, config.batch), config.seed)
    rows = players(config)
    with one_thread():
        for row in rows:
            row.timed = timed(row.agent, states, config.positions, config.batch)
            console.print(f"{row.player}: {_time(row.timed.single)} a move", highlight=False)
        depths = _times_by_depth(states, config, max(row.timed.single for row in rows))
    for row in rows:
        near = [] if row.kind == "alpha-beta" else _neighbours(depths, row.timed.single)
        found = evaluate(
            row.agent, [*config.against, *(f"minimax:depth={depth}" for depth in near)], rules, pairs=config.pairs,
            opening_plies=config.opening_plies, seed=config.seed, threads=1,
        )  # fmt: skip
        row.results = found[: len(config.against)]
        row.near = [(result, depths[depth]) for depth, result in zip(near, found[len(row.results) :], strict=True)]
        scores = ", ".join(f"{100 * result.score:.1f} against {result.opponent}" for result in row.results)
        console.print(f"{row.player}: {scores}", highlight=False)
    return rows


def positions_of_games(rules: Ruleset, count: int, seed: int) -> list[State]:
    """``count`` positions in which there is a choice, of games that ``TIMED_BY`` plays from random openings."""
    random = np.random.default_rng(seed)
    player = make_agent(TIMED_BY)
    found: list[State] = []
    while len(found) < count:
        state = random_opening(rules, 4, random)
        player.reset(int(random.integers(2**31)))
        while not state.is_over:
            if len(state.legal_actions) > 1:
                found.append(state)
            state = state.play(player.act(state))
    return found[:count]


def _times_by_depth(states: Sequence[State], config: ControlsConfig, slowest: float) -> dict[int, float]:
    """Seconds that alpha-beta takes for a move, by depth, up to the first depth that takes longer than ``slowest``."""
    found: dict[int, float] = {}
    for depth in range(1, DEEPEST + 1):
        found[depth] = timed(MinimaxAgent(depth, config.seed), states, config.positions, config.batch).single
        if found[depth] > slowest:
            break
    return found


def _neighbours(depths: dict[int, float], seconds: float) -> list[int]:
    """The greatest depth that takes no longer than that, and the next one; fewer at the ends of what was timed."""
    below = max((depth for depth, each in depths.items() if each <= seconds), default=0)
    return [depth for depth in (below, below + 1) if depth in depths]


def _time(seconds: float | None) -> str:
    """Milliseconds, as a table shows them."""
    return "" if seconds is None else f"{1000 * seconds:.3g} ms"


def _score(result: Result) -> str:
    return f"{100 * result.score:.1f} ({100 * result.low:.0f}-{100 * result.high:.0f})"


def _against(result: Result, seconds: float) -> str:
    return f"{_score(result)} {result.opponent.removeprefix('minimax:')} {_time(seconds)}"


def tables(config: ControlsConfig, rows: Sequence[Row]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Two tables, of scores and of times, each with its title and its headings."""
    names = [opponent.removeprefix("v1-").replace("depth", "depth ") for opponent in config.against]
    times = []
    for row in rows:
        own = [_time(row.timed.single), _time(row.timed.batched)]
        met = {each <= row.timed.single: _against(result, each) for result, each in row.near}
        times.append([row.player, *own, met.get(True, ""), met.get(False, "")])
    said = f"{config.rules}, {2 * config.pairs} games, score in percent (95 % interval)"
    return [
        (said, ["player", *names], [[row.player, *map(_score, row.results)] for row in rows]),
        (
            f"{said} against alpha-beta that takes less time for a move, and one ply more",
            ["player", "a move", f"in a batch of {config.batch}", "against quicker", "against slower"],
            times,
        ),
    ]


def to_print(config: ControlsConfig, rows: Sequence[Row]) -> Iterator[Table]:
    """The tables to print."""
    for title, headings, lines in tables(config, rows):
        shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for heading in headings:
            name = heading == "player"
            shown.add_column(heading, justify="left" if name else "right", no_wrap=not name, overflow="fold")
        for line in lines:
            shown.add_row(*line)
        yield shown


def markdown(config: ControlsConfig, rows: Sequence[Row], command: str) -> str:
    """The tables in Markdown, with the command that makes them and the machine whose times they hold."""
    text = f"```bash\n{command}\n```\n"
    for title, headings, lines in tables(config, rows):
        marks = ["---", *["---:"] * (len(headings) - 1)]
        text += f"\n{title}:\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in (headings, marks, *lines))
    return f"{text}\nTimes are processor time of one thread: {processor()}.\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = make_parser(ControlsConfig, COMMAND)
    config, _ = parse(parser, ControlsConfig, arguments)
    console = make_console()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with at_work(COMMAND):
            rows = controls(config, console)
        for shown in to_print(config, rows):
            console.print(shown)
        if config.markdown:
            write_text(Path(config.markdown), markdown(config, rows, shlex.join([*COMMAND.split(), *words])))
        if config.json:
            about = provenance(config.ruleset, config.seed)
            write_json(Path(config.json), {**about, "rules": config.rules, "rows": [row.as_dict() for row in rows]})
    except (ValueError, OSError) as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped before the scores were known\n")
