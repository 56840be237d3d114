"""A training run as one page: ``mancala train report runs/oware``

Curves, settings, scores against the reference opponents, and the best and the worst game of some that it plays for
this, every move judged by search. Works for the runs of all trainers; needs only a browser to be read.
"""

import logging
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from agents.agent import Agent, make_agent
from agents.evaluation import Result, evaluate
from agents.evaluation.openings import openings
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.provenance import write_text
from agents.reference import REFERENCE
from agents.search import MinimaxAgent, Searcher
from agents.search.evaluation import Evaluation, evaluation_file
from agents.tournament import sections
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
MOST_POINTS = 400  # of a curve that are drawn
AGAINST = "against/"  # begins the names of the curves of scores against an opponent
PERCENT = "%"
# What a curve shows, by its name in the files for TensorBoard, and in what unit; "" for a plain number.
TITLES = {
    "selfplay/score": ("Score in self-play", PERCENT),
    "selfplay/score_latest": ("Score against the policy as it is now", PERCENT),
    "selfplay/score_earlier": ("Score against earlier policies", PERCENT),
    "selfplay/score_fixed": ("Score against the fixed opponents", PERCENT),
    "selfplay/score_south": ("Score in self-play as South", PERCENT),
    "selfplay/score_north": ("Score in self-play as North", PERCENT),
    "selfplay/draws": ("Drawn games of self-play", PERCENT),
    "selfplay/plies": ("Length of a game of self-play", "plies"),
    "selfplay/decisions": ("Decisions of the learner in a game", "decisions"),
    "selfplay/illegal": ("Illegal actions", "actions"),
    "selfplay/positions": ("Positions of a round of self-play", "positions"),
    "selfplay/games": ("Games of a round of self-play", "games"),
    "rollout/ep_len_mean": ("Decisions in a game, mean of the last 100", "decisions"),
    "rollout/ep_rew_mean": ("Reward of a game, mean of the last 100", ""),
    "time/fps": ("Speed", "steps a second"),
    "time/simulations_per_second": ("Speed", "simulations a second"),
    "train/approx_kl": ("Change of the policy by an update, Kullback-Leibler", "nats"),
    "train/clip_fraction": ("Decisions at which the change was clipped", PERCENT),
    "train/clip_range": ("How far an update may move the odds", ""),
    "train/divergence": ("Distance from the teacher, Kullback-Leibler", "nats"),
    "train/entropy_loss": ("Loss of entropy: 0 for a policy without doubt", "nats"),
    "train/explained_variance": ("Variance of the results that the values explain", PERCENT),
    "train/learning_rate": ("Learning rate", ""),
    "train/loss": ("Loss, all in all", ""),
    "train/policy_gradient_loss": ("Loss of the policy", ""),
    "train/policy_loss": ("Loss of the policy", "nats"),
    "train/positions": ("Positions learnt from so far", "positions"),
    "train/value_error": ("Error of the values", ""),
    "train/value_loss": ("Loss of the values", ""),
}


@dataclass(frozen=True)
class Judged:
    """A game of the run's player, every move of it judged by search.

    Attributes
    ----------
    replay : Replay
        With South's prospects at each position.
    seat : int
        The player's.
    losses : dict of int to (float, int)
        By ply: what the player's move lost against the best one, in the unit of the search, and the best one.
    won : float
        Points of the player: 1, 1/2 or 0.
    solved : int
        Positions whose value is that of the game, for no line was cut off.
    """

    replay: Replay
    seat: int
    losses: dict[int, tuple[float, int]]
    won: float
    solved: int

    @property
    def lost(self) -> float:
        """What a move of the player lost on average."""
        return sum(loss for loss, _ in self.losses.values()) / max(1, len(self.losses))


def player_of(folder: Path, network: str = "") -> tuple[Agent, Ruleset]:
    """The agent that a run has made, and its game: a policy, or a search with the evaluation that it learnt.

    ``network``: the class of a network of one's own, which is imported.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder holds no finished run.
    """
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


def best_and_worst(games: Sequence[Judged]) -> list[Judged]:
    """The best game and the worst: the most points, then the least that a move lost. One if there is only one."""
    ordered = sorted(games, key=lambda game: (-game.won, game.lost))
    return [ordered[0], *ordered[1:][-1:]]


def report_html(
    folder: Path, *, pairs: int = 20, games: int = 6, depth: int = DEPTH, opponent: str = "", network: str = ""
) -> str:
    """The page of a run.

    Parameters
    ----------
    folder : Path
    pairs : int
        Pairs of games against each reference opponent of which the run holds no score; 0: none are played.
    games : int
        Of which the best and the worst are shown; 0: none.
    depth : int
        Plies of the search that judges their moves.
    opponent : str
        Whom these are played against; "": the reference opponent that the player scores closest to one half against.
    network : str
        ``package.module:Class`` of a network of one's own, which is imported.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder holds no finished run, or an opponent cannot play its game.
    """
    agent, rules = player_of(folder, network)
    scores = scores_of(folder, agent, rules, pairs)
    if not opponent:
        near = sorted(scores, key=lambda line: abs(line["score"] - 0.5))
        opponent = next((line["opponent"] for line in near if line["opponent"] in REFERENCE), "v1-depth2")
    judged = []
    if games:
        other = make_agent(opponent)
        starts = openings(rules, 4, -(-games // 2), 0)
        judged = [judge(agent, other, rules, starts[k // 2], k % 2, k, depth) for k in range(games)]
    shown = best_and_worst(judged) if judged else []
    settings = _settings(folder)
    parts = [
        ("curves", "Curves", curves_html(curves_of(folder), settings.get("settings", {}))),
        ("scores", "Scores", scores_html(scores)),
        ("games", "Best and worst game", games_html(shown, opponent, games, depth)),
        ("settings", "Settings", sections.settings(settings)),
    ]
    title = f"{_named(folder)}: {called(rules)}"
    body = sections.page_body(title, escape(_summary(folder)), parts)
    named = [
        replace(game.replay, title=title)
        for game, title in zip(shown, ("The best game", "The worst game"), strict=False)
    ]
    data = (packed_games(named) if named else {}) | {"orientation": 0, "themed": True}
    here = Path(__file__).parent
    styles = [(Path(sections.__file__).parent / "report.css").read_text(encoding="utf-8")]
    return document(title, body, data, styles=styles, scripts=[(here / "report.js").read_text(encoding="utf-8")])


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


def scores_html(lines: Sequence[dict[str, Any]]) -> str:
    """The scores as a table."""
    rows = [
        [line["opponent"], *(f"{100 * line[what]:.1f}%" for what in ("score", "low", "high")),
         *(line.get(what, 0) for what in ("wins", "draws", "losses")), line["pairs"],
         "for this page" if line.get("now") else "at the end of the run"]
        for line in lines
    ]  # fmt: skip
    numbers = [(name, "") for name in ("Score", "from", "to", "Won", "Drawn", "Lost", "Pairs")]
    note = (
        "Points per game of the finished run, with intervals of 95 %; v1-... are the reference opponents. Curves of "
        "scores show the run as it was on the way, in games of their own."
    )
    return sections.Table("Scores", [("Opponent", "row"), *numbers, ("Played", "name")], rows, [note]).html()


def title_of(name: str) -> tuple[str, str]:
    """What a curve shows, in words, and its unit, "" for a plain number; ``name`` as in the files for TensorBoard.

    Examples
    --------
    >>> title_of("against/minimax:depth=2")
    ('Score against minimax:depth=2', '%')
    >>> title_of("mine/win_rate")  # of a callback of one's own
    ('mine: win rate', '')
    """
    if name.startswith(AGAINST):
        return f"Score against {name.removeprefix(AGAINST)}", PERCENT
    return TITLES.get(name, (name.replace("/", ": ").replace("_", " "), ""))


def curves_html(curves: dict[str, list[tuple[float, float]]], settings: Mapping[str, Any]) -> str:
    """A picture of each curve, the scores against opponents first. ``settings``: of the run."""
    ordered = sorted(curves.items(), key=lambda item: (not item[0].startswith(AGAINST), item[0]))
    counted = "rounds" if "rounds" in settings else "steps"
    figures = ""
    for name, raw in ordered:
        title, unit = title_of(name)
        points = [(step, (100 if unit == PERCENT else 1) * value) for step, value in raw]
        is_score = name.startswith((AGAINST, "selfplay/score"))
        said = " ".join(filter(None, (_number(points[-1][1], 4), unit)))
        figures += (
            f"<figure>{curve_svg(title, unit, counted, points, is_score)}<figcaption><b>{escape(title)}</b>: "
            f"{said} after {_counted(points[-1][0], counted)}{f' ({len(points):,} points)' if len(points) > 1 else ''}"
            "</figcaption></figure>"
        )
    note = ""
    if any(name.startswith(AGAINST) for name in curves):
        pairs = f", in {settings['curve_pairs']} pairs of games" if "curve_pairs" in settings else ""
        before = ", before it learnt from its last rollout" if "gae_lambda" in settings else ""  # as PPO's do
        note = (
            f'<p class="quiet">A score against an opponent is that of the policy at that point{before}'
            f'{pairs}. The table of <a href="#scores">scores</a> has the finished run, in other games. So the two '
            "differ, by chance and by what was learnt in between, which is much in a short run.</p>"
        )
    return f'{note}<div class="figures">{figures}</div>' if figures else ""


def _counted(number: float, what: str) -> str:
    """``1 round``, ``32,768 steps``."""
    return f"{number:,.0f} {what.removesuffix('s') if number == 1 else what}"


def _number(value: float, digits: int = 3) -> str:
    """``0.00123``, ``12.3`` or ``12,345``."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def curve_svg(
    title: str, unit: str, counted: str, points: Sequence[tuple[float, float]], is_score: bool = False
) -> str:
    """One curve with its axes; a single point, or a value that stays as it is written, has one mark on its axis.

    Parameters
    ----------
    title, unit : as ``title_of`` says them
    counted : what the horizontal axis counts: steps or rounds
    points : (step, value), values in this unit
    is_score : the vertical axis goes from 0 to 100, whatever the values are
    """
    if len(points) > MOST_POINTS:
        points = [points[round(k * (len(points) - 1) / (MOST_POINTS - 1))] for k in range(MOST_POINTS)]
    first, last = points[0][0], points[-1][0]
    values = [value for _, value in points]
    low, high = (0.0, 100.0) if is_score else (min(values), max(values))
    marked = [high] if _number(high) == _number(low) else [high, low]
    foot, sign = HEIGHT - FOOT, " %" if unit == PERCENT else ""

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
    said = (
        f"{title}: {_number(values[0])}"
        + (f" to {_number(values[-1])}" if len(values) > 1 else "")
        + f" {unit}".rstrip()
    )
    return (
        f'<svg class="histogram curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(said, quote=True)}">'
        f'<path class="axis-line" d="M{LEFT} 4V{foot}H{WIDTH - 8}"/><polyline points="{line}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>{marks}</svg>'
    )


def games_html(shown: Sequence[Judged], opponent: str, games: int, depth: int) -> str:
    """Where ``report.js`` puts the games, and the worst moves of each."""
    if not shown:
        return ""
    text = (
        f'<p class="quiet">Of {games} games against {escape(opponent)}, the one with the most points, and of several '
        f"that in which a move lost least, and the other end. Each position was searched {depth} plies deep, or to the "
        "end of the game where that is nearer; the curve under the board is the value for South.</p>"
    )
    for place, game in enumerate(shown):
        worst = sorted(game.losses.items(), key=lambda item: -item[1][0])[:WORST]
        moves = "".join(_move(game, ply, loss, better, place) for ply, (loss, better) in worst if loss > 0)
        said = (
            f"<ol>{moves}</ol>" if moves else "<p>No move of the player lost anything.</p>"
        )  # fmt: skip
        text += (
            f"<h3>{('The best game', 'The worst game')[place]}</h3>"
            f"<p>{game.won:g} point{'' if game.won == 1 else 's'} as {sections.SEATS[game.seat]}; "
            f"a move lost {game.lost:.2f} on average; {game.solved} of "
            f"{len(game.replay.actions)} positions are solved.</p>{said}"
        )
    return f'{text}<div id="page"></div><noscript><p>The games are replayed by a script.</p></noscript>'


def _move(game: Judged, ply: int, loss: float, better: int, place: int) -> str:
    state = game.replay.states[ply]
    return (
        f'<li><button type="button" data-game="{place}" data-ply="{ply}">Move {ply + 1}</button> '
        f"{escape(state.name(game.replay.actions[ply]))} lost {loss:.3g}; better was {escape(state.name(better))}</li>"
    )


def _named(folder: Path) -> str:
    """The name of a folder, also of ".": a page does not tell where it lies."""
    return Path(os.path.abspath(folder)).name


def _settings(folder: Path) -> dict[str, Any]:
    """Settings and provenance of a run, for display."""
    made = {name: value for name, value in _provenance(folder).items() if name != "ruleset_text"}
    try:
        settings = read_yaml(folder / CONFIG)
        if settings.get("out"):
            settings["out"] = _named(Path(str(settings["out"])))
        return {"settings": settings, **made}
    except (OSError, ValueError):
        return made


def _provenance(folder: Path) -> dict[str, Any]:
    """The provenance of a run; in its command the folder has only its name."""
    made = read_or_nothing(folder / PROVENANCE)
    if "command" in made:
        made["command"] = str(made["command"]).replace(f"{Path(os.path.abspath(folder)).parent}{os.sep}", "")
    return made


def _summary(folder: Path) -> str:
    """What the training took, in a line."""
    made = _provenance(folder)
    took = made.get("training", {})
    parts = [f"{value:,} {name}" for name, value in took.items() if isinstance(value, int | float)]
    return " \u00b7 ".join([*parts, str(made.get("command", ""))]).strip(" \u00b7")


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
        for name in ("pairs", "games"):
            if getattr(asked, name) < 0:
                raise ValueError(f"--{name} must be 0 or more, not {getattr(asked, name)}")
        if asked.depth < 1:
            raise ValueError(f"--depth must be at least 1 ply, not {asked.depth}")
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
