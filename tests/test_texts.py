"""The words in which games are told and contradictions refused are those of the last time that somebody read them."""

import pytest

from tests import texts

REFUSALS = texts.refusals()


def test_every_game_of_the_table_is_told_as_before():
    assert texts.told() == texts.stored()


@pytest.mark.parametrize(("game", "changes", "words"), REFUSALS, ids=range(len(REFUSALS)))
def test_what_was_refused_is_refused_in_the_same_words(game, changes, words):
    assert texts.words(game, changes) == words
    assert "\n" not in words
    assert len(words) < 1500
