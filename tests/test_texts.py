"""The words in which games are told and contradictions refused are those of the last time that somebody read them."""

import re

import pytest

from mancala_env.rules import checks
from mancala_env.rules.board import BOARDS
from mancala_env.rules.fields import DECLARED
from tests import texts

REFUSALS = texts.refusals()
DEMANDS = [(subject, demand) for subject, demands in checks.DEMANDS for demand in demands]


def fact(name):
    """A pattern of how refusals name a fact, whatever the value of a field."""
    field = "match" if name == "a match that lays out the seeds" else name.partition("=")[0]
    if field in DECLARED and field != "setup":
        return rf"{field}(=\S+)?"
    return re.escape(f"the board {name}" if name in BOARDS else "start" if name == "setup" else name)


def test_every_game_of_the_table_is_told_as_before():
    assert texts.descriptions() == texts.stored()


@pytest.mark.parametrize(("game", "changes", "words"), REFUSALS, ids=range(len(REFUSALS)))
def test_what_was_refused_is_refused_in_the_same_words(game, changes, words):
    assert texts.words(game, changes) == words
    assert "\n" not in words
    assert len(words) < 1500


@pytest.mark.parametrize(("subject", "demand"), DEMANDS)
def test_every_demand_is_made_by_a_line(subject, demand):
    facts, is_need, why = demand
    needed = re.escape(" or ".join(checks.SAID.get(name, name) for name in facts.split("|")))
    asked = f"needs {needed}; set" if is_need else f"and {fact(facts)} do not go together"
    because = re.escape(f"{why}: " if why else "")
    pattern = re.compile(f"ruleset '[^']*': {because}{fact(subject)} {asked}")
    assert any(pattern.match(words) for _, _, words in REFUSALS)
