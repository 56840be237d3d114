"""Statistics of random play: lengths, choices, results and reasons for the end. Every slot of the ``Batch`` plays a
fixed number of games, all counted: the first to end, out of many in one batch, would mostly be short ones."""

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.games import RULESETS
from mancala_env.games import ruleset as named
from mancala_env.progress import Progress
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import label, text_of

MAX_SLOTS = 4096


@dataclass(frozen=True)
class Statistics:
    """Statistics of games of uniformly random players, a match as one long game. Shares are fractions of ``games``."""

    rules: Ruleset
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
    margin_median: float | None  # seeds between winner and loser, 0 for a draw; None where the scores are no seeds


def random_play(
    rules: Ruleset | str, games: int = 2000, seed: int = 0, *, progress: Callable[[int], None] | None = None
) -> Statistics:
    """Play games between uniformly random players; the same arguments, the same statistics.

    ``progress`` is called with the number of games that have ended. Raises ValueError for an unknown game, or numbers
    out of range."""
    from mancala_env.batch import Batch  # imports numba: messages about bad input should not wait for it

    rules, seed = named(rules), checks.seed(seed)
    if not checks.is_whole(games) or games < 1:
        raise ValueError(f"games must be a whole number, 1 or more, not {games!r}")
    slots = min(games, MAX_SLOTS)
    batch = Batch(rules, slots, seed=seed, encoder="counts")
    left = np.full(slots, games // slots)
    left[: games % slots] += 1
    choices = np.zeros(rules.num_actions + 1, dtype=np.int64)  # choices[k]: decisions with k legal actions
    length = np.zeros(slots, dtype=np.int64)  # plies of each game so far
    ended: list[tuple[npt.NDArray[Any], ...]] = []  # plies, +1 for South or -1 for North, terminations, margins

    while len(playing := np.flatnonzero(left)):
        choices += np.bincount(batch.legal_mask[playing].sum(axis=1), minlength=len(choices))
        rewards, done = batch.play(batch.random_actions()[playing], playing)
        length[playing] += 1
        if len(over := np.flatnonzero(done)):
            scores, _, reasons = batch.endings(over)
            ended.append((length[over], np.sign(rewards[over, 0]), reasons, abs(scores[:, 0] - scores[:, 1])))
            length[over] = 0
            left[over] -= 1
            if progress:
                progress(games - int(left.sum()))

    plies, winners, terminations, margins = (np.concatenate(parts) for parts in zip(*ended, strict=True))
    reasons, counts = np.unique(terminations, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return Statistics(
        rules=rules,
        games=games,
        plies_mean=float(plies.mean()),
        plies_median=float(np.median(plies)),
        plies_p99=int(np.percentile(plies, 99, method="inverted_cdf")),
        plies_max=int(plies.max()),
        branching_mean=float(choices @ np.arange(len(choices)) / choices.sum()),
        branching_max=int(np.flatnonzero(choices).max()),
        south=float((winners == 1).mean()),
        draws=float((winners == 0).mean()),
        north=float((winners == -1).mean()),
        terminations=tuple((str(reasons[k]), float(counts[k] / games)) for k in order),
        margin_median=float(np.median(margins)) if rules.counts_seeds else None,
    )


_HEADS = (
    "game", "games", "plies, median", "99th %", "max", "legal actions, mean", "max", "South wins", "draws",
    "North wins", "margin, median", "ended by",
)  # fmt: skip


def games_table(found: Sequence[tuple[str, Statistics]]) -> list[str]:
    """Lines of a Markdown table, a row for each (label, statistics)."""
    rows: list[Sequence[str]] = [_HEADS]
    for name, s in found:
        both = ("", "") if s.rules.players == 1 else (_percent(s.draws), _percent(s.north))
        rows.append((
            name, f"{s.games:,}", f"{s.plies_median:g}", f"{s.plies_p99}", f"{s.plies_max}", f"{s.branching_mean:.2f}",
            f"{s.branching_max}", _percent(s.south), *both, "" if s.margin_median is None else f"{s.margin_median:g}",
            ", ".join(f"{reason} {_percent(share)}" for reason, share in s.terminations),
        ))  # fmt: skip
    sides = ["<" if head in ("game", "ended by") else ">" for head in _HEADS]  # numbers stand at the right
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    widths[-1] = len(_HEADS[-1])
    forms = [f"{side}{width}" for side, width in zip(sides, widths, strict=True)]
    lines = [f"| {' | '.join(map(format, row, forms))} |" for row in rows]
    rule = ["-" * (width + 1) + ("-" if side == "<" else ":") for side, width in zip(sides, widths, strict=True)]
    return [lines[0], f"|{'|'.join(rule)}|", *lines[1:]]


def _percent(share: float) -> str:
    if 0 < share < 0.0005 or 0.9995 <= share < 1:  # so that rare and frequent do not show as never and always
        return "< 0.1 %" if share < 0.5 else "> 99.9 %"
    return f"{100 * share:.1f} %"


_NOTES = """\
Both players choose uniformly among their legal actions. A row counts games that were played to their end; every slot
of the batch plays a number of games fixed beforehand, so that short games are not favoured. A match is one game here:
its plies are those of all its games, and it ends as a match does. A ply is one action, including those of extra turns.
Legal actions are counted at every decision, even where there is only one. The margin is the difference in seeds between
winner and loser, 0 for a draw; games whose scores are not seeds have none. Of a solitaire, played by one player, the
column South wins is the share won; the rest is lost."""


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
    parser.add_argument("--games", type=int, default=2000, help="games per line")
    parser.add_argument("--seed", type=int, default=0, help="of the random players, 0 or more")
    given = parser.parse_args(arguments)
    found = []
    try:
        for rules in [named(rules_text(asked)) for asked in given.rules or RULESETS]:
            with Progress(name := label(text_of(rules)), given.games) as progress:
                found.append((name, random_play(rules, given.games, given.seed, progress=progress)))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped\n")
    made_by = shlex.join([*parser.prog.split(), *arguments])
    print(f"# Random play\n\nMade by `{made_by}`.\n", _NOTES, "", *games_table(found), sep="\n")
