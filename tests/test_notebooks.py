"""The notebooks are stored without output, and each of them runs to its end in a fresh kernel."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from docs import notebooks
from mancala_env.kernels.jit import COMPILING

nbformat = pytest.importorskip("nbformat")
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 600  # for a cell; on two idle cores no notebook takes two minutes


def read(path):
    return nbformat.read(path, as_version=4)


def visible():
    """What lies in the repository, but for the caches of tools, which may be running beside."""
    return {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return read(request.param)


def test_there_are_eight():
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06", "07", "08"]


def test_it_is_a_notebook_of_the_format_with_cell_ids(notebook):
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)


def test_it_is_stored_as_if_it_had_never_run(notebook):
    for cell in notebook.cells:
        assert not cell.metadata, cell.id
        if cell.cell_type == "code":
            assert not cell.outputs, f"{cell.id}: clear the outputs (python -m nbconvert --clear-output --inplace)"
            assert cell.execution_count is None, cell.id


def test_it_begins_with_a_title_and_in_the_root_of_the_repository(notebook):
    assert notebook.cells[0].source.startswith("# ")
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert first.source.startswith("%cd -q ..\n")


def test_cells_are_short_and_define_nothing(notebook):
    own = {"own-training-06", "own-training-08", "own-training-10"}  # a reader's own classes are what that one is about
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert len(cell.source.splitlines()) <= 20, cell.id
            defines = re.search(r"^\s*(def|class) ", cell.source, re.MULTILINE)
            assert cell.id in own or not defines, f"{cell.id}: that belongs in a module"


def test_training_of_ones_own_takes_twenty_lines():
    cells = {cell.id: cell.source for cell in read(FOLDER / "07_own_training.ipynb").cells}
    parts = [cells[f"own-training-{part}"] for part in ("04", "06", "08", "11")]
    lines = [line for part in parts for line in part.splitlines() if line and not line.startswith("watch = ")]
    assert len(lines) <= 20
    for said in ("Ruleset(", "class Ring(nn.Module)", "class Taker:", "rules=EBB, network=Ring, opponents=[Taker()]"):
        assert any(said in line for line in lines)
    assert not any("RULESETS" in source or "NETWORKS" in source for source in cells.values())


def test_the_list_of_notebooks_is_complete():
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((.+?\.ipynb)\)", told) == [path.name for path in NOTEBOOKS]


@pytest.mark.pages
def test_it_runs(request, notebook, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setitem(os.environ, "MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setitem(os.environ, "JUPYTER_PLATFORM_DIRS", "1")
    before = visible()
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
    assert visible() == before, "what a notebook writes belongs into a temporary folder"
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


def test_a_folder_among_the_pages_of_notebooks_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv(notebooks.CACHE, str(tmp_path / "cache"))
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / NOTEBOOKS[0].name).write_bytes(NOTEBOOKS[0].read_bytes())
    pages = tmp_path / "docs" / "notebooks"
    (pages / ".ipynb_checkpoints").mkdir(parents=True)
    (pages / "old.md").touch()
    notebooks.write_pages(SimpleNamespace(srcdir=tmp_path, tags=SimpleNamespace(has=lambda name: False)))
    assert {path.name for path in pages.iterdir()} == {".ipynb_checkpoints", f"{NOTEBOOKS[0].stem}.md"}
