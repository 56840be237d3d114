"""Tournaments that are sequential tests."""

import itertools
import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evaluation.elo import Sprt
from agents.executors import LocalExecutor
from agents.tournament import command as tournament
from agents.tournament.run import SprtWatch, counted, run_event
from agents.tournament.store import Store
from tests.tournaments import event_of, games_of, play, untimed

TEST = event_of("minimax:depth=2", "random", rules=("kalah",), pairs=400, sprt=Sprt(0, 100))


@pytest.mark.integration
def test_an_sprt_ends_early_and_at_the_same_pair_whoever_plays_and_however_often_it_stops(tmp_path):
    one = replace(TEST, max_plies=300)
    records = play(one, tmp_path / "one.db")
    watch = SprtWatch(TEST, records)
    assert watch.verdict == "H1"
    assert 1 < watch.end < 100
    assert len(records) == 2 * watch.end
    play(TEST, tmp_path / "two.db", LocalExecutor(2))
    with Store(tmp_path / "two.db") as store:
        assert [(r.number, r.actions) for r in counted(store)] == [(r.number, r.actions) for r in records]
    stopped, asked = tmp_path / "stopped.db", itertools.count()
    run_event(one, stopped, executor=LocalExecutor(0), stop=lambda: next(asked) >= watch.end // 2)
    assert 0 < len(games_of(stopped)) < len(records)
    for _ in range(2):  # at the second time nothing is left to play
        assert untimed(play(one, stopped)) == untimed(records)


@given(st.integers(0, 2**32 - 1))
def test_an_sprt_ends_at_the_same_pair_in_whatever_order_games_arrive(seed):
    draw = random.Random(seed)
    games = [(number, draw.choice([None, number % 2, number % 2, 1 - number % 2])) for number in range(400)]
    in_order, shuffled = SprtWatch(TEST), SprtWatch(TEST)
    for game in games:
        in_order.add(*game)
    draw.shuffle(games)
    for game in games:
        shuffled.add(*game)
    assert (in_order.end, in_order.verdict) == (shuffled.end, shuffled.verdict)
    assert in_order.end is None or in_order.counts == shuffled.counts


SPRT_OPTIONS = ["--sprt-alpha", "0.1", "--sprt-beta", "0.2"]


@pytest.mark.integration
def test_the_settings_of_an_sprt_are_given_stored_and_gone_on_with(tmp_path, capsys):
    out = tmp_path / "event.db"
    options = ["--agents", "minimax:depth=2", "random", "--rules", "kalah", "--pairs", "30", "--processes", "0"]
    options += ["--sprt", "0", "100", "--out", str(out), "--no-report"]
    assert tournament.main([*options, *SPRT_OPTIONS]) == 0
    test = Sprt(0.0, 100.0, alpha=0.1, beta=0.2)
    with Store(out) as store:
        assert store.event.sprt == test
        verdict = SprtWatch(store.event, list(store.records()))
    said = capsys.readouterr().out
    line = next(line for line in said.splitlines() if line.startswith("SPRT"))
    assert "0 against 100 Elo, nominal error rates 0.1 and 0.2: H1 accepted" in line
    assert f"{verdict.end} pairs" in line
    assert "{:.2f} to {:.2f}".format(*test.bounds) in line
    content = tmp_path / "tables.json"
    assert tournament.main(["--resume", str(out), "--no-report", "--json", str(content)]) == 0
    assert line in capsys.readouterr().out
    told = json.loads(content.read_text())["sprt"]
    assert (told["verdict"], told["pairs"], told["counts"]) == ("H1", verdict.end, verdict.counts)
    assert told["llr"] >= told["bounds"][1]
    assert told["text"] == line
    page = tmp_path / "page.html"
    assert tournament.main(["--resume", str(out), "--report", str(page)]) == 0
    assert line in page.read_text(encoding="utf-8")
    capsys.readouterr()
    assert tournament.main(options) == 2  # with the usual settings it is another event
    assert "holds another event" in capsys.readouterr().err


@pytest.mark.parametrize("place", [0, 2])
def test_the_settings_of_an_sprt_need_one_and_are_not_changed(place, tmp_path, capsys):
    given = SPRT_OPTIONS[place : place + 2]
    assert tournament.main(["--agents", "random", "greedy", *given, "--out", str(tmp_path / "event.db")]) == 2
    assert f"{given[0]} is of a sequential test: give --sprt" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tournament.main(["--resume", str(tmp_path / "event.db"), *given])
    assert f"leave {given[0]} out" in capsys.readouterr().err
