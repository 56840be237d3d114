"""Make the file of the benchmark: measure every game of the table, draw games at random from those to learn from, and
share all of them out. The same version of the package makes the same file on any machine."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.evaluation import evaluate
from agents.evaluation.regret.measure import fixed_positions
from agents.executors import make_executor
from agents.family.score import ON_BOARD, OPPONENTS, POSITIONS, oracle_of
from agents.family.splits import SIZES
from agents.play.lobby import family_of
from agents.provenance import rules_digest
from mancala_env.batch import Batch
from mancala_env.games import RULESETS, ruleset
from mancala_env.games.mechanisms import mechanisms
from mancala_env.kernels import layout
from mancala_env.progress import at_work
from mancala_env.random_play import random_play
from mancala_env.random_rules import random_ruleset
from mancala_env.rules import Match, Ruleset
from mancala_env.rules.plain import as_plain

# No game to learn from has one of these.
HELD_OUT = {"turns-round", "memory", "passing-capture", "raid", "over-gaps", "picks", "neighbours", "reaping"}
RANDOM, MIDDLE, BEST = OPPONENTS
PAIRS = 100  # by which the two ends of the scale are measured, and the balance of games drawn at random
SEED, ANCHOR_SEED = 0, 1_000_003  # of the parts; of the ends of the scale, not that of anybody's evaluation
LONGEST = 300  # plies on average, between random players
LEAST = 0.2  # between these ends: in a game with less it does not pay to look ahead
NEAR = 0.1  # share of random games that go alike, from which on two games are on the same side
SEEDS = range(400)  # of games drawn at random, of which about every fifth is good enough
SHARE_KNOWN, SHARE_GENERATED = 0.2, 0.3  # of the games with known mechanisms and of those drawn: to be measured on
# Of games drawn at random.
PLIES = 200  # that end each
CUT_OFF = 0.05  # of games between players of two plies that may end so
SEAT = 0.6  # the most that either seat may score there
CHOICES, SHORTEST = 2.0, 8  # legal moves at least and plies, on average, in random games
# Of the games by which rulesets are found to be the same, whatever their names and options.
ALIKE_GAMES, ALIKE_PLIES = 64, 100  # random games of each ruleset, and the plies of each at most
_MIX = np.uint64(0x9E3779B97F4A7C15)
_DRAWS = np.random.default_rng(0)
_RANKS = _DRAWS.integers(1 << 32, size=(ALIKE_PLIES, ALIKE_GAMES))
_WEIGHTS = _DRAWS.integers(1 << 63, size=256, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def measured(rules: Ruleset, _: Any = None) -> dict[str, Any] | None:
    """What the file says of a game; None if it does not pay to look ahead in it, or random players hardly end it."""
    if random_play(rules, 64).plies_mean > LONGEST:
        return None
    settings: dict[str, Any] = {"pairs": PAIRS, "seed": ANCHOR_SEED, "threads": 1}
    best = {each.opponent: each.score for each in evaluate(BEST, (RANDOM, MIDDLE), rules, **settings)}
    middle = evaluate(MIDDLE, RANDOM, rules, **settings)[0].score
    worst = (0.5 + (1 - middle) + (1 - best[RANDOM])) / 3
    top = (best[RANDOM] + best[MIDDLE] + 0.5) / 3
    if top - worst < LEAST:
        return None
    found = {"rules": rules.name if rules.name in RULESETS else as_plain(rules), "digest": rules_digest(rules)}
    return {**found, "random": round(worst, 4), "depth4": round(top, 4), "exact": _has_values(rules)}


def _has_values(rules: Ruleset) -> bool:
    """Do random games often come to positions with few seeds, and are their exact values found quickly?"""
    batch, seen = Batch(rules, 64, encoder="counts"), np.zeros(64, dtype=np.bool_)
    for _ in range(PLIES):
        few = batch.positions[:, : rules.board.pits].sum(axis=1) <= ON_BOARD
        seen |= few & (batch.legal_mask.sum(axis=1) > 1)
        batch.play(batch.random_actions())
    try:
        values = oracle_of(rules).move_values
        return bool(seen.mean() > 0.9) and all(map(values, fixed_positions(rules, POSITIONS, ON_BOARD)))
    except ValueError:
        return False


def drawn(seed: int, games: Sequence[Ruleset]) -> dict[str, Any] | None:
    """What the file says of a game drawn at random from these games; None if it is none worth playing."""
    try:
        rules = random_ruleset(seed, accept=_is_lively, games=games).changes(max_plies=PLIES)
        alike = evaluate(MIDDLE, MIDDLE, rules, pairs=PAIRS, seed=ANCHOR_SEED, threads=1)[0]
    except ValueError:  # none passes, or no game of it lasts as long as an opening
        return None
    cut_off = alike.terminations.get("max_plies", 0) / (2 * PAIRS)
    if max(alike.score_south, alike.score_north, 1 - alike.score_south) > SEAT or cut_off > CUT_OFF:
        return None
    return measured(rules)


def _is_lively(rules: Ruleset) -> bool:
    if rules.match is not Match.NONE or HELD_OUT & {*mechanisms(rules)}:
        return False
    played = random_play(rules, 64)
    return played.branching_mean >= CHOICES and played.plies_mean >= SHORTEST


@lru_cache(maxsize=4096)
def effect(rules: Ruleset) -> npt.NDArray[np.uint64]:
    """uint64[2, ``ALIKE_GAMES``]: a hash of each of some random games, whose moves are chosen by their rank among the
    legal ones, from the mover's left, and in the second row from the right in each row of the board: there a game finds
    its mirror image. Of every ply it holds the number of legal moves, whether the first player moves, and the seeds in
    the mover's pits, in all others (both in order of size) and in the stores; in the end, who won."""
    return np.stack([_played(rules, mirrored) for mirrored in (False, True)])


def _played(rules: Ruleset, mirrored: bool) -> npt.NDArray[np.uint64]:
    batch, pits = Batch(rules, ALIKE_GAMES, encoder="counts"), rules.board.pits
    homes = [[*dict.fromkeys(home)] for home in rules.board.homes]
    others = [[pit for pit in range(pits) if pit not in home] for home in homes]
    hashes, games = np.zeros(ALIKE_GAMES, dtype=np.uint64), np.arange(ALIKE_GAMES)
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


def groups_of(games: Mapping[str, Ruleset]) -> dict[str, str]:
    """The group of each game, called by one of its members: games of one family (``family_of``), games that play alike
    in at least a share ``NEAR`` of random games, and what these join."""
    root = {name: name for name in games}

    def find(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    names = [*games]
    effects = np.stack([effect(games[name]) for name in names])
    for place, name in enumerate(names):
        alike = (effects[place, :1] == effects[:place]).mean(axis=2).max(axis=1) >= NEAR
        near = [names[other] for other in np.flatnonzero(alike)]
        relatives = [other for other in names[:place] if name in RULESETS and family_of(other) == family_of(name)]
        for other in (*near, *relatives):
            root[find(name)] = find(other)
    return {name: find(name) for name in names}


def held_back(games: Mapping[str, Ruleset], random: np.random.Generator) -> set[str]:
    """The games of the table that are measured on: groups with a mechanism of ``HELD_OUT``, and a share of the others
    whose mechanisms occur in what is left."""
    tags = {name: {*mechanisms(rules)} for name, rules in games.items()}
    groups = _groups(games, groups_of(games))
    held = {name for names in groups if HELD_OUT & _union(tags, names) for name in names}
    groups = [names for names in groups if not held & {*names}]
    most = len(held) + SHARE_KNOWN * (len(games) - len(held))
    for place in random.permutation(len(groups)):
        rest = [name for name in games if name not in held and name not in groups[place]]
        if len(held) < most and _union(tags, groups[place]) <= _union(tags, rest):
            held.update(groups[place])
    return held


def _groups(names: Iterable[str], group: Mapping[str, str]) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(group[name], []).append(name)
    return [*found.values()]


def _union(tags: Mapping[str, set[str]], names: Iterable[str]) -> set[str]:
    return set().union(*(tags[name] for name in names))


def shared_out(
    games: Mapping[str, Ruleset], group: Mapping[str, str], held: set[str], random: np.random.Generator
) -> dict[str, dict[str, list[str]]]:
    """The games of each part in each size, those with the fewest mechanisms first; ``held`` of the table are measured
    on. A game drawn at random that is near one of them is in no part."""
    tags = {name: {*mechanisms(rules)} for name, rules in games.items()}
    ordered = sorted(games, key=lambda name: (len(tags[name]), name))
    table = [name for name in ordered if name in RULESETS]
    others = [name for name in ordered if name not in RULESETS]
    near, spoilt = {group[name] for name in table}, {group[name] for name in held}
    free = _groups((name for name in others if group[name] not in near), group)
    tested: set[str] = set()
    for place in random.permutation(len(free)):
        if len(tested) < SHARE_GENERATED * sum(map(len, free)):
            tested.update(free[place])
    parts = {
        "train": [name for name in table if name not in held],
        "generated_train": [name for name in others if name not in tested and group[name] not in spoilt],
        "generated_test": [name for name in others if name in tested],
    }
    ever_seen = _union(tags, (*parts["train"], *parts["generated_train"]))
    found = {}
    for size, most in SIZES.items():
        some = {part: names[:most] for part, names in parts.items()}
        seen = _union(tags, (*some["train"], *some["generated_train"]))
        known = [name for name in table if name in held and tags[name] <= seen]
        unseen = [name for name in table if name in held and not tags[name] <= ever_seen]
        found[size] = {**some, "known": known[:most], "unseen": unseen[:most]}
    return found


def made(processes: int) -> dict[str, Any]:
    """The content of the file: games, and splits of each size."""
    table = {rules.name: rules for rules in RULESETS.values() if rules.players == 2 and rules.match is Match.NONE}
    with make_executor(processes) as executor, at_work("games measured and drawn"):
        found = dict(executor.run(measured, table.values()))
        entries = {name: found[place] for place, name in enumerate(table) if found[place]}
        games = {name: table[name] for name in entries}
        held = held_back(games, np.random.default_rng(SEED))
        bases = [rules for name, rules in games.items() if name not in held]
        found = dict(executor.run(drawn, SEEDS, shared=bases))
        entries |= {f"random_{seed}": found[seed] for seed in SEEDS if found[seed]}
    games |= {name: ruleset(entry["rules"]) for name, entry in entries.items() if name not in games}
    group = groups_of(games)
    splits = shared_out(games, group, held, np.random.default_rng(SEED))
    used = {name for part in splits["full"].values() for name in part}
    return {
        "held_out": sorted(HELD_OUT),
        "left_out": [name for name in table if name not in games],
        "splits": splits,
        "games": {name: {**entry, "group": group[name]} for name, entry in entries.items() if name in used},
    }


def as_text(content: Mapping[str, Any]) -> str:
    """The content as JSON, with a line for each game."""
    games = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in content["games"].items())
    rest = json.dumps({**content, "games": {}}, indent=1)
    return rest.replace('"games": {}', f'"games": {{\n{games}\n }}') + "\n"
