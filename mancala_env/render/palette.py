"""The colours of the pictures, for light and dark pages."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Palette:
    """Colours, "#rrggbb". Marks differ for every eye: ``playable`` is a blue ring, ``played`` orange dots."""

    page: str
    words: str  # on the page
    shadow: str
    edge: str
    wood: str
    grain: str
    lip: str  # the lit edge of a pit or store
    hollow: str
    floor: str
    number: str  # on the wood
    letter: str
    seeds: tuple[str, ...]
    playable: str
    played: str
    arrow: str
    owners: tuple[str, str]  # South's and North's: one light and one dark, for eyes that see no colours
    initials: tuple[str, str]  # on these


_COLOURS: dict[str, tuple[Any, Any]] = {  # on a light page, on a dark one
    "page": ("#fcf9f2", "#17130f"),
    "words": ("#4a3a2a", "#d8cbb6"),
    "shadow": ("#6b4a26", "#000000"),
    "edge": ("#a87740", "#2e1f14"),
    "wood": ("#dcb57c", "#543a26"),
    "grain": ("#b98a4e", "#3d2818"),
    "lip": ("#f3dcb0", "#7b5a3d"),
    "hollow": ("#5e3b1e", "#170e08"),
    "floor": ("#84582f", "#33221a"),
    "number": ("#33210f", "#f6ead6"),
    "letter": ("#5f4020", "#cbae88"),
    "seeds": (("#f2e8d2", "#e9dcc0", "#dfd3bf"), ("#eadfc8", "#dccfb3", "#cfc2ab")),
    "playable": ("#0063a8", "#5cbcf2"),
    "played": ("#d55e00", "#f0a030"),
    "arrow": ("#d55e00", "#f0a030"),
    "owners": (("#c4ead9", "#5d3a7e"), ("#8fcbb6", "#7d55a8")),
    "initials": (("#12352a", "#ffffff"), ("#0c2a20", "#ffffff")),
}
LIGHT, DARK = (Palette(**{name: pair[k] for name, pair in _COLOURS.items()}) for k in (0, 1))
