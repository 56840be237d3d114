"""A learned evaluation: one account of its numbers, its file, the search with it, and the run that learns it."""

import itertools
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import mancala_env as mancala
from agents import MctsAgent, MinimaxAgent, make_agent, plays, zoo
from agents.agent import refusal
from agents.batched.kernel import Turns
from agents.mcts.kernel import NOBODY, UNKNOWN
from agents.mcts.mcts import Forest
from agents.pace import Pace
from agents.policy import card, card_page
from agents.search import Searcher, learned, stack
from agents.search import evaluation as evaluation_module
from agents.search.evaluation import Evaluation, levels_of, most_rows, row_count, rows_of
from agents.search.minimax import evaluation_of
from agents.search.proof import prove
from agents.tablebase import build
from agents.tablebase.probe import NO_TABLE, load
from agents.warm_up import warm
from mancala_env.kernels import layout
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules import Goal
from tests.games import random_game
from tests.tablebases import negamax, negamax_of_moves
from tests.test_policies import check_card
from tests.trainings import refused
from training import zoo as command
from training.evaluation import EvaluationConfig, EvaluationModule, LearnedEvaluation, main, train

pytestmark = pytest.mark.integration

SEVERAL = ("oware", "kalah", "hus", "diffusion", "toguz", "bao_kujifunza", "reaping")


def random_evaluation(game, width=32, seed=0, factor=9000):
    """An evaluation whose weights mean nothing."""
    rules, random = mancala.ruleset(game), np.random.default_rng(seed)
    first = random.integers(-40, 40, (row_count(rules)[1], width)).astype(np.int16)
    return Evaluation(rules, first, random.integers(-900, 900, width).astype(np.int16), factor, 5)


def positions(game, count, seed=0):
    """Running positions of random games."""
    games = (random_game(mancala.ruleset(game), 100 * seed + k)[1][:-1] for k in itertools.count())
    return list(itertools.islice(itertools.chain.from_iterable(games), count))


def by_hand(evaluation, state):
    """The value of a position in plain Python, from the description of the rows alone."""
    rules, pits = state.rules, state.rules.board.pits
    axes, levels = rules.encoded.axes, levels_of(rules)
    array, mover = state.array, state.player
    view = rules.encoded.tables[mover, layout.VIEW : layout.VIEW + pits]
    count, marked = int(levels[-1]) + 1, row_count(rules)[0]
    rows = [0]
    rows += [1 + k * count + int(levels[min(array[pit], len(levels) - 1)]) for k, pit in enumerate(view)]
    if axes[layout.MARKS]:
        for k, pit in enumerate(view):
            if (mark := array[axes[layout.MARKS] + pit]) >= 0:
                rows.append(marked + 2 * k + int(mark != mover))
        marked += 2 * pits
    if axes[layout.HANDS]:
        for k, player in enumerate((mover, 1 - mover)):
            rows.append(marked + k * count + int(levels[array[axes[layout.HANDS] + player]]))
    units = [min(max(sum(int(evaluation.first[row, h]) for row in rows), 0), learned.ONE) for h in range(32)]
    total = sum(unit * unit * int(weight) for unit, weight in zip(units, evaluation.second, strict=True))
    value = (total * evaluation.factor >> learned.SHIFT) + evaluation.constant
    about_seeds = rules.goal is Goal.SEEDS
    limit = 2 * learned.UNIT * int(array[:pits].sum()) if about_seeds else learned.SURE
    value = min(max(value, -limit), limit)
    if not about_seeds:
        return value / learned.SURE
    lead = (array[pits] - array[pits + 1]) * (1 if mover == 0 else -1)
    return lead + value / (2 * learned.UNIT)


@pytest.mark.parametrize("game", SEVERAL)
def test_kernels_compute_what_the_description_says(game):
    evaluation = random_evaluation(game)
    for state in positions(game, 60):
        assert evaluation(state) == by_hand(evaluation, state)


@pytest.mark.parametrize("game", ["oware", "kalah"])
@pytest.mark.parametrize("memory", [0, 1])
def test_a_search_with_it_is_negamax_with_it(game, memory):
    evaluation = random_evaluation(game)
    searcher = Searcher(game, memory, evaluate=evaluation)
    for state in positions(game, 40)[::5]:
        assert searcher.search(state, 3).value == negamax(state, 3, NO_TABLE, evaluation)


def less_deep(evaluation, state, depth, shortfalls, root=True):
    """Negamax of a search deeper than six plies, in plain Python: moves that little is expected of lose plies. A move
    of the third rank or below loses one ply, of the fifth or below two, where three plies are left, and with
    ``shortfalls`` one more for each 48th of all seeds that it falls short of the best."""
    ply_worth = max(state.rules.total_seeds * 32 // 48, 1) / 32  # in the parts of a seed that values are told in
    static = negamax_of_moves(state, 1, NO_TABLE, evaluation)
    values = []
    for action, value in static.items():
        child = state.play(action)
        rank = sum((-static[other], other) < (-value, action) for other in static)
        short = int((max(static.values()) - value) // ply_worth) if shortfalls and not root else 0
        by_rank = (rank >= 2) + (rank >= 4) if depth >= 3 and not root else 0
        below = depth - 1 - by_rank - short
        if child.is_over or depth == 1 or (short and below < 1):
            values.append(value)
        else:
            sign = 1 if child.player == state.player else -1
            values.append(sign * less_deep(evaluation, child, max(below, 1), shortfalls, False))
    return max(values)


@pytest.mark.parametrize("game", ["oware", "kalah", "sungka", "hus"])
@pytest.mark.parametrize(("memory", "shortfalls"), [(0, True), (1, True), (1, False)])
def test_what_is_searched_less_deep_depends_on_the_position_alone(game, memory, shortfalls):
    evaluation = random_evaluation(game, factor=900 if game == "hus" else 9000)  # no chance is cut short
    features = stack.ALL_FEATURES & ~(0 if shortfalls else stack.SHORTFALLS)
    searcher = Searcher(game, memory, features, evaluate=evaluation)
    for state in positions(game, 40)[:: 20 if game == "hus" else 8]:
        expected = less_deep(evaluation, state, 7, shortfalls and game != "hus")  # only in games about seeds
        assert searcher.search(state, 7).value == pytest.approx(expected, abs=1e-9), state


def test_chances_stay_below_certainty_and_wins_are_one():
    evaluation = random_evaluation("diffusion")
    searcher, states = Searcher("diffusion", evaluate=evaluation), positions("diffusion", 400)
    ends = [k for k, state in enumerate(states) if state.ply == 0 and k] or [len(states)]
    found = [searcher.search(states[k], 4) for k in (0, 5, 10, *range(max(ends[0] - 8, 0), ends[0]))]
    assert all(-1 <= each.value <= 1 for each in found)
    assert any(abs(each.value) == 1 for each in found)
    assert any(abs(each.value) < 1 for each in found)
    sure = learned.SURE  # the most that is expected; a win that is seen counts twice as much, less the plies to it
    told = searcher.told(np.array([-2 * sure + 9, -sure, 0, sure // 2, sure, sure + 1, 2 * sure]))
    assert told.tolist() == [-1, -(1 - 1 / sure), 0, 0.5, 1 - 1 / sure, 1, 1]


def test_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no evaluation"):
        Evaluation.load(tmp_path)
    evaluation = random_evaluation("toguz")
    evaluation.save(tmp_path / "search.safetensors")
    again = Evaluation.load(tmp_path)
    assert (again.digest, again.rules) == (evaluation.digest, evaluation.rules)
    assert pickle.loads(pickle.dumps(again)).digest == evaluation.digest
    state = positions("toguz", 9)[-1]
    assert again(state) == evaluation(state)
    assert not again.first.flags.writeable
    assert rows_of(again.rules, state.array[None]).shape == (1, most_rows(again.rules))


def test_files_that_are_too_large_are_not_read_and_changed_ones_are_read_again(tmp_path, monkeypatch):
    path = tmp_path / "search.safetensors"
    for seed in range(2):
        made = random_evaluation("oware", seed=seed)
        made.save(path)
        assert evaluation_of(str(tmp_path)).digest == made.digest
        assert evaluation_of(str(tmp_path)) is evaluation_of(str(tmp_path))
    smaller = evaluation_module._KIND._replace(most=path.stat().st_size - 1)
    monkeypatch.setattr(evaluation_module, "_KIND", smaller)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    with pytest.raises(ValueError, match="it has more than"):
        Evaluation.load(path)


KALAH, MADE = mancala.ruleset("kalah"), {text: random_evaluation(text) for text in ("oware", "kalah:seeds=3", "kalah")}
RULES, FIRST, SECOND = MADE["oware"].rules, MADE["oware"].first, MADE["oware"].second


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: Searcher("kalah", evaluate=MADE["oware"]), "of oware, and does not fit kalah"),
        (lambda: Searcher("kalah", evaluate=MADE["kalah:seeds=3"]), "of kalah:seeds=3, and does not fit kalah"),
        (lambda: MADE["kalah:seeds=3"](KALAH.start()), "of kalah:seeds=3, not of kalah"),
        (lambda: MADE["oware"](KALAH.start()), "of oware, not of kalah"),
        (lambda: prove(Searcher("kalah", evaluate=MADE["kalah"]), KALAH.start()), "prove by Searcher"),
        (lambda: Evaluation(RULES, FIRST * 100, SECOND, 1, 0), "do not fit 16 bits"),
        (lambda: Evaluation(RULES, FIRST, np.full(32, 30_000, dtype=np.int16), 1, 0), "do not fit 32 bits"),
        (lambda: Evaluation(RULES, FIRST[1:], SECOND, 1, 0), r"int16\[\d+, a multiple of 32\]"),
        (lambda: make_agent("minimax:evaluation=nonsense"), "evaluation must be margin, zoo:NAME or the path"),
        (lambda: make_agent(f"minimax:evaluation={'n' * 5000}"), "evaluation must be margin, zoo:NAME or the path"),
        (lambda: make_agent("minimax:evaluation=zoo:nothing"), "no evaluation 'nothing' in the zoo"),
        (lambda: make_agent("zoo:oware-serch"), "did you mean 'oware-search'"),
        (lambda: make_agent("minimax:evaluation=zoo:owarre"), "did you mean 'oware-search'"),
        (lambda: zoo.find("oware-search"), "has no policy of one game: it searches"),
        (lambda: make_agent("zoo:oware,time=0.1"), "is a policy and does not search"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(ask, why):
    with pytest.raises(ValueError, match=why):
        ask()


def test_players_with_it(tmp_path):
    random_evaluation("oware").save(tmp_path / "search.safetensors")
    player = make_agent(f"minimax:depth=3,evaluation={tmp_path}")
    assert player.name == f"minimax:depth=3,evaluation={tmp_path}"
    assert player.batched
    assert plays(player, "oware")
    assert not plays(player, "kalah")
    states = positions("oware", 12)
    alone = [MinimaxAgent(3, evaluation=player.evaluation).search(state).value for state in states]
    searcher = Searcher("oware", evaluate=Evaluation.load(tmp_path))
    rows = [(state.array, state.legal_mask, np.resize(state.history, 40)) for state in states]
    turns = Turns(np.arange(12), *map(np.stack, zip(*rows, strict=True)), np.ones(12, dtype=np.uint64))
    _, values = searcher.best_of_each(turns, 3)
    assert values.tolist() == alone


def tree_of(agent, state, monkeypatch):
    """The tree that a search has grown."""
    forests, found = [], Forest.found
    monkeypatch.setattr(Forest, "found", lambda self, *more: forests.append(self) or found(self, *more))
    agent.search(state)
    return forests[-1].tree(0)


@pytest.mark.parametrize("game", ["oware", "kalah", "diffusion"])
def test_a_tree_search_sees_what_it_says(game, monkeypatch):
    """With all of the reward in the margin a position is worth its best move, by hand, and so on up the tree."""
    evaluation = random_evaluation(game)
    unit = evaluation.rules.total_seeds if evaluation.rules.goal is Goal.SEEDS else 1
    agent = MctsAgent(300, evaluation=evaluation, margin=1.0)
    for state in positions(game, 40)[::13]:
        tree = tree_of(agent, state, monkeypatch)
        sign = 1 if state.player == 0 else -1
        found = negamax_of_moves(state, 1, NO_TABLE, evaluation)
        one_ply = {action: sign * value / unit for action, value in found.items()}
        assert tree.firsts[0][list(one_ply)] == pytest.approx(list(one_ply.values()), abs=1e-6)
        assert tree.guess[0] == pytest.approx(sign * max(sign * value for value in one_ply.values()))
        order = sorted(one_ply, key=lambda action: sign * one_ply[action])
        assert np.all(np.diff(tree.priors[0][order]) >= 0)
        assert tree.priors[0].sum() == pytest.approx(1.0)
        for node in range(int(tree.size[0])):
            if tree.proven[node] != UNKNOWN:
                continue
            mover = 1 - 2 * int(tree.positions[node, state.rules.board.pits + layout.MOVER])
            below = []
            for action in np.flatnonzero(tree.masks[node]):
                child = tree.children[node, action]
                known = child != NOBODY and tree.proven[child] != UNKNOWN
                value = tree.firsts[node, action] if child == NOBODY else tree.backed[child]
                below.append(mover * (tree.worth[child] if known else value))
            assert mover * tree.backed[node] == pytest.approx(max(below))


def test_a_tree_search_with_it_plays_its_game_alike_for_a_seed(tmp_path, monkeypatch):
    random_evaluation("oware").save(tmp_path / "search.safetensors")
    player = make_agent(f"mcts:simulations=60,evaluation={tmp_path}")
    assert player.name == f"mcts:simulations=60,evaluation={tmp_path}"
    assert plays(player, "oware")
    assert refusal(player, "kalah") == f"{player.name} was trained for oware and does not play kalah"
    with pytest.raises(ValueError, match="does not play kalah"):
        player.search(mancala.ruleset("kalah").start())
    state = positions("oware", 12)[-1]
    whole = player.search(state)
    assert whole.simulations == whole.visits.sum() == 60
    monkeypatch.setattr(Pace, "begin", lambda self, left: 7)  # a search in parts is the same
    for again in (player.search(state), MctsAgent(60, seed=9, evaluation=Evaluation.load(tmp_path)).search(state)):
        assert again.visits.tolist() == whole.visits.tolist()
        assert again.policy.tolist() == whole.policy.tolist()
    halved = MctsAgent(60, evaluation=Evaluation.load(tmp_path), root="gumbel", considered=2).search(state)
    assert sorted(halved.visits)[-2:] == [30, 30]
    assert MctsAgent(time=1e-6, evaluation=Evaluation.load(tmp_path)).search(state).simulations >= 1
    for wrong, said in (
        ("evaluation=margin", "evaluation of a tree search is a learned one, zoo:NAME or its path, not 'margin'"),
        ("evaluation=zoo:oware,network=zoo:oware", "give only one"),
        ("evaluation=zoo:nothing", "no evaluation 'nothing' in the zoo"),
    ):
        with pytest.raises(ValueError, match=said):
            make_agent(f"mcts:{wrong}")


def test_kernels_of_a_search_with_it_are_ready_before_a_clock_runs(monkeypatch):
    """Not those of another search, which would be others."""
    evaluation, searched = random_evaluation("kalah"), []
    player = MinimaxAgent(time=0.01, evaluation=evaluation)
    search = Searcher.search

    def noted(searcher, *given, **more):
        searched.append(searcher)
        return search(searcher, *given, **more)

    monkeypatch.setattr(Searcher, "search", noted)
    warm(evaluation.rules, player)
    assert len(searched) > 1
    player.act(evaluation.rules.start())
    assert set(searched) == {player._searcher}


QUICK = {"rounds": 4, "games": 40, "memory": 900, "curve_every": 2, "curve_pairs": 1, "pairs": 1, "save_every": 2}
QUICK |= {"limit": "nodes=200", "final_limit": "nodes=200", "opponents": ("random",), "curve_opponents": ("random",)}


def test_the_command_names_what_it_cannot_do(tmp_path, capsys, monkeypatch):
    """What takes too much memory, and a loss that is not finite."""
    words = ["--rules", "kalah:pits_per_row=4,seeds=3", "--out", str(tmp_path / "run"), "--rounds", "1"]
    words += ["--games", "30", "--pairs", "0", "--curve_every", "0", "--memory"]
    assert "take more memory than there is" in refused(main, [*words, str(10**14)], capsys)

    def broken(self, seconds):
        self._targets[:], self.positions = np.nan, 10
        self._learn(0.1, 1)

    monkeypatch.setattr(LearnedEvaluation, "round", broken)
    with pytest.raises(SystemExit, match="3"):
        main([*words, "900"])
    assert "the loss of round 1 is not finite" in capsys.readouterr().err


def test_it_learns_what_a_search_sees(tmp_path):
    """A few rounds bring what is expected nearer to what a deep search finds than the margin is."""
    quick = {**QUICK, "rounds": 10, "games": 150, "memory": 20_000, "pairs": 0, "curve_every": 0, "width": 32}
    evaluation = train(EvaluationConfig(rules="kalah", out=str(tmp_path / "run"), **quick)).network
    deep, errors = Searcher("kalah"), []
    for state in positions("kalah", 120, seed=3)[::3]:
        truth = deep.search(state, 8).value
        south, north = state.stores
        margin = (south - north) * (1 if state.player == 0 else -1)
        errors.append((abs(evaluation(state) - truth), abs(margin - truth)))
    learnt, plain = np.mean(errors, axis=0)
    assert learnt < 0.8 * plain


def test_settings_that_cannot_be(tmp_path):
    for settings, words in (
        ({"width": 40}, "multiple of 32"),
        ({"rules": "oware_series_wins"}, "match of several"),
        ({"rules": "tchuka_ruma"}, "needs a second player"),
        ({"depth": 0}, "depth must be"),
        ({"limit": "speed=3"}, "limit must be nodes=20000, say, or time=0.02"),
        ({"limit": "evaluation=margin"}, "limit must be nodes=20000"),
        ({"final_limit": "time=0.02,memory=4"}, "final_limit must be nodes=20000"),
        ({"limit": "nodes=1e4"}, "nodes must be a whole number"),
        ({"opponents": ("zoo:kalah",)}, "does not play"),
    ):
        with pytest.raises(ValueError, match=words):
            EvaluationConfig(**{"rules": "oware", **settings})


def test_tables_keep_a_learned_value_inside_their_bounds(tmp_path, monkeypatch):
    """Equal to plain negamax; and a search whose evaluation says the game names the tables it found in the cache."""
    monkeypatch.setenv("MANCALA_ENV_CACHE", str(tmp_path))
    evaluation = random_evaluation("oware:pits_per_row=3,seeds=2,indeterminacy_max_seeds=0")
    rules, most = evaluation.rules, 5
    build(rules, most, tmp_path / "tables")
    tables = load(tmp_path / "tables", rules)
    searcher, plain = (Searcher(rules, 1, evaluate=evaluation, tables=each) for each in (tables, NO_TABLE))
    other, random = 0, np.random.default_rng(3)
    for _ in range(3 if DISABLE_JIT else 30):
        state = rules.position(random.multinomial(6, [1 / 6] * 6), (1, 2))
        if not state.is_over:
            found = searcher.search(state, 4, every=True)
            assert found.values == negamax_of_moves(state, 4, tables, evaluation)
            other += found.value != plain.search(state, 4).value
    assert other
    agent = MinimaxAgent(depth=2, evaluation=evaluation, tables="auto")
    assert agent.name.endswith(f",tables={most}")
    assert agent.search(rules.start()).value == searcher.search(rules.start(), 2).value


def test_levels_tell_apart_what_matters():
    levels = levels_of(mancala.ruleset("oware")).tolist()
    assert levels[:17] == [*range(16), 15]
    assert len(levels) == 49
    assert levels == sorted(levels)
    assert levels_of(mancala.ruleset("kalah", pits_per_row=2, seeds=1)).tolist() == [0, 1, 2, 3, 4]
    assert row_count(mancala.ruleset("oware"))[1] == 1 + 12 * (levels[-1] + 1)


@pytest.mark.parametrize("name", zoo.evaluations())
def test_a_search_of_the_zoo_keeps_its_promises(name):
    """The contract: whoever is in the zoo loads, plays legally, is described in full, and is small."""
    agent, weights = make_agent(f"zoo:{name},nodes=100"), zoo.find_evaluation(name)
    state, random = agent.rules.start(), np.random.default_rng(0)
    for _ in range(300):
        if state.is_over:
            break
        state = state.play(agent.act(state) if state.ply % 2 else int(random.choice(state.legal_actions)))
    assert weights.stat().st_size < 1_000_000
    said = card.read(weights)
    check_card(said, agent.rules)
    assert zoo.rules_of(name) == agent.rules
    assert plays(f"zoo:{name}", agent.rules)
    page = card_page.to_markdown(said, f"zoo:{name}")
    assert card_page.is_evaluation(said)
    assert "An evaluation for alpha-beta search" in page
    assert "unknown" not in page
    assert f"{100 * said['evaluation']['results'][0]['score']:.1f}" in page
    for private in ("/tmp", "/work", "/home"):
        assert private not in json.dumps(said)


def test_a_run_is_added_to_the_zoo_and_played_by_its_name(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(zoo, "FOLDER", tmp_path / "zoo")
    zoo.FOLDER.mkdir()
    run = tmp_path / "run"
    train(EvaluationConfig(rules="kalah:pits_per_row=4,seeds=3", out=str(run), **{**QUICK, "rounds": 1}))
    for name, says in (("small", "end in -search"), ("Small-search", "is no name")):
        with pytest.raises(ValueError, match=says):
            command.add(run, name)
    command.main(["add", str(run), "--name", "small-search"])
    assert zoo.evaluations() == ["small-search"]
    zoo.rules_of.cache_clear()
    test_a_search_of_the_zoo_keeps_its_promises("small-search")
    assert make_agent("zoo:small-search").limits["time"] == 0.1
    assert make_agent("minimax:depth=2,evaluation=zoo:small").rules == zoo.rules_of("small-search")
    monkeypatch.setenv("MANCALA_ENV_CACHE", str(tmp_path))
    assert make_agent("zoo:small-search,nodes=50,tables=auto").name == "zoo:small-search,nodes=50,tables=none"
    build(zoo.rules_of("small-search"), 3, tmp_path / "tables")
    said = make_agent("zoo:small-search,nodes=50,tables=auto")
    assert (said.name, said.new_searcher(said.rules).tables.most) == ("zoo:small-search,nodes=50,tables=3", 3)
    with pytest.raises(FileNotFoundError, match="there is no opening book"):
        make_agent("zoo:small-search,book=nothing")
    with pytest.raises(ValueError, match="takes time, nodes, depth, threads, tables, book and seed"):
        make_agent("zoo:small-search,sample=true")
    command.main(["list"])
    assert "\nsmall-search" in capsys.readouterr().out


@pytest.mark.parametrize("game", ["oware", "toguz", "bao_kujifunza"])
def test_the_largest_weights_that_are_learnt_fit_whole_numbers(game):
    module = EvaluationModule(mancala.ruleset(game), 32)
    for sign in (1.0, -1.0):
        module.first.weight.data.fill_(1e6 * sign)
        module.clip()
        assert module.to_evaluation().first[0, 0] * sign > 0
