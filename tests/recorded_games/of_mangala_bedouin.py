"""Recorded games of the Bedouins' Mangala, whose seeds one player lays out and the other may take instead."""

from mancala_env import Ruleset
from mancala_env.rules import Direction, Leftover, When, two_rows
from tests.recorded_games.records import Game
from tests.recorded_games.replay import Played

EVEN = range(2, 62, 2)
MANY = range(11, 62)  # seeds that are always sown on


def after_first_moves(game: Game) -> int:
    """The plies until each player has lifted a pit, which is a set one, in a lap that captures nothing."""
    lifts = [at for at, ply in enumerate(game.plies, 1) if ply.chosen.kind == "lift"]
    return lifts[1] if len(lifts) > 1 else len(game.plies)


RECORDED: dict[str, Played] = {
    "mangala_bedouin": Played(
        Ruleset(
            name="mangala_bedouin",
            board=two_rows(6),
            setup=(0, 0, 5, 4, 0, 0, 0, 0, 4, 4, 0, 0),
            direction=Direction.CLOCKWISE,
            landing=(
                When(count=MANY).relay(),
                When(count="even", side="opponent").capture("here"),
                When(count="even", facing="empty").capture("here"),
                When(count="even", facing=EVEN).capture("here", "facing"),
                When(count="even").relay(),
            ),
            end_check="any_side",
            end_reason="side_empty",
            leftover=Leftover.NONE,
        ),
        begins=after_first_moves,
        laid_out=True,
    ),
}
