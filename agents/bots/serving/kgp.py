"""A player who connects to a server of the Kalah Game Protocol (``agents.bots.protocols.kgp``)."""

import math
from collections import deque
from typing import TextIO

from agents.agent import Agent
from agents.bots.protocols import kgp
from agents.bots.serving.lines import Lines, Misunderstood
from agents.bots.serving.thinking import think
from agents.search import MinimaxAgent

_FIRST = {"depth": 2}  # limits of the search for a move that stands if the server stops the next one


class KgpPlayer:
    """Plays for an agent wherever the server asks for a move, until it says goodbye.

    An agent of the ``minimax`` kind writes a move of a short search first, and ends the next search when it is told to
    stop; others write one move. Every question is a position of its own.

    Parameters
    ----------
    agent : Agent
    lines : Lines
        What the server writes.
    out : text file
        What it reads.
    """

    def __init__(self, agent: Agent, lines: Lines, out: TextIO) -> None:
        self.agent = agent
        self._lines, self._out = lines, out
        self._number = -1
        self._asked: int | None = None
        self._stopped = False  # the question that is being answered
        self._later: deque[kgp.Command] = deque()  # what was heard while a question was being answered

    def run(self) -> None:
        """Play until the server says ``goodbye`` or closes the connection.

        Raises
        ------
        Misunderstood
            If it speaks another version, or writes a board that is none.
        """
        self.agent.reset(0)
        while (command := self._next()) is not None and command.name != "goodbye":
            if command.name == "kgp":
                self._greet(command)
            elif command.name == "ping":
                self._pong(command)
            elif command.name == "state":
                self._answer(command)
            elif command.name == "error":
                raise Misunderstood(f"the server refused: {' '.join(command.arguments)[:300]}")
            self._out.flush()

    def _next(self) -> kgp.Command | None:
        """The next command; None at the end."""
        if self._later:
            return self._later.popleft()
        while (line := self._lines.next()) is not None:
            if (command := kgp.parse(line)) is not None:
                return command
        return None

    def _say(self, text: str, reference: int | None = None) -> None:
        self._number += 2
        self._out.write(f"{self._number}{'' if reference is None else f'@{reference}'} {text}\r\n")

    def _greet(self, command: kgp.Command) -> None:
        if command.arguments[:1] != ("1",):
            raise Misunderstood(f"the server speaks version {'.'.join(command.arguments)} of the protocol, not 1")
        self._say(f"set info:name {kgp.quoted(self.agent.name)}")
        self._say('set info:authors "mancala-env"')
        self._say("mode freeplay")

    def _pong(self, command: kgp.Command) -> None:
        self._say(" ".join(["pong", *map(kgp.quoted, command.arguments)]), command.number)

    def _answer(self, command: kgp.Command) -> None:
        try:
            state = kgp.read_board("".join(command.arguments))
        except ValueError as error:
            raise Misunderstood(str(error)) from None
        self._asked, self._stopped = command.number, False
        limits: list[dict[str, int]] = [{}]
        if isinstance(self.agent, MinimaxAgent) and len(state.legal_actions) > 1 and self._is_longer(self.agent):
            limits.insert(0, _FIRST)
        for limit in limits if not state.is_over else ():
            action = think(self.agent, state, limit, self._is_stopped, lambda _: None)
            if action is not None:
                self._say(f"move {action + 1}", command.number)
                self._out.flush()
        self._say("yield", command.number)

    @staticmethod
    def _is_longer(agent: MinimaxAgent) -> bool:
        """Does it search for longer than the first search?"""
        return (agent.limits["depth"] or math.inf) > _FIRST["depth"]

    def _is_stopped(self) -> bool:
        """Does the server want no more moves, or is it gone? A ping is answered on the way; other questions wait.

        One that waits and is stopped is dropped.
        """
        while not self._stopped and (line := self._lines.peek()) is not None:
            self._lines.next()
            command = kgp.parse(line)
            if command is None:
                continue
            if command.name == "ping":
                self._pong(command)
                self._out.flush()
            elif command.name != "stop":
                self._later.append(command)
                self._stopped = command.name == "goodbye"
            elif command.reference in (None, self._asked):
                self._stopped = True
            else:
                self._later = deque(each for each in self._later if each.number != command.reference)
        return self._stopped or self._lines.ended
