"""OpenSpiel's interfaces in both directions: its bots and policies as agents here, and agents from here as its bots.

Nothing of OpenSpiel is needed. Its game ``mancala`` is ``kalah`` here, its ``oware`` is ``oware`` with
``grand_slam=no_capture`` and ``indeterminacy_max_seeds=0``, and actions are numbered as there: in ``mancala`` an action
is a hole, 1 to 6 and 8 to 13, with North's store as hole 0 and South's as 7; in all other games, and in ``kalah`` with
more than one action for each pit, it is counted from the mover's left, from 0.
"""

import inspect
import math
import random
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from agents.agent import as_agent
from agents.bots.serving.foreign import ForeignAgent, is_among
from mancala_env import checks
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State

CHANCE, TERMINAL = -1, -4  # players, as OpenSpiel numbers them
_METHODS = ("step", "action_probabilities")


class SpielGame:
    """A ruleset with the methods of OpenSpiel's ``Game``.

    Parameters
    ----------
    rules : Ruleset
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        board = rules.board
        one_each = rules.num_actions * 2 == board.pits  # no choice of direction, and no pass
        self.holes = rules.name == "kalah" and board.kind == "two_rows" and one_each

    def __str__(self) -> str:
        return f"{self.rules.name}()"

    def number(self, player: int, action: int) -> int:
        """OpenSpiel's number of a player's action."""
        return action + (1, self.rules.num_actions + 2)[player] if self.holes else action

    def action(self, player: int, number: int) -> int:
        """The player's action that has this number in OpenSpiel."""
        return number - (1, self.rules.num_actions + 2)[player] if self.holes else number

    def num_distinct_actions(self) -> int:
        """How many actions have numbers."""
        return self.rules.board.pits + 2 if self.holes else self.rules.num_actions

    def num_players(self) -> int:
        """One or two."""
        return self.rules.players

    def min_utility(self) -> float:
        """A lost game."""
        return -1.0

    def max_utility(self) -> float:
        """A game won."""
        return 1.0

    def utility_sum(self) -> float:
        """Of both players."""
        return 0.0

    def max_game_length(self) -> int:
        """Plies; 0: without limit."""
        return self.rules.max_plies

    def observation_tensor_shape(self) -> list[int]:
        """One axis."""
        return [self.observation_tensor_size()]

    def observation_tensor_size(self) -> int:
        """Of ``SpielState.observation_tensor``."""
        return self.rules.board.pits + (4 if self.holes else 2)

    def get_type(self) -> SimpleNamespace:
        """With ``short_name``: OpenSpiel's name of the game where it has one."""
        return SimpleNamespace(short_name="mancala" if self.holes else self.rules.name)

    def get_parameters(self) -> dict[str, Any]:
        """None."""
        return {}

    def new_initial_state(self) -> "SpielState":
        """The start of the game."""
        return SpielState(self, self.rules.start())


class SpielState:
    """A position with the methods of OpenSpiel's ``State``.

    Parameters
    ----------
    game : SpielGame
    begin : State
        From where the actions are known: the start of the game, where possible.
    actions : sequence of int
        Played since, numbered as here.
    """

    def __init__(self, game: SpielGame, begin: State, actions: Sequence[int] = ()) -> None:
        self._game, self._state = game, begin
        self._history: list[tuple[int, int]] = []
        for action in actions:
            self._play(action)

    def _play(self, action: int) -> None:
        self._history.append((self._state.player, self._game.number(self._state.player, action)))
        self._state = self._state.play(action)

    def __str__(self) -> str:
        return str(self._state)

    @property
    def position(self) -> State:
        """The position as the rest of this project knows it."""
        return self._state

    def get_game(self) -> SpielGame:
        """The game."""
        return self._game

    def current_player(self) -> int:
        """0 South, 1 North, -4 when the game is over."""
        return TERMINAL if self._state.is_over else self._state.player

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Numbers of the mover's actions, ascending; none for another player."""
        mover = self._state.player
        if self._state.is_over or player not in (None, mover):
            return []
        return [self._game.number(mover, action) for action in self._state.legal_actions]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """1 for each legal action, 0 for others."""
        legal = set(self.legal_actions(player))
        return [int(number in legal) for number in range(self._game.num_distinct_actions())]

    def history(self) -> list[int]:
        """Numbers of the actions so far."""
        return [number for _, number in self._history]

    def full_history(self) -> list[SimpleNamespace]:
        """The actions so far, each with ``player`` and ``action``."""
        return [SimpleNamespace(player=player, action=number) for player, number in self._history]

    def history_str(self) -> str:
        """``history`` as text."""
        return ", ".join(map(str, self.history()))

    def move_number(self) -> int:
        """How many actions that were."""
        return len(self._history)

    def information_state_string(self, player: int | None = None) -> str:
        """What a player knows: all that has happened."""
        return self.history_str()

    def observation_string(self, player: int | None = None) -> str:
        """The board."""
        return str(self._state)

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Seeds: of ``mancala`` the holes from 0 on, the mover and the number of moves, in others as shares of all.

        South's pits, North's pits, South's store and North's in the latter, as in ``oware``.
        """
        pits, stores, n = self._state.pits, self._state.stores, self._state.rules.board.pits // 2
        if not self._game.holes:
            return [seeds / max(1, self._state.rules.total_seeds) for seeds in (*pits, *stores)]
        mover = float(self.current_player())
        return [*map(float, (stores[1], *pits[:n], stores[0], *pits[n:])), mover, float(len(self._history))]

    information_state_tensor = observation_tensor

    def is_terminal(self) -> bool:
        """Is the game over?"""
        return self._state.is_over

    def is_chance_node(self) -> bool:
        """Never."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Never."""
        return False

    def returns(self) -> list[float]:
        """1, 0 or -1 for each player; 0 before the end."""
        return list(map(float, self._state.returns)) if self._state.is_over else [0.0] * self.num_players()

    def rewards(self) -> list[float]:
        """The same: nothing comes before the end."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """Of one player."""
        return self.returns()[player]

    def num_players(self) -> int:
        """One or two."""
        return self._game.num_players()

    def num_distinct_actions(self) -> int:
        """As the game has them."""
        return self._game.num_distinct_actions()

    def action_to_string(self, *of: int) -> str:
        """The name of an action (of the mover), or of a player and an action."""
        *player, number = of
        return self._state.name(self._game.action(player[0] if player else self._state.player, number))

    def string_to_action(self, *of: Any) -> int:
        """The number of the mover's action with this name; a player before it is passed over."""
        return self._game.number(self._state.player, self._state.parse_move(of[-1]))

    def apply_action(self, number: int) -> None:
        """Play an action. Raises ``IllegalAction`` if it is not legal."""
        self._play(self._game.action(self._state.player, int(number)))

    def child(self, number: int) -> "SpielState":
        """The position after an action; this one stays."""
        after = self.clone()
        after.apply_action(number)
        return after

    def clone(self) -> "SpielState":
        """A copy."""
        copied = SpielState(self._game, self._state)
        copied._history = list(self._history)
        return copied


class SpielAgent(ForeignAgent):
    """A bot or a policy of OpenSpiel's kind as an agent of this project.

    A bot has ``step(state)``, and may have ``restart()`` and ``inform_action(state, player, action)``, which is called
    for every action that it has not chosen; a policy has
    ``action_probabilities(state)``, a mapping of actions to probabilities, one of which is drawn. A class is called
    before the first move of each game, with those of ``game``, ``player_id`` and ``seed`` that it names as parameters.

    Parameters
    ----------
    made : object
        A bot, a policy, or a class of one.
    name : str

    Raises
    ------
    ValueError
        If it has neither method.
    """

    def __init__(self, made: Any, name: str) -> None:
        if not any(callable(getattr(made, method, None)) for method in _METHODS):
            raise ValueError(f"{name} has neither step(state) nor action_probabilities(state)")
        super().__init__(name)
        self._made = made
        self._bot: Any = None
        self._known = 0
        self._line: tuple[State, Sequence[int]] | None = None

    def reset(self, seed: int) -> None:
        """Before each game."""
        super().reset(seed)
        self._seed, self._random = seed, random.Random(seed)
        self._bot, self._known = None, 0

    def hear(self, begin: State, actions: Sequence[int]) -> None:
        """What has been played, from the start if that is known."""
        self._line = begin, actions

    def act(self, state: State) -> int:
        """The action that it chooses. Raises IllegalAction, in its numbers, if that is none."""
        begin, actions = self._line or (state, ())
        self._line = None
        game = SpielGame(state.rules)
        if self._bot is None:
            self._bot = self._start(game, state.player)
        now = SpielState(game, begin)
        informs = getattr(self._bot, "inform_action", None)
        for k, action in enumerate(actions):
            mover = now.current_player()
            if callable(informs) and k >= self._known:  # of its own those of the opening, which it did not choose
                informs(now.clone(), mover, game.number(mover, action))
            now.apply_action(game.number(mover, action))
        self._known = len(actions) + 1
        chosen = self._choose(now)
        if not is_among(chosen, now.legal_actions()):
            raise IllegalAction(f"{self.name} chose {chosen!r:.80}, not of {now.legal_actions()}")
        return game.action(state.player, int(chosen))

    def _start(self, game: SpielGame, player: int) -> Any:
        if not isinstance(self._made, type):
            if callable(restart := getattr(self._made, "restart", None)):
                restart()
            return self._made
        offered = {"game": game, "player_id": player, "seed": self._seed}
        return self._made(**{name: offered[name] for name in offered.keys() & _parameters(self._made)})

    def _choose(self, state: SpielState) -> Any:
        if callable(step := getattr(self._bot, "step", None)):
            return step(state)
        shares = {number: float(share) for number, share in dict(self._bot.action_probabilities(state)).items()}
        numbers = sorted(shares)
        weights = [shares[number] for number in numbers]
        if min(weights, default=0.0) < 0 or not 0 < sum(weights) < math.inf:
            raise IllegalAction(f"{self.name} gave no probabilities of {state.legal_actions()}, but {shares!r:.80}")
        return self._random.choices(numbers, weights)[0]


def _parameters(made: Callable[..., Any]) -> set[str]:
    try:
        return set(inspect.signature(made).parameters)
    except (TypeError, ValueError):
        return set()


class SpielBot:
    """An agent of this project as a bot of OpenSpiel, for its games ``mancala`` and ``oware``, or a ``SpielState``.

    Parameters
    ----------
    player : Agent or str
        As ``as_agent`` takes it.
    rules : Ruleset or str
        The game, as said above.
    seed : int
        For each game.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> bot = SpielBot("minimax:depth=2", "kalah")
    >>> bot.step(SpielGame(mancala.ruleset("kalah")).new_initial_state())
    3
    """

    def __init__(self, player: Any, rules: Ruleset | str, seed: int = 0) -> None:
        self._agent, self._game, self._seed = as_agent(player), SpielGame(checks.rules_of(rules)), seed
        self.restart()

    def restart(self) -> None:
        """A new game begins."""
        self._agent.reset(self._seed)

    def restart_at(self, state: Any) -> None:
        """A game goes on from a position."""
        self.restart()

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Nothing to do: positions have their history."""

    def step(self, state: Any) -> int:
        """The number of the action to play in a state of OpenSpiel's.

        Raises
        ------
        ValueError
            If its game is not played by these rules: its history or its legal actions are others.
        """
        game = self._game
        position = game.rules.start()
        for number in state.history():
            position = position.play(game.action(position.player, int(number)))
        legal = [game.number(position.player, action) for action in position.legal_actions]
        if legal != list(state.legal_actions()):
            raise ValueError(f"{state}: legal are {state.legal_actions()} there, and {legal} by {game.rules.name} here")
        return game.number(position.player, int(self._agent.act(position)))

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The same action, as a policy too."""
        chosen = self.step(state)
        return [(number, float(number == chosen)) for number in state.legal_actions()], chosen
