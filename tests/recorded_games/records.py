"""The format of recorded games, read strictly: gzip, JSON lines, a header and then one game a line.

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
    ``pvalue`` a number for each player or null for none, ``remembered`` lists of sites by name, ``var`` numbers by
    name, ``what`` the pieces of piles where there are other ones than seeds.
Choice
    A site that is sown or picked; -1 for a pass; [from, to] where a piece is moved; [from, to, text] where that is not
    enough: a track's name, say. [-1, -1, text] is said rather than played: a proposal, a vote.
"""

import gzip
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ENDS = ("NaturalEnd", "cut")
PASS = -1


class BadFileError(ValueError):
    """A file that does not hold recorded games; the text says where and why, in one line."""


class Choice(NamedTuple):
    """One thing that a player may do.

    Attributes
    ----------
    source : the site that is lifted or taken from; -1 for what is done without the board: passing, voting
    target : the site that a piece is put on; the same as ``source`` for a pit that is sown
    label : what tells apart choices with the same sites, as a track's name; ""
    """

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
    """One recorded ply: a lap, a pass, a placement, a vote.

    Attributes
    ----------
    mover : the player, from 1
    legal : what they might do; only what they did if not ``complete``
    chosen : what they did
    counts : seeds on each site after it
    next : the player to move then; 0 if the game is over
    complete : is ``legal`` the whole list?
    marks : the marks on sites after it, site -> number
    remembered : sites in lists of the program's own, by the names of these
    values : the number that each player has after it; () before any is recorded
    piles : for each site where other pieces than seeds lie after it, the kinds of its pieces from below
    variables : numbers that the program keeps after it, by name
    """

    mover: int
    legal: tuple[Choice, ...]
    chosen: Choice
    counts: tuple[int, ...]
    next: int
    complete: bool
    marks: Mapping[int, int]
    remembered: Mapping[str, tuple[int, ...]]
    values: tuple[int, ...] = ()
    piles: Mapping[int, tuple[int, ...]] = MappingProxyType({})
    variables: Mapping[str, int] = MappingProxyType({})


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
    """A file: what its header says, and its games.

    Attributes
    ----------
    names : what the game may be called in the table of games, the likeliest first
    players, mover : how many players there are, and who begins
    sites : the coordinates of each site of the board
    stores : for each player the sites that hold what the player has won; None where the header names none
    tracks : (name, owner or 0, sites in sowing order) of each
    games : the games
    """

    names: tuple[str, ...]
    players: int
    mover: int
    sites: Mapping[int, tuple[float, float]]
    stores: tuple[int, int] | None
    tracks: tuple[tuple[str, int, tuple[int, ...]], ...]
    games: tuple[Game, ...]


def read(path: Path) -> Record:
    """The recorded games of a file.

    Raises
    ------
    BadFileError
        If the file cannot be read, is cut off, or holds anything but a header and games of that format.
    """
    lines = _lines(path)
    header = _Checked(lines[0], f"{path}, line 1 (the header)")
    containers = [header.row(one, str, int, int, int) for one in header.take("containers", list)]
    size = sum(number for _, _, number, _ in containers)
    sites = [header.row(one, int, float, float) for one in header.take("sites", list)]
    header.known([site for site, _, _ in sites], size, "sites")
    players = header.take("players", int)
    mover, state = header.take("mover", int), header.take("x0", dict, {}).get("state")
    if not 1 <= mover <= players:
        raise header.wrong(f"'mover' to be from 1 to {players}, not {mover}")
    tracks = []
    for one in header.take("tracks", list):
        name, owner, _, on = header.row(one, str, int, int, list)
        header.known(on, size, f"track {name}")
        if not 0 <= owner <= players:
            raise header.wrong(f"the owner of track {name} to be from 0 to {players}, not {owner}")
        tracks.append((name, owner, tuple(on)))
    games = tuple(
        _game(_Checked(line, f"{path}, line {number}"), size, players, _marks(header, state, size))
        for number, line in enumerate(lines[1:], start=2)
    )
    if not games:
        raise BadFileError(f"{path}: a header, but no game")
    return Record(
        names=_names(path, header),
        players=players,
        mover=mover,
        sites={site: (x, y) for site, x, y in sites},
        stores=_stores(header, containers, size),
        tracks=tuple(tracks),
        games=games,
    )


def slug(text: str) -> str:
    """Letters and digits of a title in lower case, without accents and apostrophes, joined by underscores."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(one for one in plain if not unicodedata.combining(one) and one not in "'’‘ʼ`´")  # noqa: RUF001
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def _names(path: Path, header: "_Checked") -> tuple[str, ...]:
    """The name of the file, if it is one of this game's; else, of a file that was renamed, what the header says."""
    stem, game = path.name.split(".")[0], slug(header.take("game", str))
    if stem == game or stem.startswith(f"{game}__"):
        return (stem,)
    label = slug(header.take("ruleset", str, "").removeprefix("Ruleset/"))
    return (f"{game}__{label}", game) if label else (game,)


def _lines(path: Path) -> list[Any]:
    """The JSON of every line."""
    try:
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
    except OSError as error:
        raise BadFileError(f"{path}: {error.strerror or error}") from None
    except EOFError:
        raise BadFileError(f"{path}: the file is cut off: its gzip stream has no end") from None
    except (zlib.error, UnicodeDecodeError) as error:
        raise BadFileError(f"{path}: {error}") from None
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            lines.append(json.loads(line))
        except (json.JSONDecodeError, RecursionError) as error:
            raise BadFileError(f"{path}, line {number}: not JSON: {error}") from None
    if not lines:
        raise BadFileError(f"{path}: no lines")
    return lines


class _Checked:
    """An object of the file whose values are asked for by name and type."""

    def __init__(self, values: Any, where: str) -> None:
        self.values, self.where = values, where
        if not isinstance(values, dict):
            raise self.wrong(f"an object in braces, not {_shown(values)}")

    def wrong(self, what: str) -> BadFileError:
        return BadFileError(f"{self.where}: expected {what}")

    def take(self, name: str, kind: type, default: Any = ...) -> Any:
        """The value called ``name``; ``default``, if one is given, where it is missing or null."""
        value = self.values.get(name)
        if value is None and default is not ...:
            return default
        if not _is(value, kind):
            raise self.wrong(f"{name!r} to be {kind.__name__}, not {_shown(value)}")
        return value

    def row(self, values: Any, *kinds: type) -> list[Any]:
        """``values``, if it is a list with a value of each of these types."""
        if not isinstance(values, list) or len(values) != len(kinds) or not all(map(_is, values, kinds)):
            raise self.wrong(f"[{', '.join(kind.__name__ for kind in kinds)}], not {_shown(values)}")
        return values

    def known(self, sites: list[Any], size: int, what: str) -> None:
        """Complain unless these are numbers of sites."""
        if any(not _is(site, int) or not 0 <= site < size for site in sites):
            raise self.wrong(f"{what} to be sites from 0 to {size - 1}, not {_shown(sites)}")

    def counts(self, counts: list[Any], size: int) -> tuple[int, ...]:
        """Seeds on each site."""
        if len(counts) != size or not all(type(count) is int and count >= 0 for count in counts):
            raise self.wrong(f"seeds on each of {size} sites, not {_shown(counts)}")
        return tuple(counts)


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        kind = int | float  # type: ignore[assignment]
    return isinstance(value, kind) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _stores(header: _Checked, containers: list[Any], size: int) -> tuple[int, int] | None:
    """Where players keep what they win: the sites that the unnamed map gives players 1 and 2; else their hands."""
    for one in header.take("maps", list):
        name, pairs = header.row(one, str, list)
        if name == "Map":
            stores = dict(header.row(pair, int, int) for pair in pairs)
            header.known([*stores.values()], size, "stores")
            return (stores[1], stores[2]) if {1, 2} <= stores.keys() else None
    hands = {owner: first for _, first, number, owner in containers if owner and number == 1}
    header.known([*hands.values()], size, "hands")
    return (hands[1], hands[2]) if {1, 2} <= hands.keys() else None


def _game(data: _Checked, size: int, players: int, marks: Mapping[int, int]) -> Game:
    seed = data.take("seed", int)
    data.where += f" (seed {seed})"
    start, end = data.counts(data.take("start", list), size), data.take("end", str)
    if end not in ENDS:
        raise data.wrong(f"'end' to be one of {ENDS}, not {_shown(end)}")
    plies = data.take("plies", list)
    if data.take("n", int) != len(plies):
        raise data.wrong(f"{data.values['n']} plies, as 'n' says, not {len(plies)}")
    score = data.take("score", list, None)
    if score is not None and not (len(score) == players and all(_is(points, float) for points in score)):
        raise data.wrong(f"'score' to be a number for each player, not {_shown(score)}")
    winner = data.take("winner", int, None)
    if (winner is None) != (end == "cut") or not 0 <= (winner or 0) <= players:
        raise data.wrong(f"'winner' to be a player of a finished game, 0 for a draw, not {_shown(winner)}")
    played = tuple(_plies(data, plies, size, players, marks))
    movers = [ply.mover for ply in played[1:]]
    for number, (ply, mover) in enumerate(zip(played, [*movers, 0 if end != "cut" else None], strict=False)):
        if mover is not None and ply.next != mover:
            then = f"player {mover} to move next" if mover else "the game to be over"
            raise _Checked({}, f"{data.where}, ply {number}").wrong(f"{then}, as the record goes on, not {ply.next}")
    return Game(
        seed=seed,
        start=start,
        marks=marks,
        plies=played,
        winner=winner,
        score=None if score is None else tuple(score),
        finished=end != "cut",
    )


def _plies(data: _Checked, plies: list[Any], size: int, players: int, marks: Mapping[int, int]) -> Iterator[Ply]:
    remembered: Mapping[str, tuple[int, ...]] = {}
    own: tuple[int, ...] = ()
    piles: Mapping[int, tuple[int, ...]] = {}
    variables: Mapping[str, int] = {}
    for number, ply in enumerate(plies):
        where = _Checked({}, f"{data.where}, ply {number}")
        values = [*ply, {}] if isinstance(ply, list) and len(ply) == 5 else ply
        mover, legal, chosen, counts, after, extra = where.row(values, int, list, int, list, int, dict)
        choices = tuple(_choice(where, choice, size) for choice in legal)
        if not 1 <= mover <= players or not 0 <= after <= players:
            raise where.wrong(f"movers from 1 to {players}, not {mover} and then {after}")
        if not 0 <= chosen < len(choices):
            raise where.wrong(f"the number of one of {len(choices)} legal choices, not {chosen}")
        changed = _Checked(extra, where.where).take("x", dict, {})
        if "state" in changed:
            marks = _marks(where, changed["state"], size)
        if "remembered" in changed:
            remembered = _remembered(where, changed["remembered"] or {}, size)
        if "pvalue" in changed:
            own = tuple(where.row(changed["pvalue"] or [-1] * players, *[int] * players))
        if "what" in changed:
            piles = _piles(where, changed["what"], size)
        if "var" in changed:
            variables = _variables(where, changed["var"])
        yield Ply(
            mover,
            choices,
            chosen=choices[chosen],
            counts=where.counts(counts, size),
            next=after,
            complete="many" not in extra,
            marks=marks,
            remembered=remembered,
            values=own,
            piles=piles,
            variables=variables,
        )


def _choice(data: _Checked, choice: Any, size: int) -> Choice:
    if type(choice) is int and PASS <= choice < size:
        return Choice(choice, choice, "")
    if isinstance(choice, list) and len(choice) in (2, 3):
        source, target, label = [*choice, ""][:3]
        if all(_is(site, int) and PASS <= site < size for site in (source, target)) and isinstance(label, str):
            return Choice(source, target, label)
    raise data.wrong(f"a choice to be a site, two sites, or two sites and a text, not {_shown(choice)}")


def _piles(data: _Checked, what: Any, size: int) -> Mapping[int, tuple[int, ...]]:
    """The pieces on the sites that an extra state lists."""
    piles = {}
    for site, pile in _Checked({} if what is None else what, data.where).values.items():
        pieces = pile if isinstance(pile, list) else [pile]
        if not (site.isascii() and site.isdigit() and int(site) < size and all(_is(piece, int) for piece in pieces)):
            raise data.wrong(f"pieces on sites, not {_shown(what)}")
        piles[int(site)] = tuple(pieces)
    return piles


def _variables(data: _Checked, numbers: Any) -> Mapping[str, int]:
    """The numbers of an extra state, by name."""
    values = _Checked({} if numbers is None else numbers, data.where).values
    if not all(_is(number, int) for number in values.values()):
        raise data.wrong(f"numbers by name, not {_shown(numbers)}")
    return values


def _marks(data: _Checked, state: Any, size: int) -> Mapping[int, int]:
    """The marks on sites that an extra state holds."""
    if state is None:
        return {}
    marks = {}
    for site, mark in _Checked(state, data.where).values.items():
        if not (site.isascii() and site.isdigit() and int(site) < size and _is(mark, int)):
            raise data.wrong(f"marks on sites, not {_shown(state)}")
        marks[int(site)] = mark
    return marks


def _remembered(data: _Checked, lists: Any, size: int) -> Mapping[str, tuple[int, ...]]:
    """The sites in each list of an extra state; lists of anything else are left out."""
    return {
        name: tuple(sites)
        for name, sites in _Checked(lists, data.where).values.items()
        if isinstance(sites, list) and all(_is(site, int) and 0 <= site < size for site in sites)
    }
