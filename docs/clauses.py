"""What clauses of a landing table can ask and do, as it is declared, each with a game that uses it."""

import inspect
from collections.abc import Callable
from typing import NamedTuple

import mancala_env as mancala
from mancala_env import When
from mancala_env.rules.landing import ASKED, DONE

VERBS: dict[str, Callable[[When], bool]] = {  # the methods that end a clause, and which clauses are theirs
    "capture": lambda clause: bool(clause.takes) and clause.then != "sow_on",
    "again": lambda clause: clause.then == "again",
    "relay": lambda clause: (clause.relays_here or clause.then == "relay_next") and not clause.closes,
    "or_stop": lambda clause: clause.then == "relay_or_stop",
    "sow_on": lambda clause: clause.then == "sow_on",
    "pick": lambda clause: clause.picks > 0,
    "mark": lambda clause: bool(clause.marks) and clause.marks != ("pair",) and not clause.closes,
    "mark_pair": lambda clause: clause.marks == ("pair",),
    "close": lambda clause: clause.closes,
    "lose": lambda clause: clause.then == "lose",
}
FIELDS = {("relay", "which"): "then", ("pick", "pits"): "picks", ("mark", "pits"): "marks"}  # by other names
CALLED: dict[tuple[str, str], Callable[[When], bool]] = {  # arguments that are no fields of a clause by themselves
    ("relay", "which"): lambda clause: clause.then == "relay_next",
    ("pick", "pits"): lambda clause: clause.picks > 0,
    ("mark", "pits"): lambda clause: bool(clause.marks),
}


class Used(NamedTuple):
    """A clause of a game."""

    game: str
    clause: When


Row = tuple[str, str, Used | None]  # an argument, what it means, and where it is used


def asked_and_done() -> list[tuple[str, str, list[Row]]]:
    """For the conditions and for each verb: a title, what it does, and its arguments."""
    conditions = [(name, meaning, used(says(name))) for name, meaning in conditions_said()]
    found = [("Conditions", "All that a clause says must hold where the last seed fell: `When(side=\"own\", ...)`.",
              conditions)]  # fmt: skip
    for verb, is_its in VERBS.items():
        rows = []
        for name, meaning in arguments_said(verb):
            asks = CALLED.get((verb, name), says(name))
            rows.append((name, meaning, used(is_its, asks)))
        first = used(is_its)
        example = f" As in `{first.game}`." if first else ""
        found.append((f"{verb}()", f"{summary(verb)}{example}", rows))
    return found


def conditions_said() -> list[tuple[str, str]]:
    """The conditions and their meanings, as they are declared."""
    return [(name, asked.about) for name, asked in ASKED.items()]


def arguments_said(verb: str) -> list[tuple[str, str]]:
    """The arguments of a verb and their meanings, as the fields are declared that they set."""
    names = [*inspect.signature(getattr(When, verb)).parameters][1:]
    return [(name, DONE[FIELDS.get((verb, name), name)].about) for name in names]


def summary(verb: str) -> str:
    """What a verb does: its docstring as a paragraph."""
    return " ".join((inspect.getdoc(getattr(When, verb)) or "").split())


def written(clause: When) -> str:
    """A clause by what it says; long sets of numbers as ranges."""
    said = clause.said.items()
    written = (f"{name}={_numbers(value) if isinstance(value, frozenset) else repr(value)}" for name, value in said)
    return f"When({', '.join(written)})"


def _numbers(numbers: frozenset[int]) -> str:
    first, *others = sorted(numbers)
    step = others[0] - first if others else 1
    run = range(first, max(numbers) + 1, step)
    if len(numbers) > 4 and {*run} == numbers:
        return repr(run)
    return f"{{{', '.join(map(str, sorted(numbers)))}}}"


def is_said(clause: When, name: str) -> bool:
    """Does a clause give an argument that is one of its fields?"""
    return name in clause.said


def says(name: str) -> Callable[[When], bool]:
    """Does a clause give this argument?"""
    return lambda clause: is_said(clause, name)


def used(*asked: Callable[[When], bool]) -> Used | None:
    """The first game of the table with a clause of which all this holds; None if there is none."""
    found = (Used(rules.name, clause) for rules in mancala.RULESETS.values() for clause in rules.landing)
    return next((each for each in found if all(asks(each.clause) for asks in asked)), None)
