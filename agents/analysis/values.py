"""What positions and actions are worth to a search, a tree search, a network or endgame tables, side by side; and
several agents in the same positions: what each plays, what that loses, and which agents agree."""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from agents.agent import as_agent
from agents.analysis.frames import pandas
from agents.evaluation.regret.measure import Oracle
from agents.evaluation.statistics import cluster_bootstrap_interval
from agents.search.minimax import RESULT, SEEDS, WIN
from mancala_env import checks
from mancala_env.rules import Ruleset
from mancala_env.state import State

if TYPE_CHECKING:
    from pandas import DataFrame

SUMMARY = ("agent", "positions", "mean_loss", "low", "high", "perfect", "largest_loss")
EVALUATIONS = (
    "state", "position", "evaluator", "unit", "action", "move", "value", "weight", "best", "loss",
)  # fmt: skip


# Anything that says what actions are worth to the mover: the classes here, and oracles. It may have ``name``, ``unit``
# (what values count; else seeds, or wins), ``unit_in(rules)`` where that depends on the game, and ``weights(state)``,
# the share of each action in what it would play.
Valuer = Oracle


class NetworkValues:
    """A trained policy: the result, -1 to 1, that its value head expects after each action; weights are its policy."""

    unit = RESULT

    def __init__(self, network: Any, name: str | None = None) -> None:
        from agents.policy.evaluator import NetworkEvaluator  # brings torch

        self._judge = NetworkEvaluator(network)
        self.rules: Ruleset = self._judge.rules
        self.name = name or (network if isinstance(network, str) else "network")

    def value(self, state: State) -> float:
        """The mover's expected result, -1 to 1: what the value head says, or the result of a finished game."""
        self._check(state)
        if state.is_over:
            return float(state.returns[state.player])
        return float(self._judge(state.array[None], state.legal_mask[None])[1][0])

    def move_values(self, state: State) -> dict[int, float] | None:
        """See ``Valuer``; None if the game is over. ValueError if it is of other rules than the network's."""
        self._check(state)
        if state.is_over:
            return None
        after = {action: state.play(action) for action in state.legal_actions}
        signs = {action: 1.0 if each.player == state.player else -1.0 for action, each in after.items()}
        return {action: signs[action] * self.value(each) + 0.0 for action, each in after.items()}

    def weights(self, state: State) -> dict[int, float]:
        """The policy's probability of each legal action."""
        self._check(state)
        priors = self._judge(state.array[None], state.legal_mask[None])[0][0]
        return {action: float(priors[action]) for action in state.legal_actions}

    def _check(self, state: State) -> None:
        if state.rules != self.rules:
            raise ValueError(f"{self.name} knows {self.rules.name} with the rules it was trained on, not {state}")


def make_valuer(of: Any) -> Valuer:
    """The values on which an agent bases its choice: those of its search, or of its network. ValueError if it has none.

    Examples
    --------
    >>> make_valuer("minimax:depth=2").name
    'minimax:depth=2'
    """
    agent = of if isinstance(of, Valuer) else as_agent(of)
    if isinstance(agent, Valuer):  # all that search among them
        return agent
    if (network := getattr(agent, "network", None)) is not None:
        return NetworkValues(network, agent.name)
    raise ValueError(
        f"{agent.name} says what it plays, not what moves are worth; take a search, a policy, or an oracle of "
        "agents.evaluation.regret"
    )


def evaluations_frame(states: Iterable[State], *valuers: Any) -> "DataFrame":
    """What actions are worth: a line for each position, valuer (as ``make_valuer`` takes them) and action.

    - ``state`` : the number of the position among ``states``; a finished one gets no lines
    - ``position``, ``evaluator``, ``action``, ``move`` : the latter two the number, and as ``State.name`` writes it
    - ``unit`` : what values count: "seeds" (margin), "result" (-1 to 1), "win" (10,000 less plies)
    - ``value`` : for the mover; the largest of a position is the position's
    - ``weight`` : how often the evaluator would play it, 0 to 1; nan if it gives values only
    - ``best``, ``loss`` : no action has a larger value; the largest value less this one

    A position whose values a valuer does not know has no lines from it.
    """
    pd = pandas()
    asked = [make_valuer(valuer) for valuer in valuers]
    lines: list[tuple[Any, ...]] = []
    for number, state in enumerate(states):
        for valuer in asked:
            values = valuer.move_values(state)
            if not values:
                continue
            best = max(values.values())
            weigh = getattr(valuer, "weights", None)
            weights = {} if weigh is None else weigh(state)
            known = number, str(state), name_of(valuer), _unit(valuer, state)
            lines += [
                (*known, action, state.name(action), value, weights.get(action, np.nan), value == best, best - value)
                for action, value in values.items()
            ]
    frame = pd.DataFrame.from_records(lines, columns=list(EVALUATIONS))
    real = dict.fromkeys(("value", "weight", "loss"), "float64")
    return frame.astype({"state": "int64", "action": "int64", "best": "bool", **real})


def name_of(valuer: Valuer) -> str:
    """What a valuer is called in tables."""
    return str(getattr(valuer, "name", type(valuer).__name__))


def _unit(valuer: Valuer, state: State) -> str:
    if (unit_in := getattr(valuer, "unit_in", None)) is not None:
        return str(unit_in(state.rules))
    return str(getattr(valuer, "unit", SEEDS if state.rules.counts_seeds else WIN))


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
        return np.asarray((self.actions[:, None, :] == self.actions[None, :, :]).mean(axis=2))

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
