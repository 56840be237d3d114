"""Tables of any number of games: counted one by one, in any order, in memory that hardly grows with them."""

import gc
import itertools
import random
import tracemalloc
from dataclasses import replace

import pytest

from agents.tournament import schedule, summary
from agents.tournament.ratings import ratings
from agents.tournament.record import GameRecord
from agents.tournament.sections import thinking
from agents.tournament.summary import Summary, crosstable, differences
from agents.tournament.tables import diagnose
from mancala_env import ruleset
from tests.tournaments import Seat, event_of, one_game

NAMES = ("a", "b", "c")


def games(pairs, seed=0):
    """Pairs of games of three players, one in twenty lost by a fault."""
    rng = random.Random(seed)
    for pair in range(pairs):
        one, other = list(itertools.permutations(NAMES, 2))[pair % 6]
        for number, (south, north) in enumerate(((one, other), (other, one)), 2 * pair):
            fault = rng.randrange(2) if rng.random() < 0.05 else None
            winner = rng.choice((0, 1, None)) if fault is None else 1 - fault
            yield GameRecord(
                number, 2 * pair, "kalah", south, north, f"opening {pair % 50}", (0, 0), (number % 251, pair % 256),
                winner, "time" if fault is not None else "emptied", fault,
            )  # fmt: skip


def tables_of(counted):
    return ratings(counted, resamples=20), *(table(counted) for table in (crosstable, differences, diagnose))


def test_the_order_of_games_changes_no_table():
    played = list(games(300))
    in_order, mixed = Summary.of(iter(played)), Summary.of(random.Random(1).sample(played, len(played)))
    assert tables_of(mixed) == tables_of(in_order) == tables_of(played)
    assert mixed.faults == in_order.faults
    assert {record.number for record in mixed.chosen()} == {record.number for record in played}


def test_a_pair_that_is_not_complete_counts_as_single_games():
    first, second, third = list(games(2, seed=3))[:3]
    counted = Summary.of([replace(first, fault=None), third])
    assert differences(counted) == []
    counted.add(replace(second, fault=None))
    assert [(line.player, line.against, line.elo.pairs) for line in differences(counted)] == [("a", "b", 1)]
    with pytest.raises(ValueError, match="seats swapped"):
        counted.add(replace(second, number=9))


@pytest.mark.integration
def test_memory_hardly_grows_with_the_number_of_games(monkeypatch):
    monkeypatch.setattr(summary, "MOST_GAMES", 100)
    counted, played = Summary(), games(12_000)
    used = []
    tracemalloc.start()
    try:
        for number in (4_000, 20_000):
            for record in itertools.islice(played, number):
                counted.add(record)
            gc.collect()
            used.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert counted.games == 24_000
    assert used[1] - used[0] < 20 * 20_000  # bytes; a record has about a thousand
    numbers = [record.number for record in counted.chosen()]
    assert 90 <= len(numbers) <= 100
    assert numbers == sorted(set(numbers))


def test_a_schedule_is_drawn_up_as_it_is_played():
    event = event_of("a=random", "b=random", pairs=400_000)
    (stage,) = schedule.stages(event)
    unit = next(schedule.units(event, stage, bytearray(schedule.games_in(event)), [2]))
    assert (unit.numbers, len(unit.begun)) == ((0, 1, 2, 3), 4)


def test_moves_over_their_time_are_counted_with_the_one_that_lost_the_game():
    rules = {"kalah": ruleset("kalah")}
    record = one_game(Seat((0.05, 0.13, 0.4)), Seat((0.09,) * 99), move_time=0.1, bank=0.2)
    assert (record.reason, record.fault) == ("time", 0)
    found = Summary.of([record], rules, 0.1).thinking
    assert found["random"].over == 2
    assert found["random"].most_over == pytest.approx(0.3)
    assert found["greedy"].over == 0
    shown = thinking(found, ["random", "greedy"], 0.1)
    over = [heading for heading, _ in shown.columns].index("Moves over their time")
    assert shown.rows[0][over : over + 2] == ["2", "0.300"]
    assert len(thinking(Summary.of([record], rules).thinking, ["random", "greedy"]).columns) == len(shown.columns) - 2
