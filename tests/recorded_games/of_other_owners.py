"""Recorded games of the family ``other_owners``."""

from tests.recorded_games.of_two_rows import ends_between_laps
from tests.recorded_games.replay import Played

RECORDED: dict[str, Played] = {
    "kanji_guti": Played("kanji_guti", result="none"),  # the program counts nothing
    "kapana_bona": Played("kapana_bona"),
    "tap_urdy": Played("tap_urdy", explained=(ends_between_laps,)),
}
