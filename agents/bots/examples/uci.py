"""UCI as engines of Oware speak it: ``position startpos moves AbCd``, ``go movetime 50``, ``bestmove A``.

The Universal Chess Interface (S. Meyer-Kahlen, 2000) with the notation of Oware: South's pits are A to F, North's a to
f, from each player's left, and moves follow one another without a space. Aalina speaks it.

``uci.py [--fen] COMMAND...`` is a bot: it starts an engine, and passes its answers on. The rules are not told: that the
engine plays the same ones is for its user to see to. ``--fen``: an opening whose moves from the start nobody knows is
told as ``position fen 4-4-...-0-0-S``.
"""

import json
import os
import subprocess
import sys
import threading
from itertools import pairwise
from typing import IO

OWARE = ("oware", "awari", "oware_tutti_a_casa", "oware_liberta")
OTHER_BOARD = {"pits_per_row", "seeds", "start", "explicit_pass"}  # changes by which moves or boards are others
_MOVETIME = 1000  # milliseconds for a move where the host sets no limit


def bot(command: list[str], fen: bool) -> int:
    """Be a bot for an engine that a command starts; returns the engine's exit code."""
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None
    assert engine.stdout is not None
    threading.Thread(target=ask, args=(engine.stdin, fen), daemon=True).start()
    try:
        while said := os.read(engine.stdout.fileno(), 1 << 16):  # its words are those of the bots' protocol
            sys.stdout.buffer.write(said)
            sys.stdout.flush()
        return engine.wait()
    finally:
        engine.kill()


def ask(engine: IO[bytes], fen: bool) -> None:
    """Tell an engine what the host writes."""
    position, begun = "", ""
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        said, told = "", line
        if word == "uci":
            said = f"id games {' '.join(OWARE)}"
        elif word == "rules":
            said, told = answer_to_rules(rest), ""
        elif word == "position":
            text, _, moves = rest.partition(" moves")
            position = f"fen {text.split()[1]} moves {''.join(moves.split())}" if fen else ""
            begun = told = ""
        elif word == "startpos":
            begun, told = f"startpos moves {''.join(rest.split()[1:])}", ""
        elif word == "go":
            known = begun or position
            told = f"position {known.removesuffix(' moves ')}\ngo {limits(dict(pairwise(rest.split())))}\n"
            if not known:
                said, told = "info string nobody knows the moves from the start to this opening\nbestmove none", ""
        elif word not in ("isready", "setoption", "ucinewgame", "stop", "quit"):
            told = ""
        if said:
            print(said, flush=True)
        engine.write(told.encode())
        engine.flush()
    engine.close()


def answer_to_rules(text: str) -> str:
    """``rulesok``, or why UCI cannot express the moves of a game."""
    game, _, changes = text.partition(" ")
    plays = game in OWARE and not OTHER_BOARD & json.loads(changes).keys()
    return "rulesok" if plays else f"refused UCI is for single games of {', '.join(OWARE)} on their usual board"


def limits(told: dict[str, str]) -> str:
    """The limits of ``go``, one at least: of a clock a thirtieth, and most of what comes after each move."""
    found = {name: told[name] for name in ("movetime", "depth", "nodes") if name in told}
    if not found and "bank" in told:
        left, more = int(told["bank"]), int(told.get("increment", 0))
        found["movetime"] = str(max(1, int(min(left / 2, left / 30 + 0.8 * more))))
    return " ".join(f"{name} {value}" for name, value in (found or {"movetime": str(_MOVETIME)}).items())


if __name__ == "__main__":
    fen, command = sys.argv[1:2] == ["--fen"], sys.argv[1 + (sys.argv[1:2] == ["--fen"]) :]
    sys.exit(bot(command, fen) if command else "usage: uci.py [--fen] COMMAND...")
