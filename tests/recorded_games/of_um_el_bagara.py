"""Recorded games of the family ``um_el_bagara``."""

from tests.recorded_games.replay import Played

RECORDED = {
    "um_el_bagara": Played("um_el_bagara"),
    "um_el_tuweisat": Played("um_el_tuweisat"),
}
