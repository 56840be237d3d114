"""The old name of the command that builds the documentation, for one release more."""

import sys

from sphinx.cmd.build import main as sphinx


def main() -> int:
    """Call Sphinx, and say how it is called."""
    out = sys.argv[sys.argv.index("--out") + 1] if "--out" in sys.argv[:-1] else "site"
    command = ["-W", "-c", "docs", *(["-t", "texts_only"] if "--no-reference" in sys.argv else []), ".", out]
    print(f"python -m docs.build is now called: sphinx-build {' '.join(command)}", file=sys.stderr)
    return sphinx(command)


if __name__ == "__main__":
    sys.exit(main())
