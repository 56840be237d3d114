"""``python -m agents.play`` is ``mancala play``."""

import sys

from agents.play.command import main

if __name__ == "__main__":
    sys.exit(main())
