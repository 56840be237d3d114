"""Tournaments: the same games whoever plays them and however often they stop, and nothing lost whatever dies."""

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest

import mancala_env as mancala
from agents.executors import LocalExecutor, WorkerDied
from agents.tablebase import Tablebase, build, files
from agents.tournament import export, schedule
from agents.tournament.run import check_players, run_event
from agents.tournament.store import Store
from mancala_env.kernels.jit import DISABLE_JIT
from tests.players import Deadly, Habit, Slow
from tests.tournaments import RANDOM_BOT, event_of, games_of, play, untimed


def test_both_games_of_a_pair_begin_alike_with_the_seats_swapped(tmp_path):
    event = event_of("a=random", "b=greedy", "c=random", rules=("oware", "kalah"), pairs=4)
    records = play(event, tmp_path / "event.db")
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert (one.pair, other.pair) == (one.number, one.number)
        assert (one.south, one.north) == (other.north, other.south)
        assert (one.opening, one.seeds, one.rules) == (other.opening, other.seeds, other.rules)
    openings = {}
    for record in records:
        openings.setdefault((record.rules, frozenset((record.south, record.north))), []).append(record.opening)
    for rules in event.rules:
        lists = [tuple(found) for (under, _), found in openings.items() if under == rules]
        assert len(lists) == 3
        assert len(set(lists)) == 1


@pytest.mark.integration
def test_a_swiss_event_is_the_same_when_it_is_resumed_between_and_within_rounds(tmp_path):
    texts = ("a=random", "b=greedy", "c=random", "d=minimax:depth=1", "e=greedy")
    event = event_of(*texts, form="swiss", rounds=4, pairs=2, rules=("oware", "kalah"), max_plies=60)
    whole = play(event, tmp_path / "whole.db")
    assert len(whole) == schedule.games_in(event) == 4 * 2 * 2 * 2 * 2
    for limit in (5, 16, 37):
        asked = itertools.count()
        path = tmp_path / f"{limit}.db"
        part = run_event(event, path, executor=LocalExecutor(0), stop=lambda: next(asked) >= limit)  # noqa: B023
        assert 0 < part.games < len(whole)
        assert untimed(play(event, path)) == untimed(whole)


MIXED = ("random", "greedy", "minimax:depth=2", RANDOM_BOT)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """An event with all kinds of players under two rulesets, and its games as one process plays them."""
    event = event_of(*MIXED, rules=("oware", "kalah"), pairs=2, seed=3)
    return event, play(event, tmp_path_factory.mktemp("mixed") / "event.db")


@pytest.mark.integration
def test_a_run_that_was_stopped_again_and_again_ends_with_the_same_games(mixed, tmp_path):
    """In one process and in two by turns."""
    event, records = mixed
    path, executors = tmp_path / "event.db", itertools.cycle([LocalExecutor(0), LocalExecutor(2)])
    played = [0]
    for _ in range(3):
        seen = []
        before = played[-1]
        run_event(
            event,
            path,
            executor=next(executors),
            watch=lambda progress: seen.append(progress.games),  # noqa: B023
            stop=lambda: seen[-1] >= before + 9,  # noqa: B023
        )
        played.append(len(games_of(path)))
        assert played[-1] > before
    assert played[-1] < len(records)
    assert untimed(play(event, path)) == untimed(records)


@pytest.mark.integration
def test_games_can_be_replayed_and_do_not_depend_on_who_else_plays(mixed, tmp_path):
    event, records = mixed
    assert [record.number for record in records] == list(range(6 * 2 * 2 * 2))
    for record in records:
        assert record.fault is None
        export.check(record, event.rulesets[record.rules])
    first_two = replace(event, players=event.players[:2])
    between = [record for record in records if {record.south, record.north} == {"random", "greedy"}]
    alone = play(first_two, tmp_path / "event.db")
    assert [(r.opening, r.seeds, r.actions) for r in alone] == [(r.opening, r.seeds, r.actions) for r in between]


def test_an_agent_that_cannot_be_sent_is_named_and_one_object_is_not_two_players(tmp_path):
    agent = Slow(0.0)
    agent.stuck = threading.Lock()
    with pytest.raises(ValueError, match=r"this cannot be sent to another process .*processes=0"):
        run_event(event_of("mine=x", "greedy"), tmp_path / "e.db", executor=LocalExecutor(1), agents={"mine": agent})
    with pytest.raises(ValueError, match="b is the same object as another player"):
        run_event(event_of("a=x", "b=y"), tmp_path / "event.db", agents={"a": agent, "b": agent})


@pytest.mark.parametrize(
    ("error", "detail"),
    [(RuntimeError("two\nlines \ud800"), "RuntimeError: two lines ?"), (SystemExit(3), "SystemExit: 3")],
)
def test_an_agent_that_raises_or_exits_loses_and_the_event_goes_on(error, detail, tmp_path):
    class Raises(Slow):
        def act(self, state):
            raise error

    event = event_of("broken=x", "greedy", pairs=2)
    records = play(event, tmp_path / "event.db", agents={"broken": Raises(0.0)})
    assert {(record.reason, record.detail) for record in records} == {("crash", detail)}
    assert all((record.south, record.north)[record.fault] == "broken" for record in records)
    assert all(record.winner == 1 - record.fault for record in records)


@pytest.mark.integration
def test_a_worker_that_is_killed_costs_nothing(tmp_path):
    """And an agent may be an object also in another process."""
    event = event_of("deadly=x", "greedy", pairs=3)
    file = tmp_path / "died"
    records = play(event, tmp_path / "event.db", LocalExecutor(1), agents={"deadly": Deadly(file, once=True)})
    assert file.exists()
    assert untimed(records) == untimed(play(event, tmp_path / "other.db", agents={"deadly": Deadly(file, once=True)}))


@pytest.mark.integration
def test_workers_that_always_die_end_the_event_and_keep_what_was_played(tmp_path):
    event = event_of("random", "greedy", "deadly=x", pairs=60)  # the first pairing is played before the others
    path = tmp_path / "event.db"
    deadly = {"deadly": Deadly(tmp_path / "never", once=False)}
    with pytest.raises(WorkerDied, match=r"3 processes were lost at the same work, number \d+ .*SIGKILL.*--resume"):
        run_event(event, path, executor=LocalExecutor(1), agents=deadly)
    stored_before = games_of(path)
    assert {frozenset((record.south, record.north)) for record in stored_before} == {frozenset(("random", "greedy"))}
    (tmp_path / "never").touch()
    records = play(event, path, agents=deadly)
    assert records[: len(stored_before)] == stored_before
    assert len(records) == schedule.games_in(event)


def test_what_no_process_can_play_is_said_once_in_words(tmp_path, capfd):
    event = event_of(pairs=1, tables=str(tmp_path / "nowhere"))
    for executor in (LocalExecutor(0), LocalExecutor(2)):
        with pytest.raises((ValueError, OSError), match="nowhere"):
            run_event(event, tmp_path / "event.db", executor=executor)
    assert "Traceback" not in capfd.readouterr().err


def test_tables_end_games_with_the_right_result(tmp_path):
    rules, folder = mancala.ruleset("awari"), tmp_path / "tables"
    build(rules, 4 if DISABLE_JIT else 7, folder)
    event, tables = event_of(rules=("awari",), pairs=4, tables=str(folder)), Tablebase(folder, rules)
    records = play(event, tmp_path / "event.db")
    ended = [record for record in records if record.reason == "tablebase"]
    assert {record.winner for record in ended} >= {0, 1}
    for record in ended:
        *before, last = record.states(rules)
        lead = last.stores[last.player] - last.stores[1 - last.player] + tables.value(last)
        assert record.winner == (None if lead == 0 else last.player if lead > 0 else 1 - last.player)
        assert before[-1] not in tables or len(before) == 1


def test_tables_are_looked_for_before_the_games_and_loaded_where_one_is_played(tmp_path, monkeypatch):
    build(mancala.ruleset("awari"), 3, tmp_path)
    event = event_of(rules=("awari",), tables=str(tmp_path))
    monkeypatch.setattr(files, "read_table", None)  # nothing reads entries
    assert set(check_players(event, {})) == {"random", "greedy"}
    with pytest.raises(ValueError, match=r"has no endgame tables of these rules .*mancala solve tables build kalah"):
        check_players(replace(event, rules=("awari", "kalah")), {})


class Broken(Slow):
    """Answers for many games at once, but wrongly or not at all; alone it plays."""

    batched = True

    def __init__(self, wrong):
        super().__init__(0.0)
        self.wrong = wrong

    def act_positions(self, rules, games, rows, masks, history, streams):
        if self.wrong:
            return np.full(len(games), 5)
        raise RuntimeError("out of \x1b[31m\nmemory")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("wrong", "executor"), [(False, LocalExecutor(0)), (True, LocalExecutor(0)), (False, LocalExecutor(1))]
)
def test_a_player_that_fails_to_answer_for_many_games_is_asked_one_by_one_and_that_is_said(
    wrong, executor, tmp_path, capfd
):
    event, path = event_of("a=random", "b=broken", "c=greedy", pairs=20), tmp_path / "event.db"
    done = run_event(event, path, executor=executor, agents={"b": Broken(wrong)})
    assert done.games == 3 * 40
    for record in games_of(path):
        assert record.fault is None
        assert (record.times == (None, None)) == ("b" not in (record.south, record.north))
    said = capfd.readouterr().err
    for pairing in ("a against b (oware)", "b against c (oware)"):
        assert said.count(f"note: {pairing} is played game by game, more slowly") == 1
    assert wrong or "as many at once failed: RuntimeError: out of ?[31m memory\n" in said


def test_faults_of_a_swiss_tournament_are_played_again_by_those_who_were_paired(tmp_path):
    names = [f"p{k}" for k in range(5)]
    event = event_of(*(f"{name}=x" for name in names), form="swiss", rounds=4, pairs=2, rules=("kalah", "oware"))
    habits = {name: Habit(k) for k, name in enumerate(names)}
    path = tmp_path / "event.db"

    def paired():
        with Store(path) as store:
            return list(store._base.execute("SELECT * FROM pairings ORDER BY first"))

    play(event, path, agents={**habits, "p0": Habit(0, broken=True), "p1": Habit(1, broken=True)})
    before = paired()
    asked = itertools.count()
    again = {"agents": habits, "executor": LocalExecutor(0)}
    run_event(event, path, again=True, stop=lambda: next(asked) >= 2, **again)  # stopped in the first round
    assert paired() == before
    run_event(event, path, **again)
    assert paired() == before
    records = games_of(path)
    assert len(records) == schedule.games_in(event)
    assert not any(record.fault for record in records)
    for record in records:
        for state, action in zip(record.states(event.rulesets[record.rules]), record.actions, strict=False):
            assert action == habits[(record.south, record.north)[state.player]].act(state)


def test_rounds_that_were_not_drawn_yet_are_drawn_from_the_games_that_were_mended(tmp_path):
    event = event_of("a=x", "b=x", "c=x", "d=x", form="swiss", rounds=2, pairs=1, rules=("kalah",))
    habits = {name: Habit(k) for k, name in enumerate("abcd")}
    path, asked = tmp_path / "event.db", itertools.count()
    broken = {**habits, "a": Habit(0, broken=True)}
    run_event(event, path, executor=LocalExecutor(0), agents=broken, stop=lambda: next(asked) >= 3)
    assert [record.fault is None for record in games_of(path)].count(False) > 0
    assert untimed(play(event, path, agents=habits, again=True)) == untimed(
        play(event, tmp_path / "whole.db", agents=habits)
    )
