"""Games of two rows where their rules differ from what recorded games show: positions worked out by hand."""

import pytest

from mancala_env import ruleset

# game, pits before, what is played, pits after, what South and North have won by it
PLAYED = [
    # fondji: twos and threes of the own row, and those before them
    ("fondji", [2, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0], "A", [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], (4, 0)),
    ("fondji", [0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0], "F", [0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0], (0, 0)),
    # enindji: a four goes to the owner of its row
    ("enindji", [0, 0, 0, 0, 0, 1, 3, 1, 0, 0, 0, 0], "F", [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], (0, 4)),
    # fours of the own row, sown clockwise
    ("unnee_tugalluulax", [0, 0, 0, 0, 3, 1, 1, 0, 0, 0, 0, 0], "F", [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], (4, 0)),
    ("unnee_tugalluulax", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], "A", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4], (0, 0)),
    # sixes of the opponent's row
    ("wari_ashanti", [0, 0, 0, 0, 0, 1, 5, 1, 0, 0, 0, 0], "F", [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], (6, 0)),
    ("wari_ashanti", [1, 5, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], "A", [0, 6, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], (0, 0)),
    # a three is sown on, to an empty pit
    ("whyo", [1, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], "A", [0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0], (0, 0)),
    ("hoyito_3", [1, 2, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0], "A", [0, 0, 1, 1, 1, 3, 3, 0, 0, 0, 0, 0], (0, 0)),
    ("lab_akila", [1, 2] + [0] * 10 + [4, 0], "A", [0, 0, 1, 1, 1] + [0] * 7 + [4, 0], (0, 0)),
    # two, with the pit across; so is the two before it
    ("lab_akila", [2, 1, 1] + [0] * 8 + [5, 3, 2], "A", [0] * 13 + [2], (12, 0)),
    # across from B, and the seed walks on to C
    ("gabata_ansaba", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1], "A", [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1], (2, 0)),
    # C is lifted, and b beyond the empty a is taken
    ("pachgarhwa", [1, 0, 2, 0, 0, 0, 2, 0, 0, 1], "A", [0, 1, 0, 1, 1, 0, 0, 0, 0, 1], (2, 0)),
    # one stays, and the last makes two
    ("bestemshe", [0, 0, 0, 1, 2, 1, 0, 0, 0, 3], "E", [0, 0, 0, 1, 1, 0, 0, 0, 0, 3], (2, 0)),
    # the last seed is taken with what faces it, in either row
    ("chonka", [4] + [0] * 5 + [3] + [5] + [0] * 6, "G", [4] + [0] * 6 + [6, 1] + [0] * 5, (1, 0)),
    ("chonka", [0] * 5 + [2, 3] + [5] + [0] * 6, "G", [0] * 5 + [0, 0] + [6] + [0] * 6, (4, 0)),
]


@pytest.mark.parametrize(("game", "pits", "move", "after", "won"), PLAYED)
def test_a_turn_by_hand(game, pits, move, after, won):
    rules = ruleset(game)
    rest = rules.total_seeds - sum(pits)
    state = rules.position(pits, (rest // 2, rest - rest // 2))
    played = state.play(state.parse_move(move))
    assert list(played.pits) == after
    assert tuple(now - before for now, before in zip(played.stores, state.stores, strict=True)) == won


def test_the_last_eight_go_to_who_moved_last():
    state = ruleset("ba_awa").position([0, 0, 0, 0, 0, 1, 3, 8, 0, 0, 0, 0], (20, 16))
    over = state.play(5)
    assert (over.termination, over.scores) == ("few_seeds", (32, 16))


@pytest.mark.parametrize("player", [0, 1])
def test_the_last_four_go_to_who_moved_last(player):
    pits = [0, 0, 0, 0, 0, 1, 3, 2, 0, 0, 0, 2]
    state = ruleset("hoyito_1").position([*pits[6 * player :], *pits[: 6 * player]], (30, 10), player)
    expected = [30, 10]
    expected[player] += 8
    over = state.play(5)
    assert (over.termination, over.scores) == ("few_seeds", tuple(expected))


def test_who_clears_the_own_row_wins():
    over = ruleset("waurie").position([0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0], (10, 35)).play(5)
    assert (over.termination, over.winner) == ("block_empty", 0)


def test_the_last_stone_in_the_treasury_ends_the_set():
    over = ruleset("mangala_tr").position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 5], (21, 21)).play(5)
    assert (over.termination, over.scores) == ("side_empty", (27, 21))


def test_who_is_bare_first_loses():
    over = ruleset("altiev").position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1], (30, 4)).play(5)
    assert (over.termination, over.winner) == ("side_empty", 1)


def test_first_moves():
    assert ruleset("jimafesosh").start().legal_actions == (4,)
    assert ruleset("um_el_bil").start().legal_actions == (5,)
    assert ruleset("dabuda").start().legal_actions == (6, 7, 8, 9)


def test_a_single_seed_moves_only_into_an_empty_pit():
    assert ruleset("kay").position([1, 1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0], (20, 20)).legal_actions == (1, 4)


def test_no_turn_leaves_the_opponent_without_seeds():
    state = ruleset("jodu").position([2, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0], (34, 9))
    assert state.legal_actions == (0, 1)
