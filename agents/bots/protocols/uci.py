"""UCI as engines of Oware speak it: ``position startpos moves AbCd``, ``go movetime 50``, ``bestmove A``.

The Universal Chess Interface (S. Meyer-Kahlen, 2000) with the notation of Oware: South's pits are A to F, North's a to
f, from each player's left, and moves follow one another without a space. Aalina and its interface Auale speak it. The
rules are not told, so that a program plays those that it knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.bots.process import BotFault, Process
from agents.bots.protocols.base import Question, milliseconds
from agents.bots.protocols.mancala import Mancala, names_of
from agents.pace import share_of_clock
from mancala_env.rules import Match, Ruleset, two_rows
from mancala_env.state import State

OWARE = ("oware", "awari", "oware_tutti_a_casa", "oware_liberta")
MOST_POSITIONS = 60_000  # that are looked at for the moves of an opening


def refusal_of_oware(rules: Ruleset) -> str:
    """Why UCI cannot express the moves of a game; "" if it can."""
    if rules.name not in OWARE or rules.match is not Match.NONE or rules.num_actions != 6:
        return f"{rules.name}: the protocol uci plays single games of {', '.join(OWARE)}"
    if rules.board != two_rows(6) or set(rules.start().pits) != {4}:
        return f"{rules.name}: the protocol uci plays on two rows of six pits with four seeds in each"
    return ""


@dataclass
class Uci(Mancala):
    """An engine of Oware.

    Openings are told as the moves from the start that lead to them: those that the host knows (``Question.lead``), else
    they are looked for.

    Attributes
    ----------
    fen : bool
        Tell an opening that the moves are not found for as ``position fen 4-4-...-0-0-S``.
    movetime : int
        Milliseconds for a move where the host sets no limit.
    """

    name: ClassVar[str] = "uci"
    games: ClassVar[tuple[str, ...]] = ("oware",)
    fen: bool = False
    movetime: int = 1000

    def refusal(self, rules: Ruleset) -> str:
        """Oware and its kin, on their usual board."""
        return refusal_of_oware(rules)

    def new_game(self, process: Process, seconds: float, rules: Ruleset, seed: int) -> None:
        """``ucinewgame``."""
        self._begin(process, seconds, seed)

    def question(self, asked: Question) -> str:
        """``position``, ``isready`` and ``go``."""
        if asked.opening is not self._opening:
            self._line, self._opening = self._begun(asked.opening, asked.lead), asked.opening
        line = self._line + "".join(asked.moves)
        self._expect(asked.state)
        return f"position {line if asked.moves else line.removesuffix(' moves ')}\nisready\ngo {self._go(asked)}\n"

    def _begun(self, opening: State, lead: Sequence[int] | None) -> str:
        """An opening as the beginning of a line of moves."""
        moves = moves_from_start(opening) if lead is None else names_of(opening, lead)
        if moves is not None:
            return f"startpos moves {''.join(moves)}"
        if self.fen:
            return f"fen {str(opening).split()[1]} moves "
        raise BotFault(
            "refused",
            f"found no moves from the start to {opening}; give fewer opening plies, or write "
            "bot:protocol=uci,fen=true,... if the engine reads positions",
        )

    def _go(self, asked: Question) -> str:
        """The limits of ``go``: at least one, so that the engine answers."""
        movetime = milliseconds(asked.movetime)
        if movetime is None and asked.depth is None and asked.nodes is None:
            share = None if asked.bank is None else share_of_clock(asked.bank, asked.increment or 0.0)
            movetime = self.movetime if share is None else max(1, milliseconds(share) or 0)
        limits = (("movetime", movetime), ("depth", asked.depth), ("nodes", asked.nodes))
        return " ".join(f"{name} {value}" for name, value in limits if value is not None)


def moves_from_start(state: State) -> list[str] | None:
    """The names of moves that lead from the start of a game to a position; None if none are found.

    Those of its history if that reaches back to the start, else the first found by breadth-first search; at most
    ``MOST_POSITIONS`` positions are looked at, which suffices for six plies of Oware.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> oware = mancala.ruleset("oware")
    >>> moves_from_start(oware.position([4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4], player=1, ply=1))
    ['C']
    """
    text, _, known = state.to_line().partition(" moves")
    goal, start = State.parse(state.rules, text), state.rules.start()
    came: dict[State, tuple[State, int] | None] = {start: None}
    layer = [start]
    while goal not in came:
        layer = _next_layer(layer, goal, came)
        if not layer:
            return None
    names: list[str] = []
    while (step := came[goal]) is not None:
        goal, action = step
        names.insert(0, goal.name(action))
    return names + known.split()


def _next_layer(layer: list[State], goal: State, came: dict[State, tuple[State, int] | None]) -> list[State]:
    """The positions one ply later that can still lead to the goal, each entered with how it came about.

    None where that would be more than ``MOST_POSITIONS`` in all.
    """
    later = []
    for state in layer:
        if state.ply >= goal.ply:
            continue
        for action in state.legal_actions:
            after = state.play(action)
            if after not in came and all(map(int.__le__, after.stores, goal.stores)):
                came[after] = (state, action)
                later.append(after)
                if after == goal:
                    return later
                if len(came) > MOST_POSITIONS:
                    return []
    return later
