"""A move that is told: its events make of the position before the one after, and its sentence says what happens."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mancala_env as mancala
from mancala_env import EventKind, IllegalAction, When
from mancala_env.games import ruleset
from mancala_env.kernels import events as E
from mancala_env.kernels.layout import STRONGHOLD_TAX
from mancala_env.trace import KINDS as EVENTS
from tests import reference
from tests.strategies import KINDS, like, play_on, positions, solitaires

seeds = st.integers(0, 2**32)


class Table:
    """Seeds, marks and what has left the board, to which events are done one after the other."""

    def __init__(self, state):
        self.pits, self.rules = len(state.pits), state.rules
        self.owner, self.landed = state.owner.tolist(), None
        self.seeds = [*state.pits, *state.stores]
        self.marks = state.marks.tolist()
        self.removed, self.player, self.hand = state.removed, state.player, 0
        self.picks = state.pending is not None
        self.part = state.pending.more if self.picks and state.pending.kind == "direction" else None  # that is sown

    def do(self, event):
        """Do it, and look whether it can be as it says."""
        kind, source, target, count, clause = event
        rules, on_board, held = self.rules, sum(self.seeds), None if source is None else self.seeds[source]
        event.happen(self.seeds)
        self.hand += on_board - sum(self.seeds) + count * (kind == "bring") - (kind == "lose")
        if kind == "lift":
            assert source < self.pits
            assert self.marks[source] < 0 or rules.marked_pits == "closed"  # as soon as it is closed
            stays = 0 if rules.leave == "nothing" or (clause is not None and rules.leave != "every_lap") else 1
            taxed = rules.stronghold is not None and count == STRONGHOLD_TAX
            assert taxed or count == self.part or held - count in {0, stays}
            assert count > 0
        elif kind == "take":
            assert source < self.pits
            then = rules.landing[clause] if clause is not None else None  # None: on the way, or picked
            is_raid = then is not None and {*then.takes} <= {"last", "last_and_one"}
            collects = rules.marked_pits == "collect"
            assert 0 < count <= held
            assert count == held or is_raid or collects
            if target is not None:
                on_the_way = then is None and rules.passing is not None and not self.picks
                to = rules.passing.to if on_the_way else "mover" if then is None else then.to
                to = "mark" if collects and self.marks[source] >= 0 and then is None and not self.picks else to
                player = {
                    "mover": self.player, "opponent": 1 - self.player, "owner": self.owner[source],
                    "mark": self.marks[source],
                }.get(to)  # fmt: skip
                assert target == (self.landed if to == "here" else self.pits + player)
        elif kind == "stay":
            assert held == 1
        elif kind == "lose":
            self.removed += 1
        elif kind == "lay":
            assert self.hand == 0
        elif kind == "land":
            self.landed = target
            assert self.hand == 0
            assert count > 0
            if rules.passing is None and rules.marked_pits != "collect":
                assert self.seeds[target] == count
            else:  # it may just have been taken, and taken seeds may be in this store
                left = {0, count, count - (rules.marked_pits == "collect")}
                assert self.seeds[target] >= count if target >= self.pits else self.seeds[target] in left
        elif kind == "carry":
            assert count == 1 or rules.sowing == "piles"
        elif kind == "mark":
            assert self.seeds[target] == count
            self.marks[target] = self.player
        elif kind == "unmark":
            assert self.marks[target] >= 0
            self.marks[target] = -1
        assert self.hand >= 0
        assert min(self.seeds) >= 0

    def do_all(self, trace):
        for event in trace.events:
            self.do(event)
        assert self.hand == 0
        return self


def check(state, action):
    """A trace against ``State.play``, which is fast, and against the reference, which is slow and knows no kernel."""
    after, trace = state.play(action), state.trace(action)
    table = Table(state).do_all(trace)
    assert trace.before == (*state.pits, *state.stores)
    kinds = [event.kind for event in trace.events]
    row = state.array_after(action)
    assert row[: len(table.seeds)].tolist() == table.seeds
    if after.game == state.game:
        assert after.marks.tolist() == table.marks
        assert after.removed == table.removed
        stays = "again" in kinds or "choose" in kinds or state.rules.players == 1
        expected = state.player if stays else 1 - state.player
        assert after.is_over or ("stuck" in kinds) == (after.player != expected)
    pit, due = state.pit(action), state.pending
    if state.rules.sowing == "bao" or due is not None:
        assert ("choose" in kinds) == (after.pending is not None)
    if state.rules.sowing == "bao":
        assert (kinds[0] == "hold") == (pit is None)
        assert ("bring" in kinds) == (after.reserve != state.reserve)
    elif due is not None and due.kind == "pick":
        (taken,) = (event for event in trace.events if event.kind == "take")
        assert (taken.source, taken.seeds) == (pit, state.pits[pit])
    elif due is not None or pit is None:
        assert kinds[0] == ("lift" if pit is not None else "pass" if due is None else "hold")
    else:
        owner, marks = tuple(state.owner.tolist()), tuple(state.marks.tolist())
        known = frozenset(pit for pit, is_known in enumerate(state.memory.tolist()) if is_known)
        laid = reference.Table(state.pits, owner, marks, state.stores, known)
        turn = reference.Turn(state.rules, laid, state.player, pit, state.ply, bool(state.direction(action)))
        assert (*turn.table.pits, turn.gained) == (*table.seeds[:-2], sum(table.seeds[-2:]) - sum(state.stores))
        assert list(turn.table.marks) == table.marks
        decides = turn.may_go_on is not None or turn.reversible is not None
        goes_on = not after.is_over and after.game == state.game
        assert (turn.again and goes_on) == ("again" in kinds or (turn.may_go_on is not None and goes_on))
        asks = turn.picks > 0 or decides
        assert (asks and after.pending is not None) == ("choose" in kinds)
        stored = [e for e in trace.events if e.kind == "take" and e.target is not None and e.target >= len(state.pits)]
        assert turn.captured == sum(event.seeds for event in stored)
        assert turn.removed == table.removed - state.removed
        if state.rules.grand_slam != "capture":
            assert turn.slams == ("grand_slam" in kinds)
    text = trace.text
    assert text.startswith(("South", "North") if state.rules.players == 2 else "The player")
    assert "None" not in text
    assert not text.endswith(".")
    return trace


def check_game(start, random_choices, most_plies):
    for state in play_on(start, random_choices, most_plies):
        for action in state.legal_actions:
            check(state, action)


@pytest.mark.parametrize("kind", [*KINDS, "solitaires"])
@given(data=st.data())
def test_events_make_the_position_after_by_rules_at_random(kind, data):
    rules = data.draw(solitaires if kind == "solitaires" else like(*KINDS[kind]))
    if "debt" in rules.fields or rules.closes_pits:  # which the reference does before and between turns
        return
    start = rules.position(**data.draw(positions(rules)))
    check_game(start, random.Random(data.draw(seeds)), most_plies=10)


def test_kinds_have_the_numbers_of_the_kernels():
    for number, kind in enumerate(EVENTS[: E.HOLD + 1]):
        assert getattr(E, kind.name) == number


def test_an_event_says_what_where_and_why():
    state = mancala.ruleset("oware").position([0, 0, 0, 0, 0, 2, 1, 2, 4, 0, 0, 0])
    assert state.trace(5).events == (
        ("lift", 5, None, 2, None),
        ("sow", 5, 6, 1, None),
        ("sow", 6, 7, 1, None),
        ("land", None, 7, 3, 0),
        ("take", 7, 12, 3, 0),
        ("take", 6, 12, 2, 0),
    )


def test_what_cannot_be_played_cannot_be_told():
    state = mancala.ruleset("kalah").start().play(2)
    for action in (2, 6, -1, "x", None, True):
        with pytest.raises(IllegalAction):
            state.trace(action)
    over = mancala.ruleset("kalah").position([0] * 6 + [1] * 6)
    with pytest.raises(IllegalAction, match="the game is over"):
        over.trace(0)


def test_more_events_than_there_is_room_for_are_told_all(monkeypatch):
    state = mancala.ruleset("hus").start()
    whole = [check(state, action) for action in state.legal_actions]
    assert max(len(trace.events) for trace in whole) > 20
    monkeypatch.setattr("mancala_env.trace.ROOM", 1)
    assert [state.trace(action) for action in state.legal_actions] == whole


def test_a_turn_that_goes_round_for_ever_is_told_without_its_rounds():
    rules = mancala.Ruleset(name="round", board=mancala.two_rows(2), seeds=1, landing=(When(was="occupied").relay(),),
                            max_plies=10, max_laps=30_000)  # fmt: skip
    found = set()
    for one in range(5):
        for two in range(4):
            for three in range(4):
                state = rules.changes(seeds=4).position([one + 1, two, three, 1])
                for action in state.legal_actions:
                    trace = check(state, action)
                    found |= {event.kind for event in trace.events}
                    if EventKind.ROUNDS in found:
                        assert len(trace.events) < 10_000
                        assert "the turn ends" in trace.text
                        return
    raise AssertionError(f"no turn goes round for ever: {found}")


TOLD = [
    ("oware", {"pits": [0, 0, 0, 0, 0, 2, 1, 2, 4, 0, 0, 0]}, "F",
     "South plays F, sowing 2 seeds; the last seed makes b a three: b and, before it, a are taken (5 seeds)"),
    ("oware", {"pits": [4] * 12}, "C", "South plays C, sowing 4 seeds, the last into a"),
    ("oware:grand_slam=no_capture", {"pits": [1, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0]}, "F",
     "South plays F, sowing 2 seeds; the last seed makes b a three: that would be a grand slam, so nothing is taken"),
    ("oware:grand_slam=spare_last", {"pits": [1, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0]}, "F",
     "South plays F, sowing 2 seeds; the last seed makes b a three: a is taken (2 seeds), and "
     "all would be a grand slam, so one pit is spared"),
    ("oware_liberta", {"pits": [1, 0, 2, 2, 0, 0] + [0] * 6, "stores": (20, 20)}, "A",
     "South plays A, sowing 1 seed, the last into the empty pit B; North has nothing to play and passes"),
    ("oware_liberta:explicit_pass=true", {"pits": [0] * 6 + [4] * 6}, "pass", "South passes"),
    ("kalah", {"pits": [4] * 12}, "C",
     "South plays C, sowing 4 seeds; the last seed falls into the store: South moves again"),
    ("kalah", {"pits": [0] * 5 + [1, 1] + [0] * 5}, "F", "South plays F, sowing 1 seed, the last into the store"),
    ("kalah", {"pits": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 7, 1]}, "A",
     "South plays A, sowing 1 seed; the last seed falls into the empty pit B of South's: "
     "B and e, which lies across, are taken (8 seeds)"),
    ("kalah:store=both,skip_origin=false", {"pits": [0] * 5 + [8] + [4] * 6}, "F",
     "South plays F, sowing 8 seeds, the last into the opponent's store"),
    ("kalah:leave=unless_alone,max_plies=9", {"pits": [1] * 12}, "B", "South plays B, whose only seed stays"),
    ("hus", {"pits": [0] * 8 + [2, 0, 1, 0, 0, 0, 0, 0] + [0] * 5 + [3, 0, 0] + [0] * 5 + [2, 0, 0]}, "I",
     "South plays I, sowing 2 seeds, and goes on for 1 lap more; on the way n is taken (2 seeds), to be sown on; "
     "the last seed falls into the empty pit M"),
    ("layli_goobalay", {"pits": [1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3, 0]}, "A",
     "South plays A, sowing 1 seed; the last seed falls into the empty pit B, which faces three: "
     "a seed is carried over from e, and B and e are marked as South's"),
    ("diffusion", {"pits": [1] + [0] * 4 + [5] + [5, 0, 0, 0, 0, 0]}, "F",
     "South plays F, spreading 5 seeds to b and E; 3 seeds leave the board"),
    ("diffusion", {"pits": [1] + [0] * 4 + [1] + [0] * 6}, "F",
     "South plays F, spreading 1 seed; 1 seed leaves the board"),
    ("layli_goobalay", {"pits": [1, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]}, "A",
     "South plays A, sowing 1 seed, and goes on with B; "
     "the last seed falls into the empty pit D of South's: D and c, which lies across, are taken (5 seeds)"),
    ("reaping", {"pits": [0, 2, 3, 1, 0] + [1] * 10}, "1",
     "South plays 1, taking a seed each from 1, 2 and 3 and laying all 3 into 4"),
    ("oure_ngat", {"pits": [1, 3, 0, 0, 0, 0, 5, 0]}, "A", "South plays A, whose only seed stays"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "position", "move", "text"), TOLD)
def test_a_move_is_told_in_a_sentence(game, position, move, text):
    state = ruleset(game).position(**position)
    trace = check(state, state.parse_move(move))
    assert trace.text == text


def test_a_raid_names_the_seeds_and_a_capture_whom_they_go_to():
    weg = mancala.ruleset("weg")
    raid = weg.position([0, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0], marks=[-1] * 6 + [1] + [-1] * 5)
    assert raid.trace(4).text.startswith("South plays E, sowing 1 seed")
    raid = weg.position([0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0], marks=[-1] * 6 + [1] + [-1] * 5)
    assert "2 seeds of a are taken" in raid.trace(5).text
    assert "4 for South" in mancala.ruleset("pallanguzhi").start().play(1).trace(5).text
