"""The benchmark measures what it says: its kernels play the same games as ``Batch``, and its command runs."""

import pytest

pytest.importorskip("rich")

from tests.benchmarks import speed
from tests.benchmarks.specialised import disagreement


@pytest.mark.parametrize("game", ["oware", "kalah"])
def test_kernels_by_hand_agree_with_batch(game):
    assert disagreement(game, 64, 1200, seed=5) is None


def test_command(tmp_path, capsys):
    speed.main(["--only", "rows", "--runs", "1", "--markdown", str(tmp_path / "figures.md")])
    assert "position row, oware" in capsys.readouterr().out
    page = (tmp_path / "figures.md").read_text()
    assert page.startswith("# Speed\n")
    assert "| position row, kalah | 36 bytes |" in page


def test_ratios_are_of_neighbouring_runs():
    rates, own = iter([10.0, 100.0, 20.0]), iter([20.0, 400.0, 20.0])
    loops = [
        speed.Loop("peer", lambda: next(rates)),
        speed.Loop("own", lambda: next(own), peer="peer"),
        speed.Loop("once", lambda: 7.0, unit="bytes", repeat=False),
    ]
    lines = speed.measure(loops, 3)
    assert [line.ratios for line in lines] == [[], [2.0, 4.0, 1.0], []]
    assert lines[1].cells()[3] == "2.00 x"
    assert lines[2].values == [7.0]


def test_unknown_group_is_refused():
    with pytest.raises(SystemExit):
        speed.main(["--only", "nothing"])
