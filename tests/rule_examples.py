"""Play worked examples of the rules, one JSON object a line: ``python -m tests.rule_examples FILE``.

A line gives a game, a position and what must come of it::

    {"id": "ka-01", "kind": "apply", "game": "kalaha", "options": {"houses": 6, "seeds": 4},
     "state": {"pits": [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], "stores": [0, 0], "to_move": 0}, "action": 2,
     "expect": {"pits": [4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4], "stores": [1, 0], "to_move": 0, "terminal": false}}

``kind``
    "apply" plays ``action``, "sequence" all ``actions``; "status" and "legal" look at the position as it stands. The
    others keep the books of a match: "territory_setup" and "layli_round_setup" end the first game with the scores
    ``captured`` or ``totals``; "series_wins" and "series_diff" end one game after the other with the ``results``, in a
    match to ``target``; "layli_round_total" ends a round played with ``reserve`` with the scores ``round_final``.
``state``
    ``to_move`` is the player, ``uur`` says whose mark a pit bears (null: nobody's), other keys are those of
    ``Ruleset.position``. A row of another length than that of "reaping" is that game from another start.
``options``, ``note``
    May be left out.
``action``, ``actions``, ``expect.legal``
    Pits, in canonical order.
``expect``
    ``match_over`` and ``over`` speak of the match, ``totals`` are each player's seeds in reserve, row and store;
    ``pits`` and ``stores`` stand as before the final collection, ``final`` are the scores after it, ``reason`` is why
    the game ended, ``to_move`` is null at the end. ``captured``, ``last``, ``laps`` and ``end`` tell of the way there
    and are not compared.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mancala_env import Ruleset, State, ruleset
from tests.games import after_game

VIEWS: dict[str, Callable[[Any], Any]] = {  # what an expectation is compared with
    "pits": lambda state: list(state.pits),
    "stores": lambda state: list(state.stores),
    "to_move": lambda state: None if state.is_over else state.player,
    "terminal": lambda state: state.is_over,
    "reason": lambda state: state.termination,
    "final": lambda state: list(state.scores),
    "winner": lambda state: state.winner,
    "legal": lambda state: sorted(state.pit(action) for action in state.legal_actions),
    "owner": lambda state: [int(player) for player in state.owner],
    "uur": lambda state: [None if player < 0 else int(player) for player in state.marks],
    "removed": lambda state: int(state.removed),
    "reserve": lambda state: list(state.reserve),
    "tally": lambda state: list(state.tally),
    "over": lambda state: state.is_over,
    "match_over": lambda state: state.is_over,
    "pits_owned": lambda state: list(state.scores if state.is_over else _pits_owned(state)),
    "totals": lambda state: list(state.scores if state.is_over else _totals(state)),
}
NOT_COMPARED = ("captured", "last", "laps", "end")


class BadLineError(ValueError):
    """A line that is no example."""


def play(example: dict[str, Any], position: Callable[..., Any] = Ruleset.position) -> list[str]:
    """What is wrong with ``example``, one sentence each; [] if all comes out as expected.

    ``position(rules, pits=..., stores=..., player=...)`` makes the object that plays: a ``State`` or its like.
    """
    try:
        return _differences(_reached(example, position), _part(example, "expect", dict))
    except ValueError as error:
        return [str(error)]


def read(lines: Iterable[str]) -> list[tuple[str, dict[str, Any] | str]]:
    """(id, example) of each line that is not empty; of those that are no example (line number, what is wrong)."""
    examples: list[tuple[str, dict[str, Any] | str]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            example = json.loads(line)
        except json.JSONDecodeError as error:
            examples.append((f"line {number}", f"not JSON: {error}"))
            continue
        if isinstance(example, dict):
            examples.append((str(example.get("id", f"line {number}")), example))
        else:
            examples.append((f"line {number}", f"not an object in braces: {line.strip()[:60]}"))
    return examples


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rule_examples", description="Play worked examples.")
    parser.add_argument("file", type=Path, help="examples, one JSON object a line")
    file = parser.parse_args(arguments).file
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"cannot read {file}: {error}")
    examples = read(text.splitlines())
    failed = 0
    for name, example in examples:
        problems = [example] if isinstance(example, str) else play(example)
        failed += bool(problems)
        for problem in problems:
            print(f"FAILED {name}: {problem}")
    print(f"{len(examples) - failed} of {len(examples)} passed")
    return 1 if failed or not examples else 0


def _reached(example: dict[str, Any], position: Callable[..., Any]) -> Any:
    """The position that the example leads to."""
    kind = _part(example, "kind", str)
    if kind in ("apply", "sequence", "legal", "status"):
        return _played(example, position)
    if kind in ("series_wins", "series_diff"):
        return _series(example, position)
    scores_keys = {"territory_setup": "captured", "layli_round_setup": "totals", "layli_round_total": "round_final"}
    if kind not in scores_keys:
        raise BadLineError(f"unknown kind {kind!r}")
    scores = _part(example, scores_keys[kind], list)
    state = _start(_rules(example), position)
    if kind == "layli_round_total":
        state = _with_reserve(state, _part(example, "reserve", list))
    return _after_game(state, scores)


def _played(example: dict[str, Any], position: Callable[..., Any]) -> Any:
    """The position after the example's actions."""
    actions = {"apply": lambda: [_part(example, "action", int)], "sequence": lambda: _part(example, "actions", list)}
    rules = _rules(example)
    fields = dict(_part(example, "state", dict))
    if "to_move" in fields:
        fields["player"] = fields.pop("to_move")
    if "uur" in fields:
        fields["marks"] = [-1 if player is None else player for player in fields.pop("uur")]
    if "pits" not in fields:
        raise BadLineError("the state has no 'pits'")
    if example["game"] == "reaping" and len(fields["pits"]) != rules.board.pits:
        rules = _rules(example, start=fields["pits"])
    state = position(rules, **fields)
    for pit in actions.get(example["kind"], list)():
        state = state.play(rules.action(state.player, pit))
    return state


def _series(example: dict[str, Any], position: Callable[..., Any]) -> Any:
    """A series after all results, or after the one that decides it."""
    games = {"series_wins": "oware_series_wins", "series_diff": "oware_series_difference"}
    game = _part(example, "game", str)
    if game == "oware_match":
        game = games[example["kind"]]
    state = _start(_rules({**example, "game": game}, target=_part(example, "target", int)), position)
    for scores in _part(example, "results", list):
        if not state.is_over:
            state = _after_game(state, scores)
    return state


def _after_game(state: Any, scores: list[int]) -> Any:
    """The position after a game of a match with these scores; those that are no states know it themselves."""
    return after_game(state, scores) if isinstance(state, State) else state.next_game(scores)


def _with_reserve(state: Any, reserve: list[int]) -> Any:
    """The first set-up of a match of rounds after a round that leaves a player this reserve."""
    each = (sum(state.pits) - sum(reserve)) // 2
    return _after_game(state, [each + kept for kept in reserve])


def _start(rules: Ruleset, position: Callable[..., Any]) -> Any:
    return position(rules, pits=rules.setup or [rules.seeds] * rules.board.pits)


def _rules(example: dict[str, Any], **more: Any) -> Ruleset:
    options = _part(example, "options", dict) if "options" in example else {}
    return ruleset(_part(example, "game", str), **{**options, **more})


def _pits_owned(state: Any) -> list[int]:
    owner = [int(player) for player in state.owner]
    return [owner.count(0), owner.count(1)]


def _totals(state: Any) -> list[float]:
    totals = [state.reserve[player] + state.stores[player] for player in (0, 1)]
    for pit, player in enumerate(state.owner):
        totals[player] += state.pits[pit]
    return totals


def _differences(state: Any, expected: dict[str, Any]) -> list[str]:
    problems = []
    if not any(key in VIEWS for key in expected):
        problems.append("nothing is expected of it")
    for key, value in expected.items():
        if key in NOT_COMPARED:
            continue
        if key not in VIEWS:
            problems.append(f"unknown expectation {key!r}")
        elif (found := VIEWS[key](state)) != value:
            problems.append(f"{key} is {found}, expected {value}")
    return problems


def _part(example: dict[str, Any], key: str, kind: type) -> Any:
    if key not in example:
        raise BadLineError(f"the line has no {key!r}")
    if not isinstance(example[key], kind):
        raise BadLineError(f"{key!r} should be {kind.__name__}, not {example[key]!r}")
    return example[key]


if __name__ == "__main__":
    sys.exit(main())
