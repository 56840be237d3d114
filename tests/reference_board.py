"""The board as the reference sees it: the cells that a player sows, what lies beside and across a pit, whose it is."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mancala_env import Ruleset

OWN_STORE, OTHER_STORE = -1, -2  # the cells that the stores are on a player's way round; pits are 0, 1, ...
NOBODY = -1


class Table(NamedTuple):
    """What lies on the table: the seeds in each pit, whose the pit is, whose mark it bears, if anybody's, the seeds in
    the stores of South and of North, the pits that the game remembers, and the seeds that South owes North."""

    pits: tuple[int, ...]
    owner: tuple[int, ...]
    marks: tuple[int, ...]
    stores: tuple[int, int] = (0, 0)
    memory: frozenset[int] = frozenset()
    debt: int = 0
    closed: frozenset[int] = frozenset()

    def seeds_in(self, cell: int, player: int) -> int:
        """Seeds in a cell of ``player``'s way round."""
        if cell == OWN_STORE:
            return self.stores[player]
        if cell == OTHER_STORE:
            return self.stores[1 - player]
        return self.pits[cell]


def laid_out(rules: Ruleset, table: Table, player: int) -> Table | None:
    """The table after a player, whose pits are all empty, has laid a seed in each; None if the rules or the stores do
    not allow that, or there is no need."""
    own = [pit for pit, owner in enumerate(table.owner) if owner == player]
    borrowed = max(0, len(own) - table.stores[player])
    owed = borrowed + (table.debt if player == 0 else -table.debt)
    is_needed = rules.stuck == "refill" and not any(table.pits[pit] for pit in own)
    if not is_needed or borrowed > table.stores[1 - player] or owed > rules.total_seeds:
        return None
    pits, stores = list(table.pits), list(table.stores)
    for pit in own:
        pits[pit] = 1
    stores[player] -= len(own) - borrowed
    stores[1 - player] -= borrowed
    debt = owed if player == 0 else -owed
    return table._replace(pits=tuple(pits), stores=(stores[0], stores[1]), debt=debt)


def side(rules: Ruleset, pits: Sequence[int], player: int, owner: Sequence[int] | None = None) -> int:
    """Seeds in the pits of a player, marked or not. ``owner``: whose each pit is, where that is not as on the board."""
    owner = rules.board.owner if owner is None else owner
    return sum(pits[pit] for pit in range(len(pits)) if owner[pit] == player)


@lru_cache(1000)
def way_round(rules: Ruleset, player: int, clockwise: bool) -> tuple[int, ...]:
    """The cells that a player sows, in order. A store follows the pit that is sown last on its owner's side."""
    around = list(rules.board.loops[player])
    if clockwise:
        around.reverse()
    way = []
    for pit in around:
        way.append(pit)
        if rules.store in ("own", "both") and pit == last_on_side(rules, player, clockwise):
            way.append(OWN_STORE)
        if rules.store == "both" and pit == last_on_side(rules, 1 - player, clockwise):
            way.append(OTHER_STORE)
    return tuple(way)


def last_on_side(rules: Ruleset, player: int, clockwise: bool) -> int:
    """The pit that is sown last on a player's side: on the right, or going clockwise on the left."""
    return rules.board.homes[player][0 if clockwise else -1]


def across(rules: Ruleset, pit: int) -> int | None:
    """The pit that faces ``pit``, if any does."""
    facing = rules.board.facing[pit]
    return None if facing == pit else facing


def outer_across(rules: Ruleset, pit: int) -> int | None:
    """The opponent's outer pit of the column of the pit that faces ``pit``."""
    outer = rules.board.outer[pit]
    return None if outer == pit else outer


def is_inner(rules: Ruleset, pit: int) -> bool:
    """Does the pit lie in an inner row, on a board of four rows?"""
    columns = rules.board.columns
    return rules.board.rows == 4 and pit % (2 * columns) >= columns


def beside(rules: Ruleset, pit: int) -> list[int]:
    """The pits before and after ``pit`` in its row of the board."""
    columns = rules.board.columns
    row, place = divmod(pit, columns)
    return [row * columns + near for near in (place - 1, place + 1) if 0 <= near < columns]


def neighbours(rules: Ruleset, pit: int) -> list[int | None]:
    """The five places around a pit of two rows, counter-clockwise from the most clockwise one; None is off the board.
    From the bottom row that is right, up-right, up, up-left, left; from the top row left, down-left, down, and so
    on."""
    columns = rules.board.columns
    bottom = list(range(columns))  # as South sees them, from left to right
    top = list(range(2 * columns - 1, columns - 1, -1))
    if pit in bottom:
        column, own, other, ahead = bottom.index(pit), bottom, top, 1
    else:
        column, own, other, ahead = top.index(pit), top, bottom, -1
    places = [
        (own, column + ahead),
        (other, column + ahead),
        (other, column),
        (other, column - ahead),
        (own, column - ahead),
    ]
    return [row[place] if 0 <= place < columns else None for row, place in places]


def next_empty(pits: Sequence[int], player: int, pit: int) -> int | None:
    """The nearest empty pit to the right of ``pit`` for Left (0), to the left of it for Right (1)."""
    ahead = range(pit + 1, len(pits)) if player == 0 else range(pit - 1, -1, -1)
    for place in ahead:
        if pits[place] == 0:
            return place
    return None


def rules_for_one(rules: Ruleset) -> bool:
    """Is this a solitaire? All pits are South's then."""
    return set(rules.board.owner) == {0}


def next_piles(piles: Sequence[int]) -> tuple[int, ...]:
    """The piles, from the largest to the smallest, after one seed of each has gone to a new pile."""
    left = [seeds - 1 for seeds in piles if seeds > 0]
    made = sorted([*left, len(left)], reverse=True)[: len(piles)]
    return (*made, *[0] * (len(piles) - len(made)))
