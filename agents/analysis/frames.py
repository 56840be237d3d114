"""Played games as data frames: one line per game, or per ply; and merged move by move into a tree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from agents.tournament.export import COLUMNS, rows
from agents.tournament.record import GameRecord, rules_of
from agents.tournament.summary import Score
from mancala_env.rules import Ruleset
from mancala_env.state import State

if TYPE_CHECKING:
    from pandas import DataFrame

GAMES = (*COLUMNS, "south_points", "margin")
POSITIONS = (
    "game", "rules", "step", "ply", "position", "pits", "south_store", "north_store", "mover", "player", "legal",
    "action", "move", "won", "again", "points",
)  # fmt: skip
TREE = ("line", "depth", "move", "mover", "games", "share", "score", "south_score", "wins", "draws", "losses")


def pandas() -> Any:
    """The module pandas, imported when first needed. ImportError, which says how to install it, without it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError('data frames need pandas: pip install -e ".[tables]"') from error
    return pandas


def games_frame(records: Iterable[GameRecord], rulesets: Mapping[str, Ruleset] | None = None) -> "DataFrame":
    """One line per game: the columns of ``agents.tournament.export``, winner and fault as Int8 (0 South, 1 North, else
    missing), times in seconds (nan: not taken), ``south_points`` (1, 1/2 or 0), and ``margin``, South's lead in seeds
    at the end, nan without scores. ``rulesets`` are those of your own, by name, that ``GameRecord.rules`` may name.
    ValueError for an unknown ruleset, or a move that cannot be played.
    """
    pd = pandas()
    listed = list(records)
    frame = pd.DataFrame.from_records(list(rows(listed, rulesets)), columns=COLUMNS)
    frame["south_points"] = pd.Series([record.points[0] for record in listed], dtype="float64")
    for name in ("south_score", "north_score", "south_time", "north_time"):
        frame[name] = frame[name].astype("float64")
    frame["margin"] = frame["south_score"] - frame["north_score"]
    return frame.astype({"winner": "Int8", "fault": "Int8"})


def positions_frame(records: Iterable[GameRecord], rulesets: Mapping[str, Ruleset] | None = None) -> "DataFrame":
    """One line for every ply after the openings: the position, and what was played there.

    - ``game``, ``step``, ``ply`` : ``GameRecord.number``; plies after the opening, from 0; ``State.ply``
    - ``position``, ``pits`` : as ``State.parse`` reads it; seeds in canonical order
    - ``mover``, ``player`` : 0 South or 1 North; the mover's name
    - ``legal``, ``action``, ``move`` : the number of legal actions; the one played, and as ``State.name`` writes it
    - ``won`` : seeds that the move brought into the mover's store, the final collection left out; missing in games
      without stores, and where a move ended a game of a match, as its stores are then gone
    - ``again``, ``points`` : the mover is also the next one to move; the mover's points in the game, 1, 1/2 or 0

    and ``rules``, ``south_store``, ``north_store``. Arguments and errors are those of ``games_frame``.
    """
    pd = pandas()
    lines: list[tuple[Any, ...]] = []
    for record in records:
        states = record.states(rules_of(record, rulesets))
        lines += [_line(record, step, *both) for step, both in enumerate(pairwise(states))]
    frame = pd.DataFrame.from_records(lines, columns=list(POSITIONS))
    whole = dict.fromkeys(("game", "step", "ply", "south_store", "north_store", "legal", "action"), "int64")
    return frame.astype({**whole, "mover": "int8", "won": "Int64", "again": "bool", "points": "float64"})


def _line(record: GameRecord, step: int, state: State, after: State) -> tuple[Any, ...]:
    mover, action = state.player, record.actions[step]
    counted = state.rules.has_stores and len(after.games) == len(state.games)
    return (
        record.number,
        record.rules,
        step,
        state.ply,
        str(state),
        state.pits,
        *state.stores,
        mover,
        (record.south, record.north)[mover],
        len(state.legal_actions),
        action,
        state.name(action),
        after.stores[mover] - state.stores[mover] if counted else None,
        not after.is_over and after.player == mover,
        record.points[mover],
    )


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
