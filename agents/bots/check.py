"""Check a bot: one line for every promise of the protocol (``docs/protocol.md``), kept or broken."""

import statistics
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from agents.agent import is_built_in
from agents.bots import sandbox
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.process import Process, check_system
from agents.bots.protocol import QUIT, not_among, replies_to_rules, rules_lines
from agents.warm_up import warm
from mancala_env.cli import GAME, Namespace, Parser, in_words, printable, rules_text
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State

PLIES = 400  # of a game: matches can take thousands
GAMES = ("kalah", "oware", "hus", "diffusion", "reaping")  # to try, unless others are named


class _Broken(Exception):
    """A promise that was not kept: what was sent, what came, and what was expected."""


class Checker:
    """Tries a bot out in games; those that it refuses are left out. ``options`` are those of the command."""

    def __init__(self, command: list[str], box: sandbox.Sandbox, rules: Sequence[Ruleset], options: Namespace) -> None:
        self.rules, self.games, self.failures = rules, options.games, 0
        self.movetime, self.margin, self.timeout = options.movetime, options.margin, options.timeout
        self._bot = Bot(command, start_timeout=self.timeout, sandbox=box)
        self._played: list[Ruleset] = []
        self._times: list[float] = []

    def run(self) -> bool:
        """Try everything, and print a line for each promise. True if none was broken."""
        steps = [
            ("greets", self._greets),
            ("ignores what it does not know", self._ignores),
            ("says which games it plays", self._says_games),
            ("answers the same question again and again", self._again),  # the first may compile: the next are timed
            ("plays whole games", self._plays),
            ("answers in time", self._in_time),
            ("stops when told to", self._stops),
            ("survives a finished game", self._finished),
            ("quits", lambda: self._ended("quit", lambda process: process.say(QUIT, time.monotonic() + 5.0))),
            ("ends with its input", lambda: self._ended("the end of the input", Process.close_input)),
        ]
        try:
            for name, step in steps:
                try:
                    line = f"ok      {name}: {step()}"
                except (_Broken, BotFault) as error:
                    self.failures += 1
                    line = f"FAILED  {name}: {error}"
                print(printable(line), flush=True)
                if self.failures and name == "greets":
                    print("        the rest cannot be tried", flush=True)
                    break
        finally:
            self._bot.kill()
        return not self.failures

    def _process(self) -> Process:
        self._bot.start()
        assert self._bot.process is not None
        self._bot.process.begin()
        return self._bot.process

    def _answer(self, text: str, word: str, seconds: float | None = None) -> list[str]:
        """Send text; the lines up to one that begins with ``word``."""
        lines: list[str] = []
        try:
            lines.append(self._process().ask(text, word, self.timeout if seconds is None else seconds, lines.append))
            return lines
        except BotFault as fault:
            self._bot.kill()
            came = f"{_lines(lines[-5:])}, then {fault}; expected: a line that begins with {word!r}"
            raise _Broken(f"sent {_lines(text.splitlines())}; came {came}") from None

    def _greets(self) -> str:
        begin = time.perf_counter()
        self._process()
        took, said = time.perf_counter() - begin, self._bot.said
        by = f" by {said.author}" if said.author else ""
        options = f", options {', '.join(said.options)}" if said.options else ""
        games = f", games {', '.join(said.games)}" if said.games else ""
        return f"{self._bot.name}{by}, after {took:.2f} s{options}{games}"

    def _ignores(self) -> str:
        self._answer("sesame open\n\nsetoption name No such option value 1\nstop\nisready\n", "readyok")
        return "an unknown word, an empty line, an unknown option, a stop without a go"

    def _says_games(self) -> str:
        games, said = self._bot.said.games, []
        for rules in self.rules:
            if not_among(games, [rules]):
                said.append(f"{called(rules)} is none of its games ({', '.join(games)})")
                continue
            sent = rules_lines(rules)
            lines = self._answer(f"{sent}isready\n", "readyok")
            replies = replies_to_rules(lines)
            if not 1 <= len(replies) <= sent.count("\n"):
                raise _Broken(
                    f"sent {_lines(sent.splitlines())}; came {_lines(lines)}; expected: 'rulesok' or 'refused WHY', "
                    "once for each of these lines at most"
                )
            refused = replies[-1].startswith("refused")
            if refused and called(rules) in games:
                raise _Broken(f"it names {called(rules)} among its games, and answers {replies[-1]!r} to it")
            if not refused:
                self._played.append(rules)
            said.append(f"{called(rules)} {replies[-1] if refused else 'yes'}")
        if not self._played:
            raise _Broken(f"it plays none of {', '.join(each.name for each in self.rules)}; name others with --rules")
        return ", ".join(said)

    def _game_it_plays(self) -> Ruleset:
        if not self._played:
            raise _Broken("it plays no game that could be tried")
        return self._played[0]

    def _plays(self) -> str:
        moves = 0
        for rules in self._played:
            for number in range(self.games):
                moves += self._game(rules, number, number % 2)
        return f"{self.games} of each of {len(self._played)} games, {moves} moves of its own, all legal"

    def _game(self, rules: Ruleset, seed: int, seat: int) -> int:
        """Play a game against random moves; returns the number of the bot's."""
        self._bot.new_game(rules, seed)
        partner = np.random.default_rng(seed)
        opening = state = rules.start()
        actions: list[int] = []
        moves = 0
        patience = self.movetime + self.timeout
        while not state.is_over and len(actions) < PLIES:
            if state.player == seat:
                answer = self._bot.move(opening, actions, state, movetime=self.movetime, bank=0.0, hard_limit=patience)
                self._times.append(answer.seconds)
                moves += 1
                actions.append(answer.action)
            else:
                actions.append(int(partner.choice(state.legal_actions)))
            state = state.play(actions[-1])
        return moves

    def _in_time(self) -> str:
        if not self._times:
            raise _Broken("it has not answered yet")
        late = sum(seconds > self.movetime + self.margin for seconds in self._times)
        times = f"median {statistics.median(self._times) * 1000:.1f} ms, longest {max(self._times) * 1000:.1f} ms"
        if late:
            raise _Broken(
                f"sent 'go movetime {self.movetime * 1000:.0f} ...'; {late} of {len(self._times)} answers came more "
                f"than {self.margin * 1000:.0f} ms later ({times}); a bot should look at the clock now and then"
            )
        return f"{times}, of {self.movetime * 1000:.0f} ms"

    def _question(self, limits: str) -> tuple[str, State]:
        rules = self._game_it_plays()
        state = rules.start()
        setting = f"{rules_lines(rules)}ucinewgame\nposition {state} moves\nstartpos moves\nboard {state}\n"
        legal = " ".join(state.name(action) for action in state.legal_actions)
        return f"{setting}go {limits} searchmoves {legal}\n", state

    def _again(self) -> str:
        question, state = self._question(f"movetime {self.movetime * 1000:.0f}")
        go = question.splitlines()[-1] + "\n"
        for text in (question, go, go, question, go):
            self._legal(self._answer(text, "bestmove"), text, state)
        return "five questions, some without a new position"

    def _legal(self, lines: Sequence[str], text: str, state: State) -> None:
        words = lines[-1].split()
        names = [state.name(action) for action in state.legal_actions]
        if len(words) < 2 or words[1] not in names:
            raise _Broken(
                f"sent {_lines(text.splitlines())}; came {lines[-1]!r}; expected: bestmove and one of {names}"
            )

    def _stops(self) -> str:
        question, state = self._question("movetime 60000")
        patience = min(self.timeout, 10.0)
        process = self._process()
        begin = time.monotonic()
        process.say(question, begin + patience)
        while (line := process.hear(begin + 0.3)) is not None:
            if line.split(" ")[0] == "bestmove":
                self._legal([line], question, state)
                return "it had answered before"
        told = time.monotonic()
        self._legal(self._answer("stop\n", "bestmove", patience), question, state)
        return f"answered {(time.monotonic() - told) * 1000:.0f} ms after stop"

    def _finished(self) -> str:
        rules = next((each for each in self._played if each.name == "kalah"), self._game_it_plays())
        random = np.random.default_rng(0)
        opening = state = rules.start()
        names: list[str] = []
        while not state.is_over and len(names) < 10 * PLIES:
            action = int(random.choice(state.legal_actions))
            names.append(state.name(action))
            state = state.play(action)
        text = f"{rules_lines(rules)}ucinewgame\nposition {opening} moves {' '.join(names)}\nboard {state}\nisready\n"
        self._answer(text, "readyok")
        question, state = self._question(f"movetime {self.movetime * 1000:.0f}")
        self._legal(self._answer(question, "bestmove"), question, state)
        return f"{rules.name}, {len(names)} moves, and the next one"

    def _ended(self, what: str, tell: Callable[[Process], None]) -> str:
        process = self._process()
        try:
            tell(process)
            begin = time.perf_counter()
            status = process.wait_for_end(5.0)
            if status is None:
                raise _Broken(f"sent {what}; it still ran after 5 s; it should end at once")
            if status:
                raise _Broken(
                    f"sent {what}; it ended with exit code {status}{process.last_words()}; expected: exit code 0"
                )
            return f"after {(time.perf_counter() - begin) * 1000:.0f} ms"
        finally:
            self._bot.kill()


def _lines(lines: Sequence[str]) -> str:
    shown = [line if len(line) <= 100 else f"{line[:100]}..." for line in lines]
    return " | ".join(map(repr, shown)) if shown else "nothing"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 if the bot kept all promises, 1 if it did not, 2 if there is nothing to try."""
    parser = Parser(
        "mancala bot check",
        "Try out whether a bot keeps to its protocol (docs/protocol.md). One line for each promise.",
    )
    parser.add_argument("bot", metavar="BOT", help="a program, cmd:COMMAND, python:FILE.py:FUNCTION, or an agent")
    parser.add_argument("--rules", nargs="+", metavar="GAME", help=f"{GAME} (default: a few that it can be told)")
    parser.add_argument("--games", type=int, default=2, metavar="N", help="whole games of each")
    parser.add_argument("--movetime", type=float, default=0.1, metavar="S", help="seconds for a move")
    parser.add_argument("--margin", type=float, default=0.1, metavar="S", help="how late it may be")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="longest wait")
    parser.add_argument("--sandbox", choices=sandbox.MODES, default="bwrap", help="where it runs (docs/protocol.md)")
    options = parser.parse_args(arguments)
    if options.games < 1 or min(options.movetime, options.margin, options.timeout) <= 0:
        parser.error("--games is 1 or more; --movetime, --margin and --timeout are above 0")
    try:
        check_system()
        command = resolve_command(options.bot)
        box = sandbox.choose("none" if is_built_in(options.bot) else options.sandbox)
        games = [ruleset(rules_text(text)) for text in options.rules or GAMES]
        for rules in games:
            warm(rules)  # or the bot's patience would count it
    except (ValueError, OSError, NotImplementedError) as error:
        print(f"{parser.prog}: {in_words(error)}", file=sys.stderr)
        return 2
    print(f"{parser.prog}: sandbox: {box}", file=sys.stderr)
    checker = Checker(command, box, games, options)
    if checker.run():
        return 0
    print(f"{checker.failures} of the promises broken")
    return 1
