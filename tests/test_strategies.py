"""The random rulesets of the property tests draw from every axis, and from all that a landing table can say."""

import random
from collections import Counter

import pytest

from mancala_env.random_rules import FOR_ONE, FOR_TWO, drawn_from
from mancala_env.rules.checks import CHOICES
from mancala_env.rules.fields import DEFAULTS, NOT_RULES
from mancala_env.rules.landing import ASKED, CLAUSE

WORDS = [*NOT_RULES, "name", "version"]
FACTS = {name: tuple(asked.facts) for name, asked in ASKED.items() if asked.facts}
OF_TABLES = {"takes", "chain_side", "every_side", "to", "first", "chain_direction", "then", "marks", *FACTS}


def drawn(games, count):
    """How many of ``count`` rulesets have each axis other than by default, and each word of a landing table.

    Drawn by the functions that the strategies draw by, without what Hypothesis needs to shrink an example.
    """
    seen: Counter = Counter()
    numbers = random.Random(3)
    for _ in range(count):
        seen.update(said(drawn_from(numbers.choice, games)))
    return seen


def said(rules):
    """All that a ruleset says which the plainest one does not."""
    words = set()
    for name, default in DEFAULTS.items():
        value = getattr(rules, name)
        if name not in WORDS and value != default:
            words |= {name, *([f"{name}={value}"] if name in CHOICES else [])}
    for clause in rules.landing:
        for name, value in clause.said.items():
            words.add(f"When.{name}")
            if name in OF_TABLES:
                words |= {f"{name}={each}" for each in (value if isinstance(value, tuple) else (value,))}
    return words


@pytest.mark.integration
def test_every_field_every_choice_and_all_that_a_landing_table_can_say_is_drawn():
    seen = drawn(FOR_TWO, 8000)
    assert {*DEFAULTS} - {*WORDS} - {*seen} == set()
    assert {f"When.{name}" for name in CLAUSE} - {*seen} == set()
    seen += drawn(FOR_ONE, 100)
    choices = {f"{axis}={value}" for axis, kind in CHOICES.items() for value in kind if value != DEFAULTS[axis]}
    assert choices - {*seen} == set()
    for option, words in {
        "takes": ("here", "facing", "outer", "next", "next2", "facing_next", "last", "last_and_one", "every",
                  "neighbours"),
        "then": ("again", "relay", "relay_or_stop", "relay_next", "sow_on"),
        "to": ("owner", "here"),
        "first": ("after_lap_start", "lap_start"),
        "marks": ("here", "facing", "pair"),
        "chain_side": ("any", "own"),
        "chain_direction": ("columns", "forward"),
        "every_side": ("own", "opponent"),
        **FACTS,
    }.items():  # fmt: skip
        drawn_rarely = {"next=house", "remembered=False"}  # two boards have houses, and games ask what is remembered
        assert {f"{option}={word}" for word in words} - {*seen} <= drawn_rarely
