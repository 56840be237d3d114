"""Play an event, or continue one that was stopped."""

import contextlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.agent import Agent, as_agent, is_built_in, make_agent, refusal
from agents.bots.commands import resolve_command
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.executors import Executor, make_executor
from agents.provenance import provenance, rules_digest
from agents.tournament.event import Event
from agents.tournament.game import has_programs, in_process, prepare
from agents.tournament.record import GameRecord, Result
from agents.tournament.schedule import games_in, limits, stages, units
from agents.tournament.store import Store
from agents.tournament.worker import play_units, unit_size


@dataclass
class Progress:
    """The progress of an event."""

    all_games: int  # to be played if nothing ends the event early
    games: int = 0  # played
    stored: int = 0  # of these, those that were stored before


def run_event(
    event: Event,
    path: str | os.PathLike[str],
    *,
    executor: Executor | None = None,
    agents: Mapping[str, Any] | None = None,
    sandbox: Sandbox = NO_SANDBOX,
    watch: Callable[[Progress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
    again: bool = False,
) -> Progress:
    """Play all games of an event that its file does not hold yet; called again, it finishes an event that was stopped,
    with the same games. Games are on the disk within a second of their end.

    Returns the progress: ``games == all_games`` if the event is finished, unless an SPRT ended it. ValueError or
    FileNotFoundError if a player cannot be made, or cannot play these games; ``StoreError`` if the file cannot be used.

    Games are played where ``executor`` (``agents.executors``) says, by default in a process for each core. ``agents``:
    players given as objects, by name; their ``Player.spec`` is only a description. ``sandbox``: for programs. ``watch``
    gets the progress as games end. ``stop`` is called before every game, and several times a second with worker
    processes: by True no game is begun any more, and those in progress are broken off. ``again``: play games that were
    lost by a fault once more; rounds of a Swiss tournament that were drawn stand."""
    agents = {name: as_agent(player) for name, player in (agents or {}).items()}
    here = check_players(event, agents)
    executor = executor or make_executor()
    provenance_now = made_by(event)
    if has_programs(event, agents):
        provenance_now["sandbox"] = str(sandbox)
    with Store(path, event, provenance_now) as store:
        store.continue_with(provenance_now)
        if again:
            store.forget_faults()
        progress = Progress(games_in(event, store.results()), games=len(store), stored=len(store))
        sprt = None if event.sprt is None else SprtWatch(event, store.results())
        done = bytearray(limits(event).numbers)  # a million games are a megabyte
        for result in store.results():
            done[result.number] = True
        watch(progress)
        if progress.games < progress.all_games:
            prepare(event, agents)
        for stage in stages(event, store.results, store.pairings):
            progress.all_games = games_in(event, store.results())  # tied matches make a knockout longer
            store.note_pairings(stage.pairings)
            if sprt is not None and sprt.end is not None:
                break
            missing = units(event, stage, done, [unit_size(event, pairing, here) for pairing in stage.pairings])
            ended = stop if sprt is None else lambda: stop() or sprt.end is not None
            with contextlib.closing(play_units(executor, event, missing, agents, sandbox, ended)) as arriving:
                for games in arriving:
                    fresh = [game for game in games if not done[game[0]]]
                    for number, _, _, _, _, _, winner, _, fault, *_ in fresh:
                        done[number] = True
                        if sprt is not None:
                            sprt.add(number, winner, fault)
                    store.add(fresh)
                    progress.games += len(fresh)
                    watch(progress)
            store.flush()
            if not all(done[number] for number in stage.numbers()):
                break  # stopped
        return progress


def made_by(event: Event) -> dict[str, Any]:
    """Versions, commit and machine, and the digests of the rulesets."""
    made = provenance(event.rulesets[event.rules[0]], event.seed)
    del made["ruleset"], made["ruleset_text"]
    made["rulesets"] = {name: f"{rules.id}, {rules_digest(rules)[:16]}" for name, rules in event.rulesets.items()}
    return made


def check_players(event: Event, agents: Mapping[str, Agent]) -> dict[str, Agent]:
    """The players that are agents in this process, by name, once all players are checked: ValueError or
    FileNotFoundError if one does not exist or has other rules, one object is given as two, or the event's folder has no
    tables."""
    here: dict[str, Agent] = {}
    if event.tables is not None:
        from agents.tablebase.probe import covered

        for rules in event.rulesets.values():
            covered(event.tables, rules)
    for player in event.players:
        if player.name not in agents and not is_built_in(player.spec):
            resolve_command(player.spec)
            continue
        agent = agents[player.name] if player.name in agents else make_agent(player.spec)
        for name, rules in event.rulesets.items():
            if why := refusal(agent, rules, f"{name} as it is here", player.name):
                raise ValueError(why)
        if any(agent is other for other in here.values()):
            raise ValueError(f"{player.name} is the same object as another player: give each a copy of its own")
        if player.name in agents or in_process(player, event):
            here[player.name] = agent
    return here


class SprtWatch:
    """Whether pairs decide the event's SPRT, in the order of the schedule, whatever order games come in; pairs with a
    fault count for neither side. ``end``: the number of pairs that decided it; ``verdict``: ``H0`` if ``elo0`` fits
    better, ``H1`` if ``elo1``; both None while it is open."""

    def __init__(self, event: Event, results: Iterable[Result | GameRecord] = ()) -> None:
        """``results``: of games that were played before."""
        assert event.sprt is not None
        self._test = event.sprt
        self._points: dict[int, list[float | None]] = defaultdict(list)
        self._next = 0
        self.counts = [0, 0, 0, 0, 0]
        self.end: int | None = None
        self.verdict: str | None = None
        for result in results:
            self.add(result.number, result.winner, result.fault)

    def add(self, number: int, winner: int | None, fault: int | None = None) -> None:
        """Count a game of the schedule. In games of even number the first player is South."""
        first = number % 2
        points = None if fault is not None else 0.5 if winner is None else float(winner == first)
        self._points[number // 2].append(points)
        while self.end is None and len(self._points.get(self._next, ())) == 2:
            pair = [each for each in self._points.pop(self._next) if each is not None]
            self._next += 1
            if len(pair) < 2:
                continue
            self.counts[round(2 * sum(pair))] += 1
            self.verdict = self._test.status(self.counts)
            if self.verdict is not None:
                self.end = self._next


def counted(store: Store) -> Iterator[GameRecord]:
    """The games of a store that count: all; with an SPRT those up to the pair that decided it."""
    end = None if store.event.sprt is None else SprtWatch(store.event, store.results()).end
    return store.records(None if end is None else 2 * end)
