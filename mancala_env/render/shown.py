"""The content of a position for every kind of picture: its seeds, owners and marks, and these in words."""

from typing import NamedTuple

from mancala_env import checks
from mancala_env.checks import Positions
from mancala_env.ending import PLAYERS, counted, standing, swept, why
from mancala_env.kernels import layout
from mancala_env.notation import pending_in
from mancala_env.rules import Board, MarkedPits, Ruleset

NOBODY = -1
CLOSED = "x"  # written in a pit that is closed, instead of its count


class Shown(NamedTuple):
    """A position, read."""

    seeds: tuple[float, ...]  # in each pit, South's store, North's; at the end as ``ending.swept`` has them
    player: int  # the mover
    why: str  # why the game is over, in words; "" while it runs
    owner: tuple[int, ...]  # of each pit, where the board does not tell; -1 where it does, or nobody owns it
    marks: tuple[int, ...]  # whose mark lies on each pit; -1: none
    closed: tuple[int, ...]  # 1 for each pit that is closed in this game of a match
    detail: str  # where a match stands, what has left the board; "" where there is nothing to tell

    @property
    def turn(self) -> str:
        """Who is to move, or why nobody is."""
        return f"Over: {self.why}" if self.why else f"{PLAYERS[self.player]} to move"


def read(rules: Ruleset, position: Positions) -> Shown:
    """What a position, int16[W] (``kernels.layout``), says. Raises ValueError as ``checks.positions`` does."""
    position = checks.positions(rules, position, "position", single=True)
    n, numbers = rules.board.pits, position.tolist()

    def kept(part: str, usual: tuple[int, ...]) -> tuple[int, ...]:
        at = rules.fields.get(part)
        return usual if at is None else tuple(numbers[at : at + n])

    owner = kept("owner", (NOBODY,) * n if is_plain(rules.board) else rules.board.owner)
    marks, closed = kept("marks", (NOBODY,) * n), kept("closed", (0,) * n)
    seeds, over, detail = swept(rules, position), why(rules, position), _detail(rules, position)
    return Shown(seeds, numbers[n + layout.MOVER], over, owner, marks, closed, detail)


def is_plain(board: Board) -> bool:
    """Does one see whose each pit is? Each player's own are a half of the board, or all of it but the houses."""
    return board.halves or board.kind == "rows_and_houses" or board.players == 1


def _detail(rules: Ruleset, position: Positions) -> str:
    details, numbers = [], position.tolist()
    if (at := rules.fields.get("match")) is not None:
        details.append(f"Game {numbers[at + layout.GAME]}: {standing(rules, position)}")
    if (at := rules.fields.get("removed")) is not None:
        details.append(f"{counted(numbers[at])} removed")
    if (at := rules.fields.get("memory")) is not None:
        known = [rules.board.names[pit] for pit in range(rules.board.pits) if numbers[at + pit]]
        details += [f"Remembered: {', '.join(known)}"] if known else []
    if owed := numbers[rules.fields["debt"]] if "debt" in rules.fields else 0:
        details.append(f"{PLAYERS[owed < 0]} owes {counted(abs(owed))}")
    if (at := rules.fields.get("reserve")) is not None:
        details.append(f"in hand South {numbers[at]}, North {numbers[at + 1]}")
    if due := pending_in(rules, position):
        player = PLAYERS[numbers[rules.board.pits + layout.MOVER]]
        details.append(f"{player} is to {due.words(rules)}")
    return ", ".join(details)


def title(rules: Ruleset, shown: Shown, cell: int) -> str:
    """A cell in words: "South A: 4 seeds, marked, North's", "Pit A: 1 seed, South's", "South's store: 0 seeds"."""
    n, words = rules.board.pits, counted(shown.seeds[cell])
    if cell >= n:
        return f"{PLAYERS[cell - n]}'s store: {words}"
    owner, mark = shown.owner[cell], shown.marks[cell]
    words += f", {PLAYERS[owner]}'s" if owner != NOBODY else ""
    words += f", {mark_words(rules, mark)}" if mark != NOBODY else ""
    words = "closed" if shown.closed[cell] else words
    return f"{pit_title(rules, cell)}: {words}"


def pit_title(rules: Ruleset, pit: int) -> str:
    """A pit in words: "South A", "House A", "Pit A" where nobody owns it for the whole game."""
    board = rules.board
    kind = "House" if pit in board.houses else PLAYERS[board.owner[pit]] if is_plain(board) else "Pit"
    return f"{kind} {board.names[pit]}"


def mark_words(rules: Ruleset, player: int) -> str:
    """A mark of ``player`` in words: "marked, North's". Marks that a capture takes are nobody's: "mandarin"."""
    return rules.mark_word + ("" if rules.marked_pits is MarkedPits.TAKEN else f", {PLAYERS[player]}'s")
