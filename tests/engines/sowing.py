"""Rules of Awari and Kalah on rings of pits, South's first, written for the engines alone."""


def awari_after(pits, mover, pit):
    """Pits after a move and its capture."""
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
    """Pits that may be played: those after which the opponent has seeds, or else all."""
    own = [pit for pit in range(6 * mover, 6 * mover + 6) if pits[pit]]
    return [pit for pit in own if any(awari_after(pits, mover, pit)[6 - 6 * mover :][:6])] or own


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
