"""Notebooks as pages, with the output of their last execution.

A notebook is stored without output. What it printed and drew is kept in the user's cache folder, by the content of the
notebook and of the packages that it uses. ``sphinx-build -t notebooks`` executes those that are missing, which takes a
minute or two each; the slow tests of notebooks keep them only in a folder that ``MANCALA_ENV_NOTEBOOKS`` names. A page
without kept output says so.
"""

import base64
import functools
import hashlib
import os
import posixpath
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from agents.reading import read_json
from mancala_env.kernels.jit import digest

CACHE = "MANCALA_ENV_NOTEBOOKS"  # in the environment: the folder that executed notebooks are kept in
SECONDS = 600  # for a cell
ROOT = Path(__file__).parent.parent
PACKAGES = ("mancala_env", "agents", "training")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)")


def kept(path: Path) -> Path:
    """Where the executed form of a notebook is kept, whether it is there or not."""
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = Path(os.environ.get(CACHE) or f"{user}/mancala_env/notebooks").expanduser()
    content = hashlib.sha256(path.read_bytes() + _packages().encode()).hexdigest()[:16]
    return folder / f"{path.stem}-{content}.ipynb"


@functools.cache
def _packages() -> str:
    """A digest of the Python files of what notebooks use: a page shows what this engine does."""
    folders = (folder for name in PACKAGES for folder in sorted((ROOT / name).rglob("*")))
    return digest((*(ROOT / name for name in PACKAGES), *(folder for folder in folders if folder.is_dir())))


def keep(path: Path, executed: str) -> None:
    """Keep the executed form of a notebook, as text; where nothing can be written, it is not kept."""
    place = kept(path)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(f".{os.getpid()}")
        part.write_text(executed, encoding="utf-8")
        part.replace(place)
    except OSError:
        return


def execute(path: Path) -> None:
    """Execute a notebook and keep what it shows. Raises ``nbclient.exceptions.CellExecutionError`` if a cell fails."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    keep(path, nbformat.writes(notebook))


def page(notebook: Mapping[str, Any], name: str, executed: bool) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown for the folder ``docs/notebooks``, and the pictures that it shows, by name of file."""
    pictures: dict[str, bytes] = {}
    parts = []
    for cell in notebook["cells"]:
        text = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(_LINK.sub(_moved, text))
            continue
        parts.append(_fenced(text, "python"))
        for output in cell.get("outputs", ()):
            parts.extend(_shown(output, name, pictures))
    said = "executed" if executed else "not executed on the machine that built this page, so without output"
    first, *rest = parts or [f"# {name}"]
    note = f"This is [{name}.ipynb](../../notebooks/{name}.ipynb), {said}."
    return "\n\n".join(["---\norphan: true\n---", first, note, *rest]) + "\n", pictures


def _moved(link: re.Match[str]) -> str:
    return f"]({posixpath.relpath(posixpath.join('notebooks', link[1]), 'docs/notebooks')}"


def _fenced(text: str, language: str, more: str = "") -> str:
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", text)), 3)
    return f"{fence}{language}{more}\n{text}\n{fence}"


def _shown(output: Mapping[str, Any], name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    """One output of a cell: the richest of its forms that a page can hold."""
    kind, data = output["output_type"], output.get("data", {})
    if kind == "stream":
        if output["name"] == "stdout":
            yield _in_output(_fenced(_ESCAPE.sub("", _joined(output["text"])).rstrip(), "text"))
    elif "text/html" in data:
        yield _in_output(_fenced(_joined(data["text/html"]), "{raw}", " html"))
    elif "image/svg+xml" in data:
        yield _in_output(_fenced(_joined(data["image/svg+xml"]), "{raw}", " html"))
    elif "image/png" in data:
        file = f"{name}-{len(pictures)}.png"
        pictures[file] = base64.b64decode(_joined(data["image/png"]))
        yield _in_output(f"![what the cell above draws]({file})")
    elif "text/plain" in data:
        yield _in_output(_fenced(_joined(data["text/plain"]), "text"))


def _in_output(text: str) -> str:
    fence = "`" * max(4, *(len(found) + 1 for found in re.findall("`+", text)), 4)
    return f"{fence}{{container}} cell_output\n{text}\n{fence}"


def _joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def write_pages(app: Sphinx) -> None:
    """Write a page for each notebook."""
    root = Path(app.srcdir)
    files: dict[str, bytes] = {}
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        if app.tags.has("notebooks") and not kept(path).is_file():
            print(f"{path.name} is executed, which takes a minute or two, once", file=sys.stderr, flush=True)
            execute(path)
        executed = kept(path).is_file()
        text, pictures = page(read_json(kept(path) if executed else path), path.stem, executed)
        files |= {f"{path.stem}.md": text.encode(), **pictures}
    folder = root / "docs" / "notebooks"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in files and old.is_file():  # folders are those of editors
            old.unlink()
    for name, content in files.items():
        if not (folder / name).is_file() or (folder / name).read_bytes() != content:
            (folder / name).write_bytes(content)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
