"""Throw wrong arrays at everything public that hands arrays on to kernels: ``python -m tests.doors --seed 1``.

Run as a process of its own, because what is tested for is that it survives. Each throw must end in a ValueError that
says something, or in an answer; where what was thrown cannot be right, in a ValueError. Prints one line of JSON: how
many throws each door got, and how many it refused. With ``--games`` plays random rulesets as well, which under
``NUMBA_BOUNDSCHECK=1`` shows every access out of bounds."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import mancala_env as mancala
from agents.batched import RandomAgent, play_batched
from agents.batched.kernel import Turns
from agents.mcts import MctsAgent
from agents.search.minimax import MinimaxAgent
from agents.search.searcher import Searcher
from mancala_env import State
from mancala_env.batch import Batch
from mancala_env.observation import make_encoder
from mancala_env.opponent_env import OpponentEnv
from mancala_env.single_agent import MancalaVectorEnv

GAMES = (
    "oware",
    "kalah",
    "hus",
    "reaping",
    "diffusion",
    "oware_territory",
    "oware_series_wins",
    "layli_goobalay_match",
)
N = 6
VALUES = (-30000, -129, -2, -1, 2, 3, 127, 128, 255, 256, 12000, 30000, 32767)

Change = tuple[str, Callable[[np.ndarray, np.random.Generator], Any], bool]  # its name; what; must it be refused?


def swapped(array: np.ndarray, _: Any) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder())


def strided(array: np.ndarray, _: Any) -> np.ndarray:
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]) if array.ndim else (), dtype=array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def unaligned(array: np.ndarray, _: Any) -> np.ndarray:
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    odd = raw[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    return odd


def read_only(array: np.ndarray, _: Any) -> np.ndarray:
    copy = array.copy()
    copy.setflags(write=False)
    return copy


def spoilt(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One number, or a column, replaced by one that is out of every range, or just not right."""
    copy = array.copy()
    if copy.dtype.kind in "iu":
        low, high = np.iinfo(copy.dtype).min, np.iinfo(copy.dtype).max
        value = int(np.clip(random.choice(VALUES), low, high))
    else:
        value = {"b": True, "f": np.nan}.get(copy.dtype.kind, 0)
    flat = copy.reshape(len(copy), -1) if copy.ndim and copy.size else copy
    if flat.ndim == 2 and random.random() < 0.5:
        flat[:, random.integers(flat.shape[1])] = value
    elif flat.size:
        flat[tuple(random.integers(size) for size in flat.shape)] = value
    return copy


def as_type(dtype: Any) -> Callable[[np.ndarray, Any], np.ndarray]:
    def change(array: np.ndarray, _: Any) -> np.ndarray:
        with np.errstate(all="ignore"):
            return array.astype(dtype)

    return change


ANYHOW: list[Change] = [
    ("strided", strided, False),
    ("unaligned", unaligned, False),
    ("read-only", read_only, False),
    ("Fortran", lambda array, _: np.asfortranarray(array), False),
    ("spoilt", spoilt, False),
    ("spoilt again", lambda array, random: spoilt(spoilt(array, random), random), False),
    ("swapped", swapped, False),
    ("masked", lambda array, _: np.ma.masked_array(array, mask=np.ones(array.shape)), True),
    ("None", lambda *_: None, False),
    ("text", lambda *_: "rows", True),
    ("number", lambda *_: 3, False),
    ("object", as_type(object), True),
    ("complex", as_type(complex), True),
    ("longer", lambda array, _: np.concatenate([array, array]), True),
    ("shorter", lambda array, _: array[:-1], True),
    ("flat", lambda array, _: array.reshape(-1)[: array.size - 1], True),
    ("deeper", lambda array, _: array[None], True),
]
NARROW: list[Change] = [("narrower", lambda array, _: array[..., :-1].copy(), True)]
WIDTHS: list[Change] = [(f"as {name}", as_type(name), True) for name in ("int8", "int32", "int64", "uint16", "float32")]
FLOATS: list[Change] = [(f"as {name}", as_type(name), True) for name in ("float16", "float64")]


class Thrower:
    """Calls doors with one argument changed, and looks at what comes of it."""

    def __init__(self, seed: int, each: int) -> None:
        self.random = np.random.default_rng(seed)
        self.each = each  # changes that a door gets for each argument
        self.thrown: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()

    def throw(
        self,
        door: str,
        call: Callable[..., Any],
        right: dict[str, Any],
        strict: dict[str, list[Change]] | None = None,
        *,
        lenient: bool = False,
        kind: type[Exception] | tuple[type[Exception], ...] = ValueError,
    ) -> None:
        """Call with every argument right, then with each of ``right`` changed; ``strict`` adds changes to refuse. A
        ``lenient`` door makes arrays of its own of whatever it gets; it must survive that, no more."""
        call(**{name: copied(value) for name, value in right.items()})
        for name, value in right.items():
            if not isinstance(value, np.ndarray):
                continue
            more = (strict or {}).get(name, [])
            changes = [*ANYHOW, *more]
            chosen = self.random.permutation(len(changes))[: self.each]
            for title, change, wrong in [changes[k] for k in chosen]:
                arguments = {other: copied(given) for other, given in right.items()}
                try:
                    arguments[name] = change(value, self.random)
                except (ValueError, IndexError):  # a single number cannot be longer
                    continue
                told = f"{door}({name}: {title})"
                print(told, file=sys.stderr, flush=True)  # the last line, if this is where it dies
                self.thrown[door] += 1
                try:
                    call(**arguments)
                except kind as error:
                    self.refused[door] += 1
                    check_words(told, str(error))
                else:
                    fewer = name == "games" and title in ("shorter", "flat")  # fewer games are games
                    assert lenient or fewer or not wrong, f"{told} was taken"


def check_words(told: str, words: str) -> None:
    assert len(words) > 20, f"{told} says no more than {words!r}"
    assert "numba" not in words.lower(), f"{told} ends in the words of Numba: {words}"


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def played(name: str, seed: int, **options: Any) -> Batch:
    """Some positions of a game."""
    batch = Batch(name, N, seed=seed, encoder="counts", **options)
    for _ in range(12):
        batch.play(batch.random_actions())
    return batch


def go_on(batch: Batch) -> None:
    for _ in range(40):
        batch.play(batch.random_actions())
        batch.observe()
    for game in range(batch.n):
        assert batch.state(game).legal_actions


def throw_all(thrower: Thrower, name: str, seed: int) -> None:
    """Throw at all doors, at positions of one game."""
    batch = played(name, seed)
    rules, rows = batch.rules, batch.positions
    other = played("hus" if name != "hus" else "kalah", seed)
    foreign: list[Change] = [("of another game", lambda *_: other.positions, True)]
    width = [*NARROW, *WIDTHS, *foreign]
    seats = batch.players
    for encoder in map(make_encoder, ("counts", "onehot", "lookahead2"), [rules] * 3):
        out = np.zeros((N, *encoder.shape), dtype=np.float32)
        rights = {"positions": rows, "seats": seats, "out": out}
        strict = {"positions": width, "seats": FLOATS, "out": [*NARROW, *FLOATS]}
        thrower.throw(f"encoder {encoder.name}", encoder, rights, strict)
    out = np.zeros((N, *batch.encoder.shape), dtype=np.float32)
    thrower.throw("Batch.observe", batch.observe, {"out": out, "seats": seats}, {"seats": FLOATS, "out": NARROW})
    actions, every = batch.random_actions(), np.arange(N)

    def twin() -> Batch:
        other = Batch(rules, N, encoder="counts")
        other.restore(batch.snapshot())
        return other

    thrower.throw(
        "Batch.play", lambda actions, games: twin().play(actions, games), {"actions": actions, "games": every}
    )
    thrower.throw(
        "Batch.check", batch.check, {"actions": actions, "games": every}, {"actions": FLOATS, "games": FLOATS}
    )
    thrower.throw("Batch.reset", lambda games: go_on(reset(twin(), games)), {"games": every})
    ended = twin()
    while not ended.play(ended.random_actions())[1].any():
        pass
    games = np.flatnonzero(ended.termination != "")
    thrower.throw("Batch.endings", ended.endings, {"games": games}, {"games": FLOATS})
    thrower.throw("State.from_array", lambda row: walk(State.from_array(rules, row)), {"row": rows[0]}, {"row": width})
    whole = batch.snapshot()

    def restored(**arrays: Any) -> None:
        other = Batch(rules, N, encoder="counts")
        before = other.positions
        try:
            other.restore(arrays)
        except ValueError:
            assert np.array_equal(other.positions, before)
            raise
        go_on(other)

    strict = {"rows": width, "masks": NARROW, "history": FLOATS, "logs": WIDTHS}
    thrower.throw("Batch.restore", restored, whole, strict)
    env = OpponentEnv(rules, N, encoder="counts", seed=seed)
    for _ in range(3):
        env.step(env.legal_mask.argmax(axis=1))
    whole = env.snapshot()

    def duel_restored(**arrays: Any) -> None:
        other = OpponentEnv(rules, N, encoder="counts", seed=seed)
        other.restore(arrays)
        for _ in range(10):
            other.step(other.legal_mask.argmax(axis=1))

    thrower.throw("OpponentEnv.restore", duel_restored, whole, {"rows": width, "last_seats": FLOATS})
    fresh = OpponentEnv(rules, N, encoder="counts", illegal="raise")

    def duel_stepped(actions: Any) -> None:
        OpponentEnv(rules, N, encoder="counts", illegal="raise").step(actions)

    thrower.throw("OpponentEnv.step", duel_stepped, {"actions": fresh.legal_mask.argmax(axis=1)}, {"actions": FLOATS})
    thrower.throw("OpponentEnv.observe", fresh.observe, {"out": out}, {"out": NARROW})
    thrower.throw("OpponentEnv.observe_opponents", fresh.observe_opponents, {"games": every}, {"games": FLOATS})
    vector = MancalaVectorEnv(N, rules, encoder="counts", illegal="raise")
    vector.reset(seed=seed)
    first = vector.action_masks().argmax(axis=1)
    thrower.throw("MancalaVectorEnv.step", lambda actions: stepped(rules, seed, actions), {"actions": first})

    history, streams = batch._history, np.arange(N, dtype=np.uint64)
    asked = {"games": every, "positions": rows, "masks": batch.legal_mask, "history": history, "streams": streams}
    strict = {"positions": WIDTHS, "masks": NARROW, "history": FLOATS, "streams": FLOATS, "games": FLOATS}
    for agent in (RandomAgent(), MinimaxAgent(depth=2)):

        def answer(agent: Any = agent, **arguments: Any) -> None:
            actions = agent.act_positions(rules, **arguments)
            assert ((actions >= 0) & (actions < rules.num_actions)).all()

        thrower.throw(f"{agent.name}.act_positions", answer, asked, strict)
    searcher = Searcher(rules)
    thrower.throw("Searcher.best_of_each", lambda **a: searcher.best_of_each(Turns(**a), 2), asked, strict)
    openings = [rules.start()] * 4
    both = {"souths": np.array([0, 1, 0, 1]), "seeds": np.arange(8).reshape(4, 2)}
    thrower.throw("play_batched", lambda **a: play_batched(rules, openings, (RandomAgent(),) * 2, **a), both)
    evaluations = {"priors": np.ones((1, rules.num_actions), np.float32), "values": np.zeros(1, np.float32)}
    state = rules.start()
    thrower.throw(
        "MctsAgent.evaluate",
        lambda priors, values: MctsAgent(3, evaluate=lambda *_: (priors, values), batch=1).search(state),
        evaluations,
        lenient=True,
        kind=(ValueError, TypeError),  # numbers that no array can be made of
    )


def reset(batch: Batch, games: Any) -> Batch:
    batch.reset(games)
    return batch


def stepped(rules: Any, seed: int, actions: Any) -> None:
    vector = MancalaVectorEnv(N, rules, encoder="counts", illegal="raise")
    vector.reset(seed=seed)
    vector.step(actions)


def walk(state: State) -> None:
    """Play on from a position."""
    for _ in range(30):
        if state.is_over:
            break
        state = state.play(state.legal_actions[-1])
    str(state)


def play_random_rulesets(count: int, seed: int) -> int:
    """Play rulesets from all corners of the options, with encoders, searches and trees; returns the plies."""
    plies = 0
    for number in range(count):
        batch = Batch(mancala.random_ruleset(seed * count + number), 8, seed=number, encoder="lookahead2")
        for _ in range(30):
            batch.play(batch.random_actions())
            batch.observe()
            plies += batch.n
        MinimaxAgent(depth=2).act(batch.state(0))
        MctsAgent(8).act(batch.state(0))
        twin = Batch(batch.rules, 8, encoder="counts")
        twin.restore(batch.snapshot())
        go_on(twin)
    return plies


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.doors", description="Throw wrong arrays at public calls.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=100, help="changes of each argument of a door (%(default)s: all)")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--names", nargs="+", default=GAMES, metavar="GAME")
    parser.add_argument("--games", type=int, default=0, help="random rulesets to play besides (%(default)s)")
    given = parser.parse_args()
    thrower = Thrower(given.seed, given.each)
    for k in range(given.rounds):
        for name in given.names:
            throw_all(thrower, name, given.seed + k)
    plies = play_random_rulesets(given.games, given.seed) if given.games else 0
    print(json.dumps({"thrown": thrower.thrown, "refused": thrower.refused, "plies": plies}))


if __name__ == "__main__":
    main()
