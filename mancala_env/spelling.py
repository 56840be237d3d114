"""Words between people and commands: what a misspelt name may have meant, and text fit to be printed."""

import difflib
from collections.abc import Iterable

_LIKE = 0.75  # the least share of letters in common: below it most names that are found have nothing to do with it


def near_names(asked: object, known: Iterable[str], most: int = 1) -> list[str]:
    """The names of ``known``, ``most`` at most, that are spelt much like what was asked for, the nearest first.

    Examples
    --------
    >>> near_names("oxare", ["oware", "owela", "kalah"], most=8)
    ['oware']
    """
    return difflib.get_close_matches(asked, list(known), n=most, cutoff=_LIKE) if isinstance(asked, str) else []


def did_you_mean(asked: object, known: Iterable[str]) -> str:
    """``did you mean 'kalah'?`` with the one of ``known`` that is spelt most like what was asked for; "" if none is.

    Examples
    --------
    >>> did_you_mean("lenght", ["name", "length"])
    "did you mean 'length'?"
    """
    return "".join(f"did you mean {near!r}?" for near in near_names(asked, known))


def printable(text: str) -> str:
    """Text that does to a terminal nothing but stand in it: what is no letter, sign, space or new line is a ``?``.

    For what others wrote, such as the name of a bot: control characters could change what stood there before.
    """
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
