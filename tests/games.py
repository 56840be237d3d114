"""Games played at random, for tests that run over every ruleset."""

import numpy as np

import mancala_env as mancala
from mancala_env import State

GAMES = list(mancala.RULESETS)


def random_game(rules: mancala.Ruleset, seed: int) -> tuple[list[int], list[State]]:
    """Actions and positions of one random game, from the start to the end."""
    random = np.random.default_rng(seed)
    states, actions = [rules.start()], []
    while not states[-1].is_over:
        actions.append(int(random.choice(states[-1].legal_actions)))
        states.append(states[-1].play(actions[-1]))
    return actions, states
