"""n games of one learner against opponents in one batch: the core of every single-agent environment. The opponent
plays inside ``step``: a game that it ends still reaches the learner as a loss, an extra turn is two decisions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.batch import Batch
from mancala_env.checks import Flags, Floats, Ints
from mancala_env.kernels import batch as kernels
from mancala_env.observation import Encoder
from mancala_env.rewards import Rewards, margins, potentials
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction

SEATS = ("random", "alternate", "south", "north")
ILLEGAL = ("lose", "raise")
MOST_ANSWERS = 10_000  # of opponents in one step; only where a learner never comes to move there are more

Opponent: TypeAlias = Callable[["OpponentEnv", Ints], Any]
"""A function of (env, games int64[m]), the games in which the opponent is to move, that returns actions ints[m]."""


def random_opponent(env: "OpponentEnv", games: Ints) -> Ints:
    """Plays every legal action with the same probability."""
    actions = np.empty(len(games), dtype=np.int64)
    kernels.random_actions(env.batch.legal_mask[games], env.random.integers(1 << 62), 0, 0, actions)
    return actions


def as_opponent(player: Any) -> Opponent:
    """An ``Opponent`` function from anything that can play: "random"; an object with ``act_batch(observations
    float32[m, *shape], masks bool[m, A]) -> ints[m]``, called once for all games (with observations of its own
    ``encoder``, if it has one); one with ``act_positions``, unless its ``batched`` is False; an agent with
    ``act(state)``, whose ``reset(seed)`` is called whenever all games start anew, or a callable State -> action, for
    each game. Raises ValueError for others."""
    if isinstance(player, str) and player == "random":
        return random_opponent
    is_made = not isinstance(player, type)  # the methods of a class are of no player yet
    if is_made and hasattr(player, "act_batch"):
        encoder = getattr(player, "encoder", None)
        return lambda env, games: player.act_batch(env.observe_opponents(games, encoder), env.batch.legal_mask[games])
    if is_made and hasattr(player, "act_positions") and getattr(player, "batched", True):

        def asked_at_once(env: "OpponentEnv", games: Ints) -> Any:
            streams = env.random.integers(1 << 64, size=len(games), dtype=np.uint64)
            positions, masks, history = env.batch._positions, env.batch._masks, env.batch._history
            return player.act_positions(env.rules, games, positions, masks, history, streams)

        return asked_at_once
    return one_by_one(player)


def one_by_one(player: Any) -> Callable[[Any, Ints], Ints]:
    """An ``Opponent`` that is asked for each game: an agent with ``act(state)``, or a callable State -> action. Raises
    ValueError for others."""
    choose = checks.chooser(player, "'random', an agent as agents.make_agent('minimax:depth=4') makes them")

    def asked(env: Any, games: Ints) -> Ints:
        actions = np.empty(len(games), dtype=np.int64)
        for k, game in enumerate(games.tolist()):
            chosen = choose(env.batch.state(game))
            try:
                actions[k] = checks.action(chosen)
            except (TypeError, OverflowError):
                said = f"the opponent returned {checks.shown(chosen)}, which is no action"
                raise IllegalAction(f"{said}, in {env.batch.state(game)}") from None
        return actions

    return asked


@dataclass
class Ended:
    """The m games that ended in one step."""

    games: Ints  # [m]
    observations: Floats  # [m, *shape]: the last position from the learner's seat
    results: Floats  # [m]: +1, 0, -1 for the learner
    margins: Floats  # [m]: its lead in the final scores as a share of all seeds (``rewards.margins``)
    seats: npt.NDArray[np.int8]  # [m]
    lengths: Ints  # [m]: the learner's decisions
    terminations: npt.NDArray[np.str_]  # [m]: as ``State.termination``; "illegal" after an illegal action
    positions: npt.NDArray[np.int16]  # [m, W]: the last positions (``kernels.layout``)
    played: npt.NDArray[np.object_]  # [m]: the games of each match, as ``State.games``


class OpponentEnv:
    """``n`` games of a learner against an opponent; one that ends starts again in the same step. Rewards come at the
    end of a game, no matter which player moved last; with shaping also at each decision (``Rewards``). A match is one
    game here. ``rules``, ``n``, ``encoder`` and ``threads`` are as in ``Batch``; ``opponent`` as ``as_opponent`` takes
    it, left out in a solitaire; ``seat``: the learner's in each new game, "random", "alternate", "south" or "north", in
    a solitaire always South; ``illegal``: what an illegal action of the learner does, "lose" (-1) or "raise"; ``seed``:
    of seats, openings and the random opponent; each game starts after k random plies, k drawn uniformly from 0 to
    ``opening_plies``."""

    def __init__(
        self,
        rules: Ruleset | str,
        n: int,
        opponent: Any = "random",
        *,
        rewards: Rewards = Rewards(),
        encoder: str = "onehot",
        seat: str = "random",
        illegal: str = "lose",
        seed: int | None = 0,
        threads: int = 1,
        opening_plies: int = 0,
    ) -> None:
        for name, value, known in (("seat", seat, SEATS), ("illegal", illegal, ILLEGAL)):
            if not isinstance(value, str) or value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {checks.shown(value)}")
        if not checks.is_whole(opening_plies) or opening_plies < 0:
            raise ValueError(f"opening_plies must be a whole number from 0, not {checks.shown(opening_plies)}")
        seed = checks.seed(seed, optional=True)
        self.batch = Batch(rules, n, encoder=encoder, threads=threads)
        self.rules = self.batch.rules
        name, is_alone = self.rules.name, self.rules.players == 1
        if is_alone and seat == "north":
            raise ValueError(f"{name} is a solitaire, in which nobody sits in the north; leave seat out, or 'south'")
        if is_alone and opponent is not random_opponent and not (isinstance(opponent, str) and opponent == "random"):
            raise ValueError(f"{name} is a solitaire: there is no second seat for an opponent; leave opponent out")
        self.opening_plies = opening_plies
        self.n = n
        self.opponent = as_opponent(opponent)
        self._player = opponent
        self.rewards, self.seat, self.illegal = rewards, "south" if is_alone else seat, illegal
        self.random = np.random.default_rng(seed)
        self._last_seat = np.ones(n, dtype=np.int8)
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; with ``seed``, all random numbers too. An opponent that begins has already moved."""
        seed = checks.seed(seed, optional=True)
        if seed is not None:
            self.random = np.random.default_rng(seed)
            self._last_seat[:] = 1
        if callable(reset := getattr(self._player, "reset", None)):
            reset(int(self.random.integers(2**31)))
        self.batch.reset()
        self.seats = np.zeros(self.n, dtype=np.int8)
        self.lengths = np.zeros(self.n, dtype=np.int64)
        self.begin(np.arange(self.n))
        self._let_opponents_play([], np.ones(self.n, dtype=np.bool_))
        self._potentials = self._potential()

    def begin(self, games: Ints) -> None:
        """Called when new games have started in ``games``: draws the learner's seats, and plays the openings."""
        if self.seat == "random":
            seats = self.random.integers(2, size=len(games), dtype=np.int8)
        elif self.seat == "alternate":
            seats = 1 - self._last_seat[games]
        else:
            seats = np.full(len(games), SEATS.index(self.seat) - 2, dtype=np.int8)
        self.seats[games] = self._last_seat[games] = seats
        self.lengths[games] = 0
        if self.opening_plies:
            left = self.random.integers(self.opening_plies + 1, size=len(games))
            while (going := left > 0).any():
                games, left = games[going], left[going] - 1
                drawn = self.random.random((len(games), self.rules.num_actions), dtype=np.float32)
                self.batch.play(np.where(self.batch.legal_mask[games], drawn, -1).argmax(axis=1), games)

    @property
    def legal_mask(self) -> Flags:
        """bool[n, A]: the learner's legal actions in each game, at least one each."""
        return self.batch.legal_mask

    def observe(self, out: Floats | None = None) -> Floats:
        """``float32[n, *shape]``: the observations of the learner, who is to move in every game."""
        return self.batch.observe(out)

    def observe_opponents(self, games: Ints, encoder: Encoder | None = None) -> Floats:
        """``float32[m, *shape]``: different ``games`` from the opponent's seats, as its ``encoder`` writes them."""
        encoder = encoder or self.batch.encoder
        if encoder.rules != self.rules:
            raise ValueError(f"the opponent plays {encoder.rules.name} by other rules than {self.rules.name} here")
        games = self.batch._different(games)
        return encoder._to(self.batch._positions[games], 1 - self.seats[games])

    def ask_opponents(self, games: Ints) -> Any:
        """ints[m]: the opponents' actions in ``games``, in which they are to move."""
        return self.opponent(self, games)

    def step(self, actions: Any) -> tuple[Floats, Ended]:
        """Play the learner's actions, ints[n], and go on until it is to move in every game again. Returns rewards,
        float32[n], and the games that ended; new ones have begun there. Raises ``IllegalAction`` if an opponent plays
        illegally; with ``illegal="raise"`` also if the learner does, before any game has moved."""
        chosen = self.batch._whole(actions, self.n)
        done = np.zeros(self.n, dtype=np.bool_)
        parts: list[Ended] = []
        inside = (chosen >= 0) & (chosen < self.rules.num_actions)
        legal = inside & self.batch.legal_mask[np.arange(self.n), np.where(inside, chosen, 0)]
        if self.illegal == "raise":
            self.batch.check(chosen)
        self.lengths += 1
        if len(games := np.flatnonzero(~legal)):
            lost, reasons = np.full(len(games), -1.0, dtype=np.float32), np.full(len(games), "illegal")
            parts.append(self._ended(games, lost, lost.copy(), reasons, self.batch._positions[games]))
            done[games] = True
            self.batch.reset(games)
            self.begin(games)
        self._play(chosen[legal], np.flatnonzero(legal), parts, done)
        self._let_opponents_play(parts, done)
        parts = parts or [self.running(slice(0))]
        ended = Ended(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Ended)))
        rewards = np.zeros(self.n, dtype=np.float32)
        rewards[ended.games] = self.rewards.at_end(self.rules, ended)
        if self.rewards.shaping:
            after = self._potential()
            rewards += np.where(done, np.float32(0.0), np.float32(self.rewards.gamma) * after) - self._potentials
            self._potentials = after
        return rewards, ended

    def snapshot(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the arrays from which ``restore`` continues; save the generator ``random`` with them."""
        return {**self.batch.snapshot(), "last_seats": self._last_seat.copy(), "lengths": self.lengths.copy()}

    def restore(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from ``snapshot``, taken with the same arguments. Raises ValueError if it does not fit."""
        last, lengths = self.batch._like(snapshot, {"last_seats": self._last_seat, "lengths": self.lengths})
        if last.min() < 0 or last.max() > 1 or lengths.min() < 0:
            raise ValueError(f"{self.rules.name}: the snapshot holds seats other than 0 and 1, or impossible numbers")
        self.batch.restore(snapshot)
        self.seats, self._last_seat, self.lengths = self.batch.players, last, lengths  # the learner is to move
        self._potentials = self._potential()

    def _ended(self, games: Any, results: Any, margins: Any, reasons: Any, positions: Any) -> Ended:
        """``Ended`` of games of which new ones have not begun yet."""
        played = np.empty(len(games), dtype=np.object_)
        for k, game in enumerate(games.tolist()):
            played[k] = self.batch._games_before(game, positions[k])
        seats, lengths = self.seats[games], self.lengths[games]
        seen = self.batch.encoder._to(positions, seats)
        return Ended(games, seen, results, margins, seats, lengths, reasons, positions, played)

    def running(self, games: Any = slice(None)) -> Ended:
        """The n games, or some or none, as they stand, as if they ended here: without results and reasons."""
        games = np.arange(self.n)[games]
        nothing = np.zeros(len(games), dtype=np.float32)
        return self._ended(games, nothing, nothing.copy(), np.full(len(games), ""), self.batch._positions[games])

    def _let_opponents_play(self, parts: list[Ended], done: Flags) -> None:
        for _ in range(MOST_ANSWERS):
            if not len(games := np.flatnonzero(self.batch.players != self.seats)):
                return
            self._play(self.ask_opponents(games), games, parts, done)
        why = f"the learner never comes to move as {self.seat!r}; choose another seat or a larger board"
        raise ValueError(f"{self.rules.name}: {why}")

    def _play(self, actions: Any, games: Ints, parts: list[Ended], done: Flags) -> None:
        """Play an action in ``games``, append those that ended to ``parts`` and restart them. A game that began in this
        step and is over before the learner's first decision does not count."""
        returns, over = self.batch.play(actions, games)
        if len(reported := np.flatnonzero(over & ~done)):
            seats = self.seats[reported]
            scores, positions, reasons = self.batch.endings(reported)
            results = returns[reported, seats]
            led = margins(self.rules, scores, results, seats)
            parts.append(self._ended(reported, results, led, reasons, positions))
            done[reported] = True
        if over.any():
            self.begin(np.flatnonzero(over))

    def _potential(self) -> Floats:
        return potentials(self.rules, self.batch.positions, self.seats, self.rewards.shaping)
