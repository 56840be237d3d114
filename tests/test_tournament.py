"""Tournaments: the same games whoever plays them, nothing lost whatever dies, and nobody harmed by a bad player."""

import contextlib
import csv
import hashlib
import io
import itertools
import json
import os
import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_env as mancala
from agents import MinimaxAgent, RandomAgent, make_agent
from agents.bots.process import BotFault
from agents.evaluation.sprt import Sprt
from agents.policy.card import FILE_NAME
from agents.policy.network import PolicyNetwork
from agents.tablebase import build
from agents.tournament import __main__ as tournament
from agents.tournament import export, schedule
from agents.tournament import export as export_command
from agents.tournament import tables as arena_text
from agents.tournament.event import Event, Player, read_openings
from agents.tournament.executors import LocalExecutor, SerialExecutor, WorkerDied
from agents.tournament.game import play_game
from agents.tournament.participants import AgentParticipant, Clock
from agents.tournament.run import SprtWatch, counted, make_executor, run_event
from agents.tournament.store import Store, StoreError, stored
from mancala_env.games import ruleset
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.state import State
from tests.event_files import as_before, edited, sealed
from tests.games import CORE
from tests.players import Deadly, Looking, Slow
from tests.processes import PATIENCE, PLAY, bound_by_permissions, children, is_running, wait_until, write_bot

if os.name != "posix":
    pytest.skip("tournaments run on Linux and macOS", allow_module_level=True)

ROOT = Path(__file__).parent.parent
RANDOM_BOT = f"bot=cmd:{sys.executable} -S {ROOT / 'agents' / 'bots' / 'random_bot.py'}"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def players(*texts):
    return tuple(map(Player.parse, texts))


def event_of(*texts, **changes):
    return Event(players=players(*(texts or ("random", "greedy"))), **changes)


@pytest.fixture
def bot(tmp_path):
    """A function that writes a bot and returns it as a player."""

    def make(name, start="", rules='say("rulesok")', go=PLAY):
        file = write_bot(tmp_path / f"{name}.py", start, rules, go)
        return f"{name}=cmd:{sys.executable} -S {file}"

    return make


def untimed(records):
    """Games without what differs from run to run."""
    return [replace(record, times=(None, None), thoughts=()) for record in records]


def games_of(path):
    with Store(path) as store:
        return list(store.records())


def play(event, path, executor=None, **options):
    """All games of the event, in this process if nothing else is asked for."""
    run_event(event, path, executor=executor or SerialExecutor(), **options)
    return games_of(path)


def bots_under(folder):
    """The ids of running bots whose command names a file in a folder."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{entry.name}/cmdline").read_bytes()
                if os.fsencode(folder) in command and b"agents.tournament" not in command:
                    found.append(int(entry.name))
    return [pid for pid in found if is_running(pid)]


# Events

GOOD = {"players": players("random", "greedy"), "rules": ("oware",)}
BAD = [
    ({"players": players("random")}, "needs two players or more, not 1"),
    ({"players": players("random", "random")}, "two players are called 'random'"),
    ({"rules": ()}, "rules must be different rulesets"),
    ({"rules": ("oware", "oware")}, "rules must be different rulesets"),
    ({"rules": ("chess",)}, "chess"),
    ({"rules": ("kalah:seed=3",)}, "seed"),
    ({"rules": ("kalah:seeds",)}, "cannot read 'seeds'"),
    ({"rules": ("kalah:seeds=3,seeds=4",)}, "gives seeds twice"),
    ({"form": "ladder"}, "form must be one of round_robin, gauntlet, swiss, knockout"),
    ({"pairs": 0}, "pairs must be a whole number from 1, not 0"),
    ({"pairs": 2.0}, "pairs must be a whole number from 1, not 2.0"),
    ({"pairs": True}, "pairs must be a whole number from 1, not True"),
    ({"pairs": 5_000_001}, "10,000,002 games are more than the 10,000,000"),
    ({"rounds": 0}, "rounds must be a whole number from 1, not 0"),
    ({"seed": -1}, "seed must be a whole number from 0, not -1"),
    ({"opening_plies": -1}, "opening_plies must be a whole number from 0"),
    ({"memory": 1}, "memory must be a whole number from 16, not 1"),
    ({"move_time": 0.0}, "move_time must be a number of seconds above 0, not 0.0"),
    ({"move_time": float("inf")}, "move_time must be a number of seconds above 0, not inf"),
    ({"cpu": float("nan")}, "cpu must be a number of seconds above 0, not nan"),
    ({"cpu": None}, "cpu must be a number of seconds above 0, not None"),
    ({"start_time": -1}, "start_time must be a number of seconds above 0, not -1"),
    ({"move_time": 1.0, "bank": -1.0}, "bank must be a number of seconds from 0"),
    ({"move_time": 1.0, "bank": float("inf")}, "bank must be a number of seconds from 0"),
    ({"bank": 1.0}, "give move_time as well"),
    ({"clock": 0.0}, "clock must be a number of seconds above 0"),
    ({"clock": 1.0, "increment": -1.0}, "increment must be a number of seconds from 0"),
    ({"increment": 1.0}, "give clock as well"),
    ({"clock": 1.0, "move_time": 1.0}, "give only one"),
    ({"clock": 900.0}, "600 s of processor time in a game, less than a clock of 900 s gives it"),
    ({"max_plies": 0}, "max_plies must be a whole number from 1, not 0"),
    ({"max_plies": True}, "max_plies must be a whole number from 1, not True"),
    ({"rating_origin": "nobody"}, "rating_origin 'nobody' does not play; players are random, greedy"),
    ({"balanced": -1.0}, "balanced must be a number of seeds from 0, not -1.0"),
    ({"balanced": float("nan")}, "balanced must be a number of seeds from 0, not nan"),
    ({"balanced": 1.0, "balance_depth": 0}, "balance_depth must be a whole number from 1 to 64, not 0"),
    ({"balanced": 1.0, "opening_plies": 0}, "balanced is for random openings"),
    ({"openings": (str(mancala.ruleset("oware").start()),), "balanced": 1.0}, "balanced is for random openings"),
    ({"openings": ("oware 1-2-3-S",)}, "the opening 'oware 1-2-3-S' is no running position of oware"),
    ({"openings": ("kalah 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S over=side_empty",), "rules": ("kalah",)}, "no running"),
    (
        {"openings": (str(mancala.ruleset("oware").start()),), "rules": ("oware", "kalah")},
        "none of the openings is one of kalah",
    ),
    ({"sprt": Sprt(0, 10), "form": "swiss"}, "an SPRT compares two players under one ruleset"),
    ({"sprt": Sprt(0, 10), "rules": ("oware", "kalah")}, "an SPRT compares two players under one ruleset"),
    ({"sprt": Sprt(0, 10), "players": players("random", "greedy", "minimax:depth=1")}, "an SPRT compares two players"),
]


@pytest.mark.parametrize(("changes", "said"), BAD)
def test_a_setting_that_makes_no_sense_is_refused(changes, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is looked at below
        Event(**{**GOOD, **changes})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


EVERYTHING = Event(
    players=players("a=random", "b=greedy"),
    rules=("kalah:seeds=3",),
    form="gauntlet",
    pairs=7,
    rounds=2,
    seed=9,
    opening_plies=5,
    balanced=2.0,
    balance_depth=3,
    move_time=0.5,
    bank=2.0,
    memory=512,
    cpu=20.0,
    start_time=30.0,
    max_plies=80,
    tables="tables",
    sprt=Sprt(0.0, 50.0),
    rating_origin="a",
)
OPENED = event_of(openings=(str(mancala.ruleset("oware").start()),))


@pytest.mark.parametrize("event", [EVERYTHING, OPENED, event_of(rules=("oware", "kalah"), form="swiss")])
def test_an_event_is_read_as_it_was_written(event):
    again = Event.from_dict(json.loads(json.dumps(event.as_dict())))
    assert again == event
    assert again.digest == event.digest


def test_an_event_of_the_last_release_is_the_same_event():
    event = event_of(rules=("kalah",), pairs=3, rating_origin="random")
    written = {name: value for name, value in event.as_dict().items() if name != "rating_origin"}
    assert Event.from_dict({**written, "anchor": "random"}) == event
    assert event.digest == "51bd26b891692d5a06c068a704a776629e35f96e729dcc012cca0f33483fa3ce"


def test_lists_make_the_same_event_as_tuples():
    listed = Event(players=list(players("random", "greedy")), rules=["kalah"], openings=[])
    assert listed == event_of(rules=("kalah",))


def test_rounds_tell_swiss_tournaments_apart_and_no_others():
    agents = players("a=random", "b=greedy")
    assert Event(agents, rounds=3) == Event(agents, rounds=2)
    assert Event(agents, form="swiss", rounds=3).digest != Event(agents, form="swiss", rounds=2).digest


@pytest.mark.parametrize(
    "content",
    [{}, {"players": 1}, {**OPENED.as_dict(), "more": 1}, {**OPENED.as_dict(), "players": [{"called": "a"}]}],
)
def test_what_is_no_event_is_not_read(content):
    with pytest.raises(ValueError, match="this is no description of a tournament"):
        Event.from_dict(content)


@pytest.mark.parametrize(
    "changes",
    [
        {"players": players("a=random", "b=random")}, {"players": players("b=greedy", "a=random")},
        {"rules": ("kalah",)}, {"form": "round_robin"}, {"pairs": 8}, {"seed": 10}, {"opening_plies": 6},
        {"balanced": 3.0}, {"balanced": None}, {"balance_depth": 4}, {"move_time": 0.6}, {"bank": 0.0}, {"memory": 256},
        {"cpu": 30.0}, {"start_time": 40.0}, {"max_plies": None}, {"tables": None}, {"sprt": None},
        {"sprt": Sprt(0.0, 50.0, alpha=0.1)}, {"rating_origin": None},
        {"openings": (str(ruleset("kalah:seeds=3").start()),), "balanced": None},
    ],
)  # fmt: skip
def test_the_digest_changes_with_every_setting(changes):
    assert replace(EVERYTHING, **changes).digest != EVERYTHING.digest


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("minimax:depth=4", "minimax:depth=4", "minimax:depth=4"),
        ("champion=minimax:depth=4", "champion", "minimax:depth=4"),
        ("mine = ./mybot", "mine", "./mybot"),
        ("./a=b", "./a=b", "./a=b"),
        ("cmd:python3 x=1", "cmd:python3 x=1", "cmd:python3 x=1"),
        ("x=cmd:a b=c", "x", "cmd:a b=c"),
        ("[b]=random", "[b]", "random"),
    ],
)
def test_players_may_be_given_names(text, name, spec):
    assert Player.parse(text) == Player(name, spec)


@pytest.mark.parametrize("text", ["", " ", "a= ", " =random", "a\nb=random", "\x1b[1m=random"])
def test_a_player_without_a_name_that_can_be_printed_is_refused(text):
    with pytest.raises(ValueError, match=r"names no player|cannot be printed"):
        Player.parse(text)


def test_rules_may_be_changed():
    assert ruleset("kalah:empty_capture=true,seeds=3") == mancala.ruleset("kalah", empty_capture=True, seeds=3)


def test_openings_are_read_without_comments():
    assert read_openings(["# mine", "", "  oware 1-S ", "  # more"]) == ("oware 1-S",)


# The schedule


def all_pairings(event, points_after=lambda number: ({}, {})):
    return [list(stage.pairings) for stage in schedule.stages(event, points_after)]


@pytest.mark.parametrize("form", ["round_robin", "gauntlet"])
def test_every_pairing_is_met_under_every_ruleset_with_dense_numbers(form):
    event = event_of("a=random", "b=random", "c=random", "d=random", rules=("oware", "kalah"), form=form, pairs=3)
    (pairings,) = all_pairings(event)
    wanted = [(0, 1), (0, 2), (0, 3)] if form == "gauntlet" else list(itertools.combinations(range(4), 2))
    assert sorted((each.rules, each.players) for each in pairings) == sorted(itertools.product(event.rules, wanted))
    numbers = [each.first + k for each in pairings for k in range(2 * event.pairs)]
    assert sorted(numbers) == list(range(schedule.games_in(event)))


@given(st.integers(1, 9), st.sets(st.integers(0, 53)), st.integers(1, 10))
def test_units_are_all_games_that_are_missing_and_each_once(pairs, done, size):
    event = event_of("a=random", "b=random", "c=random", pairs=pairs)
    (stage,) = schedule.stages(event, lambda number: ({}, {}))
    made = list(schedule.units(event, stage, done, [size, 1, size + 1]))
    numbers = [number for unit in made for number in unit.numbers]
    assert sorted(numbers) == sorted(set(range(schedule.games_in(event))) - done)
    for unit in made:
        assert len({unit.pairing.first}) == 1
        assert all(0 <= number - unit.pairing.first < 2 * pairs for number in unit.numbers)


def test_seeds_and_openings_are_a_function_of_the_event():
    event = event_of("a=random", "b=random", "c=random", rules=("oware", "kalah"), pairs=6, seed=5)
    (pairings,), (again,) = all_pairings(event), all_pairings(event)
    assert pairings == again
    drawn = [schedule.seeds(event, pairing) for pairing in pairings]
    assert drawn == [schedule.seeds(event, pairing) for pairing in again]
    every = [pair for seeds in drawn for pair in seeds]
    assert len(set(every)) == len(every)
    for rules in event.rules:
        assert schedule.starts(event, rules) == schedule.starts(event, rules)
        assert len(set(map(str, schedule.starts(event, rules)))) == event.pairs
    assert schedule.starts(event, "oware") != schedule.starts(replace(event, seed=6), "oware")
    assert schedule.seeds(replace(event, seed=6), pairings[0]) != drawn[0]


def test_more_pairs_leave_the_games_of_fewer_as_they_are():
    few, many = event_of(pairs=3), event_of(pairs=8)
    ((one,),), ((other,),) = all_pairings(few), all_pairings(many)
    assert schedule.seeds(many, other)[:3] == schedule.seeds(few, one)
    assert schedule.starts(many, "oware")[:3] == schedule.starts(few, "oware")


def test_openings_that_are_given_are_taken_in_turn_by_the_rules_that_they_fit():
    small = ruleset("kalah:pits_per_row=4")
    texts = (str(mancala.ruleset("kalah").start()), str(small.start()), str(small.start().play(0)))
    event = event_of(rules=("kalah", "kalah:pits_per_row=4"), openings=texts, pairs=3)
    assert [str(state) for state in schedule.starts(event, "kalah")] == [texts[0]] * 3
    assert [str(state) for state in schedule.starts(event, "kalah:pits_per_row=4")] == [texts[1], texts[2], texts[1]]


def test_openings_with_moves_keep_their_history_in_games_and_records(tmp_path):
    oware = mancala.ruleset("oware")
    line = f"{oware.position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], (22, 23))} moves F f A a B b C c D e"
    plain = str(mancala.State.parse(oware, line))
    lengths = {}
    for opening in (line, plain):
        path = tmp_path / f"{len(opening)}.db"
        games = play(event_of("random", "other=random", openings=(opening,), pairs=20), path)
        assert {game.opening for game in games} == {opening}
        again = export.read_games("".join(export.write_games(games)))
        assert again == games
        lengths[opening] = sorted(len(game.actions) for game in games if game.reason == "repetition")
    assert lengths[line][0] < lengths[plain][0]  # what the moves of the opening have seen is not forgotten


def test_balanced_openings_are_balanced():
    from agents import move_values

    event = event_of(rules=("kalah",), balanced=1.0, balance_depth=3, pairs=4)
    for text in schedule.starts(event, "kalah"):
        state = State.parse(event.rulesets["kalah"], text)
        assert abs(max(move_values(state, 3).values())) <= 1.0


def test_both_games_of_a_pair_begin_alike_with_the_seats_swapped(tmp_path):
    event = event_of("a=random", "b=greedy", "c=random", rules=("oware", "kalah"), pairs=4)
    records = play(event, tmp_path / "event.db")
    for one, other in (
        itertools.batched(records, 2) if sys.version_info >= (3, 12) else zip(records[::2], records[1::2], strict=True)
    ):
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


# Swiss tournaments


def repeats(draft, met):
    return sum(frozenset(pair) in met for pair in draft)


def fewest_repeats(order, met):
    """Of all ways to pair everybody up, by trying them all."""
    if not order:
        return 0
    first, *rest = order
    return min(
        (frozenset((first, other)) in met) + fewest_repeats([player for player in rest if player != other], met)
        for other in rest
    )


@st.composite
def met_before(draw):
    count = 2 * draw(st.integers(1, 4))
    pairs = [frozenset(pair) for pair in itertools.combinations(range(count), 2)]
    return tuple(draw(st.permutations(range(count)))), frozenset(draw(st.sets(st.sampled_from(pairs))))


@given(met_before())
@settings(deadline=None)
def test_everybody_is_paired_once_with_the_fewest_repeats(case):
    order, met = case
    draft = schedule._pair_up(order, dict.fromkeys(met, 1))
    assert sorted(player for pair in draft for player in pair) == sorted(order)
    assert repeats(draft, met) == fewest_repeats(list(order), met)
    if not met:
        assert draft == [(order[k], order[k + 1]) for k in range(0, len(order), 2)]


def swiss_rounds(event, seed):
    """Pairings of a Swiss tournament with results drawn by lot, and who rests in each round."""
    draw = random.Random(seed)
    points, met, played = Counter(), Counter(), []
    for number in range(event.rounds):
        draft = schedule.swiss(event, number, {p: points[p] for p in points}, dict(met))
        played.append(draft)
        for pair in draft:
            met[frozenset(pair)] += 2 * event.pairs
            points[draw.choice(pair)] += 1
    return played


@given(st.integers(2, 9), st.integers(1, 14), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_a_swiss_tournament_is_fair(count, rounds, seed):
    event = event_of(*(f"p{k}=random" for k in range(count)), form="swiss", rounds=rounds, pairs=1, seed=seed)
    played = swiss_rounds(event, seed)
    assert played == swiss_rounds(event, seed)
    met, rested = set(), Counter()
    for draft in played:
        present = [player for pair in draft for player in pair]
        assert len(set(present)) == len(present) == count - count % 2
        absent = set(range(count)) - set(present)
        least = min(rested[player] for player in range(count))
        assert all(rested[player] == least for player in absent)  # nobody rests again before all others have
        rested.update(absent)
        mayrest = [player for player in range(count) if rested[player] - (player in absent) == least]
        without = [[player for player in range(count) if player != out] for out in mayrest]
        possible = without if count % 2 else [list(range(count))]
        assert repeats(draft, met) == min(fewest_repeats(present, met) for present in possible)
        met |= {frozenset(pair) for pair in draft}


def test_players_with_like_points_meet():
    event = event_of("a=random", "b=random", "c=random", "d=random", form="swiss", pairs=1)
    assert sorted(map(sorted, schedule.swiss(event, 1, {0: 1.0, 2: 1.0, 1: 0.0, 3: 0.0}, {}))) == [[0, 2], [1, 3]]


def test_a_swiss_event_is_the_same_when_it_is_resumed_between_and_within_rounds(tmp_path):
    texts = ("a=random", "b=greedy", "c=random", "d=minimax:depth=1", "e=greedy")
    event = event_of(*texts, form="swiss", rounds=4, pairs=2, rules=("oware", "kalah"), max_plies=60)
    whole = play(event, tmp_path / "whole.db")
    assert len(whole) == schedule.games_in(event) == 4 * 2 * 2 * 2 * 2
    for limit in (5, 16, 37):
        asked = itertools.count()
        path = tmp_path / f"{limit}.db"
        part = run_event(event, path, executor=SerialExecutor(), stop=lambda: next(asked) >= limit)  # noqa: B023
        assert 0 < part.games < len(whole)
        assert untimed(play(event, path)) == untimed(whole)


# Whoever does the work, the games are the same


MIXED = ("random", "greedy", "minimax:depth=2", RANDOM_BOT)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """An event with all kinds of players under two rulesets, and its games as one process plays them."""
    event = event_of(*MIXED, rules=("oware", "kalah"), pairs=2, seed=3)
    return event, play(event, tmp_path_factory.mktemp("mixed") / "event.db")


def test_all_games_of_an_event_are_played_and_can_be_replayed(mixed):
    event, records = mixed
    assert [record.number for record in records] == list(range(6 * 2 * 2 * 2))
    for record in records:
        assert record.fault is None
        export.check(record, event.rulesets[record.rules])


def test_two_processes_play_the_same_games_as_one(mixed, tmp_path):
    event, records = mixed
    assert untimed(play(event, tmp_path / "event.db", LocalExecutor(2))) == untimed(records)


def test_a_run_that_was_stopped_again_and_again_ends_with_the_same_games(mixed, tmp_path):
    event, records = mixed
    path, executors = tmp_path / "event.db", itertools.cycle([SerialExecutor(), LocalExecutor(2)])
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


def test_games_do_not_depend_on_who_else_plays(mixed, tmp_path):
    event, records = mixed
    first_two = replace(event, players=event.players[:2])
    between = [record for record in records if {record.south, record.north} == {"random", "greedy"}]
    alone = play(first_two, tmp_path / "event.db")
    assert [(r.opening, r.seeds, r.actions) for r in alone] == [(r.opening, r.seeds, r.actions) for r in between]


def test_agents_may_be_given_as_objects_also_to_processes(tmp_path):
    event = event_of("mine=an object", "greedy", pairs=2)
    here = play(event, tmp_path / "here.db", agents={"mine": Slow(0.0)})
    assert untimed(play(event, tmp_path / "there.db", LocalExecutor(2), agents={"mine": Slow(0.0)})) == untimed(here)


def test_an_agent_that_cannot_be_sent_is_named(tmp_path):
    agent = Slow(0.0)
    agent.stuck = lambda: None
    with pytest.raises(ValueError, match=r"these players cannot be sent to another process .*processes=0"):
        run_event(event_of("mine=x", "greedy"), tmp_path / "e.db", executor=LocalExecutor(1), agents={"mine": agent})


def test_an_agent_that_raises_loses_and_the_event_goes_on(tmp_path):
    class Broken(Slow):
        def act(self, state):
            raise RuntimeError("two\nlines")

    event = event_of("broken=x", "greedy", pairs=2)
    records = play(event, tmp_path / "event.db", agents={"broken": Broken(0.0)})
    assert {(record.reason, record.detail) for record in records} == {("crash", "RuntimeError: two lines")}
    assert all((record.south, record.north)[record.fault] == "broken" for record in records)
    assert all(record.winner == 1 - record.fault for record in records)


def test_an_agent_that_exits_loses_and_the_event_goes_on(tmp_path):
    class Leaving(Slow):
        def act(self, state):
            sys.exit(3)

    event = event_of("leaving=x", "greedy", pairs=1)
    records = play(event, tmp_path / "event.db", agents={"leaving": Leaving(0.0)})
    assert {(record.reason, record.detail) for record in records} == {("crash", "SystemExit: 3")}


def test_a_worker_that_is_killed_costs_nothing(tmp_path):
    event = event_of("deadly=x", "greedy", pairs=3)
    file = tmp_path / "died"
    records = play(event, tmp_path / "event.db", LocalExecutor(2), agents={"deadly": Deadly(file, once=True)})
    assert file.exists()
    assert untimed(records) == untimed(play(event, tmp_path / "other.db", agents={"deadly": Deadly(file, once=True)}))


def test_workers_that_always_die_end_the_event_and_keep_what_was_played(tmp_path):
    event = event_of("random", "greedy", "deadly=x", pairs=60)  # the first pairing is played before the others
    path = tmp_path / "event.db"
    deadly = {"deadly": Deadly(tmp_path / "never", once=False)}
    with pytest.raises(WorkerDied, match=r"3 worker processes died \(exit code -9\) at games \d+ to \d+; .*--resume"):
        run_event(event, path, executor=LocalExecutor(2), agents=deadly)
    stored_before = games_of(path)
    assert {frozenset((record.south, record.north)) for record in stored_before} == {frozenset(("random", "greedy"))}
    (tmp_path / "never").touch()
    records = play(event, path, agents=deadly)
    assert records[: len(stored_before)] == stored_before
    assert len(records) == schedule.games_in(event)


def test_what_no_process_can_play_is_said_once_in_words(tmp_path, capfd):
    event = event_of(pairs=1, tables=str(tmp_path / "nowhere"))
    for executor in (SerialExecutor(), LocalExecutor(2)):
        with pytest.raises((ValueError, OSError), match="nowhere"):
            run_event(event, tmp_path / "event.db", executor=executor)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("processes", [-1, 1.5, True])
def test_a_number_of_processes_that_is_none_is_refused(processes):
    with pytest.raises(ValueError, match="processes must be a whole number from 1"):
        make_executor(processes)


# The clock, and results before the end


class Seat:
    """Answers that claim to have taken these numbers of seconds, one after the other."""

    told = (None, None)

    def __init__(self, seconds=(), answers=None):
        self.seconds, self.answers, self.clocks = iter(seconds), answers, []

    def new_game(self, rules, seed, lead):
        pass

    def move(self, opening, actions, state, clock):
        self.clocks.append(clock)
        answer = state.legal_actions[0] if self.answers is None else self.answers(state)
        return answer, next(self.seconds, 0.0)

    def close(self):
        pass


def one_game(south, north, game="kalah", opening=None, **changes):
    event = event_of(rules=(game,), **changes)
    rules = event.rulesets[game]
    return play_game(
        event,
        (south, north),
        number=0,
        pair=0,
        rules=game,
        names=("random", "greedy"),
        opening=opening or rules.start(),
        seeds=(1, 2),
    )


def test_without_a_clock_nobody_is_late():
    south = Seat([1e6] * 100)
    record = one_game(south, Seat())
    assert record.fault is None
    assert set(south.clocks) == {Clock(None, 0.0)}
    assert record.times[0] == 1e6 * len(south.clocks)


def test_exactly_in_time_is_in_time():
    record = one_game(Seat([0.5] * 100), Seat([0.25] * 100), move_time=0.5)
    assert record.fault is None
    assert record.reason == "side_empty"


@pytest.mark.parametrize("seat", [0, 1])
def test_late_by_a_hair_is_late(seat):
    seats = [Seat(), Seat()]
    seats[seat] = Seat([0.5, 0.5, 0.5 + 1e-9])
    record = one_game(*seats, move_time=0.5)
    assert (record.reason, record.fault, record.winner) == ("time", seat, 1 - seat)
    assert record.scores is None
    assert record.detail.startswith("took 0.500 s for move")
    assert len(seats[seat].clocks) == 3


def test_the_bank_is_used_up_over_several_moves_and_what_is_saved_is_not_kept():
    south = Seat([1.25, 0.0, 1.5, 1.0, 1.25, 1.25])
    record = one_game(south, Seat(), move_time=1.0, bank=1.0)
    assert [clock.bank for clock in south.clocks] == [1.0, 0.75, 0.75, 0.25, 0.25, 0.0]
    assert {clock.move_time for clock in south.clocks} == {1.0}
    assert (record.reason, record.fault) == ("time", 0)
    assert record.detail.endswith("0.250 s more than it had")


def test_each_player_has_a_bank_of_its_own_and_a_full_one_in_every_game():
    for _ in range(2):
        south, north = Seat([1.5] * 2), Seat([1.25] * 3)
        record = one_game(south, north, move_time=1.0, bank=1.0)
        assert record.fault is None
        assert [clock.bank for clock in south.clocks[:3]] == [1.0, 0.5, 0.0]
        assert [clock.bank for clock in north.clocks[:4]] == [1.0, 0.75, 0.5, 0.25]
        assert record.times == (3.0, 3.75)


def test_a_clock_gains_the_increment_after_each_move():
    south, north = Seat([1.0, 0.5, 0.0, 4.0]), Seat()
    record = one_game(south, north, clock=3.0, increment=0.5)
    assert south.clocks == [Clock(None, left, 0.5) for left in (3.0, 2.5, 2.5, 3.0)]
    assert north.clocks[0] == Clock(None, 3.0, 0.5)
    assert (record.reason, record.fault) == ("time", 0)
    assert record.detail.endswith("1.000 s more than it had")


def test_agents_of_this_process_are_told_the_clock():
    class Told(MinimaxAgent):
        def clock(self, left, increment=0.0):
            told.append((left, increment))

    told = []
    state = mancala.ruleset("oware").start()
    seat = AgentParticipant(Told(depth=1))
    seat.move(state, (), state, Clock(1.0, 0.0))
    seat.move(state, (), state, Clock(None, 0.0))
    assert told == []
    seat.move(state, (), state, Clock(None, 3.0, 0.5))
    assert told == [(3.0, 0.5)]
    assert AgentParticipant(make_agent("random")).move(state, (), state, Clock(None, 3.0, 0.5))[0] in range(6)


def test_events_without_such_a_clock_keep_their_digest():
    event = event_of(move_time=0.5)
    content = event.as_dict()
    del content["clock"], content["increment"]  # as it was written before
    assert Event.from_dict(content) == event
    content["anchor"] = content.pop("rating_origin")
    assert event.digest == hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    clocks = [event_of(clock=60.0), event_of(clock=60.0, increment=0.5), event_of()]
    assert len({each.digest for each in clocks}) == 3


@pytest.mark.parametrize(("text", "clock"), [("60+0.5", (60.0, 0.5)), ("2", (2.0, 0.0)), ("0.5+0", (0.5, 0.0))])
def test_clocks_are_read_from_text(text, clock):
    event = tournament.event_of(tournament.parser().parse_args(["--agents", "random", "greedy", "--clock", text]))
    assert (event.clock, event.increment) == clock


def test_a_clock_that_is_none_is_said_in_one_line(capsys):
    for text in ("soon", "+1", "1+x", "-1", "1+-1"):
        assert tournament.main(["--agents", "random", "greedy", f"--clock={text}"]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "clock" in said or "increment" in said


def test_a_late_answer_does_not_count_even_if_it_is_illegal():
    record = one_game(Seat([2.0], lambda state: "A"), Seat(), move_time=1.0)
    assert (record.reason, record.actions) == ("time", ())


@pytest.mark.parametrize("answer", [6, -1, 2.0, "A", None, True, [0]])
def test_an_answer_that_is_no_legal_action_loses(answer):
    record = one_game(Seat(answers=lambda state: answer), Seat())
    assert (record.reason, record.fault, record.winner, record.actions) == ("illegal_move", 0, 1, ())
    assert repr(str(answer)) in record.detail


def test_an_answer_that_cannot_be_looked_at_loses():
    class Hostile:
        def __index__(self):
            raise ValueError("no index")

        def __str__(self):
            raise ValueError("no text")

    record = one_game(Seat(answers=lambda state: Hostile()), Seat())
    assert (record.reason, record.fault, record.winner) == ("illegal_move", 0, 1)
    assert "Hostile" in record.detail


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


@pytest.fixture(scope="module")
def awari_tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("awari")
    build(mancala.ruleset("awari"), 4 if DISABLE_JIT else 7, folder)
    return folder


def test_tables_end_games_with_the_right_result(awari_tables, tmp_path):
    from agents.tablebase import Tablebase

    event = event_of("random", "greedy", rules=("awari",), pairs=4, tables=str(awari_tables))
    tables = Tablebase(awari_tables, mancala.ruleset("awari"))
    records = play(event, tmp_path / "event.db")
    ended = [record for record in records if record.reason == "tablebase"]
    assert {record.winner for record in ended} >= {0, 1}
    for record in ended:
        *before, last = record.states(event.rulesets["awari"])
        lead = last.stores[last.player] - last.stores[1 - last.player] + tables.value(last)
        assert record.winner == (None if lead == 0 else last.player if lead > 0 else 1 - last.player)
        assert before[-1] not in tables or len(before) == 1


# Bad players in a real event


@LINUX
def test_whatever_a_bot_does_it_loses_by_name_and_nothing_is_left(bot, tmp_path):
    spawn = f"import subprocess; subprocess.Popen(['sleep', '600', {str(tmp_path)!r}], start_new_session=True)"
    forks = f"{spawn}; {PLAY}"
    bad = {
        "liar": (bot("liar", go='say("bestmove Z9")'), "illegal_move"),
        "crasher": (bot("crasher", go='sys.exit("gone")'), "crash"),
        "flooder": (bot("flooder", go='sys.stdout.write("x" * 3_000_000); say("")'), "flood"),
        "sleeper": (bot("sleeper", go="time.sleep(600)"), "silence"),
        "late": (bot("late", go='time.sleep(1.3); say("bestmove " + moves[0])'), "time"),
        "refuser": (bot("refuser", rules='say("refused never")'), "refused"),
        "corpse": (bot("corpse", start="sys.exit(3)"), "start"),
    }
    good = [bot("forker", go=forks), bot("good")]
    names = [*bad, "forker", "good"]
    event = event_of(
        *(text for text, _ in bad.values()), *good, form="gauntlet", pairs=1, opening_plies=2, move_time=0.6, bank=0.0,
        start_time=PATIENCE,
    )  # fmt: skip
    event = replace(event, players=(event.players[-1], *event.players[:-1]))
    records = play(event, tmp_path / "event.db", LocalExecutor(2))
    assert len(records) == 2 * (len(names) - 1)
    for record in records:
        (other,) = {record.south, record.north} - {"good"}
        if other == "forker":
            if record.fault is not None:  # on a busy machine either may be late
                assert record.reason in ("time", "silence")
            continue
        lost_by = None if record.fault is None else (record.south, record.north)[record.fault]
        if lost_by == "good":
            assert record.reason in ("time", "silence")
            continue
        assert (lost_by, record.reason) == (other, bad[other][1]), record.detail
    reasons = {record.reason for record in records}
    assert reasons >= {"illegal_move", "crash", "flood", "silence", "time", "refused", "start"}
    wait_until(lambda: not bots_under(tmp_path))


# The file

SMALL = event_of(rules=("kalah",), pairs=2)


@pytest.fixture(scope="module")
def small_games(tmp_path_factory):
    return play(SMALL, tmp_path_factory.mktemp("small") / "event.db")


@pytest.fixture
def small(small_games, tmp_path):
    """The file of a finished event, all of it in one piece."""
    path = tmp_path / "small.db"
    assert untimed(play(SMALL, path)) == untimed(small_games)
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = DELETE")
    base.close()
    return path


def check_refused(path, said, event=SMALL):
    """Neither a writer nor a reader takes the file, and not a byte of it changes."""
    before = path.read_bytes()
    for given_event in (event, None):
        with pytest.raises(StoreError, match=said) as caught, Store(path, given_event) as store:
            list(store.records())
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    check_refused(path, "is no tournament .and no database.; nothing was written to it")


def test_another_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE work (years INTEGER)")
    base.commit()
    base.close()
    check_refused(path, "is a database, but no tournament; nothing was written to it")


def test_a_file_of_another_version_is_left_alone(small):
    base = sqlite3.connect(small)
    base.execute("PRAGMA user_version = 3")
    base.close()
    check_refused(small, "has format 3; this version reads 1 and 2, and writes 2")


@pytest.mark.parametrize("size", [20, 100, 5000, -4096])
def test_a_file_that_was_cut_off_is_damaged(small, size):
    content = small.read_bytes()
    small.write_bytes(content[:size])
    check_refused(small, r"is damaged .*nothing was written to it.*recover")


def test_a_file_with_garbage_in_the_middle_is_damaged(small):
    content = bytearray(small.read_bytes())
    pages = len(content) // 4096
    refused = 0
    for page in range(1, pages):
        broken = content.copy()
        broken[4096 * page : 4096 * (page + 1)] = random.Random(page).randbytes(4096)
        small.write_bytes(broken)
        with pytest.raises(StoreError, match="is damaged"):
            Store(small, SMALL)
        assert small.read_bytes() == broken
        refused += 1
    assert refused > 3


def test_a_flipped_move_is_found_by_the_check_of_games(small, capsys):
    with Store(small) as store:
        actions = bytes(next(store.records()).actions)
    content = small.read_bytes()
    assert content.count(actions) == 1
    place = content.index(actions) + len(actions) // 2
    small.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    assert export_command.main([str(small), "--check"]) == 2
    assert "is damaged (game 0 is not as it was written)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (replace(SMALL, pairs=3), "its pairs is 2, not 3"),
        (replace(SMALL, seed=1), "its seed is 0, not 1"),
        (event_of("greedy", "random", rules=("kalah",), pairs=2), "its players are random, greedy"),
    ],
)
def test_a_file_with_another_event_is_left_alone(small, event, said):
    before = small.read_bytes()
    with pytest.raises(StoreError, match=rf"holds another event: {said}; .*--resume"):
        run_event(event, small, executor=SerialExecutor())
    assert small.read_bytes() == before


def test_a_file_is_missing_only_to_a_reader(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no tournament at"):
        Store(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("left", ["nothing", "a header", "a journal"])
def test_a_file_that_a_process_died_at_before_it_was_made_is_made(tmp_path, small_games, left):
    path = tmp_path / "event.db"
    path.touch()
    if left != "nothing":
        base = sqlite3.connect(path)
        base.execute("VACUUM" if left == "a header" else "PRAGMA journal_mode = WAL")
        base.close()
        assert path.stat().st_size > 0
    assert untimed(play(SMALL, path)) == untimed(small_games)


def test_one_process_writes_at_a_time_and_others_may_read(tmp_path, small_games):
    path = tmp_path / "event.db"
    pairing = schedule.Pairing(0, 0, "kalah", (0, 1))
    with Store(path, SMALL) as store:
        store.note_pairings([pairing])
        with pytest.raises(StoreError, match=rf"is being written to by process {os.getpid()}; wait for it"):
            Store(path, SMALL)
        for done, record in enumerate(small_games):
            store.add([stored(pairing, record)])
            store.flush()
            with Store(path) as reader:
                assert len(reader) == done + 1
                assert list(reader.records()) == small_games[: done + 1]
        assert len(store) == len(small_games)
    with Store(path, SMALL) as store:
        assert store.done() == {0, 1, 2, 3}


def test_a_reader_cannot_write(small):
    before = small.read_bytes()
    with pytest.raises(StoreError, match=r"cannot write to .*readonly"), Store(small) as reader:
        reader.add([stored(schedule.Pairing(0, 0, "kalah", (0, 1)), next(reader.records()))])
    assert small.read_bytes() == before


def test_a_game_that_comes_twice_is_stored_once(tmp_path, small_games):
    pairing = schedule.Pairing(0, 0, "kalah", (0, 1))
    with Store(tmp_path / "event.db", SMALL) as store:
        store.note_pairings([pairing])
        store.note_pairings([pairing])
        for _ in range(2):
            store.add([stored(pairing, record) for record in small_games])
            store.flush()
        assert list(store.records()) == small_games


class FailsOnce:
    """A database whose next commit fails."""

    def __init__(self, base):
        self.base, self.failed = base, False

    def execute(self, text, *more):
        if text == "COMMIT" and not self.failed:
            self.failed = True
            raise sqlite3.OperationalError("database or disk is full")
        return self.base.execute(text, *more)

    def __getattr__(self, name):
        return getattr(self.base, name)


def test_games_whose_writing_failed_are_written_later_with_their_openings(tmp_path, small_games):
    pairing = schedule.Pairing(0, 0, "kalah", (0, 1))
    with Store(tmp_path / "event.db", SMALL) as store:
        store.note_pairings([pairing])
        store._base = FailsOnce(store._base)
        with pytest.raises(StoreError, match=r"disk is full. Games stored before are safe; make room .*--resume"):
            store.add([stored(pairing, record) for record in small_games])
        store.flush()
        assert list(store.records()) == small_games


FULL = """
import resource, signal, sys
from agents.tournament import __main__ as tournament
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(tournament.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("room", [2_000, 40_000, 120_000])
def test_a_full_disk_ends_the_event_in_words_and_costs_no_game_that_was_stored(tmp_path, room):
    path = tmp_path / "event.db"
    options = ["--agents", "random", "greedy", "--rules", "kalah", "--pairs", "800", "--processes", "0", "--quiet"]
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(room), *options, "--out", str(path), "--no-report"],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "cannot write to" in ran.stderr
    event = event_of(rules=("kalah",), pairs=800, rounds=1)
    before = games_of(path) if room > 40_000 else []
    records = play(event, path)
    assert len(records) == 1600
    assert records[: len(before)] == before


@pytest.mark.parametrize("executor", [SerialExecutor(), LocalExecutor(1)])
def test_a_game_is_on_the_disk_soon_after_it_ends_also_if_the_next_one_takes_long(tmp_path, executor):
    event, path = event_of("slow=x", "greedy", rules=("kalah",), pairs=1), tmp_path / "event.db"
    records = play(event, path, executor, agents={"slow": Looking(path)})
    assert [record.detail for record in records] == ["", ""]


# A test that ends early

TEST = event_of("minimax:depth=2", "random", rules=("kalah",), pairs=400, sprt=Sprt(0, 100))


def test_an_sprt_ends_early_and_at_the_same_pair_whoever_plays_and_however_often_it_stops(tmp_path):
    path = tmp_path / "one.db"
    records = play(replace(TEST, max_plies=300), path)
    watch = SprtWatch.of(TEST, records)
    assert watch.verdict == "H1"
    assert 1 < watch.end < 100
    assert len(records) == 2 * watch.end
    for executor in (SerialExecutor(), LocalExecutor(2)):
        other = play(TEST, tmp_path / f"{type(executor).__name__}.db", executor)
        assert [(r.number, r.actions) for r in counted(TEST, other)] == [(r.number, r.actions) for r in records]
    stopped, asked = tmp_path / "stopped.db", itertools.count()
    run_event(
        replace(TEST, max_plies=300), stopped, executor=SerialExecutor(), stop=lambda: next(asked) >= watch.end // 2
    )
    assert 0 < len(games_of(stopped)) < len(records)
    assert untimed(play(replace(TEST, max_plies=300), stopped)) == untimed(records)
    assert untimed(play(replace(TEST, max_plies=300), stopped)) == untimed(records)  # nothing is left to play


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
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


def test_ends_that_rest_on_the_prior_are_marked_in_table_report_and_json(tmp_path, capsys):
    out, content = tmp_path / "event.db", tmp_path / "tables.json"
    options = ["--agents", "random", "greedy", "deep=minimax:depth=4", "--rules", "kalah", "--pairs", "2"]
    assert tournament.main([*options, "--processes", "0", "--out", str(out), "--json", str(content)]) == 0
    said, page = capsys.readouterr().out, out.with_suffix(".html").read_text(encoding="utf-8")
    marked = [row for row in json.loads(content.read_text())["ratings"] if row["high_from_prior"]]
    assert marked
    for row in marked:
        end = f"{row['high']:+.0f}*"
        assert f"to {end}" in said
        assert f">{end.replace('-', chr(0x2212))}<" in page
    for where in (said, page):
        assert "* rests on the prior" in where


SPRT_OPTIONS = ["--sprt-alpha", "0.1", "--sprt-beta", "0.2", "--sprt-model", "normalized"]


def test_the_settings_of_an_sprt_are_given_stored_and_gone_on_with(tmp_path, capsys):
    out = tmp_path / "event.db"
    options = ["--agents", "minimax:depth=2", "random", "--rules", "kalah", "--pairs", "30", "--processes", "0"]
    options += ["--sprt", "0", "100", "--out", str(out), "--no-report"]
    assert tournament.main([*options, *SPRT_OPTIONS]) == 0
    test = Sprt(0.0, 100.0, alpha=0.1, beta=0.2, model="normalized")
    with Store(out) as store:
        assert store.event.sprt == test
        verdict = SprtWatch.of(store.event, list(store.records()))
    said = capsys.readouterr().out
    line = next(line for line in said.splitlines() if line.startswith("SPRT"))
    assert "0 against 100 normalized Elo, nominal error rates 0.1 and 0.2: H1 accepted" in line
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
    shown = json.loads(content.read_text())["event"]["sprt"]
    assert shown == {"elo0": 0.0, "elo1": 100.0, "alpha": 0.1, "beta": 0.2, "model": "normalized"}
    assert tournament.main(options) == 2  # with the usual settings it is another event
    assert "holds another event" in capsys.readouterr().err


@pytest.mark.parametrize("place", [0, 2, 4])
def test_the_settings_of_an_sprt_need_one_and_are_not_changed(place, tmp_path, capsys):
    given = SPRT_OPTIONS[place : place + 2]
    assert tournament.main(["--agents", "random", "greedy", *given, "--out", str(tmp_path / "event.db")]) == 2
    assert f"{given[0]} is of a sequential test: give --sprt" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tournament.main(["--resume", str(tmp_path / "event.db"), *given])
    assert f"leave {given[0]} out" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tournament.main(["--help"])
    said = capsys.readouterr().out
    assert given[0] in said
    assert "nominal chance" in said


# Exports

HOSTILE = 'a"b\\c]d[Result "1-0"]\nWhite, "\x85\u2028;\tend\\'


@pytest.fixture(scope="module")
def every_game(tmp_path_factory):
    """Games of every kind of ruleset, of hostile players, with faults and adjudicated ones."""
    folder = tmp_path_factory.mktemp("every")
    two = (Player(HOSTILE, "random"), Player("greedy", "greedy"))
    event = Event(players=two, rules=CORE, pairs=1)
    records = play(event, folder / "event.db")
    kalah = replace(event, rules=("kalah",), max_plies=9)
    records += play(kalah, folder / "short.db")
    faulty = replace(records[0], fault=0, winner=1, reason="crash", detail=HOSTILE, scores=None, times=(0.1, 1e-7))
    unmoved = replace(faulty, actions=(), fault=1, winner=0, reason="start", detail="")
    return [*records, replace(faulty, actions=faulty.actions[:5]), unmoved]


def test_games_are_read_from_text_as_they_were_written(every_game, tmp_path):
    text = "".join(export.write_games(every_game))
    assert export.read_games(text) == [replace(record, thoughts=()) for record in every_game]
    some = "".join(export.write_games(every_game[-8:]))
    assert export.read_games(some.replace("\n", "\r\n")) == [replace(record, thoughts=()) for record in every_game[-8:]]
    path = tmp_path / "games.pgn"
    path.write_text(text, encoding="utf-8", newline="")
    assert export_command.main([str(path), "--check"]) == 0
    assert max(map(len, text.split("\n"))) < 400
    assert {record.reason for record in every_game} >= {"crash", "start", "ply_limit"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('[Result "0-1"]', '[Result "1-0"]', "the moves should end with the result '1-0'"),
        ('[Result "0-1"]', '[Result "2-0"]', "the moves should end with the result '2-0'"),
        ("0-1\n", "1-0\n", "the moves should end with the result '0-1'"),
        ('[Reason "side_empty"]', '[Reason "majority"]', "and the result says winner 1 by majority"),
        ('[Scores "', '[Scores "1', "and the result says"),
        ('[Rules "kalah"]', '[Rules "oware"]', "game 0: "),
        ('[South "', '[Soth "', "game 1 of the text has no tag 'South'"),
        ('[Seeds "', '[Seeds "x', "game 0: "),
        ('[White "', "[White ", "is no tag"),
    ],
)
def test_a_text_that_was_tampered_with_is_found_out(old, new, said):
    record = one_game(Seat(), Seat())
    assert record.winner == 1
    text = export.game_text(record, mancala.ruleset("kalah"))
    export.read_games(text)
    assert old in text
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is looked at below
        export.read_games(text.replace(old, new))
    assert said in str(caught.value)


@pytest.mark.parametrize("place", range(0, 12, 3))
def test_a_move_that_was_changed_left_out_or_added_is_found_out(place):
    record = one_game(Seat(), Seat())
    rules, actions = mancala.ruleset("kalah"), record.actions
    for tampered in (
        (*actions[:place], 5 - actions[place], *actions[place + 1 :]),
        (*actions[:place], *actions[place + 1 :]),
        actions[: -1 - place],
        (*actions, 0),
    ):
        with pytest.raises(ValueError, match=r"."):
            export.check(replace(record, actions=tampered), rules)


def test_results_that_nobody_could_have_are_found_out():
    record, short = one_game(Seat(), Seat()), one_game(Seat(), Seat(), max_plies=9)
    rules = mancala.ruleset("kalah")
    for changes in (
        {"winner": 0}, {"winner": None}, {"reason": "repetition"}, {"reason": "crash"}, {"scores": None},
        {"fault": 0}, {"fault": 0, "reason": "crash"}, {"reason": "tablebase"}, {"reason": "ply_limit"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            export.check(replace(record, **changes), rules)
    export.check(short, rules)
    for winner in {None, 0, 1} - {short.winner}:
        with pytest.raises(ValueError, match="at the ply limit"):
            export.check(replace(short, winner=winner), rules)


def as_row(row):
    """A row of the table with what is not there as None."""
    return {key: None if value != value or value is None else value for key, value in row.items()}  # noqa: PLR0124


def test_the_table_is_read_by_csv_and_by_pandas(every_game):
    pandas = pytest.importorskip("pandas")
    text = "".join(export.write_csv(every_game))
    wanted = list(export.rows(every_game))
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert read == [{key: "" if value is None else str(value) for key, value in row.items()} for row in wanted]
    frame = pandas.read_csv(io.StringIO(text, newline=""), keep_default_na=False, na_values={"winner": [""]})
    assert frame["south"].tolist() == [row["south"] for row in wanted]
    assert frame["detail"].tolist() == [row["detail"] for row in wanted]
    assert frame["plies"].tolist() == [len(record.actions) for record in every_game]
    assert frame["winner"].isna().sum() == sum(record.winner is None for record in every_game)


def test_parquet_is_read_back_with_the_same_columns_whatever_games_there_are(every_game, tmp_path):
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    schemas = []
    for number, games in enumerate((every_game, every_game[:2], [])):
        path = str(tmp_path / f"{number}.parquet")
        export.write_parquet(games, path)
        schemas.append(parquet.read_schema(path).remove_metadata())
        assert [as_row(row) for row in parquet.read_table(path).to_pylist()] == list(export.rows(games))
        assert len(pandas.read_parquet(path)) == len(games)
    assert schemas[0] == schemas[1] == schemas[2]


def test_the_export_command_writes_and_checks(small, small_games, tmp_path, capsys):
    files = {option: tmp_path / f"games.{option}" for option in ("games", "csv", "parquet")}
    pytest.importorskip("pyarrow")
    options = [text for option, path in files.items() for text in (f"--{option}", str(path))]
    assert export_command.main([str(small), "--check", *options]) == 0
    assert capsys.readouterr().out.startswith("4 games: every move is legal")
    assert untimed(export.read_games(files["games"].read_text(encoding="utf-8"))) == untimed(small_games)
    assert all(path.stat().st_size for path in files.values())
    for wrong in (tmp_path / "none.db", ROOT / "pyproject.toml"):
        assert export_command.main([str(wrong), "--csv", str(tmp_path / "x")]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


# The command


def test_names_that_look_like_markup_are_printed_as_they_are(tmp_path, capsys):
    players = ["one [dev]=random", "two [bold]=greedy"]
    options = ["--pairs", "1", "--processes", "0", "--no-report", "--quiet", "--out", str(tmp_path / "e.db")]
    assert tournament.main(["--agents", *players, *options]) == 0
    assert "two [bold];" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("option", ["--out", "--json"])
def test_a_report_never_takes_the_place_of_the_event(option, tmp_path, capsys):
    file = str(tmp_path / "event.html")
    assert tournament.main(["--agents", "random", "greedy", "--pairs", "1", "--out", file, option, file]) == 2
    assert "is the file of the event" in capsys.readouterr().err
    assert not os.listdir(tmp_path)


def test_an_export_never_takes_the_place_of_the_event(small):
    before = small.read_bytes()
    with pytest.raises(SystemExit):
        export_command.main([str(small), "--games", str(small)])
    assert small.read_bytes() == before


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit) as caught:
        tournament.main(["--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("--agents", "--resume", "--move-time", "--sprt", "--executor", "round_robin"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agents", "random", "gredy"], "gredy"),
        (["--agents", "random", "minimax:depth=0"], "depth"),
        (["--agents", "random", "./no/such/bot"], "there is no bot at './no/such/bot'"),
        (["--agents", "random", "cmd:no-such-program --fast"], "there is no program 'no-such-program'"),
        (["--agents", "random", "python:none.py:play"], "there is no file 'none.py'"),
        (["--agents", "random"], "a tournament needs two players"),
        (["--agents", "random", "greedy", "--rules", "chess"], "chess"),
        (["--agents", "random", "greedy", "--pairs", "0"], "pairs must be a whole number from 1"),
        (["--agents", "random", "greedy", "--sprt", "5", "0"], "elo0 must be below elo1"),
        (["--agents", "random", "greedy", "--sprt", "0", "5", "--sprt-alpha", "0"], "alpha and beta must be above 0"),
        (["--agents", "random", "greedy", "--sprt", "0", "5", "--sprt-alpha", ".nan"], "alpha and beta must be"),
        (["--agents", "random", "greedy", "--sprt", "0", "5", "--sprt-beta", "0.96"], "below 1 together"),
        (["--agents", "random", "greedy", "--openings", "no/such/file"], "no/such/file"),
        (["--agents", "random", "greedy", "--processes", "-1"], "processes must be a whole number from 1"),
        (["--agents", "random", "greedy", "--tables", "no/such/folder", "--processes", "0"], "no/such/folder"),
        (["--agents", "random", "greedy", "--out", "/dev/null/event.db"], "/dev/null"),
        (["--resume", "no/such.db"], "there is no tournament at no/such.db"),
    ],
)
def test_what_is_asked_wrongly_is_one_line_and_exit_code_2(options, said, capsys, tmp_path, monkeypatch):
    if "--resume" not in options and "--out" not in options:
        options = [*options, "--out", str(tmp_path / "event.db")]
    assert tournament.main(options) == 2
    err = capsys.readouterr().err
    assert err.startswith("python -m agents.tournament: ")
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.mark.parametrize("options", [[], ["--agents", "random", "greedy", "--resume", "x"], ["--form", "cup"]])
def test_options_that_do_not_go_together_are_refused(options, capsys):
    with pytest.raises(SystemExit) as caught:
        tournament.main(options)
    assert caught.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("python -m agents.tournament: ")


def test_a_policy_of_another_game_is_refused_before_the_first_game(tmp_path, capsys):
    PolicyNetwork("oware", "onehot", (16,)).save(tmp_path / FILE_NAME)
    out = tmp_path / "event.db"
    options = ["--agents", f"mine=policy:path={tmp_path}", "random", "--rules", "kalah", "--out", str(out)]
    assert tournament.main(options) == 2
    assert "mine was trained for oware and does not play kalah as it is here" in capsys.readouterr().err
    assert not out.exists()


def test_the_command_prints_tables_and_writes_report_and_json(tmp_path, capsys):
    out, content = tmp_path / "event.db", tmp_path / "tables.json"
    options = ["--agents", "weak=random", "strong=minimax:depth=2", "greedy", "--rules", "kalah", "oware"]
    options += [
        "--pairs",
        "3",
        "--rating-origin",
        "weak",
        "--processes",
        "0",
        "--out",
        str(out),
        "--json",
        str(content),
    ]
    assert tournament.main(options) == 0
    said = capsys.readouterr().out
    assert "kalah, oware: 3 players, round robin, 36 games" in said
    assert all(text in said for text in ("weak", "strong", "under kalah", "under oware", "+0 ", str(out)))
    tables = json.loads(content.read_text())
    assert Event.from_dict(tables["event"]).players == players("weak=random", "strong=minimax:depth=2", "greedy")
    assert tables["games"] == sum(tables["reasons"].values()) == 36
    assert next(rating["player"] for rating in tables["ratings"]) == "strong"
    assert next(rating for rating in tables["ratings"] if rating["player"] == "weak")["rating"] == 0
    assert sum(rating["points"] for rating in tables["ratings"]) == 36
    assert set(tables["ratings_by_rules"]) == {"kalah", "oware"}
    assert tables["provenance"]["seed"] == 0
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    assert all(name in page for name in ("weak", "strong", "36"))
    written = content.read_bytes()
    assert tournament.main(["--resume", str(out), "--json", str(content)]) == 0
    assert json.loads(content.read_text())["ratings"] == json.loads(written)["ratings"]
    assert tournament.main(options) == 0  # the same command shows a finished event again
    capsys.readouterr()
    assert tournament.main(["--anchor" if word == "--rating-origin" else word for word in options]) == 0
    assert "--anchor weak is written --rating-origin weak now" in capsys.readouterr().err
    assert json.loads(content.read_text())["ratings"] == json.loads(written)["ratings"]
    assert tournament.main([*options[:-4], "--pairs", "4", "--out", str(out)]) == 2
    assert "holds another event: its pairs is 3, not 4" in capsys.readouterr().err


# Whatever dies


def slow_event(bot, tmp_path, seconds=0.01):
    """Options of an event that takes a while, with a bot of its own process."""
    slow = bot("slow", go=f'time.sleep({seconds}); say("bestmove " + moves[-1])')
    out = tmp_path / "event.db"
    return out, ["--agents", slow, "greedy", "random", "--rules", "kalah", "--pairs", "6", "--seed", "4"] + [
        "--processes", "2", "--out", str(out), "--no-report",
    ]  # fmt: skip


def start_command(options, out, games):
    """The command in a process group of its own, once it has stored some games."""
    started = subprocess.Popen(
        [sys.executable, "-m", "agents.tournament", *options], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip

    def enough():
        assert started.poll() is None, started.communicate()
        with contextlib.suppress(StoreError, OSError, sqlite3.Error), Store(out) as store:
            return len(store) >= games

    wait_until(enough)
    return started


@pytest.fixture
def uninterrupted(bot, tmp_path):
    """What the games of ``slow_event`` are when nothing happens."""
    _, options = slow_event(bot, tmp_path, seconds=0)
    event = tournament.event_of(tournament.parser().parse_args(options))
    return untimed(play(event, tmp_path / "uninterrupted.db"))


@LINUX
def test_a_command_that_is_killed_leaves_no_process_and_goes_on_where_it_was(bot, tmp_path, uninterrupted):
    out, options = slow_event(bot, tmp_path)
    started = start_command(options, out, 14)
    family = children(started.pid)
    assert len(family) >= 4  # workers and their bots
    started.kill()
    started.communicate(timeout=PATIENCE)
    wait_until(lambda: not any(map(is_running, family)) and not bots_under(tmp_path))
    before = games_of(out)
    assert 14 <= len(before) < 36
    assert tournament.main(options) == 0
    records = games_of(out)
    assert untimed(records) == uninterrupted
    numbers = {record.number for record in before}  # what was stored was not played once more
    assert [record for record in records if record.number in numbers] == before


@LINUX
def test_ctrl_c_stores_what_was_played_and_says_how_to_go_on(bot, tmp_path, uninterrupted):
    out, options = slow_event(bot, tmp_path)
    started = start_command(options, out, 14)
    family = children(started.pid)
    os.killpg(started.pid, signal.SIGINT)
    said, err = started.communicate(timeout=PATIENCE)
    assert started.returncode == 130
    assert "Traceback" not in err
    records = games_of(out)
    assert f"stopped after {len(records)} of 36 games, all of them stored" in said
    assert f"python -m agents.tournament --resume {out}" in said
    wait_until(lambda: not any(map(is_running, family)) and not bots_under(tmp_path))  # some outlive it by a moment
    assert tournament.main(["--resume", str(out), "--no-report", "--trust", "--processes", "0"]) == 0
    finished = games_of(out)
    assert untimed(finished) == uninterrupted
    assert [finished[record.number] for record in records] == records


# For long


def resident(pid):
    """Megabytes of a process and its descendants in memory."""
    total = 0
    for each in {pid, *children(pid)}:
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{each}/status").read_text().splitlines()
            total += int(next(line for line in lines if line.startswith("VmRSS")).split()[1])
    return total / 1024


def zombies(pid):
    """Processes of this family that have ended and were not waited for."""
    family, found = {pid, *children(pid)}, set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{entry.name}/stat").read_text(errors="replace").rpartition(")")[2].split()
                if fields[0] == "Z" and int(fields[1]) in family:
                    found.add(int(entry.name))
    return found


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize(
    ("agents", "pairs", "plies"), [(["random", "greedy"], 5000, 3000), ([RANDOM_BOT, "greedy"], 150, 3000)]
)
def test_memory_does_not_grow_and_no_zombies_stay(agents, pairs, plies, tmp_path):
    """``--max-plies`` lets games be played one by one, by processes."""
    out = tmp_path / "event.db"
    options = ["--agents", *agents, "--rules", "kalah", "--pairs", str(pairs), "--max-plies", str(plies)]
    started = start_command([*options, "--processes", "2", "--out", str(out), "--no-report"], out, pairs // 5)
    seen, ended = [], set()
    while started.poll() is None:
        seen.append(resident(started.pid))
        before, ended = ended, zombies(started.pid)
        assert len(before & ended) < 2, "ended long ago, and nobody waited for them"  # one may be closing just now
        time.sleep(0.2)
    _, err = started.communicate()
    assert started.returncode == 0, err
    assert len(games_of(out)) == 2 * pairs
    third = max(1, len(seen) // 3)
    before_tables = seen[: max(2, 2 * third)]  # the tables at the end load what they need
    assert max(before_tables) < 1.1 * before_tables[0] + 30


class Broken:
    """Answers for many games at once, but wrongly or not at all; alone it plays."""

    def __init__(self, wrong):
        self.name, self.wrong = "broken", wrong

    def reset(self, seed):
        pass

    def act(self, state):
        return state.legal_actions[0]

    def act_positions(self, rules, games, rows, masks, history, streams):
        if self.wrong:
            return np.full(len(games), 5)
        raise RuntimeError("out of \x1b[31m\nmemory")


@pytest.mark.parametrize("executor", [SerialExecutor(), LocalExecutor(1)])
@pytest.mark.parametrize("wrong", [False, True])
def test_a_player_that_fails_to_answer_for_many_games_is_asked_one_by_one_and_that_is_said(wrong, executor, tmp_path):
    event, path = event_of("a=random", "b=broken", "c=greedy", pairs=120), tmp_path / "event.db"
    for _ in range(2):  # the second run finds all of it
        done = run_event(event, path, executor=executor, agents={"b": Broken(wrong)})
        assert done.games == 3 * 240
        assert done.standings["b"].faults == 0
    with Store(path) as store:
        noted = store.provenance["played_alone"]
        by_seconds = {
            record.times == (None, None) for record in store.records() if "b" not in (record.south, record.north)
        }
        assert all(None not in record.times for record in store.records() if "b" in (record.south, record.north))
    assert by_seconds == {True}
    assert sorted(place for places in noted.values() for place in places) == [
        "a against b (oware)",
        "b against c (oware)",
    ]
    if not wrong:
        assert list(noted) == ["RuntimeError: out of ?[31m memory"]
    (sentence, *_) = arena_text.played_alone({"played_alone": noted})
    assert "one by one" in sentence
    assert next(iter(noted)) in sentence


def test_that_games_were_played_one_by_one_is_in_the_tables_and_in_the_report(tmp_path, capsys, monkeypatch):
    path = tmp_path / "event.db"
    event = event_of("a=random", "b=greedy", pairs=2)
    run_event(event, path, executor=SerialExecutor(), agents={"b": Broken(False)})
    assert tournament.main(["--resume", str(path), "--processes", "0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "one by one, more slowly, since playing many at once failed (RuntimeError: out of ?[31m memory)" in said
    assert path.with_suffix(".html").read_text(encoding="utf-8").count("playing many at once failed") == 1


def test_games_that_are_played_many_at_once_have_no_time_in_the_file_and_in_what_is_made_of_it(tmp_path, capsys):
    event, path = event_of(pairs=2), tmp_path / "event.db"
    records = play(event, path)
    base = sqlite3.connect(path)
    assert set(base.execute("SELECT south_time, north_time FROM games")) == {(None, None)}
    assert set(base.execute("SELECT south_time, north_time FROM played")) == {(None, None)}
    base.close()
    assert {record.times for record in records} == {(None, None)}
    assert [row["south_time"] for row in export.rows(records)] == [None] * 4
    written = "".join(export.write_games(records))
    assert "Times" not in written
    assert export.read_games(written) == records
    assert tournament.main(["--resume", str(path), "--processes", "0"]) == 0
    timed = [replace(record, times=(0.5, 1e-7)) for record in records]
    assert export.read_games("".join(export.write_games(timed))) == timed


def test_a_file_of_before_is_read_and_gone_on_with(tmp_path):
    event, path = event_of("random", "greedy", "slow=x", pairs=2), tmp_path / "event.db"
    agents = {"slow": Slow(0.0)}
    whole = play(event, tmp_path / "whole.db", agents=agents)
    timed = [None not in record.times for record in whole]
    assert True in timed
    assert False in timed
    with Store(path, event, {}) as old:
        (pairings,) = all_pairings(event)
        old.note_pairings(pairings)
        by_first = {pairing.first: pairing for pairing in pairings}
        for record, taken in zip(whole[:-2], timed, strict=False):
            pairing = by_first[max(k for k in by_first if k <= record.number)]
            old.add([stored(pairing, record if taken else replace(record, times=(0.0, 0.0)))])
    as_before(path, "south_time REAL NOT NULL, north_time REAL NOT NULL")
    assert len(games_of(path)) == len(whole) - 2
    records = play(event, path, agents=agents)
    assert untimed(records) == untimed(whole)
    assert [None not in record.times for record in records] == timed
    base = sqlite3.connect(path)
    assert len(list(base.execute("SELECT * FROM played"))) == len(whole)
    base.close()


def test_one_object_is_not_two_players(tmp_path):
    agent = RandomAgent()
    with pytest.raises(ValueError, match="b is the same object as another player"):
        run_event(event_of("a=x", "b=y"), tmp_path / "event.db", agents={"a": agent, "b": agent})


def test_games_by_other_rules_are_not_added_to_an_event(tmp_path):
    event, path = event_of("a=random", "b=greedy", pairs=1), tmp_path / "event.db"
    run_event(event, path, executor=SerialExecutor())
    with Store(path, event) as store:
        made_by = store.provenance
        name = event.rules[0]
        with pytest.raises(StoreError, match="by other rules"):
            store.continue_with({**made_by, "rulesets": {name: "changed"}})
        store.continue_with({**made_by, "commit": "another"})
        store.continue_with({**made_by, "commit": "another"})
    with Store(path) as store:
        assert [each["commit"] for each in store.provenance["continued_by"]] == ["another"]


@pytest.mark.parametrize("setting", [["--pairs", "7"], ["--rules", "kalah"], ["--move-time", "1"]])
def test_what_an_event_is_cannot_be_changed_as_it_goes_on(setting, tmp_path, capsys):
    with pytest.raises(SystemExit):
        tournament.main(["--resume", str(tmp_path / "event.db"), *setting])
    assert f"leave {setting[0]} out" in capsys.readouterr().err


@pytest.fixture
def foreign(tmp_path):
    """An event of somebody else, whose "greedy" is a program, and what that program writes."""
    marker, path = tmp_path / "it ran", tmp_path / "event.db"
    spec = f"cmd:touch {shlex.quote(str(marker))}"
    with Store(path, Event((Player("greedy", spec), Player("random", "random")), ("kalah",), pairs=1)):
        pass
    return path, spec, marker


@pytest.mark.parametrize("agents", [[], ["greedy", "random"], ["random"], ["greedy=greedy", "random=random"]])
def test_a_file_names_programs_that_do_not_run(agents, foreign, capsys):
    path, spec, marker = foreign
    named = ["--agents", *agents] if agents else []
    assert tournament.main(["--resume", str(path), *named]) == (2 if agents else 0)
    said = capsys.readouterr()
    assert shlex.quote(f"greedy={spec}") in (said.err if agents else said.out)
    assert agents or "--resume" in said.out
    assert not marker.exists()
    assert not games_of(path)


@pytest.mark.parametrize("anew", [[], ["--again"]])
@pytest.mark.parametrize("how", ["agents", "other order", "trust"])
def test_who_names_the_programs_or_trusts_the_file_runs_them(how, anew, foreign, capsys):
    path, spec, marker = foreign
    words = {"agents": ["--agents", f"greedy={spec}", "random"], "other order": ["--agents", "random", spec]}
    more = ["--no-report", "--processes", "0", "--sandbox", "none"]
    assert tournament.main(["--resume", str(path), *words.get(how, ["--trust"]), *anew, *more]) == 0
    assert marker.exists()
    assert len(games_of(path)) == 2
    capsys.readouterr()
    assert tournament.main(["--resume", str(path), "--no-report"]) == 0
    assert "all 2 games were stored" in capsys.readouterr().out
    marker.unlink()
    assert tournament.main(["--resume", str(path), "--no-report", "--again"]) == 0
    said = capsys.readouterr().out
    assert "no game was played" in said
    assert said.splitlines()[1].endswith(" --again")
    assert not marker.exists()


def test_trust_is_about_a_file(capsys):
    with pytest.raises(SystemExit):
        tournament.main(["--agents", "random", "greedy", "--trust"])
    assert "--resume FILE" in capsys.readouterr().err


def test_an_event_in_a_folder_that_cannot_be_written_to_is_shown(capsys):
    folder = Path(tempfile.mkdtemp(prefix="mancala-event-"))  # not tmp_path, which nobody else may enter
    path = folder / "event.db"
    try:
        run_event(event_of("a=random", "b=greedy", pairs=1), path, executor=SerialExecutor())
        for place, mode in ((path, 0o444), (folder, 0o555)):
            place.chmod(mode)
        with bound_by_permissions():
            with pytest.raises(PermissionError):
                (folder / "written").touch()
            assert tournament.main(["--resume", str(path)]) == 0
        assert {file.name for file in folder.iterdir()} == {"event.db"}
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    said = capsys.readouterr()
    assert all(word in said.out for word in ("all 2 games", "a ", "b ", "no report was written", "--report FILE"))
    assert "event.html: Permission denied" in said.out
    assert said.err == ""


@pytest.mark.parametrize("option", ["--report", "--json"])
def test_what_could_not_be_written_after_the_games_is_refused_before_them(option, tmp_path, capsys):
    out = tmp_path / "event.db"
    options = ["--agents", "random", "greedy", "--pairs", "1", "--out", str(out)]
    assert tournament.main([*options, option, str(tmp_path / "nowhere" / "page")]) == 2
    assert f"{option} {tmp_path}" in capsys.readouterr().err
    assert not out.exists()


def test_a_file_cannot_write_into_the_terminal(tmp_path, capsys):
    path = tmp_path / "event.db"
    run_event(event_of("a=random", "b=greedy", pairs=1), path, executor=SerialExecutor())
    edited(path, "UPDATE pairings SET one = 'a' || char(27) || '[2J'")
    sealed(path)
    assert tournament.main(["--resume", str(path), "--no-report"]) == 2
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "a\\x1b[2J" in said.err
    edited(path, "UPDATE event SET content = replace(content, '\"a\"', '\"a\\u001b[2J\"')")
    sealed(path)
    assert tournament.main(["--resume", str(path), "--no-report"]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "a?[2J" in said.out


def test_a_large_swiss_tournament_is_paired_at_once():
    event = event_of(*(f"p{k}=random" for k in range(60)), form="swiss", rounds=70, pairs=1)
    met = Counter()
    for number in range(70):
        drawn = schedule.swiss(event, number, {}, met)
        assert len(drawn) == 30
        met.update(frozenset(pair) for pair in drawn)
    assert max(met.values()) <= 3


def test_faults_are_played_again_when_asked_for(bot, tmp_path, capsys):
    shaky, out = bot("shaky", go="raise SystemExit(3)"), tmp_path / "event.db"
    command = ["--agents", shaky, "greedy", "--rules", "kalah", "--pairs", "1", "--out", str(out), "--no-report"]
    assert tournament.main(command) == 0
    with Store(out) as store:
        assert [record.reason for record in store.records()] == ["crash", "crash"]
    bot("shaky")
    capsys.readouterr()
    assert tournament.main(command) == 0
    assert "none was played" in capsys.readouterr().out
    assert tournament.main([*command, "--again"]) == 0
    with Store(out) as store:
        assert [record.fault for record in store.records()] == [None, None]


@pytest.mark.parametrize(
    ("player", "says"),
    [("randm", "did you mean 'random'"), ("python:FILE:nope", "defines no function 'nope'; it has last")],
)
def test_a_player_that_is_not_there_is_named_before_the_first_game(player, says, tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text("DEPTH = 3\ndef last(state):\n    return state.legal_actions[-1]\n")
    command = ["--agents", player.replace("FILE", str(file)), "greedy", "--out", str(tmp_path / "event.db")]
    assert tournament.main(command) == 2
    assert says in capsys.readouterr().err


class Habit:
    """Plays the legal action at its place of the list, so that its games show who played them; may be broken."""

    def __init__(self, place, broken=False):
        self.name, self.place, self.broken = f"habit {place}", place, broken

    def reset(self, seed):
        pass

    def act(self, state):
        if self.broken:
            raise RuntimeError("not mended yet")
        return state.legal_actions[self.place % len(state.legal_actions)]


@pytest.mark.parametrize("count", [4, 5, 6])
def test_faults_of_a_swiss_tournament_are_played_again_by_those_who_were_paired(count, tmp_path):
    names = [f"p{k}" for k in range(count)]
    event = event_of(*(f"{name}=x" for name in names), form="swiss", rounds=4, pairs=2, rules=("kalah", "oware"))
    habits = {name: Habit(k) for k, name in enumerate(names)}
    path = tmp_path / "event.db"

    def paired():
        with Store(path) as store:
            return list(store._base.execute("SELECT * FROM pairings ORDER BY first"))

    play(event, path, agents={**habits, "p0": Habit(0, broken=True), "p1": Habit(1, broken=True)})
    before = paired()
    asked = itertools.count()
    again = {"agents": habits, "executor": SerialExecutor()}
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
    run_event(event, path, executor=SerialExecutor(), agents=broken, stop=lambda: next(asked) >= 2)
    assert [record.fault is None for record in games_of(path)].count(False) > 0
    assert untimed(play(event, path, agents=habits, again=True)) == untimed(
        play(event, tmp_path / "whole.db", agents=habits)
    )


@pytest.mark.parametrize("changes", [{"players": (2, 3)}, {"players": (1, 0)}, {"rules": "oware"}, {"round": 1}])
def test_a_pairing_that_differs_from_the_one_that_was_noted_is_refused(changes, tmp_path):
    event = event_of("a=random", "b=random", "c=random", "d=random", form="swiss", rules=("kalah", "oware"))
    noted, fresh = schedule.Pairing(0, 0, "kalah", (0, 1)), schedule.Pairing(100, 0, "kalah", (2, 3))
    with Store(tmp_path / "event.db", event) as store:
        store.note_pairings([noted])
        with pytest.raises(StoreError, match=r"has a against b \(kalah, round 1\) as game 0, and now it would be"):
            store.note_pairings([fresh, replace(noted, **changes)])
        assert store.pairings(0) == [noted]
        store.note_pairings([noted, fresh])
    with Store(tmp_path / "event.db") as store:
        assert store.pairings(0) == [noted, fresh]
        assert store.pairings(1) == []
