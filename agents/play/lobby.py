"""What a lobby shows: games with their aims, and opponents by their measured strength."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from agents import zoo
from agents.agent import Agent, plays
from agents.play.session import PERSON, Person
from agents.policy import card_page
from agents.provenance import rules_digest
from agents.reference import LEARNED, LEVELS, NAMES, REFERENCE
from mancala_env.games import RULESETS, ruleset
from mancala_env.games.titles import title_of
from mancala_env.rules import Ruleset
from mancala_env.rules.describe import aim

UNRATED = "Not rated"
BESIDE = "Two people"
LADDER = {  # the same five for each game, by level: each answers within a second or so, in a browser, too
    "Beginner": ("greedy", "takes the most it can at once"),
    "Casual": ("minimax:depth=2", "looks 2 moves ahead"),
    "Club": ("minimax:depth=4", "looks 4 moves ahead"),
    "Expert": ("minimax:depth=6,time=1", "looks 6 moves ahead, for a second at most"),
    "Master": ("minimax:time=1", "looks as far ahead as it can in a second"),
}
LEARNT = "looks ahead for a second, by what it has learnt from games against itself"
STATISTICS = Path(__file__).parents[2] / "docs" / "statistics.md"
_RANKS = (*dict.fromkeys(LEVELS.values()), UNRATED, BESIDE)


def ladder(rules: Ruleset) -> dict[str, str]:
    """The five who play a game of two players, by level, as ``make_agent`` takes them: the last by a learned
    evaluation, where the zoo has one of this game."""
    five = {level: name for level, (name, _) in LADDER.items()}
    for name in zoo.evaluations():
        if rules_digest(zoo.rules_of(name)) == rules_digest(rules):
            five["Master"] = f"zoo:{name},time=1"
    return five


class Opponent(NamedTuple):
    """An opponent, as ``make_agent`` takes it, its level (or ``UNRATED``), its strength in words, and its ``score``, 0
    to 1, against the opponent that gives it its level."""

    name: str
    level: str
    told: str
    score: float = 0.5


@cache
def rated(name: str) -> Opponent:
    """An agent with its strength: that of the ladder, a reference opponent's own, or, of one of the zoo, what its card
    has measured."""
    if name == PERSON:
        return Opponent(name, BESIDE, "A person beside me, at this device")
    for level, (one, told) in LADDER.items():
        if name == one:
            return Opponent(name, level, f"{level}: {told}")
    if name.startswith("zoo:") and name.endswith(",time=1"):
        return Opponent(name, "Master", f"Master: {LEARNT}")
    if rung := _rung(name):
        ahead = REFERENCE.get(rung, LEARNED.get(rung))
        moves = f"looks {ahead} move{'' if ahead == 1 else 's'} ahead" if ahead else "plays at random"
        return Opponent(name, LEVELS[rung], f"{LEVELS[rung]}: {moves}")
    if name.removeprefix("zoo:") not in (*zoo.names(), *zoo.evaluations()):
        return Opponent(name, UNRATED, UNRATED)
    folder = zoo.FOLDER / name.removeprefix("zoo:")
    found = [folder / file for file in (zoo.EVALUATION, zoo.FILE_NAME) if (folder / file).exists()]
    card = json.loads(zoo.beside(found[0]).read_text(encoding="utf-8"))
    results = [each for each in card_page.results(card) if card_page.is_evaluation(card) or not each.search]
    ladder = [(NAMES.index(rung), each) for each in results if (rung := _rung(each.opponent))]
    if not ladder:
        told = f"{results[-1].score:.0%} against {results[-1].opponent}".replace("%", " %") if results else UNRATED
        return Opponent(name, UNRATED, told)
    ladder.sort(key=lambda each: each[0])
    rank, best = next((each for each in reversed(ladder) if each[1].score >= 0.5), ladder[0])
    rung = NAMES[rank]
    level = LEVELS[rung]
    ahead = LEARNED.get(rung, REFERENCE.get(rung))
    whom = f"who looks {ahead} ahead" if ahead else "random play"
    return Opponent(name, level, f"{level}: a trained network, {100 * best.score:.0f} % against {whom}", best.score)


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
    return sorted(found, key=lambda each: (_RANKS.index(each.level), each.score))


def cards(games: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """Name, title, aim and usual length of each of these games."""
    return [_card(name) for name in games]


@cache
def _card(name: str) -> tuple[str, str, str, str]:
    rules = ruleset(name)
    return name, title_of(rules), aim(rules), lengths().get(name, "")


@cache
def lengths() -> dict[str, str]:
    """How long games of the table usually are, "about 44 moves": medians of docs/statistics.md, where that is there."""
    found: dict[str, str] = {}
    head: list[str] = []
    for line in STATISTICS.read_text(encoding="utf-8").splitlines() if STATISTICS.exists() else ():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in ("game", "match"):
            head = cells
        elif len(cells) == len(head) and cells[0] in RULESETS:
            row = dict(zip(head, cells, strict=True))
            plies, games = (round(float(row.get(f"{what}, median", 0))) for what in ("plies", "games"))
            found[cells[0]] = f"about {games} games, {plies} moves in all" if games else f"about {plies} moves"
    return found


def _rung(name: str) -> str:
    """The reference opponent that plays as this agent does; "" if none does."""
    known = {"random": "v1-random", "greedy": "v1-depth1"}
    found = known.get(name, name.replace("minimax:depth=", "v1-depth"))
    return found if found in NAMES else ""
