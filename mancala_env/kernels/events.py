"""The events of a move, written while it is played to ``events``, int32[n, FIELDS], unless that is None: line 0 counts
them, and they stand in the lines after it as far as there is room."""

from mancala_env.kernels import layout as L
from mancala_env.kernels.jit import inlined

KIND, SOURCE, TARGET, SEEDS, CLAUSE, FIELDS = range(6)  # ``mancala_env.trace.Event`` says what they mean; -1: nothing

# Kinds. ``mancala_env.trace.KINDS`` has their names in the same order.
(
    LIFT,  # the seeds of a pit come into the hand, but for one that may stay
    SOW,  # a seed of the hand falls into a cell
    LOSE,  # a seed of the hand leaves the board
    REAP,  # a seed of a pit comes into the hand, on its way
    LAY,  # the whole hand is laid into a pit
    LAND,  # the last seed of a lap has fallen
    TAKE,  # seeds of a pit are captured: into a store or another pit, or into the hand, to be sown on
    CARRY,  # a seed is carried over from one pit to another
    MARK,  # a pit gets the mover's mark
    SLAM,  # the capture would take everything the opponent has
    AGAIN,  # the mover has another turn
    LIMIT,  # no more laps: the turn ends before its next one
    ROUNDS,  # the turn repeats itself: ``SEEDS`` laps, which would change nothing, are left out
    STAY,  # the only seed of the pit stays where it is
    CHOOSE,  # the mover is to pick ``SEEDS`` pits, or to go on from pit ``TARGET``, stop, or choose a way or an end
    BRING,  # a seed that was in hand falls into a pit
    HOLD,  # the turn stops where it could have gone on
    UNMARK,  # a pit loses its mark to a capture
    FAIL,  # the last seed has fallen where the mover loses the game
) = range(19)


@inlined
def emit(events, kind, source, target, seeds, base):
    """Write an event, if there is room, and count it; ``base``: where in ``axes`` its clause lies, 0 for none."""
    if events is None:
        return
    events[0, 0] += 1
    k = events[0, 0]
    if k < len(events):
        events[k, KIND] = kind
        events[k, SOURCE] = source
        events[k, TARGET] = target
        events[k, SEEDS] = seeds
        events[k, CLAUSE] = (base - L.LANDING) // L.CLAUSE_SIZE if base != 0 else -1
