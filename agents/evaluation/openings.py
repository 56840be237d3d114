"""Random openings, all different, and balanced ones if wanted: the positions that pairs of games start from."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.search import Searcher
from agents.search.evaluation import Evaluation
from agents.search.minimax import AnyEvaluation, evaluation_for
from mancala_env import checks
from mancala_env.games import ruleset
from mancala_env.kernels.scores import WIN
from mancala_env.rules import Goal, Ruleset
from mancala_env.state import State

TRIES = 1000
CERTAIN = WIN / 4  # of ``Found.value``, in games that are not about seeds: any more is a win that was found


@dataclass(frozen=True)
class Balance:
    """How little openings are worth to either player, as alpha-beta values them.

    Attributes
    ----------
    most : float, optional
        In seeds; in a match the value of its game in progress. In a game that is not about seeds: with a learned
        ``evaluation`` the chance to win minus that to lose, from 0 to 1; without one, whatever the number, those in
        which it finds no win. None: any opening will do.
    depth : int
        The plies that it looks ahead.
    nodes : int, optional
        Instead the nodes that it may take.
    evaluation : str or Evaluation
        As ``agents.search.MinimaxAgent`` takes it.
    """

    most: float | None = None
    depth: int = 6
    nodes: int | None = None
    evaluation: AnyEvaluation = "margin"


ANY = Balance()


class Opening(NamedTuple):
    """A position, and the actions that led to it from the start of the game."""

    state: State
    actions: tuple[int, ...]


def seeds_of(seed: int, *key: int) -> list[int]:
    """The seeds of South and North in a game, or pair of games, whose random stream has this key."""
    drawn: list[int] = np.random.SeedSequence(seed, spawn_key=key).generate_state(2).tolist()
    return drawn


def random_opening(rules: Ruleset | str, plies: int, random: np.random.Generator) -> State:
    """A running position after ``plies`` random plies. ValueError if ``TRIES`` tries find none."""
    return _random_line(ruleset(rules), plies, random).state


def _random_line(rules: Ruleset, plies: int, random: np.random.Generator) -> Opening:
    for _ in range(TRIES):
        state, actions = rules.start(), []
        while state.ply < plies and not state.is_over:
            actions.append(int(random.choice(state.legal_actions)))
            state = state.play(actions[-1])
        if not state.is_over:
            return Opening(state, tuple(actions))
    raise ValueError(f"{rules.name}: no game is still running after {plies} random plies; take fewer opening plies")


def openings(rules: Ruleset | str, plies: int, count: int, seed: int, balance: Balance = ANY) -> list[State]:
    """The positions of ``openings_with_moves``."""
    return [each.state for each in openings_with_moves(rules, plies, count, seed, balance)]


def openings_with_moves(
    rules: Ruleset | str, plies: int, count: int, seed: int, balance: Balance = ANY
) -> Iterator[Opening]:
    """``count`` positions after ``plies`` random plies, running, all different in the board, the stores or the mover.

    Each is the first of its own random stream, of ``seed`` and its index, that none before it took, so that it does not
    depend on ``count``. Where ``TRIES`` draws bring nothing new, each may be taken once more. ValueError if there are
    no such openings, or a setting is impossible."""
    rules, seed = ruleset(rules), checks.seed(seed)
    is_fair = _fairness(rules, balance)
    taken: Counter[State] = Counter()

    def first_draw(number: int, times: int) -> Opening | None:
        """The first fair one of its stream taken fewer than ``times`` times; None if all its fair ones were taken."""
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, 0)))
        any_fair = False
        for _ in range(TRIES):
            opening = _random_line(rules, plies, random)
            if is_fair(opening.state):
                any_fair = True
                if taken[opening.state] < times:
                    return opening
        if any_fair:
            return None
        raise ValueError(
            f"{rules.name}: of {TRIES} openings of {plies} random plies, none is worth so little to either player; "
            "take a larger margin for balanced openings, or another number of plies"
        )

    times = 1  # that each may be taken
    full = 0  # openings that were taken ``times`` times
    for number in range(count):
        while (opening := first_draw(number, times)) is None:
            times, full = times + 1, 0
        taken[opening.state] += 1
        full += taken[opening.state] == times
        if times > 1 and full == len(taken):  # too few are known already: no need to find out again
            times, full = times + 1, 0
        yield opening


def _fairness(rules: Ruleset, balance: Balance) -> Callable[[State], bool]:
    """Tells whether a position is balanced. ValueError if this cannot be asked of the game."""
    if not isinstance(balance, Balance):
        raise ValueError(f"balance must be agents.evaluation.Balance(most=...), not {checks.shown(balance)}")
    if (most := balance.most) is None:
        return lambda state: True
    judge = evaluation_for(balance.evaluation, rules)
    chances = isinstance(judge, Evaluation) and rules.goal is not Goal.SEEDS
    if not isinstance(most, int | float) or not most >= 0 or (chances and most > 1):
        what = "the chance to win minus that to lose, from 0 to 1" if chances else "a number of seeds from 0"
        raise ValueError(f"balanced must be {what}, not {checks.shown(most)}")
    if judge is None and rules.goal is not Goal.SEEDS:
        most = CERTAIN
    searcher = Searcher(rules, evaluate=judge)
    limits = (balance.depth, None) if balance.nodes is None else (None, balance.nodes)
    known: dict[State, bool] = {}

    def is_fair(state: State) -> bool:
        if state not in known:
            searcher.forget()  # so that earlier searches cannot matter
            known[state] = abs(searcher.search(state, *limits, ties=False).value) <= most
        return known[state]

    return is_fair
