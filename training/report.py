"""A training run as one page: ``mancala train report runs/oware``

Curves, settings, scores against the reference opponents, and the best and the worst game of some that it plays for
this, every move judged by search. Works for the runs of all trainers; needs only a browser to be read.
"""

import logging
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from agents.agent import Agent, make_agent
from agents.evaluation import Result, evaluate
from agents.evaluation.openings import openings
from agents.policy.agent import PolicyAgent
from agents.provenance import write_text
from agents.reference import REFERENCE
from agents.search import MinimaxAgent, Searcher
from agents.search.evaluation import Evaluation, evaluation_file
from agents.tournament import sections
from agents.zoo import FILE_NAME
from mancala_env.cli import Parser, fail
from mancala_env.replay import Replay
from mancala_env.replay.game import packed_games
from mancala_env.replay.page import document
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State
from training.cli import read_yaml
from training.run import CONFIG, CURVES, EVALUATION, PROVENANCE, read_or_nothing

REPORT = "report.html"
LADDER = tuple(REFERENCE)
DEPTH = 8  # plies by which moves are judged
WORST = 3  # moves named under a game
WIDTH, HEIGHT, LEFT, FOOT = 480, 170, 68, 22  # of a curve, in units of its picture
AGAINST = "against/"  # begins the names of the curves of scores against an opponent
_HERE = Path(__file__).parent
_TEMPLATES = jinja2.Environment(  # everything that a run says is text, and becomes no markup
    autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=jinja2.FileSystemLoader(_HERE)
)


@dataclass(frozen=True)
class Judged:
    """A game of the run's player, every move of it judged by search. ``replay`` has South's prospects at each position.
    ``losses``, by ply: what the player's move lost, in the unit of the search, and the best one. ``won``: points of the
    player, 1, 1/2 or 0. ``solved``: positions whose value is that of the game, for no line was cut off."""

    replay: Replay
    seat: int
    losses: dict[int, tuple[float, int]]
    won: float
    solved: int

    @property
    def lost(self) -> float:
        """What a move of the player lost on average."""
        return sum(loss for loss, _ in self.losses.values()) / max(1, len(self.losses))

    @property
    def worst(self) -> list[tuple[int, str, float, str]]:
        """The worst moves of the player: ply, move, what it lost, and the better move."""
        found = []
        for ply, (loss, better) in sorted(self.losses.items(), key=lambda item: -item[1][0])[:WORST]:
            state = self.replay.states[ply]
            found.append((ply, state.name(self.replay.actions[ply]), loss, state.name(better)))
        return [each for each in found if each[2] > 0]


def player_of(folder: Path, network: str = "") -> tuple[Agent, Ruleset]:
    """The agent that a run has made, and its game: a policy, or a search with the evaluation that it learnt.
    ``network`` names a class to import. Raises FileNotFoundError or ValueError if the folder holds no finished run."""
    if (folder / FILE_NAME).is_file():
        policy = PolicyAgent(folder, network=network or None)
        return policy, policy.rules
    if evaluation_file(str(folder)) is not None:
        learnt = Evaluation.load(str(folder))
        return MinimaxAgent(4, evaluation=learnt, name=f"minimax:depth=4,evaluation={_named(folder)}"), learnt.rules
    raise FileNotFoundError(
        f"{folder} holds no policy and no evaluation: a run writes it as it finishes, so --resume it"
    )


def curves_of(folder: Path) -> dict[str, list[tuple[float, float]]]:
    """The curves of a run by name, [(step, value)], as its files for TensorBoard hold them; {} without such files."""
    if not (folder / CURVES).is_dir():
        return {}
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]

    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # else it warns of each run that went on after a stop
    read = EventAccumulator(str(folder / CURVES), size_guidance={"scalars": 0})
    read.Reload()
    found = {}
    for name in sorted(read.Tags()["scalars"]):
        points = {each.step: each.value for each in read.Scalars(name) if math.isfinite(each.value)}
        if points:
            found[name] = sorted(points.items())
    return found


def judge(agent: Agent, opponent: Agent, rules: Ruleset, start: State, seat: int, seed: int, depth: int) -> Judged:
    """Play a game from a position and judge it. ``depth``: plies of the search."""
    seated = (agent, opponent) if seat == 0 else (opponent, agent)
    for each in seated:
        each.reset(seed)
    searcher, values, losses, solved = Searcher(rules), list[float | None](), dict[int, tuple[float, int]](), 0
    states, actions = [start], list[int]()
    while not states[-1].is_over:
        state = states[-1]
        found = searcher.search(state, depth, every=True)
        solved += found.exact
        values.append(found.value if state.player == 0 else -found.value)
        actions.append(int(seated[state.player].act(state)))
        if state.player == seat and len(state.legal_actions) > 1:
            losses[len(actions) - 1] = found.value - found.values[actions[-1]], found.actions[0]
        states.append(state.play(actions[-1]))
    values.append(None)
    names = (seated[0].name, seated[1].name)
    won = (1.0 + states[-1].returns[seat]) / 2.0
    replay = Replay(rules=rules, states=states, actions=tuple(actions), players=names, values=values)
    return Judged(replay, seat, losses, won, solved)


def report_html(
    folder: Path, *, pairs: int = 20, games: int = 6, depth: int = DEPTH, opponent: str = "", network: str = ""
) -> str:
    """The page of a run, with the best and the worst of ``games`` games (0: none) against ``opponent``, "" for the
    reference opponent scored closest to one half against, judged by a search of ``depth`` plies. ``pairs``: played
    against each reference opponent without a score. ``network``: ``package.module:Class`` of a network of one's own,
    which is imported. Raises FileNotFoundError or ValueError if the folder holds no finished run, or an opponent cannot
    play its game."""
    agent, rules = player_of(folder, network)
    scores = scores_of(folder, agent, rules, pairs)
    if not opponent:
        near = sorted(scores, key=lambda line: abs(line["score"] - 0.5))
        opponent = next((line["opponent"] for line in near if line["opponent"] in REFERENCE), "v1-depth2")
    judged = []
    if games:
        other, starts = make_agent(opponent), openings(rules, 4, -(-games // 2), 0)
        judged = [judge(agent, other, rules, starts[k // 2], k % 2, k, depth) for k in range(games)]
        judged.sort(key=lambda game: (-game.won, game.lost))  # the most points, then the least that a move lost
    shown = [*judged[:1], *judged[1:][-1:]]
    made, settings = _provenance(folder), _settings(folder)
    took = [f"{value:,} {name}" for name, value in made.get("training", {}).items() if isinstance(value, int | float)]
    title = f"{_named(folder)}: {called(rules)}"
    body = _TEMPLATES.get_template("report.html").render(
        title=title, summary=" \u00b7 ".join([*took, str(made.get("command", ""))]), curves=curves(folder, settings),
        pairs=settings.get("curve_pairs"), scores=scores, shown=shown, seats=("South", "North"), opponent=opponent,
        games=games, depth=depth, settings=sections.settings({"settings": settings, **made}),
    )  # fmt: skip
    named = [
        replace(game.replay, title=title)
        for game, title in zip(shown, ("The best game", "The worst game"), strict=False)
    ]
    data = (packed_games(named) if named else {}) | {"themed": True}
    styles = [(Path(sections.__file__).parent / "report.css").read_text(encoding="utf-8")]
    return document(title, body, data, styles=styles, scripts=[(_HERE / "report.js").read_text(encoding="utf-8")])


def scores_of(folder: Path, agent: Agent, rules: Ruleset, pairs: int) -> list[dict[str, Any]]:
    """The scores that the run holds, and for reference opponents that it did not meet those of ``pairs`` played now."""
    held = read_or_nothing(folder / EVALUATION).get("results", [])
    lines = [dict(line) for line in held if {"opponent", "score", "low", "high", "pairs"} <= set(line)]
    missing = [name for name in LADDER if name not in {line["opponent"] for line in lines}]
    if pairs and missing:
        played: list[Result] = evaluate(agent, missing, rules, pairs=pairs, threads=1)
        lines += [result.as_dict() | {"now": True} for result in played]
    place = {name: k for k, name in enumerate(LADDER)}
    return sorted(lines, key=lambda line: place.get(line["opponent"], -1))


def curves(folder: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The curves of a run for the page, those of scores against opponents first. ``settings``: of the run."""
    counted = "rounds" if "rounds" in settings else "steps"
    found = []
    for name, raw in sorted(curves_of(folder).items(), key=lambda item: (not item[0].startswith(AGAINST), item[0])):
        is_score = name.startswith((AGAINST, "selfplay/score"))
        unit = "%" if is_score or name == "selfplay/draws" else ""
        plain = name.replace("/", ": ").replace("_", " ")
        title = f"Score {name.replace('/', ' ')}" if name.startswith(AGAINST) else plain
        points = [(step, (100 if unit else 1) * value) for step, value in raw]
        said = f"{_number(points[-1][1], 4)} {unit}".strip() + f" after {_counted(points[-1][0], counted)}"
        picture = curve_svg(title, unit, counted, points, is_score)
        found.append({"title": title, "svg": picture, "said": said, "points": len(points), "against": is_score})
    return found


def _counted(number: float, what: str) -> str:
    """``1 round``, ``32,768 steps``."""
    return f"{number:,.0f} {what.removesuffix('s') if number == 1 else what}"


def _number(value: float, digits: int = 3) -> str:
    """``0.00123``, ``12.3`` or ``12,345``."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def curve_svg(
    title: str, unit: str, counted: str, points: Sequence[tuple[float, float]], is_score: bool = False
) -> str:
    """One curve, (step, value) in ``unit``, with its axes; ``counted``: what the horizontal one counts, steps or
    rounds. A single point, or a value that is always written alike, has one mark. ``is_score``: from 0 to 100."""
    first, last = points[0][0], points[-1][0]
    values = [value for _, value in points]
    low, high = (0.0, 100.0) if is_score else (min(values), max(values))
    marked = [high] if _number(high) == _number(low) else [high, low]
    foot, sign = HEIGHT - FOOT, f" {unit}" if unit == "%" else ""

    def at(step: float, value: float) -> tuple[float, float]:
        x = (step - first) / (last - first) if last > first else 0.5
        y = (high - value) / (high - low) if len(marked) > 1 else 0.5
        return LEFT + (WIDTH - LEFT - 8) * x, 8 + (HEIGHT - FOOT - 16) * y

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
    marks = "".join(
        f'<text x="{LEFT - 6}" y="{min(max(at(first, value)[1] + 4, 14), foot - 4):.1f}" text-anchor="end">'
        f"{_number(value)}{sign}</text>"
        for value in marked
    )
    for step, anchor in ((first, "start"), (last, "end")) if last > first else ((first, "middle"),):
        shown = f"{step:,.0f}" if anchor == "start" else _counted(step, counted)
        marks += f'<text x="{at(step, low)[0]:.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}">{shown}</text>'
    x, y = at(*points[-1])
    said = f"{title}: {' to '.join(map(_number, values[:1] + values[1:][-1:]))} {unit}".rstrip()
    label = jinja2.filters.escape(said)
    return (
        f'<svg class="histogram curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f'<path class="axis-line" d="M{LEFT} 4V{foot}H{WIDTH - 8}"/><polyline points="{line}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>{marks}</svg>'
    )


def _named(folder: Path) -> str:
    """The name of a folder, also of ".": a page does not tell where it lies."""
    return Path(os.path.abspath(folder)).name


def _settings(folder: Path) -> dict[str, Any]:
    """The settings of a run, for display."""
    try:
        settings = read_yaml(folder / CONFIG)
    except (OSError, ValueError):
        return {}
    return {**settings, "out": _named(folder)}


def _provenance(folder: Path) -> dict[str, Any]:
    """The provenance of a run; in its command the folder has only its name."""
    made = {name: value for name, value in read_or_nothing(folder / PROVENANCE).items() if name != "ruleset_text"}
    if "command" in made:
        made["command"] = str(made["command"]).replace(f"{Path(os.path.abspath(folder)).parent}{os.sep}", "")
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Parser("mancala train report", __doc__, allow_abbrev=False)
    parser.add_argument("run", metavar="RUN", help="a run folder")
    parser.add_argument("--out", metavar="FILE", default="", help=f"the page (default: {REPORT} in the run folder)")
    parser.add_argument("--pairs", type=int, default=20, help="of games against reference opponents not met; 0: none")
    parser.add_argument("--games", type=int, default=6, help="of which the best and the worst are shown; 0: none")
    parser.add_argument("--depth", type=int, default=DEPTH, help="plies of the search that judges their moves")
    parser.add_argument("--opponent", default="", help="of these games (default: the reference opponent most alike)")
    parser.add_argument(
        "--network", metavar="PACKAGE.MODULE:CLASS", default="",
        help="the class of the network, for a run with one of your own; it is imported",
    )  # fmt: skip
    asked = parser.parse_args(arguments)
    try:
        for name, least in (("pairs", 0), ("games", 0), ("depth", 1)):
            if getattr(asked, name) < least:
                raise ValueError(f"--{name} must be {least} or more, not {getattr(asked, name)}")
        folder = Path(asked.run)
        if not folder.is_dir():
            raise FileNotFoundError(f"{folder} is no run folder; a run makes one, as mancala train ppo does")
        page = report_html(
            folder, pairs=asked.pairs, games=asked.games, depth=asked.depth, opponent=asked.opponent,
            network=asked.network,
        )  # fmt: skip
        target = Path(asked.out) if asked.out else folder / REPORT
        write_text(target, page)
        print(f"report: {target}")
    except (OSError, ValueError, ImportError) as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped before the report was made\n")
