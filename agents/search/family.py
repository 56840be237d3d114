"""A learned evaluation for all games: a small network that reads rules, and writes for each ruleset the weights of an
``Evaluation`` of its own, by which the compiled search plays as fast as by any other (a hypernetwork: Ha, Dai and Le,
"HyperNetworks", 2016). Learnt by ``training.family_evaluation``.

The row of the first layer for ``seeds`` in a pit is told by where the pit lies, by how far these seeds go from there,
and by the rules; so what was learnt of a pit in one game is known of the pits like it in all others."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents import array_file, zoo
from agents.search.evaluation import HANDS, Evaluation, quantised, starts_of
from mancala_env.kernels import layout
from mancala_env.rules import Goal, Match, Ruleset

FILE_NAME = "family-evaluation.safetensors"
_KIND = array_file.Kind(
    "mancala_family_evaluation", "an evaluation of the family", 64 << 20, "bring back the file, or train it anew"
)
WIDTH, HIDDEN, OF_RULES = 64, 128, 64  # units of the evaluations, of the network, and numbers that tell of rules
TOP = 18  # places and numbers of rules from here on look the same
FAR = 8  # likewise seeds that end so far before or after a store, or the end of the row
_LEVELS = 24
_KINDS = ("pit", "mark", "their mark", "hand", "their hand")  # of rows
_PLACED = ("owner", "place", "their_place", "home", "their_home", "to_store", "their_to_store", "to_end", "row")
_FOUND = ("facing", "outer")  # of which is told whether there are such
_ENDS = ("to_store", "their_to_store", "to_end")  # of which is told whether the seeds of a pit end there
_LINES = ("field", "word", "low", "high", "at")
_FEATURES = (TOP + 1) * len(_PLACED) + len(_FOUND) + len(_KINDS) + _LEVELS + 2 + (2 * FAR + 1) * len(_ENDS)


@cache
def form() -> Any:
    """``mancala_env.family.format``, which walks all declarations when it is imported, so only when it is needed."""
    from mancala_env.family import format as found

    return found


@cache
def shapes() -> dict[str, tuple[int, ...]]:
    """Of the arrays of weights."""
    return {
        "field": (len(form().NAMES), OF_RULES), "word": (len(form().WORDS), OF_RULES),
        **dict.fromkeys(("low", "high", "at"), (TOP + 1, OF_RULES)),
        "line": (OF_RULES, OF_RULES), "rules": (OF_RULES, HIDDEN),
        "row": (_FEATURES, HIDDEN), "row_bias": (HIDDEN,), "inner": (HIDDEN, HIDDEN), "inner_bias": (HIDDEN,),
        "first": (HIDDEN, WIDTH), "first_bias": (WIDTH,), "always": (OF_RULES, WIDTH), "always_bias": (WIDTH,),
        "second": (WIDTH,), "second_of_rules": (OF_RULES, WIDTH), "constant": (OF_RULES,),
    }  # fmt: skip


def family_file(path: str | os.PathLike[str]) -> Path | None:
    """The file of an evaluation of the family, given as a run folder, the file itself, or ``zoo:family``; None if it
    is none."""
    folder = zoo.FOLDER / zoo.FAMILY if str(path) == f"zoo:{zoo.FAMILY}" else Path(path)
    file = folder if folder.name == FILE_NAME else folder / FILE_NAME
    return file if file.is_file() else None


class Seen(NamedTuple):
    """What the network reads of a ruleset."""

    rows: Any  # float32[R - 1, F]: of each row of the first layer (``learned.write_rows``) but the first
    lines: Any  # int64[L, 5]: ``_LINES`` of each line of the rules, none below 0


def see(rules: Ruleset) -> Seen:
    """What the network reads of a ruleset."""
    features, starts, axes = form().static_features(rules, form().needed([rules])), starts_of(rules), rules.encoded.axes
    board = dict(zip(form().BOARD, features.board[: rules.board.pits].T.astype(np.int64), strict=True))
    places = [np.eye(TOP + 1)[np.minimum(board[name], TOP)] for name in _PLACED]
    of_pits = np.concatenate([*places, *((board[name] > 0)[:, None] for name in _FOUND)], axis=1)
    ends = np.stack([board[name] for name in _ENDS], axis=1)

    def row(kind: int, pit: Any, level: int | None = None, far: Any = ()) -> Any:
        seeds = 0 if level is None else starts[level]
        counted = np.eye(_LEVELS)[level or 0] * (level is not None), [np.log1p(seeds), seeds / rules.total_seeds]
        near = np.zeros((len(_ENDS), 2 * FAR + 1))
        near[range(len(far)), [min(max(seeds - each, -FAR), FAR) + FAR for each in far]] = 1
        return np.concatenate([pit, np.eye(len(_KINDS))[kind], *counted, near.ravel()])

    levels, pits = range(len(starts)), range(rules.board.pits)
    rows = [row(0, of_pits[pit], level, ends[pit]) for pit in pits for level in levels]
    if axes[layout.MARKS]:
        rows += [row(kind, of_pits[pit]) for pit in pits for kind in (1, 2)]
    if axes[layout.HANDS]:
        rows += [row(3 + k, 0 * of_pits[0], level) for k in range(HANDS) for level in levels]
    columns = [form().RULES.index(name) for name in _LINES]
    lines = np.maximum(features.rules[features.rule_mask][:, columns].astype(np.int64), 0)
    lines[:, 2:] = np.minimum(lines[:, 2:], TOP)
    return Seen(np.array(rows, dtype=np.float32), lines)


def generate(weights: Mapping[str, Any], seen: Seen, pits: int) -> tuple[Any, Any, Any, Any]:
    """Row 0 of the first layer, its other rows, the second layer and the constant, of arrays or of tensors."""
    lines = sum(weights[name][seen.lines[:, k]] for k, name in enumerate(_LINES))
    rules = ((lines.clip(0, None) @ weights["line"]).sum(0) / 8).clip(-4, 4)
    inner = (seen.rows @ weights["row"] + rules @ weights["rules"] + weights["row_bias"]).clip(0, None)
    inner = (inner @ weights["inner"] + weights["inner_bias"]).clip(0, None)
    first = (inner @ weights["first"] + weights["first_bias"]) / pits**0.5
    second = weights["second"] + rules @ weights["second_of_rules"]
    return rules @ weights["always"] + weights["always_bias"], first, second, rules @ weights["constant"]


def plays(rules: Ruleset) -> bool:
    """Is it a game of two players about seeds, and no match, whose games are looked at alone?"""
    return rules.goal is Goal.SEEDS and rules.match is Match.NONE and rules.players == 2


class FamilyEvaluation:
    """Evaluations of all games that ``plays`` admits, by one network. ValueError for weights that do not fit
    ``shapes``."""

    rules = None  # it plays any

    def __init__(self, weights: Mapping[str, npt.NDArray[np.float32]]) -> None:
        if {name: array.shape for name, array in weights.items()} != shapes():
            raise ValueError("its weights are not those of an evaluation of the family")
        if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values()):
            raise ValueError("its weights are no finite numbers, float32")
        self.weights = {name: np.asarray(weights[name], dtype=np.float32) for name in shapes()}
        self._made: dict[Ruleset, Evaluation] = {}

    def of(self, rules: Ruleset) -> Evaluation | None:
        """The evaluation of a game; None where the margin is to be looked at."""
        if not plays(rules):
            return None
        if rules not in self._made:
            exact = {name: array.astype(np.float64) for name, array in self.weights.items()}  # alike on all machines
            always, first, second, constant = generate(exact, see(rules), rules.board.pits)
            self._made[rules] = quantised(rules, np.concatenate([always[None], first]), second, float(constant))
        return self._made[rules]

    @property
    def digest(self) -> str:
        """A digest of all weights, in hexadecimal."""
        return array_file.digest_of(self.weights)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to one file in one step."""
        said = {"version": form().VERSION, "names": form().NAMES, "words": form().WORDS}
        array_file.save(path, _KIND, {**said, "sha256": self.digest}, self.weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "FamilyEvaluation":
        """What ``save`` wrote; a field or word of the rules that it has not learnt tells it nothing. Raises ValueError
        if it is damaged, reads another format of games, or has learnt what rules do not say any more."""

        def made(header: dict[str, Any], arrays: dict[str, Any]) -> FamilyEvaluation:
            if header["version"] != form().VERSION:
                raise ValueError("it reads games as another version tells them")
            array_file.check_digest(array_file.digest_of(arrays), header)
            for key, said, known in (("field", "names", form().NAMES), ("word", "words", form().WORDS)):
                learnt = dict(zip(header[said], arrays[key], strict=True))
                if lost := [name for name in learnt if name not in known]:
                    raise ValueError(f"it has learnt {lost[0]!r}, and rules have no such word any more")
                arrays[key] = np.stack([learnt.get(name, np.zeros(OF_RULES, np.float32)) for name in known])
            return cls(arrays)

        return array_file.load(Path(path), _KIND, made)
