"""The way of a move over the board: where seeds were sown, in order, and which pits were captured."""

from itertools import count, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.render.holes import NOBODY
from mancala_env.rules import Ruleset

Step = tuple[int, int]  # from a hole to the one where the next seed falls


class Path(NamedTuple):
    """What a move did. Holes are pits in canonical order, then South's store and North's store."""

    pit: int | None  # that was played; None for a pass
    steps: tuple[Step, ...]
    taken: tuple[int, ...]  # captured pits, the first first
    seeds: tuple[int, ...]  # in all holes behind it, before any final collection or new game

    @property
    def sown(self) -> tuple[int, ...]:
        """The holes that got seeds, each once, in the order in which they got their last."""
        return tuple(reversed(dict.fromkeys(to for _, to in reversed(self.steps))))


def path_of(rules: Ruleset, before: npt.ArrayLike, action: int, after: npt.ArrayLike) -> Path:
    """The path of a move.

    Parameters
    ----------
    rules : the game
    before, after : int[rules.fields["width"]], the positions around the move (``kernels.layout``)
    action : of the mover before it

    Raises
    ------
    ValueError
        If the mover has no such action.
    """
    row, end, n = np.asarray(before).tolist(), np.asarray(after).tolist(), rules.board.pits
    pit = rules.pit(row[n + layout.MOVER], action)
    seeds = row[: n + 2]
    if pit is None:
        return Path(None, (), (), tuple(seeds))
    sowing = rules.one_game.axes[layout.SOWING]
    if sowing == layout.SOW_NEIGHBOURS:
        return _scattered(rules, seeds, pit)
    if sowing == layout.SOW_REAPING:
        return _reaped(seeds, end, pit)
    return _sown(rules, row, end, pit)


def _scattered(rules: Ruleset, seeds: list[int], pit: int) -> Path:
    """To the pits around, counter-clockwise; what falls beside the board or into a full pit is lost."""
    columns, n = rules.board.columns, rules.board.pits
    turned, column = pit - pit % columns, pit % columns
    around = ((1, column + 1), (1, 2 * columns - 2 - column), (0, 2 * columns - 1 - column),
              (-1, 2 * columns - column), (-1, column - 1))  # fmt: skip
    steps, hand = [], seeds[pit]
    seeds[pit] = 0
    for side, place in around[:hand]:
        hole = (place + turned) % n
        if (side > 0 and column == columns - 1) or (side < 0 and column == 0) or seeds[hole] >= rules.pit_limit:
            continue
        seeds[hole] += 1
        steps.append((pit, hole))
    return Path(pit, tuple(steps), (), tuple(seeds))


def _reaped(seeds: list[int], end: list[int], pit: int) -> Path:
    """One seed of each pit on the way goes to the pit at its end."""
    target = next(hole for hole, count in enumerate(seeds) if end[hole] > count)
    way = range(pit, target, 1 if target > pit else -1)
    for hole in way:
        seeds[hole] -= 1
        seeds[target] += 1
    return Path(pit, tuple(pairwise((*way, target))), (), tuple(seeds))


def _sown(rules: Ruleset, row: list[int], end: list[int], pit: int) -> Path:
    """Round the mover's track, lap by lap, as the landing table says."""
    axes, tables = rules.one_game.axes, rules.one_game.tables
    n, player = rules.board.pits, row[rules.board.pits + layout.MOVER]
    track = tables[player, layout.TRACK : layout.TRACK + axes[layout.LOOP]].tolist()
    facing_of, behind_of = (tables[player, at : at + n].tolist() for at in (layout.FACING, layout.BEHIND))
    owner = tables[player, layout.OWNER : layout.OWNER + n].tolist()
    if (at := rules.fields.get("owner")) is not None:
        owner = row[at : at + n]
    marks = [NOBODY] * n if (at := rules.fields.get("marks")) is None else row[at : at + n]
    at = rules.fields.get("match")
    another = at is not None and row[at] != end[at]
    table = axes[layout.LANDING : layout.LANDING + axes[layout.ROWS] * layout.ROW_SIZE].tolist()
    rows = [table[k : k + layout.ROW_SIZE] for k in range(0, len(table), layout.ROW_SIZE)]

    seeds, store = row[: n + 2], n + player
    steps: list[Step] = []
    taken: list[int] = []
    hand, origin, here = seeds[pit], pit, pit
    seeds[pit] = 0
    for lap in count(1):
        station = track.index(origin)
        while hand:
            station = (station + 1) % len(track)
            if axes[layout.SKIP_ORIGIN] and track[station] == origin:
                continue
            steps.append((here, track[station]))
            here = track[station]
            seeds[here] += 1
            hand -= 1
        facing, behind = (facing_of[here], behind_of[here]) if here < n else (here, here)
        across = seeds[facing] if facing != here else 0
        facts = layout.IN_STORE
        if here < n:
            facts = (
                layout.OWN_SIDE * (owner[here] == player)
                | layout.WAS_EMPTY * (seeds[here] == 1)
                | layout.IS_EVEN * (seeds[here] % 2 == 0)
                | layout.FACING_FULL * (across > 0)
                | layout.BEHIND_FULL * (behind != here and seeds[behind] > 0)
                | layout.MARKED * (marks[here] != NOBODY)
            )
        landed = next(
            (
                line
                for line in rows
                if facts & line[layout.NEEDS] == line[layout.VALUE]
                and line[layout.COUNTS] >> min(seeds[here], layout.TOP_COUNT) & 1
                and line[layout.FACING_COUNTS] >> min(across, layout.TOP_COUNT) & 1
            ),
            None,
        )
        if landed is None:
            break
        take, then = landed[layout.TAKE], landed[layout.THEN]
        if then >= layout.RELAY and lap >= axes[layout.LAP_LIMIT]:
            break
        if then == layout.SOW_ON:
            for hole in (facing, behind) if take & layout.TAKE_BEHIND else (facing,):
                hand += seeds[hole]
                seeds[hole] = 0
                taken.append(hole)
            origin = here
            continue
        if take & layout.TAKE_PAIR:
            seeds[facing] -= 1
            seeds[here] += 1
            break
        found = [here] if take & layout.TAKE_HERE else []
        if chain := landed[layout.CHAIN]:
            for k in range(1, len(track)):
                back = track[station - k]
                if back >= n or (chain == layout.CHAIN_ENEMY and owner[back] == player):
                    break
                if not landed[layout.CHAIN_COUNTS] >> min(seeds[back], layout.TOP_COUNT) & 1:
                    break
                found.append(back)
        if take & layout.TAKE_FACING and facing != here:
            found.append(facing)
        found = [hole for hole in found if seeds[hole]]
        if not another and then < layout.RELAY:  # a grand slam may take nothing, or not all: the position tells
            found = [hole for hole in found if end[hole] < seeds[hole]]
        for hole in found:
            seeds[store] += seeds[hole]
            seeds[hole] = 0
        taken += found
        if then != layout.RELAY or not seeds[here]:
            break
        hand, origin = seeds[here], here
        seeds[here] = 0
    return Path(pit, tuple(steps), tuple(dict.fromkeys(taken)), tuple(seeds))
