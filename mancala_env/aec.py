"""The games as PettingZoo environments: two agents (in a solitaire one), one position, the agent to move selected."""

import copy
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from mancala_env import checks
from mancala_env.games import ruleset
from mancala_env.infos import ILLEGAL
from mancala_env.kernels import layout
from mancala_env.observation import make_encoder
from mancala_env.render.screen import RENDER_MODES, check_mode, show
from mancala_env.rules import Ruleset
from mancala_env.state import State

PLAYERS = ("player_0", "player_1")
_SEATS = {name: np.array([seat], dtype=np.int8) for seat, name in enumerate(PLAYERS)}
_CODES = [np.array(code, dtype=np.int8) for code in range(len(layout.TERMINATIONS))]

Observation = dict[str, npt.NDArray[Any]]


class Info(dict[str, npt.NDArray[Any]]):
    """The info of an agent (``MancalaEnv``). ``info["action_mask"]``, the mask of the observation, can be looked up but
    is not listed: TorchRL's ``PettingZooWrapper`` fails where both the observation and an info list one."""

    __slots__ = ("mask",)
    mask: Callable[[], npt.NDArray[np.int8]]  # makes it when it is looked up

    def __missing__(self, key: str) -> npt.NDArray[Any]:
        return {"action_mask": self.mask}[key]()

    def __contains__(self, key: object) -> bool:
        return key == "action_mask" or super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The array of ``key``, or ``default`` if there is none."""
        return self[key] if key == "action_mask" else super().get(key, default)


class MancalaEnv(AECEnv[str, Any, Any]):
    """One game for two players, without checks (``raw_env``); an illegal action raises ``IllegalAction``.

    Actions
        Discrete(A): counted from the left of whichever player moves (``Ruleset.pit`` gives the pit).
    Observations
        {"observation": float32[...], "action_mask": int8[A]}: the board from the agent's own side, as the encoder
        writes it, and its legal actions: all 0 for the agent not to move, and at the end.
    Rewards
        +1 / 0 / -1 when the game ends, to both agents; 0 before.
    End
        By the rules of the game, for both agents at once. Truncation only by ``max_cycles``.
    Infos
        ``termination`` (``mancala_env.infos``). ``info["action_mask"]`` gives the mask, too, without being listed
        (``Info``).

    After an extra turn ``agent_selection`` stays. A solitaire has one agent, ``player_0``. A match is one episode.
    ``position`` is the State: to search, copy or draw it, or to read in words how it ended (``position.termination``)
    and all games of a match (``position.games``). ``copy.deepcopy`` makes an independent environment.

    Parameters
    ----------
    rules : name of a game, or a Ruleset
    encoder : a key of ``mancala_env.observation.ENCODERS``
    render_mode : "human", "ansi", "rgb_array" (needs the extra ``render``) or None
    max_cycles : number of moves after which a game is truncated; None: only the rules end a game
    **changes : options of the game, as in ``mancala_env.ruleset``
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "mancala",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str | Ruleset = "oware",
        *,
        encoder: str = "onehot",
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **changes: Any,
    ) -> None:
        super().__init__()
        self.rules = ruleset(rules, **changes)
        self.encoder = make_encoder(encoder, self.rules)
        check_mode(render_mode)
        if max_cycles is not None and (not checks.is_whole(max_cycles) or max_cycles < 1):
            raise ValueError(f"max_cycles must be 1 or more, or None, not {max_cycles!r}")
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.metadata = {**self.metadata, "name": f"{self.rules.name}_v{self.rules.version}"}  # type: ignore[misc]
        self.possible_agents = list(PLAYERS[: self.rules.players])
        actions = self.rules.num_actions
        seen, mask = spaces.Box(0.0, 1.0, self.encoder.shape, np.float32), spaces.Box(0, 1, (actions,), np.int8)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict({"observation": copy.deepcopy(seen), "action_mask": copy.deepcopy(mask)})
            for agent in self.possible_agents
        }
        self.state_space = spaces.Box(self.rules.ranges.low, self.rules.ranges.high, dtype=np.int16)
        self._last: tuple[State, int] | None = None  # the position before, and what was played there
        self._over_at = self.rules.board.pits + layout.OVER
        self._no_actions = self.rules.bound.choices[0][2]  # makes the mask of who may not play
        self._observed: Any = None  # what writes an observation; made when first asked for, as it may have to compile

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observations of ``agent``."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The actions of ``agent``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game, at ``options["position"]`` if given, a State or its text. ``seed`` changes nothing."""
        checks.seed(seed, optional=True)
        position = (options or {}).get("position", self.rules.start())
        if isinstance(position, str):
            position = State.parse(self.rules, position)
        if not isinstance(position, State) or position.rules != self.rules:
            raise ValueError(f"{position!r} is no position of {self.rules.name} as this environment plays it")
        self._last, self._moves = None, 0
        agents = self.possible_agents
        self.agents = list(agents)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self._skip_agent_selection: Any = None
        self._show(position)
        if position.is_over:
            self._finish()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_observed": None}

    def _show(self, position: State) -> None:
        self.position = position
        self.agent_selection = self._mover = PLAYERS[position.player]
        self._inform(_CODES[position._data.item(self._over_at)])

    def _inform(self, ended: npt.NDArray[np.int8]) -> None:
        self.infos: dict[str, Info] = {}
        for name in self.possible_agents:
            self.infos[name] = info = Info(termination=ended.copy())
            info.mask = self.position._choices[2] if name is self._mover else self._no_actions

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees of the position."""
        if (observed := self._observed) is None:
            observed = self._observed = self.encoder._for_one()
        position = self.position
        mask = position._choices[2]() if agent == self._mover else self._no_actions()
        return {"observation": observed(position._data[None], _SEATS[agent])[0], "action_mask": mask}

    def state(self) -> npt.NDArray[np.int16]:
        """int16[W]: the whole position, the same for both agents (``mancala_env.kernels.layout``)."""
        return self.position.array

    def step(self, action: Any) -> None:
        """Play for ``agent_selection``; None for an agent that is done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        before = self.position
        self._show(before.play(action))
        self._moves += 1
        self._last = before, action
        self._cumulative_rewards[agent] = 0.0
        if self.position.is_over:
            self._finish()
        elif self.max_cycles is not None and self._moves >= self.max_cycles:
            self.truncations = dict.fromkeys(self.possible_agents, True)
        if self.render_mode == "human":
            self.render()

    def _finish(self) -> None:
        self.rewards = dict(zip(self.possible_agents, self.position.returns, strict=False))  # a solitaire has one
        self.terminations = dict.fromkeys(self.possible_agents, True)
        self._accumulate_rewards()

    def render(self) -> Any:
        """The board with the last move: a str in mode "ansi", uint8[H, W, 3] in "rgb_array"; "human" prints it."""
        if self.render_mode is None:
            EnvLogger.get_logger().warning("render() needs a render_mode: make the env with render_mode='ansi', say")
            return None
        trace = None  # that of the last move, if one led to this position on this board
        if self._last is not None and self._last[0].game == self.position.game:
            trace = self._last[0].trace(self._last[1])
        return show(self.render_mode, self.rules, self.position.array, trace)

    def close(self) -> None:
        """Do nothing: no window is open. PettingZoo's test asks for it."""


raw_env = MancalaEnv
_BY_RESET = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents", "position")


class CheckedMancalaEnv(MancalaEnv):
    """``MancalaEnv`` with the checks of PettingZoo's wrappers (``env``): use before ``reset`` and actions outside the
    space are errors, an illegal action ends the game with -1 for the agent that played it and 0 for the other."""

    _asked = False  # agent_iter has named an agent that has not moved yet

    def __getattr__(self, name: str) -> Any:
        if name in _BY_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset: call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; see ``MancalaEnv.reset``."""
        super().reset(seed, options)
        self._asked = False

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield the agent to move until the game is over; the loop must ``step`` (or ``reset``) each time."""
        while self.agents and max_iter > 0:
            assert not self._asked, "need to call step() or reset() in a loop over `agent_iter`"
            self._asked = True
            max_iter -= 1
            yield self.agent_selection

    def step(self, action: Any) -> None:
        """Play for ``agent_selection``; None for an agent that is done. AssertionError for an action of no agent."""
        self._asked = False
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        dead, actions = self.terminations[agent] or self.truncations[agent], self.action_spaces[agent].n
        is_action = checks.is_whole(action) and 0 <= int(action) < actions  # faster than Discrete.contains
        assert is_action or (action is None and dead), (
            f"{action!r} is not in the action space Discrete({actions}) of {self.rules.name}"
        )
        if dead or int(action) in self.position.legal_actions:
            super().step(action if dead else int(action))
            return
        EnvLogger.warn_on_illegal_move()
        self._inform(np.array(ILLEGAL, dtype=np.int8))
        self.terminations = dict.fromkeys(self.possible_agents, True)
        self.truncations = dict.fromkeys(self.possible_agents, True)
        self.rewards = {name: -1.0 if name == agent else 0.0 for name in self.possible_agents}
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._deads_step_first()


env = CheckedMancalaEnv
