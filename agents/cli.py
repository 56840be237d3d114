"""Parts shared by commands: options for a game with changed rules, and one-line messages for errors."""

import argparse
import errno
from collections.abc import Sequence
from typing import Any

from agents.reading import json_value
from mancala_env.rules import RULESETS


def add_changes(parser: Any, seeds: bool = True) -> None:
    """Options that change a ruleset: ``--pits-per-row``, ``--set`` and, unless that is another's name, ``--seeds``."""
    parser.add_argument("--pits-per-row", type=int, metavar="N", help="pits of a player (default: those of the game)")
    if seeds:
        parser.add_argument("--seeds", type=int, metavar="N", help="seeds in each pit at the start")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="another rule, e.g. empty_capture=true"
    )


def changes(options: argparse.Namespace, names: Sequence[str] = ("pits_per_row", "seeds")) -> dict[str, Any]:
    """The keyword arguments for ``ruleset`` that the options give.

    Raises
    ------
    ValueError
        If a ``--set`` is not ``OPTION=VALUE``.
    """
    told: dict[str, Any] = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not name or not equals or not value:
            raise ValueError(f"--set {text!r} sets nothing; write OPTION=VALUE, as in empty_capture=true")
        try:
            told[name] = json_value(value.lower())
        except ValueError:
            told[name] = value
    return told | {name: getattr(options, name) for name in names if getattr(options, name) is not None}


GAME = f"one of {', '.join(RULESETS)}"


# Remedies, by the error number that the system reports for a file or folder.
_REMEDIES = {
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "a part of this path is a file; name another place",
    errno.EEXIST: "there is a file of this name; name another place",
    errno.EISDIR: "name a file, not a folder",
    errno.EACCES: "this user may not go or write there; name another place, or change its permissions",
    errno.EPERM: "this user may not go or write there; name another place, or change its permissions",
    errno.EROFS: "nothing can be written there; name another place",
    errno.ENOSPC: "make room, or name another place",
    errno.ENAMETOOLONG: "name a shorter one",
}


def in_words(error: BaseException) -> str:
    """The message of an error as one printable line; for a file or folder with its name and a remedy."""
    text = str(error)
    if isinstance(error, OSError) and error.filename and error.strerror:
        remedy = _REMEDIES.get(error.errno or 0)
        text = f"{error.filename}: {error.strerror}" + (f" ({remedy})" if remedy else "")
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Text that is safe to print on a terminal: every character but printable ones and new lines becomes a ``?``.

    For text from outside, such as the name of a bot: control characters could change what was printed before.
    """
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
