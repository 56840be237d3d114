"""Recorded games of Tsoro of the Baia, in which a turn begins behind an empty pit, and the first captures earn more.

Our rules have neither. So the pits that can be played are looked at here: where they are all those behind an empty pit,
``as_tsoro`` leaves the others open; and it numbers the picks that a capture earns: five, three, and then always two.
"""

from collections.abc import Sequence
from dataclasses import replace

from mancala_env import ruleset
from mancala_env.games.tsoro import BOTH_PITS, RELAY
from mancala_env.rules import four_rows
from tests.recorded_games.of_chosen_directions import picked_into_the_hand
from tests.recorded_games.places import Places
from tests.recorded_games.records import Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

COLUMNS = 13
LOOPS = {  # sites in sowing order
    1: (*range(13), *range(25, 12, -1)),
    2: (*range(26, 39), *range(51, 38, -1)),
}
EARNED = (5, 3)  # by the first captures
LATER = 2
CAPTURES = "captures"  # the number that is kept after each pick: how many times this player has captured
FIRST = 23  # the place of the pit that is played first, which cannot be picked


def as_tsoro(record: Record) -> Record:
    """The record, in which pits need not lie behind an empty one, and with the picks left as ``values`` of each."""
    return replace(record, games=tuple(replace(game, plies=tuple(_as_tsoro(game))) for game in record.games))


def _as_tsoro(game: Game) -> list[Ply]:
    plies, counts, left, captures = list[Ply](), game.start, 0, {1: 0, 2: 0}
    for ply in game.plies:
        loop = LOOPS[ply.mover]
        if ply.chosen.kind == "place":
            if left == 0 and plies[-1].chosen.kind != "place":
                captures[ply.mover] += 1
                left = (*EARNED, *[LATER] * captures[ply.mover])[captures[ply.mover] - 1]
            plies.append(ply._replace(values=(left, left), variables={CAPTURES: captures[ply.mover]}))
            left = max(0, left - 1)
        else:
            left = 0
            behind = {site for before, site in zip((loop[-1], *loop), loop, strict=False) if not counts[before]}
            starts = {site for site in behind if counts[site]}
            known = {choice.source for choice in ply.legal} == starts and ply.complete
            is_lap = bool(plies) and plies[-1].mover == plies[-1].next and plies[-1].chosen.kind == "lift"
            plies.append(ply._replace(values=(0, 0), complete=ply.complete and (is_lap or not known)))
        counts = ply.counts
    return plies


def picks_due(places: Places, before: Sequence[int], ply: Ply) -> tuple[str, int] | None:
    """The picks that are left, as ``as_tsoro`` counts them."""
    return ("pick", ply.values[0]) if ply.values[0] else None


def earns_fewer_picks(difference: Difference) -> bool:
    """All captures of a player after the second earn two picks, not three."""
    pending = difference.state.pending
    is_last = pending is not None and pending[:2] == ("pick", EARNED[1] - LATER)
    is_later = difference.before is not None and difference.before.variables.get(CAPTURES, 0) > len(EARNED)
    return difference.kind is Kind.MOVER and is_last and is_later


def captures_nothing_with_a_single_seed(difference: Difference) -> bool:
    """A lap of a single seed captures nothing."""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    home, pit, pits = state.rules.board.homes[state.player], state.pit(action) or 0, [*state.pits]
    following = home[(home.index(pit) + 1) % len(home)]
    is_single = pits[pit] == 1 and pits[following] == 0
    pits[pit], pits[following] = 0, 1
    return is_single and (tuple(pits), state.stores) == (difference.pits, difference.stores)


RECORDED: dict[str, Played] = {
    "tsoro_baia": Played(
        ruleset("tsoro_additional_capture").changes(
            name="tsoro_baia",
            board=four_rows(COLUMNS),
            setup=(0, *[2] * 23, 1, 0) * 2,
            singles="as_others",
            landing=(
                RELAY,
                BOTH_PITS.pick(EARNED[1], sparing={FIRST}),
            ),
        ),
        begins="turns",
        reads=as_tsoro,
        pending=picks_due,
        action=picked_into_the_hand,
        explained=(earns_fewer_picks, captures_nothing_with_a_single_seed),
    ),
}
