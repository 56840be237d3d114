"""How fields are declared, those of a ruleset and those of its parts: what each means, what it may hold, where it
stands in what kernels read, and what random rulesets draw, in one place. Fields that belong together form a *group*."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mancala_env.kernels import layout

Facts = str | Mapping[str, str]
T = TypeVar("T")
MAX_COUNT = layout.TOP_COUNT - 1


class Fact(NamedTuple):
    """What a value of a condition asks: the bits that are looked at, those that are to be set, and the words for it."""

    asked: int
    holds: int
    phrase: str = ""  # of the pit


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What is declared of a field besides its name, type and default, or of a single value of it, or another fact."""

    needs: Facts = ""  # what goes with it, where it is not at its default, and what does not
    without: Facts = ""
    heading: str = ""  # what this field, and those after it, are about
    about: str = ""  # "": its sentence says it, or the choices; else it stands with the field before it
    least: int = 0  # of a number
    most: int = 0
    values: Sequence[Any] = ()  # one of which it holds
    facts: Mapping[Any, Fact] = field(default_factory=dict)  # the same, of a condition of a clause; or it holds None
    reads: Callable[[str, Any], Any] | None = None  # it may hold what is no word, such as a set, which this reads
    part: type[Any] | None = None  # it holds one of these, or None
    axis: int | None = None  # holds the number, a truth value, or the place of a choice among its values
    code: Callable[[Any], int] = int  # what it holds instead
    of: "Mapping[str, Declared]" = field(default_factory=dict)  # of single values
    sentence: str | Mapping[str, str] = ""  # that tells it, or by value; numbers stand there as ``{seeds}``
    matters: str = ""  # facts without which it means nothing, so that nobody is told of it
    draws: Sequence[Any] = ()  # what a random ruleset takes one of; (): of what it may hold
    alone: bool = False  # a game for one player may set it
    gives_way: bool = False  # no rule of play, it is left out of a game that is changed to what it does not go with

    def read(self, name: str, default: Any, value: Any) -> Any:
        """A value in its usual spelling. Raises ValueError if a field so declared cannot hold it."""
        if self.most:
            if is_number(value, self.least, self.most):
                return int(value)
            raise ValueError(f"{name} must be a whole number from {self.least} to {self.most}, not {value!r}")
        if self.part is not None and isinstance(value, Mapping):
            try:
                return self.part(**value)
            except TypeError as error:
                raise ValueError(f"{name}: {error}") from None
        if self.part is not None and not isinstance(value, self.part | None):
            raise ValueError(f"{name} takes {self.part.__name__}(counts={{2, 3}}, ...), or None, not {value!r}")
        known = self.known(default)
        if self.reads is not None and value is not default and not (known and isinstance(value, str | bool | None)):
            return self.reads(name, value)
        if self.facts and value is None:
            return None
        fits = any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in known)
        if known and not fits:
            also = ", or numbers of seeds as in {2, 3}" if self.facts and self.reads else ""
            raise ValueError(f"{name} must be one of {[*known]}{also}, not {value!r}")
        if type(default) is str and not isinstance(value, str):
            raise ValueError(f"{name} takes text, not {value!r}")
        return type(default)(value) if isinstance(default, StrEnum) else value

    def known(self, default: Any) -> Sequence[Any]:
        """The values that can be named; () if it holds something else."""
        if isinstance(default, StrEnum | bool):
            return (*map(str, type(default)),) if isinstance(default, StrEnum) else (False, True)
        words = dict.fromkeys((default, *self.sentence)) if isinstance(self.sentence, Mapping) else {}
        return self.values or tuple(self.facts or words)


def rule(default: Any, about: str = "", **more: Any) -> Any:
    """A field with its declaration."""
    return field(default=default, metadata={"declared": Declared(about=about, **more)})


@dataclass(frozen=True, kw_only=True)
class Group:
    """Base of groups: dataclasses of fields that belong together. What has a group takes the names of its fields, and
    has them as attributes, as if they were its own (``grouped``)."""


def flat(kind: type[Any]) -> dict[str, tuple[Declared, Any]]:
    """The declaration and the default of each field of a dataclass, with those of a group in its place."""
    found: dict[str, tuple[Declared, Any]] = {}
    for each in fields(kind):
        is_group = isinstance(each.default, Group)
        found |= flat(type(each.default)) if is_group else {each.name: (each.metadata["declared"], each.default)}
    return found


def grouped(kind: type[T]) -> type[T]:
    """A dataclass that takes, and has, the names of the fields of its groups as its own."""
    every = fields(kind)  # type: ignore[arg-type]
    build, groups = kind.__init__, {each.name: each.default for each in every if isinstance(each.default, Group)}

    def take(self: T, **said: Any) -> None:
        for name, default in groups.items():
            if parts := {each: said.pop(each) for each in flat(type(default)) if each in said}:
                said[name] = replace(said.get(name, default), **parts)
        build(self, **said)

    kind.__init__ = take  # type: ignore[method-assign,assignment]
    for name, default in groups.items():
        for each in flat(type(default)):
            setattr(kind, each, property(attrgetter(f"{name}.{each}")))
    return kind


def spell(what: Any) -> None:
    """Spell all values of a frozen dataclass, those of its groups among them, in the usual way. Raises ValueError for
    one that its field cannot hold."""
    for each in fields(what):
        value = getattr(what, each.name)
        if isinstance(each.default, Group):
            spell(value)
        elif value is not each.default:
            object.__setattr__(what, each.name, each.metadata["declared"].read(each.name, each.default, value))


def is_number(value: object, least: int, most: int) -> bool:
    """Is it a whole number of this range?"""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) <= most


def _set_of(option: str, chosen: object, *, least: int, most: int, what: str) -> frozenset[int]:
    """Numbers as a set. Raises ValueError for anything else."""
    numbers = (*chosen,) if isinstance(chosen, Iterable) else ()
    if not numbers or any(not is_number(each, least, most) for each in numbers):
        raise ValueError(f"{option}={chosen!r} must name {what}")
    return frozenset(numbers)


counts = partial(_set_of, least=1, most=MAX_COUNT, what=f"whole numbers of seeds from 1 to {MAX_COUNT}, as in {{2, 3}}")
places = partial(
    _set_of, least=-layout.MAX_PITS, most=layout.MAX_PITS, what="places on a side: 0, 1, ... or back from -1"
)


def bits(numbers: Iterable[int]) -> int:
    """A set of numbers, as kernels take it."""
    return sum(1 << number for number in {*numbers})
