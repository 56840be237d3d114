"""An agent as a bot: ``python -m agents.serve minimax:depth=6`` speaks the protocol of ``docs/protocol.md``."""

import sys

from agents.arena.serve import main

if __name__ == "__main__":
    sys.exit(main())
