"""What rulesets say: how each game of the table is told, and in which words contradictions are refused.

``python -m tests.texts`` compares with ``tests/data/texts.json.gz``. ``--write`` writes that file anew: only where a
text was meant to change. The refusals were found by changing games at random, and are of as many kinds.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mancala_env as mancala
from mancala_env.rules import Barred, Passing, Skipping, When
from mancala_env.rules.board import BOARDS

FILE = Path(__file__).parent / "data" / "texts.json.gz"
PARTS: dict[str, type[Any]] = {"passing": Passing, "skipping": Skipping, "barred": Barred, "forced": Barred}
SETS = ("count", "facing", "outer", "next", "place", "chain", "every", "sparing", "counts", "places")


def stored() -> dict[str, Any]:
    """The texts of the file: ``games``, by name, and ``refused``, a list of a game's name, changes and the words."""
    known: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return known


def told() -> dict[str, str]:
    """How each game of the table is told."""
    return {name: rules.describe() for name, rules in mancala.RULESETS.items()}


def _clause(said: Mapping[str, Any]) -> When:
    return When(**{name: _value(name, value) for name, value in said.items()})


def _value(name: str, value: Any) -> Any:
    if name in SETS and isinstance(value, list):
        return frozenset(value)
    if name == "landing" and isinstance(value, list | tuple):
        return tuple(_clause(said) for said in value)
    if name == "board" and isinstance(value, Mapping):
        return BOARDS[value["kind"]](value["columns"])
    if name in PARTS and isinstance(value, Mapping):
        return PARTS[name](**{key: _value(key, each) for key, each in value.items()})
    return tuple(_value("", each) for each in value) if isinstance(value, list) else value


def words(game: str, changes: Mapping[str, Any]) -> str | None:
    """Why a game with changes, written as JSON has them, is refused; None if it is not. A clause by itself: game ""."""
    try:
        if game:
            mancala.RULESETS[game].changes(**{name: _value(name, value) for name, value in changes.items()})
        else:
            _clause(changes)
    except ValueError as error:
        return str(error)
    return None


def main(arguments: list[str] | None = None) -> int:
    """Compare, or write; 1 if a text differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name} anew")
    options = parser.parse_args(arguments)
    known = stored()
    refused = [(game, changes, words(game, changes)) for game, changes, _ in known["refused"]]
    found = {"games": told(), "refused": refused}
    differ = [name for name, text in found["games"].items() if known["games"].get(name) != text]
    for (game, changes, before), (_, _, now) in zip(known["refused"], refused, strict=True):
        if before != now:
            differ.append(f"{game} {json.dumps(changes)}\n  - {before}\n  + {now}")
    if options.write:
        FILE.write_bytes(gzip.compress(json.dumps(found, sort_keys=True).encode(), mtime=0))
    print(f"{len(found['games'])} games, {len(found['refused'])} refusals: {len(differ)} texts differ")
    print("\n".join(differ), end="\n" if differ else "")
    return 1 if differ and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
