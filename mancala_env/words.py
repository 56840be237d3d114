"""Words for people: numbers and lists, what a misspelt name may have meant, and text fit to be printed."""

import difflib
from collections.abc import Iterable, Sequence

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LIKE = 0.75  # the least share of letters in common: below it most names that are found have nothing to do with it


def number(count: int) -> str:
    """A whole number: in words up to twelve, then in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


def counted(count: int, what: str) -> str:
    """So many things: "one seed", "two seeds", "no seeds"."""
    return f"{number(count)} {what}{'' if count == 1 else 's'}"


def ordinal(place: int) -> str:
    """A place in a row, from 1: "first", "second"; "11th" from the eleventh on."""
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Words in a list: "a, b and c"."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def either(counts: Iterable[int]) -> str:
    """Numbers of which each will do: "2, 3 or 4"; if they are many, "2 to 9", or "2, 4 and so on to 60"."""
    first, *others = chosen = sorted(counts)
    step = others[0] - first if others else 1
    if len(chosen) > 4 and chosen == [*range(first, chosen[-1] + 1, step)]:
        return f"{first} to {chosen[-1]}" if step == 1 else f"{first}, {others[0]} and so on to {chosen[-1]}"
    return joined([*map(str, chosen)], "or")


def near_names(asked: object, known: Iterable[str], most: int = 1) -> list[str]:
    """The names of ``known``, ``most`` at most, that are spelt much like what was asked for, the nearest first."""
    return difflib.get_close_matches(asked, list(known), n=most, cutoff=_LIKE) if isinstance(asked, str) else []


def did_you_mean(asked: object, known: Iterable[str]) -> str:
    """``did you mean 'kalah'?`` with the one of ``known`` that is spelt most like what was asked for; "" if none is."""
    return "".join(f"did you mean {near!r}?" for near in near_names(asked, known))


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; what cells hold is shown as it is."""
    cells = [[each.replace("|", r"\|").replace("\n", " ") for each in row] for row in (head, *rows)]
    cells.insert(1, ["---"] * len(head))
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def printable(text: str) -> str:
    """Text of others that a terminal only shows: what is no letter, sign, space or new line is a ``?``."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
