"""The games that tests run over, and games played at random."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

import mancala_env as mancala
from mancala_env import Ruleset, State
from mancala_env.kernels import layout
from mancala_env.kernels.ending import next_game
from mancala_env.notation import GameResult, game_result
from tests.kernels import from_python

# A test of a feature runs over these: every kind of board, sowing, goal, mark and match is among them.
CORE = (
    "oware", "awari", "oware_tutti_a_casa", "oware_liberta", "oware_territory", "oware_series_wins",
    "oware_series_difference", "kalah", "layli_goobalay", "layli_goobalay_match", "hus", "diffusion", "reaping",
)  # fmt: skip
END_GAME = from_python(next_game)
KINDS_OF_ENCODERS = ("counts", "onehot", "lookahead2")  # for slow tests; the others look more or fewer plies ahead


def random_game(rules: mancala.Ruleset, seed: int, games: int = 0) -> tuple[list[int], list[State]]:
    """Actions and positions of one random game, from the start to the end; of a match, of its first ``games``, or all.
    Matches are long: of Oware's territory, thousands of plies."""
    random = np.random.default_rng(seed)
    states, actions = [rules.start()], []
    while not states[-1].is_over and not 0 < games <= len(states[-1].games):
        actions.append(int(random.choice(states[-1].legal_actions)))
        states.append(states[-1].play(actions[-1]))
    return actions, states


def short(game: str) -> dict[str, int]:
    """Changes that make a match one of few games."""
    return {} if mancala.RULESETS[game].match == "none" else {"max_games": 2}


def last_game(rules: mancala.Ruleset, array: np.ndarray) -> GameResult | None:
    """The game of a match before the one in progress, as positions keep it; None if there was none."""
    first = rules.fields["match"] + layout.LAST
    kept = array[first : first + 3].tolist()
    return game_result(rules, *kept) if any(kept) else None


def after_game(state: State, scores: Sequence[float]) -> State:
    """The position that follows if the game in progress of a match ends with these scores, whole or half seeds."""
    rules, array = state.rules, state.array
    END_GAME(array, *(round(2 * score) for score in scores), rules.encoded.axes, rules.encoded.tables)
    return State.from_array(rules, array, (*state.games, last_game(rules, array)))


def resized(rules: mancala.Ruleset, columns: int) -> mancala.Ruleset:
    """The game on a board of other size: three seeds in each pit, or the start that the game has, made to fit."""
    if rules.board.kind == "one_row":
        return rules.changes(start=[k % 4 for k in range(columns + 1)])
    if rules.board.kind == "halves":
        columns += columns % 2
    if rules.setup is not None:
        return rules.changes(pits_per_row=columns, start=[2] * rules.board.resized(columns).pits)
    return rules.changes(pits_per_row=columns, seeds=3, **({"skip_origin": False} if columns == 1 else {}))


def placements(seeds: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """All ways to lay seeds in twelve pits, with each player to move."""
    for chosen in combinations_with_replacement(range(12), seeds):
        for player in (0, 1):
            yield tuple(chosen.count(pit) for pit in range(12)), player


def all_seeds(state: State) -> int:
    """Seeds of a position, wherever they are."""
    return sum(state.pits) + sum(state.stores) + state.removed + sum(state.reserve)


def mirrored(state: State, rules: Ruleset | None = None) -> State:
    """The position with the seats changed round, of ``rules`` if these are others then; its history starts there."""
    rules, half = rules or state.rules, len(state.pits) // 2
    one_row = rules.board.rows == 1

    def turned(pits: list[int]) -> list[int]:
        return pits[::-1] if one_row else pits[half:] + pits[:half]

    more: dict = {}
    if "owner" in rules.fields:
        more["owner"] = [1 - player for player in turned(state.owner.tolist())]
    if "marks" in rules.fields:
        more["marks"] = [player if player < 0 else 1 - player for player in turned(state.marks.tolist())]
    if "removed" in rules.fields:
        more["removed"] = state.removed
    if "direction" in rules.fields:
        more["direction"] = state.chosen_directions[::-1]
    if "memory" in rules.fields:
        more["memory"] = turned(state.memory.tolist())
    if "pending" in rules.fields:
        more["pending"] = state.pending
        if state.pending is not None and state.pending.kind != "pick":
            more["pending"] = state.pending._replace(number=(state.pending.number + half) % (2 * half))
    if "reserve" in rules.fields:
        more["reserve"] = state.reserve[::-1]
    if "stronghold" in rules.fields:
        more["stronghold"] = state.stronghold[::-1]
    if "debt" in rules.fields:
        more["debt"] = -state.debt
    if "threat" in rules.fields and state.threat is not None:
        more["threat"] = (state.threat + half) % (2 * half)
    if "closed" in rules.fields:
        more["closed"] = turned(state.closed.tolist())
    if "match" in rules.fields:
        more |= {"game": state.game, "first": 1 - state.first}
        more |= {"reserve": state.reserve[::-1]} if rules.match == "refill" else {"tally": state.tally[::-1]}
        if (last := last_game(rules, state.array)) is not None:
            everything = rules.total_seeds  # how a game that is not about seeds is kept: all to the winner
            kept = {None: (0, 0), 0: (everything, 0), 1: (0, everything)}[last.winner]
            more |= {"last": (last.scores or kept)[::-1], "last_over": last.termination}
    return rules.position(turned(list(state.pits)), state.stores[::-1], 1 - state.player, state.ply, **more)


def check_mirrored(state: State) -> State:
    """The position with the seats changed round, of a game that goes on; all moves must lead to the same, mirrored."""
    other = mirrored(state)
    fresh = mirrored(other)  # the same position, without history
    assert other.legal_actions == state.legal_actions
    for action in state.legal_actions:
        there, here = other.play(action), fresh.play(action)
        assert there.is_over == here.is_over
        if not there.is_over or there.rules.match == "none":  # no position tells of a finished match
            assert mirrored(there) == here
        assert there.scores == (None if here.scores is None else here.scores[::-1])
        assert there.returns == here.returns[::-1]
    return other


def kinds(infos: Mapping[str, Any]) -> dict[str, Any]:
    """Shape and dtype of everything that infos hold; fails where that is no array of numbers, or one with NaN."""
    found: dict[str, Any] = {}
    for key, value in infos.items():
        if isinstance(value, Mapping):
            found[key] = kinds(value)
            continue
        assert isinstance(value, np.ndarray), f"{key} is {value!r}"
        assert value.dtype.kind in "biuf", f"{key} is of {value.dtype}"
        assert not np.isnan(value).any(), f"{key} is {value!r}"
        found[key] = value.shape, value.dtype
    return found
