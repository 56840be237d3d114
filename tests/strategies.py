"""Hypothesis strategies: rulesets from every corner of the option space, positions of them, and games."""

import random

from hypothesis import strategies as st

from mancala_env import Ruleset, State, When, two_rows

GRAND_SLAMS = ("capture", "forbidden", "no_capture", "rest_to_opponent", "spare_last", "spare_first")
END_REASONS = ("stuck", "famine", "side_empty")
counts = st.sets(st.integers(1, 6), min_size=1, max_size=3)
boards = st.integers(1, 8).map(two_rows)


@st.composite
def _endings(draw, *, must_stop, can_be_dead):
    """The axes that end a game, without contradictions.

    ``must_stop``: seeds could go round for ever, so that a limit is needed. ``can_be_dead``: captures can run out.
    """
    end_check = draw(st.sampled_from(("side_to_move", "any_side")))
    feeding = draw(st.sampled_from(("none", "if_starved", "always"))) if end_check == "side_to_move" else "none"
    repetition = draw(st.sampled_from((0, 2, 2, 3, 5)))
    stopped = repetition or not must_stop
    return {
        "end_check": end_check,
        "feeding": feeding,
        "stuck": "end" if feeding == "if_starved" else draw(st.sampled_from(("end", "pass"))),
        "end_reason": draw(st.sampled_from(END_REASONS)),
        "leftover": draw(st.sampled_from(("owner", "emptier", "none"))),
        "majority_stop": draw(st.booleans()),
        "indeterminacy_max_seeds": draw(st.sampled_from((0, 0, 2, 3, 4))) if can_be_dead else 0,
        "repetition": repetition,
        "repetition_leftover": draw(st.sampled_from(("owner", "split"))) if repetition else "owner",
        "max_plies": draw(st.sampled_from((0, 1, 20, 300) if stopped else (1, 20, 300))),
    }


def _slams(feeding, *, spare):
    if feeding == "always":
        return st.just("capture")
    return st.sampled_from(GRAND_SLAMS if spare else GRAND_SLAMS[:4])


@st.composite
def oware_like(draw):
    """One lap, no stores on the way, captures by count."""
    board = draw(boards)
    chain = draw(st.one_of(st.none(), counts))
    axes = draw(_endings(must_stop=True, can_be_dead=True))
    return Ruleset(
        name="oware_like",
        board=board,
        seeds=draw(st.integers(1, 6)),
        skip_origin=board.columns > 1 and draw(st.booleans()),
        landing=(When(side="enemy", count=draw(counts)).capture("here", chain=chain),),
        grand_slam=draw(_slams(axes["feeding"], spare=True)),
        slam_scope=draw(st.sampled_from(("any", "multi_pit"))),
        **axes,
    )


@st.composite
def kalah_like(draw):
    """Stores on the way, captures across."""
    axes = draw(_endings(must_stop=False, can_be_dead=False))
    across = draw(st.sampled_from((None, "occupied")))
    rows = [
        When(store="own").again(),
        When(side="own", was="empty", facing=across).capture(*draw(st.sampled_from((("here", "facing"), ("facing",))))),
    ]
    return Ruleset(
        name="kalah_like",
        board=draw(boards),
        seeds=draw(st.integers(1, 6)),
        store="own",
        landing=rows if draw(st.booleans()) else rows[1:],
        empty_capture=draw(st.booleans()),
        grand_slam=draw(_slams(axes["feeding"], spare=False)),
        slam_scope=draw(st.sampled_from(("any", "multi_pit"))),
        **axes,
    )


@st.composite
def landing_rows(draw, *, stores):
    """Any row that ``When`` accepts."""
    if stores and draw(st.integers(0, 4)) == 0:
        return When(store="own", then=draw(st.sampled_from(("stop", "again"))))
    takes = draw(st.sampled_from(((), ("here",), ("facing",), ("here", "facing"))))
    was = draw(st.sampled_from((None, "empty", "occupied")))
    relays = was != "empty" and "here" not in takes
    return When(
        side=draw(st.sampled_from((None, "own", "enemy"))),
        was=was,
        count=draw(st.one_of(st.none(), counts)),
        even=draw(st.sampled_from((None, None, True, False))),
        facing=draw(st.sampled_from((None, "occupied", "empty"))),
        takes=takes,
        chain=draw(st.one_of(st.none(), counts)) if "here" in takes else None,
        chain_side=draw(st.sampled_from(("enemy", "any"))),
        then=draw(st.sampled_from(("stop", "again", "relay") if relays else ("stop", "again"))),
    )


@st.composite
def wild(draw, *, may_store=True):
    """A landing table nobody has ever played by, relays among its rows."""
    stores = may_store and draw(st.booleans())
    board = draw(boards)
    landing = tuple(draw(st.lists(landing_rows(stores=stores), min_size=1, max_size=5)))
    captures = [row for row in landing if row.takes]
    axes = draw(_endings(must_stop=not stores, can_be_dead=not stores and bool(captures)))
    spare = all(row.takes == ("here",) and row.side == row.chain_side == "enemy" for row in captures)
    return Ruleset(
        name="wild",
        board=board,
        seeds=draw(st.integers(1, 6)),
        store="own" if stores else "none",
        skip_origin=not stores and board.columns > 1 and draw(st.booleans()),
        landing=landing,
        empty_capture=any("facing" in row.takes for row in captures) and draw(st.booleans()),
        grand_slam=draw(_slams(axes["feeding"], spare=spare)) if captures else "capture",
        slam_scope=draw(st.sampled_from(("any", "multi_pit"))),
        max_laps=draw(st.sampled_from((1, 2, 3, 40))),
        **axes,
    )


@st.composite
def countable(draw):
    """A game on a board so small that all its positions with few seeds can be looked at, and the dead ones end it."""
    rules = draw(
        st.one_of(oware_like(), wild(may_store=False).filter(lambda rules: any(row.takes for row in rules.landing)))
    )
    columns = min(rules.pits_per_row, 4)
    return rules.changes(
        pits_per_row=columns, indeterminacy_max_seeds=draw(st.integers(1, min(4, 2 * columns * rules.seeds)))
    )


rulesets = st.one_of(oware_like(), kalah_like(), wild())


@st.composite
def positions(draw, rules):
    """A position of ``rules`` as the arguments of ``Ruleset.position``: crowded, sparse or empty, early or late."""
    left = rules.total_seeds
    most = draw(st.sampled_from((1, 2, 3, 6, 24)))
    pits = []
    for _ in range(rules.board.pits):
        pits.append(min(left, draw(st.integers(0, most))))
        left -= pits[-1]
    south = draw(st.integers(0, left))
    return {
        "pits": pits,
        "stores": (south, draw(st.integers(0, left - south))),
        "player": draw(st.integers(0, 1)),
        "ply": draw(st.integers(0, rules.max_plies + 1)) if draw(st.booleans()) else 0,
    }


@st.composite
def games(draw, rules=rulesets, most_plies=400):
    """All states of a random game from a random position; its rules are ``states[0].rules``."""
    chosen = draw(rules)
    start = draw(st.one_of(st.builds(dict, pits=st.just([chosen.seeds] * chosen.board.pits)), positions(chosen)))
    return play_on(chosen.position(**start), random.Random(draw(st.integers(0, 2**32))), most_plies)


def play_on(state: State, rng: random.Random, most_plies: int = 100_000) -> list[State]:
    """``state`` and what follows it when both sides play at random."""
    states = [state]
    while not states[-1].is_over and len(states) <= most_plies:
        states.append(states[-1].play(rng.choice(states[-1].legal_actions)))
    return states


def mirrored(position: dict) -> dict:
    """The same position with the seats exchanged."""
    half = len(position["pits"]) // 2
    return {
        "pits": [*position["pits"][half:], *position["pits"][:half]],
        "stores": position["stores"][::-1],
        "player": 1 - position["player"],
        "ply": position["ply"],
    }
