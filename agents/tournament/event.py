"""The settings of a tournament: players, games, openings, clock. The schedule is a function of them."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from agents.evaluation.elo import Sprt
from agents.evaluation.openings import Balance
from agents.search.limits import MAX_DEPTH
from mancala_env import checks
from mancala_env.checks import shown
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.state import State

FORMATS = ("round_robin", "gauntlet", "swiss", "knockout")
OPEN = "open"  # a round robin whose players join while it runs (agents.tournament.serve)
MAX_GAMES = 10_000_000
_NAMED = re.compile(r"(?P<name>[^=:/\\]{1,60})=(?P<spec>.+)", re.DOTALL)


@dataclass(frozen=True)
class Player:
    """A participant: a name for the tables, and the text from which ``agents.tournament.game`` makes it."""

    name: str
    spec: str

    @classmethod
    def parse(cls, text: str) -> "Player":
        """``spec``, or ``name=spec``. ValueError if either is empty, or the name cannot be printed."""
        found = _NAMED.fullmatch(text)
        name, spec = (found["name"].strip(), found["spec"].strip()) if found else (text.strip(), text.strip())
        if not name or not spec:
            raise ValueError(
                f"{text!r} names no player; write an agent (minimax:depth=4), a program (./mybot) or NAME=ONE_OF_THESE"
            )
        if not name.isprintable():
            raise ValueError(f"the name {name!r} holds characters that cannot be printed")
        return cls(name, spec)


@dataclass(frozen=True)
class Event:
    """A tournament. Games are of pairs: two from the same opening, with the seats swapped."""

    players: tuple[Player, ...]  # in a gauntlet the first meets all others, a knockout is seeded in their order
    rules: tuple[str, ...] = ("oware",)  # rulesets, as ``mancala_env.ruleset`` reads them
    form: str = "round_robin"  # one of ``FORMATS``; or "open": a round robin whose players join while it runs
    pairs: int = 50  # in each pairing (of a Swiss round, in a match of a knockout) under each ruleset
    rounds: int = 5  # of a Swiss tournament
    seed: int = 0  # of openings, seats and players
    opening_plies: int = 4  # random plies before the players take over
    openings: tuple[str, ...] = ()  # positions instead, in turn: ``str(state)`` or, with history, ``State.to_line``
    balanced: float | None = None  # the most seeds that a random opening may be worth to either side
    balance_depth: int = Balance.depth  # plies of the search that says so
    move_time: float | None = None  # seconds for each move
    bank: float = 0.0  # seconds that a player may take beyond that in a whole game
    clock: float | None = None  # instead: seconds of a player for a whole game
    increment: float = 0.0  # and those that are added after each move
    memory: int = 2048  # megabytes for a player that is a process of its own
    cpu: float = 600.0  # seconds of processor time that it may use in a game
    patience: float = 60.0  # seconds after which it is killed if it does not answer, where there is no clock
    start_time: float = 120.0  # seconds in which it has to be ready
    max_plies: int | None = None  # after which the player with more in store wins
    tables: str | None = None  # a folder of endgame tables that adjudicate
    sprt: Sprt | None = None  # a sequential test, for two players and one ruleset
    rating_origin: str | None = None  # the player whose rating is 0
    rulesets: Mapping[str, Ruleset] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for what in ("players", "rules", "openings"):  # tuples, so that equal events compare equal
            object.__setattr__(self, what, tuple(getattr(self, what)))
        names = [player.name for player in self.players]
        if len(names) < 2 and self.form != OPEN:
            raise ValueError(f"a tournament needs two players or more, not {len(names)}")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two players are called {name!r}; write NAME=PLAYER to tell them apart")
        if not self.rules or len(set(self.rules)) < len(self.rules):
            raise ValueError(f"rules must be different rulesets, not {list(self.rules)}")
        if self.form not in (*FORMATS, OPEN):
            raise ValueError(f"form must be one of {', '.join(FORMATS)}, not {self.form!r}")
        whole = {"pairs": 1, "rounds": 1, "seed": 0, "opening_plies": 0, "memory": 16, "max_plies": 1}
        for what, least in whole.items():
            value = getattr(self, what)
            if not (_is_whole(value) and value >= least) and (what, value) != ("max_plies", None):
                raise ValueError(f"{what} must be a whole number from {least}, not {value!r}")
        for what, unit, above in (
            ("move_time", "seconds", True), ("clock", "seconds", True), ("cpu", "seconds", True),
            ("patience", "seconds", True), ("start_time", "seconds", True), ("bank", "seconds", False),
            ("increment", "seconds", False), ("balanced", "seeds", False),
        ):  # fmt: skip
            value = getattr(self, what)
            fits_in = _is_number(value) and (value > 0 or (value == 0 and not above))
            if not fits_in and not (value is None and what in ("move_time", "clock", "balanced")):
                raise ValueError(f"{what} must be a number of {unit} {'above' if above else 'from'} 0, not {value!r}")
        if self.bank and self.move_time is None:
            raise ValueError("a bank is what a player may take beyond move_time: give move_time as well")
        if self.increment and self.clock is None:
            raise ValueError("an increment is added to the clock of a game: give clock as well")
        if self.clock is not None and self.move_time is not None:
            raise ValueError("clock gives seconds for the game and move_time for each move: give only one")
        if self.clock is not None and self.clock > self.cpu:
            raise ValueError(
                f"a program may use {self.cpu:g} s of processor time in a game, less than a clock of {self.clock:g} s "
                "gives it: give more cpu, or a shorter clock"
            )
        if not _is_whole(self.balance_depth) or not 1 <= self.balance_depth <= MAX_DEPTH:
            raise ValueError(f"balance_depth must be a whole number from 1 to {MAX_DEPTH}, not {self.balance_depth!r}")
        if self.tables is not None and not isinstance(self.tables, str):
            raise ValueError(f"tables must be the path of a folder, not {self.tables!r}")
        if self.rating_origin is not None and self.rating_origin not in names:
            raise ValueError(f"rating_origin {self.rating_origin!r} does not play; players are {', '.join(names)}")
        object.__setattr__(self, "rulesets", {text: ruleset(text) for text in self.rules})
        for rules in self.rulesets.values():
            checks.two_players(rules, "a tournament")
        if self.balanced is not None and (self.openings or not self.opening_plies):
            why = "openings are given" if self.openings else "there are no opening plies"
            raise ValueError(f"{why}: balanced is for random openings")
        for text in self.openings:
            if not any(fits(rules, text) for rules in self.rulesets.values()):
                like = next(iter(self.rulesets.values())).start()
                raise ValueError(
                    f"the opening {shown(text)} is no running position of {', '.join(self.rules)}"
                    f"{_why_not(self.rulesets.values(), text)}; one looks like {str(like)!r}"
                )
        for name, rules in self.rulesets.items():
            if self.openings and not any(fits(rules, text) for text in self.openings):
                raise ValueError(f"none of the openings is one of {name}")
        compares = len(self.players) == 2 and len(self.rules) == 1 and self.form in ("round_robin", "gauntlet")
        if self.sprt is not None and not compares:
            raise ValueError("an SPRT compares two players under one ruleset, in a round robin or gauntlet")
        if self.form != "swiss":  # rounds mean nothing, and must not tell equal events apart
            object.__setattr__(self, "rounds", 1)
        games = self.pairs * 2 * len(self.rules) * len(self.pairings()) * self.rounds
        if games > MAX_GAMES:
            raise ValueError(f"{games:,} games are more than the {MAX_GAMES:,} that one event may have")

    def pairings(self) -> list[tuple[int, int]]:
        """The pairings as indices of players; for a Swiss round and a knockout as many placeholders."""
        n = len(self.players)
        if self.form == OPEN:  # whoever joins comes last
            return [(one, other) for other in range(1, n) for one in range(other)]
        if self.form in ("gauntlet", "knockout"):
            return [(0, other) for other in range(1, n)]
        if self.form == "swiss":
            return [(k, k + 1) for k in range(0, n - 1, 2)]
        return [(one, other) for one in range(n) for other in range(one + 1, n)]

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it; ``from_dict`` reads it."""
        content = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        content["players"] = [asdict(player) for player in self.players]
        content["sprt"] = None if self.sprt is None else asdict(self.sprt)
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Event":
        """What ``as_dict`` wrote; ValueError if it is something else."""
        try:
            made = dict(content)
            made["players"] = tuple(Player(**player) for player in made["players"])
            if not all(type(text) is str for player in made["players"] for text in (player.name, player.spec)):
                raise ValueError("names and specs of players are texts")
            made["rules"], made["openings"] = tuple(made["rules"]), tuple(made["openings"])
            made["sprt"] = None if made["sprt"] is None else Sprt(**made["sprt"])
            return cls(**made)
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"this is no description of a tournament: {error}") from error

    @property
    def is_adjudicated(self) -> bool:
        """May games end before they are over on the board?"""
        return self.tables is not None or self.max_plies is not None

    @property
    def timed(self) -> bool:
        """Does a clock run?"""
        return self.move_time is not None or self.clock is not None

    @property
    def digest(self) -> str:
        """A digest of all settings; the file of an event is named by it."""
        content = self.as_dict()
        content["anchor"] = content.pop("rating_origin")  # the first name: events keep their digest, and their file
        if self.clock is None:  # as before there were such clocks
            del content["clock"], content["increment"]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def fits(rules: Ruleset, text: str) -> bool:
    """Is this a running position of these rules?"""
    try:
        return not State.parse(rules, text).is_over
    except ValueError:
        return False


def _why_not(rulesets: Iterable[Ruleset], text: object) -> str:
    """What ``State.parse`` says of an opening that does not fit, by the rules that it names."""
    for rules in rulesets:
        if isinstance(text, str) and text.split()[:1] == [rules.name]:
            try:
                return f": the game is over there by {State.parse(rules, text).termination}"
            except ValueError as error:
                return f": {error}"
    return ""


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Is it one, finite, and no larger than a float can be?"""
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e300 < value < 1e300
