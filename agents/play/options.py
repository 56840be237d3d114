"""What of a game can be chosen before it begins: options of its family, and the length of a match."""

from collections.abc import Sequence

from mancala_env.games import RULESETS
from mancala_env.games.titles import title_of
from mancala_env.rules import Match, Ruleset
from mancala_env.rules.plain import text_of
from mancala_env.words import counted

SHORTER = (3, 1)  # games that a match may be shortened to


def options_of(rules: Ruleset) -> list[tuple[str, str, list[tuple[str, str]], str]]:
    """What can be chosen of a game before it begins: name, what it is about, values in words, and the usual one."""
    found = []
    for option in rules.options:
        values = [(_written(value), option.in_words(value)) for value in option.choices]
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
