"""``python -m docs.ladder`` measures how the opponents of the play page do against the level below theirs."""

import json
import sys
from itertools import pairwise
from typing import Any

from agents.evaluation import evaluate
from agents.play.lobby import MEASURED, ladder
from mancala_env.games import ruleset

GAMES = ("oware", "kalah", "sungka", "mangala_tr", "bohnenspiel", "toguz", "hus", "bao_kiswahili", "omweso",
         "layli_goobalay", "pallanguzhi", "diffusion")  # fmt: skip
PAIRS = 20  # of games, between each two neighbours
SECONDS = 0.02  # a move of Expert and Master, in place of one on the page


def main() -> int:
    """Play in each of ``GAMES``, and write ``MEASURED``: the points of each level, of 2 * ``PAIRS`` games. Takes
    minutes."""
    found: dict[str, Any] = {"games": 2 * PAIRS, "seconds": SECONDS, "points": {}}
    for game in GAMES:
        five = {level: name.replace("time=1", f"time={SECONDS}") for level, name in ladder(ruleset(game)).items()}
        points: dict[str, float] = {}
        for below, level in pairwise(five):
            (result,) = evaluate(five[level], five[below], game, pairs=PAIRS, threads=1)
            points[level] = 2 * PAIRS * result.score
            print(f"{game}: {level} {result.score:.1%} against {below}", flush=True)
        found["points"][game] = points
    MEASURED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
