"""The report of a run: curves, scores, the best and the worst game, and the lines that a finished training prints."""

import shlex

import numpy as np
import pytest

from agents.agent import make_agent
from mancala_env.games import ruleset
from tests.pages import opened
from training import report

NAME = 'run "<b>bold<!--'
SMALL = "kalah:pits_per_row=2,seeds=2"


@pytest.mark.integration
def test_a_run_has_a_page_with_curves_scores_and_judged_games(browser, tmp_path, capsys):
    pytest.importorskip("torch")
    from training.command import what_next
    from training.ppo import PPOConfig, train

    config = PPOConfig(
        rules=SMALL, steps=64, envs=8, rollout_steps=8, batch_size=64, layers=(8,), pairs=2, opponents=("v1-random",),
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
        assert page.locator("#curves svg.curve").count() == len(report.curves_of(config.folder)) > 0
        named = page.locator("#scores tbody th").all_text_contents()
        assert set(named) == set(report.LADDER)
        assert page.locator("#scores tbody", has_text="at the end of the run").count() == 1
        assert page.locator("#choice option").all_text_contents() == ["The best game", "The worst game"]
    play, made = what_next(config)
    words = shlex.split(play.partition("python -m agents.play ")[2])
    assert words[:2] == ["--web", "--rules"]
    assert ruleset(words[2]) == config.ruleset
    assert make_agent(words[4]).rules == config.ruleset
    assert shlex.split(made)[-1] == config.out


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
