"""The report of a run: curves, scores, the best and the worst game, and the lines that a finished training prints."""

import re
import shlex

import numpy as np
import pytest

from agents.agent import make_agent
from mancala_env.games import ruleset
from tests.pages import opened
from training import report
from training.command import what_next
from training.curves import Curves
from training.ppo import PPOConfig, train

NAME = 'run "<b>bold<!--'
SMALL = "kalah:pits_per_row=2,seeds=2"


@pytest.mark.integration
def test_a_run_has_a_page_with_curves_scores_and_judged_games(browser, tmp_path, capsys):
    config = PPOConfig(
        rules=SMALL, steps=128, envs=8, rollout_steps=8, batch_size=64, layers=(8,), pairs=2, opponents=("v1-random",),
        out=str(tmp_path / NAME),
    )  # fmt: skip
    train(config)
    report.main([config.out, "--pairs", "1", "--games", "2", "--depth", "4"])
    assert f"report: {config.folder / report.REPORT}" in capsys.readouterr().out
    page_text = (config.folder / report.REPORT).read_text(encoding="utf-8")
    with opened(browser, tmp_path, page_text) as page:
        assert page.locator("h1").text_content().startswith(f"{NAME}: ")
        assert page.locator("header b").count() == 0
        assert str(tmp_path) not in page.locator("#settings").text_content()
        assert [page.locator(f"#{part}").count() for part in ("curves", "scores", "games", "settings")] == [1] * 4
        curves = report.curves_of(config.folder)
        assert page.locator("#curves svg.curve").count() == len(curves) > 0
        first = page.locator("#curves figure").first
        assert first.locator("text").all_text_contents() == ["100 %", "0 %", "0", "128 steps"]  # before and after
        assert re.fullmatch(
            r"Score against \S+: [\d.]+ % after 128 steps \(2 points\)", first.text_content().split("steps", 1)[1]
        )
        assert "at that point, in 25 pairs" in page.locator("#curves p").text_content()
        named = page.locator("#scores tbody th").all_text_contents()
        assert set(named) == set(report.LADDER)
        assert page.locator("#scores tbody", has_text="at the end of the run").count() == 1
        assert page.locator("#choice option").all_text_contents() == ["The best game", "The worst game"]
    play, made = what_next(config)
    words = shlex.split(play.partition("mancala play ")[2])
    assert words[:2] == ["--web", "--rules"]
    assert ruleset(words[2]) == config.ruleset
    assert make_agent(words[4]).rules == config.ruleset
    assert shlex.split(made)[-1] == config.out


def test_curves_of_a_run_that_went_on_are_read_without_a_word(tmp_path, capfd, caplog):
    for first, steps in ((0, (1, 2, 3)), (2, (2, 3))):
        curves = Curves(tmp_path / report.CURVES, first, pytest.fail)
        for step in steps:
            curves.write({"train/loss": first + step}, {}, step)
        curves.close()
    assert report.curves_of(tmp_path) == {"train/loss": [(1, 1.0), (2, 4.0), (3, 5.0)]}
    assert (capfd.readouterr().err, caplog.records) == ("", [])


@pytest.mark.parametrize(
    ("points", "marks", "places"),
    [
        ([(32_768, 5.0)], ["5", "32,768 steps"], ["270.0,74.0"]),  # in the middle of its axes
        ([(10, 0.25), (20, 0.25)], ["0.25", "10", "20 steps"], ["68.0,74.0", "472.0,74.0"]),
        ([(10, 0.3), (20, 0.1 + 0.2)], ["0.3", "10", "20 steps"], ["68.0,74.0", "472.0,74.0"]),  # rounding is no change
        ([(1, 0.5), (2, 7470.0)], ["7,470", "0.5", "1", "2 steps"], ["68.0,140.0", "472.0,8.0"]),
    ],
)
def test_axes_are_marked_where_the_points_are(points, marks, places):
    drawn = report.curve_svg("Loss", "", "steps", points)
    assert re.findall(r">([^<>]+)</text>", drawn) == marks
    assert re.search(r'points="([^"]+)"', drawn)[1].split() == places


def test_a_bad_move_is_found_and_the_better_one_named():
    rules = ruleset(SMALL)
    game = report.judge(make_agent("random"), make_agent("v1-depth4"), rules, rules.start(), 0, 3, 20)
    assert game.solved == len(game.replay.actions)
    for ply, (loss, better) in game.losses.items():
        state = game.replay.states[ply]
        values = report.Searcher(rules).search(state, 20, every=True).values
        assert loss == max(values.values()) - values[game.replay.actions[ply]]
        assert values[better] == max(values.values())
    assert game.replay.values[-1] is None
    assert np.isfinite(game.lost)


@pytest.mark.integration
def test_what_is_no_run_is_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit):
        report.main([str(tmp_path)])
    assert "holds no policy" in capsys.readouterr().err
