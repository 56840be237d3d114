"""Exploitability: the gain of the best reply to a whole policy, on boards small enough to visit every position."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import RandomAgent, as_agent
from agents.evaluation.regret.measure import board_key, check_rules
from agents.search import MinimaxAgent
from agents.search.limits import check_limit
from agents.search.solve import Solver, final_margin
from agents.tablebase.files import is_acyclic
from mancala_env.games import ruleset as named
from mancala_env.rules import Ruleset
from mancala_env.state import State

# The probability of each action in a position, by action; or an array with one for each action, float[A].
Policy = Callable[[State], Mapping[int, float] | Sequence[float] | np.ndarray]


@dataclass(frozen=True)
class Exploitability:
    """The most that a policy can lose to a player who knows it: ``(best_as_south + best_as_north) / 2``, 0 if it is
    perfect.

    In seeds: ``best_as_south`` and ``best_as_north`` are the margins of best replies (or of those that were given) in
    these seats, ``value`` South's with best play by both. ``positions`` were visited, ends and both replies included.
    """

    exploitability: float
    value: float
    best_as_south: float
    best_as_north: float
    positions: int
    gain_as_south: float  # the policy's loss as North: the best reply's margin as South above the value of the game
    gain_as_north: float


def exploitability(
    policy: Any,
    rules: Ruleset | str,
    max_positions: int = 1_000_000,
    progress: Callable[[int], None] | None = None,
    reply: Any = None,
) -> Exploitability:
    """The gain of best replies to a policy, from the start position, exact up to rounding.

    With u_p the final margin of player p, and b_p the best reply of p to the policy pi in the other seat, it is
    ``NashConv(pi) / 2 = (u_0(b_0, pi) + u_1(pi, b_1)) / 2`` (M. Lanctot et al., "A Unified Game-Theoretic Approach to
    Multiagent Reinforcement Learning", NeurIPS 2017), found backwards from the ends of the game. ValueError, which says
    why, for a game of another kind, too many positions, or invalid probabilities.

    Parameters
    ----------
    policy : callable, or an agent by its name or as an object
        Probabilities of actions, 0 for those left out, by pits, stores and mover alone. For agents see
        ``agent_policy``.
    rules : a game in which no position comes back, without a ply limit: Kalah and its relatives
    max_positions : before giving up
    progress : called with the number of positions, now and then
    reply : as ``policy``: its replies count in place of the best, for a bound from below
    """
    rules = named(rules)
    check_rules(rules)
    if rules.repetition or rules.max_plies or not is_acyclic(rules):
        raise ValueError(
            f"exploitability is for games in which no position comes back and no ply limit ends the game; "
            f"{rules.name} is none, try 'kalah'"
        )
    check_limit("max_positions", max_positions)
    chances, answers = (
        agent_policy(each) if isinstance(each, str) or hasattr(each, "act") else each for each in (policy, reply)
    )
    replies = _Replies(rules, chances, answers, max_positions, progress)
    as_south, as_north = replies.value(0), replies.value(1)
    value = Solver(rules, memory=64).value(rules.start())
    gains = as_south - value, as_north + value
    return Exploitability((as_south + as_north) / 2, value, as_south, as_north, replies.positions, *gains)


def agent_policy(agent: Any, seed: int = 0) -> Policy:
    """The choices of an agent, as ``agents.as_agent`` takes it, as probabilities: of alpha-beta among ``best_actions``,
    of the random agent among all. Any other must be deterministic: ValueError where two seeds choose differently.
    """
    agent = as_agent(agent)

    def choices(state: State) -> Sequence[int]:
        if isinstance(agent, RandomAgent):
            return state.legal_actions
        answers = []
        for each in (seed, seed + 1):
            agent.reset(each)  # the result may depend on what the search has kept of other positions
            if isinstance(agent, MinimaxAgent):
                return agent.best_actions(state)
            answers.append(int(agent.act(state)))
        if answers[0] != answers[1]:
            raise ValueError(
                f"{agent.name} plays at random ({answers[0]} and {answers[1]} with two seeds in {state}), so that its "
                f"policy cannot be read off; pass its probabilities to exploitability()"
            )
        return answers[:1]

    def policy(state: State) -> dict[int, float]:
        actions = choices(state)
        return dict.fromkeys(actions, 1 / len(actions))

    return policy


class _Replies:
    """Replies to a policy, the best ones or those given, and the number of positions visited to find them."""

    def __init__(
        self, rules: Ruleset, policy: Policy, reply: Policy | None, most: int, progress: Callable[[int], None] | None
    ) -> None:
        self.rules, self.policy, self.reply, self.most, self.progress = rules, policy, reply, most, progress
        self.positions = 0

    def value(self, seat: int) -> float:
        """The final margin of ``seat`` by its replies to the policy; the stack is explicit, as lines are long."""
        start = self.rules.start()
        values: dict[bytes, float] = {}  # of positions, for the seat
        opened: dict[bytes, list[tuple[float, State, bytes]]] = {}  # those under way: chance, child and its key
        stack = [(start, board_key(start))]
        while stack:
            state, key = stack[-1]
            if key in values:
                stack.pop()
            elif state.is_over:
                values[key] = final_margin(state, seat)
                self._count()
            elif key not in opened:
                self._count()
                branches = opened[key] = self._branches(state, seat)
                for _, child, child_key in branches:
                    if child_key in opened:
                        raise ValueError(f"{self.rules.name}: a position comes back: {child}")
                    if child_key not in values:
                        stack.append((child, child_key))
            else:
                after = [(chance, values[child_key]) for chance, _, child_key in opened.pop(key)]
                chooses = state.player == seat and self.reply is None
                values[key] = max(v for _, v in after) if chooses else math.fsum(chance * v for chance, v in after)
                stack.pop()
        return values[board_key(start)]

    def _branches(self, state: State, seat: int) -> list[tuple[float, State, bytes]]:
        """The possible actions: all of a best replier, and those of a policy with a probability above 0."""
        plays = self.reply if state.player == seat else self.policy
        if plays is None:
            chances: Mapping[int, float] = dict.fromkeys(state.legal_actions, 1.0)
        else:
            chances = _checked(plays(state), state)
        children = [(chance, state.play(action)) for action, chance in chances.items()]
        return [(chance, child, board_key(child)) for chance, child in children]

    def _count(self) -> None:
        self.positions += 1
        if self.positions > self.most:
            raise ValueError(
                f"{self.rules.name}, {self.rules.board.columns} pits a row, {self.rules.total_seeds} seeds: more than "
                f"{self.most:,} positions; take a smaller board, or allow more"
            )
        if self.progress is not None and self.positions % 1000 == 0:
            self.progress(self.positions)


def _checked(given: Any, state: State) -> dict[int, float]:
    """The actions that a policy plays, with their probabilities. Raises ValueError if these are invalid."""
    items = given.items() if isinstance(given, Mapping) else enumerate(given)
    chances = {int(action): float(chance) for action, chance in items if chance != 0}
    legal = state.legal_actions
    if any(action not in legal or not chance > 0 for action, chance in chances.items()) or not math.isclose(
        math.fsum(chances.values()), 1.0, abs_tol=1e-6
    ):
        raise ValueError(f"{chances} are no probabilities of the legal actions {legal} in {state}")
    total = math.fsum(chances.values())
    return {action: chance / total for action, chance in chances.items()}
