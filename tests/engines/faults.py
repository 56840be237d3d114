"""What an engine does wrong at its third move, as its command line says."""

import os
import sys
import time

FAULT = next((word.removeprefix("--fault=") for word in sys.argv if word.startswith("--fault=")), "")
moves = 0


def due():
    """Count a move. Is it the one at which something goes wrong? A crash and silence happen here."""
    global moves  # noqa: PLW0603
    moves += 1
    if not FAULT or moves < 3:
        return False
    if FAULT == "crash":
        print("bad luck", file=sys.stderr, flush=True)
        os._exit(3)
    if FAULT == "silence":
        time.sleep(1000)
    return True


def nonsense(**more):
    """What to write instead of a move."""
    return {"garbage": "\x00\xff", "flood": "x" * 70_000, **more}[FAULT]
