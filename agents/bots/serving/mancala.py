"""The bot's side of this project's protocol (``docs/protocol.md``)."""

from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from agents.agent import Agent
from agents.bots.protocol import MAX_SEED
from agents.bots.serving.functions import FunctionAgent
from agents.bots.serving.lines import Lines, Misunderstood
from agents.bots.serving.thinking import WHOLE, limits_of, one_line, think
from agents.reading import json_object, json_value
from agents.warm_up import warm
from mancala_env.games import ruleset
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain, from_plain
from mancala_env.state import State


class Server:
    """Answers the host's lines with an agent's moves; ``thinking.think`` says how it keeps to the limits of ``go``."""

    def __init__(self, agent: Agent, lines: Lines, out: TextIO) -> None:
        self.agent = agent
        self._lines, self._out = lines, out
        self._seed = 0
        self._rules: Ruleset | None = None
        self._prepared: set[str] = set()
        self._opening, self._moves = "", [""]
        self._reached: State | None = None
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
        """Serve until the host sends ``quit`` or closes the input; Misunderstood is raised at a line that makes no
        sense.
        """
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
        if isinstance(trained, Ruleset) and getattr(self.agent, "allow_rules", "trained") == "trained":
            games = (trained.name,)
        if games:
            self._say(f"id games {' '.join(map(one_line, games))}")
        self._say(f"option name Seed type spin default 0 min 0 max {MAX_SEED}")
        self._say("uciok")

    def _set_option(self, text: str) -> None:
        name, _, value = text.removeprefix("name ").partition(" value ")
        if name.strip().lower() != "seed":
            return
        if not WHOLE.fullmatch(value.strip()) or int(value) > MAX_SEED:
            raise Misunderstood(f"Seed must be a whole number from 0 to {MAX_SEED}, not {shown(value)}")
        self._seed = int(value)

    def _set_rules(self, text: str) -> None:
        def named() -> Ruleset:
            name, _, changes = text.partition(" ")
            return ruleset(name, **json_object(changes or "{}"))

        self._take_rules(text, named)

    def _set_ruleset(self, text: str) -> None:
        """The game as data. Where ``rules`` has told the same already, nothing is left to say."""
        with suppress(ValueError):
            if self._rules is not None and as_plain(self._rules, whole=True) == json_value(text):
                return
        self._take_rules(text, lambda: from_plain(json_object(text)))

    def _take_rules(self, text: str, read: Callable[[], Ruleset]) -> None:
        self._rules = self._state = self._reached = None
        try:
            rules = read()
            if text not in self._prepared:
                self._prepare(rules)
                self._prepared.add(text)
        except (ValueError, TypeError) as error:
            self._say(f"refused {one_line(error)}")
            return
        self._rules = rules
        self._say("rulesok")

    def _prepare(self, rules: Ruleset) -> None:
        """Refuse a game that the agent cannot play, and compile all kernels before a clock runs."""
        warm(rules, None if isinstance(self.agent, FunctionAgent) else self.agent)
        self.agent.reset(self._seed)

    def _new_game(self, _: str) -> None:
        self.agent.reset(self._seed)
        self._state = self._reached = None

    def _set_position(self, text: str) -> None:
        opening, _, moves = text.partition(" moves")
        words = moves.split()
        reached, played = self._reached, self._moves
        if reached is None or opening != self._opening or words[: len(played)] != played:
            reached, played = self._parse(opening), []
        try:
            for word in words[len(played) :]:
                reached = reached.play(reached.parse_move(word))
        except ValueError as error:
            raise Misunderstood(str(error)) from None
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
            rules = self._rules or ruleset(text.split(" ", maxsplit=1)[0])
            return State.parse(rules, text)
        except ValueError as error:
            raise Misunderstood(str(error)) from None

    def _go(self, text: str) -> None:
        state, limits = self._state, limits_of(text)
        if state is None or state.is_over:
            raise Misunderstood(f"go without a position to move in{'' if state is None else f': {state}'}")
        self._tell(state)
        action = think(self.agent, state, limits, self._wants_a_stop, self._say)
        self._say(f"bestmove {'?' if action is None else state.name(action)}")

    def _tell(self, state: State) -> None:
        """Tell the moves so far to an agent that has a method for them."""
        if callable(hear := getattr(self.agent, "hear", None)):
            if self._reached is None:  # "board" came alone
                hear(state, ())
                return
            line = (
                f"{state.rules.start()} moves {' '.join(self._from_start)}"
                if self._from_start is not None
                else f"{self._opening} moves {' '.join(self._moves)}"
            )
            begin, _, moves = line.partition(" moves")
            reached = known = self._parse(begin)
            actions = []
            try:
                for word in moves.split():
                    actions.append(reached.parse_move(word))
                    reached = reached.play(actions[-1])
            except ValueError as error:
                raise Misunderstood(str(error)) from None
            hear(known, actions) if reached == state else hear(state, ())

    def _wants_a_stop(self) -> bool:
        """Does the host say stop or quit? ``isready`` is answered on the way, and unknown words are passed over.

        The end of the input is no stop: searches have limits of their own.
        """
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
