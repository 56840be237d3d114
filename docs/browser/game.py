"""Answers the page to play on, in a worker of the browser: what ``agents.play.web`` does with requests, without a
server.
"""

import json
from collections.abc import Callable
from typing import Any

from agents.play import session
from agents.play.api import PlayApi, answered
from agents.play.lobby import opponent_named
from agents.play.session import Session
from mancala_env.kernels.jit import DISABLE_JIT

session.HINT_NODES = 3_000 if DISABLE_JIT else 150_000  # about a second
_apis: list[PlayApi] = []


def begin(rules: str, against: str, seat: int, seed: int) -> Session:
    """A game that the page, or a link to it, asks for. ValueError if this opponent is not offered."""
    return Session(rules, opponent_named(rules, against), seat=seat, seed=seed)


def answer(text: str, begin: Callable[[str, str, int, int], Session] = begin) -> str:
    """The answer to a request of the page (``answered``), both JSON; ``begin`` makes the games they are about."""
    return json.dumps(answered(lambda: _answer(json.loads(text), begin)))


def _answer(request: dict[str, Any], begin: Callable[[str, str, int, int], Session]) -> dict[str, Any]:
    if request.get("command") == "begin":
        _apis[:] = [PlayApi(begin(*(request[name] for name in ("rules", "against", "seat", "seed"))), begin)]
        return _apis[0].game(whole=True)
    return _apis[0].answer(request)


def begin_any(rules: str, against: str, seat: int, seed: int) -> Session:
    """A game against anybody: for rehearsals and tests, not for the page."""
    return Session(rules, against, seat=seat, seed=seed)
