"""The engine's side of UCI for Oware, so that its interfaces can run an agent (``agents.bots.protocols.uci``)."""

from typing import TextIO

from agents.agent import Agent
from agents.bots.protocols.uci import refusal_of_oware
from agents.bots.serving.lines import Lines, Misunderstood
from agents.bots.serving.mancala import Server
from agents.pace import share_of_clock
from agents.search.limits import MAX_DEPTH
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset


class UciServer(Server):
    """Answers an interface of Oware.

    It reads ``position startpos`` and ``position fen 4-4-...-0-0-S``, moves with or without spaces between them, and
    ``go`` with ``movetime``, ``depth``, ``nodes``, ``infinite``, or the clocks ``wtime``, ``btime``, ``winc``, ``binc``
    of South and North in milliseconds, of which a share is used (``agents.pace.share_of_clock``).

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
        if refusal := refusal_of_oware(rules):
            raise ValueError(refusal)
        self._rules = rules
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
        if words[:1] == ["infinite"]:
            text = f"depth {MAX_DEPTH}"
        elif self._state is not None and (clock := _share(words, "wb"[self._state.player])) is not None:
            text = f"{text} movetime {clock}"
        super()._go(text)


def _share(words: list[str], side: str) -> int | None:
    """Milliseconds for a move out of the clock of a side, ``w`` or ``b``; None if there is none."""
    if f"{side}time" not in words or "movetime" in words:
        return None
    left, more = (words[words.index(word) + 1] if word in words[:-1] else "0" for word in (f"{side}time", f"{side}inc"))
    if not (left + more).isdecimal() or len(left + more) > 18:
        raise Misunderstood(f"go: a clock is a whole number of milliseconds, not {shown(left)} and {shown(more)}")
    return int(1000 * share_of_clock(int(left) / 1000, int(more) / 1000))
