"""Bots of OpenSpiel as agents here, and agents from here as its bots, in the games that both know.

OpenSpiel's ``mancala`` is ``kalah`` here, its actions are holes, 1 to 6 for South and 8 to 13 for North; its ``oware``
is ``oware`` with ``grand_slam="no_capture"`` and ``indeterminacy_max_seeds=0``, with actions as here.
"""

from collections.abc import Callable, Sequence
from typing import Any

from agents.agent import as_agent
from mancala_env.games import ruleset
from mancala_env.state import IllegalAction, State

RULES = {
    "mancala": ruleset("kalah"),
    "oware": ruleset("oware", grand_slam="no_capture", indeterminacy_max_seeds=0),
}
_FIRST = {"mancala": (1, 8), "oware": (0, 0)}  # OpenSpiel's number of South's action 0, and of North's


class SpielBot:
    """An agent of this project as a bot of OpenSpiel.

    Parameters
    ----------
    player : Agent or str
        As ``as_agent`` takes it.
    game : str
        OpenSpiel's name of the game.
    seed : int
        For each game.
    """

    def __init__(self, player: Any, game: str, seed: int = 0) -> None:
        self._agent, self._seed = as_agent(player), seed
        self._rules, self._first = RULES[game], _FIRST[game]
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
        """The action to play in a state of OpenSpiel's. Raises ValueError if its game has other rules."""
        position = self._rules.start()
        for number in state.history():
            position = position.play(number - self._first[position.player])
        first = self._first[position.player]
        if [first + action for action in position.legal_actions] != list(state.legal_actions()):
            raise ValueError(f"{state}: other moves are legal here, by {self._rules.name} in {position}")
        return first + int(self._agent.act(position))


class SpielAgent:
    """A bot of OpenSpiel as an agent of this project.

    Parameters
    ----------
    make_bot : callable
        Of ``game`` and ``player_id``, makes a bot with ``step(state)``, for each game anew.
    game : str
        OpenSpiel's name of the game.
    name : str, optional
    """

    def __init__(self, make_bot: Callable[[Any, int], Any], game: str, name: str = "") -> None:
        import pyspiel

        self._make_bot, self._game, self._first = make_bot, pyspiel.load_game(game), _FIRST[game]
        self.name = name or f"openspiel-{game}"
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Before each game."""
        self._bot: Any = None
        self._actions: Sequence[int] = ()
        self._known = 0

    def hear(self, begin: State, actions: Sequence[int]) -> None:
        """What has been played. Raises ValueError if that is not known from the start of the game."""
        if begin != begin.rules.start():
            raise ValueError(f"{self.name} has to know all moves from the start of the game, not from {begin}")
        self._actions = actions

    def act(self, state: State) -> int:
        """The action that the bot chooses. Raises IllegalAction if that is none."""
        self._bot = self._bot or self._make_bot(self._game, state.player)
        theirs = self._game.new_initial_state()
        for k, action in enumerate(self._actions):
            mover = theirs.current_player()
            number = action + self._first[mover]
            if k >= self._known:  # the bot knows what it has chosen itself
                self._bot.inform_action(theirs, mover, number)
            theirs.apply_action(number)
        self._known = len(self._actions) + 1
        chosen = self._bot.step(theirs)
        if chosen not in theirs.legal_actions():
            raise IllegalAction(f"{self.name} chose {chosen!r:.80}, not of {theirs.legal_actions()}")
        return int(chosen) - self._first[state.player]
