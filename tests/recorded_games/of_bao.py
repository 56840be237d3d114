"""Recorded games of the family ``bao``.

The recorded programs make a placement and the choice of an end, or of a direction, two plies; here they are one. They
lay captured seeds in the end pit and sow all that lies there, let a lap capture that ends in an empty pit, and let the
mover choose the end at every capture. What no rule says of them is explained: it is played once more by the reference,
changed in one point.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace as changed

from mancala_env import Ruleset, State, ruleset
from tests.recorded_games.places import Places
from tests.recorded_games.records import Choice, Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played, allows
from tests.reference_ends import Ends, EndsTurn

HANDS = (32, 33)
RIGHT_ENDS, ENDS = (15, 16), ({8, 15}, {16, 23})
LOOPS = ((*range(8), *range(15, 7, -1)), (*range(16, 24), *range(31, 23, -1)))  # counter-clockwise
HOUSE = 11  # its place on a player's loop


def in_one_ply(record: Record) -> Record:
    """The record, with each placement and the choice after it as one ply: a pit and a direction."""
    return changed(record, games=tuple(map(_in_one_ply, record.games)))


def _in_one_ply(game: Game) -> Game:
    plies: list[Ply] = []
    for ply in game.plies:
        before = plies[-1] if plies else None
        if before is None or before.chosen.kind != "place" or before.next != before.mover:
            plies.append(_with_directions(ply, before.counts if before else game.start))
            continue
        site = before.chosen.target
        captures = before.counts[site + 8 if site < 16 else site - 8] > 0
        legal = [_of_pit(choice, site, captures) for choice in ply.legal]
        others = [Choice(each.target, each.target, "") for each in before.legal if each.target != site]
        chosen = _of_pit(ply.chosen, site, captures)
        plies[-1] = ply._replace(legal=(*others, *legal), chosen=chosen, complete=before.complete and ply.complete)
    return changed(game, plies=tuple(plies))


def _with_directions(ply: Ply, counts: Sequence[int]) -> Ply:
    """The ply with the direction of each pit that is sown, as far as it follows from the order: all clockwise first."""
    sites = [choice.source for choice in ply.legal]
    if len(sites) < 2 or set(sites) in ENDS or any(choice.kind != "lift" for choice in ply.legal):
        return ply
    fits = [
        at
        for at in range(len(sites) + 1)
        if all(part == sorted(set(part)) for part in (sites[:at], sites[at:]))
        and not any(choice.label == "TrackCCW" for choice in ply.legal[:at])
        and not any(choice.label == "TrackCW" for choice in ply.legal[at:])
    ]
    if len(fits) > 1:
        fits = [
            at
            for at in fits
            if all(_ends_across_from_seeds(ply.mover, site, k < at, counts) for k, site in enumerate(sites))
        ]
    if len(fits) != 1:
        return ply
    legal = tuple(
        choice._replace(label="TrackCW" if at < fits[0] else "TrackCCW") for at, choice in enumerate(ply.legal)
    )
    return ply._replace(legal=legal, chosen=legal[ply.legal.index(ply.chosen)])


def _ends_across_from_seeds(mover: int, site: int, clockwise: bool, counts: Sequence[int]) -> bool:
    """Does a lap end in an inner pit across from seeds of the opponent, or in an outer one across from own seeds?"""
    loop = LOOPS[mover - 1][::-1] if clockwise else LOOPS[mover - 1]
    last = loop[(loop.index(site) + counts[site]) % 16]
    return counts[last + 8 if last < 8 or (16 > last >= 8 and mover == 1) else last - 8] > 0


def _of_pit(choice: Choice, site: int, captures: bool) -> Choice:
    """The choice after a placement as one of the pit where the seed was laid; an end is a direction."""
    if not captures:
        return Choice(site, site, choice.label)
    return Choice(site, site, "TrackCCW" if choice.source in RIGHT_ENDS else "TrackCW")


def end_due(places: Places, before: Sequence[int], ply: Ply) -> tuple[str, int, int] | None:
    """The end is to be chosen where both can be, and a pit of the opponent is then empty that was not."""
    if {each.source for each in ply.legal} not in ENDS:
        return None
    theirs = range(16, 24) if ply.mover == 1 else range(8, 16)
    taken = [site for site in theirs if before[site] and not ply.counts[site]]
    if len(taken) != 1 or any(each.label for each in ply.legal):
        return None
    return "end", places.pits.index(taken[0] - 8 if ply.mover == 1 else taken[0] + 8), 0


class Turn(EndsTurn):
    """A turn as the programs play it: North's seeds captured beside an end are sown from the other one.

    ``boards``: after each lap. ``stops_short``: the turn comes to an end where it should go on.
    """

    def __init__(self, rules: Ruleset, pits: tuple[int, ...], player: int, ends: Ends) -> None:
        super().__init__(rules, pits, player, ends)
        self.boards: list[tuple[int, ...]] = []
        self.stops_short = False

    def _entry(self, place: int, direction: int) -> int:
        near = super()._entry(place, direction)
        is_beside = super()._entry(place, 0) == super()._entry(place, 1)
        return 1 - near if self.player == 1 and is_beside else near

    def _can_capture(self, place: int, kind: str) -> bool:
        self.boards.append(self.pits)
        return super()._can_capture(place, kind)

    def _halts(self, place: int, brought: bool) -> bool:
        return False

    def _has_privileges(self, place: int, player: int | None = None) -> bool:
        return False


class EndsAtOnce(Turn):
    """The same; and the game ends as soon as a lap is sown while the opponent's inner row is empty."""

    def _halts(self, place: int, brought: bool) -> bool:
        return not any(self.other[self.columns :])


class DrCongo(EndsAtOnce):
    """The same; and with an empty hand a first lap captures nothing."""

    def _can_capture(self, place: int, kind: str) -> bool:
        return super()._can_capture(place, kind) and kind != "first"


class EastAfrica(EndsAtOnce):
    """The same; and a turn ends in the house if it does not capture there."""

    def _halts(self, place: int, brought: bool) -> bool:
        return place == HOUSE or super()._halts(place, brought)


class Bao(Turn):
    """The same; and a turn that does not capture ends in the house, until its owner has sown that
    (``ends.strongholds``), and comes to a pass in an end of the inner row."""

    def _halts(self, place: int, brought: bool) -> bool:
        self.stops_short = place in (self.columns, 2 * self.columns - 1)
        return self.stops_short or (place == HOUSE and self.kept[self.player])


def _kept(difference: Difference) -> tuple[bool, bool]:
    """For each player: is the house not yet sown? The program notes by a value of the player that it is."""
    values = difference.before.values if difference.before else ()
    return (1 not in values[:1], 1 not in values[1:])


def _turn(kind: type[Turn], difference: Difference, state: State, action: int) -> Turn:
    """A turn from a position of ours, or what is left of it after a decision, as a program plays it."""
    half = state.rules.board.pits // 2
    turn = kind(state.rules, state.pits, state.player, Ends(state.reserve, _kept(difference), None, None))
    if state.pending is None:
        turn.play(action % half, action // half)
    elif state.pending.kind == "go_on":
        turn.go_on(state.pending.more)
    else:
        turn.enter(state.pending.number, action // half, 0)
    return turn


def _plays(kind: type[Turn], difference: Difference) -> bool:
    """Is that recorded which a program comes to: the board; who moves then; a pass?"""
    state = difference.state
    if difference.kind is Kind.BOARD and difference.action is not None:
        return _turn(kind, difference, state, difference.action).pits == difference.pits
    if difference.last is None or difference.kind not in (Kind.MOVER, Kind.PASS):
        return False
    turn = _turn(kind, difference, *difference.last)
    ends_here = turn.pits == state.pits and (turn.due is None or turn.due[0] == "go_on")
    if difference.kind is Kind.MOVER:
        return state.pending is not None and ends_here and not turn.stops_short
    return ends_here and turn.stops_short


def _captures(kind: type[Turn], difference: Difference) -> frozenset[int]:
    """The actions by which a program's player captures at once."""
    state, half = difference.state, difference.state.rules.board.pits // 2
    turn = kind(state.rules, state.pits, state.player, Ends(state.reserve, _kept(difference), None, None))
    return frozenset(
        direction * half + place
        for direction in (0, 1)
        for place in range(half)
        if turn.first_captured(place, direction) is not None
    )


def _may_play(difference: Difference, expected: Collection[int]) -> bool:
    """Are these the recorded legal actions, pit by pit? Where no direction is recorded, those of ours stand for it."""
    legal, state = difference.legal or frozenset(), difference.state
    half, ours = state.rules.board.pits // 2, frozenset(state.legal_actions)
    for place in range(half):
        both = {place, place + half}
        if legal & both != both & {*expected} and not (both & ours == legal & both and both & {*expected}):
            return False
    return legal != ours


def plays_from_far_ends(difference: Difference) -> bool:
    """The program sows North's seeds captured in or beside an end from the other end, and ends the game in mid-turn as
    soon as the opponent's inner row is empty; with an empty hand first laps capture nothing."""
    return _plays(DrCongo, difference)


def stops_in_the_house(difference: Difference) -> bool:
    """The program sows North's seeds captured in or beside an end from the other end, and ends the game in mid-turn as
    soon as the opponent's inner row is empty; a lap that captures nothing in the house ends the turn."""
    return _plays(EastAfrica, difference)


def keeps_the_house_until_it_is_sown(difference: Difference) -> bool:
    """The program sows North's seeds captured in or beside an end from the other end; until its owner has sown the
    house, with all its seeds, a lap that captures nothing there ends the turn, which nobody chooses; and a lap that
    captures nothing in an end comes to a pass."""
    return _plays(Bao, difference)


@allows  # where the next lap begins is not compared
def goes_on_with_a_turn(difference: Difference) -> bool:
    """The program goes on with a turn where a player of ours has a choice, to the board that is recorded."""
    if difference.last is None or difference.kind is not Kind.LEGAL or difference.state.pending is None:
        return False
    turns = (_turn(kind, difference, *difference.last) for kind in (Bao, DrCongo))
    return any(difference.state.pits in turn.boards[:-1] and turn.pits == difference.pits for turn in turns)


def captures_from_far_ends(difference: Difference) -> bool:
    """In the program North's seeds captured in or beside an end are sown from the other end, which is the direction."""
    state = difference.state
    if difference.kind is not Kind.LEGAL or state.pending is not None or not state.reserve[state.player]:
        return False
    captures = _captures(Turn, difference)
    return bool(captures) and _may_play(difference, captures)


def brings_anywhere_but_to_the_house(difference: Difference) -> bool:
    """In the program a seed that captures nothing is brought to any inner pit with seeds, but to a house that its owner
    has not sown only where there is no other, and sown in either direction."""
    state = difference.state
    if difference.kind is not Kind.LEGAL or state.pending is not None or not state.reserve[state.player]:
        return False
    if _captures(Turn, difference):
        return False
    half = state.rules.board.pits // 2
    own = state.pits[state.player * half : (state.player + 1) * half]
    filled = [place for place in range(state.rules.board.columns, half) if own[place]]
    if _kept(difference)[state.player]:
        filled = [place for place in filled if place != HOUSE] or filled
    return _may_play(difference, [place + direction * half for place in filled for direction in (0, 1)])


def looks_across_from_outer_pits(difference: Difference) -> bool:
    """In the program a turn may begin also if its first lap ends in an outer pit beside an own inner pit with seeds."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or state.reserve[state.player] or state.pending is not None:
        return False
    row, half = state.rules.board.columns, state.rules.board.pits // 2
    own = state.pits[state.player * half : (state.player + 1) * half]
    beside = set()
    for action in range(2 * half):
        seeds = own[action % half]
        last = (action % half + (1 if action < half else -1) * seeds) % half
        if seeds and last < row and own[half - 1 - last]:
            beside.add(action)
    return legal == _captures(Turn, difference) | beside


def as_the_programs(name: str) -> Ruleset:
    """What all three programs do."""
    return ruleset(name).changes(
        ends="chosen", end_joins=True, empty_captures=True, captures_later=True, threats=False, stronghold=None
    )


DR_CONGO = as_the_programs("bao_kiswahili").changes(
    setup=(*(0,) * 8, *(1,) * 8) * 2, reserve=24, brings_anywhere=True, must_capture=False, plays_singles=True
)
EAST_AFRICA = as_the_programs("bao_kiswahili").changes(brings_anywhere=True, plays_singles=True)
BAO = as_the_programs("bao_kiswahili").changes(stronghold=HOUSE, setup=(*(0,) * 10, 2, 6, *(0,) * 4) * 2)

RECORDED: dict[str, Played] = {
    "bao": Played(
        BAO, reads=in_one_ply, hands=HANDS, pending=end_due, laps=False, result="winner",
        explained=(
            keeps_the_house_until_it_is_sown, captures_from_far_ends, brings_anywhere_but_to_the_house,
            goes_on_with_a_turn,
        ),
    ),
    "bao_kiswahili_dr_congo": Played(
        DR_CONGO, reads=in_one_ply, hands=HANDS, pending=end_due, laps=False, result="winner",
        explained=(plays_from_far_ends, captures_from_far_ends, goes_on_with_a_turn),
    ),
    "bao_kiswahili_east_africa": Played(
        EAST_AFRICA, reads=in_one_ply, hands=HANDS, pending=end_due, laps=False, result="winner",
        explained=(
            stops_in_the_house, captures_from_far_ends, looks_across_from_outer_pits,
        ),
    ),
}  # fmt: skip
