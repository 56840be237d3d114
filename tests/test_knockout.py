"""Knockout: a seeded bracket, which ends with the same games however often it is stopped."""

import itertools
import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import make_agent
from agents.executors import LocalExecutor
from agents.tournament import knockout, tables
from agents.tournament.command import main as tournament
from agents.tournament.event import Event, Player
from agents.tournament.record import GameRecord
from agents.tournament.run import run_event
from agents.tournament.schedule import games_in, limits, stages, units
from agents.tournament.store import Store
from tests.players import Habit
from tests.tournaments import games_of, play, untimed


def event_of(players, **settings):
    return Event(tuple(Player(f"p{k}", "random") for k in range(players)), form="knockout", **settings)


def games_of_all_stages(event, winner):
    """The games of a whole event, stage by stage; ``winner`` says who wins, of the players of South and North."""
    records = []
    for stage in stages(event, lambda before=None: records):
        done = bytearray(limits(event).numbers)
        for record in records:
            done[record.number] = True
        fresh = list(units(event, stage, done, [1] * len(stage.pairings)))
        assert fresh
        for unit in fresh:
            for number in unit.numbers:
                seat = unit.pairing.south(number)
                south, north = unit.pairing.players[seat], unit.pairing.players[1 - seat]
                names = event.players[south].name, event.players[north].name
                won = winner(south, north)
                records.append(
                    GameRecord(number, number - seat, unit.pairing.rules, *names, "", (0, 0), (), won, "agreed")
                )
    return records


@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_one_player_is_left_and_everybody_else_lost_one_match(players, pairs, seed):
    event = event_of(players, pairs=pairs, opening_plies=0, rules=("kalah", "oware")[: 1 + seed % 2])
    draw = random.Random(seed)
    records = games_of_all_stages(event, lambda *_: None if draw.random() < 0.3 else draw.randrange(2))
    matches = knockout.bracket(event, records)
    played = [match for match in matches if match.decided != "bye"]
    assert len(played) == players - 1
    assert all(match.winner in match.players for match in matches)
    losers = Counter(player for match in played for player in match.players if player != match.winner)
    assert losers == Counter(set(range(players)) - {matches[-1].winner})
    assert sum(match.pairs for match in played) * 2 * len(event.rules) == len(records) == games_in(event, records)
    byes = {match.winner for match in matches if match.decided == "bye"}
    assert byes == set(range(len(byes)))  # of the best seeds
    for match in played:
        one, other = match.points
        assert one + other == match.pairs * 2 * len(event.rules)
        if match.decided == "seed":
            assert (one, match.winner, match.pairs) == (other, min(match.players), pairs + knockout.FURTHER_PAIRS)
        else:
            assert (one > other) == (match.winner == match.players[0])
            assert (match.decided == "further pairs") == (match.pairs > pairs)


@pytest.mark.parametrize("players", [2, 3, 8, 13, 16])
def test_where_the_better_seed_always_wins_seeds_meet_as_late_as_they_can(players):
    event = event_of(players, pairs=1)
    matches = knockout.bracket(event, games_of_all_stages(event, lambda south, north: int(north < south)))
    size = len(knockout.seeded(players))
    for match in matches:
        assert set(match.players) <= {*range(size >> match.round), None}  # those that are left in this round
    assert matches[-1].players == (0, 1)
    assert knockout.round_name(event, matches[-1].round) == "final"


KNOCKOUT = Event(
    tuple(map(Player.parse, ("deep=minimax:depth=2", "greedy", "a=random", "b=random", "c=random", "d=greedy"))),
    form="knockout", rules=("kalah",), pairs=1, seed=4, max_plies=30,
)  # fmt: skip


@pytest.mark.integration
def test_a_knockout_is_the_same_when_it_is_stopped_in_any_stage(tmp_path):
    whole, path = play(KNOCKOUT, tmp_path / "whole.db"), tmp_path / "stopped.db"
    for _ in whole:
        asked = itertools.count()
        run_event(KNOCKOUT, path, executor=LocalExecutor(0), stop=lambda: next(asked) >= 1)  # noqa: B023
        if len(games_of(path)) == len(whole):
            break
    assert untimed(games_of(path)) == untimed(whole)


def test_matches_that_were_drawn_stand_when_faults_are_played_again(tmp_path):
    path = tmp_path / "event.db"
    before = knockout.bracket(KNOCKOUT, play(KNOCKOUT, path, agents={"deep": Habit(0, broken=True)}))
    semi, final = before[4], before[-1]
    assert semi.players[0] == 0  # the first seed, which had a bye
    assert semi.winner == semi.players[1] == final.players[1]
    records = play(KNOCKOUT, path, agents={"deep": make_agent("minimax:depth=2")}, again=True)
    assert not [record for record in records if record.fault is not None]
    after = knockout.bracket(KNOCKOUT, records)
    assert after[4].winner == 0  # now it won, too late
    assert [match.players for match in after] == [match.players for match in before]


@pytest.mark.integration
def test_the_bracket_stands_in_the_terminal_the_report_and_the_json(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    path, content = tmp_path / "event.db", tmp_path / "tables.json"
    options = ["--agents", *(f"{player.name}={player.spec}" for player in KNOCKOUT.players), "--rules", "kalah"]
    options += ["--form", "knockout", "--pairs", "1", "--seed", "4", "--max-plies", "30", "--processes", "0"]
    assert tournament([*options, "--out", str(path), "--json", str(content)]) == 0
    said, page = capsys.readouterr().out, path.with_suffix(".html").read_text(encoding="utf-8")
    with Store(path) as store:
        event, records = store.event, list(store.records())
    assert event == KNOCKOUT
    shown = json.loads(content.read_text())["bracket"]
    assert shown == tables.bracket_of(KNOCKOUT, records)
    assert [each["round"] for each in shown] == ["quarter-finals"] * 4 + ["semi-finals"] * 2 + ["final"]
    assert [each["decided"] for each in shown].count("bye") == 2
    final = next(line for line in said.splitlines() if line.startswith("final"))
    named = [f"{name} ({seed})" for name, seed in zip(shown[-1]["players"], shown[-1]["seeds"], strict=True)]
    assert " against ".join(named) in final
    assert '<section id="bracket"' in page
    assert " against ".join(named) in page
    assert tournament(["--resume", str(path), "--no-report"]) == 0
    assert f"all {len(records)} games were stored" in capsys.readouterr().out
