"""Benchmarks measure what they say, and all commands run."""

from pathlib import Path

import pytest

pytest.importorskip("rich")

from tests.benchmarks import frame, speed
from tests.processes import python


def test_figures_are_printed_and_written_and_unknown_groups_refused(tmp_path, capsys):
    speed.main(["--only", "rows", "--runs", "1", "--markdown", str(tmp_path / "figures.md")])
    assert "position row, oware" in capsys.readouterr().out
    page = (tmp_path / "figures.md").read_text()
    assert page.startswith("# Speed\n")
    assert "| position row, kalah | 36 bytes |" in page
    with pytest.raises(SystemExit):
        speed.main(["--only", "nothing"])


def test_ratios_are_of_neighbouring_runs():
    rates, own = iter([10.0, 100.0, 20.0]), iter([20.0, 400.0, 20.0])
    loops = [
        frame.Loop("peer", lambda: next(rates)),
        frame.Loop("own", lambda: next(own), peer="peer"),
        frame.Loop("once", lambda: 7.0, unit="bytes", repeat=False),
    ]
    lines = frame.measure(loops, 3)
    assert [line.ratios for line in lines] == [[], [2.0, 4.0, 1.0], []]
    assert lines[1].cells()[3] == "2.00 x"
    assert lines[2].values == [7.0]


DOCUMENTED = {"strength"}  # run in ``test_documented_commands.py`` in all its ways
# The least of every other benchmark, and what it prints of each of its groups.
SMALL = {
    "speed --games 100 --runs 1": [title for title, _ in speed.GROUPS.values()],
    "search --moves 1": ["ms beyond 0.1 s"],
    "first_use kalah --only State.play": ["State.play", "kernels on disk"],
    "ladder kalah --pairs 1 --out /dev/null": ["Master"],
}


@pytest.mark.integration
@pytest.mark.parametrize("command", SMALL)
def test_every_benchmark_runs(command):
    said, _ = python("-m", *f"tests.benchmarks.{command}".split())
    assert [told for told in SMALL[command] if told not in said] == []


def test_no_benchmark_is_left_out():
    files = Path(speed.__file__).parent.glob("*.py")
    commands = {path.stem for path in files if "__main__" in path.read_text(encoding="utf-8")}
    assert {command.split()[0] for command in SMALL} | DOCUMENTED == commands
