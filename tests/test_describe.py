"""``Ruleset.describe``: all rules of any ruleset, in the words of a player."""

import re
from dataclasses import fields, replace

import pytest

import mancala_env as mancala
from mancala_env import RULESETS, Passing, Ruleset, When
from mancala_env.rules import landing
from mancala_env.rules.checks import CHOICES
from mancala_env.rules.choices import END_REASONS
from mancala_env.rules.describe import WIDTH, in_words
from mancala_env.rules.groups import Title
from tests.test_random_rules import drawn

RULES = [field.name for field in fields(Ruleset) if field.name not in {each.name for each in fields(Title)}]
WORDS_OF_OPTIONS = {
    *(field.name for kind in (Ruleset, When, Passing) for field in fields(kind)),
    *(str(value) for kind in CHOICES.values() for value in kind),
    *END_REASONS, *landing._TAKES, *landing._THEN, *landing._AFTER, "each_seed", "after_lap",
    *mancala.rules.board.BOARDS,
}  # fmt: skip
RAW = re.compile(rf"\b({'|'.join(sorted(word for word in WORDS_OF_OPTIONS if '_' in word))})\b")


def games():
    return [*RULESETS.values(), *(drawn(seed) for seed in range(100))]


def means_nothing(rules, name):
    """Has this field no effect, as others are?"""
    return {
        "seeds": rules.setup is not None,
        "max_laps": not rules.relays,
        "slam_scope": rules.grand_slam == "capture",
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
        for field in fields(Ruleset):
            if field.name not in RULES or getattr(rules, field.name) == field.default:
                continue
            try:
                usual = rules.changes(**{field.name: field.default})
            except ValueError:  # the other rules need it
                continue
            if not means_nothing(rules, field.name):
                looked_at.add(field.name)
                assert usual.describe() != text, f"{field.name} of {rules}"
    assert {*RULES} - looked_at == set()


def test_every_word_of_a_clause_changes_its_sentence():
    looked_at = set()
    for rules in games():
        for clause in rules.landing:
            for field in fields(When):
                if getattr(clause, field.name) == field.default:
                    continue
                try:
                    usual = replace(clause, **{field.name: field.default})
                except ValueError:
                    continue
                if field.name == "chain_side" and not clause.chain:
                    continue
                looked_at.add(field.name)
                assert in_words(usual) != in_words(clause), f"{field.name} of {clause}"
    assert {field.name for field in fields(When)} - looked_at == set()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"passing": Passing(counts={4}, side="own", to="owner")},
         "As soon as a seed has fallen into an own pit that then holds 4, its seeds are captured for the owner of the "
         "pit; the last seed of a lap does not count."),
        ({"passing": Passing(counts={2, 3}, last=True, when="after_lap")},
         "When a lap has been sown, every pit that got a seed and now holds 2 or 3 is captured for the mover, also "
         "the one where the last seed fell."),
        ({"opening": ((0, -2), (), (1,))},
         "In the first move of the game only the first pit or the second to last pit of the mover's side may be "
         "played, counted from the player's left. The second move is free."),
        ({"direction": "clockwise", "leave": "every_lap"}, "one by one clockwise round the board"),
        ({"setup_stores": (3, 1)}, "South begins with three seeds in the store, North with one seed."),
        ({"max_plies": 1000}, "It ends after 1,000 moves at the latest, counted like any other end."),
    ],
)  # fmt: skip
def test_a_rule_is_told_in_sentences(changes, told):
    rules = Ruleset(name="told", landing=(When(was="empty", side="opponent").capture("here"),), **changes)
    assert told in " ".join(rules.describe().split())


def test_a_whole_game_reads_like_a_rule_book():
    told = """\
kalah

The board
  Two rows of six pits. The pits of a player are those of the row nearest to them.
  Four seeds lie in each pit at the start.

Sowing
  A player lifts all seeds of an own pit and sows them one by one counter-clockwise round the board,
  and each time they pass it one into the own store, which comes after the last own pit.

Where the last seed falls
  The first of these that fits applies; where none does, the turn ends.
  1. If the last seed falls into the own store, the mover has another turn.
  2. If the last seed falls into an own pit that was empty and faces seeds, it and the pit across
     are captured.

The end of the game
  The game ends as soon as all pits of a player are empty, no matter who is to move.
  It also ends when the player to move cannot.
  Such an end is called an empty side.
  At the end each player takes the seeds left in their own pits.
  The player with more seeds wins; with equally many it is a draw.
"""
    assert mancala.ruleset("kalah").changes(options=()).describe() + "\n" == told
