"""A State never changes, compares by what is on the board, keeps its history, and can be written and read again."""

import copy
import pickle
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import plays
from agents.analysis import play_out
from agents.evaluation.openings import random_opening
from agents.mcts import MctsAgent
from agents.search import perft
from agents.search.minimax import MinimaxAgent, move_values
from agents.search.solve import Solver
from mancala_env import RULESETS, Batch, Ruleset, State, When, one_row, ruleset, two_rows
from mancala_env.kernels import layout, single
from mancala_env.kernels.single import hash_of
from mancala_env.observation import make_encoder
from mancala_env.replay import Replay
from tests.games import CORE, random_game
from tests.strategies import games

OWARE = RULESETS["oware"]
KALAH = RULESETS["kalah"]
CYCLE = (5, 11, 0, 6, 1, 7, 2, 8, 3, 10, 4, 9)  # pits; leads back to where it starts
START_OF_CYCLE = OWARE.position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], (22, 23))
COPIES = [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))]
copies = pytest.mark.parametrize("duplicate", COPIES, ids=["copy", "deepcopy", "pickle"])


def play_pits(state, pits):
    for pit in pits:
        state = state.play(state.rules.action(state.player, pit))
    return state


def test_playing_leaves_the_position_as_it_was():
    state = OWARE.start()
    before = (str(state), hash(state), state.legal_actions, state.scores)
    state.play(2).play(3)
    assert (str(state), hash(state), state.legal_actions, state.scores) == before
    assert state.play(2) == state.play(2)


@pytest.mark.parametrize("view", ["array", "legal_mask", "history", "owner", "marks"])
def test_arrays_that_a_state_hands_out_are_copies(view):
    state = OWARE.start()
    array, before = getattr(state, view), getattr(state, view)
    array[:] = np.logical_not(array) if array.dtype == np.bool_ else array + 1
    assert np.array_equal(getattr(state, view), before)
    assert not np.array_equal(array, before)
    assert state == OWARE.start()
    assert state.play(5) == OWARE.start().play(5)


def test_a_game_always_starts_in_the_same_state_and_copies_of_a_state_are_itself():
    state = OWARE.start()
    assert OWARE.start() is state
    assert copy.copy(state) is copy.deepcopy(state) is state


def test_the_widest_board_fits_in_the_number_that_kernels_return():
    rules = ruleset("reaping", start=[2, 0, 3, 1] * 10)
    with pytest.raises(ValueError, match="from 2 to 40"):
        one_row(41)
    state, batch = rules.start(), Batch(rules, 1)
    for ply in range(20):
        assert np.array_equal(state.legal_mask, batch.legal_mask[0])
        action = state.legal_actions[-1 - ply % 3]
        batch.play(np.array([action]))
        state = state.play(action)
        assert state == batch.state(0)
    assert pickle.loads(pickle.dumps(state)).legal_actions == state.legal_actions


def test_a_state_from_read_only_memory_is_played_on():
    """As ``ray`` and others hand pickled arrays on, without a copy."""
    for name in ("oware", "oware_series_wins"):
        state = RULESETS[name].start().play(2)
        make, (rules, data, *rest) = state.__reduce__()
        data.flags.writeable = False
        assert make(rules, data, *rest).play(3) == state.play(3)


def test_equal_positions_are_equal_and_hash_alike():
    one = OWARE.start().play(0)
    other = OWARE.position([0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4], player=1, ply=1)
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1
    assert one == ruleset("oware", seeds=4).start().play(0)


@pytest.mark.parametrize(
    "other",
    [
        OWARE.position([4] * 11 + [3]),
        OWARE.position([4] * 11 + [3], (1, 0)),
        OWARE.position([4] * 12, player=1),
        OWARE.position([4] * 12, ply=2),
        ruleset("oware", grand_slam="no_capture").start(),
        RULESETS["awari"].start(),
        KALAH.start(),
        "oware 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
        None,
    ],
    ids=str,
)
def test_positions_that_differ_are_not_equal(other):
    assert OWARE.start() != other


def test_the_way_to_a_position_is_no_part_of_it():
    by_two_ways = [play_pits(OWARE.start(), pits) for pits in ((0, 6, 5, 11), (5, 11, 0, 6))]
    straight = OWARE.position(by_two_ways[0].pits, by_two_ways[0].stores, ply=4)
    capture = ruleset("oware", seeds=1, majority_stop=False, indeterminacy_max_seeds=0)
    assert by_two_ways[0] == straight
    assert hash(by_two_ways[0]) == hash(straight)
    quiet = capture.position([1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], (2, 0), player=1, ply=1)
    assert capture.position([1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0], ply=0).play(5) == quiet


@copies
@pytest.mark.parametrize("ply", [0, 1, 5, 11])
def test_copies_remember_the_positions_before(duplicate, ply):
    state = play_pits(START_OF_CYCLE, CYCLE[:ply])
    twin = duplicate(state)
    assert (twin, hash(twin), str(twin), twin.rules) == (state, hash(state), str(state), state.rules)
    assert twin.legal_actions == state.legal_actions
    state = play_pits(twin, CYCLE[ply:])
    assert (state.ply, state.termination) == (12, "repetition")


def test_a_position_that_is_set_up_or_read_has_no_past():
    state = play_pits(START_OF_CYCLE, CYCLE[:11])
    for fresh in (OWARE.position(state.pits, state.stores, state.player, state.ply), State.parse(OWARE, str(state))):
        assert fresh == state
        assert not play_pits(fresh, CYCLE[11:]).is_over


def test_branches_of_a_game_keep_separate_histories():
    state = play_pits(START_OF_CYCLE, CYCLE[:9])
    for action in state.legal_actions:
        state.play(action)
    assert play_pits(state, CYCLE[9:]).termination == "repetition"
    assert not play_pits(START_OF_CYCLE, CYCLE[:11]).is_over


def test_history_holds_one_entry_for_each_position_since_the_last_capture():
    state = play_pits(START_OF_CYCLE, CYCLE[:5])
    assert len(state.history) == 6
    assert len(set(state.history.tolist())) == 6
    assert len(KALAH.start().play(2).play(5).history) == 0  # no rule needs it
    captured = OWARE.position([1, 0, 3, 0, 1, 2, 1, 2, 0, 0, 0, 1], (19, 18), ply=3).play(5)
    assert len(captured.history) == 1


@pytest.mark.parametrize("name", [name for name in CORE if RULESETS[name].repetition])
def test_a_history_ends_with_the_hash_of_its_own_position_also_at_the_end(name):
    """Whatever ended the game: nothing that memory held before is handed out, or pickled."""
    reasons = set()
    for seed in range(12):
        states = random_game(RULESETS[name], seed)[1]
        for before, state in pairwise(states[-8:]):
            known = state.history.tolist()
            assert known[-1] == int(hash_of(state.array, state.rules.encoded.axes))
            if len(known) > 1:
                assert known[:-1] == before.history.tolist()[1 - len(known) :]
            assert pickle.loads(pickle.dumps(state)).history.tolist() == known
        reasons.add(states[-1].termination)
        kept = State.from_array(states[-1].rules, states[-1].array, states[-1].games)
        assert kept.history.tolist() == [known[-1]]
    assert reasons


def test_a_position_is_one_line():
    assert str(OWARE.start()) == "oware 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
    assert str(KALAH.start().play(2).play(5)) == "kalah 4-4-0-5-5-0-5-5-5-5-4-4-2-0-N ply=2"
    assert str(play_pits(START_OF_CYCLE, CYCLE)) == "oware 0-0-0-0-0-1-0-0-0-0-1-1-22-23-S ply=12 over=repetition"
    assert repr(OWARE.start()) == "<State oware 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S>"


def test_a_state_is_made_by_its_rules_and_nothing_can_be_assigned_to_it():
    with pytest.raises(TypeError, match=re.escape("make a State with rules.start(), rules.position(...)")):
        State()
    for attribute in ("player", "pits", "rules", "colour"):
        with pytest.raises(AttributeError):
            setattr(OWARE.start(), attribute, 1)


@given(games(most_plies=150))
def test_what_is_written_is_read_again(states):
    for state in states:
        read = State.parse(state.rules, f"  {state}\n")
        assert read == state
        assert str(read) == str(state)
        assert (read.legal_actions, read.scores, read.winner) == (state.legal_actions, state.scores, state.winner)


@pytest.mark.parametrize("end_reason", ["stuck", "famine", "side_empty"])
@pytest.mark.parametrize("stuck", ["end", "pass"])
def test_a_game_ended_by_a_slam_can_be_read_again(end_reason, stuck):
    rules = Ruleset(
        name="own",
        board=two_rows(3),
        landing=(When(side="opponent", count={2}).capture("here"),),
        grand_slam="rest_to_opponent",
        end_reason=end_reason,
        stuck=stuck,
        indeterminacy_max_seeds=2,
    )
    state = rules.position([1, 0, 1, 1, 0, 0]).play(2)
    assert str(state) == "own 1-0-0-0-0-0-2-0-N ply=1 over=grand_slam"
    read = State.parse(rules, str(state))
    assert read == state
    assert read.scores == state.scores == (2, 1)


def test_a_game_in_which_both_must_pass_can_be_read_again():
    rules = Ruleset(name="own", board=two_rows(3), stuck="pass")
    state = rules.position([0] * 6, (3, 3))
    assert state.is_over
    assert State.parse(rules, str(state)) == state


@pytest.mark.parametrize("name", CORE)
def test_a_finished_position_is_handed_on_with_its_moves_or_with_its_ending(name):
    for seed in range(3):
        last = random_game(RULESETS[name], seed)[1][-1]
        assert " moves " in last.to_line()
        assert " over=" not in last.to_line()
        for line in (last.to_line(), str(last)):
            read = State.parse(last.rules, line)
            assert read == last
            assert (read.scores, read.winner, read.termination) == (last.scores, last.winner, last.termination)
        bare = str(last).partition(" over=")[0]
        by_the_way = ("repetition", "max_plies")  # else the board alone tells that it is over
        if last.termination in by_the_way or (last.games and last.games[-1].termination in by_the_way):
            continue
        with pytest.raises(ValueError, match=r"the game is over there|the match is decided|say why the match is over"):
            State.parse(last.rules, bare)


@given(games(most_plies=150))
def test_a_line_with_moves_keeps_the_history(states):
    for state in (states[0], *states[-3:]):
        read = State.parse(state.rules, state.to_line())
        assert read == state
        if not state.is_over:
            assert read.history.tolist() == state.history.tolist()
            assert pickle.loads(pickle.dumps(state)).to_line() == copy.deepcopy(state).to_line() == state.to_line()


def test_a_game_of_a_batch_does_not_know_the_moves_of_its_line():
    batch = Batch(OWARE, 1)
    assert batch.state(0).to_line() == str(OWARE.start())
    batch.play([0])
    with pytest.raises(ValueError, match=r"^oware: the moves that led to .* are not known; hand on the position"):
        batch.state(0).to_line()


@pytest.mark.parametrize(
    "number",
    ["inf", "-inf", "nan", "1e999", "1e3", "9" * 30, "9" * 5000, "\N{ARABIC-INDIC DIGIT FOUR}", "1.3", "-1", ""],
)
@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("oware_series_wins", "tally={}-0"),
        ("oware_series_wins", "last=0-{}"),
        ("layli_goobalay_match", "reserve={0}-{0}"),
        ("oware_series_wins", "game={}"),
        ("oware", "ply={}"),
        ("diffusion", "removed={}"),
    ],
)
def test_no_number_of_a_line_ends_in_a_traceback(name, field, number):
    rules = RULESETS[name]
    words = r"cannot read|as a position|must be "
    with pytest.raises(ValueError, match=words) as refused:
        State.parse(rules, f"{rules.start()} {field.format(number)}")
    assert len(str(refused.value)) < 1500
    if number:
        with pytest.raises(ValueError, match=r"cannot read|as a position|holds|more than the"):
            State.parse(rules, str(rules.start()).replace("-0-0-", f"-0-{number}-"))


@pytest.mark.parametrize(
    "number",
    [float("inf"), float("nan"), 10**5000, "x", [1], np.array([1, 2])],
    ids=lambda number: type(number).__name__,
)
def test_no_number_of_a_position_ends_in_a_traceback(number):
    series, match = RULESETS["oware_series_wins"], RULESETS["layli_goobalay_match"]
    for rules, fields in (
        (OWARE, {"ply": number}), (OWARE, {"stores": (0, number)}), (OWARE, {"player": number}),
        (series, {"tally": (number, 0)}), (series, {"last": (0, number)}), (series, {"game": number}),
        (series, {"first": number}), (match, {"reserve": (number, 0)}), (match, {"marks": [number] * 12}),
        (RULESETS["mewegae"], {"memory": [number] * 12}),
        (RULESETS["bao_kiswahili"], {"pits": [0] * 32, "stronghold": (True, number)}),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=rules.name) as refused:
            rules.position(**{"pits": [0] * 12, **fields})
        assert len(str(refused.value)) < 1500


@given(st.data())
def test_any_text_is_a_position_or_refused_in_a_sentence(data):
    rules = data.draw(st.sampled_from([RULESETS[name] for name in CORE]))
    text = str(rules.start()) + data.draw(st.sampled_from(["", " ply=3", " tally=1-0", " over=famine", " moves A"]))
    begin, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    written = data.draw(
        st.one_of(st.text(max_size=12), st.sampled_from(["inf", "nan", "1e999", "-", "=", " over=stuck"]))
    )
    try:
        state = State.parse(rules, text[:begin] + written + text[end:])
    except ValueError:
        return
    assert State.parse(rules, state.to_line()) == state


@pytest.mark.parametrize("text", ["G", "a", "AB", "", " A", "1"])
def test_a_move_that_does_not_exist_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is no move of player 0; moves are A, B, C, D, E, F")):
        OWARE.start().parse_move(text)


@pytest.mark.parametrize("ask", [State.name, State.pit, State.direction])
@pytest.mark.parametrize("action", [-1, 6, 1.0, "A"])
def test_an_action_that_does_not_exist_has_no_name_and_no_pit(ask, action):
    with pytest.raises(ValueError, match=re.escape(f"action must be from 0 to 5, not {action!r}")):
        ask(OWARE.start(), action)


def test_the_start_tells_its_game():
    state = OWARE.start()
    assert (state.player, state.ply, state.stores, state.scores, state.returns) == (0, 0, (0, 0), (0, 0), (0.0, 0.0))
    assert (state.is_over, state.winner, state.termination, state.games) == (False, None, None, ())
    assert state.pits == (4,) * 12
    assert state.owner.tolist() == [0] * 6 + [1] * 6
    assert state.marks.tolist() == [-1] * 12


@pytest.mark.parametrize(
    ("stores", "scores", "winner", "returns"),
    [
        ((20, 21), (27, 21), 0, (1.0, -1.0)),
        ((17, 24), (24, 24), None, (0.0, 0.0)),
        ((15, 24), (22, 24), 1, (-1.0, 1.0)),
    ],
)
def test_at_the_end_board_and_stores_stand_and_scores_count_them_together(stores, scores, winner, returns):
    rules = ruleset("oware", majority_stop=False)
    state = rules.position([1, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0], stores)
    assert state.is_over
    assert (state.pits, state.stores) == ((1, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0), stores)
    assert (state.scores, state.winner, state.returns) == (scores, winner, returns)
    assert state.legal_actions == ()
    assert not state.legal_mask.any()
    assert isinstance(state.player, int)


def test_scores_are_whole_numbers_unless_a_half_is_left():
    awari = RULESETS["awari"]
    split = play_pits(awari.position(START_OF_CYCLE.pits, START_OF_CYCLE.stores), CYCLE)
    assert split.scores == (23.5, 24.5)
    whole = play_pits(START_OF_CYCLE, CYCLE).scores
    assert whole == (23, 25)
    assert [type(score) for score in whole] == [int, int]


def test_numbers_are_plain_python_numbers():
    given = {"player": np.int64(1), "ply": np.int16(3)}
    state = OWARE.position(np.full(12, 4, dtype=np.int16), np.zeros(2, dtype=np.int8), **given).play(np.int64(2))
    assert state == OWARE.position([4] * 12, player=1, ply=3).play(2)
    numbers = [state.player, state.ply, *state.pits, *state.stores, *state.scores, *state.legal_actions]
    assert {type(number) for number in numbers} == {int}
    assert state.legal_mask.dtype == np.bool_
    assert state.array.dtype == np.int16


def test_a_pickle_of_another_layout_is_refused():
    state = ruleset("oware").start().play(2)
    unpickled, (rules, data, known, *rest) = state.__reduce__()
    assert unpickled(rules, data, known, *rest) == state
    short = data[: len(data) - single.WORD]
    for made_up, entries in ((short, known), (short, known - 1), (data, 0), (data[:10], known), (data, known + 1)):
        with pytest.raises(ValueError, match="no pickled State of this version"):
            unpickled(rules, made_up, entries, *rest)
    with pytest.raises(ValueError, match="no pickled State of this version"):
        unpickled(ruleset("hus"), data, known, *rest)


def test_the_name_of_a_game_stands_for_its_rules_wherever_these_are_taken():
    start = KALAH.start()
    assert State.parse("kalah", str(start)) == start.rules.position(start.pits) == start
    assert State.from_array("kalah", start.array) == start
    assert make_encoder("onehot", "kalah").rules == KALAH
    assert plays("random", "kalah")
    assert random_opening("kalah", 2, np.random.default_rng(0)).ply == 2


def test_what_is_asked_of_something_else_than_a_position_is_refused_in_a_line():
    solver = Solver(ruleset("kalah:pits_per_row=2,seeds=1"))
    for ask in (
        lambda given: move_values(given, 2),
        lambda given: perft(given, 2),
        lambda given: MinimaxAgent(depth=1).act(given),
        lambda given: MctsAgent(simulations=2).act(given),
        lambda given: play_out(given, "random"),
        lambda given: Replay.of(given, [2]),
        solver.value,
        solver.move_values,
    ):
        with pytest.raises(TypeError, match=r"must be a State, as ruleset\(name\)\.start\(\) and .* not 'kalah'$"):
            ask("kalah")


@pytest.mark.parametrize(
    ("game", "fields", "words"),
    [
        ("daramuti", {"direction": [0, -1]}, "one direction is chosen for both players"),
        ("toguz", {"marks": [0, -1, 0, *[-1] * 15]}, "a player may have at most 1 of its marks"),
        ("o_an_quan", {"marks": [0]}, "marks of pit 0 is 0, and must be from -1 to -1"),
        ("layli_goobalay", {"marks": [0, *[-1] * 11]}, "its marks are not in facing pairs of one owner"),
        ("sungka_match", {"closed": [1] * 7}, "a pit that is closed holds seeds"),
        ("sungka_match", {"pits": [0] * 7, "closed": [1] * 7}, "a player has no pit that is not closed"),
        # where something is due that cannot be, kernels would write outside the legal mask
        *(("omweso", {"pending": due}, "must be from|has to decide")
          for due in ((1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 60, 0), (4, 0, 0), (4, 4, 20))),
        ("tshuba", {"pending": (2, 0, 0)}, "must be from|has to decide"),
        ("kalah", {"over": "max_rounds"}, "it is over by max_rounds, and this game ends by"),
        ("kalah", {"over": "side_empty"}, "says over=side_empty, but that position is not over"),
        ("kalah", {"over": "majority"}, "it is over by majority, and this game ends by|that position is not over"),
        ("oware", {"over": "grand_slam"}, "it is over by grand_slam, and this game ends by"),
        ("oware_series_wins", {"over": "match_target"}, "nobody has reached the target of 3, so it is not over"),
        ("oware_series_wins", {"over": "famine"}, "by famine, and this game ends by match_target, max_games"),
    ],
)  # fmt: skip
def test_an_array_whose_fields_do_not_go_together_is_refused(game, fields, words):
    rules = ruleset(game)
    array = rules.start().array
    for field, value in fields.items():
        if field == "over":
            array[rules.board.pits + layout.OVER] = layout.TERMINATIONS.index(value)
        else:
            begins = 0 if field == "pits" else rules.fields[field]
            array[begins : begins + len(value)] = value
    with pytest.raises(ValueError, match=words):
        State.from_array(rules, array)
