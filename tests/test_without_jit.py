"""Without compilation (NUMBA_DISABLE_JIT=1, for debuggers and coverage) every game goes just the same.

``.ci/run`` plays the worked examples so, too."""

import json
import os
import random
import sys

import numba
import pytest

from mancala_env import RULESETS, ruleset
from tests.games import CORE
from tests.processes import python
from tests.strategies import play_on
from tests.test_mcts import searches

pytestmark = pytest.mark.integration

OTHER_GAMES = {
    "oware, every slam a capture": ("oware", {"grand_slam": "capture", "slam_scope": "multi_pit"}),
    "oware, spare a pit": ("oware", {"grand_slam": "spare_last", "pits_per_row": 4, "indeterminacy_max_seeds": 2}),
    "oware, the hungry pass": ("oware", {"feeding": "none", "stuck": "pass", "repetition": 3}),
    "kalah, single seeds captured": ("kalah", {"empty_capture": True, "seeds": 6, "leftover": "emptier"}),
}


def transcripts():
    """For each game what its positions are called, in a few games played at random."""
    games = {name: RULESETS[name] for name in CORE}
    games |= {name: ruleset(game, **changes) for name, (game, changes) in OTHER_GAMES.items()}
    return {
        name: [[told(state) for state in play_on(rules.start(), random.Random(seed), 400)] for seed in range(2)]
        for name, rules in games.items()
    }


def told(state):
    return f"{state} legal={state.legal_actions} scores={state.scores!r} winner={state.winner}"


@pytest.fixture(scope="module")
def plain():
    """What this file prints where nothing is compiled."""
    words = "-W", "error", "-m", "tests.test_without_jit"
    told_there = json.loads(python(*words, environment={**os.environ, "NUMBA_DISABLE_JIT": "1"})[0])
    assert told_there["compiled"] is False
    return told_there


def test_every_game_goes_the_same_without_compilation(plain):
    assert plain["transcripts"] == transcripts()


def test_tree_searches_are_the_same_without_compilation(plain):
    assert plain["searches"] == searches()


if __name__ == "__main__":
    compiled = not numba.config.DISABLE_JIT
    json.dump({"compiled": compiled, "transcripts": transcripts(), "searches": searches()}, sys.stdout)
