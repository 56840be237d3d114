"""One game of a tournament: its clock, and results before its end."""

import random

import pytest

import mancala_env as mancala
from agents import MinimaxAgent
from agents.bots.process import BotFault
from agents.tournament import command as tournament
from agents.tournament.game import AgentParticipant, Clock
from mancala_env.state import State
from tests.tournaments import Seat, one_game


@pytest.mark.parametrize("seat", [0, 1])
def test_late_by_a_hair_is_late(seat):
    seats = [Seat(), Seat()]
    seats[seat] = Seat([0.5, 0.5, 0.5 + 1e-9])
    record = one_game(*seats, move_time=0.5)
    assert (record.reason, record.fault, record.winner) == ("time", seat, 1 - seat)
    assert record.scores is None
    assert record.detail.startswith("took 0.500 s for move")
    assert len(seats[seat].clocks) == 3
    assert one_game(Seat([0.5] * 100), Seat([0.25] * 100), move_time=0.5).fault is None  # exactly in time is in time
    south = Seat([1e6] * 100)
    record = one_game(south, Seat())  # without a clock
    assert (record.fault, record.times[0], set(south.clocks)) == (None, 1e6 * len(south.clocks), {Clock(None, 0.0)})


def test_the_bank_is_used_up_over_several_moves_and_what_is_saved_is_not_kept():
    south = Seat([1.25, 0.0, 1.5, 1.0, 1.25, 1.25])
    record = one_game(south, Seat(), move_time=1.0, bank=1.0)
    assert [clock.bank for clock in south.clocks] == [1.0, 0.75, 0.75, 0.25, 0.25, 0.0]
    assert {clock.move_time for clock in south.clocks} == {1.0}
    assert (record.reason, record.fault) == ("time", 0)
    assert record.detail.endswith("0.250 s more than it had")


def test_a_clock_gains_the_increment_after_each_move():
    south, north = Seat([1.0, 0.5, 0.0, 4.0]), Seat()
    record = one_game(south, north, clock=3.0, increment=0.5)
    assert south.clocks == [Clock(None, left, 0.5) for left in (3.0, 2.5, 2.5, 3.0)]
    assert north.clocks[0] == Clock(None, 3.0, 0.5)
    assert (record.reason, record.fault) == ("time", 0)
    assert record.detail.endswith("1.000 s more than it had")


def test_agents_of_this_process_are_told_the_clock():
    class Tells(MinimaxAgent):
        def clock(self, left, increment=0.0):
            told.append((left, increment))

    told = []
    state = mancala.ruleset("oware").start()
    seat = AgentParticipant(Tells(depth=1))
    seat.move(state, (), state, Clock(1.0, 0.0))
    seat.move(state, (), state, Clock(None, 0.0))
    assert told == []
    seat.move(state, (), state, Clock(None, 3.0, 0.5))
    assert told == [(3.0, 0.5)]


def test_clocks_are_read_from_text_and_one_that_is_none_is_said_in_one_line(capsys):
    for text, clock in (("60+0.5", (60.0, 0.5)), ("2", (2.0, 0.0))):
        event = tournament.event_of(tournament.parser().parse_args(["--agents", "random", "greedy", "--clock", text]))
        assert (event.clock, event.increment) == clock
    for text in ("soon", "+1", "1+x", "-1", "1+-1"):
        assert tournament.main(["--agents", "random", "greedy", f"--clock={text}"]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "clock" in said or "increment" in said


class Hostile:
    """An answer that cannot be looked at."""

    def __index__(self):
        raise ValueError("no index")

    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize("answer", [6, -1, 2.0, "A", None, True, [0], Hostile()])
def test_an_answer_that_is_no_legal_action_loses_and_a_late_one_does_not_count(answer):
    record = one_game(Seat(answers=lambda state: answer), Seat())
    assert (record.reason, record.fault, record.winner, record.actions) == ("illegal_move", 0, 1, ())
    assert ("Hostile" if isinstance(answer, Hostile) else repr(str(answer))) in record.detail
    late = one_game(Seat([2.0], lambda state: answer), Seat(), move_time=1.0)
    assert (late.reason, late.actions) == ("time", ())


def test_whoever_fails_to_begin_loses():
    class Absent(Seat):
        def new_game(self, rules, seed, lead):
            raise BotFault("start", "not there")

    assert one_game(Seat(), Absent()).told.startswith("North (greedy) loses by a fault, start")
    assert one_game(Absent(), Seat()).winner == 1
    assert one_game(Absent(), Absent()).fault == 0


def test_at_the_ply_limit_the_stores_decide():
    rules = mancala.ruleset("kalah")
    for limit in (1, 2, 7):
        record = one_game(Seat(), Seat(), max_plies=limit)
        last = record.states(rules)[-1]
        assert (record.reason, len(record.actions), record.scores) == ("ply_limit", limit, None)
        south, north = last.stores
        assert record.winner == (None if south == north else int(north > south))
    whole = one_game(Seat(), Seat())
    assert one_game(Seat(), Seat(), max_plies=len(whole.actions)) == whole  # over is over


def test_at_the_ply_limit_of_a_match_the_tally_decides():
    rules = mancala.ruleset("oware_series_wins")
    state = rules.start()
    draw = random.Random(1)
    while state.tally[0] == state.tally[1]:
        state = state.play(draw.choice(state.legal_actions))
    record = one_game(Seat(), Seat(), "oware_series_wins", opening=State.parse(rules, str(state)), max_plies=1)
    assert record.winner == int(state.tally[1] > state.tally[0])
