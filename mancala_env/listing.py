"""The games of the table, found by what they are and what happens in them.

``mancala games relay africa --rows 2`` lists those that fit everything asked for.
"""

import json
from collections.abc import Sequence
from typing import Any

from mancala_env.games import ALIASES, RULESETS, near_games
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.rules import Ruleset
from mancala_env.words import near_names

_WORDS = ("people", "region", "source", "about")
COLUMNS = ("name", "board", "region", "mechanisms")
SEARCHED = ("name", "board", "kind", "mechanisms", "aliases", *_WORDS)  # of an ``entry``


def entry(rules: Ruleset) -> dict[str, Any]:
    """What is listed of a game: text, numbers and lists of text."""
    about = {word: getattr(rules, word) for word in _WORDS}
    return {
        "name": rules.name, "id": rules.id, "board": str(rules.board), "kind": rules.board.kind,
        "rows": rules.board.rows, "seeds": rules.total_seeds, "mechanisms": list(mechanisms(rules)),
        "aliases": [alias for alias, name in ALIASES.items() if name == rules.name], **about,
    }  # fmt: skip


def fits(game: dict[str, Any], words: Sequence[str]) -> bool:
    """Has this ``entry`` all mechanisms among these words, and each other word somewhere?"""
    listed = " ".join(str(game[name] or "") for name in SEARCHED).casefold()
    return all(word in game["mechanisms"] if word in MECHANISMS else word.casefold() in listed for word in words)


def main(arguments: Sequence[str] | None = None) -> int:
    """``mancala games``. Exits with 2 and one line on bad input."""
    from mancala_env.cli import Parser, fail

    tags = "; ".join(f"{tag} ({says})" for tag, says in MECHANISMS.items())
    parser = Parser("mancala games", __doc__, epilog=f"Mechanisms, which are read off the rules: {tags}.")
    add = parser.add_argument
    add(
        "words", nargs="*", metavar="TEXT", help="a mechanism, or what must stand somewhere in what is listed of a game"
    )
    add("--rows", nargs="+", type=int, default=[], metavar="N", help="of the board; one of these")
    add("--json", action="store_true", help="print all that is known as JSON")
    given = parser.parse_args(arguments)
    games = [entry(rules) for rules in RULESETS.values() if not given.rows or rules.board.rows in given.rows]
    games = [game for game in games if fits(game, given.words)]
    if not games:
        parser.error(f"no game fits all of this; {_instead(given.words)}")
    try:
        if given.json:
            print(json.dumps(games, indent=2, ensure_ascii=False), flush=True)
        else:
            told = ([*(game[name] for name in COLUMNS[:-1]), " ".join(game["mechanisms"])] for game in games)
            rows = [COLUMNS, *told]
            widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
            print(*("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows), sep="\n")
            print(f"\n{len(games)} of {len(RULESETS)} games", flush=True)
    except BrokenPipeError as error:  # ``head`` has read enough
        fail(parser.prog, error)
    return 0


def _instead(words: Sequence[str]) -> str:
    strange = [word for word in words if not any(fits(entry(rules), [word]) for rules in RULESETS.values())]
    near = [name for word in strange for name in (*near_games(word), *near_names(word, MECHANISMS))]
    if near:
        return f"near {' and '.join(map(repr, strange))} {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
    return "ask for less; without words and options all are listed"
