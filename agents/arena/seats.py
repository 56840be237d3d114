"""What sits at the board: an agent in this process, or a process of its own."""

import contextlib
import difflib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from agents.agent import AGENTS, Agent, make_agent
from agents.arena.event import Event, Player
from agents.arena.process import BotFault
from agents.ladder import LADDER
from agents.warm import warm
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Ruleset
from mancala_env.state import State

GRACE = 1.0  # seconds beyond its clock in which a late answer is still waited for, so that it is late and not silent


class Clock(NamedTuple):
    """What a player may still take: seconds for this move, and seconds beyond that for the rest of the game."""

    move_time: float | None
    bank: float


class Seat(Protocol):
    """A player at the board. Whatever he does wrong comes as ``BotFault``."""

    def new_game(self, rules: Ruleset, seed: int) -> None:
        """Before each game."""

    def move(self, opening: State, actions: Sequence[int], state: State, clock: Clock) -> tuple[Any, float]:
        """An action, legal or not, and the seconds it took; compiling kernels does not count."""

    def close(self) -> None:
        """After the last game."""


class AgentSeat:
    """An agent of this process. It is asked as it is: nothing stops it but itself."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def new_game(self, rules: Ruleset, seed: int) -> None:
        """Reset the agent."""
        try:
            self.agent.reset(seed)
        except (Exception, SystemExit) as error:
            raise BotFault("crash", _told(error)) from error

    def move(self, opening: State, actions: Sequence[int], state: State, clock: Clock) -> tuple[Any, float]:
        """What the agent plays."""
        watch = Stopwatch()
        try:
            action = self.agent.act(state)
        except (Exception, SystemExit) as error:
            raise BotFault("crash", _told(error)) from error
        return action, watch.seconds

    def close(self) -> None:
        """Nothing is to be done."""


class BotSeat:
    """A program that speaks the protocol (``docs/protocol.md``), kept from game to game."""

    def __init__(self, player: Player, event: Event) -> None:
        from agents.arena.bot import Bot

        self._patience = event.patience
        self.bot = Bot(
            command_of(player.spec),
            name=player.name,
            memory_mb=event.memory,
            cpu_seconds=event.cpu,
            start_timeout=event.start_time,
        )

    def new_game(self, rules: Ruleset, seed: int) -> None:
        """Start the program if it does not run, and tell it of the game."""
        self.bot.new_game(rules, seed)

    def move(self, opening: State, actions: Sequence[int], state: State, clock: Clock) -> tuple[Any, float]:
        """What the program answers in time, or a moment later; else it is killed."""
        limited = clock.move_time is not None
        limit = clock.move_time + clock.bank + GRACE if clock.move_time is not None else self._patience
        answer = self.bot.move(
            opening, actions, state, movetime=clock.move_time, bank=clock.bank if limited else None, hard_limit=limit
        )
        return answer.action, answer.seconds

    def close(self) -> None:
        """End the program."""
        self.bot.close()


def is_built_in(spec: str) -> bool:
    """Does ``make_agent`` know it?"""
    word = spec.partition(":")[0]
    return word in AGENTS or word in LADDER


def command_of(spec: str) -> list[str]:
    """The command that plays as ``spec`` says, over the protocol."""
    if is_built_in(spec):
        return [sys.executable, "-m", "agents.serve", spec]
    from agents.arena.bot import resolve_command

    try:
        return resolve_command(spec)
    except FileNotFoundError:
        word = spec.partition(":")[0]
        if near := difflib.get_close_matches(word, (*AGENTS, *LADDER), n=1):
            raise ValueError(f"there is no agent and no program {spec!r}; did you mean {near[0]!r}?") from None
        raise


def in_process(player: Player, event: Event) -> bool:
    """Is this player an agent of this process? Under a clock, or if it is somebody else's code, it never is."""
    return is_built_in(player.spec) and event.move_time is None


def seat_of(player: Player, event: Event, agents: dict[str, Agent]) -> Seat:
    """The player, ready to sit down.

    Raises
    ------
    ValueError, FileNotFoundError
        If it cannot be made: an unknown agent, a missing file.
    """
    if player.name in agents:
        return AgentSeat(agents[player.name])
    if in_process(player, event):
        return AgentSeat(make_agent(player.spec))
    return BotSeat(player, event)


def prepare(event: Event, agents: Mapping[str, Agent]) -> None:
    """Have all kernels compiled that the event needs, before its clocks run; other processes then load them.

    Players that are not of this package are not asked: ``agents``, objects by name, and programs. Nor does anything
    end here: what a player cannot do shows in its games.
    """
    for rules in event.rulesets.values():
        own = [player.spec for player in event.players if player.name not in agents and is_built_in(player.spec)]
        for spec in dict.fromkeys(own):
            with contextlib.suppress(Exception):
                warm(rules, make_agent(spec))
        with contextlib.suppress(ValueError):
            warm(rules)


def _told(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
