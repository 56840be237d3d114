"""The bot's side of the protocol (``docs/protocol.md``): what a host writes, and what an agent or a function of one's
own answers to it."""

import importlib.util
import os
import random
import re
import select
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TextIO

import numpy as np

from agents.agent import Agent, OwnPlayer, make_agent
from agents.bots.commands import function_of
from agents.bots.protocol import MAX_SEED, one_line
from agents.mcts import MctsAgent
from agents.pace import share_of_clock
from agents.processes import require
from agents.reading import json_object, json_value
from agents.search import MinimaxAgent
from agents.search.limits import MAX_DEPTH
from agents.search_info import info_of, names_of
from agents.warm_up import warm
from mancala_env.checks import SHOWN, shown
from mancala_env.cli import Parser
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain, from_plain
from mancala_env.state import IllegalAction, State

LONGEST = 300  # characters of what it says went wrong
_WHOLE = re.compile("[0-9]{1,19}")


class Misunderstood(ValueError):
    """A line of the host that cannot be read or does not fit what was said before."""


class Lines:
    """The lines that a host writes to a descriptor, with a look ahead that does not wait."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._partial = b""
        self._ended = False

    def next(self) -> str | None:
        """The next line; None at the end of the input."""
        while not self._lines and not self._ended:
            self._read()
        return self._lines.popleft() if self._lines else None

    def peek(self) -> str | None:
        """The next line if it has been written, without taking it; else None."""
        while not self._ended and not self._lines and select.select([self._descriptor], [], [], 0)[0]:
            self._read()
        return self._lines[0] if self._lines else None

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except ConnectionResetError:
            data = b""
        self._ended = not data
        *lines, self._partial = (self._partial + data).split(b"\n")
        if self._ended and self._partial:
            lines.append(self._partial)
        self._lines.extend(line.decode("utf-8", "replace").strip() for line in lines)


class Server:
    """Answers the host's lines with an agent's moves; ``think`` says how it keeps to the limits of ``go``."""

    def __init__(self, agent: Agent, lines: Lines, out: TextIO) -> None:
        self.agent = agent
        self._lines, self._out = lines, out
        self._seed = 0
        self._rules: Ruleset | None = None
        self._prepared: set[str] = set()
        self._opening, self._moves = "", [""]
        self._reached: State | None = None  # by the last "position"
        self._from_start: list[str] | None = None
        self._state: State | None = None
        self._answers: dict[str, Callable[[str], None]] = {
            "uci": self._greet,
            "isready": lambda _: self._say("readyok"),
            "setoption": self._set_option,
            "rules": self._set_rules,
            "ruleset": self._set_ruleset,
            "ucinewgame": self._new_game,
            "position": self._set_position,
            "startpos": self._set_startpos,
            "board": self._set_board,
            "go": self._go,
        }

    def run(self) -> None:
        """Serve until the host sends ``quit`` or closes the input. Raises Misunderstood."""
        self.agent.reset(self._seed)
        while (line := self._lines.next()) is not None and line != "quit":
            word, _, rest = line.partition(" ")
            if word in self._answers:  # unknown words may belong to a later version
                self._answers[word](rest.strip())
                self._out.flush()

    def _say(self, line: str) -> None:
        self._out.write(line + "\n")

    def _greet(self, _: str) -> None:
        self._say(f"id name {self.agent.name}")
        self._say("id author mancala-env")
        trained = getattr(self.agent, "rules", None)
        games = tuple(getattr(self.agent, "games", ()))
        if isinstance(trained, Ruleset):
            games = (trained.name,)
        if games:
            self._say(f"id games {' '.join(map(one_line, games))}")
        self._say(f"option name Seed type spin default 0 min 0 max {MAX_SEED}")
        self._say("uciok")

    def _set_option(self, text: str) -> None:
        name, _, value = text.removeprefix("name ").partition(" value ")
        if name.strip().lower() != "seed":
            return
        if not _WHOLE.fullmatch(value.strip()) or int(value) > MAX_SEED:
            raise Misunderstood(f"Seed must be a whole number from 0 to {MAX_SEED}, not {shown(value)}")
        self._seed = int(value)

    def _set_rules(self, text: str) -> None:
        name, _, changes = text.partition(" ")
        self._take_rules(text, lambda: ruleset(name, **json_object(changes or "{}")))

    def _set_ruleset(self, text: str) -> None:
        """The game as data. Where ``rules`` has told the same already, nothing is left to say."""
        with suppress(ValueError):
            if self._rules is not None and as_plain(self._rules, whole=True) == json_value(text):
                return
        self._take_rules(text, lambda: from_plain(json_object(text)))

    def _take_rules(self, text: str, read: Callable[[], Ruleset]) -> None:
        """Refuse a game that the agent cannot play, and compile all kernels before a clock runs."""
        self._rules = self._state = self._reached = None
        try:
            rules = read()
            if text not in self._prepared:
                warm(rules, None if isinstance(self.agent, OwnPlayer) else self.agent)
                self.agent.reset(self._seed)
                self._prepared.add(text)
        except (ValueError, TypeError) as error:
            self._say(f"refused {one_line(error, LONGEST)}")
            return
        self._rules = rules
        self._say("rulesok")

    def _new_game(self, _: str) -> None:
        self.agent.reset(self._seed)
        self._state = self._reached = None

    def _set_position(self, text: str) -> None:
        opening, _, moves = text.partition(" moves")
        words = moves.split()
        reached, played = self._reached, self._moves
        if reached is None or opening != self._opening or words[: len(played)] != played:
            reached, played = self._parse(opening), []
        for word in words[len(played) :]:
            _, reached = _played(reached, word)
        self._opening, self._moves, self._reached, self._state = opening, words, reached, reached
        self._from_start = None

    def _set_startpos(self, text: str) -> None:
        """All moves from the start, for agents that want to hear them (``Agent``)."""
        self._from_start = text.split()[1:]

    def _set_board(self, text: str) -> None:
        if self._state is None or str(self._state) != text:  # with its history it came in "position"
            self._state = self._parse(text)

    def _parse(self, text: str) -> State:
        try:
            return State.parse(self._rules or ruleset(text.split(" ", maxsplit=1)[0]), text)
        except ValueError as error:
            raise Misunderstood(str(error)) from None

    def _go(self, text: str) -> None:
        state, limits = self._state, limits_of(text)
        if state is None or state.is_over:
            raise Misunderstood(f"go without a position to move in{'' if state is None else f': {state}'}")
        if callable(hear := getattr(self.agent, "hear", None)):
            hear(*self._moves_to(state))
        action = think(self.agent, state, limits, self._wants_a_stop, self._say)
        self._say(f"bestmove {'?' if action is None else state.name(action)}")

    def _moves_to(self, state: State) -> tuple[State, list[int]]:
        """The earliest position that is known, and the actions from there; the state itself if "board" came alone."""
        if self._reached is None:
            return state, []
        begin, names = self._parse(self._opening), self._moves
        if self._from_start is not None:
            begin, names = state.rules.start(), self._from_start
        reached, actions = begin, []
        for name in names:
            action, reached = _played(reached, name)
            actions.append(action)
        return (begin, actions) if reached == state else (state, [])

    def _wants_a_stop(self) -> bool:
        """Does the host say stop or quit? ``isready`` is answered on the way, unknown words are passed over, and the
        end of the input is no stop."""
        while (line := self._lines.peek()) is not None:
            word = line.partition(" ")[0]
            if word in self._answers and word != "isready":  # it waits for its turn
                return False
            if word in ("stop", "quit"):
                return True
            self._lines.next()
            if word == "isready":
                self._say("readyok")
                self._out.flush()
        return False


def _played(state: State, name: str) -> tuple[int, State]:
    """The action of this name, and the position after it."""
    try:
        action = state.parse_move(name)
        return action, state.play(action)
    except ValueError as error:
        raise Misunderstood(str(error)) from None


def think(
    agent: Agent, state: State, asked: Mapping[str, int], is_stopped: Callable[[], bool], say: Callable[[str], object]
) -> int | None:
    """The move that an agent chooses; None if it is none. ``say`` takes ``info`` lines in the form of UCI.
    ``MinimaxAgent`` keeps to ``limits_of`` (``depth`` and ``nodes`` replace its own, time is added) and obeys
    ``is_stopped``; ``MctsAgent`` keeps to the time; others play as they were made, and are told the clock if they have
    a method ``clock``."""
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
    except IllegalAction as error:
        say(f"info string {one_line(error, LONGEST)}")
        return None
    told = info_of(agent)
    for name, count in (("illegal", told.illegal), ("tokens", told.tokens)):
        if count is not None:
            say(f"info {name} {count}")
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
    line = " ".join(names_of(state, found.line or found.actions[:1]))
    score = f"info depth {found.depth} score seeds {found.value:g}"
    say(f"{score} nodes {found.nodes} time {found.seconds * 1000:.0f} pv {line}")
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
            if not _WHOLE.fullmatch(value):
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


class FunctionAgent(OwnPlayer):
    """A function from a ``State`` to an action as an agent, asked in games only; ``games`` are those it names. Before
    each game the generators of ``random`` and NumPy are seeded, and its ``reset`` is called if it has one."""

    def __init__(self, function: Callable[[State], int], name: str, games: tuple[str, ...] = ()) -> None:
        super().__init__(function)
        self.name, self.games = name, games

    def reset(self, seed: int) -> None:
        """Before each game."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (the one that is shared)
        super().reset(seed)


def load_function(text: str) -> FunctionAgent:
    """The agent for ``FILE.py:FUNCTION``, a file run as an import runs it; its ``GAMES``, one name or several, are
    those it plays. ValueError if the text, the function or ``GAMES`` is wrong; FileNotFoundError without a file."""
    file, name = function_of(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} is no Python file: its name must end in .py")
    sys.path.insert(0, str(file.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(file.stem, module)  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        functions = [key for key, each in vars(module).items() if callable(each) and not key.startswith("_")]
        raise ValueError(f"{file} defines no function {name!r}; it has {', '.join(functions) or 'none'}")
    games = getattr(module, "GAMES", ())
    games = (games,) if isinstance(games, str) else games
    if not isinstance(games, Collection) or not all(isinstance(game, str) for game in games):
        raise ValueError(f"GAMES is a sequence of names of games, not {games!r:.80}")
    return FunctionAgent(function, f"{file.stem}.{name}", tuple(games))


def _complain(error: BaseException, where: bool = False) -> None:
    """Print one line to stderr, with ``where`` also the place in the source."""
    kind = "" if isinstance(error, ValueError | OSError) and not where else f"{type(error).__name__}: "
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if where and frames else ""
    print(f"mancala bot serve: {kind}{one_line(error, LONGEST)}{place}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 after the end of the input, 1 if the agent failed, 2 for wrong arguments."""
    parser = Parser("mancala bot serve", "Serve an agent as a bot: it reads and writes the lines of docs/protocol.md.")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("agent", nargs="?", metavar="AGENT", help="an agent, e.g. minimax:depth=6 or zoo:kalah")
    who.add_argument("--callable", metavar="FILE.py:FUNCTION", help="a function from a State to an action")
    options = parser.parse_args(arguments)
    try:
        require("agents are served", "select.poll")  # Windows selects sockets, not pipes
    except NotImplementedError as error:
        _complain(error)
        return 2
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host, which then stops its bots
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # so that output of an agent or a library is not taken for an answer
    lines = Lines(os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # so that neither an agent nor a program that it starts takes the host's lines
    with suppress(BrokenPipeError):  # the host has gone: nobody to tell
        try:
            agent = load_function(options.callable) if options.callable else make_agent(options.agent)
        except (Exception, SystemExit) as error:
            _complain(error, where=bool(options.callable) and not isinstance(error, ValueError | OSError))
            return 2
        try:
            Server(agent, lines, out).run()
            out.flush()
        except Misunderstood as error:
            _complain(error)
            return 2
        except BrokenPipeError:
            return 0
        except (Exception, SystemExit) as error:
            _complain(error, where=True)
            return 1
    return 0
