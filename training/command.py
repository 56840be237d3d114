"""From a dataclass to a command: options from its fields, YAML files, errors of one line; and what a run is made of."""

import importlib.metadata
import os
import platform
import re
import subprocess
import sys
import typing
from collections.abc import Sequence
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from jsonargparse import ArgumentParser

from mancala_env import Ruleset, __version__

Config = TypeVar("Config")


def setting(default: Any, help: str) -> Any:
    """A field of a config: its default, and the line that ``--help`` says about it."""
    if isinstance(default, dict | list):
        return field(default_factory=lambda: type(default)(default), metadata={"help": help})
    return field(default=default, metadata={"help": help})


class _Parser(ArgumentParser):
    """Says what is wrong in one line and exits with status 2."""

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        fail(self.prog, message)


def fail(prog: str, message: object) -> NoReturn:
    """Print one line to stderr and exit with status 2."""
    print(f"{prog}: {re.sub(r'\s+', ' ', str(message)).strip()}", file=sys.stderr)
    raise SystemExit(2)


def make_parser(config: type[Any], prog: str, positional: Sequence[str] = ()) -> ArgumentParser:
    """A parser with one option for each field of a dataclass, ``--config FILE`` and ``--print_config``.

    Parameters
    ----------
    config : a dataclass; its docstring is the description, the metadata ``help`` of a field its help
    prog : how the command is called
    positional : fields that are given by position
    """
    parser = _Parser(prog=prog, description=config.__doc__)
    parser.add_argument("--config", action="config", help="a YAML file with any of these settings; later ones win")
    types = typing.get_type_hints(config)
    for each in fields(config):
        options: dict[str, Any] = {"type": types[each.name], "help": each.metadata.get("help")}
        if each.name in positional:
            parser.add_argument(each.name, **options)
        elif types[each.name] is bool:
            parser.add_argument(f"--{each.name}", action="store_true", help=options["help"])
        else:
            several = typing.get_origin(types[each.name]) is tuple
            parser.add_argument(f"--{each.name}", default=_default(each), **options, **({"nargs": "+"} if several else {}))
    return parser
