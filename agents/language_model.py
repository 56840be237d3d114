"""A language model behind an HTTP endpoint that speaks like OpenAI's (``POST .../chat/completions``), as an agent.

The model reads the rules, the board as text, the legal moves and the moves so far, and answers in words. What it names
as its move is taken if it can mean one legal move only; else it is told so, and asked again.
"""

import contextlib
import json
import math
import os
import re
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from agents.reading import json_object
from agents.search_info import SearchInfo
from mancala_env.spelling import printable
from mancala_env.state import IllegalAction, State

KEY_VARIABLE = "LLM_API_KEY"
_LONGEST = 4 << 20  # bytes of an answer
_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds before a failed request is made again, doubled each time
_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_MARKED = re.compile(r"\bmove\b[\"'*_` ]*(?::|=|\bis\b)(.*)", re.IGNORECASE)
_CHOICES = "What can be chosen by name"  # a section of the rules that says nothing of this game
_NO_URL = "llm: the url of the endpoint is like http://127.0.0.1:8000/v1"
_WORD = re.compile(r"[A-Za-z0-9]+[+-]?")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


class EndpointError(OSError):
    """The endpoint gave no answer that could be read.

    Attributes
    ----------
    again : bool
        The same request may go better another time.
    """

    def __init__(self, why: str, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


@dataclass
class Use:
    """What a model has used since the agent was made.

    Attributes
    ----------
    moves : int
        Chosen.
    illegal : int
        Answers that named no legal move.
    failures : int
        Requests without an answer.
    tokens : int
        Of prompts and answers, as far as the endpoint tells them.
    seconds : float
        Waited for answers.
    """

    moves: int = 0
    illegal: int = 0
    failures: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __deepcopy__(self, memo: object) -> "Use":
        return self  # copies of an agent that play at the same time count together


class LanguageModelAgent:
    """Asks a language model for each move where there is a choice.

    Parameters
    ----------
    url : str
        Where the endpoint is, as in ``http://127.0.0.1:8000/v1``; without a user, a query or a key in it.
    model : str
        What the endpoint calls the model.
    seed : int
        Sent with the request where the temperature is above 0, and changed by ``reset``.
    retries : int
        How often a move is asked for again, after an answer that names no legal move or a request that failed.
    temperature : float or str
        0 for the likeliest answer; ``none`` to leave it to the endpoint.
    timeout : float
        Seconds for each request, all in all.
    max_tokens : int, optional
        Of an answer.
    key_variable : str
        The environment variable that holds the key, if one is needed. It ends with ``_API_KEY``.

    Attributes
    ----------
    told : SearchInfo
        Illegal answers and tokens of the last move.
    used : Use

    Raises
    ------
    ValueError
        If a setting is impossible.
    """

    def __init__(
        self,
        url: str,
        model: str,
        seed: int = 0,
        retries: int = 3,
        temperature: float | str = 0.0,
        timeout: float = 60.0,
        max_tokens: int | None = None,
        key_variable: str = KEY_VARIABLE,
    ) -> None:
        self._parts = _address(url)
        if not model or not model.isprintable():
            raise ValueError(f"llm: model is the name of a model, not {model!r}")
        if not _is_whole(retries) or not 0 <= retries <= 100:
            raise ValueError(f"llm: retries is a whole number from 0 to 100, not {retries!r}")
        if temperature != "none" and not (_is_number(temperature) and 0 <= float(temperature) <= 2):
            raise ValueError(f"llm: temperature is a number from 0 to 2, or none, not {temperature!r}")
        if not _is_number(timeout) or not 0 < timeout <= 86400:
            raise ValueError(f"llm: timeout is a number of seconds above 0, not {timeout!r}")
        if max_tokens is not None and (not _is_whole(max_tokens) or max_tokens < 1):
            raise ValueError(f"llm: max_tokens is a whole number from 1, not {max_tokens!r}")
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*_API_KEY", key_variable):
            raise ValueError(
                f"llm: key_variable is the name of a variable such as {KEY_VARIABLE}, and never the key itself"
            )
        self.url, self.model, self.retries, self.timeout = url, model, retries, float(timeout)
        self.temperature = None if temperature == "none" else float(temperature)
        self.max_tokens, self.key_variable = max_tokens, key_variable
        changed = {"retries": (retries, 3), "temperature": (temperature, 0.0), "max_tokens": (max_tokens, None)}
        more = [f"{name}={value}" for name, (value, usual) in changed.items() if value != usual]
        self.name = ",".join([f"llm:url={url}", f"model={model}", *more])
        self.told, self.used = SearchInfo(), Use()
        self._seed = seed
        self._line: tuple[State, Sequence[int]] | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """Environment variables that it reads."""
        return (self.key_variable,)

    def reset(self, seed: int) -> None:
        """Before each game."""
        self._seed, self._line = seed, None

    def hear(self, begin: State, actions: Sequence[int]) -> None:
        """What has been played, from the start if that is known."""
        self._line = begin, tuple(actions)

    def act(self, state: State) -> int:
        """The move that the model names.

        Raises
        ------
        IllegalAction
            If it has named no legal one and ``retries`` are used up.
        EndpointError
            If the endpoint fails, and goes on failing.
        """
        self.told = SearchInfo()
        line, self._line = self._line, None
        if len(state.legal_actions) == 1:
            return int(state.legal_actions[0])
        messages = [
            {"role": "system", "content": rules_prompt(state)},
            {"role": "user", "content": position_prompt(state, line)},
        ]
        illegal = tokens = failures = 0
        try:
            while True:
                try:
                    answer, used = self._ask(messages)
                except EndpointError as error:
                    self.used.failures += 1
                    failures += 1
                    if failures + illegal > self.retries or not error.again:
                        raise EndpointError(f"{self.model}: {error}{_after(failures, illegal)}") from None
                    time.sleep(min(_LONGEST_WAIT, _WAIT * 2 ** (failures - 1)))
                    continue
                tokens += used
                action = read_move(state, answer)
                if action is not None:
                    self.used.moves += 1
                    return action
                illegal += 1
                if failures + illegal > self.retries:
                    raise IllegalAction(
                        f"{self.model} gave {illegal} answers without a legal move in {state}, the last "
                        f"{self._ending(answer)}; legal are {_legal(state)}"
                    )
                messages += [
                    {"role": "assistant", "content": answer[-4000:]},
                    {"role": "user", "content": again_prompt(state)},
                ]
        finally:
            self.used.illegal += illegal
            self.used.tokens += tokens
            self.told = SearchInfo(illegal=illegal, tokens=tokens or None)

    def _ask(self, messages: list[dict[str, str]]) -> tuple[str, int]:
        """The answer to messages, and the tokens that were used. Raises EndpointError."""
        asked: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.temperature is not None:
            asked["temperature"] = self.temperature
        if self.temperature:
            asked["seed"] = self._seed & 0x7FFFFFFF
        if self.max_tokens is not None:
            asked["max_tokens"] = self.max_tokens
        begin = time.monotonic()
        try:
            status, reason, data = self._post(json.dumps(asked).encode())
        finally:
            self.used.seconds += time.monotonic() - begin
        if status != 200:
            why = f"the endpoint answered {status} {self._quoted(reason)}{self._message(data)}"
            raise EndpointError(why, status in _TRY_AGAIN)
        try:
            told = json_object(data)
            answer = told["choices"][0]["message"]["content"]
            used = (told.get("usage") or {}).get("total_tokens", 0)
        except (ValueError, LookupError, TypeError, AttributeError):
            raise EndpointError(
                f"the endpoint answered something else than a completion: {self._ending(data)}", True
            ) from None
        return (answer if isinstance(answer, str) else ""), (used if _is_whole(used) and 0 <= used < 1 << 40 else 0)

    def _message(self, data: bytes) -> str:
        """What the endpoint says about a failure; "" if it says nothing that can be read."""
        try:
            told = json_object(data)
        except ValueError:
            return ""
        error = told.get("error", told.get("message", told.get("detail", "")))
        text = error.get("message", "") if isinstance(error, dict) else error
        if not isinstance(text, str) or not text:
            return ""
        return f": {self._quoted(text)[:200]}"

    def _key(self) -> str:
        """The key; "" without one. Raises EndpointError, which does not repeat it, if it cannot be sent."""
        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise EndpointError(f"the key in {self.key_variable} is not one line of ASCII characters")
        return key

    def _quoted(self, what: str | bytes) -> str:
        """What the endpoint wrote, to be quoted: in one printable line, and without the key, which it may repeat."""
        text = what.decode("utf-8", "replace") if isinstance(what, bytes) else what
        if key := self._key():
            text = text.replace(key, "***")
        return printable(" ".join(text.split()))

    def _ending(self, what: str | bytes) -> str:
        """The end of what the endpoint wrote, in quotes."""
        text = self._quoted(what)
        return repr(text if len(text) <= 80 else f"...{text[-80:]}")

    def _post(self, body: bytes) -> tuple[int, str, bytes]:
        """Status, reason and content of the answer. The key goes nowhere else: redirections are not followed."""
        import http.client  # with all of email: for this agent alone

        scheme, host, port, path = self._parts
        made = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        connection = made(host, port, timeout=self.timeout)
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mancala-env"}
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        late = threading.Event()
        used: list[socket.socket] = []  # the connection lets go of its socket before the answer has been read

        def give_up() -> None:
            late.set()
            for each in used:
                with contextlib.suppress(OSError):  # what comes byte by byte would never time out
                    socket.socket.shutdown(each, socket.SHUT_RDWR)

        alarm = threading.Timer(self.timeout, give_up)
        alarm.daemon = True
        alarm.start()
        try:
            connection.connect()
            used.append(connection.sock)
            if late.is_set():  # nothing would end what follows
                raise TimeoutError
            connection.request("POST", path, body, headers)
            with connection.getresponse() as answer:
                data = answer.read(_LONGEST + 1)
            if late.is_set():
                raise TimeoutError
        except (OSError, http.client.HTTPException, ValueError) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise EndpointError(
                    f"no answer from {scheme}://{host}:{port} within {self.timeout:g} s", True
                ) from None
            why = self._quoted(getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200]
            raise EndpointError(f"{scheme}://{host}:{port}: {why}", True) from None
        finally:
            alarm.cancel()
            connection.close()
        if len(data) > _LONGEST:
            raise EndpointError("the endpoint's answer is longer than 4 MiB")
        return answer.status, answer.reason, data


# ---- what the model reads and says -----------------------------------------------------------------------------------


def rules_prompt(state: State) -> str:
    """The rules, and how to answer."""
    return (
        "You play a mancala game. Its rules:\n\n"
        f"{state.rules.describe().partition(_CHOICES)[0].rstrip()}\n\n"
        "A move is written as the name of the pit whose seeds are sown, as the board shows it. On two or four rows "
        "South's pits are A, B, ... and North's a, b, ..., each from its owner's left. "
        "Think as long as you need to. End your answer with a line that names your move and nothing else, such as\n"
        f"MOVE: {state.name(state.legal_actions[0])}"
    )


def position_prompt(state: State, line: tuple[State, Sequence[int]] | None = None) -> str:
    """The board, the moves so far, and the legal moves.

    ``line``: from where the moves are known, and these; default: those since the last capture.
    """
    begin, moves = None, ""
    if line is not None:
        reached, names = line[0], []
        for action in line[1]:
            names.append(reached.name(action))
            reached = reached.play(action)
        if reached == state:
            begin, moves = line[0], " ".join(names)
    if begin is None:
        text, _, moves = state.to_line().partition(" moves")
        begin, moves = State.parse(state.rules, text), moves.strip()
    since = "the start" if begin == state.rules.start() else f"the position {begin}"
    return (
        f"You are {('South', 'North')[state.player]}, and it is your turn.\n\n{state.to_text()}\n\n"
        f"Moves since {since}: {moves or 'none'}\nYour legal moves: {_legal(state)}"
    )


def again_prompt(state: State) -> str:
    """What is said after an answer without a legal move."""
    return (
        f"That names no legal move. Your legal moves: {_legal(state)}. End your answer with a line that names exactly "
        f"one of them, such as\nMOVE: {state.name(state.legal_actions[0])}"
    )


def read_move(state: State, answer: str) -> int | None:
    r"""The legal action that an answer names; None if it names none, or several.

    That of the last line with ``move:`` (or ``move is``, or ``"move":`` as in JSON), else the last line if it is the
    name of a move alone. Case counts where the other case is legal too. Thoughts are left out: from ``<think>`` to
    ``</think>``, or to the end where they were cut off, and all before a ``</think>`` whose begin was left unsaid.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> start = mancala.ruleset("kalah").start()
    >>> read_move(start, "A takes nothing.\n**Move: C**"), read_move(start, "c"), read_move(start, "MOVE: A or B")
    (2, 2, None)
    """
    spoken = _END_OF_THOUGHT.split(_THOUGHT.sub("", answer))[-1]
    lines = [line.strip() for line in spoken.splitlines() if line.strip()]
    if not lines:
        return None
    marked = [mark[1] for line in lines if (mark := _MARKED.search(line))]
    said = _WORD.findall(marked[-1] if marked else lines[-1])
    if not marked and len(said) != 1:
        return None
    exact = {state.name(action): action for action in state.legal_actions}
    found = {exact[word] for word in said if word in exact}
    if not found:
        any_case: dict[str, list[int]] = {}
        for name, action in exact.items():
            any_case.setdefault(name.casefold(), []).append(action)
        found = {action for word in said for action in any_case.get(word.casefold(), ())}
    return found.pop() if len(found) == 1 else None


def _legal(state: State) -> str:
    return ", ".join(state.name(action) for action in state.legal_actions)


def _after(failures: int, illegal: int) -> str:
    before = [f"{failures - 1} such failures" * (failures > 1), f"{illegal} illegal answers" * (illegal > 0)]
    told = " and ".join(filter(None, before))
    return f" (after {told})" if told else ""


def _address(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path of an endpoint. Raises ValueError if it is none, without repeating a key in it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # its text would quote the url
        raise ValueError(_NO_URL) from None
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise ValueError(_NO_URL)
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(
            f"llm: the url must hold no user, key or query: the key comes from the variable {KEY_VARIABLE}"
        )
    port = port or (443 if parts.scheme == "https" else 80)
    return parts.scheme, host, port, f"{parts.path.rstrip('/')}/chat/completions"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
