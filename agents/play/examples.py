"""Moves that show a rule: of each clause of a landing table, and of what else can be seen in a move, the plainest one
that a little random play comes across."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mancala_env.ending import PLAYERS, label
from mancala_env.replay import Replay
from mancala_env.rules import Feeding, GrandSlam, Ruleset, Sowing
from mancala_env.rules.describe import ENDING, LANDING, SOWING, sections, sentences_of
from mancala_env.rules.fields import DEFAULTS
from mancala_env.state import State
from mancala_env.trace import EventKind, traced
from mancala_env.words import joined

PLIES, SEED = 2_500, 2  # of random play, which takes a browser about a second
CLAUSE, END = "clause", "end"  # how names of what is shown begin, before the number of a clause or a reason
SEVERAL = 3  # seeds, by which it can be seen how they are sown
PLAIN = "plain"  # a move that shows nothing but how seeds are sown
OF_SOWING = {"take": "Show a capture", "choose": "Show a choice"}  # where captures are no matter of a table
OF_KINDS = {EventKind.PASS: "stuck", EventKind.STUCK: "stuck", EventKind.SLAM: "grand_slam"}
FORBIDDING = ("singles", "feeding", "first_lap", "grand_slam")  # fields that can forbid a move


@dataclass(frozen=True)
class Example:
    """A move that shows a rule."""

    state: State
    action: int
    cost: tuple[int, ...]  # the less, the plainer; first how much else it shows
    barred: tuple[str, ...] = ()  # pits that may not be played here, by the rule that is shown

    def told(self) -> dict[str, Any]:
        """The move as ``play.js`` reads it."""
        state = self.state
        shown = Replay(rules=state.rules, states=[state, state.play(self.action)], actions=[self.action])
        forbids = f"{PLAYERS[state.player]} may not play {joined(self.barred, 'or')} here" if self.barred else ""
        return {
            "rows": shown.table().tolist(),
            "told": [events.ravel().tolist() for events in shown.events()],
            "texts": [forbids, shown.texts()[1]],
            "final": shown.final,
            "ends": shown.ends(),
            "result": shown.ending if shown.states[1].is_over else "",
        }


@lru_cache(maxsize=16)
def examples(rules: Ruleset, plies: int = PLIES, seed: int = SEED) -> dict[str, Example]:
    """The plainest example of each rule that can be shown, by name; the same on every machine."""
    best: dict[str, Example] = {}
    for (state, action, after), _ in zip(_random_play(rules, seed), range(plies), strict=False):
        events = traced(rules, state.array, action, after.array).events
        facts = {f"{CLAUSE} {e.clause}" for e in events if e.kind is EventKind.LAND and e.clause is not None}
        ended: list[str | None] = [game.termination for game in after.games[len(state.games) :]]
        facts |= {f"{END} {reason}" for reason in ended or [after.termination] if reason}
        happened = {event.kind for event in events}
        facts |= {OF_KINDS[kind] for kind in happened & OF_KINDS.keys()}
        if rules.passing is not None and any(e.kind is EventKind.TAKE and e.clause is None for e in events):
            facts.add("passing")
        if rules.sowing is Sowing.BAO:
            facts |= OF_SOWING.keys() & {str(kind) for kind in happened}
        forbidding, barred = _barred(state)
        facts = facts | {forbidding} - {""} or {PLAIN}
        laps = sum(event.kind is EventKind.LAND for event in events)
        late = state.ply // 4 + 40 * len(state.games)
        moved = sum(event.seeds for event in events)
        few = PLAIN in facts and sum(event.kind is EventKind.SOW for event in events) < SEVERAL
        decides = 3 if state.pending else 0  # half a turn is hard to read
        cost = (len(facts) - 1 + decides, laps, few, moved + late, state.player)
        for fact in facts:
            if fact not in best or cost < best[fact].cost:
                best[fact] = Example(state, action, cost, barred if fact == forbidding else ())
    return best


def listed(rules: Ruleset) -> list[dict[str, str]]:
    """What there are examples ``of``, each with the ``sentence`` of ``sections`` that it shows (of an end the last one)
    and the ``face`` of a button."""
    told, known = sections(rules), []
    for name in sorted(examples(rules)):
        kind, _, which = name.partition(" ")
        face = label(which) if kind == END else OF_SOWING.get(kind, "Show me")
        if kind == CLAUSE:
            sentence = told[LANDING][int(which) + (len(rules.landing) > 1)]
        elif kind in (END, PLAIN):
            sentence = told[ENDING][-1] if kind == END else told[SOWING][0]
        else:
            sentence = next(sentences_of(rules, "sowing" if kind in OF_SOWING else kind), "")
        if sentence:
            known.append({"of": name, "sentence": sentence, "face": face})
    return known


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


def _barred(state: State) -> tuple[str, tuple[str, ...]]:
    """The field that forbids moves here, and the pits that it bars; "" where there is none, or it could be another."""
    rules, seeds, owner = state.rules, state.pits, state.owner
    chosen = [name for name in FORBIDDING if getattr(rules, name) != DEFAULTS[name]]
    others = rules.is_line or rules.barred or rules.forced or any(rules.opening) or rules.sowing is not Sowing.TRACK
    if not chosen or others or state.pending:
        return "", ()
    own = [pit for pit in range(len(seeds)) if owner[pit] == state.player and state.marks[pit] < 0]
    playable = {state.pit(action) for action in state.legal_actions}
    pits = [pit for pit in own if seeds[pit] >= rules.min_start and pit not in playable]
    starved = not any(seeds[pit] for pit in range(len(seeds)) if owner[pit] == 1 - state.player)
    can = {
        "singles": all(seeds[pit] == 1 for pit in pits),
        "feeding": starved or rules.feeding is not Feeding.IF_STARVED,
        "first_lap": True,
        "grand_slam": rules.grand_slam is GrandSlam.FORBIDDEN and not starved,
    }
    forbidding = [name for name in chosen if can[name]]
    return (forbidding[0], tuple(rules.board.names[pit] for pit in pits)) if pits and len(forbidding) == 1 else ("", ())
