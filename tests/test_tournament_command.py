"""The command that plays tournaments: what it says, refuses and writes."""

import json
import math
import os
import shlex
import shutil
import tempfile
from pathlib import Path

import pytest

from agents.executors import LocalExecutor
from agents.policy.network import PolicyNetwork
from agents.tournament import command as tournament
from agents.tournament import export, leaderboard
from agents.tournament.event import Event, Player
from agents.tournament.ratings import Rating
from agents.tournament.report import RUNNING, changes, last_look, look
from agents.tournament.run import run_event
from agents.tournament.store import Store
from agents.zoo import FILE_NAME
from tests.event_files import edited, sealed
from tests.processes import bound_by_permissions, wait_until
from tests.tournaments import event_of, games_of, players, report_of


def test_the_page_of_a_running_event_loads_itself_anew_until_the_event_ends_or_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tournament, "LIVE_EVERY", 0.0)
    path, seen = tmp_path / "event.db", []

    def played(event, path, **settings):
        progress = run_event(event, path, **settings)
        page = path.with_suffix(".html")
        seen.append(wait_until(lambda: page.exists() and page.read_text(encoding="utf-8")))
        return progress

    monkeypatch.setattr(tournament, "run_event", played)
    options = ["--pairs", "1", "--processes", "0", "--quiet", "--out", str(path), "--live"]
    assert tournament.main(["--agents", "random", "two [bold]=greedy", *options]) == 0
    (live,), ended = seen, path.with_suffix(".html").read_text(encoding="utf-8")
    for running in (tournament.LOADS_ANEW, RUNNING):
        assert running in live
        assert running not in ended
    said = capsys.readouterr().out
    assert "live:" in said
    assert "two [bold]" in " ".join(said.split())  # names that look like markup are printed as they are

    def failing(*given, **settings):
        played(*given, **settings)
        raise OSError("no more room")

    monkeypatch.setattr(tournament, "run_event", failing)
    assert tournament.main(["--agents", "random", "greedy", *options[:-2], str(tmp_path / "other.db"), "--live"]) == 2
    assert "no more room" in capsys.readouterr().err
    assert tournament.LOADS_ANEW in seen[1]
    assert tournament.LOADS_ANEW not in (tmp_path / "other.html").read_text(encoding="utf-8")


def test_a_report_says_what_is_new_since_the_last_one(tmp_path):
    def line(player, width):
        return Rating(player, 0.0, -width / 2, width / 2, 8, 4.0, 0.5, 0, 0)

    page = tmp_path / "event.html"
    assert last_look(page) is None
    before = look(8, [line("a </script>", 400), line("b", 300)])
    page.write_text(report_of([], before=before, running=True), encoding="utf-8")
    assert last_look(page) == before
    assert changes(None, before) == ""
    assert changes(before, before) == "No game has been added since the last look."
    now = look(12, [line("b", 100), line("c", math.nan), line("a </script>", 200)])
    assert changes(last_look(page), now) == (
        "Since the last look: 4 games more; c is new, at 2; b up from 2 to 1; a </script> down from 1 to 3; an "
        "interval is 150 Elo wide where it was 350 (medians)."
    )
    assert changes(now, before) == "", "another event's"
    for text in (
        "",
        "<p>",
        '<script type="application/json" id="data">{"standings":{"games":"1","players":{}}}</script>',
    ):
        page.write_text(text, encoding="utf-8")
        assert last_look(page) is None


def test_a_leaderboard_is_made_of_several_events(tmp_path, capsys):
    first, second, third = (str(tmp_path / f"{name}.db") for name in "abc")
    for path, agents, rules in (
        (first, ["random", "greedy"], ["oware", "kalah"]),
        (second, ["greedy", "v1-depth1"], ["kalah"]),
        (third, ["greedy=random", "v1-depth1"], ["kalah"]),
    ):
        options = ["--pairs", "2", "--processes", "0", "--quiet", "--no-report", "--out", path]
        assert tournament.main(["--agents", *agents, "--rules", *rules, *options]) == 0
    capsys.readouterr()
    assert leaderboard.main([first, second, "--rating-origin", "greedy"]) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head == "| # | Player | Games | All | kalah | oware |"
    rows = {cells[1]: cells for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[:3])}
    assert {name: cells[2] for name, cells in rows.items()} == {"random": "8", "greedy": "12", "v1-depth1": "4"}
    assert rows["greedy"][3].startswith("0 (")
    assert rows["v1-depth1"][5] == "\N{EN DASH}", "it did not play there"
    assert "greedy has 0" in lines[-1]
    assert leaderboard.main([second, "--nash"]) == 0
    assert "| Player | Share | 95 % | Score | 95 % |" in capsys.readouterr().out
    page = tmp_path / "board.html"
    assert leaderboard.main([second, "--nash", "--out", str(page)]) == 0
    assert "Nash averaging" in page.read_text(encoding="utf-8")
    for wrong, said in (
        ([first, third], "greedy is something else"),
        ([first, "none.db"], "no tournament at none.db"),
        ([first, second, "--nash"], "v1-depth1 and random have none"),
    ):
        assert leaderboard.main(wrong) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "file", "said"),
    [
        ("--out", "event.html", "is the file of the event"), ("--json", "event.db", "is the file of the event"),
        ("--report", "nowhere/page", "--report /"), ("--json", "nowhere/page", "--json /"),
    ],
)  # fmt: skip
def test_what_could_not_be_written_after_the_games_is_refused_before_them(option, file, said, tmp_path, capsys):
    options = ["--agents", "random", "greedy", "--pairs", "1", "--out", str(tmp_path / "event.db")]
    assert tournament.main([*options, option, str(tmp_path / file)]) == 2
    assert said in capsys.readouterr().err
    assert not os.listdir(tmp_path)


def test_what_is_wrong_in_a_file_is_said_with_its_name(tmp_path, capsys):
    file, out = tmp_path / "file", str(tmp_path / "event.db")
    options = ["--agents", "random", "greedy", "--rules", "oware", "--openings", str(file), "--out", out]
    start = "oware 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
    for content, said in (
        (f"{start}\nnonsense\n".encode(), f"'nonsense' is no running position of oware; one looks like '{start}'"),
        (b"# mine\n", f"{file} holds no openings"),
        (b"\xff", f"{file} is no text"),
    ):
        file.write_bytes(content)
        assert tournament.main(options) == 2
        assert said in capsys.readouterr().err
    file.write_text('[Game "1"]\n[Rules "oware"]\n')
    assert export.main([str(file), "--check"]) == 2
    assert f": {file}: game 1 of the text has no tag 'Result'" in capsys.readouterr().err


def test_a_policy_of_another_game_is_refused_before_the_first_game(tmp_path, capsys):
    PolicyNetwork("oware", "onehot", (16,)).save(tmp_path / FILE_NAME)
    out = tmp_path / "event.db"
    options = ["--agents", f"mine=policy:path={tmp_path}", "random", "--rules", "kalah", "--out", str(out)]
    assert tournament.main(options) == 2
    assert "mine was trained for oware and does not play kalah as it is here" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.integration
def test_the_command_prints_tables_and_writes_report_and_json(tmp_path, capsys):
    out, content = tmp_path / "event.db", tmp_path / "tables.json"
    options = ["--agents", "weak=random", "strong=minimax:depth=2", "greedy", "--rules", "kalah", "oware"]
    options += ["--pairs", "3", "--rating-origin", "weak", "--processes", "0", "--out", str(out)]
    kept = ["--json", str(content)]
    assert tournament.main([*options, *kept]) == 0
    said = capsys.readouterr().out
    assert "kalah, oware: 3 players, round robin, 36 games" in said
    assert all(text in said for text in ("weak", "strong", "under kalah", "under oware", "Elo", str(out)))
    tables = json.loads(content.read_text())
    assert Event.from_dict(tables["event"]).players == players("weak=random", "strong=minimax:depth=2", "greedy")
    assert tables["games"] == sum(tables["reasons"].values()) == 36
    assert next(rating["player"] for rating in tables["ratings"]) == "strong"
    assert next(rating for rating in tables["ratings"] if rating["player"] == "weak")["rating"] == 0
    assert sum(rating["points"] for rating in tables["ratings"]) == 36
    assert set(tables["ratings_by_rules"]) == {"kalah", "oware"}
    assert tables["provenance"]["seed"] == 0
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    assert all(name in page for name in ("weak", "strong", "36"))
    written = content.read_bytes()
    assert tournament.main(["--resume", str(out), *kept]) == 0
    assert json.loads(content.read_text())["ratings"] == json.loads(written)["ratings"]
    assert tournament.main(options) == 0  # the same command shows a finished event again
    capsys.readouterr()
    assert tournament.main([*options, "--pairs", "4"]) == 2
    assert "holds another event: its pairs is 3, not 4" in capsys.readouterr().err


@pytest.fixture
def foreign(tmp_path):
    """An event of somebody else, whose "greedy" is a program, and what that program writes."""
    marker, path = tmp_path / "it ran", tmp_path / "event.db"
    spec = f"cmd:touch {shlex.quote(str(marker))}"
    with Store(path, Event((Player("greedy", spec), Player("random", "random")), ("kalah",), pairs=1)):
        pass
    return path, spec, marker


@pytest.mark.parametrize("agents", [[], ["greedy", "random"], ["random"], ["greedy=greedy", "random=random"]])
def test_a_file_names_programs_that_do_not_run(agents, foreign, capsys):
    path, spec, marker = foreign
    named = ["--agents", *agents] if agents else []
    assert tournament.main(["--resume", str(path), *named]) == (2 if agents else 0)
    said = capsys.readouterr()
    assert shlex.quote(f"greedy={spec}") in (said.err if agents else said.out)
    assert agents or "--resume" in said.out
    assert not marker.exists()
    assert not games_of(path)


@pytest.mark.integration
@pytest.mark.parametrize(("how", "anew"), [("agents", []), ("other order", ["--again"]), ("trust", [])])
def test_who_names_the_programs_or_trusts_the_file_runs_them(how, anew, foreign, capsys):
    path, spec, marker = foreign
    words = {"agents": ["--agents", f"greedy={spec}", "random"], "other order": ["--agents", "random", spec]}
    more = ["--no-report", "--processes", "0", "--sandbox", "none"]
    assert tournament.main(["--resume", str(path), *words.get(how, ["--trust"]), *anew, *more]) == 0
    assert marker.exists()
    assert len(games_of(path)) == 2
    capsys.readouterr()
    assert tournament.main(["--resume", str(path), "--no-report"]) == 0
    assert "all 2 games were stored" in capsys.readouterr().out
    marker.unlink()
    assert tournament.main(["--resume", str(path), "--no-report", "--again"]) == 0
    said = capsys.readouterr().out
    assert "no game was played" in said
    assert said.splitlines()[1].endswith(" --again")
    assert not marker.exists()


def test_an_event_in_a_folder_that_cannot_be_written_to_is_shown(capsys):
    folder = Path(tempfile.mkdtemp(prefix="mancala-event-"))  # not tmp_path, which nobody else may enter
    path = folder / "event.db"
    try:
        run_event(event_of("a=random", "b=greedy", pairs=1), path, executor=LocalExecutor(0))
        for place, mode in ((path, 0o444), (folder, 0o555)):
            place.chmod(mode)
        with bound_by_permissions():
            with pytest.raises(PermissionError):
                (folder / "written").touch()
            assert tournament.main(["--resume", str(path)]) == 0
        assert {file.name for file in folder.iterdir()} == {"event.db"}
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    said = capsys.readouterr()
    assert all(word in said.out for word in ("all 2 games", "a ", "b ", "no report was written", "--report FILE"))
    assert "event.html: Permission denied" in said.out
    assert said.err == ""


def test_a_file_cannot_write_into_the_terminal(tmp_path, capsys):
    path = tmp_path / "event.db"
    run_event(event_of("a=random", "b=greedy", pairs=1), path, executor=LocalExecutor(0))
    edited(path, "UPDATE pairings SET one = 'a' || char(27) || '[2J'")
    sealed(path)
    assert tournament.main(["--resume", str(path), "--no-report"]) == 2
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "a\\x1b[2J" in said.err
    edited(path, "UPDATE event SET content = replace(content, '\"a\"', '\"a\\u001b[2J\"')")
    sealed(path)
    assert tournament.main(["--resume", str(path), "--no-report"]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "a?[2J" in said.out
