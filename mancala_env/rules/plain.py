"""A whole ruleset as plain data, of which JSON and YAML can be made: fields at their defaults are left out, a board is
its kind and its columns, a clause of the landing table a mapping, and ``options`` stand in the table or the board."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from mancala_env.rules.board import BOARDS, Board
from mancala_env.rules.landing import Barred, Passing, Skipping, When
from mancala_env.rules.ruleset import Ruleset

_PARTS: dict[str, type[Any]] = {"passing": Passing, "skipping": Skipping, "barred": Barred, "forced": Barred}


def as_plain(rules: Ruleset, whole: bool = False) -> dict[str, Any]:
    """A ruleset as text, numbers, lists and mappings; ``from_plain`` makes an equal one of them.

    ``whole``: every field that says how the game is played is there, and none that only tells of it, such as its
    source.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> as_plain(mancala.ruleset("kalah", pits_per_row=4))["board"]
    {'kind': 'two_rows', 'columns': 4}
    """
    if whole:
        return {each.name: _plain(getattr(rules, each.name)) for each in fields(rules) if each.compare}
    return {"name": rules.name, **_changed(rules)}


def from_plain(plain: Mapping[str, Any]) -> Ruleset:
    """The ruleset that ``as_plain`` wrote; raises ValueError for other data, or a ruleset that contradicts itself."""
    if not isinstance(plain, Mapping):
        raise ValueError(f"a ruleset as data is a mapping of its fields, not {type(plain).__name__}")
    known = {each.name for each in fields(Ruleset)} - {"options"}
    if unknown := [name for name in plain if name not in known]:
        raise ValueError(f"a ruleset has no field {str(unknown[0])[:80]!r}")
    if "name" not in plain:
        raise ValueError("these are no data of a ruleset: it has no name")
    made: dict[str, Any] = {}
    try:
        for name, value in plain.items():
            if name == "board":
                made[name] = _board(value)
            elif name == "landing":
                made[name] = tuple(When(**_tuples(clause)) for clause in value)
            elif name in _PARTS and value is not None:
                made[name] = _PARTS[name](**_tuples(value))
            else:
                made[name] = _tuple(value)
        return Ruleset(**made)
    except (TypeError, AttributeError, KeyError, OverflowError) as error:
        raise ValueError(f"these are no data of a ruleset: {' '.join(str(error).split())[:200]}") from None


def text_of(rules: Ruleset) -> str:
    """One line of text that ``mancala_env.ruleset`` reads as this ruleset: ``Ruleset.spec``, or the whole ruleset as
    JSON."""
    try:
        return rules.spec()
    except ValueError:
        return json.dumps(as_plain(rules), separators=(",", ":"))


def from_json(text: str) -> Ruleset:
    """The ruleset that ``text_of`` wrote as JSON. Raises ValueError if it is something else."""
    try:
        return from_plain(json.loads(text))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"this is no ruleset as JSON: {str(error)[:200]}") from None


@cache
def label(text: str) -> str:
    """What a ruleset given as text is called in tables and titles: the text, or, of one as JSON, its name."""
    return from_json(text).name if text.startswith("{") else text


@lru_cache(maxsize=1024)  # it makes the ruleset anew to see whether its text is right, and pages ask for hundreds
def called(rules: Ruleset) -> str:
    """What a ruleset is called in sentences: ``Ruleset.spec``, or, where there is none, its name."""
    return label(text_of(rules))


def _changed(what: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not at their defaults, as plain data."""
    found = {}
    for each in fields(what):
        value = getattr(what, each.name)
        default = each.default_factory() if each.default_factory is not MISSING else each.default
        if each.name != "options" and (default is MISSING or value != default):
            found[each.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Board):
        return {"kind": value.kind, "columns": value.columns}
    if is_dataclass(value):
        return _changed(value)
    if isinstance(value, frozenset | set | range):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def _board(value: Mapping[str, Any]) -> Board:
    kind, columns = value["kind"], value["columns"]
    if unknown := [name for name in value if name not in ("kind", "columns")]:
        raise ValueError(f"a board as data has kind and columns, and no {str(unknown[0])[:80]!r}")
    if kind not in BOARDS:
        raise ValueError(f"there is no kind of board {str(kind)[:80]!r}; kinds are {', '.join(BOARDS)}")
    return BOARDS[kind](columns)


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in values.items()}
