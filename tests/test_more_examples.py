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
RULES = {game: RULESETS.get(game) for game in EXAMPLES}
DIRECTIONS = {1: 0, -1: 1}  # as the file says them, and as actions do
LISTED = {  # for what the file tells of what may be played: the number of the example before which it may
    "bao_kiswahili_legal_2": 1,
    "bao_kiswahili_legal_start": 0,
    "bao_kiswahili_tax": 2,
    "bao_kujifunza_legal": 1,
}
LEGAL = {("ayoayo", 2): [4, 5]}  # where the text of an example says what else could be played


# Where the file numbers the pits of a board in another way: the number there of each of our pits.
NUMBERS = {"abalalae": (*range(9), *range(17, 8, -1))}

# Large pieces that the file leaves out of what pits hold: the pits where they lie before and after each example, and
# what they count.
HEAVY = {"o_an_quan": (10, [((5, 11), (5, 11)), ((5, 11), (11,)), ((5, 11), (5, 11))])}


def playable():
    return [pytest.param(game, k, id=f"{game}-{k}") for game in RULES for k in range(len(EXAMPLES[game]))]


def check_alone(rules, example, position):
    """Play an example of a solitaire, which is told in a line: pits and store, or piles; it may be the last move."""
    told = [[int(number) for number in re.findall(r"\d+", example[when])] for when in ("before", "after")]
    if rules.sowing == "piles":
        (pits, store), (pits_after, store_after) = (
            (piles + [0] * (rules.board.pits - len(piles)), 0) for piles in told
        )
    else:
        (*pits, store), (*pits_after, store_after) = told
    before = position(rules, pits, (store, 0))
    after = before.play(0 if rules.sowing == "piles" else int(example["move"]))
    assert (list(after.pits), after.stores) == (pits_after, (store_after, 0))
    assert (after.is_over, after.winner) == ((True, 0) if example["note"] == "won" else (False, None))


def check(game, number, position):
    """Play an example. ``position(rules, pits=..., ...)`` makes the object that plays: a ``State`` or its like."""
    rules, example = RULES[game], EXAMPLES[game][number]
    if rules.players == 1:
        check_alone(rules, example, position)
        return
    raw, note = example["raw"], example["note"]
    if len(raw["pits"]) != rules.board.pits:  # a single row is as long as it needs to be
        rules = rules.changes(start=raw["pits"])
    numbers = NUMBERS.get(game, range(rules.board.pits))
    raw = raw | {name: [raw[name][pit] for pit in numbers] for name in ("pits", "pits_after")}
    fields = {}
    if game in HEAVY:
        worth, lying = HEAVY[game][0], HEAVY[game][1][number]
        for name, pits in zip(("pits", "pits_after"), lying, strict=True):
            raw[name] = [seeds + worth * (pit in pits) for pit, seeds in enumerate(raw[name])]
        fields["marks"], marked = (
            [mark if pit in pits else -1 for pit, mark in enumerate(rules.setup_marks)] for pits in lying
        )
    stores = raw["stores"] or [0, 0]  # None: the game has none
    fields |= {"pits": raw["pits"], "stores": stores, "player": example["turn"]}
    is_start = raw["pits"] == [*rules.start_pits]
    fields["ply"] = 0 if is_start else 100
    closed = example["closed_before"]
    if example["marks_before"] or closed:  # the file does not say by whom a pit was closed, and it does not matter
        marks = dict(example["marks_before"]) | dict.fromkeys(closed, 0)
        fields["marks"] = [marks.get(pit, -1) for pit in range(rules.board.pits)]
    if rules.reserve:
        left = rules.total_seeds - sum(raw["pits"])  # South plays first
        fields["reserve"] = [min(rules.reserve, each) for each in (left // 2, left - left // 2)]
    if sum(raw["pits"]) + sum(stores) > rules.total_seeds:
        rules = rules.changes(start=[*raw["pits"], *(stores if rules.has_stores else ())])
    if raw["move"][0] == "take":
        fields["pending"] = ("pick", 1)
    before = position(rules, **fields)
    assert [before.pit(action) for action in before.legal_actions] == LEGAL.get(
        (game, number), [before.pit(action) for action in before.legal_actions]
    )
    kind, pit = raw["move"] if raw["move"][0] in ("sow", "take") else ("sow", raw["move"][0])
    pit = numbers.index(pit) if isinstance(pit, int) else pit
    direction = DIRECTIONS[raw["move"][1]] if kind != raw["move"][0] else None
    after = before.play(rules.action(before.player, pit, direction))
    assert list(after.pits) == raw["pits_after"]
    assert list(after.stores) == (raw["stores_after"] or [0, 0])
    assert after.is_over == ("GAME OVER" in note)
    if after.is_over:
        assert after.winner == ("North wins" in note)
        return
    assert f"{('South', 'North')[after.player]} to move" in note
    again = after.player == before.player and after.pending is None
    assert ("mover plays again" in note or "opponent must pass" in note) == again
    assert ("is owed" in example["what"]) == (after.pending is not None)
    marks = [[int(pit), "SN".index(maker)] for pit, maker in re.findall(r"(\d+):([SN])", note)]
    if rules.marked_pits == "closed":
        found = re.search(r"closed \[([0-9, ]*)\]; out of play (\d+)", note)
        told = ([int(pit) for pit in found[1].split(",")], int(found[2])) if found else ([], 0)
        assert ([pit for pit, maker in enumerate(after.marks) if maker >= 0], after.removed) == told
    elif game in HEAVY:
        assert [*after.marks] == marked
    else:
        assert [[pit, int(maker)] for pit, maker in enumerate(after.marks) if maker >= 0] == marks


@pytest.mark.parametrize("position", [Ruleset.position, Position], ids=["kernels", "reference"])
@pytest.mark.parametrize(("game", "number"), playable())
def test_every_example_comes_out_as_written(game, number, position):
    check(game, number, position)


def test_every_game_of_the_file_is_played():
    assert None not in RULES.values()
    everything = json.loads(FILE.read_text(encoding="utf-8"))
    assert {*everything} == {*EXAMPLES} | {*IN_WORDS}


def test_every_game_of_the_file_is_in_the_table():
    assert {*IN_WORDS.values(), *EXAMPLES} <= {*RULESETS}


def test_piles_walk_round_the_cycle_that_the_file_tells():
    told = json.loads(FILE.read_text(encoding="utf-8"))["bulgarian_solitaire_7"]
    first, *others = (json.loads(piles) for piles in re.findall(r"\[[\d, ]+\]", told))
    state = RULES["bulgarian_solitaire"].changes(start=first).start()
    for piles in others:
        assert not state.is_over
        state = state.play(0)
        assert [seeds for seeds in state.pits if seeds] == piles
        if piles == first:
            break
    assert (state.ply, state.termination, state.winner) == (4, "repetition", 1)


@pytest.mark.parametrize(("name", "number"), LISTED.items())
def test_what_may_be_played_is_what_the_file_lists(name, number):
    game = IN_WORDS[name]
    rules, raw = RULES[game], EXAMPLES[game][number]["raw"]
    left = rules.total_seeds - sum(raw["pits"])
    more = {"reserve": [min(rules.reserve, each) for each in (left // 2, left - left // 2)]} if rules.reserve else {}
    state = rules.position(raw["pits"], player=EXAMPLES[game][number]["turn"], **more)
    listed = re.findall(r"\((\d+), (-?1), 0\)", json.loads(FILE.read_text(encoding="utf-8"))[name] + ")")
    played = {(state.pit(action), state.direction(action)) for action in state.legal_actions}
    assert {(int(pit), DIRECTIONS[int(way)]) for pit, way in listed} == played


@pytest.mark.parametrize(("player", "name"), [(0, "Left"), (1, "Right")])
def test_what_may_be_sown_is_what_the_file_lists(player, name):
    told = json.loads(FILE.read_text(encoding="utf-8"))["sowing_legal"]
    listed = re.findall(r"\((\d+), (-?1)\)", re.search(rf"{name} \[([^\]]*)", told + ")")[1])
    rules = RULES["sowing"].changes(start=EXAMPLES["sowing"][0]["raw"]["pits"])
    state = rules.position(rules.setup, player=player)
    assert {int(pit) for pit, _ in listed} == {state.pit(action) for action in state.legal_actions}
    assert {int(way) for _, way in listed} == {1 - 2 * player}
