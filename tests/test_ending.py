"""What people see at the end of a game goes with the scores, and they read why in words."""

import re
import xml.etree.ElementTree as ET

import pytest

import mancala_env as mancala
from mancala_env.ending import ENDINGS, counted, label, meaning, number, outcome, swept, why
from mancala_env.kernels import layout
from mancala_env.render.raster import board_rgb
from mancala_env.render.text import board_text
from mancala_env.replay import Replay
from mancala_env.rules import Goal, Match
from tests.games import CORE, random_game
from tests.pages import read_number

MATCHES = [name for name in CORE if mancala.RULESETS[name].match is not Match.NONE]
CHANGED = {  # the ways to end that no game comes with
    "the rest to the emptier": ("kalah", {"leftover": "emptier"}),
    "the rest to nobody": ("kalah", {"leftover": "none"}),
    "kalah to the majority": ("kalah", {"majority_stop": True}),
    "grand slams end": ("oware", {"grand_slam": "rest_to_opponent", "majority_stop": False}),
    "repetitions split": ("oware_liberta", {"repetition_leftover": "split", "majority_stop": False}),
    "odd seeds split": ("awari", {"start": [3, 4] + [4] * 10}),
    "few plies": ("oware", {"max_plies": 30}),
    "leftovers in a series": ("oware_series_wins", {"leftover": "emptier"}),
}
WAYS = {name: (name, {}) for name in CORE} | CHANGED
UNDERSCORED = [reason for reason in layout.TERMINATIONS if "_" in reason]


def drawn(state):
    """Pits and stores as the text and the SVG picture show them; where there are stores."""
    text = state.to_text()
    board = text[: text.index("Over")] if state.is_over else text[: text.index(" to move")]
    in_text = [read_number(word) for word in re.findall(r"\d*½|\d+", board)]
    svg = ET.fromstring(state.to_svg())
    titles = [title.text for title in svg.iter("{http://www.w3.org/2000/svg}title")]
    words = (re.search(r": (\d*½|\d+) seeds?\b", title) for title in titles[1:])
    return sorted(in_text), [read_number(word[1]) for word in words]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_drawn_at_the_end_sums_to_the_scores(way):
    name, changes = WAYS[way]
    rules = mancala.ruleset(name, **changes)
    collected = 0
    for seed in range(4 if rules.match is Match.NONE else 1):
        state = random_game(rules, seed)[1][-1]
        *pits, south, north = swept(rules, state.array)
        stores = south, north
        assert sum(pits) + sum(stores) == sum(state.pits) + sum(state.stores)
        in_text, in_svg = drawn(state)
        cells = [*pits, *(stores if rules.has_stores else ())]
        assert in_svg == cells
        if rules.board.rows > 1:  # the names of a single row are numbers
            assert in_text == sorted(cells)
        last = state.games[-1].scores if rules.match is not Match.NONE else state.scores
        if last is not None:
            assert stores == last
            assert sum(pits) in (0, sum(state.pits))
            assert f"South's store: {counted(last[0])}" in state.to_svg()
        else:
            assert (*pits, *stores) == (*state.pits, *state.stores)
        if rules.match is Match.REFILL:
            assert tuple(map(sum, zip(stores, state.reserve, strict=True))) == state.scores
        collected += stores != state.stores
        assert (state.pits, state.stores) == (tuple(state.array[: rules.board.pits]), state.stores)
    if way in ("kalah", "awari", "layli_goobalay", "repetitions split", "few plies"):
        assert collected


def test_odd_seeds_that_are_shared_are_drawn_as_halves():
    rules = mancala.ruleset("awari")
    text = "awari 1-0-0-0-0-0-0-1-1-0-0-0-20-25-S over=repetition"
    state = mancala.State.parse(rules, text)
    assert state.scores == (21.5, 26.5)
    assert (state.pits[0], state.stores) == (1, (20, 25))
    assert swept(rules, state.array) == (*(0,) * 12, 21.5, 26.5)
    assert "21½" in state.to_text()
    assert "North's store: 26½ seeds" in state.to_svg()
    few = mancala.State.parse(rules, "awari 1-0-0-0-0-0-0-0-0-0-0-0-0-1-S over=repetition")
    assert "South's store: ½ seed<" in few.to_svg()
    for shown in (state, few):
        assert board_rgb(rules, shown.array).shape == board_rgb(rules, rules.start().array).shape
    assert Replay(rules=rules, states=[state], actions=[]).final == (*[0] * 12, 21.5, 26.5)
    assert [number(value) for value in (0, 0.5, 3, 12.5)] == ["0", "½", "3", "12½"]


def test_a_running_game_is_not_swept():
    for name in (*CORE, *sorted(mancala.RULESETS.keys() - set(CORE))[::8]):
        state = mancala.ruleset(name).start()
        assert swept(state.rules, state.array) == (*state.pits, *state.stores)
        assert state.ending == ""
    text = "oware_series_wins 0-0-0-0-0-1-0-0-0-0-0-1-20-26-S tally=3-0 over=match_target"  # nor without its last game
    state = mancala.State.parse("oware_series_wins", text)
    assert swept(state.rules, state.array) == (*state.pits, *state.stores)


def test_every_ending_has_words():
    assert set(ENDINGS) == set(mancala.TERMINATIONS[1:])
    for reason in mancala.TERMINATIONS[1:-1]:
        for rules in (None, *mancala.RULESETS.values()):
            for told in (label(reason), meaning(reason, rules)):
                assert told
                assert reason not in told
                assert "_" not in told


@pytest.mark.parametrize("name", CORE)
def test_no_picture_names_an_ending_by_its_enum(name):
    rules = mancala.ruleset(name)
    for end in rules.endings - {0}:
        row = rules.start().array
        row[rules.board.pits + layout.OVER] = end
        told = why(rules, row)
        assert told
        for words in (told, board_text(rules, row) if rules.match is Match.NONE else ""):
            assert layout.TERMINATIONS[end] not in words
            assert not any(other in words for other in UNDERSCORED)


BARE = "kalah 0-0-0-0-0-0-1-0-0-2-0-1-20-24-S over=side_empty"
SLAM = {"grand_slam": "rest_to_opponent", "majority_stop": False}


@pytest.mark.parametrize(
    ("line", "changes", "said"),
    [
        (BARE, {}, "South's row was empty; the rest went to North"),
        (BARE, {"leftover": "emptier"}, "South's row was empty; the rest went to South"),
        (BARE, {"leftover": "none"}, "South's row was empty; what is left on the board is not counted"),
        ("oware 1-0-0-0-0-0-0-0-0-0-0-0-22-25-N over=majority", {}, "North had more than half of the seeds"),
        ("oware 0-0-0-0-0-0-1-1-1-1-0-0-22-22-N over=famine", {},
         "South had no seeds, and North could not give any; the rest went to North"),
        ("awari 1-0-0-0-0-0-0-1-1-0-0-0-20-25-S over=repetition", {},
         "the same position came up for the second time; the rest was shared equally"),
        ("oware 0-0-1-0-0-0-0-0-0-0-0-0-23-20-N over=grand_slam", SLAM,
         "South captured all that North had; the rest went to North"),
        (f"hus {'0-' * 16}{'2-' * 16}0-0-S over=stuck", {}, "South could not move, and loses"),
        ("altiev 1-1-0-0-0-1-0-0-0-0-0-0-19-14-S ply=18 over=side_empty", {},
         "North had no seeds left in play, and loses"),
        ("oware_series_wins 0-0-0-0-0-1-0-0-0-0-0-1-20-26-S tally=3-0 over=match_target", {}, "South reached 3 wins"),
    ],
)  # fmt: skip
def test_sentences_say_whose_row_it_was_and_where_the_rest_went(line, changes, said):
    assert mancala.State.parse(mancala.ruleset(line.split()[0], **changes), line).ending == said


@pytest.mark.parametrize("name", MATCHES)
def test_every_end_of_a_game_of_a_match_is_told(name):
    rules = mancala.ruleset(name)
    actions, states = random_game(rules, 1)
    state, game = states[-1], Replay.of(rules.start(), actions)
    ends = game.game_ends
    assert [end.result for end in ends] == list(state.games)
    assert [end.game for end in ends] == list(range(1, len(ends) + 1))
    assert [end.following for end in ends] == [*range(2, len(ends) + 1), None]
    for end in ends:
        before, after = game.states[end.ply - 1], game.states[end.ply]
        assert (before.game, after.game) == (end.game, end.following or end.game)
        row = before.array_after(game.actions[end.ply - 1])
        assert layout.TERMINATIONS[row[rules.board.pits + layout.OVER]] == end.result.termination
        assert swept(rules, row)[-2:] == end.result.scores
        told = end.full()
        assert outcome(end.result.winner, end.result.scores) in told
        assert end.why in told
        assert "_" not in told
        if end.following:
            assert f"Game {end.following} begins" in told
            assert end.standing in after.to_text()
    assert rules.goal is Goal.SEEDS
