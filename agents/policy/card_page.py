"""The model card of a policy as Markdown. All its words are text: no markup, and escape characters become ``?``."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape as escaped
from typing import Any, NamedTuple

from mancala_env.rules.spec import format_spec
from mancala_env.words import printable

_SEES = {
    "counts": "the board: the share of all seeds in each pit and store",
    "onehot": "the board: the number of seeds in each pit, one-hot, and the share of all seeds in each store",
}
_BAR = 20  # letters of a whole bar in Markdown
_WIDTH, _ROW, _LABEL, _FIGURES = 620, 26, 190, 60  # of the picture, in its own units
_ALONE, _SEARCHING = "#2f7fb8", "#b8742f"


class Result(NamedTuple):
    """The games against one opponent: share of points, 0..1, with its 95 % interval, and ``record``, games won, drawn
    and lost. ``search``: the settings of the agent that searched, without its network; "" for the policy alone.
    """

    opponent: str
    score: float
    low: float
    high: float
    games: int
    record: str
    search: str

    @property
    def percent(self) -> str:
        """The score in percent."""
        return f"{100 * self.score:.1f} %"

    @property
    def interval(self) -> str:
        """The interval in percent."""
        return f"{100 * self.low:.1f} to {100 * self.high:.1f}"

    @property
    def opponent_in_words(self) -> str:
        """The opponent, explained where its name is an abbreviation."""
        if depth := re.fullmatch(r"(?:v1-depth|minimax:depth=)(\d+)", self.opponent):
            return f"alpha-beta to depth {depth[1]} ({self.opponent})"
        return f"random play ({self.opponent})" if self.opponent in ("random", "v1-random") else self.opponent


Picture = Callable[[Sequence[Result], str], str]


def results(card: Mapping[str, Any]) -> list[Result]:
    """The results that a card holds, those of the policy alone first."""
    found = []
    for one in (card["evaluation"] or {"results": ()})["results"]:
        agent = one["agent"]
        searches = agent.startswith("mcts") or "network=" in agent or "evaluation=" in agent
        search = re.sub(r",?(network|evaluation)=[^,]*", "", agent).replace(":,", ":").rstrip(":") if searches else ""
        record = f"{one['wins']}-{one['draws']}-{one['losses']}"
        ends = one["score"], one["low"], one["high"]
        found.append(Result(one["opponent"], *ends, 2 * one["pairs"], record, search))
    return sorted(found, key=lambda result: result.search)


def is_evaluation(card: Mapping[str, Any]) -> bool:
    """Is it the card of a learned evaluation, not of a policy?"""
    return "encoder" not in card


def sees(card: Mapping[str, Any]) -> str:
    """In a few words what its input shows, as ``4 plies ahead``."""
    if is_evaluation(card):
        return "alpha-beta"
    plies = card["encoder"]["plies_ahead"]
    return f"{plies} {'ply' if plies == 1 else 'plies'} ahead"


def takes(card: Mapping[str, Any]) -> str:
    """In a few words how long a move takes; "" where it was not measured."""
    return f"{_duration(card['time']['microseconds_per_move'])} a move" if card.get("time") else ""


def game_of(card: Mapping[str, Any]) -> str:
    """The game as one writes it: ``kalah``, or ``kalah:empty_capture=true``; a ruleset without such a text is named."""
    rules = card["rules"]
    name = re.sub(r"^mancala/|-v\d+$", "", rules["id"])
    return f"{name} (rules of its own)" if "ruleset" in rules else format_spec(name, rules["changes"])


def _duration(microseconds: float) -> str:
    """With two digits: more are noise."""
    value, unit = (microseconds, "microseconds") if microseconds < 1000 else (microseconds / 1000, "milliseconds")
    return f"{float(f'{value:.1e}'):,g} {unit}"


def _seen(card: Mapping[str, Any]) -> Iterator[str]:
    network = card["network"]
    if is_evaluation(card):
        yield _plain(
            "An evaluation for alpha-beta search, which values the positions where the search stops: the number of "
            "seeds in each pit as the mover sees it, and in games that have them whose marks lie there and the seeds "
            f"in hand. One hidden layer of {network['width']:,} units over {network['rows']:,} such facts, in whole "
            "numbers."
        )
        return
    name, size = card["encoder"]["name"], " x ".join(f"{number:,}" for number in card["encoder"]["shape"])
    about = f"Encoder {name} ({size} numbers), {sees(card)}"
    if name in _SEES:
        yield _plain(f"{about}: {_SEES[name]}. It looks no ply ahead.")
    elif card["encoder"]["plies_ahead"]:
        yield _plain(
            f"{about}: the board, and for each action its effect and what it is worth after the best answers, looking "
            f"{sees(card)}. This look ahead is exact; it is part of the input, not learnt: the policy alone is not "
            "without search."
        )
    else:
        yield _plain(f"{about}.")
    parts = [network["kind"]]
    if network["layers"]:  # not a network of one's own
        parts += [f"layers of {' and '.join(map(str, network['layers']))}", network["activation"]]
        parts += [f"an action head of {network['action_head']}"] if network["action_head"] else []
    yield _plain(f"Network: {network['parameters']:,} parameters: {', '.join(parts)}.")


def _strength(card: Mapping[str, Any], picture: Picture | None) -> Iterator[str]:
    found, rounding = results(card), card.get("float16")
    if not found:
        yield _plain("It has not been scored.")
        return
    yield _plain(
        "Score in percent of the points, a draw counting half, with its 95 % interval. Games in pairs with the seats "
        f"swapped, from random openings of {card['evaluation']['opening_plies']} plies"
        f"{'' if is_evaluation(card) else '; the policy alone plays its likeliest action'}."
    )
    for search in dict.fromkeys(result.search for result in found):
        of = [result for result in found if result.search == search]
        if search:
            about = f"The search with it ({search})" if is_evaluation(card) else f"With tree search at play ({search})"
        elif card["encoder"]["name"] in _SEES:  # its input is the board and no more
            about = "The policy alone, without search"
        else:
            about = f"The policy alone (its input looks {sees(card)})"
        yield f"{_plain(about)}:"
        if picture:
            yield picture(of, about)
        head = ["opponent", "score", "95 %", "won-drawn-lost", "games", *[""] * (not picture)]
        yield _table(head, [_cells(result)[: len(head)] for result in of])
    if rounding:
        yield _plain(
            "The weights are stored in half the bytes (float16), and the scores are those before that rounding: the "
            f"rounded ones play the same action in {100 * rounding['same_action']:.2f} % of "
            f"{rounding['positions']:,} positions."
        )


def _cells(result: Result) -> list[str]:
    bar = "█" * round(_BAR * result.score) or "▏"
    return [result.opponent_in_words, result.percent, result.interval, result.record, f"{result.games:,}", bar]


def _time(card: Mapping[str, Any]) -> Iterator[str]:
    if is_evaluation(card):
        yield _plain("As long as it is given: zoo:NAME,time=0.1 and so on.")
    elif not (time := card.get("time")):
        yield _plain("It has not been measured.")
    else:
        single, shared = time["microseconds_per_move"], time["microseconds_in_batch_of_512"]
        told = {"a single move, its observation included": single, "a move's share of a batch of 512 positions": shared}
        yield _table(("measured", "time"), [(f"{what} (median)", _duration(each)) for what, each in told.items()])
        yield _plain(f"Measured on: {time['machine']}. Other machines give other figures.")


def _making(card: Mapping[str, Any]) -> Iterator[str]:
    made, training = card["made"], card["training"]
    config, said = training["config"], made["command"]
    resumed = [
        f"# stopped at {each['at']:,}, continued until {each['until']:,}"
        + "".join(f" --{name} {value}" for name, value in each.get("changed", {}).items() if name != "steps")
        for each in made.get("resumed", ())
    ]
    is_command = said.startswith(("mancala ", "python "))  # else it says what the run was given, which no command holds
    if not is_command:
        yield _plain(f"{said[:1].upper()}{said[1:]}.")
    if lines := [*([said] if is_command else []), *resumed]:
        yield _code(lines)
    counted = {"decisions": "steps", "positions": "positions", "rounds": "rounds"}
    rows = [(what, f"{training[name]:,}") for what, name in counted.items() if name in training]
    rows += [("minutes on the clock", f"{training['seconds'] / 60:.1f}"), ("seed", str(made["seed"]))]
    for what, key, named in (("begun with", "begun_with", "init_from"), ("teacher", "teacher", "teacher")):
        if key in made:
            rows.append((what, f"{config[named]} (sha256 {made[key]['sha256'][:16]}...)"))
    if config.get("fixed_opponents"):
        rows.append(("fixed opponents in training", " ".join(config["fixed_opponents"])))
    for what, given in made.get("given", {}).items():
        several = isinstance(given, list)
        rows.append((f"{what} given as {'objects' if several else 'an object'}", " ".join(given) if several else given))
    rows += [(what, str(made[what])) for what in ("machine", "package", "commit") if made.get(what)]
    yield _table(("", ""), rows)


def _limits(card: Mapping[str, Any]) -> Iterator[str]:
    scored = ""
    if card["evaluation"]:
        plies = card["evaluation"]["opening_plies"]
        scored = f" Scores are those from random openings of {plies} plies, not others."
    yield _plain(
        f"For other rules than {game_of(card)}: it refuses them.{scored} Its values are those of its own play, not the "
        "exact worth of a position: endgame tables and the solver give that."
    )


def _data(card: Mapping[str, Any]) -> Iterator[str]:
    made, config = card["made"], card["training"]["config"]
    others = " and against programs" if config.get("fixed_opponents") or "opponents" in made.get("given", {}) else ""
    teacher = ", and with its teacher, which judged the positions" if "teacher" in made else ""
    yield _plain(
        f"Data: games that it played against itself{others}{teacher}; no recorded games, nobody's data. Licence of a "
        "policy of the zoo: MIT, that of the repository; of your own: yours to choose."
    )


def to_markdown(card: Mapping[str, Any], name: str, *, picture: Picture | None = None) -> str:
    """A card of ``agents.policy.card.read`` as Markdown under ``name``; ``picture`` makes Markdown of scores, else a
    column draws bars in letters. ValueError if the card lacks what cards say.
    """
    try:
        kind = "learned evaluation" if is_evaluation(card) else "trained policy"
        parts = [f"# {_plain(name)}", _plain(f"A {kind} for {game_of(card)}, {card['rules']['id']}.")]
        parts += ["## What it sees", *_seen(card), "## How strong it is", *_strength(card, picture)]
        parts += ["## Time a move", *_time(card), "## How it was made", *_making(card)]
        parts += ["## What it is not for", *_limits(card), "## Licence and data", *_data(card)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise ValueError(f"the model card of {name} is not as cards are ({type(error).__name__}: {why})") from None
    return "\n\n".join(parts) + "\n"


def _code(lines: Sequence[str]) -> str:
    """Lines as they are typed."""
    inside = [printable(re.sub(r"\s", " ", line)) for line in lines]
    longest = max([2, *(len(run) for line in inside for run in re.findall("`+", line))])
    fence = "`" * (longest + 1)
    return "\n".join([f"{fence}bash", *inside, fence])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles, *lines = [" | ".join(map(_plain, row)) for row in (head, *rows)]
    return "\n".join(f"| {line} |" for line in (titles, " | ".join("---" for _ in head), *lines))


def _plain(text: str) -> str:
    """Text as Markdown that shows it as it is: no markup, links or HTML come of it."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$^&!])", r"\\\1", printable(re.sub(r"\s+", " ", text)))


def _escape(text: str) -> str:
    """Text as HTML that shows it as it is, without control characters; spaces and tabs are spaces."""
    return escaped(printable(re.sub(r"[^\S\n]", " ", text)))


def bars(found: Sequence[Result], about: str) -> str:
    """Scores as a picture, SVG to stand in a page: a bar for each opponent, with its interval, and a line at half."""
    colour = _SEARCHING if found and found[0].search else _ALONE
    length, height = _WIDTH - _LABEL - _FIGURES, _ROW * len(found) + 8
    told = "; ".join(f"{result.percent} against {result.opponent_in_words}" for result in found)
    marks = []
    for row, result in enumerate(found):
        name = result.opponent if len(result.opponent) <= 26 else f"{result.opponent[:25]}…"  # fits beside the bars
        middle = 4 + row * _ROW + _ROW / 2
        end = _LABEL + length * min(max(result.score, 0.0), 1.0)
        marks += [
            f'<text x="{_LABEL - 8}" y="{middle + 4.5}" text-anchor="end">{_escape(name)}</text>',
            f'<rect x="{_LABEL}" y="{middle - 8}" width="{end - _LABEL:.1f}" height="16" fill="{colour}"/>',
            f'<text x="{_LABEL + length + 8}" y="{middle + 4.5}">{result.percent}</text>',
        ]
        low, high = (_LABEL + length * min(max(at, 0.0), 1.0) for at in (result.low, result.high))
        marks.append(
            f'<path d="M{low:.1f} {middle - 4}v8M{low:.1f} {middle}H{high:.1f}M{high:.1f} {middle - 4}v8" '
            'stroke="currentColor" stroke-width="1.5"/>'
        )
    half = _LABEL + length / 2
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" '
        'style="max-width: 100%; height: auto" fill="currentColor" font-family="system-ui, Arial, sans-serif" '
        'font-size="13">',
        f"<title>{_escape(about)}</title>", f"<desc>{_escape(told)}</desc>",
        *marks,
        f'<path d="M{half} 2V{height - 2}M{_LABEL} 2V{height - 2}M{_LABEL + length} 2V{height - 2}" '
        'stroke="currentColor" stroke-opacity=".35" stroke-dasharray="3 3"/>',
        "</svg>",
    ])  # fmt: skip
