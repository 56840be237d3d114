"""Programs of contest sites as bots: they read the opponent's moves, or the board, and write their own move.

``contest.py COMMAND...`` is the way of CodeCup: ``Start`` to the player who begins, then the opponent's moves, ``Quit``
at the end. ``contest.py --board COMMAND...`` is that of CodinGame: before each move the seeds of the program's own pits
and of the opponent's, in sowing order; with ``--stores`` each player's store after the row. ``--pits=letters``, ``0``
or ``1`` is how moves are written: A to F and a to f, or numbers from there from the owner's left (of boards: from 0).

A program is started anew for each game. Neither rules nor clock are told.
"""

import contextlib
import itertools
import subprocess
import sys

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Program:
    """A program that plays one game after the other, each in a process of its own."""

    def __init__(self, options: set[str], command: list[str]) -> None:
        self.command = command
        self.boards, self.stores = "--board" in options, "--stores" in options
        self.pits = next((each.partition("=")[2] for each in options if each.startswith("--pits=")), "")
        self.pits = self.pits or ("0" if self.boards else "letters")
        self.process: subprocess.Popen[bytes] | None = None
        self.heard = 0  # moves that it knows, its own included

    def end(self) -> None:
        """End the game, and the process."""
        if self.process is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.process.communicate(b"" if self.boards else b"Quit\n", timeout=0.5)
            self.process.kill()
            self.process.wait()
        self.process, self.heard = None, 0

    def written(self, name: str) -> str:
        """A move as it is written, of the name that it has here."""
        return name if self.pits == "letters" else str(LETTERS.index(name.upper()) + int(self.pits))

    def question(self, board: str, moves: list[str]) -> str:
        """What it reads before a move: ``board`` as in ``kalah 4-4-4-4-4-4-0-0-S``."""
        if not self.boards:
            news = moves[self.heard :] if moves else ["Start"]
            self.heard = len(moves) + 1  # and the move that it chooses now
            return "".join(f"{each if each == 'Start' else self.written(each)}\n" for each in news)
        *numbers, mover = board.split()[1].split("-")
        size, me = len(numbers) // 2 - 1, "SN".index(mover)
        rows = [numbers[:size], numbers[size : 2 * size]]
        if self.stores:
            rows = [[*row, store] for row, store in zip(rows, numbers[2 * size :], strict=True)]
        return " ".join(rows[me] + rows[1 - me]) + "\n"

    def choose(self, question: str, names: list[str]) -> str:
        """The name of the move that it writes; the word itself if it is none."""
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(question.encode())
        self.process.stdin.flush()
        line = b"\n"
        while not line.strip():
            if not (line := self.process.stdout.readline(1 << 16)):
                sys.exit(self.process.wait())
        word = line.decode("utf-8", "replace").split()[0]
        return next((name for name in names if self.written(name).lower() == word.lower()), word)


def main() -> None:
    """The command."""
    words = sys.argv[1:]
    options = set(itertools.takewhile(lambda word: word.startswith("--"), words))
    program = Program(options, words[len(options) :])
    if program.pits not in ("letters", "0", "1") or not program.command:
        sys.exit("usage: contest.py [--board] [--stores] [--pits=letters|0|1] COMMAND...")
    board, played, begun = "", 0, None
    last = ("", "")  # the question that was answered last, and the answer: it may be asked again
    for line in sys.stdin:
        word, *rest = line.split() or [""]
        answer = ""
        if word == "uci":
            answer = "id name Contest program\nuciok"
        elif word == "isready":
            answer = "readyok"
        elif word == "rules":
            answer = "rulesok"
        elif word == "ucinewgame":
            program.end()
            last = ("", "")
        elif word == "position":
            played, begun = len(rest) - rest.index("moves") - 1, None
        elif word == "startpos":
            begun = rest[1:]
        elif word == "board":
            board = " ".join(rest)
        elif word == "go" and not program.boards and (begun is None or len(begun) != played):
            answer = "info string is told moves only and cannot begin in the middle of a game\nbestmove none"
        elif word == "go":
            if last[0] != (asked := f"{board} {begun}"):
                names = rest[rest.index("searchmoves") + 1 :]
                last = (asked, program.choose(program.question(board, begun or []), names))
            answer = f"bestmove {last[1]}"
        elif word == "quit":
            break
        if answer:
            print(answer, flush=True)
    program.end()


if __name__ == "__main__":
    main()
