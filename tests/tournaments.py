"""Small tournaments for the tests of tournaments."""

import os
import sys
from dataclasses import replace

import pytest

from agents.executors import LocalExecutor
from agents.search_info import SearchInfo
from agents.tournament import export, schedule
from agents.tournament.event import Event, Player
from agents.tournament.game import play_game
from agents.tournament.record import UNFINISHED, GameRecord
from agents.tournament.run import run_event
from agents.tournament.store import Store
from tests.processes import ROOT

if os.name != "posix":
    pytest.skip("tournaments run on Linux and macOS", allow_module_level=True)
RANDOM_BOT = f"bot=cmd:{sys.executable} -S {ROOT / 'agents' / 'bots' / 'random_bot.py'}"


def players(*texts):
    return tuple(map(Player.parse, texts))


def event_of(*texts, **changes):
    return Event(players=players(*(texts or ("random", "greedy"))), **changes)


def untimed(records):
    """Games without what differs from run to run."""
    return [replace(record, times=(None, None), thoughts=()) for record in records]


def games_of(path):
    with Store(path) as store:
        return list(store.records())


def play(event, path, executor=None, **options):
    """All games of the event, in this process if nothing else is asked for."""
    run_event(event, path, executor=executor or LocalExecutor(0), **options)
    return games_of(path)


def report_of(games, rules=("oware", "kalah"), provenance=None, *, before=None, running=False, **changes):
    """The report of games as those of an event; ``changes`` of its tables."""
    from agents.tournament.report import report_html
    from agents.tournament.tables import Tables

    names = {name: None for game in games for name in (game.south, game.north)} or {"one": None, "other": None}
    event = Event(players=tuple(Player(name, "random") for name in names), rules=rules)
    found = replace(Tables.of(event, games), **changes)
    return report_html(event, found, provenance or {}, before=before, running=running)


def text_of(games):
    """Games as text."""
    return "".join(export.written("games", games))


def all_pairings(event):
    return [list(stage.pairings) for stage in schedule.stages(event)]


class Seat:
    """Answers that claim to have taken these numbers of seconds, one after the other."""

    info = SearchInfo()

    def __init__(self, seconds=(), answers=None):
        self.seconds, self.answers, self.clocks = iter(seconds), answers, []

    def new_game(self, rules, seed, lead):
        pass

    def move(self, opening, actions, state, clock):
        self.clocks.append(clock)
        answer = state.legal_actions[0] if self.answers is None else self.answers(state)
        return answer, next(self.seconds, 0.0)

    def close(self):
        pass


def one_game(south, north, game="kalah", opening=None, **changes):
    event = event_of(rules=(game,), **changes)
    rules = event.rulesets[game]
    start = opening or rules.start()
    begun = GameRecord(0, 0, game, "random", "greedy", start.to_line(), (1, 2), (), None, UNFINISHED)
    return play_game(event, (south, north), begun, start)
