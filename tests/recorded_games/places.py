"""Which recorded site is which of our pits and stores, and which recorded track is which of our directions.

All of it follows from the header and the board of our rules. Rows of sites are rows of pits, with the first player's
row, South's, below; what the first player wins lies in South's store. A program whose players sow clockwise where ours
sow counter-clockwise plays our game in a mirror: then left and right change places."""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mancala_env import Ruleset, State
from mancala_env.trace import EventKind
from tests.recorded_games.records import Choice, Record

_NUMBERED = {"#1": (0, 0), "#2": (1, 1)}  # choices that sow counter-clockwise, and clockwise, where tracks have no text


class MisfitError(ValueError):
    """Recorded games that our board does not fit; the text says why."""


@dataclass(frozen=True)
class Places:
    """The recorded site of each of our pits, and what follows from that."""

    rules: Ruleset
    pits: tuple[int, ...]  # the site of each pit, canonical order
    stores: tuple[int, int] | None  # the sites of South's and North's; None: what players have won is not recorded
    others: tuple[int, ...]  # sites that are neither
    directions: Mapping[str, tuple[int, int]]  # South's and North's, of each track that the text of a choice may name

    def on_pits(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Seeds in each pit, canonical order."""
        return tuple(counts[site] for site in self.pits)

    def in_stores(self, counts: Sequence[int]) -> tuple[int, int] | None:
        """Seeds in the stores of South and North; None where they are not recorded, or our game has no stores."""
        if self.stores is None or not self.rules.has_stores:
            return None
        return counts[self.stores[0]], counts[self.stores[1]]

    def lost(self, counts: Sequence[int]) -> int | None:
        """Seeds that have left the board, which lie on the sites that are no pits or stores; None where none can."""
        return sum(counts[site] for site in self.others) if "removed" in self.rules.fields else None

    def known(self, sites: Collection[int]) -> list[int]:
        """For each pit 1 if it is one of these sites, else 0."""
        return [int(site in sites) for site in self.pits]

    def marked(self, marks: Mapping[int, int]) -> tuple[int, ...]:
        """Whose mark each pit bears, -1 for none."""
        return tuple(marks[site] - 1 if marks.get(site) in (1, 2) else -1 for site in self.pits)


def pit_and_direction(places: Places, state: State, choice: Choice) -> int:
    """The action of the player to move that sows the chosen site, along the chosen track if one is named; ValueError if
    there is none. Without a track it is the direction that the player has chosen for the game, or the only one."""
    if choice.kind != "lift" or choice.source not in places.pits:
        raise ValueError(f"{places.rules.name}: no pit is sown by {tuple(choice)}")
    pit = places.pits.index(choice.source)
    track = re.match(r"#?[A-Za-z0-9]+", choice.label)
    if track and track[0] in places.directions:
        return places.rules.action(state.player, pit, places.directions[track[0]][state.player])
    return places.rules.action(state.player, pit, state.chosen_directions[state.player])


def places(record: Record, rules: Ruleset, pits: Sequence[int] | None = None) -> Places:
    """Where our pits and stores are on a recorded board; MisfitError if it has other rows than ours. ``pits``: the site
    of each of our pits, where they do not follow from rows of sites. Left and right change places as the direction
    of play makes it necessary, which the tracks say."""
    if pits is not None:
        chosen = tuple(pits)
    else:
        rows = _rows(record, rules)
        sites = [_numbered(record.names[0], each) for each in (rows, [row[::-1] for row in rows])]
        chosen = sites[_sown_in_a_mirror(record, rules, sites)]
    size = len(record.games[0].start)
    others = tuple(site for site in range(size) if site not in (*chosen, *(record.stores or ())))
    return Places(rules, chosen, record.stores, others, _NUMBERED | _directions(record, rules, chosen))


def position(
    places: Places,
    counts: Sequence[int],
    marks: Mapping[int, int],
    player: int,
    ply: int = 0,
    direction: tuple[int | None, int | None] = (None, None),
    remembered: Collection[int] = (),
) -> State:
    """Our position for recorded counts, after these choices of direction, if our game has such; ``remembered``: sites.
    Raises ValueError if our game has none such."""
    more: dict[str, Any] = {"marks": places.marked(marks)} if "marks" in places.rules.fields else {}
    more |= {} if (lost := places.lost(counts)) is None else {"removed": lost}
    if "direction" in places.rules.fields:
        more["direction"] = direction
    if remembered:
        more["memory"] = places.known(remembered)
    stores = places.in_stores(counts) or (0, 0)
    return places.rules.position(pits=places.on_pits(counts), stores=stores, player=player, ply=ply, **more)


def _rows(record: Record, rules: Ruleset) -> list[list[int]]:
    """The sites of the pits, row by row from below, each from left to right."""
    levels: dict[float, list[int]] = {}
    for site, (_, y) in sorted(record.sites.items(), key=lambda one: one[1][::-1]):
        if record.stores is None or site not in record.stores:
            levels.setdefault(y, []).append(site)
    board = rules.board
    rows = [row for row in levels.values() if len(row) == board.columns]
    if len(rows) != board.rows:
        found = ", ".join(str(len(row)) for row in levels.values())
        raise MisfitError(
            f"{record.names[0]}: {rules.name} has {board.rows} rows of {board.columns} pits, the recorded board rows "
            f"of {found} sites; give pits=..., the site of each pit, or other rules"
        )
    return rows


def _numbered(name: str, rows: list[list[int]]) -> tuple[int, ...]:
    """The sites in the order in which our boards number pits."""
    if len(rows) == 2:
        return (*rows[0], *rows[1][::-1])
    if len(rows) == 4:
        return (*rows[0], *rows[1][::-1], *rows[3][::-1], *rows[2])
    raise MisfitError(f"{name}: say which site each pit of a board of {len(rows)} rows is: pits=...")


def _sown_in_a_mirror(record: Record, rules: Ruleset, sites: Sequence[tuple[int, ...]]) -> bool:
    """Does South, as our rules move seeds, go along the recorded tracks only if left and right change places?"""
    recorded = {pair for _, owner, track in record.tracks if owner in (0, 1) for pair in pairwise((*track, *track[:1]))}
    straight = Places(rules, sites[0], record.stores, (), {})
    first = rules.start()
    with suppress(ValueError):
        laid = position(straight, record.games[0].start, {}, 0)
        first = laid if laid.legal_actions else first
    ours, pits = set[tuple[int, int]](), range(rules.board.pits)
    for action in first.legal_actions:
        events = first.trace(action).events
        sown = [event.target for event in events if event.kind is EventKind.SOW and event.target is not None]
        ours |= {(one, other) for one, other in pairwise(sown) if one in pits and other in pits}
    along = [sum((numbered[one], numbered[other]) in recorded for one, other in ours) for numbered in sites]
    return along[1] > along[0]


def _directions(record: Record, rules: Ruleset, pits: Sequence[int]) -> dict[str, tuple[int, int]]:
    """The directions of each track for South and North: 0 where it mostly goes as pits are numbered, else 1. A track of
    one player alone bears that player's number in the header, and not in the text of a choice."""
    numbers = {site: pit for pit, site in enumerate(pits)}
    directions: dict[str, list[int]] = {}
    for name, owner, track in record.tracks:
        steps = list(pairwise(numbers[site] for site in track if site in numbers))
        for player in (0, 1) if owner == 0 else (owner - 1,):
            loop = rules.board.loops[player]
            forward = set(pairwise((*loop, loop[0])))
            back = sum((after, before) in forward for before, after in steps)
            ways = directions.setdefault(name.removesuffix(str(owner)), [0, 0])
            ways[player] = int(back > sum(step in forward for step in steps))
    return {name: (south, north) for name, (south, north) in directions.items()}
