"""Recorded games of other programs come out as recorded; and whatever differs in a file is found and named."""

import gzip
import json
import shutil
from dataclasses import replace
from itertools import pairwise

import pytest

import mancala_env as mancala
from mancala_env.rules import four_rows
from tests.recorded_games import __main__ as command
from tests.recorded_games import (
    explained,
    missing,
    of_chosen_directions,
    of_gifia,
    of_i_pere,
    of_kisolo,
    of_left_and_right,
    of_lobudok,
    of_lontu_holo,
    of_mbelele,
    of_misoro_tsoro,
    of_mwambulula,
    of_o_an_quan,
    of_oware,
    of_quela,
    of_selection,
    of_tchela,
    of_tsoro_baia,
    of_two_rows,
)
from tests.recorded_games.__main__ import HERE, main
from tests.recorded_games.games import RECORDED, entry_of
from tests.recorded_games.places import MisfitError, pit_and_direction, places
from tests.recorded_games.records import Choice, Record, read
from tests.recorded_games.replay import Kind, Played, predicts, replay

FILES = sorted(HERE.glob("*.jsonl.gz"))


def lines_of(name):
    return [json.loads(line) for line in gzip.decompress((HERE / f"{name}.jsonl.gz").read_bytes()).splitlines()]


def write(path, lines):
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode(), mtime=0))
    return path


def replayed(path):
    record = read(path)
    return replay(record, entry_of(record)[1])


def run(capsys, *paths):
    """The exit status of the command, what it prints of the files, and the last line; the one before counts plies."""
    status = main([str(path) for path in paths])
    *output, counts, last = capsys.readouterr().out.splitlines()
    assert counts.startswith("plies: ")
    return status, output, last


each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".jsonl.gz"))


@each_file
def test_the_first_recorded_game_of_each_file_comes_out_as_recorded(file):
    record = read(file)
    report = replay(replace(record, games=record.games[:1]), entry_of(record)[1])
    assert [difference.text for difference in report.differences] == []
    assert (report.games, report.failed) == (1, 0)


@pytest.mark.integration  # the same with all games
@each_file
def test_every_recorded_game_comes_out_as_recorded(file):
    report = replayed(file)
    assert [difference.text for difference in report.differences] == []
    assert report.games == (4 if ".more_seeds" in file.suffixes else 6)
    assert report.failed == 0
    assert report.agreed + report.predicted + report.allowed + report.between == report.plies
    assert report.agreed > (report.plies - report.between) * 0.4
    for explanation, differences in report.explained.items():
        if predicts(explanation):
            for kind in Kind:
                for difference in [one for one in differences if one.kind is kind][:5]:
                    others = [*otherwise(difference)]
                    assert others, difference.text
                    assert not any(map(explanation, others)), (explanation.__name__, difference.text)


def otherwise(difference):
    """Differences that are not those that are recorded: other boards, choices and ends, other positions for a pass."""
    pits, stores, legal = [*difference.pits], difference.stores, difference.legal
    is_move = difference.kind is Kind.BOARD or (difference.kind is Kind.LEGAL and legal is None)
    if is_move and any(pits):
        pit = next(pit for pit, seeds in enumerate(pits) if seeds > 0)
        pits[pit], pits[pit - 3] = pits[pit] - 1, pits[pit - 3] + 1
        yield replace(difference, pits=tuple(pits))
    elif difference.kind is Kind.BOARD:
        yield replace(difference, stores=(stores[0] - 1, stores[1] + 1))
    if difference.kind is Kind.BOARD and stores is not None:
        yield replace(difference, stores=(stores[0] + 1, stores[1]))
    if difference.kind is Kind.LEGAL and legal is not None:
        yield replace(difference, legal=legal - {max(legal)})
    if difference.kind is Kind.LEGAL and legal is None and len(difference.choices or ()) > 1:
        yield replace(difference, choices=difference.choices - {max(difference.choices)})
    if difference.kind is Kind.END:
        yield replace(difference, over=not difference.over)
    if difference.kind in (Kind.PASS, Kind.MOVER, Kind.START):
        start = difference.state.rules.start()
        last = (start, start.legal_actions[0]) if difference.last is not None else None
        yield replace(difference, state=start, last=last, before=None)
    if difference.kind is Kind.RESULT:
        yield from (replace(difference, winner=other) for other in {0, 1, None} - {difference.winner})


def test_the_table_is_in_order_and_each_entry_has_its_file():
    assert list(RECORDED) == sorted(RECORDED) == sorted({file.name.split(".")[0] for file in FILES})


def test_every_recorded_game_is_played_or_is_listed_with_what_is_missing():
    assert len({*RECORDED, *missing.MISSING}) == len(RECORDED) + len(missing.MISSING) == 247
    assert list(missing.MISSING) == sorted(missing.MISSING)


def test_the_page_lists_what_is_missing():
    written = missing.PAGE.read_text("utf-8")
    assert written == missing.page(len(RECORDED)), "run python -m tests.recorded_games.missing"
    assert "| `katro` | six rows |" in written.splitlines()


@pytest.mark.parametrize(
    ("game", "status", "said", "last"),
    [
        (
            "Katro",
            0,
            "katro: not played, for our rules lack: six rows",
            "1 of 1 games agree, 0 differences explained; 1",
        ),
        ("Kalahh", 1, "kalahh: no entry in the table says by which", "1 of 2 games agree, 0 differences explained"),
    ],
)
def test_a_game_without_an_entry_fails_unless_it_is_said_what_is_missing(game, status, said, last, tmp_path, capsys):
    lines = lines_of("kalah")
    lines[0]["game"] = game
    paths = write(tmp_path / "record.jsonl.gz", lines), HERE / "wari.jsonl.gz"
    found, output, end = run(capsys, *paths)
    assert found == status
    assert output[0].startswith(said)
    assert end.startswith(last)


def test_a_damaged_file_of_a_game_that_is_not_played_fails(tmp_path, capsys):
    lines = lines_of("kalah")
    lines[0]["game"] = "Katro"
    del lines[1]["plies"]
    status, (output,), last = run(capsys, write(tmp_path / "katro.jsonl.gz", lines))
    assert (status, last) == (1, "0 of 1 games agree, 0 differences explained")
    assert output.startswith(f"{tmp_path / 'katro.jsonl.gz'}, line 2")


def test_the_command_replays_the_files_that_lie_with_the_tests(tmp_path, monkeypatch, capsys):
    for name in ("kalah", "uril"):
        shutil.copy(HERE / f"{name}.jsonl.gz", tmp_path)
    monkeypatch.setattr(command, "HERE", tmp_path)
    status, output, last = run(capsys)
    assert status == 0
    assert output[0] == "kalah: 6 games, 295 plies, 295 agreed"
    assert output[1] == "uril: 6 games, 578 plies, 576 agreed"
    assert output[2].startswith("  1 predicted: The last seed was pushed past the skipped origin")
    assert "First: game seed 0, ply 14: South plays F; a hold 0, recorded is 2; " in output[2]
    assert output[3].startswith("  1 predicted: Nobody has captured more than half of the seeds")
    assert last == "2 of 2 games agree, 2 differences explained"


@pytest.mark.parametrize(
    ("name", "change", "counts"),
    [
        ("kalah", False, "295 compared exactly, 0 predicted by an explanation, 0 allowed by one, 0 not explained, 0"),
        ("kalah", True, "294 compared exactly, 0 predicted by an explanation, 0 allowed by one, 1 not explained, 0"),
        ("uril", False, "576 compared exactly, 2 predicted by an explanation, 0 allowed by one, 0 not explained, 0"),
        (
            "misoro_tsoro_additional_capture__extra_counters_observed",
            False,
            "263 compared exactly, 0 predicted by an explanation, 4 allowed by one, 0 not explained, 0",
        ),
        (
            "english_wari_st_lucia.more_seeds",
            False,
            "527 compared exactly, 1 predicted by an explanation, 0 allowed by one, 0 not explained, 8",
        ),
    ],
)
def test_the_last_line_but_one_counts_plies_by_how_they_are_compared(name, change, counts, tmp_path, capsys):
    lines = lines_of(name)
    if change:
        del lines[1]["plies"][2][1][-1]  # a legal choice
    main([str(write(tmp_path / f"{name}.jsonl.gz", lines))])
    assert capsys.readouterr().out.splitlines()[-2] == f"plies: {counts} of set-ups and later rounds not compared"


def test_a_record_that_is_over_before_our_game_begins_is_not_compared(tmp_path):
    lines = lines_of("makonn.more_seeds")
    (passed,) = [line for line in lines[1:] if len(line["plies"]) == 2]  # both players pass in the set-up
    report = replayed(write(tmp_path / "makonn.jsonl.gz", [lines[0], passed]))
    assert (report.agreed, report.between, report.differences) == (0, 2, [])


def test_what_goes_wrong_in_a_record_is_one_line_and_the_next_file_is_read(tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise IndexError("out of range")

    monkeypatch.setitem(RECORDED, "kalah", replace(RECORDED["kalah"], action=fail))
    status, output, last = run(capsys, HERE / "kalah.jsonl.gz", HERE / "oware.jsonl.gz")
    assert status == 1
    assert output[0] == "kalah: game seed 0 cannot be played again: IndexError: out of range"
    assert output[1].startswith("oware: 6 games, ")
    assert last == "1 of 2 games agree, 0 differences explained"


def test_no_files_are_no_agreement(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "HERE", tmp_path)
    assert run(capsys) == (1, [], "0 of 0 games agree, 0 differences explained")


# What differs in a file: each changes the lines of a good one, and says what the report must say.


def move_a_seed(game):
    counts = game["plies"][10][3]
    counts[8], counts[9] = counts[8] - 1, counts[9] + 1


def put_a_seed_from_a_store_back(game):
    game["plies"][10][3][0] -= 1


def choose_an_empty_pit(game):
    ply = game["plies"][2]
    ply[1].append(4)
    ply[2] = len(ply[1]) - 1


def leave_out_a_legal_choice(game):
    del game["plies"][2][1][-1]


def choose_no_pit(game):
    game["plies"][2][1][-1] = [0, 3]


def let_the_other_move(game):
    game["plies"][0][4] = game["plies"][1][0] = 1


def pass_instead(game):
    game["plies"].insert(4, [1, [-1], 0, game["plies"][3][3], 1, {"pass": 1}])
    game["n"] += 1


def sweep_with_a_pass(game):
    game["plies"][-1][3] = [0] * 13 + [48]


def name_another_winner(game):
    game["winner"] = 2


def score_otherwise(game):
    game["score"] = [31, 17]


def stop_early(game):
    del game["plies"][20:]
    game["n"], game["plies"][19][4] = 20, 0


def play_on(game):
    game["plies"][-1][4] = 1
    game["plies"].append([1, [1], 0, game["plies"][-1][3], 0])
    game["n"] += 1


def start_otherwise(game):
    game["start"][3:5] = [3, 5]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (move_a_seed, "ply 10: South plays F; d, e hold 1, 1, recorded is 2, 0"),
        (put_a_seed_from_a_store_back, "ply 10: South plays F; stores hold 4, 3, recorded is 4, 2"),
        (choose_an_empty_pit, "ply 2: South may play A, B, C, E, F, recorded is A, B, C, D, E, F"),
        (leave_out_a_legal_choice, "ply 2: South may play A, B, C, E, F, recorded is A, B, C, E"),
        (choose_no_pit, "ply 2: kalah has no such move as the recorded 0 -> 3"),
        (let_the_other_move, "ply 1: North moves, recorded is South"),
        (pass_instead, "ply 4: South may play A, C, D, E, F, recorded is a pass"),
        (sweep_with_a_pass, "ply 46: the recorded board changes with a pass"),
        (name_another_winner, "ply 47: South wins"),
        (score_otherwise, "ply 47: scores are 32, 16"),
        (stop_early, "ply 20: North goes on, recorded is the end"),
        (play_on, "ply 47: the game is over"),
        (start_otherwise, "ply 0: the game starts from kalah 4-4-4-4-"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_change_in_a_file_is_reported_with_game_and_ply(change, said, tmp_path, capsys):
    lines = lines_of("kalah")
    change(lines[1])
    status, output, last = run(capsys, write(tmp_path / "kalah.jsonl.gz", lines))
    assert status == 1
    assert output[0].startswith("kalah: 6 games, ")
    assert "not explained. First: game seed 0, " + said in output[1]
    assert last == "0 of 1 games agree, 0 differences explained"


def test_after_a_difference_the_replay_goes_on_from_what_is_recorded(tmp_path):
    lines = lines_of("kalah")
    move_a_seed(lines[1])
    leave_out_a_legal_choice(lines[1])
    report = replayed(write(tmp_path / "kalah.jsonl.gz", lines))
    first, second, *rest = [(one.seed, one.ply, one.kind) for one in report.differences]
    assert (first, second) == ((0, 2, Kind.LEGAL), (0, 10, Kind.BOARD))
    assert {ply for _, ply, _ in rest} == {11}  # the next ply starts from another board than is recorded before it
    assert report.agreed == report.plies - 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda header, game: header.pop("sites"), "line 1 (the header): expected 'sites' to be list, not null"),
        (lambda header, game: header.update(players="2"), "(the header): expected 'players' to be int, not \"2\""),
        (
            lambda header, game: header["sites"].append([14, 0, 0]),
            "(the header): expected sites to be sites from 0 to 13",
        ),
        (lambda header, game: header["tracks"].append([1]), "(the header): expected [str, int, int, list], not [1]"),
        (lambda header, game: header.update(mover=3), "(the header): expected 'mover' to be from 1 to 2, not 3"),
        (
            lambda header, game: header["tracks"][0].__setitem__(1, 5),
            "expected the owner of track Track to be from 0 to",
        ),
        (lambda header, game: header["maps"][0][1].append([1, 99]), "(the header): expected stores to be sites from 0"),
        (lambda header, game: game.pop("seed"), "line 2: expected 'seed' to be int, not null"),
        (lambda header, game: game.update(n=3), "line 2 (seed 0): expected 3 plies, as 'n' says, not 47"),
        (lambda header, game: game.update(end="dawn"), "(seed 0): expected 'end' to be one of ('NaturalEnd', 'cut')"),
        (lambda header, game: game.update(winner=3), "(seed 0): expected 'winner' to be a player"),
        (lambda header, game: game.update(score=[1]), "(seed 0): expected 'score' to be a number for each player"),
        (lambda header, game: game["start"].pop(), "(seed 0): expected seeds on each of 14 sites, not [0, 4,"),
        (lambda header, game: game["plies"][7][3].pop(), "(seed 0), ply 7: expected seeds on each of 14 sites"),
        (lambda header, game: game["plies"][7][3].__setitem__(1, -1), "(seed 0), ply 7: expected seeds on each of"),
        (
            lambda header, game: game["plies"][7].__setitem__(2, 9),
            "(seed 0), ply 7: expected the number of one of 5 leg",
        ),
        (lambda header, game: game["plies"][7][1].append("A"), "ply 7: expected a choice to be a site, two sites, or"),
        (lambda header, game: game["plies"][7][1].append(14), "ply 7: expected a choice to be a site, two sites, or"),
        (
            lambda header, game: game["plies"][7].__setitem__(0, 3),
            "ply 7: expected movers from 1 to 2, not 3 and then 1",
        ),
        (
            lambda header, game: game["plies"][7].__setitem__(4, 2),
            "ply 7: expected player 1 to move next, as the record",
        ),
        (
            lambda header, game: game["plies"][-1].__setitem__(4, 1),
            "ply 46: expected the game to be over, as the record",
        ),
        (
            lambda header, game: game["plies"].__setitem__(7, 7),
            "ply 7: expected [int, list, int, list, int, dict], not 7",
        ),
        (lambda header, game: header.update(x0={"state": {"A": 1}}), "(the header): expected marks on sites, not"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(change, said, tmp_path, capsys):
    lines = lines_of("kalah")
    change(lines[0], lines[1])
    path = write(tmp_path / "kalah.jsonl.gz", lines)
    status, output, last = run(capsys, path, HERE / "wari.jsonl.gz")
    assert status == 1
    assert output[0].startswith(f"{path}, line ")
    assert said in output[0]
    assert output[1] == "wari: 6 games, 1215 plies, 1215 agreed"
    assert last == "1 of 2 games agree, 0 differences explained"


def packed(data):
    # Two workers must collect the same tests: a gzip stream holds the time it was written at.
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(
            (HERE / "kalah.jsonl.gz").read_bytes()[:-1000],
            ": the file is cut off: its gzip stream has no end",
            id="cut",
        ),
        pytest.param(b"", ": no lines", id="empty"),
        pytest.param(b"{}", ": Not a gzipped file (b'{}')", id="plain"),
        pytest.param(packed(b"{}")[:10] + b"\xff" * 20, ": Error -3 while decompressing data", id="garbage"),
        pytest.param(packed(b"{}")[:-8] + b"?" * 8, ": CRC check failed", id="checksum"),
        pytest.param(packed(b"\xff"), ": 'utf-8' codec can't decode byte 0xff", id="encoding"),
        pytest.param(packed(b'{"game"'), ", line 1: not JSON: ", id="half an object"),
        pytest.param(packed(b"[]"), ", line 1 (the header): expected an object in braces, not []", id="list"),
        pytest.param(
            packed(gzip.decompress((HERE / "kalah.jsonl.gz").read_bytes()).splitlines()[0]),
            ": a header, but no game",
            id="no game",
        ),
    ],
)
def test_bytes_that_are_no_recorded_games_are_refused(data, said, tmp_path, capsys):
    path = tmp_path / "kalah.jsonl.gz"
    path.write_bytes(data)
    status, (output,), last = run(capsys, path)
    assert status == 1
    assert output.startswith(f"{path}{said}")
    assert last == "0 of 1 games agree, 0 differences explained"


def test_files_that_are_not_there_and_games_without_an_entry_are_named(tmp_path, capsys):
    lines = lines_of("kalah")
    lines[0]["game"] = "Chess"
    status, output, last = run(capsys, tmp_path / "none.gz", write(tmp_path / "chess.jsonl.gz", lines))
    assert status == 1
    assert output == [
        f"{tmp_path / 'none.gz'}: No such file or directory",
        "chess: no entry in the table says by which rules of ours it is played",
    ]
    assert last == "0 of 2 games agree, 0 differences explained"


@pytest.mark.parametrize("name", ["oware", "shono__children_observed", "leyla_gobale_somaliland"])
def test_a_file_of_another_name_is_known_by_its_header(name, tmp_path):
    lines = lines_of(name)
    assert entry_of(read(write(tmp_path / "games.gz", lines)))[0] == name


# Turns of several laps, marks, passes, votes, rounds and matches.


def test_a_turn_of_several_laps_says_which_lap_differs(tmp_path):
    lines = lines_of("french_wari")
    plies = lines[1]["plies"]
    assert [ply[1][ply[2]] for ply in plies[:5]] == [5, 8, 2, 10, 1]  # South's first turn
    plies[3][4], plies[4][0] = 2, 2
    (first, *_) = replayed(write(tmp_path / "french_wari.jsonl.gz", lines)).differences
    assert first.ply == 0
    assert first.text.startswith("South plays F; B, C, D, E, F, a, b hold ")
    assert first.text.endswith("; lap 5 lifts B, recorded is nothing")


def test_a_seed_on_a_site_that_is_none_of_ours_is_reported(tmp_path):
    lines = lines_of("wari")
    lines[1]["plies"][3][3][-1] = 1
    first = replayed(write(tmp_path / "wari.jsonl.gz", lines)).differences[0]
    assert (first.seed, first.ply) == (0, 3)
    assert first.text.endswith("; site 15, which is none of ours, changes to 1")


def test_marks_are_compared(tmp_path):
    lines = lines_of("leyla_gobale_somaliland")
    (marked,) = [ply for ply in lines[1]["plies"][:30] if "state" in (ply[5:] or [{}])[0].get("x", {})]
    marked[5]["x"]["state"] = {"1": 1, "7": 2}
    report = replayed(write(tmp_path / "leyla_gobale_somaliland.jsonl.gz", lines))
    assert [(one.seed, one.ply) for one in report.differences] == [(0, 15), (0, 20)]
    assert report.differences[0].text == "South plays C; marks of e differ"


@pytest.mark.parametrize("agreed", [False, True])
def test_a_proposal_and_a_vote_leave_the_turn_where_it_is_unless_they_end_the_game(agreed, tmp_path):
    lines = lines_of("oware")[:2]
    game = lines[1]
    counts = game["plies"][19][3]
    game["plies"][20][1].append([-1, -1, "propose Propose:vote=End"])
    vote = [2, [[-1, -1, "vote Vote:vote=End"], [-1, -1, "vote Vote:vote=no"]], 0, counts, 0 if agreed else 1]
    game["plies"][20:20] = [[1, [1, [-1, -1, "propose Propose:vote=End"]], 1, counts, 2], vote]
    if agreed:
        del game["plies"][22:]
    game["n"] = len(game["plies"])
    report = replayed(write(tmp_path / "oware.jsonl.gz", lines))
    assert report.differences == []
    assert report.agreed == game["n"] - agreed
    assert list(report.explained) == ([explained.ends_by_vote] if agreed else [])


@pytest.mark.parametrize(("left_out", "said"), [(1, "; lap 2 leaves "), (3, "; laps are 5, recorded is 4")])
def test_a_lap_that_is_left_out_is_a_difference(left_out, said, tmp_path):
    lines = lines_of("french_wari")
    del lines[1]["plies"][left_out]
    lines[1]["n"] -= 1
    file = write(tmp_path / "french_wari.jsonl.gz", lines)
    (difference,) = replayed(file).differences
    assert difference.ply == 0
    assert difference.text.startswith("South plays F" + said)
    assert replay(read(file), replace(RECORDED["french_wari"], laps=False)).agrees


@pytest.mark.parametrize("explicit", [False, True])
def test_a_forced_pass_is_an_action_or_none(explicit):
    record, entry = read(HERE / "chungcajon.jsonl.gz"), RECORDED["chungcajon"]
    entry = replace(entry, rules=mancala.ruleset(entry.rules, explicit_pass=explicit))
    report = replay(record, entry)
    assert (report.agreed, report.differences) == (report.plies, [])


def test_each_round_is_played_from_its_set_up_or_the_first_alone(tmp_path):
    record, entry = read(HERE / "sungka.jsonl.gz"), RECORDED["sungka"]
    each, first = replay(record, entry), replay(record, replace(entry, rounds="first"))
    assert each.between == 431
    assert first.between > 4 * first.agreed > 0
    assert first.agreed + first.between == each.agreed + each.between == each.plies
    (difference, *_) = replay(record, replace(entry, rounds=None)).differences
    assert (difference.kind, difference.seed, difference.ply) == (Kind.END, 0, 165)


def test_the_board_of_a_later_round_is_compared_too(tmp_path):
    lines = lines_of("sungka")
    counts = lines[1]["plies"][300][3]
    counts[0], counts[15] = counts[0] + 1, counts[15] - 1
    report = replayed(write(tmp_path / "sungka.jsonl.gz", lines))
    (difference,) = report.differences
    assert (difference.kind, difference.seed, difference.ply) == (Kind.BOARD, 0, 299)
    assert "; lap 2 leaves " in difference.text


@pytest.mark.parametrize("wrong", [False, True])
def test_the_next_game_of_our_match_is_compared_where_it_is_laid_out(wrong, tmp_path):
    rules = mancala.ruleset("layli_goobalay_match", pits_per_row=2, seeds=2, max_games=4)
    state, plies, seen = rules.start(), [], 0
    while not state.is_over:
        legal = [site_of(state.pit(action)) for action in state.legal_actions]
        after = state.play(state.legal_actions[-1])
        new_game = len(after.games) > len(state.games) and not after.is_over
        counts = [0] * 4 if new_game else [after.pits[pit] for pit in (0, 1, 3, 2)]
        plies.append([state.player + 1, legal, len(legal) - 1, [*counts, *after.stores], 0, {"x": {"state": None}}])
        marks = {str(site_of(pit)): int(mark) + 1 for pit, mark in enumerate(after.marks) if mark >= 0}
        plies[-1][5]["x"]["state"] = marks
        if new_game:
            seen += 1
            laid = [after.pits[pit] + (wrong and pit == 0) for pit in (0, 1, 3, 2)]
            plies.append([1, [[4, 0]], 0, [*laid, 0, 0], 0, {"x": {"state": None}}])
        state = after
    assert seen
    for ply, following in pairwise(plies):
        ply[4] = following[0]
    winner = 0 if state.winner is None else state.winner + 1
    game = {
        "seed": 3,
        "start": [2, 2, 2, 2, 0, 0],
        "plies": plies,
        "n": len(plies),
        "winner": winner,
        "end": "NaturalEnd",
    }
    header = {
        "game": "Two rows", "players": 2, "mover": 1, "sites": [[0, 0, 0], [1, 1, 0], [2, 0, 1], [3, 1, 1]], "maps": [],
        "containers": [["Board", 0, 4, 0], ["Hand1", 4, 1, 1], ["Hand2", 5, 1, 2]],
        "tracks": [["Track", 0, 1, [0, 1, 3, 2]]],
    }  # fmt: skip
    report = replay(read(write(tmp_path / "two_rows.jsonl.gz", [header, game])), Played(rules))
    assert [one.kind for one in report.differences][:1] == ([Kind.BOARD] if wrong else [])
    assert wrong or report.agreed == len(plies)


def site_of(pit):
    """The site of a pit on a recorded board of two rows of two."""
    return (0, 1, 3, 2)[pit]


# Which site is which pit.


def record_on(sites, tracks, stores=None):
    return Record(("stub",), 2, 1, sites, stores, tracks, (read(HERE / "kalah.jsonl.gz").games[0],))


def test_pits_of_four_rows_are_numbered_from_the_outer_row_round():
    sites = {site: (site % 3, site // 3) for site in range(12)}
    rules = mancala.ruleset("hus", board=four_rows(3), start=[2] * 12)
    tracks = (("Track1", 1, (0, 1, 2, 5, 4, 3)), ("Track2", 2, (6, 7, 8, 11, 10, 9)))
    assert places(record_on(sites, tracks), rules).pits == (0, 1, 2, 5, 4, 3, 11, 10, 9, 6, 7, 8)
    clockwise = tuple((name, owner, track[::-1]) for name, owner, track in tracks)
    assert places(record_on(sites, clockwise), rules).pits == (2, 1, 0, 3, 4, 5, 9, 10, 11, 8, 7, 6)


def test_left_and_right_change_places_where_seeds_go_the_other_way_round():
    straight, turned = entry_of(read(HERE / "oware.jsonl.gz"))[1], Played("oware:seeds=6")
    record = read(HERE / "woli.jsonl.gz")
    assert places(read(HERE / "oware.jsonl.gz"), straight.made()).pits == (1, 2, 3, 4, 5, 6, 12, 11, 10, 9, 8, 7)
    assert places(record, turned.made()).pits == (5, 4, 3, 2, 1, 0, 6, 7, 8, 9, 10, 11)
    assert places(record, turned.made(), mirrored=False).pits == (0, 1, 2, 3, 4, 5, 11, 10, 9, 8, 7, 6)
    assert places(record, turned.made(), pits=range(12)).pits == tuple(range(12))


def test_tracks_that_a_choice_names_are_directions():
    sites = {site: (site % 6, site // 6) for site in range(12)}
    loop = (0, 1, 2, 3, 4, 5, 11, 10, 9, 8, 7, 6)
    board = places(record_on(sites, (("TrackCCW", 0, loop), ("TrackCW", 0, loop[::-1]))), mancala.ruleset("oware"))
    assert board.pits == loop
    assert board.directions == {"TrackCCW": (0, 0), "TrackCW": (1, 1), "#1": (0, 0), "#2": (1, 1)}
    state = board.rules.start()
    assert pit_and_direction(board, state, Choice(2, 2, "TrackCCW")) == 2
    assert pit_and_direction(board, state.play(2), Choice(11, 11, "TrackCCW*4")) == 0
    for choice in (Choice(2, 2, "TrackCW"), Choice(2, 2, "TrackCW/TrackCCW"), Choice(2, 2, "#2")):
        with pytest.raises(ValueError, match="one direction only"):
            pit_and_direction(board, state, choice)
    for choice in (Choice(2, 3, ""), Choice(12, 12, ""), Choice(-1, -1, "")):
        with pytest.raises(ValueError, match="no pit is sown by"):
            pit_and_direction(board, state, choice)


def test_tracks_of_one_player_go_by_their_name_without_the_player():
    sites = {site: (site % 3, site // 3) for site in range(12)}
    south, north = (0, 1, 2, 5, 4, 3), (6, 7, 8, 11, 10, 9)
    tracks = (("CCW1", 1, south), ("CCW2", 2, north), ("CW1", 1, south[::-1]), ("CW2", 2, north[::-1]))
    board = places(record_on(sites, tracks), mancala.ruleset("hus", board=four_rows(3), start=[2] * 12))
    assert board.pits == (0, 1, 2, 5, 4, 3, 11, 10, 9, 6, 7, 8)
    assert (board.directions["CCW"], board.directions["CW"]) == ((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("entry", "change", "said"),
    [
        (Played("kalah:pits_per_row=5"), {}, "kalah has 2 rows of 5 pits, the recorded board rows of 6, 6 sites; give"),
        (Played("hus:pits_per_row=6,start=[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]"), {}, "has 4 rows of 6"),
        (Played("kalah"), {"players": 3}, "3 players; our games have two"),
        (Played("kala"), {}, "unknown game 'kala'; did you mean 'kalah'?"),
    ],
)
def test_a_board_that_does_not_fit_is_refused(entry, change, said):
    record = replace(read(HERE / "kalah.jsonl.gz"), **change)
    with pytest.raises(MisfitError) as error:
        replay(record, entry)
    assert said in str(error.value)
    assert str(error.value).startswith("kalah: ")


def test_more_seeds_than_ours_are_a_difference():
    report = replay(read(HERE / "kalah.jsonl.gz"), Played("kalah:seeds=3"))
    assert report.agreed == 0
    assert report.differences[0].text.startswith("the recorded position is none of ours: kalah: 48 seeds are more than")


# What explains a difference explains that one only.


@pytest.mark.parametrize(
    ("name", "explanation", "rules"),
    [
        ("uril", explained.pushed_past_origin, None),
        ("yovodji", explained.pushed_past_origin, None),
        ("fondji", explained.refuses_the_only_slam, "oware:majority_stop=false"),
        ("leyla_gobale_somaliland", explained.ends_when_a_side_is_stuck, None),
        ("um_el_bil", explained.fixed_first_move, mancala.ruleset("um_el_bil").changes(opening=())),
        ("uril", explained.only_a_majority_wins, None),
        ("main_chongkak", of_two_rows.ends_between_laps, None),
        ("pachgarhwa", of_two_rows.ends_with_few_seeds_between_laps, None),
        ("foji", of_two_rows.feeds_with_the_first_lap, None),
        ("awari", of_oware.draws_when_nobody_can_move, None),
        ("oware__awari_suggested", of_oware.leaves_seeds_to_the_opponent, None),
        ("quela", of_quela.begins_with_small_pits, None),
        ("andot", of_left_and_right.holds_lone_seeds_back, None),
        ("waache_waledat", of_left_and_right.goes_on_in_the_same_direction, None),
        ("lobudok", of_lobudok.plays_an_end_column, None),
        ("misoro_tsoro", of_misoro_tsoro.stops_at_a_special_pit, None),
        ("misoro_tsoro_additional_capture", of_misoro_tsoro.spares_special_pits, None),
        ("misoro_tsoro_additional_capture", of_misoro_tsoro.leaves_a_pick_to_the_opponent, None),
        ("mwambulula", of_mwambulula.brings_the_hand_in, None),
        ("tchela", of_tchela.plays_the_extra_pit, None),
        ("i_pere", of_i_pere.sows_the_store, None),
        ("mbelele", of_mbelele.plays_single_seeds, None),
        ("kisolo", of_kisolo.captures_before_sowing, None),
        ("gifia", of_gifia.takes_pits_beside, None),
        ("kisolo", of_kisolo.passes_after_a_capture, None),
        ("kisolo", of_kisolo.loses_the_outer_row, None),
        ("lontu_holo", of_lontu_holo.gives_a_seed_away, None),
        ("lontu_holo", of_lontu_holo.has_nobody_to_give_to, None),
        ("tsoro_baia", of_tsoro_baia.earns_fewer_picks, None),
        ("mangala_turkey.more_seeds", of_two_rows.chains_back_to_the_next_pit_at_most, None),
        ("english_wari_st_lucia.more_seeds", explained.pushed_past_origin, None),
        ("duene.more_seeds", of_selection.looks_for_fours_from_the_first_pit_to_the_last, None),
        ("daramuti.more_seeds", of_chosen_directions.ends_within_a_turn, None),
        ("o_an_quan.more_seeds", of_o_an_quan.ends_with_a_long_lap, None),
    ],
)
def test_differences_of_a_game_are_left_unexplained_without_their_explanation(name, explanation, rules):
    entry = RECORDED[name.split(".")[0]]
    if rules is not None:  # rules that need the explanation
        entry = replace(entry, rules=rules, explained=(*entry.explained, explanation))
    others = tuple(one for one in entry.explained if one is not explanation)
    one, found = first_explained(name, explanation, entry)
    assert len(replay(one, replace(entry, explained=others)).differences) == len(found)


def first_explained(name, explanation, entry=None, kind=None):
    """The first game of a file in which there are such differences, as a record, and these."""
    record, entry = read(HERE / f"{name}.jsonl.gz"), entry or RECORDED[name.split(".")[0]]
    for game in record.games:
        one = replace(record, games=(game,))
        differences = replay(one, entry).explained.get(explanation, [])
        if found := [difference for difference in differences if kind in (None, difference.kind)]:
            return one, found
    raise AssertionError(f"{name}: {explanation.__name__} explains nothing")


@pytest.mark.parametrize(
    ("name", "explanation", "kind", "noted"),
    [
        ("andot", of_left_and_right.holds_lone_seeds_back, Kind.END, {"variables": {of_left_and_right.PASSES: 1}}),
        ("i_pere", of_i_pere.sows_the_store, Kind.LEGAL, {"variables": dict.fromkeys(of_i_pere.SOWN, 1)}),
        ("mbelele", of_mbelele.plays_single_seeds, Kind.LEGAL, {"variables": {of_mbelele.CLOCKWISE: 0}}),
        ("tsoro_baia", of_tsoro_baia.earns_fewer_picks, Kind.MOVER, {"variables": {of_tsoro_baia.CAPTURES: 2}}),
        (
            "waache_waledat",
            of_left_and_right.goes_on_in_the_same_direction,
            Kind.LEGAL,
            {"variables": {"Direction": 0}},
        ),
        (
            "misoro_tsoro_additional_capture",
            of_misoro_tsoro.leaves_a_pick_to_the_opponent,
            Kind.PASS,
            {"variables": {of_misoro_tsoro.DUE: 0}},
        ),
        (
            "o_an_quan.more_seeds",
            of_o_an_quan.lays_out_at_the_end_of_a_turn,
            Kind.PASS,
            {"values": (5, 5)},
        ),  # enough for a row
        ("duene.more_seeds", of_selection.goes_on_from_the_last_pit_before, Kind.PASS, {"mover": 0}),
    ],
)
def test_an_explanation_asks_what_the_program_has_noted_before(name, explanation, kind, noted):
    for difference in first_explained(name, explanation, kind=kind)[1]:
        assert explanation(difference)
        assert not explanation(replace(difference, before=difference.before._replace(**noted)))


def test_a_largest_pit_of_quela_is_played_once():
    explanation = of_quela.begins_with_small_pits
    _, differences = first_explained("quela", explanation)
    after_a_loss = [one for one in differences if one.state.stores[1 - one.state.player] >= of_quela.LOSS]
    assert after_a_loss
    for difference in after_a_loss:
        once_more = difference.before._replace(variables=dict.fromkeys(of_quela.LARGEST, 1))
        assert not explanation(replace(difference, before=once_more))


def test_a_pass_of_kisolo_follows_a_turn_that_ends_with_a_capture():
    explanation = of_kisolo.passes_after_a_capture
    for difference in first_explained("kisolo", explanation)[1]:
        before, action = difference.last
        for other in before.legal_actions:
            assert explanation(replace(difference, last=(before, other))) == (other == action)


def test_a_turn_of_duene_that_passes_does_so_at_an_empty_pit():
    explanation = of_selection.goes_on_from_the_last_pit_before
    report = replay(read(HERE / "duene.more_seeds.jsonl.gz"), RECORDED["duene"])
    passes = [one for one in report.explained[explanation] if one.kind is Kind.PASS]
    for difference in passes:
        for pit, seeds in enumerate(difference.state.pits):
            site = pit + 1 if pit < 6 else 18 - pit
            before = difference.before._replace(variables={"To": site})
            assert explanation(replace(difference, before=before)) == (seeds == 0)


EVERYTHING = (
    explained.pushed_past_origin,
    explained.refuses_the_only_slam,
    explained.ends_when_a_side_is_stuck,
    explained.fixed_first_move,
    explained.ends_by_vote,
    explained.only_a_majority_wins,
    of_two_rows.ends_between_laps,
    of_two_rows.ends_with_few_seeds_between_laps,
    of_two_rows.feeds_with_the_first_lap,
)


@pytest.mark.parametrize(
    "change",
    [
        move_a_seed,
        put_a_seed_from_a_store_back,
        choose_an_empty_pit,
        pass_instead,
        score_otherwise,
        stop_early,
        play_on,
    ],
)
def test_no_explanation_covers_what_is_wrong(change, tmp_path):
    lines = lines_of("kalah")
    change(lines[1])
    report = replay(read(write(tmp_path / "kalah.jsonl.gz", lines)), replace(RECORDED["kalah"], explained=EVERYTHING))
    assert report.differences
    assert not report.explained


def test_a_seed_pushed_past_the_origin_explains_no_other_board(tmp_path):
    lines = lines_of("uril")
    for ply in lines[1]["plies"][14:]:
        ply[3][8], ply[3][9] = ply[3][9], ply[3][8]
    first = replayed(write(tmp_path / "uril.jsonl.gz", lines)).differences[0]
    assert (first.seed, first.ply, first.kind) == (0, 14, Kind.BOARD)


def test_a_first_move_is_prescribed_at_the_start_only(tmp_path):
    lines = lines_of("um_el_bil")
    del lines[1]["plies"][2][1][0]
    lines[1]["plies"][2][2] -= 1
    report = replayed(write(tmp_path / "um_el_bil.jsonl.gz", lines))
    assert [(one.seed, one.ply, one.kind) for one in report.differences] == [(0, 2, Kind.LEGAL)]


# Games that open with plies that ours do not have, and records that break off.


def test_an_opening_that_is_left_out_has_no_choices(tmp_path):
    lines = lines_of("njombwa_one_counter")
    lines[1]["plies"][3][1].append(1)
    first = replayed(write(tmp_path / "njombwa_one_counter.jsonl.gz", lines)).differences[0]
    assert (first.seed, first.ply, first.kind) == (0, 20, Kind.START)
    assert first.text == "our game leaves out a recorded ply in which there is a choice"


def test_a_game_that_begins_after_an_opening_starts_as_ours(tmp_path):
    lines = lines_of("njombwa_one_counter")
    lines[1]["plies"][19][3][:2] = [1, 1]
    first = replayed(write(tmp_path / "njombwa_one_counter.jsonl.gz", lines)).differences[0]
    assert (first.seed, first.ply, first.kind) == (0, 20, Kind.START)
    assert first.text.startswith("the game starts from njombwa_one_counter 0-2-0-2-")


def test_a_record_that_breaks_off_within_a_turn_is_compared_lap_by_lap(tmp_path):
    lines = lines_of("nchayo")
    plies = lines[1]["plies"]
    assert len(plies) == 900  # the last turn goes round for ever
    plies[40][3][:2] = [seeds + 1 for seeds in plies[40][3][:2]]
    report = replayed(write(tmp_path / "nchayo.jsonl.gz", lines))
    assert (report.differences[0].seed, report.differences[0].kind) == (0, Kind.BOARD)


def test_rules_of_the_first_plies_do_not_apply_again_after_a_difference(tmp_path):
    lines = lines_of("muvalavala_luena")
    plies = lines[1]["plies"]
    later = next(ply for ply in plies[20:] if len(ply[1]) > 5)
    later[1].remove(next(site for site in later[1] if site != later[1][later[2]]))
    later[2] = min(later[2], len(later[1]) - 1)
    report = replayed(write(tmp_path / "muvalavala_luena.jsonl.gz", lines))
    assert {one.kind for one in report.differences} <= {Kind.LEGAL, Kind.BOARD}
    assert {one.ply for one in report.differences} == {plies.index(later)}
