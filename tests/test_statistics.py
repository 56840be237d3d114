"""Statistics of random play count what they say, and the pages about the games name all of them."""

import dataclasses
import re
from collections import Counter

import numpy as np
import pytest

import mancala_env as mancala
from docs.game_pages import families
from mancala_env import RULESETS
from mancala_env.random_play import games_table, main, random_play
from mancala_env.rules.fields import DECLARED
from tests.games import CORE
from tests.processes import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")
FIGURES = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")

# South begins with pit 1 or 3, evenly. From pit 1: 0-1-1-2-0, 3-0-0-1-0, 2-1-0-1-0, and North is stuck after three
# plies. From pit 3: 0-2-0-1-1, 1-1-0-1-1, and South is stuck after two. But for the first, no move is a choice.
FORK = mancala.ruleset("reaping", start=(0, 2, 0, 2, 0))

# Medians of plies that were measured by other programs.
MEASURED = {
    "oware": 97, "oware_tutti_a_casa": 88, "oware_liberta": 100, "kalah": 44, "layli_goobalay": 26, "hus": 24,
    "diffusion": 85, "reaping": 29,
}  # fmt: skip


def test_a_fork_goes_both_ways_alike():
    games = 10_000
    found = random_play(FORK, games)
    assert found.games == games
    assert found.south == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(games))  # the longer games
    assert found.south + found.north == pytest.approx(1)
    assert found.draws == 0
    assert found.plies_max == 3
    decisions = 3 * found.south + 2 * found.north
    assert found.branching_mean == pytest.approx((decisions + 1) / decisions)  # two moves at the first, else one
    assert found.branching_max == 2
    assert found.terminations == (("stuck", 1.0),)
    assert found.margin_median is None


@pytest.mark.parametrize("name", ["oware", "oware_liberta", "oware_series_wins", "kiuthi_match", "kalah", "diffusion"])
def test_they_are_those_of_the_same_games_played_as_states(name):
    """Every slot's first game counts, however long it is."""
    n, rules = 40, RULESETS[name]
    states = [rules.start()] * n
    batch = mancala.Batch(rules, n, seed=3)
    plies, choices = [0] * n, []
    while playing := [i for i in range(n) if not states[i].is_over]:
        actions = batch.random_actions()
        for i in playing:
            choices.append(len(states[i].legal_actions))
            states[i], plies[i] = states[i].play(actions[i]), plies[i] + 1
        batch.play(actions[playing], np.array(playing))
    found = random_play(rules, n, seed=3)
    winners = [state.winner for state in states]
    assert found.branching_mean == pytest.approx(np.mean(choices))
    assert found.branching_max == max(choices)
    assert (found.plies_median, found.plies_max) == (np.median(plies), max(plies))
    assert found.plies_p99 == max(plies)
    reasons, scores = [state.termination for state in states], [state.scores for state in states]
    assert found.games == len(winners)
    assert found.south == pytest.approx(winners.count(0) / len(winners))
    assert found.draws == pytest.approx(winners.count(None) / len(winners))
    assert dict(found.terminations) == pytest.approx({why: reasons.count(why) / len(reasons) for why in set(reasons)})
    margins = [abs(south - north) for south, north in (score for score in scores if score and rules.counts_seeds)]
    assert found.margin_median == (np.median(margins) if margins else None)


@pytest.mark.parametrize("name", MEASURED)
def test_random_games_are_as_long_as_others_measured(name):
    assert random_play(name, 2000).plies_median == pytest.approx(MEASURED[name], rel=0.05)


def test_same_seed_same_statistics():
    first, again, other = (random_play("layli_goobalay_match", 60, seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize(("games", "seed"), [(0, 0), (-1, 0), (True, 0), (2.0, 0), (5, -1)])
def test_impossible_numbers_are_refused(games, seed):
    with pytest.raises(ValueError, match="must be a whole number"):
        random_play("kalah", games, seed)


def test_command_prints_a_page_of_tables(capsys):
    main(["kalah:seeds=1", "reaping:max_plies=900,start=[0,2,0,2,0]", "oware_series_wins", "--games", "20"])
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("# Random play\n\nMade by `mancala statistics kalah:seeds=1 ")
    assert "| reaping:start=[0,2,0,2,0],max_plies=900 " in shown.out
    assert "match_target" in shown.out.partition("\n| oware_series_wins ")[2]


def test_rare_is_not_never():
    found = random_play(FORK, 4)
    rare = dataclasses.replace(found, terminations=(("stuck", 0.99999), ("max_plies", 0.00001)))
    assert "stuck > 99.9 %, max_plies < 0.1 %" in games_table([("fork", rare)])[-1]


def _section(name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGES, flags=re.DOTALL | re.MULTILINE)
    assert found, f"docs/games.md has no section {name}"
    return found[1]


@pytest.mark.parametrize("name", CORE)
def test_every_game_has_its_page_and_its_place_among_the_families(name):
    rules, section = RULESETS[name], " ".join(_section(name).split())
    assert f"[`{name}`](#{name})" in PAGES
    assert all(part in section for part in ("**Actions** ", "**Scores** ", "**More fields** ", "**Terminations** "))
    assert f"**Actions** {rules.num_actions}" in section
    assert rules.start().to_text().split("\nGame ")[0] in PAGES


def test_every_game_is_counted():
    missing = [name for name in RULESETS if f"\n| {name} " not in FIGURES]
    assert not missing, f"run the command that stands in docs/statistics.md: it lacks {missing}"


def test_the_games_of_every_family_are_counted():
    rows = re.findall(r"^\| \[[^]]+\]\(\.\./(mancala_env/games/\w+\.py)\) \| (\d+): ", PAGES, flags=re.MULTILINE)
    told = Counter()
    for path, number in rows:
        told[path] += int(number)
    assert told == Counter(families()[name] for name in RULESETS)
    assert f"**One engine, {len(RULESETS)} games.**" in README


@pytest.mark.parametrize("name", CORE)
def test_every_ending_of_random_play_is_on_its_page(name):
    found = random_play(name, 300, seed=1)
    known = _section("oware") + _section(name) if name.startswith("oware_series") else _section(name)
    assert all(f"`{reason}`" in known for reason, _ in found.terminations)


def test_the_pages_name_every_option():
    options = [name for name in DECLARED if name not in ("name", "version")]
    assert [option for option in options if not re.search(rf"`{option}[`=]", PAGES)] == []


def test_defaults_on_the_pages_are_those_of_the_games():
    """Where a page says ``option=value`` of its own game, or a table its default, that is what the ruleset has."""
    compared = 0
    for name in CORE:
        rules = RULESETS[name]
        for option, said in re.findall(r"^\| `(\w+)`[^|]*\| `?([^|:;` ]+)", _section(name), flags=re.MULTILINE):
            if not hasattr(rules, option) or said in ("as", "the", "two"):
                continue
            value = getattr(rules, option)
            assert said.rstrip(",") == (f'"{value}"' if isinstance(value, str) else str(value)), (name, option)
            compared += 1
    assert compared > 25
