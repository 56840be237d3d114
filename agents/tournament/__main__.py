"""``python -m agents.tournament`` is ``mancala tournament run``."""

import sys

from agents.tournament.command import main

if __name__ == "__main__":
    sys.exit(main())
