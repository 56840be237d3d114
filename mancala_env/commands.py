"""``mancala``, the one command: what it can do, and which module, loaded when called, does each. Bash (zsh, fish)
completes it, and what follows it, by ``eval "$(_MANCALA_COMPLETE=bash_source mancala)"``."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from mancala_env import __version__
from mancala_env.words import joined

REPOSITORY = ("agents", "training", "docs")  # packages that come with it alone


@dataclass(frozen=True)
class Module:
    """What a command calls: ``main`` of a module, which takes words; the extra of the package that it needs."""

    name: str
    help: str
    extra: str = "train"


DOOR: dict[str, Module | tuple[str, dict[str, Module]]] = {  # of a command that has several, its help and these
    "games": Module("mancala_env.listing", "List the games, or those with a mechanism, board or region."),
    "statistics": Module("mancala_env.random_play", "Measure games by random play: lengths, choices, results."),
    "play": Module("agents.play.command", "Play against an agent, in the terminal or on a page."),
    "train": ("Train agents, and look at what they have learnt.", {
        "ppo": Module("training.ppo", "A policy, by self-play with MaskablePPO."),
        "alphazero": Module("training.alphazero", "Policy and value, by self-play with tree search."),
        "distill": Module("training.distill", "A policy that plays as a stronger one does."),
        "evaluation": Module("training.evaluation", "An evaluation for alpha-beta search."),
        "family": Module("training.family", "One network that reads rules, on many games at once."),
        "family-evaluation": Module("training.family_evaluation", "The same for alpha-beta search."),
        "experiment": Module("training.experiment", "Variants of a configuration, and searches for settings."),
        "report": Module("training.report", "A run as one page."),
        "card": Module("training.card", "The model card of a run or of an agent of the zoo."),
        "export": Module("training.export", "A policy as an ONNX file."),
        "zoo": Module("training.zoo", "The agents that ship with the repository: list, add."),
    }),
    "evaluate": Module("training.evaluate", "Score an agent or a run against others, in pairs of games."),
    "family": Module("agents.family.command", "A benchmark over many games: evaluate, leaderboard, splits."),
    "tournament": ("Events between agents and programs.", {
        "run": Module("agents.tournament.command", "Play an event, or show how a stored one stands.", "arena"),
        "export": Module("agents.tournament.export", "Games, results and ratings of an event as files.", "arena"),
        "leaderboard": Module("agents.tournament.leaderboard", "Agents by games, from stored events.", "arena"),
        "join": Module("agents.bots.join", "Play in an event that another machine serves."),
    }),
    "bot": ("Programs in any language that play.", {
        "check": Module("agents.bots.check", "Does a bot keep to the protocol and the rules?"),
        "serve": Module("agents.bots.server", "Serve an agent as a bot, by lines of text."),
    }),
    "solve": ("Values that are exact, and what agents lose compared with them.", {
        "value": Module("agents.search.solve", "The value of a game or of a position."),
        "tables": Module("agents.tablebase.command", "Endgame tables: build, get, check."),
        "book": Module("agents.book.command", "Opening books: build, show."),
        "regret": Module("agents.evaluation.regret.command", "The seeds that an agent's moves lose."),
    }),
    "warm-up": Module("mancala_env.warm_up", "Compile the kernels of games ahead of time."),
    "docs": Module("docs.build", "Make the documentation.", "docs"),
}  # fmt: skip


HEADINGS = {
    "Games": ("games", "statistics", "play"),
    "Agents": ("train", "evaluate", "family", "tournament", "bot"),
    "Exact play": ("solve",),
    "House": ("warm-up", "docs"),
}


class Door(click.Group):
    """The command: its help lists what there is under headings."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, a section for each heading."""
        for heading, names in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].help or "") for name in names])


class Leaf(click.Command):
    """A command whose words its module reads."""

    def __init__(self, name: str, module: Module) -> None:
        super().__init__(name, help=module.help, short_help=module.help, add_help_option=False)
        self.module = module

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave all words to the module."""
        ctx.args = list(args)
        return ctx.args

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """What the parser of the module knows, which is loaded now; else names of files."""
        from mancala_env.cli import parser_of

        try:
            parser = parser_of(import_module(self.module.name).main, ctx.args)
        except (ModuleNotFoundError, SystemExit):  # a package is not installed, or a file of settings cannot be read
            return []
        found = {} if "--" in ctx.args else parser.completions(ctx.args, incomplete)
        items = [CompletionItem(word, help=help or None) for word, help in found.items()]
        return items or [CompletionItem(incomplete, type="file")]

    def invoke(self, ctx: click.Context) -> Any:
        """Call ``main`` of the module, for the exit status: 2, with one line, if a package is not installed."""
        from mancala_env.cli import fail

        try:
            main = import_module(self.module.name).main
        except ModuleNotFoundError as error:
            package, missing = self.module.name.partition(".")[0], error.name or ""
            if package in REPOSITORY and missing.partition(".")[0] == package:
                where = "come with the repository, not with the package mancala-env: clone it, and there"
                fail(ctx.command_path, f"{joined(REPOSITORY)} {where} pip install -e .")
            fail(ctx.command_path, f'{error}; install what this needs with pip install -e ".[{self.module.extra}]"')
        return main(ctx.args)


@click.pass_context
def _help(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def make_door() -> click.Command:
    """The command of ``DOOR``."""

    def group(name: str, help: str, entries: Mapping[str, Any], kind: Any = click.Group) -> click.Group:
        inner: list[click.Command] = [
            Leaf(each, entry) if isinstance(entry, Module) else group(each, *entry) for each, entry in entries.items()
        ]
        made: click.Group = kind(name, inner, help=help, short_help=help, invoke_without_command=True, callback=_help)
        return made

    says = "Mancala games: play, train, measure, solve. COMMAND --help says more of each."
    door = group("mancala", says, DOOR, Door)
    return click.version_option(__version__, message="%(version)s")(door)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """``mancala``; ``arguments`` are those of the shell if left out. Exits with the status of the command: 2, with one
    line, if the words are wrong, and 130 if Ctrl-C ended it."""
    try:
        status = make_door().main(arguments, prog_name="mancala", standalone_mode=False)
    except (click.ClickException, click.Abort) as error:
        from mancala_env.cli import fail

        if isinstance(error.__cause__, EOFError):  # of a file or pipe: click takes it for the end of what is typed
            raise error.__cause__ from None
        if isinstance(error, click.Abort):
            fail("mancala", "stopped", status=130)
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "mancala"
        hint = f" {command} --help lists what there is" if isinstance(error, click.UsageError) else ""
        fail(command, error.format_message() + hint)
    sys.exit(status or 0)
