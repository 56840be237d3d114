"""A game of a person against an agent or another person, with moves taken back, played again, saved and loaded."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from agents.agent import Agent, as_agent, refusal
from agents.mcts import MctsAgent
from agents.search import MinimaxAgent
from agents.search import minimax as units
from agents.search_info import names_of
from agents.tournament.export import game_text, read_games
from agents.tournament.record import RESIGNED, UNFINISHED, GameRecord
from mancala_env.games import ruleset
from mancala_env.replay.game import GameEnd, game_ends, how_it_ended
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State

SEATS = ("South", "North")
HINT_NODES, HINT_DEPTH = 400_000, 16  # a second or so; the same on every machine
SURE = 1000  # in games that count no seeds, values from here on are sure wins (``agents.search.move_values``)
SEEDS, POINTS, RESULT = "seed", "point", "result"
REVIEW_NODES = 60_000  # positions that the search of each move makes, when a game is gone through
MOST_SHOWN = 60  # a sure win, on a chart of seeds
PLAYER = "you"  # the person, in saved games
PERSON = "person"  # an opponent: somebody at the same device
# From which cost on, against the best move that is found, a move has which sign and name: in seeds, or in the search's
# points where a game counts no seeds.
GRADES = ((8, "??", "blunder"), (4, "?", "mistake"), (2, "?!", "inaccuracy"))
FINE = ("", "fine")


def graded(loss: float) -> tuple[str, str]:
    """The sign and the name of a move that costs so much."""
    return next(((sign, name) for least, sign, name in GRADES if loss >= least), FINE)


def grading(unit: str) -> str:
    """What the signs mean, in a sentence."""
    told = [f"{sign} {name}, {least:g} {unit}s or more" for least, sign, name in reversed(GRADES)]
    return f"What a move costs against the best that is found: {'; '.join(told)}."


@dataclass(frozen=True)
class Hint:
    """An evaluation of a position, for its mover."""

    by: str  # the evaluator, such as "search, 9 plies"
    unit: str  # ``seed`` of margin; ``point``, where seeds are not what counts; ``result``, from -1 to 1
    values: dict[int, float]  # of the evaluated actions
    best: int  # the action to play
    line: tuple[int, ...] = ()  # what both play from here on, as far as it is known

    def worth(self, action: int) -> str:
        """The value of an action in words; "" if it has none."""
        value = self.values.get(action)
        return "" if value is None else worth(value, self.unit)

    def told(self, state: State) -> str:
        """The best action's worth, the line after it as names of moves from ``state``, and the evaluator."""
        names = names_of(state, self.line)
        line = f"; then {' '.join(names[1:])}" if len(names) > 1 else ""
        return f"{self.worth(self.best)}{line} ({self.by})"


def worth(value: float, unit: str) -> str:
    """A value in words: "+3 seeds", "a sure win"."""
    if unit == RESULT:
        return f"{value:+.2f} of a win"
    if abs(value) >= SURE:
        return "a sure win" if value > 0 else "a sure loss"
    return f"{round(value, 1):+g} {unit}{'' if abs(value) == 1 else 's'}"


def hint_for(state: State, agent: MinimaxAgent | None = None, nodes: int | None = None) -> Hint:
    """An agent's evaluation of the moves of a position, its opening book included; for None that of a search, which
    makes at most ``nodes`` positions. ValueError if the game is over."""
    if state.is_over:
        raise ValueError(f"there is no move to think about: the game is over in {state}")
    agent = agent or MinimaxAgent(HINT_DEPTH, nodes=min(nodes or HINT_NODES, HINT_NODES))
    values, found = agent.evaluate_moves(state)
    unit = {units.SEEDS: SEEDS, units.RESULT: RESULT}.get(agent.unit_in(state.rules), POINTS)
    if found is None:
        return Hint("opening book", unit, values, max(values, key=lambda action: values[action]))
    plies = f"{found.depth} pl{'y' if found.depth == 1 else 'ies'}"
    by = "search to the end" if found.exact else f"search, {plies}"
    return Hint(by, unit, values, found.actions[0], found.line)


class Person:
    """An opponent whose moves come through ``Session.play``, as those of the person do."""

    name = "another person"

    def reset(self, seed: int) -> None:
        """Nothing: people need no seed."""

    def act(self, state: State) -> int:
        """Raises ValueError."""
        raise ValueError("people choose their moves themselves")

    def refusal(self, rules: Ruleset) -> str:
        """Why there is nobody to play with; "" where there is."""
        return "a solitaire is played alone" if rules.players == 1 else ""


class Session:
    """One game, from its start or from a saved one. ValueError if there is no such game or agent, or the agent does not
    play this game. ``against`` is as ``agents.as_agent`` takes it, or ``"person"``, who plays here, too; in a solitaire
    it has nothing to do. ``seat``: the person's, 0 South (moves first) or 1 North; ``seed``: of the agent's
    choices."""

    def __init__(self, rules: str = "kalah", against: Any = "minimax:depth=6", *, seat: int = 0, seed: int = 0) -> None:
        self.rules_text, self.seat, self.seed = rules, seat, seed
        self.rules, self.agent = agreed(rules, against, seat, seed)
        self._spec = against
        self._lay_out([self.rules.start()])

    @property
    def against(self) -> str:
        """The agent, as ``make_agent`` reads it, or its name."""
        return self._spec if isinstance(self._spec, str) else self.agent.name

    @property
    def is_over(self) -> bool:
        """Has the game ended, or has the person given it up?"""
        return self.resigned or self.state.is_over

    @property
    def result(self) -> str:
        """How the game went for the person, in a sentence; "" while it runs."""
        if self.resigned and self.is_shared:
            return f"{SEATS[1 - self.loser]} wins: {SEATS[self.loser]} has given the game up."
        if self.resigned:
            return "You lose: you have given the game up."
        return f"{how_it_ended(self.state, self.addressed)}." if self.state.is_over else ""

    @property
    def is_shared(self) -> bool:
        """Do the moves of both seats come from people?"""
        return isinstance(self.agent, Person)

    @property
    def is_free(self) -> bool:
        """Is nobody played against now, so that moves may be tried and looked up?"""
        return self.is_over or self.is_shared or self.rules.players == 1

    @property
    def addressed(self) -> int | None:
        """Who is "you" in results: a seat, or None in a game of two people."""
        return None if self._spec == PERSON or self.visited else self.seat

    @property
    def loser(self) -> int:
        """Who has lost if the game is given up."""
        return self.state.player if self.is_shared else self.seat

    def _is_persons(self, state: State) -> bool:
        return self.is_shared or state.player == self.seat

    @property
    def state(self) -> State:
        """The position on the board."""
        return self._states[self._at]

    @property
    def states(self) -> list[State]:
        """All positions up to this one."""
        return self._states[: self._at + 1]

    @property
    def actions(self) -> tuple[int, ...]:
        """The moves up to this position."""
        return tuple(self._actions[: self._at])

    @property
    def game_ends(self) -> tuple[GameEnd, ...]:
        """The games of a match that have ended up to this position; () in a game that is no match."""
        return game_ends(self.states, self.actions)

    @property
    def news(self) -> tuple[GameEnd, ...]:
        """The ``game_ends`` since the person's last move."""
        own = [ply for ply, state in enumerate(self.states[:-1], 1) if self._is_persons(state)]
        return tuple(end for end in self.game_ends if not own or end.ply >= own[-1])

    @property
    def names(self) -> tuple[str, str]:
        """The names of South and North; nobody is North in a solitaire."""
        if self.rules.players == 1:
            return PLAYER, "nobody"
        if self.is_shared:
            return SEATS
        return (PLAYER, self.agent.name) if self.seat == 0 else (self.agent.name, PLAYER)

    @property
    def is_persons_turn(self) -> bool:
        """Is the game running, with the person to move?"""
        return not self.is_over and self._is_persons(self.state)

    @property
    def is_agents_turn(self) -> bool:
        """Is the game running, with the agent to move?"""
        return not self.is_over and not self._is_persons(self.state)

    def play(self, action: int) -> State:
        """The person's move; returns the position after it. IllegalAction, or ValueError if it is not their turn."""
        if self.is_agents_turn:
            raise ValueError(f"it is the turn of {self.agent.name}")
        return self._go_on(action)

    def reply(self, stop: Callable[[], bool] | None = None) -> int:
        """One move of the agent; returns it. ``stop`` is called while it searches: True lets it play the best that it
        has found. ValueError if it is not its turn, RuntimeError if it fails, or plays an illegal action."""
        if not self.is_agents_turn:
            raise ValueError(f"it is not the turn of {self.agent.name}")
        try:
            action = int(self._chosen(stop))
            self._go_on(action)
        except IllegalAction as error:
            raise RuntimeError(f"{self.agent.name} played an illegal action: {error}") from error
        except (ValueError, OSError) as error:
            raise RuntimeError(f"{self.agent.name} cannot go on: {error}") from error
        return action

    def _chosen(self, stop: Callable[[], bool] | None) -> int:
        if isinstance(self.agent, MctsAgent | MinimaxAgent):
            return self.agent.act(self.state, stop)
        return self.agent.act(self.state)

    def resign(self) -> State:
        """Give the game up. Raises ValueError if it is over."""
        if self.is_over:
            raise ValueError("the game is over")
        self.resigned = True
        return self.state

    @property
    def opening(self) -> str:
        """The position that the game began with, as ``State.to_line`` writes it; "" if it is that of the rules."""
        return "" if self._states[0] == self.rules.start() else self._states[0].to_line()

    def lay_out(self, position: str | None = None, moves: Sequence[int] = (), visited: bool = False) -> State:
        """Begin anew from a position of this game (``State.to_line``), or its start, and play these moves of both
        sides; ``visited``: for somebody else to look at. ValueError, and nothing changes, if it is no position, or a
        move is illegal."""
        states = [self.rules.start() if position is None else State.parse(self.rules, position)]
        for action in moves:
            if action not in (legal := states[-1].legal_actions):
                there = ", ".join(map(states[-1].name, legal)) or "none: the game is over"
                raise ValueError(f"move {len(states)}, number {action}, cannot be played; moves there are {there}")
            states.append(states[-1].play(action))
        self._lay_out(states, moves)
        self.visited = visited and self.is_over
        return self.state

    def _lay_out(self, states: Sequence[State], actions: Sequence[int] = ()) -> None:
        self.agent.reset(self.seed)
        self._states, self._actions, self._at = list(states), list(actions), len(actions)
        self.resigned = self.visited = False

    def review(self, at: int) -> dict[str, Any]:
        """What a search thinks of the move played at a position: ``value`` of the position for South, as
        ``Hint`` counts it, in ``unit``s; ``loss``, how much less the move is worth than the best, its
        ``grade`` for that (``graded``), and ``told``, all in words. ValueError if no move was played there."""
        if not 0 <= at < self._at:
            raise ValueError(f"moves 0 to {self._at - 1} have been played, and no move {at}")
        state, action = self._states[at], self._actions[at]
        found = hint_for(state, nodes=REVIEW_NODES)
        best, own = found.values[found.best], found.values.get(action, found.values[found.best])
        told, better = worth(own, found.unit), found.worth(found.best)
        loss = best - own if told != better else 0  # of two sure wins neither is a mistake
        grade = graded(loss)
        told = f"{state.name(action)} is worth {told}{'' if grade == FINE else f' ({grade[1]})'}"
        told += f"; {state.name(found.best)} was better: {better}" if loss else ""
        return {"value": prospects(state, found), "unit": found.unit, "loss": loss, "grade": grade, "told": told}

    def variation(self, at: int, line: Sequence[int]) -> "Session":
        """A game of its own that leaves this one after ``at`` moves with these, of either side; this one stays as it
        is. ValueError if somebody is being played against, or there is no such position, IllegalAction of a move."""
        if not self.is_free:
            raise ValueError(f"while {self.agent.name} is played against, no other moves are tried")
        if not 0 <= at <= self._at:
            raise ValueError(f"the game has positions 0 to {self._at}, and no position {at}")
        other = copy(self)
        other.agent = Person()
        other._lay_out(self._states[: at + 1], self._actions[:at])
        for action in line:
            other._go_on(action)
        return other

    def replies(self) -> tuple[int, ...]:
        """The agent's moves until it is the person's turn, or the game is over; raises as ``reply`` does."""
        played = []
        while self.is_agents_turn:
            played.append(self.reply())
        return tuple(played)

    def _go_on(self, action: int) -> State:
        state = self.state.play(action)
        del self._states[self._at + 1 :], self._actions[self._at :]
        self._states.append(state)
        self._actions.append(int(action))
        self._at += 1
        self.resigned = False
        return state

    @property
    def can_undo(self) -> bool:
        """Has the person made a move?"""
        return self._before() is not None

    @property
    def can_redo(self) -> bool:
        """Has a move been taken back, and none been made since?"""
        return self._at < len(self._actions)

    def undo(self) -> State:
        """Take back the person's last move and all moves after it. Raises ValueError if there is none."""
        if (before := self._before()) is None:
            raise ValueError("there is no move of yours to take back")
        self._at, self.resigned, self.visited = before, False, False
        return self.state

    def redo(self) -> State:
        """Replay moves that were taken back, up to the person's next turn. Raises ValueError if there are none."""
        if not self.can_redo:
            raise ValueError("no move has been taken back")
        self._at += 1
        while self.can_redo and not self.is_persons_turn:
            self._at += 1
        return self.state

    def _before(self) -> int | None:
        return next((k for k in range(self._at - 1, -1, -1) if self._is_persons(self._states[k])), None)

    def hint(self, nodes: int | None = None) -> Hint:
        """A search's value of every action (``hint_for``). Raises ValueError if the game is over."""
        return hint_for(self.state, nodes=nodes)

    @property
    def record(self) -> GameRecord:
        """The game up to this position."""
        last = self.state
        return GameRecord(
            number=0,
            pair=0,
            rules=self.rules_text,
            south=self.names[0],
            north=self.names[1],
            opening=self._states[0].to_line(),
            seeds=(self.seed, self.seed),
            actions=self.actions,
            winner=1 - self.loser if self.resigned else last.winner,
            reason=RESIGNED if self.resigned else str(last.termination) if last.is_over else UNFINISHED,
            scores=last.scores if last.is_over else None,
        )

    def save(self) -> str:
        """The game as text (``agents.tournament.export.game_text``), which ``load`` reads."""
        return game_text(self.record, self.rules)

    def load(self, text: str) -> State:
        """Go on with the first game of a text as ``save`` or a tournament wrote it. The agent stays, with the seed of
        the game; the person takes the seat that bears their name, or keeps theirs. ValueError if it cannot be read, a
        move is illegal, there is no game, or the agent does not play it."""
        if not (records := read_games(text)):
            raise ValueError("the text holds no game")
        record = records[0]
        rules = ruleset(record.rules)
        _check_plays(self.agent, rules, record.rules)
        states = record.states(rules)
        if PLAYER in (record.south, record.north):
            self.seat = (record.south, record.north).index(PLAYER)
        self.seat = min(self.seat, rules.players - 1)
        self.rules_text, self.rules, self.seed = record.rules, rules, record.seeds[1 - self.seat]
        self._lay_out(states, record.actions)
        self.resigned = record.reason == RESIGNED and record.winner == 1 - self.loser
        return self.state


def agreed(rules: str, against: Any, seat: int, seed: int) -> tuple[Ruleset, Any]:
    """The game and the agent of a session, without compiling a kernel. ValueError as ``Session`` raises it."""
    if type(seat) is not int or seat not in (0, 1):
        raise ValueError(f"seat is 0 for South or 1 for North, not {seat!r}")
    if type(seed) is not int or not 0 <= seed < 1 << 62:
        raise ValueError(f"seed must be a whole number from 0, not {seed!r}")
    made, agent = ruleset(rules), Person() if against == PERSON else as_agent(against)
    if seat >= made.players:
        raise ValueError(f"{rules} is a solitaire, in which nobody sits in the north; take the seat of South")
    _check_plays(agent, made, rules)
    return made, agent


def prospects(state: State, found: Hint) -> float:
    """What a position is worth for South, at most ``MOST_SHOWN``."""
    value = max(-MOST_SHOWN, min(MOST_SHOWN, found.values[found.best]))
    return value if state.player == 0 else -value


def _check_plays(agent: Agent, rules: Ruleset, text: str) -> None:
    if why := refusal(agent, rules, text):
        raise ValueError(why)
