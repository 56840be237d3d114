"""A learned evaluation of positions, small enough for millions a second, and its file (made by
``training.evaluation``).
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import array_file, zoo
from agents.search import learned
from mancala_env.kernels import layout
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.rules import Goal, Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state

MAX_BYTES = 64 << 20  # of a file
FILE_NAME = zoo.EVALUATION
_KIND = array_file.Kind("mancala_evaluation", "an evaluation", MAX_BYTES, "bring back the file, or train it anew")
# A pit with more seeds shares its level with others: exact counts up to 15, then wider and wider.
_STARTS = (*range(16), 17, 19, 22, 26, 32, 40, 52, 70)
HANDS = 2  # players with seeds in hand
SEEDS = 10.0  # what 1 is in the output of the layers, in games about seeds
MOST_SUM = 60_000  # of the magnitudes of the second layer, so that sums fit 32 bits
_njit = compiler(KERNELS, Path(__file__).parent, work=Work("learned evaluations", 10))

Weights = tuple[Any, Any, Any, Any, Any]


@_njit
def _expected(position, weights, axes, tables):  # type: ignore[no-untyped-def]
    return learned.expected(position, weights, axes, tables)


@_njit
def _write_all(positions, out, levels, numbers, axes, tables):  # type: ignore[no-untyped-def]
    for k in range(len(positions)):
        learned.write_rows(positions[k], levels, out[k], numbers, axes, tables)


def evaluation_file(path: str | os.PathLike[str]) -> Path | None:
    """The file of an evaluation, given as a run folder, the file itself, or ``zoo:NAME``; None if there is none."""
    if str(path).startswith("zoo:"):
        name = str(path).removeprefix("zoo:")
        return zoo.find_evaluation(name) if name in zoo.evaluations() else None
    path = Path(path)
    path = path / FILE_NAME if path.is_dir() else path
    return path if path.is_file() else None


def levels_of(rules: Ruleset) -> npt.NDArray[np.uint8]:
    """uint8[n]: the level of each number of seeds in a pit; the last one stands for all larger numbers."""
    most = min(rules.total_seeds, _STARTS[-1] + 1)
    return (np.searchsorted(_STARTS, np.arange(most + 1), side="right") - 1).astype(np.uint8)


def starts_of(rules: Ruleset) -> list[int]:
    """The least number of seeds of each level."""
    return [*_STARTS[: int(levels_of(rules)[-1]) + 1]]


def row_count(rules: Ruleset) -> tuple[int, int]:
    """The first row of marks, and the number of all rows of the first layer (``learned.write_rows``)."""
    axes, pits = rules.encoded.axes, rules.board.pits
    levels = int(levels_of(rules)[-1]) + 1
    marked = 1 + pits * levels
    return marked, marked + 2 * pits * bool(axes[layout.MARKS]) + HANDS * levels * bool(axes[layout.HANDS])


def _numbers(rules: Ruleset) -> npt.NDArray[np.int64]:
    numbers = np.zeros(learned.NUMBERS, dtype=np.int64)
    numbers[learned.LEVELS], numbers[learned.MARKED] = int(levels_of(rules)[-1]) + 1, row_count(rules)[0]
    return numbers


def most_rows(rules: Ruleset) -> int:
    """The most rows of the first layer that are added up for one position."""
    axes, pits = rules.encoded.axes, rules.board.pits
    return 1 + pits + pits * bool(axes[layout.MARKS]) + HANDS * bool(axes[layout.HANDS])


def rows_of(rules: Ruleset, positions: npt.NDArray[np.int16]) -> npt.NDArray[np.int32]:
    """int32[n, most_rows]: the rows to add up for positions int16[n, W], then ``row_count``."""
    out = np.full((len(positions), most_rows(rules)), row_count(rules)[1], dtype=np.int32)
    _write_all(positions, out, levels_of(rules), _numbers(rules), rules.one_game.axes, rules.one_game.tables)
    return out


def most_weight(rules: Ruleset) -> float:
    """The largest weight of the first layer by which the sums of a unit fit 16 bits."""
    return (np.iinfo(np.int16).max / most_rows(rules) - 1) / learned.ONE  # 1: more than rounding adds


def quantised(rules: Ruleset, first: npt.NDArray[Any], second: npt.NDArray[Any], constant: float) -> "Evaluation":
    """An evaluation in whole numbers. In these layers a unit is at most 1, and 1 in the output stands for ``SEEDS``
    seeds, or for a sure win; weights of the first beyond ``most_weight`` are cut."""
    most = most_weight(rules)
    second = second.astype(np.float64)
    scale = min(MOST_SUM / max(np.abs(second).sum(), 1e-9), np.iinfo(np.int16).max / max(np.abs(second).max(), 1e-9))
    one = SEEDS * 2 * learned.UNIT if rules.goal is Goal.SEEDS else float(learned.SURE)
    return Evaluation(
        rules,
        np.rint(first.clip(-most, most).astype(np.float64) * learned.ONE).astype(np.int16),
        np.rint(second * scale).astype(np.int16),
        round(one * 2**learned.SHIFT / (learned.ONE**2 * scale)),
        round(one * constant),
    )


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What the mover may expect: a sum over pits, one hidden layer, whole numbers only. Times ``factor / 2**24``, plus
    ``constant``, it is the margin on the board in 16ths of half a seed, or the chance to win minus that to lose, times
    10,000. ValueError if the arrays do not fit the rules, or sums could be too large for their numbers.
    """

    rules: Ruleset
    # int16[R, H], H a multiple of 32: row 0 is added always, the others for what is seen (``learned.write_rows``)
    first: npt.NDArray[np.int16]
    second: npt.NDArray[np.int16]  # int16[H]: the weight of each unit, clipped at ``learned.ONE`` and squared
    factor: int
    constant: int

    def __post_init__(self) -> None:
        rows, width = row_count(self.rules)[1], self.second.size
        if self.first.shape != (rows, width) or width % learned.LANES or self.first.dtype != np.int16:
            raise ValueError(
                f"the first layer of an evaluation of {self.rules.name} is int16[{rows}, a multiple of "
                f"{learned.LANES}], not {self.first.dtype}{list(self.first.shape)}"
            )
        if self.second.dtype != np.int16 or self.second.ndim != 1:
            raise ValueError(f"the second layer is int16[{width}], not {self.second.dtype}{list(self.second.shape)}")
        if int(np.abs(self.first.astype(np.int64)).max()) * most_rows(self.rules) > np.iinfo(np.int16).max:
            raise ValueError("sums of the first layer do not fit 16 bits: train with smaller weights")
        if np.abs(self.second.astype(np.int64)).sum() * learned.ONE**2 > np.iinfo(np.int32).max:
            raise ValueError("sums of the second layer do not fit 32 bits: train with smaller weights")
        if not (0 <= self.factor < 1 << 31 and abs(self.constant) < 1 << 31):
            raise ValueError("the factor or the constant of the evaluation is out of bounds")
        for array in (self.first, self.second):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Evaluation, (self.rules, self.first, self.second, self.factor, self.constant)  # read-only, as this is

    def of(self, rules: Ruleset) -> "Evaluation":
        """Itself, whatever is played: a search refuses another game than its own."""
        return self

    def weights(self) -> Weights:
        """The arguments of ``learned.expected``, with work space of their own: for one thread at a time."""
        numbers = _numbers(self.rules)
        numbers[learned.FACTOR], numbers[learned.CONSTANT] = self.factor, self.constant
        room = np.zeros(most_rows(self.rules), dtype=np.int32)
        return levels_of(self.rules), self.first, self.second, numbers, room

    @property
    def unit(self) -> int:
        """In how many parts half a seed is told in a search."""
        return learned.UNIT if self.rules.goal is Goal.SEEDS else 1

    def __call__(self, state: State) -> float:
        """What the mover expects, without looking ahead: the final margin in seeds, or the chance to win minus that to
        lose. ValueError if the game is over, or another one.
        """
        state = the_state(state)
        if state.rules != self.rules:
            raise ValueError(f"this evaluation is of {called(self.rules)}, not of {called(state.rules)}")
        if state.is_over:
            raise ValueError(f"there is nothing to expect: the game is over in {state}")
        value = int(_expected(state.array, self.weights(), self.rules.one_game.axes, self.rules.one_game.tables))
        if self.rules.goal is not Goal.SEEDS:
            return value / learned.SURE
        south, north = state.stores
        lead = south - north if state.player == 0 else north - south
        return lead + value / (2 * learned.UNIT)

    @property
    def digest(self) -> str:
        """A digest of all numbers, in hexadecimal."""
        made = hashlib.sha256(f"{self.factor} {self.constant} {self.first.shape}".encode())
        made.update(self.first.astype("<i2").tobytes())
        made.update(self.second.astype("<i2").tobytes())
        return made.hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the evaluation to one safetensors file, in one step. Raises OSError if that cannot be done."""
        arrays = {"first": self.first, "second": self.second}
        numbers = {"factor": self.factor, "constant": self.constant}
        array_file.save(path, _KIND, {**array_file.about(self.rules, self.digest), **numbers}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Evaluation":
        """The evaluation in a file, a run folder or of the zoo (``zoo:oware``). FileNotFoundError if there is none;
        ValueError if it is damaged, is no evaluation, or the rules have changed since.
        """
        if str(path).startswith("zoo:"):
            path = zoo.find_evaluation(str(path).removeprefix("zoo:"))
        found = evaluation_file(path)
        if found is None:
            raise FileNotFoundError(f"there is no evaluation {path}; it is a run folder, or its {FILE_NAME}")

        def made(header: dict[str, Any], arrays: dict[str, Any]) -> Evaluation:
            rules = array_file.game_of(header)
            if type(header["factor"]) is not int or type(header["constant"]) is not int:
                raise ValueError("its factor and its constant are no whole numbers")
            learnt = cls(rules, arrays["first"], arrays["second"], header["factor"], header["constant"])
            array_file.check_digest(learnt.digest, header)
            return learnt

        return array_file.load(found, _KIND, made)
