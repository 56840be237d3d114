"""Statistics of random play: lengths, choices, results and reasons for the end. Every slot of the ``Batch`` plays a
fixed number of games, all counted: the first to end, out of many in one batch, would mostly be short ones."""

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.checks import Flags, Floats, Positions
from mancala_env.games import RULESETS
from mancala_env.games import ruleset as named
from mancala_env.kernels import layout
from mancala_env.progress import Progress
from mancala_env.rules import Goal, Match, Ruleset
from mancala_env.rules.plain import label, text_of

if TYPE_CHECKING:
    from mancala_env.batch import Batch

# Shown in addition to every game: random players rarely win a match for pits, so a long one shows more.
EXTRA_ROWS = ("oware_territory:max_games=400",)
MAX_SLOTS = 4096
_CAPS = ("max_games", "max_rounds")


@dataclass(frozen=True)
class MatchStatistics:
    """Statistics of matches, all of them played to their end. Shares are fractions of ``matches``, from 0 to 1."""

    matches: int
    games_median: float  # games (rounds) in a match
    games_max: int
    plies_median: float  # of a match, summed over its games
    plies_p99: int
    plies_max: int
    south: float  # share won by South
    draws: float
    north: float
    at_cap: float  # share stopped by the limit of games: the player who is ahead wins


@dataclass(frozen=True)
class Statistics:
    """Statistics of games between uniformly random players, all of them played to their end. Shares are fractions of
    ``games``, from 0 to 1. Of matches, all games of the counted matches are counted."""

    rules: Ruleset
    seed: int
    games: int
    plies_mean: float  # actions played in a game, including those of extra turns
    plies_median: float
    plies_p99: int  # 99th percentile: the length of an actual game, not interpolated
    plies_max: int
    branching_mean: float  # legal actions over all decisions of all games, also those without a choice
    branching_max: int
    south: float  # share won by South
    draws: float
    north: float
    terminations: tuple[tuple[str, float], ...]  # (reason, share), the most frequent first
    margin_median: float | None  # seeds between winner and loser, 0 for a draw; None in games that are not about seeds
    matches: MatchStatistics | None  # None in games that are no matches


def random_play(
    rules: Ruleset | str, games: int = 2000, seed: int = 0, *, progress: Callable[[int], None] | None = None
) -> Statistics:
    """Play games, or matches of a match ruleset, between uniformly random players; the same arguments, the same
    statistics.

    ``progress`` is called after every ply of the batch with the number of games, or matches, that have ended. Raises
    ValueError for an unknown game, or numbers out of range.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> from mancala_env.random_play import random_play
    >>> tiny = random_play(mancala.ruleset("kalah", pits_per_row=1, seeds=1), games=10)  # 1-1 after one move
    >>> tiny.plies_median, tiny.draws, tiny.terminations
    (1.0, 1.0, (('side_empty', 1.0),))
    """
    from mancala_env.batch import Batch  # imports numba: messages about bad input should not wait for it

    rules, seed = named(rules), checks.seed(seed)
    if not checks.is_whole(games) or games < 1:
        raise ValueError(f"games must be a whole number, 1 or more, not {games!r}")
    slots = min(games, MAX_SLOTS)
    batch = Batch(rules, slots, seed=seed, encoder="counts")
    left = np.full(slots, games // slots)
    left[: games % slots] += 1
    choices = np.zeros(rules.num_actions + 1, dtype=np.int64)  # choices[k]: decisions with k legal actions
    match_plies = np.zeros(slots, dtype=np.int64)  # plies of the ended games of each match in progress
    ended: list[tuple[npt.NDArray[Any], ...]] = []  # as ``_ended`` returns it, without the slots
    finished: list[tuple[npt.NDArray[Any], ...]] = []  # of matches: plies, winners, terminations, games

    while len(playing := np.flatnonzero(left)):
        choices += np.bincount(batch.legal_mask[playing].sum(axis=1), minlength=len(choices))
        before = batch.positions
        rewards, done = batch.play(batch.random_actions()[playing], playing)
        over, *facts = _ended(batch, before, rewards, done)
        if len(over):
            ended.append(tuple(facts))
            match_plies[over] += facts[0]
        if len(last := np.flatnonzero(done)):
            if rules.match is not Match.NONE:
                _, positions, reasons = batch.endings(last)
                game = positions[:, rules.fields["match"] + layout.GAME]
                finished.append((match_plies[last], np.sign(rewards[last, 0]), reasons, game))
            match_plies[last] = 0
            left[last] -= 1
            if progress:
                progress(games - int(left.sum()))

    plies, winners, terminations, margins = (np.concatenate(parts) for parts in zip(*ended, strict=True))
    reasons, counts = np.unique(terminations, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return Statistics(
        rules=rules,
        seed=seed,
        games=len(plies),
        plies_mean=float(plies.mean()),
        branching_mean=float(choices @ np.arange(len(choices)) / choices.sum()),
        branching_max=int(np.flatnonzero(choices).max()),
        terminations=tuple((str(reasons[k]), float(counts[k] / len(plies))) for k in order),
        margin_median=float(np.median(margins)) if rules.goal is Goal.SEEDS else None,
        matches=_of_matches(finished) if finished else None,
        **_spread(plies, winners),
    )


def _ended(batch: "Batch", before: Positions, rewards: Floats, done: Flags) -> tuple[npt.NDArray[Any], ...]:
    """The games that a ply has ended, each of a match alone: slots, plies, +1 where South won, -1 where North did,
    terminations, margins. Of a match in which several ended at once (the next being over at its start), the last."""
    slots, ply = np.flatnonzero(done), batch.rules.board.pits + layout.PLY
    scores, last, reasons = batch.endings(slots)
    if (at := batch.rules.fields.get("match")) is None:
        return (
            slots,
            last[:, ply].astype(np.int64),
            np.sign(rewards[slots, 0]),
            reasons,
            abs(scores[:, 0] - scores[:, 1]),
        )
    now = batch.positions
    now[slots] = last
    slots = np.flatnonzero(done | (now[:, at + layout.GAME] != before[:, at + layout.GAME]))
    lead = (now[slots, at + layout.LAST] - now[slots, at + layout.LAST + 1]) / 2
    reasons = np.array(layout.TERMINATIONS)[now[slots, at + layout.LAST_OVER]]
    return slots, before[slots, ply].astype(np.int64) + 1, np.sign(lead), reasons, abs(lead)


def _of_matches(finished: Sequence[tuple[npt.NDArray[Any], ...]]) -> MatchStatistics:
    plies, winners, terminations, games = (np.concatenate(parts) for parts in zip(*finished, strict=True))
    median, longest, at_cap = np.median(games), games.max(), np.isin(terminations, _CAPS).mean()
    return MatchStatistics(len(plies), float(median), int(longest), at_cap=float(at_cap), **_spread(plies, winners))


def _spread(plies: npt.NDArray[np.int64], signs: npt.NDArray[Any]) -> dict[str, Any]:
    """What is said of lengths, and the shares of +1, 0 and -1 among the results."""
    p99 = int(np.percentile(plies, 99, method="inverted_cdf"))
    shares = {name: float((signs == sign).mean()) for name, sign in (("south", 1), ("draws", 0), ("north", -1))}
    return {"plies_median": float(np.median(plies)), "plies_p99": p99, "plies_max": int(plies.max()), **shares}


# The tables.

_GAMES = (
    "game", "games", "plies, median", "99th %", "max", "legal actions, mean", "max", "South wins", "draws",
    "North wins", "margin, median", "ended by",
)  # fmt: skip
_MATCHES = (
    "match", "matches", "games, median", "max", "plies, median", "99th %", "max", "South wins", "draws", "North wins",
    "stopped at the cap",
)  # fmt: skip
_WORDS = ("game", "match", "ended by")  # columns that are no numbers


def games_table(found: Sequence[tuple[str, Statistics]]) -> list[str]:
    """Lines of a Markdown table about single games, a row for each (label, statistics)."""
    return _table(_GAMES, [
        [
            label, f"{s.games:,}", f"{s.plies_median:g}", f"{s.plies_p99}", f"{s.plies_max}",
            f"{s.branching_mean:.2f}", f"{s.branching_max}", _percent(s.south),
            *(("", "") if s.rules.players == 1 else (_percent(s.draws), _percent(s.north))),
            "" if s.margin_median is None else f"{s.margin_median:g}",
            ", ".join(f"{reason} {_percent(share)}" for reason, share in s.terminations),
        ]
        for label, s in found
    ])  # fmt: skip


def matches_table(found: Sequence[tuple[str, Statistics]]) -> list[str]:
    """Lines of a Markdown table about matches, a row for each (label, statistics) that has them; [] if none has."""
    rows = [
        [
            label, f"{m.matches:,}", f"{m.games_median:g}", f"{m.games_max}", f"{m.plies_median:g}", f"{m.plies_p99}",
            f"{m.plies_max}", *map(_percent, (m.south, m.draws, m.north, m.at_cap)),
        ]
        for label, s in found if (m := s.matches)
    ]  # fmt: skip
    return _table(_MATCHES, rows) if rows else []


def _percent(share: float) -> str:
    if 0 < share < 0.0005 or 0.9995 <= share < 1:  # so that rare and frequent do not show as never and always
        return "< 0.1 %" if share < 0.5 else "> 99.9 %"
    return f"{100 * share:.1f} %"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(heads, *rows, strict=True)]
    if heads[-1] in _WORDS:
        widths[-1] = len(heads[-1])
    words = [head in _WORDS for head in heads]
    padded = [
        [cell.ljust(width) if left else cell.rjust(width) for cell, left, width in zip(row, words, widths, strict=True)]
        for row in (heads, *rows)
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in padded]
    rule = ["-" * (width + 1) + ("-" if left else ":") for left, width in zip(words, widths, strict=True)]
    return [lines[0], f"|{'|'.join(rule)}|", *lines[1:]]


_NOTES = """\
Both players choose uniformly among their legal actions. A row counts games that were played to their end; every slot
of the batch plays a number of games fixed beforehand, so that short games are not favoured. A ply is one action,
including those of extra turns. Legal actions are counted at every decision, even where there is only one. The margin is
the difference in seeds between winner and loser, 0 for a draw; games that are not about seeds have none. Of a
solitaire, played by one player, the column South wins is the share won; the rest is lost."""
_MATCH_NOTES = """\
Rulesets that are matches appear above with the single games of the matches counted here. At the cap, a limit of games
or rounds, the match is undecided, and the player who is ahead wins it; it is drawn if nobody is."""


def page(found: Sequence[tuple[str, Statistics]], command: str) -> str:
    """Both tables and what is counted in them, in Markdown. ``command`` is what made it."""
    matches = matches_table(found)
    parts = ["# Random play", f"Made by `{command}`.", _NOTES, "\n".join(games_table(found))]
    return "\n\n".join([*parts, *(["## Matches", _MATCH_NOTES, "\n".join(matches)] if matches else [])]) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command; ``arguments`` are those of the shell if left out. Exits with 2 and one line on bad input."""
    from mancala_env.cli import GAME, Parser, rules_text

    arguments = sys.argv[1:] if arguments is None else arguments
    parser = Parser(
        "mancala statistics",
        "Statistics of random play: lengths, legal actions, results by seat, reasons for the end.",
        epilog="example: mancala statistics kalah:pits_per_row=4 oware --games 10000",
    )
    parser.add_argument("rules", nargs="*", metavar="GAME", help=f"{GAME} (default: every game)")
    parser.add_argument("--games", type=int, default=2000, help="games per line; matches, of match rulesets")
    parser.add_argument("--seed", type=int, default=0, help="of the random players, 0 or more")
    given = parser.parse_args(arguments)
    found = []
    try:
        for rules in [named(rules_text(asked)) for asked in given.rules or (*RULESETS, *EXTRA_ROWS)]:
            with Progress(name := label(text_of(rules)), given.games) as progress:
                found.append((name, random_play(rules, given.games, given.seed, progress=progress)))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped\n")
    print(page(found, shlex.join([*parser.prog.split(), *arguments])), end="")
