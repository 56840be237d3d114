"""Options that a family of games declares: named choices, each another clause of the landing table or another board."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mancala_env.rules.board import Board
from mancala_env.rules.landing import When

Choice = When | Callable[[int], Board]


@dataclass(frozen=True)
class Option:
    """A choice of one family, with a name of its own, declared in ``Ruleset.options``::

        Option("empty_capture", "captures also where nothing lies across", {False: ACROSS, True: ANYHOW})

    ``choices`` says for each value what it stands for: a clause of the landing table, which takes the place of the
    clause of any other value; or a kind of board (a function of the pits per row, such as ``two_rows``). ``words``: of
    values that do not speak for themselves.
    """

    name: str
    about: str
    choices: Mapping[Any, Choice]
    words: Mapping[Any, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", dict(self.choices))
        object.__setattr__(self, "words", dict(self.words))
        if len({isinstance(choice, When) for choice in self.choices.values()}) != 1:
            raise ValueError(f"option {self.name}: choices are landing clauses, or kinds of board; not both")

    def __hash__(self) -> int:
        return hash((self.name, *self.choices))

    @property
    def field(self) -> str:
        """The field of a ruleset that it changes: "landing" or "board"."""
        return "landing" if isinstance(next(iter(self.choices.values())), When) else "board"

    @property
    def values(self) -> tuple[Any, ...]:
        """What can be chosen."""
        return tuple(self.choices)

    def in_words(self, value: Any) -> str:
        """A value for people: its ``words``, "yes" or "no", or the value itself. ValueError if it is no choice."""
        default = ("no", "yes")[value] if isinstance(value, bool) else str(value)
        return self.words.get(self._known(value), default)

    def value_in(self, landing: tuple[When, ...], board: Board) -> Any:
        """The value chosen; None if no clause of the landing table, or not this board, is one of the choices."""
        for value, choice in self.choices.items():
            with suppress(ValueError):  # there is no such board of this size
                if choice in landing if isinstance(choice, When) else board == choice(board.columns):
                    return value
        return None

    def changes(self, value: Any, landing: tuple[When, ...], columns: int) -> dict[str, Any]:
        """The field of a ruleset that changes when ``value`` is chosen, given its landing table and pits per row.
        Raises ValueError if it is no choice, or the table has none of the clauses to be exchanged."""
        choice, others = self.choices[self._known(value)], [*self.choices.values()]
        if not isinstance(choice, When):
            return {"board": choice(columns)}
        if not any(clause in others for clause in landing):
            raise ValueError(
                f"{self.name} exchanges a clause of the landing table that this one does not have; write landing=(...) "
                "with the clauses that you mean"
            )
        return {"landing": tuple(choice if clause in others else clause for clause in landing)}

    def _known(self, value: Any) -> Any:
        if not any(known == value and type(known) is type(value) for known in self.choices):
            raise ValueError(f"{self.name} must be {' or '.join(map(repr, self.choices))}, not {value!r}")
        return value
