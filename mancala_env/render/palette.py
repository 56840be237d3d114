"""The colours of the pictures, for light and dark pages."""

from dataclasses import dataclass


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


LIGHT = Palette(
    page="#fcf9f2",
    words="#4a3a2a",
    shadow="#6b4a26",
    edge="#a87740",
    wood="#dcb57c",
    grain="#b98a4e",
    lip="#f3dcb0",
    hollow="#5e3b1e",
    floor="#84582f",
    number="#33210f",
    letter="#5f4020",
    seeds=("#f2e8d2", "#e9dcc0", "#dfd3bf"),
    playable="#0063a8",
    played="#d55e00",
    arrow="#d55e00",
    owners=("#c4ead9", "#5d3a7e"),
    initials=("#12352a", "#ffffff"),
)
DARK = Palette(
    page="#17130f",
    words="#d8cbb6",
    shadow="#000000",
    edge="#2e1f14",
    wood="#543a26",
    grain="#3d2818",
    lip="#7b5a3d",
    hollow="#170e08",
    floor="#33221a",
    number="#f6ead6",
    letter="#cbae88",
    seeds=("#eadfc8", "#dccfb3", "#cfc2ab"),
    playable="#5cbcf2",
    played="#f0a030",
    arrow="#f0a030",
    owners=("#8fcbb6", "#7d55a8"),
    initials=("#0c2a20", "#ffffff"),
)
