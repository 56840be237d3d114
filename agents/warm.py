"""Before a clock runs: have the kernels there that a player needs, compiled and loaded."""

import copy
from typing import Any

import numpy as np

from agents.mcts import MctsAgent
from agents.search import MinimaxAgent
from agents.together import play_together, rows_agent
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules import Ruleset
from mancala_env.state import State

PLIES = 2000  # of the game that is played for it; a longer one is not played to its end
SIMULATIONS = 8


def warm(rules: Ruleset, agent: Any = None) -> None:
    """Play as a game will be played, so that none of its moves has to wait for a kernel.

    A random game is played to its end, written and read. The agent is asked at its first choice and at its last, where
    few seeds are left, for it may have endgame tables; reset it afterwards.

    Parameters
    ----------
    rules : Ruleset
    agent : Agent, optional
        One of this package: other people's may remember what they were asked.

    Raises
    ------
    ValueError
        If the game is over before it begins, or the agent does not play it.
    """
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
    quick = _quick(agent)
    for each in (rules.start(), *choices):
        State.parse(rules, str(each))
        if quick is not None:
            quick.act(each)
    if choices and state.is_over and (together := rows_agent(quick)) is not None:
        play_together(rules, choices[-1:], (together, together), np.zeros(1, np.int64), np.zeros((1, 2), np.int64))


def _quick(agent: Any) -> Any:
    """An agent that needs the same kernels and takes no time, if there is one."""
    if isinstance(agent, MinimaxAgent):
        return MinimaxAgent(depth=1)
    if isinstance(agent, MctsAgent):
        agent = copy.copy(agent)
        agent.simulations = min(agent.simulations, SIMULATIONS)
    return agent
