"""Games nobody has played yet: rulesets drawn at random from all axes, for research on generalisation, and for tests.

``random_ruleset(seed)`` draws one, and can be asked for games of a certain length, with so many choices, draws, or so
much of an advantage for the first player. What is drawn is told by the functions of this file, one for each kind of
game. Each takes ``choose``, which picks one of a sequence: here by the random numbers of a seed, in the property tests
by Hypothesis, so that both draw the same rules.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from mancala_env import checks
from mancala_env.games import ruleset
from mancala_env.random_play import random_play
from mancala_env.rules import (
    Barred,
    Board,
    Direction,
    Match,
    Passing,
    Ruleset,
    Skipping,
    When,
    crossed_rows,
    four_rows,
    one_row,
    open_rows,
    piles,
    rows_and_houses,
    side_blocks,
    solo_row,
    three_rows_horn,
    three_rows_snake,
    two_rows,
)
from mancala_env.rules.fields import DECLARED
from mancala_env.rules.landing import ASKED
from mancala_env.state import State

T = TypeVar("T")


class Choose(Protocol):
    """Picks one of a sequence, such as a tuple or a range, which is not empty."""

    def __call__(self, options: Sequence[T], /) -> T:
        """One of ``options``."""


TRIES = 200
GAMES = 200  # between random players that a measurement takes; of matches a tenth
GREEDY_GAMES = 100  # of these each move takes as long as a hundred random ones
PLY_LIMITS = (200, 500, 1000)  # of games drawn by ``random_ruleset``: those of tests may end after one ply

SLAMS = DECLARED["grand_slam"].draws
# Games of which series are drawn. Not all of the table: a seed draws the same ruleset when the table grows.
SINGLE_GAMES = (
    "oware", "awari", "oware_tutti_a_casa", "oware_liberta", "kalah", "layli_goobalay", "hus", "diffusion", "reaping",
)  # fmt: skip


def random_ruleset(
    seed: int,
    *,
    mean_length: tuple[float, float] | None = None,
    branching: tuple[float, float] | None = None,
    draws: tuple[float, float] | None = None,
    first_player: tuple[float, float] | None = None,
    players: int = 2,
    tries: int = TRIES,
) -> Ruleset:
    """A ruleset drawn at random from all axes; it has a first move, and every game of it ends.

    The same arguments give the same ruleset with this version of the package; its name is ``random_<seed>``. With
    filters, rulesets are drawn from the seed one after the other until one passes. Each filter is a pair of numbers,
    the lowest and the highest that will do, and measured by a fixed number of games.

    Parameters
    ----------
    seed : int
        0 or more.
    mean_length : pair of numbers, optional
        Plies of a game between random players, on average (``Statistics.plies_mean``); in matches of a single game.
    branching : pair of numbers, optional
        Legal actions at a decision between random players, on average (``Statistics.branching_mean``).
    draws : pair of numbers from 0 to 1, optional
        Share of drawn games between random players; of matches, the share of drawn matches.
    first_player : pair of numbers from 0 to 1, optional
        South's score, a draw counting half, between two greedy players (``greedy_action``). South moves first. Of
        solitaires the share that a greedy player wins.
    players : int
        2, or 1 for solitaires.
    tries : int
        The number of rulesets that are drawn before giving up.

    Raises
    ------
    ValueError
        For an unusable argument, or if no ruleset passed in so many tries.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> rules = mancala.random_ruleset(7)
    >>> rules == mancala.random_ruleset(7), rules.name
    (True, 'random_7')
    """
    seed = checks.seed(seed)
    filters = {"mean_length": mean_length, "branching": branching, "draws": draws, "first_player": first_player}
    wanted = {what: _interval(what, bounds) for what, bounds in filters.items() if bounds is not None}
    if not checks.is_whole(tries) or tries < 1:
        raise ValueError(f"tries must be a whole number, 1 or more, not {tries!r}")
    if not checks.is_whole(players) or players not in (1, 2):
        raise ValueError(f"players must be 2, or 1 for solitaires, not {players!r}")
    draw = for_two if players == 2 else solitaires
    numbers = np.random.PCG64(np.random.SeedSequence(seed))

    def choose(options: Sequence[T], /) -> T:
        return options[int(numbers.random_raw()) % len(options)]  # raw: those stay the same in all versions of NumPy

    missed = dict.fromkeys(wanted, 0)
    for _ in range(tries):
        rules = _named(draw(choose), seed, choose)
        if rules.start().is_over:
            continue
        measured = _Measured(rules)
        short = next((what for what, (low, high) in wanted.items() if not low <= measured.of(what) <= high), None)
        if short is None:
            return rules
        missed[short] += 1
    most = ", ".join(f"{what}={wanted[what]} refused {number}" for what, number in missed.items() if number)
    raise ValueError(
        f"none of {tries} rulesets drawn from seed {seed} passed: {most or 'they end before the first move'}; take "
        "wider bounds, another seed, or more tries"
    )


def _named(rules: Ruleset, seed: int, choose: Choose) -> Ruleset:
    """The drawn rules as a game of its own, with a limit of plies."""
    return rules.changes(
        name=f"random_{seed}", version=0, options=(), aliases=(), mark_word="marked", region="", people="", source="",
        about="", max_plies=choose(PLY_LIMITS),
    )  # fmt: skip


def _interval(what: str, bounds: Any) -> tuple[float, float]:
    pair = isinstance(bounds, list | tuple) and len(bounds) == 2
    whole = pair and all(isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in bounds)
    most = 1 if what in ("draws", "first_player") else float("inf")
    if not whole or not 0 <= bounds[0] <= bounds[1] <= most:
        example = "(0.4, 0.6)" if most == 1 else "(20, 60)" if what == "mean_length" else "(2, 5)"
        of = "from 0 to 1, " if most == 1 else ""
        raise ValueError(f"{what} takes the lowest and the highest number that will do, {of}as in {example}; not "
                         f"{bounds!r}")  # fmt: skip
    return float(bounds[0]), float(bounds[1])


class _Measured:
    """What filters ask of a ruleset, each measured when first asked for."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.share = 1 if rules.match is Match.NONE else 10
        self._random: Any = None

    def of(self, what: str) -> float:
        if what == "first_player":
            return greedy_score(self.rules, GREEDY_GAMES // self.share)
        if self._random is None:
            self._random = random_play(self.rules, GAMES // self.share)
        played = self._random
        if what == "draws":
            return float((played.matches or played).draws)
        return float(played.plies_mean if what == "mean_length" else played.branching_mean)


def greedy_score(rules: Ruleset, games: int = GREEDY_GAMES, seed: int = 0) -> float:
    """South's score, from 0 to 1 with a draw counting half, in games, or matches, between two greedy players.

    South moves first. ``greedy_action`` says how they choose; ``seed`` draws among their best actions.
    """
    rng = np.random.default_rng(seed)
    score = 0.0
    for _ in range(games):
        state = rules.start()
        while not state.is_over:
            state = state.play(greedy_action(state, rng))
        score += (1 + state.returns[0]) / 2
    return score / games


def greedy_action(state: State, rng: np.random.Generator) -> int:
    """An action that is best for the mover at once, looking one ply ahead: drawn from all such actions.

    Winning comes first, then the lead in seeds that are won; in a match the lead of the game in progress, or of the one
    that the action ends. Where nobody wins seeds, players take what wins or does not lose at once, and else choose at
    random.
    """
    after = [(action, _gain(state, state.play(action))) for action in state.legal_actions]
    best = max(gain for _, gain in after)
    return int(rng.choice([action for action, gain in after if gain == best]))


def _gain(before: State, after: State) -> tuple[float, float]:
    """What the mover of ``before`` has from the position ``after``: the result, and the lead in seeds."""
    seeds: tuple[float, float] | None = after.stores
    if len(after.games) > len(before.games):
        seeds = after.games[-1].scores
    elif after.is_over and after.rules.match is Match.NONE:
        seeds = after.scores
    south, north = seeds or (0.0, 0.0)
    return after.returns[before.player], (south - north) * (1 - 2 * before.player)


# What is drawn. Every function takes ``choose`` and returns a ruleset without contradictions, or a part of one.


def for_two(choose: Choose) -> Ruleset:
    """A ruleset of any kind for two players."""
    return choose(FAMILIES)(choose)


def oware_like(choose: Choose) -> Ruleset:
    """One lap, no stores on the way, captures by count."""
    board = two_rows(choose(range(1, 9)))
    chain = _counts(choose) if _switch(choose) else None
    axes = _endings(choose, must_stop=True, can_be_dead=True)
    return _rules(
        name="oware_like",
        board=board,
        seeds=choose(range(1, 7)),
        skip_origin=board.columns > 1 and _switch(choose),
        landing=(When(side="opponent", count=_counts(choose)).capture("here", chain=chain),),
        grand_slam=_slam(choose, axes["feeding"], spare=True),
        slam_scope=_one(choose, "slam_scope"),
        **axes,
    )


def kalah_like(choose: Choose) -> Ruleset:
    """Stores on the way, captures across."""
    axes = _endings(choose, must_stop=False, can_be_dead=False)
    across = choose((None, "occupied"))
    rows = [
        When(store="own").again(),
        When(side="own", was="empty", facing=across).capture(*choose((("here", "facing"), ("facing",)))),
    ]
    return _rules(
        name="kalah_like",
        board=two_rows(choose(range(1, 9))),
        seeds=choose(range(1, 7)),
        store="own",
        landing=rows if _switch(choose) else rows[1:],
        grand_slam=_slam(choose, axes["feeding"], spare=False),
        slam_scope=_one(choose, "slam_scope"),
        **axes,
    )


def wild(choose: Choose, *, may_store: bool = True) -> Ruleset:
    """A landing table nobody has ever played by, relays among its clauses."""
    stores = may_store and _switch(choose)
    board = two_rows(choose(range(1, 9)))
    landing = tuple(_clause(choose, stores=stores) for _ in range(choose(range(1, 6))))
    captures = [clause for clause in landing if clause.takes]
    axes = _endings(choose, must_stop=not stores, can_be_dead=not stores and bool(captures))
    spare = all(clause.takes == ("here",) and clause.side == clause.chain_side == "opponent" for clause in captures)
    return _rules(
        name="wild",
        board=board,
        seeds=choose(range(1, 7)),
        store="own" if stores else "none",
        skip_origin=not stores and board.columns > 1 and _switch(choose),
        landing=landing,
        grand_slam=_slam(choose, axes["feeding"], spare=spare) if captures else "capture",
        slam_scope=_one(choose, "slam_scope"),
        max_laps=choose((1, 2, 3, 40)),
        **axes,
    )


def passing(choose: Choose) -> Ruleset:
    """Oware without feeding: a side may be empty, which ends the game or makes its owner wait."""
    name = choose(("oware_tutti_a_casa", "oware_liberta"))
    return ruleset(
        name,
        pits_per_row=choose(range(2, 7)),
        seeds=choose(range(1, 6)),
        grand_slam=choose(SLAMS),
        slam_scope=_one(choose, "slam_scope"),
        indeterminacy_max_seeds=choose((0, 2, 3)),
        repetition=choose((0, 2, 3)),
        max_plies=choose((1, 40, 1000)),
        **({"explicit_pass": _switch(choose)} if name == "oware_liberta" else {}),
    )


def territory(choose: Choose) -> Ruleset:
    """A match for pits."""
    columns = choose(range(1, 7))
    return ruleset(
        "oware_territory",
        pits_per_row=columns,
        seeds=choose(range(1, 7)),
        skip_origin=columns > 1 and _switch(choose),
        grand_slam=choose(("capture", "forbidden", "no_capture", "spare_last", "spare_first")),
        feeding=choose(("none", "if_starved")),
        target_pits=choose((0, columns + 1, 2 * columns)),
        max_games=choose(range(1, 9)),
        first_mover=_one(choose, "first_mover"),
        remainder=choose(("pool", "keep")),
        indeterminacy_max_seeds=choose((0, 3)),
        max_plies=choose((3, 60, 1000)),
    )


def series(choose: Choose) -> Ruleset:
    """A series of any game: by wins, and by difference or by points where there are scores."""
    rules = ruleset(choose(SINGLE_GAMES))
    kind = choose(("wins", "difference", "points") if rules.goal == "seeds" else ("wins",))
    options: dict[str, Any] = {"draw_points": choose((0, 0.5))} if kind == "wins" else {}
    if kind == "difference":
        options = {"difference": choose(("winner", "signed"))}
    if rules.board.kind == "two_rows":
        options["pits_per_row"] = choose(range(2, 7))
    return rules.changes(
        match=kind,
        target=choose(range(1, 5)) if kind == "wins" else choose(range(1, 41)) * (3 if kind == "points" else 1),
        max_games=choose(range(1, 7)),
        first_mover=_one(choose, "first_mover"),
        max_plies=choose((3, 60, 1000)),
        **options,
    )


def refilled(choose: Choose) -> Ruleset:
    """A match in which pits that lack seeds are closed in the next game, or seeds are borrowed for them."""
    unfilled = choose(("left", "right", "outside", "columns", "borrowed"))
    borrows, seeds = unfilled == "borrowed", choose(range(1, 7))
    board = choose((two_rows, rows_and_houses) if borrows else (two_rows,))(choose(range(1, 8)))
    store = "none" if board.houses else choose(("none", "own", "own", "both"))
    rows = [_any_clause(choose, store=store, four=False) for _ in range(choose(range(5)))]
    if board.houses:
        rows = [replace(row, to="mover") if row.to == "owner" else row for row in rows]
    if board.houses or not borrows:
        rows = [row for row in rows if not (row.chain or row.place or "neighbours" in row.takes)]
    goes_on: tuple[tuple[When, ...], ...] = (
        (), (When(was="occupied").relay(),),
        (When(next="occupied").relay("next"), When(next2="occupied").capture("next2")),
    )  # fmt: skip
    in_houses = choose(range(7))
    base = _rules(
        name="refilled",
        board=board,
        seeds=seeds,
        setup=tuple(in_houses if pit in board.houses else seeds for pit in range(board.pits)) if board.houses else None,
        store=store,
        landing=(*rows, *choose(goes_on)),
        stuck=_one(choose, "stuck"),
        leftover=choose(("owner", "owner", "emptier")) if not board.houses else "owner",
        refill_empty_side=borrows and store == "none" and _switch(choose),
        end_houses=bool(board.houses) and _switch(choose),
        repetition=choose((0, 0, 2)),
        max_plies=choose((2, 20, 60, 300)),
        max_laps=choose((1, 2, 3, 40)),
        match="refill",
        unfilled=unfilled,
        max_games=choose(range(1, 9)),
        first_mover=_one(choose, "first_mover"),
    )
    return _with_more_axes(choose, base, least=0, most=3)


def marked_pairs(choose: Choose) -> Ruleset:
    """Marked pits in pairs: Layli Goobalay, or a wild table that marks."""
    board = two_rows(choose(range(1, 9)))
    if _switch(choose):
        rows = list(ruleset("layli_goobalay").landing)
    else:
        pair = When(side=choose((None, "own")), was="empty", facing_count=_counts(choose)).mark_pair()
        others = [_clause(choose, stores=False) for _ in range(choose(range(4)))]
        rows = [When(marked=True), *_shuffled(choose, [*others, pair])]
    match = choose(("none", "refill", "wins"))
    options: dict[str, Any] = {} if match == "none" else {"max_games": choose(range(1, 9))}
    if match == "wins":
        options["target"] = choose(range(1, 4))
    return _rules(
        name="marked_pairs",
        board=board,
        seeds=choose(range(1, 7)),
        landing=tuple(rows),
        repetition=choose((0, 2, 3)),
        max_plies=choose((5, 60, 1000)),
        max_laps=choose((1, 2, 3, 40)),
        min_start=choose((1, 1, 2)),
        match=match,
        first_mover="winner" if match == "none" else _one(choose, "first_mover"),
        **options,
    )


def any_marks(choose: Choose) -> Ruleset:
    """Marks of single pits and of pairs, on either side, with a limit and pits that bear none, by a wild table."""
    board = two_rows(choose(range(1, 9)))
    mark = When(
        side=choose((None, "own", "opponent")),
        was=choose((None, "empty", "occupied")),
        count=_counts(choose) if _switch(choose) else None,
        marked=choose((None, False)),
        takes=choose(((), ("here",), ("facing",))),
        marks=choose((("here",), ("here",), ("facing",), ("here", "facing"))),
        then=choose(("stop", "again")),
    )
    stores = _switch(choose)
    clauses = [_clause(choose, stores=False) for _ in range(choose(range(4)))]
    asking = [
        replace(clause, marked=choose((None, False) if clause.relays else (None, True, False, "own", "opponent")))
        for clause in clauses
    ]
    extra = [When(store="own").again()] if stores and _switch(choose) else []
    half = board.pits // 2
    rules = _rules(
        name="marks",
        board=board,
        seeds=choose(range(1, 7)),
        store="own" if stores else "none",
        landing=tuple(_shuffled(choose, [mark, *asking, *extra])),
        mark_limit=choose((0, 1, 2, 3)),
        unmarkable=tuple(choose(range(-half, half)) for _ in range(choose(range(3)))),
        stuck=_one(choose, "stuck"),
        leftover=choose(("owner", "none")),
        repetition=choose((0, 2, 3)),
        max_plies=choose((5, 60, 300)),
        max_laps=choose((1, 2, 40)),
        min_start=choose((1, 1, 2)),
    )
    return rules.changes(**_setup(choose, rules)) if choose(range(4)) == 0 else rules


def sown_on(choose: Choose) -> Ruleset:
    """Captured seeds are sown on: Hus, and tables like its own on boards of two rows and four."""
    columns = choose(range(1, 9))
    four = _switch(choose)
    rows = [_sowing_on(choose, four=four) for _ in range(choose((1, 2)))]
    rows += [_clause(choose, stores=False) for _ in range(choose(range(3)))]
    board, ways = four_rows(columns) if four else two_rows(columns), {}
    if choose(range(3)) == 0:
        places = tuple(choose(("counterclockwise", "reverse", "reverse")) for _ in board.homes[0])
        reverses = "reverse" in places
        laps = reverses and choose(range(4)) > 0
        ways = {"direction": places if reverses else "counterclockwise", "reverse_laps": laps}
    return _rules(
        **ways,
        name="sown_on",
        board=board,
        seeds=choose(range(1, 5)),
        landing=(*rows, When(was="occupied").relay()),
        goal=choose(("last_mover", "seeds")),
        min_start=choose((1, 2, 3)),
        max_plies=choose((5, 60, 1000)),
        max_laps=choose((1, 2, 3, 50)),
        repetition=choose((0, 0, 2)),
    )


def any_table(choose: Choose) -> Ruleset:
    """Whatever a landing table can say, on boards of two rows and four, with stores, marks and seeds left behind."""
    four = choose(range(5)) < 2
    board = four_rows(choose(range(1, 5))) if four else two_rows(choose(range(1, 8)))
    store = choose(("none", "none", "own", "none" if four else "both"))
    has_marks = choose(range(5)) == 0
    rows = [_any_clause(choose, store=store, four=four, marks=has_marks) for _ in range(choose(range(1, 6)))]
    if has_marks:
        rows.insert(choose(range(len(rows) + 1)), When(count=_counts(choose)).mark("here"))
    if not any(clause.relays for clause in rows) and _switch(choose):
        rows.append(When(was="occupied").relay())
    base = _rules(
        name="any_table",
        board=board,
        seeds=choose(range(1, 6)),
        store=store,
        landing=tuple(rows),
        **_limits(choose, (0, 2, 3), (20, 60, 300)),
    )
    return _with_more_axes(choose, base, least=1, most=3)


def widened(choose: Choose) -> Ruleset:
    """A game of the other families, with some of the axes that these do not draw."""
    family: Callable[[Choose], Ruleset] = choose(
        (oware_like, kalah_like, wild, marked_pairs, any_marks, sown_on, series)
    )
    base = family(choose)
    if base.indeterminacy_max_seeds and _switch(choose):
        base = base.changes(indeterminacy_max_seeds=0)
    return _with_more_axes(choose, base, least=1, most=3)


def taken_on_the_way(choose: Choose) -> Ruleset:
    """Pits that are taken as seeds pass them, in games that go on and on from the last pit or from the next one."""
    goes_on: tuple[tuple[When, ...], ...] = (
        (), (When(next="occupied").relay("next"),), (When(was="occupied").relay(),),
    )  # fmt: skip
    rows = [
        *(_any_clause(choose, store="none", four=False) for _ in range(choose(range(3)))),
        *choose(goes_on),
        When(next2="occupied").capture("next2"),
    ]
    base = _rules(
        name="taken_on_the_way",
        board=two_rows(choose(range(1, 8))),
        seeds=choose(range(1, 7)),
        store=choose(("none", "none", "own")),
        landing=tuple(rows),
        stuck=_one(choose, "stuck"),
        max_plies=choose((20, 60, 300)),
        max_laps=choose((1, 2, 40)),
    )
    return _with_more_axes(choose, base.changes(**_passing(choose, base)), least=0, most=2)


def marks_that_matter(choose: Choose) -> Ruleset:
    """Marks that collect what falls into them, and pits that are taken out of play, on boards of two rows and three."""
    board = choose((two_rows, two_rows, three_rows_horn, three_rows_snake))(2 * choose(range(1, 4)))
    others = [_any_clause(choose, store="none", four=False, marks=True) for _ in range(choose(range(4)))]
    rows = [row for row in others if row.visited is None and (board.rows == 2 or "neighbours" not in row.takes)]
    condition = When(
        side=choose((None, "own", "opponent", "opponent")), count=_counts(choose), place=_at(choose, board.pits)
    )
    closes = _switch(choose)
    mark = condition.close() if closes else choose((condition, condition.capture("here"))).mark("here")
    base = _rules(
        name="marks_that_matter",
        board=board,
        seeds=choose(range(1, 5)),
        marked_pits="closed" if closes else "collect",
        mirrored_marks=_switch(choose),
        mark_limit=choose((0, 0, 1, 3)),
        unmarkable=choose(((), (-1,), (0, 1))),
        goal=choose(("last_mover", "seeds")) if closes else "seeds",
        landing=tuple(_shuffled(choose, [mark, *rows, When(was="occupied").relay()])),
        **_limits(choose, (0, 2), (20, 60, 300)),
    )
    return _with_more_axes(choose, base, least=0, most=2)


def houses(choose: Choose) -> Ruleset:
    """Boards with houses that belong to nobody, and empty rows that are filled again from the stores."""
    board = choose((rows_and_houses, rows_and_houses, two_rows))(choose(range(1, 6)))
    has_houses = bool(board.houses)
    sides = ("own", "opponent", "nobody") if has_houses else ("own", "opponent")
    ahead = When(next=choose((None, "occupied")), next_side=choose(sides), side=choose((None, *sides)))
    onward = choose((None, "gaps"))
    rows = [
        choose((ahead, ahead.again(), ahead.capture("here"))),
        When(next="occupied").relay("next"),
        When(next2="occupied").capture("next2", onward=onward),
        When(side=choose((None, *sides)), count=_counts(choose)).capture("here", chain=choose((None, _counts(choose)))),
        When(was="occupied").relay(),
    ]
    base = _rules(
        name="houses",
        board=board,
        setup=tuple(choose(range(7)) + (pit == 0) for pit in range(board.pits)),
        direction=choose(("counterclockwise", "clockwise", "choice", "choice")),
        landing=tuple(_some(choose, rows, 1, 4)),
        refill_empty_side=choose((True, True, False)),
        end_houses=has_houses and _switch(choose),
        **(_pieces_in_houses(choose, board) if has_houses else {}),
        **_limits(choose, (0, 0, 2), (20, 60, 300)),
    )
    return _with_more_axes(choose, base, least=0, most=2)


def _pieces_in_houses(choose: Choose, board: Board) -> dict[str, Any]:
    """Perhaps marks in the houses that go with the first capture, and end the game."""
    laid = tuple(choose((0, 1)) if pit in board.houses else -1 for pit in range(board.pits))
    return choose(({}, {"marked_pits": "taken", "setup_marks": laid, "end_marks": _switch(choose)}))


def taken_marks(choose: Choose) -> Ruleset:
    """Marks of the start, in any pits, that go with the first capture."""
    four, store = choose((False, False, True)), choose(("none", "none", "own"))
    board = (four_rows if four else two_rows)(choose((2, 3, 4)))
    store = "none" if four else store
    rows = [_any_clause(choose, store=store, four=four, marks=True) for _ in range(choose(range(1, 5)))]
    rows = [row for row in rows if row.then != "sow_on"]
    rows.insert(choose(range(len(rows) + 1)), When(count=_counts(choose)).capture(choose(("here", "facing", "next"))))
    laid = [choose((-1, -1, 0, 1)) for _ in range(board.pits)]
    laid[choose(range(board.pits))] = choose((0, 1))
    base = _rules(
        name="taken_marks",
        board=board,
        seeds=choose(range(1, 4)),
        store=store,
        direction=choose(("counterclockwise", "clockwise", "choice")),
        landing=tuple(rows),
        marked_pits="taken",
        setup_marks=tuple(laid),
        end_marks=_switch(choose),
        goal=choose(("last_mover", "seeds", "seeds")),
        **_limits(choose, (0, 2), (20, 60, 300)),
    )
    return _with_more_axes(choose, base, least=0, most=2)


def other_owners(choose: Choose) -> Ruleset:
    """Boards on which players do not own just what they play."""
    board = choose((crossed_rows, open_rows, side_blocks))(choose((3, 3, 5)))
    rows = [_any_clause(choose, store="none", four=False) for _ in range(choose(range(1, 4)))]
    rows += choose(((), (When(was="occupied").relay(),)))
    rows = [replace(row, to="mover") if row.to == "owner" else row for row in rows]
    rows = [replace(row, place=None) for row in rows]
    base = _rules(
        name="other_owners",
        board=board,
        seeds=choose(range(1, 5)),
        landing=tuple(rows),
        leftover="none" if board.kind == "open_rows" else choose(("owner", "none")),
        **_limits(choose, (0, 0, 2), (20, 60, 300)),
    )
    return _with_more_axes(choose, base, least=0, most=2)


def three_rows(choose: Choose) -> Ruleset:
    """Tables of all kinds on boards of three rows."""
    board = choose((three_rows_horn, three_rows_snake))(2 * choose(range(1, 4)))
    takes: tuple[str, ...] = choose((("facing",), ("behind",), ("facing", "behind")))
    sure = choose(takes)
    conditions: dict[str, Any] = {"side": choose((None, "own")), "was": choose((None, "empty")), sure: "occupied"}
    across = When(**conditions).capture(*takes)
    relay = When(was="occupied").relay()
    mark = When(count=_counts(choose), place=_at(choose, board.pits)).mark("here")
    rows = [*([mark] if _switch(choose) else []), relay, replace(across, then=choose(("stop", "again", "relay")))]
    base = _rules(
        name="three_rows",
        board=board,
        seeds=choose(range(1, 5)),
        store=choose(("none", "none", "own")),
        landing=tuple(_shuffled(choose, rows)),
        **_limits(choose, (0, 2), (20, 60, 300)),
    )
    return _with_more_axes(choose, base, least=0, most=2)


def decided(choose: Choose) -> Ruleset:
    """Turns of several decisions: after some laps the mover picks pits to capture."""
    four = _switch(choose)
    has_marks = choose(range(5)) == 0
    rows = [_any_clause(choose, store="none", four=four, marks=has_marks) for _ in range(choose(range(4)))]
    spared: tuple[int, ...] = choose(((), (), (0,), (0, -1)))

    def asking(row: When, pits: int) -> When:
        """It picks, where nothing follows; where it goes on from an own pit, it may stop."""
        if row.then == "stop" and row.store is None and pits:
            return row.pick(pits, sparing=spared)
        own = four or row.side == "own"
        stops = row.then == "relay" and own and row.to == "mover" and not has_marks
        return row.or_stop() if stops and _switch(choose) else row

    rows = [asking(row, choose((0, 1, 3))) for row in rows]
    if has_marks:
        rows.insert(choose(range(len(rows) + 1)), When(count=_counts(choose)).mark("here"))
    also = [When(side=choose((None, "opponent"))).pick(choose((1, 2, 4)), sparing=spared)]
    if _switch(choose):
        side = None if four else "own"
        relay = When(was="occupied", side=side).relay()
        also.insert(0, choose((relay, relay if has_marks else relay.or_stop())))
    if any(row.may_stop for row in (*rows, *also)):  # what a turn began with is then not known at its end
        rows = [replace(row, lifted=0, visited=None) for row in rows]
    base = _rules(
        name="decided",
        board=four_rows(choose(range(1, 5))) if four else two_rows(choose(range(1, 8))),
        seeds=choose(range(1, 6)),
        store=choose(("none", "none", "own")),
        landing=(*rows, *also),
        **_limits(choose, (0, 2, 3), (5, 60, 300)),
    )
    return _with_more_axes(choose, base, least=0, most=2)


def from_ends(choose: Choose) -> Ruleset:
    """Four rows in which captured seeds are sown from the ends of the inner row."""
    columns, reserve = choose((4, 5, 6, 8)), choose((0, 0, 2, 5, 10))
    kept = {"stronghold": choose(range(columns, 2 * columns))} if reserve and choose(range(3)) else {}
    rules = _rules(
        name="from_ends", board=four_rows(columns), seeds=choose((1, 2, 2, 3)), sowing="from_ends", direction="choice",
        goal="inner_row", reserve=reserve, threats=_switch(choose), max_plies=choose((5, 60, 300)),
        max_laps=choose((3, 40, 200)), **kept,
    )  # fmt: skip
    return rules.changes(**_setup(choose, rules)) if _switch(choose) else rules


def single_row(choose: Choose) -> Ruleset:
    """One row, sown from one end to the other: Sowing and Atomic Wari, and what a landing table can say there."""
    setup = [choose(range(7)) for _ in range(choose(range(2, 17)))]
    setup.insert(choose(range(len(setup) + 1)), choose(range(1, 5)))
    clauses = []
    for _ in range(choose(range(3))):
        take = choose(("here", "here", "last", "last_and_one"))
        chain = _counts(choose) if take == "here" and _switch(choose) else None
        conditions: dict[str, Any] = {
            name: _asked(choose, name) for name in _some(choose, ("was", "count", "even"), 0, 2)
        }
        clause = When(**conditions, few=choose((0, 0, 9))).capture(
            take, chain=chain, chain_side="any", then=choose(("stop", "stop", "again"))
        )
        clauses.append(clause)
    leave = choose(("nothing", "nothing", "first_lap", "every_lap"))
    return _rules(
        name="single_row",
        board=one_row(len(setup)),
        setup=tuple(setup),
        direction=choose(("counterclockwise", "choice")),
        landing=tuple(clauses),
        leave=leave,
        lone_seed=choose(("moves", "stays")) if leave != "nothing" else "moves",
        first_lap=choose(("anywhere", "in_full")) if leave == "nothing" else "anywhere",
        min_start=choose((1, 1, 2)),
        goal="last_mover",
        stuck=_one(choose, "stuck"),
        plain_plies=choose((0, 0, 0, 2)),
        repetition=choose((0, 0, 2)),
        max_plies=choose((5, 60, 300)),
    )


def off_track(choose: Choose) -> Ruleset:
    """Diffusion and Reaping."""
    if _switch(choose):
        blocks = choose(("halves", "rows"))
        columns = choose(range(1, 7)) * (2 if blocks == "halves" else 1)
        rules = ruleset("diffusion", seeds=choose((1, 2, 3)), pit_limit=choose((3, 4, 5)))
        return rules.changes(pits_per_row=columns) if blocks == "halves" else rules.changes(blocks="rows")
    start = [choose(range(6)) for _ in range(choose(range(1, 16)))]
    start.insert(choose(range(len(start) + 1)), choose(range(1, 6)))  # one pit has seeds
    return ruleset("reaping", start=start, min_start=choose((1, 2, 3)), max_plies=choose((5, 300)))


def solitaires(choose: Choose) -> Ruleset:
    """A game for one player: kin of Tchuka Ruma, or piles."""
    plies = choose((1, 40, 300))
    if choose(range(4)) == 0:
        start = sorted([choose(range(1, 7)) for _ in range(choose(range(1, 7)))], reverse=True)
        setup = (*start, *[0] * (sum(start) - len(start)))
        return _rules(
            name="solitaires", board=piles(len(setup)), setup=setup, sowing="piles", goal="standstill",
            repetition=choose((0, 2, 3)), max_plies=plies,
        )  # fmt: skip
    clauses = [When(store="own").again(), When(was="occupied").relay(), When(was="empty").lose()]
    for _ in range(choose(range(3))):
        conditions: dict[str, Any] = {
            name: _asked(choose, name) for name in _some(choose, ("was", "count", "even"), 0, 2)
        }
        clause = When(**conditions, few=choose((0, 0, 5)), from_ply=choose((0, 0, 2)), lifted=choose((0, 0, 2)))
        verbs = [clause.lose(), clause.again(), clause.capture("here"), clause.capture("here", then="again"), clause]
        clauses.insert(choose(range(len(clauses) + 1)), choose(verbs))
    rules = _rules(
        name="solitaires",
        board=solo_row(choose(range(1, 9))),
        seeds=choose(range(1, 7)),
        store="own",
        landing=tuple(_some(choose, clauses, 1, len(clauses))),
        min_start=choose((1, 1, 2)),
        goal="clear",
        repetition=choose((0, 0, 2)),
        max_plies=choose((0, plies)),
        max_laps=choose((1, 2, 40)),
    )
    if not _switch(choose):
        return rules
    pits = [choose(range(6)) for _ in range(rules.board.pits - 1)]
    return rules.changes(setup=(*pits, choose(range(1, 6))), setup_stores=(choose(range(4)), 0))


FAMILIES: tuple[Callable[[Choose], Ruleset], ...] = (
    oware_like, kalah_like, wild, passing, territory, series, marked_pairs, any_marks, sown_on, off_track, widened,
    any_table, taken_on_the_way, decided, from_ends, marks_that_matter, three_rows, houses, other_owners,
    single_row, taken_marks, refilled,
)  # fmt: skip


def _limits(choose: Choose, repetition: Sequence[int], max_plies: Sequence[int]) -> dict[str, Any]:
    """What becomes of a player who cannot move, and what ends games and turns that could go on for ever."""
    return {
        "stuck": _one(choose, "stuck"),
        "repetition": choose(repetition),
        "max_plies": choose(max_plies),
        "max_laps": choose((1, 2, 3, 40)),
    }


def _rules(**axes: Any) -> Ruleset:
    """A ruleset of axes whose choices are written as words."""
    return Ruleset(**axes)


def _one(choose: Choose, name: str) -> Any:
    """A value of a field, of those that its declaration says are drawn."""
    draws = DECLARED[name].draws
    return choose(draws) if len(draws) > 1 else draws[0]


def _switch(choose: Choose) -> bool:
    return choose((False, True))


def _counts(choose: Choose) -> set[int]:
    """One to three numbers of seeds."""
    return {choose(range(1, 7)) for _ in range(choose((1, 2, 3)))}


def _some(choose: Choose, pool: Sequence[T], least: int, most: int) -> list[T]:
    """From ``least`` to ``most`` different ones of ``pool``, in any order."""
    left, some = [*pool], []
    for _ in range(choose(range(least, most + 1))):
        some.append(left.pop(choose(range(len(left)))))
    return some


def _shuffled(choose: Choose, items: Sequence[T]) -> list[T]:
    return _some(choose, items, len(items), len(items))


def _endings(choose: Choose, *, must_stop: bool, can_be_dead: bool) -> dict[str, Any]:
    """The axes that end a game, without contradictions.

    ``must_stop``: seeds could go round for ever, so that a limit is needed. ``can_be_dead``: captures can run out.
    """
    end_check = choose(("side_to_move", "any_side"))
    feedings = ("none", "if_starved", "always", "must_leave") if end_check == "side_to_move" else ("none",)
    feeding = choose(feedings)
    repetition = choose((0, 2, 2, 3, 5))
    stopped = repetition or not must_stop
    stuck = "end" if feeding == "if_starved" else choose(("end", "pass"))
    return {
        "end_check": end_check,
        "feeding": feeding,
        "stuck": stuck,
        "end_reason": _one(choose, "end_reason"),
        "leftover": choose(("owner", "emptier", "none", "halved")),
        "end_few": choose((0, 0, 0, 0, 1, 4)),
        "end_flat": choose((0, 0, 0, 0, 1, 2)),
        "majority_stop": _switch(choose),
        "indeterminacy_max_seeds": choose((0, 0, 2, 3, 4)) if can_be_dead else 0,
        "repetition": repetition,
        "repetition_leftover": choose(("owner", "split")) if repetition else "owner",
        "max_plies": choose((0, 1, 20, 300) if stopped else (1, 20, 300)),
    }


def _slam(choose: Choose, feeding: str, *, spare: bool) -> str:
    if feeding in ("always", "must_leave"):
        return "capture"
    return choose(SLAMS if spare else SLAMS[:4])


def _clause(choose: Choose, *, stores: bool) -> When:
    """A clause about the last pit and the one across."""
    if stores and choose(range(5)) == 0:
        return When(store="own", then=choose(("stop", "again")))
    takes: tuple[str, ...] = choose(((), ("here",), ("facing",), ("here", "facing")))
    was = choose((None, "empty", "occupied"))
    relays = was != "empty" and "here" not in takes
    return When(
        side=choose((None, "own", "opponent")),
        was=was,
        count=_counts(choose) if _switch(choose) else None,
        even=choose((None, None, True, False)),
        facing=choose((None, "occupied", "empty")),
        takes=takes,
        chain=_counts(choose) if "here" in takes and _switch(choose) else None,
        chain_side=choose(("opponent", "any")),
        then=choose(("stop", "again", "relay") if relays else ("stop", "again")),
    )


def _sowing_on(choose: Choose, *, four: bool) -> When:
    """A clause that sows on what it takes, from any of the pits where it can go on."""
    taken = (("facing",), ("next",), *((("facing", "behind"), ("behind",)) if four else ()))
    takes: tuple[str, ...] = choose(taken)
    sure = choose(takes)  # this one must hold seeds
    outer = (None, "occupied") if "behind" in takes else (None, "occupied", "empty")
    conditions: dict[str, Any] = {
        "side": choose((None, "own")),
        "was": choose((None, "occupied")),
        "behind": choose(outer) if four else None,
        sure: "occupied",
    }
    after = choose(("here", "lap_start"))
    return When(**conditions).sow_on(*takes, after=after, including=_switch(choose), stops=_switch(choose))


# The conditions that are drawn, in this order: a seed draws the same ruleset when there are further ones.
_CONDITIONS = (
    "side", "was", "count", "even", "facing", "facing_count", "next", "next2", "next_count", "facing_next", "place",
    "inner", "behind", "behind_count", "visited",
)  # fmt: skip
_OF_FOUR_ROWS = ("inner", "behind", "behind_count")


def _asked(choose: Choose, name: str) -> Any:
    """A value of a condition."""
    if name == "place":
        return {choose((-1, 0)) for _ in range(choose((1, 2)))}
    draws = ASKED[name].draws
    return choose(draws) if draws else _counts(choose)


def _any_clause(choose: Choose, *, store: str, four: bool, marks: bool = False) -> When:
    """Any clause, with the conditions, captures and verbs that look at more than the last pit and the one across."""
    ways: tuple[dict[str, Any], ...] = (
        {},
        {},
        {},
        {"from_ply": 1},
        {"from_ply": 4},
        {"few": 3},
        {"few": 9},
        {"lifted": 2},
        {"lifted": 4},
    )
    late = choose(ways)
    if store != "none" and choose(range(5)) == 0:
        whose = choose(("own", "opponent")) if store == "both" else "own"
        return When(store=whose, then=choose(("stop", "again", "again", "relay_next")), **late)
    asked = _some(choose, [name for name in _CONDITIONS if four or name not in _OF_FOUR_ROWS], 0, 3)
    conditions: dict[str, Any] = {name: _asked(choose, name) for name in asked}
    clause = When(**conditions, **late)
    if marks:
        clause = replace(clause, marked=choose((None, None, False, True, "own", "opponent")))
    verbs = ["stop", "capture", "capture", "chain", "onward", "raid", "every", "neighbours", "relay_next", "walk_on"]
    verbs.append("to_here")
    verb = choose([*verbs, *(["relay"] if clause.was != "empty" else [])])
    then = choose(("stop", "again"))
    to = choose(("mover", "mover", "mover", "owner", "opponent"))
    if verb in ("relay", "relay_next", "walk_on", "to_here"):
        clause = replace(clause, marked=choose((None, False)) if marks else None)
    places = ["facing", "next", "next2", "facing_next"] + ["behind"] * (four and clause.behind != "empty")
    if verb == "stop":
        return replace(clause, then=then)
    if verb == "capture":
        also: tuple[str, ...] = choose(((), ("here",)))
        return clause.capture(*_some(choose, places, 1, 2), *also, to=to, then=then)
    if verb == "chain":
        also = choose(((), ("facing",), ("next",)))
        return clause.capture(
            "here", *also, chain=_counts(choose), chain_side=choose(("opponent", "any", "own")),
            chain_facing=_switch(choose), to=to, then=then,
        )  # fmt: skip
    if verb == "onward":
        also = tuple(_some(choose, ["here", *places], 1, 2))
        return clause.capture(*also, onward=choose(("gaps", "across")), to=to, then=then)
    if verb == "raid":
        return clause.capture(choose(("last", "last_and_one")), to=to, then=then)
    if verb in ("every", "neighbours"):
        also = choose(((), ("facing",), ("here",)))
        side = choose(("any", "own", "opponent"))
        return clause.capture(verb, *also, every=_counts(choose), every_side=side, to=to, then=then)
    if verb == "relay":
        takes = _some(choose, places, 1, 2) if _switch(choose) else []
        return clause.capture(*takes, to=to if takes else "mover", then="relay")
    sure: dict[str, Any]
    if verb == "walk_on":  # it may be a lone seed
        sure = {"facing": "occupied"} if clause.facing_count is None else {"facing": None}
        return replace(clause, **sure).capture("facing", to=to, then="relay")
    if verb == "to_here":
        takes = _some(choose, places, 1, 2)
        sure = {"facing": "occupied"} if "facing" in takes and clause.facing_count is None else {}
        was = clause.was if sure or clause.was != "empty" else None
        return replace(clause, **sure, was=was).capture(*takes, to="here", then="relay")
    takes = [place for place in _some(choose, places, 1, 2) if place != "next"] if _switch(choose) else []
    sure = {"next": "occupied"} if clause.next_count is None else {"next": None}
    clause = replace(clause, **sure)
    captured = clause.capture(*takes, to=to) if takes else clause
    return captured.relay("next")


def _with_more_axes(choose: Choose, base: Ruleset, *, least: int, most: int) -> Ruleset:
    """``base`` with a few more axes, of those that go with its own."""
    rules = base
    for name in _some(choose, [*MORE_AXES, "leave"], least, most):
        try:
            rules = rules.changes(**MORE_AXES[name](choose, rules))
        except ValueError:  # it contradicts another axis
            continue
    return rules


def _leave(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    leave, lone_seed = choose(("first_lap", "every_lap")), choose(("moves", "stays"))
    return {"leave": leave, "lone_seed": lone_seed, "max_plies": rules.max_plies or 300}


def _direction(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    of_places: tuple[Direction, ...] = (Direction.COUNTERCLOCKWISE, Direction.CLOCKWISE, Direction.CHOICE)
    directions = [*Direction][1:]
    if (way := choose((*directions, None))) is not None:
        return {"direction": way, "reverse_laps": way is Direction.REVERSE and rules.relays and _switch(choose)}
    if _switch(choose):
        of_places = (Direction.COUNTERCLOCKWISE, Direction.REVERSE, Direction.REVERSE)
    directions_of = tuple(choose(of_places) for _ in rules.board.homes[0])
    later = Direction.REVERSE in directions_of and rules.relays and _switch(choose)
    return {"direction": directions_of, "reverse_laps": later}


def _passing(choose: Choose, _: Ruleset) -> dict[str, Any]:
    taken = Passing(
        counts=_counts(choose),
        to=choose(("mover", "owner")),
        last=_switch(choose),
        side=choose(("any", "own", "opponent")),
        when=choose(("each_seed", "after_lap")),
        then=choose(("stop", "stop", "again")),
    )
    return {"passing": taken, "feeding": "none"}


def _skipping(choose: Choose, _: Ruleset) -> dict[str, Any]:
    skipped = Skipping(
        counts=_counts(choose),
        side=choose(("any", "own", "opponent")),
        last=_switch(choose),
        from_ply=choose((0, 0, 1)),
    )
    return {"skipping": skipped, "feeding": "none"}


def _at(choose: Choose, pits: int) -> tuple[int, ...] | None:
    """Places on a side, or all."""
    half = pits // 2
    return tuple({choose(range(-half, half)) for _ in range(3)}) if _switch(choose) else None


def _barred(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    half = len(rules.board.homes[0])
    places = [choose(range(-half, half)) for _ in range(choose((1, 2)))]
    return {"barred": Barred(places, _counts(choose) if _switch(choose) else None)}


def _remember(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """What is remembered, with what comes of it: which pits are played, or which clauses apply."""
    kind = choose(("played", "until_sown", *(["marks"] * 3 if rules.has_marks else [])))
    asks = choose((None, True, False))
    landing = tuple(
        replace(clause, remembered=asks if clause.store is None and choose(range(3)) == 0 else None)
        for clause in rules.landing
    )
    again = choose(("as_others", "last", "never")) if kind != "marks" else "as_others"
    return {"remember": kind, "played_again": again, "landing": landing}


def _forward(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """Chains that run forward: those there are, and one from the next pit."""
    ahead = When(next_count=_counts(choose)).capture(
        "next", chain=_counts(choose), chain_side=choose(("opponent", "any", "own")), chain_way="forward"
    )
    turned = tuple(replace(clause, chain_way="forward") if clause.chain else clause for clause in rules.landing)
    return {"landing": (*turned[:8], ahead) if _switch(choose) else (ahead, *turned[:8]), "grand_slam": "capture"}


def _target(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    target = choose(range(1, rules.total_seeds + 1))
    return {"target_seeds": target, "below_target": choose(("more", "draw")), "majority_stop": False}


def _opening(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    half = len(rules.board.homes[0])
    plies = range(choose((1, 2, 3)))
    places = [tuple(choose(range(-half, half)) for _ in range(choose(range(3)))) for _ in plies]
    return {"opening": (*places[:-1], places[-1] or (choose(range(-half, half)),))}


def _setup(choose: Choose, rules: Ruleset) -> dict[str, Any]:
    """Another start: seeds as they come, and some in the stores or marks in the pits where the game has these."""
    pits = [choose(range(2 * rules.seeds + 1)) for _ in range(rules.board.pits)]
    pits[choose(range(len(pits) // 2))] += 1  # South has something to play
    changes: dict[str, Any] = {"setup": tuple(pits)}
    if rules.has_stores and rules.match is Match.NONE:
        changes["setup_stores"] = (choose(range(4)), choose(range(4)))
    if rules.has_marks and not rules.marks_pairs and not rules.mark_limit and rules.match is Match.NONE:
        free = [choose((-1, -1, 0, 1)) for _ in pits]
        changes["setup_marks"] = tuple(-1 if pit in rules.unmarkable_pits else mark for pit, mark in enumerate(free))
    return changes


def _goal(choose: Choose, _: Ruleset) -> dict[str, Any]:
    """A goal that counts no seeds, without what would count them."""
    return {
        "goal": choose(("outlast", "outlast", "empty_block", "last_mover")), "leftover": "owner",
        "end_check": "side_to_move", "majority_stop": False, "end_few": 0, "end_flat": 0, "feeding": "none",
    }  # fmt: skip


def _declared(*names: str) -> dict[str, Callable[[Choose, Ruleset], dict[str, Any]]]:
    """Fields that are drawn as they are declared, whatever the others are."""
    return {name: partial(_another, name) for name in names}


def _another(name: str, choose: Choose, _: Ruleset) -> dict[str, Any]:
    return {name: _one(choose, name)}


MORE_AXES: Mapping[str, Callable[[Choose, Ruleset], dict[str, Any]]] = {  # name -> changes of the ruleset it is given
    "direction": _direction,
    **_declared("turns_round", "seeds_a_pit"),
    "store": lambda choose, rules: {"store": "both" if rules.board.rows == 2 else "own"},
    "leave": _leave,
    "passing": _passing,
    "skipping": _skipping,
    "feeding": lambda choose, rules: {
        "feeding": choose(("must_leave", "leave_move")),
        "grand_slam": "capture",
        "min_start": choose((1, 1, 2, 3)),
    },
    "singles": lambda choose, rules: {"singles": _one(choose, "singles"), "min_start": 1},
    **_declared("surplus"),
    "barred": _barred,
    "forced": lambda choose, rules: {"forced": _barred(choose, rules)["barred"]},
    "feeding_least": lambda choose, rules: {
        "feeding": "if_starved",
        "stuck": "end",
        "feeding_least": _one(choose, "feeding_least"),
    },
    "target_seeds": _target,
    "remember": _remember,
    "chain_way": _forward,
    **_declared("first_lap", "next_skips_stores"),
    "safe_seeds": lambda choose, rules: {
        **_goal(choose, rules),
        "goal": "last_mover",
        "safe_seeds": choose(range(1, rules.total_seeds + 1)),
    },
    "opening": _opening,
    **_declared("plain_plies", "leftover", "end_few", "end_flat"),
    "goal": _goal,
    "setup": _setup,
}
