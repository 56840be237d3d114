"""The seeds that an agent loses per move: ``mancala solve regret minimax:depth=4 --rules kalah``

Its moves are compared with exact values, in late positions of its own games and in fixed positions of random games.
Endgame tables that hold bounds (oware) give an interval instead: the least and the most that a move can have lost.
With --exploitability: the gain of the best reply to the whole policy, on boards small enough to visit every position.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.agent import Agent, make_agent
from agents.evaluation.regret.measure import Regret, SolverOracle, Summary, TableOracle, measure_regret
from agents.evaluation.regret.response import Exploitability, exploitability
from agents.provenance import finite, provenance, write_json
from mancala_env.cli import GAME, Namespace, Parser, in_words, rules_text
from mancala_env.games import ruleset
from mancala_env.progress import Progress
from mancala_env.rules import Ruleset

_LABELS = {"own": "own games", "fixed": "fixed positions"}
COMMAND = "mancala solve regret"


def _parser() -> Parser:
    parser = Parser(COMMAND, __doc__, allow_abbrev=False)
    parser.add_argument("agent", metavar="AGENT", help="such as greedy, minimax:depth=4 or policy:path=runs/kalah")
    game = parser.add_argument_group("the game")
    game.add_argument("--rules", metavar="GAME", help=f"{GAME} (default: that of a policy)")
    what = parser.add_argument_group("positions")
    what.add_argument("--games", type=int, default=100, metavar="N", help="of the agent with itself")
    what.add_argument("--opening-plies", type=int, default=4, metavar="N", help="random plies before it")
    what.add_argument("--positions", type=int, default=200, metavar="N", help="from random games")
    what.add_argument(
        "--seeds-on-board", type=int, metavar="N", help="maximum number (default: 14, or what the tables cover)"
    )
    values = parser.add_argument_group("exact values")
    values.add_argument("--tables", type=Path, metavar="DIR", help="look them up in endgame tables, do not search")
    values.add_argument(
        "--nodes", type=int, default=1_000_000, metavar="N", help="maximum number of nodes per position"
    )
    values.add_argument("--memory", type=int, default=64, metavar="MB", help="of the search")
    parser.add_argument("--exploitability", action="store_true", help="gain of the best reply, instead of regret")
    parser.add_argument("--reply", metavar="AGENT", help="the same by its replies, a bound from below")
    parser.add_argument("--seed", type=int, default=0, help="of positions, openings and agent, 0 or more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything to this file too")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """The command. Exits with status 2 and one line on bad input, 130 when interrupted."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.json and (options.json.is_dir() or not options.json.absolute().parent.is_dir()):
        parser.error(f"--json {options.json} cannot be written: it needs a file name in a folder that is there")
    try:
        agent = make_agent(options.agent)
        rules = _rules(options, agent)
        if options.exploitability or options.reply:
            with Progress("positions") as progress:
                found = exploitability(agent, rules, progress=progress, reply=options.reply)
            results: dict[str, Any] = {**asdict(found), "reply": options.reply}
            lines = _exploitability_lines(found, options.reply)
        else:
            regret = _measured(agent, rules, options)
            results, lines = _regret_content(regret), _regret_lines(regret)
        print(f"{agent.name}: {rules.name}, {rules.board.columns} pits a row, seed {options.seed}", *lines, sep="\n")
        if options.json:
            write_json(options.json, finite({**provenance(rules, options.seed), "agent": agent.name, **results}))
    except (ValueError, OSError, ImportError) as why:
        parser.error(in_words(why))
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped\n")


def _rules(options: Namespace, agent: Agent) -> Ruleset:
    if options.rules:
        return ruleset(rules_text(options.rules))
    trained = getattr(agent, "rules", None)
    if not isinstance(trained, Ruleset):
        raise ValueError(f"{agent.name} plays any game; say which, as in --rules kalah")
    return trained


def _measured(agent: Agent, rules: Ruleset, options: Namespace) -> Regret:
    most = options.seeds_on_board
    oracle: SolverOracle | TableOracle
    if options.tables:
        oracle = TableOracle(options.tables, rules)
        most = oracle.tables.seeds if most is None else most
    else:
        oracle = SolverOracle(rules, options.memory, options.nodes)
    with Progress("positions and games") as progress:
        return measure_regret(
            agent,
            rules,
            oracle,
            games=options.games,
            opening_plies=options.opening_plies,
            positions=options.positions,
            seeds_on_board=14 if most is None else most,
            seed=options.seed,
            progress=progress,
        )


def _regret_lines(regret: Regret) -> list[str]:
    bounded = ", from the least to the most that bounds of values allow"
    lines = [f"seeds lost per move{' against exact values' if regret.settled else bounded} ({regret.oracle})"]
    for source in regret.sources:
        lines += ["", *_summary_lines(regret.summary(source))]
    return lines


def _summary_lines(found: Summary) -> list[str]:
    lower, upper = found.lower, found.upper
    interval = "no interval" if math.isnan(found.low) else f"95 % {found.low:.3f}-{found.high:.3f}"
    skipped = f", {found.unvalued} more could not be valued" if found.unvalued else ""
    of_all = f"{found.positions:,} of {found.decisions:,} decisions ({100 * found.coverage:.1f} %)"
    exactly = f"{found.settled:,} of them known exactly ({100 * found.settled / found.positions:.1f} %)"
    by_random = _span(lower.random_mean, upper.random_mean)
    return [
        f"{_LABELS[found.source]}: {found.positions} positions of {found.games} games{skipped}",
        f"  coverage  {of_all}, the regret in {exactly}",
        f"  mean      {_span(lower.mean, upper.mean)}  ({interval}); a random move {by_random}",
        f"  perfect   {_span(100 * upper.perfect, 100 * lower.perfect, '.1f')} % of moves",
    ]


def _span(low: float, high: float, style: str = ".3f") -> str:
    """A number if it is known exactly, or else its two bounds."""
    return f"{low:{style}}" if low == high else f"{low:{style}} to {high:{style}}"


def _exploitability_lines(found: Exploitability, reply: str | None) -> list[str]:
    name, bound = (f"reply of {reply}", "at least ") if reply else ("best reply", "")
    seeds = f"{bound}{found.exploitability:.4f} seeds"
    return [
        f"value of the game    {found.value:+g} for South with best play by both, in seeds",
        f"{name} as South  {found.best_as_south:+.4f}  ({found.gain_as_south:.4f} above the value)",
        f"{name} as North  {found.best_as_north:+.4f}  ({found.gain_as_north:.4f} above the value)",
        f"exploitability       {seeds}, the mean of both; {found.positions:,} positions",
    ]


def _regret_content(regret: Regret) -> dict[str, Any]:
    loss = regret.loss
    summaries = [
        {**asdict(found), "lower": found.lower._asdict(), "upper": found.upper._asdict(), "coverage": found.coverage}
        for found in map(regret.summary, regret.sources)
    ]
    moves = [
        {
            "source": str(regret.source[k]),
            "game": int(regret.game[k]),
            "position": str(state),
            "action": int(regret.action[k]),
            "loss": float(loss[k]),
            "lower": float(regret.lower[k]),
            "upper": float(regret.upper[k]),
            "bounds": {action: list(bounds) for action, bounds in regret.bounds[k].items()},
            "moves": {action: state.name(action) for action in state.legal_actions},
        }
        for k, state in enumerate(regret.states)
    ]
    # If not "exact", regrets lie from "lower" to "upper", and values that these leave open are null.
    about = {"oracle": regret.oracle, "exact": regret.settled, **regret.settings}
    return {**about, "summaries": summaries, "moves": moves}
