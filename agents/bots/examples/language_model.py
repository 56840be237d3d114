"""A language model behind an HTTP endpoint like OpenAI's (``POST URL/chat/completions``) as an agent.

The model reads the rules, the board as text, the moves so far and the legal moves, and answers in words. What it names
as its move is taken if it can mean one legal move only; else it is told so, and asked again.
"""

import json
import os
import re
import time
import urllib.request
from collections.abc import Sequence
from typing import Any

from agents.search_info import SearchInfo
from mancala_env.state import IllegalAction, State

_LONGEST = 4 << 20  # bytes of an answer
_WAIT = 0.5  # seconds before a failed request is made again, doubled each time
_MARKED = re.compile(r"\bmove\b[\"'*_` ]*(?::|=|\bis\b)(.*)", re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the key is for one endpoint."""

    def redirect_request(self, *_: Any) -> None:
        """None."""


class LanguageModel:
    """Asks a language model for each move. A key, if one is needed, comes from the variable ``LLM_API_KEY``. ``url`` is
    as in ``http://127.0.0.1:8000/v1``; ``retries``: how often a move is asked for again, after an answer that names no
    legal one or a request that failed; ``timeout``: seconds in which the endpoint has to say something."""

    def __init__(
        self, url: str, model: str, *, retries: int = 3, temperature: float = 0.0, timeout: float = 60.0
    ) -> None:
        self.url, self.model, self.retries = url.rstrip("/"), model, retries
        self.temperature, self.timeout = temperature, timeout
        self.name, self.info = model, SearchInfo()  # illegal answers and tokens of the last move
        self._seed = 0
        self._line: tuple[State | None, Sequence[int]] = None, ()

    def reset(self, seed: int) -> None:
        """Before each game."""
        self._seed, self._line = seed, (None, ())

    def hear(self, begin: State, actions: Sequence[int]) -> None:
        """What has been played, from the start if that is known."""
        self._line = begin, tuple(actions)

    def act(self, state: State) -> int:
        """The model's move. IllegalAction if it names no legal one in all ``retries``, OSError if these fail."""
        messages = [
            {"role": "system", "content": rules_prompt(state)},
            {"role": "user", "content": position_prompt(state, *self._line)},
        ]
        legal = ", ".join(state.name(action) for action in state.legal_actions)
        illegal = tokens = 0
        answer = ""
        for attempt in range(self.retries + 1):
            try:
                answer, used = self._ask(messages)
            except (OSError, ValueError, LookupError, TypeError) as error:
                if attempt == self.retries:
                    raise OSError(
                        f"{self.model}: no answer that can be read ({type(error).__name__}: {error})"
                    ) from None
                time.sleep(_WAIT * 2**attempt)
                continue
            tokens += used
            action = read_move(state, answer)
            illegal += action is None
            self.info = SearchInfo(illegal=illegal, tokens=tokens)
            if action is not None:
                return action
            wrong = f"That names no legal move. Your legal moves: {legal}. End your answer with a line such as\nMOVE: C"
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": wrong}]
        raise IllegalAction(f"{self.model} named no legal move in {state}, at last {answer[-80:]!r}; legal are {legal}")

    def _ask(self, messages: list[dict[str, str]]) -> tuple[str, int]:
        asked = {"model": self.model, "messages": messages, "temperature": self.temperature}
        asked["seed"] = self._seed & 0x7FFFFFFF
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("LLM_API_KEY", ""):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(f"{self.url}/chat/completions", json.dumps(asked).encode(), headers)
        with urllib.request.build_opener(_Stay).open(request, timeout=self.timeout) as response:
            told = json.loads(response.read(_LONGEST))
        return str(told["choices"][0]["message"]["content"]), int((told.get("usage") or {}).get("total_tokens", 0))


def rules_prompt(state: State) -> str:
    """The rules, and how to answer."""
    return (
        f"You play a mancala game. Its rules:\n\n{state.rules.describe()}\n\n"
        "A move is written as the name of the pit whose seeds are sown, as the board shows it. Think as long as you "
        "need to. End your answer with a line that names your move and nothing else, such as\n"
        f"MOVE: {state.name(state.legal_actions[0])}"
    )


def position_prompt(state: State, begin: State | None = None, actions: Sequence[int] = ()) -> str:
    """The board, the moves since ``begin``, where they are known, and the legal moves."""
    names = []
    reached = begin or state
    for action in actions:
        names.append(reached.name(action))
        reached = reached.play(action)
    legal = ", ".join(state.name(action) for action in state.legal_actions)
    return (
        f"You are {('South', 'North')[state.player]}, and it is your turn.\n\n{state.to_text()}\n\n"
        f"Moves since {begin or state}: {' '.join(names) or 'none'}\nYour legal moves: {legal}"
    )


def read_move(state: State, answer: str) -> int | None:
    """The legal action that an answer names; None if it names none, or several.

    That of the last line with ``move:``, else the last line if it is the name of a move alone. Thoughts between
    ``<think>`` and ``</think>`` do not count.
    """
    lines = [line.strip() for line in _THOUGHT.sub("", answer).splitlines() if line.strip()]
    marked = [mark[1] for line in lines if (mark := _MARKED.search(line))]
    said = re.findall(r"[A-Za-z0-9]+[+-]?", (marked or lines or [""])[-1])
    if not marked and len(said) != 1:
        return None
    found = {action for action in state.legal_actions if state.name(action) in said}
    return found.pop() if len(found) == 1 else None
