"""What a move does, as events and in words. The events come from the engine: no rule of a game stands here."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import words
from mancala_env.ending import PLAYERS, counted
from mancala_env.kernels import events as E
from mancala_env.kernels import layout
from mancala_env.kernels.engine import emit_move
from mancala_env.notation import Pending, pending_in
from mancala_env.rules import GrandSlam, MarkedPits, Ruleset, Sowing, When

ROOM = 200  # room for the events of most moves


class EventKind(StrEnum):
    """What can happen in a move, in the order in which it happens. *Cells* are pits in canonical order, then the stores
    of South and of North; fields that do not apply are None; ``clause`` says by which rule."""

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
    AGAIN = "again"  # the mover has another turn; not where the game is over
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
    """A move as a list of events, which the engine writes while it plays the move. Done to the position before
    (``Event.happen``), they make the one after, before any final collection or next game."""

    rules: Ruleset
    player: int  # who moves, 0 South or 1 North
    action: int
    before: tuple[int, ...]  # seeds in all cells before the move
    events: tuple[Event, ...]

    @property
    def pit(self) -> int | None:
        """The pit that is played; None for a pass."""
        return self.rules.pit(self.player, self.action)

    @property
    def taken(self) -> tuple[int, ...]:
        """The pits that are captured, each once, the first first."""
        return tuple(dict.fromkeys(pit for kind, pit, *_ in self.events if kind is EventKind.TAKE and pit is not None))

    @property
    def text(self) -> str:
        """The whole move as a sentence for people, without its full stop.

        Examples
        --------
        >>> import mancala_env as mancala
        >>> mancala.ruleset("oware").position([0, 0, 0, 0, 0, 2, 1, 2, 4, 0, 0, 0]).trace(5).text
        'South plays F, sowing 2 seeds; the last seed makes b a three: b and, before it, a are taken (5 seeds)'
        """
        parts, happened = _Teller(self).move(), _by_kind(self.events)
        if happened[EventKind.STUCK]:
            next_one = PLAYERS[self.player if happened[EventKind.AGAIN] else 1 - self.player]
            parts.append(f"{next_one} has nothing to play and passes")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}"


def traced(rules: Ruleset, before: npt.NDArray[np.int16], action: int, after: npt.NDArray[np.int16]) -> Trace:
    """The trace of an action, from the positions before and after it, int16[W]; whether it is legal is not checked."""
    n = rules.board.pits
    player = int(before[n + layout.MOVER])
    is_pass = rules.pit(player, action) is None and pending_in(rules, before) is None
    events = [Event(EventKind.PASS)] if is_pass else _events(rules, before, player, action)
    again = rules.players == 1 or any(event.kind in (EventKind.AGAIN, EventKind.CHOOSE) for event in events)
    at = rules.fields.get("match")
    goes_on = not after[n + layout.OVER] and (at is None or before[at + layout.GAME] == after[at + layout.GAME])
    if not goes_on:
        over = {EventKind.AGAIN} if pending_in(rules, after) else {EventKind.AGAIN, EventKind.CHOOSE}
        events = [event for event in events if event.kind not in over]
    elif after[n + layout.MOVER] != (player if again else 1 - player):
        events.append(Event(EventKind.STUCK))
    return Trace(rules, player, int(action), tuple(before[: n + 2].tolist()), tuple(events))


def _events(rules: Ruleset, before: npt.NDArray[np.int16], player: int, action: int) -> list[Event]:
    """The events of an action that is no pass, from the numbers that the engine writes (``kernels.events``)."""
    room = ROOM
    while True:
        written = np.zeros((room + 1, E.FIELDS), dtype=np.int32)
        emit_move(before.copy(), player, action, written, rules.encoded.axes, rules.encoded.tables)
        if (count := int(written[0, 0])) <= room:
            return [
                Event(KINDS[kind], _known(source), _known(target), seeds, _known(clause))
                for kind, source, target, seeds, clause in written[1 : count + 1].tolist()
            ]
        room = count


def _known(number: int) -> int | None:
    return None if number < 0 else number


_NUMBERS = {count: words.number(count) for count in range(2, 11)}
_SPARES = (GrandSlam.SPARE_LAST, GrandSlam.SPARE_FIRST)
_SLAMS = {
    **dict.fromkeys((GrandSlam.FORBIDDEN, GrandSlam.NO_CAPTURE), "that would be a grand slam, so nothing is taken"),
    GrandSlam.REST_TO_OPPONENT: "a grand slam, which ends the game",
    **dict.fromkeys(_SPARES, "all would be a grand slam, so one pit is spared"),
}
_AFTERWARDS = {EventKind.AGAIN: "moves again", EventKind.FAIL: "loses"}
_MOST_NAMED = 5  # more pits than these are only counted


class _Teller:
    """A move in words: each method gives a part of the sentence, or some of them."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.rules, self.of = trace, trace.rules, _by_kind(trace.events)
        self.who = PLAYERS[trace.player] if trace.rules.players == 2 else "the player"
        self.pit = self.name(trace.pit)

    def name(self, cell: int | None) -> str:
        return self.rules.board.names[cell or 0]

    def named(self, pits: Iterable[int | None]) -> str:
        """Pits as "a, b and c", each once; where there are many, how many."""
        each = [self.name(pit) for pit in dict.fromkeys(pits) if pit is not None]
        return f"{len(each)} pits" if len(each) > _MOST_NAMED else words.joined(each)

    def cell(self, event: Event) -> str:
        cell, pits = event.target or 0, self.rules.board.pits
        if cell >= pits:
            return "the store" if cell == pits + self.trace.player else "the opponent's store"
        return f"the empty pit {self.name(cell)}" if event.seeds == 1 else self.name(cell)

    def move(self) -> list[str]:
        first, who = self.trace.events[0], self.who
        if self.of[EventKind.PASS]:
            return [f"{who} passes"]
        if self.of[EventKind.STAY] and not self.of[EventKind.LAND]:
            return [f"{who} plays {self.pit}, whose only seed stays"]
        if first.kind is EventKind.HOLD:
            return [f"{who} stops at {self.name(first.source)}"]
        if self.rules.sowing is Sowing.BAO:
            return self.bao()
        if self.rules.sowing is Sowing.PILES:
            (laid,) = self.of[EventKind.LAY]
            piles = "the only pile" if laid.seeds == 1 else f"each of the {_NUMBERS.get(laid.seeds, laid.seeds)} piles"
            return [f"{who} takes a seed from {piles}, which makes a new pile of {counted(laid.seeds)}"]
        if self.of[EventKind.REAP]:
            return [self.reaping()]
        if self.of[EventKind.LAND] or self.rules.marked_pits is MarkedPits.CLOSED:
            return self.sowing()
        if self.of[EventKind.LIFT]:
            return [self.scattering()]
        picked = self.of[EventKind.TAKE]
        others = [event for event in self.trace.events if event not in picked]
        return [f"{who} picks {self.named(self.trace.taken)} ({counted(picked[0].seeds)})", *self.consequences(others)]

    def reaping(self) -> str:
        reaped = [event.source for event in self.of[EventKind.REAP]]
        (laid,) = self.of[EventKind.LAY]
        taking = "taking a seed from" if len(reaped) == 1 else "taking a seed each from"
        laying = "laying it" if laid.seeds == 1 else f"laying all {laid.seeds}"
        return f"{self.who} plays {self.pit}, {taking} {self.named(reaped)} and {laying} into {self.name(laid.target)}"

    def bao(self) -> list[str]:
        first, last = self.trace.events[0], self.trace.events[-1]
        if first.kind is EventKind.BRING:
            parts = [f"{self.who} brings a seed into {self.name(first.target)}"]
        elif first.kind is EventKind.TAKE:
            parts = [f"{self.who} chooses the end {self.pit}"]
        else:
            begins = self.trace.pit is not None and self.trace.action < 2 * len(self.rules.board.homes[0])
            plays = "plays" if begins else "goes on from"
            parts = [f"{self.who} {plays} {self.name(first.source)}, sowing {counted(first.seeds)}"]
        if self.of[EventKind.TAKE]:
            parts.append(f"{self.taken(self.of[EventKind.TAKE])} and sown from the end")
        for event in self.trace.events[-2:]:
            if event.kind is EventKind.LAND and event.seeds == 1:
                parts.append(f"the last seed falls into the empty pit {self.name(event.target)}")
            elif event.kind is EventKind.LAND and event is last:
                parts.append(f"the turn ends at {self.name(event.target)}")
            elif event.kind is EventKind.CHOOSE:
                parts.append(self.due(event))
        return parts

    def scattering(self) -> str:
        (lifted,) = self.of[EventKind.LIFT]
        text = f"{self.who} plays {self.pit}, spreading {counted(lifted.seeds)}"
        if sown := [event.target for event in self.of[EventKind.SOW]]:
            text += f" to {self.named(sown)}"
        lost = len(self.of[EventKind.LOSE])
        return f"{text}; {counted(lost)} {'leaves' if lost == 1 else 'leave'} the board" if lost else text

    def sowing(self) -> list[str]:
        pits = self.rules.board.pits
        laid = sum(event.kind is EventKind.CARRY and (event.source or 0) >= pits for event in self.trace.events)
        events = self.trace.events[laid:]
        end = max((k for k, event in enumerate(events) if event.kind is EventKind.LAND), default=-1)
        lost = max((k for k, event in enumerate(events) if event.kind is EventKind.LOSE), default=-1)
        is_lost = lost > end  # the turn ends with a seed that leaves the board
        end = max(end, lost)
        landed, on_the_way = events[end], _by_kind(events[:end])
        way = ""
        if self.rules.offers_directions:
            direction = self.rules.direction_of(self.trace.player, self.trace.action)
            way = (" counter-clockwise", " clockwise")[direction or 0]
        first = "lays a seed in each pit, plays" if laid else "plays"
        text = f"{self.who} {first} {self.pit}{way}, sowing {counted(events[0].seeds)}"
        laps = len(self.of[EventKind.LAND]) + is_lost + sum(event.seeds for event in self.of[EventKind.ROUNDS])
        lifted = [event.source for event in on_the_way[EventKind.LIFT] if event is not events[0]]
        if len(lifted) == laps - 1 and 0 < laps - 1 <= _MOST_NAMED:
            text += f", and goes on with {self.named(lifted)}"
        elif laps > 1:
            text += f", and goes on for {laps - 1} {'laps' if laps > 2 else 'lap'} more"
        parts = [text]
        if taken := on_the_way[EventKind.TAKE]:
            to = taken[0].target
            parts.append(f"on the way {self.taken(taken)}{', to be sown on' if to is None or to < pits else ''}")
        if is_lost:
            return [*parts, f"the last seed is lost in {self.name(landed.target)}"]
        came = self.consequences(events[end + 1 :], landed)
        is_marked = landed.clause is not None and self.rules.landing[landed.clause].marked
        if not came and not is_marked and len(parts) == 1:
            return [f"{text}, the last into {self.cell(landed)}"]
        return [*parts, self.landing(landed) + (f": {', and '.join(came)}" if came else "")]

    def consequences(self, events: Sequence[Event], landed: Event | None = None) -> list[str]:
        came, of = [], _by_kind(events)
        if taken := of[EventKind.TAKE]:
            came.append(self.taken(taken, landed))
        if of[EventKind.SLAM]:
            nothing = "all of it would be a grand slam, so nothing is taken"
            is_nothing = self.rules.grand_slam in _SPARES and not taken
            came.append(nothing if is_nothing else _SLAMS[self.rules.grand_slam])
        for event in events:
            if event.kind is EventKind.CARRY:
                came.append(f"a seed is carried over from {self.name(event.source)}")
            if event.kind is EventKind.LIMIT:
                came.append(f"after {event.seeds} {'lap' if event.seeds == 1 else 'laps'} the turn ends")
        if marked := [event.target for event in of[EventKind.MARK]]:
            came.append(f"{self.named(marked[::-1])} {_are(marked)} marked as {self.who}'s")
        if freed := [event.target for event in of[EventKind.UNMARK]]:
            word = self.rules.mark_word
            without = "no longer marked" if word == "marked" else f"without {word}"
            came.append(f"{self.named(freed)} {_are(freed)} {without}")
        came += [f"{self.who} {what}" for kind, what in _AFTERWARDS.items() if of[kind]]
        return came + [self.due(event) for event in of[EventKind.CHOOSE]]

    def due(self, event: Event) -> str:
        if event.target is None:
            due = Pending("pick", event.seeds)
        else:
            due = Pending("direction" if event.seeds else "go_on", event.target)
        return f"{self.who} is to {due.words(self.rules)}"

    def taken(self, events: Sequence[Event], landed: Event | None = None) -> str:
        pits, others = [event.source for event in events], self.rules.board.pits + 1 - self.trace.player
        seeds, clause = sum(event.seeds for event in events), events[0].clause
        if len(pits) == 1 and clause is not None and {*self.rules.landing[clause].takes} & {"last", "last_and_one"}:
            return f"{counted(seeds)} of {self.name(pits[0])} {'is' if seeds == 1 else 'are'} taken"  # the others stay
        given = sum(event.seeds for event in events if event.target == others)
        to = f", {'all' if given == seeds else given} for {PLAYERS[1 - self.trace.player]}" if given else ""
        return f"{self.taken_pits(pits, landed)} {_are(pits)} taken ({counted(seeds)}{to})"

    def taken_pits(self, pits: Sequence[int | None], landed: Event | None) -> str:
        """Captured pits, and what they have to do with the one in which the last seed fell."""
        board = self.rules.board
        if landed is None or landed.target is None or landed.target >= board.pits or landed.clause is None:
            return self.named(pits)
        clause, here = self.rules.landing[landed.clause], landed.target
        others, across = [pit for pit in dict.fromkeys(pits) if pit is not None and pit != here], board.facing[here]
        if others == [across] and "facing" in clause.takes:
            here_and = f"{self.name(here)} and {self.name(across)}, which lies across,"
            return here_and if here in pits else f"{self.name(across)}, which lies across from it,"
        if clause.chain and clause.chain_direction == "back" and here in pits and others:
            return f"{self.name(here)} and, before it, {self.named(others)}"
        return self.named(pits)

    def landing(self, landed: Event) -> str:
        cell, seeds, text = landed.target or 0, landed.seeds, f"the last seed falls into {self.cell(landed)}"
        if cell >= self.rules.board.pits:
            return text
        clause = When() if landed.clause is None else self.rules.landing[landed.clause]
        if clause.count == "even":
            text = f"the last seed makes {self.name(cell)} even ({counted(seeds)})"
        elif clause.count is not None and seeds in _NUMBERS:
            text = f"the last seed makes {self.name(cell)} a {_NUMBERS[seeds]}"
        elif clause.side in ("own", "opponent") and clause.takes:
            text += f" of {PLAYERS[self.trace.player if clause.side == 'own' else 1 - self.trace.player]}'s"
        if clause.marked:
            text += ", which is marked"
        if isinstance(clause.facing, frozenset) and self.rules.board.facing[cell] != cell:
            counts = [_NUMBERS.get(count, str(count)) for count in sorted(clause.facing)]
            text += f", which faces {' or '.join(counts)}"
        return text


def _by_kind(events: Iterable[Event]) -> defaultdict[EventKind, list[Event]]:
    of = defaultdict[EventKind, list[Event]](list)
    for event in events:
        of[event.kind].append(event)
    return of


def _are(pits: Iterable[int | None]) -> str:
    return "is" if len({*pits}) == 1 else "are"
