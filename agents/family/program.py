"""A program that speaks the protocol, as an agent that is scored."""

from collections.abc import Sequence
from typing import Any

from agents.bots.client import Bot, BotFault
from agents.bots.protocol import not_among
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State


class Program:
    """An agent that asks a program by the protocol, in one process for all games, one after the other. Whatever the
    program does wrong counts as an illegal action; then it is started again."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        bot.start()
        self.name = bot.name
        self._heard: tuple[State, tuple[int, ...]] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "Program":
        return self

    def reset(self, seed: int) -> None:
        """Before each game."""
        self._seed, self._begun, self._heard = seed, False, None

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game; "" if it may."""
        game = not_among(self._bot.said.games, [rules])
        return f"{self.name} says that it does not play {game}" if game else ""

    def hear(self, begin: State, actions: Sequence[int]) -> None:
        """The moves so far."""
        self._heard = begin, tuple(actions)

    def act(self, state: State) -> int:
        """Its move. Raises IllegalAction if it gives none that is legal."""
        try:
            if not self._begun:
                self._bot.new_game(state.rules, self._seed)
                self._begun = True
            return self._bot.move(*(self._heard or (state, ())), state).action
        except BotFault as fault:
            raise IllegalAction(f"{self.name}: {fault}") from fault
