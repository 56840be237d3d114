"""What each option of a ruleset does that needs a landing table of one's own; and what is refused, in which words.

What options of named games do is in ``data/by_hand.txt``. Boards are written as South's row + North's, each from its
owner's left. On six columns South's pits are A to F, North's a to f; F is followed by a, and A faces f.
"""

import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from agents.search.minimax import MinimaxAgent
from mancala_env import RULESETS, Barred, IllegalAction, Ruleset, State, When, four_rows, ruleset, two_rows
from mancala_env.rules import Option, Skipping
from mancala_env.rules.checks import CHOICES
from mancala_env.rules.fields import DECLARED
from tests.games import placements
from tests.made_up import RELAY, TWO, game
from tests.reference import Position, is_dead

DATA = Path(__file__).parent / "data"
A, B, C, D, E, F = range(6)


def oware(**changes):
    return ruleset("oware", **changes)


def kalah(**changes):
    return ruleset("kalah", **changes)


# -- Dead positions ----------------------------------------------------------------------------------------------------

NO_FEEDING = {"feeding": "none"}
# Rules, seeds: dead positions, those of them that do not end in another way; both players to move.
DEAD = [
    *(({}, seeds, dead, running) for seeds, dead, running in [
        (1, 24, 2), (2, 156, 86), (3, 248, 78), (4, 462, 112), (5, 824, 178), (6, 1368, 264),
    ]),
    *((NO_FEEDING | {"end_check": "any_side"}, seeds, dead, running) for seeds, dead, running in [
        (1, 24, 0), (2, 156, 72), (3, 356, 132),
    ]),
    *((NO_FEEDING | {"stuck": "pass", "explicit_pass": explicit}, seeds, dead, dead)
      for explicit in (False, True) for seeds, dead in [(1, 24), (2, 156), (3, 0), (4, 0)]),
]  # fmt: skip


def indeterminate(rules, seeds):
    """The positions with this number of seeds that the rules call indeterminate."""
    return [
        (pits, player)
        for pits, player in placements(seeds)
        if rules.position(pits, player=player).termination == "indeterminacy"
    ]


@pytest.mark.parametrize(("changes", "seeds", "dead", "running"), DEAD)
def test_the_number_of_dead_positions_is_the_known_one(changes, seeds, dead, running):
    rules = oware(**changes, indeterminacy_max_seeds=seeds)
    assert len(indeterminate(rules, seeds)) == running
    if seeds < (4 if changes else 5):
        assert sum(is_dead(rules, pits, player) for pits, player in placements(seeds)) == dead
    if not changes and seeds > 1:
        fewer = oware(indeterminacy_max_seeds=seeds - 1)
        assert int(rules.encoded.no_capture_table.sum()) - int(fewer.encoded.no_capture_table.sum()) == dead


def test_the_dead_positions_with_three_seeds_are_the_known_ones():
    lines = (DATA / "oware_dead_positions.txt").read_text().splitlines()
    south = {tuple(map(int, line.split())) for line in lines}
    assert len(south) == 39
    assert {*indeterminate(oware(), 3)} == {(pits, 0) for pits in south} | {(pits[6:] + pits[:6], 1) for pits in south}


# -- Long games and turns ----------------------------------------------------------------------------------------------


def test_no_game_outlives_the_counter_of_its_plies():
    rules = game(board=two_rows(5), repetition=300, max_plies=0)
    state = rules.position([2, 1, 2, 2, 1] + [2, 2, 2, 1, 1])
    # If both always play their rightmost pit, the same position comes back every 126 plies from ply 87 on.
    while not state.is_over:
        state = state.play(state.legal_actions[-1])
    assert (state.termination, state.ply) == ("max_plies", 32_000)


ENDLESS = {
    "relays": (two_rows(3), When().relay()),
    "captures first": (
        two_rows(2),
        When(side="opponent", was="occupied", facing="occupied").capture("facing").relay(),
        When().relay(),
    ),
    "sown on": (four_rows(2), When(facing="occupied").sow_on("facing", "outer"), RELAY),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_an_endless_turn_ends_as_if_every_lap_were_sown(kind):
    board, *landing = ENDLESS[kind]
    random = np.random.default_rng(7)
    long = 0
    for max_laps in (99, 100, 101, 127, 128, 129, 130, 200, 255, 257, 300, 511, 700):
        rules = game(*landing, board=board, seeds=2, max_laps=max_laps)
        for _ in range(6):
            pits = random.multinomial(rules.total_seeds - 2, np.ones(board.pits) / board.pits).tolist()
            here, there = rules.position(pits), Position(rules, pits)
            for action in here.legal_actions:
                end = there.play(action)
                assert here.play(action).array.tolist()[: board.pits + 2] == [*end.pits, *end.stores]
                long += rules.changes(max_laps=50).position(pits).play(action).pits != here.play(action).pits
    assert long > 10  # turns that go on after 50 laps


@pytest.mark.integration
def test_a_search_among_endless_turns_comes_back():
    rules = ruleset("hus", landing=(When(facing="occupied").sow_on("facing"), When().relay()), max_laps=32_000)
    assert MinimaxAgent(depth=3).act(rules.start()) in rules.start().legal_actions


# -- Landing rows ------------------------------------------------------------------------------------------------------

# where the last seed falls: the position, the action
LANDINGS = {
    "own, was empty, faces seeds": ([1, 0, 0] + [0, 1, 0], A),
    "own, was occupied, faces none": ([1, 1, 0] + [0, 0, 0], A),
    "the opponent's, was empty, faces none": ([0, 0, 1] + [0, 0, 0], C),
    "the opponent's, was occupied, faces seeds": ([0, 2, 1] + [1, 0, 0], B),
}


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({}, [""]),
        ({"side": "own"}, ["own"]),
        ({"side": "opponent"}, ["opponent"]),
        ({"was": "empty"}, ["was empty"]),
        ({"was": "occupied"}, ["was occupied"]),
        ({"count": {1}}, ["was empty"]),
        ({"count": [2, 5]}, ["was occupied"]),
        ({"count": {3}}, ["never"]),
        ({"count": "even"}, ["was occupied"]),
        ({"facing": "occupied"}, ["faces seeds"]),
        ({"facing": "empty"}, ["faces none"]),
        ({"facing": {1}}, ["own", "faces seeds"]),
        ({"facing": {2, 3}}, ["opponent", "faces seeds"]),
        ({"facing": {3}}, ["never"]),
        ({"side": "own", "facing": "empty"}, ["own", "faces none"]),
        ({"side": "opponent", "was": "occupied", "count": "even"}, ["opponent", "was occupied"]),
    ],
)
def test_a_landing_row_acts_where_its_conditions_hold(condition, words):
    rules = game(When(**condition).capture("here"))
    acted = [name for name, (pits, action) in LANDINGS.items() if rules.position(pits).play(action).stores[0]]
    assert acted == [name for name in LANDINGS if all(word in name for word in words)]


def test_an_option_of_a_family_exchanges_a_row_of_the_landing_table():
    across = When(side="own", was="empty", facing="occupied").capture("here", "facing")
    again = When(side="own", was="occupied", facing="occupied").again()
    rules = kalah(landing=(again, across)).changes(empty_capture=True)
    assert rules == kalah(landing=(again, When(side="own", was="empty").capture("here", "facing")))
    assert (rules.empty_capture, kalah().empty_capture, kalah(landing=(again,)).empty_capture) == (True, False, None)
    with pytest.raises(ValueError, match="exchanges a clause that this landing table lacks"):
        kalah(landing=(again,)).changes(empty_capture=True)
    with pytest.raises(ValueError, match="give landing or empty_capture, not both"):
        kalah(landing=(again,), empty_capture=True)
    with pytest.raises(AttributeError, match="no attribute 'empty_capture'"):
        _ = oware().empty_capture


def test_help_tells_options_of_families_and_reads_like_a_rule_book():
    assert "empty_capture: the last seed" in kalah().describe()
    told = Ruleset.__doc__ or ""
    groups = [
        "The board",
        "Sowing",
        "Where the last seed falls",
        "What may be played",
        "The end of the game",
        "The match",
    ]
    assert re.findall(f"^({'|'.join(groups)})$", told, flags=re.MULTILINE) == groups
    names = re.findall(r"^([a-z_]+(?:, [a-z_]+)*)$", told, flags=re.MULTILINE)
    assert sorted(name for each in names for name in each.split(", ")) == sorted(DECLARED)


def test_what_belongs_together_is_a_group_whose_names_are_those_of_the_ruleset_and_of_the_clause():
    rules = ruleset("oware_series_wins:target=5")
    assert (rules.target, rules.series.target, rules.series.match) == (5, 5, "wins")
    other = replace(rules, target=2, ending=RULESETS["bechi"].ending)
    assert (other.series.target, other.match, other.repetition) == (2, "wins", 0)
    assert replace(When(facing={2}, few=3), next="empty") == When(facing={2}, few=3, next="empty")
    assert sum(field.compare for field in fields(Ruleset)) <= 45
    assert len(fields(When)) <= 20


# -- Names, and what is refused ----------------------------------------------------------------------------------------


def test_a_ruleset_of_ones_own_can_be_changed_like_a_named_one():
    assert ruleset(game(), seeds=2) == game(seeds=2)
    assert ruleset(RULESETS["oware"]) is RULESETS["oware"]


def test_an_unknown_option_that_is_near_no_other_is_told_all():
    with pytest.raises(ValueError, match="there is no option 'colour'; options are name, version, board, seeds"):
        oware(colour=1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: When().or_stop(), "a turn may stop where it would go on with the last pit: relay().or_stop()"),
        (lambda: When().relay("last"), "relay('last') is unknown"),
        (lambda: When(place=()), "must name places on a side"),
        (lambda: Skipping(counts={0}), "must name whole numbers of seeds from 1 to 61"),
        *((lambda places=places: Barred(places), "must name places on a side")
          for places in (None, (), "ab", {True}, {1.5})),
        (lambda: game("capture"), "landing takes clauses such as"),
        (lambda: game(options=(Option("seeds", "how many", {3: TWO, 4: When()}),)),
         "every ruleset has a field 'seeds'"),
        (lambda: ruleset(None), "unknown game None; `mancala games` lists all"),
    ],
)  # fmt: skip
def test_rules_that_cannot_work_are_refused_in_a_sentence(make, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        make()


@pytest.mark.parametrize("action", [A, -1, 6, 1.0, 2.5, True, False, np.True_, np.float64(2), "2", "C", None, (2,)])
def test_an_action_that_cannot_be_played_is_named_with_the_legal_ones_or_the_end_and_the_position(action):
    for pits, why in (
        ("0-5-5-5-5-4-4-4-4-4-4-4-0-0-S ply=2", "legal actions are (1, 2, 3, 4, 5)"),
        ("1-2-2-1-1-0-0-0-0-0-0-0-20-21-S over=famine", "the game is over (famine)"),
    ):
        with pytest.raises(IllegalAction) as error:
            State.parse("oware", f"oware {pits}").play(action)
        assert str(error.value) == f"oware: player 0 cannot play {action!r}; {why} in position oware {pits}"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda rules: rules.action(0, 6), "pit 6 is not one of player 0's pits [0, 1, 2, 3, 4, 5]"),
        (lambda rules: rules.action(1, 5), "pit 5 is not one of player 1's pits [6, 7, 8, 9, 10, 11]"),
        (lambda rules: rules.action(2, 5), "player must be 0 or 1, not 2"),
        (lambda rules: rules.action(0, 5, direction=1), "pit 5 is sown in direction 0 (counter-clockwise), not 1"),
        (lambda rules: rules.pit(0, 6), "action must be from 0 to 5, not 6"),
        (lambda rules: rules.pit(0, -1), "action must be from 0 to 5, not -1"),
        (lambda rules: rules.pit(1, 2.0), "action must be from 0 to 5, not 2.0"),
        (lambda rules: rules.pit(-1, 0), "player must be 0 or 1, not -1"),
        (lambda _: ruleset("tchuka_ruma").action(1, 0), "player must be 0, not 1"),
    ],
)
def test_pits_and_actions_that_do_not_exist_are_refused(ask, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        ask(oware())


@pytest.mark.parametrize("name", CHOICES)
def test_the_help_of_a_ruleset_tells_every_value_of_a_choice(name):
    told = re.search(rf"^(?:\w+, )*{name}\n(    .*\n)*", Ruleset.__doc__, flags=re.MULTILINE).group(0)
    assert all(f'"{value}"' in told for value in CHOICES[name])
