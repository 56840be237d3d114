"""One tournament game: the clock, faults, and adjudication of results that are known before the end."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.bots.process import BotFault
from agents.tournament.event import Event
from agents.tournament.participants import Clock, Participant
from agents.tournament.record import GameRecord, Thought
from mancala_env import checks
from mancala_env.rules import Match, Ruleset
from mancala_env.state import State


def play_game(
    event: Event,
    seats: Sequence[Participant],
    begun: GameRecord,
    opening: State,
    tables: Any = None,
    lead: Sequence[int] | None = None,
) -> GameRecord:
    """Play ``begun``, a game without moves, from ``opening`` to its end; whatever a player does wrong only loses it the
    game. ``tables`` adjudicate positions that they hold; ``lead``: actions from the start to the opening, where
    known."""
    whole = event.bank if event.clock is None else event.clock
    banks = [whole, whole]
    times = [0.0, 0.0]
    state = opening
    actions: list[int] = []
    thoughts: list[Thought] = []
    mover = opening.player

    def ended(winner: int | None, reason: str, fault: int | None = None, detail: str = "") -> GameRecord:
        return replace(
            begun, actions=tuple(actions), winner=winner, reason=reason, fault=fault, detail=detail,
            scores=state.scores if state.is_over else None, times=(times[0], times[1]), thoughts=tuple(thoughts),
        )  # fmt: skip

    try:
        for mover in (0, 1):
            seats[mover].new_game(opening.rules, begun.seeds[mover], lead)
        while not state.is_over:
            mover = state.player
            clock = Clock(event.move_time, banks[mover], None if event.clock is None else event.increment)
            answer, seconds = seats[mover].move(opening, actions, state, clock)
            times[mover] += seconds
            if event.timed:
                banks[mover] -= max(0.0, seconds - (event.move_time or 0.0))
                if banks[mover] < 0:
                    late = f"took {seconds:.3f} s for move {len(actions) + 1}, {-banks[mover]:.3f} s more than it had"
                    return ended(1 - mover, "time", mover, late)
                banks[mover] += event.increment
            action = _legal(state, answer)
            if action is None:
                raise BotFault("illegal_move", f"played {_shown(answer)!r} in {state}")
            state = state.play(action)
            actions.append(action)
            depth, value, illegal, tokens = seats[mover].told
            value = None if value is None else round(value, 4)
            thoughts.append(Thought(round(seconds, 6), depth, value, illegal, tokens))
            verdict = None if state.is_over else _adjudicated(state, len(actions), event, tables)
            if verdict is not None:
                return ended(*verdict)
    except BotFault as fault:
        return ended(1 - mover, fault.reason, mover, fault.detail)
    return ended(state.winner, str(state.termination))


def _legal(state: State, answer: object) -> int | None:
    try:
        action = checks.action(answer)
    except Exception:  # an answer may be any object
        return None
    return action if action in state.legal_actions else None


def _shown(answer: object) -> str:
    try:
        return str(answer)[:80]
    except Exception:
        return type(answer).__name__


def _adjudicated(state: State, plies: int, event: Event, tables: Any) -> tuple[int | None, str] | None:
    """Winner and reason, if this event adjudicates the position; else None."""
    if tables is not None and state in tables:
        lead = state.stores[state.player] - state.stores[1 - state.player]
        low, high = (lead + margin for margin in tables.bounds(state))
        if low == high == 0:
            return None, "tablebase"
        if low > 0 or high < 0:
            return (state.player if low > 0 else 1 - state.player), "tablebase"
    if event.max_plies is not None and plies >= event.max_plies:
        return ahead(state), "ply_limit"
    return None


def ahead(state: State) -> int | None:
    """The player with more in store, in a match with the higher tally; None if equal, or in games without a score."""
    south, north = state.tally if state.rules.match is not Match.NONE and any(state.tally) else state.stores
    return None if south == north else int(north > south)


def adjudicating_tables(event: Event, rules: Ruleset) -> Any:
    """The endgame tables of a ruleset in the event's folder, ValueError if it has none; None if there is no folder."""
    if event.tables is None:
        return None
    from agents.tablebase import Tablebase

    return Tablebase(event.tables, rules)
