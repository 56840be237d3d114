"""Rulesets drawn at random from all fields: a game of the table on another board, some of whose rules are drawn anew
(``DRAWS``). ``choose``, which picks one of a sequence, does so by a seed here, by Hypothesis in the property tests."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mancala_env import checks
from mancala_env.games import RULESETS
from mancala_env.rules import Barred, Board, Direction, Ruleset, Unfilled
from mancala_env.rules.declared import Declared, flat
from mancala_env.rules.fields import DECLARED, DEFAULTS, FIELDS, Series, Words
from mancala_env.rules.landing import CLAUSE

Choose = Callable[[Sequence[Any]], Any]  # picks one of a sequence, such as a tuple or a range, which is not empty
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

    def choose(options: Sequence[Any]) -> Any:
        return options[int(numbers.random_raw()) % len(options)]  # raw: those stay the same in all versions of NumPy

    for _ in range(tries):
        rules = replace(
            drawn_from(choose, drawn), name=f"random_{seed}", version=0, words=Words(), max_plies=choose(PLY_LIMITS)
        )
        if not rules.start().is_over and (accept is None or accept(rules)):
            return rules
    raise ValueError(f"none of {tries} rulesets drawn from seed {seed} passed; accept more, or take more tries")


def drawn_from(choose: Choose, games: Sequence[Ruleset]) -> Ruleset:
    """One of these games on a board of another size, with up to ``MOST_DRAWN`` of its rules drawn anew."""
    rules: Ruleset = choose(games)
    for name in ("board", "max_laps", "max_plies", *_some(choose, [*DRAWS], 1, MOST_DRAWN)):
        with suppress(ValueError):  # it contradicts other rules, which stay
            rules = rules.changes(**DRAWS[name](choose, rules))
    return rules


def _some(choose: Choose, pool: Sequence[Any], least: int, most: int) -> list[Any]:
    left, some = [*pool], []
    for _ in range(choose(range(least, most + 1))):
        some.append(left.pop(choose(range(len(left)))))
    return some


def _counts(choose: Choose) -> set[int]:
    return {choose(range(1, 7)) for _ in range(choose((1, 2, 3)))}


def _places(choose: Choose, rules: Ruleset) -> tuple[int, ...]:
    places = len(rules.board.homes[0])
    return tuple(choose(range(-places, places)) for _ in range(choose((1, 2))))


def _value(choose: Choose, said: Declared, default: Any) -> Any:
    values = said.draws or said.known(default)
    if not values or (said.facts and said.reads and choose((False, False, True))):
        return choose((None, _counts(choose))) if default is None and not values else _counts(choose)
    return choose(values)


def _board(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    board = rules.board.resized(choose(range(1, 9 if rules.board.rows < 4 else 5)))
    if rules.setup is None and board.kind != "one_row":
        return {"board": board, "seeds": choose(range(1, 7))}
    return {**_setup(choose, rules, board), "board": board}


def _setup(choose: Choose, rules: Ruleset, board: Board) -> dict[str, Any]:
    seeds = [choose(range(min(2 * rules.seeds, rules.pit_limit or 12) + 1)) for _ in range(board.pits)]
    seeds[choose(range((board.pits + 1) // 2))] = 1 + choose(range(3))  # South has something to play
    if board.kind == "piles":
        return {"start": sorted(seeds[:6], reverse=True)}
    if rules.unfilled is Unfilled.BORROWED:
        return {"setup": tuple(2 if pit in {*sum(board.homes, ())} else 3 for pit in range(board.pits))}
    return {"setup": (*seeds, choose(range(4)), choose((0, 1, 3))) if choose((False, False, True)) else tuple(seeds)}


def _landing(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """The table with a clause more, less, or another one: that of some game, a few of whose parts are drawn anew."""
    clauses, clause = [*rules.landing], choose(CLAUSES)
    where = choose(range(len(clauses) + 1))
    for name in _some(choose, [*CLAUSE], 1, 3):
        with suppress(ValueError):
            clause = replace(clause, **{name: _value(choose, *CLAUSE[name])})
    clauses[where : where + choose((0, 1, 1))] = choose(([clause], [clause], []))
    return {"landing": tuple(clauses)}


def _direction(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    some = ("counterclockwise", *choose((("clockwise", "choice"), ("reverse",), ("reverse_laps",))))
    return {"direction": choose((*Direction, tuple(choose(some) for _ in rules.board.homes[0])))}


def _part(name: str, kind: type[Any], choose: Choose, rules: Ruleset) -> dict[str, Any]:
    drawn = {each: _value(choose, *said) for each, said in flat(kind).items()}
    return {name: kind(**drawn | ({"places": _places(choose, rules)} if kind is Barred else {}))}


def _opening(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    plies = [choose(((), _places(choose, rules))) for _ in range(choose(range(3)))]
    return {"opening": (*plies, _places(choose, rules))}


def _marks(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    marks = tuple(choose((-1, -1, 0, 1)) for _ in range(rules.board.pits))
    return {"setup_marks": marks, "marked_pits": choose(("taken", rules.marked_pits))}


def _match(choose: Choose, _: Ruleset) -> dict[str, Any]:
    match = choose(("none", "wins", "difference", "points", "refill"))
    target = {"wins": range(1, 5), "difference": range(1, 41), "points": range(1, 121)}.get(match, (0,))
    changes = {**{name: DEFAULTS[name] for name in flat(Series)}, "match": match, "target": choose(target)}
    return changes | {"unfilled": choose([*Unfilled])} if match == "refill" else changes


# By name, so that a seed draws the same whatever file a game lies in.
FOR_TWO, FOR_ONE = (
    tuple(RULESETS[name] for name in sorted(RULESETS) if RULESETS[name].players == players) for players in (2, 1)
)
CLAUSES = tuple(dict.fromkeys(clause for rules in RULESETS.values() for clause in rules.landing))
# What draws a rule: a change of the rules that it is given.
DRAWS: Mapping[str, Callable[[Choose, Ruleset], dict[str, Any]]] = {
    **{
        name: partial(lambda name, choose, _: {name: _value(choose, *FIELDS[name])}, name)
        for name, (said, default) in FIELDS.items()
        if said.draws or said.known(default)
    },
    **{name: partial(_part, name, said.part) for name, said in DECLARED.items() if said.part},
    "board": _board,
    "setup": lambda choose, rules: _setup(choose, rules, rules.board),
    "setup_marks": _marks,
    **{f"landing {time}": _landing for time in range(4)},  # there is more to draw of it than of a field
    "direction": _direction,
    "opening": _opening,
    "match": _match,
}
