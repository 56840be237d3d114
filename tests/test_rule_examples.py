"""The worked examples of the rules come out as written, by kernels and reference: ``data/core_examples.jsonl``.

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
    ``Ruleset.position``; pits are numbered in canonical order, in actions too.
``expect``
    ``pits`` and ``stores`` stand as before the final collection, ``final`` are the scores after it, ``to_move`` is null
    at the end; ``match_over`` and ``over`` speak of the match, ``totals`` are seeds in reserve, row and store.
"""

import json
from pathlib import Path

import pytest

from mancala_env import Ruleset, State, ruleset
from tests.games import after_game
from tests.reference import Position

FILE = Path(__file__).parent / "data" / "core_examples.jsonl"
EXAMPLES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
VIEWS = {  # what an expectation is compared with
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
    "pits_owned": lambda state: list(state.scores if state.is_over else map(owners(state).count, (0, 1))),
    "totals": lambda state: list(state.scores if state.is_over else totals(state)),
}
NOT_COMPARED = {"captured", "last", "laps", "end"}  # what a line may tell besides
SERIES = {"series_wins": "oware_series_wins", "series_diff": "oware_series_difference"}
SCORES = {"territory_setup": "captured", "layli_round_setup": "totals", "layli_round_total": "round_final"}


def owners(state):
    return [int(player) for player in state.owner]


def totals(state):
    """What players have: the reserve, the store and the own pits."""
    each = [state.reserve[player] + state.stores[player] for player in (0, 1)]
    for pit, player in enumerate(state.owner):
        each[player] += state.pits[pit]
    return each


def reached(example, position):
    """The position that an example leads to; ``position(rules, pits=..., ...)`` makes what plays, as a ``State``."""
    kind, options = example["kind"], example.get("options", {})
    if kind in ("apply", "sequence", "legal", "status"):
        rules = ruleset(example["game"], **options)
        fields = dict(example["state"])
        fields["player"] = fields.pop("to_move", 0)
        if "uur" in fields:
            fields["marks"] = [-1 if player is None else player for player in fields.pop("uur")]
        if example["game"] == "reaping" and len(fields["pits"]) != rules.board.pits:
            rules = ruleset("reaping", **options, start=fields["pits"])
        state = position(rules, **fields)
        for pit in example["actions"] if kind == "sequence" else [example["action"]] if kind == "apply" else ():
            state = state.play(rules.action(state.player, pit))
        return state
    if kind in SERIES:
        game = SERIES[kind] if example["game"] == "oware_match" else example["game"]
        state = start(ruleset(game, **options, target=example["target"]), position)
        for scores in example["results"]:
            state = state if state.is_over else next_game(state, scores)
        return state
    state = start(ruleset(example["game"], **options), position)
    if kind == "layli_round_total":  # after a round that leaves a player this reserve
        reserve = example["reserve"]
        state = next_game(state, [(sum(state.pits) - sum(reserve)) // 2 + kept for kept in reserve])
    return next_game(state, example[SCORES[kind]])


def start(rules, position):
    return position(rules, pits=rules.start_pits)


def next_game(state, scores):
    """The position after a game of a match with these scores; those that are no states know it themselves."""
    return after_game(state, scores) if isinstance(state, State) else state.next_game(scores)


@pytest.mark.parametrize("position", [Ruleset.position, Position], ids=["kernels", "reference"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_every_worked_example_comes_out_as_written(example, position):
    state = reached(example, position)
    expected = {key: value for key, value in example["expect"].items() if key not in NOT_COMPARED}
    assert expected
    assert {key: VIEWS[key](state) for key in expected} == expected


def test_all_examples_of_these_games_are_there():
    assert len(EXAMPLES) == len({example["id"] for example in EXAMPLES}) == 93
