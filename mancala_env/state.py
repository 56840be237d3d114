"""One position of a game: its fields, its legal actions, and the positions that follow. Immutable and checked."""

import operator
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mancala_env import checks, ending, notation
from mancala_env.checks import Positions
from mancala_env.games import ruleset
from mancala_env.kernels import engine, layout, scores, single
from mancala_env.kernels.single import WORD
from mancala_env.notation import GameResult, Pending, game_result, games_done, halved, position_array
from mancala_env.rules import Goal, Match, Ruleset
from mancala_env.trace import Trace, traced

_INT16 = np.dtype(np.int16)
_empty, _new = np.empty, object.__new__
_Way: TypeAlias = "State | tuple[_Way, int] | None"
"""How a position came about: the one in which its history starts, or the game's last move was played, in as many pairs
as actions were played since. None: its history starts here, or that is not known."""


class IllegalAction(ValueError):
    """An action that cannot be played. The text names the action, the legal ones and the position."""


def _of_pits(name: str, usual: int, about: str) -> property:
    """int8[N]: a property with a number for each pit, ``usual`` in games that do not keep it."""
    return property(
        lambda state: np.array(state._kept(name, size=state.rules.board.pits, usual=usual), dtype=np.int8),
        doc=f"int8[N]: {about}",
    )


def _number(part: str, about: str, at: int = 0, usual: int = 0) -> property:
    """A property of one number, ``usual`` in games that do not keep it."""
    return property(lambda state: state._kept(part, at, usual=usual)[0], doc=about)


class State:
    """One immutable position, made by ``rules.start()``, ``rules.position(...)`` or ``State.parse``; ``play`` goes on.

    States of one ruleset are equal when all fields of their positions are. The history that repetition needs is no part
    of equality, hash or ``str``, but is kept by ``play``, pickle and copies, and written by ``to_line``.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> state = mancala.ruleset("kalah").start().play(2)
    >>> str(state)
    'kalah 4-4-0-5-5-5-4-4-4-4-4-4-1-0-S ply=1'
    >>> state.legal_actions
    (0, 1, 3, 4, 5)
    """

    __slots__ = ("_bound", "_choices", "_data", "_games", "_known", "_way")

    _bound: single.CompiledRules
    _data: Positions  # position, mask and history, laid out as kernels.single says; never modified
    _known: int  # entries of the history: hashes since the last capture, this position's last; 0 where none is kept
    _choices: single.Choices  # what may be played
    _games: tuple[GameResult, ...]
    _way: "_Way"

    def __init__(self) -> None:
        raise TypeError("make a State with rules.start(), rules.position(...) or State.parse(rules, text)")

    @classmethod
    def _of(
        cls,
        bound: single.CompiledRules,
        data: Positions,
        known: int,
        games: tuple[GameResult, ...] = (),
        way: "_Way" = None,
    ) -> "State":
        state = object.__new__(cls)
        state._bound, state._data, state._known = bound, data, int(known)
        state._choices = bound.choices[bound.legal(data)]
        state._games, state._way = games, way
        return state

    @classmethod
    def from_array(cls, rules: Ruleset | str, array: Positions, games: tuple[GameResult, ...] = ()) -> "State":
        """A state from the array of a position, int16[W] (``kernels.layout``), finished or not, where its history
        starts. ``games``: those of the match before it. Raises ValueError if it is no position of this game."""
        rules = ruleset(rules)
        if not isinstance(games, tuple) or not all(isinstance(game, GameResult) for game in games):
            raise ValueError(f"{rules.name}: games must be those of State.games, not {games!r}")
        array = checks.positions(rules, array, "position", single=True)
        if array[rules.board.pits + layout.OVER]:
            cls.parse(rules, notation.written(rules, array))  # refuses an end that it cannot have come to
        return cls._from_array_unchecked(rules, array, games)

    @classmethod
    def _from_array_unchecked(cls, rules: Ruleset, array: Positions, games: tuple[GameResult, ...] = ()) -> "State":
        """``from_array`` for what is known to be a position. If it runs, it may turn out to be over."""
        bound = rules.bound
        data = bound.empty(1)
        data[: bound.width] = array
        if array[bound.pits + layout.OVER]:
            if bound.growth:
                bound.history(data)[0] = single.hash_of(array, rules.encoded.axes)
        else:
            data[bound.plies_since_capture] = 0
            games += _play(bound, data, data, engine.NO_ACTION)
        return cls._of(bound, data, bool(bound.growth), games)

    @property
    def rules(self) -> "Ruleset[State]":
        """The game."""
        rules: Ruleset[State] = self._bound.rules
        return rules

    @property
    def _array(self) -> Positions:
        """The position as kernels take it; not to be modified."""
        return self._data[: self._bound.width]

    @property
    def player(self) -> int:
        """The mover: 0 South, 1 North. Still an int when the game is over."""
        return int(self._data.item(self._bound.pits + layout.MOVER))

    @property
    def pits(self) -> tuple[int, ...]:
        """Seeds in each pit, canonical order. At the end: before the final collection."""
        return tuple(self._data[: self._bound.pits].tolist())

    @property
    def stores(self) -> tuple[int, int]:
        """Seeds in the stores of South and North. At the end: before the final collection."""
        n = self._bound.pits
        return int(self._data.item(n)), int(self._data.item(n + 1))

    @property
    def ply(self) -> int:
        """Moves played so far; in a match, in the game in progress."""
        return int(self._data.item(self._bound.pits + layout.PLY))

    marks = _of_pits("marks", -1, "the player whose mark lies on each pit; -1: none, as always in games without marks.")
    memory = _of_pits("memory", 0, "1 for each pit that the game remembers, else 0 (``Ruleset.remember``).")
    closed = _of_pits("closed", 0, "1 for each pit closed in this game of a match, else 0 (``Ruleset.unfilled``).")
    removed = _number("removed", "Seeds that have left the board.")
    debt = _number("debt", "Seeds that South owes North; below 0 those that North owes South (``Stuck.REFILL``).")
    game = _number("match", "The number of the game in progress in a match, from 1; else 1.", layout.GAME, usual=1)
    first = _number("match", "Who moved first in the game in progress of a match; else 0.", layout.FIRST)

    def _kept(self, part: str, at: int = 0, size: int = 1, usual: int = 0) -> list[int]:
        """Numbers of a part of the position (``Ruleset.fields``), ``usual`` in games that do not keep it."""
        if (first := self.rules.fields.get(part)) is None:
            return [usual] * size
        numbers: list[int] = self._array[first + at : first + at + size].tolist()
        return numbers

    @property
    def owner(self) -> npt.NDArray[np.int8]:
        """int8[N]: who owns each pit; -1: nobody."""
        is_kept = "owner" in self.rules.fields
        return np.array(self._kept("owner", size=len(self.pits)) if is_kept else self.rules.board.owner, dtype=np.int8)

    @property
    def pending(self) -> Pending | None:
        """What the mover has to decide before the turn goes on: ``legal_actions`` are the answers. None: nothing."""
        return notation.pending_in(self.rules, self._array)

    @property
    def stronghold(self) -> tuple[bool, bool]:
        """Has South, and has North, a stronghold that has never been emptied? False where there are none."""
        south, north = self._kept("stronghold", size=2)
        return bool(south), bool(north)

    @property
    def threat(self) -> int | None:
        """The pit that may not be played because the opponent threatens it (``Ruleset.reserve``), or None."""
        (pit,) = self._kept("threat")
        return pit - 1 if pit else None

    @property
    def reserve(self) -> tuple[int, int]:
        """Seeds of South and of North in hand, or not in the game in progress; below 0 where they are borrowed."""
        refills = self.rules.match is Match.REFILL
        south, north = self._kept("match", layout.TALLY, 2) if refills else self._kept("reserve", size=2)
        return south, north

    @property
    def tally(self) -> tuple[float, float]:
        """Where a match stands: the tallies of South and of North, or the pits they own; (0, 0) in other games."""
        if self.rules.match is not Match.TERRITORY and not self.rules.counts_points:
            return 0, 0
        south, north = self._kept("match", layout.TALLY, 2)
        return (halved(south), halved(north)) if self.rules.counts_points else (south, north)

    @property
    def games(self) -> tuple[GameResult, ...]:
        """The games of a match that have ended since it began, or since the position it was set up with; else ()."""
        return self._games

    @property
    def array(self) -> Positions:
        """int16: the position as kernels take it (``kernels.layout``), a copy."""
        return self._array.copy()

    @property
    def history(self) -> npt.NDArray[np.uint64]:
        """uint64: hashes of the positions since the last capture, this one's last; empty where no rule needs them."""
        return self._bound.history(self._data)[: self._known].copy()

    @property
    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """bool[A], a copy: which actions may be played. All False at the end."""
        return self._choices[1]()

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The actions that may be played, ascending; () at the end."""
        return self._choices[0]

    def pit(self, action: int) -> int | None:
        """The pit that an action of the mover plays or picks; None if it passes."""
        return self.rules.pit(self.player, action)

    def direction(self, action: int) -> int:
        """The direction in which an action of the mover sows its first lap: 0 counter-clockwise, 1 clockwise."""
        return self.rules.direction_of(self.player, action) or 0

    @property
    def chosen_directions(self) -> tuple[int | None, int | None]:
        """The direction that South, and that North, has chosen for the game: 0, 1, or None."""
        south, north = (None if each < 0 else each for each in self._kept("direction", size=2, usual=-1))
        return south, north

    def name(self, action: int) -> str:
        """An action as people write it: South's pits A, B, ..., North's a, b, ..., from the owner's left.

        Where both play every pit, South's letters stand for both; on a board of one row a pit goes by its number. "+"
        follows for counter-clockwise and "-" for clockwise where that is chosen; others are "pass", "A>" (go on from
        A), "stop" and "step" (of piles).
        """
        return notation.move_name(self.rules, self.player, action)

    def parse_move(self, text: str) -> int:
        """The action that ``name`` writes as ``text``, legal here or not; ValueError if the mover never has it."""
        names = [self.name(action) for action in range(self.rules.num_actions)]
        if text not in names:
            who, known = f"player {self.player}", ", ".join(names)
            raise ValueError(f"{self.rules.name}: {checks.shown(text)} is no move of {who}; moves are {known}")
        return names.index(text)

    def play(self, action: int) -> "State":
        """The position after an action. Raises ``IllegalAction`` if it is not one of ``legal_actions``."""
        bound, before, known = self._bound, self._data, self._known
        if action.__class__ is not int or action not in self._choices[0]:
            action = self._checked(action)
        if bound.is_match:
            return self._play_on(action)
        if known:
            after = _empty(bound.size + WORD * known + WORD, _INT16)
            legal = bound.play(before, after, action, bound.arrays)
            known = after.item(bound.plies_since_capture) + 1
        else:
            after = _empty(bound.size, _INT16)
            legal = bound.play(before, after, action, bound.arrays)
        state = _new(State)
        state._bound, state._data, state._known, state._games = bound, after, known, ()
        state._choices = bound.choices[legal]
        state._way = None
        if known > 1 or not legal:
            state._way = self._way_on(action) if self._way is None else (self._way, action)
        return state

    def _play_on(self, action: int) -> "State":
        bound = self._bound
        data = bound.empty(self._known + 1)
        games = self._games + _play(bound, self._data, data, action)
        known = int(data[bound.plies_since_capture]) + 1 if bound.growth else 0
        state = State._of(bound, data, known, games)
        if known > 1 or state.is_over:
            state._way = self._way_on(action)
        return state

    def _way_on(self, action: int) -> "_Way":
        """The way to the position after an action, which goes on with the history or ends the game."""
        if self._way is not None:
            return self._way, action
        return (self, action) if self._known <= 1 else None  # else how it came about is not known

    def _checked(self, action: object) -> int:
        with suppress(TypeError):
            if (number := checks.action(action)) in self.legal_actions:
                return number
        why = f"the game is over ({self.termination})" if self.is_over else f"legal actions are {self.legal_actions}"
        raise IllegalAction(
            f"{self.rules.name}: player {self.player} cannot play {checks.shown(action)}; {why} in position {self}"
        )

    def array_after(self, action: int) -> Positions:
        """int16[W]: as ``play``, but where the action ends a game of a match: the board of that game at its end."""
        after = self.play(action)
        if len(after._games) == len(self._games):
            return after.array
        rules, bound = self.rules, self._bound
        data = bound.empty(self._known + 1)
        one_game = single.CompiledRules(rules, rules.one_game)
        one_game.play(self._data, data, int(action), one_game.arrays)
        return data[: bound.width].copy()

    def trace(self, action: int) -> Trace:
        """What an action does: its events in order, and in words (``mancala_env.Trace``). Raises as ``play`` does."""
        after = self.play(action)
        return traced(self.rules, self._array, operator.index(action), after._array)

    @property
    def is_over(self) -> bool:
        """Has the game, or the match, ended?"""
        return not self._choices[0]

    @property
    def termination(self) -> str | None:
        """Why the game ended, one of ``mancala_env.TERMINATIONS``; None while it runs."""
        return layout.TERMINATIONS[self._array[self.rules.board.pits + layout.OVER]] or None

    @property
    def scores(self) -> tuple[float, float] | None:
        """The scores of South and North, ints where whole: the stores, at the end after the final collection; of a
        finished match pits owned, tallies, or all seeds. None in games that are not about seeds."""
        if self.rules.goal is not Goal.SEEDS and self.rules.match is Match.NONE:
            return None
        if not self.is_over:
            return self.stores
        south, north, _ = scores.result(self._array, self.rules.encoded.rules)
        return halved(int(south)), halved(int(north))

    @property
    def ending(self) -> str:
        """Why it is over, for people: "North's row was empty; the rest went to South"; "" while it runs."""
        return ending.why(self.rules, self._array)

    @property
    def winner(self) -> int | None:
        """0 or 1; None for a draw, and while the game runs."""
        if not self.is_over:
            return None
        ahead = scores.result(self._array, self.rules.encoded.rules)[2]
        return None if ahead == 0 else int(ahead < 0)

    @property
    def returns(self) -> tuple[float, float]:
        """+1.0 for the winner, -1.0 for the loser, 0.0 each for a draw and while the game runs."""
        winner = self.winner
        return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def _key(self) -> bytes:
        array = self._array.copy()
        array[self.rules.board.pits + layout.PLIES_SINCE_CAPTURE] = 0
        return array.tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (self.rules is other.rules or self.rules == other.rules) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.rules.name, self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        begun, moves = self._begun()
        data = self._data[: self._bound.size + self._bound.growth * self._known]
        return _unpickled, (self.rules, data.copy(), self._known, self._games, begun, moves)

    def __copy__(self) -> "State":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "State":
        return self

    def _begun(self) -> "tuple[State | None, tuple[int, ...]]":
        """Where the history starts, or the game's last move was played, and what was played since; None: not known."""
        way, moves = self._way, list[int]()
        while isinstance(way, tuple):
            way, action = way
            moves.append(action)
        return way, tuple(reversed(moves))

    def __str__(self) -> str:
        """One line that ``parse`` reads; fields are left out where they are as at the start."""
        return notation.written(self.rules, self._array)

    def __repr__(self) -> str:
        return f"<State {self}>"

    def to_line(self) -> str:
        """One line that ``parse`` reads with its history: a position, ``moves``, and the moves that lead here from it.

        The position is that in which the history starts. Where nothing was played before that counts, the line is
        ``str(state)``. Raises ValueError if moves that count are not known, as of a game in the middle of a ``Batch``.

        Examples
        --------
        >>> import mancala_env as mancala
        >>> state = mancala.ruleset("oware").start().play(2).play(5)
        >>> state.to_line()
        'oware 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S moves C f'
        >>> mancala.State.parse(state.rules, state.to_line()).history.tolist() == state.history.tolist()
        True
        """
        begun, moves = self._begun()
        if begun is None and self._known > 1 and not self.is_over:
            kept = "hand on the position that the game began with and the moves since, as State.play keeps them"
            raise ValueError(f"{self.rules.name}: the moves that led to {self} are not known; {kept}")
        if begun is None:
            return str(self)
        names, state = [], begun
        for action in moves:
            names.append(state.name(action))
            state = state.play(action)
        return f"{begun} moves {' '.join(names)}"

    @classmethod
    def parse(cls, rules: Ruleset | str, text: str) -> "State":
        """The position that ``str(state)`` or ``to_line`` wrote as ``text``. ``rules``: the game, or its name. A
        finished position is written with its moves, or with why it is over: ``over=majority``. Raises ValueError if the
        text cannot be read, or tells of another game, an impossible position or illegal moves."""
        rules = ruleset(rules)
        said = notation.read(rules, text)
        state = cls._said(rules, said)
        for word in said.moves:
            try:
                state = state.play(state.parse_move(word))
            except ValueError as error:
                raise ValueError(f"{checks.shown(text)}: {error}") from None
        return state

    @classmethod
    def _said(cls, rules: Ruleset, said: notation.Said) -> "State":
        over = next((end for end in rules.endings if layout.TERMINATIONS[end] == said.over), 0)
        line = f"{checks.shown(said.text)} says over={str(said.over)[: checks.SHOWN]}"
        if said.over is not None and not over:
            raise ValueError(f"{line}, and {rules.name} does not end so; it ends by {checks.known_endings(rules)}")
        of_match = over if rules.match is not Match.NONE else 0
        array = position_array(rules, said.seeds[:-2], said.seeds[-2:], said.mover, said.ply, said.more, of_match)
        state = cls._from_array_unchecked(rules, array)
        if state.termination == said.over:
            return state
        if said.over is None:
            raise ValueError(
                f"{checks.shown(said.text)} should say over={state.termination}: the game is over there, and a "
                "finished position says why, at the end of the line, or is written as one before it and the moves "
                "since, as to_line() does"
            )
        # A position that is over because of what happened before looks as if it were running, or at its last ply.
        by_its_past = said.over in ("repetition", "lost_by_landing") and state.termination in (None, "max_plies")
        slammed = said.over == "grand_slam" and not any(state.pits[pit] for pit in rules.board.homes[said.mover])
        if not (by_its_past or slammed):
            truth = f"over by {state.termination}" if state.is_over else "not over"
            mended = f"say over={state.termination}" if state.is_over else "leave that out, or say what else it holds"
            raise ValueError(f"{line}, but that position is {truth}; {mended}")
        array[rules.board.pits + layout.OVER] = over
        return cls._from_array_unchecked(rules, array)

    def to_text(self, *, styles: Mapping[int, str] | None = None) -> str:
        """The board drawn in text, South below; ``styles`` of pits as ``render.text.board_text`` takes them."""
        from mancala_env.render.text import board_text

        return board_text(self.rules, self._array, styles)

    def to_svg(self, *, last: "tuple[State, int] | None" = None, **options: Any) -> str:
        """The board as an SVG picture. ``last``, (state, action), is the move that led here, to be shown.

        ``options`` are those of ``mancala_env.render.svg.board_svg``: ``size``, ``dark``, ``orientation``, ``legal`` (a
        mask), ``last_pit``. Raises ValueError if ``last`` does not lead here, or an option does not fit."""
        from mancala_env.render.svg import board_svg

        if last is not None:
            before, action = last
            if before.play(action) != self:
                raise ValueError(f"{self.rules.name}: action {action} in {before} does not lead to {self}")
            options["trace"] = traced(self.rules, before._array, action, self._array)
        return board_svg(self.rules, self._array, **options)

    def _repr_svg_(self) -> str:
        return self.to_svg()


@lru_cache(maxsize=64)
def _shared(rules: Ruleset) -> Ruleset:
    """The first ruleset seen that equals this one: its tables are made only once, however many positions arrive."""
    return rules


def _unpickled(
    rules: Ruleset,
    data: Positions,
    known: int,
    games: tuple[GameResult, ...],
    begun: State | None,
    moves: tuple[int, ...],
) -> State:
    """What ``State.__reduce__`` kept; ValueError if kernels would write past the end of its history."""
    way: _Way = begun
    for action in moves:
        way = way, action
    bound = _shared(rules).bound
    own = np.array(data, dtype=np.int16)  # what comes from another process may be read-only, or not its own
    fits = own.shape == (bound.size + bound.growth * known,) and (known > 0) == (bound.growth > 0)
    if fits and known and not own[bound.pits + layout.OVER]:
        fits = known == own[bound.plies_since_capture] + 1
    if not fits:
        raise ValueError(f"{rules.name}: no pickled State of this version of mancala_env; hand on state.to_line()")
    return State._of(bound, own, known, games, way)


def _play(bound: single.CompiledRules, before: Positions, after: Positions, action: int) -> tuple[GameResult, ...]:
    """Play an action from the data of one position to those of another; the games of a match that ended by it."""
    rules, first = bound.rules, games_done(bound.rules, before)
    # How the games end, as ``kernels.ending.check_termination`` logs it.
    log = np.zeros((rules.max_games, 3), dtype=np.int16) if bound.is_match else layout.NO_LOG
    bound.play_logged(before, after, action, log)
    return tuple(game_result(rules, *line) for line in log[first : games_done(rules, after)].tolist())


def the_state(given: Any, name: str = "state") -> State:
    """A position that a function was given. Raises TypeError for anything else."""
    if not isinstance(given, State):
        made = "as ruleset(name).start() and State.parse(rules, text) make one"
        raise TypeError(f"{name} must be a State, {made}, not {checks.shown(given)}")
    return given
