"""``python -m agents.play.ladder`` measures how the opponents of the lobby do against the level below theirs."""

import json
import sys
from pathlib import Path

from agents.evaluation import evaluate
from agents.play.lobby import ladder
from mancala_env.games import ruleset

FILE = Path(__file__).with_suffix(".json")  # by game and level, points and games
GAMES = ("oware", "kalah", "sungka", "mangala_tr", "bohnenspiel", "toguz", "hus", "bao_kiswahili", "omweso",
         "layli_goobalay", "pallanguzhi", "diffusion")  # fmt: skip
PAIRS = 20
SHARE = 0.02  # of the second of Expert and Master


def main() -> int:
    """Play ``PAIRS`` pairs of games between each two neighbours in each of ``GAMES``, and write ``FILE``."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for game in GAMES:
        five = {level: name.replace("time=1", f"time={SHARE}") for level, name in ladder(ruleset(game)).items()}
        levels = list(five)
        for below, level in zip(levels, levels[1:], strict=False):
            (result,) = evaluate(five[level], five[below], game, pairs=PAIRS, threads=1)
            found.setdefault(game, {})[level] = (result.score * 2 * PAIRS, 2 * PAIRS)
            print(f"{game}: {level} {result.score:.1%} against {below}", flush=True)
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
