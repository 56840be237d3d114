"""An engine of Awari that speaks UCI."""

import random
import sys

import sowing

LETTERS = "ABCDEFabcdef"
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
            pits = sowing.awari_after(pits, mover, LETTERS.index(letter))
            mover = 1 - mover
    elif words[:1] == ["go"]:
        print(f"info string told {' '.join(words[1:])}")
        print("bestmove", "Z" if "--illegal" in sys.argv else LETTERS[choose.choice(sowing.awari_legal(pits, mover))])
    elif words[:1] == ["quit"]:
        break
    sys.stdout.flush()
