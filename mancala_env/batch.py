"""n games of one ruleset stepped in one call: the base of training, rollouts and statistics."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.checks import Flags, Floats, Ints, Positions, Seats
from mancala_env.games import ruleset as named
from mancala_env.kernels import batch as kernels
from mancala_env.kernels import layout
from mancala_env.notation import GameResult, game_result, games_done, logged
from mancala_env.observation import make_encoder
from mancala_env.rules import Goal, Match, Ruleset
from mancala_env.state import IllegalAction, State

SPARE_LINES = 64  # room in the logs of games for matches in which many games end in one step
ODD_LINES = 8  # hashes in a cache line; histories of 2**k of them would all compete for the same places in the cache
_REASONS = np.array(layout.TERMINATIONS)


def state_of(
    rules: Ruleset, array: Positions, mask: Flags, hashes: npt.NDArray[np.uint64], games: tuple[GameResult, ...] = ()
) -> State:
    """The State of a position, int16[W], whose legal mask, bool[A], and history are known."""
    bound = rules.bound
    known = int(array[bound.plies_since_capture]) + 1 if bound.growth else 0
    data = bound.empty(known)
    data[: bound.width] = array
    bound.mask(data)[:] = mask
    if known:
        bound.history(data)[:] = hashes[:known]
    return State._of(bound, data, known, games)


class Games:
    """What batches have in common, whether they play one ruleset or several."""

    n: int
    _called: str  # what is played, in refusals
    _all: Ints  # [n]: the numbers of all games
    _masks: Flags  # [n, A]
    state: Callable[[int], State]  # the position of one game
    _over: npt.NDArray[np.int8]  # [n], layout.TERMINATIONS of the games that the last play ended

    @property
    def legal_mask(self) -> Flags:
        """bool[n, A]: the legal actions of the mover of each game, a copy."""
        return self._masks.copy()

    @property
    def termination(self) -> npt.NDArray[np.str_]:
        """str[n]: why the games that ended in the last ``play`` did, "" for the others."""
        return _REASONS[self._over]

    def check(self, actions: Any, games: Ints | None = None) -> tuple[Ints, Ints]:
        """Raise what ``play`` would raise for its arguments; returns them as int64[m], int64[m]."""
        games = self._all if games is None else self._different(games)
        chosen = self._whole(actions, len(games))
        if (bad := kernels.first_illegal(games, chosen, self._masks)) >= 0:
            state = self.state(int(games[bad]))
            raise IllegalAction(
                f"{state.rules.name}: action {chosen[bad]} is illegal in game {games[bad]}; legal actions are "
                f"{state.legal_actions} in position {state}; no game has moved"
            )
        return chosen, games

    def _whole(self, actions: Any, m: int) -> Ints:
        """``actions`` as int64[m], if they are as many whole numbers."""
        chosen = checks.whole(actions)
        if chosen is None or len(chosen) != m:
            raise IllegalAction(f"{self._called}: actions must be {m} whole numbers, not {checks.described(actions)}")
        return checks.readable(chosen.astype(np.int64, copy=False))

    def _different(self, games: Any) -> Ints:
        """``games`` as int64[m], if they are different numbers of games."""
        numbers = checks.numbers(games, f"{self._called}: games", 0, self.n - 1)
        if (numbers[1:] <= numbers[:-1]).any() and len(np.unique(numbers)) < len(numbers):
            raise IllegalAction(f"{self._called}: games must be different, and some of {checks.shown(games)} are not")
        return numbers


class Batch(Games):
    """``n`` independent games in one batch; a game that ends starts again in the same step.

    Arrays that a call returns are new, or the caller's own ``out``; they do not change later.

    Parameters
    ----------
    rules, n : Ruleset or name of one, and number of games
    seed : of ``random_actions``; the games themselves draw no random numbers
    encoder : for ``observe``, a key of ``mancala_env.observation.ENCODERS``
    threads : that share the games, where there are enough of them; results do not depend on it

    Examples
    --------
    >>> import mancala_env as mancala
    >>> batch = mancala.Batch("oware", 3)
    >>> rewards, done = batch.play([0, 1, 2])
    >>> str(batch.state(2))
    'oware 4-4-0-5-5-5-5-4-4-4-4-4-0-0-N ply=1'
    """

    _final: dict[int, State] | None  # their last positions; None: not made yet

    def __init__(
        self, rules: Ruleset | str, n: int, *, seed: int = 0, encoder: str = "onehot", threads: int = 1
    ) -> None:
        if not checks.is_whole(n) or n < 1:
            raise ValueError(f"a batch has at least one game, not {n!r}")
        self.n, self.rules = int(n), named(rules)
        self._called = self.rules.name
        if not checks.is_whole(threads) or threads < 1:
            raise ValueError(f"threads must be 1 or more, a whole number, not {checks.shown(threads)}")
        self._threads = min(int(threads), self.n)
        self._seed = int(np.random.SeedSequence(checks.seed(seed)).generate_state(1, np.uint64)[0] >> 1)
        self.encoder = make_encoder(encoder, self.rules)
        self._pool: ThreadPoolExecutor | None = None
        first = self.rules.start()
        self._first_array, self._first_mask, self._first_data = first.array, first.legal_mask, first._data
        self._first_hash = first.history[0] if self.rules.repetition else np.uint64(0)
        self._first_log = np.array([logged(game) for game in first.games], dtype=np.int16).reshape(-1, 3)
        self._width = len(self._first_array)
        self._all = np.arange(self.n, dtype=np.int64)
        self.reset()

    def reset(self, games: Ints | None = None) -> None:
        """Start all games anew, and the random numbers too; or only ``games``, int64[m]."""
        if games is None:
            n, games = self.n, self._all
            self._positions = np.zeros((n, self._width), dtype=np.int16)
            self._masks = np.zeros((n, self.rules.num_actions), dtype=np.bool_)
            self._history = np.zeros((n, 32 + ODD_LINES if self.rules.repetition else 2), dtype=np.uint64)
            self._logs = np.zeros((n, *self._first_log.shape), dtype=np.int16)
            # Last positions, each with twice the scores; and the data of the first one (``kernels.batch.play_games``).
            self._finals = np.zeros((n + 1, self._width + 2 + len(self._first_data)), dtype=np.int16)
            self._finals[n, : len(self._first_data)] = self._first_data
            self._over = np.zeros(n, dtype=np.int8)
            self._longest = self._turn = 0
        games = self._different(games)
        self._positions[games], self._masks[games] = self._first_array, self._first_mask
        self._history[games, 0] = self._first_hash
        self._logs[games, : len(self._first_log)] = self._first_log
        self._over = np.where(np.isin(self._all, games), 0, self._over).astype(np.int8)
        self._make_room()

    @property
    def players(self) -> Seats:
        """int8[n]: the mover of each game."""
        return self._positions[:, self.rules.board.pits + layout.MOVER].astype(np.int8)

    @property
    def positions(self) -> Positions:
        """int16[n, W]: the positions as kernels take them (``kernels.layout``). A copy."""
        return self._positions.copy()

    def observe(self, out: Floats | None = None, seats: Seats | None = None) -> Floats:
        """``float32[n, *encoder.shape]``: each game as its mover or ``seats``, int8[n], see it; in ``out`` if given."""
        write = self.encoder._write_unchecked
        seats = self.players if seats is None else checks.numbers(seats, "seats", 0, 1, self.n, np.int8)
        out = self.encoder._buffer(self.n, out)
        worth = 64 if self.encoder.lookahead else 8192  # looking ahead takes a hundred times as long
        self._share(lambda part: write(self._positions[part], seats[part], out[part]), worth=worth)
        return out

    def play(self, actions: Any, games: Ints | None = None) -> tuple[Floats, Flags]:
        """Play one action, of ints[n], in every game, or of ints[m] in ``games``, int64[m]. Games that end are reset.
        Returns ``rewards``, float32[n, 2], of South and North (+1, 0, -1) where a game ended, else 0, and ``done``,
        bool[n], where one ended in this step; ``final`` and ``termination`` tell how. Raises ``IllegalAction`` if an
        action cannot be played, or ``games`` are not different; no game has moved then."""
        chosen, games = self.check(actions, games)
        if self.rules.repetition and self._longest + 2 > self._history.shape[1]:
            self._history = np.pad(self._history, ((0, 0), (0, self._history.shape[1] + ODD_LINES)))
        rewards = np.zeros((self.n, 2), dtype=np.float32)
        self._over = over = np.zeros(self.n, dtype=np.int8)
        self._make_room()
        rules = self.rules.encoded.to_play(len(games))

        def run(part: slice) -> int:
            return kernels.play_games(
                games[part], chosen[part], self._positions, self._masks, self._history, self._logs,
                rewards, over, self._finals, rules,
            )  # fmt: skip

        longest = max(self._share(run, len(games), worth=4096), default=0)
        self._longest = longest if games is self._all else max(longest, self._longest)
        return rewards, over != 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}

    def random_actions(self) -> Ints:
        """int64[n]: a uniformly random legal action of each game, new ones with every call."""
        out = np.empty(self.n, dtype=np.int64)
        turn = self._turn
        self._turn += 1
        self._share(lambda part: kernels.random_actions(self._masks[part], self._seed, turn, part.start, out[part]))
        return out

    def state(self, game: int) -> State:
        """The position of one game, history included. Raises IndexError if there is no such game."""
        if not checks.is_whole(game) or not 0 <= game < self.n:
            raise IndexError(f"games are numbered from 0 to {self.n - 1}; there is no game {game!r}")
        array = self._positions[game]
        return state_of(self.rules, array, self._masks[game], self._history[game], self._games_before(game, array))

    @property
    def final(self) -> Mapping[int, State]:
        """The last positions of the games that ended in the last ``play``: game number -> finished State."""
        if self._final is None:  # made once, for loops that look games up one by one
            self._final = {}
            for game in np.flatnonzero(self._over).tolist():
                array = self._finals[game, : self._width]
                self._final[game] = State._from_array_unchecked(self.rules, array, self._games_before(game, array))
        return self._final

    def endings(self, games: Ints) -> tuple[Floats, Positions, npt.NDArray[np.str_]]:
        """How ``games``, int64[m], ended, which the last ``play`` ended; ``IllegalAction`` for others. Returns final
        scores, float32[m, 2], NaN in games that are not about seeds; last positions, int16[m, W]; and why, str[m]."""
        games = self._different(games)
        if len(going := games[self._over[games] == 0]):
            ended = f"the {np.count_nonzero(self._over)} games that it did end are those of its `done`"
            raise IllegalAction(f"{self.rules.name}: the last play did not end game {going[0]}; {ended}")
        scores = (self._finals[games, self._width : self._width + 2] / 2.0).astype(np.float32)
        if self.rules.goal is not Goal.SEEDS and self.rules.match is Match.NONE:
            scores[:] = np.nan
        return scores, self._finals[games, : self._width], _REASONS[self._over[games]]

    def _make_room(self) -> None:
        """Before games move: forget how others ended, and make room to log those of matches that may end."""
        self._final = None
        if (at := self.rules.fields.get("match")) is None:
            return
        lines = min(int(self._positions[:, at + layout.GAME].max()) + SPARE_LINES, self.rules.max_games)
        if (missing := lines - self._logs.shape[1]) > 0:
            self._logs = np.pad(self._logs, ((0, 0), (0, 2 * missing), (0, 0)))

    def _games_before(self, game: int, array: Positions) -> tuple[GameResult, ...]:
        """``State.games`` of an array, int16[W], that is or just was the position of ``game``."""
        lines = self._logs[game, : games_done(self.rules, array)].tolist()
        return tuple(game_result(self.rules, *line) for line in lines)

    def snapshot(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the positions from which ``restore`` continues, in a Batch with the same arguments."""
        parts = {"rows": self._positions, "masks": self._masks, "history": self._history, "logs": self._logs}
        return {**{name: part.copy() for name, part in parts.items()}, "turn": np.array(self._turn)}

    def restore(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from ``snapshot``. Raises ValueError, and changes nothing, if it does not fit. Only the hashes of
        earlier positions, which cannot be computed from a position, are taken as they are."""
        positions, masks, history, logs, turn = self._checked(snapshot)
        self.reset()
        self._positions, self._masks, self._history, self._logs = positions, masks, history, logs
        self._longest, self._turn = self._known(positions), turn
        self._make_room()

    def _checked(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> tuple[Any, ...]:
        positions, masks, history, logs, turn = self._like(snapshot, self.snapshot())
        checks.positions(self.rules, positions, "positions of the snapshot")
        checks.legal(self.rules, positions, masks)
        n = self.rules.board.pits
        since_capture = positions[:, n + layout.PLIES_SINCE_CAPTURE]
        wrong = {
            "turn": not 0 <= turn < 1 << 62,
            "plies since a capture": (since_capture > positions[:, n + layout.PLY]).any(),
            "history": history.shape[1] < max(2, self._known(positions) + 1),
            "logs": logs.shape[1] < max(games_done(self.rules, array) for array in positions)
            or not np.isin(logs[:, :, 2], (0, *layout.ENDS_OF_GAMES)).all(),
        }
        if bad := [what for what, is_bad in wrong.items() if is_bad]:
            raise ValueError(f"{self.rules.name}: the snapshot has impossible {bad[0]}; take it with snapshot()")
        return positions, masks, history, logs, int(turn)

    def _like(self, snapshot: Mapping[str, Any], mine: Mapping[str, npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
        """Copies of a snapshot's arrays named in ``mine``, of the same types and shapes, but for the length of logs."""
        found = []
        for name, old in mine.items():
            new: Any = snapshot.get(name) if isinstance(snapshot, Mapping) else snapshot
            shape = [*old.shape]
            if name in ("history", "logs") and checks.is_array(new) and new.ndim == old.ndim:
                shape[1] = new.shape[1]
            if not checks.is_array(new) or new.dtype != old.dtype or [*new.shape] != shape:
                raise ValueError(
                    f"{self.rules.name}: the snapshot is not one of {self.n} games: {name} must be "
                    f"{old.dtype}{[*old.shape]}, not {checks.described(new)}; take it with snapshot()"
                )
            found.append(np.array(new, order="C", subok=False))
        return found

    def _known(self, positions: Positions) -> int:
        """The most plies since a capture in any of these positions; 0 in games without repetition."""
        since_capture = positions[:, self.rules.board.pits + layout.PLIES_SINCE_CAPTURE]
        return int(since_capture.max()) if self.rules.repetition else 0

    def _share(self, work: Callable[[slice], Any], items: int | None = None, worth: int = 8192) -> list[Any]:
        """Run ``work`` on slices that make up 0..items (default: the games); returns the results, in any order. At
        least ``worth`` items for each thread that takes part; a thread that is done takes the next of many slices."""
        items = self.n if items is None else items
        threads = min(self._threads, items // worth)
        if threads <= 1:
            return [work(slice(0, items))]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads - 1)  # the calling thread does its share
        parts = min(8 * threads, 2 * items // worth)
        waiting = iter([slice(items * k // parts, items * (k + 1) // parts) for k in range(parts)])

        def run() -> list[Any]:
            return [work(part) for part in waiting]  # of a list, each part goes to one thread

        others = [self._pool.submit(run) for _ in range(threads - 1)]
        return [*run(), *(result for other in others for result in other.result())]
