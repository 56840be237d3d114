"""An open event: bots join over a socket while it runs, and everybody plays everybody else. A pairing has its place in
the schedule by the order in which its players first joined: games keep their numbers."""

import contextlib
import os
import queue
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import Thread

from agents.bots.process import check_system
from agents.bots.remote import SHORTEST_TOKEN, Reception, RemoteBot, is_loopback
from agents.tournament.event import MAX_GAMES, Event, Player
from agents.tournament.game import BotParticipant, Participant, adjudicating_tables, prepare
from agents.tournament.run import Progress, made_by
from agents.tournament.schedule import Pairing, Unit, begun, games_in, stages
from agents.tournament.store import Store
from agents.tournament.worker import Games, Worker

JOINED = "joined"  # the text of a player that has come over a socket
PLAYERS = 32  # names that may join
WAIT = 60.0  # seconds
_LOOK = 0.1  # seconds between two looks at who is still there
_FAREWELL = 2.0  # seconds for all bots to take their leave


@dataclass
class Guest:
    """A player of an open event."""

    name: str
    number: int
    bot: RemoteBot | None = None  # its connection; None while it is away
    plays: bool = False  # is a game of it in progress?


Ended = tuple[Pairing, Exception | None]  # its games that a thread was playing, and what nobody expected


@dataclass
class OpenEvent:
    """Runs an open event (``serve_event``); all but the games themselves in the thread that calls ``run``."""

    event: Event
    store: Store
    wait: float
    watch: Callable[[Progress], None]
    say: Callable[[str], None]
    stop: Callable[[], bool]
    guests: dict[str, Guest] = field(default_factory=dict)
    inbox: "queue.SimpleQueue[RemoteBot | Games | Ended]" = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        self.guests = {player.name: Guest(player.name, number) for number, player in enumerate(self.event.players)}
        self._done = {result.number for result in self.store.results()}
        self.progress = Progress(games_in(self.event), len(self._done), len(self._done))
        self._openings = cache(lambda rules: list(begun(self.event, rules)))
        for rules in self.event.rulesets.values():
            adjudicating_tables(self.event.tables, rules)  # before anybody joins
        self._playing: set[int] = set()  # first games of pairings
        self._anybody = False
        self._stirred = time.monotonic()
        self.left: dict[str, int] = {}  # at the end: who had left, and the number of games that were not played
        self._schedule: list[Pairing] = []
        self._draw_up()

    def run(self, reception: Reception) -> Progress:
        """Play until the event ends."""
        self.watch(self.progress)
        try:
            while True:
                with contextlib.suppress(queue.Empty):
                    self._take(self.inbox.get(timeout=_LOOK))
                    continue  # whatever else has come first
                self.store.flush()
                self._look_who_has_left(reception)
                if not self.stop():
                    self._begin_games()
                elif not self._playing:
                    return self.progress
                waits = not self._playing and self._anybody and len(self.guests) > 1
                if waits and time.monotonic() > self._stirred + self.wait:
                    return self.progress
        finally:
            self.store.flush()
            self.left = self._missing()
            self._part()

    def _missing(self) -> dict[str, int]:
        """Players who have left, and how many of their games were not played."""
        missing: Counter[str] = Counter()
        for pairing in self._schedule:
            left = len(self._open_games(pairing))
            missing.update({guest.name: left for guest in self._both(pairing) if left and guest.bot is None})
        return missing

    def _open_games(self, pairing: Pairing) -> list[int]:
        numbers = range(pairing.first, pairing.first + 2 * self.event.pairs)
        return [number for number in numbers if number not in self._done]

    def _both(self, pairing: Pairing) -> list[Guest]:
        return [self.guests[self.event.players[player].name] for player in pairing.players]

    def _draw_up(self) -> None:
        """The schedule of all who have joined so far."""
        (stage,) = stages(self.event) if len(self.event.players) > 1 else (None,)
        self._schedule = [] if stage is None else list(stage.pairings)
        self.store.note_pairings(self._schedule)
        self.progress.all_games = games_in(self.event)

    def _take(self, told: "RemoteBot | Games | Ended") -> None:
        self._stirred = time.monotonic()
        if isinstance(told, RemoteBot):
            self._welcome(told)
        elif isinstance(told, tuple):
            pairing, error = told
            if error is not None:
                raise error
            self._playing.discard(pairing.first)
            for guest in self._both(pairing):
                guest.plays = False
        else:
            self._done.update(game[0] for game in told)
            self.store.add(told)
            self.progress.games += len(told)
            self.watch(self.progress)

    def _welcome(self, bot: RemoteBot) -> None:
        name = bot.name
        self._anybody = True
        if name not in self.guests:
            self.event = replace(self.event, players=(*self.event.players, Player(name, JOINED)))
            self.store.admit(self.event)
            self.guests[name] = Guest(name, len(self.event.players) - 1)
            self._draw_up()
        guest = self.guests[name]
        if guest.bot is not None and not guest.plays:
            guest.bot.kill()
        guest.bot = bot  # a game on its old connection, which the reception has ended, is lost
        here = sum(each.bot is not None for each in self.guests.values())
        self.say(f"{name} has joined; {here} of {len(self.guests)} players are here")
        self.watch(self.progress)

    def _look_who_has_left(self, reception: Reception) -> None:
        for name, guest in self.guests.items():
            if guest.bot is not None and not guest.plays and not guest.bot.is_connected:
                self._stirred = time.monotonic()
                guest.bot.kill()
                reception.has_left(guest.bot)
                guest.bot = None
                self.say(f"{name} has left, and may come back")
                self.watch(self.progress)

    def _begin_games(self) -> None:
        """Have everybody play who is free, pairs of games in the order of the schedule."""
        ready = {guest.number for guest in self.guests.values() if guest.bot is not None and not guest.plays}
        open_games = (
            (numbers, pairing)
            for pairing in self._schedule
            if ready.issuperset(pairing.players) and (numbers := self._open_games(pairing))
        )
        in_order = sorted(open_games, key=lambda each: (each[0][0] - each[1].first) // 2)  # then that of the schedule
        for numbers, pairing in in_order:
            if not ready.issuperset(pairing.players):
                continue
            ready.difference_update(pairing.players)
            self._stirred = time.monotonic()
            seats: dict[int, Participant] = {}
            bots = []
            for guest in self._both(pairing):
                assert guest.bot is not None
                guest.plays = True
                seats[guest.number] = BotParticipant(guest.bot, self.event.patience)
                bots.append(guest.bot)
            self._playing.add(pairing.first)
            both = tuple(number for number in numbers[:2] if number // 2 == numbers[0] // 2)
            known = self._openings(pairing.rules)
            unit = Unit(pairing, both, tuple(known[(number - pairing.first) // 2] for number in both))
            worker = Worker(self.event, seats=seats)
            Thread(target=self._play, args=(worker, unit, bots), daemon=True).start()

    def _play(self, worker: Worker, unit: Unit, bots: list[RemoteBot]) -> None:
        """In a thread of its own: play games as long as both players are there."""
        error = None
        try:
            for games in worker.play(unit):
                self.inbox.put(games)
                if self.stop() or not all(bot.is_connected for bot in bots):
                    break
        except Exception as unexpected:
            error = unexpected
        for bot in bots:
            if not bot.is_connected:
                bot.kill()
        self.inbox.put((unit.pairing, error))

    def _part(self) -> None:
        """Tell all bots that the event is over."""
        bots = [guest.bot for guest in self.guests.values() if guest.bot is not None]
        with contextlib.suppress(queue.Empty):
            while True:
                if isinstance(told := self.inbox.get_nowait(), RemoteBot):
                    bots.append(told)
        if self._playing:  # stopped at once: threads still use them
            for bot in bots:
                bot.hang_up()
            return
        for bot in bots:
            bot.dismiss()
        deadline = time.monotonic() + _FAREWELL
        for bot in bots:
            if bot.process is not None:
                bot.process.wait_for_end(deadline - time.monotonic())
            bot.kill()


def serve_event(
    event: Event,
    path: str | os.PathLike[str],
    address: tuple[str, int],
    token: str,
    *,
    opened: Callable[[tuple[str, int]], None] = lambda address: None,
    players: int = PLAYERS,
    wait: float = WAIT,
    watch: Callable[[Progress], None] = lambda progress: None,
    say: Callable[[str], None] = lambda text: None,
    stop: Callable[[], bool] = lambda: False,
    again: bool = False,
) -> tuple[Progress, list[str]]:
    """Let bots join an event of the form ``OPEN`` and play, until nothing has been left to play for ``wait`` seconds. A
    bot that loses its connection in a game loses the game (``crash``), and plays on when it comes back. Bots have to
    know ``token``, one word; at most ``players`` names may join. ``opened`` is told the address, whose port may be 0
    for any, ``watch`` the progress, ``say`` a line about every player that joins or leaves. Returns the progress, and a
    remark about each who left early. ValueError if other machines reach the address and the token is short; OSError if
    it is taken."""
    check_system()
    if not token or (not is_loopback(address[0]) and len(token) < SHORTEST_TOKEN):
        raise ValueError(
            f"others than this machine can connect to {address[0]}: give a token of {SHORTEST_TOKEN} characters or more"
        )
    if (games := players * (players - 1) * event.pairs * len(event.rules)) > MAX_GAMES:
        raise ValueError(
            f"{players} players would have {games:,} games, more than {MAX_GAMES:,}: fewer --players or pairs"
        )
    prepare(event, {})
    provenance = made_by(event)
    with Store(Path(path), event, provenance) as store:
        store.continue_with(provenance)
        if again:
            store.forget_faults()
        running = OpenEvent(event, store, wait, watch, say, stop)
        reception = Reception(
            address, token, running.inbox.put, names=running.guests, most=players, start_timeout=event.start_time
        )
        with reception:
            opened(reception.address)
            progress = running.run(reception)
        if reception.refused:
            say(f"{reception.refused:,} connections were turned away")
        remarks = [f"{name} has left: {games:,} of its games were not played." for name, games in running.left.items()]
    return progress, remarks
