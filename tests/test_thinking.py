"""How long moves took, by player."""

import pytest

import mancala_env as mancala
from agents.tournament.sections import thinking
from agents.tournament.summary import Summary
from tests.tournaments import Seat, one_game

KALAH = {"kalah": mancala.ruleset("kalah")}


def test_moves_over_their_time_are_counted_with_the_one_that_lost_the_game():
    record = one_game(Seat((0.05, 0.13, 0.4)), Seat((0.09,) * 99), move_time=0.1, bank=0.2)
    assert (record.reason, record.fault) == ("time", 0)
    found = Summary.of([record], KALAH, 0.1).thinking
    assert found["random"].over == 2
    assert found["random"].most_over == pytest.approx(0.3)
    assert found["greedy"].over == 0
    shown = thinking(found, ["random", "greedy"], 0.1)
    over = [heading for heading, _ in shown.columns].index("Moves over their time")
    assert shown.rows[0][over : over + 2] == ["2", "0.300"]
    assert len(thinking(Summary.of([record], KALAH).thinking, ["random", "greedy"]).columns) == len(shown.columns) - 2
