"""One position of a game: what it looks like, what may be played, what comes of it. Immutable and checked."""

import operator
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.fields import (
    OWNERS,
    GameResult,
    doubled_number,
    game_result,
    games_done,
    halved,
    is_whole,
    last_game,
    read_field,
    seed_counts,
    seeds_in,
    two_numbers,
    write_kept,
)
from mancala_env.kernels import engine, layout, match, scores
from mancala_env.rules import Goal, Match, Ruleset

_SINGLE = Match.NONE
_NO_HISTORY = np.zeros(0, dtype=np.uint64)
_TEXT = re.compile(r"(?P<name>\w+) (?P<seeds>\d+(?:-\d+)*)-(?P<mover>[SN])(?P<more>(?: \w+=\S+)*)")


class IllegalAction(ValueError):
    """An action that cannot be played. The text names the action, the legal ones and the position."""


class Predecessor(NamedTuple):
    """A position and an action that leads from it to another one: ``State.predecessors``."""

    state: "State"
    action: int


class State:
    """One immutable position.

    Make one with ``rules.start()``, ``rules.position(...)`` or ``State.parse``; go on with ``play``. States of one
    ruleset are equal when all fields of their positions are: pits, stores, mover, ply and ending, and what some games
    keep besides; the history that repetition needs is not part of
    equality, hash or text, but is kept by ``play``, pickle and copies.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> state = mancala.ruleset("kalah").start().play(2)
    >>> str(state)
    'kalah 4-4-0-5-5-5-4-4-4-4-4-4-1-0-S ply=1'
    >>> state.legal_actions
    (0, 1, 3, 4, 5)
    """

    __slots__ = ("_actions", "_games", "_history", "_mask", "_row", "_rules")

    _rules: Ruleset
    _row: npt.NDArray[np.int16]  # kernels.layout
    _mask: npt.NDArray[np.bool_]  # [A]
    _history: npt.NDArray[np.uint64]  # hashes since the last capture, this position's last
    _actions: tuple[int, ...] | None
    _games: tuple[GameResult, ...]

    def __init__(self) -> None:
        raise TypeError("make a State with rules.start(), rules.position(...) or State.parse(rules, text)")

    @classmethod
    def at(
        cls,
        rules: Ruleset,
        pits: Sequence[int],
        stores: Sequence[int] = (0, 0),
        player: int = 0,
        ply: int = 0,
        **more: Any,
    ) -> "State":
        """Any position; see ``Ruleset.position``."""
        n = rules.board.pits
        row = np.zeros(rules.fields["width"], dtype=np.int16)
        row[:n] = seed_counts(rules, "pits", pits, n)
        row[n : n + 2] = seed_counts(rules, "stores", stores, 2)
        if not is_whole(player) or player not in (0, 1):
            raise ValueError(f"{rules.name}: player must be 0 or 1, not {player!r}")
        row[n + layout.MOVER] = player
        row[n + layout.PLY] = _ply(rules, ply)
        write_kept(rules, row, more)
        slack = 1 if rules.goal is Goal.LAST_MOVER else 0  # a worked example of Hus has one seed too many
        if (total := seeds_in(rules, row)) > rules.total_seeds + slack:
            raise ValueError(
                f"{rules.name}: {total} seeds are more than the {rules.total_seeds} the game is played with"
            )
        if not rules.has_stores and row[n : n + 2].any():
            raise ValueError(f"{rules.name}: no seed gets into a store; stores are (0, 0), not {tuple(stores)}")
        if rules.pit_limit and row[:n].max() > rules.pit_limit:
            raise ValueError(f"{rules.name}: a pit holds at most {rules.pit_limit} seeds, not {row[:n].max()}")
        return cls._settled(rules, row)

    @classmethod
    def _settled(cls, rules: Ruleset, row: npt.NDArray[np.int16]) -> "State":
        """The position of a row that is taken over: is it over, what may be played? Its history starts here."""
        row[rules.board.pits + layout.QUIET] = row[rules.board.pits + layout.OVER] = 0
        mask = np.zeros(rules.num_actions, dtype=np.bool_)
        history = np.zeros(1, dtype=np.uint64) if rules.repetition else _NO_HISTORY
        log, first = _log(rules), games_done(rules, row)
        engine.play_one(row, engine.NO_ACTION, mask, history, log, *rules.encoded)
        return cls._of(rules, row, mask, history, _logged(rules, row, log, first))

    @classmethod
    def _of(
        cls,
        rules: Ruleset,
        row: npt.NDArray[np.int16],
        mask: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        games: tuple[GameResult, ...] = (),
    ) -> "State":
        """A state that takes over checked arrays."""
        state = object.__new__(cls)
        state._rules, state._row, state._mask, state._history, state._actions = rules, row, mask, history, None
        state._games = games
        return state

    @classmethod
    def from_row(cls, rules: Ruleset, row: npt.NDArray[np.int16], games: tuple[GameResult, ...] = ()) -> "State":
        """The position of a row that kernels made (``kernels.layout``), finished or not. Its history starts here.

        ``games`` are the games of the match before it.
        """
        if row[rules.board.pits + layout.OVER]:
            return cls._of(rules, row.copy(), np.zeros(rules.num_actions, dtype=np.bool_), _NO_HISTORY, games)
        return cls._settled(rules, row.copy())

    @property
    def rules(self) -> Ruleset:
        """The game."""
        return self._rules

    @property
    def player(self) -> int:
        """The mover: 0 South, 1 North. Still an int when the game is over."""
        return int(self._row.item(self._rules.board.pits + layout.MOVER))

    @property
    def pits(self) -> tuple[int, ...]:
        """Seeds in each pit, canonical order. At the end: before the final collection."""
        return tuple(self._row[: self._rules.board.pits].tolist())

    @property
    def stores(self) -> tuple[int, int]:
        """Seeds in the stores of South and North. At the end: before the final collection."""
        n = self._rules.board.pits
        return int(self._row[n]), int(self._row[n + 1])

    @property
    def ply(self) -> int:
        """Moves played so far; in a match, in the game in progress."""
        return int(self._row[self._rules.board.pits + layout.PLY])

    @property
    def owner(self) -> npt.NDArray[np.int8]:
        """int8[N]: who owns each pit; -1: nobody."""
        if (at := self._rules.fields.get("owner")) is not None:
            return self._row[at : at + self._rules.board.pits].astype(np.int8)
        return np.array(self._rules.board.owner, dtype=np.int8)

    @property
    def marks(self) -> npt.NDArray[np.int8]:
        """int8[N]: the player whose mark lies on each pit; -1 for none, as everywhere in games without marks."""
        if (at := self._rules.fields.get("marks")) is not None:
            return self._row[at : at + self._rules.board.pits].astype(np.int8)
        return np.full(self._rules.board.pits, -1, dtype=np.int8)

    @property
    def removed(self) -> int:
        """Seeds that have left the board."""
        at = self._rules.fields.get("removed")
        return 0 if at is None else int(self._row[at])

    @property
    def game(self) -> int:
        """The number of the game in progress in a match, from 1; 1 in a game that is no match."""
        return 1 if self._rules.match is Match.NONE else self._match(layout.GAME)

    @property
    def first(self) -> int:
        """Who moved first in the game in progress of a match; 0 in a game that is no match."""
        return 0 if self._rules.match is Match.NONE else self._match(layout.FIRST)

    @property
    def reserve(self) -> tuple[int, int]:
        """Seeds of South and of North that are not in the round in progress; (0, 0) where there are no such seeds."""
        if self._rules.match is not Match.REFILL:
            return 0, 0
        return self._match(layout.TALLY), self._match(layout.TALLY + 1)

    @property
    def tally(self) -> tuple[float, float]:
        """Where a match stands: the tallies of South and of North, or the pits they own; (0, 0) in other games."""
        if self._rules.match is Match.TERRITORY:
            return self._match(layout.TALLY), self._match(layout.TALLY + 1)
        if self._rules.match in (Match.WINS, Match.DIFFERENCE):
            return halved(self._match(layout.TALLY)), halved(self._match(layout.TALLY + 1))
        return 0, 0

    @property
    def last(self) -> GameResult | None:
        """The game of a match that ended last, also where it lies before the position a match was set up with."""
        if self._rules.match is Match.NONE:
            return None
        return last_game(self._rules, self._row)

    @property
    def games(self) -> tuple[GameResult, ...]:
        """The games of a match that have ended since it began, or since the position it was set up with; else ()."""
        return self._games

    def _match(self, field: int) -> int:
        return int(self._row[self._rules.fields["match"] + field])

    @property
    def row(self) -> npt.NDArray[np.int16]:
        """int16: the position as kernels take it (``kernels.layout``), a copy."""
        return self._row.copy()

    @property
    def history(self) -> npt.NDArray[np.uint64]:
        """uint64: hashes of the positions since the last capture, this one's last; empty where no rule needs them."""
        return self._history.copy()

    @property
    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """bool[A], a copy: which actions may be played. All False at the end."""
        return self._mask.copy()

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The actions that may be played, ascending; () at the end."""
        if self._actions is None:
            self._actions = tuple([action for action, legal in enumerate(self._mask.tolist()) if legal])
        return self._actions

    def pit(self, action: int) -> int | None:
        """The pit that an action of the mover plays; None if it passes."""
        return self._rules.pit(self.player, action)

    def direction(self, action: int) -> int:
        """0: counter-clockwise, the only direction of these games."""
        self.pit(action)
        return 0

    def name(self, action: int) -> str:
        """An action as people write it: South's pits A, B, ..., North's a, b, ..., from the owner's left.

        Where both players play every pit, the pits of South's row are A, B, ... for both. On a board of one row a pit
        goes by its number. A pass is "pass".
        """
        pit = self.pit(action)
        return "pass" if pit is None else self._rules.board.names[pit]

    def parse_move(self, text: str) -> int:
        """The action that ``name`` writes as ``text``.

        Raises
        ------
        ValueError
            If the mover has no such move on this board (whether it is legal here, ``play`` says).
        """
        names = [self.name(action) for action in range(self._rules.num_actions)]
        if text not in names:
            raise ValueError(
                f"{self._rules.name}: {text!r} is no move of player {self.player}; moves are {', '.join(names)}"
            )
        return names.index(text)

    def play(self, action: int) -> "State":
        """The position after an action.

        Raises
        ------
        IllegalAction
            If the action is not one of ``legal_actions``.
        """
        rules, mask, history = self._rules, self._mask, self._history
        try:
            chosen = operator.index(action)
        except TypeError:
            raise self._illegal(action) from None
        if not 0 <= chosen < len(mask) or not mask[chosen] or isinstance(action, bool):
            raise self._illegal(action)
        row = self._row.copy()
        mask = np.empty(len(mask), dtype=np.bool_)
        if known := len(history):
            longer = np.empty(known + 1, dtype=np.uint64)
            longer[:known] = history
            history = longer
        if rules.match is _SINGLE:
            start = engine.play_one(row, chosen, mask, history, layout.NO_LOG, *rules.encoded)
            return State._of(rules, row, mask, history[start:])
        log, first = _log(rules), games_done(rules, row)
        start = engine.play_one(row, chosen, mask, history, log, *rules.encoded)
        if known:  # a new game begins with a history of its own
            history = history[start : start + int(row[rules.board.pits + layout.QUIET]) + 1]
        return State._of(rules, row, mask, history, self._games + _logged(rules, row, log, first))

    def predecessors(self, limit: int | None = None) -> tuple[Predecessor, ...]:
        """Every running position from which one legal action leads to this one, with the action: ``play`` backwards.

        Positions count as what lies on the board: pits, stores, mover, owners, marks, removed seeds, and where a match
        stands. Plies, the history that repetition needs, and whether and why this position is over are not compared.
        A predecessor is one ply earlier (never before ply 0), and its history starts there. Nothing says that it can be
        reached from the start of a game, nor that the repetition rule would have let a game pass through it.

        In a match, moves are taken back only within the game in progress: what ended a game, the last one included, is
        not, as its seeds and the tallies before it are gone; so a finished match has no predecessors. Nor has a
        position that a game is set up with, unless one in play happens to look the same.

        Parameters
        ----------
        limit : int, optional
            Stop when so many are found, whichever they are. Most positions have about ten predecessors, in a few
            milliseconds; but a Hus player who has lost nearly all his seeds can have lost them in a million ways, which
            takes minutes.

        Returns
        -------
        tuple of (state, action)
            Ordered by pits, stores, mover and action; () if no move leads here.

        Raises
        ------
        NotImplementedError
            If the ruleset lets seeds be sown on from pits that may be empty (``empty_capture`` with ``sow_on``).
        ValueError
            If ``limit`` is no whole number from 0.

        Examples
        --------
        >>> import mancala_env as mancala
        >>> state = mancala.ruleset("kalah").start().play(2)
        >>> [(str(before), action) for before, action in state.predecessors()]
        [('kalah 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S', 2)]
        """
        from mancala_env.backwards import candidates

        if limit is not None and (not is_whole(limit) or limit < 0):
            raise ValueError(f"limit must be None or a whole number from 0, not {limit!r}")
        rules, here = self._rules, self._board()
        found: list[Predecessor] = []
        if rules.match is not _SINGLE and self.is_over:
            return ()
        for row, action in candidates(rules, self._row):
            if limit is not None and len(found) >= limit:
                break
            state = State.from_row(rules, row)
            if state._mask[action] and (state._row == row).all() and state.play(action)._board() == here:
                found.append(Predecessor(state, action))
        return tuple(sorted(found, key=lambda one: (one.state._row.tolist(), one.action)))

    def _board(self) -> bytes:
        """What ``predecessors`` compares."""
        row = self._row.copy()
        row[self._rules.board.pits + layout.PLY : self._rules.board.pits + layout.ROW_FIELDS] = 0
        return row.tobytes()

    def next_game(self, scores: Sequence[float]) -> "State":
        """The position that follows if the game in progress of this match ends now with these scores.

        That is the set-up of the next game, or the finished match. Pits and stores as they stand do not matter.

        Parameters
        ----------
        scores : the final scores of South and of North, whole or half seeds

        Raises
        ------
        ValueError
            If this is no match, or it is over, or the scores are impossible.
        """
        rules = self._rules
        if rules.match is Match.NONE or self.is_over:
            why = "the match is over" if self.is_over else "it is no match"
            raise ValueError(f"{rules.name} goes on to no other game: {why}, in {self}")
        doubled = [
            doubled_number(rules, score, f"scores are {scores!r}") for score in two_numbers(rules, "scores", scores)
        ]
        if sum(doubled) + 2 * sum(self.reserve) > 2 * rules.total_seeds:
            raise ValueError(f"{rules.name}: scores of {scores!r} are more than the {rules.total_seeds} seeds")
        row = self._row.copy()
        goes_on = match.end_game(row, *doubled, *rules.encoded)
        result = last_game(rules, row)
        games = self._games if result is None else (*self._games, result)
        if not goes_on:
            return State._of(rules, row, np.zeros_like(self._mask), _NO_HISTORY, games)
        state = State._settled(rules, row)
        return State._of(rules, state._row, state._mask, state._history, games + state._games)

    def _illegal(self, action: object) -> IllegalAction:
        why = f"the game is over ({self.termination})" if self.is_over else f"legal actions are {self.legal_actions}"
        return IllegalAction(
            f"{self._rules.name}: player {self.player} cannot play {action!r}; {why} in position {self}"
        )

    @property
    def is_over(self) -> bool:
        """Has the game, or the match, ended?"""
        return bool(self._row[self._rules.board.pits + layout.OVER])

    @property
    def termination(self) -> str | None:
        """Why the game ended, one of ``mancala_env.TERMINATIONS``; None while it runs."""
        return layout.TERMINATIONS[self._row[self._rules.board.pits + layout.OVER]] or None

    @property
    def scores(self) -> tuple[float, float] | None:
        """The scores of South and North: the stores while the game runs, after the final collection at its end.

        Of a finished match: pits owned, tallies, or all seeds. Whole numbers are ints; half seeds occur only where a
        repetition splits what is left. None in games that are not about seeds.
        """
        if self._rules.goal is not Goal.SEEDS and self._rules.match is Match.NONE:
            return None
        if not self.is_over:
            return self.stores
        south, north, _ = scores.result(self._row, *self._rules.encoded)
        return halved(int(south)), halved(int(north))

    @property
    def winner(self) -> int | None:
        """0 or 1; None for a draw, and while the game runs."""
        if not self.is_over:
            return None
        ahead = scores.result(self._row, *self._rules.encoded)[2]
        return None if ahead == 0 else int(ahead < 0)

    @property
    def returns(self) -> tuple[float, float]:
        """+1.0 for the winner, -1.0 for the loser, 0.0 each for a draw and while the game runs."""
        winner = self.winner
        return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def _key(self) -> bytes:
        row = self._row.copy()
        row[self._rules.board.pits + layout.QUIET] = 0
        return row.tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (self._rules is other._rules or self._rules == other._rules) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._rules.name, self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        return State._of, (self._rules, self._row, self._mask, self._history, self._games)

    def __str__(self) -> str:
        """One line that ``parse`` reads: the game, pits, stores and mover; other fields where they are not as at the
        start; and why it is over."""
        text = f"{self._rules.name} {'-'.join(map(str, (*self.pits, *self.stores)))}-{'SN'[self.player]}"
        if self.ply:
            text += f" ply={self.ply}"
        for name, value in self._kept().items():
            text += f" {name}={value}"
        return f"{text} over={self.termination}" if self.is_over else text

    def _kept(self) -> dict[str, str]:
        """The fields besides pits, stores, mover and ply that differ from those of a start, as text."""
        rules, kept = self._rules, {}
        if "owner" in rules.fields and self.owner.tolist() != list(rules.board.owner):
            kept["owner"] = "".join(OWNERS[player] for player in self.owner)
        if rules.has_marks and (self.marks >= 0).any():
            kept["marks"] = "".join("." if player < 0 else OWNERS[player] for player in self.marks)
        if self.removed:
            kept["removed"] = str(self.removed)
        if rules.match is Match.NONE:
            return kept
        if any(self.reserve):
            kept["reserve"] = "-".join(map(str, self.reserve))
        if any(self.tally) and (rules.match is not Match.TERRITORY or self.is_over):
            kept["tally"] = "-".join(map(str, self.tally))
        if self.game > 1:
            kept["game"] = str(self.game)
        if self.first:
            kept["first"] = OWNERS[self.first]
        last, over = (self._match(layout.LAST), self._match(layout.LAST + 1)), self._match(layout.LAST_OVER)
        if any(last):
            kept["last"] = "-".join(str(halved(score)) for score in last)
        if over:
            kept["last_over"] = layout.TERMINATIONS[over]
        return kept

    def __repr__(self) -> str:
        return f"<State {self}>"

    @classmethod
    def parse(cls, rules: Ruleset, text: str) -> "State":
        """The position that ``str(state)`` wrote as ``text``. Its history starts here.

        Raises
        ------
        ValueError
            If the text is not of this form, speaks of another game, or describes an impossible position.
        """
        found = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
        if found is None:
            form = f"{rules.name} {'-'.join(['4'] * rules.board.pits)}-0-0-S ply=7"
            raise ValueError(f"cannot read {text!r} as a position; it should look like {form!r}")
        if found["name"] != rules.name:
            raise ValueError(f"{text!r} is a position of {found['name']!r}, not of {rules.name!r}")
        seeds = [int(number) for number in found["seeds"].split("-")]
        if len(seeds) != rules.board.pits + 2:
            raise ValueError(
                f"{text!r} has {len(seeds)} numbers; {rules.name} has {rules.board.pits} pits and 2 stores"
            )
        more: dict[str, Any] = {}
        for part in found["more"].split():
            name, _, value = part.partition("=")
            if name in more:
                raise ValueError(f"{text!r} gives {name} twice")
            more[name] = read_field(rules, name, value, text)
        mover = "SN".index(found["mover"])
        over = more.pop("over", None)
        if rules.match is not Match.NONE:
            more.setdefault("first", 0)
        if over is not None and rules.match is not Match.NONE:
            return cls._ended_match(rules, seeds, mover, over, more, text)
        state = cls.at(rules, seeds[:-2], seeds[-2:], player=mover, **more)
        return state if over == state.termination else state._ended(over, mover, text)

    @classmethod
    def _ended_match(
        cls, rules: Ruleset, seeds: list[int], mover: int, over: str, more: dict[str, Any], text: str
    ) -> "State":
        """A finished match: what ended it lies in fields that only its own end can have written."""
        n, ply = rules.board.pits, more.pop("ply", 0)
        row = np.zeros(rules.fields["width"], dtype=np.int16)
        row[: n + 2] = seed_counts(rules, "pits and stores", seeds, n + 2)
        row[n + layout.MOVER], row[n + layout.PLY] = mover, _ply(rules, ply)
        write_kept(rules, row, more, over=True)
        capped = layout.TERMINATIONS[rules.encoded.axes[layout.GAMES_REASON]]
        decided = bool(match.is_decided(row, rules.encoded.axes))
        last = row[rules.fields["match"] + layout.GAME] == rules.max_games
        known = (over == "match_target" and decided) or (over == capped and last and not decided)
        if not known or seeds_in(rules, row) > rules.total_seeds:
            raise ValueError(f"{text!r} is no finished match of {rules.name}, over by match_target or {capped}")
        row[n + layout.OVER] = layout.TERMINATIONS.index(over)
        return cls._of(rules, row, np.zeros(rules.num_actions, dtype=np.bool_), _NO_HISTORY)

    def _ended(self, reason: str | None, mover: int, text: str) -> "State":
        """This position ended for a reason that lies in the way to it: a repetition or a grand slam."""
        rules = self._rules
        repeated = reason == "repetition" and rules.repetition and self.termination in (None, "max_plies")
        stripped = not any(self.pits[pit] for pit in rules.board.homes[mover])
        slammed = reason == "grand_slam" and rules.grand_slam == "rest_to_opponent" and stripped
        if not repeated and not slammed:
            if reason is None:
                raise ValueError(f"{text!r} should say over={self.termination}")
            truth = f"over by {self.termination}" if self.is_over else "not over"
            raise ValueError(f"{text!r} says over={reason}, but that position is {truth}")
        row = self._row.copy()
        row[rules.board.pits + layout.MOVER] = mover
        row[rules.board.pits + layout.OVER] = layout.TERMINATIONS.index(str(reason))
        return State._of(rules, row, np.zeros_like(self._mask), _NO_HISTORY)

    def to_text(self) -> str:
        """The board drawn in text, South below."""
        from mancala_env.render.text import board_text

        return board_text(self._rules, self._row)

    def to_svg(self, *, last: "tuple[State, int] | None" = None, **options: Any) -> str:
        """The board as an SVG picture.

        Parameters
        ----------
        last : (state, action), optional
            The move that led here, to be shown: where its seeds fell, in order, and what it captured.
        options : as in ``mancala_env.render.svg.board_svg``
            ``size``, ``dark``, ``orientation``, ``legal`` (a mask), ``values`` of actions (``percent``), ``last_pit``.

        Raises
        ------
        ValueError
            If ``last`` does not lead here, or an option does not fit this board.

        Examples
        --------
        >>> import mancala_env as mancala
        >>> start = mancala.ruleset("kalah").start()
        >>> picture = start.play(2).to_svg(last=(start, 2), values={0: 1.5, 4: -2}, dark=True)
        """
        from mancala_env.render.path import path_of
        from mancala_env.render.svg import board_svg

        if last is not None:
            before, action = last
            if before.play(action) != self:
                raise ValueError(f"{self._rules.name}: action {action} in {before} does not lead to {self}")
            options["path"] = path_of(self._rules, before._row, action, self._row)
        return board_svg(self._rules, self._row, **options)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def _ply(rules: Ruleset, ply: object) -> int:
    """The number of plies, checked."""
    if not is_whole(ply) or not 0 <= ply <= layout.MAX_PLY:  # type: ignore[operator]
        raise ValueError(f"{rules.name}: ply must be a whole number from 0 to {layout.MAX_PLY}, not {ply!r}")
    return int(ply)  # type: ignore[call-overload]


def _log(rules: Ruleset) -> npt.NDArray[np.int16]:
    """int16[max_games, 3]: where ``engine.settle`` writes how games of a match end."""
    return layout.NO_LOG if rules.match is Match.NONE else np.zeros((rules.max_games, 3), dtype=np.int16)


def _logged(
    rules: Ruleset, row: npt.NDArray[np.int16], log: npt.NDArray[np.int16], first: int
) -> tuple[GameResult, ...]:
    """The games of a match that ended after the first so many."""
    return tuple(game_result(rules, *line) for line in log[first : games_done(rules, row)].tolist())
