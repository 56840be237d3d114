"""Recorded games of the family ``tshuba``, in which players pick pits to capture."""

from mancala_env import ruleset
from mancala_env.games.tsoro import RELAY
from mancala_env.rules import When
from tests.recorded_games.replay import Played

FULL = When(was="occupied", facing="occupied")

RECORDED: dict[str, Played] = {
    "mefuvha": Played("mefuvha"),
    "msuwa": Played("msuwa"),
    "msuwa_wa_kunja": Played("msuwa_wa_kunja"),
    # the program captures from a pit that held seeds
    "nsolo": Played(
        ruleset("nsolo").changes(
            landing=(
                When(was="occupied", facing="occupied", behind="occupied").capture("facing", "behind").pick(1),
                FULL.capture("facing"),
                RELAY,
            )
        )
    ),
    "spreta": Played("spreta"),
    # the program moves single seeds at any time, takes an outer pit by itself and lets a player without seeds lose
    "tshuba": Played(
        ruleset("tshuba").changes(
            pits_per_row=4,
            singles="as_others",
            goal="outlast",
            stuck="pass",
            landing=(
                RELAY,
                When(inner=True).capture("facing", "behind").pick(1),
            ),
        ),
        stores=False,
    ),
    "tsoro_additional_capture": Played("tsoro_additional_capture"),
}
