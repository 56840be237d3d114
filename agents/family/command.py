"""Score an agent over the games of a split: ``mancala family evaluate minimax:depth=2 --split easy -o result.json``

The agent is a text such as minimax:depth=4 or policy:path=runs/mine, or a program that speaks the protocol: ./bot,
'cmd:python3 bot.py', or python:FILE.py:FUNCTION, a function from a State to an action. If it is stopped, the same
command goes on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.agent import is_built_in, make_agent
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.protocol import not_among
from agents.family import splits
from agents.family.leaderboard import games_table, table
from agents.family.score import evaluate_family
from mancala_env.cli import Parser, in_words
from mancala_env.progress import Progress
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State


class Program:
    """An agent that asks a program by the protocol, in one process for all games, one after the other. Whatever the
    program does wrong counts as an illegal action; then it is started again."""

    batched = False

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        with_name = bot.start
        with_name()
        self.name = bot.name

    def __deepcopy__(self, memo: dict[int, Any]) -> "Program":
        return self

    def reset(self, seed: int) -> None:
        """Before each game."""
        self._seed, self._begun = seed, False

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
            return self._bot.move(*self._heard, state).action
        except BotFault as fault:
            raise IllegalAction(f"{self.name}: {fault}") from fault
