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
from tests.games import CORE
from tests.processes import MANCALA

KALAH = mancala.ruleset("kalah")
TAGS = {
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
    "o_an_quan": "direction-chosen relay-next next-capture over-gaps",
    "songo": "clockwise origin-skipped count-capture place chain-capture grand-slam feeding barred few-seeds",
    "kapana_bona": "seed-left raid other-owners few-seeds leftover",
    "bao_kiswahili": "direction-chosen relay across-capture from-ends may-stop outlast",
    "mweiso": "direction-by-pit reversed relay sown-on across-capture outer-capture least-seeds opening last-mover",
    "bulgarian_solitaire": "piles solitaire",
    "pallanguzhi_match": "relay-next next-capture passing-capture match unfilled-pits",
    "tshuba": "relay across-capture outer-capture picks singles last-mover",
    "sowing": "first-lap last-mover",
    "erherhe": "count-capture neighbour-capture empty-side",
    "lamlameta": "relay passed-over raid",
    "deka": "relay place marks last-mover",
    "adi": "count-capture chain-capture memory pass",
    "toguz": "seed-left count-capture place marks",
    "uthi": "direction-chosen turns-round relay across-capture leftover",
    "tchuka_ruma": "own-store relay again solitaire",
    "luuth": "direction-chosen again across-capture pass few-seeds",
    "main_chongkak": "clockwise relay again across-capture empty-side",
}


@pytest.mark.parametrize("name", TAGS)
def test_games_have_the_mechanisms_of_their_rule_books_and_no_others(name):
    assert " ".join(mechanisms(mancala.ruleset(name))) == TAGS[name]


def test_every_mechanism_is_that_of_some_game_here():
    assert {*" ".join(TAGS.values()).split()} == {*MECHANISMS}


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["--rows", "4", "1"], {"hus", "reaping"}),
        (["southern africa"], {"hus"}),
        (["relay", "marks"], {"layli_goobalay", "layli_goobalay_match"}),
        (["CHAMPION"], {"kalah"}),
        (["kalaha"], {"kalah"}),
        (["oware", "territory"], {"oware_territory"}),
    ],
)
def test_games_are_filtered(asked, names, capsys):
    assert main(asked) == 0
    head, *lines, _, last = capsys.readouterr().out.splitlines()
    found = [line.split()[0] for line in lines]
    assert {*found} & {*CORE} == names
    assert head.split() == ["name", "board", "region", "mechanisms"]
    assert last == f"{len(found)} of {len(mancala.RULESETS)} games"
    assert main([*asked, "--json"]) == 0
    assert [game["name"] for game in json.loads(capsys.readouterr().out)] == found


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["zzz"], "no game fits all of this; ask for less"),
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
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_may_stop_early(form):
    command = [*MANCALA, "games", *form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(1) in (b"n", b"[")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_game_is_a_line_of_its_board_region_and_mechanisms(capsys):
    assert main(["layli_goobalay_match"]) == 0
    told = ["layli_goobalay_match", "2x6", "Horn of Africa", TAGS["layli_goobalay_match"]]
    assert re.split("  +", capsys.readouterr().out.splitlines()[1]) == told


def test_a_game_of_the_table_has_a_name_of_its_own(monkeypatch):
    monkeypatch.setattr(games.hus, "KALAH", mancala.ruleset("hus", max_plies=99), raising=False)
    with pytest.raises(ValueError, match=r"are called 'kalah': rename the variable in games/hus\.py"):
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
