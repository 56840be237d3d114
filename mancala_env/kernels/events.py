"""A move's events, written to ``events``, int32[n, FIELDS], if not None: line 0 counts them, then come all that fit."""

from mancala_env.kernels import layout as L
from mancala_env.kernels.jit import inlined

KIND, SOURCE, TARGET, SEEDS, CLAUSE, FIELDS = range(6)  # ``mancala_env.trace.Event`` says what they mean; -1: nothing

# ``mancala_env.trace.EventKind`` says what these are, and has their names in the same order.
(
    LIFT, SOW, LOSE, REAP, LAY, LAND, TAKE, CARRY, MARK, SLAM, AGAIN, LIMIT, ROUNDS, STAY, CHOOSE, BRING, HOLD, UNMARK,
    FAIL,
) = range(19)  # fmt: skip


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
