"""Does a bot keep to the protocol? ``python -m agents.check_bot ./mybot`` tries it out and says what it gets wrong."""

import sys

from agents.arena.check import main

if __name__ == "__main__":
    sys.exit(main())
