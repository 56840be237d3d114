"""Moves that show a rule: of each clause of a landing table, and of what else can be seen in a move, the plainest one
that a little random play comes across."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mancala_env.ending import PLAYERS, label
from mancala_env.replay import Replay
from mancala_env.rules import Feeding, FirstLap, GrandSlam, Ruleset, Singles, Sowing
from mancala_env.rules.describe import ENDING, LANDING, sections, sentence_of
from mancala_env.rules.fields import DEFAULTS
from mancala_env.state import State
from mancala_env.trace import EventKind, Trace
from mancala_env.words import joined

PLIES = 2_000  # of random play that are looked at, which takes a browser a second
MOST_PLIES = 20_000  # while a clause has no example yet
SEED = 2
CLAUSE, END = "clause", "end"  # how names of what is shown begin, before the number of a clause or a reason
PLAIN = "plain"  # a move that shows nothing but how seeds are sown
OF_SOWING = {"take": "Show a capture", "choose": "Show a choice"}  # where captures are no matter of a table


@dataclass(frozen=True)
class Example:
    """A move that shows a rule, and what else it shows."""

    state: State
    action: int
    cost: tuple[int, ...]  # the less, the plainer; first how many other rules it shows
    barred: tuple[str, ...] = ()  # moves that the rule forbids here

    def told(self) -> dict[str, Any]:
        """The move as ``play.js`` reads it."""
        state = self.state
        shown = Replay(rules=state.rules, states=[state, state.play(self.action)], actions=[self.action])
        begins = f"{PLAYERS[state.player]} may not play {joined(self.barred, 'or')} here" if self.barred else ""
        return {
            "rows": shown.table().tolist(),
            "told": [events.ravel().tolist() for events in shown.events()],
            "texts": [begins, shown.texts()[1]],
            "final": shown.final,
            "ends": shown.ends(),
            "result": shown.ending if shown.states[1].is_over else "",
        }


def listed(rules: Ruleset) -> list[dict[str, str]]:
    """What there are examples ``of``, each with the ``sentence`` of ``sections`` that it shows (of an end the last one)
    and the ``face`` of a button."""
    told, known = sections(rules), []
    table = told.get(LANDING, [])
    for name in sorted(examples(rules)):
        kind, _, which = name.partition(" ")
        sentence, face = "", "Show me"
        if kind == END:
            sentence, face = told[ENDING][-1], label(which)
        elif kind == CLAUSE:
            sentence = table[int(which) + (len(rules.landing) > 1)]
        elif kind in OF_SOWING:
            sentence, face = sentence_of(rules, "sowing"), OF_SOWING[kind]
        else:
            sentence = next(iter(told["Sowing"])) if kind == PLAIN else sentence_of(rules, kind)
        if sentence:
            known.append({"of": name, "sentence": sentence, "face": face})
    return known


@lru_cache(maxsize=16)
def examples(rules: Ruleset) -> dict[str, Example]:
    """The plainest example of each rule that can be shown, by name; the same on every machine."""
    return found(rules, PLIES, MOST_PLIES, SEED)


def found(rules: Ruleset, plies: int, most: int, seed: int) -> dict[str, Example]:
    """``examples`` from random play of so many plies, or at ``most`` so many while a clause lacks one."""
    best: dict[str, Example] = {}
    wanted = {f"{CLAUSE} {k}" for k in range(len(rules.landing))}
    for k, (state, action, after) in enumerate(_random_play(rules, seed)):
        if k >= most or (k >= plies and wanted <= best.keys()):
            break
        trace = state.trace(action)
        facts = _facts(trace, state, after)
        barred, names = _barred(state)
        facts |= {barred} - {""}
        facts = facts or {PLAIN}
        laps = sum(event.kind is EventKind.LAND for event in trace.events)
        moved = sum(event.seeds for event in trace.events)
        cost = (len(facts) - 1, laps, moved + state.ply // 4, state.player)
        for fact in facts:
            if fact not in best or cost < best[fact].cost:
                best[fact] = Example(state, action, cost, names if fact == barred else ())
    return best


def _random_play(rules: Ruleset, seed: int) -> Iterator[tuple[State, int, State]]:
    """Moves of one random game after the other, with the positions before and after them."""
    rng = np.random.default_rng(seed)
    while True:
        state = rules.start()
        while not state.is_over:
            action = state.legal_actions[rng.integers(len(state.legal_actions))]
            after = state.play(action)
            yield state, action, after
            state = after


def _facts(trace: Trace, state: State, after: State) -> set[str]:
    """What a move shows, by name."""
    rules, happened = trace.rules, {event.kind for event in trace.events}
    fell = [event.clause for event in trace.events if event.kind is EventKind.LAND]
    ended = [game.termination for game in after.games[len(state.games) :]] or [after.termination]
    on_the_way = any(event.kind is EventKind.TAKE and event.clause is None for event in trace.events)
    shown = {
        "stuck": EventKind.PASS in happened or EventKind.STUCK in happened,
        "grand_slam": EventKind.SLAM in happened,
        "passing": rules.passing is not None and on_the_way,
        **{name: rules.sowing is Sowing.FROM_ENDS and EventKind(name) in happened for name in OF_SOWING},
        "pending": state.pending is not None,
    }
    return {
        *(f"{CLAUSE} {clause}" for clause in fell if clause is not None),
        *(f"{END} {reason}" for reason in ended if reason),
        *(name for name, holds in shown.items() if holds),
    }


def _barred(state: State) -> tuple[str, tuple[str, ...]]:
    """The name of a field that forbids moves here, and the pits that it bars; "" where that is none, or not sure."""
    rules, seeds = state.rules, state.pits
    other_rules = rules.barred or rules.forced or any(rules.opening) or rules.sowing is not Sowing.TRACK
    if state.pending or state.is_over or other_rules or rules.is_line:
        return "", ()
    playable = {state.pit(action) for action in state.legal_actions}
    own = [pit for pit in range(len(seeds)) if state.owner[pit] == state.player and state.marks[pit] < 0]
    pits = [pit for pit in own if seeds[pit] >= rules.min_start and pit not in playable]
    opponent = sum(seeds[pit] for pit in range(len(seeds)) if state.owner[pit] == 1 - state.player)
    singles = [pit for pit in pits if seeds[pit] == 1] if rules.singles is not Singles.AS_OTHERS else []
    reasons = [
        name
        for name, holds in (
            ("feeding", rules.feeding not in (Feeding.NONE, Feeding.IF_STARVED) or not opponent),
            ("first_lap", rules.first_lap is not FirstLap.ANYWHERE),
            ("grand_slam", rules.grand_slam is GrandSlam.FORBIDDEN and opponent > 0),
        )
        if holds and getattr(rules, name) != DEFAULTS[name]
    ]
    if singles == pits:
        reasons = ["singles"]
    if not pits or len(reasons) != 1 or (singles and reasons != ["singles"]):
        return "", ()
    return reasons[0], tuple(rules.board.names[pit] for pit in pits)
