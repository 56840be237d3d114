"""Rules of games that are none of ours, each for what its axes do, on boards small enough to play by hand.

``data/by_hand.txt`` plays them by these names."""

from typing import Any

from mancala_env import Barred, Passing, Ruleset, Skipping, When, four_rows, rows_and_houses, ruleset, two_rows

TWO = When(side="opponent", count={2}).capture("here")
RELAY = When(was="occupied").relay()
RAID = When(side="opponent").capture("last")
ACROSS = When(side="own", facing="occupied").capture("facing")
ACROSS_AND_ON = When(side="own", was="occupied", facing="occupied").capture("facing").relay()
OWN_AGAIN, OWN_EMPTY = When(side="own").again(), When(side="own", was="empty").capture("here")
REENTERED = When(was="occupied", facing="occupied", outer="occupied").sow_on("facing", "outer", first="after_lap_start")


def game(*landing: When, **axes: Any) -> Ruleset:
    """Rules on two rows of three pits."""
    return Ruleset(**{"name": "made_up", "board": two_rows(3), "landing": landing} | axes)


def chained(side: str | None, count: set[int] | None = None, **chain: Any) -> When:
    """A capture of the last pit and of those before it that hold two."""
    return When(side=side, count=count).capture("here", **{"chain": {2}} | chain)


def turned(*landing: When, **axes: Any) -> Ruleset:
    """Rules of games about directions: three seeds a pit, and captures from across."""
    return game(*(landing or (ACROSS,)), **{"seeds": 3} | axes)


def rounds(unfilled: str = "left", **axes: Any) -> Ruleset:
    """Matches of rounds on two rows of four with three seeds each, and relays."""
    table = {"landing": (RELAY, ACROSS), "match": "refill", "unfilled": unfilled, "first_mover": "alternate"}
    return Ruleset(**{"name": "rounds", "board": two_rows(4), "seeds": 3, "max_games": 9} | table | axes)


PIECES = Ruleset(
    name="pieces", board=two_rows(3), marked_pits="taken", setup_marks=(0, -1, -1, 1, -1, -1), max_plies=9,
    landing=(When(side="opponent", count={1, 2}).capture("here"),),
)  # fmt: skip
SMALL = {"board": two_rows(2), "indeterminacy_max_seeds": 2}
MADE_UP = {
    # slams, feeding and the end
    "singles_slam": ruleset(
        "oware", landing=(When(side="opponent", count={1, 2, 3}).capture("here", chain={1, 2, 3}),),
        grand_slam="forbidden", indeterminacy_max_seeds=0,
    ),
    "slam_of_nothing": game(When(side="opponent", count={1}).capture("here"), grand_slam="forbidden", stuck="pass"),
    "slam_of_own": game(
        When(side="own", was="empty").capture("here", "facing"), grand_slam="forbidden", stuck="pass"
    ),
    "slam_again": game(TWO.again(), grand_slam="rest_to_opponent"),
    "slam_relay": game(ACROSS_AND_ON, grand_slam="rest_to_opponent"),
    "slam_across": game(When(side="own").capture("here", "facing", chain={2}), grand_slam="no_capture"),
    "slam_all_round": game(
        When().capture("here", chain={1, 2}, chain_side="any"), board=two_rows(2), grand_slam="no_capture"
    ),
    "slam_multi_pit": game(TWO, grand_slam="forbidden", slam_scope="multi_pit"),
    "raid_capture": game(RAID, grand_slam="capture"),
    "raid_no_capture": game(RAID, grand_slam="no_capture"),
    "raid_forbidden": game(RAID, grand_slam="forbidden"),
    "raid_rest": game(RAID, grand_slam="rest_to_opponent"),
    "raid_rest_multi_pit": game(RAID, grand_slam="rest_to_opponent", slam_scope="multi_pit"),
    "fed_by_capture": game(When(side="opponent").capture("here"), feeding="if_starved"),
    "fed_by_relay": game(
        When(side="opponent").capture("here"), When(side="own", was="occupied").relay(), feeding="if_starved"
    ),
    "starved": game(end_reason="famine"),
    "leave_move": game(TWO, feeding="leave_move", min_start=2, end_reason="famine"),
    "leave_move_of_one": game(TWO, feeding="leave_move", end_reason="famine"),
    "two_to_feed": game(feeding="if_starved", feeding_least=2, end_reason="famine"),
    "dead": game(TWO, **SMALL),
    "dead_again": game(OWN_AGAIN, TWO, **SMALL),
    "target": game(TWO, target_seeds=5, seeds=2),
    "safe": game(TWO, goal="last_mover", safe_seeds=5),
    "repeated": game(board=two_rows(2), repetition=2),
    "closed_repeated": rounds(board=two_rows(2), seeds=2, landing=(), repetition=2, max_games=2),
    # what may be played
    "barred": game(barred=Barred({-1}, {1, 2})),
    "barred_places": game(barred=Barred({0, 1})),
    "barred_unless_fed": game(barred=Barred({-1}, {1, 2}), feeding="if_starved"),
    "forced": game(forced=Barred({-1}, {3, 4})),
    "forced_places": game(forced=Barred({0, 1})),
    "singles_at_last": game(singles="into_empty_at_last"),
    "first_lap": game(first_lap="not_in_own_full"),
    "first_lap_plain": game(first_lap="not_in_own_full", opening=((0, 1),)),
    "first_lap_store": game(first_lap="not_in_own_full", store="own"),
    # memory
    "played_last": game(remember="played_last"),
    "until_sown": game(remember="until_sown"),
    "until_sown_pass": game(remember="until_sown", stuck="pass"),
    "remembered": game(When(remembered=True).capture("here"), remember="played"),
    "marks_remembered": game(
        When(marked="opponent", remembered=True).capture("last"), When(marked=True), When(count={9}).mark("here"),
        remember="marks",
    ),
    # sowing
    "surplus": game(surplus="opponent", skip_origin=True),
    "surplus_with_origin": game(surplus="opponent"),
    "surplus_past_a_store": game(surplus="opponent", store="own", direction="clockwise"),
    "passed_over": game(skipping=Skipping(counts={2}, last=False), repetition=2),
    "passed_over_always": game(skipping=Skipping(counts={2}), repetition=2),
    "on_the_way": game(RELAY, passing=Passing(counts={2}, then="again", when="after_lap")),
    "three_at_once": turned(OWN_EMPTY.again(), When().capture("here"), seeds_a_pit=3, direction="choice"),
    # landing
    "again_first": game(OWN_AGAIN, OWN_EMPTY),
    "capture_first": game(OWN_EMPTY, OWN_AGAIN),
    "again": game(When().again(), store="own"),
    "own_of_both_stores": game(When(store="own").again(), store="both"),
    "other_of_both_stores": game(When(store="opponent").again(), store="both"),
    "capture_again": game(TWO.again()),
    "last_place": game(When(place={-1}).capture("here")),
    "own_second_place": game(When(side="own", place={1}).capture("here")),
    "facing_alone": game(When(side="own").capture("facing")),
    "to_the_opponent": game(When(side="opponent", facing="occupied").capture("facing", to="opponent")),
    "few": game(When(count={2}, few=4).capture("every", every=range(1, 62)), When(count={2}).capture("here")),
    "next": game(When(store="own").relay("next"), When(next="occupied").relay("next"), store="own"),
    "chain_of_fours": game(chained("opponent", {1}, chain={4})),
    "chain_theirs": game(chained("opponent", chain_side="opponent")),
    "chain_any": game(chained("opponent", chain_side="any")),
    "chain_from_own": game(chained("own", chain_side="own")),
    "chain_from_own_theirs": game(chained("own", chain_side="opponent")),
    "chain_from_own_any": game(chained("own", chain_side="any")),
    "chain_store": game(chained("opponent", chain_side="any"), store="own"),
    "chain_round": game(When().capture("here", chain={1, 2}, chain_side="any"), board=two_rows(2)),
    "chain_forward": game(When(count={2}).capture("here", chain={1, 3}, chain_side="any", chain_direction="forward")),
    "chain_next": game(When(next={1}).capture("next", chain={1, 3}, chain_direction="forward")),
    "chain_next_round": game(
        When(next={1}).capture("next", chain={1, 2}, chain_side="any", chain_direction="forward"), leave="first_lap"
    ),
    "relay": game(RELAY),
    "relay_once": game(RELAY, max_laps=1),
    "capture_and_on": game(ACROSS_AND_ON, max_laps=2),
    "capture_and_no_more": game(ACROSS_AND_ON, max_laps=1),
    "gaps": turned(RELAY, When(next="occupied").capture("next", chain_direction="gaps"), board=two_rows(4)),
    "across": turned(When(facing="occupied").capture("facing", chain_direction="across"), board=two_rows(4)),
    "visited": turned(
        RELAY, When(side="own", visited=False).again(),
        When(side="own", visited=True, facing="occupied").capture("facing"),
    ),
    "reentered": Ruleset(
        name="made_up", board=four_rows(3), seeds=2, direction=("reverse", *["counterclockwise"] * 5),
        landing=(REENTERED,), goal="last_mover",
    ),
    "houses": Ruleset(
        name="sides", board=rows_and_houses(2), max_plies=9,
        landing=(When(side="opponent").capture("here"), When(was="empty").again()),
    ),
    # directions
    "choice": turned(direction="choice"),
    "each_place": turned(direction=("clockwise", "counterclockwise", "counterclockwise")),
    "chosen_once": turned(direction="chosen_once"),
    "chosen_by_each": turned(direction="chosen_by_each"),
    "chosen_on_one_pit": turned(
        board=two_rows(1), seeds=1, direction="chosen_by_each", landing=(), repetition=2
    ),
    "turns_on": turned(RELAY, direction="choice"),
    "turns_round": turned(RELAY, direction="choice_turning"),
    "choice_store": turned(When(store="own").again(), store="own", direction="choice"),
    "choice_four_rows": Ruleset(name="made_up", board=four_rows(2), seeds=2, direction="choice", landing=()),
    # marks and closed pits
    "lighthouses": Ruleset(  # a last seed in an own empty pit marks it, of two pits at most and never the last one
        name="lighthouses", board=two_rows(4), mark_limit=2, repetition=2,
        landing=(
            When(marked="opponent").again(), When(was="empty", place={-1}),
            When(side="own", was="empty").mark("here"), RELAY,
        ),
    ),
    "pieces": PIECES,
    "pieces_taken": PIECES.changes(end_when="marks_taken"),
    "rounds": rounds(),
    "rounds_one_game": rounds(max_games=1),
    **{f"rounds_{unfilled}": rounds(unfilled) for unfilled in ("right", "outside", "columns", "borrowed")},
    "rounds_next": rounds(landing=(When(next="occupied").relay("next"), When(next2="occupied").capture("next2"))),
    "last_mover": Ruleset(
        name="own", board=two_rows(3), stuck="pass", leftover="last_mover", max_plies=1, repetition=2
    ),
}  # fmt: skip
