"""Recorded games of other programs come out as recorded; and whatever differs in a file is found and named."""

import gzip
import json
import re
import shutil
from dataclasses import replace

import pytest

from tests.processes import ROOT
from tests.recorded_games import __main__ as command
from tests.recorded_games import explained
from tests.recorded_games.__main__ import main
from tests.recorded_games.games import ALLOWED, MISSING, RECORDED, RECORDS, entry_of
from tests.recorded_games.places import MisfitError
from tests.recorded_games.records import read
from tests.recorded_games.replay import Kind, Played, replay

FILES = sorted(RECORDS.glob("*.jsonl.gz"))


def lines_of(name):
    return [json.loads(line) for line in gzip.decompress((RECORDS / f"{name}.jsonl.gz").read_bytes()).splitlines()]


def write(path, lines):
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode(), mtime=0))
    return path


def replayed(path):
    record = read(path)
    return replay(record, entry_of(record)[1])


def run(capsys, *paths):
    """The exit status of the command, what it prints of the files, the counts of plies, and the last line."""
    status = main([str(path) for path in paths])
    *output, counts, last = capsys.readouterr().out.splitlines()
    return status, output, counts.removeprefix("plies: "), last


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
    assert report.allowed == ALLOWED.get(file.name.removesuffix(".jsonl.gz"), 0)
    for explanation, differences in report.explained.items():
        if not isinstance(explanation, str):
            for kind in Kind:
                for difference in [one for one in differences if one.kind is kind][:5]:
                    others = [*otherwise(difference)]
                    assert others, difference.text
                    assert not any(map(explanation, others)), (explanation.__name__, difference.text)


def otherwise(difference):
    """Differences that are not those that are recorded: other boards and choices, another position for a pass."""
    pits, stores, legal = [*difference.pits], difference.stores, difference.legal
    if difference.kind is Kind.BOARD and any(pits):
        pit = next(pit for pit, seeds in enumerate(pits) if seeds > 0)
        pits[pit], pits[pit - 3] = pits[pit] - 1, pits[pit - 3] + 1
        yield replace(difference, pits=tuple(pits))
    elif difference.kind is Kind.BOARD:
        yield replace(difference, stores=(stores[0] - 1, stores[1] + 1))
    if difference.kind is Kind.BOARD and stores is not None:
        yield replace(difference, stores=(stores[0] + 1, stores[1]))
    if difference.kind is Kind.LEGAL and legal is not None:
        yield replace(difference, legal=legal - {max(legal)})
    if difference.kind is Kind.PASS:
        start = difference.state.rules.start()
        last = (start, start.legal_actions[0]) if difference.last is not None else None
        yield replace(difference, state=start, last=last)


def test_the_table_is_in_order_and_tells_of_every_recorded_game():
    assert list(RECORDED) == sorted(RECORDED) == sorted({file.name.split(".")[0] for file in FILES})
    assert list(MISSING) == sorted(MISSING)
    assert {*ALLOWED} <= {file.name.removesuffix(".jsonl.gz") for file in FILES}
    assert len({*RECORDED, *MISSING}) == len(RECORDED) + len(MISSING) == 247


def test_the_page_lists_what_is_missing():
    written = (ROOT / "docs" / "recorded_games.md").read_text("utf-8")
    assert dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", written, re.MULTILINE)) == MISSING
    assert all(f" {len(each)} " in written for each in (RECORDED, MISSING, {*RECORDED, *MISSING}))


# The command: a file as it was changed, and what is said.


def cut_a_game(lines):
    del lines[1]["plies"]


@pytest.mark.parametrize(
    ("change", "status", "said", "last"),
    [
        (lambda lines: lines[0].update(game="Katro"), 0, "katro: not played, for our rules lack: six rows", "1 of 1 g"),
        (lambda lines: lines[0].update(game="Kalahh"), 1, "kalahh: no entry in the table says by which", "1 of 2"),
        (cut_a_game, 1, "{path}, line 2: KeyError: 'plies'", "1 of 2 games agree"),
        (lambda lines: lines[1]["plies"].pop(), 1, "{path}, line 2: ValueError: seed 0: plies are missing", "1 of 2"),
        (lambda lines: lines[1].update(end="NaturalEnd", n=46, plies=lines[1]["plies"][:46]), 1,
         "{path}, line 2: ValueError: seed 0: the end is missing", "1 of 2 games agree"),
        (lambda lines: lines[1]["plies"][7][3].pop(), 1, "{path}, line 2: ValueError: seed 0: a ply has other", "1 of"),
        (lambda lines: lines[1]["plies"][7].__setitem__(2, 9), 1,
         "{path}, line 2: ValueError: mover ", "1 of 2 games agree"),
        (lambda lines: lines.__delitem__(slice(1, None)), 1, "{path}: no games", "1 of 2 games agree"),
        (lambda lines: lines.__setitem__(0, []), 1, "{path}, line 1: TypeError", "1 of 2 games agree"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_replayed_is_told_in_one_line_and_the_next_one_is_read(
    change, status, said, last, tmp_path, capsys
):
    lines = lines_of("kalah")
    change(lines)
    path = write(tmp_path / "record.jsonl.gz", lines)
    found, output, _, end = run(capsys, path, RECORDS / "wari.jsonl.gz")
    assert (found, output[1]) == (status, "wari: 6 games, 1215 plies, 1215 agreed")
    assert output[0].startswith(said.format(path=path))
    assert end.startswith(last)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ((RECORDS / "kalah.jsonl.gz").read_bytes()[:-1000], ": Compressed file ended before the end-of-stream"),
        (b"{}", ": Not a gzipped file (b'{}')"),
        (gzip.compress(b"{}", mtime=0)[:10] + b"\xff" * 20, ": Error -3 while decompressing data"),
        (gzip.compress(b"\xff", mtime=0), ": 'utf-8' codec can't decode byte 0xff"),
        (gzip.compress(b'{"game"', mtime=0), ", line 1: JSONDecodeError: "),
        (None, ": [Errno 2] No such file or directory"),
    ],
    ids=["cut", "plain", "garbage", "encoding", "half an object", "missing"],
)
def test_bytes_that_are_no_recorded_games_are_refused(data, said, tmp_path, capsys):
    path = tmp_path / "kalah.jsonl.gz"
    if data is not None:
        path.write_bytes(data)
    status, (output,), _, last = run(capsys, path)
    assert (status, last) == (1, "0 of 1 games agree, 0 differences explained")
    assert output.startswith(f"{path}{said}")


def test_the_command_replays_the_files_that_lie_with_the_tests(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "RECORDS", tmp_path)
    assert run(capsys)[0] == 1  # no files are no agreement
    for name in ("kalah", "uril"):
        shutil.copy(RECORDS / f"{name}.jsonl.gz", tmp_path)
    status, output, _, last = run(capsys)
    assert status == 0
    assert output[0] == "kalah: 6 games, 295 plies, 295 agreed"
    assert output[1] == "uril: 6 games, 578 plies, 576 agreed"
    assert output[2].startswith("  1 predicted: The last seed was pushed past the skipped origin")
    assert "First: game seed 0, ply 14: South plays F; a hold 0, recorded is 2; " in output[2]
    assert output[3].startswith("  1 allowed: nobody wins who has not captured more than half of the seeds. First: ")
    assert last == "2 of 2 games agree, 2 differences explained"


@pytest.mark.parametrize(
    ("name", "change", "counts"),
    [
        ("kalah", True, (294, 0, 0, 1, 0)),
        ("uril", False, (576, 1, 1, 0, 0)),
        ("misoro_tsoro_additional_capture__extra_counters_observed", False, (263, 0, 4, 0, 0)),
        ("english_wari_st_lucia.more_seeds", False, (527, 1, 0, 0, 8)),
    ],
)
def test_the_last_line_but_one_counts_plies_by_how_they_are_compared(name, change, counts, tmp_path, capsys):
    lines = lines_of(name)
    if change:
        del lines[1]["plies"][2][1][-1]  # a legal choice
    _, _, told, _ = run(capsys, write(tmp_path / f"{name}.jsonl.gz", lines))
    assert told == ", ".join(f"{n} {what}" for n, what in zip(counts, command.COUNTED, strict=True))


@pytest.mark.parametrize("name", ["oware", "shono__children_observed", "leyla_gobale_somaliland"])
def test_a_file_of_another_name_is_known_by_its_header(name, tmp_path):
    assert entry_of(read(write(tmp_path / "games.gz", lines_of(name))))[0] == name


# What differs in a file: each changes the first game of a good one, whose plies are [mover, legal choices, number of
# the chosen one, seeds on each site, next mover], and says what the report must say.


def changed(name, change):
    """The lines of a file with statements about ``seed``, ``start``, ``plies``, ``n``, ``winner`` and so on done."""
    lines = lines_of(name)
    exec(change, {}, lines[1])
    return lines


MOVED = "plies[10][3][8] -= 1; plies[10][3][9] += 1"  # a seed
EMPTY_CHOSEN = "plies[2][1].append(4); plies[2][2] = len(plies[2][1]) - 1"
CHOICE_LEFT_OUT = "del plies[2][1][-1]"
STORE_EMPTIED = "plies[10][3][0] -= 1"
PASSED = "plies.insert(4, [1, [-1], 0, plies[3][3], 1, {'pass': 1}]); n += 1"
SCORED = "score = [31, 17]"
STOPPED = "del plies[20:]; n = 20; plies[19][4] = 0"
PLAYED_ON = "plies[-1][4] = 1; plies.append([1, [1], 0, plies[-1][3], 0]); n += 1"


@pytest.mark.parametrize(
    ("name", "change", "kind", "ply", "said"),
    [
        ("kalah", MOVED, Kind.BOARD, 10, "South plays F; d, e hold 1, 1, recorded is 2, 0"),
        ("kalah", STORE_EMPTIED, Kind.BOARD, 10, "South plays F; stores hold 4, 3, recorded is 4, 2"),
        ("kalah", EMPTY_CHOSEN, Kind.LEGAL, 2, "South may play A, B, C, E, F, recorded is A, B, C, D, E, F"),
        ("kalah", CHOICE_LEFT_OUT, Kind.LEGAL, 2, "South may play A, B, C, E, F, recorded is A, B, C, E"),
        ("kalah", "plies[2][1][-1] = [0, 3]", Kind.LEGAL, 2, "kalah has no such move as the recorded 0 -> 3"),
        ("kalah", "plies[0][4] = plies[1][0] = 1", Kind.MOVER, 1, "North moves, recorded is South"),
        ("kalah", PASSED, Kind.PASS, 4, "South may play A, C, D, E, F, recorded is a pass"),
        ("kalah", "plies[-1][3] = [0] * 13 + [48]", Kind.BOARD, 46, "the recorded board changes with a pass"),
        ("kalah", "winner = 2", Kind.RESULT, 47, "South wins"),
        ("kalah", SCORED, Kind.RESULT, 47, "scores are 32, 16"),
        ("kalah", STOPPED, Kind.END, 20, "North goes on, recorded is the end"),
        ("kalah", PLAYED_ON, Kind.END, 47, "the game is over"),
        ("kalah", "start[3:5] = [3, 5]", Kind.START, 0, "the game starts from kalah 4-4-4-4-"),
        # turns of several laps, as the first of South's, which is the first five plies; marks, rounds
        ("french_wari", "plies[3][4], plies[4][0] = 2, 2", Kind.BOARD, 0, "South plays F; B, C, D, E, F, a, b hold "),
        ("french_wari", "del plies[1]; n -= 1", Kind.BOARD, 0, "South plays F; lap 2 leaves "),
        ("french_wari", "del plies[3]; n -= 1", Kind.BOARD, 0, "South plays F; laps are 5, recorded is 4"),
        ("wari", "plies[3][3][-1] = 1", Kind.BOARD, 3, "North plays"),
        ("leyla_gobale_somaliland", "plies[19][5]['x']['state'] = {'1': 1, '7': 2}", Kind.BOARD, 15,
         "South plays C; marks of e differ"),
        ("sungka", "plies[300][3][0] += 1; plies[300][3][15] -= 1", Kind.BOARD, 299, ""),
        # what explains a difference explains no other one
        ("uril", "for ply in plies[14:]: ply[3][8], ply[3][9] = ply[3][9], ply[3][8]", Kind.BOARD, 14, ""),
        ("um_el_bil", "del plies[2][1][0]; plies[2][2] -= 1", Kind.LEGAL, 2, ""),
        # games that open with plies that ours do not have, and records that break off in an endless turn
        ("njombwa_one_counter", "plies[3][1].append(1)", Kind.START, 20,
         "our game leaves out a recorded ply in which there is a choice"),
        ("njombwa_one_counter", "plies[19][3][:2] = [1, 1]", Kind.START, 20,
         "the game starts from njombwa_one_counter 0-2-0-2-"),
        ("nchayo", "plies[40][3][0] += 1; plies[40][3][1] += 1", Kind.BOARD, 29, ""),
    ],
)  # fmt: skip
def test_a_change_in_a_file_is_reported_with_game_and_ply(name, change, kind, ply, said, tmp_path):
    first, *_ = replayed(write(tmp_path / f"{name}.jsonl.gz", changed(name, change))).differences
    assert (first.seed, first.kind, first.ply) == (0, kind, ply)
    assert first.text.startswith(said)


def test_after_a_difference_the_replay_goes_on_from_what_is_recorded(tmp_path):
    lines = changed("kalah", f"{MOVED}; {CHOICE_LEFT_OUT}")
    report = replayed(write(tmp_path / "kalah.jsonl.gz", lines))
    first, second, *rest = [(one.seed, one.ply, one.kind) for one in report.differences]
    assert (first, second) == ((0, 2, Kind.LEGAL), (0, 10, Kind.BOARD))
    assert {ply for _, ply, _ in rest} == {11}  # the next ply starts from another board than is recorded before it
    assert report.agreed == report.plies - 3


def test_a_proposal_and_a_vote_leave_the_turn_where_it_is(tmp_path):
    lines = lines_of("oware")[:2]
    game = lines[1]
    counts = game["plies"][19][3]
    game["plies"][20][1].append([-1, -1, "propose Propose:vote=End"])
    vote = [2, [[-1, -1, "vote Vote:vote=End"], [-1, -1, "vote Vote:vote=no"]], 0, counts, 1]
    game["plies"][20:20] = [[1, [1, [-1, -1, "propose Propose:vote=End"]], 1, counts, 2], vote]
    game["n"] = len(game["plies"])
    report = replayed(write(tmp_path / "oware.jsonl.gz", lines))
    assert (report.differences, report.agreed) == ([], game["n"])


def test_each_round_is_played_from_its_set_up_or_the_first_alone():
    record, entry = read(RECORDS / "sungka.jsonl.gz"), RECORDED["sungka"]
    each, first = replay(record, entry), replay(record, replace(entry, rounds="first"))
    assert each.between == 431
    assert first.between > 4 * first.agreed > 0
    assert first.agreed + first.between == each.agreed + each.between == each.plies
    (difference, *_) = replay(record, replace(entry, rounds=None)).differences
    assert (difference.kind, difference.seed, difference.ply) == (Kind.END, 0, 165)


def test_a_record_that_is_over_before_our_game_begins_is_not_compared(tmp_path):
    lines = lines_of("makonn.more_seeds")
    (passed,) = [line for line in lines[1:] if len(line["plies"]) == 2]  # both players pass in the set-up
    report = replayed(write(tmp_path / "makonn.jsonl.gz", [lines[0], passed]))
    assert (report.agreed, report.between, report.differences) == (0, 2, [])


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
    record = replace(read(RECORDS / "kalah.jsonl.gz"), **change)
    with pytest.raises(MisfitError) as error:
        replay(record, entry)
    assert said in str(error.value)
    assert str(error.value).startswith("kalah: ")


def test_more_seeds_than_ours_are_a_difference():
    report = replay(read(RECORDS / "kalah.jsonl.gz"), Played("kalah:seeds=3"))
    assert report.agreed == 0
    assert report.differences[0].text.startswith("the recorded position is none of ours: kalah: 48 seeds are more than")


EVERYTHING = (
    explained.pushed_past_origin,
    explained.feeds_with_the_first_lap,
    explained.ends_when_a_side_is_stuck,
    explained.ends_between_laps,
    explained.ends_after_a_capture_on_the_way,
    explained.counts_ends_of_laps,
)


@pytest.mark.parametrize("change", [MOVED, STORE_EMPTIED, EMPTY_CHOSEN, PASSED, SCORED, STOPPED, PLAYED_ON])
def test_no_explanation_covers_what_is_wrong(change, tmp_path):
    path = write(tmp_path / "kalah.jsonl.gz", changed("kalah", change))
    report = replay(read(path), replace(RECORDED["kalah"], explained=EVERYTHING))
    assert report.differences
    assert not report.explained
