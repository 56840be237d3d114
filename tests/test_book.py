"""Opening books: what they hold is what their searches found, handed back; files that tell damage; play from them."""

import math
from functools import cache

import numpy as np
import pytest

import mancala_env as mancala
from agents import MinimaxAgent, make_agent, plays
from agents.agent import refusal
from agents.analysis.values import make_valuer
from agents.book.command import main
from agents.book.expansion import Expansion
from agents.bots.server import think
from agents.play.session import hint_for
from agents.search import Searcher
from agents.search.book import MAX_BYTES, Book, DamagedBook, capacity, key_of
from agents.search.evaluation import Evaluation
from agents.tablebase import build
from agents.tablebase.probe import load
from mancala_env.kernels.jit import DISABLE_JIT
from tests.test_learned import random_evaluation

KALAH = mancala.ruleset("kalah", pits_per_row=3, seeds=2)
OWARE = mancala.ruleset("oware", pits_per_row=3, seeds=2)
SIZE = 8 if DISABLE_JIT else 60


def grown(rules, size, **settings):
    growing = Expansion(rules, **{"nodes": None, "depth": 3} | settings)
    while len(growing) < size and not growing.is_complete:
        growing.step()
    return growing


BOOKS = {
    "kalah": (KALAH, {}),
    "oware": (OWARE, {}),
    "wide": (mancala.ruleset("oware", pits_per_row=4, seeds=1), {"loss": 0}),
}


@cache
def book_of(name):
    rules, settings = BOOKS[name]
    return grown(rules, SIZE, **settings).book()


@pytest.fixture
def kalah():
    return book_of("kalah")


def states_of(book):
    """The positions of a book."""
    states = []
    for parent, move in zip(book.parents.tolist(), book.moves.tolist(), strict=True):
        states.append(book.rules.start() if parent < 0 else states[parent].play(move))
    return states


@pytest.mark.parametrize("name", BOOKS)
def test_values_are_found_by_search_and_handed_back(name):
    """Each by plain recursion over the book: a move is worth what is known of the position that it leads to, where that
    lies further from the start, else what the search of its own position found."""
    book = book_of(name)
    states = states_of(book)
    assert [key_of(state) for state in states] == book.keys.tolist()
    assert len(set(book.keys.tolist())) == len(book) == SIZE
    levels, places = [state.ply for state in states], {key: k for k, key in enumerate(book.keys.tolist())}
    searcher, handed, met = Searcher(book.rules, 1), 0, 0
    known = {}

    def values(k):
        if k not in known:
            known[k] = {}
            for action in states[k].legal_actions:
                after = states[k].play(action)
                there = None if after.is_over or book.solved[k] else places.get(key_of(after))
                known[k][action] = book.found[k, action]
                if there is not None and levels[there] > levels[k]:
                    sign = 1 if after.player == states[k].player else -1
                    known[k][action] = sign * max(values(there).values())
        return known[k]

    for k, state in enumerate(states):
        assert searcher.search(state, 3, every=True).values == {
            action: value for action, value in enumerate(book.found[k].tolist()) if not math.isnan(value)
        }
        assert {a: v for a, v in enumerate(book.values[k].tolist()) if not math.isnan(v)} == values(k)
        handed += not np.array_equal(book.found[k], book.values[k], equal_nan=True)
        met += sum(levels[places[key_of(a)]] > levels[k] for a in after_moves(state) if key_of(a) in places)
    assert handed or DISABLE_JIT
    assert met >= len(book) - 1
    assert name != "wide" or met > len(book) - 1 or DISABLE_JIT  # lines meet


def after_moves(state):
    return [after for after in map(state.play, state.legal_actions) if not after.is_over]


@pytest.mark.parametrize("loss", [0, 4])
def test_the_least_costly_line_is_searched_next(loss):
    """By trying every line to a position that is not in the book."""
    growing = Expansion(OWARE, None, 2, loss=loss)
    for _ in range(SIZE // 2):
        before = growing.book() if len(growing) else None
        added = growing.step()
        if before is None:
            assert added == OWARE.start()
            continue
        lines = list(costs(before, OWARE.start(), 0.0, loss))
        least = min(cost for cost, _ in lines)
        assert key_of(added) in [key for cost, key in lines if cost == pytest.approx(least)]


def costs(book, state, cost, loss):
    """The costs of all lines from here to positions that are not in the book, with their keys."""
    place, levels = book.find(state), [each.ply for each in states_of(book)]
    values = book.values[place]
    if book.solved[place]:
        return
    for action in state.legal_actions:
        after = state.play(action)
        if after.is_over:
            continue
        there = book.find(after)
        more = cost + 1 + loss * float(np.nanmax(values) - values[action])
        if there is None:
            yield more, key_of(after)
        elif levels[there] > levels[place]:
            yield from costs(book, after, more, loss)


def test_a_book_is_read_as_it_was_written_and_does_not_depend_on_when(tmp_path):
    half = grown(OWARE, SIZE // 2).book()
    half.save(tmp_path / "book")
    again = Book.load(tmp_path / "book")
    assert (again.rules, again.search, again.digest) == (half.rules, half.search, half.digest)
    assert again.search == {"depth": 3, "nodes": None, "evaluation": "margin", "loss": 4.0}
    growing = Expansion(OWARE, None, 3, book=again)
    while len(growing) < SIZE:
        growing.step()
    assert growing.book().digest == book_of("oware").digest


def test_a_game_that_is_searched_to_its_end_makes_a_complete_book():
    rules = mancala.ruleset("kalah", pits_per_row=2, seeds=1)
    growing = grown(rules, 1000, depth=64)
    assert growing.is_complete
    assert len(growing) == 1
    with pytest.raises(ValueError, match="complete"):
        growing.step()


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda data: data[:-5], "bytes and should have"),
        (lambda data: data[:4], "no header"),
        (lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:], "changed"),
        (lambda data: data.replace(b"mancala_book", b"mancala_cook"), "not an opening book"),
        (lambda data: data + bytes(MAX_BYTES), "more than 2,000,000 bytes"),
        (lambda data: data.replace(b'\\"seeds\\": 2', b'\\"seeds\\": 3'), "rules of kalah have changed"),
        (lambda data: data.replace(b'\\"loss\\"', b'\\"lost\\"'), "by what loss"),
    ],
)
def test_damage_is_told_in_one_line(spoil, text, tmp_path, kalah, capsys):
    path = tmp_path / "kalah.book"
    kalah.save(path)
    content = path.read_bytes()
    path.write_bytes(spoil(content))
    assert path.read_bytes() != content
    with pytest.raises(DamagedBook, match=text):
        make_agent(f"minimax:book={path}")
    assert main(["show", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "build it anew" in error


def test_the_agent_plays_from_its_book_and_searches_after_it(tmp_path, kalah):
    path = tmp_path / "kalah.book"
    kalah.save(path)
    agent, plain = make_agent(f"minimax:depth=2,book={path}"), MinimaxAgent(depth=2)
    assert agent.name == make_agent(agent.name).name == f"minimax:depth=2,book={path}"
    assert not agent.batched
    for place, state in enumerate(states_of(kalah)):
        best = np.flatnonzero(kalah.values[place] == np.nanmax(kalah.values[place])).tolist()
        drawn = set()
        for seed in range(8):
            agent.reset(seed)
            drawn.add(agent.act(state))
            assert agent.nodes == 0
        assert drawn == set(best) or (len(best) > 1 and drawn < set(best))
        assert think(agent, state, {}, lambda: False, lambda line: None) in best
        for after in [each for each in after_moves(state) if kalah.find(each) is None][:1]:
            assert agent.best_actions(after) == plain.best_actions(after)
            assert agent.nodes > 0


def test_a_book_of_other_rules_is_refused(tmp_path, kalah):
    path = tmp_path / "kalah.book"
    kalah.save(path)
    agent = make_agent(f"minimax:book={path}")
    other = KALAH.changes(seeds=3)
    assert plays(agent, KALAH)
    assert plays(agent, KALAH.changes(name="another"))
    assert refusal(agent, other) == f"the opening book is of {KALAH.spec()}, not of {other.spec()}"
    with pytest.raises(ValueError, match="the opening book is of"):
        agent.act(other.start())
    with pytest.raises(ValueError, match="the opening book is of"):
        Expansion(other, None, 3, book=kalah)


def test_ply_numbers_do_not_tell_positions_apart_and_all_else_does():
    pits, stores = [2] * 6, (0, 0)
    key = key_of(KALAH.start())
    assert key == key_of(KALAH.position(pits, stores)) == key_of(KALAH.position(pits, stores, ply=7))
    others = {"pits": [1, 2, 2, 2, 2, 3]}, {"player": 1}, {"pits": [2, 2, 2, 2, 2, 1], "stores": (1, 0)}
    keys = [key_of(KALAH.position(**{"pits": pits, "stores": stores} | other)) for other in others]
    keys.append(key_of(KALAH.position([2, 2, 2, 2, 2, 1], (0, 1))))
    assert len({key, *keys}) == 5


@pytest.mark.parametrize(
    ("game", "settings", "text"),
    [
        (KALAH, {"depth": None, "nodes": None}, "needs a limit"),
        (KALAH, {"depth": 65}, "depth must be"),
        (KALAH, {"nodes": 0}, "nodes must be"),
        (KALAH, {"loss": -1}, "loss must be"),
        (KALAH, {"evaluation": "zoo:none"}, "evaluation"),
        ("oware_series_wins", {}, "no opening books of"),
        ("tchuka_ruma", {}, "no opening books of"),
    ],
)
def test_impossible_settings_and_games_are_refused(game, settings, text):
    with pytest.raises(ValueError, match=text):
        Expansion(mancala.ruleset(game), **settings)


def test_no_file_is_larger_than_it_may_be(tmp_path):
    rules = mancala.ruleset("oware")
    most = capacity(rules)
    assert most > 30_000
    rng = np.random.default_rng(0)
    values = rng.normal(size=(most, 6)).astype(np.float32)
    parents, moves = np.arange(-1, most - 1, dtype=np.int32), np.zeros(most, dtype=np.uint8)
    search = {"depth": 3, "nodes": None, "evaluation": "margin", "loss": 4.0}
    keys = rng.integers(0, 2**64, most, dtype=np.uint64)
    Book(rules, search, keys, parents, moves, np.zeros(most, np.bool_), values, values).save(tmp_path / "book")
    assert MAX_BYTES - 80_000 < (tmp_path / "book").stat().st_size <= MAX_BYTES


def test_the_command_builds_goes_on_and_shows(tmp_path, capsys):
    path = tmp_path / "new" / "kalah.book"
    call = ["build", "kalah:pits_per_row=3,seeds=2", "--out", str(path), "--nodes", "300"]
    assert main([*call, "--positions", "5"]) == 0
    assert "5 positions" in capsys.readouterr().out
    assert main([*call, "--positions", "9"]) == 0
    assert "9 positions" in capsys.readouterr().out
    assert len(Book.load(path)) == 9
    assert main(["show", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("kalah:pits_per_row=3,seeds=2: 9 positions, each searched with nodes=300")
    shown = [line.split() for line in lines[2:]]
    values = Book.load(path).values[0]
    assert [float(words[0]) for words in shown] == sorted(values[~np.isnan(values)].tolist(), reverse=True)
    assert {words[1] for words in shown} == {"A", "B", "C"}
    assert max(len(words) for words in shown) > 2

    assert main([*call[:-2], "--nodes", "400", "--positions", "9"]) == 2
    assert "searched with depth=None, nodes=300" in capsys.readouterr().err
    assert main(["build", "kalah", *call[2:]]) == 2
    assert "is of kalah:pits_per_row=3" in capsys.readouterr().err
    for wrong in (["show", str(tmp_path / "no")], [*call, "--minutes", "0"], ["build", "hus", "--out", str(tmp_path)]):
        assert main(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_an_interrupted_build_keeps_what_is_done(tmp_path, monkeypatch, capsys):
    path, step = tmp_path / "book", Expansion.step

    def interrupted(growing):
        if len(growing) == 3:
            raise KeyboardInterrupt
        return step(growing)

    call = ["build", "kalah:pits_per_row=3,seeds=2", "--out", str(path), "--nodes", "300", "--positions", "6"]
    monkeypatch.setattr(Expansion, "step", interrupted)
    assert main(call) == 130
    assert "goes on from here" in capsys.readouterr().err
    assert len(Book.load(path)) == 3
    monkeypatch.undo()
    assert main(call) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["book"]
    assert Book.load(path).digest == grown(KALAH, 6, nodes=300, depth=None).book().digest


def test_a_book_names_the_learned_evaluation_by_its_numbers(tmp_path):
    paths = []
    for seed in (1, 2):
        paths.append(str(tmp_path / f"{seed}.safetensors"))
        random_evaluation(KALAH.spec(), seed=seed).save(paths[-1])
    growing = grown(KALAH, 3, evaluation=paths[0])
    digest = Evaluation.load(paths[0]).digest
    assert growing.search["evaluation"] == f"{paths[0]} {digest}"
    assert not np.array_equal(growing.book().found, grown(KALAH, 3).book().found, equal_nan=True)
    assert len(grown(KALAH, 5, evaluation=paths[0], book=growing.book())) == 5
    with pytest.raises(ValueError, match="give the same settings, or another file"):
        grown(KALAH, 5, evaluation=paths[1], book=growing.book())


def test_analysis_and_hints_know_the_book_and_the_tables_of_an_agent(kalah, tmp_path):
    """A book's values where it knows the position; elsewhere those of a search that looks up the agent's tables."""
    kalah.save(tmp_path / "kalah.book")
    build(KALAH, 6, tmp_path / "tables")
    agent = make_agent(f"minimax:depth=1,book={tmp_path / 'kalah.book'},tables={tmp_path / 'tables'}")
    start = KALAH.start()
    known = {action: float(kalah.values[0, action]) for action in start.legal_actions}
    hint = hint_for(start, agent)
    assert (hint.by, hint.values, hint.unit) == ("opening book", known, "seed")
    assert hint.best in kalah.best_actions(start)
    assert make_valuer(agent).move_values(start) == known
    late = KALAH.position(pits=[0, 1, 2, 2, 1, 1], stores=[2, 3])
    assert kalah.find(late) is None
    exact = Searcher(KALAH, tables=load(tmp_path / "tables", KALAH, 6)).search(late, 1, every=True).values
    assert hint_for(late, agent).values == make_valuer(agent).move_values(late) == exact
    assert exact != Searcher(KALAH).search(late, 1, every=True).values
    clock = MinimaxAgent(time="clock")
    assert hint_for(late, clock).values == Searcher(KALAH).search(late, 16, every=True).values
