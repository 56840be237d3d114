"""The engine's side of UCI for Oware (``uci.py``), so that its interfaces can run an agent.

``python -m agents.bots.examples.uci_engine AGENT [GAME]``; default: oware.
"""

import re
import sys
from typing import TextIO

from agents.agent import Agent, make_agent
from agents.bots import server
from agents.bots.examples.uci import OTHER_BOARD, OWARE
from agents.bots.serving.lines import Lines, Misunderstood
from agents.bots.serving.mancala import Server
from agents.search.limits import MAX_DEPTH
from mancala_env.games import ruleset
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset
from mancala_env.rules.spec import rule_changes

NO_MOVE = "0000"  # what UCI answers where nothing can be played
_SCORE = re.compile(r" score (?:seeds (?P<seeds>\S+)|mean \S+)")
_MILLISECONDS = re.compile("-?[0-9]{1,18}")


class UciServer(Server):
    """Answers an interface of Oware.

    It reads ``position startpos`` and ``position fen 4-4-...-0-0-S``, moves with or without spaces between them, and
    ``go`` with ``movetime``, ``depth``, ``nodes``, ``infinite``, or the clocks ``wtime``, ``btime``, ``winc``, ``binc``
    of South and North in milliseconds, of which a share is used (``agents.pace.share_of_clock``). After ``go infinite``
    the answer waits for ``stop``; in a finished game it is ``bestmove 0000``.

    Parameters
    ----------
    agent : Agent
    rules : Ruleset
        The protocol does not tell them.
    lines : Lines
    out : text file

    Raises
    ------
    ValueError
        If the protocol or the agent does not play these rules.
    """

    def __init__(self, agent: Agent, rules: Ruleset, lines: Lines, out: TextIO) -> None:
        super().__init__(agent, lines, out)
        if rules.name not in OWARE or OTHER_BOARD & rule_changes(rules).keys():
            raise ValueError(f"{rules.name}: UCI is for single games of {', '.join(OWARE)} on their usual board")
        self._rules = rules
        self._endless = False
        self._prepare(rules)

    def _set_rules(self, _: str) -> None:
        """It is no word of UCI."""

    def _set_board(self, _: str) -> None:
        """Nor is this."""

    def _set_position(self, text: str) -> None:
        assert self._rules is not None
        opening, _, moves = text.partition(" moves")
        kind, _, position = opening.strip().partition(" ")
        if kind == "startpos":
            begun = str(self._rules.start())
        elif kind == "fen":
            begun = f"{self._rules.name} {position.strip()}"
        else:
            raise Misunderstood(f"position is followed by startpos or fen, not by {shown(kind)}")
        super()._set_position(f"{begun} moves {' '.join(''.join(moves.split()))}")

    def _go(self, text: str) -> None:
        words = text.split()
        self._endless = "infinite" in words
        if self._endless:
            text = f"depth {MAX_DEPTH}"
        elif self._state is not None and (clock := _clock(words, "wb"[self._state.player])) is not None:
            text = f"{text} bank {clock[0]} increment {clock[1]}"
        if self._state is not None and self._state.is_over:  # interfaces look at finished games, too
            self._before_the_answer()
            self._say(f"bestmove {NO_MOVE}")
        else:
            super()._go(text)

    def _before_the_answer(self) -> None:
        """After ``go infinite`` no answer may come before ``stop``."""
        self._out.flush()
        while self._endless and not self._wants_a_stop() and self._lines.peek() is None:
            self._lines.wait()

    def _wants_a_stop(self) -> bool:
        return super()._wants_a_stop() or (self._endless and self._lines.ended)

    def _say(self, line: str) -> None:
        super()._say(_SCORE.sub(_hundredths, line, count=1) if line.startswith("info ") else line)


def _hundredths(score: re.Match[str]) -> str:
    """A score as UCI writes it: ``cp``, hundredths of a seed; nothing for a mean result."""
    return "" if score["seeds"] is None else f" score cp {round(100 * float(score['seeds']))}"


def _clock(words: list[str], side: str) -> tuple[int, int] | None:
    """Milliseconds that a side, ``w`` or ``b``, has left, and those added after each move; None without a clock.

    Less than none is left to who has overstepped the time, as interfaces count it.
    """
    if f"{side}time" not in words or "movetime" in words:
        return None
    left, more = (words[words.index(word) + 1] if word in words[:-1] else "0" for word in (f"{side}time", f"{side}inc"))
    if not all(_MILLISECONDS.fullmatch(text) for text in (left, more)):
        raise Misunderstood(f"go: a clock is a whole number of milliseconds, not {shown(left)} and {shown(more)}")
    return max(0, int(left)), max(0, int(more))


def main(arguments: list[str]) -> int:
    """The command; returns its exit code."""
    if len(arguments) not in (1, 2):
        sys.exit("usage: python -m agents.bots.examples.uci_engine AGENT [GAME]")
    agent, game = (*arguments, "oware")[:2]
    return server.serve(lambda lines, out: UciServer(make_agent(agent), ruleset(game), lines, out))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
