"""Games and tables of tournaments as text and CSV."""

import csv
import io
import sqlite3
from dataclasses import replace

import pytest

import mancala_env as mancala
from agents.tournament import command as tournament
from agents.tournament import export
from agents.tournament.event import Event, Player
from tests.games import CORE
from tests.tournaments import Seat, event_of, one_game, play, text_of

HOSTILE = 'a"b\\c]d[Result "1-0"]\nWhite, "\x85\u2028;\tend\\'


@pytest.fixture(scope="module")
def every_game(tmp_path_factory):
    """Games of every kind of ruleset, of hostile players, with faults and adjudicated ones."""
    folder = tmp_path_factory.mktemp("every")
    two = (Player(HOSTILE, "random"), Player("greedy", "greedy"))
    event = Event(players=two, rules=CORE, pairs=1)
    records = play(event, folder / "event.db")
    kalah = replace(event, rules=("kalah",), max_plies=9)
    records += play(kalah, folder / "short.db")
    faulty = replace(records[0], fault=0, winner=1, reason="crash", detail=HOSTILE, scores=None, times=(0.1, 1e-7))
    unmoved = replace(faulty, actions=(), fault=1, winner=0, reason="start", detail="")
    return [*records, replace(faulty, actions=faulty.actions[:5]), unmoved]


@pytest.mark.integration
def test_games_are_read_from_text_as_they_were_written(every_game, tmp_path):
    text = text_of(every_game)
    assert export.read_games(text) == [replace(record, thoughts=()) for record in every_game]
    some = text_of(every_game[-8:])
    assert export.read_games(some.replace("\n", "\r\n")) == [replace(record, thoughts=()) for record in every_game[-8:]]
    path = tmp_path / "games.pgn"
    path.write_text(text, encoding="utf-8", newline="")
    assert export.main([str(path), "--check"]) == 0
    assert max(map(len, text.split("\n"))) < 400
    assert {record.reason for record in every_game} >= {"crash", "start", "ply_limit"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('[Result "0-1"]', '[Result "2-0"]', "the moves should end with the result '2-0'"),
        ("0-1\n", "1-0\n", "the moves should end with the result '0-1'"),
        ('[Reason "side_empty"]', '[Reason "majority"]', "and the result says winner 1 by majority"),
        ('[Scores "', '[Scores "1', "and the result says"),
        ('[Rules "kalah"]', '[Rules "oware"]', "game 0: "),
        ('[South "', '[Soth "', "game 1 of the text has no tag 'South'"),
        ('[Seeds "', '[Seeds "x', "game 0: "),
        ('[White "', "[White ", "is no tag"),
    ],
)
def test_a_text_that_was_tampered_with_is_found_out(old, new, said):
    record = one_game(Seat(), Seat())
    assert record.winner == 1
    text = export.game_text(record, mancala.ruleset("kalah"))
    export.read_games(text)
    assert old in text
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is looked at below
        export.read_games(text.replace(old, new))
    assert said in str(caught.value)


def test_moves_and_results_that_nobody_could_have_are_found_out():
    record, short = one_game(Seat(), Seat()), one_game(Seat(), Seat(), max_plies=9)
    rules, actions, moves = mancala.ruleset("kalah"), record.actions, [(*record.actions, 0)]
    for place in range(0, 12, 3):  # a move is changed, left out, or the end is missing
        moves += [(*actions[:place], *more, *actions[place + 1 :]) for more in ([5 - actions[place]], [])]
        moves.append(actions[: -1 - place])
    for changes in (
        *({"actions": tampered} for tampered in moves),
        {"winner": 0}, {"winner": None}, {"reason": "repetition"}, {"reason": "crash"}, {"scores": None},
        {"fault": 0}, {"fault": 0, "reason": "crash"}, {"reason": "tablebase"}, {"reason": "ply_limit"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            export.check(replace(record, **changes), rules)
    export.check(short, rules)
    for winner in {None, 0, 1} - {short.winner}:
        with pytest.raises(ValueError, match=r"with a running game, .* by ply_limit"):
            export.check(replace(short, winner=winner), rules)


def test_the_table_is_read_by_csv_and_by_pandas(every_game):
    pandas = pytest.importorskip("pandas")
    text = "".join(export.written("csv", every_game))
    wanted = list(export.rows(every_game))
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert read == [{key: "" if value is None else str(value) for key, value in row.items()} for row in wanted]
    frame = pandas.read_csv(io.StringIO(text, newline=""), keep_default_na=False, na_values={"winner": [""]})
    assert frame["south"].tolist() == [row["south"] for row in wanted]
    assert frame["detail"].tolist() == [row["detail"] for row in wanted]
    assert frame["plies"].tolist() == [len(record.actions) for record in every_game]
    assert frame["winner"].isna().sum() == sum(record.winner is None for record in every_game)


def test_games_that_are_played_many_at_once_have_no_time_in_the_file_and_in_what_is_made_of_it(tmp_path, capsys):
    event, path = event_of(pairs=2), tmp_path / "event.db"
    records = play(event, path)
    base = sqlite3.connect(path)
    assert set(base.execute("SELECT south_time, north_time FROM played")) == {(None, None)}
    base.close()
    assert {record.times for record in records} == {(None, None)}
    assert [row["south_time"] for row in export.rows(records)] == [None] * 4
    written = text_of(records)
    assert "Times" not in written
    assert export.read_games(written) == records
    assert tournament.main(["--resume", str(path), "--processes", "0"]) == 0
    timed = [replace(record, times=(0.5, 1e-7)) for record in records]
    assert export.read_games(text_of(timed)) == timed
