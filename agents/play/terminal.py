"""A game in a terminal: the board as text, moves as letters. Input may also come from a file or a pipe."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from agents.play.session import SEATS, Session
from mancala_env.rules.plain import label
from mancala_env.state import State
from mancala_env.trace import EventKind

HELP = """\
A letter plays that pit (pass, where you must). And there are
  hint            the best move, what it is worth, and what may follow
  undo, redo      take back your last move, and play it again
  moves           the game so far
  board           the board once more
  save FILE       keep the game in a file, finished or not: mancala play --load FILE goes on with it
  help            this
  quit            leave, as does Ctrl-D

In colour: the pit that was played is yellow, those that were sown are green, those that were captured red."""
LEAVE = ("quit", "exit")
PLAYED, SOWN, TAKEN = "1;33", "32", "1;31"  # SGR: bold yellow, green, bold red


class Terminal:
    """A session with a person who reads and writes lines. ``read`` shows a prompt and returns a line (EOFError at the
    end); boards show the last move in colour on a terminal, unless ``NO_COLOR`` is set."""

    def __init__(self, session: Session, read: Callable[[str], str], out: TextIO) -> None:
        self._session, self._read, self._out = session, read, out
        is_dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"  # no-color.org
        self._colour = out.isatty() and not is_dumb
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "hint": self._hint,
            "undo": lambda _: self._step(self._session.undo),
            "redo": lambda _: self._step(self._session.redo),
            "moves": lambda _: self._say(self._moves()),
            "board": lambda _: self._show(),
            "save": self._save,
            "help": lambda _: self._say(HELP),
        }

    def run(self) -> None:
        """Play until the person leaves or the input ends; an empty line makes an agent that failed try once more."""
        session = self._session
        alone = session.rules.players == 1
        how = "you play alone" if alone else f"you are {SEATS[session.seat]}, against {session.agent.name}"
        self._say(f"{label(session.rules_text)}: {how}. Try help.")
        self._show()
        words: list[str] = []
        try:
            while True:
                try:
                    if words and words[0].lower() in LEAVE:
                        return
                    self._obey(words)
                except (ValueError, OSError, RuntimeError) as error:
                    from mancala_env.cli import in_words  # what parses commands is not where a browser plays

                    self._say(f"{in_words(error)}.")
                plays = f"{SEATS[session.state.player]} plays: "
                over = "The game is over (undo, save FILE, quit): "
                words = self._read(over if session.state.is_over else plays).split()
        except (EOFError, KeyboardInterrupt):
            self._say("")

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
        self._say_again("You move")
        self._replies()

    def _replies(self) -> None:
        session = self._session
        while session.is_agents_turn:
            before = session.state
            action = session.reply()
            self._say(f"\n{session.agent.name} plays {before.name(action)}.")
            self._show_move()
            self._say_again(f"{session.agent.name} moves")
        if session.state.is_over:
            self._say(session.result)

    def _show_move(self) -> None:
        """Print what a move did and how a game that it ended went, then the board after it."""
        session = self._session
        self._say(f"{session.states[-2].trace(session.actions[-1]).text}.")
        for end in session.game_ends:
            if end.ply == len(session.actions):
                self._say(f"\n{end.full(session.seat)}")
        self._show(marked=True)

    def _say_again(self, who: str) -> None:
        """Say so, if who has just moved is to move once more, and not because a new game of a match begins."""
        before, state = self._session.states[-2:]
        same = state.player == before.player and len(state.games) == len(before.games)
        if same and not state.is_over and state.pending is None and state.rules.players > 1:
            self._say(f"{who} again.")

    def _hint(self, _: list[str]) -> None:
        state = self._session.state
        found = self._session.hint()
        self._say(f"Play {state.name(found.best)}: {found.told(state)}.\nWhat it does: {state.trace(found.best).text}.")

    def _step(self, step: Callable[[], State]) -> None:
        step()
        self._show()
        self._replies()

    def _save(self, words: list[str]) -> None:
        if not words:
            raise ValueError("save needs the name of a file: save game.txt")
        path = Path(" ".join(words)).expanduser()
        path.write_text(self._session.save(), encoding="utf-8")
        self._say(f"Saved to {path}.")

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

    def _show(self, marked: bool = False) -> None:
        states, actions = self._session.states, self._session.actions
        styles = last_move(states[-2], actions[-1], states[-1]) if self._colour and marked else None
        self._say(f"\n{states[-1].to_text(styles=styles)}")

    def _say(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()


def last_move(before: State, action: int, after: State) -> dict[int, str]:
    """How a terminal shows the pits of a move; none on the board of a match's next game."""
    if len(after.games) != len(before.games) and not after.is_over:
        return {}
    trace = before.trace(action)
    pits = range(before.rules.board.pits)
    falls = [each.target for each in trace.events if each.kind in (EventKind.SOW, EventKind.LAY, EventKind.BRING)]
    styles = {pit: SOWN for pit in falls if pit is not None and pit in pits}
    if trace.pit is not None:
        styles[trace.pit] = PLAYED
    return styles | {pit: TAKEN for pit in trace.taken if pit in pits}


def read_move(state: State, text: str) -> int:
    """The legal action that ``text`` means; capital and small letters are the same unless they name different moves.
    ValueError, which lists the legal ones, if there is none."""
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


def due(state: State) -> str:
    """What the mover has to decide in mid-turn, as a request in a sentence; "" if nothing."""
    if (pending := state.pending) is None:
        return ""
    words = pending.words(state.rules)
    return f"{words[0].upper()}{words[1:]}."
