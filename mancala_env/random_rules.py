"""Rulesets drawn at random from all fields, for research on generalisation, and for tests: a game of the table on
another board, some of whose rules are drawn anew (``DRAWS``). ``choose``, which picks one of a sequence, is here by the
random numbers of a seed, in the property tests by Hypothesis."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from mancala_env import checks
from mancala_env.games import RULESETS
from mancala_env.rules import Barred, Direction, Passing, Ruleset, Skipping, When
from mancala_env.rules.fields import CHOICES, DECLARED, DEFAULTS, NOT_RULES, SWITCHES
from mancala_env.rules.landing import ASKED

T = TypeVar("T")
Part = TypeVar("Part", Passing, Skipping)


class Choose(Protocol):
    """Picks one of a sequence, such as a tuple or a range, which is not empty."""

    def __call__(self, options: Sequence[T], /) -> T:
        """One of ``options``."""


TRIES = 200
PLY_LIMITS = (200, 500, 1000)  # of games drawn by ``random_ruleset``: those of tests may end after one ply
MOST_DRAWN = 8  # rules of a game that are drawn anew


def random_ruleset(
    seed: int,
    *,
    accept: Callable[[Ruleset], bool] | None = None,
    players: int = 2,
    tries: int = TRIES,
    games: Sequence[Ruleset] | None = None,
) -> Ruleset:
    """A ruleset drawn at random from all fields; it has a first move, and every game of it ends.

    The same arguments give the same ruleset with this version of the package, ``random_<seed>`` (``seed``: 0 or more).
    Rulesets for ``players``, 1 for solitaires, are drawn one after the other until ``accept`` returns True for one;
    from these ``games``, if any are given, in place of those of the table.
    Raises ValueError for an unusable argument, or if none passed in so many ``tries``.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> rules = mancala.random_ruleset(7)
    >>> rules == mancala.random_ruleset(7), rules.name
    (True, 'random_7')
    >>> mancala.random_ruleset(7, accept=lambda rules: rules.board.rows == 4).board.rows
    4
    """
    seed = checks.seed(seed)
    if not checks.is_whole(tries) or tries < 1:
        raise ValueError(f"tries must be a whole number, 1 or more, not {tries!r}")
    if not checks.is_whole(players) or players not in (1, 2):
        raise ValueError(f"players must be 2, or 1 for solitaires, not {players!r}")
    if accept is not None and not callable(accept):
        raise ValueError(f"accept must be a function of a ruleset, not {checks.shown(accept)}")
    drawn = games or (FOR_TWO if players == 2 else FOR_ONE)
    numbers = np.random.PCG64(np.random.SeedSequence(seed))

    def choose(options: Sequence[T], /) -> T:
        return options[int(numbers.random_raw()) % len(options)]  # raw: those stay the same in all versions of NumPy

    for _ in range(tries):
        rules = drawn_from(choose, drawn).changes(
            name=f"random_{seed}", **{name: DEFAULTS[name] for name in NOT_RULES}, version=0,
            max_plies=choose(PLY_LIMITS),
        )  # fmt: skip
        if not rules.start().is_over and (accept is None or accept(rules)):
            return rules
    raise ValueError(
        f"none of {tries} rulesets drawn from seed {seed} passed; accept more, or take another seed or more tries"
    )


def drawn_from(choose: Choose, games: Sequence[Ruleset]) -> Ruleset:
    """One of these games on a board of another size, with up to ``MOST_DRAWN`` of its rules drawn anew."""
    rules = choose(games)
    for name in ("board", "max_laps", "max_plies", *_some(choose, [*DRAWS], 1, MOST_DRAWN)):
        with suppress(ValueError):  # it contradicts other rules, which stay
            rules = rules.changes(**DRAWS[name](choose, rules))
    return rules


def _some(choose: Choose, pool: Sequence[T], least: int, most: int) -> list[T]:
    """From ``least`` to ``most`` different ones of ``pool``, in any order."""
    left, some = [*pool], []
    for _ in range(choose(range(least, most + 1))):
        some.append(left.pop(choose(range(len(left)))))
    return some


def _counts(choose: Choose) -> set[int]:
    return {choose(range(1, 7)) for _ in range(choose((1, 2, 3)))}


def _places(choose: Choose, rules: Ruleset) -> tuple[int, ...]:
    places = len(rules.board.homes[0])
    return tuple(choose(range(-places, places)) for _ in range(choose((1, 2))))


def _one(name: str, choose: Choose, _: Ruleset) -> dict[str, Any]:
    """A field that is drawn whatever the others are."""
    return {name: choose(VALUES[name])}


def _board(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """A board of the same kind, with its start drawn where seeds do not lie evenly."""
    columns = choose(range(1, 9 if rules.board.rows < 4 else 5))
    board = rules.board.resized(columns)
    if rules.setup is None and board.kind != "one_row":
        return {"board": board, "seeds": choose(range(1, 7))}
    return {**_setup(choose, rules.board.pits if board.kind == "piles" else board.pits, rules), "board": board}


def _setup(choose: Choose, pits: int, rules: Ruleset) -> dict[str, Any]:
    """Another start: seeds as they come."""
    seeds = [choose(range(min(2 * rules.seeds, rules.pit_limit or 12) + 1)) for _ in range(pits)]
    seeds[choose(range((pits + 1) // 2))] = 1 + choose(range(3))  # South has something to play
    if rules.board.kind == "piles":
        return {"start": sorted(seeds[:6], reverse=True)}
    if rules.borrows:
        return {"setup": tuple(2 if pit in {*sum(rules.board.homes, ())} else 3 for pit in range(pits))}
    return {"setup": (*seeds, choose(range(4)), choose((0, 1, 3))) if choose((False, False, True)) else tuple(seeds)}


def _landing(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """The table with a clause more, less, or another one."""
    clauses = [*rules.landing]
    where = choose(range(len(clauses) + 1))
    if choose((True, True, False)):
        clauses[where : where + choose((0, 0, 1))] = [_clause(choose)]
    else:
        clauses[where : where + 1] = []
    return {"landing": tuple(clauses)}


def _clause(choose: Choose) -> When:
    """A clause of some game, with a few of its parts drawn anew, as far as they go with the others."""
    clause = choose(CLAUSES)
    for each in _some(choose, fields(When), 1, 3):
        asked = ASKED.get(each.name)
        values = asked.draws or (*asked.facts,) if asked else each.metadata["draws"]
        counts = not values or (asked and asked.of_counts and choose((False, False, True)))
        part: dict[str, Any] = {each.name: _counts(choose) if counts else choose(values)}
        with suppress(ValueError):
            clause = replace(clause, **part)
    return clause


def _direction(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    some = ("counterclockwise", *choose((("clockwise", "choice"), ("reverse",), ("reverse_laps",))))
    return {"direction": choose((*Direction, tuple(choose(some) for _ in rules.board.homes[0])))}


def _part(choose: Choose, kind: type[Part]) -> Part:
    """What is passed or skipped."""
    drawn = {each.name: choose(each.metadata["draws"]) for each in fields(kind) if each.metadata}
    return kind(counts=_counts(choose), **drawn)


def _barred(choose: Choose, rules: Ruleset) -> Barred:
    return Barred(_places(choose, rules), _counts(choose) if choose((False, True)) else None)


def _opening(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    plies = [choose(((), _places(choose, rules))) for _ in range(choose(range(3)))]
    return {"opening": (*plies, _places(choose, rules))}


def _marks(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """Marks of the start, which go with the first capture or are like others."""
    marks = tuple(choose((-1, -1, 0, 1)) for _ in range(rules.board.pits))
    return {"setup_marks": marks, "marked_pits": choose(("taken", rules.marked_pits))}


def _match(choose: Choose, _: Ruleset) -> dict[str, Any]:
    match = choose(("none", "wins", "difference", "points", "refill"))
    target = {"wins": range(1, 5), "difference": range(1, 41), "points": range(1, 121)}.get(match, (0,))
    others = ("draw_points", "difference", "unfilled", "max_games", "first_mover")  # of other kinds of matches
    changes = {**{name: DEFAULTS[name] for name in others}, "match": match, "target": choose(target)}
    return changes | {"unfilled": choose(VALUES["unfilled"])} if match == "refill" else changes


VALUES: Mapping[str, Sequence[Any]] = {  # of fields that are drawn whatever the others are
    name: said.draws or tuple(CHOICES.get(name, (False, True)))
    for name, said in DECLARED.items()
    if said.draws or name in CHOICES or name in SWITCHES
}
# By name, so that a seed draws the same whatever file a game lies in.
FOR_TWO, FOR_ONE = (
    tuple(RULESETS[name] for name in sorted(RULESETS) if RULESETS[name].players == players) for players in (2, 1)
)
CLAUSES = tuple(dict.fromkeys(clause for rules in RULESETS.values() for clause in rules.landing))
# What draws a rule: a change of the rules that it is given.
DRAWS: Mapping[str, Callable[[Choose, Ruleset], dict[str, Any]]] = {
    **{name: partial(_one, name) for name in VALUES},
    "board": _board,
    "setup": lambda choose, rules: _setup(choose, rules.board.pits, rules),
    "setup_marks": _marks,
    **{f"landing {time}": _landing for time in range(4)},  # there is more to draw of it than of a field
    "direction": _direction,
    "passing": lambda choose, _: {"passing": _part(choose, Passing)},
    "skipping": lambda choose, _: {"skipping": _part(choose, Skipping)},
    "barred": lambda choose, rules: {"barred": _barred(choose, rules)},
    "forced": lambda choose, rules: {"forced": _barred(choose, rules)},
    "opening": _opening,
    "match": _match,
}  # fmt: skip
