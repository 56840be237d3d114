"""A digest of random play for each game of the table: what a change of the engine must leave as it is.

``python -m tests.digests`` plays 204,800 random plies of each game in a Batch, digests positions, legal masks, rewards
and endings, and compares with ``tests/data/digests.json``. ``--write`` writes that file anew: only where a rule was
meant to change."""

import argparse
import hashlib
import json
import sys
from pathlib import Path

from rich.progress import track

import mancala_env as mancala

FILE = Path(__file__).parent / "data" / "digests.json"
GAMES, STEPS = 512, 400


def digest(name: str, games: int = GAMES, steps: int = STEPS) -> str:
    """Sixteen hexadecimal digits of ``games`` times ``steps`` random plies of a game."""
    batch = mancala.Batch(name, games, seed=3)
    content = hashlib.sha256()
    for _ in range(steps):
        rewards, done = batch.play(batch.random_actions())
        for each in (batch.positions, batch.legal_mask, rewards, done):
            content.update(each.tobytes())
    return content.hexdigest()[:16]


def stored() -> dict[str, str]:
    """The digest of each game, as ``digests.json`` has them."""
    known: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return known


def main(arguments: list[str] | None = None) -> int:
    """Compare, or write; 1 if a game differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="these games (default: all of the table)")
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name} anew")
    options = parser.parse_args(arguments)
    names = options.games or list(mancala.RULESETS)
    found = {name: digest(name) for name in track(names, "random play", disable=not sys.stderr.isatty())}
    differ = [name for name in names if found[name] != stored().get(name)]
    if options.write:
        FILE.write_text(json.dumps(stored() | found, indent=0, sort_keys=True) + "\n")
    print(f"{len(names)} games, {GAMES * STEPS:,} plies each: {len(differ)} differ")
    print("\n".join(differ), end="\n" if differ else "")
    return 1 if differ and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
