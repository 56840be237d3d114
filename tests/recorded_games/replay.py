"""Recorded games played again through ``State``: turn by turn the mover, what is legal, and the board afterwards.

A recorded ply may be one lap of a turn; ours are whole turns. So a turn of a game that relays takes up the recorded
plies of one mover who has a single choice, up to the first after which both boards are the same. What is recorded
besides turns is compared as far as our games know it: a player who passes must have nothing to play, votes and passes
must leave the board as it is, and where the record ends our game must be over, with the same result.

After a difference the replay goes on from the recorded position, so that one fault does not hide the next."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from mancala_env import Ruleset, State, ruleset
from mancala_env.ending import swept
from mancala_env.rules import Sowing
from mancala_env.trace import Event, EventKind
from tests.recorded_games.places import MisfitError, Places, pit_and_direction, places, position
from tests.recorded_games.records import Choice, Game, Ply, Record

PLAYERS = ("South", "North")
ON_THE_BOARD = ("lift", "place")  # kinds of choices that are moves; the others are passes, proposals and votes


class Kind(StrEnum):
    """What is compared."""

    START = "start"  # the set-up
    MOVER = "mover"  # whose turn it is
    LEGAL = "legal"  # what may be played
    BOARD = "board"  # pits, stores and marks after a turn
    PASS = "pass"  # plies that are no moves on the board
    END = "end"  # whether the game is over
    RESULT = "result"  # winner and scores


@dataclass(frozen=True)
class Difference:
    """Where a recorded game and ours part, with what an explanation may ask about."""

    kind: Kind
    text: str  # how, in words
    seed: int  # of the recorded game
    ply: int  # of it, from 0
    state: State  # our position before the turn; at the end the last one
    action: int | None  # what was played; None where nothing was, or nothing of ours
    after: State | None  # our position after it
    pits: tuple[int, ...]  # recorded after the turn, canonical order
    stores: tuple[int, int] | None  # recorded after the turn; None where they are not
    legal: frozenset[int] | None  # the actions that are legal as recorded; None where the whole list is not
    last: tuple[State, int] | None  # our turn just before; None where it differs without an explanation
    over: bool  # is the recorded game over after the turn?


Explanation = Callable[[Difference], bool]


@dataclass(frozen=True)
class Played:
    """How recorded games are played by our rules: an entry of the table ``games.RECORDED``."""

    rules: str | Ruleset  # a game as ``mancala_env.ruleset`` takes it, with changes: "oware:seeds=5"
    explained: tuple[Explanation, ...] = ()  # what predicts exactly what is recorded where it differs
    # Which rule of the program makes other differences of a kind; what comes of it is not foretold.
    allowed: Mapping[str, str] = field(default_factory=dict)
    # What is compared at the end: winner and scores, the winner alone, or neither.
    result: Literal["scores", "winner", "none"] = "scores"
    # What is played of a record of several rounds, where our game is one: each from its recorded set-up on, or the
    # first, if later rounds have other boards; the result, that of a match, is then not compared.
    rounds: Literal["each", "first"] | None = None
    # Where our game begins in a record that opens with plies that ours does not have, which are not compared: the
    # number of these plies, in none of which there is a choice; "turn": the first player's first turn; "turns": the
    # first turn of each player, whatever it has made of the board; "lift", if the board is laid out at will before a
    # pit is lifted; or what says how many plies it is in a recorded game.
    begins: int | Literal["turn", "turns", "lift"] | Callable[[Game], int] = 0
    laid_out: bool = False  # may there be choices in these plies, which lay out the board as the players like?
    pits: tuple[int, ...] | None = None  # the sites of our pits, where they do not follow from the header
    memory: tuple[str, ...] = ()  # the program's lists of the sites that our game remembers, which are then compared
    # Is the board after each lap of a turn compared, too, and their number? Not where the program captures earlier or
    # later than ours, or counts laps in another way.
    laps: bool = True
    stores: bool = True  # does the program keep what is captured?
    reads: Callable[[Record], Record] | None = None  # makes the record one that our rules can play
    # Makes an action of a recorded choice, or raises ValueError, where a choice is more than a pit and a direction.
    action: Callable[[Places, State, Choice], int] = pit_and_direction

    def made(self) -> Ruleset:
        """The rules that are played, without endings by repetition, by dead positions and by the number of plies, as
        recorded programs have none of these."""
        return ruleset(self.rules).changes(
            repetition=0, repetition_leftover="owner", indeterminacy_max_seeds=0, max_plies=32_000
        )


@dataclass
class Report:
    """What came of the games of one file. Each ply is in one of the five counts."""

    results: bool  # are the results of finished games compared?
    games: int = 0
    plies: int = 0
    agreed: int = 0  # of turns, passes and votes without a difference, at the end of a game also in its result
    predicted: int = 0  # of those with differences that are all predicted
    allowed: int = 0  # the same, where some are only allowed
    failed: int = 0  # of those with a difference that nothing explains
    between: int = 0  # not compared: they open the game, lay out the board for a round, or belong to a later round
    differences: list[Difference] = field(default_factory=list)  # that nothing explains, in order
    explained: dict[Explanation | str, list[Difference]] = field(default_factory=dict)  # by what predicts or allows it

    @property
    def agrees(self) -> bool:
        """Is every difference explained?"""
        return not self.differences


def replay(record: Record, entry: Played) -> Report:
    """Play all games of a file; MisfitError says why a record cannot be played again, for whatever reason."""
    name = record.names[0]
    if record.players != 2:
        raise MisfitError(f"{name}: {record.players} players; our games have two")
    try:
        rules = entry.made()
    except ValueError as error:
        raise MisfitError(f"{name}: {error}") from None
    where = f"{name}: the header"
    try:
        record = entry.reads(record) if entry.reads else record
        board = places(record, rules, entry.pits)
        if not entry.stores:
            board = replace(board, stores=None, others=())
        report = Report(results=entry.result != "none" and entry.rounds is None)
        for game in record.games:
            where = f"{name}: game seed {game.seed}"
            report.games += 1
            report.plies += len(game.plies)
            _Replay(board, entry, game, record.mover, report).play()
    except MisfitError:
        raise
    except Exception as error:  # whatever a file holds, the next one is read
        raise MisfitError(f"{where} cannot be played again: {type(error).__name__}: {error}") from error
    return report


def walk(state: State, action: int) -> Iterator[tuple[Event, list[int]]]:
    """Each event of a turn with the seeds of pits and stores before it."""
    seeds = [*state.pits, *state.stores]
    for event in state.trace(action).events:
        yield event, seeds
        event.happen(seeds)


class _Replay:
    """One recorded game on its way; ``at`` is the number of the next ply."""

    def __init__(self, board: Places, entry: Played, game: Game, first: int, report: Report) -> None:
        self.board, self.entry, self.game, self.report = board, entry, game, report
        self.rules, self.plies, self.first, self.at = board.rules, game.plies, first, 0
        self.noted: list[int] = []  # of each difference: is it predicted (0), allowed (1), or not explained (2)?
        self.last: tuple[State, int] | None = None
        self.played: tuple[State, int] | None = None

    def play(self) -> None:
        """Play all of it."""
        usual, noted = self.rules.start(), 0
        self._pass_over_the_set_up()
        if 0 < self.at == len(self.plies):  # the record is over before our game begins
            return
        state = self._recorded(2 if self.entry.begins == "turns" else 0)
        free = self.entry.begins in ("turns", "lift") or self.entry.laid_out
        if state is not None and not free and _seen_by_the_mover(state) != _seen_by_the_mover(usual):
            self._note(Kind.START, f"the game starts from {usual}, recorded is {state}", state)
        while state is not None and self.at < len(self.plies):
            if self.entry.rounds and self._begins_round(state):
                state = self._next_round(state)
                continue
            begun, noted, ply, before = self.at, len(self.noted), state.ply, state
            state = self._step(state)
            self.last, self.played = self.played, None
            if found := self.noted[noted:]:
                self._count(max(found), self.at - begun)
                self.last = self.last if max(found) < 2 else None
                if self.at < len(self.plies):
                    moved = self.plies[begun].chosen.kind in ON_THE_BOARD
                    state = self._recorded(ply + moved, state if state.ply > ply else before)
            else:
                self.report.agreed += self.at - begun
        self.report.between += len(self.plies) - self.at
        if state is not None and len(self.noted) == noted:
            self._end(state)
            if (found := self.noted[noted:]) and self.plies:  # the last ply had agreed until then
                self.report.agreed -= 1
                self._count(max(found), 1)

    def _count(self, explained: int, plies: int) -> None:
        """Count the plies of a turn in which something differs: all predicted (0), some allowed (1), or neither (2)."""
        count = ("predicted", "allowed", "failed")[explained]
        setattr(self.report, count, getattr(self.report, count) + plies)

    def _pass_over_the_set_up(self) -> None:
        """Go to the ply in which our game begins."""
        asked = self.entry.begins
        if asked == "turn":
            self.at = next((at for at, ply in enumerate(self.plies) if ply.mover != self.first), len(self.plies))
        elif asked == "turns":
            for mover in (self.first, 3 - self.first):
                while self.at < len(self.plies) and self.plies[self.at].mover == mover:
                    self.at += 1
        elif asked == "lift":
            while self.at < len(self.plies) and self.plies[self.at].chosen.kind != "lift":
                self.at += 1
        else:
            self.at = min(asked(self.game) if callable(asked) else asked, len(self.plies))
            for ply in () if self.entry.laid_out else self.plies[: self.at]:
                if len(ply.legal) != 1 or not ply.complete:
                    self._note(
                        Kind.START, "our game leaves out a recorded ply in which there is a choice", self.rules.start()
                    )
                    break
        self.report.between += self.at

    def _step(self, state: State) -> State:
        """The position after the next turn, or the next ply that is no move; after a difference any position."""
        ply = self.plies[self.at]
        if not _is_move(state, ply.chosen):
            return self._no_move(state, ply)
        if not state.is_over and state.player == ply.mover - 1:
            return self._turn(state, ply)
        if state.is_over:
            self._note(Kind.END, f"the game is over ({state.ending}), recorded is another move", state)
        else:
            self._note(Kind.MOVER, f"{PLAYERS[state.player]} moves, recorded is {PLAYERS[ply.mover - 1]}", state)
        self.at += self._run()
        return state

    def _turn(self, state: State, ply: Ply) -> State:
        """Compare a turn: what is legal, and the board after it."""
        run = self._run()
        legal = self._legal(state, ply, run)
        action = self._chosen(state, ply.chosen, run)
        if action not in state.legal_actions:
            self.at += run
            return state
        after = state.play(action)
        self.played = state, action
        if self._is_cut_off(state, action, run):
            self.at += run
            return after
        for laps in range(1, run + 1):
            if self._same(after, self.plies[self.at + laps - 1]):
                if laps > 1 and self.entry.laps:
                    self._laps(state, action, after, legal, laps)
                self.at += laps
                return after
        if not self._swept(after, self.plies[self.at + run - 1]):
            self._note(Kind.BOARD, self._how(state, action, after, run), state, action, after, legal, run)
        else:
            self.report.between += 1
            self.report.agreed -= 1
        self.at += run
        return after

    def _is_cut_off(self, state: State, action: int, run: int) -> bool:
        """Does the record break off within this turn, and is the board after each of its laps so far as in ours?"""
        if self.game.finished or self.at + run < len(self.plies):
            return False
        lap = 0
        for event, seeds in walk(state, action):
            if event.kind is EventKind.ROUNDS:  # the laps that have been compared repeat themselves
                return True
            if event.kind is EventKind.LIFT and event.clause is not None:
                counts = self.plies[self.at + lap].counts
                if tuple(seeds[:-2]) != self.board.on_pits(counts):
                    return False
                lap += 1
                if lap == run:
                    return True
        return False

    def _swept(self, after: State, ply: Ply) -> bool:
        """Is a round over in which the recorded ply at once clears the board, or lays it out as at the start?"""
        pits = self.board.on_pits(ply.counts)
        fresh = pits == self.board.on_pits(self.game.start) or not any(pits)
        return self.entry.rounds is not None and after.is_over and fresh

    def _laps(self, state: State, action: int, after: State, legal: frozenset[int] | None, laps: int) -> None:
        """Compare the board after each lap of a turn but the last, which the whole turn has been compared with."""
        lap = 0
        for event, seeds in walk(state, action):
            if event.kind is EventKind.ROUNDS:
                return
            if event.kind is EventKind.LIFT and event.clause is not None:
                ply = self.plies[self.at + min(lap, laps - 1)]
                pits, stores = self.board.on_pits(ply.counts), self.board.in_stores(ply.counts)
                lap += 1
                if lap < laps and (tuple(seeds[:-2]) != pits or stores not in (None, tuple(seeds[-2:]))):
                    how = f"leaves {_listed(seeds)}, recorded is {_listed((*pits, *(stores or ())))}"
                    text = f"{PLAYERS[state.player]} plays {state.name(action)}; lap {lap} {how}"
                    self._note(Kind.BOARD, text, state, action, after, legal, laps)
                    return
        if lap != laps - 1:
            text = f"{PLAYERS[state.player]} plays {state.name(action)}; laps are {lap + 1}, recorded is {laps}"
            self._note(Kind.BOARD, text, state, action, after, legal, laps)

    def _legal(self, state: State, ply: Ply, run: int) -> frozenset[int] | None:
        """The recorded legal actions, after comparing them; None where they are not all recorded, or unknown to us."""
        moves = [choice for choice in ply.legal if _is_move(state, choice)]
        found = [self._actions(state, choice) for choice in moves]
        if [] in found:
            choice = moves[found.index([])]
            self._note(
                Kind.LEGAL, f"{self.rules.name} has no such move as the recorded {_written(choice)}", state, laps=run
            )
            return None
        recorded, ours = {action for actions in found for action in actions}, set(state.legal_actions)
        legal = frozenset(recorded) if ply.complete else None
        if not recorded <= ours or (ply.complete and recorded != ours):
            text = f"{PLAYERS[state.player]} may play {_names(state, ours)}, recorded is {_names(state, recorded)}"
            self._note(Kind.LEGAL, text, state, legal=legal, laps=run)
        return legal

    def _actions(self, state: State, choice: Choice) -> list[int]:
        """Our actions for a choice of the player to move: one, or those of all directions if it names none. Where pits
        are reversed only to capture, no name stands for the usual direction."""
        chooses = self.rules.offers_directions and not choice.label
        if chooses and choice.kind == "lift" and choice.source in self.board.pits:
            pit = self.board.pits.index(choice.source)
            of_pit = [action for action in state.legal_actions if state.pit(action) == pit]
            if of_pit:
                return of_pit[:1] if self.rules.reverses else of_pit
            if state.chosen_directions[state.player] is None:
                with suppress(ValueError):
                    return [self.rules.action(state.player, pit, direction) for direction in (0, 1)]
        try:
            return [self.entry.action(self.board, state, choice)]
        except ValueError:
            return []

    def _chosen(self, state: State, choice: Choice, run: int) -> int | None:
        """Our action for what was played; of several one that leads to a board recorded in the next ``run`` plies."""
        actions = self._actions(state, choice)
        played = [each for each in actions if each in state.legal_actions]
        plies = self.plies[self.at : self.at + run]
        fits = (
            [each for each in played if any(self._same(state.play(each), ply) for ply in plies)] if played[1:] else []
        )
        return next(iter([*fits, *actions]), None)

    def _run(self) -> int:
        """How many plies, from the next one on, can be laps of one turn."""
        end = self.at + 1
        goes_on = self.rules.relays or self.rules.sowing is Sowing.BAO
        while goes_on and end < len(self.plies):
            ply, before = self.plies[end], self.plies[end - 1]
            lap = len(ply.legal) == 1 and ply.complete and ply.chosen.kind == "lift"
            if not lap or not ply.mover == before.mover == before.next:
                break
            end += 1
        return end - self.at

    def _same(self, state: State, ply: Ply) -> bool:
        """Is our position what is recorded after a ply: as it stands, or, at the end, after the final collection?"""
        pits, stores = self.board.on_pits(ply.counts), self.board.in_stores(ply.counts)
        marks = self.board.marked(ply.marks) if "marks" in self.rules.fields else None
        if self._elsewhere(ply) or self.board.lost(ply.counts) not in (None, state.removed):
            return False
        if state.pits == pits and stores in (None, state.stores):
            return marks is None or tuple(state.marks) == marks if not self._forgets(state, ply) else False
        *left, south, north = swept(self.rules, state.array)
        return state.is_over and tuple(left) == pits and stores in (None, (south, north))

    def _known(self, ply: Ply) -> list[int]:
        """The sites that the program remembers after a ply, of those that our game has to remember as well."""
        return [site for name in self.entry.memory for site in ply.remembered.get(name, ())]

    def _forgets(self, state: State, ply: Ply) -> list[int]:
        """The pits that our game remembers and the recorded one does not, or the other way round."""
        if not self.entry.memory or state.is_over:
            return []
        known = self.board.known(self._known(ply))
        return [pit for pit, each in enumerate(known) if state.memory[pit] != each]

    def _elsewhere(self, ply: Ply) -> list[int]:
        """The sites that are no pits or stores of ours, and hold other seeds after a ply than before the turn."""
        before = self._before()
        others = () if "removed" in self.rules.fields else self.board.others
        return [site for site in others if ply.counts[site] != before[site]]

    def _how(self, state: State, action: int, after: State, run: int) -> str:
        """How the board differs after a turn of ``run`` recorded laps."""
        ply, names = self.plies[self.at + run - 1], self.rules.board.names
        what = [f"{PLAYERS[state.player]} plays {state.name(action)}"]
        pits, stores = self.board.on_pits(ply.counts), self.board.in_stores(ply.counts)
        if wrong := [pit for pit, seeds in enumerate(pits) if after.pits[pit] != seeds]:
            held, recorded = _listed(after.pits[pit] for pit in wrong), _listed(pits[pit] for pit in wrong)
            what.append(f"{_listed(names[pit] for pit in wrong)} hold {held}, recorded is {recorded}")
        if stores not in (None, after.stores):
            what.append(f"stores hold {_listed(after.stores)}, recorded is {_listed(stores or ())}")
        marks = self.board.marked(ply.marks)
        wrong = [pit for pit, mark in enumerate(marks) if after.marks[pit] != mark]
        if wrong and "marks" in self.rules.fields:
            what.append(f"marks of {_listed(names[pit] for pit in wrong)} differ")
        if wrong := self._forgets(after, ply):
            what.append(f"memory of {_listed(names[pit] for pit in wrong)} differs")
        what += [f"site {site}, which is none of ours, changes to {ply.counts[site]}" for site in self._elsewhere(ply)]
        return "; ".join(what)

    def _no_move(self, state: State, ply: Ply) -> State:
        """Compare a ply that is no move on the board: a forced pass, a proposal or a vote."""
        kind = ply.chosen.kind
        if kind == "pass" and state.player == ply.mover - 1 and state.legal_actions:
            ours = _names(state, state.legal_actions)
            self._note(Kind.PASS, f"{PLAYERS[state.player]} may play {ours}, recorded is a pass", state)
        if ply.counts != self._before() and not self._same(state, ply):
            self._note(Kind.BOARD, f"the recorded board changes with a {kind}", state)
        self.at += 1
        return state

    def _begins_round(self, state: State) -> bool:
        """Is a new round recorded: our round is over, and the board has been, or is being, laid out anew?"""
        if not state.is_over or self.at == 0:
            return False
        return self.plies[self.at].chosen.kind == "place" or not self._same(state, self.plies[self.at - 1])

    def _next_round(self, state: State) -> State | None:
        """The position in which the next recorded round begins; the last one if it is not played."""
        whole = self.entry.rounds == "first"
        while self.at < len(self.plies) and (whole or self.plies[self.at].chosen.kind != "lift"):
            self.report.between += 1
            self.at += 1
        return self._recorded() if self.at < len(self.plies) else state

    def _end(self, state: State) -> None:
        """Compare the end of the game."""
        game, entry = self.game, self.entry
        if not game.finished or entry.rounds:
            return
        if not state.is_over:
            self._note(Kind.END, f"{PLAYERS[state.player]} goes on, recorded is the end", state)
            return
        winner = game.winner - 1 if game.winner else None
        if entry.result != "none" and state.winner != winner:
            ours, recorded = ("nobody" if player is None else PLAYERS[player] for player in (state.winner, winner))
            self._note(Kind.RESULT, f"{ours} wins ({state.ending}), recorded is {recorded}", state)
        elif entry.result == "scores" and None not in (game.score, state.scores) and state.scores != game.score:
            text = f"scores are {_listed(state.scores or ())} ({state.ending}), recorded is {_listed(game.score or ())}"
            self._note(Kind.RESULT, text, state)

    def _before(self) -> tuple[int, ...]:
        """The recorded counts before the next ply."""
        return self.plies[self.at - 1].counts if self.at else self.game.start

    def _recorded(self, number: int = 0, before: State | None = None) -> State | None:
        """Our position for what is recorded before the next ply, the one of this number in our game. Directions chosen
        for the game are those of ``before``. None, and a difference, if there is none such."""
        marks = self.plies[self.at - 1].marks if self.at else self.game.marks
        mover = self.plies[self.at].mover if self.plies else self.first
        try:
            chosen = before.chosen_directions if before is not None else (None, None)
            known = self._known(self.plies[self.at - 1]) if self.at else ()
            return position(self.board, self._before(), marks, mover - 1, number, chosen, known)
        except ValueError as error:
            self._note(Kind.START, f"the recorded position is none of ours: {error}", self.rules.start())
            return None

    def _note(
        self,
        kind: Kind,
        text: str,
        state: State,
        action: int | None = None,
        after: State | None = None,
        legal: frozenset[int] | None = None,
        laps: int = 1,
    ) -> None:
        """Note a difference in the next ply, or in a turn of as many laps."""
        last = self.plies[min(self.at + laps, len(self.plies)) - 1] if self.plies else None
        counts = last.counts if last else self.game.start
        difference = Difference(
            kind=kind,
            text=text,
            seed=self.game.seed,
            ply=self.at,
            state=state,
            action=action,
            after=after,
            pits=self.board.on_pits(counts),
            stores=self.board.in_stores(counts),
            legal=legal,
            last=self.last,
            over=last is not None and last.next == 0,
        )
        predicting = next((each for each in self.entry.explained if each(difference)), None)
        reason = predicting or self.entry.allowed.get(kind)
        if reason is None:
            self.noted.append(2)
            self.report.differences.append(difference)
        else:
            self.noted.append(0 if predicting else 1)
            self.report.explained.setdefault(reason, []).append(difference)


def _is_move(state: State, choice: Choice) -> bool:
    """Is a choice a move on the board, or does it end a turn that could go on?"""
    return choice.kind in ON_THE_BOARD or (choice.kind == "pass" and state.pending is not None)


def _seen_by_the_mover(state: State) -> tuple[tuple[int, ...], ...]:
    """Pits, stores and marks from the mover's side, on boards of which each player owns half; else as they are."""
    half, marks = len(state.pits) // 2, tuple(state.marks.tolist())
    if state.player == 0 or not state.rules.board.halves:
        return state.pits, state.stores, marks
    marks = tuple(1 - mark if mark >= 0 else mark for mark in marks)
    return (*state.pits[half:], *state.pits[:half]), state.stores[::-1], (*marks[half:], *marks[:half])


def _names(state: State, actions: Iterable[int]) -> str:
    """Actions of the player to move as people write them."""
    return ", ".join(state.name(action) for action in sorted(actions)) or "nothing"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _written(choice: Choice) -> str:
    sites = str(choice.source) if choice.kind == "lift" else f"{choice.source} -> {choice.target}"
    return f"{sites} {choice.label}".strip()
