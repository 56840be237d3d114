"""The model card of a policy as Markdown that people read, in a terminal and in the documentation.

Whatever a card lacks is left out or said to be unknown. All words of a card are text: nothing in it becomes markup, and
what a terminal would obey, such as an escape character, is a ``?``.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape as escaped
from typing import Any, NamedTuple

from mancala_env.rules.spec import format_spec
from mancala_env.spelling import printable

UNKNOWN = "unknown"
_SEES = {
    "counts": "the board: the share of all seeds in each pit and store",
    "onehot": "the board: the number of seeds in each pit, one-hot, and the share of all seeds in each store",
}
_BAR = 20  # letters of a whole bar in Markdown
_WIDTH, _ROW, _LABEL, _FIGURES = 620, 26, 190, 60  # of the picture, in its own units
_ALONE, _SEARCHING = "#2f7fb8", "#b8742f"


class Result(NamedTuple):
    """What the card says of the games against one opponent: ``score`` is the share of points, 0..1, with its 95 %
    interval.

    What the card lacks is None, or "". ``record``: games won, drawn and lost. ``search``: the settings of the agent
    that searched, without its network; "" for the policy alone.
    """

    opponent: str
    score: float
    low: float | None
    high: float | None
    games: int | None
    record: str
    search: str

    @property
    def percent(self) -> str:
        """The score in percent."""
        return f"{100 * self.score:.1f} %"

    @property
    def interval(self) -> str:
        """The interval in percent."""
        return "" if self.low is None or self.high is None else f"{100 * self.low:.1f} to {100 * self.high:.1f}"

    @property
    def opponent_in_words(self) -> str:
        """The opponent, explained where its name is an abbreviation."""
        if depth := re.fullmatch(r"(?:v1-depth|minimax:depth=)(\d+)", self.opponent):
            return f"alpha-beta to depth {depth[1]} ({self.opponent})"
        return f"random play ({self.opponent})" if self.opponent in ("random", "v1-random") else self.opponent


Picture = Callable[[Sequence[Result], str], str]


def results(card: Mapping[str, Any]) -> list[Result]:
    """The results that a card holds, those of the policy alone first; what is no result is left out."""
    found = []
    for each in _list(_dict(card.get("evaluation")).get("results")):
        one = _dict(each)
        score, agent = _number(one.get("score")), str(one.get("agent", ""))
        if score is None:
            continue
        record = [_number(one.get(name)) for name in ("wins", "draws", "losses")]
        pairs = _number(one.get("pairs"))
        searches = agent.startswith("mcts") or "network=" in agent or "evaluation=" in agent
        search = re.sub(r",?(network|evaluation)=[^,]*", "", agent).replace(":,", ":").rstrip(":") if searches else ""
        found.append(
            Result(
                str(one.get("opponent", UNKNOWN)), score, _number(one.get("low")), _number(one.get("high")),
                None if pairs is None else round(2 * pairs),
                "" if None in record else "-".join(f"{round(count or 0)}" for count in record), search,
            )
        )  # fmt: skip
    return sorted(found, key=lambda result: result.search)


def is_evaluation(card: Mapping[str, Any]) -> bool:
    """Is it the card of a learned evaluation, not of a policy?"""
    return "encoder" not in card and "rows" in _dict(card.get("network"))


def plies_ahead(card: Mapping[str, Any]) -> int | None:
    """The plies that its input looks ahead; None where the card does not say."""
    plies = _number(_dict(card.get("encoder")).get("plies_ahead"))
    return None if plies is None else round(plies)


def sees(card: Mapping[str, Any]) -> str:
    """In a few words what its input shows: ``4 plies ahead``, or that it looks at the board alone."""
    if is_evaluation(card):
        return "alpha-beta"
    plies = plies_ahead(card)
    if plies is None:
        return "plies ahead unknown"
    return "0 plies ahead" if not plies else f"{plies} {'ply' if plies == 1 else 'plies'} ahead"


def takes(card: Mapping[str, Any]) -> str:
    """In a few words how long a move takes; "" where it was not measured."""
    single = _number(_dict(card.get("time")).get("microseconds_per_move"))
    return "" if single is None else f"{_duration(single)} a move"


def game_of(card: Mapping[str, Any]) -> str:
    """The game as one writes it: ``kalah``, or ``kalah:empty_capture=true``; a ruleset without such a text is named."""
    rules = _dict(card.get("rules"))
    name = re.sub(r"^mancala/|-v\d+$", "", str(rules.get("id", UNKNOWN)))
    changes = _dict(rules.get("changes"))
    if "ruleset" in rules:
        return f"{name} (rules of its own)"
    try:
        return format_spec(name, changes)
    except (TypeError, ValueError):
        return f"{name} with {changes}"


def _encoder(card: Mapping[str, Any]) -> str:
    return str(_dict(card.get("encoder")).get("name", UNKNOWN))


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    """A finite number of a card; None for anything else."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    return float(value) if fits else None


def _duration(microseconds: float) -> str:
    """With two digits: more are noise."""
    value, unit = (microseconds, "microseconds") if microseconds < 1000 else (microseconds / 1000, "milliseconds")
    return f"{float(f'{value:.1e}'):,g} {unit}"


def _seen(card: Mapping[str, Any]) -> Iterator[str]:
    if is_evaluation(card):
        network = _dict(card.get("network"))
        yield _plain(
            "An evaluation for alpha-beta search, which values the positions where the search stops: the number of "
            "seeds in each pit as the mover sees it, and in games that have them whose marks lie there and the seeds "
            f"in hand. One hidden layer of {_amount(network.get('width'))} units over {_amount(network.get('rows'))} "
            "such facts, in whole numbers."
        )
        return
    encoder, plies = _dict(card.get("encoder")), plies_ahead(card)
    name = _encoder(card)
    shape = [number for each in _list(encoder.get("shape")) if (number := _number(each)) is not None]
    size = f" ({' x '.join(f'{number:,.0f}' for number in shape)} numbers)" if shape else ""
    if name in _SEES:
        yield _plain(f"Encoder {name}{size}, 0 plies ahead: {_SEES[name]}. It looks no ply ahead.")
    elif plies:
        yield _plain(
            f"Encoder {name}{size}, {sees(card)}: the board, and for each action its effect and what it is worth after "
            f"the best answers, looking {sees(card)}. This look ahead is exact; it is part of the input, not learnt: "
            "the policy alone is not without search."
        )
    else:
        yield _plain(f"Encoder {name}{size}, {sees(card)}.")
    network = _dict(card.get("network"))
    layers = [str(width) for width in _list(network.get("layers"))]
    parts = [
        str(network.get("kind") or ""),
        f"layers of {' and '.join(layers)}" if layers else "",
        str(network.get("activation") or "") if layers else "",
        f"an action head of {network['action_head']}" if network.get("action_head") else "",
    ]
    parameters = _number(network.get("parameters"))
    count = "" if parameters is None else f"{parameters:,.0f} parameters"
    if told := ": ".join(filter(None, (count, ", ".join(filter(None, parts))))):
        yield _plain(f"Network: {told}.")


def _strength(card: Mapping[str, Any], picture: Picture | None) -> Iterator[str]:
    found = results(card)
    if not found:
        yield _plain("It has not been scored.")
        return
    openings = _number(_dict(card.get("evaluation")).get("opening_plies"))
    begun = "" if openings is None else f", from random openings of {openings:.0f} plies"
    yield _plain(
        "Score in percent of the points, a draw counting half, with its 95 % interval. Games in pairs with the seats "
        f"swapped{begun}{'' if is_evaluation(card) else '; the policy alone plays its likeliest action'}."
    )
    for search in dict.fromkeys(result.search for result in found):
        of = [result for result in found if result.search == search]
        if search and is_evaluation(card):
            about = f"The search with it ({search})"
        elif search:
            about = f"With tree search at play ({search})"
        elif plies_ahead(card) == 0 and _encoder(card) in _SEES:  # its input is the board and no more
            about = "The policy alone, without search"
        else:
            about = f"The policy alone (its input looks {sees(card)})"
        head = ["opponent", "score", "95 %", "won-drawn-lost", "games", *[""] * (not picture)]
        told = [[*_cells(result), *([] if picture else [_bar(result)])] for result in of]
        yield f"{_plain(about)}:"
        if picture:
            yield picture(of, about)
        yield _table(head, told)
    rounding = _dict(card.get("float16"))
    if same := _number(rounding.get("same_action")):
        positions = _amount(rounding.get("positions"))
        yield _plain(
            "The weights are stored in half the bytes (float16), and the scores are those before that rounding: the "
            f"rounded ones play the same action in {100 * same:.2f} % of {positions} positions."
        )


def _time(card: Mapping[str, Any]) -> Iterator[str]:
    time = _dict(card.get("time"))
    single, shared = (_number(time.get(f"microseconds_{what}")) for what in ("per_move", "in_batch_of_512"))
    if is_evaluation(card):
        yield _plain("As long as it is given: zoo:NAME,time=0.1 and so on.")
        return
    if single is None and shared is None:
        yield _plain("It has not been measured.")
        return
    told = (("a single move, its observation included", single), ("a move's share of a batch of 512 positions", shared))
    yield _table(
        ("measured", "time"), [(f"{what} (median)", _duration(each)) for what, each in told if each is not None]
    )
    yield _plain(f"Measured on: {time.get('machine', UNKNOWN)}. Other machines give other figures.")


def _making(card: Mapping[str, Any]) -> Iterator[str]:
    made, training = _dict(card.get("made")), _dict(card.get("training"))
    config = _dict(training.get("config"))
    resumed = [
        f"# stopped at {_amount(_dict(each).get('at'))}, continued until {_amount(_dict(each).get('until'))}"
        + "".join(f" --{name} {value}" for name, value in _dict(_dict(each).get("changed")).items() if name != "steps")
        for each in _list(made.get("resumed"))
    ]
    said = str(made.get("command") or "")
    is_command = said.startswith(("mancala ", "python "))  # else it says what the run was given, which no command holds
    if said and not is_command:
        yield _plain(f"{said[0].upper()}{said[1:]}.")
    if lines := [*([said] if is_command else []), *(resumed if said else [])]:
        yield _code(lines)
    rows = []
    for what in ("steps", "positions", "rounds"):
        if training.get(what) is not None:
            rows.append(("decisions" if what == "steps" else what, _amount(training[what])))
    seconds = _number(training.get("seconds"))
    if seconds is not None:
        rows.append(("minutes on the clock", f"{seconds / 60:.1f}"))
    if made.get("seed") is not None:
        rows.append(("seed", str(made["seed"])))
    for what, key, named in (("begun with", "begun_with", "init_from"), ("teacher", "teacher", "teacher")):
        if made.get(key) or config.get(named):
            rows.append((what, _other(made.get(key), config.get(named))))
    if fixed := config.get("fixed_opponents"):
        rows.append(("fixed opponents in training", " ".join(map(str, _list(fixed)))))
    for what, given in _dict(made.get("given")).items():
        rows.append((f"{what} given as {'objects' if isinstance(given, list) else 'an object'}", _setting(given)))
    for what in ("machine", "package", "commit"):
        if made.get(what):
            rows.append((what, str(made[what])))
    if rows:
        yield _table(("", ""), rows)
    if not rows and not made.get("command"):
        yield _plain("The card does not say.")


def _amount(value: Any) -> str:
    number = _number(value)
    return UNKNOWN if number is None else f"{number:,.10g}"


def _setting(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _other(made: Any, named: Any) -> str:
    """Another policy: its name, and the digest of its file where it is known."""
    digest = str(_dict(made).get("sha256", ""))[:16]
    name = str(named or _dict(made).get("name") or (made if isinstance(made, str) else ""))
    return " ".join(part for part in (name, f"(sha256 {digest}...)" if digest else "") if part) or UNKNOWN


def _limits(card: Mapping[str, Any]) -> Iterator[str]:
    openings = _number(_dict(card.get("evaluation")).get("opening_plies"))
    scored = "" if openings is None else f" Scores are those from random openings of {openings:.0f} plies, not others."
    yield _plain(
        f"For other rules than {game_of(card)}: it refuses them.{scored} Its values are those of its own play, not the "
        "exact worth of a position: endgame tables and the solver give that."
    )


def _data(card: Mapping[str, Any]) -> Iterator[str]:
    made, config = _dict(card.get("made")), _dict(_dict(card.get("training")).get("config"))
    fixed = config.get("fixed_opponents") or _dict(made.get("given")).get("opponents")
    others = " and against programs" if fixed else ""
    taught = made.get("teacher") or config.get("teacher")
    teacher = ", and with its teacher, which judged the positions" if taught else ""
    yield _plain(
        f"Data: games that it played against itself{others}{teacher}; no recorded games, nobody's data. Licence of a "
        "policy of the zoo: MIT, that of the repository; of your own: yours to choose."
    )


def to_markdown(card: Mapping[str, Any], name: str, *, picture: Picture | None = None) -> str:
    """A card, as ``agents.policy.card.read`` returns it, as Markdown; ``name`` is what the policy is called.

    ``picture`` makes Markdown of scores and what they are, shown above their table. Without it, a column of the table
    draws bars in letters.
    """
    kind = "learned evaluation" if is_evaluation(card) else "trained policy"
    intro = f"A {kind} for {game_of(card)}, {_dict(card.get('rules')).get('id', UNKNOWN)}."
    parts = [f"# {_plain(name)}", _plain(intro)]
    for title, told in (
        ("What it sees", _seen(card)), ("How strong it is", _strength(card, picture)), ("Time a move", _time(card)),
        ("How it was made", _making(card)), ("What it is not for", _limits(card)), ("Licence and data", _data(card)),
    ):  # fmt: skip
        parts += [f"## {title}", *told]
    return "\n\n".join(parts) + "\n"


def _bar(result: Result) -> str:
    return "█" * round(_BAR * min(max(result.score, 0.0), 1.0)) or "▏"


def _cells(result: Result) -> list[str]:
    games = "" if result.games is None else f"{result.games:,}"
    return [result.opponent_in_words, result.percent, result.interval, result.record, games]


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
        if result.low is not None and result.high is not None:
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
