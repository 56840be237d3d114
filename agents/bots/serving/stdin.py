"""An agent as a program of a contest site: it reads moves or boards, and writes moves (``protocols.stdin``)."""

from typing import TextIO

from agents.agent import Agent
from agents.bots.protocols.stdin import Notation
from agents.bots.serving.functions import FunctionAgent
from agents.bots.serving.lines import Lines, Misunderstood
from agents.bots.serving.thinking import think
from agents.warm_up import warm
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset
from mancala_env.state import State


class StdinPlayer:
    """Plays one game.

    Parameters
    ----------
    agent : Agent
    rules : Ruleset
        The protocol does not tell them.
    notation : Notation
    lines : Lines
    out : text file

    Raises
    ------
    ValueError
        If the notation does not express these rules, or the agent does not play them.
    """

    def __init__(self, agent: Agent, rules: Ruleset, notation: Notation, lines: Lines, out: TextIO) -> None:
        if refusal := notation.refusal(rules):
            raise ValueError(refusal)
        warm(rules, None if isinstance(agent, FunctionAgent) else agent)
        self.agent, self.rules, self.notation = agent, rules, notation
        self._lines, self._out = lines, out

    def run(self) -> None:
        """Play until the game is over, or the host writes ``Quit`` or closes the input.

        Raises
        ------
        Misunderstood
            If a line is neither a legal move nor a board.
        """
        self.agent.reset(0)
        if self.notation.format == "board":
            while (line := self._next()) is not None:
                try:
                    state = self.notation.read_board(self.rules, line)
                except ValueError as error:
                    raise Misunderstood(str(error)) from None
                self._move(state)
            return
        if (line := self._next()) is None:
            return
        state, me = self.rules.start(), 0
        if line.lower() != "start":
            state, me = self._played(state, line), 1
        while not state.is_over:
            if state.player == me:
                state = state.play(self._move(state))
            elif (line := self._next()) is None:
                return
            else:
                state = self._played(state, line)

    def _next(self) -> str | None:
        """The next line that is not empty; None at the end."""
        while (line := self._lines.next()) == "":
            pass
        return None if line is None or line.lower() == "quit" else line

    def _played(self, state: State, line: str) -> State:
        action = self.notation.action(state, line.split(maxsplit=1)[0])
        if action is None:
            legal = " ".join(self.notation.move(state, each) for each in state.legal_actions)
            raise Misunderstood(f"{shown(line)} is no legal move in {state}; legal are {legal}")
        return state.play(action)

    def _move(self, state: State) -> int:
        if state.is_over:
            raise Misunderstood(f"there is no move to choose: the game is over in {state}")
        action = think(self.agent, state, {}, lambda: False, lambda _: None)
        if action is None:
            raise RuntimeError(f"{self.agent.name} chose no legal move in {state}")
        self._out.write(f"{self.notation.move(state, action)}\n")
        self._out.flush()
        return action
