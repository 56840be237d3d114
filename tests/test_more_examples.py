"""The worked examples of further games come out as written: ``data/more_examples.json``, one list for each game.

An example gives a position (``raw``: ``pits`` and ``stores``, ``marks_before``, ``turn``: the player), a move (the pit,
and the direction 1 or -1 where that is a choice; or "sow", or "take" for a pick, and the pit), the pits and stores
after it, and in words who is to move then and which marks there are.
"""

import json
import re
from pathlib import Path

import pytest

from mancala_env import RULESETS, Ruleset
from tests.reference import Position

FILE = Path(__file__).parent / "data" / "more_examples.json"
EXAMPLES = {game: each for game, each in json.loads(FILE.read_text(encoding="utf-8")).items() if isinstance(each, list)}
IN_WORDS = {  # what the file tells in one sentence: the game that it is about
    "bao_kiswahili_legal_2": "bao_kiswahili",
    "bao_kiswahili_legal_start": "bao_kiswahili",
    "bao_kiswahili_takasia": "bao_kiswahili",
    "bao_kiswahili_tax": "bao_kiswahili",
    "bao_kujifunza_legal": "bao_kujifunza",
    "bulgarian_solitaire_7": "bulgarian_solitaire",
    "sowing_legal": "sowing",
}
# Games whose rules cannot be said yet.
NOT_YET = {
    "abalalae", "adji_boto", "atomic_wari", "bao_kiswahili", "bao_kujifunza", "bulgarian_solitaire", "deka",
    "gabata_adowa", "giuthi", "lamlameta", "o_an_quan", "omweso", "selus", "sowing", "tchuka_ruma", "toguz",
}  # fmt: skip
RULES = {game: RULESETS.get(game) for game in EXAMPLES if game not in NOT_YET}
LEGAL = {("ayoayo", 2): [4, 5]}  # where the text of an example says what else could be played


def playable():
    return [pytest.param(game, k, id=f"{game}-{k}") for game in RULES for k in range(len(EXAMPLES[game]))]


def check(game, number, position):
    """Play an example. ``position(rules, pits=..., ...)`` makes the object that plays: a ``State`` or its like."""
    rules, example = RULES[game], EXAMPLES[game][number]
    raw, note = example["raw"], example["note"]
    fields = {"pits": raw["pits"], "stores": raw["stores"], "player": example["turn"]}
    is_start = raw["pits"] == [*(rules.setup or [rules.seeds] * rules.board.pits)]
    fields["ply"] = 0 if is_start else 100
    if example["marks_before"]:
        fields["marks"] = [dict(example["marks_before"]).get(pit, -1) for pit in range(rules.board.pits)]
    if sum(raw["pits"]) + sum(raw["stores"]) > rules.total_seeds:
        rules = rules.changes(start=raw["pits"])
    if raw["move"][0] == "take":
        fields["pending"] = ("pick", 1)
    before = position(rules, **fields)
    assert [before.pit(action) for action in before.legal_actions] == LEGAL.get(
        (game, number), [before.pit(action) for action in before.legal_actions]
    )
    kind, pit = raw["move"] if raw["move"][0] in ("sow", "take") else ("sow", raw["move"][0])
    direction = {1: 0, -1: 1}[raw["move"][1]] if kind != raw["move"][0] else None
    after = before.play(rules.action(before.player, pit, direction))
    assert list(after.pits) == raw["pits_after"]
    assert list(after.stores) == raw["stores_after"]
    assert not after.is_over
    assert f"{('South', 'North')[after.player]} to move" in note
    again = after.player == before.player and after.pending is None
    assert ("mover plays again" in note or "opponent must pass" in note) == again
    assert ("is owed" in example["what"]) == (after.pending is not None)
    marks = [[int(pit), "SN".index(maker)] for pit, maker in re.findall(r"(\d+):([SN])", note)]
    assert [[pit, int(maker)] for pit, maker in enumerate(after.marks) if maker >= 0] == marks


@pytest.mark.parametrize("position", [Ruleset.position, Position], ids=["kernels", "reference"])
@pytest.mark.parametrize(("game", "number"), playable())
def test_every_example_comes_out_as_written(game, number, position):
    check(game, number, position)


def test_every_game_of_the_file_is_played_or_named_as_not_played():
    assert {*EXAMPLES} == {*RULES} | NOT_YET
    assert None not in RULES.values()
    everything = json.loads(FILE.read_text(encoding="utf-8"))
    assert {*everything} == {*EXAMPLES} | {*IN_WORDS}


def test_no_game_of_the_table_is_left_out():
    assert not {*RULESETS} & (NOT_YET | {*IN_WORDS.values()})
