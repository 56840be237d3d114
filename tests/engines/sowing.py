"""Rules of Oware and Kalah on rings of pits, South's first, written for the engines alone."""


def _sown(pits, pit):
    """Pits after sowing one, and where the last seed fell."""
    pits, seeds, at = list(pits), pits[pit], pit
    pits[pit] = 0
    while seeds:
        at = (at + 1) % 12
        if at != pit:
            pits[at] += 1
            seeds -= 1
    return pits, at


def _theirs(mover):
    return range(6, 12) if mover == 0 else range(6)


def _captured(pits, mover, at):
    """Pits and seeds after a capture that begins where the last seed fell."""
    pits, seeds = list(pits), 0
    while at in _theirs(mover) and pits[at] in (2, 3):
        seeds += pits[at]
        pits[at] = 0
        at -= 1
    return pits, seeds


def _is_slam(pits, mover, pit):
    """Does a move capture all that the opponent has?"""
    sown, at = _sown(pits, pit)
    after, seeds = _captured(sown, mover, at)
    return seeds > 0 and not any(after[each] for each in _theirs(mover))


def oware_after(pits, mover, pit):
    """Pits after a move, and the seeds it captures: none in a grand slam."""
    sown, at = _sown(pits, pit)
    return (sown, 0) if _is_slam(pits, mover, pit) else _captured(sown, mover, at)


def oware_legal(pits, mover):
    """Pits that may be played: a starving opponent is fed, and no grand slam is played where another move is left."""
    own = [pit for pit in range(12) if pit not in _theirs(mover) and pits[pit]]
    feeding = [pit for pit in own if any(_sown(pits, pit)[0][each] for each in _theirs(mover))]
    return [pit for pit in feeding if not _is_slam(pits, mover, pit)] or feeding


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
