"""Do the axes of a ruleset fit together? If not, a ``ValueError`` says why, and what to change."""

import re
from collections.abc import Sequence
from dataclasses import fields
from enum import StrEnum
from itertools import pairwise
from typing import NoReturn

import numpy as np

from mancala_env.kernels import layout
from mancala_env.rules.board import NOBODY, Board
from mancala_env.rules.board import check as check_board
from mancala_env.rules.choices import (
    END_REASONS,
    BelowTarget,
    Difference,
    Direction,
    EndCheck,
    Ends,
    Feeding,
    FirstLap,
    FirstMover,
    Goal,
    GrandSlam,
    Leave,
    Leftover,
    LoneSeed,
    MarkedPits,
    Match,
    PlayedAgain,
    Remainder,
    Remember,
    RepetitionLeftover,
    Singles,
    SlamScope,
    Sowing,
    Store,
    Stuck,
    Surplus,
)
from mancala_env.rules.groups import RuleBook
from mancala_env.rules.landing import Barred, Passing, Skipping, When
from mancala_env.rules.options import Option

MAX_SEEDS = 12
MAX_TOTAL = 2000  # scores are counted doubled, in int16, and a difference in every game
MAX_LAPS = 32_000  # far more than the longest known turn that ends by itself; turns that never end take this long
MAX_DEAD_ENTRIES = 5_000_000
MOST_OF_ENDS, MOST_SEEDS_OF_ENDS = 8, 255  # a row is one word of eight bytes there
MOST_CHOSEN = 62  # actions where each pit has two, or some are told from others: kernels take them as bits of a number

# What the fields of a ruleset may hold: choices, truth values, and numbers from the smallest to the largest.
CHOICES: dict[str, type[StrEnum]] = {
    "sowing": Sowing,
    "direction": Direction,
    "store": Store,
    "leave": Leave,
    "lone_seed": LoneSeed,
    "surplus": Surplus,
    "first_lap": FirstLap,
    "remember": Remember,
    "played_again": PlayedAgain,
    "singles": Singles,
    "grand_slam": GrandSlam,
    "slam_scope": SlamScope,
    "marked_pits": MarkedPits,
    "feeding": Feeding,
    "stuck": Stuck,
    "goal": Goal,
    "ends": Ends,
    "end_check": EndCheck,
    "leftover": Leftover,
    "repetition_leftover": RepetitionLeftover,
    "below_target": BelowTarget,
    "match": Match,
    "first_mover": FirstMover,
    "difference": Difference,
    "remainder": Remainder,
}
SWITCHES = (
    "next_skips_stores",
    "turns_round",
    "reverse_laps",
    "reverse_to_empty",
    "end_joins",
    "empty_captures",
    "captures_later",
    "brings_anywhere",
    "must_capture",
    "plays_singles",
    "skip_origin",
    "mirrored_marks",
    "threats",
    "explicit_pass",
    "refill_empty_side",
    "end_houses",
    "end_marks",
    "majority_stop",
)
NUMBERS = {
    "version": (0, 10_000),
    "seeds": (1, MAX_SEEDS),
    "min_start": (1, 100),
    "seeds_a_pit": (1, 12),
    "max_laps": (1, MAX_LAPS),
    "pit_limit": (0, 100),
    "mark_limit": (0, layout.MAX_PITS),
    "indeterminacy_max_seeds": (0, 62),
    "plain_plies": (0, 1000),
    "feeding_least": (1, 100),
    "target_seeds": (0, MAX_TOTAL),
    "safe_seeds": (0, MAX_TOTAL),
    "end_few": (0, 100),
    "end_flat": (0, 100),
    "repetition": (0, 1000),
    "max_plies": (0, layout.MAX_PLY),
    "target": (0, 10_000),
    "max_games": (1, 10_000),
    "reserve": (0, 200),
    "stronghold_least": (1, 100),
    "stronghold_tax": (1, 100),
}


def refuse(rules: RuleBook, why: str) -> NoReturn:
    """Raise the ValueError that says why a ruleset cannot be."""
    raise ValueError(f"ruleset {rules.name!r}: {why}")


def check(rules: RuleBook) -> None:
    """Raise ValueError unless the rules can be played; other spellings of values are replaced in place."""
    _check_values(rules)
    _check_board_and_landing(rules)
    _check_solitaires(rules)
    _check_captures_and_endings(rules)
    _check_set_ups(rules)
    _check_other_sowing(rules)
    _check_other_ways(rules)
    _check_sowing_on(rules)
    _check_selection(rules)
    _check_line(rules)
    _check_targets(rules)
    _check_marks(rules)
    _check_decisions(rules)
    _check_ends(rules)
    _check_houses(rules)
    _check_matches(rules)


def _set(rules: RuleBook, name: str, value: object) -> None:
    object.__setattr__(rules, name, value)


def _check_values(rules: RuleBook) -> None:
    own = {field.name for field in fields(rules)}
    if not isinstance(rules.options, list | tuple) or any(not isinstance(each, Option) for each in rules.options):
        refuse(rules, f"options takes Options in a tuple, not {rules.options!r}")
    if taken := [option.name for option in rules.options if option.name in own]:
        refuse(rules, f"every ruleset has a field {taken[0]!r}; give the option another name")
    _set(rules, "options", tuple(rules.options))
    if not isinstance(rules.mark_word, str):
        refuse(rules, f"mark_word is a word, such as 'marked', not {rules.mark_word!r}")
    if not isinstance(rules.aliases, list | tuple) or not all(map(_is_pair_of_names, rules.aliases)):
        refuse(rules, f"aliases takes pairs of names such as (('other', 'marks'),), not {rules.aliases!r}")
    _set(rules, "aliases", tuple(tuple(pair) for pair in rules.aliases))
    for name, choices in CHOICES.items():
        if name == "direction" and isinstance(rules.direction, list | tuple):
            _set(rules, name, _directions(rules, rules.direction))
            continue
        try:
            _set(rules, name, choices(getattr(rules, name)))
        except ValueError:
            known = [str(choice) for choice in choices]
            refuse(rules, f"{name} must be one of {known}, not {getattr(rules, name)!r}")
    for name in SWITCHES:
        if not isinstance(getattr(rules, name), bool):
            refuse(rules, f"{name} must be True or False, not {getattr(rules, name)!r}")
    for name, (low, high) in NUMBERS.items():
        value = getattr(rules, name)
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= value <= high:
            refuse(rules, f"{name} must be a whole number from {low} to {high}, not {value!r}")
        _set(rules, name, int(value))


def _directions(rules: RuleBook, given: Sequence[object]) -> Direction | tuple[Direction, ...]:
    """The directions of the places of a player, one for all if they are the same."""
    of_places = (Direction.COUNTERCLOCKWISE, Direction.CLOCKWISE, Direction.CHOICE, Direction.REVERSE)
    places = len(rules.board.homes[0]) if isinstance(rules.board, Board) else len(given)
    if len(given) != places or any(not isinstance(each, str) or each not in of_places for each in given):
        refuse(
            rules,
            f"direction takes one of {list(map(str, of_places))} for each of the {places} places of a player in a "
            f"tuple, not {given!r}",
        )
    ways = tuple(Direction(str(each)) for each in given)
    return ways[0] if len(set(ways)) == 1 else ways


def _is_pair_of_names(pair: object) -> bool:
    return isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)


def _check_board_and_landing(rules: RuleBook) -> None:
    if not isinstance(rules.name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", rules.name):
        refuse(rules, "a name is letters, digits and '_', as in 'oware_liberta'")
    try:
        check_board(rules.board)
    except ValueError as error:
        refuse(rules, str(error))
    if not isinstance(rules.landing, list | tuple):
        refuse(
            rules, f"landing takes clauses such as When(side='own').capture('here') in a tuple; not {rules.landing!r}"
        )
    _set(rules, "landing", tuple(rules.landing))
    if any(not isinstance(clause, When) for clause in rules.landing):
        refuse(rules, "landing takes clauses such as When(side='own').capture('here')")
    if len(rules.landing) > layout.MAX_CLAUSES:
        refuse(rules, f"the landing table has {len(rules.landing)} clauses; at most {layout.MAX_CLAUSES} fit")
    if rules.end_reason not in END_REASONS:
        refuse(rules, f"end_reason must be one of {list(END_REASONS)}, not {rules.end_reason!r}")


# What a solitaire may set, besides what things are called; anything else is about two players.
_OF_SOLITAIRES = frozenset({
    "board", "seeds", "setup", "setup_stores", "sowing", "store", "min_start", "max_laps", "landing", "goal",
    "repetition", "max_plies",
})  # fmt: skip
_ASKED_ALONE = frozenset({"store", "was", "count", "even", "few", "from_ply", "lifted"})


def _check_solitaires(rules: RuleBook) -> None:
    """Contradictions in games of one player."""
    goals = {Goal.CLEAR: Sowing.TRACK, Goal.STANDSTILL: Sowing.PILES}
    loses = any(clause.then == "lose" for clause in rules.landing)
    if rules.players == 2:
        if rules.goal in goals or rules.sowing is Sowing.PILES or loses:
            named = "When(...).lose()" if loses else f"goal={str(rules.goal)!r}"
            named = "sowing='piles'" if rules.sowing is Sowing.PILES else named
            refuse(rules, f"{named} is for solitaires, on boards for one player: solo_row(4) or piles(10)")
        return
    for each in fields(rules):
        is_rule = each.compare and each.name not in ("name", "version", *_OF_SOLITAIRES)
        if is_rule and getattr(rules, each.name) != each.default:
            refuse(rules, f"{each.name} is about two players, and {rules.board.kind} is for one; leave it out")
    if goals.get(rules.goal) is not rules.sowing or rules.sowing.value != _SOLO_SOWING[rules.board.kind]:
        refuse(
            rules,
            "a solitaire has goal='clear' on solo_row(4), or sowing='piles' and goal='standstill' on piles(10); not "
            f"goal={str(rules.goal)!r} and sowing={str(rules.sowing)!r} on {rules.board.kind}",
        )
    if rules.sowing is Sowing.PILES:
        _check_piles(rules)
    elif rules.store is not Store.OWN:
        refuse(rules, "goal='clear' is to bring all seeds into the store, so they are sown there; set store='own'")
    for clause in rules.landing:
        if (
            not {*clause.conditions} <= _ASKED_ALONE
            or (clause.takes, clause.chain, clause.picks) not in (((), None, 0), (("here",), None, 0))
            or clause.to != "mover"
            or clause.then not in ("stop", "again", "relay", "lose")
            or clause.marks
            or clause.may_stop
        ):
            refuse(
                rules,
                f"all pits of a solitaire are the player's: a clause asks for {sorted(_ASKED_ALONE)}, takes 'here', "
                "and ends with again(), relay() or lose()",
            )
    if isinstance(rules.setup_stores, list | tuple) and len(rules.setup_stores) == 2 and rules.setup_stores[1]:
        refuse(
            rules, f"setup_stores: the second store is nobody's in a solitaire, so it is 0, not {rules.setup_stores!r}"
        )


_SOLO_SOWING = {"solo_row": "track", "piles": "piles"}


def _check_piles(rules: RuleBook) -> None:
    """Contradictions where the seeds are piles."""
    unused = {
        "landing": bool(rules.landing), "store": rules.store is not Store.NONE, "min_start": rules.min_start > 1,
        "max_laps": rules.max_laps != 2000,
    }  # fmt: skip
    if used := [name for name, value in unused.items() if value]:
        refuse(rules, f"{used[0]} is about sowing along a track; it means nothing with sowing='piles'")
    if not rules.repetition and not rules.max_plies:
        refuse(rules, "piles can come back for ever; set repetition=2, or max_plies")
    setup = rules.setup
    if setup is None or isinstance(setup, str | bytes) or not isinstance(setup, Sequence | np.ndarray):
        refuse(rules, f"say how large the piles are: start=[4, 3, 2], not {setup!r}")
    if all(_is_number(seeds, 0, 255) for seeds in setup) and len(setup) == rules.board.pits:
        if not are_piles(setup):
            refuse(rules, f"start gives the piles from the largest to the smallest, not {list(map(int, setup))}")
        if sum(setup) > len(setup):
            refuse(
                rules,
                f"{sum(setup)} seeds can make as many piles, and there is room for {len(setup)}; take "
                f"piles({sum(setup)})",
            )


def are_piles(seeds: Sequence[int]) -> bool:
    """Do piles lie there from the largest to the smallest?"""
    return all(before >= after for before, after in pairwise(seeds))


def _check_captures_and_endings(rules: RuleBook) -> None:
    captures = [clause for clause in rules.landing if clause.takes]
    sown_store = rules.store is not Store.NONE
    if any(clause.store for clause in rules.landing) and not sown_store:
        refuse(rules, "a landing clause is about a store, but no seed is sown there; set store='own'")
    if rules.store is Store.BOTH and rules.board.kind != "two_rows":
        refuse(rules, "both stores lie on one loop, which both players share; take two_rows(6), or store='own'")
    if any(clause.store == "opponent" for clause in rules.landing) and rules.store is not Store.BOTH:
        refuse(rules, "a landing clause is about the opponent's store, where no seed is sown; set store='both'")
    if rules.skip_origin and sown_store:
        refuse(rules, "skip_origin and sowing into the store together are not supported; switch one off")
    if rules.skip_origin and rules.board.columns < 2:
        refuse(rules, "skipping the origin needs at least two pits per row")
    if rules.grand_slam is not GrandSlam.CAPTURE and not captures:
        refuse(rules, f"grand_slam={str(rules.grand_slam)!r} needs a landing clause that captures")
    spares = rules.grand_slam in (GrandSlam.SPARE_LAST, GrandSlam.SPARE_FIRST)
    if spares and any(
        (clause.takes, clause.side, clause.chain_side) != (("here",), "opponent", "opponent") for clause in captures
    ):
        refuse(
            rules,
            f"grand_slam={str(rules.grand_slam)!r} spares one pit of a chain of the opponent's pits; with other "
            "captures use 'no_capture' or 'forbidden'",
        )
    if rules.feeding is Feeding.ALWAYS and rules.grand_slam is not GrandSlam.CAPTURE:
        refuse(
            rules,
            "feeding='always' already rules out taking everything, and lets the capture stand where nothing else "
            "is left; set grand_slam='capture'",
        )
    if rules.feeding is not Feeding.NONE and rules.end_check is EndCheck.ANY_SIDE:
        refuse(rules, "with end_check='any_side' an empty side ends the game, so nobody can be fed; feeding='none'")
    if rules.stuck is Stuck.PASS and rules.feeding is Feeding.IF_STARVED:
        refuse(rules, "a player who must feed cannot also pass; set feeding='none' or stuck='end'")
    if rules.indeterminacy_max_seeds:
        _check_counting(rules, sown_store, bool(captures))
    if rules.repetition == 1:
        refuse(rules, "every position occurs once; repetition is 0 (off), 2 (the first recurrence) or more")
    if rules.repetition_leftover is RepetitionLeftover.SPLIT and not rules.repetition:
        refuse(rules, "repetition_leftover='split' needs repetition=2 or more")
    on_track = rules.sowing is Sowing.TRACK
    if not rules.max_plies and not rules.repetition and not sown_store and on_track:
        refuse(rules, "seeds could go round for ever; set max_plies, or repetition=2")


def _check_other_sowing(rules: RuleBook) -> None:
    """Contradictions in leaving a seed, in what is taken on the way, in first moves and in how few seeds end a game."""
    is_track, has_slams = rules.sowing is Sowing.TRACK, rules.grand_slam is not GrandSlam.CAPTURE
    sows_on = any(clause.then == "sow_on" for clause in rules.landing)
    others = {
        "direction": rules.direction is not Direction.COUNTERCLOCKWISE and rules.sowing is not Sowing.FROM_ENDS,
        "turns_round": rules.turns_round,
        "seeds_a_pit": rules.seeds_a_pit > 1,
        "leave": rules.leave is not Leave.NOTHING,
        "passing": rules.passing is not None, "skipping": rules.skipping is not None,
        "singles": rules.singles is not Singles.AS_OTHERS,
        "opening": bool(rules.opening), "plain_plies": bool(rules.plain_plies),
    }  # fmt: skip
    if used := [name for name, value in others.items() if value]:
        if not is_track:
            refuse(rules, f"{used[0]} is about sowing along a track; leave it out, or set sowing='track'")
        if rules.match in (Match.TERRITORY, Match.REFILL):
            refuse(rules, f"{used[0]} and match={str(rules.match)!r} together are not supported")
    turned = rules.direction is not Direction.COUNTERCLOCKWISE
    either_way = rules.is_line and rules.direction is Direction.CHOICE
    if turned and not either_way and rules.board.rows not in (2, 4):
        refuse(rules, "seeds go clockwise on boards of two and of four rows: two_rows(6)")
    if rules.offers_directions and rules.num_sowings > MOST_CHOSEN:
        refuse(
            rules,
            f"with a choice of direction these rules have {rules.num_sowings} actions; take a board on which there are "
            f"at most {MOST_CHOSEN}",
        )
    told_apart = {
        "opening": bool(rules.opening),
        "played_again": rules.played_again is not PlayedAgain.AS_OTHERS,
        "grand_slam='forbidden'": rules.grand_slam is GrandSlam.FORBIDDEN,
        f"feeding={str(rules.feeding)!r}": rules.feeding in (Feeding.ALWAYS, Feeding.MUST_LEAVE),
    }
    if rules.num_sowings > MOST_CHOSEN and (named := [name for name, value in told_apart.items() if value]):
        refuse(
            rules,
            f"{named[0]} is for boards on which a player plays at most {MOST_CHOSEN} pits, and here they are "
            f"{rules.num_sowings}; leave it out or take a smaller board",
        )
    if rules.reverses:
        ways = {*rules.direction} if isinstance(rules.direction, tuple) else set()
        if ways & {Direction.CLOCKWISE, Direction.CHOICE} or rules.turns_round:
            refuse(rules, "where pits are reversed to capture, all else goes counter-clockwise; leave other ways out")
        if not any(clause.takes for clause in rules.landing):
            refuse(rules, "direction='reverse' is about laps that capture, and no landing clause does; leave it out")
        if (
            rules.leave is not Leave.NOTHING
            or rules.surplus is not Surplus.ROUND
            or rules.passing is not None
            or rules.feeding is not Feeding.NONE
            or has_slams
            or rules.indeterminacy_max_seeds
            or rules.skipping is not None
            or rules.has_marks
            or rules.remember is not Remember.NOTHING
        ):
            refuse(
                rules,
                "direction='reverse' goes without leave, surplus, passing, skipping, marks, remember, feeding, slams "
                "and indeterminacy_max_seeds; switch these off",
            )
    if rules.reverse_to_empty and not rules.reverses:
        refuse(rules, "reverse_to_empty needs pits of direction='reverse'; leave it out")
    if rules.reverse_laps:
        _check_reverse_laps(rules)
    if rules.seeds_a_pit > 1 and (
        rules.skip_origin
        or rules.store is not Store.NONE
        or rules.surplus is not Surplus.ROUND
        or rules.passing is not None
        or rules.skipping is not None
        or rules.feeding is not Feeding.NONE
        or has_slams
        or rules.has_marks
        or rules.indeterminacy_max_seeds
        or rules.reverses
        or rules.remember is Remember.UNTIL_SOWN
        or rules.first_lap is not FirstLap.ANYWHERE
        or rules.is_line
        or any(clause.visited is not None for clause in rules.landing)
    ):
        refuse(
            rules,
            "seeds_a_pit goes without skip_origin, stores, surplus, passing, skipping, feeding, grand slams, marks, "
            "indeterminacy_max_seeds, reverses, remember='until_sown', first_lap, one row and visited; switch these "
            "off",
        )
    if rules.next_skips_stores and any(clause.onward for clause in rules.landing):
        refuse(rules, "a capture that goes onward ends at a store; leave onward or next_skips_stores out")
    if rules.turns_round and not any(clause.relays for clause in rules.landing):
        refuse(rules, "turns_round is about turns of several laps, and no landing clause sows another one: add relay()")
    if rules.keeps_direction and rules.indeterminacy_max_seeds:
        refuse(
            rules,
            "whether anything can be captured must not depend on a direction that was chosen; set "
            "indeterminacy_max_seeds=0, or direction='choice'",
        )
    if rules.leave is Leave.NOTHING and rules.lone_seed is not LoneSeed.MOVES:
        refuse(rules, "lone_seed is about pits in which a seed stays; set leave='first_lap'")
    if rules.leave is not Leave.NOTHING and (
        rules.skip_origin or sows_on or has_slams or rules.indeterminacy_max_seeds
    ):
        refuse(
            rules,
            "a seed that stays in its pit goes neither with skip_origin nor with sow_on, and slams and "
            "indeterminacy_max_seeds are not supported with it; switch these off",
        )
    if rules.passing is not None:
        if not isinstance(rules.passing, Passing):
            refuse(rules, f"passing takes Passing(counts={{4}}), not {rules.passing!r}")
        if (
            has_slams
            or rules.indeterminacy_max_seeds
            or rules.feeding is not Feeding.NONE
            or rules.has_marks
            or sows_on
        ):
            refuse(
                rules,
                "what is taken on the way goes without grand slams, feeding, marks, sow_on and "
                "indeterminacy_max_seeds; switch these off",
            )
        if rules.store is Store.BOTH:
            refuse(rules, "passing and store='both' together are not supported")
    jumps = rules.skipping is not None or rules.marked_pits is MarkedPits.CLOSED
    if jumps and any(clause.visited is not None for clause in rules.landing):
        refuse(rules, "visited goes without pits that are closed or passed over; leave it out")
    if jumps and rules.surplus is not Surplus.ROUND:
        refuse(rules, "a surplus has rounds of its own, so no pits are closed or passed over; set surplus='round'")
    if jumps and rules.remember is Remember.UNTIL_SOWN:
        refuse(rules, "pits are not forgotten by seeds that pass over pits, or jump closed ones; leave remember out")
    if rules.skipping is not None:
        if not isinstance(rules.skipping, Skipping):
            refuse(rules, f"skipping takes Skipping(counts={{2}}), not {rules.skipping!r}")
        if has_slams or rules.indeterminacy_max_seeds or rules.feeding is not Feeding.NONE or rules.passing is not None:
            refuse(
                rules,
                "pits are passed over without grand slams, feeding, passing and indeterminacy_max_seeds; switch these "
                "off",
            )
    half = len(rules.board.homes[0])
    places = rules.opening if isinstance(rules.opening, list | tuple) else (None,)
    if len(places) > layout.MAX_OPENING or not all(_are_places(each, half) for each in places):
        refuse(
            rules,
            f"opening takes, for each of at most {layout.MAX_OPENING} plies, places on the mover's own side in a "
            f"tuple, from {-half} to {half - 1}, where -1 is the last: ((0, 1), (0, 1)); not {rules.opening!r}",
        )
    _set(rules, "opening", tuple(tuple(int(place) for place in each) for each in rules.opening))
    if rules.opening and not rules.opening[-1]:
        refuse(
            rules, "opening ends with a ply in which all may be played, as in every ply after it; leave that one out"
        )
    if rules.singles is not Singles.AS_OTHERS and rules.min_start > 1:
        refuse(
            rules,
            f"singles says when a pit with one seed may be played, and min_start={rules.min_start} that it never may; "
            "leave one of them out",
        )
    if (rules.end_few or rules.end_flat) and (rules.match is not Match.NONE or rules.goal is not Goal.SEEDS):
        refuse(rules, "end_few and end_flat end single games about seeds; leave them out")
    if rules.leftover in (Leftover.LAST_MOVER, Leftover.HALVED) and rules.match in (Match.TERRITORY, Match.REFILL):
        refuse(rules, f"leftover={str(rules.leftover)!r} and match={str(rules.match)!r} together are not supported")
    again = any(clause.then == "again" for clause in rules.landing)
    again = again or (isinstance(rules.passing, Passing) and rules.passing.then == "again")
    if rules.leftover is Leftover.LAST_MOVER and again:
        refuse(rules, "after another turn the last mover is to move again; take another leftover, or no again()")
    lasts = rules.singles in (Singles.LAST_RESORT, Singles.LAST_RESORT_INTO_EMPTY)
    if lasts and (rules.feeding is not Feeding.NONE or rules.grand_slam is GrandSlam.FORBIDDEN):
        refuse(rules, f"singles={str(rules.singles)!r} goes without feeding and forbidden slams; switch these off")
    if rules.lone_seed is LoneSeed.STAYS and not rules.max_plies and not rules.repetition:
        refuse(rules, "a lone seed that stays can be played for ever; set max_plies, or repetition=2")
    if rules.feeding is Feeding.ALWAYS and (rules.singles is not Singles.AS_OTHERS or rules.opening):
        refuse(rules, "singles and opening go without feeding='always'; set feeding='must_leave'")
    takes = {take for clause in rules.landing if clause.then != "sow_on" for take in clause.takes}
    others_taken = takes - {"here", "facing", "last", "last_and_one"} or any(
        clause.to != "mover"
        or clause.chain_facing
        or clause.chain_side == "own"
        or clause.chain_way == "forward"
        or clause.onward
        for clause in rules.landing
    )
    if has_slams and others_taken:
        refuse(rules, f"grand_slam={str(rules.grand_slam)!r} is about captures of 'here' and 'facing' with chains only")
    if rules.indeterminacy_max_seeds and (others_taken or takes - {"here", "facing"}):
        refuse(rules, "indeterminacy_max_seeds is for captures of 'here' and 'facing' with chains; set it to 0")
    by_ply = bool(rules.opening or rules.plain_plies) or any(clause.from_ply for clause in rules.landing)
    if rules.indeterminacy_max_seeds and by_ply:
        refuse(rules, "whether anything can be captured must not depend on the ply; set indeterminacy_max_seeds=0")
    if (rules.has_marks or rules.leave is not Leave.NOTHING) and any(clause.joins for clause in rules.landing):
        refuse(rules, "joins lifts all that lies in a pit, where no seed stays and no pit is marked; leave joins out")
    if rules.has_marks and any(clause.then == "sow_on" and "next" in clause.takes for clause in rules.landing):
        refuse(rules, "the next pit may be marked, and nobody sows a marked pit on; leave sow_on('next') or marks out")
    if rules.feeding in (Feeding.MUST_LEAVE, Feeding.LEAVE_MOVE) and (
        has_slams or rules.has_marks or rules.match is Match.TERRITORY
    ):
        refuse(rules, "feeding='must_leave' rules out taking everything by itself; set grand_slam='capture', no marks")


def _is_number(value: object, least: int, most: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) <= most


def _are_places(places: object, half: int) -> bool:
    """Are these places on a player's own side?"""
    return isinstance(places, list | tuple) and all(
        isinstance(place, int | np.integer) and not isinstance(place, bool) and -half <= place < half
        for place in places
    )


def _check_set_ups(rules: RuleBook) -> None:
    stores, marks = rules.setup_stores, rules.setup_marks
    if not isinstance(stores, list | tuple) or len(stores) != 2 or not all(_is_number(each, 0, 255) for each in stores):
        refuse(rules, f"setup_stores takes the seeds of two stores, such as (4, 0), not {stores!r}")
    _set(rules, "setup_stores", tuple(int(each) for each in stores))
    if not isinstance(marks, list | tuple) or not all(_is_number(each, -1, 1) for each in marks):
        refuse(rules, f"setup_marks takes a mark for each pit, 0 South's, 1 North's and -1 none, not {marks!r}")
    _set(rules, "setup_marks", tuple(int(each) for each in marks))
    if marks and (len(marks) != rules.board.pits or not rules.has_marks):
        refuse(rules, f"setup_marks is for games with marks, and has one of each of the {rules.board.pits} pits")
    if (any(stores) or marks) and rules.match is not Match.NONE:
        refuse(rules, "setup_stores and setup_marks are for single games; leave them out")
    if any(stores) and not rules.has_stores:
        refuse(rules, "setup_stores is for games with stores, and nothing is won in this one; leave it out")
    if rules.setup is None:
        return
    if isinstance(rules.setup, str | bytes) or not isinstance(rules.setup, Sequence | np.ndarray):
        refuse(rules, f"start must be seeds of each pit, such as (0, 1, 0, 2), not {rules.setup!r}")
    setup = tuple(rules.setup)
    if any(not isinstance(n, int | np.integer) or isinstance(n, bool) or not 0 <= n <= 255 for n in setup):
        refuse(rules, f"start must hold whole numbers of seeds from 0 to 255, not {rules.setup!r}")
    _set(rules, "setup", tuple(int(n) for n in setup))
    if len(setup) != rules.board.pits:
        refuse(
            rules,
            f"start lays seeds in {len(setup)} pits, but the board has {rules.board.pits}; give one for each",
        )
    if not 0 < sum(setup) <= MAX_TOTAL:
        refuse(rules, f"a game is played with 1 to {MAX_TOTAL} seeds, not {sum(setup)}")
    if rules.pit_limit and max(setup) > rules.pit_limit:
        refuse(rules, f"start lays {max(setup)} seeds in a pit, which holds at most {rules.pit_limit}")


def _check_other_ways(rules: RuleBook) -> None:
    """Contradictions in sowing off the track, and in passing as an action."""
    kind, sown_store, is_reaping = rules.board.kind, rules.store is not Store.NONE, rules.sowing is Sowing.REAPING
    if rules.sowing is Sowing.NEIGHBOURS and kind not in ("halves", "blocks_in_rows"):
        refuse(rules, "sowing to the neighbours needs a board that both players play, in two blocks: halves(6)")
    if rules.sowing is Sowing.REAPING and kind != "one_row":
        refuse(rules, "reaping needs a board of one row: one_row(15)")
    if rules.sowing is Sowing.TRACK and kind in ("halves", "blocks_in_rows"):
        refuse(rules, f"nothing is sown along a track on the board {kind}; set sowing, or take two_rows(6)")
    if kind == "arcs" and rules.match is not Match.TERRITORY:
        refuse(rules, "pits change hands only in a match for territory; set match='territory', or take two_rows(6)")
    if rules.sowing is not Sowing.TRACK:
        unused = {
            "landing": bool(rules.landing), "store": sown_store, "majority_stop": rules.majority_stop,
            "feeding": rules.feeding is not Feeding.NONE, "stuck": rules.stuck is not Stuck.END,
            "end_check": rules.end_check is not EndCheck.SIDE_TO_MOVE,
            "repetition": bool(rules.repetition) and rules.sowing is not Sowing.PILES,
            "skip_origin": rules.skip_origin, "leftover": rules.leftover is not Leftover.OWNER,
            "slam_scope": rules.slam_scope is not SlamScope.ANY,
            "max_laps": rules.max_laps != 2000 and rules.sowing is not Sowing.FROM_ENDS,
            "end_reason": rules.end_reason != "stuck",
        }  # fmt: skip
        for name, used in unused.items():
            if used:
                refuse(rules, f"{name} is about sowing along a track; it means nothing with {str(rules.sowing)!r}")
        if rules.goal is Goal.SEEDS:
            refuse(rules, "seeds are not won off the track; set goal='last_mover' or 'empty_block'")
    if rules.sowing is Sowing.NEIGHBOURS and not 1 <= rules.pit_limit <= 5:
        refuse(rules, "a pit has five neighbours, so it must not hold more seeds; set pit_limit, at most 5")
    if rules.sowing is Sowing.NEIGHBOURS and rules.setup is None and rules.seeds > rules.pit_limit:
        refuse(rules, f"{rules.seeds} seeds in each pit are more than the {rules.pit_limit} it holds")
    if rules.pit_limit and rules.sowing is not Sowing.NEIGHBOURS:
        refuse(rules, "pit_limit is for sowing='neighbours' only; set it to 0")
    if rules.sowing is Sowing.NEIGHBOURS and rules.goal is not Goal.EMPTY_BLOCK:
        refuse(rules, "sowing='neighbours' goes with goal='empty_block', and only with it")
    if rules.goal is Goal.EMPTY_BLOCK and (is_reaping or rules.feeding is not Feeding.NONE or rules.has_marks):
        refuse(rules, "goal='empty_block' goes without reaping, feeding and marks; switch these off")
    if rules.goal is Goal.OUTLAST and (rules.sowing is not Sowing.TRACK or rules.feeding is not Feeding.NONE):
        refuse(rules, "goal='outlast' is about sides that run empty: sowing='track', feeding='none'")
    if rules.goal is Goal.OUTLAST and rules.has_marks:
        refuse(rules, "marked pits keep seeds on a side, so goal='outlast' goes without marks")
    if rules.sowing is Sowing.REAPING and rules.min_start == 1 and not rules.max_plies:
        refuse(rules, "single seeds can walk to and fro for ever; set max_plies, or min_start=2")
    if rules.goal is not Goal.SEEDS and (rules.majority_stop or rules.grand_slam is GrandSlam.REST_TO_OPPONENT):
        refuse(rules, f"goal={str(rules.goal)!r} counts no seeds: no majority_stop, no grand_slam='rest_to_opponent'")
    if rules.goal is not Goal.SEEDS and rules.leftover is not Leftover.OWNER:
        refuse(rules, f"goal={str(rules.goal)!r} counts no seeds, so leftover means nothing; set it to 'owner'")
    if rules.goal is not Goal.SEEDS and rules.end_check is EndCheck.ANY_SIDE:
        refuse(rules, f"goal={str(rules.goal)!r} looks at the mover only; set end_check='side_to_move'")
    if rules.explicit_pass and rules.stuck is not Stuck.PASS:
        refuse(rules, "explicit_pass needs stuck='pass'")
    if rules.min_start > 1 and rules.feeding is Feeding.ALWAYS:
        refuse(rules, "min_start and feeding='always' together are not supported")


def _check_sowing_on(rules: RuleBook) -> None:
    """Contradictions in captures that are sown on, and on boards of four rows."""
    board = rules.board
    of_rows = any(clause.inner is not None or "neighbours" in clause.takes for clause in rules.landing)
    if board.rows == 3 and of_rows:
        refuse(
            rules, "inner and 'neighbours' look at rows of one player, and three rows have a shared one; leave them out"
        )
    behind = [clause for clause in rules.landing if "behind" in clause.takes or clause.behind or clause.behind_count]
    if behind and board.behind == tuple(range(board.pits)):
        refuse(rules, "this board has no outer pits ('behind'); take four_rows(8) or three_rows_horn(6)")
    if any(clause.then == "sow_on" for clause in rules.landing):
        if rules.skip_origin or rules.store is not Store.NONE:
            refuse(rules, "seeds that are sown on have no origin to skip, and pass no store; switch these off")
        if rules.grand_slam is not GrandSlam.CAPTURE or rules.feeding is not Feeding.NONE:
            refuse(rules, "seeds that are sown on make no grand slam and feed nobody; switch these rules off")
        if rules.indeterminacy_max_seeds:
            refuse(rules, "seeds that are sown on are captured, but stay on the board; indeterminacy_max_seeds=0")
        if not rules.marks_pairs:
            refuse(rules, "a marked pit that faces another pit could be sown on; mark facing pairs: mark_pair()")


def _check_selection(rules: RuleBook) -> None:
    """Contradictions in where the last seeds of a lap go, in places, and in which pits may be played."""
    half, on_track = len(rules.board.homes[0]), rules.sowing is Sowing.TRACK
    on_halves = rules.board.halves and on_track
    if rules.surplus is not Surplus.ROUND and (rules.board.kind != "two_rows" or rules.indeterminacy_max_seeds):
        refuse(
            rules,
            f"surplus={str(rules.surplus)!r} needs a loop that both players share, two_rows(6), and is not supported "
            "with indeterminacy_max_seeds; switch one off",
        )
    places = [("place", clause.place) for clause in rules.landing if clause.place is not None]
    for name in ("barred", "forced"):
        pits = getattr(rules, name)
        if pits is None:
            continue
        if not isinstance(pits, Barred):
            refuse(rules, f"{name} takes Barred(places={{0}}, counts={{1, 2}}), not {pits!r}")
        if rules.feeding is Feeding.ALWAYS or rules.match in (Match.TERRITORY, Match.REFILL):
            refuse(rules, f"{name} goes without feeding='always' and without matches that lay out the seeds")
        leaves = rules.feeding in (Feeding.MUST_LEAVE, Feeding.LEAVE_MOVE)
        if (
            rules.grand_slam is GrandSlam.FORBIDDEN
            or leaves
            or (name == "forced" and rules.feeding is not Feeding.NONE)
        ):
            refuse(
                rules,
                f"{name} is about which pits can be played, and not about what comes of it: it goes without "
                f"grand_slam='forbidden' and feeding='must_leave'{' or others' if name == 'forced' else ''}",
            )
        places.append((name, pits.places))
    for name, chosen in places:
        if not on_halves or any(not -half <= place < half for place in chosen):
            refuse(
                rules,
                f"{name} takes places on a side of a board of which each player plays their own half, from {-half} to "
                f"{half - 1}, where -1 is the last; not {sorted(chosen)}",
            )
        if rules.indeterminacy_max_seeds and name != "place":
            refuse(rules, f"{name} and indeterminacy_max_seeds together are not supported; switch one off")
    _check_memory(rules)
    if rules.first_lap is FirstLap.NOT_IN_OWN_FULL and rules.is_line:
        refuse(rules, "the pits of a single row belong to nobody; set first_lap='in_full' or 'anywhere'")
    if rules.first_lap is not FirstLap.ANYWHERE:
        seeds_stay = rules.leave is not Leave.NOTHING or rules.passing is not None or rules.skip_origin
        if not on_track or seeds_stay or rules.surplus is not Surplus.ROUND or rules.indeterminacy_max_seeds:
            refuse(
                rules,
                f"first_lap={str(rules.first_lap)!r} is about plain laps along a track: no leave, passing, "
                "skip_origin, surplus or indeterminacy_max_seeds",
            )
        if rules.feeding is not Feeding.NONE or rules.grand_slam is GrandSlam.FORBIDDEN:
            refuse(rules, "first_lap goes without feeding and without grand_slam='forbidden'; switch one off")
    if rules.next_skips_stores and (
        rules.store is Store.NONE
        or any(clause.chain_way == "forward" or clause.onward is not None for clause in rules.landing)
    ):
        refuse(
            rules,
            "next_skips_stores is about sown stores, and goes without chain_way='forward' and captures over gaps; set "
            "it to False",
        )
    if rules.feeding_least > 1 and rules.feeding is not Feeding.IF_STARVED:
        refuse(rules, "feeding_least is how much a player gives who has to feed; set feeding='if_starved', or leave it")


def _check_line(rules: RuleBook) -> None:
    """Contradictions where seeds are sown along a row that belongs to nobody."""
    if not rules.is_line:
        return
    if rules.goal is not Goal.LAST_MOVER or rules.feeding is not Feeding.NONE:
        refuse(rules, "the pits of a single row belong to nobody: set goal='last_mover', feeding='none'")
    unused = {
        "store": rules.store is not Store.NONE, "skip_origin": rules.skip_origin, "passing": rules.passing is not None,
        "surplus": rules.surplus is not Surplus.ROUND, "grand_slam": rules.grand_slam is not GrandSlam.CAPTURE,
        "singles": rules.singles is not Singles.AS_OTHERS, "indeterminacy_max_seeds": rules.indeterminacy_max_seeds > 0,
        "skipping": rules.skipping is not None, "turns_round": rules.turns_round, "marks": rules.has_marks,
        "remember": rules.remember is not Remember.NOTHING, "relays": rules.relays, "reserve": rules.reserve > 0,
    }  # fmt: skip
    if used := [name for name, value in unused.items() if value]:
        refuse(rules, f"{used[0]} is about tracks that go round; on a single row leave it out")
    known = {"was", "count", "even", "from_ply", "lifted", "few"}
    for clause in rules.landing:
        near = {*clause.takes} <= {"here", "last", "last_and_one"} and clause.chain_way == "back" and not clause.picks
        whose = (clause.chain_side == "any" or not clause.chain) and clause.to == "mover" and clause.onward is None
        if not ({*clause.conditions} <= known and near and whose):
            refuse(
                rules,
                f"a row belongs to nobody, and nothing lies across or after it: a clause asks for {sorted(known)}, and "
                "takes 'here', with chain_side='any', or 'last'",
            )


def _check_memory(rules: RuleBook) -> None:
    """Contradictions in what a game remembers, and what comes of it."""
    asks = [clause for clause in rules.landing if clause.remembered is not None]
    if rules.remember is Remember.NOTHING:
        if asks or rules.played_again is not PlayedAgain.AS_OTHERS:
            refuse(rules, "played_again and remembered are about pits that the game remembers; set remember='played'")
        return
    if rules.sowing is not Sowing.TRACK or rules.match is not Match.NONE or rules.indeterminacy_max_seeds:
        refuse(
            rules,
            "pits are remembered in single games sown along a track, without indeterminacy_max_seeds; set "
            "remember='nothing'",
        )
    if rules.remember is Remember.MARKS and not rules.has_marks:
        refuse(rules, "remember='marks' is about marks, but no landing clause makes any; set remember='played'")
    if rules.played_again is not PlayedAgain.AS_OTHERS:
        if rules.remember is Remember.MARKS:
            refuse(rules, "nobody plays a marked pit, so with remember='marks' leave played_again out")
        if rules.feeding is not Feeding.NONE or rules.grand_slam is GrandSlam.FORBIDDEN:
            refuse(rules, "played_again goes without feeding and without grand_slam='forbidden'; switch one off")


def _check_targets(rules: RuleBook) -> None:
    """Contradictions in a number of seeds that ends a single game, or saves a player from losing it."""
    if rules.safe_seeds and (
        rules.goal is not Goal.LAST_MOVER or not rules.has_stores or rules.match is not Match.NONE
    ):
        refuse(rules, "safe_seeds saves from a defeat for want of a move: set goal='last_mover', in a single game with "
               "captures")  # fmt: skip
    if not rules.target_seeds:
        if rules.below_target is not BelowTarget.MORE:
            refuse(rules, "below_target is about games with target_seeds; set that, too")
        return
    if rules.goal is not Goal.SEEDS or rules.match is not Match.NONE or rules.majority_stop:
        refuse(rules, "target_seeds ends single games about seeds, and instead of a majority: majority_stop=False")
    if rules.target_seeds > rules.total_seeds:
        refuse(rules, f"target_seeds={rules.target_seeds} is more than the {rules.total_seeds} seeds of the game")


def _check_marks(rules: RuleBook) -> None:
    unmarkable, half = rules.unmarkable, rules.board.pits // 2
    if not isinstance(unmarkable, list | tuple) or any(
        not isinstance(place, int | np.integer) or isinstance(place, bool) or not -half <= place < half
        for place in unmarkable
    ):
        refuse(
            rules,
            f"unmarkable takes places on a player's own side in a tuple, from {-half} to {half - 1}, where -1 is the "
            f"last; not {unmarkable!r}",
        )
    _set(rules, "unmarkable", tuple(int(place) for place in unmarkable))
    if unmarkable and rules.board.pits > 62:
        refuse(rules, "unmarkable is for boards of at most 62 pits; leave it out")
    if rules.end_marks and rules.marked_pits is not MarkedPits.TAKEN:
        refuse(rules, "end_marks is about marks that a capture takes; set marked_pits='taken' and setup_marks, too")
    if rules.marked_pits is MarkedPits.TAKEN:
        _check_taken_marks(rules)
        return
    if not rules.has_marks:
        if rules.marked_pits is not MarkedPits.GATHER or not rules.mirrored_marks:
            refuse(rules, "marked_pits and mirrored_marks are about marks, but no landing clause makes any")
        if any(clause.marked is not None for clause in rules.landing):
            refuse(rules, "a landing clause needs marks, but none makes any: add one with mark() or mark_pair()")
        if rules.mark_limit or rules.unmarkable:
            refuse(rules, "mark_limit and unmarkable are about marks, but no landing clause makes any; leave them out")
        return
    closes = [clause.closes for clause in rules.landing if clause.marks]
    if any(closes) != (rules.marked_pits is MarkedPits.CLOSED) or len({*closes}) > 1:
        refuse(rules, "close() and marked_pits='closed' go together, and then pits are not marked in another way")
    if any(closes) and rules.board.loops[0] == rules.board.homes[0]:
        refuse(rules, "pits are closed on a loop that both players share, else all could be closed: two_rows(6)")
    if any(closes) and rules.match is not Match.NONE:
        refuse(rules, "closed pits are for single games; set match='none'")
    if rules.marked_pits is MarkedPits.COLLECT and (
        rules.goal is not Goal.SEEDS or not rules.has_stores or any(clause.carries for clause in rules.landing)
    ):
        refuse(rules, "marked_pits='collect' brings seeds into stores: set goal='seeds', and mark without mark_pair()")
    if rules.grand_slam is not GrandSlam.CAPTURE or rules.feeding is not Feeding.NONE:
        refuse(rules, "with marked pits there are no grand slams and nobody is fed; switch these rules off")
    laid, facing = rules.setup_marks, rules.board.facing
    if laid and rules.marks_pairs and any(mark != laid[facing[pit]] for pit, mark in enumerate(laid)):
        refuse(rules, f"setup_marks lays marks that are not in facing pairs of one owner: {laid!r}")
    most = max(laid.count(0), laid.count(1))
    if (rules.mark_limit and most > rules.mark_limit) or any(laid and laid[pit] >= 0 for pit in rules.unmarkable_pits):
        refuse(rules, f"setup_marks lays marks that mark_limit or unmarkable rule out: {laid!r}")
    if rules.indeterminacy_max_seeds or rules.end_check is EndCheck.ANY_SIDE:
        refuse(rules, "marked pits keep seeds on a side: set indeterminacy_max_seeds=0, end_check='side_to_move'")


def _check_taken_marks(rules: RuleBook) -> None:
    """Contradictions where a capture takes the mark of its pit."""
    if not any(mark >= 0 for mark in rules.setup_marks):
        refuse(rules, "marked_pits='taken' is about marks of the start: lay some by setup_marks")
    unfit = {
        "mark() and close()": any(clause.marks for clause in rules.landing), "mark_limit": bool(rules.mark_limit),
        "unmarkable": bool(rules.unmarkable), "mirrored_marks=False": not rules.mirrored_marks,
        "sow_on()": any(clause.then == "sow_on" for clause in rules.landing),
        "sowing": rules.sowing is not Sowing.TRACK, "goal": rules.goal in (Goal.EMPTY_BLOCK, Goal.OUTLAST),
        "grand_slam": rules.grand_slam is not GrandSlam.CAPTURE, "feeding": rules.feeding is not Feeding.NONE,
        "remember='marks'": rules.remember is Remember.MARKS,
        "indeterminacy_max_seeds": bool(rules.indeterminacy_max_seeds),
        "end_check": rules.end_check is not EndCheck.SIDE_TO_MOVE,
    }  # fmt: skip
    if used := [name for name, is_used in unfit.items() if is_used]:
        refuse(rules, f"{used[0]} does not go with marks that a capture takes; leave it out, or marked_pits='taken'")


def _check_ends(rules: RuleBook) -> None:
    """Contradictions where captured seeds are sown from the ends of the inner row."""
    used = rules.reserve or rules.stronghold is not None or rules.threats or rules.goal is Goal.INNER_ROW
    further = {
        "ends": rules.ends is not Ends.KEPT, "end_joins": rules.end_joins, "empty_captures": rules.empty_captures,
        "captures_later": rules.captures_later, "brings_anywhere": rules.brings_anywhere,
        "must_capture": not rules.must_capture, "plays_singles": rules.plays_singles,
    }  # fmt: skip
    if rules.sowing is not Sowing.FROM_ENDS:
        if used:
            refuse(rules, "reserve, stronghold, threats and goal='inner_row' go with sowing='from_ends'; set it, too")
        if named := [name for name, is_used in further.items() if is_used]:
            refuse(rules, f"{named[0]} goes with sowing='from_ends'; set it, too, or leave {named[0]} out")
        return
    columns = rules.board.columns
    if rules.board.kind != "four_rows" or not 4 <= columns <= MOST_OF_ENDS:
        refuse(rules, "ends of an inner row are on boards of four rows with four to eight pits in each: four_rows(8)")
    if rules.total_seeds > MOST_SEEDS_OF_ENDS:
        refuse(rules, f"sowing='from_ends' goes with at most {MOST_SEEDS_OF_ENDS} seeds, not {rules.total_seeds}")
    if rules.brings_anywhere and not rules.reserve:
        refuse(rules, "brings_anywhere is about seeds in hand; set reserve, too")
    if rules.threats and not rules.must_capture:
        refuse(rules, "a pit under a threat has to be captured; leave threats out, or set must_capture=True")
    if rules.direction is not Direction.CHOICE or rules.goal is not Goal.INNER_ROW:
        refuse(rules, "sowing='from_ends' needs direction='choice' and goal='inner_row'")
    unused = {
        "match": rules.match is not Match.NONE, "opening": bool(rules.opening), "plain_plies": bool(rules.plain_plies),
        "min_start": rules.min_start > 1, "singles": rules.singles is not Singles.AS_OTHERS,
        "leave": rules.leave is not Leave.NOTHING, "passing": rules.passing is not None,
        "indeterminacy_max_seeds": bool(rules.indeterminacy_max_seeds), "repetition": bool(rules.repetition),
        "grand_slam": rules.grand_slam is not GrandSlam.CAPTURE, "end_few": bool(rules.end_few or rules.end_flat),
        "barred": rules.barred is not None, "target_seeds": bool(rules.target_seeds),
        "turns_round": rules.turns_round, "explicit_pass": rules.explicit_pass,
    }  # fmt: skip
    if not rules.max_plies:
        refuse(rules, "seeds could go round for ever; set max_plies")
    for name, is_used in unused.items():
        if is_used:
            refuse(rules, f"{name} means nothing with sowing='from_ends'; leave it out")
    if rules.stronghold is not None and not _is_number(rules.stronghold, columns, 2 * columns - 1):
        refuse(
            rules,
            f"stronghold is a place of the inner row, from {columns} (the player's right) to {2 * columns - 1}, not "
            f"{rules.stronghold!r}",
        )
    if rules.stronghold is not None and not rules.reserve:
        refuse(rules, "a stronghold has privileges while there is a reserve; set reserve, too")
    if rules.stronghold is not None and rules.stronghold_tax >= rules.stronghold_least:
        refuse(rules, "stronghold_tax takes fewer seeds than the stronghold_least it has")


def _check_decisions(rules: RuleBook) -> None:
    """Contradictions in turns of several decisions."""
    if len({clause.sparing for clause in rules.landing if clause.picks}) > 1:
        refuse(rules, "all clauses that pick spare the same places; give each the same sparing")
    half = rules.board.pits // 2
    if any(not -half <= place < half for clause in rules.landing for place in clause.sparing):
        refuse(rules, f"sparing takes places of a player's own side, from {-half} to {half - 1}")
    if any(clause.may_stop for clause in rules.landing):
        unused = {
            "leave": rules.leave is not Leave.NOTHING, "turns_round": rules.turns_round, "marks": rules.has_marks,
            "direction='reverse'": rules.reverses,
            "remember": rules.remember is not Remember.NOTHING, "plain_plies": bool(rules.plain_plies),
            "lifted": any(clause.lifted for clause in rules.landing),
            "feeding": rules.feeding is not Feeding.NONE, "grand_slam": rules.grand_slam is not GrandSlam.CAPTURE,
            "indeterminacy_max_seeds": bool(rules.indeterminacy_max_seeds),
            "leftover": rules.leftover is Leftover.LAST_MOVER,
            "visited": any(clause.visited is not None for clause in rules.landing),
        }  # fmt: skip
        for name, is_used in unused.items():
            if is_used:
                refuse(rules, f"turns that may stop, by or_stop(), go without {name}; leave it out")
        own = all(clause.side == "own" for clause in rules.landing if clause.may_stop)
        if not own and rules.board.kind != "four_rows":
            refuse(rules, "a turn may stop in an own pit; add side='own', or take four_rows(8)")
        if rules.board.kind not in ("two_rows", "four_rows"):
            refuse(rules, "turns may stop on boards of two and of four rows: two_rows(6)")
    if not rules.has_picks:
        return
    if rules.board.kind not in ("two_rows", "four_rows"):
        refuse(rules, "pits are picked on boards of two and of four rows: two_rows(6)")
    if rules.grand_slam is not GrandSlam.CAPTURE or rules.feeding is not Feeding.NONE:
        refuse(rules, "what is picked makes no grand slam, and nobody is fed; switch these rules off")
    if rules.indeterminacy_max_seeds or rules.leftover is Leftover.LAST_MOVER:
        refuse(rules, "pick() goes without indeterminacy_max_seeds and leftover='last_mover'; switch these off")


def _check_reverse_laps(rules: RuleBook) -> None:
    """Contradictions where laps in mid-turn may be reversed."""
    if not rules.reverses or not any(clause.then in ("relay", "sow_on") for clause in rules.landing):
        refuse(rules, "reverse_laps needs pits of direction='reverse', and turns of several laps: relay() or sow_on()")
    unused = {
        "pick()": rules.has_picks, "plain_plies": bool(rules.plain_plies),
        "lifted": any(clause.lifted for clause in rules.landing),
        "visited": any(clause.visited is not None for clause in rules.landing),
        "leftover='last_mover'": rules.leftover is Leftover.LAST_MOVER,
        "refill_empty_side": rules.refill_empty_side,
    }  # fmt: skip
    for name, is_used in unused.items():
        if is_used:
            refuse(rules, f"reverse_laps goes without {name}; leave it out")
    if rules.board.kind not in ("two_rows", "four_rows"):
        refuse(rules, "laps are reversed on boards of two and of four rows: four_rows(8)")


def _check_houses(rules: RuleBook) -> None:
    """Contradictions where pits belong to nobody, and in laying out an empty side."""
    has_houses = rules.sowing is Sowing.TRACK and NOBODY in rules.board.owner and not rules.is_line
    asked = rules.end_houses or any("nobody" in (clause.side, clause.next_side) for clause in rules.landing)
    if asked and not has_houses:
        refuse(
            rules, "no pit of this board belongs to nobody; take rows_and_houses(5), or leave out what asks for such"
        )
    if has_houses:
        to_owner = any(clause.to == "owner" for clause in rules.landing)
        to_owner = to_owner or (rules.passing is not None and rules.passing.to == "owner")
        unfit = {
            "to='owner'": to_owner, "grand_slam": rules.grand_slam is not GrandSlam.CAPTURE,
            "feeding": rules.feeding is not Feeding.NONE, "goal": rules.goal is not Goal.SEEDS,
            "indeterminacy_max_seeds": bool(rules.indeterminacy_max_seeds), "match": rules.match is not Match.NONE,
            "repetition_leftover": rules.repetition_leftover is not RepetitionLeftover.OWNER,
            "leftover": rules.leftover not in (Leftover.OWNER, Leftover.NONE), "store": rules.store is not Store.NONE,
        }  # fmt: skip
        if used := [name for name, is_used in unfit.items() if is_used]:
            refuse(rules, f"{used[0]} does not go with pits that belong to nobody, on the board {rules.board.kind}")
    if rules.board.kind == "side_blocks" and (rules.unmarkable or rules.opening or rules.barred):
        refuse(rules, "places are counted along a row, and on side_blocks a side has parts of two; leave them out")
    if rules.board.kind == "open_rows" and (rules.leftover is not Leftover.NONE or rules.refill_empty_side):
        refuse(rules, "nobody owns a pit of this board, so what is left is nobody's: set leftover='none'")
    unfed = rules.store is Store.NONE and rules.feeding is Feeding.NONE and not rules.refill_empty_side
    if rules.board.kind == "crossed_rows" and not (unfed and rules.match is Match.NONE):
        refuse(
            rules, "players who play each other's pits pass no store and feed nobody, in single games; switch these off"
        )
    if rules.refill_empty_side:
        unfit = {
            "goal": rules.goal is not Goal.SEEDS, "match": rules.match is not Match.NONE,
            "majority_stop": rules.majority_stop, "target_seeds": bool(rules.target_seeds),
            "min_start": rules.min_start > 1, "feeding": rules.feeding is not Feeding.NONE,
            "grand_slam": rules.grand_slam is not GrandSlam.CAPTURE, "marks": _own_marks(rules),
            "end_check": rules.end_check is not EndCheck.SIDE_TO_MOVE, "sowing": rules.sowing is not Sowing.TRACK,
            "singles": rules.singles is not Singles.AS_OTHERS, "barred": rules.barred is not None,
            "forced": rules.forced is not None, "first_lap": rules.first_lap is not FirstLap.ANYWHERE,
            "remember": rules.remember is not Remember.NOTHING, "store": rules.store is not Store.NONE,
            "indeterminacy_max_seeds": bool(rules.indeterminacy_max_seeds),
            "lone_seed": rules.lone_seed is not LoneSeed.MOVES, "direction": rules.reverses,
        }  # fmt: skip
        if used := [name for name, is_used in unfit.items() if is_used]:
            refuse(rules, f"{used[0]} does not go with laying out an empty side; set refill_empty_side=False")


def _own_marks(rules: RuleBook) -> bool:
    """Can a player's pit bear a mark?"""
    laid = enumerate(rules.setup_marks)
    taken = rules.marked_pits is MarkedPits.TAKEN
    return any(rules.board.owner[pit] != NOBODY for pit, mark in laid if mark >= 0) if taken else rules.has_marks


def _check_matches(rules: RuleBook) -> None:
    match = rules.match
    if rules.draw_points not in (0, 0.5) or isinstance(rules.draw_points, bool):
        refuse(rules, f"draw_points must be 0 or 0.5, not {rules.draw_points!r}")
    kinds = {"draw_points": (Match.WINS, 0), "difference": (Match.DIFFERENCE, Difference.WINNER)}
    kinds["remainder"] = (Match.TERRITORY, Remainder.POOL)
    for name, (kind, default) in kinds.items():
        if getattr(rules, name) != default and match is not kind:
            refuse(rules, f"{name} is for match={str(kind)!r}; this one is {str(match)!r}")
    if match in (Match.NONE, Match.REFILL) and rules.target:
        how = "set match='wins', say, or target=0" if match is Match.NONE else "set it to 0"
        refuse(rules, f"target means nothing with match={str(match)!r}; {how}")
    if match is Match.NONE:
        for name, default in (("first_mover", FirstMover.WINNER), ("max_games", 20)):
            if getattr(rules, name) != default:
                refuse(rules, f"{name} is for matches, and this is a single game; set match='wins', say")
        return
    if rules.goal is not Goal.SEEDS and match is not Match.WINS:
        refuse(rules, f"match={str(match)!r} adds up scores, and this game has none; set match='wins'")
    if match in (Match.WINS, Match.DIFFERENCE) and not rules.target:
        refuse(rules, f"match={str(match)!r} ends at a target: set target=3 wins, say, or 24 seeds")
    if match in (Match.TERRITORY, Match.REFILL):
        if rules.board.kind != ("arcs" if match is Match.TERRITORY else "two_rows"):
            refuse(
                rules,
                f"match={str(match)!r} needs the board {'arcs(6)' if match is Match.TERRITORY else 'two_rows(6)'}",
            )
        if rules.setup is not None:
            refuse(rules, f"match={str(match)!r} lays out the seeds itself; leave start out")
        counted = rules.leftover is Leftover.OWNER and rules.repetition_leftover is RepetitionLeftover.OWNER
        if rules.majority_stop or not counted or rules.grand_slam is GrandSlam.REST_TO_OPPONENT:
            refuse(
                rules,
                f"match={str(match)!r} needs every seed counted as its owner's: majority_stop=False, "
                "leftover='owner', repetition_leftover='owner', and a grand_slam that gives nothing away",
            )
    if match is Match.TERRITORY and rules.target and not rules.board.columns < rules.target <= rules.board.pits:
        refuse(
            rules,
            f"target must be more than the {rules.board.columns} pits that each has at first, and at most "
            f"{rules.board.pits}, not {rules.target}; 0 stands for all pits",
        )
    if match is Match.TERRITORY and (rules.feeding is Feeding.ALWAYS or rules.store is not Store.NONE):
        refuse(rules, "pits that change hands need store='none' and feeding 'none' or 'if_starved'")


def _check_counting(rules: RuleBook, sown_store: bool, captures: bool) -> None:
    if sown_store or not captures:
        refuse(
            rules,
            "indeterminacy_max_seeds ends games in which nothing can be captured any more; that says nothing "
            "where seeds are sown into a store or never captured; set it to 0",
        )
    entries = 2
    for k in range(1, rules.indeterminacy_max_seeds + 1):
        entries = entries * (rules.board.pits + k) // k
    if entries > MAX_DEAD_ENTRIES or rules.board.pits + rules.indeterminacy_max_seeds > 64:
        refuse(
            rules,
            f"indeterminacy_max_seeds={rules.indeterminacy_max_seeds} needs a table of {entries:,} positions on "
            f"{rules.board.pits} pits; take a smaller number (the default is 3)",
        )
