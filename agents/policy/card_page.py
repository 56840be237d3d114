"""The model card of a policy as Markdown. All its words are text: no markup, and escape characters become ``?``."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mancala_env.rules.spec import format_spec
from mancala_env.words import printable

_SEES = {
    "counts": "the board: the share of all seeds in each pit and store",
    "onehot": "the board: the number of seeds in each pit, one-hot, and the share of all seeds in each store",
}


class Result(NamedTuple):
    """The games against one opponent."""

    opponent: str
    score: float  # share of points, 0..1
    low: float  # the ends of its 95 % interval
    high: float
    games: int
    record: str  # games won, drawn and lost
    search: str  # the settings of the agent that searched, without its network; "" for the policy alone

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


class _Markdown(str):
    """Text that is Markdown already; all else becomes what shows it as it is."""


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


def to_markdown(card: Mapping[str, Any], name: str) -> str:
    """A card of ``card.read`` as Markdown. Raises ValueError if it is unfit."""
    import jinja2

    pages = jinja2.Environment(
        finalize=_plain, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
    )  # fmt: skip
    pages.filters |= {"number": "{:,}".format, "duration": _duration, "code": _code}
    try:
        encoder, command = card.get("encoder", {}), card["made"]["command"]
        is_command = command.startswith(("mancala ", "python "))  # else it says what the run was given
        page = pages.get_template("card.jinja").render(
            card=card, name=name, game=game_of(card), sees=sees(card), is_evaluation=is_evaluation(card),
            encoder=encoder, board=_SEES.get(encoder.get("name")), scores=_scores(card),
            given="" if is_command else f"{command[:1].upper()}{command[1:]}",
            lines=[*([command] if is_command else []), *map(_resumed, card["made"].get("resumed", ()))],
            made=_made(card),
        )  # fmt: skip
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, jinja2.TemplateError) as error:
        why = " ".join(str(error).split())
        raise ValueError(f"the model card of {name} is not as cards are ({type(error).__name__}: {why})") from None
    return page + "\n"


def _scores(card: Mapping[str, Any]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results(card):
        if result.search:
            how = "The search with it" if is_evaluation(card) else "With tree search at play"
            about = f"{how} ({result.search})"
        elif card["encoder"]["name"] in _SEES:  # its input is the board and no more
            about = "The policy alone, without search"
        else:
            about = f"The policy alone (its input looks {sees(card)})"
        found.setdefault(about, []).append(result)
    return found


def _resumed(once: Mapping[str, Any]) -> str:
    changed = "".join(f" --{name} {value}" for name, value in once.get("changed", {}).items() if name != "steps")
    return f"# stopped at {once['at']:,}, continued until {once['until']:,}{changed}"


def _made(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    made, training = card["made"], card["training"]
    config = training["config"]
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
    return rows + [(what, str(made[what])) for what in ("machine", "package", "commit") if made.get(what)]


def _code(lines: Sequence[str]) -> _Markdown:
    inside = [printable(re.sub(r"\s", " ", line)) for line in lines]
    longest = max([2, *(len(run) for line in inside for run in re.findall("`+", line))])
    fence = "`" * (longest + 1)
    return _Markdown("\n".join([f"{fence}bash", *inside, fence]))


def _plain(said: object) -> str:
    """Anything as Markdown that shows it as it is: no markup, links or HTML come of it, but of what is markup here."""
    if isinstance(said, _Markdown):
        return said
    return re.sub(r"([\\`*_{}\[\]<>#|~$^&!])", r"\\\1", printable(re.sub(r"\s+", " ", str(said))))
