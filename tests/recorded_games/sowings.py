"""Turns that recorded programs sow in another way: each explanation sows them again, to the recorded board."""

from dataclasses import dataclass

from mancala_env import State
from mancala_env.trace import EventKind
from tests.recorded_games.explained import comes_to, is_recorded, lift, sow, told, way
from tests.recorded_games.replay import Difference, Kind, allows


def counts_ends_of_laps(difference: Difference) -> bool:
    """The program takes a turn to have been on the other side only if a lap has ended there."""
    state = difference.state
    passed, owner = False, [*state.owner.tolist(), 0, 1]
    for event, before in told(difference):
        theirs = event.target is not None and owner[event.target] != state.player
        passed = passed or (event.kind is EventKind.SOW and theirs)
        if event.kind is EventKind.LAND:
            if theirs:
                return False
            asked = [clause.visited for clause in state.rules.landing[: (event.clause or 0) + 1]]
            if passed and (False in asked or asked[-1]):  # the clause applies to turns that have been there
                return is_recorded(difference, before)
    return False


def forgets_nothing_after_a_round(difference: Difference) -> bool:
    """After a lap of a round or more the program forgets none of the pits, though it has sown them all."""
    state, after, action = difference.state, difference.after, difference.action
    if difference.kind is not Kind.BOARD or after is None or action is None:
        return False
    pit, memory = state.pit(action) or 0, [*state.memory]
    memory[pit] = 1
    same = is_recorded(difference, (*after.pits, *after.stores))
    return same and state.pits[pit] >= len(memory) and tuple(memory) == difference.memory


def lays_the_last_seed_across(difference: Difference) -> bool:
    """In the first turn of each player the program lays a last seed that would fall in the own row in the first pit of
    the other."""
    state, after, action = difference.state, difference.after, difference.action
    if difference.kind is not Kind.BOARD or after is None or action is None or state.ply >= len(state.rules.opening):
        return False
    homes = state.rules.board.homes
    (last,) = [event.target for event in state.trace(action).events if event.kind is EventKind.LAND]
    pits = [*after.pits]
    pits[last or 0] -= 1
    pits[homes[1 - state.player][0]] += 1
    return last in homes[state.player] and tuple(pits) == difference.pits


@comes_to
def bears_single_seeds_off(state: State, action: int) -> list[int] | None:
    """A lap that leaves no pit with two seeds captures nothing; its last seed leaves the board at the row's end."""
    pits, stores, pit, size = [*state.pits], [*state.stores], state.pit(action) or 0, len(state.pits)
    for _ in range(state.rules.max_laps):
        pit = sow(pits, range(size), pit, lift(pits, pit))
        if pits[pit] == 1:
            break
    if max(pits) > 1:
        return None
    if state.owner[(pit + 1) % size] != state.player:  # the pit after the one where the last seed fell
        stores[state.player] += lift(pits, pit)
    return [*pits, *stores]


THREE, FOUR = 3, 4  # seeds of a pit that is passed over or closed, and of one that is taken


@comes_to
def passes_over_what_held_three_before(state: State, action: int) -> list[int]:
    """The program passes over pits that held three before the lap, ours over those that hold three at the time."""
    pits, owner, loop = [*state.pits], state.owner, state.rules.board.loops[state.player]
    place = loop.index(state.pit(action) or 0)
    for _ in range(state.rules.max_laps):
        hand = lift(pits, loop[place])
        passed = {pit for pit, seeds in enumerate(pits) if seeds == THREE and owner[pit] != state.player}
        while hand > 0:
            place = (place + 1) % len(loop)
            if loop[place] not in passed:
                pits[loop[place]] += 1
                hand -= 1
        last = loop[place]
        if pits[last] == 1 or (pits[last] == FOUR and owner[last] != state.player):
            break
    return pits


FULL = 12  # seeds of a pit that is passed over


@comes_to
def passes_over_what_was_full_before(state: State, action: int) -> list[int]:
    """The program passes over pits that held twelve before the lap, ours over those that hold twelve at the time."""
    return _passing_over_what_was_full(state, action)


def leaves_seeds_to_the_opponent(difference: Difference) -> bool:
    """In the program a move must leave the opponent seeds, which ours cannot ask for where pits are passed over."""
    state = difference.state
    theirs = state.rules.board.homes[1 - state.player]
    after = {action: _passing_over_what_was_full(state, action) for action in state.legal_actions}
    leaves = {action for action, seeds in after.items() if any(seeds[pit] for pit in theirs)}
    if difference.kind is Kind.LEGAL:
        return difference.legal == leaves
    return not leaves and (difference.kind is Kind.PASS or (difference.kind is Kind.END and difference.over))


def _passing_over_what_was_full(state: State, action: int) -> list[int]:
    """Pits and stores after a lap of Oware in which seeds pass over the origin and over what was full before it.

    A last seed that was pushed past the origin captures nothing, as in ``pushed_past_origin``.
    """
    pits, stores, size = [*state.pits], [*state.stores], len(state.pits)
    origin = at = state.pit(action) or 0
    full = {pit for pit, seeds in enumerate(pits) if seeds >= FULL}
    hand, is_pushed = lift(pits, origin), False
    while hand > 0:
        at = (at + 1) % size
        is_pushed = is_pushed or at == origin
        if at != origin and at not in full:
            pits[at] += 1
            hand -= 1
            is_pushed = is_pushed and hand == 0
    while not is_pushed and state.owner[at] != state.player and pits[at] in (2, 3):
        stores[state.player] += lift(pits, at)
        at = (at - 1) % size
    return [*pits, *stores]


def passes_over_what_the_lap_has_filled(difference: Difference) -> bool:
    """The program passes over the pits that held three before the lap, ours over those that hold three at the time."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _passing_over(difference.state, difference.action)
    if is_recorded(difference, laps[-1][0]):
        return True
    half = len(difference.pits) // 2
    for seeds, following in laps:  # the program ends the round where ``ends_at_a_single_seed`` says it does
        if following is not None and seeds[following] == 1:
            totals = (seeds[-2] + sum(seeds[:half]), seeds[-1] + sum(seeds[half:-2]))
            return totals == difference.stores and not any(difference.pits)
    return False


def _passing_over(state: State, action: int) -> list[tuple[list[int], int | None]]:
    """Pits and stores, and the pit to go on from, after each lap of a turn in which seeds pass over what held three."""
    rules, size = state.rules, len(state.pits)
    chosen = state.chosen_directions[state.player]
    step = -1 if (state.direction(action) if chosen is None else chosen) == 1 else 1
    stops = {place % (size // 2) for clause in rules.landing for place in clause.place or ()}
    pits, stores, at = [*state.pits], [*state.stores], state.pit(action)
    laps: list[tuple[list[int], int | None]] = []
    while at is not None and len(laps) <= rules.max_laps:
        hand = lift(pits, at)
        full = {pit for pit, seeds in enumerate(pits) if seeds == THREE}
        while hand > 0:
            at = (at + step) % size
            if hand > 1 and at in full:
                continue
            pits[at] += 1
            hand -= 1
        end, following = at, (at + step) % size
        at = end if pits[end] > 1 else None
        if pits[end] == FOUR:
            stores[state.player] += lift(pits, end)
            at = following if pits[following] and end % (size // 2) not in stops else None
        laps.append(([*pits, *stores], at))
    return laps


# Deka, whose pits of three are closed.


def closes_in_another_way(difference: Difference) -> bool:
    """The program sows the three seeds of a pit that it closes after the next pit, and ends the turn with that lap."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    pits, closed, _ = _closing(difference.state, difference.action)
    marks = [mark >= 0 for mark in difference.marks]
    return tuple(pits) == difference.pits and [pit in closed for pit in range(len(pits))] == marks


def passes_after_a_seed_is_lost(difference: Difference) -> bool:
    """The program goes on where a lap ended on lost seeds, which is a pass and ends the game."""
    if difference.kind is not Kind.PASS or not difference.over or difference.last is None:
        return False
    pits, _, goes_on = _closing(*difference.last)
    return goes_on and tuple(pits) == difference.state.pits


def _closing(state: State, action: int) -> tuple[list[int], set[int], bool]:
    """The pits after a turn, which of them are closed, and whether the turn should go on from a pit that is empty.

    South's seeds jump South's closed pits; North's fall into those of North, and lie there. With each lap all that lies
    in the opponent's closed pits is lost. A pit beside one that is closed is opened again where it is empty, for the
    program lays the three seeds there before it sows them.
    """
    player, pits, board = state.player, [*state.pits], state.rules.board
    closed = {pit for pit, mark in enumerate(state.marks) if mark >= 0}
    own = {pit for pit in closed if board.owner[pit] == player}
    theirs = closed - own
    at = board.homes[player][action]

    def sow_after(at: int, seeds: int, jumps: bool) -> int:
        """The last pit of a lap after a pit; what falls into the opponent's closed pits is still there."""
        while seeds:
            at = (at + 1) % board.pits
            if not (jumps and at in own):
                pits[at] += 1
                seeds -= 1
        return at

    while pits[at]:
        at = sow_after(at, lift(pits, at), jumps=player == 0)
        full, single = pits[at] == THREE, pits[at] == 1
        if full:
            following = (at + 1) % board.pits
            pits[at] = 0
            closed.add(at)
            if not pits[following]:
                closed.discard(following)
            sow_after(following, THREE, jumps=True)
        for pit in theirs:
            pits[pit] = 0
        if full or single:
            return pits, closed, False
    return pits, closed, True


# Fours that are taken in passing. The programs look for fours when a lap has been sown, in pits that they count from
# the one that was lifted: as many as were sown, the number taken round the board once. So they look at a few pits only,
# or at none, after a lap of a round or more.

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
        seeds = lift(lap.pits, pit)
        goes_on = _land(lap, state, sow(lap.pits, range(size), pit, seeds))
        looked_at = (seeds - (not rules.passing.last)) % size + 1 if strays_to is None else size
        for at in ((pit + step) % size for step in range(looked_at)):
            if lap.pits[at] == FOUR:
                lap.taken = True
                to = int(state.owner[at]) if rules.passing.to == "owner" else state.player
                lap.stores[to] += lift(lap.pits, at)
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
                turn.stores[state.player] += lift(pits, near[take])
            return {"relay": last, "relay_next": near["next"]}.get(clause.then)
    return None


def _is_recorded_or_cleared(difference: Difference, lap: "_Lap | State") -> bool:
    """Is that what is recorded: as it stands, or, if a side is empty, with the rest in its owner's or North's store?"""
    half = len(lap.pits) // 2
    south, north = sum(lap.pits[:half]), sum(lap.pits[half:])
    if (difference.pits, difference.stores) == (tuple(lap.pits), tuple(lap.stores)):
        return True
    owned = south if difference.state.rules.name not in REST_TO_NORTH else 0
    cleared = 0 in (south, north) and not any(difference.pits)
    return cleared and difference.stores == (lap.stores[0] + owned, lap.stores[1] + south + north - owned)


def looks_for_fours_in_too_few_pits(difference: Difference) -> bool:
    """The program looks for fours after a lap, and after a lap of a round or more only in the first few pits of it."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    return _is_recorded_or_cleared(difference, _sown_again(difference.state, difference.action)[-1])


def strays_after_fours(difference: Difference) -> bool:
    """After a lap that took fours, the program goes on from South's second pit, or passes if that is empty."""
    state = difference.state
    if difference.kind is Kind.PASS and difference.last is not None:
        (*_, lap) = _sown_again(*difference.last, strays_to=1)
        return lap.taken and tuple(lap.pits) == state.pits and state.pits[1] == 0
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _sown_again(state, difference.action, strays_to=1)
    return any(lap.taken for lap in laps) and _is_recorded_or_cleared(difference, laps[-1])


def gives_the_rest_to_north(difference: Difference) -> bool:
    """The program gives what is left at the end of a round to North, whoever has nothing to lift."""
    after = difference.after
    return difference.kind is Kind.BOARD and after is not None and _is_recorded_or_cleared(difference, after)


def ends_between_two_laps(difference: Difference) -> bool:
    """The program ends the round when a row is empty between two laps of a turn."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    laps = _sown_again(difference.state, difference.action)[:-1]
    half = len(difference.pits) // 2
    ends = [lap for lap in laps if not all((any(lap.pits[:half]), any(lap.pits[half:])))]
    return bool(ends) and not any(difference.pits) and _is_recorded_or_cleared(difference, ends[0])


# Duene, in which fours are taken in passing as well, and everything with few seeds.

FEW = 8  # seeds of all pits when the game ends in another way


def looks_for_fours_from_the_first_pit_to_the_last(difference: Difference) -> bool:
    """The program looks for fours from the pit that was lifted to the last one, though the lap went round further."""
    return sum(difference.state.pits) > FEW and _is_played_as_duene(difference)


def goes_on_from_the_last_pit_before(difference: Difference) -> bool:
    """With eight seeds or fewer left the program goes on from the last pit of the last lap before, or passes there."""
    state, before = difference.state, difference.before
    if difference.kind is Kind.PASS:  # the player to move has just moved
        stays = before is not None and before.mover == state.player + 1
        return stays and sum(state.pits) <= FEW and state.pits[_last_pit(difference)] == 0
    return sum(state.pits) <= FEW and _is_played_as_duene(difference)


def _last_pit(difference: Difference) -> int:
    """Our pit that the program has noted as the last one of a lap; it does so with more than eight seeds only."""
    site = difference.before.variables.get("To", 1) if difference.before else 1
    return site - 1 if site < 7 else 18 - site


def _is_played_as_duene(difference: Difference) -> bool:
    """Does the program come to the recorded board?"""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    pits, stores, size = [*state.pits], [*state.stores], len(state.pits)
    pit, noted, goes_on = state.pit(action) or 0, _last_pit(difference), True
    while goes_on and pits[pit]:
        many = sum(pits) > FEW
        seeds = lift(pits, pit)
        last = sow(pits, range(size), pit, seeds)
        goes_on = pits[last] not in (1, FOUR)
        if many:
            noted, at = last, last
            while pits[at] == FOUR:
                stores[state.player] += lift(pits, at)
                at = (at - 1) % size
            for at in ((pit + step) % size for step in range(seeds % size + 1)):
                if pits[at] == FOUR:
                    stores[int(state.owner[at])] += lift(pits, at)
        elif pits[last] == FOUR:
            stores[state.player] += sum(pits)
            pits = [0] * size
        pit = noted
    return is_recorded(difference, [*pits, *stores])


# Tuz, a marked pit of Toguz.


def plays_on_with_a_tuz_in_the_first_pit(difference: Difference) -> bool:
    """In the program a tuz in the first pit of all is a pit like others: seeds lie in it, are played, and captured;
    but its owner gets no other."""
    state = difference.state
    if difference.kind not in (Kind.LEGAL, Kind.BOARD) or state.marks[0] < 0:
        return False
    others = state.marks[1:].tolist()
    plain = state.rules.position(state.pits, state.stores, state.player, marks=(-1, *others))
    if difference.kind is Kind.LEGAL and difference.legal != frozenset(plain.legal_actions):
        return False
    after = plain.play(state.rules.action(state.player, difference.pit))
    pits, stores, marks = [*after.pits], [*after.stores], [*after.marks.tolist()]
    if state.marks[0] == state.player in marks:
        new = marks.index(state.player)
        pits[new], stores[state.player], marks[new] = 3, stores[state.player] - 3, -1
    marks[0] = int(state.marks[0])
    return is_recorded(difference, [*pits, *stores]) and tuple(marks) == difference.marks


def counts_the_row_of_a_tuz(difference: Difference) -> bool:
    """At the end the program gives what lies in a tuz to the player of that row."""
    state = difference.state
    if difference.kind is not Kind.RESULT or state.scores is None:
        return False
    scores = [*state.scores]
    for pit, mark in enumerate(state.marks):
        if mark >= 0:
            scores[mark] -= state.pits[pit]
            scores[state.rules.board.owner[pit]] += state.pits[pit]
    first = scores.index(max(scores))
    return difference.winner == (None if scores[0] == scores[1] else first)


def overlooks_a_tuz_in_the_first_pit(difference: Difference) -> bool:
    """In the program a tuz in the first pit of all does not count as one until the other player has one, too."""
    before, after = difference.state, difference.after
    if difference.kind is not Kind.BOARD or after is None:
        return False
    overlooked = after.marks[0] == 1 and 0 not in after.marks
    remembered = max(before.marks) < 0 and 0 in after.marks
    marks = (-1 if overlooked else 1, *after.marks[1:].tolist())
    same = is_recorded(difference, (*after.pits, *after.stores)) and difference.marks == marks
    return same and (overlooked or remembered)


def forgets_emptied_marks(difference: Difference) -> bool:
    """The program forgets whose a marked pit is when a raid has emptied it."""
    after = difference.after
    if difference.kind is not Kind.BOARD or after is None or not is_recorded(difference, (*after.pits, *after.stores)):
        return False
    marks = [
        -1 if mark == owner ^ 1 and not seeds else int(mark)
        for owner, seeds, mark in zip(after.rules.board.owner, after.pits, after.marks, strict=True)
    ]
    return difference.marks == tuple(marks)


def passes_in_a_marked_pit(difference: Difference) -> bool:
    """The program lets a player go on whose last seed has fallen in a marked pit, which cannot be lifted."""
    if difference.kind is not Kind.PASS or difference.last is None:
        return False
    before, action = difference.last
    (*_, last) = (event.target for event in before.trace(action).events if event.kind is EventKind.LAND)
    return before.player == difference.state.player and difference.state.marks[last or 0] >= 0


# Omweso and its kin. The programs lay what is captured in the pit where the lap began, which is a ply of its own, and
# sow all that lies there; and they let a lap be reversed also if it ends in an empty pit, and would capture if that
# held seeds.


def reverses_into_empty_pits(difference: Difference) -> bool:
    """The program reverses first laps also if they end in an empty inner pit of a column in which the opponent's pits
    hold seeds."""
    state, board = difference.state, difference.state.rules.board
    if difference.kind is not Kind.LEGAL or state.pending is not None:
        return False
    home, loop = board.homes[state.player], board.loops[state.player]
    also = set()
    for pit in state.rules.reversible[state.player]:
        end = loop[(loop.index(pit) - state.pits[pit]) % len(loop)]
        across = board.facing[end], board.outer[end]
        is_empty = end not in across and not state.pits[end] and all(state.pits[each] for each in across)
        if is_empty and state.rules.min_start <= state.pits[pit] < len(loop):
            also.add(home.index(pit) + len(home))
    return difference.legal == {*state.legal_actions} | also


@allows
def goes_on_with_what_lies_there(difference: Difference) -> bool:
    """The program sows on what lay in the pit where the lap began, too, in a turn of ours that captures."""
    return any(event.kind is EventKind.TAKE for event, _ in told(difference))


@allows
def asks_otherwise_in_a_turn(difference: Difference) -> bool:
    """The program asks in mid-turn for the direction of a lap that ours does not ask for, or the other way round."""
    legal, state = difference.legal, difference.state
    if lifted := [event.source for event, _ in told(difference) if event.kind is EventKind.LIFT]:
        return not state.rules.reversible[state.player].isdisjoint(lifted[1:])
    if difference.kind is not Kind.LEGAL or legal is None:
        return False
    return state.pending is not None or len({action % len(state.rules.board.homes[0]) for action in legal}) == 1


# Andot and Waache Waledat, whose left pits are sown one way, and whose right pits the other.

LEFT = (0, 1, 2, 9, 10, 11)  # pits at the left of the board
TO_THE_RIGHT, TO_THE_LEFT = 1, 2  # the direction that the program of Waache Waledat keeps
PASSES = "passes"  # the number that is kept after each ply of Andot: how many were made in a row


def pit_of_two_rows(site: int) -> int:
    """Our pit for a recorded site; a pass, which has none, counts as the first in the program."""
    return max(0, site) if site < 6 else 17 - site


def holds_lone_seeds_back(difference: Difference) -> bool:
    """A lone seed may not enter an empty pit just played, nor the opponent's three; who has no other pit passes."""
    state, before = difference.state, difference.before
    if difference.kind is Kind.END:  # both have passed
        return difference.over and before is not None and before.variables[PASSES] == 2
    played = pit_of_two_rows(before.chosen.source) if before else 0
    legal = {action for action in state.legal_actions if not _is_held_back(state, action, played)}
    if difference.kind is Kind.PASS:
        return not legal
    return difference.kind is Kind.LEGAL and difference.legal == legal


def _is_held_back(state: State, action: int, played: int) -> bool:
    pit = state.pit(action) or 0
    target = (pit + way(state, action)) % len(state.pits)
    back = state.pits[target] == 0 and target == played
    return state.pits[pit] == 1 and (back or (state.pits[target] == 3 and state.owner[target] != state.player))


def goes_on_in_the_same_direction(difference: Difference) -> bool:
    """In the turn after a capture, even after a pass, the program sows the same way, as it keeps the direction.

    So only half of the pits can be played.
    """
    state, before = difference.state, difference.before
    if before is None or before.variables.get("Direction") not in (TO_THE_LEFT, TO_THE_RIGHT):
        return False
    goes_left = before.variables["Direction"] == TO_THE_LEFT
    legal = {action for action in state.legal_actions if (state.pit(action) in LEFT) == goes_left}
    if difference.kind is Kind.PASS:
        return not legal
    return difference.kind is Kind.LEGAL and difference.legal == legal
