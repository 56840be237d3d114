"""What a game is: ``Ruleset``, the parts it is made of, and the table of games that come with the package."""

import difflib
from typing import Any

from mancala_env.rules import diffusion, hus, kalah, layli_goobalay, oware, reaping, spec
from mancala_env.rules.board import Board, arcs, blocks_in_rows, four_rows, halves, one_row, two_rows
from mancala_env.rules.landing import When
from mancala_env.rules.ruleset import (
    Difference,
    EndCheck,
    Feeding,
    FirstMover,
    Goal,
    GrandSlam,
    Leftover,
    Match,
    Remainder,
    RepetitionLeftover,
    Ruleset,
    SlamScope,
    Sowing,
    Store,
    Stuck,
)

__all__ = [
    "ALIASES",
    "RULESETS",
    "Board",
    "Difference",
    "EndCheck",
    "Feeding",
    "FirstMover",
    "Goal",
    "GrandSlam",
    "Leftover",
    "Match",
    "Remainder",
    "RepetitionLeftover",
    "Ruleset",
    "SlamScope",
    "Sowing",
    "Store",
    "Stuck",
    "When",
    "arcs",
    "blocks_in_rows",
    "four_rows",
    "halves",
    "one_row",
    "ruleset",
    "two_rows",
]

RULESETS: dict[str, Ruleset] = {
    rules.name: rules
    for rules in (
        oware.OWARE,
        oware.AWARI,
        oware.OWARE_TUTTI_A_CASA,
        oware.OWARE_LIBERTA,
        oware.OWARE_TERRITORY,
        oware.OWARE_SERIES_WINS,
        oware.OWARE_SERIES_DIFFERENCE,
        kalah.KALAH,
        layli_goobalay.LAYLI_GOOBALAY,
        layli_goobalay.LAYLI_GOOBALAY_MATCH,
        hus.HUS,
        diffusion.DIFFUSION,
        reaping.REAPING,
    )
}
ALIASES = {"wari": "oware", "awele": "oware", "kalaha": "kalah"}
spec.NAMED = RULESETS


def ruleset(game: str | Ruleset, **changes: Any) -> Ruleset:
    """A named game, or a ruleset of your own, with changes: ``ruleset("oware", grand_slam="no_capture")``.

    Parameters
    ----------
    game : a key of ``RULESETS``, an alias of one (wari, awele, kalaha), or a Ruleset
        A name may have changes after it, as ``Ruleset.spec`` writes them: ``kalah:pits_per_row=4,seeds=3``.
    changes : fields of ``Ruleset``, which win over those of the text
        Also ``pits_per_row`` (alias ``houses``), ``start``, ``blocks``, ``target_pits`` and ``max_rounds``
        (``Ruleset.changes``).

    Raises
    ------
    ValueError
        For an unknown game or option, or values that contradict each other; the text names what is wrong.

    Examples
    --------
    >>> ruleset("kalah:pits_per_row=4", seeds=3) == ruleset("kalah", pits_per_row=4, seeds=3)
    True
    """
    if isinstance(game, Ruleset):
        return game.changes(**changes) if changes else game
    if isinstance(game, str) and ":" in game:
        game, asked = spec.parse_spec(game)
        changes = {**asked, **changes}
    name = ALIASES.get(game, game) if isinstance(game, str) else ""
    if name not in RULESETS:
        near = difflib.get_close_matches(str(game), [*RULESETS, *ALIASES], n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        if isinstance(game, str) and game.startswith("mancala/"):
            hint = f"{game!r} is an id for make(...); here the name alone will do. "
        raise ValueError(f"unknown game {game!r}; {hint}known games are {', '.join(RULESETS)}")
    return RULESETS[name].changes(**changes) if changes else RULESETS[name]
