#!/usr/bin/env python3
"""A bot that plays any legal move: the protocol (docs/protocol.md) in its smallest form, and nothing to install."""

import random
import sys


def main() -> None:
    """The command."""
    seed, choose = 0, random.Random(0)
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uci"]:
            print("id name Random (Python)\nid author mancala-env\noption name Seed type spin default 0\nuciok")
        elif words[:1] == ["isready"]:
            print("readyok")
        elif words[:1] == ["rules"]:
            print("rulesok")  # it takes the legal moves from the host, so that every game will do
        elif words[:4] == ["setoption", "name", "Seed", "value"]:
            seed = int(words[4])
        elif words[:1] == ["ucinewgame"]:
            choose = random.Random(seed)
        elif words[:1] == ["go"]:
            print("bestmove", choose.choice(words[words.index("searchmoves") + 1 :]))
        elif words[:1] == ["quit"]:
            break
        sys.stdout.flush()


if __name__ == "__main__":
    main()
