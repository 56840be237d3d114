"""A player of Kalah for contest sites: ``--board`` reads boards, else it reads moves as letters."""

import random
import sys

import sowing

choose = random.Random(1)


def read_boards():
    """Own pits and the other's, with stores or without: numbers from 0."""
    for line in sys.stdin:
        row = list(map(int, line.split()))
        own = row[: len(row) // 2]
        stores = "--stores" in sys.argv
        print(choose.choice([pit for pit in range(len(own) - stores) if own[pit]]), flush=True)


def read_moves():
    """Start, or the other's moves."""
    letters = "ABCDEFabcdef"
    pits, stores, mover = [4] * 12, [0, 0], 0
    me = None
    while any(pits[:6]) and any(pits[6:]):
        if mover != me:
            line = sys.stdin.readline().strip()
            if line in ("", "Quit"):
                return
            if me is None:
                me = 0 if line == "Start" else 1
            if line == "Start":
                continue
            pit = letters.index(line)
        else:
            pit = choose.choice([pit for pit in range(6 * me, 6 * me + 6) if pits[pit]])
            print(letters[pit], flush=True)
        pits, stores, mover = sowing.kalah_after(pits, stores, mover, pit)


read_boards() if "--board" in sys.argv else read_moves()
