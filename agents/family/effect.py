"""Which rulesets are the same game, found by playing: names, options without effect and the direction do not count."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mancala_env.batch import Batch
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset

GAMES, PLIES = 64, 100  # random games of each ruleset, and the plies of each at most
_MIX = np.uint64(0x9E3779B97F4A7C15)
_DRAWS = np.random.default_rng(0)
_RANKS = _DRAWS.integers(1 << 32, size=(PLIES, GAMES))
_WEIGHTS = _DRAWS.integers(1 << 63, size=256, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@lru_cache(maxsize=4096)
def effect(rules: Ruleset) -> npt.NDArray[np.uint64]:
    """uint64[2, ``GAMES``]: what happened in random games whose moves are chosen by their rank among the legal ones,
    counted from the mover's left, and, in the second row, from the right in each row of the board: there a game finds
    its mirror image.

    Each number is a hash of a whole game: at every ply the number of legal moves, whether the first player moves, and
    the seeds in the mover's pits, in all others (both in order of size) and in the stores; in the end, who won.
    """
    return np.stack([_played(rules, mirrored) for mirrored in (False, True)])


def _played(rules: Ruleset, mirrored: bool) -> npt.NDArray[np.uint64]:
    batch, pits = Batch(rules, GAMES, encoder="counts"), rules.board.pits
    homes = [[*dict.fromkeys(home)] for home in rules.board.homes]
    others = [[pit for pit in range(pits) if pit not in home] for home in homes]
    hashes, games = np.zeros(GAMES, dtype=np.uint64), np.arange(GAMES)
    order, first = _order(rules, mirrored), int(batch.players[0])
    for ranks in _RANKS:
        movers, positions, masks = batch.players[games], batch.positions[games], batch.legal_mask[games]
        legal = masks.sum(axis=1)
        places = (masks[:, order].cumsum(axis=1) == (ranks[games] % legal + 1)[:, None]).argmax(axis=1)
        stores = positions[:, pits + layout.STORES : pits + layout.STORES + 2]
        for mover in (0, 1):
            here = np.flatnonzero(movers == mover)
            seen = [-np.sort(-positions[here[:, None], part], axis=1) for part in (homes[mover], others[mover])]
            facts = [legal[here, None], np.full((len(here), 1), mover == first), stores[here][:, [mover, 1 - mover]]]
            _add(hashes, games[here], np.hstack([*facts, *seen]))
        rewards, done = batch.play(order[places], games)
        ended = games[done[games]]
        _add(hashes, ended, 2 + rewards[ended][:, [first, 1 - first]])
        games = games[~done[games]]
        if not len(games):
            break
    return hashes


def _order(rules: Ruleset, mirrored: bool) -> npt.NDArray[np.int64]:
    """int64[A]: the actions in the order of their ranks. In the mirror the columns of each row run the other way, and
    so do the directions of a pit."""
    actions = np.arange(rules.num_actions)
    pits, columns = len(rules.board.homes[0]), rules.board.columns
    if mirrored and pits % columns == 0:
        moves = actions[: len(actions) // pits * pits]
        moves[:] = moves.reshape(-1, pits // columns, columns)[::-1, :, ::-1].ravel()
    return actions


def _add(hashes: npt.NDArray[np.uint64], games: npt.NDArray[np.int64], facts: npt.NDArray[np.generic]) -> None:
    """Go on with the hashes of some games by these facts, numbers [m, k]."""
    said = (facts.astype(np.uint64) * _WEIGHTS[: facts.shape[1]]).sum(axis=1, dtype=np.uint64)
    mixed = (hashes[games] ^ said) * _MIX
    hashes[games] = mixed ^ (mixed >> np.uint64(29))
