"""The games of the table, found by what they are and what happens in them.

``mancala games relay --rows 2 --region Africa`` lists those that fit everything asked for.
"""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from mancala_env.games import ALIASES, RULESETS, near_games
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.rules import Ruleset
from mancala_env.spelling import did_you_mean, near_names

_WORDS = ("people", "region", "source", "about")
COLUMNS = ("name", "board", "region", "mechanisms")
SEARCHED = ("name", "board", "kind", "mechanisms", "aliases", *_WORDS)  # of an ``entry``


def entry(rules: Ruleset) -> dict[str, Any]:
    """What is listed of a game: text, numbers and lists of text."""
    about = {word: getattr(rules, word) for word in _WORDS}
    return {
        "name": rules.name, "id": rules.id, "board": str(rules.board), "kind": rules.board.kind,
        "rows": rules.board.rows, "seeds": rules.total_seeds, "mechanisms": list(mechanisms(rules)),
        "relays": rules.relays,
        "aliases": [alias for alias, name in ALIASES.items() if name == rules.name], **about,
    }  # fmt: skip


def fits(game: dict[str, Any], words: Sequence[str] = (), **asked: Any) -> bool:
    """Is this ``entry`` one that is asked for: each word stands somewhere in what ``SEARCHED`` names?

    ``asked``: ``rows``, ``region`` and ``mechanism``, sequences of which one, one and all must fit; ``relays``, or
    None.
    """
    listed = " ".join(str(game.get(name) or "") for name in SEARCHED).casefold()
    regions = [region.casefold() for region in asked.get("region") or ()]
    return (
        all(word.casefold() in listed for word in words)
        and (not asked.get("rows") or game["rows"] in asked["rows"])
        and (not regions or any(region in game["region"].casefold() for region in regions))
        and {*(asked.get("mechanism") or ())} <= {*game["mechanisms"]}
        and asked.get("relays") in (None, game["relays"])
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """``mancala games``. Exits with 2 and one line on bad input."""
    parser = _parser()
    given = parser.parse_args(arguments)
    for tag in given.mechanism:
        if tag not in MECHANISMS:
            hint = did_you_mean(tag, MECHANISMS) or f"they are {', '.join(MECHANISMS)}"
            parser.error(f"there is no mechanism {tag!r}; {hint}")
    if given.relay and given.no_relay:
        parser.error("no game fits both --relay and --no-relay; give one of them, or neither for all games")
    relays = given.relay if given.relay or given.no_relay else None
    asked = {"rows": given.rows, "region": given.region, "mechanism": given.mechanism, "relays": relays}
    games = [game for game in map(entry, RULESETS.values()) if fits(game, given.words, **asked)]
    if not games:
        parser.error(f"no game fits all of this; {_instead(given.words)}")
    try:
        if given.json:
            print(json.dumps(games, indent=2, ensure_ascii=False), flush=True)
        else:
            print("\n".join(_lines(games)))
            print(f"\n{len(games)} of {len(RULESETS)} games", flush=True)
    except BrokenPipeError:  # ``head`` has read enough; nor may anything be said at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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


def _parser() -> Any:
    from mancala_env.cli import Parser

    tags = "; ".join(f"{tag} ({says})" for tag, says in MECHANISMS.items())
    parser = Parser("mancala games", __doc__, epilog=f"Mechanisms, which are read off the rules: {tags}.")
    add = parser.add_argument
    add("words", nargs="*", metavar="TEXT", help="each must stand somewhere in what is listed of a game")
    add("--rows", nargs="+", type=int, default=[], metavar="N", help="of the board; one of these")
    add("--region", nargs="+", default=[], metavar="TEXT", help="a part of the region's name; one of these")
    add("--mechanism", nargs="+", default=[], metavar="TAG", help="all of these; they are listed below")
    add("--relay", action="store_true", help="only games in which a turn can take more than one lap")
    add("--no-relay", action="store_true", help="only the others")
    add("--json", action="store_true", help="print all that is known as JSON")
    return parser
