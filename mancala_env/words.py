"""Numbers and lists in words, for all that people read."""

from collections.abc import Iterable, Sequence

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


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
    """Numbers of which each will do: "2, 3 or 4"."""
    return joined([str(count) for count in sorted(counts)], "or")
