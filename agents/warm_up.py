"""Compile and load the kernels that a player needs, before a clock runs."""

import copy
from typing import Any

import numpy as np

from agents.batched import batched_agent, play_batched
from agents.mcts import MctsAgent
from agents.search import MinimaxAgent
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules import Ruleset
from mancala_env.state import State

PLIES = 2000  # at most of the game that is played for this; a longer one is not played to its end
SIMULATIONS = 8


def warm(rules: Ruleset, agent: Any = None) -> None:
    """Play as a game will be played, so that none of its moves waits for a kernel to be compiled or loaded: a random
    game, written and read, and the agent's moves at its first and last choice (few seeds, endgame tables); reset it
    afterwards. ValueError if the game is over before it begins, or the agent does not play it."""
    state = rules.start()
    if state.is_over:
        raise ValueError(f"the game is over before it begins, in {state}")
    random = np.random.default_rng(0)
    choices: list[State] = []
    for _ in range(1 if DISABLE_JIT else PLIES):  # without kernels there is nothing to wait for
        if state.is_over:
            break
        if len(state.legal_actions) > 1:
            choices = [*choices[:1], state]
        state = state.play(int(random.choice(state.legal_actions)))
    _ = state.winner, state.scores, state.games
    quick: Any = agent  # or one that needs the same kernels and chooses faster
    if isinstance(agent, MinimaxAgent):
        quick = agent.shallow(rules)
    elif isinstance(agent, MctsAgent):
        quick = copy.copy(agent)
        quick.simulations = min(agent.simulations, SIMULATIONS)
        quick.clock(1.0)  # some time, if it plays by a clock
    for each in (rules.start(), *choices):
        State.parse(rules, str(each))
        if quick is not None:
            quick.act(each)
    alone = agent is not None and batched_agent(agent) is None
    if choices and state.is_over and not alone and (batched := batched_agent(quick)) is not None:
        play_batched(rules, choices[-1:], (batched, batched), np.zeros(1, np.int64), np.zeros((1, 2), np.int64))
