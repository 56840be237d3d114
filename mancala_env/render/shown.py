"""The content of a position for every kind of picture: its seeds, owners and marks, and these in words."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.ending import PLAYERS, counted, standing, swept, why
from mancala_env.kernels import layout
from mancala_env.notation import pending_in
from mancala_env.rules import MarkedPits, Ruleset

NOBODY = -1
CLOSED = "x"  # written in a pit that is closed, instead of its count


class Shown(NamedTuple):
    """A position, read."""

    seeds: tuple[float, ...]  # in each pit, South's store, North's; at the end as ``ending.swept`` has them
    player: int  # the mover
    why: str  # why the game is over, in words; "" while it runs
    owner: tuple[int, ...]  # of each pit, where the board does not tell; -1 where it does, or nobody owns it
    marks: tuple[int, ...]  # whose mark lies on each pit; -1: none
    closed: tuple[bool, ...]  # is each pit closed in this game of a match?
    detail: str  # where a match stands, what has left the board; "" where there is nothing to tell

    @property
    def turn(self) -> str:
        """Who is to move, or why nobody is."""
        return f"Over: {self.why}" if self.why else f"{PLAYERS[self.player]} to move"


def read(rules: Ruleset, position: npt.ArrayLike) -> Shown:
    """What a position, int[W] (``kernels.layout``), says; ValueError if it is none on the board of these rules."""
    given = np.asarray(position)
    n, width = rules.board.pits, rules.fields["width"]
    if given.shape != (width,) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(
            f"{rules.name}: a position on {n} pits is an array of {width} whole numbers, "
            f"not {given.dtype}{list(given.shape)}"
        )
    numbers = given.tolist()
    seeds, player, ended = numbers[: n + 2], numbers[n + layout.MOVER], numbers[n + layout.OVER]
    seeds_fit = 0 <= min(seeds) <= max(seeds) <= np.iinfo(np.int16).max
    if not (seeds_fit and player in (0, 1) and 0 <= ended < len(layout.TERMINATIONS)):
        raise ValueError(f"{rules.name}: {numbers} is no position: seeds, mover or ending are out of range")
    nobodys = (NOBODY,) * n
    fixed = nobodys if rules.board.is_plain else rules.board.owner
    owner, marks = (_players(rules, numbers, name, usual) for name, usual in (("owner", fixed), ("marks", nobodys)))
    at = rules.fields.get("closed")
    closed = (False,) * n if at is None else tuple(pit != 0 for pit in numbers[at : at + n])
    return Shown(swept(rules, numbers), player, why(rules, numbers), owner, marks, closed, _detail(rules, numbers))


def _players(rules: Ruleset, numbers: list[int], name: str, usual: tuple[int, ...]) -> tuple[int, ...]:
    """A field of the position that names a player, or -1, for each pit; ``usual`` where the game has no such field."""
    if (at := rules.fields.get(name)) is None:
        return usual
    found = tuple(numbers[at : at + rules.board.pits])
    if not set(found) <= {NOBODY, 0, 1}:
        raise ValueError(f"{rules.name}: {numbers} is no position: {name} holds {list(found)}, not 0, 1 or -1 each")
    return found


def _detail(rules: Ruleset, numbers: list[int]) -> str:
    details = []
    if (at := rules.fields.get("match")) is not None:
        details.append(f"Game {numbers[at + layout.GAME]}: {standing(rules, numbers)}")
    if (at := rules.fields.get("removed")) is not None:
        if numbers[at] < 0:
            raise ValueError(f"{rules.name}: {numbers} is no position: {numbers[at]} seeds are removed")
        details.append(f"{counted(numbers[at])} removed")
    if (at := rules.fields.get("memory")) is not None:
        known = [rules.board.names[pit] for pit in range(rules.board.pits) if numbers[at + pit]]
        details += [f"Remembered: {', '.join(known)}"] if known else []
    if owed := numbers[rules.fields["debt"]] if "debt" in rules.fields else 0:
        details.append(f"{PLAYERS[owed < 0]} owes {counted(abs(owed))}")
    if (at := rules.fields.get("reserve")) is not None:
        details.append(f"in hand South {numbers[at]}, North {numbers[at + 1]}")
    if due := pending_in(rules, np.array(numbers)):
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
    kind = "House" if pit in board.houses else PLAYERS[board.owner[pit]] if board.is_plain else "Pit"
    return f"{kind} {board.names[pit]}"


def mark_words(rules: Ruleset, player: int) -> str:
    """A mark of ``player`` in words: "marked, North's". Marks that a capture takes are nobody's: "mandarin"."""
    return rules.mark_word + ("" if rules.marked_pits is MarkedPits.TAKEN else f", {PLAYERS[player]}'s")
