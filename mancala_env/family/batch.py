"""n games of different rulesets stepped in one call."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.batch import Games, state_of
from mancala_env.checks import Flags, Floats, Ints, Positions, Seats
from mancala_env.family import format as form
from mancala_env.family import kernels as mixed
from mancala_env.family.format import SIZES, Sizes, StaticFeatures, static_features
from mancala_env.games import ruleset as named
from mancala_env.kernels import batch as kernels
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.state import State

STEPS_A_BUILD = 128  # after so many steps, games that have been played much get builds of their own

Seen = dict[str, npt.NDArray[Any]]
"""What is seen of n positions: "seeds", "pits", "counters", and "game", or what ``StaticFeatures`` holds of each."""


class Eyes:
    """Encodes positions of some rulesets in one format; ``static`` is all that never changes, stacked: [G, ...]."""

    def __init__(self, rulesets: Sequence[Ruleset], sizes: Sizes = SIZES) -> None:
        self.rulesets, self.sizes = tuple(rulesets), Sizes(*sizes)
        each = [static_features(rules, self.sizes) for rules in self.rulesets]
        self.static = StaticFeatures(*(np.stack(arrays) for arrays in zip(*each, strict=True)))
        sizes_of = [(rules.fields["width"], rules.num_actions, rules.board.pits) for rules in self.rulesets]
        self._sizes = np.array(sizes_of, dtype=np.int64)
        self._views = np.zeros((2 * len(self.rulesets), self.sizes.pits), dtype=np.int64)
        self._owners = np.zeros((*self._views.shape, len(form.PITS)), dtype=np.uint8)
        for k, rules in enumerate(self.rulesets):
            self._views[2 * k : 2 * k + 2, : rules.board.pits] = form.view(rules)
            self._owners[2 * k : 2 * k + 2, : rules.board.pits, mixed.OWNERS] = form.owners(rules)
        begins = [[rules.fields.get(name, 0) for name in form.FIELDS_OF_PITS] for rules in self.rulesets]
        self._parts = np.insert(np.array(begins, dtype=np.int64), mixed.NUMBER, self._sizes[:, mixed.PITS], axis=1)
        counters = np.concatenate([form.counters(rules) for rules in self.rulesets])
        self._always, changes = counters[..., 2].astype(np.int16), counters[..., 1] != 0
        which = np.argsort(~changes, axis=1, kind="stable")[:, : changes.sum(axis=1).max(), None]
        self._changing = np.concatenate([which, np.take_along_axis(counters, which, axis=1)[..., :2]], axis=2)

    def see(self, positions: Positions, seats: Seats, games: Ints, order: Ints | None = None) -> Seen:
        """What ``seats``, int8[n], see of ``positions``, int16[n, W], of the rulesets ``games``, int64[n]: "seeds",
        int16[n, P], "pits", uint8[n, P, 6], "counters", int16[n, K], and "game". Nothing is checked. ``order``,
        int64[n]: that of the games, which is faster than any other."""
        order = np.arange(len(games)) if order is None else order
        seeds = np.zeros((len(games), self.sizes.pits), dtype=np.int16)
        seen_by = 2 * games + seats
        pits, counters = (array.take(seen_by, axis=0) for array in (self._owners, self._always))
        about = self._views, self._parts, self._changing
        mixed.write_seen(order, positions, seats, seen_by, *about, seeds, pits, counters)
        return {"seeds": seeds, "pits": pits, "counters": counters, "game": games.copy()}

    def whole(self, seen: Seen) -> Seen:
        """The same with what never changes in place of "game": for each position a copy of that of its ruleset."""
        games = seen["game"]
        changing = {key: array for key, array in seen.items() if key != "game"}
        return changing | {key: array[games] for key, array in self.static._asdict().items()}

    def see_one(self, state: State, seat: int) -> Seen:
        """``observe`` of a position of the first ruleset."""
        seats, games = np.array([seat], dtype=np.int8), np.zeros(1, dtype=np.int64)
        seen = {key: array[0] for key, array in self.whole(self.see(state.array[None], seats, games)).items()}
        mask = np.zeros(self.sizes.actions, dtype=np.int8)
        if state.player == seat:
            mask[: state.rules.num_actions] = state.legal_mask
        return seen | {"action_mask": mask}


def observe(state: State, seat: int | None = None, sizes: Sizes = SIZES) -> Seen:
    """One position as its mover, or ``seat``, sees it: all keys, and "action_mask", int8[A], 0 if it is not to move."""
    return Eyes([state.rules], sizes).see_one(state, state.player if seat is None else seat)


class FamilyBatch(Eyes, Games):
    """``n`` games in all, of some rulesets; a slot whose game ends begins the next one in the same step.

    Slot i begins with ruleset i modulo their number, and plays it again and again, unless there are ``weights``: then
    each new game is drawn, each ruleset with a probability that is proportional to its weight. They can be changed at
    any time, for the games that begin from then on; of short games more are begun, so shares of plies differ.
    Arrays that a call returns are new, and do not change later. All else is as in ``Batch``, but that states of
    matches do not list the games before.

    Parameters
    ----------
    rulesets : Rulesets, or names of some
    n : number of slots
    seed : of the games drawn, and of ``random_actions``
    sizes : of the arrays: P pits, A actions, R lines of rules; ``family.needed(rulesets)`` are the least
    weights : float[G], or None

    Examples
    --------
    >>> from mancala_env import family
    >>> batch = family.FamilyBatch(["oware", "kalah"], 4)
    >>> rewards, done = batch.play([0, 0, 2, 2])
    >>> batch.game_of.tolist(), batch.players.tolist(), batch.observe()["seeds"].shape
    ([0, 1, 0, 1], [1, 1, 1, 0], (4, 80))
    """

    def __init__(
        self, rulesets: Sequence[Ruleset | str], n: int, *, seed: int = 0, sizes: Sizes = SIZES, weights: Any = None
    ) -> None:
        if not checks.is_whole(n) or n < 1:
            raise ValueError(f"a batch has at least one game, not {n!r}")
        if isinstance(rulesets, str | Ruleset) or not len(rulesets):
            raise ValueError("rulesets must be a list of some, or of their names")
        super().__init__([named(rules) for rules in rulesets], sizes)
        self.n, self._seed, self._called = int(n), checks.seed(seed), "a batch that mixes games"
        self.weights = weights
        starts = [rules.start() for rules in self.rulesets]
        self._first_positions = np.zeros((len(starts), int(self._sizes[:, mixed.WIDTH].max())), dtype=np.int16)
        self._first_masks = np.zeros((len(starts), self.sizes.actions), dtype=np.bool_)
        self._first_hashes = np.zeros(len(starts), dtype=np.uint64)
        for k, (rules, start) in enumerate(zip(self.rulesets, starts, strict=True)):
            if start.is_over:
                raise ValueError(f"{rules.name} ends before its first move; leave it out")
            self._first_positions[k, : rules.fields["width"]] = start.array
            self._first_masks[k, : rules.num_actions] = start.legal_mask
            self._first_hashes[k] = start.history[0] if rules.repetition else 0
        self._all = np.arange(self.n, dtype=np.int64)
        self._bound: Any = None
        self.reset()

    @property
    def weights(self) -> npt.NDArray[np.float64] | None:
        """float64[G]: how likely each ruleset is to be played next in a slot; None: that of the slot."""
        return self._weights

    @weights.setter
    def weights(self, weights: Any) -> None:
        if weights is not None:
            weights = np.array(weights, dtype=np.float64)
            fits = weights.shape == (len(self.rulesets),) and np.isfinite(weights).all()
            if not fits or min(weights) < 0 or not weights.any():
                raise ValueError(f"weights must be {len(self.rulesets)} numbers from 0, and not all 0; or None")
        self._weights = weights

    def reset(self, slots: Ints | None = None, seed: int | None = None) -> None:
        """Start all games anew, and the random numbers too, from any ``seed``; or only ``slots``, int64[m]."""
        if slots is None:
            self._seed = self._seed if seed is None else checks.seed(seed)
            slots = self._all
            self.random = np.random.default_rng(self._seed)
            self.game_of = self._all % len(self.rulesets)  # int64[n]: which of ``rulesets`` each slot plays
            self._positions = np.zeros((self.n, self._first_positions.shape[1]), dtype=np.int16)
            self._masks = np.zeros((self.n, self.sizes.actions), dtype=np.bool_)
            self._history = np.zeros((self.n, 40), dtype=np.uint64)
            self._longest = self._steps = 0
            self._over = np.zeros(self.n, dtype=np.int8)
            self._ended = self._all[:0], self._positions[:0], self._all[:0]
        self._begin(self._different(slots))

    def _begin(self, slots: Ints) -> None:
        if self._weights is not None:
            chances = self._weights / self._weights.sum()
            self.game_of[slots] = self.random.choice(len(chances), size=len(slots), p=chances)
        if self._weights is not None or len(slots) == self.n:
            self._order = np.argsort(self.game_of, kind="stable")
        games = self.game_of[slots]
        self._positions[slots], self._masks[slots] = self._first_positions[games], self._first_masks[games]
        self._history[slots, 0] = self._first_hashes[games]

    @property
    def players(self) -> Seats:
        """int8[n]: the mover of each game."""
        return self._positions[self._all, self._sizes[self.game_of, mixed.PITS] + layout.MOVER].astype(np.int8)

    def positions(self, slots: Ints) -> Positions:
        """int16[m, W]: the positions in slots, int64[m], of one ruleset (``kernels.layout``), a copy."""
        return self._positions[slots, : self._sizes[self.game_of[slots[0]], mixed.WIDTH]]

    def observe(self, seats: Seats | None = None) -> Seen:
        """Each game as its mover sees it, or ``seats``, int8[n]: "seeds", int16[n, P], "pits", uint8[n, P, 6],
        "counters", int16[n, K], and "game", int64[n], which line of ``static`` holds the rest (``whole`` adds it)."""
        seats = self.players if seats is None else checks.numbers(seats, "seats", 0, 1, self.n, np.int8)
        return self.see(self._positions, seats, self.game_of, self._order)

    def play(self, actions: Any, slots: Ints | None = None) -> tuple[Floats, Flags]:
        """Play one action, of ints[n], in every slot, or of ints[m] in ``slots``, int64[m]. Returns ``rewards``,
        float32[n, 2], of South and North where a game ended, else 0, and ``done``, bool[n]; ``final`` and
        ``termination`` tell how. Raises ``IllegalAction`` for what cannot be played; no game has moved then."""
        chosen, slots = self.check(actions, slots)
        if self._longest + 2 > self._history.shape[1]:
            self._history = np.pad(self._history, ((0, 0), (0, self._history.shape[1])))
        if self._bound is None or self._steps % STEPS_A_BUILD == 0:
            self._bind()
        self._steps += 1
        rewards = np.zeros((self.n, 2), dtype=np.float32)
        self._over = over = np.zeros(self.n, dtype=np.int8)
        if slots is self._all:  # in the order of games: a processor guesses the next step of a game it has just played
            slots, chosen = self._order, chosen[self._order]
        longest = mixed.play_mixed(
            slots, chosen, self.game_of, self._bound, self._sizes, self._positions, self._masks, self._history,
            rewards, over,
        )  # fmt: skip
        self._longest = longest if slots is self._order else max(longest, self._longest)
        ended = np.flatnonzero(over)
        self._ended = ended, self._positions[ended], self.game_of[ended]
        if len(ended):
            self._begin(ended)
        return rewards, over != 0

    def _bind(self) -> None:
        """Take the builds that play each ruleset, the games of the next steps counted."""
        plies = np.bincount(self.game_of, minlength=len(self.rulesets)) * STEPS_A_BUILD
        bound = [rules.encoded.to_play(int(more)) for rules, more in zip(self.rulesets, plies, strict=True)]
        self._bound = np.stack(bound) if checks.is_array(bound[0]) else bound  # else kernels are plain Python

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bound": None}  # addresses, which another process does not know

    def snapshot(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the games from which ``restore`` continues, in a batch with the same arguments; save the generator
        ``random``, and ``weights`` if there are any, with them."""
        kept: Seen = {"game_of": self.game_of, "rows": self._positions, "masks": self._masks, "history": self._history}
        return {name: array.copy() for name, array in kept.items()}

    def restore(self, snapshot: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from ``snapshot``. Raises ValueError, KeyError or IndexError, and changes nothing, if it does not
        fit; hashes of earlier positions are taken as they are."""
        games, rows, masks, history = (np.array(snapshot[name]) for name in ("game_of", "rows", "masks", "history"))
        mine = self.game_of, self._positions, self._masks, self._history[:, :0]
        new = games, rows, masks, history[:, :0]
        if [(each.shape, each.dtype) for each in new] != [(each.shape, each.dtype) for each in mine]:
            raise ValueError("the snapshot is of other games")
        repeats = np.array([rules.repetition > 0 for rules in self.rulesets])[games]
        known = (repeats * rows[self._all, self._sizes[games, mixed.PITS] + layout.PLIES_SINCE_CAPTURE]).max()
        if games.min() < 0 or known + 1 >= history.shape[1]:
            raise ValueError("the snapshot has impossible games or histories")
        for game in np.unique(games):
            rules, its = self.rulesets[game], games == game
            positions = np.ascontiguousarray(rows[its, : rules.fields["width"]])
            checks.positions(rules, positions, "positions of the snapshot")
            checks.legal(rules, positions, np.ascontiguousarray(masks[its, : rules.num_actions]))
        masks &= np.arange(masks.shape[1]) < self._sizes[games, mixed.ACTIONS, None]
        self.game_of, self._positions, self._masks, self._history = games, rows, masks, history
        self._order, self._longest = np.argsort(games, kind="stable"), int(known)

    def random_actions(self) -> Ints:
        """int64[n]: a uniformly random legal action of each game, new ones with every call."""
        out = np.empty(self.n, dtype=np.int64)
        kernels.random_actions(self._masks, self.random.integers(1 << 62), 0, 0, out)
        return out

    def state(self, slot: int) -> State:
        """The position of one slot, history included. Raises IndexError if there is no such slot."""
        if not checks.is_whole(slot) or not 0 <= slot < self.n:
            raise IndexError(f"slots are numbered from 0 to {self.n - 1}; there is no slot {slot!r}")
        rules = self.rulesets[self.game_of[slot]]
        position = self._positions[slot, : rules.fields["width"]]
        return state_of(rules, position, self._masks[slot, : rules.num_actions], self._history[slot])

    @property
    def final(self) -> Mapping[int, State]:
        """The last positions of the games that ended in the last ``play``: slot -> finished State."""
        found = {}
        for slot, position, game in zip(*self._ended, strict=True):
            rules = self.rulesets[game]
            found[int(slot)] = State._from_array_unchecked(rules, position[: rules.fields["width"]])
        return found

    def see_final(self, seats: Seats) -> tuple[Ints, npt.NDArray[np.int8], Seen]:
        """The slots whose games the last ``play`` ended, int64[m]; why, int8[m]; what ``seats``, int8[n], see there."""
        slots, positions, games = self._ended
        return slots, self._over[slots], self.see(positions, np.ascontiguousarray(seats[slots]), games)
