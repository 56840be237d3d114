"""The format of recorded games: gzip, JSON lines, a header and then one game a line.

Players count from 1, and sites have numbers of their own; nothing here knows our games. Of each object only the keys
named here are looked at.

Header
    ``game``, ``ruleset`` (its label or null), ``players``, ``mover`` (who begins), ``sites`` ([site, x, y] each; player
    1 sits below), ``containers`` ([name, first site, number of sites, owner or 0]: the board, then hands), ``maps``
    ([name, [[key, site], ...]]; the one called Map gives each player's store), ``tracks`` ([name, owner or 0, looped,
    sites in sowing order]), ``x0`` (extra state at the start).
Game
    ``seed``, ``start`` (seeds on each site), ``plies``, ``n`` of them, ``winner`` (0: a draw, null: cut off), ``end``
    (NaturalEnd or cut), and ``score`` of each player, if recorded.
Ply
    [mover, legal choices, number of the chosen one, seeds on each site afterwards, next mover or 0 at the end], and
    sometimes an object: ``many`` if only the chosen one of the legal choices is listed, ``x`` with the entries of the
    extra state that change; of these, ``state`` holds the marks of sites, {site: mark}, or null for none, and
    ``pvalue`` a number for each player or null for none, ``remembered`` lists of sites by name, ``what`` the pieces of
    piles where there are other ones than seeds.
Choice
    A site that is sown or picked; -1 for a pass; [from, to] where a piece is moved; [from, to, text] where that is not
    enough: a track's name, say. [-1, -1, text] is said rather than played: a proposal, a vote."""

import gzip
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

PASS = -1


class BadFileError(ValueError):
    """A file that does not hold recorded games; the text says where and why, in one line."""


class Choice(NamedTuple):
    """One thing that a player may do: lift or take from the site ``source``, which is -1 for passing and voting, and
    put on ``target``, the same for a pit that is sown; ``label`` tells apart choices with the same sites."""

    source: int
    target: int
    label: str

    @property
    def kind(self) -> str:
        """ "lift" a site, "place" a piece, "pass", or the first word of what is said without the board, as "vote"."""
        if self.source == PASS:
            return re.split("[^a-z]", self.label.lower())[0] or "pass"
        return "lift" if self.source == self.target else "place"


class Ply(NamedTuple):
    """One recorded ply: a lap, a pass, a placement, a vote."""

    mover: int  # the player, from 1
    legal: tuple[Choice, ...]  # only the chosen one if not ``complete``
    chosen: Choice
    counts: tuple[int, ...]  # seeds on each site after it
    next: int  # the player to move then; 0 if the game is over
    complete: bool  # is ``legal`` the whole list?
    marks: Mapping[int, int]  # on sites after it
    remembered: Mapping[str, tuple[int, ...]]  # sites in lists of the program's own
    values: tuple[int, ...]  # the number that each player has after it; () before any is recorded
    piles: Mapping[int, tuple[int, ...]]  # where other pieces than seeds lie: the kinds of pieces from below


@dataclass(frozen=True)
class Game:
    """One recorded game; ``winner`` 0 is a draw, None a game that was cut off; ``score`` is None where not recorded."""

    seed: int
    start: tuple[int, ...]
    marks: Mapping[int, int]
    plies: tuple[Ply, ...]
    winner: int | None
    score: tuple[float, ...] | None
    finished: bool


@dataclass(frozen=True)
class Record:
    """A file: what its header says, and its games."""

    names: tuple[str, ...]  # what the game may be called in the table of games, the likeliest first
    players: int
    mover: int  # who begins
    sites: Mapping[int, tuple[float, float]]  # coordinates
    stores: tuple[int, int] | None  # the sites of what players have won; None where the header names none
    tracks: tuple[tuple[str, int, tuple[int, ...]], ...]  # (name, owner or 0, sites in sowing order) of each
    games: tuple[Game, ...]


def read(path: Path) -> Record:
    """The recorded games of a file; BadFileError says in one line what is wrong with it."""
    try:
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BadFileError(f"{path}: {error}") from None
    header: dict[str, Any] = {}
    games = []
    for number, line in enumerate(lines, start=1):
        try:
            if number == 1:
                header = json.loads(line)
                record = _header(path, header)
                marks = _marks((header.get("x0") or {}).get("state"))
            else:
                games.append(_game(json.loads(line), marks))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BadFileError(f"{path}, line {number}: {type(error).__name__}: {error}") from None
    if not games:
        raise BadFileError(f"{path}: no games")
    return replace(record, games=tuple(games))


def _header(path: Path, header: dict[str, Any]) -> Record:
    return Record(
        names=_names(path, header),
        players=header["players"],
        mover=header["mover"],
        sites={site: (x, y) for site, x, y in header["sites"]},
        stores=_stores(header),
        tracks=tuple((name, owner, tuple(sites)) for name, owner, _, sites in header["tracks"]),
        games=(),
    )


def _names(path: Path, header: dict[str, Any]) -> tuple[str, ...]:
    """The name of the file, if it is one of this game's; else, of a file that was renamed, what the header says."""
    stem, game = path.name.split(".")[0], slug(header["game"])
    if stem == game or stem.startswith(f"{game}__"):
        return (stem,)
    label = slug((header.get("ruleset") or "").removeprefix("Ruleset/"))
    return (f"{game}__{label}", game) if label else (game,)


def slug(text: str) -> str:
    """Letters and digits of a title in lower case, without accents and apostrophes, joined by underscores."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(one for one in plain if not unicodedata.combining(one) and one not in "'’‘ʼ`´")  # noqa: RUF001
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def _stores(header: dict[str, Any]) -> tuple[int, int] | None:
    """Where players keep what they win: the sites that the unnamed map gives players 1 and 2; else their hands."""
    found = {owner: first for _, first, number, owner in header["containers"] if owner and number == 1}
    for name, pairs in header["maps"]:
        if name == "Map":
            found = dict(pairs)
            break
    return (found[1], found[2]) if {1, 2} <= found.keys() else None


def _game(data: dict[str, Any], marks: Mapping[int, int]) -> Game:
    finished, score = data["end"] != "cut", data.get("score")
    plies = tuple(_plies(data["plies"], marks))
    if len(plies) != data["n"] or any(before.next != ply.mover for before, ply in pairwise(plies)):
        raise ValueError(f"seed {data['seed']}: plies are missing")
    if finished and plies and plies[-1].next:
        raise ValueError(f"seed {data['seed']}: the end is missing")
    if any(len(ply.counts) != len(data["start"]) for ply in plies):
        raise ValueError(f"seed {data['seed']}: a ply has other sites than the start")
    return Game(
        seed=data["seed"],
        start=tuple(data["start"]),
        marks=marks,
        plies=plies,
        winner=data.get("winner"),
        score=None if score is None else tuple(score),
        finished=finished,
    )


def _plies(plies: list[Any], marks: Mapping[int, int]) -> Iterator[Ply]:
    remembered: Mapping[str, tuple[int, ...]] = {}
    own: tuple[int, ...] = ()
    piles: Mapping[int, tuple[int, ...]] = {}
    for mover, legal, chosen, counts, after, *rest in plies:
        extra = rest[0] if rest else {}
        changed = extra.get("x") or {}
        if "state" in changed:
            marks = _marks(changed["state"])
        if "remembered" in changed:
            lists = changed["remembered"] or {}
            remembered = {name: tuple(sites) for name, sites in lists.items() if isinstance(sites, list)}
        if "pvalue" in changed:
            own = tuple(changed["pvalue"] or (-1, -1))
        if "what" in changed:
            piles = {
                int(site): tuple(pile if isinstance(pile, list) else [pile])
                for site, pile in (changed["what"] or {}).items()
            }
        choices = tuple(map(_choice, legal))
        if mover not in (1, 2) or not 0 <= chosen < len(choices) or min(counts) < 0:
            raise ValueError(f"mover {mover} plays choice {chosen} of {len(choices)}, seeds are {counts}")
        complete = "many" not in extra
        yield Ply(mover, choices, choices[chosen], tuple(counts), after, complete, marks, remembered, own, piles)


def _choice(choice: Any) -> Choice:
    if isinstance(choice, int):
        return Choice(choice, choice, "")
    source, target, label = [*choice, ""][:3]
    return Choice(source, target, label)


def _marks(state: Mapping[str, int] | None) -> Mapping[int, int]:
    """The marks on sites that an extra state holds."""
    return {int(site): mark for site, mark in (state or {}).items()}
