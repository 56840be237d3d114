"""Answers the page to play on, in a worker of the browser: what ``agents.play.web`` does with requests, without a
server.

Nothing is compiled here, so hints search less.
"""

import json
from typing import Any

from agents.play import hints
from agents.play.api import PlayApi, answered
from agents.play.session import Session

HINT_NODES, HINT_DEPTH = 3_000, 6  # about a second
hints.HINT_NODES, hints.HINT_DEPTH = HINT_NODES, HINT_DEPTH
_apis: list[PlayApi] = []


def begin(rules: str, against: str, seat: int, seed: int) -> Session:
    """A game that the page asks for."""
    return Session(rules, against, seat=seat, seed=seed)


def answer(text: str) -> str:
    """The answer to a request of the page (``answered``), both JSON; ``begin`` makes the game that others are about."""
    return json.dumps(answered(lambda: _answer(json.loads(text))))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    if request.get("command") == "begin":
        _apis[:] = [PlayApi(begin(*(request[name] for name in ("rules", "against", "seat", "seed"))), begin)]
        return _apis[0].game(whole=True)
    return _apis[0].answer(request)
