"""What a move does, as events and in words. The events come from the engine: no rule of a game stands here.

Pictures, replays and pages draw these events; ``State.trace`` makes them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import words
from mancala_env.ending import PLAYERS, counted
from mancala_env.kernels import events as E
from mancala_env.kernels import layout
from mancala_env.kernels.trace import emit_move
from mancala_env.pending import Pending, pending_in
from mancala_env.rules import GrandSlam, MarkedPits, Ruleset, Sowing, When

ROOM = 200  # room for the events of most moves


class EventKind(StrEnum):
    """What can happen in a move. *Cells* are pits in canonical order, then the stores of South and of North.

    Events are in the order in which they happen; fields that do not apply are None; ``clause`` says by which rule.
    """

    LIFT = "lift"  # ``seeds`` of pit ``source``, but for one that may stay; with a ``clause``, for another lap
    SOW = "sow"  # a seed of the hand, which comes from cell ``source``, falls into cell ``target``
    LOSE = "lose"  # a seed of the hand leaves the board; ``target``: the pit that was full, if that is why
    REAP = "reap"  # a seed of pit ``source`` comes into the hand, which goes on to pit ``target``
    LAY = "lay"  # ``seeds``, all in the hand, are laid into pit ``target``
    LAND = "land"  # the last seed of a lap has fallen into ``target``, which now holds ``seeds``; ``clause`` applies
    TAKE = "take"  # ``seeds`` of pit ``source`` are captured: into cell ``target``, or (None) to be sown on
    CARRY = "carry"  # a seed, or a pile of ``seeds``, is carried over from pit ``source`` to pit ``target``
    MARK = "mark"  # pit ``target``, of ``seeds`` seeds, gets the mover's mark
    SLAM = "grand_slam"  # all that the opponent has, in ``seeds`` pits, would be captured; what is taken then follows
    AGAIN = "again"  # the mover has another turn
    LIMIT = "limit"  # no more laps are allowed: the turn ends after ``seeds`` of them
    ROUNDS = "rounds"  # the turn repeats itself: ``seeds`` laps, which change nothing, are left out here
    STAY = "stay"  # the only seed of pit ``source`` stays where it is: nothing moves
    CHOOSE = "choose"  # the mover is to pick ``seeds`` pits, or decides on pit ``target``; 0 seeds: to go on or stop
    BRING = "bring"  # a seed that was in hand falls into pit ``target``
    HOLD = "hold"  # the turn stops at pit ``source``, where it could have gone on
    UNMARK = "unmark"  # pit ``target`` loses its mark to a capture
    FAIL = "fail"  # the last seed has fallen into cell ``target``, which loses the game
    PASS = "pass"  # the mover passes
    STUCK = "stuck"  # the player whose turn it would be has nothing to play, so that the other one moves


KINDS = tuple(EventKind)  # the first ones as kernels number them
_TO_HAND, _FROM_HAND = (EventKind.LIFT, EventKind.REAP), (EventKind.SOW, EventKind.LAY, EventKind.BRING)
_ACROSS = (EventKind.TAKE, EventKind.CARRY)


class Event(NamedTuple):
    """One thing that happens in a move; ``EventKind`` says what each field means for each kind."""

    kind: EventKind
    source: int | None = None
    target: int | None = None
    seeds: int = 0
    clause: int | None = None  # the number of the clause in ``Ruleset.landing`` that makes it happen

    def happen(self, seeds: list[int]) -> None:
        """Do it to the seeds in all cells, which are modified in place; the hand is not among them."""
        if self.kind in _TO_HAND or self.kind in _ACROSS:
            seeds[self.source] -= self.seeds  # type: ignore[index]
        if self.kind in _FROM_HAND or (self.kind in _ACROSS and self.target is not None):
            seeds[self.target] += self.seeds  # type: ignore[index]


@dataclass(frozen=True)
class Trace:
    """A move as a list of events, which the engine writes while it plays the move.

    Applied to the position before, they make the one after, before any final collection or next game of a match.
    """

    rules: Ruleset
    player: int  # who moves, 0 South or 1 North
    action: int
    before: tuple[int, ...]  # seeds in all cells before the move
    events: tuple[Event, ...]

    @property
    def pit(self) -> int | None:
        """The pit that is played; None for a pass."""
        return self.rules.pit(self.player, self.action)

    @cached_property
    def after(self) -> tuple[int, ...]:
        """Seeds in all cells when everything has happened."""
        seeds = [*self.before]
        for event in self.events:
            event.happen(seeds)
        return tuple(seeds)

    @property
    def taken(self) -> tuple[int, ...]:
        """The pits that are captured, each once, the first first."""
        return tuple(dict.fromkeys(event.source for event in self._of(EventKind.TAKE) if event.source is not None))

    @property
    def captured(self) -> int:
        """How many seeds are captured, into a store or to be sown on."""
        return sum(event.seeds for event in self._of(EventKind.TAKE))

    @property
    def text(self) -> str:
        """The whole move as a sentence for people, without its full stop.

        Examples
        --------
        >>> import mancala_env as mancala
        >>> mancala.ruleset("oware").position([0, 0, 0, 0, 0, 2, 1, 2, 4, 0, 0, 0]).trace(5).text
        'South plays F, sowing 2 seeds; the last seed makes b a three: b and, before it, a are taken (5 seeds)'
        """
        happened = {event.kind for event in self.events}
        who = PLAYERS[self.player] if self.rules.players == 2 else "the player"
        parts = _told(self, who, happened)
        if EventKind.STUCK in happened:
            next_one = PLAYERS[self.player if EventKind.AGAIN in happened else 1 - self.player]
            parts.append(f"{next_one} has nothing to play and passes")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}"

    def _of(self, kind: EventKind) -> list[Event]:
        return [event for event in self.events if event.kind is kind]


def traced(rules: Ruleset, before: npt.NDArray[np.int16], action: int, after: npt.NDArray[np.int16]) -> Trace:
    """The trace of an action, from the positions before and after it, int16[W]; whether it is legal is not checked."""
    n = rules.board.pits
    player = int(before[n + layout.MOVER])
    is_pass = rules.pit(player, action) is None and pending_in(rules, before) is None
    events = [
        Event(KINDS[kind], _known(source), _known(target), seeds, _known(clause))
        for kind, source, target, seeds, clause, *_ in ([] if is_pass else _events(rules, before, player, action))
    ]
    if is_pass:
        events.append(Event(EventKind.PASS))
    again = rules.players == 1 or any(event.kind in (EventKind.AGAIN, EventKind.CHOOSE) for event in events)
    at = rules.fields.get("match")
    goes_on = not after[n + layout.OVER] and (at is None or before[at + layout.GAME] == after[at + layout.GAME])
    if goes_on and after[n + layout.MOVER] != (player if again else 1 - player):
        events.append(Event(EventKind.STUCK))
    return Trace(rules, player, int(action), tuple(before[: n + 2].tolist()), tuple(events))


def _events(rules: Ruleset, before: npt.NDArray[np.int16], player: int, action: int) -> list[list[int]]:
    """The events of an action that is no pass (``kernels.events``), as the engine writes them."""
    room = ROOM
    while True:
        events = np.zeros((room + 1, E.FIELDS), dtype=np.int32)
        emit_move(before.copy(), player, action, events, rules.encoded.axes, rules.encoded.tables)
        if (count := int(events[0, 0])) <= room:
            return events[1 : count + 1].tolist()
        room = count


def _known(number: int) -> int | None:
    return None if number < 0 else number


# ---- words -----------------------------------------------------------------------------------------------------------

_NUMBERS = {count: words.number(count) for count in range(2, 11)}
_SLAMS = {
    GrandSlam.FORBIDDEN: "that would be a grand slam, so nothing is taken",
    GrandSlam.NO_CAPTURE: "that would be a grand slam, so nothing is taken",
    GrandSlam.REST_TO_OPPONENT: "a grand slam, which ends the game",
    GrandSlam.SPARE_LAST: "all would be a grand slam, so one pit is spared",
    GrandSlam.SPARE_FIRST: "all would be a grand slam, so one pit is spared",
}
_MOST_NAMED = 5  # more pits than these are only counted


def _told(trace: Trace, who: str, happened: set[EventKind]) -> list[str]:
    rules, names = trace.rules, trace.rules.board.names
    if EventKind.PASS in happened:
        return [f"{who} passes"]
    if EventKind.STAY in happened and EventKind.LAND not in happened:
        return [f"{who} plays {names[trace.pit or 0]}, whose only seed stays"]
    if trace.events[0].kind is EventKind.HOLD:
        return [f"{who} stops at {names[trace.events[0].source or 0]}"]
    if rules.sowing is Sowing.FROM_ENDS:
        return _from_ends(trace, who)
    if rules.sowing is Sowing.PILES:
        (laid,) = trace._of(EventKind.LAY)
        taking = "the only pile" if laid.seeds == 1 else f"each of the {_NUMBERS.get(laid.seeds, laid.seeds)} piles"
        return [f"{who} takes a seed from {taking}, which makes a new pile of {counted(laid.seeds)}"]
    if EventKind.REAP in happened:
        return [_reaping(trace, who)]
    if EventKind.LAND in happened or rules.marked_pits is MarkedPits.CLOSED:
        return _sowing(trace, who)
    if EventKind.LIFT in happened:
        return [_scattering(trace, who)]
    picked = trace._of(EventKind.TAKE)
    others = [event for event in trace.events if event not in picked]
    parts = [f"{who} picks {_named(names, trace.taken)} ({counted(picked[0].seeds)})"]
    return parts + _consequences(trace, others, (), who)


def _reaping(trace: Trace, who: str) -> str:
    reaped = [event.source for event in trace._of(EventKind.REAP)]
    (laid,) = trace._of(EventKind.LAY)
    names = trace.rules.board.names
    taking = "taking a seed from" if len(reaped) == 1 else "taking a seed each from"
    laying = "laying it" if laid.seeds == 1 else f"laying all {laid.seeds}"
    pit = names[trace.pit or 0]
    return f"{who} plays {pit}, {taking} {_named(names, reaped)} and {laying} into {names[laid.target or 0]}"


def _from_ends(trace: Trace, who: str) -> list[str]:
    """A move in which captured seeds are sown from the ends of the inner row."""
    names, first = trace.rules.board.names, trace.events[0]
    if first.kind is EventKind.BRING:
        parts = [f"{who} brings a seed into {names[first.target or 0]}"]
    elif first.kind is EventKind.TAKE:
        parts = [f"{who} chooses the end {names[trace.pit or 0]}"]
    else:
        begins = trace.pit is not None and trace.action < 2 * len(trace.rules.board.homes[0])
        plays = "plays" if begins else "goes on from"
        parts = [f"{who} {plays} {names[first.source or 0]}, sowing {counted(first.seeds)}"]
    if trace.taken:
        parts.append(f"{_taken(trace, trace._of(EventKind.TAKE))} and sown from the end")
    for event in trace.events[-2:]:
        if event.kind is EventKind.LAND and event.seeds == 1:
            parts.append(f"the last seed falls into the empty pit {names[event.target or 0]}")
        elif event.kind is EventKind.LAND and event is trace.events[-1]:
            parts.append(f"the turn ends at {names[event.target or 0]}")
        elif event.kind is EventKind.CHOOSE:
            parts.append(_due(trace.rules, event, who))
    return parts


def _scattering(trace: Trace, who: str) -> str:
    names = trace.rules.board.names
    (lifted,) = trace._of(EventKind.LIFT)
    lost = trace._of(EventKind.LOSE)
    full = [event.target for event in lost if event.target is not None]
    text = f"{who} plays {names[lifted.source or 0]}, spreading {counted(lifted.seeds)}"
    if sown := [event.target for event in trace._of(EventKind.SOW)]:
        text += f" to {_named(names, sown)}"
    if not lost:
        return text
    text += f"; {counted(len(lost))} {'leaves' if len(lost) == 1 else 'leave'} the board"
    at_end, because = "at its end", f"because {_named(names, full)} {_are(full)} full"
    if full and len(full) < len(lost):
        return f"{text}, {len(lost) - len(full)} {at_end} and {len(full)} {because}"
    return f"{text} {because if full else at_end}"


def _sowing(trace: Trace, who: str) -> list[str]:
    """What a move along the track does: what is sown, where the last seed falls, and what comes of that."""
    names = trace.rules.board.names
    laid = [event for event in trace.events if event.kind is EventKind.CARRY and (event.source or 0) >= len(names)]
    events = trace.events[len(laid) :]
    end = max((k for k, event in enumerate(events) if event.kind is EventKind.LAND), default=-1)
    lost = max((k for k, event in enumerate(events) if event.kind is EventKind.LOSE), default=-1)
    is_lost = lost > end  # the turn ends with a seed that leaves the board
    end = max(end, lost)
    landed, on_the_way, at_last = events[end], events[:end], events[end + 1 :]
    way = ""
    if trace.rules.offers_directions:
        way = (" counter-clockwise", " clockwise")[trace.rules.direction_of(trace.player, trace.action) or 0]
    first = f"lays a seed in each pit, plays {names[trace.pit or 0]}" if laid else f"plays {names[trace.pit or 0]}"
    text = f"{who} {first}{way}, sowing {counted(events[0].seeds)}"
    laps = sum(event.kind is EventKind.LAND for event in events) + is_lost
    laps += sum(event.seeds for event in trace._of(EventKind.ROUNDS))
    lifted = [event.source for event in on_the_way[1:] if event.kind is EventKind.LIFT]
    if len(lifted) == laps - 1 and 0 < laps - 1 <= _MOST_NAMED:
        text += f", and goes on with {_named(names, lifted)}"
    elif laps > 1:
        text += f", and goes on for {laps - 1} {'laps' if laps > 2 else 'lap'} more"
    text += _why_on(trace, on_the_way)
    parts = [text]
    if taken := [event for event in on_the_way if event.kind is EventKind.TAKE]:
        to = taken[0].target
        sown_on = ", to be sown on" if to is None or to < len(names) else ""
        parts.append(f"on the way {_taken(trace, taken)}{sown_on}")
    if is_lost:
        return [*parts, f"the last seed is lost in {names[landed.target or 0]}"]
    came = _consequences(trace, at_last, names, who, landed)
    fell = _landing(trace, landed)
    is_marked = landed.clause is not None and trace.rules.landing[landed.clause].marked
    if not came and not is_marked and len(parts) == 1:
        return [f"{text}, the last into {_pit_or_store(trace, landed)}"]
    parts.append(fell + (f": {', and '.join(came)}" if came else ""))
    return parts


def _why_on(trace: Trace, on_the_way: Sequence[Event]) -> str:
    """Why a turn went on from the pits that were lifted, where one thing made it do so each time; else ""."""
    ends = [event.clause for event in on_the_way if event.kind is EventKind.LAND and event.clause is not None]
    clauses = [trace.rules.landing[clause] for clause in ends]
    if not clauses or any(not clause.relays_here or clause.was != "occupied" or clause.takes for clause in clauses):
        return ""
    return f", where {'the' if len(ends) == 1 else 'each'} last seed fell on other seeds"


def _consequences(
    trace: Trace, events: Sequence[Event], names: Sequence[str], who: str, landed: Event | None = None
) -> list[str]:
    """What comes of the last seed, one text each."""
    rules, came = trace.rules, []
    of = {kind: [event for event in events if event.kind is kind] for kind in EventKind}
    if taken := of[EventKind.TAKE]:
        came.append(_taken(trace, taken, landed))
    if of[EventKind.SLAM]:
        spared = rules.grand_slam in (GrandSlam.SPARE_FIRST, GrandSlam.SPARE_LAST)
        nothing = "all of it would be a grand slam, so nothing is taken"
        came.append(nothing if spared and not taken else _SLAMS[rules.grand_slam])
    for event in events:
        if event.kind is EventKind.CARRY:
            came.append(f"a seed is carried over from {names[event.source or 0]}")
        if event.kind is EventKind.LIMIT:
            came.append(f"after {event.seeds} {'lap' if event.seeds == 1 else 'laps'} the turn ends")
    if marked := [event.target for event in of[EventKind.MARK]]:
        came.append(f"{_named(names, marked[::-1])} {_are(marked)} marked as {who}'s")
    if freed := [event.target for event in of[EventKind.UNMARK]]:
        marks = "no longer marked" if rules.mark_word == "marked" else f"without {rules.mark_word}"
        came.append(f"{_named(names, freed)} {_are(freed)} {marks}")
    came += [f"{who} moves again"] * bool(of[EventKind.AGAIN]) + [f"{who} loses"] * bool(of[EventKind.FAIL])
    return came + [_due(rules, event, who) for event in of[EventKind.CHOOSE]]


def _due(rules: Ruleset, event: Event, who: str) -> str:
    if event.target is None:
        return f"{who} is to {Pending('pick', event.seeds).words(rules)}"
    return f"{who} is to {Pending('direction' if event.seeds else 'go_on', event.target).words(rules)}"


def _taken(trace: Trace, events: Sequence[Event], landed: Event | None = None) -> str:
    names, pits = trace.rules.board.names, [event.source for event in events]
    seeds, clause = sum(event.seeds for event in events), events[0].clause
    if len(events) == 1 and clause is not None and {*trace.rules.landing[clause].takes} & {"last", "last_and_one"}:
        return f"{counted(seeds)} of {names[pits[0] or 0]} {'is' if seeds == 1 else 'are'} taken"  # the others stay
    others = trace.rules.board.pits + 1 - trace.player
    given = sum(event.seeds for event in events if event.target == others)
    to = f", {'all' if given == seeds else given} for {PLAYERS[1 - trace.player]}" if given else ""
    return f"{_taken_pits(trace, pits, landed)} {_are(pits)} taken ({counted(seeds)}{to})"


def _taken_pits(trace: Trace, pits: Sequence[int | None], landed: Event | None) -> str:
    """Captured pits, and what they have to do with the one in which the last seed fell."""
    names, facing = trace.rules.board.names, trace.rules.board.facing
    if landed is None or landed.target is None or landed.target >= len(names) or landed.clause is None:
        return _named(names, pits)
    clause, here = trace.rules.landing[landed.clause], landed.target
    others = [pit for pit in dict.fromkeys(pits) if pit is not None and pit != here]
    if others == [facing[here]] and "facing" in clause.takes:
        across = f"{names[facing[here]]}, which lies across"
        return f"{names[here]} and {across}," if here in pits else f"{across} from it,"
    if clause.chain and clause.chain_way == "back" and here in pits and others:
        return f"{names[here]} and, before it, {_named(names, others)}"
    return _named(names, pits)


def _landing(trace: Trace, landed: Event) -> str:
    """Where the last seed fell, and what of it made the clause apply."""
    rules = trace.rules
    names, cell, seeds = rules.board.names, landed.target or 0, landed.seeds
    if cell >= len(names):
        return f"the last seed falls into {_pit_or_store(trace, landed)}"
    clause = When() if landed.clause is None else rules.landing[landed.clause]
    name = names[cell]
    if clause.count == "even":
        text = f"the last seed makes {name} even ({counted(seeds)})"
    elif clause.count is not None and seeds in _NUMBERS:
        text = f"the last seed makes {name} a {_NUMBERS[seeds]}"
    else:
        text = f"the last seed falls into {_pit_or_store(trace, landed)}"
        if clause.side in ("own", "opponent") and clause.takes:
            whose = trace.player if clause.side == "own" else 1 - trace.player
            text += f" of {PLAYERS[whose]}'s"
    if clause.marked:
        text += ", which is marked"
    if isinstance(clause.facing, frozenset) and rules.board.facing[cell] != cell:
        counts = [_NUMBERS.get(count, str(count)) for count in sorted(clause.facing)]
        text += f", which faces {' or '.join(counts)}"
    return text


def _pit_or_store(trace: Trace, landed: Event) -> str:
    names, cell = trace.rules.board.names, landed.target or 0
    if cell >= len(names):
        return "the store" if cell == len(names) + trace.player else "the opponent's store"
    return f"the empty pit {names[cell]}" if landed.seeds == 1 else names[cell]


def _named(names: Sequence[str], pits: Iterable[int | None]) -> str:
    """Pits as "a, b and c", each once; where there are many, how many."""
    each = [names[pit] for pit in dict.fromkeys(pits) if pit is not None]
    if len(each) > _MOST_NAMED:
        return f"{len(each)} pits"
    return words.joined(each)


def _are(pits: Iterable[int | None]) -> str:
    return "is" if len({*pits}) == 1 else "are"
