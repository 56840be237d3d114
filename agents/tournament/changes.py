"""What has changed in an event since its report was last written: the report itself holds the standings of then."""

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from agents.provenance import finite
from agents.reading import MAX_BYTES, json_object
from agents.tournament.ratings import Rating

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def look(games: int, ratings: Sequence[Rating]) -> dict[str, Any]:
    """The standings as a report keeps them: {"games": 40, "players": {name: width of its interval or None}}, the best
    player first."""
    return {"games": games, "players": finite({line.player: line.high - line.low for line in ratings})}


def last_look(page: Path) -> dict[str, Any] | None:
    """What the report at this place keeps; None without a report, or with one that keeps none."""
    try:
        if page.stat().st_size > MAX_BYTES or (found := _DATA.search(page.read_text(encoding="utf-8"))) is None:
            return None
        kept = json_object(found[1]).get("standings")
        games, players = kept["games"], kept["players"]
        fits = type(games) is int and all(width is None or isinstance(width, int | float) for width in players.values())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return {"games": games, "players": players} if fits else None


def changes(before: dict[str, Any] | None, now: dict[str, Any]) -> str:
    """In a sentence: new games, players who came or changed places, widths of intervals; "" without a look before, or
    after one at another event, whose players are not here."""
    if before is None or not before["players"].keys() <= now["players"].keys():
        return ""
    more = now["games"] - before["games"]
    if not more:
        return "No game has been added since the last look."
    was, ranks = ({name: k for k, name in enumerate(each["players"], 1)} for each in (before, now))
    parts = [f"{abs(more):,} {'game' if abs(more) == 1 else 'games'} {'more' if more > 0 else 'less'}"]
    parts += [f"{name} is new, at {rank}" for name, rank in ranks.items() if name not in was]
    parts += [
        f"{name} {'up' if rank < was[name] else 'down'} from {was[name]} to {rank}"
        for name, rank in ranks.items()
        if was.get(name, rank) != rank
    ] or ["the order is the same"]
    both = [(before["players"].get(name), width) for name, width in now["players"].items()]
    if known := [(old, new) for old, new in both if old is not None and new is not None]:
        old, new = (median(column) for column in zip(*known, strict=True))
        parts.append(f"an interval is {new:.0f} Elo wide where it was {old:.0f} (medians)")
    return f"Since the last look: {'; '.join(parts)}."
