"""Recorded games of the family ``bao``.

The recorded programs make a placement and the choice of an end, or of a direction, two plies; here they are one. They
lay captured seeds in the end pit and sow all that lies there, let a lap capture that ends in an empty pit, and let the
mover choose the end at every capture. What no rule says of them is explained: it is played once more by the reference,
changed in one point.
"""

from collections.abc import Sequence
from dataclasses import replace as changed

from mancala_env import Ruleset, State, ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.places import Places
from tests.recorded_games.records import Choice, Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played
from tests.reference_ends import Ends, EndsTurn, captures

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


class FarEnd(EndsTurn):
    """A turn as the programs play it: North's seeds captured beside an end are sown from the other one."""

    def _entry(self, place: int, direction: int) -> int:
        near = super()._entry(place, direction)
        is_beside = super()._entry(place, 0) == super()._entry(place, 1)
        return 1 - near if self.player == 1 and is_beside else near


class LateCaptures(FarEnd):
    """The same; and with an empty hand a first lap captures nothing."""

    def _can_capture(self, place: int, kind: str) -> bool:
        return kind != "first" and super()._can_capture(place, kind)


class HaltsInTheHouse(FarEnd):
    """The same; and a turn ends in the house if it does not capture there."""

    def _halts(self, place: int, brought: bool) -> bool:
        return place == HOUSE or super()._halts(place, brought)


class WholeHouse(FarEnd):
    """The same; and the house has no privileges."""

    def _has_privileges(self, place: int, player: int | None = None) -> bool:
        return False


class EndsAtOnce(FarEnd):
    """The same; and the game ends as soon as a lap is sown while the opponent's inner row is empty."""

    def _halts(self, place: int, brought: bool) -> bool:
        return not any(self.other[self.columns :]) or super()._halts(place, brought)


def _ends(state: State) -> Ends:
    kept = state.stronghold if state.rules.stronghold is not None else (False, False)
    return Ends(state.reserve, kept, None, None)


def _is_played_by(kind: type[EndsTurn], difference: Difference) -> bool:
    """Is the board recorded that the reference comes to, changed in this way?"""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    half = state.rules.board.pits // 2
    turn = kind(state.rules, state.pits, state.player, _ends(state))
    if state.pending is None:
        turn.play(action % half, action // half)
    elif state.pending.kind == "go_on":
        turn.go_on(state.pending.more)
    else:
        turn.enter(state.pending.number, action // half, 0)
    return turn.pits == difference.pits


def sows_from_the_far_end(difference: Difference) -> bool:
    """In the program North's seeds captured in one of the two pits beside an end are sown from the other end."""
    state, legal = difference.state, difference.legal
    if state.player == 0 or difference.kind is not Kind.LEGAL or legal is None:
        return _is_played_by(FarEnd, difference)
    row, half = state.rules.board.columns, state.rules.board.pits // 2
    beside = (row, row + 1, half - 2, half - 1)
    disputed = legal ^ frozenset(state.legal_actions)
    turned = frozenset((action + half) % (2 * half) for action in disputed)
    return state.reserve[1] > 0 and turned == disputed and all(action % half in beside for action in disputed)


def captures_with_later_laps(difference: Difference) -> bool:
    """In the program a turn of a player with an empty hand captures nothing with its first lap."""
    state = difference.state
    if state.reserve[state.player]:
        return False
    due = state.pending is not None and difference.kind in (Kind.LEGAL, Kind.MOVER)
    return due or _is_played_by(LateCaptures, difference)


def halts_in_the_house(difference: Difference) -> bool:
    """In the program a lap that captures nothing in the house ends the turn there; nobody chooses to go on."""
    due = difference.state.pending
    if due is not None and due.kind == "go_on":
        return difference.kind is Kind.MOVER
    return _is_played_by(HaltsInTheHouse, difference)


def goes_on_in_the_house(difference: Difference) -> bool:
    """In the program nobody stops in the house after a lap of captured seeds."""
    state, legal = difference.state, difference.legal
    is_due = difference.kind is Kind.LEGAL and state.pending is not None and state.pending.kind == "go_on"
    return is_due and legal is not None and legal == frozenset(state.legal_actions[:1])


def sows_the_whole_house(difference: Difference) -> bool:
    """In the program a house that is played is sown with all its seeds."""
    return _is_played_by(WholeHouse, difference)


def goes_round_the_corner(difference: Difference) -> bool:
    """In the program the only inner pit with seeds may be sown round the corner into the outer row."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None or state.pending is not None:
        return False
    row, half = state.rules.board.columns, state.rules.board.pits // 2
    own = state.pits[state.player * half : (state.player + 1) * half]
    corners = {half - 1, row + half}  # actions: the last inner pit on, and the first one back
    further = legal - frozenset(state.legal_actions)
    alone = sum(seeds > 0 for seeds in own[row:]) == 1
    return alone and bool(further) and further <= corners and legal >= frozenset(state.legal_actions)


def passes_in_mid_turn(difference: Difference) -> bool:
    """In the program a turn that should go on with the pit where a lap has ended can come to a forced pass."""
    state = difference.state
    if difference.kind is Kind.PASS:
        return bool(state.legal_actions) and state.pits == difference.pits
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    pits = [*state.pits, *state.stores]
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and tuple(pits[:-2]) == difference.pits:
            return True
        event.happen(pits)
    return False


def ends_at_once(difference: Difference) -> bool:
    """The program ends the game in mid-turn as soon as the opponent's inner row is empty."""
    return difference.over and _is_played_by(EndsAtOnce, difference)


def looks_across_from_outer_pits(difference: Difference) -> bool:
    """In the program a turn may begin also if its first lap ends in an outer pit beside an own inner pit with seeds."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None or state.reserve[state.player] or state.pending is not None:
        return False
    row, half = state.rules.board.columns, state.rules.board.pits // 2
    own = state.pits[state.player * half : (state.player + 1) * half]
    last = [((action % half) + (1 if action < half else -1) * own[action % half]) % half for action in legal]
    beside = {action for action, place in zip(legal, last, strict=True) if place < row and own[half - 1 - place]}
    ours = frozenset(state.legal_actions)
    if not captures(state.rules, state.pits, state.player, _ends(state)):
        ours = frozenset()  # turns that capture nothing, which the program does not let begin
    return ours <= legal and legal - ours <= beside


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
            sows_from_the_far_end, ends_at_once, halts_in_the_house, goes_on_in_the_house, sows_the_whole_house,
            goes_round_the_corner, passes_in_mid_turn,
        ),
    ),
    "bao_kiswahili_dr_congo": Played(
        DR_CONGO, reads=in_one_ply, hands=HANDS, pending=end_due, laps=False, result="winner",
        explained=(sows_from_the_far_end, ends_at_once, captures_with_later_laps),
    ),
    "bao_kiswahili_east_africa": Played(
        EAST_AFRICA, reads=in_one_ply, hands=HANDS, pending=end_due, laps=False, result="winner",
        explained=(
            sows_from_the_far_end, ends_at_once, halts_in_the_house, looks_across_from_outer_pits,
        ),
    ),
}  # fmt: skip
