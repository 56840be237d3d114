"""``mancala tournament leaderboard``: players by games, from the stored results of any number of events. And Nash
averaging: how players score against the strongest mixture of them all, after D. Balduzzi et al., "Re-evaluating
Evaluation", NeurIPS 2018."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from agents.evaluation.statistics import resampled_interval
from agents.provenance import write_text
from agents.tournament import sections
from agents.tournament.run import counted
from agents.tournament.store import Store
from agents.tournament.summary import Games, Summary, differences
from agents.tournament.tables import rated
from mancala_env.cli import Parser, in_words
from mancala_env.rules import Ruleset
from mancala_env.words import markdown_table

RESAMPLES = 200
NEAR = 1e-4  # what a player may still gain, as far as numbers are exact
SMOOTHING = 2.0  # imaginary pairs, of each result alike, in what the resamples of a pairing are drawn from
_APART = 1 << 40  # numbers of games between those of two events
_NOTE = (
    "Elo with 95 % intervals, by the games decided by play, each game of the family on a scale of its own, on which "
    "{origin}; * rests on the prior. A share in % is a score: there the games do not connect all players. Times for a "
    "move may differ between events."
)
_SHARES = (
    "Share: of the mixture of players against which no player scores above one half, the most even of such mixtures "
    "(maximum entropy). Score: against it; 50 % is the most. By complete pairs under all rules together; 95 % by "
    "resampling pairs. Shares change with who takes part, and who has none may be a little weaker than who has much."
)


def summary_of_all(paths: Iterable[Path]) -> Summary:
    """The games of several events as one. ValueError if a name stands for different players or rules in two of them."""
    summary = Summary()
    meant: dict[str, str] = {}
    rulesets: dict[str, Ruleset] = {}
    events: dict[str, Path] = {}
    for k, path in enumerate(paths):
        with Store(path) as store:
            event = store.event
            if (same := events.setdefault(event.digest, path)) is not path:
                raise ValueError(f"{path} holds the event of {same}, whose games would count twice; give one of them")
            told = {player.name: player.spec for player in event.players}
            others = [name for name, spec in told.items() if meant.setdefault(name, spec) != spec]
            others += [name for name, rules in event.rulesets.items() if rulesets.setdefault(name, rules) != rules]
            if others:
                raise ValueError(f"{path}: {', '.join(others)} is something else there than in the files before it")
            for record in counted(store):
                summary.add(replace(record, number=record.number + k * _APART, pair=record.pair + k * _APART))
    return summary


def markdown(table: sections.Table) -> str:
    """A table in Markdown."""
    rows = [[sections.seen(cell) for cell in line] for line in table.rows]
    return markdown_table([str(name) for name, _ in table.columns], rows) + "".join(
        f"\n{note}\n" for note in table.after
    )


def nash(payoffs: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The share of each player in the mixture against which no player gains: the Nash equilibrium of the game in which
    both sides choose a player, of several the one of the greatest entropy, so that copies share what one would have.

    ``payoffs``: float[n, n], what the row gains against the column, such as its mean score less one half. ValueError
    unless they are finite and antisymmetric.

    Examples
    --------
    >>> nash([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    gains = np.array(payoffs, dtype=np.float64)
    if gains.ndim != 2 or not np.isfinite(gains).all() or not np.allclose(gains, -gains.T):
        raise ValueError("payoffs must be numbers, and what the row gains against the column be what that one loses")
    n = len(gains)
    # Weights q = t + s of mixtures: t, at most 1, reaches 1 for all players that have a share in any of them.
    bounds = [(0, 1)] * n + [(0, None)] * n
    found = linprog([-1.0] * n + [0.0] * n, A_ub=np.hstack([gains, gains]), b_ub=np.zeros(n), bounds=bounds)
    there = found.x[:n] > 0.5

    def dual(prices: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        levels = -prices @ gains[:, there]
        return float(logsumexp(levels)), -gains[:, there] @ softmax(levels)

    exact = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    prices = minimize(dual, np.zeros(n), jac=True, bounds=[(0, None)] * n, options=exact).x
    shares = np.zeros(n)
    shares[there] = softmax(-prices @ gains[:, there])
    if (lost := float((gains @ shares).max())) > NEAR:
        raise ValueError(f"no equilibrium was found: a player still gains {lost:.1g} against the shares")
    return shares


def nash_table(games: Games, players: Sequence[str]) -> sections.Table:
    """Shares and scores of ``players``, the best first. ValueError, which names two, if some never met."""
    n = len(players)
    counts = np.zeros((n, n, 5))  # pairs of the row against the column, by its points
    for each in differences(games, players):
        one, other = players.index(each.player), players.index(each.against)
        counts[one, other], counts[other, one] = each.counts, each.counts[::-1]
    pairs = counts.sum(axis=2).astype(np.int64)
    if len(missing := np.argwhere(np.triu(pairs == 0, 1))):
        raise ValueError(
            f"Nash averaging needs a complete pair of games of every two players; {players[missing[0, 0]]} and "
            f"{players[missing[0, 1]]} have none ({len(missing)} such pairings): give events in which all met"
        )

    def figures(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        gains = counts @ np.linspace(-0.5, 0.5, 5) / np.maximum(pairs, 1)
        shares = nash(gains)
        return np.array([shares, 0.5 + gains @ shares])

    chances = (counts + SMOOTHING / 5) / (pairs + SMOOTHING)[:, :, None]
    drawn = np.random.default_rng(0).multinomial(pairs, chances, size=(RESAMPLES, n, n))
    above, below = np.triu_indices(n, 1)
    drawn[:, below, above] = drawn[:, above, below, ::-1]
    (shares, scores), resampled = figures(counts), [figures(each).ravel() for each in drawn]
    low, high = 100 * np.array(resampled_interval([*shares, *scores], resampled)).clip(0, 1)
    spans = [f"{one:.1f} to {other:.1f}" for one, other in zip(low, high, strict=True)]
    rows = [
        [players[k], f"{100 * shares[k]:.1f}", spans[k], f"{100 * scores[k]:.1f}", spans[n + k]]
        for k in np.lexsort([-shares, -scores.round(6)])
    ]
    columns = [("Player", "row"), ("Share", ""), ("95 %", ""), ("Score", ""), ("95 %", "")]
    return sections.Table("Nash averaging", columns, rows, after=[_SHARES])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    about = "Players by games, from the stored results of any number of events."
    parser = Parser("mancala tournament leaderboard", about)
    add = parser.add_argument
    add("events", nargs="+", type=Path, metavar="EVENT.db", help="files of events")
    add("--rating-origin", metavar="NAME", help="the player whose rating is 0 (default: the mean is)")
    add("--nash", action="store_true", help="and a table of Nash averaging, which copies and easy prey do not change")
    add("--out", type=Path, metavar="FILE", help="a page, if it ends in .html, else Markdown (default: print it)")
    options = parser.parse_args(arguments)
    try:
        summary = summary_of_all(options.events)
        overall = rated(summary, options.rating_origin)
        if options.rating_origin not in (None, *summary.players):
            raise ValueError(f"{options.rating_origin} did not play; players are {', '.join(summary.players)}")
        by_rules = {rules: rated(summary, options.rating_origin, rules) for rules in summary.rules}
        origin = f"{options.rating_origin} has 0" if options.rating_origin else "the mean of its players is 0"
        table = replace(sections.leaderboard(overall, by_rules), after=[_NOTE.format(origin=origin)])
        shown = [table]
        if options.nash:
            shown.append(nash_table(summary, [line.player for line in overall]))
        if options.out is None:
            print("\n".join(map(markdown, shown)), end="")
        elif options.out.suffix == ".html":
            from agents.tournament.report import tables_html

            write_text(options.out, tables_html("Leaderboard", summary, shown))
        else:
            write_text(options.out, "\n".join(map(markdown, shown)))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {in_words(error)}", file=sys.stderr)
        return 2
    return 0
