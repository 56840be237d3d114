"""The perfect games of Kalah that Irving, Donkers and Uiterwijk printed (2000) replay to the margins they printed."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from mancala_env import State, ruleset

GAMES = json.loads((Path(__file__).parent / "data" / "kalah_perfect_games.json").read_text(encoding="utf-8"))["games"]
SIZES = [(game["pits"], game["seeds"]) for game in GAMES]
MISPRINT = (4, 6)  # "201": the 0 earns no further turn
SAME_BY_BOTH_RULES = [(4, 1), (4, 2), (5, 1), (6, 1)]


def replay(game, *, empty_capture) -> State:
    """The end of a printed line; each string of digits is a turn, each digit a pit from the mover's left."""
    rules = ruleset("kalah", houses=game["pits"], seeds=game["seeds"], empty_capture=empty_capture)
    state = rules.start()
    turns = game["moves"].split("-")
    for number, turn in enumerate(turns):
        for place, digit in enumerate(turn):
            mover = state.player
            state = state.play(int(digit))
            goes_on = place + 1 < len(turn)
            if state.is_over != (number + 1 == len(turns) and not goes_on):
                raise ValueError(f"ended at {digit} of turn {number}" if state.is_over else "goes on")
            if not state.is_over and (state.player == mover) != goes_on:
                raise ValueError(f"turn {number} passes elsewhere")
    return state


@pytest.mark.parametrize("game", GAMES, ids=map(str, SIZES))
def test_a_perfect_game_ends_with_its_last_move_at_the_printed_margin(game):
    if (game["pits"], game["seeds"]) == MISPRINT:
        with pytest.raises(ValueError, match="passes elsewhere"):
            replay(game, empty_capture=True)
    else:
        end = replay(game, empty_capture=True)
        assert end.scores[0] - end.scores[1] == game["margin"]
        assert end.termination == "side_empty"


def test_the_games_tell_the_two_capture_rules_apart():
    assert len(set(SIZES)) == len(GAMES) == 17
    alike = []
    for size, game in zip(SIZES, GAMES, strict=True):
        with suppress(ValueError):  # IllegalAction among them
            south, north = replay(game, empty_capture=False).scores
            alike += [size] * (south - north == game["margin"])
    assert alike == SAME_BY_BOTH_RULES
