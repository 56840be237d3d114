"""An agent's move under the limits that a host sets."""

import re
from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.bots.serving.functions import is_among
from agents.bots.serving.lines import Misunderstood
from agents.mcts import MctsAgent
from agents.pace import share_of_clock
from agents.search import MinimaxAgent
from agents.search.limits import MAX_DEPTH
from agents.search.searcher import Found
from agents.search_info import told_by
from mancala_env.position_fields import SHOWN, shown
from mancala_env.state import IllegalAction, State

WHOLE = re.compile("[0-9]{1,19}")


def think(
    agent: Agent, state: State, asked: Mapping[str, int], is_stopped: Callable[[], bool], say: Callable[[str], object]
) -> int | None:
    """The move that an agent chooses; None if what it chooses is not legal. ``say`` takes ``info`` lines in the form of
    UCI.

    ``MinimaxAgent`` keeps to the limits of ``limits_of``: ``depth`` and ``nodes`` replace its own, time is added to
    them, and it obeys ``is_stopped``. ``MctsAgent`` keeps to the time as well. Other agents play with the limits that
    they were made with, and are told the clock if they have a method ``clock``.
    """
    if "bank" in asked and "movetime" not in asked and callable(tell := getattr(agent, "clock", None)):
        tell(asked["bank"] / 1000, asked.get("increment", 0) / 1000)
    if isinstance(agent, MinimaxAgent):
        return _search(agent, state, asked, is_stopped, say)
    if isinstance(agent, MctsAgent) and len(state.legal_actions) > 1:
        limits = [limit for limit in (_seconds(asked), agent.time) if limit is not None]
        found = agent.search(state, min(limits, default=None))
        say(f"info score mean {found.value:.4f} nodes {found.simulations} pv {state.name(found.best)}")
        return found.best
    try:
        action = agent.act(state)
    except IllegalAction as error:  # of an agent that knows that it has chosen none
        say(f"info string {one_line(error)}")
        return None
    told = told_by(agent)
    told_counts = (("illegal", told.illegal), ("tokens", told.tokens))
    counts = [f"{name} {count}" for name, count in told_counts if count is not None]
    if counts:
        say(f"info {' '.join(counts)}")
    if not is_among(action, state.legal_actions):
        say(f"info string {agent.name} chose {one_line(repr(action))}, not of {state.legal_actions}")
        return None
    return int(action)


def _search(
    agent: MinimaxAgent,
    state: State,
    asked: Mapping[str, int],
    is_stopped: Callable[[], bool],
    say: Callable[[str], object],
) -> int:
    if known := agent.from_book(state):
        return agent.draw(known)
    limits = agent.limits
    if "depth" in asked or "nodes" in asked:
        limits |= {"depth": None, "nodes": None}
    if "depth" in asked:
        limits["depth"] = min(max(1, asked["depth"]), MAX_DEPTH)
    if "nodes" in asked:
        limits["nodes"] = max(1, asked["nodes"])
    if (seconds := _seconds(asked)) is not None:
        limits["time"] = seconds if limits["time"] is None else min(seconds, limits["time"])
        if len(state.legal_actions) == 1:  # a forced move needs no search
            limits["depth"] = 1
    found = agent.search(state, limits, is_stopped)
    say(_report(state, found))
    return agent.draw(found.actions)


def limits_of(text: str) -> dict[str, int]:
    """The numbers of a ``go``."""
    found: dict[str, int] = {}
    words = iter(text.split())
    for word in words:
        if word == "searchmoves":
            break
        if word in ("movetime", "bank", "increment", "depth", "nodes"):
            value = next(words, "")
            if not WHOLE.fullmatch(value):
                raise Misunderstood(f"go {text[:SHOWN]}: {word} must be a whole number, not {shown(value)}")
            found[word] = int(value)
    return found


def _seconds(asked: Mapping[str, int]) -> float | None:
    """Seconds to search: ``movetime`` less what it takes until the host has the answer; else a share of the bank."""
    if "movetime" in asked:
        whole = asked["movetime"] / 1000
    elif "bank" in asked:
        whole = share_of_clock(asked["bank"] / 1000, asked.get("increment", 0) / 1000)
    else:
        return None
    return max(0.0005, whole / 2, 0.98 * whole - 0.03)


def _report(state: State, found: Found) -> str:
    names = []
    for action in found.line or found.actions[:1]:
        if action not in state.legal_actions:  # the game has ended, and a match goes on to the next
            break
        names.append(state.name(action))
        state = state.play(action)
    return (
        f"info depth {found.depth} score seeds {found.value:g} nodes {found.nodes} time {found.seconds * 1000:.0f} "
        f"pv {' '.join(names)}"
    )


def one_line(what: object) -> str:
    """Anything as a text of one line, of 300 characters at most."""
    return " ".join(str(what).split())[:300]
