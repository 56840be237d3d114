"""Training commands from dataclasses: options from the fields, and files of settings."""

import inspect
import math
import shlex
import sys
import typing
from collections.abc import Sequence
from dataclasses import MISSING, field, fields
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from rich.console import Console

from agents.reading import MAX_BYTES, check_nesting
from mancala_env.checks import shown
from mancala_env.cli import Parser, fail, rules_text
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of

WIDTH = 120
_LARGEST = 1e300  # of a number: a float can hold it, and so can sums


def setting(default: Any, help: str, least: float | None = None, most: float = math.inf, *, free: bool = False) -> Any:
    """A field of a config with its line in ``--help`` and the bounds of its value (``check_ranges``). ``free``: may it
    change between stop and resume, since the weights do not depend on it?"""
    return field(default=default, metadata={"help": help, "least": least, "most": most, "free": free})


def make_console() -> Console:
    """Standard output: as wide as the terminal, or, if it is not a terminal, wide enough for every table."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def check_ranges(config: Any) -> None:
    """Raise ValueError if a setting is not from its smallest to its largest value."""
    for each in fields(config):
        least, most, value = each.metadata.get("least"), each.metadata.get("most"), getattr(config, each.name)
        if least is not None and value is not None and (not least <= value <= most or abs(value) > _LARGEST):
            bound = f"{least} or more" if most == math.inf else f"from {least} to {most}"
            raise ValueError(f"{each.name} must be {bound}, not {shown(value)}")


def read_yaml(path: Path) -> dict[str, Any]:
    """The settings that a YAML file holds. Raises OSError if it cannot be read, ValueError if it is no mapping of
    names."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
        settings = yaml.safe_load(text)
        check_nesting(settings)
    except RecursionError:
        raise ValueError(f"{path} cannot be read: its lists are nested too deeply") from None
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:  # of dates and numbers, too
        raise ValueError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(settings, dict) or not all(isinstance(name, str) for name in settings):
        raise ValueError(f"{path} holds no settings, which are lines such as steps: 1000")
    return settings


def as_option(name: str) -> str:
    """How a setting is written on a command line: ``--opening-plies``; ``--opening_plies`` is read as well."""
    return f"--{name.replace('_', '-')}"


def make_parser(config: type[Any], command: str, positional: Sequence[str] = ()) -> Parser:
    """A parser with an option for each field of a dataclass, whose docstring is the description, ``--config FILE`` and
    ``--print-config``. ``command``: how it is called; ``positional``: fields given by position."""
    parser = Parser(command, config.__doc__, allow_abbrev=False)
    parser.add_argument("--config", action="config", help="a YAML file with any of these settings; later ones win")
    types = typing.get_type_hints(config)
    for each in fields(config):
        kind, several = types[each.name], typing.get_origin(types[each.name]) is tuple
        kind = str if each.name == "rules" else kind  # from Python it may be a Ruleset
        options: dict[str, Any] = {"help": each.metadata["help"], "type": typing.get_args(kind)[0] if several else kind}
        if several:
            word = "GAME" if each.name == "games" else "AGENT"
            options |= {"nargs": "+", "metavar": word if options["type"] is str else "N"}
        if kind is bool and each.default is False:
            parser.add_argument(as_option(each.name), action="store_true", help=each.metadata["help"])
        elif each.name in positional:
            parser.add_argument(each.name, **options)
        else:
            default: Any = each.default if each.default_factory is MISSING else each.default_factory()
            parser.add_argument(as_option(each.name), default=list(default) if several else default, **options)
    return parser


def parse(parser: Parser, config: type[Any], arguments: Sequence[str] | None = None) -> tuple[Any, dict[str, Any]]:
    """The config that a command line asks for, and the options that are no settings of it. Exits with status 2 and one
    line if the command line is wrong."""
    names = inspect.signature(config).parameters
    values = options(parser, arguments)
    mine = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in names}
    try:
        made = config(**mine)
    except ValueError as error:
        fail(parser.prog, error)
    return made, {name: value for name, value in values.items() if name not in names}


def options(parser: Parser, arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """The options of a command line by name, without a check that they fit each other."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for option, word in zip(["", *words], words, strict=False):
        file = Path(word if option == "--config" else word.removeprefix("--config="))
        if (option == "--config" or word.startswith("--config=")) and file.is_file():
            try:
                read_yaml(file)
            except (OSError, ValueError) as error:
                fail(parser.prog, error)
    values: dict[str, Any] = parser.parse_args(words).as_dict()
    values.pop("config", None)
    if isinstance(values.get("rules"), str):
        try:
            values["rules"] = rules_text(values["rules"])
        except (OSError, ValueError) as error:
            fail(parser.prog, error)
    return values


def rules_spec(rules: Any) -> str | Ruleset:
    """The one spelling of a ruleset; the ruleset itself where it has no name that ``mancala_env.ruleset`` knows."""
    meant = ruleset(rules)
    try:
        return meant.spec()
    except ValueError:
        return meant


def command_of(config: Any, command: str) -> str:
    """The command line that makes a config; settings at their defaults are left out."""
    words = shlex.split(command)
    for each in fields(config):
        value = getattr(config, each.name)
        value = text_of(value) if isinstance(value, Ruleset) else value
        default = each.default_factory() if each.default_factory is not MISSING else each.default
        if value == default and each.name != "rules":
            continue
        if isinstance(value, tuple):
            words += [as_option(each.name), *map(str, value)]
        else:
            words += [as_option(each.name), str(value).lower() if isinstance(value, bool) else str(value)]
    return shlex.join(words)
