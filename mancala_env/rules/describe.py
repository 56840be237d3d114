"""A ruleset in words: what differs from most games, in the order of a rule book."""

from dataclasses import MISSING, fields
from enum import StrEnum
from typing import Any

from mancala_env.rules.groups import GROUPS, RuleBook, Title
from mancala_env.rules.landing import CONDITIONS, When

_WHOSE = {"own": "an own pit", "opponent": "an opponent's pit", None: "a pit"}
_MARKED = {True: "a marked pit", False: "an unmarked pit", "own": "a pit with the own mark",
           "opponent": "a pit with the opponent's mark"}  # fmt: skip
_MARKS = {True: "is marked", False: "bears no mark", "own": "bears the own mark",
          "opponent": "bears the opponent's mark"}  # fmt: skip
_WORDED = (
    "store",
    "side",
    "was",
    "even",
    "facing",
    "behind",
    "marked",
    "inner",
)  # these have words
_PITS = {
    "here": "it",
    "facing": "the pit across",
    "behind": "the opponent's outer pit of that column",
    "next": "the pit after it",
    "next2": "the second pit after it",
    "facing_next": "the pit across from the pit after it",
    "last": "that seed",
    "last_and_one": "that seed and another one of the pit",
    "every": "every pit that holds one of certain numbers of seeds",
    "neighbours": "the pits beside it that hold certain numbers of seeds",
}


def describe(rules: RuleBook) -> str:
    """The rules in words: the board, then of each group what differs from the usual, then what else can be chosen."""
    lines = [f"{rules.name}, on {rules.board.kind}({rules.board.columns})"]
    for group in GROUPS:
        told = [] if group is Title else [line for name in _names(group) for line in _told(rules, name)]
        if told:
            lines += ["", (group.__doc__ or "").split("\n")[0], *(f"  {line}" for line in told)]
    if rules.options:
        lines += ["", "What can be chosen by name."]
    for option in rules.options:
        values = ", ".join(map(_value, option.values))
        chosen = option.value_in(rules.landing, rules.board)
        lines.append(f"  {option.name}: {option.about}; one of {values} (here {_value(chosen)})")
    return "\n".join(lines)


def in_words(clause: When) -> str:
    """A clause of the landing table as a sentence without its full stop.

    Examples
    --------
    >>> in_words(When(side="own", was="empty", facing="occupied").capture("here", "facing"))
    'if the last seed falls into an own pit that was empty and faces seeds, it and the pit across are captured'
    """
    return f"{_condition(clause)}, {_consequence(clause)}"


def _names(group: type) -> list[str]:
    return [field.name for field in fields(group) if field.name in group.__annotations__ and field.name != "board"]


def _told(rules: RuleBook, name: str) -> list[str]:
    """The lines about a field: none if it has its usual value."""
    value = getattr(rules, name)
    if name == "landing":
        return [f"{k}. {in_words(clause)}" for k, clause in enumerate(value, 1)]
    usual = next(field.default for field in fields(rules) if field.name == name)
    return [] if usual is MISSING or value == usual else [f"{name}: {_value(value)}"]


def _value(value: Any) -> str:
    return str(value) if isinstance(value, StrEnum) else repr(value)


def _condition(clause: When) -> str:
    if clause.store:
        return "if the last seed falls into the own store"
    what = _WHOSE[clause.side]
    those = []
    if clause.marked is not None:
        if clause.side is None:
            what = _MARKED[clause.marked]
        else:
            those.append(_MARKS[clause.marked])
    if clause.was:
        those.append(f"was {clause.was}")
    if clause.count is not None:
        those.append(f"now holds {_either(clause.count)}")
    if clause.even is not None:
        those.append(f"now holds an {'even' if clause.even else 'odd'} number")
    if clause.facing_count is not None:
        those.append(f"faces {_either(clause.facing_count)}")
    elif clause.facing:
        those.append("faces seeds" if clause.facing == "occupied" else "faces an empty pit")
    if clause.inner is not None:
        those.append(f"lies in an {'inner' if clause.inner else 'outer'} row")
    if clause.behind:
        those.append(f"has {'seeds' if clause.behind == 'occupied' else 'nothing'} in the opponent's outer pit")
    for name in CONDITIONS:
        if name not in _WORDED and (value := getattr(clause, name)) is not None:
            those.append(f"has {name} {value}")
    return f"if the last seed falls into {what}" + (f" that {' and '.join(those)}" if those else "")


def _consequence(clause: When) -> str:
    parts = []
    if clause.then == "sow_on":
        parts.append(f"the seeds of {_and([_PITS[take] for take in clause.takes])} are sown on from there")
    elif clause.takes:
        taken = [_PITS[take] for take in clause.takes]
        if clause.chain:
            whose = {"opponent": "opponent's pits", "own": "own pits", "any": "pits"}[clause.chain_side]
            taken.append(f"the {whose} before it that hold {_either(clause.chain)}, one after the other,")
        parts.append(f"{_and(taken)} {'are' if len(taken) > 1 else 'is'} captured")
    if clause.carries:
        parts.append("a seed comes over from the pit across")
    if clause.marks:
        parts.append(f"{_and([_PITS[pit] for pit in clause.marks])} {'are' if len(clause.marks) > 1 else 'is'} marked")
    if clause.then == "relay":
        parts.append("its seeds are lifted and sown on")
    if clause.then == "relay_next":
        parts.append("the seeds of the pit after it are lifted and sown on")
    if clause.then == "again":
        parts.append("the mover has another turn")
    return ", and ".join(parts) or "the turn ends"


def _either(counts: Any) -> str:
    return " or ".join(map(str, sorted(counts)))


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
