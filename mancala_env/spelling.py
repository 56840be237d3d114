"""Words between people and commands: what a misspelt name may have meant, and text fit to be printed."""

import difflib
from collections.abc import Iterable

_LIKE = 0.75  # the least share of letters in common: below it most names that are found have nothing to do with it


def near_names(asked: object, known: Iterable[str], most: int = 1) -> list[str]:
    """The names of ``known``, ``most`` at most, that are spelt much like what was asked for, the nearest first."""
    return difflib.get_close_matches(asked, list(known), n=most, cutoff=_LIKE) if isinstance(asked, str) else []


def did_you_mean(asked: object, known: Iterable[str]) -> str:
    """``did you mean 'kalah'?`` with the one of ``known`` that is spelt most like what was asked for; "" if none is."""
    return "".join(f"did you mean {near!r}?" for near in near_names(asked, known))


def printable(text: str) -> str:
    """Text of others that does nothing to a terminal but stand in it: what is no letter, sign, space or new line is a
    ``?``."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
