"""Ratings: tables, intervals and tests of an event, against published and hand-made figures."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from agents.evaluation.elo import Sprt, elo_difference
from agents.evaluation.statistics import resampled_interval
from agents.tournament.ratings import ratings
from agents.tournament.record import GameRecord
from agents.tournament.summary import Score, Summary, crosstable, differences, score_of
from agents.tournament.tables import diagnose

# Wins of the row against the column in the American League's Eastern Division of 1987 (Agresti, "Categorical Data
# Analysis", 2nd edition, 2002, table 10.10).
BASEBALL = {
    "Milwaukee": (0, 7, 9, 7, 7, 9, 11),
    "Detroit": (6, 0, 7, 5, 11, 9, 9),
    "Toronto": (4, 6, 0, 7, 7, 8, 12),
    "New York": (6, 8, 6, 0, 6, 7, 10),
    "Boston": (6, 2, 6, 7, 0, 7, 12),
    "Cleveland": (4, 4, 5, 6, 6, 0, 6),
    "Baltimore": (2, 4, 1, 3, 1, 7, 0),
}
WINNERS = {1.0: 0, 0.5: None, 0.0: 1}


def record(number, pair, south, north, points, opening="", **more):
    """A game in which South made this number of points."""
    opening = opening or f"opening {pair}"
    return GameRecord(number, pair, "kalah", south, north, opening, (0, 0), (number,), WINNERS[points], "", **more)


def pairs_of(first, second, results, start=0):
    """Two games for each pair of results, those of the first player: one as South, one as North."""
    games = []
    for pair, (south, north) in enumerate(results, start):
        games.append(record(2 * pair, pair, first, second, south))
        games.append(record(2 * pair + 1, pair, second, first, 1.0 - north))
    return games


def event(results):
    """Pairs of several pairings: {"first second": [(as South, as North)]}."""
    games = []
    for names, pairs in results.items():
        games += pairs_of(*names.split(), pairs, start=len(games))
    return games


def ratings_of(games, **settings):
    return {line.player: line for line in ratings(games, **settings)}


def drawn(elo, pairs, random, *, draws=1.2, opening=0.6, seat=0.0):
    """An event of everyone against everyone whose expected scores are exactly those of the ratings.

    A game is won if a uniform number lies below the chance of that, drawn if it is just above it. The numbers of a
    pair's two games come from normal ones with correlation ``-opening``: the better the opening for one seat, the
    better in one game and the worse in the other. ``seat`` is what South gains in them.
    """
    results = {}
    names = [f"p{i}" for i in range(len(elo))]
    for i in range(len(elo)):
        for j in range(i + 1, len(elo)):
            p = 1.0 / (1.0 + 10.0 ** ((elo[j] - elo[i]) / 400.0))
            half = draws * p * (1.0 - p) / 2.0
            luck = random.multivariate_normal((0.0, 0.0), ((1.0, -opening), (-opening, 1.0)), size=pairs)
            low = np.array([NormalDist().inv_cdf(p - half), NormalDist().inv_cdf(p + half)])
            points = ((luck + (-seat, seat) < low[0]) * 0.5 + (luck + (-seat, seat) < low[1]) * 0.5).tolist()
            results[f"{names[i]} {names[j]}"] = [tuple(pair) for pair in points]
    return event(results)


def pentanomial(games, first, second):
    """Pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
    lines = differences(games, [first, second])
    return next((list(line.counts) for line in lines if {line.player, line.against} == {first, second}), [0] * 5)


def stop_of(sprt, results):
    """The index of the first pair, by its points, after which a test ends; None if it goes on."""
    counts = np.zeros(5)
    for index, points in enumerate(results):
        counts[round(2 * points)] += 1
        if sprt.status(counts) is not None:
            return index
    return None


def coverage(events, seed, **settings):
    """The share of intervals that hold the true ratings, of four players with 50 pairs in each pairing."""
    elo = np.array([150.0, 40.0, -30.0, -160.0])
    random = np.random.default_rng(seed)
    held = 0
    for number in range(events):
        lines = ratings_of(drawn(elo, 50, random), seed=number, **settings)
        held += sum(lines[f"p{i}"].low <= elo[i] <= lines[f"p{i}"].high for i in range(4))
    return held / (4 * events)


def test_the_crosstable_counts_seats_and_pairs_from_both_sides():
    games = [*pairs_of("a", "b", [(1.0, 0.5), (0.0, 0.0)]), record(9, 9, "b", "a", 1.0)]
    table = crosstable(games)
    assert table["a", "b"].south == Score(1, 0, 1)
    assert table["a", "b"].north == Score(0, 1, 2)
    assert table["b", "a"].total == table["a", "b"].total.reversed == Score(3, 1, 1)
    assert (table["b", "a"].total.points, table["b", "a"].total.score) == (3.5, 0.7)
    assert list(table) == [("a", "b"), ("b", "a")]


def test_openings_have_their_table():
    games = pairs_of("a", "b", [(1.0, 0.0), (1.0, 1.0), (0.5, 0.0)])
    games.append(record(9, 9, "b", "a", 0.0, opening="opening 0"))
    found = {opening: score_of(counts) for (_, opening), counts in Summary.of(games).openings.items()}
    assert found == {"opening 0": Score(2, 0, 1), "opening 1": Score(1, 0, 1), "opening 2": Score(1, 1, 0)}


def test_nothing_played_is_no_error_and_what_is_no_pair_or_setting_is_refused():
    assert ratings([]) == diagnose([]) == differences([]) == []
    assert crosstable([]) == {}
    for games in (
        [record(0, 0, "a", "a", 1.0)],
        [record(0, 0, "a", "b", 1.0), record(1, 0, "a", "b", 1.0)],
        [*pairs_of("a", "b", [(1.0, 1.0)]), record(2, 0, "a", "b", 1.0)],
    ):
        for function in (crosstable, ratings, diagnose):
            with pytest.raises(ValueError, match=r"met itself|seats swapped"):
                function(games)
    for settings in ({"rating_origin": "z"}, {"resamples": -1}, {"prior": -1.0}):
        with pytest.raises(ValueError, match=r"rating_origin|negative"):
            ratings(event(ONE_PAIR), **settings)


def test_the_baseball_season_of_1987_is_rated_as_in_the_textbook():
    games, teams = [], list(BASEBALL)
    for i, team in enumerate(teams):
        for j in range(i):
            points = [1.0] * BASEBALL[team][j] + [0.0] * BASEBALL[teams[j]][i]
            games += [record(0, len(games) + n, team, teams[j], won) for n, won in enumerate(points)]
    lines = ratings_of(games, prior=0.0, rating_origin="Baltimore", resamples=500)
    logits = {team: lines[team].rating * math.log(10.0) / 400.0 for team in teams}
    assert {team: round(logit, 2) for team, logit in logits.items()} == {
        "Milwaukee": 1.58, "Detroit": 1.44, "Toronto": 1.29, "New York": 1.25, "Boston": 1.11, "Cleveland": 0.68,
        "Baltimore": 0.0,
    }  # fmt: skip
    # The textbook's standard errors of the differences from Baltimore are about 0.3.
    errors = [(lines[team].high - lines[team].low) * math.log(10.0) / 400.0 / 3.92 for team in teams[:-1]]
    assert errors == pytest.approx([0.33] * 6, abs=0.05)  # 0.30 to 0.36, by what the bootstrap draws


def test_two_players_differ_by_the_logit_of_their_score():
    games = pairs_of("a", "b", [(1.0, 0.5)] * 30 + [(0.0, 0.5)] * 10)  # 50 of 80
    (first, second) = ratings(games, prior=0.0, rating_origin="b", resamples=0)
    assert first.rating == pytest.approx(400.0 * math.log10(50 / 30), abs=1e-6)
    assert (first.games, first.points, first.score, first.draws, first.faults) == (80, 50.0, 0.625, 40, 0)
    assert second.rating == 0.0
    assert math.isnan(first.low)
    (first, second) = ratings(games, resamples=0)  # a draw more, and the mean at 0
    assert first.rating == pytest.approx(200.0 * math.log10(50.5 / 30.5), abs=1e-6)
    assert second.rating == pytest.approx(-first.rating)


def test_the_interval_of_two_players_is_that_of_their_pairs():
    random = np.random.default_rng(1)
    games = drawn([40.0, -40.0], 400, random)
    difference = elo_difference(pentanomial(games, "p0", "p1"))
    line = ratings_of(games, rating_origin="p1", resamples=4000)["p0"]
    assert line.low == pytest.approx(difference.low, abs=1.5)
    assert line.high == pytest.approx(difference.high, abs=1.5)
    centred = ratings_of(games, resamples=4000)["p0"]
    assert centred.high - centred.low == pytest.approx((line.high - line.low) / 2, rel=0.001)
    assert ratings(games) == ratings(list(reversed(games)))


def test_a_player_that_won_everything_has_the_lower_end_of_clopper_and_pearson():
    line = ratings_of(pairs_of("a", "b", [(1.0, 1.0)] * 100), rating_origin="b", resamples=4000)["a"]
    assert line.rating == pytest.approx(400.0 * math.log10(200.5 / 0.5), abs=1e-3)
    worst = 0.025 ** (1 / 100)  # the chance of a pair that leaves 2.5 % for a hundred in a row
    assert line.low == pytest.approx(400.0 * math.log10((200 * worst + 0.5) / (200 * (1 - worst) + 0.5)), abs=15.0)
    # A twentieth of the prior's half win is left of what holds the rating from above.
    assert line.high == pytest.approx(400.0 * math.log10(200.5 / 0.025), abs=25.0)
    assert (line.low_from_prior, line.high_from_prior) == (False, True)
    with pytest.raises(ValueError, match="a won every game"):
        ratings(pairs_of("a", "b", [(1.0, 1.0)]), prior=0.0)


WON, LEVEL = (1.0, 1.0), (1.0, 0.0)
ONE_PAIR = {"a b": [WON]}
IN_A_ROW = {"a b": [WON] * 3, "a c": [WON] * 3, "b c": [WON] * 3}


@pytest.mark.parametrize(
    ("results", "origin", "low", "high"),
    [
        (ONE_PAIR, None, "b", "a"),
        (ONE_PAIR, "a", "b", ""),
        ({"a b": [WON], "a c": [WON], "b c": [LEVEL]}, None, "bc", "a"),
        (IN_A_ROW, None, "bc", "ab"),
        (IN_A_ROW, "b", "c", "a"),
        ({f"a {other}": [WON] * 2 for other in "bcdefgh"}, "b", "cdefgh", "acdefgh"),
        ({"a b": [LEVEL] * 3, "a c": [WON] * 3, "b c": [WON] * 3}, "a", "c", ""),
        ({"a b": [LEVEL] * 3, "a c": [(1.0, 0.5)] * 3, "b c": [LEVEL] * 3}, None, "", ""),
        ({"a b": [WON] * 20 + [(1.0, 0.5)]}, None, "", ""),
    ],
)
def test_ends_that_rest_on_the_prior_are_marked_and_move_with_it(results, origin, low, high):
    games = event(results)
    lines = ratings(games, rating_origin=origin, resamples=200)
    assert "".join(sorted(line.player for line in lines if line.low_from_prior)) == low
    assert "".join(sorted(line.player for line in lines if line.high_from_prior)) == high
    weaker = ratings_of(games, rating_origin=origin, resamples=200, prior=0.2)
    for line in lines:
        if line.player == origin:
            assert line.low == line.rating == line.high
        else:
            assert -math.inf < line.low < line.rating < line.high < math.inf
        if line.low_from_prior and line.high_from_prior:
            continue  # both ways at once: what gives on one side holds on the other
        if line.low_from_prior:
            assert weaker[line.player].low < line.low - 5.0
        if line.high_from_prior:
            assert weaker[line.player].high > line.high + 5.0
    assert not any(
        line.low_from_prior or line.high_from_prior for line in ratings(games, rating_origin=origin, resamples=0)
    )


def test_players_that_never_met_have_no_common_scale():
    games = event({"a b": [LEVEL], "c d": [LEVEL]})
    with pytest.raises(ValueError, match="a, b; c, d"):
        ratings(games)
    assert "never met (a, b; c, d)" in diagnose(games)[0]


@pytest.mark.parametrize(("pairs", "prior"), [(50, 1e-6), (500, 1e-100)])
def test_results_too_one_sided_to_rate_are_refused_in_words(pairs, prior):
    ladder = event({couple: [(1.0, 1.0)] * pairs for couple in ("a b", "b c", "c d", "d e")})
    with pytest.raises(ValueError, match=r"too one-sided to rate .*: play more pairs, or give a larger prior"):
        ratings(ladder, prior=prior, resamples=0)


@pytest.mark.slow
def test_95_of_100_intervals_hold_the_truth():
    share = coverage(1000, seed=1, resamples=400)
    print(f"coverage {share:.4f}")
    assert 0.93 < share < 0.97  # its own standard error is below 0.007


def test_pairs_are_counted_by_the_points_of_the_first_player():
    games = [
        *pairs_of("b", "a", [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0)]),
        record(90, 90, "a", "b", 1.0),
        *pairs_of("a", "c", [(1.0, 1.0)], start=99),
    ]
    assert pentanomial(games, "b", "a") == pentanomial(games, "a", "b") == [1, 1, 2, 1, 1]
    assert pentanomial(games, "a", "c") == [0, 0, 0, 0, 1]
    assert pentanomial(games, "b", "c") == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("counts", "elo", "error", "superiority"),
    [
        # Printed by fastchess in the threads xu-shawn/Serendipity#55, brunocodutra/cinder#879, lynx-chess/Lynx#1899 and
        # Disservin/fastchess#807.
        ([283, 1151, 2214, 1221, 281], 2.23, 4.50, 83.40),
        ([115, 1156, 2443, 1233, 141], 4.40, 3.91, 98.64),
        ([235, 1384, 2521, 1341, 239], -1.06, 4.05, 30.33),
        ([30, 6, 18, 0, 6], -168.40, 73.37, 0.00),
    ],
)
def test_differences_are_those_published(counts, elo, error, superiority):
    found = elo_difference(counts)
    assert found.elo == pytest.approx(elo, abs=0.006)
    # Theirs is the normal interval; ours is longer by the half pair against each end, which is less the more pairs.
    assert 0.995 < (found.high - found.low) / 2 / error < 1.0 + 0.8 / math.sqrt(sum(counts))
    assert 100 * found.superiority == pytest.approx(superiority, abs=0.006)


def test_pairs_that_all_ended_alike_leave_doubt_and_what_are_no_pairs_has_no_difference():
    won = elo_difference([0, 0, 0, 0, 50])
    assert (won.score, won.elo, won.high) == (1.0, math.inf, math.inf)
    assert won.low == pytest.approx(463.24, abs=0.01)
    level = elo_difference([0, 0, 50, 0, 0])
    assert (level.elo, level.superiority) == (0.0, 0.5)
    assert level.high == pytest.approx(22.605, abs=0.01)
    for counts in ([0, 0, 0, 0, 0], [1, 2, 3], [1, 1, -1, 1, 1], [1, 1, math.nan, 1, 1]):
        with pytest.raises(ValueError, match="pair"):
            elo_difference(counts)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        # Test values of fastchess (app/tests/sprt_test.cpp).
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
        ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
    ],
)
def test_likelihood_ratios_are_those_published(counts, elo0, elo1, llr):
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(llr, abs=0.0055)


def test_likelihood_ratios_exist_for_all_counts_and_change_sign_with_the_side():
    random = np.random.default_rng(0)
    for _ in range(100):
        counts = random.multinomial(int(10 ** random.uniform(0, 5)), random.dirichlet(np.full(5, 0.3)))
        elo0, elo1 = sorted(random.uniform(-300.0, 300.0, size=2))
        llr = Sprt(elo0, elo1).llr(counts)
        assert math.isfinite(llr)
        assert Sprt(-elo1, -elo0).llr(counts[::-1]) == pytest.approx(-llr, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("settings", [(5.0, 0.0), (0.0, math.inf), (0.0, 5.0, 0.0), (0.0, 5.0, 0.6, 0.5)])
def test_the_test_ends_at_its_bounds_and_impossible_ones_are_refused(settings):
    sprt = Sprt(0.0, 10.0, alpha=0.05, beta=0.10)
    assert sprt.bounds == pytest.approx((-2.2513, 2.8904), abs=1e-4)
    assert sprt.llr([0, 0, 0, 0, 0]) == 0.0
    assert sprt.status([0, 0, 0, 0, 0]) is None
    assert sprt.status([100, 200, 400, 300, 200]) == "H1"
    assert sprt.status([200, 300, 400, 200, 100]) == "H0"
    with pytest.raises(ValueError, match=r"elo0|alpha"):
        Sprt(*settings)


@pytest.mark.slow
def test_error_rates_of_the_sequential_test_are_about_those_asked_for():
    random = np.random.default_rng(0)
    shapes = {"level": (0.1, 0.2, 0.4, 0.2, 0.1), "all or nothing": (0.5, 0.0, 0.0, 0.0, 0.5)}
    for name, shape in shapes.items():
        for gap in (40.0, 150.0):
            sprt = Sprt(0.0, gap)
            ends = [random.choice([0.0, 0.5, 1.0, 1.5, 2.0], p=shape, size=1500).tolist() for _ in range(300)]
            stops = [stop_of(sprt, results) for results in ends]
            wrong = undecided = 0
            for results, stop in zip(ends, stops, strict=True):
                undecided += stop is None
                if stop is not None:
                    counts = np.bincount(np.multiply(results[: stop + 1], 2).astype(int), minlength=5)
                    wrong += sprt.status(counts) == "H1"
            pairs = np.mean([1500 if stop is None else stop + 1 for stop in stops])
            print(f"{name}, 0 against {gap:g}: {100 * wrong / 300:.1f} % wrong, {undecided} open, {pairs:.0f} pairs")
            assert wrong / 300 < 0.11


@pytest.mark.parametrize("seed", range(5))
def test_a_healthy_event_has_no_warnings(seed):
    assert diagnose(drawn([200.0, 60.0, -80.0, -180.0], 60, np.random.default_rng(seed), opening=0.1)) == []


@pytest.mark.parametrize(
    ("elo", "settings", "said"),
    [
        ((20, 0, 0, -20), {"seat": 0.8, "draws": 0.2, "opening": 0.0}, "the same player in 27.7%: the seat decides"),
        ((500, 200, -200, -500), {"seat": 0.3, "opening": 0.0}, None),
        ((60, 20, -20, -60), {"draws": 0.2, "opening": 0.9}, "the same player in 18.5%: the opening decides"),
        ((60, 20, -20, -60), {"draws": 0.2, "opening": 0.0}, None),
    ],
)
def test_what_decides_more_than_the_players_is_reported_and_nothing_else(elo, settings, said):
    found = diagnose(drawn([float(each) for each in elo], 100, np.random.default_rng(0), **settings))
    assert [said is not None and said in line for line in found] == ([] if said is None else [True]), found


def test_faults_and_repetitions_are_reported():
    games = drawn([100.0, -100.0], 50, np.random.default_rng(0), opening=0.0)
    bad = [replace(game, winner=1, fault=0, reason="time") if game.south == "p0" else game for game in games[:6]]
    (warning,) = [line for line in diagnose(bad + games[6:]) if "faults" in line]
    assert warning.startswith("p0 lost 3 of 100 games by faults (3 x answered, but later")
    assert ratings_of(bad + games[6:], resamples=0)["p0"].faults == 3
    games = [replace(game, opening="one", actions=(game.number % 2,)) for game in event({"a b": [LEVEL] * 10})]
    (warning,) = [line for line in diagnose(games) if "different" in line]
    assert warning.startswith("a and b played 20 games but only 2 different ones")


def test_a_fault_is_no_play():
    games = pairs_of("a", "b", [(1.0, 0.0)] * 6)
    forfeits = [replace(game, winner=game.south == "b", fault=0 if game.south == "b" else 1) for game in games]
    forfeits = [
        replace(game, number=game.number + 100, pair=game.pair + 50, winner=1 - game.fault) for game in forfeits
    ]
    never = [replace(record(300 + k, 200 + k, "c", "a", 0.0), fault=0) for k in range(2)]
    alone, mixed = ratings_of(games, resamples=50), ratings_of([*games, *forfeits, *never], resamples=50)
    for name in "ab":
        assert replace(mixed[name], faults=alone[name].faults) == alone[name]
    assert (mixed["a"].faults, mixed["b"].faults, mixed["c"].faults) == (0, 12, 2)
    assert math.isnan(mixed["c"].rating)
    assert differences([*games, *forfeits, *never])[0].counts == (0, 0, 6, 0, 0)


@pytest.mark.parametrize("draws", [np.linspace(5.0, 6.0, 40), np.linspace(-9.0, 0.0, 40), np.linspace(-1.0, 1.0, 40)])
def test_an_estimate_lies_inside_whatever_its_resamples(draws):
    low, high = resampled_interval([0.0], draws[:, None])
    assert low[0] < 0.0 < high[0]
