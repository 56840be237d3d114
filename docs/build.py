"""Make the site of the documentation: ``mancala docs``, and then open ``site/index.html``.

It takes some minutes, and says every half minute that it is at work. With ``--play``, games are played on the pages.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from docs import pictures
from mancala_env.cli import Parser, fail
from mancala_env.progress import at_work

ROOT = Path(__file__).parents[1]
TAGS = {"no_reference": "texts_only", "play": "play", "notebooks": "notebooks"}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns what Sphinx returns. Exits with 2 and one line without Sphinx, or a place to write to."""
    parser = Parser("mancala docs", __doc__)
    parser.add_argument("--out", type=Path, default=Path("site"), metavar="FOLDER", help="where the pages are written")
    parser.add_argument("--no-reference", action="store_true", help="without the pages made from the source code")
    parser.add_argument("--play", action="store_true", help="with Python for browsers: a download of up to 90 MB, once")
    parser.add_argument("--notebooks", action="store_true", help="execute notebooks whose output is not kept yet")
    parser.add_argument("--pictures", action="store_true", help="draw those of the README anew, and make no pages")
    asked = parser.parse_args(arguments)
    if asked.pictures:
        pictures.write()
        return 0
    if importlib.util.find_spec("sphinx") is None:
        fail(parser.prog, 'Sphinx is missing; it comes with the extra docs: pip install -e ".[docs]"')
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        (asked.out / ".writable").touch()
        (asked.out / ".writable").unlink()
    except OSError as error:
        fail(parser.prog, error)
    # In a process of its own, where conf.py says that nothing is compiled before the engine is imported.
    tags = [part for option, tag in TAGS.items() if getattr(asked, option) for part in ("-t", tag)]
    command = ["-W", "-c", "docs", *tags, ".", str(asked.out.resolve())]
    print(f"{parser.prog} calls sphinx-build {' '.join(command)}", file=sys.stderr)
    with at_work(parser.prog):
        return subprocess.run([sys.executable, "-m", "sphinx", *command], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
