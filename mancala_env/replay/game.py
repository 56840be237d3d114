"""Replays: the positions and moves of games, how they ended, the text beside them, and the page that shows them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import ending
from mancala_env.ending import PLAYERS
from mancala_env.games.titles import title_of
from mancala_env.notation import GameResult
from mancala_env.replay.packing import NO_EVENTS, NO_MOVE, Packer, event_table, move_of, packed_json, position_table
from mancala_env.replay.page import document
from mancala_env.rules import Ruleset
from mancala_env.state import State, the_state
from mancala_env.trace import Trace


class GameEnd(NamedTuple):
    """Where a game of a match ended."""

    ply: int  # moves that had been played, of all games
    game: int  # its number, from 1
    result: GameResult
    why: str  # it ended: a sentence without its stop
    standing: str  # of the match after it: "South 2, North 1 wins"
    following: int | None  # the number of the game that begins; None: the match is over
    # The position in which it ended (``kernels.layout``), before the final collection; None of a game that was over as
    # soon as it was laid out.
    array: npt.NDArray[np.int16] | None = None

    def short(self, seat: int | None = None) -> str:
        """Its number and result: "Game 2: South wins, 30 to 18"; for the player in a seat "Game 2: You win, ..."."""
        return f"Game {self.game}: {ending.outcome(self.result.winner, self.result.scores, seat)}"

    def full(self, seat: int | None = None) -> str:
        """All of it, in sentences."""
        won = ending.outcome(self.result.winner, self.result.scores, seat)
        more = "" if self.following is None else f" The match stands at {self.standing}. Game {self.following} begins."
        return f"Game {self.game} is over. {won}: {self.why}.{more}"


def game_ends(states: Sequence[State], actions: Sequence[int]) -> tuple[GameEnd, ...]:
    """The games of a match that ended between these positions, by these moves."""
    found = []
    for ply, (before, after) in enumerate(pairwise(states), 1):
        ended, rules = after.games[len(before.games) :], after.rules
        for k, result in enumerate(ended):  # all but the first were over as soon as they were laid out
            array = None if k else before.array_after(actions[ply - 1])
            why = ending.meaning(result.termination, rules) if array is None else ending.why(rules, array)
            following = None if k == len(ended) - 1 and after.is_over else before.game + k + 1
            standing = ending.standing(rules, after.array)
            found.append(GameEnd(ply, before.game + k, result, why, standing, following, array))
    return tuple(found)


def how_it_ended(state: State, seat: int | None = None) -> str:
    """The result of a finished game or match, and why it is over, without a stop; ``seat``: whom to tell "You win"."""
    rules = state.rules
    return f"{ending.outcome(state.winner, state.scores, seat, rules.match, rules.players)}: {state.ending}"


@dataclass(frozen=True, kw_only=True)
class Replay:
    """One game, or the beginning of one. Raises ValueError where parts do not go together."""

    rules: Ruleset
    states: Sequence[State]  # all positions, the first before any move
    actions: Sequence[int]  # the moves between them
    players: tuple[str, str] = ("South", "North")
    title: str = ""  # what stands above the board; "" for the name of the game
    result: str = ""  # how it ended, in words; "" for what the last position says
    values: Sequence[float | None] | None = None  # South's prospects at each position, such as -1 to 1; None: unknown

    def __post_init__(self) -> None:
        name = self.rules.name
        if len(self.states) != len(self.actions) + 1:
            raise ValueError(f"{name}: {len(self.actions)} moves need one position more, not {len(self.states)}")
        if strange := [state.rules.name for state in self.states if state.rules != self.rules]:
            raise ValueError(f"{name}: a position is of another game, {strange[0]}, or has other options")
        if self.values is not None and len(self.values) != len(self.states):
            raise ValueError(f"{name}: {len(self.states)} positions need as many values, not {len(self.values)}")

    @classmethod
    def of(cls, start: State, actions: Sequence[int], **more: Any) -> "Replay":
        """The game that these moves make of a position, with more attributes. Raises ``IllegalAction`` as they do."""
        states = [the_state(start, "start")]
        for action in actions:
            states.append(states[-1].play(action))
        return cls(rules=start.rules, states=states, actions=tuple(actions), **more)

    @property
    def heading(self) -> str:
        """``title``, or the name of the game as people write it, and who played it if that is more than the seats."""
        named = self.players[: self.rules.players]
        who = "" if self.players == ("South", "North") else f": {' against '.join(named)}"
        return self.title or f"{title_of(self.rules)}{who}"

    @property
    def ending(self) -> str:
        """``result``, or what the last position says: why the game is over and the score, or that it goes on."""
        last = self.states[-1]
        return self.result or (how_it_ended(last) if last.is_over else "not finished")

    @property
    def final(self) -> tuple[float, ...] | None:
        """Seeds in each pit and store after the final collection (``ending.swept``); None if that moves none."""
        last = self.states[-1]
        swept = ending.swept(self.rules, last.array)
        return None if swept == (*last.pits, *last.stores) else swept

    @property
    def game_ends(self) -> tuple[GameEnd, ...]:
        """The games of a match that ended on the way, in order; () in a game that is no match."""
        return game_ends(self.states, self.actions)

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """What each move does (``State.trace``). Raises ``IllegalAction`` if one cannot be played."""
        return tuple(state.trace(action) for state, action in zip(self.states, self.actions, strict=False))

    def events(self) -> list[npt.NDArray[np.int16]]:
        """For each position int16[n, 4]: the events that lead to it (``replay.packing.event_table``)."""
        return [NO_EVENTS, *map(event_table, self.traces)]

    def texts(self) -> list[str]:
        """For each position the move to it, a sentence without its stop; for the first what is to be decided there."""
        begun = self.states[0]
        due = f"{PLAYERS[begun.player]} is to {begun.pending.words(self.rules)}" if begun.pending else ""
        return [due, *(trace.text for trace in self.traces)]

    def table(self) -> npt.NDArray[np.int16]:
        """int16[positions, columns]: what a picture shows of each position (``replay.packing.position_table``)."""
        moves = [NO_MOVE, *map(move_of, self.states, self.actions)]
        return position_table(self.rules, np.stack([state.array for state in self.states]), moves, self.events())

    def pack(self, packer: Packer) -> list[Any]:
        """Add the game to a page's; returns what ``Packer.add`` does, then ``final`` and ``ends``."""
        place = packer.add(self.rules, self.table(), self.events(), self.texts())
        return [*place, self.final, self.ends()]

    def ends(self, seat: int | None = None) -> list[list[Any]]:
        """Of each game of a match that ended: after which ply, the result in short, and all of it (``GameEnd``); then
        the board on which it ended, as a line of ``table``, and the seeds in each pit and store after its final
        collection; both None where the game was over as soon as it was laid out."""
        found = []
        for end in self.game_ends:
            board: list[Any] = [None, None]
            if end.array is not None:
                move = move_of(self.states[end.ply - 1], self.actions[end.ply - 1])
                (row,) = position_table(self.rules, end.array[None], [move], [NO_EVENTS]).tolist()
                board = [row, list(ending.swept(self.rules, end.array))]
            found.append([end.ply, end.short(seat), end.full(seat), *board])
        return found

    def to_html(self, *, dark: bool | None = None) -> str:
        """A page that plays the game; see ``player_html``."""
        return player_html([self], dark=dark)

    def _repr_html_(self) -> str:
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:680px;border:0" title="A game to replay"></iframe>'


def player_html(games: Sequence[Replay], *, dark: bool | None = None, title: str = "") -> str:
    """A page that replays games: one file, no network, for a browser or an ``<iframe srcdoc>``.
    Keys: left and right step, home and end jump, space plays; f turns the board. ``dark``: for a dark page, a light
    one, or (None) whichever the reader's system asks for. ``title``: of the page; "" for that of the first game."""
    if not games:
        raise ValueError("a page of games needs one game at least, and there is none")
    data, body = packed_games(games), '<main class="single" id="page"></main>'
    return document(title or games[0].heading, body, data, scripts=["start().then(showGames);"], dark=dark)


def packed_games(games: Iterable[Replay]) -> dict[str, Any]:
    """Games as ``player.js`` reads them: boards, packed positions, and what is written beside each game."""
    packer = Packer()
    listed = [
        {
            "title": game.heading,
            "players": list(game.players[: game.rules.players]),
            "result": game.ending,
            "values": None if game.values is None else [*map(_rounded, game.values)],
            "place": game.pack(packer),
        }
        for game in games
    ]
    return packer.packed() | {"games": packed_json(listed)}


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(float(value), 4)
