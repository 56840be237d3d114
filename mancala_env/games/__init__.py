"""The games that come with the package, one file a family, and the table that lists them."""

import difflib
from typing import Any

from mancala_env.games import diffusion, hus, kalah, layli_goobalay, oware, reaping
from mancala_env.rules import Ruleset

__all__ = ["ALIASES", "RULESETS", "ruleset"]

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


def ruleset(game: str | Ruleset, **changes: Any) -> Ruleset:
    """A named game, or a ruleset of your own, with changes: ``ruleset("oware", grand_slam="no_capture")``.

    Parameters
    ----------
    game : a key of ``RULESETS``, an alias of one (wari, awele, kalaha), or a Ruleset
    changes : fields of ``Ruleset``; also ``pits_per_row`` (alias ``houses``), ``start``, ``blocks``, ``target_pits``
        and ``max_rounds`` (``Ruleset.changes``)

    Raises
    ------
    ValueError
        For an unknown game or option, or values that contradict each other; the text names what is wrong.
    """
    if isinstance(game, Ruleset):
        return game.changes(**changes) if changes else game
    name = ALIASES.get(game, game) if isinstance(game, str) else ""
    if name not in RULESETS:
        near = difflib.get_close_matches(str(game), [*RULESETS, *ALIASES], n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        if isinstance(game, str) and game.startswith("mancala/"):
            hint = f"{game!r} is an id for make(...); here the name alone will do. "
        raise ValueError(f"unknown game {game!r}; {hint}known games are {', '.join(RULESETS)}")
    return RULESETS[name].changes(**changes) if changes else RULESETS[name]
