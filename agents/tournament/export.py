"""Games as text, CSV or JSON, and text back to games: every move is checked."""

import contextlib
import csv
import io
import itertools
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.provenance import finite
from agents.tournament.game import ahead
from agents.tournament.record import ADJUDICATED, FAULTS, UNFINISHED, GameRecord, Thought, rules_of
from mancala_env.checks import shown
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.state import State

COLUMNS = (
    "number", "pair", "rules", "south", "north", "opening", "south_seed", "north_seed", "moves", "plies", "winner",
    "reason", "fault", "detail", "south_score", "north_score", "south_time", "north_time",
)  # fmt: skip
_TAG = re.compile(r'\[(?P<name>\w+) "(?P<value>(?:[^"\\]|\\.)*)"\]')
_MEANT = {"n": "\n", "r": "\r"}  # after a backslash; every other letter stands for itself
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})
_RESULTS = {None: "1/2-1/2", 0: "1-0", 1: "0-1"}
_NO_RESULT = "*"
_SEATS = ("South", "North")
_LONGEST = 40  # letters of a number in a tag
KINDS = ("games", "csv", "moves", "json")  # of files, and the options that name them


def game_text(record: GameRecord, rules: Ruleset) -> str:
    """One game in a format like PGN: tags, the moves as ``State.name`` writes them, the result (``*`` if unfinished).
    White and Black repeat South and North, so that rating programs for chess can read it."""
    result = _NO_RESULT if record.reason == UNFINISHED else _RESULTS[record.winner]
    tags: dict[str, object] = {
        "Game": record.number, "Pair": record.pair, "Rules": record.rules, "South": record.south,
        "North": record.north, "White": record.south, "Black": record.north, "Opening": record.opening,
        "Seeds": f"{record.seeds[0]} {record.seeds[1]}", "Result": result, "Reason": record.reason,
    }  # fmt: skip
    if None not in record.times:
        tags["Times"] = f"{record.times[0]!r} {record.times[1]!r}"
    if record.fault is not None:
        tags |= {"Fault": _SEATS[record.fault], "Detail": record.detail}
    if record.scores is not None:
        tags["Scores"] = f"{record.scores[0]:g} {record.scores[1]:g}"
    lines = [f'[{name} "{str(value).translate(_ESCAPES)}"]' for name, value in tags.items()]
    ((_, _, names),) = _replayed([record], {record.rules: rules})
    moves = " ".join([*names, result])
    return "\n".join([*lines, "", *textwrap.wrap(moves, 100, break_long_words=False), ""])


def read_games(text: str) -> list[GameRecord]:
    """The games of texts that ``game_text`` made, each replayed. ValueError, with the number of the game, if a tag is
    missing, a move is illegal, or the result is not that of the moves."""
    records = []
    for place, (tags, moves) in enumerate(_games(text), 1):
        try:
            records.append(_record(tags, moves))
        except KeyError as error:
            raise ValueError(f"game {place} of the text has no tag {error}") from error
        except ValueError as error:
            raise ValueError(f"game {tags.get('Game', str(place))[:20]}: {error}") from error
    return records


def check(record: GameRecord, rules: Ruleset) -> None:
    """Replay a game; ValueError if a move is illegal, or the result is not that of the moves."""
    last = record.states(rules)[-1]
    said, found = (record.winner, record.reason, record.scores), (last.winner, str(last.termination), last.scores)
    if record.fault is not None:
        fits = not last.is_over and record.reason in FAULTS and record.winner == 1 - record.fault
    elif record.reason == UNFINISHED:
        fits = not last.is_over and record.winner is None and record.scores is None
    elif record.reason in ADJUDICATED:
        fits = not last.is_over and (record.reason != "ply_limit" or record.winner == ahead(last))
    else:
        fits = last.is_over and said == found
    if not fits:
        ends = "winner {} by {}, scores {}".format(*found) if last.is_over else f"with a running game, {last}"
        fault = "" if record.fault is None else f", the fault of seat {record.fault}"
        told = "winner {} by {}, scores {}".format(*said)
        raise ValueError(f"the moves end {ends}, and the result says {told}{fault}")


def _replayed(
    records: Iterable[GameRecord], rulesets: Mapping[str, Ruleset] | None
) -> Iterator[tuple[GameRecord, list[State], list[str]]]:
    """Games with all their positions, and the names of their moves."""
    for record in records:
        states = record.states(rules_of(record, rulesets))
        yield record, states, [state.name(action) for state, action in zip(states[:-1], record.actions, strict=True)]


def rows(records: Iterable[GameRecord], rulesets: Mapping[str, Ruleset] | None = None) -> Iterator[dict[str, Any]]:
    """One dictionary per game with the keys ``COLUMNS``; moves as text, unknown values None. ``rulesets``: those whose
    names ``ruleset`` does not know."""
    for record, _, names in _replayed(records, rulesets):
        yield _row(record, names)


def _row(record: GameRecord, names: Sequence[str]) -> dict[str, Any]:
    values = (
        record.number, record.pair, record.rules, record.south, record.north, record.opening, *record.seeds,
        " ".join(names), len(names), record.winner, record.reason, record.fault, record.detail,
        *(record.scores or (None, None)), *record.times,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


MOVES = ("number", "ply", "seat", "player", "move", "seconds", "depth", "value", "illegal", "tokens")


def move_rows(records: Iterable[GameRecord], rulesets: Mapping[str, Ruleset] | None = None) -> Iterator[dict[str, Any]]:
    """One dictionary per move with the keys ``MOVES``; ply from 1, after the opening. Unknown values are None."""
    for record, states, names in _replayed(records, rulesets):
        thoughts = record.thoughts or (Thought(),) * len(names)
        for ply, (state, name, thought) in enumerate(zip(states[:-1], names, thoughts, strict=True), 1):
            player = (record.south, record.north)[state.player]
            yield dict(zip(MOVES, (record.number, ply, _SEATS[state.player], player, name, *thought), strict=True))


def csv_lines(columns: Sequence[str], content: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Rows of plain data as a table, after a heading."""
    for line in itertools.chain([columns], ([row[name] for name in columns] for row in content)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(line)
        yield text.getvalue()


def written(kind: str, records: Iterable[GameRecord], rulesets: Mapping[str, Ruleset] | None = None) -> Iterator[str]:
    """A file of games, piece by piece. ``kind``: ``games`` (``game_text`` of each), ``csv`` (``rows``), ``moves``
    (``move_rows``) or ``json`` (``rows`` with ``moves`` as a list, ``movers``, the seat of each, and, where they are
    known, ``thoughts``: seconds, depth and value of each move)."""
    if kind == "games":
        yield from (game_text(record, rules_of(record, rulesets)) + "\n" for record in records)
    elif kind == "json":
        before = "["
        for record, states, names in _replayed(records, rulesets):
            item = _row(record, names) | {"moves": names, "movers": [state.player for state in states[:-1]]}
            if record.thoughts:
                item["thoughts"] = [thought.known() for thought in record.thoughts]
            yield before + "\n" + textwrap.indent(json.dumps(finite(item), indent=1), " ")
            before = ","
        yield "[]" if before == "[" else "\n]"
    else:
        columns, lines = (COLUMNS, rows) if kind == "csv" else (MOVES, move_rows)
        yield from csv_lines(columns, lines(records, rulesets))


def _games(text: str) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Tags and words of each game."""
    tags: dict[str, str] = {}
    words: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("["):
            found = _TAG.fullmatch(line.strip())
            if found is None:
                raise ValueError(f"line {number} is no tag: {line!r}")
            if words:
                yield tags, words
                tags, words = {}, []
            value = re.sub(r"\\(.)", lambda each: _MEANT.get(each[1], each[1]), found["value"])
            tags[found["name"]] = value
        else:
            words += line.split()
    if tags or words:
        yield tags, words


def _record(tags: dict[str, str], words: list[str]) -> GameRecord:
    rules = ruleset(tags["Rules"])
    results = {text: winner for winner, text in _RESULTS.items()} | {_NO_RESULT: None}
    if not words or words[-1] != tags["Result"] or tags["Result"] not in results:
        raise ValueError(f"the moves should end with the result {tags['Result']!r}")
    if (tags["Result"] == _NO_RESULT) != (tags["Reason"] == UNFINISHED):
        raise ValueError(f"the result {tags['Result']!r} does not go with the reason {tags['Reason']!r}")
    state = State.parse(rules, tags["Opening"])
    actions = []
    for word in words[:-1]:
        actions.append(state.parse_move(word))
        state = state.play(actions[-1])
    if (fault := tags.get("Fault", "South")) not in _SEATS:
        raise ValueError(f"Fault must be South or North, not {shown(fault)}")
    record = GameRecord(
        _numbers(tags, "Game", int, 1), _numbers(tags, "Pair", int, 1), tags["Rules"], tags["South"], tags["North"],
        tags["Opening"], _numbers(tags, "Seeds", int), tuple(actions), results[tags["Result"]], tags["Reason"],
        fault=_SEATS.index(fault) if "Fault" in tags else None,
        detail=tags.get("Detail", ""),
        scores=_numbers(tags, "Scores", float) if "Scores" in tags else None,
        times=_numbers(tags, "Times", float) if "Times" in tags else (None, None),
    )  # fmt: skip
    check(record, rules)
    return record


def _numbers(tags: Mapping[str, str], name: str, kind: Any, count: int = 2) -> Any:
    """The numbers in a tag, finite and of at most ``_LONGEST`` letters each: two in a tuple, or a single one."""
    words = tags[name].split()
    try:
        found = tuple(kind(word) for word in words if len(word) <= _LONGEST)
    except ValueError:
        found = ()
    if not len(found) == len(words) == count or not all(abs(value) < 1e300 for value in found):
        what = "whole number" if kind is int else "number"
        holds = f"two {what}s, South's and North's" if count == 2 else f"a {what}"
        raise ValueError(f"{name} must hold {holds}, not {shown(tags[name])}")
    return found if count == 2 else found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    from mancala_env.cli import Parser, in_words

    parser = Parser("mancala tournament export", __doc__)
    add = parser.add_argument
    add("event", metavar="EVENT.db", help="an event, or with --check also a text that --games wrote")
    add("--games", metavar="FILE", help="the games as text in a format like PGN")
    add("--csv", metavar="FILE", help="a table with one line per game")
    add("--moves", metavar="FILE", help="a table with one line per move: seconds, depth and value")
    add("--json", metavar="FILE", help="the games as JSON")
    add("--check", action="store_true", help="play every game once more, and compare the digests of an event's file")
    options = parser.parse_args(arguments)
    targets = list(filter(None, (getattr(options, kind) for kind in KINDS)))
    if not (targets or options.check):
        parser.error("what is to be done? Give --games, --csv, --moves, --json or --check")
    for target in targets:
        if Path(target).resolve() == Path(options.event).resolve():
            parser.error(f"{target} is the event itself: give what is exported a file of its own")
    try:
        return _export(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"{parser.prog}: {in_words(error)}", file=sys.stderr)
        return 2


def _export(options: Any) -> int:
    with open(options.event, "rb") as file:
        is_text = file.read(1) == b"["
    with contextlib.ExitStack() as held:
        rulesets: Mapping[str, Ruleset] = {}
        if is_text:
            try:
                records = read_games(Path(options.event).read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(f"{options.event}: {error}") from error
            games: Callable[[], Iterable[GameRecord]] = lambda: records  # noqa: E731
        else:
            from agents.tournament.store import Store  # imports sqlite3, which a browser lacks

            store = held.enter_context(Store(options.event))
            games, rulesets = store.records, store.event.rulesets
        if options.check:
            count = 0
            for record in games():
                count += 1
                try:
                    check(record, rules_of(record, rulesets))
                except ValueError as error:
                    raise ValueError(f"{options.event}: game {record.number}: {error}") from error
            print(f"{count:,} games: every move is legal, and every result is that of its moves")
        for kind in KINDS:
            if target := getattr(options, kind):
                with open(target, "w", encoding="utf-8", newline="") as file:
                    file.writelines(written(kind, games(), rulesets))
    return 0
