"""The games that come with the package, one file a family, and the table that lists them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from mancala_env.games.mechanisms import MECHANISMS
from mancala_env.games.titles import region_of
from mancala_env.rules import Ruleset, spec
from mancala_env.rules.plain import from_json, from_plain
from mancala_env.words import near_names

__all__ = ["ALIASES", "LIST_GAMES", "RULESETS", "near_games", "ruleset", "without_id"]

CORE = ("oware", "kalah", "layli_goobalay", "hus", "invented")  # files whose games are listed first


def _collected() -> dict[str, Ruleset]:
    """The games of the files of this folder, those of the core first; not those whose names there begin with ``_``."""
    found: dict[str, Ruleset] = {}
    files = (*CORE, *(each.name for each in iter_modules(__path__) if not each.name.startswith("_")))
    for file, module in {file: import_module(f"{__name__}.{file}") for file in files}.items():
        for variable, rules in [*vars(module).items()]:
            if isinstance(rules, Ruleset) and not variable.startswith("_"):
                game = replace(rules, name=variable.lower(), region=rules.region or region_of(rules.people))
                if found.setdefault(game.name, game) != game:
                    raise ValueError(f"two games are called {game.name!r}: rename the variable in games/{file}.py")
                setattr(module, variable, found[game.name])
    return found


RULESETS: dict[str, Ruleset] = _collected()
ALIASES = {
    "songo_ewondo": "songo", "owona": "songo", "adjiboto": "adji_boto",
    "wari": "oware", "awele": "oware", "kalaha": "kalah", "das_bohnenspiel": "bohnenspiel", "congklak": "sungka",
    "dakon": "sungka", "endodoi": "en_gehe", "qelat": "weg", "wegi": "leyla", "mewelad": "rio_kadalis",
    "lahemay_walida": "rio_kadalis", "pallankuzhi": "pallanguzhi", "ali_guli_mane": "pallanguzhi",
    "toguz_korgool": "toguz", "toguz_kumalak": "toguz", "togyzqumalaq": "toguz", "selus_massawa": "selus",
    "mandarin_square": "o_an_quan", "congklak_match": "sungka_match", "dakon_match": "sungka_match",
}  # fmt: skip
ID = "mancala/"  # the beginning of the ids of games
LIST_GAMES = "mancala games"
NEAR = 8  # names that a message gives at most
spec.NAMED = RULESETS


def ruleset(game: str | Ruleset | Mapping[str, Any], **changes: Any) -> Ruleset:
    """A named game, or a ruleset of your own, with changes: ``ruleset("oware", grand_slam="no_capture")``.

    Parameters
    ----------
    game : a key of ``RULESETS``, an alias of one (``ALIASES``), a Ruleset, or one as data (``rules.plain.as_plain``)
        A name may have changes after it, as ``Ruleset.spec`` writes them: ``kalah:pits_per_row=4,seeds=3``; in its
        place the id of the game may stand, ``mancala/kalah-v0``. A ruleset without a name may be text as well: the data
        as one line of JSON (``rules.plain.text_of``).
    **changes : fields of ``Ruleset``, which win over those of the text; also ``pits_per_row`` (alias ``houses``),
        ``start``, ``target_pits`` and ``max_rounds`` (``Ruleset.changes``); and the options of the game's family, which
        ``Ruleset.describe`` and the page of the game list.

    Raises
    ------
    ValueError
        For an unknown game or option, or values that contradict each other; the text names what is wrong.

    Examples
    --------
    >>> ruleset("kalah:pits_per_row=4", seeds=3) == ruleset("kalah", pits_per_row=4, seeds=3)
    True
    """
    if isinstance(game, Mapping):
        game = from_plain(game)
    elif isinstance(game, str):
        game = from_json(game) if game.startswith("{") else without_id(game)
    if isinstance(game, Ruleset):
        return game.changes(**changes) if changes else game
    if isinstance(game, str) and ":" in game:
        game, asked = spec.parse_spec(game)
        changes = {**asked, **changes}
    name = ALIASES.get(game, game) if isinstance(game, str) else ""
    if name not in RULESETS:
        raise ValueError(f"unknown game {game!r}; {_hint(str(game))}`{LIST_GAMES}` lists all {len(RULESETS)}")
    rules = RULESETS[name]
    for other in RULESETS.values():
        for option in other.options:
            if option.name in changes and option.name not in [own.name for own in rules.options]:
                raise ValueError(
                    f"ruleset {name!r}: {option.name} is an option of {other.name} ({option.about}); here, change the "
                    f"{option.field} itself: {option.field}=..."
                )
    return rules.changes(**changes) if changes else rules


def without_id(text: str) -> str:
    """A game with its name where the text has its id: ``mancala/kalah-v0:seeds=3`` becomes ``kalah:seeds=3``. Anything
    else stays, but ``mancala/kalah`` means the same. Raises ValueError if the game has another version."""
    game, colon, changes = text.partition(":")
    if not game.startswith(ID):
        return text
    bare = game.removeprefix(ID)
    name = re.sub(r"-v\d+$", "", bare)
    if name in RULESETS and name != bare and game != RULESETS[name].id:
        raise ValueError(f"there is no {game!r}: the rules of this release are {RULESETS[name].id!r}")
    return name + colon + changes


def near_games(text: str) -> list[str]:
    """8 names like this text at most: spelt much like it, then with it in their name; a game before its other names."""
    names = [*RULESETS, *ALIASES]
    asked = text.strip().casefold().replace("-", "_").replace(" ", "_")
    near = near_names(asked, names, most=NEAR)
    near += [name for name in names if len(asked) > 2 and asked in name]
    own_first = (each for name in near for each in ([ALIASES[name]] if ALIASES.get(name) in near else []) + [name])
    return list(dict.fromkeys(own_first))[:NEAR]


def _hint(asked: str) -> str:
    """What may have been meant by the name of no game: games near it, or a mechanism; "" if nothing is like it."""
    if (tag := asked.strip().casefold().replace("_", "-").replace(" ", "-")) in MECHANISMS:
        return f"{tag} is a mechanism, and `{LIST_GAMES} {tag}` lists the games that have it; "
    near = near_games(asked)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return hint + (f"others near it are {', '.join(near[1:])}; " if near[1:] else "")
