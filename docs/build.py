"""The old name of the command that builds the documentation, for one release more: ``sphinx-build -W -c docs . site``.

``python -m docs.build --out site`` calls it, looks first whether the place can be written to, and says every half
minute that it is at work.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from mancala_env.cli import Parser, fail
from mancala_env.progress import at_work


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns what Sphinx returns, and exits with 2 and one line where nothing can be written."""
    parser = Parser("python -m docs.build", __doc__)
    parser.add_argument("--out", type=Path, default=Path("site"), metavar="FOLDER", help="where the pages are written")
    parser.add_argument("--no-reference", action="store_true", help="without the pages made from the source code")
    asked = parser.parse_args(arguments)
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        (asked.out / ".writable").touch()
        (asked.out / ".writable").unlink()
    except OSError as error:
        fail(parser.prog, error)
    command = ["-W", "-c", "docs", *(["-t", "texts_only"] if asked.no_reference else []), ".", str(asked.out)]
    print(f"{parser.prog} is now called: sphinx-build {' '.join(command)}", file=sys.stderr)
    with at_work(parser.prog):
        return int(sphinx(command))


if __name__ == "__main__":
    sys.exit(main())
