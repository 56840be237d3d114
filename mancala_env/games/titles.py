"""What games are called by people: "Layli Goobalay, the match" for ``layli_goobalay_match``."""

from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of

# Where the words of the name alone would not say it.
_TITLES = {
    "oware": "Oware (Abapa)",
    "oware_tutti_a_casa": "Oware, tutti a casa",
    "oware_liberta": "Oware, libertà",
    "oware_territory": "Oware for territory, the match",
    "mangala_tr": "Mangala (World Ethnosport)",
    "mangala_turkey": "Mangala (Turkey)",
    "mangala_suez": "Mangala (Suez)",
    "oware_series_wins": "Oware, a match for wins",
    "oware_series_difference": "Oware, a match for the difference",
}
_SMALL = frozenset(("a", "and", "el", "la", "of", "ot"))  # words that have no capital, but at the beginning


def title_of(rules: Ruleset) -> str:
    """The name of a game as people write it; changes of its rules follow in brackets: "Kalah (seeds=3)"."""
    text, base = text_of(rules), rules.name.removesuffix("_match")
    changes = "" if text.startswith("{") else text.partition(":")[2]
    words = [
        word if word in _SMALL and k else word.upper() if set(word) == {"i"} else word.capitalize()
        for k, word in enumerate(base.split("_"))
    ]
    title = _TITLES.get(base, " ".join(words)) + (", the match" if base != rules.name else "")
    return title + (f" ({changes.replace(',', ', ')})" if changes else "")
