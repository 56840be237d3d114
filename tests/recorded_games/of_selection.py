"""Recorded games in which a rule of its own says what may be played, or what is captured where."""

from tests.recorded_games.replay import Played

RECORDED: dict[str, Played] = {
    "kara": Played("kara"),
}
