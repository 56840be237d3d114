"""The record of a game: players, opening, moves, result, and the reasons that games end with."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mancala_env import ending
from mancala_env.games import ruleset
from mancala_env.games.titles import title_of
from mancala_env.replay import Replay
from mancala_env.rules import Ruleset
from mancala_env.state import State

# Reasons of the tournament's own, in a few words and in a sentence. For these a player loses a game that goes on:
FAULTS = {
    "illegal_move": ("illegal move", "answered with something that is no legal move"),
    "crash": ("crashed", "stopped running, or raised an error"),
    "time": ("out of time", "answered, but later than its clock allowed"),
    "silence": ("no answer", "did not answer and was stopped"),
    "flood": ("too long an answer", "wrote far more than an answer"),
    "start": ("start failed", "could not be started, or did not greet in time"),
    "refused": ("refused to play", "said that it cannot play this game"),
}
ADJUDICATED = {
    "tablebase": ("known from tables", "the endgame table knows the result"),
    "ply_limit": (
        "as long as allowed", "the longest that a game of this event may take: the result is that of the stores"
    ),
    "resigned": ("given up", "a player gave the game up"),
}  # fmt: skip
_OWN = FAULTS | ADJUDICATED
RESIGNED = "resigned"
UNFINISHED = "unfinished"  # the reason of a game that was stopped and may be continued


class Thought(NamedTuple):
    """A move as its player made it; None where that was not measured or told."""

    seconds: float | None = None  # that it took
    depth: int | None = None  # plies looked ahead
    value: float | None = None  # of the position for its mover: seeds of margin, or from -1 (lost) to 1 (won)
    illegal: int | None = None  # illegal answers before the move, of a player that is asked again after one
    tokens: int | None = None  # used by a language model

    def known(self) -> list[float | None]:
        """The values as they are stored: without those at the end that are None, but three at least."""
        return list(self) if self.tokens is not None else list(self[:4] if self.illegal is not None else self[:3])


class Result(NamedTuple):
    """How a game ended, without its moves: number, players, winner and fault as ``GameRecord`` has them."""

    number: int
    south: str
    north: str
    winner: int | None
    fault: int | None

    @property
    def points(self) -> tuple[float, float]:
        """Of South and of North."""
        return points_of(self.winner)


def points_of(winner: int | None) -> tuple[float, float]:
    """The points of South and of North in a game that has ended: 1 for a win, 1/2 for a draw."""
    return (0.5, 0.5) if winner is None else (1.0, 0.0) if winner == 0 else (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game."""

    number: int  # its place in the schedule, from 0
    pair: int  # shared by two games: of the same two players from the same opening, with the seats swapped
    rules: str  # the name of its ruleset in the event
    south: str
    north: str
    opening: str  # where it began, as ``str(state)`` or, with its history, ``State.to_line`` writes it
    seeds: tuple[int, int]  # that South and North were reset with
    actions: tuple[int, ...]  # the moves after the opening
    winner: int | None  # 0 South, 1 North, None: a draw
    reason: str  # why it ended: a termination of its ruleset, of ``FAULTS`` or ``ADJUDICATED``, or ``UNFINISHED``
    fault: int | None = None  # the seat that lost by a fault
    detail: str = ""  # more about a fault, in one line
    scores: tuple[float, float] | None = None  # final ones, if the game has scores and was played to its end
    times: tuple[float | None, float | None] = (None, None)  # seconds that South and North thought, where measured
    thoughts: tuple[Thought, ...] = ()  # one for each move, or none at all

    @property
    def points(self) -> tuple[float, float]:
        """Of South and of North: 1 for a win, 1/2 for a draw; none for either while a game is unfinished."""
        return (0.0, 0.0) if self.reason == UNFINISHED else points_of(self.winner)

    def states(self, rules: Ruleset) -> list[State]:
        """All positions, the opening first: the game played once more, every move checked. ``IllegalAction`` if a move
        is illegal, ValueError if the opening is none of this ruleset."""
        states = [State.parse(rules, self.opening)]
        for action in self.actions:
            states.append(states[-1].play(action))
        return states

    def replay(self, rules: Ruleset) -> Replay:
        """The game to look at again, as notebooks show it; raises as ``states`` does."""
        title = f"Game {self.number}: {title_of(rules)}"
        seats = (self.south, self.north)
        return Replay(
            rules=rules, states=self.states(rules), actions=self.actions, players=seats, title=title, result=self.told
        )

    def to_html(self, rules: Ruleset | None = None) -> str:
        """A page that replays the game, for a browser; raises as ``states`` does. Rules: those that ``rules`` names."""
        return self.replay(rules or ruleset(self.rules)).to_html()

    def _repr_html_(self) -> str:
        return self.replay(ruleset(self.rules))._repr_html_()

    @property
    def told(self) -> str:
        """How it ended, in words."""
        return self.told_at()

    def told_at(self, last: State | None = None) -> str:
        """``told``; given the last position, with details such as whose row was empty and who got the seeds left."""
        if self.reason == UNFINISHED:
            return "not finished"
        names, more = (self.south, self.north), f" \N{EN DASH} {self.detail}" if self.detail else ""
        seats = ("South", "North")
        if self.fault is not None:
            why = f"{reason_label(self.reason)}: {reason_meaning(self.reason)}"
            return f"{seats[self.fault]} ({names[self.fault]}) loses by a fault, {why}{more}"
        won = "a draw" if self.winner is None else f"{seats[self.winner]} ({names[self.winner]}) wins"
        scores = "" if self.scores is None else " " + " to ".join(map(ending.number, self.scores))
        on_board = last is not None and last.termination == self.reason
        why = last.ending if last is not None and on_board else reason_meaning(self.reason)
        return f"{won}{scores}: {why}{more}"


def rules_of(record: GameRecord, rulesets: Mapping[str, Ruleset] | None) -> Ruleset:
    """The ruleset of a record, of these by name or by its own; ValueError if it is unknown."""
    return (rulesets or {}).get(record.rules) or _named(record.rules)


_named = lru_cache(maxsize=32)(ruleset)


def reason_label(reason: str) -> str:
    """The reason of a record in a few words, for tables and choices."""
    return "not finished" if reason == UNFINISHED else _OWN[reason][0] if reason in _OWN else ending.label(reason)


def reason_meaning(reason: str, rules: Ruleset | None = None) -> str:
    """What the reason of a record means, under these rules or in general: a sentence without a full stop."""
    if reason in _OWN:
        return _OWN[reason][1]
    return ending.meaning(reason, rules) if reason in ending.ENDINGS else reason_label(reason)
