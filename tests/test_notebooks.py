"""The notebooks are stored without output, and each of them runs to its end in a fresh kernel."""

import os
import re
from pathlib import Path

import pytest

from docs import notebooks
from mancala_env.kernels.jit import COMPILING

nbformat = pytest.importorskip("nbformat")
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 600  # for a cell; on two idle cores no notebook takes two minutes


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def test_it_is_stored_as_if_it_had_never_run_and_its_cells_are_short_and_define_nothing(notebook):
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.cells[0].source.startswith("# ")
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert not any(cell.metadata for cell in notebook.cells)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].source.startswith("%cd -q ..\n")
    boards = [cell.id for cell in code if re.search(r"^PlayWidget\(", cell.source, re.MULTILINE)]
    assert boards in ([code[0].id], [code[1].id]), "a board to play on comes first, or with one's own game"
    own = {"own-training-06", "own-training-08", "own-training-10"}  # a reader's own classes are what that one is about
    for cell in code:
        assert not cell.outputs, f"{cell.id}: clear the outputs (python -m nbconvert --clear-output --inplace)"
        assert cell.execution_count is None, cell.id
        assert len(cell.source.splitlines()) <= 20, cell.id
        defines = re.search(r"^\s*(def|class) ", cell.source, re.MULTILINE)
        assert cell.id in own or not defines, f"{cell.id}: that belongs in a module"


def test_training_of_ones_own_takes_twenty_lines():
    notebook = nbformat.read(FOLDER / "07_own_training.ipynb", as_version=4)
    cells = {cell.id: cell.source for cell in notebook.cells}
    parts = [cells[f"own-training-{part}"] for part in ("04", "06", "08", "11")]
    lines = [line for part in parts for line in part.splitlines() if line and not line.startswith("watch = ")]
    assert len(lines) <= 20
    for said in ("Ruleset(", "class Ring(nn.Module)", "class Taker:", "rules=EBB, network=Ring, opponents=[Taker()]"):
        assert any(said in line for line in lines)
    assert not any("RULESETS" in source or "NETWORKS" in source for source in cells.values())


def test_the_list_of_notebooks_is_complete():
    assert [path.stem[:2] for path in NOTEBOOKS] == [f"{number:02}" for number in range(1, 10)]
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((.+?\.ipynb)\)", told) == [path.name for path in NOTEBOOKS]


@pytest.mark.pages
def test_it_runs(request, notebook, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setitem(os.environ, "MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setitem(os.environ, "JUPYTER_PLATFORM_DIRS", "1")
    before = set(ROOT.glob("[!.]*"))  # but for the caches of tools, which may be running beside
    nbclient.NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    said = [output.text for output in shown if output.output_type == "stream" and output.name == "stderr"]
    lines = [line for text in said for line in text.splitlines()]
    # Jupyter may say what it likes; of this project only that a fresh machine waits for its kernels.
    ours = [line for line in lines if re.search(r"mancala|agents|training|Traceback", line)]
    assert all(line.startswith(COMPILING) for line in ours), lines
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert set(ROOT.glob("[!.]*")) == before, "what a notebook writes belongs into a temporary folder"
    if os.environ.get(notebooks.CACHE):  # for the site; never into the cache of whoever runs the tests
        notebooks.keep(request.node.callspec.params["notebook"], nbformat.writes(notebook))


def test_what_is_kept_is_of_this_notebook_and_this_engine(tmp_path, monkeypatch):
    monkeypatch.setenv(notebooks.CACHE, str(tmp_path))
    place = notebooks.kept(NOTEBOOKS[0])
    assert place.parent == tmp_path
    assert notebooks.kept(NOTEBOOKS[0]) == place
    copy = tmp_path / NOTEBOOKS[0].name
    copy.write_bytes(NOTEBOOKS[0].read_bytes() + b"\n")
    monkeypatch.setattr(notebooks, "_packages", lambda: "another")
    assert len({place, notebooks.kept(copy), notebooks.kept(NOTEBOOKS[0])}) == 3
