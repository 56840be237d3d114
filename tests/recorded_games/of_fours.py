"""Recorded games of the families ``fours`` and ``pallankuli``: pits that come to hold four are taken in passing.

The recorded programs look for fours when a lap has been sown, in pits that they count from the one that was lifted: as
many as were sown, the number taken round the board once. So they look at a few pits only, or at none, after a lap of a
round or more. ``_sown_again`` sows a turn in that way, and an explanation holds where the recorded board is what comes
of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mancala_env import State, ruleset
from mancala_env.rules import Passing
from tests.recorded_games.explained import ends_when_a_side_is_stuck
from tests.recorded_games.replay import Difference, Kind, Played

FOUR = 4
REST_TO_NORTH = ("lamosh", "rio_kadalis")  # whose programs give what is left at the end of a round to North


@dataclass
class _Lap:
    """What comes of a lap: seeds in the pits and in the stores, and whether fours have been taken."""

    pits: list[int]
    stores: list[int]
    taken: bool = False


def _sown_again(state: State, action: int, strays_to: int | None = None) -> list[_Lap]:
    """Sow a turn lap by lap, what comes of the last seed first, and then look for fours as the programs do.

    ``strays_to``: the program looks at the whole board, and where it finds fours the turn goes on from this pit.
    """
    rules, pit = state.rules, state.pit(action)
    assert rules.passing is not None
    laps, size = [_Lap([*state.pits], [*state.stores])], len(state.pits)
    while pit is not None and laps[-1].pits[pit] and len(laps) <= rules.max_laps:
        lap = _Lap([*laps[-1].pits], [*laps[-1].stores])
        seeds, lap.pits[pit] = lap.pits[pit], 0
        for step in range(1, seeds + 1):
            lap.pits[(pit + step) % size] += 1
        goes_on = _land(lap, state, (pit + seeds) % size)
        looked_at = (seeds - (not rules.passing.last)) % size + 1 if strays_to is None else size
        for at in ((pit + step) % size for step in range(looked_at)):
            if lap.pits[at] == FOUR:
                lap.pits[at], lap.taken = 0, True
                lap.stores[int(state.owner[at]) if rules.passing.to == "owner" else state.player] += FOUR
        laps.append(lap)
        pit = strays_to if goes_on is not None and lap.taken and strays_to is not None else goes_on
    return laps[1:]


def _land(turn: _Lap, state: State, last: int) -> int | None:
    """What the landing table says of the last pit, as far as these games ask it; the pit to go on from, if any."""
    pits, size = turn.pits, len(turn.pits)
    near = {"here": last, "next": (last + 1) % size, "next2": (last + 2) % size}
    for clause in state.rules.landing:
        asked = [
            clause.count is None or pits[last] in clause.count,
            clause.was is None or (clause.was == "empty") == (pits[last] == 1),
            clause.next is None or (clause.next == "empty") == (pits[near["next"]] == 0),
            clause.next2 is None or (clause.next2 == "empty") == (pits[near["next2"]] == 0),
        ]
        if all(asked):
            for take in clause.takes:
                turn.stores[state.player] += pits[near[take]]
                pits[near[take]] = 0
            return {"relay": last, "relay_next": near["next"]}.get(clause.then)
    return None


def _is_recorded(difference: Difference, pits: Sequence[int], stores: Sequence[int]) -> bool:
    """Is that what is recorded: as it stands, or, if a side is empty, with the rest in its owner's or North's store?"""
    half = len(pits) // 2
    south, north = sum(pits[:half]), sum(pits[half:])
    if (difference.pits, difference.stores) == (tuple(pits), tuple(stores)):
        return True
    owned = south if difference.state.rules.name not in REST_TO_NORTH else 0
    cleared = 0 in (south, north) and not any(difference.pits)
    return cleared and difference.stores == (stores[0] + owned, stores[1] + south + north - owned)


def looks_for_fours_in_too_few_pits(difference: Difference) -> bool:
    """The program looks for fours after a lap, and after a lap of a round or more only in the first few pits of it."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    last = _sown_again(difference.state, difference.action)[-1]
    return _is_recorded(difference, last.pits, last.stores)


def strays_after_fours(difference: Difference) -> bool:
    """After a lap that took fours, the program goes on from South's second pit, or passes if that is empty."""
    state = difference.state
    if difference.kind is Kind.PASS and difference.last is not None:
        (*_, lap) = _sown_again(*difference.last, strays_to=1)
        return lap.taken and tuple(lap.pits) == state.pits and state.pits[1] == 0
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _sown_again(state, difference.action, strays_to=1)
    return any(lap.taken for lap in laps) and _is_recorded(difference, laps[-1].pits, laps[-1].stores)


def gives_the_rest_to_north(difference: Difference) -> bool:
    """The program gives what is left at the end of a round to North, whoever has nothing to lift."""
    after = difference.after
    return difference.kind is Kind.BOARD and after is not None and _is_recorded(difference, after.pits, after.stores)


def ends_between_two_laps(difference: Difference) -> bool:
    """The program ends the round when a row is empty between two laps of a turn."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _sown_again(difference.state, difference.action)[:-1]
    half = len(difference.pits) // 2
    ends = [lap for lap in laps if not all((any(lap.pits[:half]), any(lap.pits[half:])))]
    return bool(ends) and not any(difference.pits) and _is_recorded(difference, ends[0].pits, ends[0].stores)


FAULTS = (gives_the_rest_to_north, looks_for_fours_in_too_few_pits, ends_between_two_laps)

RECORDED: dict[str, Played] = {
    "gabata_ghinda": Played("gabata_ghinda", rounds="first", explained=(ends_when_a_side_is_stuck, *FAULTS[1:])),
    # fours go to the mover in the program
    "gabata_wuqro": Played(
        ruleset("gabata_wuqro", passing=Passing(counts={4}, when="after_lap")),
        rounds="first",
        begins=7,
        explained=FAULTS[1:],
    ),
    "gabata_oromo": Played("gabata_oromo", begins="turn", explained=(looks_for_fours_in_too_few_pits,)),
    "khutka_boia": Played("khutka_boia", rounds="first", explained=(strays_after_fours,)),
    # the program leaves a seed in the opener's last pit that should fall into the pit that is taken
    "lamosh": Played(
        ruleset("lamosh", start=[0, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5], setup_stores=(0, 3)),
        rounds="first",
        begins=6,
        explained=FAULTS,
    ),
    "mewelad": Played("rio_kadalis", rounds="first", explained=FAULTS),
    "obridje": Played("obridje", explained=(looks_for_fours_in_too_few_pits,)),
    "pallankuli": Played(
        "pallankuli", rounds="first", explained=(looks_for_fours_in_too_few_pits, ends_between_two_laps)
    ),
    "rio_kadalis": Played("rio_kadalis", rounds="first", explained=FAULTS),
}
