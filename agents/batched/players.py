"""What agents that play in batches share: checks of what they are asked, as kernels check nothing, and the seeding of
their random numbers; and the agents that play at random, or by what an encoder shows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched import kernel
from agents.batched.kernel import Turns
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.kernels.lookahead import BINS, MOST
from mancala_env.observation import ENCODERS, Encoder, make_encoder
from mancala_env.rules import Ruleset
from mancala_env.state import State, the_state

MOST_PLIES = sum(name.startswith("lookahead") for name in ENCODERS)


def running(state: State, who: str) -> State:
    """A state in which ``who`` is to move. Raises ValueError if the game is over."""
    if the_state(state).is_over:
        raise ValueError(f"{who} cannot move: the game is over in {state}")
    return state


def checked(rules: Ruleset, turns: Turns) -> Turns:
    """The arguments of ``act_positions`` as kernels take them. ValueError if one does not fit the game or the rest."""
    turns = checked_masks(rules, turns)
    asked = checks.positions(rules, turns.positions[turns.games])
    checks.legal(rules, asked, turns.masks[turns.games])
    known = int(asked[:, rules.board.pits + layout.PLIES_SINCE_CAPTURE].max(initial=0)) + 1 if rules.repetition else 0
    if turns.history.shape[1] < known:
        has = turns.history.shape[1]
        raise ValueError(f"{rules.name}: history holds {has} hashes of a game, and these have had {known}")
    return turns._replace(positions=checks.readable(turns.positions), history=checks.readable(turns.history))


def seats_of(rules: Ruleset, turns: Turns) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """The position and the mover of each of ``games``."""
    asked = turns.positions[turns.games]
    return asked, asked[:, rules.board.pits + layout.MOVER].astype(np.int8)


def checked_masks(rules: Ruleset, turns: Turns) -> Turns:
    """``checked`` for agents that use only masks. What lies in positions and history is not read."""
    games, positions, masks, history, streams = turns
    width = rules.fields["width"]
    fits = checks.is_array(positions) and positions.dtype == np.int16 and positions.ndim == 2
    if not fits or positions.shape[1] != width:
        raise ValueError(f"{rules.name}: positions must be int16[n, {width}], not {checks.described(positions)}")
    like = checks.is_array(history) and history.dtype == np.uint64 and history.ndim == 2
    if not like or len(history) != len(positions):
        raise ValueError(f"{rules.name}: history must be uint64[{len(positions)}, H], not {checks.described(history)}")
    masks = checks.legal_masks(rules, masks, len(positions))
    games = checks.numbers(games, f"{rules.name}: games", 0, len(positions) - 1)
    checks.buffer(streams, games.shape, (np.dtype(np.uint64),), "streams")
    if not streams.flags.carray:
        raise ValueError(f"{rules.name}: streams must be contiguous and writable; give streams.copy()")
    if not masks[games].any(axis=1).all():
        raise ValueError(f"{rules.name}: some of these games have no legal action; give only running games")
    return Turns(games, positions, masks, history, streams)


def streams_of(seeds: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """The start of players' random numbers: uint64, of the shape of ``seeds``, by the finisher of SplitMix64, a
    bijection. ValueError unless seeds are whole numbers from 0 to 2**64 - 1.
    """
    given = np.asarray(seeds)
    if given.dtype.kind not in "iu" or (given < 0).any() or isinstance(seeds, np.ma.MaskedArray):
        raise ValueError(f"seeds must be whole numbers from 0 to 2**64 - 1, not {seeds!r}")
    x = given.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def spec(kind: str, **settings: Any) -> str:
    """The text of which ``make_agent`` makes an agent; settings that are None are left out."""
    said = {name: str(value).lower() if isinstance(value, bool) else value for name, value in settings.items()}
    return f"{kind}:" + ",".join(f"{name}={value}" for name, value in said.items() if value is not None)


class Player(ABC):
    """An agent that also plays in batches, and draws among actions that are equally good for it."""

    name: str
    reads_positions = False  # does it, alone, and so has to have them checked? A search checks them itself

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, 0 to 2**64 - 1."""
        self._stream = streams_of([seed])

    def act(self, state: State) -> int:
        """A legal action: what it plays in a batch of this game alone. Raises ValueError if the game is over."""
        one = running(state, self.name)
        game, position, mask = np.zeros(1, dtype=np.int64), one.array[None], one.legal_mask[None]
        return int(self._act_in(one.rules, Turns(game, position, mask, one.history[None], self._stream))[0])

    def draw(self, actions: Sequence[int]) -> int:
        """One of these actions, at random."""
        best = np.zeros((1, max(actions) + 1), dtype=np.bool_)
        best[0, list(actions)] = True
        return int(drawn(best, self._stream)[0])

    def act_positions(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: an action in each of ``games``, as ``act`` chooses it; see ``agents.batched.BatchedAgent``."""
        turns = checked_masks(rules, Turns(games, positions, masks, history, streams))
        if self.reads_positions:
            checks.positions(rules, turns.positions[turns.games])
        return self._act_in(rules, turns)

    @abstractmethod
    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        """``act_positions``, of arguments that have been checked."""


def drawn(best: npt.NDArray[np.bool_], streams: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """int64[m]: one of the actions in each line of ``best``, bool[m, A], at random; ``streams``, uint64[m], advance."""
    out = np.empty(len(best), dtype=np.int64)
    kernel.random_actions(best, streams, out)
    return out


class RandomAgent(Player):
    """Plays every legal action with the same probability."""

    def __init__(self, seed: int = 0, name: str | None = None) -> None:
        self.name = name or "random"
        self.reset(seed)

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        return drawn(turns.masks[turns.games], turns.streams)


class LookaheadAgent(Player):
    """Plays, untrained, the action that the encoder ``lookahead1``, ``lookahead2`` and so on shows to be worth most:
    the last value of its block, after all the ``plies``, 1 to 6, in seeds of margin as far as the encoder tells them
    apart. Among equals the choice is uniform. ValueError if there is no such encoder.
    """

    reads_positions = True

    def __init__(self, plies: int = 4, seed: int = 0, name: str | None = None) -> None:
        if not isinstance(plies, int) or isinstance(plies, bool) or not 1 <= plies <= MOST_PLIES:
            raise ValueError(f"plies must be a whole number from 1 to {MOST_PLIES}, not {plies!r}")
        self.plies = plies
        self.name = name or f"lookahead:plies={plies}"
        self._encoder: Encoder | None = None
        self.reset(seed)

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        worth = np.where(turns.masks[turns.games], self.worths(rules, *seats_of(rules, turns)), -BINS)
        return drawn(worth == worth.max(axis=1, keepdims=True), turns.streams)

    def worths(
        self, rules: Ruleset, positions: npt.NDArray[np.int16], seats: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int64]:
        """int64[m, A]: what each legal action is worth to the mover, in seeds of margin more than now, from -11 to 11;
        of illegal ones any number."""
        encoder = self._encoder
        if encoder is None or (encoder.rules is not rules and encoder.rules != rules):
            encoder = self._encoder = make_encoder(f"lookahead{self.plies}", rules)
        assert encoder.blocks is not None
        first, actions, size = encoder.blocks
        seen = encoder(positions, seats)[:, first : first + actions * size].reshape(-1, actions, size)
        return np.asarray(seen[:, :, -BINS:].argmax(axis=2) - MOST)
