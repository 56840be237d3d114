"""Opening moves and how they scored: games merged move by move into a tree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.analysis.frames import pandas
from agents.tournament.record import GameRecord, rules_of
from agents.tournament.standings import Score
from mancala_env.rules import Ruleset
from mancala_env.state import State

if TYPE_CHECKING:
    from pandas import DataFrame

TREE = ("line", "depth", "move", "mover", "games", "share", "score", "south_score", "wins", "draws", "losses")


@dataclass(frozen=True)
class OpeningNode:
    """All games that began with the same moves."""

    state: State  # where these moves lead to
    actions: tuple[int, ...]  # the moves from where the tree begins
    moves: tuple[str, ...]  # the same as ``State.name`` writes them
    mover: int | None  # who played the last of them, 0 South or 1 North; None where the tree begins
    south: Score  # how the games ended, from South's side
    children: tuple["OpeningNode", ...]  # what was played next, the most frequent first; () at the depth of the tree

    @property
    def games(self) -> int:
        """The number of games."""
        return self.south.games

    @property
    def score(self) -> float:
        """Points per game of the player who played the last move; of South where the tree begins."""
        return (self.south.reversed if self.mover == 1 else self.south).score

    def walk(self) -> Iterator["OpeningNode"]:
        """This node and all nodes below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()

    def frame(self) -> "DataFrame":
        """One line for each node below this one: ``line`` (the moves from where the tree begins, a blank between them),
        ``depth`` (their number), ``move`` (the last of them), ``mover`` (who played it, 0 South or 1 North), ``games``,
        ``share`` (of the games of the node before), ``score`` (points per game of the mover), ``south_score``, and
        ``wins``, ``draws``, ``losses`` from South's side.
        """
        lines = [
            (
                " ".join(node.moves), len(node.moves), node.moves[-1], node.mover, node.games, node.games / above.games,
                node.score, node.south.score, node.south.wins, node.south.draws, node.south.losses,
            )
            for above in self.walk()
            for node in above.children
        ]  # fmt: skip
        lines.sort(key=lambda line: line[1])
        return pandas().DataFrame.from_records(lines, columns=list(TREE))


def opening_tree(
    records: Iterable[GameRecord], depth: int, *, rulesets: Mapping[str, Ruleset] | None = None
) -> OpeningNode:
    """Merge games that begin alike by their first ``depth`` moves. Lines that lead to the same position by other moves
    are nodes of their own. ``rulesets`` is as in ``games_frame``. ValueError without games, or if they begin
    differently: the text names the most frequent way.
    """
    if depth < 0:
        raise ValueError(f"depth is a number of moves from 0, not {depth}")
    listed = list(records)
    begun = Counter((record.rules, record.opening) for record in listed)
    if not begun:
        raise ValueError("an opening tree needs a game at least, and there is none")
    if len(begun) > 1:
        (_, opening), most = begun.most_common(1)[0]
        raise ValueError(
            f"{len(listed)} games begin in {len(begun)} ways, {most} of them at {opening!r}; give those of one way"
        )
    start = State.parse(rules_of(listed[0], rulesets), listed[0].opening)
    return _node(start, listed, depth, (), (), None)


def _node(
    state: State,
    records: Sequence[GameRecord],
    depth: int,
    actions: tuple[int, ...],
    moves: tuple[str, ...],
    mover: int | None,
) -> OpeningNode:
    ended = Counter(record.points[0] for record in records)
    following: dict[int, list[GameRecord]] = defaultdict(list)
    if depth:
        for record in records:
            if len(record.actions) > len(actions):
                following[record.actions[len(actions)]].append(record)
    children = [
        _node(state.play(action), some, depth - 1, (*actions, action), (*moves, state.name(action)), state.player)
        for action, some in sorted(following.items(), key=lambda each: (-len(each[1]), each[0]))
    ]
    return OpeningNode(state, actions, moves, mover, Score(ended[1.0], ended[0.5], ended[0.0]), tuple(children))
