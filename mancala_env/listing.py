"""The games of the table, found by what they are and what happens in them.

``mancala games relay africa --rows 2`` lists those that fit everything asked for.
"""

import json
from collections.abc import Sequence

from mancala_env.games import ALIASES, RULESETS, near_games
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.rules import Ruleset
from mancala_env.words import near_names


def aliases(rules: Ruleset) -> list[str]:
    """Other names that a game may be asked for by."""
    return [alias for alias, name in ALIASES.items() if name == rules.name]


def fits(rules: Ruleset, words: Sequence[str]) -> bool:
    """Has a game all mechanisms among these words, and each other word somewhere in what is known of it?"""
    tags = mechanisms(rules)
    about = (str(rules.board), rules.board.kind, rules.people, rules.region, rules.source, rules.about)
    known = " ".join((rules.name, *aliases(rules), *tags, *about)).casefold()
    return all(word in tags if word in MECHANISMS else word.casefold() in known for word in words)


def main(arguments: Sequence[str] | None = None) -> int:
    """``mancala games``. Exits with 2 and one line on bad input."""
    from mancala_env.cli import Parser, fail

    tags = "; ".join(f"{tag} ({says})" for tag, says in MECHANISMS.items())
    parser = Parser("mancala games", __doc__, epilog=f"Mechanisms, which are read off the rules: {tags}.")
    says = "a mechanism, or what must stand somewhere in what is known of a game"
    parser.add_argument("words", nargs="*", metavar="TEXT", help=says)
    parser.add_argument("--rows", nargs="+", type=int, default=[], metavar="N", help="of the board; one of these")
    parser.add_argument("--json", action="store_true", help="print all that is known of each as JSON")
    given = parser.parse_args(arguments)
    games = [rules for rules in RULESETS.values() if not given.rows or rules.board.rows in given.rows]
    games = [rules for rules in games if fits(rules, given.words)]
    if not games:
        parser.error(f"no game fits all of this; {_instead(given.words)}")
    if given.json:
        lines = [json.dumps([
            {word: getattr(rules, word) for word in ("name", "id", "people", "region", "source", "about")} | {
                "board": str(rules.board), "rows": rules.board.rows, "seeds": rules.total_seeds,
                "mechanisms": list(mechanisms(rules)), "aliases": aliases(rules),
            }
            for rules in games
        ], indent=2, ensure_ascii=False)]  # fmt: skip
    else:
        told = ((rules.name, str(rules.board), rules.region, " ".join(mechanisms(rules))) for rules in games)
        rows = [("name", "board", "region", "mechanisms"), *told]
        widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        lines.append(f"\n{len(games)} of {len(RULESETS)} games")
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError as error:  # ``head`` has read enough
        fail(parser.prog, error)
    return 0


def _instead(words: Sequence[str]) -> str:
    strange = [word for word in words if not any(fits(rules, [word]) for rules in RULESETS.values())]
    near = [name for word in strange for name in (*near_games(word), *near_names(word, MECHANISMS))]
    if near:
        return f"near {' and '.join(map(repr, strange))} {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
    return "ask for less; without words and options all are listed"
