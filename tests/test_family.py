"""Learning across the family: one format for all games, batches that mix games, and their environments."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from agents import make_agent
from mancala_env import RULESETS, Batch, IllegalAction, State, family, random_ruleset
from mancala_env.family import format as form
from tests.games import all_seeds, mirrored

DRAWN = [random_ruleset(seed) for seed in range(45)] + [random_ruleset(seed, players=1) for seed in range(5)]
ALL = [*RULESETS.values(), *DRAWN]
PLIES = 12


@pytest.fixture(scope="module")
def batch():
    return family.FamilyBatch(ALL, len(ALL), seed=1)


def column(names, array, name):
    return array[..., names.index(name)]


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def test_what_is_seen_of_every_game(batch):
    states = [batch.state(slot) for slot in range(batch.n)]
    assert states == [rules.start() for rules in ALL]
    for _ in range(PLIES):
        seen, mask = batch.whole(batch.observe()), batch.legal_mask
        for slot, state in enumerate(states):
            rules, here = state.rules, {key: array[slot] for key, array in seen.items()}
            counted = {name: int(column(form.COUNTERS, here["counters"], name)) for name in form.COUNTERS}
            assert np.array_equal(np.flatnonzero(mask[slot]), state.legal_actions)
            assert here["seeds"].sum() == sum(state.pits)
            assert here["pit_mask"].sum() == len(state.pits) == (column(form.PITS, here["pits"], "owner") > 0).sum()
            stores = counted["store"], counted["their_store"]
            assert stores == (state.stores[:: -1 if state.player else 1] if rules.has_stores else (0, 0))
            apart = counted["removed"] + counted["reserve"] + counted["their_reserve"] * ("reserve" in rules.fields)
            if rules.match == "none":
                assert here["seeds"].sum() + sum(stores) + apart == all_seeds(state)
            tokens = [form.view(rules)[state.player][pit - 1] if pit else None for pit in here["actions"][:, 1]]
            actions = range(rules.num_actions)
            assert tokens[: rules.num_actions] == [rules.pit(state.player, action) for action in actions]
            turned = here["actions"][: rules.num_actions, 0] == form.SOW_CLOCKWISE
            assert turned.tolist() == [rules.direction_of(state.player, action) == 1 for action in actions]
            if rules.players == 2 and rules.marked_pits != "taken":  # marks of the start do not turn round with it
                other = family.observe(mirrored(state))
                kept = [name != "plies_since_capture" for name in form.COUNTERS]  # a position's history begins anew
                other["counters"], here["counters"] = other["counters"][kept], here["counters"][kept]
                assert np.array_equal(other.pop("action_mask"), mask[slot])
                assert same(other, here), rules.name
        actions = batch.random_actions()
        _, done = batch.play(actions)
        after = [state.play(int(action)) for state, action in zip(states, actions, strict=True)]
        assert [state.is_over for state in after] == done.tolist()
        assert {slot: str(after[slot]) for slot in np.flatnonzero(done)} == {k: str(s) for k, s in batch.final.items()}
        states = [state.rules.start() if state.is_over else state for state in after]
        assert [str(batch.state(slot)) for slot in range(batch.n)] == [str(state) for state in states]


def test_it_plays_what_single_batches_play():
    names = ["oware", "kalah", "o_an_quan_match", "hus"]
    mixed, single = family.FamilyBatch(names, 4 * 8, seed=3), [Batch(name, 8) for name in names]
    for _ in range(400):  # games end, and repetitions come up
        actions = mixed.random_actions()
        rewards, done = mixed.play(actions)
        for k, one in enumerate(single):
            expected = one.play(actions[k::4])
            assert np.array_equal(rewards[k::4], expected[0])
            assert np.array_equal(done[k::4], expected[1])
            assert np.array_equal(mixed.termination[k::4], one.termination)
            assert np.array_equal(mixed.legal_mask[k::4, : one.rules.num_actions], one.legal_mask)
            assert np.array_equal(mixed.players[k::4], one.players)
    assert [mixed.state(k).history.tolist() for k in range(4)] == [one.state(0).history.tolist() for one in single]


def test_weights_say_what_is_played_next():
    batch = family.FamilyBatch(["kalah", "oware"], 32, seed=0, weights=[1, 0])
    assert not batch.game_of.any()
    batch.weights = [0, 2]
    for _ in range(300):
        batch.play(batch.random_actions())
    assert batch.game_of.all()
    assert all(batch.state(slot).rules.name == "oware" for slot in range(32))
    with pytest.raises(ValueError, match="weights must be 2 numbers"):
        batch.weights = [1]
    with pytest.raises(IllegalAction, match="oware: action 9 is illegal in game 0"):
        batch.play([9] * 32)
    with pytest.raises(ValueError, match="Sizes"):
        family.FamilyBatch(["en_gehe_40"], 2, sizes=family.needed([RULESETS["oware"]]))


def test_the_digest_is_the_same_in_every_process():
    assert not [each.name for each in form.DECLARED if " at 0x" in each.default]


def test_the_digest_tells_declarations_apart():
    known = list(form.DECLARED)
    changed = [
        [*known, form.Said("new", "0", ())], known[:-1],
        [known[0]._replace(default="other"), *known[1:]], [*known[:-1], known[-1]._replace(words=("a",))],
    ]  # fmt: skip
    assert form.digest(known) == form.DIGEST
    assert len({form.DIGEST, *map(form.digest, changed)}) == 1 + len(changed)
    assert all(need <= size for need, size in zip(family.needed(ALL), family.SIZES, strict=True))


def test_rules_are_told_apart():
    """All that makes another game of one shows in its static features."""
    known = {}
    for rules in ALL:
        lines, board = family.static_features(rules)[:2]
        alike = known.setdefault((lines.tobytes(), board.tobytes()), rules)
        assert replace(rules, name=alike.name, version=alike.version) == alike, (rules.name, alike.name)


def test_pettingzoo_checks_the_environment_of_all_games():
    from pettingzoo.test import api_test, seed_test

    from mancala_env.family.aec import FamilyEnv

    env = FamilyEnv()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation|observation|Action mask")
        for rules in ("kalah", "hus", random_ruleset(3)):
            env.reset(options={"rules": rules})
            api_test(env, num_cycles=60)
            seed_test(lambda rules=rules: FamilyEnv(rules), num_cycles=30)
    env.reset(options={"rules": "kalah"})
    assert env.observation_space("player_0").contains(env.observe("player_0"))
    env.step(np.int64(2))
    assert env.position == State.parse(RULESETS["kalah"], str(env.position))
    assert env.agent_selection == "player_0"
    assert not env.observe("player_1")["action_mask"].any()
    assert np.array_equal(env.infos["player_0"]["action_mask"], env.observe("player_0")["action_mask"])
    with pytest.raises(ValueError, match="solitaire"):
        env.reset(options={"rules": "tchuka_ruma"})


@pytest.mark.parametrize("opponent", ["random", make_agent("random"), lambda state: state.legal_actions[-1]])
def test_the_vector_environment(opponent):
    from mancala_env.family.vector import FamilyVectorEnv

    env, runs = FamilyVectorEnv(6, ["kalah", "oware", "tchuka_ruma"], opponent=opponent), []
    for _ in range(2):
        seen, infos = env.reset(seed=5)
        ends, choose = [], np.random.default_rng(0)
        for step in range(150):
            assert env.observation_space.contains(seen)
            chances = choose.random(infos["action_mask"].shape) * infos["action_mask"]
            actions = chances.argmax(axis=1)
            if step == 20:
                actions[1] = 95  # illegal
            seen, rewards, done, cut, infos = env.step(actions)
            assert (env.batch.players == env.seats).all()
            assert not rewards[~done].any()
            assert not cut.any()
            assert np.array_equal(done, infos["_final_obs"])
            assert np.array_equal(infos["final_info"]["result"], rewards)
            assert env.observation_space.contains(infos["final_obs"])
            ends += [(step, int(slot), rewards[slot]) for slot in np.flatnonzero(done)]
            if step == 20:
                assert rewards[1] == -1
        runs.append(ends)
    assert runs[0] == runs[1]
    assert {slot for _, slot, _ in runs[0]} == set(range(6))
    with pytest.raises(IllegalAction, match="kalah"):
        FamilyVectorEnv(6, ["kalah"], opponent=lambda state: 99).reset(seed=0)
