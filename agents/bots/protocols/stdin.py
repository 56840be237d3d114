"""Programs of contest sites: they read the opponent's move, or the board, and write their own move, one a line.

``format=moves`` is the way of CodeCup: ``Start`` to the player who begins, then the opponent's moves, ``Quit`` at the
end. ``format=board`` is that of CodinGame: before each move the seeds of the program's own pits and of the
opponent's, in sowing order.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from agents.bots.process import BotFault, Process
from agents.bots.protocols.base import Protocol, Question, Reply
from mancala_env.rules import Ruleset
from mancala_env.state import State

FORMATS = ("moves", "board")
PITS = ("letters", "0", "1")


@dataclass(frozen=True)
class Notation:
    """How a contest writes moves and boards, for both of its sides.

    Attributes
    ----------
    format : str
        ``moves`` or ``board``.
    pits : str
        ``letters`` (A to F and a to f), or the number of the first pit from the owner's left, 0 or 1.
    stores : bool
        Boards hold a player's store after each row.

    Raises
    ------
    ValueError
        If a value is none of these.
    """

    format: str
    pits: str
    stores: bool

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"protocol stdin: format must be {' or '.join(FORMATS)}, not {self.format!r}")
        if self.pits not in PITS:
            raise ValueError(f"protocol stdin: pits must be one of {', '.join(PITS)}, not {self.pits!r}")

    def refusal(self, rules: Ruleset) -> str:
        """Why a game cannot be written like this; "" if it can."""
        if rules.players != 2:
            return f"{rules.name}: the protocol stdin is for two players"
        numbered = self.format == "board" or self.pits != "letters"
        owned = (rules.board.pits // 2, rules.board.pits // 2)
        if numbered and (2 * rules.num_actions != rules.board.pits or _rows(rules) != owned):
            return f"{rules.name}: a pit's number says nothing of its moves; write format=moves,pits=letters"
        return ""

    def move(self, state: State, action: int) -> str:
        """A move as it is written."""
        return state.name(action) if self.pits == "letters" else str(action + int(self.pits))

    def action(self, state: State, word: str) -> int | None:
        """The legal action that a word means; None if it means none."""
        names = {self.move(state, action).lower(): action for action in state.legal_actions}
        return names.get(word.lower())

    def board(self, state: State) -> str:
        """A position as its mover reads it."""
        rules, me = state.rules, state.player
        numbers: list[int] = []
        for player in (me, 1 - me):
            pits = (rules.pit(player, action) for action in range(rules.num_actions))
            numbers += [state.pits[pit] for pit in pits if pit is not None]
            numbers += [state.stores[player]] * self.stores
        return " ".join(map(str, numbers))

    def read_board(self, rules: Ruleset, text: str) -> State:
        """The position that a board tells; the reader is South. Raises ValueError if it is none."""
        words, n = text.split(), rules.num_actions + self.stores
        if len(words) != 2 * n or not all(word.isascii() and word.isdigit() and len(word) < 6 for word in words):
            raise ValueError(f"a board of {rules.name} is {2 * n} numbers, not {text[:80]!r}")
        rows = [list(map(int, words[:n])), list(map(int, words[n:]))]
        stores = (rows[0].pop(), rows[1].pop()) if self.stores else (0, 0)
        pits = [0] * rules.board.pits
        for player, row in enumerate(rows):
            for action, seeds in enumerate(row):
                pits[rules.pit(player, action) or 0] = seeds
        return rules.position(pits, stores)


def _rows(rules: Ruleset) -> tuple[int, int]:
    """How many pits each player's actions name."""
    south, north = ({rules.pit(player, action) for action in range(rules.num_actions)} - {None} for player in (0, 1))
    return len(south), len(north)


@dataclass
class Stdin(Protocol):
    """A program of a contest site, started anew for each game. It is told neither the rules nor the clock.

    Attributes
    ----------
    format : str
        ``moves`` or ``board``: what it reads.
    pits : str
        How moves are written, ``letters``, ``0`` or ``1``; default: ``letters`` for moves, ``0`` for boards.
    stores : bool
        Boards hold the stores.
    """

    name: ClassVar[str] = "stdin"
    games: ClassVar[tuple[str, ...]] = ("kalah", "oware")
    one_game: ClassVar[bool] = True
    format: str = "moves"
    pits: str = ""
    stores: bool = False
    notation: Notation = field(init=False, repr=False)
    _heard: int = field(default=0, init=False, repr=False)  # actions that it knows, its own included
    _state: State | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        pits = self.pits or ("0" if self.format == "board" else "letters")
        self.notation = Notation(self.format, pits, self.stores)

    def farewell(self) -> str:
        """``Quit`` in the way of CodeCup; a reader of boards sees the end of its input."""
        return "Quit\n" if self.format == "moves" else ""

    def refusal(self, rules: Ruleset) -> str:
        """Boards and numbers need a game in which each pit is one action."""
        return self.notation.refusal(rules)

    def new_game(self, process: Process, seconds: float, rules: Ruleset, seed: int) -> None:
        """Nothing is said."""
        self._heard = 0

    def question(self, asked: Question) -> str:
        """The board, or what the opponent has played since."""
        self._state = asked.state
        if self.format == "board":
            return self.notation.board(asked.state) + "\n"
        if asked.opening != asked.opening.rules.start():
            raise BotFault(
                "refused",
                "is told moves only and cannot begin in the middle of a game; play without opening plies, or write "
                "format=board if it reads boards",
            )
        lines = [] if asked.actions else ["Start"]
        state = asked.opening
        for number, action in enumerate(asked.actions):
            if number >= self._heard:
                lines.append(self.notation.move(state, action))
            state = state.play(action)
        self._heard = len(asked.actions) + 1  # and the move that it chooses now
        return "".join(f"{line}\n" for line in lines)

    def read(self, line: str) -> Reply | None:
        """The first word of the first line that is not empty."""
        if not line:
            return None
        assert self._state is not None
        return Reply(self.notation.action(self._state, line.split(maxsplit=1)[0]), line)

    def legal(self, state: State) -> list[str]:
        """As the notation writes them."""
        return [self.notation.move(state, action) for action in state.legal_actions]
