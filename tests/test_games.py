"""Games are found by name, board, region and what happens in them; and many names do not flood a message."""

import json
import re
import subprocess
from dataclasses import replace

import pytest

import mancala_env as mancala
from mancala_env import commands, games
from mancala_env.games import ALIASES, LIST_GAMES, near_games
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.listing import main
from mancala_env.rules import Barred, Passing, Skipping, When
from mancala_env.rules.board import crossed_rows, piles, solo_row
from tests.games import CORE
from tests.processes import MANCALA

OWARE, KALAH, HUS = (mancala.ruleset(name) for name in ("oware", "kalah", "hus"))
OF_THE_CORE = {
    "oware": "origin-skipped count-capture chain-capture grand-slam feeding",
    "awari": "origin-skipped count-capture chain-capture feeding",
    "oware_tutti_a_casa": "origin-skipped count-capture chain-capture grand-slam empty-side",
    "oware_liberta": "origin-skipped count-capture chain-capture grand-slam pass",
    "oware_territory": "origin-skipped count-capture chain-capture grand-slam feeding match",
    "oware_series_wins": "origin-skipped count-capture chain-capture grand-slam feeding match",
    "oware_series_difference": "origin-skipped count-capture chain-capture grand-slam feeding match",
    "kalah": "own-store again across-capture empty-side",
    "layli_goobalay": "relay across-capture marks",
    "layli_goobalay_match": "relay across-capture marks match",
    "hus": "relay sown-on across-capture outer-capture least-seeds last-mover",
    "diffusion": "neighbours empty-block",
    "reaping": "reaping least-seeds last-mover",
}
MORE = When(store="own").again()
EMPTY = When(was="empty")
CALM = {"end_check": "side_to_move"}
ALONE = {
    "board": solo_row(4),
    "goal": "clear",
    "landing": (MORE,),
    "end_reason": "stuck",
    "majority_stop": False,
    **CALM,
}
FROM_ENDS = {
    "sowing": "from_ends", "direction": "choice", "goal": "inner_row", "landing": (), "min_start": 1, "repetition": 0,
    "max_plies": 99,
}  # fmt: skip
OTHERS = {  # tag: a game that has it, by a change of another
    "clockwise": (OWARE, {"direction": "clockwise"}),
    "direction-chosen": (KALAH, {"direction": "choice"}),
    "direction-by-pit": (KALAH, {"direction": ["clockwise"] * 3 + ["counterclockwise"] * 3}),
    "reversed": (KALAH, {"direction": "reverse"}),
    "turns-round": (KALAH, {
        "direction": "choice_turning", "landing": (MORE, When(was="occupied").relay()), "max_plies": 99}),
    "over-gaps": (HUS, {"landing": (When(next2="occupied").capture("next2", chain_way="gaps"),)}),
    "seed-left": (KALAH, {"leave": "first_lap"}),
    "relay-next": (KALAH, {"landing": (MORE, When(next="occupied").relay("next")), "max_plies": 99}),
    "next-capture": (KALAH, {"landing": (MORE, EMPTY.capture("next"))}),
    "neighbour-capture": (KALAH, {"landing": (MORE, EMPTY.capture("neighbours", every={2}))}),
    "passing-capture": (KALAH, {"passing": Passing(counts={4})}),
    "from-ends": (HUS, FROM_ENDS),
    "other-owners": (KALAH, {"board": crossed_rows(6), "store": "none", "landing": (), "max_plies": 99, **CALM}),
    "may-stop": (HUS, {"landing": (When(was="occupied").relay().or_stop(),)}),
    "picks": (KALAH, {"landing": (MORE, EMPTY.pick(1))}),
    "raid": (KALAH, {"landing": (MORE, EMPTY.capture("every", every={2}))}),
    "passed-over": (KALAH, {"skipping": Skipping(counts={3})}),
    "singles": (KALAH, {"singles": "last_resort"}),
    "opening": (KALAH, {"opening": ((0,),)}),
    "unfilled-pits": (KALAH, {"match": "refill", "unfilled": "left"}),
    "few-seeds": (OWARE, {"end_few": 4}),
    "barred": (KALAH, {"barred": Barred({0})}),
    "place": (KALAH, {"landing": (MORE, When(place={0}).capture("here"))}),
    "first-lap": (KALAH, {"first_lap": "not_in_own_full"}),
    "memory": (KALAH, {"remember": "played"}),
    "leftover": (KALAH, {"leftover": "emptier"}),
    "outlast": (HUS, {"goal": "outlast"}),
    "solitaire": (KALAH, ALONE),
    "piles": (KALAH, {**ALONE, "board": piles(2), "setup": (2, 0), "sowing": "piles", "goal": "standstill",
              "store": "none", "landing": (), "max_plies": 99}),
}  # fmt: skip


@pytest.mark.parametrize("name", CORE)
def test_mechanisms_of_the_core_games(name):
    assert " ".join(mechanisms(mancala.ruleset(name))) == OF_THE_CORE[name]


@pytest.mark.parametrize("tag", OTHERS)
def test_a_changed_axis_changes_the_mechanisms(tag):
    rules, changes = OTHERS[tag]
    assert tag not in mechanisms(rules)
    assert tag in mechanisms(rules.changes(**changes))


def test_every_mechanism_is_tested():
    assert {*" ".join(OF_THE_CORE.values()).split(), *OTHERS} == {*MECHANISMS}


def listed(capsys, *arguments):
    """What the command prints as JSON."""
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["--rows", "4", "1"], {"hus", "reaping"}),
        (["--region", "west", "southern africa"], {*(name for name in CORE if name[:2] in ("ow", "aw")), "hus"}),
        (["--mechanism", "relay", "marks"], {"layli_goobalay", "layli_goobalay_match"}),
        (["CHAMPION"], {"kalah"}),
        (["kalaha"], {"kalah"}),
        (["oware", "territory"], {"oware_territory"}),
    ],
)
def test_games_are_filtered(asked, names, capsys):
    found = listed(capsys, *asked)
    assert {game["name"] for game in found} & {*CORE} == names
    assert main(asked) == 0
    *lines, _, last = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *(game["name"] for game in found)]
    assert last == f"{len(found)} of {len(mancala.RULESETS)} games"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["zzz"], "no game fits all of this; ask for less"),
        (["zzz", "--json"], "no game fits all of this; ask for less"),
        (["kalha"], "no game fits all of this; near 'kalha' are kalah, kalaha"),
        (["relays"], "no game fits all of this; near 'relays' is relay"),
        (["kalah", "--rows", "4"], "no game fits all of this; ask for less"),  # a word that fits is not misspelt
    ],
)
def test_what_finds_no_game_is_said_in_one_line_and_status_2(asked, says, capsys):
    with pytest.raises(SystemExit) as left:
        main(asked)
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (2, "", 1)
    assert says in err


@pytest.mark.integration
def test_a_reader_may_stop_early():
    command = [*MANCALA, "games", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(1) == b"["
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_game_is_told_whole(capsys):
    (game,) = listed(capsys, "layli_goobalay_match")
    assert game["region"] == "East Africa"
    assert (game["board"], game["rows"], game["seeds"], game["id"]) == ("2x6", 2, 48, "mancala/layli_goobalay_match-v0")
    assert game["mechanisms"] == OF_THE_CORE["layli_goobalay_match"].split()
    assert main(["layli_goobalay_match"]) == 0
    assert "East Africa" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["--mechanism", "rely"], "there is no mechanism 'rely'; did you mean 'relay'?"),
    ],
)
def test_bad_input_is_one_line_and_status_two(asked, says, capsys):
    with pytest.raises(SystemExit) as exit:
        main(asked)
    shown = capsys.readouterr()
    assert exit.value.code == 2
    assert says in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_game_of_the_table_has_a_name_of_its_own(monkeypatch):
    monkeypatch.setattr(games.hus, "KALAH", HUS.changes(max_plies=99), raising=False)
    with pytest.raises(ValueError, match=r"are called 'kalah'; one is in games/hus\.py: give its variable another"):
        games._collected()


def test_words_about_a_game_are_no_rules():
    told = {"region": "here", "people": "we", "source": "a book", "about": "Sow."}
    assert replace(KALAH, **told) == KALAH
    assert "a book" not in repr(replace(KALAH, **told))
    assert replace(KALAH, **told).spec() == "kalah"


@pytest.fixture
def many_games(monkeypatch):
    """150 games more in the table."""
    for k in range(150):
        rules = replace(KALAH, name=f"kalah_{k:03}")
        monkeypatch.setitem(mancala.RULESETS, rules.name, rules)


def test_an_unknown_name_is_told_a_few_near_ones_and_where_all_are_listed(many_games):
    for name in ("kalha", "kalah-1", "KALAH_04", "zzz", "oware x"):
        with pytest.raises(ValueError, match="unknown game") as caught:
            mancala.ruleset(name)
        told = str(caught.value)
        assert f"`{LIST_GAMES}` lists all {len(mancala.RULESETS)}" in told
        assert len(told) < 250
        named = re.findall(r"\w+", told.partition("; ")[2])
        assert len({*named} & {*mancala.RULESETS, *ALIASES}) <= 8
    assert len(near_games("kalah_1")) == 8
    assert near_games("KALAH 149")[0] == "kalah_149"
    assert near_games("territory") == ["oware_territory"]
    assert near_games("zzz") == []


@pytest.mark.parametrize("command", ["games", "statistics", "warm-up"])
def test_help_does_not_list_all_games(command, capsys):
    with pytest.raises(SystemExit):
        commands.main([command, "--help"])
    told = capsys.readouterr().out
    assert sum(bool(re.search(rf"\b{name}\b", told)) for name in mancala.RULESETS) <= 2


@pytest.mark.parametrize("name", mancala.RULESETS)
def test_every_game_can_be_told_in_words(name):
    told = mancala.RULESETS[name].describe()
    assert told.splitlines()[0] == name
    clauses = " ".join(told.split()).casefold().count("if the last seed falls into")
    assert clauses == len(mancala.RULESETS[name].landing)
