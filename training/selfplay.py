"""Self-play for Stable-Baselines3: a native VecEnv over one OpponentEnv, and the pool that its opponents come from
(docs/policies.md)."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from agents.policy.network import PolicyNetwork
from mancala_env.kernels import layout
from mancala_env.opponent_env import Opponent, OpponentEnv, as_opponent
from mancala_env.rules import Ruleset
from training.checkpoint import restore_weights, weights_arrays

LATEST, RANDOM, FIRST_EARLIER = 0, 1, 2
FIRST_FIXED = -1  # further fixed opponents have the numbers below it
RECENT = 0.99  # weight of the average so far against an earlier self when a new result comes


def _seeded(player: Any) -> Opponent:
    """As ``as_opponent``, with the random numbers of a player that answers one by one begun from those of the games."""
    ask, reset = as_opponent(player), getattr(player, "reset", None)
    if not callable(reset) or (hasattr(player, "act_positions") and getattr(player, "batched", True)):
        return ask

    def asked(env: OpponentEnv, games: npt.NDArray[np.int64]) -> Any:
        reset(int(env.random.integers(2**31)))
        return ask(env, games)

    return asked


class OpponentPool:
    """The learner's opponents: its current self, its earlier selves, a player of random moves, and fixed opponents.

    Opponents are numbers: ``LATEST``, ``RANDOM``, ``FIRST_EARLIER + k`` for place k among the earlier selves, and
    ``FIRST_FIXED - k`` for fixed opponent k. Networks pick actions with the probabilities that they give.

    ``network`` is the player ``LATEST``, whose weights the training loop keeps up to date. At most ``size`` earlier
    selves are kept; a further one replaces the oldest, also in games that go on. ``latest_share``, ``random_share`` and
    ``fixed_share`` are shares of the games; in the rest earlier selves are drawn in proportion to the share of points
    they take from the learner, to the power ``prioritised``; 0 draws uniformly (prioritised fictitious self-play:
    Vinyals et al., Nature 575, 2019, the "hard" weighting). ``fixed_opponents``: what
    ``mancala_env.opponent_env.as_opponent`` takes."""

    def __init__(
        self,
        network: PolicyNetwork,
        size: int = 8,
        latest_share: float = 0.5,
        random_share: float = 0.0,
        prioritised: float = 0.0,
        fixed_opponents: Sequence[Any] = (),
        fixed_share: float = 0.0,
    ) -> None:
        self.latest, self.size, self.prioritised = network, size, prioritised
        self.latest_share, self.random_share = latest_share, random_share
        self.fixed_opponents = tuple(map(_seeded, fixed_opponents))
        self.fixed_share = fixed_share if self.fixed_opponents else 0.0
        self.earlier: list[PolicyNetwork] = []
        self._scores: npt.NDArray[np.float64] = np.full(size, 0.5)  # the learner's running score against each
        self._remembered = 0

    def remember(self) -> None:
        """Keep ``LATEST`` as an earlier self."""
        if self.size == 0:
            return
        snapshot, place = self.latest.copy(), self._remembered % self.size
        if len(self.earlier) < self.size:
            self.earlier.append(snapshot)
        else:
            self.earlier[place] = snapshot
        self._scores[place] = 0.5
        self._remembered += 1

    def record(self, opponents: npt.NDArray[np.int64], results: npt.NDArray[np.float32]) -> None:
        """Take in the learner's results, -1..1, of games that ended against these opponents; both of length m."""
        for place in range(len(self.earlier)):
            met = opponents == FIRST_EARLIER + place
            if count := int(met.sum()):
                kept = RECENT**count
                self._scores[place] = kept * self._scores[place] + (1 - kept) * (1 + results[met].mean()) / 2

    def snapshot(self) -> dict[str, npt.NDArray[Any]]:
        """The earlier selves as arrays for ``restore``. Later changes of the pool do not change them."""
        arrays: dict[str, npt.NDArray[Any]] = {"remembered": np.array(self._remembered), "scores": self._scores.copy()}
        for place, network in enumerate(self.earlier):
            arrays |= weights_arrays(str(place), network.module)
        return arrays

    def restore(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore the earlier selves of ``snapshot``. Raises ValueError if their layers are not those of LATEST."""
        self._remembered = int(snapshot["remembered"])
        self._scores = snapshot["scores"].astype(np.float64)
        self.earlier = []
        for place in range(min(self._remembered, self.size)):
            self.earlier.append(self.latest.copy())
            restore_weights(str(place), self.earlier[-1].module, snapshot)

    def draw(self, n: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
        """int64[n]: opponents for ``n`` new games."""
        drawn = random.random(n)
        there = max(len(self.earlier), 1)
        earlier = FIRST_EARLIER + random.integers(there, size=n)
        if self.prioritised and self.earlier:
            hard = (1 - self._scores[:there]) ** self.prioritised + 1e-3  # every opponent is met sometimes
            earlier = FIRST_EARLIER + random.choice(there, size=n, p=hard / hard.sum())
        others = self.random_share + self.fixed_share
        latest_share = self.latest_share if self.earlier else 1.0 - others
        met = np.where(drawn < self.random_share, RANDOM, np.where(drawn < others + latest_share, LATEST, earlier))
        if self.fixed_opponents:
            fixed = (drawn >= self.random_share) & (drawn < others)
            met[fixed] = FIRST_FIXED - random.integers(len(self.fixed_opponents), size=int(fixed.sum()))
        return met

    def act(
        self,
        opponents: npt.NDArray[np.int64],
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.bool_],
        random: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """int64[m]: an action of ``opponents[i]`` for ``observations[i]``, legal by ``masks[i]``; a forward pass for
        each opponent."""
        logits = np.zeros(masks.shape, dtype=np.float32)
        for opponent in np.unique(opponents).tolist():
            if opponent != RANDOM:
                network = self.latest if opponent == LATEST else self.earlier[opponent - FIRST_EARLIER]
                games = np.flatnonzero(opponents == opponent)
                logits[games] = network.logits(observations[games])
        # The largest of logits + Gumbel noise is a draw from their softmax.
        noisy = logits + random.gumbel(size=logits.shape)
        return np.where(masks, noisy, -np.inf).argmax(axis=1)


class _PoolDuel(OpponentEnv):
    """An OpponentEnv that draws an opponent from a pool for each new game: ``opponents``, int64[n]."""

    def __init__(self, pool: OpponentPool, rules: Ruleset | str, n: int, **options: Any) -> None:
        self.pool = pool
        self.opponents = np.zeros(n, dtype=np.int64)
        super().__init__(rules, n, **options)

    def begin(self, games: npt.NDArray[np.int64]) -> None:
        """Draw a seat and an opponent for the new game of each of ``games``."""
        super().begin(games)
        self.opponents[games] = self.pool.draw(len(games), self.random)

    def snapshot(self) -> dict[str, npt.NDArray[Any]]:
        """As ``OpponentEnv.snapshot``, with the opponents."""
        return {**super().snapshot(), "opponents": self.opponents.copy()}

    def restore(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> None:
        """As ``OpponentEnv.restore``; restore the pool first."""
        opponents = snapshot["opponents"]
        known = FIRST_EARLIER + len(self.pool.earlier)
        last_fixed = FIRST_FIXED - len(self.pool.fixed_opponents) + 1
        if opponents.shape != (self.n,) or opponents.min() < last_fixed or opponents.max() >= known:
            raise ValueError(f"{self.rules.name}: the snapshot names opponents that the pool does not hold")
        super().restore(snapshot)
        self.opponents = opponents.astype(np.int64)

    def ask_opponents(self, games: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """int64[m]: the actions of those whom the pool has drawn for ``games``."""
        met = self.opponents[games]
        actions = np.empty(len(games), dtype=np.int64)
        if len(networks := np.flatnonzero(met > FIRST_FIXED)):
            asked = games[networks]
            masks = self.batch.legal_mask[asked]
            actions[networks] = self.pool.act(met[networks], self.observe_opponents(asked), masks, self.random)
        for place, opponent in enumerate(self.pool.fixed_opponents):
            if len(its := np.flatnonzero(met == FIRST_FIXED - place)):
                actions[its] = opponent(self, games[its])
        return actions


class SelfPlayVecEnv(VecEnv):
    """``n`` games against a pool of opponents, for one learner; with Python code per game only for finished ones.

    Actions
        Discrete(A): counted from the learner's own left, as in ``State``.
    Observations
        ``float32[n, *shape]`` by the encoder, from the learner's seat, when it is the learner's turn.
    Rewards
        float32[n]: see ``mancala_env.opponent_env.OpponentEnv``, which takes the ``options``.
    End
        Games restart in the same step. The info of a finished game holds ``episode`` (r: the result, without shaping;
        l: the learner's decisions; t: seconds since ``reset``), ``terminal_observation``, ``seat``, ``plies`` of both
        players, ``opponent`` and ``termination``.

    For each new game the learner's seat and the opponent are drawn at random.
    """

    def __init__(self, rules: Ruleset | str, pool: OpponentPool, n: int, **options: Any) -> None:
        self.core = _PoolDuel(pool, rules, n, illegal="raise", **options)
        self.rules = self.core.rules
        self.render_mode = None
        self.finished: list[dict[str, Any]] = []  # the infos of games that ended since ``numbers``
        self._actions = np.zeros(n, dtype=np.int64)
        super().__init__(
            n, spaces.Box(0.0, 1.0, self.core.batch.encoder.shape, np.float32), spaces.Discrete(self.rules.num_actions)
        )

    def reset(self) -> npt.NDArray[np.float32]:
        """Start all games anew."""
        self.core.reset(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self._started = time.perf_counter()
        return self.core.observe()

    def restore(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """Go on from where ``core.snapshot()`` was taken; in place of ``reset``."""
        self.core.restore(snapshot)
        self._started = time.perf_counter()
        return self.core.observe()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the learner's actions, ints[n]."""
        self._actions = np.asarray(actions, dtype=np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Play until the learner is to move in every game again."""
        opponents = self.core.opponents.copy()
        rewards, ended = self.core.step(self._actions)
        if len(ended.games):
            self.core.pool.record(opponents[ended.games], ended.results)
        done = np.zeros(self.num_envs, dtype=np.bool_)
        done[ended.games] = True
        infos: list[dict[str, Any]] = [_NOTHING] * self.num_envs
        plies = ended.positions[:, self.rules.board.pits + layout.PLY]
        now = round(time.perf_counter() - self._started, 6)
        for k, game in enumerate(ended.games.tolist()):
            infos[game] = {
                "episode": {"r": float(ended.results[k]), "l": int(ended.lengths[k]), "t": now},
                "terminal_observation": ended.observations[k],
                "TimeLimit.truncated": False,
                "seat": int(ended.seats[k]),
                "plies": int(plies[k]),
                "opponent": int(opponents[game]),
                "termination": str(ended.terminations[k]),
            }
            self.finished.append(infos[game])
        return self.core.observe(), rewards, done, infos

    def numbers(self) -> dict[str, float]:
        """The curves of the games that ended since the last call, by opponent and by seat; {} if none did."""
        ended, self.finished = self.finished, []
        if not ended:
            return {}
        results, lengths = (np.array([info["episode"][name] for info in ended]) for name in ("r", "l"))
        against, seats, plies = (np.array([info[name] for info in ended]) for name in ("opponent", "seat", "plies"))
        of = {
            "score": np.ones(len(ended), dtype=np.bool_),
            "score_latest": against == LATEST,
            "score_earlier": against >= FIRST_EARLIER,
            "score_fixed": against <= FIRST_FIXED,
            "score_south": seats == 0,
            "score_north": seats == 1,
        }
        found = {name: (1.0 + results[games].mean()) / 2.0 for name, games in of.items() if games.any()}
        found |= {"draws": np.mean(results == 0.0), "plies": plies.mean(), "decisions": lengths.mean()}
        found["illegal"] = sum(info["termination"] == "illegal" for info in ended)
        return {f"selfplay/{name}": float(value) for name, value in found.items()}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[n, A]: the learner's legal actions in each game, at least one each."""
        return self.core.legal_mask

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """``action_masks`` of all games, or of those named; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"SelfPlayVecEnv has no method {method_name!r}; it has 'action_masks'")
        return self.action_masks()[self._chosen(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute, once for each game named."""
        return [getattr(self, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute, which all games share."""
        if len(self._chosen(indices)) != self.num_envs:
            raise ValueError(f"{attr_name} is shared by all games; leave indices out")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """False for each game: nothing is wrapped."""
        return [False] * len(self._chosen(indices))

    def close(self) -> None:
        """Nothing to close."""

    def _chosen(self, indices: VecEnvIndices) -> Sequence[int]:
        chosen: Iterable[int] = self._get_indices(indices)
        return list(chosen)


_NOTHING: dict[str, Any] = {}  # the info of every game that is still running
