"""How the opponents of the play page do, each against the level below; ``--out`` writes what the page says of it."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from agents.evaluation import evaluate
from agents.play.lobby import ladder
from mancala_env.games import ruleset
from tests.benchmarks import frame

GAMES = ("oware", "kalah", "sungka", "mangala_tr", "bohnenspiel", "toguz", "hus", "bao_kiswahili", "omweso",
         "layli_goobalay", "pallanguzhi", "diffusion")  # fmt: skip
SECONDS = 0.02  # a move of Expert and Master, in place of one on the page


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("ladder", __doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME", help="rulesets (default: twelve)")
    parser.add_argument("--pairs", type=int, default=20, help="of games between each two neighbours")
    parser.add_argument("--out", type=Path, metavar="FILE", help="docs/results/ladder.json")
    options = parser.parse_args(arguments)
    found: dict[str, Any] = {"games": 2 * options.pairs, "seconds": SECONDS, "points": {}}
    rows = []
    for game in options.games:
        five = {level: name.replace("time=1", f"time={SECONDS}") for level, name in ladder(ruleset(game)).items()}
        points: dict[str, float] = {}
        for below, level in pairwise(five):
            (result,) = evaluate(five[level], five[below], game, pairs=options.pairs, threads=1)
            points[level] = 2 * options.pairs * result.score
            rows.append((game, level, below, f"{result.score:.1%}"))
        found["points"][game] = points
    frame.print_table("score against the level below", ("game", "level", "below", "score"), rows)
    if options.out is not None:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
