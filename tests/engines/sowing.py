"""Rules of Oware and Kalah on rings of pits, South's first, written for the engines alone."""


def oware_after(pits, mover, pit):
    """Pits after a move, and the seeds it captures."""
    pits, seeds, at = list(pits), pits[pit], pit
    pits[pit] = 0
    while seeds:
        at = (at + 1) % 12
        if at != pit:
            pits[at] += 1
            seeds -= 1
    captured = 0
    theirs = range(6, 12) if mover == 0 else range(6)
    while at in theirs and pits[at] in (2, 3):
        captured += pits[at]
        pits[at] = 0
        at -= 1
    return pits, captured


def oware_legal(pits, mover):
    """Pits that may be played: no grand slam, and a starving opponent is fed if possible."""
    own = range(6) if mover == 0 else range(6, 12)
    theirs = range(6, 12) if mover == 0 else range(6)
    starved = not any(pits[pit] for pit in theirs)
    moves = []
    for pit in own:
        if pits[pit]:
            after, captured = oware_after(pits, mover, pit)
            feeds = any(after[each] for each in theirs)
            if not (captured or starved) or feeds:
                moves.append(pit)
    return moves


def kalah_after(pits, stores, mover, pit):
    """Pits, stores and mover after a move on rows of any length."""
    n = len(pits) // 2
    pits, stores = list(pits), list(stores)
    ring = [*range(n), "South", *range(n, 2 * n), "North"]
    skipped = "North" if mover == 0 else "South"
    seeds, at = pits[pit], ring.index(pit)
    pits[pit] = 0
    while seeds:
        at = (at + 1) % len(ring)
        if ring[at] == skipped:
            continue
        seeds -= 1
        if isinstance(ring[at], int):
            pits[ring[at]] += 1
        else:
            stores[mover] += 1
    last = ring[at]
    if not isinstance(last, int):
        return pits, stores, mover
    facing = 2 * n - 1 - last
    if last // n == mover and pits[last] == 1 and pits[facing]:
        stores[mover] += 1 + pits[facing]
        pits[last] = pits[facing] = 0
    return pits, stores, 1 - mover
