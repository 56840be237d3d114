"""Hypothesis strategies: rulesets from every corner of the option space, positions of them, and games."""

import random
from dataclasses import replace

from hypothesis import strategies as st

from mancala_env import RULESETS, Passing, Ruleset, State, When, four_rows, ruleset, two_rows
from tests.games import CORE

GRAND_SLAMS = ("capture", "forbidden", "no_capture", "rest_to_opponent", "spare_last", "spare_first")
END_REASONS = ("stuck", "famine", "side_empty")
FIRST_MOVERS = ("winner", "loser", "alternate", "south")
LEFTOVERS = ("owner", "emptier", "none", "last_mover", "halved")
SINGLES = ("last_resort", "last_resort_into_empty", "into_empty")
OUTER = (None, "occupied", "empty")
counts = st.sets(st.integers(1, 6), min_size=1, max_size=3)
full = st.sampled_from(("occupied", "occupied", "empty"))
CONDITIONS = {
    "side": st.sampled_from(("own", "opponent")),
    "was": full,
    "count": counts,
    "even": st.booleans(),
    "facing": full,
    "facing_count": counts,
    "next": full,
    "next2": full,
    "next_count": counts,
    "facing_next": full,
    "inner": st.booleans(),
    "behind": full,
    "behind_count": counts,
}
OF_FOUR_ROWS = ("inner", "behind", "behind_count")
boards = st.integers(1, 8).map(two_rows)


@st.composite
def _endings(draw, *, must_stop, can_be_dead):
    """The axes that end a game, without contradictions.

    ``must_stop``: seeds could go round for ever, so that a limit is needed. ``can_be_dead``: captures can run out.
    """
    end_check = draw(st.sampled_from(("side_to_move", "any_side")))
    feedings = ("none", "if_starved", "always", "must_leave") if end_check == "side_to_move" else ("none",)
    feeding = draw(st.sampled_from(feedings))
    repetition = draw(st.sampled_from((0, 2, 2, 3, 5)))
    stopped = repetition or not must_stop
    stuck = "end" if feeding == "if_starved" else draw(st.sampled_from(("end", "pass")))
    return {
        "end_check": end_check,
        "feeding": feeding,
        "stuck": stuck,
        "end_reason": draw(st.sampled_from(END_REASONS)),
        "leftover": draw(st.sampled_from(LEFTOVERS)),
        "end_few": draw(st.sampled_from((0, 0, 0, 0, 1, 4))),
        "end_flat": draw(st.sampled_from((0, 0, 0, 0, 1, 2))),
        "majority_stop": draw(st.booleans()),
        "indeterminacy_max_seeds": draw(st.sampled_from((0, 0, 2, 3, 4))) if can_be_dead else 0,
        "repetition": repetition,
        "repetition_leftover": draw(st.sampled_from(("owner", "split"))) if repetition else "owner",
        "max_plies": draw(st.sampled_from((0, 1, 20, 300) if stopped else (1, 20, 300))),
    }


def _slams(feeding, *, spare):
    if feeding in ("always", "must_leave"):
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
        landing=(When(side="opponent", count=draw(counts)).capture("here", chain=chain),),
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
        side=draw(st.sampled_from((None, "own", "opponent"))),
        was=was,
        count=draw(st.one_of(st.none(), counts)),
        even=draw(st.sampled_from((None, None, True, False))),
        facing=draw(st.sampled_from((None, "occupied", "empty"))),
        takes=takes,
        chain=draw(st.one_of(st.none(), counts)) if "here" in takes else None,
        chain_side=draw(st.sampled_from(("opponent", "any"))),
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
    spare = all(row.takes == ("here",) and row.side == row.chain_side == "opponent" for row in captures)
    return Ruleset(
        name="wild",
        board=board,
        seeds=draw(st.integers(1, 6)),
        store="own" if stores else "none",
        skip_origin=not stores and board.columns > 1 and draw(st.booleans()),
        landing=landing,
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


@st.composite
def passing(draw):
    """Oware without feeding: a side may be empty, which ends the game or makes its owner wait."""
    name = draw(st.sampled_from(("oware_tutti_a_casa", "oware_liberta")))
    columns = draw(st.integers(2, 6))
    return ruleset(
        name,
        pits_per_row=columns,
        seeds=draw(st.integers(1, 5)),
        grand_slam=draw(st.sampled_from(GRAND_SLAMS)),
        slam_scope=draw(st.sampled_from(("any", "multi_pit"))),
        indeterminacy_max_seeds=draw(st.sampled_from((0, 2, 3))),
        repetition=draw(st.sampled_from((0, 2, 3))),
        max_plies=draw(st.sampled_from((1, 40, 1000))),
        **({"explicit_pass": draw(st.booleans())} if name == "oware_liberta" else {}),
    )


@st.composite
def territory(draw):
    columns = draw(st.integers(1, 6))
    return ruleset(
        "oware_territory",
        pits_per_row=columns,
        seeds=draw(st.integers(1, 6)),
        skip_origin=columns > 1 and draw(st.booleans()),
        grand_slam=draw(st.sampled_from(("capture", "forbidden", "no_capture", "spare_last", "spare_first"))),
        feeding=draw(st.sampled_from(("none", "if_starved"))),
        target_pits=draw(st.sampled_from((0, columns + 1, 2 * columns))),
        max_games=draw(st.integers(1, 8)),
        first_mover=draw(st.sampled_from(FIRST_MOVERS)),
        remainder=draw(st.sampled_from(("pool", "keep"))),
        indeterminacy_max_seeds=draw(st.sampled_from((0, 3))),
        max_plies=draw(st.sampled_from((3, 60, 1000))),
    )


@st.composite
def series(draw):
    """A series of any game: by wins, and by difference where there are scores."""
    name = draw(st.sampled_from([name for name in CORE if RULESETS[name].match == "none"]))
    rules = ruleset(name)
    kind = draw(st.sampled_from(("wins", "difference") if rules.goal == "seeds" else ("wins",)))
    options = {"draw_points": draw(st.sampled_from((0, 0.5)))} if kind == "wins" else {}
    if kind == "difference":
        options = {"difference": draw(st.sampled_from(("winner", "signed")))}
    if rules.board.kind == "two_rows":
        options["pits_per_row"] = draw(st.integers(2, 6))
    return rules.changes(
        match=kind,
        target=draw(st.integers(1, 4)) if kind == "wins" else draw(st.integers(1, 40)),
        max_games=draw(st.integers(1, 6)),
        first_mover=draw(st.sampled_from(FIRST_MOVERS)),
        max_plies=draw(st.sampled_from((3, 60, 1000))),
        **options,
    )


@st.composite
def marked_pairs(draw):
    """Marked pits in pairs: Layli Goobalay, or a wild table that marks."""
    board = draw(boards)
    if draw(st.booleans()):
        rows = list(RULESETS["layli_goobalay"].landing)
    else:
        pair = When(side=draw(st.sampled_from((None, "own"))), was="empty", facing_count=draw(counts)).mark_pair()
        rows = [*draw(st.lists(landing_rows(stores=False), max_size=3)), pair]
        rows = [When(marked=True), *draw(st.permutations(rows))]
    match = draw(st.sampled_from(("none", "refill", "wins")))
    options = {} if match == "none" else {"max_games": draw(st.integers(1, 8))}
    if match == "wins":
        options["target"] = draw(st.integers(1, 3))
    return Ruleset(
        name="marked_pairs",
        board=board,
        seeds=draw(st.integers(1, 6)),
        landing=tuple(rows),
        repetition=draw(st.sampled_from((0, 2, 3))),
        max_plies=draw(st.sampled_from((5, 60, 1000))),
        max_laps=draw(st.sampled_from((1, 2, 3, 40))),
        min_start=draw(st.sampled_from((1, 1, 2))),
        match=match,
        first_mover="winner" if match == "none" else draw(st.sampled_from(FIRST_MOVERS)),
        **options,
    )


@st.composite
def any_marks(draw):
    """Marks of single pits and of pairs, on either side, with a limit and pits that bear none, by a wild table."""
    board = draw(boards)
    where = draw(st.sampled_from((("here",), ("here",), ("facing",), ("here", "facing"))))
    takes = draw(st.sampled_from(((), ("here",), ("facing",))))
    mark = When(
        side=draw(st.sampled_from((None, "own", "opponent"))),
        was=draw(st.sampled_from((None, "empty", "occupied"))),
        count=draw(st.one_of(st.none(), counts)),
        marked=draw(st.sampled_from((None, False))),
        takes=takes,
        marks=where,
        then=draw(st.sampled_from(("stop", "again"))),
    )
    stores = draw(st.booleans())
    asking = [
        replace(
            row, marked=draw(st.sampled_from((None, False) if row.relays else (None, True, False, "own", "opponent")))
        )
        for row in draw(st.lists(landing_rows(stores=False), max_size=3))
    ]
    extra = [When(store="own").again()] if stores and draw(st.booleans()) else []
    places = st.integers(-(board.pits // 2), board.pits // 2 - 1)
    return Ruleset(
        name="marks",
        board=board,
        seeds=draw(st.integers(1, 6)),
        store="own" if stores else "none",
        landing=tuple(draw(st.permutations([mark, *asking, *extra]))),
        mark_limit=draw(st.sampled_from((0, 1, 2, 3))),
        unmarkable=tuple(draw(st.lists(places, max_size=2))),
        stuck=draw(st.sampled_from(("end", "pass"))),
        leftover=draw(st.sampled_from(("owner", "none"))),
        repetition=draw(st.sampled_from((0, 2, 3))),
        max_plies=draw(st.sampled_from((5, 60, 300))),
        max_laps=draw(st.sampled_from((1, 2, 40))),
        min_start=draw(st.sampled_from((1, 1, 2))),
    )


@st.composite
def sown_on(draw):
    """Captured seeds are sown on: Hus, and tables like its own on boards of two rows and four."""
    columns = draw(st.integers(1, 8))
    four = draw(st.booleans())
    takes = [("facing",), ("next",)] + [("facing", "behind"), ("behind",)] * four
    afters = ("here", "lap_start")
    rows = [
        *draw(st.lists(_sowing_on(takes, afters, four=four), min_size=1, max_size=2)),
        *draw(st.lists(landing_rows(stores=False), max_size=2)),
        When(was="occupied").relay(),
    ]
    return Ruleset(
        name="sown_on",
        board=four_rows(columns) if four else two_rows(columns),
        seeds=draw(st.integers(1, 4)),
        landing=tuple(rows),
        goal=draw(st.sampled_from(("last_mover", "seeds"))),
        min_start=draw(st.integers(1, 3)),
        max_plies=draw(st.sampled_from((5, 60, 1000))),
        max_laps=draw(st.sampled_from((1, 2, 3, 50))),
        repetition=draw(st.sampled_from((0, 0, 2))),
    )


@st.composite
def _sowing_on(draw, takes, afters, *, four):
    """A row that sows on what it takes, from any of the pits where it can go on."""
    takes = draw(st.sampled_from(takes))
    sure = draw(st.sampled_from(takes))  # this one must hold seeds
    behind = [None, "occupied"] if "behind" in takes else OUTER
    conditions = {
        "side": draw(st.sampled_from((None, "own"))),
        "was": draw(st.sampled_from((None, "occupied"))),
        "behind": draw(st.sampled_from(behind)) if four else None,
        sure: "occupied",
    }
    after = draw(st.sampled_from(afters))
    options = {"including": draw(st.booleans()), "stops": draw(st.booleans())}
    return When(**conditions).sow_on(*takes, after=after, **options)


@st.composite
def any_clauses(draw, *, store, four, marks=False):
    """Any row, with the conditions, captures and verbs that look at more than the last pit and the one across."""
    late = draw(st.sampled_from(({}, {}, {}, {"from_ply": 1}, {"from_ply": 4}, {"lifted": 2}, {"lifted": 4})))
    if store != "none" and draw(st.integers(0, 4)) == 0:
        whose = draw(st.sampled_from(("own", "opponent"))) if store == "both" else "own"
        return When(store=whose, then=draw(st.sampled_from(("stop", "again"))), **late)
    asked = draw(
        st.lists(st.sampled_from([name for name in CONDITIONS if four or name not in OF_FOUR_ROWS]), max_size=3)
    )
    clause = When(**{name: draw(CONDITIONS[name]) for name in asked}, **late)
    if marks:
        clause = replace(clause, marked=draw(st.sampled_from((None, None, False, True, "own", "opponent"))))
    verbs = ["stop", "capture", "capture", "chain", "raid", "every", "neighbours", "relay_next", "walk_on"]
    verb = draw(st.sampled_from([*verbs, "to_here", *(["relay"] if clause.was != "empty" else [])]))
    then = draw(st.sampled_from(("stop", "again")))
    to = draw(st.sampled_from(("mover", "mover", "owner")))
    if verb in ("relay", "relay_next", "walk_on", "to_here"):
        clause = replace(clause, marked=draw(st.sampled_from((None, False))) if marks else None)
    places = ["facing", "next", "next2", "facing_next"] + ["behind"] * (four and clause.behind != "empty")
    few = st.lists(st.sampled_from(places), min_size=1, max_size=2, unique=True)
    if verb == "stop":
        return replace(clause, then=then)
    if verb == "capture":
        return clause.capture(*draw(few), *draw(st.sampled_from(((), ("here",)))), to=to, then=then)
    if verb == "chain":
        takes = ("here", *draw(st.sampled_from(((), ("facing",), ("next",)))))
        return clause.capture(
            *takes,
            chain=draw(counts),
            chain_side=draw(st.sampled_from(("opponent", "any", "own"))),
            chain_facing=draw(st.booleans()),
            to=to,
            then=then,
        )
    if verb == "raid":
        return clause.capture(draw(st.sampled_from(("last", "last_and_one"))), to=to, then=then)
    if verb in ("every", "neighbours"):
        also = draw(st.sampled_from(((), ("facing",), ("here",))))
        side = draw(st.sampled_from(("any", "own", "opponent")))
        return clause.capture(verb, *also, every=draw(counts), every_side=side, to=to, then=then)
    if verb == "relay":
        takes = draw(st.one_of(st.just([]), few))
        return clause.capture(*takes, to=to if takes else "mover", then="relay")
    if verb == "walk_on":  # it may be a lone seed
        sure = {"facing": "occupied"} if clause.facing_count is None else {"facing": None}
        return replace(clause, **sure).capture("facing", to=to, then="relay")
    if verb == "to_here":
        takes = draw(few)
        sure = {"facing": "occupied"} if "facing" in takes and clause.facing_count is None else {}
        was = clause.was if sure or clause.was != "empty" else None
        return replace(clause, **sure, was=was).capture(*takes, to="here", then="relay")
    takes = [place for place in draw(st.one_of(st.just([]), few)) if place != "next"]
    ahead = {"next": "occupied"} if clause.next_count is None else {"next": None}
    captured = (
        replace(clause, **ahead).capture(*takes, to=to if takes else "mover") if takes else replace(clause, **ahead)
    )
    return captured.relay("next", least=draw(st.sampled_from((0, 1, 2, 3))))


@st.composite
def any_table(draw):
    """Whatever a landing table can say, on boards of two rows and four, with stores, marks and seeds left behind."""
    four = draw(st.integers(0, 4)) < 2
    board = four_rows(draw(st.integers(1, 4))) if four else two_rows(draw(st.integers(1, 7)))
    store = draw(st.sampled_from(("none", "none", "own", "none" if four else "both")))
    has_marks = draw(st.integers(0, 4)) == 0
    rows = draw(st.lists(any_clauses(store=store, four=four, marks=has_marks), min_size=1, max_size=5))
    if has_marks:
        rows.insert(draw(st.integers(0, len(rows))), When(count=draw(counts)).mark("here"))
    relays = any(row.relays for row in rows)
    if not relays and draw(st.booleans()):
        rows.append(When(was="occupied").relay())
    base = Ruleset(
        name="any_table",
        board=board,
        seeds=draw(st.integers(1, 5)),
        store=store,
        landing=tuple(rows),
        stuck=draw(st.sampled_from(("end", "pass"))),
        repetition=draw(st.sampled_from((0, 2, 3))),
        max_plies=draw(st.sampled_from((20, 60, 300))),
        max_laps=draw(st.sampled_from((1, 2, 3, 40))),
    )
    return draw(with_more_axes(base, least=1, most=3))


@st.composite
def with_more_axes(draw, base, *, least=0, most=2):
    """``base`` with a few more axes, of those that go with its own."""
    rules = base
    for name in draw(st.lists(st.sampled_from([*MORE_AXES, "leave"]), min_size=least, max_size=most, unique=True)):
        try:
            rules = rules.changes(**draw(MORE_AXES[name](rules)))
        except ValueError:  # it contradicts another axis
            continue
    return rules


@st.composite
def _leaves(draw, rules):
    leave = draw(st.sampled_from(("first_lap", "every_lap")))
    lone_seed = draw(st.sampled_from(("moves", "stays")))
    return {"leave": leave, "lone_seed": lone_seed, "max_plies": rules.max_plies or 300}


@st.composite
def _passings(draw, rules):
    how = {
        "to": draw(st.sampled_from(("mover", "owner"))),
        "last": draw(st.booleans()),
        "side": draw(st.sampled_from(("any", "own", "opponent"))),
        "when": draw(st.sampled_from(("each_seed", "after_lap"))),
    }
    return {"passing": Passing(counts=draw(counts), **how), "feeding": "none"}


@st.composite
def _set_ups(draw, rules):
    """Stores and marks that lie there from the start; a pair of marks, so that they do where marks come in pairs."""
    last = rules.board.pits - 1
    pit, mark = draw(st.integers(0, last)), draw(st.integers(0, 1))
    marked = {pit, rules.board.facing[pit]}
    marks = tuple(mark if each in marked else -1 for each in range(last + 1))
    stores = (draw(st.integers(0, 5)), draw(st.integers(0, 5))) if rules.has_stores else (0, 0)
    return {"setup_stores": stores, "setup_marks": marks if rules.has_marks else ()}


@st.composite
def _first_moves(draw, rules):
    half = len(rules.board.homes[0])
    places = st.lists(st.integers(-half, half - 1), max_size=2).map(tuple)
    return {"opening": tuple(draw(st.lists(places, min_size=1, max_size=3)))}


def _goals(rules):
    """A goal that counts no seeds, without what would count them."""
    no_count = {"leftover": "owner", "end_check": "side_to_move", "majority_stop": False, "end_few": 0, "end_flat": 0,
                "feeding": "none"}  # fmt: skip
    return st.sampled_from([no_count | {"goal": goal} for goal in ("outlast", "outlast", "empty_block", "last_mover")])


MORE_AXES = {  # name -> the strategy of its changes, given the ruleset that it is added to
    "direction": lambda rules: st.just({"direction": "clockwise"}),
    "store": lambda rules: st.just({"store": "both" if rules.board.rows == 2 else "own"}),
    "leave": _leaves,
    "passing": _passings,
    "feeding": lambda rules: st.just({"feeding": "must_leave", "grand_slam": "capture"}),
    "singles": lambda rules: st.sampled_from([{"singles": singles, "min_start": 1} for singles in SINGLES]),
    "opening": _first_moves,
    "setup": _set_ups,
    "plain_plies": lambda rules: st.integers(1, 4).map(lambda plies: {"plain_plies": plies}),
    "leftover": lambda rules: st.sampled_from([{"leftover": leftover, "stuck": "end"} for leftover in LEFTOVERS[1:]]),
    "end_few": lambda rules: st.integers(1, 5).map(lambda few: {"end_few": few}),
    "end_flat": lambda rules: st.integers(1, 2).map(lambda flat: {"end_flat": flat}),
    "goal": _goals,
}  # fmt: skip


@st.composite
def widened(draw):
    """A game of the other families, with some of the axes that these do not draw."""
    families = (oware_like(), kalah_like(), wild(), marked_pairs(), any_marks(), sown_on(), series())
    base = draw(st.one_of(*families))
    if base.indeterminacy_max_seeds and draw(st.booleans()):
        base = base.changes(indeterminacy_max_seeds=0)
    return draw(with_more_axes(base, least=1, most=3))


@st.composite
def taken_on_the_way(draw):
    """Pits that are taken as seeds pass them, in games that go on and on from the last pit or from the next one."""
    rows = [
        *draw(st.lists(any_clauses(store="none", four=False), max_size=2)),
        *draw(st.sampled_from(((), (When(next="occupied").relay("next"),), (When(was="occupied").relay(),)))),
        When(next2="occupied").capture("next2"),
    ]
    store = draw(st.sampled_from(("none", "none", "own")))
    base = Ruleset(
        name="taken_on_the_way",
        board=two_rows(draw(st.integers(1, 7))),
        seeds=draw(st.integers(1, 6)),
        store=store,
        skip_origin=False,
        landing=tuple(rows),
        stuck=draw(st.sampled_from(("end", "pass"))),
        max_plies=draw(st.sampled_from((20, 60, 300))),
        max_laps=draw(st.sampled_from((1, 2, 40))),
    )
    return draw(with_more_axes(base.changes(**draw(_passings(base))), most=2))


@st.composite
def off_track(draw):
    """Diffusion and Reaping."""
    if draw(st.booleans()):
        blocks = draw(st.sampled_from(("halves", "rows")))
        columns = draw(st.integers(1, 6)) * (2 if blocks == "halves" else 1)
        rules = ruleset("diffusion", seeds=draw(st.integers(1, 3)), pit_limit=draw(st.integers(3, 5)))
        return rules.changes(pits_per_row=columns) if blocks == "halves" else rules.changes(blocks="rows")
    start = draw(st.lists(st.integers(0, 5), min_size=2, max_size=16).filter(any))
    return ruleset("reaping", start=start, min_start=draw(st.integers(1, 3)), max_plies=draw(st.sampled_from((5, 300))))


others = st.one_of(passing(), territory(), series(), marked_pairs(), any_marks(), sown_on(), off_track())
rulesets = st.one_of(oware_like(), kalah_like(), wild(), others, st.one_of(widened(), any_table(), taken_on_the_way()))


@st.composite
def positions(draw, rules):
    """A position of ``rules`` as the arguments of ``Ruleset.position``: crowded, sparse or empty, early or late."""
    left = rules.total_seeds
    most = draw(st.sampled_from((1, 2, 3, 6, 24)))
    most = min(most, rules.pit_limit or most)
    pits = []
    for _ in range(rules.board.pits):
        pits.append(min(left, draw(st.integers(0, most))))
        left -= pits[-1]

    def some() -> int:
        nonlocal left
        taken = draw(st.integers(0, left))
        left -= taken
        return taken

    position = {
        "pits": pits,
        "stores": (some(), some()) if rules.has_stores else (0, 0),
        "player": draw(st.integers(0, 1)),
        "ply": draw(
            st.one_of(st.just(0), st.integers(0, min(4, rules.max_plies + 1)), st.integers(0, rules.max_plies + 1))
        ),
    }
    half = rules.board.pits // 2
    if rules.match == "territory":
        south = draw(st.integers(0, 2 * half))
        begins = 0 if south >= half else half - south
        position["owner"] = [0 if begins <= pit < begins + south else 1 for pit in range(2 * half)]
    if rules.has_marks:
        marks = [-1] * 2 * half
        together = [(pit, 2 * half - 1 - pit) for pit in range(half)] if rules.marks_pairs else [*zip(range(2 * half))]
        for some_pits in together:
            mark = draw(st.sampled_from((-1, -1, 0, 1)))
            within = not rules.mark_limit or marks.count(mark) + len(some_pits) <= rules.mark_limit
            if within and not rules.unmarkable_pits & {*some_pits}:
                for pit in some_pits:
                    marks[pit] = mark
        position["marks"] = marks
    if rules.sowing == "neighbours":
        position["removed"] = some()
    if rules.match == "refill":
        position["reserve"] = draw(st.permutations((some(), 0)))
    if rules.match in ("wins", "difference"):
        position["tally"] = (draw(st.integers(0, rules.target - 1)), draw(st.integers(0, rules.target - 1)))
    if rules.match != "none":
        position["game"] = draw(st.integers(1, rules.max_games))
        position["first"] = draw(st.integers(0, 1))
    return position


@st.composite
def games(draw, rules=rulesets, most_plies=400):
    """All states of a random game from a random position; its rules are ``states[0].rules``."""
    chosen = draw(rules)
    start = chosen.start() if draw(st.booleans()) else chosen.position(**draw(positions(chosen)))
    return play_on(start, random.Random(draw(st.integers(0, 2**32))), most_plies)


def play_on(state: State, rng: random.Random, most_plies: int = 100_000) -> list[State]:
    """``state`` and what follows it when both sides play at random."""
    states = [state]
    while not states[-1].is_over and len(states) <= most_plies:
        states.append(states[-1].play(rng.choice(states[-1].legal_actions)))
    return states


def mirrored(rules: Ruleset, position: dict) -> dict:
    """The same position with the seats exchanged."""
    half = len(position["pits"]) // 2
    turned = dict(position)
    for field in ("pits", "owner", "marks"):
        if field in position:
            pits = list(position[field])
            turned[field] = pits[::-1] if rules.board.rows == 1 else pits[half:] + pits[:half]
    if "owner" in position:
        turned["owner"] = [1 - player for player in turned["owner"]]
    if "marks" in position:
        turned["marks"] = [player if player < 0 else 1 - player for player in turned["marks"]]
    for field in ("stores", "reserve", "tally"):
        if field in position:
            turned[field] = tuple(position[field])[::-1]
    for field in ("player", "first"):
        if field in position:
            turned[field] = 1 - position[field]
    return turned
