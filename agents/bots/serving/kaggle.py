"""Agents in the style of Kaggle's simulations, ``agent(observation, configuration)``, in both directions."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from agents.agent import as_agent
from agents.bots.serving.foreign import ForeignAgent, reset_if_it_can
from mancala_env.rules.plain import as_plain, from_plain
from mancala_env.state import State


class Struct(dict[str, Any]):
    """A dictionary whose values are attributes as well: ``observation.mark`` is ``observation["mark"]``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; there are {', '.join(self)}") from None


def observation_of(state: State, overage: float = 0.0) -> Struct:
    """A position as an agent of Kaggle's reads it.

    Parameters
    ----------
    state : State
    overage : float
        Seconds beyond the time for each move that are left to it.

    Returns
    -------
    Struct
        ``board``, the seeds of all pits in canonical order; ``stores``, South's and North's; ``mark``, 1 for South and
        2 for North, who is to move; ``legal_actions`` and their names, ``legal_moves``; ``step``, the moves so far of
        both players; ``position``, as ``State.parse`` reads it; ``remainingOverageTime``.
    """
    return Struct(
        board=list(map(int, state.pits)),
        stores=list(map(int, state.stores)),
        mark=state.player + 1,
        legal_actions=list(map(int, state.legal_actions)),
        legal_moves=[state.name(action) for action in state.legal_actions],
        step=state.ply,
        position=str(state),
        remainingOverageTime=overage,
    )


def configuration_of(state: State, seconds: float | None = None) -> Struct:
    """``rules`` as data, the game's ``name``, ``columns``, ``episodeSteps`` and ``actTimeout`` (seconds for a move)."""
    rules = state.rules
    return Struct(
        name=rules.name,
        columns=rules.board.columns,
        rules=as_plain(rules, whole=True),
        episodeSteps=rules.max_plies,
        actTimeout=seconds,
    )


class KaggleAgent(ForeignAgent):
    """A callable of Kaggle's kind as an agent of this project.

    Parameters
    ----------
    function : callable
        Of an observation and, if it takes two arguments, a configuration; returns an action.
    name : str
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        super().__init__(name)
        self._function = function
        self._both = _takes_two(function)
        self._limits: Mapping[str, int] = {}

    def reset(self, seed: int) -> None:
        """Before each game."""
        super().reset(seed)
        reset_if_it_can(self._function, seed)
        self._limits = {}

    def heed(self, asked: Mapping[str, int]) -> None:
        """Limits of the next move in milliseconds, as a host sends them."""
        self._limits = asked

    def act(self, state: State) -> Any:
        """What the function returns, legal or not."""
        seen = observation_of(state, self._limits.get("bank", 0) / 1000)
        if not self._both:
            return self._function(seen)
        movetime = self._limits.get("movetime")
        return self._function(seen, configuration_of(state, None if movetime is None else movetime / 1000))


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        kinds = [each.kind for each in inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return True
    placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Parameter.VAR_POSITIONAL in kinds or sum(kind in placed for kind in kinds) > 1


def kaggle_agent(player: Any, seed: int = 0) -> Callable[[Mapping[str, Any], Mapping[str, Any]], int]:
    """An agent of this project as a callable of Kaggle's kind, for observations as ``observation_of`` makes them.

    It plays the rules that ``configuration.rules`` holds, one game after the other.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> start = mancala.ruleset("kalah").start()
    >>> kaggle_agent("minimax:depth=2")(observation_of(start), configuration_of(start))
    2
    """
    agent = as_agent(player)
    agent.reset(seed)

    last = -1

    def play(observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> int:
        nonlocal last
        if observation["step"] <= last:  # a new game
            agent.reset(seed)
        last = observation["step"]
        state = State.parse(from_plain(configuration["rules"]), observation["position"])
        return int(agent.act(state))

    play.__name__ = agent.name
    return play
