"""An engine of Awari that speaks UCI, with rules of its own on a ring of pits, South's first."""

import random
import sys

LETTERS = "ABCDEFabcdef"


def awari_after(pits, mover, pit):
    pits, seeds, at = list(pits), pits[pit], pit
    pits[pit] = 0
    while seeds:
        at = (at + 1) % 12
        if at != pit:
            pits[at] += 1
            seeds -= 1
    while 0 <= at - (6 - 6 * mover) < 6 and pits[at] in (2, 3):
        pits[at] = 0
        at -= 1
    return pits


def awari_legal(pits, mover):
    own = [pit for pit in range(6 * mover, 6 * mover + 6) if pits[pit]]
    return [pit for pit in own if any(awari_after(pits, mover, pit)[6 - 6 * mover :][:6])] or own


choose = random.Random(1)
pits, mover = [4] * 12, 0
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name Little Awari\nid author Ada\noption name Hash type spin default 1 min 1 max 9\nuciok")
    elif words[:1] == ["isready"]:
        print("readyok")
    elif words[:1] == ["position"]:
        pits, mover = [4] * 12, 0
        if words[1] == "fen":
            *numbers, side = words[2].split("-")
            pits, mover = list(map(int, numbers[:12])), "SN".index(side)
        for letter in "".join(words[words.index("moves") + 1 :]) if "moves" in words else "":
            pits = awari_after(pits, mover, LETTERS.index(letter))
            mover = 1 - mover
    elif words[:1] == ["go"]:
        print(f"info string told {' '.join(words[1:])}")
        print("bestmove", "Z" if "--illegal" in sys.argv else LETTERS[choose.choice(awari_legal(pits, mover))])
    elif words[:1] == ["quit"]:
        break
    sys.stdout.flush()
