"""What players tell of their moves, and how long they took: by move in the records, by player in the report."""

from collections import defaultdict
from dataclasses import dataclass

from agents.tournament.record import GameRecord, Thought
from mancala_env.rules import Ruleset


@dataclass
class Thinking:
    """The moves of a player that were timed, or of which it told something; means are None where nothing was."""

    moves: int = 0  # in timed games
    seconds: float = 0.0  # that these took together
    longest: float | None = None  # None in records that hold only the time of whole games
    depths: int = 0  # plies in all, and the moves whose depth was told
    deep: int = 0
    over: int = 0  # moves above the time for a move, those that lost the game by it among them
    most_over: float = 0.0  # seconds by which the worst of them was
    asked: int = 0  # games in which its answers were counted, as it is asked again after an illegal one
    illegal: int = 0  # such answers, without those that lost a game
    tokens: int = 0  # of a language model in all, and the moves for which they were told
    counted: int = 0

    @property
    def mean(self) -> float | None:
        """Seconds a move."""
        return self.seconds / self.moves if self.moves else None

    @property
    def depth(self) -> float | None:
        """The mean depth in plies."""
        return self.depths / self.deep if self.deep else None

    @property
    def illegal_a_game(self) -> float | None:
        """Illegal answers a game."""
        return self.illegal / self.asked if self.asked else None

    @property
    def tokens_a_move(self) -> float | None:
        """The mean."""
        return self.tokens / self.counted if self.counted else None


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
        movers = [state.player for state in record.states(rules)[:-1]]
    except ValueError:
        return
    told = list(zip(movers, record.thoughts or (Thought(),) * len(movers), strict=True))
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
        line.deep += thought.depth is not None
        line.depths += int(thought.depth or 0)
        line.illegal += thought.illegal or 0
        line.counted += thought.tokens is not None
        line.tokens += thought.tokens or 0


def _late(record: GameRecord, told: list[tuple[int, Thought]]) -> list[tuple[int, float | None]]:
    """Seat and seconds of the answer that came too late: it is no move of the game, only in the sum of its times."""
    if record.reason != "time" or record.fault is None or (whole := record.times[record.fault]) is None:
        return []
    return [(record.fault, whole - sum(thought.seconds or 0.0 for seat, thought in told if seat == record.fault))]
