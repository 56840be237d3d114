"""Score a policy or an agent (``agents.evaluation``): ``mancala evaluate runs/oware --against random``"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from agents.agent import Agent, learnt_in, make_agent, plays
from agents.evaluation import Balance, Result, evaluate
from agents.policy.agent import PolicyAgent
from agents.provenance import provenance, write_json
from agents.reference import LEARNED, REFERENCE
from mancala_env.cli import GAME, fail
from mancala_env.ending import label
from mancala_env.games import ruleset
from mancala_env.progress import Progress
from mancala_env.rules import Ruleset
from training.cli import check_ranges, make_console, make_parser, parse, setting

AGAINST = ("random", "minimax:depth=2", "minimax:depth=4")


@dataclass(frozen=True)
class EvaluateConfig:
    """Score a trained policy, or any agent, against others, over pairs of games with swapped seats."""

    run: str = field(metadata={"help": "a run folder, a policy file, or an agent such as minimax:depth=4"})
    against: tuple[str, ...] = setting((), f"its opponents (default: {' '.join(AGAINST)})")
    reference: bool = setting(False, "against the reference opponents, which never change: random, and alpha-beta")
    network: str = setting("", "package.module:Class of the run's network, if it is one of your own; it is imported")
    rules: str = setting("", f"the game, needed where the run does not say, as an agent's name does not: {GAME}")
    pairs: int = setting(100, "pairs of games against each opponent", 1)
    opening_plies: int = setting(4, "random plies at the start of each pair", 0)
    balanced: float | None = setting(
        None,
        "maximum value of an opening for either player, in seeds, or with balance_evaluation as that tells values",
        0,
    )
    balance_depth: int = setting(Balance.depth, "plies of alpha-beta to value an opening")
    balance_nodes: int | None = setting(None, "nodes of alpha-beta to value an opening, instead of balance_depth")
    balance_evaluation: str = setting(
        "margin", "what it expects at its depth limit: margin, or a learned evaluation such as zoo:oware"
    )
    seed: int = setting(0, "of the openings and of the agents", 0)
    threads: int = setting(2, "threads for the moves of agents that search", 1)
    json: str = setting("", "write the results to this file too")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.json and (not Path(self.json).parent.is_dir() or Path(self.json).is_dir()):
            raise ValueError(f"json: {self.json} is a folder, or lies in none; name a file in a folder that is there")

    def opponents(self, rules: Ruleset) -> tuple[str, ...]:
        """The opponents to play: those named, and with ``reference`` the reference opponents that play the game."""
        learned = (name for name in LEARNED if plays(name, rules))
        return (*self.against, *((*REFERENCE, *learned) if self.reference else ())) or AGAINST


def table(results: Sequence[Result], title: str) -> Table:
    """The results as a table to print: scores in percent, and the two most frequent reasons why games ended."""
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0, caption_justify="left")
    shown.add_column("opponent", no_wrap=True)
    for heading in ("score", "95 %", "W-D-L", "South", "North", "plies", "games"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("ended by, %")
    for result in results:
        reasons = list(result.terminations.items())[:2]
        shown.add_row(
            result.opponent,
            f"{100 * result.score:.1f}",
            f"{100 * result.low:.0f}-{100 * result.high:.0f}",
            f"{result.wins}-{result.draws}-{result.losses}",
            f"{100 * result.score_south:.1f}",
            f"{100 * result.score_north:.1f}",
            f"{result.plies:.0f}",
            str(result.distinct_games),
            ", ".join(f"{label(reason)} {50 * count / result.pairs:.0f}" for reason, count in reasons),
        )
    shown.caption = "\n".join(_remarks(results))
    return shown


def _remarks(results: Sequence[Result]) -> Iterator[str]:
    """What is unusual about results of one agent."""
    for result in results[:1]:
        if result.distinct_openings < result.pairs:
            yield f"only {result.distinct_openings} different openings for {result.pairs} pairs: some are repeated"
    for result in results:
        for who, count in (("", result.illegal), ("its opponent ", result.opponent_illegal)):
            if count:
                yield f"against {result.opponent}, {who}lost {count} games by an illegal action"


def report(results: Sequence[Result], rules: Ruleset, seed: int, **openings: Any) -> dict[str, Any]:
    """The results as plain data for JSON, with what is needed to reproduce them; ``openings``: the settings of the
    openings, such as ``opening_plies=4``."""
    return {**provenance(rules, seed), **openings, "results": [result.as_dict() for result in results]}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = make_parser(EvaluateConfig, "mancala evaluate", positional=("run",))
    config, _ = parse(parser, EvaluateConfig, arguments)
    try:
        agent, rules = _contender(config)
        named = ("opening_plies", "balanced", "balance_depth", "balance_nodes", "balance_evaluation")
        openings = {name: getattr(config, name) for name in named}
        balance = Balance(config.balanced, config.balance_depth, config.balance_nodes, config.balance_evaluation)
        with Progress("games") as progress:
            results = evaluate(
                agent, config.opponents(rules), rules, pairs=config.pairs, seed=config.seed, threads=config.threads,
                progress=progress, opening_plies=config.opening_plies, balance=balance,
            )  # fmt: skip
        make_console().print(table(results, f"{agent.name}: {rules.name}, {config.pairs} pairs, seed {config.seed}"))
        if config.json:
            write_json(Path(config.json), report(results, rules, config.seed, **openings))
    except (ValueError, OSError, ImportError) as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped before the scores were known\n")


def _contender(config: EvaluateConfig) -> tuple[Agent, Ruleset]:
    """The agent to score, from a run folder, a policy file, or a text for ``make_agent``, and the game, its own unless
    ``--rules`` names one. Raises ValueError if neither does, or for a network without a run or a policy file."""
    path, network, named = Path(config.run), config.network, learnt_in(config.run)
    is_file = path.exists() or (":" not in config.run and (path.suffix == ".safetensors" or len(path.parts) > 1))
    if is_file and not named.startswith("family:"):
        agent: Agent = PolicyAgent(path, network=network or None)
    elif network:
        raise ValueError(f"network is for a run folder or a policy file: say policy:path=FOLDER,network={network}")
    else:
        agent = make_agent(named)
    if rules := config.rules or (agent.rules if isinstance(agent, PolicyAgent) else ""):
        return agent, ruleset(rules)
    raise ValueError(f"{config.run} plays any game; say which, as in --rules oware")
