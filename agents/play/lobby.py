"""What a lobby shows: games with their aims, what of them can be chosen, and opponents by their measured strength."""

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents import zoo
from agents.agent import Agent, plays
from agents.play.guide import GUIDES
from agents.play.session import PERSON, Person
from agents.policy import card_page
from agents.provenance import rules_digest
from agents.reference import LEARNED, NAMES, REFERENCE
from agents.search import family
from mancala_env.ending import aim
from mancala_env.games import ALIASES, RULESETS, ruleset
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.games.titles import LANDS, OTHER_NAMES, VARIANTS, WORDS, title_of
from mancala_env.rules import Match, Ruleset
from mancala_env.rules.describe import BY_NAME, sections
from mancala_env.rules.plain import text_of
from mancala_env.words import counted, joined, number

MORE = "More, by name"  # who is on no rung of the ladder
BESIDE = "Two people"
LADDER = {  # the same five for each game, by level: each answers within a second or so, in a browser, too
    "Beginner": ("greedy", "takes the most it can at once"),
    "Casual": ("minimax:depth=2", "looks 2 moves ahead"),
    "Club": ("minimax:depth=4", "looks 4 moves ahead"),
    "Expert": ("minimax:depth=6,time=1", "looks 6 moves ahead, for a second at most"),
    "Master": ("minimax:time=1", "looks as far ahead as it can in a second"),
}
LEARNT = "looks ahead for a second, by what it has learnt from games against itself"
READER = "minimax:time=1,evaluation=zoo:family"
NETWORK = f"zoo:{zoo.FAMILY}"  # plays every game of two, where torch is installed
READ = "looks ahead for a second, by what it has learnt from other games and read in the rules of this one"
FIRST = ("kalah", "oware", "mangala_tr", "sungka", "bohnenspiel", "hus", "tchuka_ruma")
LEARN = {185: "easy to learn", 280: "some rules to learn", 10**6: "many rules to learn"}  # by the words of its rules
KINDS = {  # what players call mechanisms that games are looked for by
    "relay": "relay",
    "relay-next": "relay from the next pit",
    "again": "extra turn",
    "across-capture": "capture opposite",
    "count-capture": "capture by number",
    "next-capture": "capture the next pit",
    "own-store": "store",
    "marks": "pits of your own",
    "direction-chosen": "either direction",
    "feeding": "feed the opponent",
    "last-mover": "whoever is stuck loses",
    "solitaire": "solitaire, for one",
    "match": "match",
}
DULL = {  # told of no game that has something else to tell
    MECHANISMS[tag]
    for tag in ("origin-skipped", "grand-slam", "pass", "empty-side", "few-seeds", "leftover", "least-seeds", "place")
}
SHORTER = (3, 1)  # games that a match may be shortened to
STATISTICS = Path(__file__).parents[2] / "docs" / "statistics.md"
MEASURED = STATISTICS.parent / "results" / "ladder.json"  # what tests/benchmarks/ladder.py wrote
_RANKS = (*LADDER, MORE, BESIDE)


def ladder(rules: Ruleset) -> dict[str, str]:
    """The five who play a game of two players, by level, as ``make_agent`` takes them: the last by a learned
    evaluation of this game, where the zoo has one, else in games about seeds by the one that reads rules, unless its
    card says that it loses there."""
    five = {level: name for level, (name, _) in LADDER.items()}
    if family.plays(rules) and rules.name not in _loses():
        five["Master"] = READER
    for name in zoo.evaluations():
        if rules_digest(zoo.rules_of(name)) == rules_digest(rules):
            five["Master"] = f"zoo:{name},time=1"
    return five


@cache
def _loses() -> frozenset[str]:
    card = zoo.beside(zoo.FOLDER / zoo.FAMILY / family.FILE_NAME).read_text(encoding="utf-8")
    return frozenset(json.loads(card)["loses"]["games"])


def measured() -> dict[str, list[str]]:
    """How the ladder does, in sentences: by game, and under "" where a game was not measured; {} without figures."""
    if not MEASURED.exists():
        return {}
    games, seconds, points = json.loads(MEASURED.read_text(encoding="utf-8")).values()
    told: dict[str, list[str]] = {name: [] for name in ("", *points)}
    for below, level in pairwise(LADDER):
        shares = {name: round(100 * won[level] / games) for name, won in points.items()}
        spread = f"{min(shares.values())} to {max(shares.values())} % over {number(len(points))} different games"
        for name, sentences in told.items():
            here = f"{shares[name]} % of the points in {games} games of {title_of(RULESETS[name])}, " if name else ""
            sentences.append(f"Against {below}, {level} won {here}{spread}.")
    how = f"Measured with {seconds:g} seconds a move for Expert and Master, in pairs of games with the seats swapped."
    return {name: [how, *sentences] for name, sentences in told.items()}


class Opponent(NamedTuple):
    """An opponent, as ``make_agent`` takes it, its level (``MORE`` off the ladder), its strength in words, and its
    ``score``, from 0, by which those of a level are sorted."""

    name: str
    level: str
    told: str
    score: float = 0


@cache
def rated(name: str) -> Opponent:
    """An agent with its strength: that of the ladder or a reference opponent; in the zoo what its card has measured."""
    if name == PERSON:
        return Opponent(name, BESIDE, "A person beside me, at this device")
    for level, (one, told) in LADDER.items():
        if name == one:
            return Opponent(name, level, f"{level}: {told}")
    if name == READER or (name.startswith("zoo:") and name.endswith(",time=1")):
        return Opponent(name, "Master", f"Master: {READ if name == READER else LEARNT}")
    if name == NETWORK:
        return Opponent(name, MORE, f"{name}, a network that has read the rules", len(NAMES))
    if rung := _rung(name):
        return Opponent(name, MORE, f"{name} {_looks(rung)}", NAMES.index(rung))
    if name.removeprefix("zoo:") not in (*zoo.names(), *zoo.evaluations()):
        return Opponent(name, MORE, f"{name}, of unknown strength")
    folder = zoo.FOLDER / name.removeprefix("zoo:")
    found = [folder / file for file in (zoo.EVALUATION, zoo.FILE_NAME) if (folder / file).exists()]
    card = json.loads(zoo.beside(found[0]).read_text(encoding="utf-8"))
    results = [each for each in card_page.results(card) if card_page.is_evaluation(card) or not each.search]
    best = next((each for each in reversed(results) if each.score >= 0.5), results[0])  # the weakest was met first
    rung, what = _rung(best.opponent), "a learned evaluation" if card_page.is_evaluation(card) else "a trained network"
    told = f"{name}, {what}: {100 * best.score:.0f} % against {f'one who {_looks(rung)}' if rung else best.opponent}"
    return Opponent(name, MORE, told, best.score + NAMES.index(rung) if rung else best.score)


def _looks(rung: str) -> str:
    ahead = REFERENCE.get(rung, LEARNED.get(rung))
    return f"looks {ahead} move{'s' * (ahead > 1)} ahead" if ahead else "plays at random"


@cache
def _played() -> frozenset[str]:
    """The games that the network for all games has learnt in."""
    return frozenset(json.loads((zoo.FOLDER / zoo.FAMILY / f"{zoo.FAMILY}.json").read_text(encoding="utf-8"))["played"])


def opponents(rules: Ruleset | str, against: Sequence[str | Agent] = ()) -> list[Opponent]:
    """All that play a game with its options, the weakest first: those given, the ladder, networks of the zoo, and
    another person.
    ValueError if there is no such game."""
    game = ruleset(rules)
    known = {who if isinstance(who, str) else who.name: who for who in against if who != PERSON}
    for name in (*ladder(game).values(), *(f"zoo:{name}" for name in zoo.names())):
        known.setdefault(name, name)
    known[PERSON] = Person()
    found = [rated(name) for name, who in known.items() if plays(who, game)]
    if game.players == 2 and find_spec("torch") is not None and NETWORK not in known:
        met = game.name in _played() and game == RULESETS.get(game.name)
        told = f"{rated(NETWORK).told}, {'and played' if met else 'never played'} this game"
        found.append(rated(NETWORK)._replace(told=told))
    return sorted(found, key=lambda each: (_RANKS.index(each.level), each.score))


def opponent_named(rules: str, name: str, against: Sequence[str | Agent] = ()) -> str:
    """The opponent that a page or an address asks for, if it is one of ``opponents``: a stranger's link names no files
    and gives no limits of its own. Older links name random play: that is a Beginner. ValueError if there is none."""
    known = [each.name for each in opponents(rules, against)]
    beginner = LADDER["Beginner"][0]
    if name == "random" and name not in known and beginner in known:
        return beginner
    if name not in known:
        raise ValueError(f"{name[:80]!r} is none of the opponents for {rules} here")
    return name


def options_of(rules: Ruleset) -> list[tuple[str, str, list[tuple[str, str]], str]]:
    """What can be chosen of a game before it begins: name, what it is about, values in words, and the usual one."""
    found = []
    for option in rules.options:
        usual = {False: "no", True: "yes"} if {*option.choices} == {False, True} else {}
        values = [(_written(value), {**usual, **option.words}.get(value, str(value))) for value in option.choices]
        found.append((option.name, option.about, values, _written(option.value_in(rules.landing, rules.board))))
    if rules.match is not Match.NONE:
        lengths = [(str(games), most_games(games)) for games in (rules.max_games, *SHORTER) if games <= rules.max_games]
        found.append(("max_games", "length of the match", lengths, str(rules.max_games)))
    return found


def titled(rules: Ruleset) -> str:
    """The title of a game, with what was chosen of its options in words: "Kalah (empty capture)"."""
    if not offered(text_of(rules)):
        return title_of(rules)
    usual = {name: value for name, _, _, value in options_of(RULESETS[rules.name])}
    told = []
    for name, _, values, value in options_of(rules):
        words, answer = name.replace("_", " "), dict(values)[value]
        if value != usual[name]:
            told.append({"yes": words, "no": f"no {words}"}.get(answer, f"{words}: {answer}"))
    return title_of(RULESETS[rules.name]) + (f" ({'; '.join(told)})".replace("max games: ", "") if told else "")


def most_games(games: int) -> str:
    """How long a match may be: "up to 20 games"."""
    return f"{'up to ' * (games > 1)}{counted(games, 'game')}"


def offered(rules: str, games: Sequence[str] = ()) -> bool:
    """May a page begin this game: is it one of these or of the table, with no other changes than options of its own?"""
    name, _, changes = rules.partition(":")
    if rules in games or rules in RULESETS:
        return True
    if name not in RULESETS:
        return False
    known = {option: [value for value, _ in values] for option, _, values, _ in options_of(RULESETS[name])}
    asked = [change.partition("=")[::2] for change in changes.split(",")]
    return all(value in known.get(option, ()) for option, value in asked)


def _written(value: object) -> str:
    """A value as ``Ruleset.spec`` writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def card(name: str) -> dict[str, Any]:
    """What a lobby shows of a game (``special``, ``length``, ``learn``, ``board`` in words), sorts it by (``first``,
    the place among good first games, ``plies``, and ``words`` of its rules), and finds it by."""
    rules = ruleset(name)
    tags, board = mechanisms(rules), rules.board
    length = length_of(rules)
    words = sum(len(line.split()) for head, told in sections(rules).items() if head != BY_NAME for line in told)
    guided = ", with a guided first game" if name in GUIDES else ""
    learn = "good first game" if name in FIRST else next(said for limit, said in LEARN.items() if words <= limit)
    rows = f"row{'s' * (board.rows > 1)}"
    size = f"{board.rows} {rows} of {board.columns}"
    happens = [f"{KINDS[tag]}: {MECHANISMS[tag]}" if tag in KINDS else MECHANISMS[tag] for tag in tags]
    return {
        "name": name, "title": title_of(rules), "aim": aim(rules), "special": _special(rules),
        "learn": learn + guided, "length": length,
        "guided": bool(guided), "alone": rules.players == 1, "options": options_of(rules),
        "board": "Piles" if board.kind == "piles" else size,
        "first": FIRST.index(name) if name in FIRST else len(FIRST),
        "plies": int(re.findall(r"\d+", length)[-1]) if "move" in length else 10**6,
        "words": words,
        "family": family_of(name), "rows": board.rows, "region": rules.region,
        "kinds": [KINDS[tag] for tag in tags if tag in KINDS],
        "names": other_names(rules),
        "places": [text for text in (rules.people, *lands(rules), rules.region, *words_of_lands(rules)) if text],
        "happens": [f"{size} pits ({number(board.rows)} {rows}, {board})", *happens],
    }  # fmt: skip


def other_names(rules: Ruleset) -> list[str]:
    """What else people call a game: ['Kalaha', 'Mancala', ...]."""
    known = [
        alias.replace("_", " ").title()
        for alias, name in ALIASES.items()
        if name == rules.name and not alias.endswith("_match")
    ]
    return list(dict.fromkeys(filter(None, (*OTHER_NAMES.get(rules.name, "").split(", "), *known))))


def lands(rules: Ruleset) -> list[str]:
    """Countries where the people of a game live, as far as ``people`` does not name them."""
    found = [land for word, text in LANDS.items() if word in rules.people for land in text.split(", ")]
    return [land for land in dict.fromkeys(found) if land not in rules.people]


def words_of_lands(rules: Ruleset) -> list[str]:
    """What else the countries of a game are looked for by, such as "Accra, Kumasi: Ghana"."""
    known = ", ".join((rules.people, *lands(rules)))
    return [f"{words}: {land}" for land, words in WORDS.items() if re.search(rf"\b{land}", known)]


@cache
def family_of(name: str) -> str:
    """The game of the table that a game is a variant of; its own name, if of none."""
    for game, variants in VARIANTS.items():
        if name in variants.split():
            return game
    bases = [game for game in RULESETS if name.startswith(f"{game}_")]
    return min(bases, key=len, default=name)


def _special(rules: Ruleset) -> str:
    """What is special about a game: where it differs from the one it is a variant of, or what few other games have."""
    base = ruleset(family_of(rules.name)) if rules.name in RULESETS else rules
    if rules.match is not base.match:
        return aim(rules)
    own, theirs, size, other_size = _features(rules), _features(base), _size(rules), _size(base)
    new = [told for told in (*own, *size) if told not in (*theirs, *other_size)]
    gone = [told for told in theirs if told not in own and not new]
    telling: list[str] = []
    told, alike = new or gone or own, _all_features()
    while len(telling) < min(2, len(told)):
        left = [each for each in told if each not in telling]
        rarest = min(left, key=lambda each: (each in DULL, sum(each in others for others in alike)))
        telling.append(rarest)
        alike = [others for others in alike if rarest in others]
    text = "; ".join(sorted(telling, key=told.index))
    return f"Left out: {text}." if gone else f"{text[:1].upper()}{text[1:]}." if text else aim(rules)


def _size(rules: Ruleset) -> tuple[str, str]:
    board = rules.board
    return f"{number(board.rows)} rows of {board.columns} pits", f"{counted(rules.seeds, 'seed')} in each pit"


def _features(rules: Ruleset) -> list[str]:
    """What happens in a game, as ``MECHANISMS`` says it; captures by number with the numbers."""
    tells = {tag: MECHANISMS[tag] for tag in mechanisms(rules)}
    counts = {clause.count for clause in rules.landing if clause.count is not None and "here" in clause.takes}
    numbers = [
        f"an {count} number" if isinstance(count, str) else joined([number(each) for each in sorted(count)], "or")
        for count in counts
    ]
    if "count-capture" in tells and numbers:
        tells["count-capture"] = f"a pit is captured when the last seed makes it {joined(sorted(numbers), 'or')}"
    return list(tells.values())


@cache
def _all_features() -> list[set[str]]:
    return [set(_features(rules)) for rules in RULESETS.values()]


def length_of(rules: Ruleset) -> str:
    """How long a game usually is, "up to three games, about 44 moves"; "" if nobody knows."""
    most = "" if rules.match is Match.NONE else most_games(rules.max_games)
    return ", ".join(filter(None, (most, lengths().get(text_of(rules), ""))))


@cache
def lengths() -> dict[str, str]:
    """How long games of the table usually are, "about 44 moves": medians of docs/statistics.md, where that is there; of
    a solitaire that chance rarely wins the longest game, "up to 6 moves", for the others broke off at a mistake."""
    found: dict[str, str] = {}
    head: list[str] = []
    for line in STATISTICS.read_text(encoding="utf-8").splitlines() if STATISTICS.exists() else ():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "game":
            head = cells
        elif len(cells) == len(head) and cells[0] in RULESETS:
            row = dict(zip(head, cells, strict=True))
            lost = not row["North wins"] and float(row["South wins"].removesuffix(" %")) < 50
            plies = cells[head.index("max")] if lost else f"{float(row['plies, median']):.0f}"
            found[cells[0]] = f"{'up to' if lost else 'about'} {plies} moves"
    return found


def _rung(name: str) -> str:
    """The reference opponent that plays as this agent does; "" if none does."""
    known = {"random": "v1-random", "greedy": "v1-depth1"}
    found = known.get(name, name.replace("minimax:depth=", "v1-depth"))
    return found if found in NAMES else ""
