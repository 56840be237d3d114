"""Hypothesis strategies: rulesets from every corner of the option space, positions of them, and games."""

import random
from functools import cache

from hypothesis import strategies as st

from mancala_env import RULESETS, Ruleset, State, random_rules
from mancala_env.kernels import layout


@cache
def _places(number):
    """Places in a list of so many; a strategy that is made anew for each choice takes longer than the choice."""
    return st.sampled_from(range(number))


def _chooses(draw):
    """What ``mancala_env.random_rules`` calls ``choose``."""

    def choose(from_these):
        these = tuple(from_these)
        return these[draw(_places(len(these)))]

    return choose


@st.composite
def like(draw, *names):
    """A ruleset drawn from one of these games."""
    return random_rules.drawn_from(_chooses(draw), [RULESETS[name] for name in names])


rulesets = st.composite(lambda draw: random_rules.drawn_from(_chooses(draw), random_rules.FOR_TWO))()
solitaires = st.composite(lambda draw: random_rules.drawn_from(_chooses(draw), random_rules.FOR_ONE))()
# Games from which others are drawn, so that each way to play gets its share of the examples.
KINDS = {
    "oware": ("oware", "awari", "oware_tutti_a_casa", "oware_liberta"), "kalah": ("kalah", "sungka", "main_chongkak"),
    "matches": ("oware_territory", "oware_series_wins", "oware_series_difference", "bohnenspiel_match"),
    "rounds": ("layli_goobalay_match", "sungka_match", "pallanguzhi_match", "kiuthi_match", "o_an_quan_match"),
    "marks": ("layli_goobalay", "selus", "gabata_shoa_i", "toguz", "deka", "o_an_quan"),
    "sown on": ("hus", "omweso", "kubuguza", "nsumbi", "tsoro_reentered_captures"),
    "off the track": ("diffusion", "reaping"), "from the ends": ("bao_kujifunza", "bao_kiswahili"),
    "on the way": ("hoyito_1", "lam_waladach", "lamlameta", "pallanguzhi", "kotu_baendum"),
    "decided": ("tshuba", "misoro_tsoro_additional_capture", "musoro_tsoro", "omweso"),
    "three rows": ("selus", "abalalae", "gabata_aksum", "rabe"),
    "houses": ("o_an_quan", "o_an_quan_match"), "other owners": ("tap_urdy", "kapana_bona", "kanji_guti", "weg_match"),
    "one row": ("sowing", "isowing", "atomic_wari"),
    "two ways": ("giuthi", "um_el_bagara", "katra", "adi", "songo", "luuth"),
    "any": tuple(name for name, rules in RULESETS.items() if rules.players == 2),
}  # fmt: skip


@st.composite
def countable(draw):
    """A game on a board so small that all its positions with few seeds can be looked at, and the dead ones end it."""
    rules = draw(like(*KINDS["oware"]))
    columns = min(rules.board.columns, 4)
    most = draw(st.integers(1, min(4, 2 * columns)))
    try:
        return rules.changes(pits_per_row=columns, indeterminacy_max_seeds=most)
    except ValueError:  # of rules with which nobody can say that no capture is possible
        return RULESETS["oware"].changes(pits_per_row=columns, indeterminacy_max_seeds=most)


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
    if rules.sowing == "piles":
        pits.sort(reverse=True)

    def some() -> int:
        nonlocal left
        taken = draw(st.integers(0, left))
        left -= taken
        return taken

    position = {
        "pits": pits,
        "stores": (some(), some() if rules.players == 2 else 0) if rules.has_stores else (0, 0),
        "player": draw(st.integers(0, rules.players - 1)),
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
        pairs = [(pit, across) for pit, across in enumerate(rules.board.facing) if pit < across]
        together = pairs if rules.marks_pairs else [*zip(range(2 * half))]
        for some_pits in together:
            laid = rules.setup_marks[some_pits[0]] if rules.marked_pits == "taken" else -1
            mark = draw(st.sampled_from((-1, laid) if rules.marked_pits == "taken" else (-1, -1, 0, 1)))
            within = not rules.mark_limit or marks.count(mark) + len(some_pits) <= rules.mark_limit
            if within:
                for pit in some_pits:
                    marks[pit] = mark
        position["marks"] = marks
    if "direction" in rules.fields:
        ways = draw(st.tuples(*[st.sampled_from((None, 0, 1))] * 2))
        position["direction"] = ways if rules.direction == "chosen_by_each" else (ways[0], ways[0])
    if "memory" in rules.fields:
        position["memory"] = [draw(st.integers(0, 1)) for _ in pits]
    if "removed" in rules.fields:
        position["removed"] = some()
    if rules.reserve:
        position["reserve"] = [draw(st.integers(0, min(left, rules.reserve)))]
        left -= position["reserve"][0]
        position["reserve"].append(draw(st.integers(0, min(left, rules.reserve))))
    if rules.stronghold is not None:
        position["stronghold"] = draw(st.booleans()), draw(st.booleans())
        own = position["player"] * half + rules.stronghold
        may_go_on = position["stronghold"][position["player"]] and pits[own] >= layout.STRONGHOLD_LEAST
        if may_go_on and draw(st.booleans()):
            position["pending"] = ("go_on", own, draw(st.integers(0, 1)))
    if "debt" in rules.fields:
        position["debt"] = draw(st.integers(-rules.total_seeds, rules.total_seeds))
    if rules.reserve and not any(position.get("reserve", ())) and draw(st.booleans()):
        position["threat"] = draw(st.integers(0, len(pits) - 1))
    marks = position.get("marks", [-1] * len(pits))
    spared = {place % half for clause in rules.landing for place in clause.sparing}
    theirs = [pit for pit in rules.board.homes[1 - position["player"]] if rules.has_picks and pit % half not in spared]
    most = max((clause.picks for clause in rules.landing), default=0)
    stops = rules.may_stop and not rules.reserve
    loaded = [pit for pit in rules.board.homes[position["player"]] if pits[pit]]
    if stops and loaded and draw(st.booleans()):
        ways = (0, 1) if rules.offers_directions else (0,)
        position["pending"] = ("go_on", draw(st.sampled_from(loaded)), draw(st.sampled_from(ways)))
    elif most := min(most, sum(pits[pit] > 0 and marks[pit] < 0 for pit in theirs)):
        position["pending"] = draw(st.sampled_from((None, None, ("pick", draw(st.integers(1, most))))))
    reversible = [pit for pit in sorted(rules.reversible[position["player"]]) if rules.reverses_laps and pits[pit]]
    if reversible and draw(st.booleans()):
        pit = draw(st.sampled_from(reversible))
        position["pending"] = ("direction", pit, draw(st.integers(1, pits[pit])))
    if rules.match == "refill":
        position["reserve"] = draw(st.permutations((some(), 0)))
        if rules.unfilled == "borrowed":
            owed = draw(st.integers(0, int(rules.ranges[1][rules.fields["match"] + layout.TALLY])))
            position["reserve"] = draw(st.sampled_from(((-owed, owed), (owed, -owed), (-owed, 0))))
        elif rules.unfilled != "thinned" and draw(st.booleans()):
            position["reserve"] = (position["reserve"][0] + some(), position["reserve"][1] + some())
    if rules.closes_pits:
        closed = [draw(st.booleans()) for _ in pits]
        for home in rules.board.homes:
            closed[draw(st.sampled_from(home))] = False
        position["closed"] = [int(shut) for shut in closed]
        position["pits"] = [0 if shut else seeds for seeds, shut in zip(pits, closed, strict=True)]
    if rules.counts_points:
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


def mirrored_rules(rules: Ruleset) -> Ruleset:
    """The same game with the seats exchanged: another one only where the start lies otherwise for North."""

    def turned(laid: tuple[int, ...]) -> tuple[int, ...]:
        half = len(laid) // 2
        return laid[::-1] if rules.board.rows == 1 else laid[half:] + laid[:half]

    changes: dict[str, tuple[int, ...]] = {}
    if rules.setup is not None:
        stores = rules.start_stores[::-1] if any(rules.start_stores) else ()
        changes["setup"] = (*turned(rules.start_pits), *stores)
    if rules.setup_marks:
        changes["setup_marks"] = tuple(mark if mark < 0 else 1 - mark for mark in turned(rules.setup_marks))
    return rules.changes(**changes)
