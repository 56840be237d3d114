"""What rulesets say: how each game of the table is told, and in which words contradictions are refused.

``python -m tests.texts`` compares with ``tests/data/texts.json.gz`` and ``refusals.jsonl``. ``--write`` writes these
anew, sorted by the words: only where a text was meant to change; lines that are no longer refused go, and are named. A
line of the latter is a game, what is changed in it, and the words; a clause by itself has the game "", all fields of a
ruleset of one's own the game "new"; instead of changes there may be a "position", or a "line" that should be one."""

import argparse
import gzip
import json
import sys
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import mancala_env as mancala
from mancala_env.rules import Barred, Passing, Skipping, When
from mancala_env.rules.board import BOARDS

FILE = Path(__file__).parent / "data" / "texts.json.gz"
REFUSALS = FILE.with_name("refusals.jsonl")
PARTS: dict[str, type[Any]] = {"passing": Passing, "skipping": Skipping, "barred": Barred, "forced": Barred}
NEW = "new"  # instead of a game's name: the changes are all fields of a ruleset
SETS = ("count", "facing", "outer", "next", "place", "chain", "every", "sparing", "counts", "places")


def stored() -> dict[str, str]:
    """How each game is told, as the file has it."""
    known: dict[str, str] = json.loads(gzip.decompress(FILE.read_bytes()))
    return known


def refusals() -> list[tuple[str, dict[str, Any], str]]:
    """Of each refusal of the file the game, the changes and the words."""
    return [json.loads(line) for line in REFUSALS.read_text(encoding="utf-8").splitlines()]


def descriptions() -> dict[str, str]:
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
        given = {name: _value(name, value) for name, value in changes.items()} if game else {}
        if game == NEW:
            mancala.Ruleset(**given)
        elif "line" in given:
            mancala.State.parse(mancala.ruleset(game), given["line"])
        elif "position" in given:
            mancala.ruleset(game).position(**given["position"])
        elif game:
            mancala.ruleset(game, **given)
        else:
            _clause(changes)
    except ValueError as error:
        return str(error)
    return None


def main(arguments: list[str] | None = None) -> int:
    """Compare, or write; 1 if a text differs, or, in writing, where a line goes as it is no longer refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name} anew")
    options = parser.parse_args(arguments)
    games, before, known = descriptions(), refusals(), stored()
    refused = [(game, changes, words(game, changes)) for game, changes, _ in before]
    differ = [name for name, text in games.items() if known.get(name) != text]
    for (game, changes, old), (_, _, new) in zip(before, refused, strict=True):
        if old != new:
            differ.append(f"{game} {json.dumps(changes)}\n  - {old}\n  + {new}")
    accepted = [f"{game} {json.dumps(changes)}" for game, changes, new in refused if new is None]
    if options.write:
        FILE.write_bytes(gzip.compress(json.dumps(games, sort_keys=True).encode(), mtime=0))
        kept = sorted((each for each in refused if each[2] is not None), key=itemgetter(2))
        lines = [json.dumps(each, sort_keys=True) for each in kept]
        REFUSALS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(games)} games, {len(refused)} refusals: {len(differ)} texts differ")
    print("\n".join(differ), end="\n" if differ else "")
    if accepted:
        print("no longer refused:", *accepted, sep="\n  ", file=sys.stderr)
    return 1 if accepted or (differ and not options.write) else 0


if __name__ == "__main__":
    sys.exit(main())
