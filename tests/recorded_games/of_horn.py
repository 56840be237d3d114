"""Recorded games of ``halusa`` and ``gabata_adegrat``."""

from tests.recorded_games.replay import Played

RECORDED: dict[str, Played] = {
    "gabata_adegrat": Played("gabata_adegrat", rounds="first"),
    # in the program each player keeps the rest of the own row
    "halusa": Played("halusa:leftover=owner"),
}
