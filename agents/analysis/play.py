"""One game between two agents, to look at. Tournaments (``agents.tournament``) are for counting."""

import copy
from typing import Any

from agents.agent import as_agent
from agents.evaluation.openings import seeds_of
from mancala_env import checks
from mancala_env.replay import Replay
from mancala_env.state import State, the_state


def play_out(start: State, south: Any, north: Any = None, *, seed: int = 0, title: str = "") -> Replay:
    """Let two agents, or whatever else can play (``agents.agent.as_agent``), or copies of one, play from a position to
    the end. ``seed`` fixes the game; ``title`` stands above the board. IllegalAction if an agent plays an illegal
    action.
    """
    seats = [copy.deepcopy(as_agent(one)) for one in (south, north or south)]
    for agent, own_seed in zip(seats, seeds_of(checks.seed(seed)), strict=True):
        agent.reset(own_seed)
    states, actions = [the_state(start, "start")], []
    while not states[-1].is_over:
        actions.append(int(seats[states[-1].player].act(states[-1])))
        states.append(states[-1].play(actions[-1]))
    return Replay(
        rules=start.rules, states=states, actions=actions, players=(seats[0].name, seats[1].name), title=title
    )
