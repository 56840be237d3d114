"""``Ruleset.describe``: all rules of any ruleset, in the words of a player."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

import mancala_env as mancala
from mancala_env import RULESETS, Passing, Ruleset, When
from mancala_env.rules import landing
from mancala_env.rules.checks import CHOICES
from mancala_env.rules.describe import WIDTH, in_words
from mancala_env.rules.fields import DEFAULTS, NOT_RULES
from tests.test_random_rules import drawn

RULES = [name for name in DEFAULTS if name not in {*NOT_RULES, "name", "version"}]
WORDS_OF_OPTIONS = {
    *DEFAULTS, *landing.CLAUSE, *(field.name for field in fields(Passing)),
    *(str(value) for kind in CHOICES.values() for value in kind),
    *landing._TAKES, *landing._THEN, *landing._AFTER, "each_seed", "after_lap",
    *mancala.rules.board.BOARDS,
}  # fmt: skip
RAW = re.compile(rf"\b({'|'.join(sorted(word for word in WORDS_OF_OPTIONS if '_' in word))})\b")


def games():
    rare = (
        "oware:slam_scope=multi_pit", "oware_territory:target=8,remainder=keep",
        "oware_series_difference:difference=signed",
    )  # fmt: skip
    return [*RULESETS.values(), *map(mancala.ruleset, rare), *(drawn(seed) for seed in range(500))]


def means_nothing(rules, name):
    """Has this field no effect, as others are?"""
    return {
        "seeds": rules.setup is not None,
        "max_laps": not rules.relays,
        "slam_scope": rules.grand_slam == "capture",
        "setup_marks": not any(mark >= 0 for mark in rules.setup_marks),
    }.get(name, False)


def test_rules_are_told_without_the_words_of_options():
    assert len([word for word in WORDS_OF_OPTIONS if "_" in word]) > 40
    for rules in games():
        text = rules.describe()
        assert not RAW.findall(text), text
        assert all(len(line) <= WIDTH for line in text.splitlines())
        for line in re.split(r"\n(?=\S|  \S)", text)[1:]:
            assert not re.search(r"None|frozenset|\{|\(\)|  \S+  |\.\.|,,|,\.", line.strip()), text


def test_every_rule_that_differs_from_the_usual_changes_the_text():
    looked_at = set()
    for rules in games():
        text = rules.describe()
        for name in RULES:
            if getattr(rules, name) == DEFAULTS[name]:
                continue
            try:
                usual = rules.changes(**{name: DEFAULTS[name]})
            except ValueError:  # the other rules need it
                continue
            if not means_nothing(rules, name):
                looked_at.add(name)
                assert usual.describe() != text, f"{name} of {rules}"
    needed = {"sowing", "match", "remember"}  # others are needed with these, or go with them
    assert {*RULES} - looked_at <= needed


def test_every_word_of_a_clause_changes_its_sentence():
    looked_at = set()
    for rules in games():
        for clause in rules.landing:
            for name in clause.said:
                try:
                    usual = replace(clause, **{name: landing.CLAUSE[name][1]})
                except ValueError:
                    continue
                if not {"chain_side": clause.chain, "every_side": clause.every}.get(name, True):
                    continue
                looked_at.add(name)
                assert in_words(usual) != in_words(clause), f"{name} of {clause}"
    assert {*landing.CLAUSE} - looked_at <= {"every", "chain_direction"}  # see below


def descriptions():
    """The expressions of the file, each with its words."""
    found, expression = {}, ""
    for line in (Path(__file__).parent / "data" / "descriptions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[expression].append(line.strip())
        elif line and not line.startswith("#"):
            expression = line
            found[expression] = []
    return [(expression, " ".join(words)) for expression, words in found.items()]


@pytest.mark.parametrize(("expression", "words"), descriptions())
def test_rules_are_told_in_these_words(expression, words):
    changed = eval(expression, {"When": When, "Passing": Passing})
    if isinstance(changed, When):
        assert in_words(changed) == words
    else:
        clause = When(was="empty", side="opponent").capture("here")
        assert words in " ".join(Ruleset(name="changed", landing=(clause,), **changed).describe().split())
