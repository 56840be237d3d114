"""A game in a terminal: the board as text, moves as letters. Input may also come from a file or a pipe."""

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from agents.play.session import SEATS, Session
from mancala_env.replay.endings import how_it_ended
from mancala_env.rules.plain import label
from mancala_env.state import State

HELP = """\
A letter plays that pit (pass, where you must). And there are
  hint            the best move, what it is worth, and what may follow
  undo, redo      take back your last move, and play it again
  moves           the game so far
  board           the board once more
  save FILE       keep the game in a file, finished or not
  load FILE [N]   go on with a saved game, the Nth of the file
  help            this
  quit            leave, as does Ctrl-D"""


class Terminal:
    """A session with a person who reads and writes lines.

    Parameters
    ----------
    session : Session
    read : shows a prompt and returns a line; raises EOFError at the end
    out : text file
    """

    def __init__(self, session: Session, read: Callable[[str], str], out: TextIO) -> None:
        self._session, self._read, self._out = session, read, out
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "hint": self._hint,
            "undo": self._undo,
            "redo": self._redo,
            "moves": lambda _: self._say(self._moves()),
            "board": lambda _: self._show(),
            "save": self._save,
            "load": self._load,
            "help": lambda _: self._say(HELP),
        }

    def run(self) -> None:
        """Play until the person leaves or the input ends. Failures of the agent are reported and end nothing.

        An empty line makes the agent try once more.
        """
        session = self._session
        alone = session.rules.players == 1
        how = "you play alone" if alone else f"you are {SEATS[session.seat]}, against {session.agent.name}"
        self._say(f"{label(session.rules_text)}: {how}. Try help.")
        self._show()
        words: list[str] = []
        try:
            while not words or words[0].lower() not in ("quit", "exit"):
                try:
                    self._obey(words)
                except (ValueError, OSError, RuntimeError) as error:
                    from mancala_env.cli import in_words  # what parses commands is not where a browser plays

                    self._say(f"{in_words(error)}.")
                words = self._read(self._prompt()).split()
        except (EOFError, KeyboardInterrupt):
            self._say("")

    def _prompt(self) -> str:
        if self._session.state.is_over:
            return "The game is over (undo, save FILE, quit): "
        return f"{SEATS[self._session.state.player]} plays: "

    def _obey(self, words: list[str]) -> None:
        if not words:
            self._replies()
            return
        if (command := self._commands.get(words[0].lower())) is not None:
            command(words[1:])
            return
        state = self._session.state
        if state.is_over:
            raise ValueError(f"the game is over, and {words[0]!r} cannot be played; help lists what can be done")
        self._session.play(read_move(state, " ".join(words)))
        self._show_move()
        self._replies()

    def _replies(self) -> None:
        session = self._session
        while session.is_agents_turn:
            before = session.state
            action = session.reply()
            self._say(f"\n{session.agent.name} plays {before.name(action)}.")
            self._show_move()
        if session.state.is_over:
            self._say(ending(session.state, session.seat))

    def _show_move(self) -> None:
        """Print what a move did and how a game that it ended went, then the board after it."""
        session = self._session
        self._say(f"{session.states[-2].trace(session.actions[-1]).text}.")
        for end in session.game_ends:
            if end.ply == len(session.actions):
                self._say(f"\n{end.full(session.seat)}")
        self._show()

    def _hint(self, _: list[str]) -> None:
        state = self._session.state
        found = self._session.hint()
        self._say(f"Play {state.name(found.best)}: {found.told(state)}.\nWhat it does: {state.trace(found.best).text}.")

    def _undo(self, _: list[str]) -> None:
        self._session.undo()
        self._show()

    def _redo(self, _: list[str]) -> None:
        self._session.redo()
        self._show()
        self._replies()

    def _save(self, words: list[str]) -> None:
        if not words:
            raise ValueError("save needs the name of a file: save game.txt")
        path = Path(" ".join(words)).expanduser()
        path.write_text(self._session.save(), encoding="utf-8")
        self._say(f"Saved to {path}.")

    def _load(self, words: list[str]) -> None:
        if not words:
            raise ValueError("load needs the name of a file: load game.txt")
        number = 1
        if len(words) > 1 and words[-1].isdecimal():
            number = int(words.pop())
        text = Path(" ".join(words)).expanduser().read_text(encoding="utf-8")
        self._session.load(text, number)
        self._say(f"{label(self._session.rules_text)}: you are {SEATS[self._session.seat]}.")
        self._show()
        self._replies()

    def _moves(self) -> str:
        lines, number, player = list[str](), 0, -1
        ends = self._session.game_ends
        for ply, (state, action) in enumerate(zip(self._session.states, self._session.actions, strict=False)):
            if player < 0 or (state.player == 0 and player == 1):
                number += 1
                lines.append(f"{number:3}." + (" ..." if state.player else ""))
            lines[-1] += f" {state.name(action)}"
            player = state.player
            for end in ends:
                if end.ply == ply + 1:
                    lines.append(f"{end.short(self._session.seat)}.")
                    player = -1
        return "\n".join(lines) or "No move yet."

    def _show(self) -> None:
        self._say(f"\n{self._session.state.to_text()}")

    def _say(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()


def read_move(state: State, text: str) -> int:
    """The legal action that ``text`` means; capital and small letters are the same unless they name different moves.

    Raises
    ------
    ValueError
        If there is no such move, or it is not legal; the message lists the legal ones.
    """
    names = {state.name(action): action for action in range(state.rules.num_actions)}
    legal = ", ".join(state.name(action) for action in state.legal_actions)
    action = next((names[word] for word in (text, text.swapcase(), text.lower()) if word in names), None)
    if action is None:
        raise ValueError(f"{text!r} is no move and no command; you can play {legal}, and help lists the commands")
    if action not in state.legal_actions:
        pit = state.pit(action)
        why = "is empty" if pit is not None and not state.pits[pit] else "cannot be played now"
        raise ValueError(f"{state.name(action)} {why}; you can play {legal}")
    return action


def ending(state: State, seat: int) -> str:
    """How a finished game went for the person in this seat, in a sentence."""
    return f"{how_it_ended(state, seat)}."


def due(state: State) -> str:
    """What the mover has to decide in mid-turn, as a request in a sentence; "" if nothing."""
    if (pending := state.pending) is None:
        return ""
    if pending.kind == "go_on":
        return f"Go on from {state.rules.board.names[pending.number]}, or stop."
    if pending.kind == "end":
        return f"Choose the end from which to sow what lies across from {state.rules.board.names[pending.number]}."
    if pending.kind == "direction":
        return f"Choose the direction in which to go on from {state.rules.board.names[pending.number]}."
    return f"Pick {pending.number} more pit{'' if pending.number == 1 else 's'} of the opponent."
