"""The games of the table, found by what they are and what happens in them.

``mancala games relay --rows 2 --region Africa`` lists those that fit everything asked for.
"""

import json
from collections.abc import Sequence
from typing import Any

from mancala_env.games import ALIASES, RULESETS, near_games
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.rules import Ruleset
from mancala_env.words import did_you_mean, near_names

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


def fits(game: dict[str, Any], words: Sequence[str], rows: Any = (), regions: Any = (), tags: Any = ()) -> bool:
    """Is this ``entry`` in one of the regions, with one of these numbers of rows and all words and mechanisms?"""
    listed = " ".join(str(game[name] or "") for name in SEARCHED).casefold()
    return (
        all(word.casefold() in listed for word in words)
        and (not rows or game["rows"] in rows)
        and (not regions or any(region.casefold() in game["region"].casefold() for region in regions))
        and {*tags} <= {*game["mechanisms"]}
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """``mancala games``. Exits with 2 and one line on bad input."""
    from mancala_env.cli import Parser, fail

    tags = "; ".join(f"{tag} ({says})" for tag, says in MECHANISMS.items())
    parser = Parser("mancala games", __doc__, epilog=f"Mechanisms, which are read off the rules: {tags}.")
    add = parser.add_argument
    add("words", nargs="*", metavar="TEXT", help="each must stand somewhere in what is listed of a game")
    add("--rows", nargs="+", type=int, default=[], metavar="N", help="of the board; one of these")
    add("--region", nargs="+", default=[], metavar="TEXT", help="a part of the region's name; one of these")
    add("--mechanism", nargs="+", default=[], metavar="TAG", help="all of these; they are listed below")
    add("--json", action="store_true", help="print all that is known as JSON")
    given = parser.parse_args(arguments)
    for tag in given.mechanism:
        if tag not in MECHANISMS:
            hint = did_you_mean(tag, MECHANISMS) or f"they are {', '.join(MECHANISMS)}"
            parser.error(f"there is no mechanism {tag!r}; {hint}")
    asked = given.words, given.rows, given.region, given.mechanism
    games = [game for game in map(entry, RULESETS.values()) if fits(game, *asked)]
    if not games:
        parser.error(f"no game fits all of this; {_instead(given.words)}")
    try:
        if given.json:
            print(json.dumps(games, indent=2, ensure_ascii=False), flush=True)
        else:
            print("\n".join(_lines(games)))
            print(f"\n{len(games)} of {len(RULESETS)} games", flush=True)
    except BrokenPipeError as error:  # ``head`` has read enough
        fail(parser.prog, error)
    return 0


def _instead(words: Sequence[str]) -> str:
    """What to ask for instead of these words, which together with the options fit no game."""
    strange = [word for word in words if not any(fits(entry(rules), [word]) for rules in RULESETS.values())]
    near = [name for word in strange for name in (*near_games(word), *near_names(word, MECHANISMS))]
    if near:
        return f"near {' and '.join(map(repr, strange))} {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
    return "ask for less; without words and options all are listed"


def _lines(games: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each game under one of heads; the column of mechanisms, the widest, stands last."""
    rows = [COLUMNS, *([*(game[name] for name in COLUMNS[:-1]), " ".join(game["mechanisms"])] for game in games)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
