"""The limits and sizes of a search, and the checks of what is given for them."""

import math
import os
from typing import Any

import numpy as np

from agents.processes import usable_cores

MAX_DEPTH = 64
LONGEST = 1000  # maximum plies of a search to the end of the game
MAX_THREADS = 256


def check_depth(depth: int, least: int) -> None:
    """Raise ValueError unless ``depth`` is a whole number of plies from ``least`` to 64."""
    if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or not least <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be a whole number of plies from {least} to {MAX_DEPTH}, not {depth!r}")


def check_memory(memory: int) -> None:
    """Raise ValueError unless ``memory`` is a number of megabytes from 0 to what the machine has."""
    most = 1 << 20
    if hasattr(os, "sysconf"):
        most = min(most, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20)
    if not isinstance(memory, int) or isinstance(memory, bool) or not 0 <= memory <= most:
        raise ValueError(
            f"memory must be a whole number of megabytes from 0 to {most}, what this machine has, not {memory!r}"
        )


def checked_threads(threads: int, memory: int = 1) -> int:
    """The number of threads, 0 being one a core. ValueError if it is impossible, or several have no table to share."""
    if not isinstance(threads, int) or isinstance(threads, bool) or not 0 <= threads <= MAX_THREADS:
        raise ValueError(
            f"threads must be a whole number from 1 to {MAX_THREADS}, or 0 for one a core, not {threads!r}"
        )
    if threads > 1 and not memory:
        raise ValueError(f"{threads} threads work by the table that they share: give memory, or threads=1")
    return threads or (min(usable_cores(), MAX_THREADS) if memory else 1)


def check_limit(name: str, limit: Any) -> None:
    """Raise ValueError unless a limit is None or a finite number above 0; a whole one for all but times."""
    also = {"time": ", or clock", "seconds": ""}.get(name)
    kind, what = (int, "whole number above 0") if also is None else (int | float, f"number of seconds above 0{also}")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, kind) or not 0 < limit < math.inf):
        raise ValueError(f"{name} must be a {what}, not {limit!r}")
