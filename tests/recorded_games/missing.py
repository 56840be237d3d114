"""``python -m tests.recorded_games.missing`` writes the page of the documentation on recorded games."""

from pathlib import Path

from tests.recorded_games.games import MISSING, RECORDED

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "recorded_games.md"


def page() -> str:
    """The page that says what is played again, and what is missing for the others."""
    played = len(RECORDED)
    rows = "\n".join(f"| `{name}` | {reason} |" for name, reason in MISSING.items())
    return f"""# Recorded games

Random games of {played + len(MISSING)} of Ludii's sowing games (Ludii 1.3.12, ludii.games, by C. Browne and others)
have been recorded, six of each and of some four more. The records of {played} are in `tests/data/recorded`, and are
played again by the rules of this project, turn by turn: legal moves, the board after each lap, the result. Where a turn
differs, a rule of that program is the reason. The commonest are written out, and predict from position and move exactly
what is recorded; others are named in the table of games, which says how many plies of each file they allow. The last
lines count both:

```bash
python -m tests.recorded_games
```

Left out is what a record does not hold or our game does not have: plies that lay the board out, rounds after those that
our game is, and with them the result; the other legal moves of long lists; the board between laps, stores and scores,
where the program keeps them in another way. The entry of each game says which
(`Played` in `tests/recorded_games/replay.py`).

What the other {len(MISSING)} have that our rules cannot say, by the name of the file
(`python -m tests.recorded_games.missing` writes this page):

| file | what is missing |
|---|---|
{rows}
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
