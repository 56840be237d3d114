"""The colours of the pictures, for light and dark pages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """Colours, "#rrggbb", on a light page. Marks differ for every eye: a blue ring and orange dots."""

    page: str = "#fcf9f2"
    words: str = "#4a3a2a"  # on the page
    shadow: str = "#6b4a26"
    edge: str = "#a87740"
    wood: str = "#dcb57c"
    grain: str = "#b98a4e"
    lip: str = "#f3dcb0"  # the lit edge of a pit or store
    hollow: str = "#5e3b1e"
    floor: str = "#84582f"
    number: str = "#33210f"  # on the wood
    letter: str = "#5f4020"
    seeds: tuple[str, ...] = ("#f2e8d2", "#e9dcc0", "#dfd3bf")
    playable: str = "#0063a8"
    played: str = "#d55e00"
    owners: tuple[str, str] = ("#c4ead9", "#5d3a7e")  # one light and one dark, for eyes that see no colours
    initials: tuple[str, str] = ("#12352a", "#ffffff")  # on these


LIGHT = Palette()
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
    owners=("#8fcbb6", "#7d55a8"),
    initials=("#0c2a20", "#ffffff"),
)
