"""The documentation by one command: ``python -m docs.build --out site``; with ``--play``, games are played on it.

It calls Sphinx, and says how: ``sphinx-build -W -c docs . site``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from mancala_env.cli import Parser, fail

TAGS = {"no_reference": "texts_only", "play": "play", "notebooks": "notebooks"}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = Parser("python -m docs.build", __doc__)
    parser.add_argument("--out", default="site", metavar="DIR", help="the folder of the site")
    parser.add_argument("--no-reference", action="store_true", help="without the pages of modules, which take longest")
    parser.add_argument("--play", action="store_true", help="with Python for browsers: a download of up to 90 MB, once")
    parser.add_argument("--notebooks", action="store_true", help="execute notebooks whose output is not kept yet")
    asked = parser.parse_args(arguments)
    try:
        Path(asked.out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail("docs.build", error)
    tags = [part for option, tag in TAGS.items() if getattr(asked, option) for part in ("-t", tag)]
    command = ["-W", "-c", "docs", *tags, ".", asked.out]
    print(f"sphinx-build {' '.join(command)}", file=sys.stderr)
    return int(sphinx(command))


if __name__ == "__main__":
    sys.exit(main())
