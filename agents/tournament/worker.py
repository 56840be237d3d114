"""Play units of the schedule: the same in this process, in a worker process, and on another machine."""

import atexit
import contextlib
import itertools
import sys
import time
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, is_built_in
from agents.batched import BatchedAgent, batched_agent, games_at_once, play_batched
from agents.bots.protocol import one_line
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.executors import Executor, Stop, WorkerDied, never
from agents.tournament.event import Event
from agents.tournament.game import (
    AgentParticipant,
    BotParticipant,
    Participant,
    adjudicating_tables,
    has_programs,
    participant_of,
    play_game,
)
from agents.tournament.record import UNFINISHED, GameRecord
from agents.tournament.schedule import Begun, Pairing, Unit, seeds
from agents.tournament.store import StoredGame, stored
from mancala_env.cli import printable
from mancala_env.kernels import layout
from mancala_env.rules import Goal, Match
from mancala_env.state import State

ALONE = 1  # pairs of games in a unit, unless its players can play in a batch
QUICK = 100  # games of a unit that is quick, because its players play in a batch
HERE = 1.0  # seconds that processes take to start; meanwhile this one plays

Games = list[StoredGame]
Drawn = npt.NDArray[np.uint32]  # the seeds of a pairing, as ``schedule.seeds`` draws them


def unit_size(event: Event, pairing: Pairing, agents: Mapping[str, Agent]) -> int:
    """The number of pairs of games in a unit of a pairing: about a second's work if they are batched, else one pair."""
    made = [agents.get(event.players[player].name) for player in pairing.players]
    if event.is_adjudicated or not all(batched_agent(agent) for agent in made):
        return ALONE
    return max(ALONE, min(games_at_once(agent) for agent in made) // 2)


class Worker:
    """Plays units of one event; keeps players from unit to unit. ``agents``: players given as objects, by name;
    ``seats``: players that are there already, by number."""

    def __init__(
        self,
        event: Event,
        agents: Mapping[str, Agent] | None = None,
        sandbox: Sandbox = NO_SANDBOX,
        seats: Mapping[int, Participant] | None = None,
    ) -> None:
        self.event = event
        self._sandbox = sandbox
        self._agents = dict(agents or {})
        self._seats: dict[int, Participant] = dict(seats or {})
        self._said: set[int] = set()
        self._asked = bool(seats)

    def play(self, unit: Unit) -> Iterator[Games]:
        """The games of a unit, as they end."""
        if not self._asked:
            self._asked = True
            self._ask()
        pairing, drawn = unit.pairing, seeds(self.event, unit.pairing)
        seats = [self._seat(player) for player in pairing.players]
        one, other = (batched_agent(seat.agent) if isinstance(seat, AgentParticipant) else None for seat in seats)
        if one is not None and other is not None and not self.event.is_adjudicated:
            try:
                games = self._play_batched(unit, drawn, (one, other))
            except Exception as error:
                # Played one by one, only the player at fault loses, and only the games of that player.
                self._say_once(pairing, one_line(f"{type(error).__name__}: {error}", 300))
            else:
                yield games
                return
        for number, begun in zip(unit.numbers, unit.begun, strict=True):
            yield [stored(pairing, self._play_alone(pairing, number, begun, drawn, seats))]

    def _say_once(self, pairing: Pairing, error: str) -> None:
        """Print once that games are played one by one, and why."""
        one, other = (self.event.players[player].name for player in pairing.players)
        if pairing.first not in self._said:
            said = f"note: {one} against {other} ({pairing.rules}) is played game by game, more slowly, as many at once"
            print(printable(f"{said} failed: {error}"), file=sys.stderr, flush=True)
        self._said.add(pairing.first)

    def play_all(self, unit: Unit) -> Games:
        """All that ``play`` yields."""
        return [game for games in self.play(unit) for game in games]

    def _ask(self) -> None:
        """Start all programs, before the first game. Raises ValueError if one says that it plays other games."""
        for number, player in enumerate(self.event.players):
            if player.name not in self._agents and not is_built_in(player.spec):
                seat = self._seat(number)
                assert isinstance(seat, BotParticipant)
                seat.check_games(self.event.rulesets)

    def close(self) -> None:
        """End all players that are processes."""
        for seat in self._seats.values():
            with contextlib.suppress(Exception):
                seat.close()
        self._seats.clear()

    def _seat(self, player: int) -> Participant:
        if player not in self._seats:
            self._seats[player] = participant_of(self.event.players[player], self.event, self._agents, self._sandbox)
        return self._seats[player]

    def _play_alone(
        self, pairing: Pairing, number: int, begun: Begun, drawn: Drawn, seats: list[Participant]
    ) -> GameRecord:
        opening, lead = begun
        place, swapped = divmod(number - pairing.first, 2)
        order = (1, 0) if swapped else (0, 1)
        south, north = (self.event.players[pairing.players[k]].name for k in order)
        game = GameRecord(
            number, number - swapped, pairing.rules, south, north, opening, tuple(drawn[place].tolist()), (),
            winner=None, reason=UNFINISHED,
        )  # fmt: skip
        rules = self.event.rulesets[pairing.rules]
        tables = adjudicating_tables(self.event.tables, rules)
        return play_game(self.event, [seats[k] for k in order], game, State.parse(rules, opening), tables, lead)

    def _play_batched(self, unit: Unit, drawn: Drawn, agents: tuple[BatchedAgent, BatchedAgent]) -> Games:
        pairing = unit.pairing
        rules = self.event.rulesets[pairing.rules]
        places = [(number - pairing.first) // 2 for number in unit.numbers]
        texts = [text for text, _ in unit.begun]
        known = {text: State.parse(rules, text) for text in set(texts)}
        begun_with = drawn[places]
        souths = np.array([pairing.south(number) for number in unit.numbers], dtype=np.int64)
        played = play_batched(rules, [known[text] for text in texts], agents, souths, begun_with.astype(np.uint64))
        counted = rules.goal is Goal.SEEDS or rules.match is not Match.NONE
        winners = (None, 0, 1)  # by lead: 0, +1, -1
        return [
            (
                number, pairing.first, opening, south_seed, north_seed, actions[:plies].tobytes(),
                winners[lead], layout.TERMINATIONS[reason], None, "", None,
                south / 2 if counted else None, north / 2 if counted else None, None, None,
            )
            for opening, number, (south_seed, north_seed), actions, plies, lead, reason, (south, north) in zip(
                texts, unit.numbers, begun_with.tolist(), played.actions, played.plies.tolist(),
                played.leads.tolist(), played.reasons.tolist(), played.scores.tolist(), strict=True,
            )
        ]  # fmt: skip


def play_units(
    executor: Executor,
    event: Event,
    units: Iterable[Unit],
    agents: Mapping[str, Agent],
    sandbox: Sandbox = NO_SANDBOX,
    stop: Stop = never,
) -> Generator[Games, None, None]:
    """Play units, in any order, and yield games as they end; begin none once ``stop()`` is true. A unit whose process
    died is played again: the same game can come twice. ``WorkerDied`` if processes were lost too often, ValueError if
    players cannot be sent to another process, or games cannot be played at all."""
    left = iter(units)
    here, begun = Worker(event, agents, sandbox), time.monotonic()
    is_quick = not has_programs(event, agents)  # those are asked first
    try:
        while not stop() and (unit := next(left, None)) is not None:
            soon = is_quick and len(unit.numbers) >= QUICK and time.monotonic() <= begun + HERE
            if not (executor.is_here or soon):
                left = itertools.chain([unit], left)
                break
            yield here.play_all(unit)
        shared = uuid.uuid4().hex, event, dict(agents), sandbox
        with contextlib.closing(executor.run(_play, left, shared=shared, stop=stop)) as arriving:
            for _, games in arriving:
                yield games
    except WorkerDied as error:
        raise WorkerDied(f"{error} What was played is stored, and --resume goes on") from error
    finally:
        here.close()


_kept: tuple[str, Worker] | None = None  # of a worker process, by run: it keeps its players for the next unit


def _play(unit: Unit, shared: tuple[str, Event, dict[str, Agent], Sandbox]) -> Games:
    global _kept  # noqa: PLW0603 - a process plays for one event at a time
    run, event, agents, sandbox = shared
    if _kept is None or _kept[0] != run:
        _forget()
        _kept = run, Worker(event, agents, sandbox)
    return _kept[1].play_all(unit)


@atexit.register
def _forget() -> None:
    if _kept is not None:
        _kept[1].close()
