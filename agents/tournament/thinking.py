"""What players tell of their moves, and how long they took: by move in the records, by player in the report."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from agents.tournament.record import GameRecord, Thought
from mancala_env.rules import Ruleset


@dataclass
class Thinking:
    """The moves of a player that were timed, or of which it told something.

    Attributes
    ----------
    moves : int
        In timed games.
    seconds : float
        That these took together.
    longest : float or None
        Seconds of the longest; None in records that hold only the time of whole games.
    depths, deep : int, int
        Plies in all, and the moves whose depth was told.
    over : int
        Moves that took more than the time for a move, those that lost the game by it among them.
    most_over : float
        Seconds by which the worst of them did.
    asked : int
        Games in which its answers were counted: it is asked again after an illegal one.
    illegal : int
        Illegal answers in these.
    tokens, counted : int, int
        Used by a language model in all, and the moves for which it told them.
    """

    moves: int = 0
    seconds: float = 0.0
    longest: float | None = None
    depths: int = 0
    deep: int = 0
    over: int = 0
    most_over: float = 0.0
    asked: int = 0
    illegal: int = 0
    tokens: int = 0
    counted: int = 0

    @property
    def mean(self) -> float | None:
        """Seconds a move; None if no move was timed."""
        return self.seconds / self.moves if self.moves else None

    @property
    def depth(self) -> float | None:
        """The mean depth in plies; None if none was told."""
        return self.depths / self.deep if self.deep else None

    @property
    def illegal_a_game(self) -> float | None:
        """Illegal answers a game, without those that lost one; None if none were counted."""
        return self.illegal / self.asked if self.asked else None

    @property
    def tokens_a_move(self) -> float | None:
        """The mean; None if none were told."""
        return self.tokens / self.counted if self.counted else None


def moves_told(record: GameRecord, rules: Ruleset) -> Iterator[tuple[int, Thought]]:
    """Seat and thought of each move; empty thoughts where nothing was measured.

    Raises
    ------
    ValueError
        If the moves are none of these rules.
    """
    states = record.states(rules)
    thoughts = record.thoughts or (Thought(),) * len(record.actions)
    for state, thought in zip(states[:-1], thoughts, strict=True):
        yield state.player, thought


def count_thoughts(
    found: defaultdict[str, Thinking], record: GameRecord, rules: Ruleset, move_time: float | None = None
) -> None:
    """Add the moves of a game to what is known of its players; nothing if it cannot be replayed.

    ``move_time``: seconds for a move, if the event has such a limit; what lies above it is counted.
    """
    timed = [seconds is not None for seconds in record.times]
    if not record.thoughts and not any(timed):
        return
    try:
        told = list(moves_told(record, rules))
    except ValueError:
        return
    lines = [found[name] for name in (record.south, record.north)]
    for line, seconds in zip(lines, record.times, strict=True):
        line.seconds += seconds or 0.0
    if move_time is not None:
        for seat, seconds in [(seat, thought.seconds) for seat, thought in told] + _late(record, told):
            if seconds is not None and seconds > move_time:
                lines[seat].over += 1
                lines[seat].most_over = max(lines[seat].most_over, seconds - move_time)
    for seat in {seat for seat, thought in told if thought.illegal is not None}:
        lines[seat].asked += 1
    for seat, thought in told:
        line = lines[seat]
        line.moves += timed[seat]
        if thought.seconds is not None:
            line.longest = max(line.longest or 0.0, thought.seconds)
        if thought.depth is not None:
            line.depths += int(thought.depth)
            line.deep += 1
        line.illegal += thought.illegal or 0
        if thought.tokens is not None:
            line.tokens += thought.tokens
            line.counted += 1


def _late(record: GameRecord, told: list[tuple[int, Thought]]) -> list[tuple[int, float | None]]:
    """Seat and seconds of the answer that came too late: it is no move of the game, only in the sum of its times."""
    if record.reason != "time" or record.fault is None or (whole := record.times[record.fault]) is None:
        return []
    return [(record.fault, whole - sum(thought.seconds or 0.0 for seat, thought in told if seat == record.fault))]
