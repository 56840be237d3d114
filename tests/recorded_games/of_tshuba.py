"""Recorded games of the family ``tshuba``, in which players pick pits to capture."""

from mancala_env import State, ruleset
from mancala_env.games.tsoro import RELAY
from mancala_env.rules import When
from tests.recorded_games.places import Places, pit_and_direction
from tests.recorded_games.records import Choice
from tests.recorded_games.replay import Difference, Kind, Played, allows


@allows  # it is not foretold when
def leaves_picks_to_the_opponent(difference: Difference) -> bool:
    """A player could not make all picks, as only special pits were left; the program lets the opponent make them."""
    state, rules = difference.state, difference.state.rules
    if difference.kind is not Kind.LEGAL or state.pending is not None:
        return False
    theirs, special = rules.board.homes[1 - state.player], rules.landing[-1].sparing or ()
    filled = [pit for place, pit in enumerate(theirs) if state.pits[pit] and place not in special]
    picks = {rules.action(state.player, pit) for pit in filled}
    picked = tuple(0 if pit == difference.pit else seeds for pit, seeds in enumerate(state.pits))
    return difference.legal == picks and picked == difference.pits


def or_stops(places: Places, state: State, choice: Choice) -> int:
    """Sow the chosen site; or where a turn may stop, which is recorded as a pass, go on from it or stop."""
    if state.pending is None or state.pending.kind != "go_on":
        return pit_and_direction(places, state, choice)
    return state.legal_actions[-1 if choice.kind == "pass" else 0]


FULL = When(was="occupied", facing="occupied")

RECORDED: dict[str, Played] = {
    "mefuvha": Played("mefuvha"),
    "misoro_tsoro__extra_counters_observed": Played("misoro_tsoro", action=or_stops),
    "misoro_tsoro_additional_capture__extra_counters_observed": Played(
        "misoro_tsoro_additional_capture", action=or_stops, explained=(leaves_picks_to_the_opponent,)
    ),
    "msuwa": Played("msuwa"),
    "msuwa_wa_kunja": Played("msuwa_wa_kunja"),
    "musoro_tsoro": Played("musoro_tsoro", action=or_stops),
    # the program captures from a pit that held seeds
    "nsolo": Played(
        ruleset("nsolo").changes(
            landing=(
                When(was="occupied", facing="occupied", outer="occupied").capture("facing", "outer").pick(1),
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
                When(inner=True).capture("facing", "outer").pick(1),
            ),
        ),
        stores=False,
    ),
    "tsoro_additional_capture": Played("tsoro_additional_capture"),
}
