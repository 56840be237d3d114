"""The games of the table, found by what they are and what happens in them.

``mancala games relay --rows 2 --region Africa`` lists those that fit everything asked for.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from mancala_env.games import ALIASES, RULESETS, near_games
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.rules import Ruleset
from mancala_env.spelling import did_you_mean, near_names

# What random play measures: name, head of its column, how many decimals.
MEASURED = (("length", "plies", 1), ("branching", "branching", 2), ("first_mover", "first mover", 3))
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


def measured(rules: Ruleset, games: int, seed: int = 0) -> dict[str, float]:
    """What random play shows of a game; of a match its single games, but for the score.

    ``length``: plies of a game, the mean. ``branching``: legal actions at a decision, the mean. ``first_mover``: the
    score, 0 to 1, a draw being a half, of South, who moves first; of a solitaire, the share won.
    """
    from mancala_env.random_play import random_play

    found = random_play(rules, games, seed)
    of = found.matches or found
    return {"length": found.plies_mean, "branching": found.branching_mean, "first_mover": of.south + of.draws / 2}


def fits(game: dict[str, Any], words: Sequence[str] = (), **asked: Any) -> bool:
    """Is this ``entry`` one that is asked for: each word stands somewhere in what ``SEARCHED`` names?

    ``asked``: ``rows``, ``region`` and ``mechanism``, sequences of which one, one and all must fit; ``relays``, whether
    a turn can take more than one lap, or None.
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
    if given.statistics < 0 or given.seed < 0:
        parser.error("--statistics and --seed must be 0 or more")
    try:
        ranges = {name: _range(text) for name, _, _ in MEASURED if (text := getattr(given, name))}
    except ValueError as error:
        parser.error(str(error))
    if (ranges or given.sort in [name for name, _, _ in MEASURED]) and not given.statistics:
        parser.error("lengths, branching and scores are measured: add --statistics 200, or another number of games")
    if given.relay and given.no_relay:
        parser.error("no game fits both --relay and --no-relay; give one of them, or neither for all games")
    relays = given.relay if given.relay or given.no_relay else None
    asked = {"rows": given.rows, "region": given.region, "mechanism": given.mechanism, "relays": relays}
    games = [game for game in map(entry, RULESETS.values()) if fits(game, given.words, **asked)]
    if given.statistics:
        games = list(_measured(games, given.statistics, given.seed))
        games = [game for game in games if all(low <= game[name] <= high for name, (low, high) in ranges.items())]
    if not games:
        parser.error(f"no game fits all of this; {_instead(given.words)}")
    if given.sort:
        games.sort(key=lambda game: game[given.sort])
    try:
        if given.json:
            print(json.dumps(games, indent=2, ensure_ascii=False), flush=True)
        else:
            print("\n".join(_lines(games, bool(given.statistics))))
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


def _measured(games: Sequence[dict[str, Any]], count: int, seed: int) -> Iterator[dict[str, Any]]:
    from mancala_env.progress import Progress

    with Progress("games measured", len(games)) as progress:
        for done, game in enumerate(games, 1):
            yield game | measured(RULESETS[game["name"]], count, seed)
            progress(done)


def _cell(game: dict[str, Any], name: str) -> str:
    """What stands in a column of a game's line."""
    value = game[name]
    decimals = {name: decimals for name, _, decimals in MEASURED}.get(name)
    return " ".join(value) if isinstance(value, list) else str(value) if decimals is None else f"{value:.{decimals}f}"


def _lines(games: Sequence[dict[str, Any]], measures: bool) -> list[str]:
    """A line for each game under one of heads; the column of mechanisms, the widest, stands last."""
    heads = {name: head for name, head, _ in MEASURED}
    columns = [*COLUMNS[:-1], *(heads if measures else ()), COLUMNS[-1]]
    rows = [[heads.get(name, name) for name in columns], *([_cell(game, name) for name in columns] for game in games)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    sides = [">" if name in heads else "<" for name in columns]
    return [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)).rstrip()
        for row in rows
    ]


def _range(text: str) -> tuple[float, float]:
    """``20-60`` as two numbers."""
    low, _, high = text.partition("-")
    try:
        found = float(low), float(high)
    except ValueError:
        raise ValueError(f"a range is two numbers, such as 20-60, not {text!r}") from None
    if found[0] > found[1]:
        raise ValueError(f"the range {text} is empty: write the smaller number first")
    return found


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
    add("--statistics", type=int, default=0, metavar="N", help="measure each game by this number played at random")
    add("--seed", type=int, default=0, help="of the random players")
    for name, what in (
        ("length", "mean plies of a game"), ("branching", "mean legal actions"),
        ("first-mover", "score of the first mover, 0 to 1"),
    ):  # fmt: skip
        add(f"--{name}", metavar="LOW-HIGH", help=f"only games with this {what}, as measured")
    columns = [*COLUMNS, *(name for name, _, _ in MEASURED)]
    add("--sort", choices=columns, metavar="COLUMN", help=f"by {', '.join(columns)}; else as in the table")
    add("--json", action="store_true", help="print all that is known as JSON")
    return parser
