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
    *END_REASONS, *landing._TAKES, *landing._THEN, *landing._FIRST, "each_seed", "after_lap",
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
    needed = {"sowing", "pit_limit", "match", "remember"}  # others are needed with these, or go with them
    assert {*RULES} - looked_at <= needed


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
                if not {"chain_side": clause.chain, "every_side": clause.every}.get(field.name, True):
                    continue
                looked_at.add(field.name)
                assert in_words(usual) != in_words(clause), f"{field.name} of {clause}"
    assert {field.name for field in fields(When)} - looked_at <= {
        "every",
        "chain_way",
    }  # see below


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        (When(store="opponent").again(),
         "if the last seed falls into the opponent's store, the mover has another turn"),
        (When(from_ply=4, lifted=2, was="empty").capture("last_and_one"),
         "from the fifth move of the game on, in a turn begun with two seeds or more in hand, if the last seed falls "
         "into a pit that was empty, the seed that fell last, with another one of that pit if there is one, is "
         "captured"),
        (When(inner=True, outer={2, 3}).capture("outer"),
         "if the last seed falls into a pit that lies in an inner row and has 2 or 3 in the opponent's outer pit, the "
         "opponent's outer pit of that column is captured"),
        (When(next="empty", next2="occupied", facing_next="occupied").capture("next2", "facing_next", to="owner"),
         "if the last seed falls into a pit that has nothing in the next place and has seeds in the next place but one "
         "and has seeds across from the next place, the next pit but one and the pit across from the next one are "
         "captured, for the owner of each pit"),
        (When().capture("every", every={4}, every_side="opponent").again(),
         "if the last seed falls into a pit, every pit of the opponent that holds 4 is captured, and the mover has "
         "another turn"),
        (When().capture("neighbours", every={2, 3, 4}),
         "if the last seed falls into a pit, every pit beside it in its row that holds 2, 3 or 4 is captured"),
        (When(count={3}).capture("here", chain={3}, chain_side="own", chain_way="columns"),
         "if the last seed falls into a pit that now holds 3, it and the own pits before it that hold 3, one after the "
         "other, with the pits across from these, are captured"),
        (When(remembered=False, place={0, -1}).capture("next", chain={1}, chain_side="any", chain_way="forward"),
         "if the last seed falls into a pit that is the last pit or the first pit of its side (from its owner's left) "
         "and is not remembered, the next pit and the pits after that one that hold 1, one after the other, "
         "are captured"),
        (When(facing="occupied").capture("facing", to="here"),
         "if the last seed falls into a pit that faces seeds, the seeds of the pit across are laid into it, and its "
         "seeds are lifted and sown on"),
        (When(facing="occupied").capture("facing").relay(),
         "if the last seed falls into a pit that faces seeds, the pit across is captured, and the seeds of the pit "
         "where it fell are lifted and sown on"),
        (When(next="occupied").relay("next"),
         "if the last seed falls into a pit that has seeds in the next place, the seeds of the next pit are lifted and "
         "sown on"),
        (When(outer="occupied").sow_on("outer", first="lap_start", stops=True),
         "if the last seed falls into a pit that has seeds in the opponent's outer pit, the seeds of the opponent's "
         "outer pit of that column are sown on from the pit where this lap began, the first seed into that pit itself, "
         "and the turn ends with that lap"),
    ],
)  # fmt: skip
def test_a_clause_is_told_in_words(clause, told):
    assert in_words(clause) == told


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
        ({"direction": "choice"}, "The mover chooses the direction in every turn."),
        ({"direction": "chosen_once"}, "chooses the direction for both players and the whole game."),
        ({"direction": "chosen_by_each"}, "Each player chooses a direction in their first turn, and keeps it"),
        ({"direction": ["clockwise"] * 2 + ["choice"] + ["counterclockwise"] * 3},
         "The first pit and the second pit of a player are sown clockwise. The fourth pit, the fifth pit and the sixth "
         "pit of a player are sown counter-clockwise. The third pit of a player is sown in the direction that the "
         "mover chooses. Pits are counted from the player's left."),
        ({"seeds_a_pit": 2}, "Two seeds fall into each pit at once; the last pit gets what is left."),
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
