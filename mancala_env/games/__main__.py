"""``python -m mancala_env.games`` is ``mancala games``."""

import sys

from mancala_env.listing import main

if __name__ == "__main__":
    sys.exit(main())
