"""The benchmark over the family: splits without leak, scores with a meaning, evaluations that go on where they were."""

import json
from pathlib import Path

import numpy as np
import pytest

from agents.agent import learnt_in, make_agent
from agents.evaluation.statistics import interquartile_mean
from agents.family import splits
from agents.family.command import main
from agents.family.make import HELD_OUT, SEED, drawn, groups_of, held_back, measured, shared_out
from agents.family.score import POINTS, SAME, evaluate_family, rows_of
from agents.reference import REFERENCE
from mancala_env import RULESETS
from mancala_env.games.mechanisms import mechanisms
from mancala_env.rules import Match

LEARN = ("train", "generated_train")


def games_of(size, parts=splits.PARTS):
    return {rules.name: rules for part in parts for rules in getattr(splits.load(size), part)}


def assert_no_leak(learn, test):
    groups = groups_of({**learn, **test})
    assert not {groups[name] for name in learn} & {groups[name] for name in test}


def test_no_group_is_on_both_sides_of_easy():
    assert_no_leak(games_of("easy", LEARN), games_of("easy", splits.TESTS))


@pytest.mark.integration
def test_no_group_is_on_both_sides_in_any_size():
    """Also between sizes: what is measured on in one is not learnt from in another."""
    learn, test = ({k: v for size in splits.SIZES for k, v in games_of(size, parts).items()}
                   for parts in (LEARN, splits.TESTS))  # fmt: skip
    assert_no_leak(learn, test)
    tags = {tag for rules in learn.values() for tag in mechanisms(rules)}
    assert not tags & HELD_OUT
    assert all(not {*mechanisms(rules)} <= tags for rules in splits.load("full").unseen)
    for size in splits.SIZES:
        seen = {tag for rules in games_of(size, LEARN).values() for tag in mechanisms(rules)}
        assert all({*mechanisms(rules)} <= seen for rules in splits.load(size).known)


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("oware", {"direction": "clockwise"}),
        ("awari", {"direction": "clockwise"}),
        ("kalah", {"majority_stop": True}),  # ends sooner, in rare games otherwise
        ("wari_ashanti", {"max_plies": 900}),
        ("lamlameta", {"direction": "clockwise"}),
        ("unnee_tugalluulax", {"about": "another one"}),
    ],
)
def test_a_copy_in_other_clothes_is_caught(game, changes):
    """A game to be measured on, renamed, mirrored or changed where it does not matter, among those to learn from."""
    copy = RULESETS[game].changes(name="innocent", **changes)
    with pytest.raises(AssertionError):
        assert_no_leak({"innocent": copy}, {game: RULESETS[game]})


@pytest.mark.integration
def test_the_file_is_what_the_command_makes():
    content = splits.content()
    games = {name: splits.game(name) for name in content["games"]}
    table = {name: rules for name, rules in RULESETS.items() if name in games}
    held = held_back(table, np.random.default_rng(SEED))
    made = shared_out(games, groups_of(games), held, np.random.default_rng(SEED))
    assert made == content["splits"]
    assert all(rules.players == 2 and rules.match is Match.NONE for rules in games.values())
    name = content["splits"]["easy"]["generated_test"][0]
    said = {key: value for key, value in content["games"][name].items() if key != "group"}
    assert measured(games[name]) == said
    bases = [rules for name, rules in table.items() if name not in held]
    assert drawn(int(name.removeprefix("random_")), bases) == said


@pytest.mark.integration
@pytest.mark.parametrize(("agent", "score"), [("v1-random", 0.0), ("v1-depth4", 1.0)])
def test_the_scale_goes_from_random_play_to_four_plies(agent, score):
    found = evaluate_family(agent, "easy", parts=["known", "generated_test"], pairs=40, seed=7)["summary"]["known"]
    assert found["low"] - 0.05 <= score <= found["high"] + 0.05
    assert abs(found["score"] - score) < 0.1
    assert agent in REFERENCE


class Stopped(Exception):
    pass


@pytest.mark.integration
def test_an_evaluation_that_was_stopped_goes_on_to_the_same_result(tmp_path):
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    settings = {"parts": ["known"], "pairs": 2}
    evaluate_family("greedy", "easy", path=whole, **settings)

    def stop(done, total):
        if done in (2, 5) and done not in stopped:
            stopped.append(done)
            raise Stopped

    stopped = []
    for _ in range(2):
        with pytest.raises(Stopped):
            evaluate_family("greedy", "easy", path=parts, progress=stop, **settings)
        assert len(json.loads(parts.read_text())["games"]) == stopped[-1]
        with pytest.raises(ValueError, match="not finished"):
            rows_of([json.loads(parts.read_text())])
    evaluate_family("greedy", "easy", path=parts, progress=stop, **settings)
    assert parts.read_text() == whole.read_text()
    with pytest.raises(ValueError, match=r"another evaluation \(pairs\)"):
        evaluate_family("greedy", "easy", path=parts, parts=["known"], pairs=3)


NETWORK = """
import torch

torch.manual_seed(0)
NET = torch.nn.Sequential(torch.nn.Linear(100, 16), torch.nn.ReLU(), torch.nn.Linear(16, 64))

def choose(state):
    pits = torch.zeros(100)
    pits[: len(state.pits)] = torch.tensor(state.pits, dtype=torch.float32)
    with torch.no_grad():
        logits = NET(pits)
    return max(state.legal_actions, key=lambda action: float(logits[action % 64]))
"""


@pytest.mark.integration
def test_programs_and_networks_from_outside_are_scored(tmp_path, capsys):
    (tmp_path / "net.py").write_text(NETWORK)
    bot = Path(__file__).parent.parent / "agents" / "bots" / "random_bot.py"
    paths = [tmp_path / "bot.json", tmp_path / "net.json"]
    for agent, path in zip((f"cmd:python3 {bot}", f"python:{tmp_path}/net.py:choose"), paths, strict=True):
        main(["evaluate", agent, "--part", "known", "--pairs", "1", "--name", path.stem, "-o", str(path)])
        games = json.loads(path.read_text())["games"]
        assert len(games) == len(splits.load("easy").known)
        assert not any(game["illegal"] for game in games.values())
    said = {}
    exec(NETWORK, said)
    here = evaluate_family(said["choose"], "easy", parts=["known"], pairs=1)
    assert here["games"] == json.loads(paths[1].read_text())["games"]
    main(["leaderboard", *map(str, paths)])
    assert "random's regret |\n" in capsys.readouterr().out
    (tmp_path / "net.py").write_text(NETWORK.replace("seed(0)", "seed(1)"))
    again = ["evaluate", agent, "--part", "known", "--pairs", "1", "--name", "net", "-o", str(path)]
    for words, says in (again, "evaluation (weights)"), (["leaderboard", *map(str, paths * 2)], "bot is given twice"):
        with pytest.raises(SystemExit):
            main(words)
        assert says in capsys.readouterr().err
    (tmp_path / "net.py").write_text("def choose(state):\n    return -1\n")
    with pytest.warns(UserWarning, match=r"loses a game: .*-1"):
        main(["evaluate", agent, "--part", "known", "--pairs", "1"])
    assert "| 6 illegal |" in capsys.readouterr().out
    (tmp_path / "family.safetensors").touch()
    for text in (str(tmp_path), f"{tmp_path}/family.safetensors", f"cmd:./bot {tmp_path}/family.safetensors"):
        assert learnt_in(text) == ("" if ":" in text else "family:path=") + text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["evaluate", "greedy", "--pairs", "0"], "pairs must be 1 or more"),
        (["leaderboard", "pairs.json"], "pairs.json is no result of mancala family evaluate: it does not tell 2 pairs"),
        (["leaderboard", "other.json"], "other.json is no result of mancala family evaluate: it has no games"),
        (["leaderboard", "text.json"], "text.json is no result of mancala family evaluate: Expecting value"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.json").write_text("{}")
    games = {"kpo": {"by_points": {"v1-random": [1, 0, 0, 0, 0]}}}
    (tmp_path / "pairs.json").write_text(json.dumps({"name": "", **dict.fromkeys(SAME), "games": games, "pairs": 2}))
    (tmp_path / "text.json").write_text("# Title")
    with pytest.raises(SystemExit):
        main(words)
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


def result(name, points):
    """A result in which every game brought the same points in all pairs."""
    counts = (10 * (points == POINTS)).astype(int).tolist()
    games = {
        rules.name: {"part": "known", "illegal": 0, "by_points": dict.fromkeys(("a", "b", "c"), counts)}
        for rules in splits.load("easy").known
    }
    head = {"split": "easy", "parts": ["known"], "games_digest": "", "pairs": 10, "seed": 0}
    return {**head, "name": name, "games": games, "summary": {}}


def test_runs_of_one_method_share_a_row():
    rows = rows_of([result("weak", 0.0), result("mixed", 0.0), result("mixed", 1.0), result("strong", 1.0)])
    assert [(row[0], row[1]) for row in rows] == [("strong", "1"), ("mixed", "2"), ("weak", "1")]
    low, high = map(float, rows[1][5].split(" to "))
    assert low < float(rows[1][4]) < high
    assert rows[0][5] == f"{rows[0][4]} to {rows[0][4]}"  # every pair ended alike
    ends = [splits.content()["games"][rules.name] for rules in splits.load("easy").known]
    exact = interquartile_mean([(1 - end["random"]) / (end["depth4"] - end["random"]) for end in ends])
    assert float(rows[0][4]) == pytest.approx(exact, abs=1e-3)
    with pytest.raises(ValueError, match="differ in pairs"):
        rows_of([result("weak", 0.0), {**result("other", 0.0), "pairs": 5}])


def test_what_plays_one_game_only_loses_the_others():
    class Oware:
        name = "oware-only"
        act = make_agent("random").act

        def refusal(self, rules):
            return "" if rules.name == "oware" else "it knows oware"

    found = evaluate_family(Oware(), "easy", parts=["unseen"], pairs=1)
    assert all(game["refused"] == "it knows oware" for game in found["games"].values())
    assert found["summary"]["unseen"]["score"] < 0
