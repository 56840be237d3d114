"""A game to watch for each ruleset, between random players: pages of one file, which pages of the site show in a frame.

They are made after the pages, and made anew only when the engine or the player has changed.
"""

import hashlib
import random
from pathlib import Path

from sphinx.application import Sphinx

import mancala_env as mancala
from mancala_env import Ruleset
from mancala_env.games.titles import title_of
from mancala_env.replay import Replay

FOLDER = "docs/games/replays"  # of the site
PLIES = 30  # the most that are shown
FRONT, FRONT_PLIES = "front", 200
_SOURCES = Path(mancala.__file__).parent
# Begins by itself where motion is wanted; the space bar is what starts and stops the player.
_BEGINS = """<script>
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) addEventListener("load", () => setTimeout(() =>
  document.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true })), 600));
</script>"""


def frame(name: str, prefix: str = "") -> str:
    """The frame that shows the replay of a game, as HTML; ``prefix`` leads to the folder of the page of that game."""
    return (
        f'<iframe class="replay" src="{prefix}replays/{name}.html" loading="lazy" title="A game of {name} to watch">'
        "</iframe>"
    )


def replay(rules: Ruleset, plies: int = PLIES, seed: int = 1) -> Replay:
    """A game at random, or its beginning."""
    choose, title = random.Random(seed).choice, title_of(rules)
    # A table of dead positions, which random games seldom reach, takes seconds where nothing is compiled.
    rules = rules.changes(indeterminacy_max_seeds=0)
    states, actions = [rules.start()], list[int]()
    while not states[-1].is_over and len(actions) < plies:
        actions.append(choose(states[-1].legal_actions))
        states.append(states[-1].play(actions[-1]))
    names = ("random", "random") if rules.players > 1 else ("random", "nobody")
    return Replay(rules=rules, states=states, actions=actions, players=names, title=title)


def write(site: Path) -> None:
    """Write the replays of all games into a site, unless those that are there were made by the same engine."""
    folder, stamp = site / FOLDER, _stamp()
    mark = folder / "made-by.txt"
    if mark.is_file() and mark.read_text(encoding="utf-8") == stamp:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, rules in mancala.RULESETS.items():
        (folder / f"{name}.html").write_text(replay(rules).to_html(), encoding="utf-8")
    front = replay(mancala.ruleset("kalah"), FRONT_PLIES).to_html()
    (folder / f"{FRONT}.html").write_text(front.replace("</body>", f"{_BEGINS}</body>"), encoding="utf-8")
    mark.write_text(stamp, encoding="utf-8")


def _stamp() -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(path for path in _SOURCES.rglob("*") if path.suffix in (".py", ".js", ".css")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _finished(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        write(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("build-finished", _finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
