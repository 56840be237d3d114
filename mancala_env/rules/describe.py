"""A ruleset in words: the rules as a player reads them, in the order of a rule book."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from mancala_env.rules import choices as c
from mancala_env.rules.checks import applies
from mancala_env.rules.declared import Declared, flat
from mancala_env.rules.encode import RuleBook
from mancala_env.rules.fields import DECLARED
from mancala_env.rules.landing import ASKED, CLAUSE, Part, Turn, When
from mancala_env.words import counted, either, joined, number, ordinal

WIDTH = 100  # of a line
SOWING, LANDING, ENDING = (DECLARED[name].heading for name in ("sowing", "landing", "goal"))
BY_NAME = "What can be chosen by name"  # the heading of what is about programs, not players

_PITS = {
    "here": "it",
    "facing": "the pit across",
    "outer": "the opponent's outer pit of that column",
    "next": "the next pit",
    "next2": "the next pit but one",
    "facing_next": "the pit across from the next one",
    "last": "the seed that fell last",
    "last_and_one": "the seed that fell last, with another one of that pit if there is one,",
    "every": "every {pit} that holds {counts}",
    "neighbours": "every {pit} beside it in its row that holds {counts}",
}
_ALONG = {
    "four_rows": "{way} round their own two rows",
    "three_rows_horn": "from the left along the own outer row and back along the own half of the middle one, then in "
    "the same way along the opponent's pits, and so on",
    "three_rows_snake": "from the left along the own outer row, back along the whole middle row, along the opponent's "
    "outer row from the left, and so on",
    "one_row": "{way}; they must not run off the row",
    "solo_row": "to the right, and after the last pit from the first one on",
}
_OF_SIDE = {"own": "own pit", "opponent": "pit of the opponent", "any": "pit"}
_ENDS = {  # what a game of this goal ends by, and who wins then
    c.Goal.SEEDS: "The game ends {at_once}when {ends}.",
    c.Goal.LAST_MOVER: "The game ends when {ends}: the player who is to move then loses.",
    c.Goal.EMPTY_BLOCK: "The player whose own {own} empty first after a move wins, no matter who moved. Where both are "
    "empty at once, or the game ends in another way, it is a draw.",
    c.Goal.OUTLAST: "A player whose pits are all empty after a turn loses; if both players' are, it is a draw. {stuck}",
    c.Goal.INNER_ROW: "A player whose inner row is empty after a turn loses, and so does one who cannot move.",
    c.Goal.CLEAR: "The game is won when all seeds are in the store. A player who cannot move has lost.",
    c.Goal.STANDSTILL: "It is won when the piles stand still: when there are one, two, three and so on up to the "
    "largest, so that the next move would change nothing.",
}
_ONWARD = {
    "gaps": "going on the same way, the next pit but one as long as it holds seeds and the pit between is empty",
    "across": "what lies across from the own pits that follow, as long as they are empty and face seeds",
}
_THEN = {
    "relay": "{its} are lifted and sown on",
    "relay_or_stop": "{its} are lifted and sown on, unless the mover stops there",
    "relay_next": "the seeds of the next pit are lifted and sown on",
    "lose": "the game is lost",
    "again": "the mover has another turn",
}
_KINDS = {  # of boards, after their size
    "two_rows": ". The pits of a player are those of the row nearest to them.",
    "crossed_rows": ". The pits of a player are those of the row nearest to them, but each plays those of the other's.",
    "open_rows": ". The pits belong to nobody, and both players play all of them.",
    "side_blocks": ". The pits of a player are those at their left, in both rows; the two in the middle belong to "
    "nobody.",
    "rows_and_houses": ", and a house at either end. The pits of a player are those of the row nearest to them; the "
    "houses belong to nobody, and nobody plays them.",
    "four_rows": ". The two rows nearest to a player, an outer one and an inner one, are their own.",
    "arcs": ". At first the pits of a player are those of the row nearest to them; pits change hands from game to "
    "game.",
    "halves": ". Both players play every pit; the block of a player is the half of the board at their left.",
    "blocks_in_rows": ". Both players play every pit; the block of a player is the row nearest to them.",
    "one_row": ". The pits belong to nobody; South counts them from the left, North from the right.",
    "solo_row": ", all of them those of the only player, and a store after the last one.",
    "piles": ", which are room for piles of seeds; there is one player.",
    **dict.fromkeys(
        ("three_rows_horn", "three_rows_snake"),
        ". A player's pits are those of the outer row nearest to "
        "them and, of the row in the middle, the half at their right.",
    ),
}


def describe(rules: RuleBook) -> str:
    """The rules in sentences, under indented headings, in lines of at most ``WIDTH`` characters."""
    lines = [rules.name]
    for heading, sentences in sections(rules).items():
        lines += ["", heading]
        for sentence in sentences:
            indent = "     " if sentence[0].isdigit() else "  "  # of a numbered clause
            lines += textwrap.wrap(
                sentence, WIDTH, initial_indent="  ", subsequent_indent=indent, break_long_words=False,
                break_on_hyphens=False,
            )  # fmt: skip
    return "\n".join(lines)


def sections(rules: RuleBook) -> dict[str, list[str]]:
    """The sentences of ``describe`` under their headings; the clauses of a table begin with a number."""
    heading, found = "", dict[str, list[str]]()
    for name, said in DECLARED.items():
        heading = said.heading or heading
        found.setdefault(heading, []).extend(() if name in _LATER else sentences_of(rules, name))
    for name, heading in _LATER.items():
        found.setdefault(heading, []).extend(sentences_of(rules, name))
    return {heading: sentences for heading, sentences in found.items() if sentences}


def sentences_of(rules: RuleBook, name: str) -> Iterator[str]:
    """What ``sections`` tell of a field."""
    if applies(rules, name):
        for sentence in filter(None, _SENTENCES[name](rules) if name in _SENTENCES else [sentence_of(rules, name)]):
            alone = sentence.replace("the own store", "the store").replace("the mover", "the player")
            yield alone if rules.players == 1 else sentence


def in_words(clause: When, rules: RuleBook | None = None) -> str:
    """A clause of the landing table as a sentence without its full stop: "if the last seed falls into ..., it is
    captured". ``rules``: of the game that it is of, for the names of pits."""
    rules = rules or RuleBook()
    asked = {name: _in_words(rules, ASKED[name], value) for name, value in clause.conditions.items()}
    when = "".join(f"{asked[name]}, " for name in Turn.__dataclass_fields__ if name in asked)
    where = asked.pop("store", asked.pop("side", "a pit"))
    those = " and ".join(words for name, words in asked.items() if not hasattr(Turn, name))
    if those:
        where += f" that {those}"
    return f"{when}if the last seed falls into {where}, {_consequence(rules, clause)}"


def sentence_of(rules: RuleBook, name: str) -> str:
    """The sentence that a field is declared with; "" where it says nothing."""
    value, words = getattr(rules, name), _words(rules)
    if isinstance(value, Part):
        words |= {each: _in_words(rules, said, getattr(value, each)) for each, (said, _) in flat(type(value)).items()}
    return _capital(_in_words(rules, DECLARED[name], value, words))


def _in_words(rules: RuleBook, said: Declared, value: Any, words: Mapping[str, str] | None = None) -> str:
    """A value in the words that are declared, with what these leave open; "" for what goes without saying."""
    if value in said.facts:
        return said.facts[value].phrase
    text, known = said.sentence, dict(words or {})
    if isinstance(value, c.Choice):
        text = value.sentence
    elif isinstance(text, Mapping):
        text = text.get(value, "")
    elif value is None or value == said.least:
        return ""
    elif isinstance(value, frozenset):
        known |= {"counts": either(value), "seeds": "seed" if value == {1} else "seeds"}
        known |= {"places": _places(rules, value), "one_of": "one of " if len(value) > 1 else ""}
    elif isinstance(value, int):
        known |= {name: counted(value, name[:-1]) for name in ("seeds", "moves", "marked pits")}
        known |= {"time": ordinal(value), "ply": ordinal(value + 1)}
    return text.format_map(known)


def _words(rules: RuleBook) -> dict[str, Any]:
    """What sentences of a game leave open."""
    counts = rules.goal is c.Goal.SEEDS and rules.leftover in (c.Leftover.OWNER, c.Leftover.EMPTIER)
    alone, fed = rules.players == 1, rules.feeding is not c.Feeding.NONE
    return {
        "word": f" (here it is called {rules.mark_word})" if rules.mark_word != "marked" else "",
        "kept": ", and at the end its seeds belong to the owner of the mark" if counts else "",
        "when": "after the whole turn" if rules.relays else "before captures",
        "passes": "passes, which counts as a move," if rules.explicit_pass else "waits",
        "fed": ", or the opponent has no seeds" if fed else "",
        "seeds": counted(rules.seeds, "seed"),
        "own": "your own pits" if rules.sowing is c.Sowing.TRACK else "your own block, your half of the board,",
        "house": "" if rules.stronghold is None else _places(rules, [rules.stronghold]),
        "ends": "is lost" if alone else "ends",
        "draw": "" if alone or rules.goal is c.Goal.SEEDS else ": a draw",
        "since": "" if rules.sowing is c.Sowing.PILES else " since seeds were last won for good",
        "same": "" if alone else ", with the same player to move,",
        "halved": "; the seeds on the board are then halved" if rules.repetition_leftover == "split" else "",
        "most": 2 * rules.board.columns - 1,
        "limit": counted(rules.max_games, "game"),
        "laps": counted(rules.max_laps, "lap"),
        "target": rules.target,
        "points": counted(rules.target, "point"),
        "pits": f"{counted(rules.target, 'pit')} or more" if rules.target else "all pits",
        "half": "adds half a point to both" if rules.draw_points else "adds nothing",
    }


# Fields of which more is to be told than a sentence that stands in their declaration.


def _board(rules: RuleBook) -> Iterator[str]:
    board, start = rules.board, rules.start_pits
    size = f"{number(board.rows)} row{'s' * (board.rows > 1)} of {counted(board.columns, 'pit')}".capitalize()
    yield size + _KINDS[board.kind]
    half = board.pits // 2
    if board.halves:
        back = {3: " along the outer row and back along the half of the middle one",
                4: " along the outer row and back along the inner one"}.get(board.rows, "")  # fmt: skip
        south, north = board.names[half - 1], board.names[-1]
        yield f"From their owner's left{back}, South's pits are called A to {south}, and North's a to {north}."
    if rules.sowing is c.Sowing.PILES:
        some = [str(seeds) for seeds in rules.start_pits if seeds]
        yield f"At the start there {'is a pile' if len(some) == 1 else 'are piles'} of {joined(some)} seeds."
    elif rules.setup is None:
        yield f"Each pit holds {counted(rules.seeds, 'seed')} at the start."
    elif board.halves:
        south, north = (", ".join(map(str, pits)) for pits in (start[:half], start[half:]))
        yield f"At the start South's pits hold {south} and North's {north} seeds, in this order."
    else:
        order = "from the left on" if board.rows == 1 else "counter-clockwise from South's left on"
        yield f"At the start the pits hold {', '.join(map(str, start))} seeds, {order}."
    if any(rules.start_stores):
        south, north = (counted(seeds, "seed") for seeds in rules.start_stores)
        both = f"South begins with {south} in the store, North with {north}."
        yield both if rules.players == 2 else f"At the start the store holds {south}."
    taken = rules.marked_pits is c.MarkedPits.TAKEN
    for owners, marked in [((0, 1), "marked")] if taken else [((0,), "marked by South"), ((1,), "marked by North")]:
        if pits := [board.names[pit] for pit, mark in enumerate(rules.setup_marks) if mark in owners]:
            yield f"At the start {joined(pits)} {'are' if len(pits) > 1 else 'is'} {marked}."


def _sowing(rules: RuleBook) -> Iterator[str]:
    if rules.sowing is not c.Sowing.TRACK:
        yield sentence_of(rules, "sowing")
    else:
        one_way = rules.direction in (c.Direction.CLOCKWISE, c.Direction.COUNTERCLOCKWISE)
        way = _WAYS[rules.directions[0]] if one_way else "clockwise or counter-clockwise"
        if rules.is_line:
            each = "to the right if they are South, to the left if they are North"
            way = "to the right or to the left, as they choose" if rules.offers_directions else each
        others = {"crossed_rows": "a pit of the opponent's row", "open_rows": "any pit", "one_row": "any pit"}
        whose = others.get(rules.board.kind, "an own pit")
        along = _ALONG.get(rules.board.kind, "{way} round the board").format(way=way)
        yield f"A player lifts all seeds of {whose} and sows them one by one {along}."


_WAYS = {
    c.Direction.CLOCKWISE: "clockwise",
    c.Direction.COUNTERCLOCKWISE: "counter-clockwise",
    c.Direction.CHOICE: "in the direction that the mover chooses",
    c.Direction.REVERSE: "counter-clockwise, or clockwise if that captures, in the first lap of the turn",
    c.Direction.REVERSE_LAPS: "counter-clockwise, or clockwise if that captures, in any lap of the turn",
}


def _directions(rules: RuleBook) -> Iterator[str]:
    if isinstance(rules.direction, tuple) or rules.reverses:
        for way, words in _WAYS.items():
            if pits := [place for place, each in enumerate(rules.directions) if each is way]:
                are = "is" if len(pits) == 1 else "are"
                yield f"{_capital(_places(rules, pits))} of a player {are} sown {words}."
    elif not rules.is_line:
        yield sentence_of(rules, "direction")
    if rules.relays and rules.goes_both_ways and not rules.reverses and rules.direction != "choice_turning":
        yield "All laps of a turn go the same way."


def _landing(rules: RuleBook) -> Iterator[str]:
    if not rules.landing:
        yield "Nothing comes of where the last seed falls: the turn ends."
    elif len(rules.landing) == 1:
        yield f"{_capital(in_words(rules.landing[0], rules))}. Otherwise the turn ends."
    else:
        yield "The first of these that fits applies; where none does, the turn ends."
        yield from (f"{k}. {_capital(in_words(clause, rules))}." for k, clause in enumerate(rules.landing, 1))
    if rules.next_is_pit:
        yield "The next place is the next pit; stores are left out."
    if rules.has_marks:
        yield "What marks or lifts a pit applies only where that may be done, so never in a pit that is marked already."


def _opening(rules: RuleBook) -> Iterator[str]:
    for ply, places in enumerate(rules.opening):
        only = f"only {_places(rules, places)} of the mover's side" if places else "any pit"
        yield f"In the {ordinal(ply + 1)} move of the game {only} may be played."


def _goal(rules: RuleBook) -> Iterator[str]:
    on_track, waits = rules.sowing is c.Sowing.TRACK, rules.stuck is c.Stuck.PASS
    at_once = "as soon as all pits of a player are empty, no matter who is to move, and "
    words = {
        "at_once": at_once if rules.end_check == "any_side" else "",
        "ends": "neither player can move" if waits else "the player to move cannot",
        "own": "pits are" if on_track else "block is",
        "stuck": "Where neither can move it is a draw, too." if waits else "A player who cannot move loses, too.",
    }
    yield _ENDS[rules.goal].format_map(words)
    if rules.goal is c.Goal.EMPTY_BLOCK and on_track:
        yield _ENDS[c.Goal.SEEDS].format_map(words)


def _winner(rules: RuleBook) -> Iterator[str]:
    yield sentence_of(rules, "leftover")
    enough = f"A player with {counted(rules.target_seeds, 'seed')} or more wins; where nobody has so many it is a draw."
    yield enough if rules.target_seeds else "The player with more seeds wins; with equally many it is a draw."


def _options(rules: RuleBook) -> Iterator[str]:
    for option in rules.options:
        known = [f"{each!r} ({option.words[each]})" if each in option.words else repr(each) for each in option.choices]
        yield f"{option.name}: {option.about}; one of {', '.join(known)} (here {getattr(rules, option.name)!r})"


_SENTENCES: Mapping[str, Callable[[RuleBook], Iterable[str]]] = {
    "board": _board,
    "sowing": _sowing,
    "direction": _directions,
    "landing": _landing,
    "opening": _opening,
    "goal": _goal,
    "leftover": _winner,
    "options": _options,
}
_LATER = {"leftover": ENDING, "first_mover": DECLARED["match"].heading, "options": BY_NAME}  # under these headings


# Clauses of the landing table.


def _consequence(rules: RuleBook, clause: When) -> str:
    parts, seeds = [], f"the seeds of {joined([_PITS[take] for take in clause.takes])}"
    if clause.then == "sow_on":
        stops = ", and the turn ends with that lap" if clause.stops else ""
        parts.append(f"{seeds} are sown on from {_in_words(rules, CLAUSE['first'][0], clause.first)}{stops}")
    elif clause.to == "here":
        parts.append(f"{seeds} are laid into it")
    elif clause.takes:
        parts.append(_capture(clause))
    if clause.marks == ("pair",):
        parts.append("a seed comes over from the pit across")
    if clause.marks:
        pits = ("here", "facing") if clause.marks == ("pair",) else clause.marks
        how = f"{'are' if len(pits) > 1 else 'is'} {'closed' if clause.closes else 'marked'}"
        parts.append(f"{joined([_PITS[pit] for pit in pits])} {how}")
    if clause.then in _THEN:
        its = "its seeds" if clause.to == "here" or not clause.takes else "the seeds of the pit where it fell"
        parts.append(_THEN[clause.then].format(its=its))
    if clause.picks:
        more = "another pit" if clause.picks == 1 else f"{number(clause.picks)} other pits"
        spared = f", but not {_places(rules, clause.sparing)}" if clause.sparing else ""
        parts.append(f"the mover then captures {more} of the opponent at will, as far as any hold seeds{spared}")
    return ", and ".join(parts) or "the turn ends"


def _capture(clause: When) -> str:
    every = {"pit": _OF_SIDE[clause.every_side], "counts": either(clause.every) if clause.every else ""}
    taken = [_PITS[take].format_map(every) for take in clause.takes]
    if clause.chain:
        whose = {"opponent": "opponent's pits", "own": "own pits", "any": "pits"}[clause.chain_side]
        across = " with the pits across from these," if clause.chain_direction == "columns" else ""
        after = "after that one" if "next" in clause.takes else "after it"
        where = after if clause.chain_direction == "forward" else "before it"
        taken.append(f"the {whose} {where} that hold {either(clause.chain)}, one after the other,{across}")
    taken += [_ONWARD[clause.chain_direction]] if clause.chain_direction in _ONWARD else []
    whom = {"owner": ", for the owner of each pit", "opponent": ", for the opponent"}.get(clause.to, "")
    return f"{joined(taken)} {'are' if len(taken) > 1 else 'is'} captured{whom}"


# Numbers and lists.


def _places(rules: RuleBook, places: Iterable[int]) -> str:
    """Pits by the letters of South's, a row of three or more by its ends."""
    home, found = rules.board.homes[0], list[str]()
    names, among = [rules.board.names[pit].upper() for pit in home], {place % len(home) for place in places}
    for is_in, group in groupby(range(len(home)), among.__contains__):
        if is_in:
            run = [names[place] for place in group]
            found += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
    return f"{'pit' if len(among) == 1 else 'pits'} {joined(found)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
