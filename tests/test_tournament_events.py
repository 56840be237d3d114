"""Events of tournaments: their settings, and who meets whom from which openings."""

import itertools
import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mancala_env as mancala
from agents.evaluation.elo import Sprt
from agents.tournament import export, schedule
from agents.tournament.event import Event, Player
from mancala_env.games import ruleset
from tests.tournaments import all_pairings, event_of, play, players, text_of


def starts(event, rules):
    """The openings of the pairs of games under a ruleset."""
    return [text for text, _ in schedule.begun(event, rules)]


GOOD = {"players": players("random", "greedy"), "rules": ("oware",)}
BAD = [
    ({"players": players("random")}, "needs two players or more, not 1"),
    ({"players": players("random", "random")}, "two players are called 'random'"),
    ({"rules": ()}, "rules must be different rulesets"),
    ({"rules": ("chess",)}, "chess"),
    ({"rules": ("kalah:seed=3",)}, "seed"),
    ({"form": "ladder"}, "form must be one of round_robin, gauntlet, swiss, knockout"),
    ({"pairs": 0}, "pairs must be a whole number from 1, not 0"),
    ({"pairs": 5_000_001}, "10,000,002 games are more than the 10,000,000"),
    ({"rounds": 0}, "rounds must be a whole number from 1, not 0"),
    ({"memory": 1}, "memory must be a whole number from 16, not 1"),
    ({"move_time": float("inf")}, "move_time must be a number of seconds above 0, not inf"),
    ({"cpu": float("nan")}, "cpu must be a number of seconds above 0, not nan"),
    ({"move_time": 1.0, "bank": -1.0}, "bank must be a number of seconds from 0"),
    ({"bank": 1.0}, "give move_time as well"),
    ({"clock": 0.0}, "clock must be a number of seconds above 0"),
    ({"clock": 1.0, "increment": -1.0}, "increment must be a number of seconds from 0"),
    ({"increment": 1.0}, "give clock as well"),
    ({"clock": 1.0, "move_time": 1.0}, "give only one"),
    ({"clock": 900.0}, "600 s of processor time in a game, less than a clock of 900 s gives it"),
    ({"max_plies": 0}, "max_plies must be a whole number from 1, not 0"),
    ({"rating_origin": "nobody"}, "rating_origin 'nobody' does not play; players are random, greedy"),
    ({"balanced": -1.0}, "balanced must be a number of seeds from 0, not -1.0"),
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
    ({"sprt": Sprt(0, 10), "players": players("random", "greedy", "minimax:depth=1")}, "an SPRT compares two players"),
]


@pytest.mark.parametrize(("changes", "said"), BAD)
def test_a_setting_that_makes_no_sense_is_refused(changes, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is looked at below
        Event(**{**GOOD, **changes})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


EVERYTHING = Event(
    players=players("a=random", "b=greedy"), rules=("kalah:seeds=3",), form="gauntlet", pairs=7, rounds=2, seed=9,
    opening_plies=5, balanced=2.0, balance_depth=3, move_time=0.5, bank=2.0, memory=512, cpu=20.0, start_time=30.0,
    max_plies=80, tables="tables", sprt=Sprt(0.0, 50.0), rating_origin="a",
)  # fmt: skip
OPENED = event_of(openings=(str(mancala.ruleset("oware").start()),))


def test_an_event_is_read_as_it_was_written_and_keeps_the_digest_by_which_files_know_it():
    for event in (EVERYTHING, OPENED, event_of(rules=("oware", "kalah"), form="swiss")):
        again = Event.from_dict(json.loads(json.dumps(event.as_dict())))
        assert (again, again.digest) == (event, event.digest)
    event = event_of(rules=("kalah",), pairs=3, rating_origin="random")
    assert event.digest == "51bd26b891692d5a06c068a704a776629e35f96e729dcc012cca0f33483fa3ce"


@pytest.mark.parametrize(
    "changes",
    [{"players": players("b=greedy", "a=random")}, {"pairs": 8}, {"balance_depth": 4}, {"bank": 0.0}, {"tables": None},
     {"sprt": Sprt(0.0, 50.0, alpha=0.1)}, {"rating_origin": None}],
)  # fmt: skip
def test_the_digest_changes_with_the_settings(changes):
    assert replace(EVERYTHING, **changes).digest != EVERYTHING.digest


def test_clocks_tell_events_apart_and_rounds_only_swiss_ones():
    assert len({event_of(**clock).digest for clock in ({}, {"clock": 60.0}, {"clock": 60.0, "increment": 0.5})}) == 3
    assert event_of(rounds=3) == event_of(rounds=2)
    assert event_of(form="swiss", rounds=3).digest != event_of(form="swiss", rounds=2).digest


def test_what_is_no_event_is_not_read():
    for content in ({}, {**OPENED.as_dict(), "more": 1}, {**OPENED.as_dict(), "players": [{"called": "a"}]}):
        with pytest.raises(ValueError, match="this is no description of a tournament"):
            Event.from_dict(content)


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("minimax:depth=4", "minimax:depth=4", "minimax:depth=4"),
        ("champion=minimax:depth=4", "champion", "minimax:depth=4"),
        ("mine = ./mybot", "mine", "./mybot"),
        ("cmd:python3 x=1", "cmd:python3 x=1", "cmd:python3 x=1"),
        ("x=cmd:a b=c", "x", "cmd:a b=c"),
    ],
)
def test_players_may_be_given_names(text, name, spec):
    assert Player.parse(text) == Player(name, spec)


@pytest.mark.parametrize("text", ["", "a= ", " =random", "a\nb=random", "\x1b[1m=random"])
def test_a_player_without_a_name_that_can_be_printed_is_refused(text):
    with pytest.raises(ValueError, match=r"names no player|cannot be printed"):
        Player.parse(text)


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
    (stage,) = schedule.stages(event)
    flags = [int(number in done) for number in range(schedule.games_in(event))]
    made = list(schedule.units(event, stage, flags, [size, 1, size + 1]))
    numbers = [number for unit in made for number in unit.numbers]
    assert sorted(numbers) == sorted(set(range(schedule.games_in(event))) - done)
    for unit in made:
        assert len({unit.pairing.first}) == 1
        assert all(0 <= number - unit.pairing.first < 2 * pairs for number in unit.numbers)


def test_seeds_and_openings_are_a_function_of_the_event():
    event = event_of("a=random", "b=random", "c=random", rules=("oware", "kalah"), pairs=6, seed=5)
    (pairings,), (again,) = all_pairings(event), all_pairings(event)
    assert pairings == again
    drawn = [schedule.seeds(event, pairing).tolist() for pairing in pairings]
    assert drawn == [schedule.seeds(event, pairing).tolist() for pairing in again]
    assert len({tuple(pair) for seeds in drawn for pair in seeds}) == len(pairings) * event.pairs
    for rules in event.rules:
        assert starts(event, rules) == starts(event, rules)
        assert len(set(map(str, starts(event, rules)))) == event.pairs
    assert starts(event, "oware") != starts(replace(event, seed=6), "oware")
    assert schedule.seeds(replace(event, seed=6), pairings[0]).tolist() != drawn[0]


def test_openings_that_are_given_are_taken_in_turn_by_the_rules_that_they_fit():
    small = ruleset("kalah:pits_per_row=4")
    texts = (str(mancala.ruleset("kalah").start()), str(small.start()), str(small.start().play(0)))
    event = event_of(rules=("kalah", "kalah:pits_per_row=4"), openings=texts, pairs=3)
    assert [str(state) for state in starts(event, "kalah")] == [texts[0]] * 3
    assert [str(state) for state in starts(event, "kalah:pits_per_row=4")] == [texts[1], texts[2], texts[1]]


def test_openings_with_moves_keep_their_history_in_games_and_records(tmp_path):
    oware = mancala.ruleset("oware")
    line = f"{oware.position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], (22, 23))} moves F f A a B b C c D e"
    plain = str(mancala.State.parse(oware, line))
    lengths = {}
    for opening in (line, plain):
        path = tmp_path / f"{len(opening)}.db"
        games = play(event_of("random", "other=random", openings=(opening,), pairs=20), path)
        assert {game.opening for game in games} == {opening}
        again = export.read_games(text_of(games))
        assert again == games
        lengths[opening] = sorted(len(game.actions) for game in games if game.reason == "repetition")
    assert lengths[line][0] < lengths[plain][0]  # what the moves of the opening have seen is not forgotten


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
