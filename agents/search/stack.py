"""What a compiled search works on: its settings, its table, and an explicit stack, as Numba cannot cache recursion."""

from typing import Any, NamedTuple

import numpy as np

INFINITY = 1 << 30
NO_MOVE = 255

# The control array of a search, int64[CONTROL].
(
    DEPTH,  # plies to look ahead, at most ENDLESS - 1; ENDLESS: to the end of the game, as a proof does
    ROOT,  # one of the ROOT_ values
    FEATURES,  # a sum of the features below
    RELATIVE,  # what half a seed counts, where positions that differ in their stores alone share an entry; or 0
    GENERATION,  # which search this is: older entries are overwritten first
    NODES,  # positions made so far
    COVERED,  # positions with at most this number of seeds on the board are looked up in ``margins``; -1: none
    PAUSE,  # number of nodes at which the walk pauses; it can be resumed
    LEVEL,
    ENTERING,  # the position of this level has just been reached
    REDUCED,  # moves of this rank by their static values, and lower ones, are searched a ply less deep; 0: none
    REDUCED_TWICE,  # of this rank and lower: two plies less deep
    PLY_WORTH,  # and a ply less deep for each time that a move's static value falls short of the best by this; 0: not
    STATUS,  # one of the three below
    CONTROL,
) = range(15)
PAUSED, FINISHED, TOO_DEEP = range(3)
ROOT_BEST, ROOT_TIES, ROOT_ALL = range(3)  # which root moves get exact values: one best, all best ones, all
TABLE, CHILD_PROBES, GAINS, KILLERS, SUCCESSES, SCOUTS, REACHES, REDUCTIONS, SHORTFALLS = (1 << k for k in range(9))
ALL_FEATURES = 511
ENDLESS = 255

# One level of the stack, int64[FRAME].
(
    ALPHA,
    BETA,
    OLD_ALPHA,  # as the level was entered
    BEST,
    BEST_ACTION,
    NEXT,  # the next move in the order to try
    COUNT,  # the number of moves to try
    SLOT,  # which child of the level above it is
    SCOUTING,  # the child is searched with a null window
    CUT,  # some line below ended because of the depth
    BEFORE,  # nodes as the level was entered
    REMAINING,  # plies to look ahead from here
    FRAME,
) = range(13)
# One child of a level, int64[CHILD] for each action.
START, SCORE, ORDER, STATIC, BELOW, CHILD = range(6)


class Table(NamedTuple):
    """Names uint64[T] and entries int64[T], T a power of two from 2, zeros where empty; threads may share it."""

    names: Any
    entries: Any

    @classmethod
    def of(cls, both: Any) -> "Table":
        """The table of uint64[T, 2]: the two parts of an entry lie side by side in memory."""
        return cls(both[:, 0], both.view(np.int64)[:, 1])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy lies in memory as this does: a search would be compiled anew for arrays that lie otherwise."""
        return Table.of, (np.stack([self.names, self.entries.view(np.uint64)], axis=1),)


class Stack(NamedTuple):
    """The arrays of a search of at most D plies."""

    # By level. The position searched is [0, 0] of the next four (START of ``children``); ALPHA, BETA (half seeds) and
    # SLOT 0 of ``frames[0]`` are its window, and BEST_ACTION the move to try first, or NO_MOVE.
    frames: Any  # int64[D + 2, FRAME]
    positions: Any  # int16[D + 2, A, W]
    masks: Any  # bool[D + 2, A, A]
    children: Any  # int64[D + 2, A, CHILD]; STATIC is the static value, BELOW the plies to look ahead
    keys: Any  # uint64[D + 2, A]
    history: Any  # uint64[H]: hashes since the last capture, then room for D + 2 more, so that repetitions are noticed
    # Kept from search to search: moves that refuted at this depth of the tree, and how often each action refutes.
    killers: Any  # int64[D + 2, 2]
    successes: Any  # int64[2, A]
    # Written: line[0, 0] the length of the principal variation, its actions from line[0, 1] on; and the values of the
    # root moves in half seeds, exact where ROOT says so, else upper bounds.
    line: Any  # int16[D + 2, D + 2]
    root_values: Any  # int64[A]
