"""The fields of a ruleset, in the order of a rule book, each declared in one place: what it means, what it may hold,
where it stands in the axes that kernels read, what it needs and what it does not go with, how a player is told of it,
and what a random ruleset draws. ``checks``, ``encode``, ``describe``, ``random_rules`` and the pages derive their part.

What a field needs, or does not go with, are *facts*, with commas between them: the name of a field that is not at its
default; a field with its value (``stuck='pass'``); a kind of board; or one of ``checks.FACTS``, such as "marks". In
``needs`` a ``|`` stands between facts of which one is enough. A mapping adds why, in words that begin the refusal.
"""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from mancala_env.kernels import layout
from mancala_env.rules import choices as c
from mancala_env.rules.board import Board, two_rows
from mancala_env.rules.declared import Declared, Group, flat, grouped, is_number, rule
from mancala_env.rules.landing import Barred, Option, Passing, Skipping, When

MAX_SEEDS = 12
MAX_TOTAL = 2000  # scores are counted doubled, in int16, and a difference in every game
MAX_LAPS = 32_000  # far more than the longest known turn that ends by itself; turns that never end take this long


def _in_a_tuple(
    what: str, fits: Callable[[Any], bool], read: Callable[[Any], Any] = lambda each: each, called: str = ""
) -> Any:
    def several(name: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple | np.ndarray) or not all(map(fits, value)):
            raise ValueError(f"{called or name} takes {what} in a tuple, not {value!r}")
        return tuple(map(read, value))

    return several


def _directions(name: str, value: Any) -> c.Direction | tuple[c.Direction, ...]:
    known = ("counterclockwise", "clockwise", "choice", "reverse", "reverse_laps")
    read = _in_a_tuple(f"one of {known} for each place", known.__contains__, c.Direction)
    ways: tuple[c.Direction, ...] = read(name, value)
    if {"reverse", "reverse_laps"} <= {*ways}:
        raise ValueError("pits are reversed in the first lap, or in all laps, not some in this and some in that one")
    return ways[0] if len({*ways}) == 1 else ways


TRACK = "sowing='track'"
LAID_OUT = "a match that lays out the seeds"
BAO = "sowing='bao'"


@dataclass(frozen=True, kw_only=True)
class Words(Group):
    """What only tells of a game, and makes no other game of it."""

    options: tuple[Option, ...] = rule(
        (),
        "Choices that this game offers besides the axes (``Option``): ``ruleset(name, **{option.name: value})`` takes "
        "them, and the ruleset has them as attributes.",
        reads=_in_a_tuple("Options", lambda each: isinstance(each, Option)),
    )  # fmt: skip
    mark_word: str = rule("marked", "What a pit is that bears a mark, as text says it.")
    mark_name: str = rule("marks", "What ``Ruleset.position`` may call the marks, too.")
    region: str = rule(
        "",
        'Where it is played, as a list of games is sorted by: "West Africa", "Southern Africa". "": not known, or '
        "nowhere in particular.",
    )  # fmt: skip
    people: str = rule("", "Who plays it, or made it.")
    source: str = rule("", "Where the rules were taken from: author, title, year.")
    about: str = rule("", "What is particular about it, and where sources differ, in a short paragraph.")


@dataclass(frozen=True, kw_only=True)
class Play:
    """What a game is called; the board, how seeds are sown, what comes of it, and what may be played."""

    name: str = rule("unnamed", alone=True)  # the table names its games
    version: int = rule(
        0,
        "The id is ``mancala/<name>-v<version>``; the version goes up when the same actions can lead to another game, "
        "observation or reward.",
        most=10_000, alone=True,
    )  # fmt: skip
    words: Words = field(default=Words(), repr=False, compare=False)

    board: Board = rule(
        two_rows(6),
        "Geometry, and how many play: a board all of whose pits are South's makes a solitaire (``players``). "
        "``pits_per_row=n`` (alias ``houses``) in ``mancala_env.ruleset`` is short for one of its kind.",
        alone=True,
        heading="The board",
    )
    seeds: int = rule(4, "In each pit at the start, 1 to 12.", least=1, most=MAX_SEEDS, alone=True)
    setup: tuple[int, ...] | None = rule(
        None,
        "Seeds in each pit at the start, in canonical order; None: ``seeds`` in each. Those in the stores of South and "
        "North may follow. In ``mancala_env.ruleset`` also ``start=[...]``, which makes a single row as long as it "
        "needs to be.",
        alone=True, without=LAID_OUT,
        reads=_in_a_tuple("whole numbers of seeds from 0 to 255", lambda pit: is_number(pit, 0, 255), int, "start"),
    )  # fmt: skip
    setup_marks: tuple[int, ...] = rule(
        (),
        "Marks of each pit at the start, 0 South's, 1 North's, -1 none; (): no marks.",
        needs="marks", without="match",
        reads=_in_a_tuple("0, 1 or -1 for each pit", lambda mark: is_number(mark, -1, 1), int),
    )  # fmt: skip

    sowing: c.Sowing = rule(
        c.Sowing.TRACK, axis=layout.SOWING, alone=True, without={"goal='seeds'": "seeds are not won off the track"},
        of={
            "track": Declared(without="halves, blocks_in_rows"),
            "neighbours": Declared(needs="halves|blocks_in_rows, goal='empty_block'"),
            "reaping": Declared(needs="one_row"),
            "bao": Declared(needs={
                "four_rows": "", "direction='choice'": "", "goal='inner_row'": "",
                "a limit of plies": "seeds could go round for ever", "match='none'": "", "min_start=1": "",
            }),
            "piles": Declared(needs="piles, goal='standstill'", without="min_start"),
        },
        heading="Sowing",
    )  # fmt: skip
    direction: c.Direction | tuple[c.Direction, ...] = rule(
        c.Direction.COUNTERCLOCKWISE,
        "One for all pits, or a tuple with one for each place of a player.", reads=_directions,
        needs=f"{TRACK}|{BAO}, a board with two ways round",
        of={"choice_turning": Declared(needs=f"{TRACK}, relays")},
    )  # fmt: skip
    store: c.Store = rule(
        c.Store.NONE,
        needs=TRACK, alone=True,
        without={"a capture that goes on forward": "that meets no store"},
        of={"both": Declared(needs={"two_rows": "both stores lie on one loop, which both players share"})},
    )  # fmt: skip
    skip_origin: bool = rule(
        False, axis=layout.SKIP_ORIGIN, needs=f"{TRACK}, two pits per row or more",
        sentence="No seed is sown into the pit that a lap started from, however often it is passed.",
    )  # fmt: skip
    min_start: int = rule(
        1, least=1, most=100, axis=layout.MIN_START, alone=True, draws=(1, 2, 3),
        sentence="A pit with fewer than {seeds} cannot be played.",
    )  # fmt: skip
    leave: c.Leave = rule(
        c.Leave.NOTHING, axis=layout.LEAVE, needs=TRACK,
        without="indeterminacy_max_seeds",
        of={"unless_alone": Declared(needs={"a limit of plies|repetition": "a lone seed could be played for ever"})},
    )  # fmt: skip
    seeds_a_pit: int = rule(
        1, least=1, most=12, axis=layout.SEEDS_A_PIT, code=lambda most: most if most > 1 else 0, needs=TRACK,
        without="surplus, passing, indeterminacy_max_seeds, direction='reverse', a single row",
        sentence="Into each pit fall {seeds} at once; the last pit gets what is left.", draws=(2, 3, 4),
    )  # fmt: skip
    surplus: str = rule(
        "round",
        "Where the seeds of a lap go that are more than a round takes. A round is the whole loop of the mover, without "
        "the origin if that is skipped.",
        sentence={"opponent": "Seeds left after a full round are sown into the opponent's pits only, from the first "
        "that comes on."},
        axis=layout.SURPLUS, needs={"two_rows": "a surplus needs a loop that both players share"},
        without="indeterminacy_max_seeds, skipping, marked_pits='closed'",
    )  # fmt: skip
    passing: Passing | None = rule(
        None, "What is taken from pits that seeds pass on their way (``Passing``).", part=Passing, needs=TRACK,
        without="grand_slam, indeterminacy_max_seeds, marks, feeding='always'",
        sentence="A pit that a seed falls into, and that holds {counts} {when}, is captured for the {to}; the last "
        "seed of a lap {last}.{then}",
    )  # fmt: skip
    skipping: Skipping | None = rule(
        None, "Which pits seeds pass over (``Skipping``).", part=Skipping, needs=TRACK,
        without="indeterminacy_max_seeds, passing",
        sentence="Seeds pass over every {side} that holds {counts}{from_ply}{last}; if all are such pits, none.",
    )  # fmt: skip
    max_laps: int = rule(
        2000, least=1, most=MAX_LAPS, axis=layout.LAP_LIMIT, needs=f"{TRACK}|{BAO}", alone=True,
        draws=(1, 2, 3, 40), matters="relays",
        sentence="To lift a pit and sow it is one lap. A turn takes at most {laps}; where another one would follow, it "
        "ends without lifting or capturing.",
    )  # fmt: skip
    reserve: int = rule(
        0,
        "With ``Sowing.BAO``: seeds that each player has in hand at the start. There are then strongholds and "
        "threats, too, of which ``describe`` tells.",
        most=200, needs=BAO, draws=(1, 2, 5, 10),
        sentence="Each player has {seeds} in hand. As long as there are some, a turn begins in another way: one is "
        "laid in an own inner pit that holds seeds. If the pit across holds seeds, these are captured; if this is "
        "possible anywhere it has to be done. Else the pit with the new seed is lifted and sown. The stronghold of a "
        "player is {house}: it has privileges while there are seeds in hand, it was never emptied, and holds six seeds "
        "or more. Without a capture it is played only if there is no other inner pit, and then only two seeds of it "
        "are sown. A lap that ends there ends a turn that has captured nothing; one that has may stop there or go on. "
        "While a player has it, single seeds of other pits may be played at will, later only where no inner pit holds "
        "more. When no seeds are in hand: after a turn without a capture, if the opponent can capture nothing and the "
        "mover could capture one pit only, that pit may not be played in the opponent's next turn, unless there is no "
        "other inner pit with two seeds; and the mover then captures it if possible.",
    )  # fmt: skip

    landing: tuple[When, ...] = rule(
        (), "At most nine clauses, each a condition and its consequences; the first that matches applies (``When``).",
        reads=_in_a_tuple(
            "clauses such as When(side='own').capture('here')", lambda each: isinstance(each, When | Mapping),
            lambda each: When(**each) if isinstance(each, Mapping) else each,
        ),
        needs=TRACK, alone=True,
        heading="Where the last seed falls",
    )  # fmt: skip
    grand_slam: c.GrandSlam = rule(
        c.GrandSlam.CAPTURE, axis=layout.SLAM, code=(0, 2, 1, 3, 4, 5).__getitem__, needs="captures",
        without="captures other than of 'here' and 'facing' with plain chains",
        of=dict.fromkeys(("spare_last", "spare_first"), Declared(needs="chains of the opponent's pits only")),
    )  # fmt: skip
    slam_scope: str = rule(
        "any", "Which captures of everything count as a grand slam.", needs=TRACK,
        matters="grand_slam",
        sentence={"multi_pit": "It is one only if it takes seeds from two of the opponent's pits or more."},
    )  # fmt: skip
    mark_limit: int = rule(
        0, most=layout.MAX_PITS, axis=layout.MARK_LIMIT, needs="marks", without="marked_pits='taken'",
        sentence="A player has at most {marked pits}.", draws=(1, 2, 3),
    )  # fmt: skip
    marked_pits: c.MarkedPits = rule(
        c.MarkedPits.GATHER, needs="marks",
        of={
            "collect": Declared(needs={"goal='seeds'": "collected seeds go to stores"}, without="mark_pair()"),
            "closed": Declared(needs="close(), a loop that both players share", without="mark(), match"),
            "taken": Declared(
                needs=f"marks laid by setup_marks, {TRACK}",
                without="mark(), goal='empty_block', goal='outlast', remember='marks'",
            ),
        },
    )  # fmt: skip

    feeding: c.Feeding = rule(
        c.Feeding.NONE,
        '"if_starved" counts before a capture, as in Oware, but where a seed stays behind or turns '
        "relay after the whole turn.",
        axis=layout.FEEDING, needs=TRACK,
        of={
            "always": Declared(without={
                "grand_slam": "feeding='always' already rules out taking everything, and lets the capture stand where "
                "nothing else is left",
                "singles, opening": "only feeding='must_leave' goes with these",
            }),
            **dict.fromkeys(("must_leave", "leave_move"), Declared(without={
                "grand_slam": "a move that leaves the opponent seeds is no grand slam", "match='territory'": "",
            })),
        },
        heading="What may be played",
    )  # fmt: skip
    feeding_least: int = rule(
        1, least=1, most=100, axis=layout.FEED_LEAST, code=lambda most: most if most > 1 else 0,
        needs="feeding='if_starved'", draws=(2, 3, 7),
        sentence="A move that has to feed gives {seeds} or more, or else as many as can be given.",
    )  # fmt: skip
    singles: str = rule(
        "as_others", "When a pit of one seed may be played.", axis=layout.SINGLES, needs=TRACK,
        sentence={
            "last_resort": "A pit with a single seed may be played only when no pit with more seeds can be played.",
            "last_resort_into_empty": "A pit with a single seed may be played only when no pit with more seeds can "
            "be played, and then only into an empty pit or store.",
            "into_empty": "A pit with a single seed may be played only if the pit or store that follows is empty.",
            "into_empty_at_last": "A pit with a single seed may be played only into an empty pit or store when no "
            "pit with more seeds can be played.",
        },
        without={"min_start": "singles says when a pit with one seed may be played, and min_start that it never may"},
    )  # fmt: skip
    barred: Barred | None = rule(
        None, "Pits that are played only if nothing else can be (``Barred``).", part=Barred,
        without="indeterminacy_max_seeds",
        sentence="{places} of the mover's side{counts} may be played only if nothing else can be{fed}.",
    )  # fmt: skip
    forced: Barred | None = rule(
        None, "Pits before which no other can be played, said in the same way (``Barred``).", part=Barred,
        without="feeding, indeterminacy_max_seeds",
        sentence="{places} of the mover's side{counts} must be played before any other.",
    )  # fmt: skip
    first_lap: str = rule(
        "anywhere",
        "Where the first lap of a turn may end. A player who has no such move cannot move. Not in the plies of the "
        "``opening``.",
        sentence={
            "not_in_own_full": "The first lap of a turn must not end in an own pit that has seeds.",
            "in_full": "The first lap of a turn must end in a pit that has seeds.",
        },
        axis=layout.FIRST_LAP, needs=TRACK,
        without="indeterminacy_max_seeds, feeding='always'",
        of={"not_in_own_full": Declared(without={"a single row": "the pits of a single row belong to nobody"})},
    )  # fmt: skip
    remember: str = rule(
        "nothing", "Which pits a game remembers, and whether these may be played again.",
        axis=layout.REMEMBERS, needs=TRACK, without="match, indeterminacy_max_seeds",
        sentence={
            "played": "A pit that has been played is remembered.",
            "played_last": "A pit that has been played is remembered, and may be played again only if no other can.",
            "until_sown": "A pit that has been played is remembered until the opponent sows into it, and may not be "
            "played again.",
            "marks": "A marked pit is remembered in which a last seed of the opponent has fallen.",
        },
        of={
            "marks": Declared(needs="marks"),
            **dict.fromkeys(("played_last", "until_sown"), Declared(without="grand_slam='forbidden'")),
        },
    )  # fmt: skip
    opening: tuple[tuple[int, ...], ...] = rule(
        (),
        "For each ply from the first on, at most 16, the places that may be played in it, 0 being the first from the "
        "mover's left and -1 the last; () stands for all. A mover who can lift none of them is stuck.",
        needs=TRACK, without="side_blocks",
        reads=_in_a_tuple(
            "places of each ply, as in ((0, 1), ()),",
            lambda ply: isinstance(ply, list | tuple) and all(is_number(place, -100, 100) for place in ply),
            lambda ply: tuple(map(int, ply)),
        ),
    )  # fmt: skip
    stuck: c.Stuck = rule(
        c.Stuck.END, axis=layout.PASSES, code=(0, 1, 0).__getitem__, needs=TRACK,
        of={"refill": Declared(
            needs="goal='seeds', match='none'|unfilled='borrowed'",
            without="min_start, grand_slam, marks in pits of players, singles, barred, forced, first_lap, "
            "indeterminacy_max_seeds, direction='reverse'",
        )},
    )  # fmt: skip
    explicit_pass: bool = rule(
        False,
        "With ``Stuck.PASS``: the mover who is stuck has one action, the last, that plays no pit. Without it the mover "
        "is skipped.",
        axis=layout.PASS_ACTION, needs="stuck='pass'",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Ending(Group):
    """How a game ends, and who wins."""

    goal: c.Goal = rule(
        c.Goal.SEEDS, axis=layout.GOAL, alone=True,
        without={"grand_slam='rest_to_opponent'": "only goal='seeds' counts seeds"},
        of={
            "empty_block": Declared(without="sowing='reaping', marks"),
            "outlast": Declared(needs=TRACK, without={"marks": "marked pits keep seeds on a side"}),
            "inner_row": Declared(needs=BAO),
            "clear": Declared(needs={"solo_row": "", "store='own'": "all seeds are to get into the store"}),
            "standstill": Declared(needs="sowing='piles'"),
        },
        heading="The end of the game",
    )  # fmt: skip
    end_check: str = rule(
        "side_to_move", "When an empty side ends the game: only by leaving its owner stuck, or at once.",
        values=("side_to_move", "any_side"), axis=layout.ENDS_WITH_SIDE, needs="goal='seeds'",
    )  # fmt: skip
    end_reason: str = rule(
        "stuck", 'What ``State.termination`` calls that end: "stuck", "famine", "side_empty" or "tutti_a_casa".',
        axis=layout.END_REASON, code=lambda k: layout.TERMINATIONS.index(CHOICES["end_reason"][k]), needs=TRACK,
        sentence={
            "famine": "Such an end is called famine.",
            "side_empty": "Such an end is called an empty side.",
            "tutti_a_casa": "Such an end is called tutti a casa, everybody home.",
        },
    )  # fmt: skip
    leftover: c.Leftover = rule(
        c.Leftover.OWNER, axis=layout.LEFTOVER, needs={"goal='seeds'": "no other goal counts seeds"},
        of={"last_mover": Declared(without={"again()": "after another turn the last mover is to move again"})},
    )  # fmt: skip
    end_few: int = rule(
        0, most=100, axis=layout.END_FEW, needs="goal='seeds'",
        sentence="It ends after a turn that leaves at most {seeds} on the board.", draws=range(1, 6),
    )  # fmt: skip
    end_when: str = rule(
        "never", "After what kind of turn the game ends, besides what ends every game.", axis=layout.END_WHEN,
        sentence={
            "all_single": "It ends after a turn that leaves no pit with more than one seed.",
            "houses_empty": "It ends after a turn that leaves all houses empty.",
            "marks_taken": "It ends after a turn that leaves no marked pit.",
        },
        of={
            "all_single": Declared(needs="goal='seeds'"),
            "houses_empty": Declared(needs="a board with pits of nobody"),
            "marks_taken": Declared(needs="marked_pits='taken'"),
        },
    )  # fmt: skip
    target_seeds: int = rule(
        0,
        "The game ends as soon as a store holds this number; the rest is not counted. A game that ends before is won "
        "only by a player who then has so many. 0: off.",
        most=MAX_TOTAL, axis=layout.TARGET_SEEDS, needs="goal='seeds'",
        without={"match": "target_seeds says who wins a single game"},
        sentence="It ends as soon as a player has won {seeds}; the rest is not counted.", draws=(1, 5, 12, 24),
    )  # fmt: skip
    safe_seeds: int = rule(
        0, most=MAX_TOTAL, axis=layout.SAFE_SEEDS, needs="goal='last_mover', stores", without="match", draws=(1, 4, 12),
        sentence="A player who cannot move does not lose with {seeds} or more in the store: it is a draw.",
    )  # fmt: skip
    majority_stop: bool = rule(
        False, axis=layout.MAJORITY_STOP, needs={"goal='seeds'": "no other goal counts seeds"},
        sentence="It ends as soon as a player has won more than half of the seeds; the rest is not counted.",
    )  # fmt: skip
    indeterminacy_max_seeds: int = rule(
        0, most=62, axis=layout.NO_CAPTURE_SEEDS, code=lambda most: most or -1, needs="captures", draws=(0, 2, 3),
        gives_way=True, sentence="It ends when the board holds at most {seeds} and none can ever be captured any more.",
        without={
            "store": "there seeds can always be captured",
            "captures other than of 'here' and 'facing' with plain chains, captures of single seeds": "",
            "opening, When(from_ply=...)": "whether anything can be captured must not depend on the ply",
            "a direction for the whole game": "whether anything can be captured must not depend on the direction",
        },
    )  # fmt: skip
    repetition: int = rule(
        0,
        "The game ends when a position (pits and mover) occurs for the n-th time since the start, or since seeds were "
        "last won for good: captured into a store, or laid in marked pits. 0: off.",
        most=1000, axis=layout.REPEATS, without=BAO, alone=True, draws=(2, 2, 3),
        sentence="It {ends} when a position{same} comes up for the {time} time{since}{halved}{draw}.",
    )  # fmt: skip
    repetition_leftover: str = rule(
        "owner", "Who gets the seeds left when the game ends by repetition; as ever, or half each.",
        values=("owner", "split"), axis=layout.REPEAT_SPLITS, needs="repetition",
    )  # fmt: skip
    max_plies: int = rule(
        1000,
        "The game ends after this number of plies, scored like any other end. 0: no limit but the 32,000 that can be "
        "counted.",
        most=layout.MAX_PLY, axis=layout.PLY_LIMIT, code=lambda most: most or layout.MAX_PLY, alone=True,
        draws=(3, 20, 60, 300), sentence="It {ends} after {moves} at the latest{draw}.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Series(Group):
    """How games make up a match."""

    match: c.Match = rule(
        c.Match.NONE, "Plies and repetitions are counted in each game.", axis=layout.MATCH_KIND,
        of={
            "territory": Declared(needs="goal='seeds', arcs", without="feeding='always', store"),
            "wins": Declared(needs="target"),
            "difference": Declared(needs="goal='seeds', target"),
            "refill": Declared(needs="goal='seeds'"),
            "points": Declared(needs="goal='seeds', target"),
        },
        heading="The match",
    )  # fmt: skip
    target: int = rule(
        0, "Ends the match: pits owned (``target_pits``; 0: all of them), games won, seeds of difference, or points.",
        most=10_000, needs="match", without="match='refill'",
    )  # fmt: skip
    max_games: int = rule(
        20,
        "After this number of games (in a refill match also called ``max_rounds``) the match ends, and the player "
        "ahead wins.",
        least=1, most=10_000, axis=layout.MAX_GAMES, needs="match", draws=range(1, 9),
    )  # fmt: skip
    first_mover: str = rule(
        "winner", "Who begins the next game of a match. After a draw, winner and loser mean who began the game before.",
        axis=layout.FIRST_MOVER, needs="match",
        sentence={
            "winner": "The winner of a game begins the next; after a draw, the player who began the last.",
            "loser": "The loser of a game begins the next; after a draw, the player who began the last.",
            "alternate": "The players take turns to begin a game.",
            "south": "South begins every game.",
        },
    )  # fmt: skip
    draw_points: float = rule(
        0, "What a draw adds to both tallies, 0 or 0.5.", axis=layout.DRAW_POINTS, code=lambda points: int(2 * points),
        needs="match='wins'", values=(0, 0.5),
    )  # fmt: skip
    difference: str = rule(
        "winner", "How a match by difference counts.", axis=layout.SIGNED, needs="match='difference'",
        sentence={
            "winner": "The winner of a game adds the difference of the scores to their tally; the first player with "
            "a tally of {target} or more wins the match. After {limit} the player ahead wins.",
            "signed": "South's lead in each game is added to one running total, which is the tally of the player "
            "ahead; the first player with a tally of {target} or more wins the match. After {limit} the player ahead "
            "wins.",
        },
    )  # fmt: skip
    remainder: str = rule(
        "pool", "Where seeds go that do not fill a pit, when a territory match deals out the pits.",
        axis=layout.KEEPS, needs="match='territory'",
        sentence={
            "pool": "What does not fill a pit is put together for the pit on the border, which goes to the player "
            "with more of these seeds, at equal numbers to the loser.",
            "keep": "Seeds that do not fill a pit lie in the pit on the border at the start if its owner has more of "
            "them, or wait in the stores and count in the next game.",
        },
    )  # fmt: skip
    unfilled: c.Unfilled = rule(
        c.Unfilled.THINNED, "A player who cannot fill a single pit has lost a refill match.",
        axis=layout.UNFILLED, needs="match='refill'",
        without={"majority_stop, leftover='none', leftover='halved', repetition_leftover":
                 "every seed must be counted, and as a whole"},
        of={
            "borrowed": Declared(needs="two_rows|rows_and_houses"),
            **dict.fromkeys(("left", "right", "outside", "columns"), Declared(
                needs="two_rows",
                without="setup, grand_slam, feeding, indeterminacy_max_seeds, marks, surplus, direction='reverse', "
                "remember, skipping, capture(chain=...), sow_on(), capture('neighbours'), or_stop()",
            )),
        },
    )  # fmt: skip


if TYPE_CHECKING:

    class _Grouped(Series, Ending, Words):
        """The fields of the groups as a ruleset has them."""
else:
    _Grouped = object


@grouped
@dataclass(frozen=True, kw_only=True)
class Fields(Play, _Grouped):
    """All fields of a ruleset."""

    ending: Ending = Ending()
    series: Series = Series()


FIELDS = flat(Fields)
DECLARED: Mapping[str, Declared] = {name: said for name, (said, _) in FIELDS.items()}
DEFAULTS: Mapping[str, Any] = {name: default for name, (_, default) in FIELDS.items()}
NOT_RULES = tuple(flat(Words))  # fields that only tell of a game
CHOICES: Mapping[str, tuple[str, ...]] = {  # of fields that hold one of some words
    name: tuple(said.known(default))
    for name, (said, default) in FIELDS.items()
    if isinstance(default, str) and said.known(default)
}


def about_fields() -> str:
    """What the declarations say, field by field, with the words that can be chosen."""
    lines: list[str] = []
    names: list[str] = []
    for name, said in DECLARED.items():
        lines += ["", said.heading, ""] if said.heading else []
        names, about, default = [*names, name], said.about, DEFAULTS[name]
        if not about and isinstance(said.sentence, str):
            open_words = {what: f"this number of {what}" for what in ("seeds", "laps", "marked pits")}
            about = said.sentence.format_map(open_words)
            if said.most:
                about += f" {said.least} to {said.most}{'.' if said.least else '; 0: off.'}"
        if isinstance(default, StrEnum):  # with a docstring, unless Python runs without these
            about = " ".join([*(type(default).__doc__ or "").partition("\n\n")[0].split(), about]).strip()
        if name in CHOICES:
            about += " One of " + ", ".join(f'"{value}"' for value in CHOICES[name]) + "."
        if about:
            lines += [", ".join(names), textwrap.indent(textwrap.fill(about, 112), "    ")]
            names = []
    return "\n".join(lines)
