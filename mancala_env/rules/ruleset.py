"""What a game is: ``Ruleset``, the groups of a rule book together, checked and encoded."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import numpy as np

from mancala_env.rules import checks
from mancala_env.rules.choices import Direction
from mancala_env.rules.declared import grouped
from mancala_env.rules.describe import describe
from mancala_env.rules.encode import RuleBook
from mancala_env.rules.fields import DECLARED, DEFAULTS, NOT_RULES, about_fields
from mancala_env.rules.spec import format_spec, rule_changes
from mancala_env.words import did_you_mean

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    StateT = TypeVar("StateT", default=Any)  # what a position is: ``mancala_env.State``, of which rules know nothing
else:
    from typing import TypeVar

    StateT = TypeVar("StateT")

SHORTHANDS = {  # option that ``Ruleset.changes`` takes besides the fields: the field it stands for
    "pits_per_row": "board",
    "houses": "board",
    "start": "setup",
    "target_pits": "target",
    "max_rounds": "max_games",
}
_OPEN_TO = {Direction.COUNTERCLOCKWISE: (0,), Direction.CLOCKWISE: (1,)}  # directions; elsewhere both


@grouped
@dataclass(frozen=True, kw_only=True)
class Ruleset(RuleBook, Generic[StateT]):
    """A game as data. Derive one from a relative with ``mancala_env.ruleset(relative, **changes)``. Every combination
    that contradicts itself is refused with a ``ValueError`` that says why and what to change. ``describe()`` writes a
    ruleset out in words."""

    make_position: ClassVar[Callable[..., Any]]  # the top level of the package says how

    def __post_init__(self) -> None:
        checks.check(self)
        for option in self.options:
            object.__setattr__(self, option.name, option.value_in(self.landing, self.board))

    @property
    def id(self) -> str:
        """The id under which PettingZoo and Gymnasium know the game."""
        return f"mancala/{self.name}-v{self.version}"

    def spec(self) -> str:
        """The text that ``mancala_env.ruleset`` reads as this ruleset, such as ``oware:seeds=3,grand_slam=no_capture``.
        Raises ValueError if it is not a named game with changes that can be written as text."""
        return format_spec(self.name, rule_changes(self))

    def changes(self, **changes: Any) -> "Ruleset[StateT]":
        """This game with some axes changed; what only meant something with one that is changed, as ``target`` does in a
        match, goes back to its default, and ``indeterminacy_max_seeds`` gives way. Besides the fields there are
        ``options``, and shorthands: ``pits_per_row`` (or ``houses``) for a board of the same kind, ``start`` for
        ``setup``, ``target_pits`` for ``target``, ``max_rounds`` for ``max_games``. Raises ValueError for an unknown
        name (with the nearest known one) or values that do not fit together."""
        options = {option.name: option for option in self.options}
        known = [*DECLARED, *SHORTHANDS, *options]
        for name in changes:
            if name not in known:
                names = ", ".join([*(each for each in DECLARED if each not in NOT_RULES), *options])
                hint = did_you_mean(name, known) or f"options are {names}"
                raise ValueError(f"ruleset {self.name!r}: there is no option {name!r}; {hint}")
            field = options[name].field if name in options else SHORTHANDS.get(name, name)
            for other in changes:
                if other != name and field == (other if name in options else SHORTHANDS.get(other, other)):
                    raise ValueError(f"ruleset {self.name!r}: give {other} or {name}, not both")
        spelt = {SHORTHANDS.get(name, name): value for name, value in changes.items() if name not in options}
        if (size := changes.get("pits_per_row", changes.get("houses"))) is not None:
            spelt["board"] = self.board.resized(size)
        for name, option in options.items():
            if name in changes:
                columns = self.board.columns if size is None else size
                try:
                    spelt |= option.changes(changes[name], spelt.get("landing", self.landing), columns)
                except ValueError as error:
                    checks.refuse(self, str(error))
        if "setup" in spelt and self.board.rows == 1 and "board" not in spelt:
            with suppress(TypeError):  # what is no list of seeds is refused below
                spelt["board"] = self.board.resized((sum if self.board.kind == "piles" else len)(spelt["setup"]))
        if "seeds" in spelt and (laid := spelt.get("setup", self.setup)) is not None:
            if "setup" in spelt or len({*laid} - {0}) != 1 or not self.board.halves:
                checks.refuse(self, "start says in which pits how many seeds lie; change that, or give start=null, too")
            spelt["setup"] = [spelt["seeds"] if each else 0 for each in laid]  # in the same pits
            del spelt["seeds"]
        return replace(self, **{name: DEFAULTS[name] for name in checks.idle(self, spelt)}, **spelt)

    def describe(self) -> str:
        """The rules in sentences as a player reads them, in the order of a rule book, in lines of 100 characters."""
        return describe(self)

    def start(self) -> StateT:
        """The position before the first move, a ``State``; South is to move."""
        return self._start

    @cached_property
    def _start(self) -> StateT:
        marks: dict[str, Any] = {"marks": self.setup_marks} if self.setup_marks else {}
        return self.position(self.start_pits, self.start_stores, **marks)

    def position(
        self, pits: Sequence[int], stores: Sequence[int] = (0, 0), player: int = 0, ply: int = 0, **more: Any
    ) -> StateT:
        """Any position of this game, a ``State``. It may be a finished one. Its history starts here.

        Parameters
        ----------
        pits, stores : seeds in each pit, canonical order, and of South and of North
        player, ply : the mover, 0 or 1, and plies played so far, for the ply limit
        **more : further fields of some games
            ``owner``: 0 or 1 for each pit. ``marks``: 0, 1, or -1 or None for each pit. ``removed``: seeds off the
            board. ``direction``: the one that South, and the one that North, has chosen for the game: 0
            (counter-clockwise), 1 (clockwise) or None (not yet). ``memory``: 1 for each pit that the game remembers.
            ``pending``: what the mover has to decide in mid-turn, as ("pick", 2) for two pits to pick, ("go_on", 7, 0)
            for whether to go on from pit 7, counter-clockwise, or ("direction", 7, 3) for the way three seeds of pit 7
            go. ``reserve``: seeds in hand. ``stronghold``: has South, and has North, kept it? ``threat``: the pit
            under a threat. ``debt``: seeds that South owes North, below 0 those that North owes South. Of matches:
            ``reserve`` (below 0 where seeds are borrowed) or ``tally``, a number for each player; ``game``, its number
            from 1; ``first``, who moved first in it; ``last``, the final scores of the game before; ``closed``: 1 for
            each pit that is closed in this game. ``marks`` may be called ``mark_name``.

        Raises
        ------
        ValueError
            If the position is impossible: wrong board size, negative or fractional numbers, more seeds than the game
            has, or a field that this game does not keep.
        """
        made: StateT = self.make_position(self, pits, stores, player, ply, more)
        return made

    def action(self, player: int, pit: int | None, direction: int | None = None) -> int:
        """The action with which ``player`` plays ``pit``, or picks it if it is the opponent's; None stands for passing,
        or for stopping where a turn may go on (that is ``State.parse_move("H>")``). ``direction``: 0 counter-clockwise,
        1 clockwise; it can be left out where there is only one. Raises ValueError if that player can never do so."""
        if player not in range(self.players):
            known = " or ".join(map(str, range(self.players)))
            raise ValueError(f"{self.name}: player must be {known}, not {player!r}")
        home, others = self.board.homes[player], self.board.homes[1 - player]
        if pit is None and (self.explicit_pass or self.may_stop):
            if direction is not None:
                raise ValueError(f"{self.name}: a pass has no direction; leave it out, not {direction!r}")
            return self.num_actions - 1
        if self.num_decisions and pit in others and direction is None:
            return self.num_sowings + len(home) + others.index(pit)
        if pit not in home:
            raise ValueError(f"{self.name}: pit {pit!r} is not one of player {player}'s pits {list(home)}")
        place = home.index(pit)
        open_to = _OPEN_TO.get(self.directions[place], (0, 1))
        if direction is None and len(open_to) == 1:
            direction = open_to[0]
        if direction is None or isinstance(direction, bool) or direction not in open_to:
            ways = " or ".join(f"{way} ({('counter-clockwise', 'clockwise')[way]})" for way in open_to)
            raise ValueError(f"{self.name}: pit {pit} is sown in direction {ways}, not {direction!r}")
        return place + (len(home) * int(direction) if self.offers_directions else 0)

    def direction_of(self, player: int, action: int) -> int | None:
        """The direction in which ``action`` of ``player`` sows its first lap: 0 counter-clockwise, 1 clockwise; None if
        it sows nothing. Raises ValueError if there is no such action."""
        if self.pit(player, action) is None or action >= self.num_sowings:
            return None
        if self.offers_directions:
            return action // len(self.board.homes[player])
        return _OPEN_TO[self.directions[action]][0]

    def pit(self, player: int, action: int) -> int | None:
        """The pit that ``action`` of ``player`` plays or picks; None for a pass. ValueError: no such action."""
        if player not in (0, 1):
            raise ValueError(f"{self.name}: player must be 0 or 1, not {player!r}")
        if not isinstance(action, int | np.integer) or not 0 <= action < self.num_actions:
            raise ValueError(f"{self.name}: action must be from 0 to {self.num_actions - 1}, not {action!r}")
        home, others = self.board.homes[player], self.board.homes[1 - player]
        if action < self.num_sowings:
            return home[action % len(home)]
        decided = (*home, *others) if self.num_decisions else ()  # after these come stopping and passing
        return decided[action - self.num_sowings] if action - self.num_sowings < len(decided) else None

    def __getstate__(self) -> dict[str, Any]:
        kept = {*(each.name for each in fields(self)), *(option.name for option in self.options)}  # not what is derived
        return {name: value for name, value in vars(self).items() if name in kept}


Ruleset.__doc__ = f"{inspect.cleandoc(Ruleset.__doc__ or '')}\n\n{about_fields()}\n"
