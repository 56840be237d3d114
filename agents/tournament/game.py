"""One tournament game: its players, each an agent in this process or a program in a process of its own, the clock,
faults, and adjudication of results that are known before the end."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from agents.agent import Agent, is_built_in, make_agent, plays
from agents.bots.commands import resolve_command
from agents.bots.process import BotFault
from agents.bots.protocol import not_among, one_line
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.reference import NAMES
from agents.search_info import SearchInfo, info_of
from agents.tournament.event import Event, Player
from agents.tournament.record import GameRecord, Thought
from agents.warm_up import warm
from mancala_env import checks
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Match, Ruleset
from mancala_env.state import IllegalAction, State

if TYPE_CHECKING:
    from agents.bots.client import Bot

GRACE = 1.0  # seconds beyond the clock to wait for an answer, so that it counts as late and not as silence


class Clock(NamedTuple):
    """The seconds that a player has left; no clock runs where ``move_time`` and ``increment`` are None."""

    move_time: float | None  # for this move
    bank: float  # for the rest of the game, beyond ``move_time`` where there is one
    increment: float | None = None  # added after each move, where there is no ``move_time``


class Participant:
    """A player of a game. Whatever it does wrong is raised as ``BotFault``."""

    info = SearchInfo()  # of the last move
    _lead: Sequence[int] | None = None

    def new_game(self, rules: Ruleset, seed: int, lead: Sequence[int] | None) -> None:
        """Before each game; ``lead``: the actions from its start to where it begins, if they are known."""
        self._lead = lead

    def move(self, opening: State, actions: Sequence[int], state: State, clock: Clock) -> tuple[Any, float]:
        """An action, legal or not, and the seconds it took; compiling kernels does not count."""
        raise NotImplementedError

    def close(self) -> None:
        """After the last game."""


class AgentParticipant(Participant):
    """An agent in this process, without limits: nothing stops it while it thinks."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def new_game(self, rules: Ruleset, seed: int, lead: Sequence[int] | None) -> None:
        """Reset the agent."""
        super().new_game(rules, seed, lead)
        try:
            self.agent.reset(seed)
        except (Exception, SystemExit) as error:
            raise BotFault("crash", one_line(f"{type(error).__name__}: {error}", 300)) from error

    def move(self, opening: State, actions: Sequence[int], state: State, clock: Clock) -> tuple[Any, float]:
        """What the agent plays."""
        try:
            if clock.increment is not None and callable(tell := getattr(self.agent, "clock", None)):
                tell(clock.bank, clock.increment)
            if callable(hear := getattr(self.agent, "hear", None)):
                known = self._lead is not None
                hear(state.rules.start() if known else opening, (*(self._lead or ()), *actions))
            watch = Stopwatch()
            action = self.agent.act(state)
        except IllegalAction as error:
            raise BotFault("illegal_move", one_line(error, 300)) from error
        except (Exception, SystemExit) as error:
            raise BotFault("crash", one_line(f"{type(error).__name__}: {error}", 300)) from error
        seconds = watch.seconds
        self.info = info_of(self.agent)
        return action, seconds


class BotParticipant(Participant):
    """A program that speaks the protocol, kept from game to game; ``patience``: seconds for a move without a clock."""

    def __init__(self, bot: "Bot", patience: float) -> None:
        self.bot, self._patience = bot, patience

    def check_games(self, rulesets: Mapping[str, Ruleset]) -> None:
        """Start the program; ValueError if it says that it plays other games. One that says nothing may try."""
        with contextlib.suppress(BotFault):
            self.bot.start()
            if game := not_among(self.bot.said.games, rulesets.values()):
                games = ", ".join(self.bot.said.games)
                raise ValueError(f"{self.bot.name} says that it plays {games}, and not {game}")

    def new_game(self, rules: Ruleset, seed: int, lead: Sequence[int] | None) -> None:
        """Start the program if it does not run, and announce the game to it."""
        super().new_game(rules, seed, lead)
        self.bot.new_game(rules, seed)

    def move(self, opening: State, actions: Sequence[int], state: State, clock: Clock) -> tuple[Any, float]:
        """The program's answer, if it comes in time or a moment later; else the program is killed."""
        limited = clock.move_time is not None or clock.increment is not None
        answer = self.bot.move(
            opening, actions, state, movetime=clock.move_time, bank=clock.bank if limited else None,
            increment=clock.increment, lead=self._lead,
            hard_limit=(clock.move_time or 0.0) + clock.bank + GRACE if limited else self._patience,
        )  # fmt: skip
        self.info = info_of(answer)
        return answer.action, answer.seconds

    def close(self) -> None:
        """End the program."""
        self.bot.close()


def has_programs(event: Event, agents: Mapping[str, Agent]) -> bool:
    """Do programs from outside this package play?"""
    return any(player.name not in agents and not is_built_in(player.spec) for player in event.players)


def with_rungs(
    players: Sequence[str], rules: Sequence[Ruleset], reference: bool, optional: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Players of an event with a ladder, and a sentence about each that is left out; ValueError if the text of one
    cannot be read. ``reference``: also the reference opponents that play all ``rules``; ``optional``: also these, where
    installed."""
    found, left_out = list(players), []
    if reference:
        found += [name for name in NAMES if name not in found and all(plays(name, each) for each in rules)]
    for text in optional:
        player = Player.parse(text)
        try:
            if not is_built_in(player.spec):
                resolve_command(player.spec)
        except FileNotFoundError as error:
            left_out.append(f"{player.name} is left out: {error}")
        else:
            found.append(text)
    return found, left_out


def in_process(player: Player, event: Event) -> bool:
    """Whether this player is an agent in this process. Under a clock no player is, and foreign code never is."""
    return is_built_in(player.spec) and not event.timed


def participant_of(
    player: Player, event: Event, agents: Mapping[str, Agent], sandbox: Sandbox = NO_SANDBOX
) -> Participant:
    """The participant that plays for a player; ValueError or FileNotFoundError if it cannot be made."""
    if player.name in agents:
        return AgentParticipant(agents[player.name])
    if in_process(player, event):
        return AgentParticipant(make_agent(player.spec))
    from agents.bots.client import Bot

    bot = Bot(
        resolve_command(player.spec),
        name=player.name,
        memory_mb=event.memory,
        cpu_seconds=event.cpu,
        start_timeout=event.start_time,
        sandbox=NO_SANDBOX if is_built_in(player.spec) else sandbox,
    )
    return BotParticipant(bot, event.patience)


def prepare(event: Event, agents: Mapping[str, Agent]) -> None:
    """Compile all kernels that the event needs, before its clocks run; other processes then load them. Objects and
    programs from outside this package are not run."""
    for rules in event.rulesets.values():
        own = [player.spec for player in event.players if player.name not in agents and is_built_in(player.spec)]
        for spec in dict.fromkeys(own):
            with contextlib.suppress(Exception):
                warm(rules, make_agent(spec))
        with contextlib.suppress(ValueError):
            warm(rules)


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
            depth, value, illegal, tokens = seats[mover].info
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


@lru_cache(maxsize=16)
def adjudicating_tables(folder: str | None, rules: Ruleset) -> Any:
    """The endgame tables of a ruleset in an event's folder, ValueError if it has none; None if there is no folder."""
    if folder is None:
        return None
    from agents.tablebase import Tablebase

    return Tablebase(folder, rules)
