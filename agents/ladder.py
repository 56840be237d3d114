"""The ladder: opponents that never change, so that scores can be compared from year to year.

Their names are words for ``make_agent`` like any other. What a name means is fixed for ever: a better definition gets
the next version, ``v2-...``, and this one stays.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Anchor:
    """One rung.

    Attributes
    ----------
    depth : int or None
        Plies of alpha-beta on the margin in seeds (on what comes next to winning where none are counted,
        ``kernel.margin`` in ``agents.search``), an extra turn being a ply; uniform choice among all actions whose value
        is the highest. None: uniform choice among all legal actions.
    """

    depth: int | None


LADDER: dict[str, Anchor] = {
    "v1-random": Anchor(depth=None),
    "v1-depth1": Anchor(depth=1),
    "v1-depth2": Anchor(depth=2),
    "v1-depth4": Anchor(depth=4),
    "v1-depth6": Anchor(depth=6),
    "v1-depth8": Anchor(depth=8),
}
