"""A game as it is shown again: its positions, its moves, and what is written beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import ending
from mancala_env.kernels import layout
from mancala_env.position_fields import GameResult
from mancala_env.rules import Match, Ruleset
from mancala_env.state import State
from mancala_env.trace import KINDS, EventKind, Trace

SHOWN = (EventKind.LIFT, EventKind.SOW, EventKind.LOSE, EventKind.REAP, EventKind.LAY, EventKind.TAKE, EventKind.CARRY)
MOST_EVENTS = 10_000  # a move of more is shown as its position alone
NO_MOVE, PASS = -2, -1  # in the column of the pit played: before the first move; a move that plays no pit
_NUMBERS = {kind: KINDS.index(kind) for kind in SHOWN}


@dataclass(frozen=True, kw_only=True)
class Replay:
    """One game, or the beginning of one.

    Attributes
    ----------
    rules : the game
    states : all positions, the first before any move
    actions : the moves between them
    players : the names of South and North
    title : what stands above the board; "" for the name of the game
    result : how it ended, in words; "" for what the last position says
    values : optional
        South's prospects at each position, such as -1 to 1 or a margin in seeds; None where nobody looked.

    Raises
    ------
    ValueError
        If there is not one position more than moves, one of them is of another game, or values are of another number.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> Replay.of(mancala.ruleset("kalah").start(), [2, 5]).states[-1].stores
    (2, 0)
    """

    rules: Ruleset
    states: Sequence[State]
    actions: Sequence[int]
    players: tuple[str, str] = ("South", "North")
    title: str = ""
    result: str = ""
    values: Sequence[float | None] | None = None

    def __post_init__(self) -> None:
        name = self.rules.name
        if len(self.states) != len(self.actions) + 1:
            raise ValueError(f"{name}: {len(self.actions)} moves lie between one position more, not {len(self.states)}")
        if strange := [state.rules.name for state in self.states if state.rules != self.rules]:
            raise ValueError(f"{name}: a position is of another game, {strange[0]}, or has other options")
        if self.values is not None and len(self.values) != len(self.states):
            raise ValueError(f"{name}: {len(self.states)} positions have as many values, not {len(self.values)}")

    @classmethod
    def of(
        cls,
        start: State,
        actions: Sequence[int],
        *,
        players: tuple[str, str] = ("South", "North"),
        title: str = "",
        result: str = "",
        values: Sequence[float | None] | None = None,
    ) -> "Replay":
        """The game that these moves make of a position. Raises ``IllegalAction`` if they cannot be played."""
        states = [start]
        for action in actions:
            states.append(states[-1].play(action))
        return cls(
            rules=start.rules,
            states=states,
            actions=tuple(actions),
            players=players,
            title=title,
            result=result,
            values=values,
        )

    @property
    def ending(self) -> str:
        """``result``, or what the last position says: why the game is over and the score, or that it goes on."""
        last = self.states[-1]
        if self.result or not last.is_over:
            return self.result or "not finished"
        return how_it_ended(last)

    @property
    def final(self) -> tuple[float, ...] | None:
        """Seeds in each hole after the final collection (``ending.swept``), where that is another board than the last
        position's; else None."""
        last = self.states[-1]
        pits, stores = last.swept
        return None if (pits, stores) == (last.pits, last.stores) else (*pits, *stores)

    @property
    def game_ends(self) -> tuple["GameEnd", ...]:
        """The games of a match that ended on the way, in order; () in a game that is no match."""
        return game_ends(self.states, self.actions)

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """What each move does (``State.trace``). Raises ``IllegalAction`` if one cannot be played."""
        return tuple(state.trace(action) for state, action in zip(self.states, self.actions, strict=False))

    def told(self) -> list[npt.NDArray[np.int16]]:
        """For each position int16[n, 4]: the events that lead to it, as far as they are shown.

        Each is its kind (an index into ``mancala_env.trace.KINDS``), source, target (-1: none) and seeds. There are
        none before the first move, and none of a move that has more than ``MOST_EVENTS``.
        """
        found = [np.zeros((0, 4), dtype=np.int16)]
        for trace in self.traces:
            events = [
                (_NUMBERS[kind], -1 if source is None else source, -1 if target is None else target, seeds)
                for kind, source, target, seeds, _ in trace.events
                if kind in _NUMBERS
            ]
            shown = events if len(events) <= MOST_EVENTS else []
            found.append(np.array(shown, dtype=np.int16).reshape(-1, 4))
        return found

    def texts(self) -> list[str]:
        """For each position what the move to it has done, in a sentence without its stop; "" before the first move."""
        return ["", *(trace.text for trace in self.traces)]

    def table(self) -> npt.NDArray[np.int16]:
        """int16[positions, columns]: all that a picture shows of each position, as ``columns`` names it, but ``final``.

        Pits, the stores of South and North, the mover, the pit that was played to get there (``NO_MOVE``, ``PASS``),
        how many events ``told`` has of that move, and then the fields that the game keeps besides.
        """
        rules, n = self.rules, self.rules.board.pits
        rows = np.stack([state.row for state in self.states])
        played = [NO_MOVE]
        for state, action in zip(self.states, self.actions, strict=False):
            pit = state.pit(action)
            played.append(PASS if pit is None else pit)
        kept = [rows[:, at : at + width] for at, width in _kept(rules)]
        of_moves = np.array([played, [len(events) for events in self.told()]], dtype=np.int16).T
        return np.hstack([rows[:, : n + layout.MOVER + 1], of_moves, *kept])

    def to_html(self, *, dark: bool | None = None) -> str:
        """A page that plays the game; see ``player_html``."""
        from mancala_env.replay.page import player_html

        return player_html([self], dark=dark)

    def _repr_html_(self) -> str:
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:680px;border:0" title="A game to replay"></iframe>'


class GameEnd(NamedTuple):
    """Where a game of a match ended."""

    ply: int  # moves that had been played, of all games
    game: int  # its number, from 1
    result: GameResult
    why: str  # it ended: a sentence without its stop
    standing: str  # of the match after it: "South 2, North 1 wins"
    following: int | None  # the number of the game that begins; None: the match is over

    def short(self, seat: int | None = None) -> str:
        """Its number and result: "Game 2: South wins, 30 to 18"; for who sits in a seat "Game 2: You win, ..."."""
        return f"Game {self.game}: {ending.outcome(self.result.winner, self.result.scores, seat)}"

    def told(self, seat: int | None = None) -> str:
        """All of it, in sentences."""
        won = ending.outcome(self.result.winner, self.result.scores, seat)
        more = "" if self.following is None else f" The match stands at {self.standing}. Game {self.following} begins."
        return f"Game {self.game} is over. {won}: {self.why}.{more}"


def game_ends(states: Sequence[State], actions: Sequence[int]) -> tuple[GameEnd, ...]:
    """The games of a match that ended between these positions, by these moves."""
    found = []
    for ply, (before, after) in enumerate(pairwise(states), 1):
        for k, result in enumerate(after.games[len(before.games) :]):
            if k == 0:
                why = ending.why(after.rules, before.row_after(actions[ply - 1]))
            else:  # a game that was over as soon as it was laid out
                why = ending.meaning(result.termination, after.rules)
            last = k == len(after.games) - len(before.games) - 1
            following = None if last and after.is_over else before.game + k + 1
            found.append(GameEnd(ply, before.game + k, result, why, ending.standing(after.rules, after.row), following))
    return tuple(found)


def how_it_ended(state: State, seat: int | None = None) -> str:
    """The result of a finished game or match, and why it is over: a sentence without its stop.

    ``seat``: 0 or 1 where it is told to the player in this seat.
    """
    return f"{ending.outcome(state.winner, state.scores, seat, state.rules.match)}: {state.ending}"


def columns(rules: Ruleset) -> dict[str, int]:
    """Where in ``Replay.table`` each part begins; parts that the game does not have are left out."""
    n = rules.board.pits
    found = {"pits": 0, "stores": n, "mover": n + layout.MOVER, "played": n + layout.MOVER + 1}
    found["events"] = n + layout.MOVER + 2
    at = n + layout.MOVER + 3
    for name, (_, width) in zip(_kept_names(rules), _kept(rules), strict=True):
        found[name] = at
        at += width
    return found | {"width": at}


def _kept_names(rules: Ruleset) -> list[str]:
    return [name for name in ("owner", "marks", "removed", "match") if name in rules.fields]


def _kept(rules: Ruleset) -> list[tuple[int, int]]:
    """Where in the row of a position the kept fields lie that are shown, and how many there are."""
    n = rules.board.pits
    widths = {"owner": n, "marks": n, "removed": 1, "match": 0 if rules.match is Match.NONE else layout.TALLY + 2}
    return [(rules.fields[name], widths[name]) for name in _kept_names(rules)]
