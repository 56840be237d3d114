"""Played games as data frames: one line per game, or one line per ply."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from agents.tournament.export import COLUMNS, rows
from agents.tournament.record import GameRecord, rules_of
from mancala_env.rules import Ruleset
from mancala_env.state import State

if TYPE_CHECKING:
    from pandas import DataFrame

GAMES = (*COLUMNS, "south_points", "margin")
POSITIONS = (
    "game", "rules", "step", "ply", "position", "pits", "south_store", "north_store", "mover", "player", "legal",
    "action", "move", "won", "again", "points",
)  # fmt: skip


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
