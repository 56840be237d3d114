"""Several agents in the same positions: what each plays, what that loses, and which agents agree."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from agents.agent import as_agent
from agents.analysis.frames import pandas
from agents.analysis.values import make_valuer, name_of
from agents.evaluation.statistics import cluster_bootstrap_interval
from mancala_env import checks
from mancala_env.state import State

if TYPE_CHECKING:
    from pandas import DataFrame

SUMMARY = ("agent", "positions", "mean_loss", "low", "high", "perfect", "largest_loss")


@dataclass(frozen=True)
class Comparison:
    """The actions of m agents in n positions, and their values."""

    agents: tuple[str, ...]  # their names
    states: tuple[State, ...]
    actions: npt.NDArray[np.int64]  # [m, n]
    # float64[m, n]: the largest value in the position less that of the action, in the unit of the truth; nan where it
    # cannot tell
    losses: npt.NDArray[np.float64]
    values: tuple[dict[int, float] | None, ...]  # for each position, of each action by ``truth``; None: not known
    truth: str  # the name of the evaluator of these values
    groups: npt.NDArray[np.int64]  # [n]: positions of one group (a game, say) are resampled as a whole for intervals
    seed: int = 0

    @property
    def agreement(self) -> npt.NDArray[np.float64]:
        """float64[m, m]: the share of positions in which two agents play the same action, 0 to 1."""
        same = self.actions[:, None, :] == self.actions[None, :, :]
        shares: npt.NDArray[np.float64] = same.mean(axis=2)
        return shares

    def summary(self) -> "DataFrame":
        """A line for each agent, in the order they were given: ``agent``, ``positions`` (those of known values),
        ``mean_loss`` with ``low`` and ``high``, the 95 % interval of ``cluster_bootstrap_interval`` over groups,
        ``perfect`` (the share of moves that lose nothing), ``largest_loss``. ValueError if the truth knows none of the
        positions.
        """
        known = np.array([values is not None for values in self.values], dtype=np.bool_)
        if not known.any():
            raise ValueError(f"{self.truth} knows the values of none of the {len(self.states)} positions")
        lines = []
        for agent, losses in zip(self.agents, self.losses[:, known], strict=True):
            low, high = cluster_bootstrap_interval(losses, self.groups[known], self.seed)
            perfect = float((losses == 0).mean())
            lines.append((agent, len(losses), float(losses.mean()), low, high, perfect, float(losses.max())))
        return pandas().DataFrame.from_records(lines, columns=list(SUMMARY))


def compare(
    agents: Sequence[Any],
    states: Sequence[State],
    truth: Any = None,
    *,
    groups: Sequence[int] | None = None,
    seed: int = 0,
) -> Comparison:
    """Let agents choose a move in each position, and a better informed evaluator say what each move is worth.

    Copies play, reset before every position. ValueError if there is no agent or position, a game is over, an agent
    plays an illegal action, two share a name, or the truth has no value for an action that was played.

    Parameters
    ----------
    agents : as ``agents.as_agent`` takes them
    states : running positions
    truth : optional
        As ``make_valuer`` takes it: an oracle of ``agents.evaluation.regret`` for exact values, ``"minimax:depth=12"``
        for those of a deep search. Default: ``"minimax:depth=8"``.
    groups : int for each position (see ``Comparison``); default: each is a group of its own
    seed : of the agents, and of the resampling
    """
    players = [copy.deepcopy(as_agent(agent)) for agent in agents]
    seed = checks.seed(seed)
    names = tuple(player.name for player in players)
    if not players or not states:
        raise ValueError(f"a comparison needs agents and positions, not {len(players)} and {len(states)}")
    if len(set(names)) < len(names):
        raise ValueError(f"two agents are called alike among {', '.join(names)}; give them names of their own")
    clusters = np.arange(len(states)) if groups is None else np.asarray(groups, dtype=np.int64)
    if clusters.shape != (len(states),):
        raise ValueError(f"groups must be a number for each of {len(states)} positions, not {clusters.shape}")
    valuer = make_valuer("minimax:depth=8" if truth is None else truth)
    actions = np.empty((len(players), len(states)), dtype=np.int64)
    losses = np.full((len(players), len(states)), np.nan)
    known = []
    for number, state in enumerate(states):
        if state.is_over:
            raise ValueError(f"there is nothing to play: the game is over in {state}")
        values = valuer.move_values(state)
        known.append(values)
        own_seed = int(np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(1)[0])
        for k, player in enumerate(players):
            player.reset(own_seed)
            action = int(player.act(state))
            if action not in state.legal_actions:
                raise ValueError(f"{player.name} plays {action}, legal actions are {state.legal_actions}, in {state}")
            actions[k, number] = action
            if values is not None:
                if action not in values:
                    raise ValueError(f"{name_of(valuer)} has no value for action {action} in {state}")
                losses[k, number] = max(values.values()) - values[action]
    return Comparison(names, tuple(states), actions, losses, tuple(known), name_of(valuer), clusters, seed)
