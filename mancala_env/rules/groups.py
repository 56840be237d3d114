"""What a ruleset consists of, group by group, in the order of a rule book."""

from dataclasses import dataclass, field
from functools import cached_property

from mancala_env.rules.board import Board, two_rows
from mancala_env.rules.choices import (
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
    Unfilled,
)
from mancala_env.rules.landing import Barred, Passing, Skipping, When
from mancala_env.rules.options import Option


@dataclass(frozen=True, kw_only=True)
class Title:
    """The game, and what people call things in it. Names and words are no rules.

    name, version
        The id is ``mancala/<name>-v<version>``; the version goes up when the same actions can lead to another game,
        observation or reward.
    options
        Choices that this game offers besides the axes (``Option``): ``ruleset(name, **{option.name: value})`` takes
        them, and the ruleset has them as attributes.
    mark_word
        What a pit is that bears a mark, as text says it.
    aliases
        Other names of what ``Ruleset.position`` takes: pairs of such a name and the usual one.
    region
        Where it is played, as a list of games is sorted by: "West Africa", "Southern Africa". "": not known, or nowhere
        in particular.
    people
        Who plays it, or made it.
    source
        Where the rules were taken from: author, title, year.
    about
        The rules in prose, one short paragraph.
    """

    name: str
    version: int = 0
    options: tuple[Option, ...] = field(default=(), repr=False, compare=False)
    mark_word: str = field(default="marked", repr=False, compare=False)
    aliases: tuple[tuple[str, str], ...] = field(default=(), repr=False, compare=False)
    region: str = field(default="", repr=False, compare=False)
    people: str = field(default="", repr=False, compare=False)
    source: str = field(default="", repr=False, compare=False)
    about: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class BoardRules:
    """The board, and how it is laid out.

    board
        Geometry, and how many play: a board all of whose pits are South's makes a solitaire (``players``).
        ``pits_per_row=n`` (alias ``houses``) in ``mancala_env.ruleset`` is short for one of its kind.
    seeds
        In each pit at the start, 1 to 12.
    setup
        Seeds in each pit at the start, in canonical order; None: ``seeds`` in each. In ``mancala_env.ruleset`` also
        ``start=[...]``, which makes a single row as long as it needs to be.
    setup_stores, setup_marks
        Seeds in the stores of South and North at the start, and marks of each pit (0 South's, 1 North's, -1 none;
        (): no marks): for games that begin with moves that are always the same.
    """

    board: Board = two_rows(6)
    seeds: int = 4
    setup: tuple[int, ...] | None = None
    setup_stores: tuple[int, int] = (0, 0)
    setup_marks: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SowingRules:
    """How seeds are sown.

    sowing
        See ``Sowing``.
    direction
        See ``Direction``: one for all pits, or a tuple with one for each place of a player.
    turns_round
        Each further lap of a turn goes the other way than the one before it.
    reverse_laps
        Pits that can be reversed to capture (``Direction.REVERSE``) can be so also for a later lap of a turn: whenever
        one begins there and could capture, the mover chooses, a decision in mid-turn. Not in plies of the opening.
    reverse_to_empty
        They can be reversed also if the lap ends in an empty pit, but would capture if that held seeds.
    store
        ``Store.OWN``: sowing drops a seed in the mover's store after the mover's last pit. ``Store.BOTH``: in the
        opponent's, too, after the opponent's last pit.
    skip_origin
        No lap drops a seed in the pit that it started from.
    seeds_a_pit
        So many seeds fall into each pit at once; the last one gets what is left. 1 to 12.
    min_start
        A pit with fewer seeds cannot be played.
    leave, lone_seed
        See ``Leave``, ``LoneSeed``.
    surplus
        See ``Surplus``. A round is the whole loop of the mover, without the origin if that is skipped.
    passing
        What is taken from pits that seeds pass on their way (``Passing``).
    skipping
        Which pits seeds pass over (``Skipping``).
    max_laps
        A turn that would relay once more after this number of laps ends instead, without lifting or capturing. At most
        32,000: the longest turns known that end by themselves take 1,793 laps, and the others go round for ever.
    pit_limit
        With ``Sowing.NEIGHBOURS``: the most seeds that a pit holds; one more leaves the board.
    reserve
        With ``Sowing.FROM_ENDS``: seeds that each player has in hand at the start. As long as there are some, each turn
        begins by laying one in a pit of the inner row that holds seeds.
    stronghold, stronghold_least, stronghold_tax
        With a reserve: the place of a pit on each player's inner row that has privileges until it is emptied for the
        first time; None: there is none. With ``stronghold_least`` seeds it is played only if there is no other pit, and
        then only ``stronghold_tax`` seeds of it are sown; a turn that has captured may stop there, and one that has not
        does so.
    ends
        With ``Sowing.FROM_ENDS``: see ``Ends``.
    end_joins
        With ``Sowing.FROM_ENDS``: captured seeds are laid in the end pit, and all that lies there is sown.
    empty_captures
        With ``Sowing.FROM_ENDS``: laps capture also where they end in an empty pit of the inner row.
    captures_later
        With ``Sowing.FROM_ENDS``: a turn that has captured nothing in its first lap may capture in later ones.
    brings_anywhere
        With a reserve: to capture, a seed may also be laid in an empty pit of the inner row.
    must_capture
        With ``Sowing.FROM_ENDS``. False: players without seeds in hand may play any pit, also if they can capture.
    plays_singles
        With ``Sowing.FROM_ENDS``: players without seeds in hand may play pits of one seed.
    threats
        With ``Sowing.FROM_ENDS``, when there is no reserve any more: after a turn without a capture, the only pit that
        the player could capture next may not be played, if the opponent can capture nothing and has others to play.
    """

    sowing: Sowing = Sowing.TRACK
    direction: Direction | tuple[Direction, ...] = Direction.COUNTERCLOCKWISE
    turns_round: bool = False
    reverse_laps: bool = False
    reverse_to_empty: bool = False
    store: Store = Store.NONE
    skip_origin: bool = False
    min_start: int = 1
    leave: Leave = Leave.NOTHING
    lone_seed: LoneSeed = LoneSeed.MOVES
    seeds_a_pit: int = 1
    surplus: Surplus = Surplus.ROUND
    passing: Passing | None = None
    skipping: Skipping | None = None
    max_laps: int = 2000
    pit_limit: int = 0
    reserve: int = 0
    stronghold: int | None = None
    stronghold_least: int = 6
    stronghold_tax: int = 2
    threats: bool = False
    ends: Ends = Ends.KEPT
    end_joins: bool = False
    empty_captures: bool = False
    captures_later: bool = False
    brings_anywhere: bool = False
    must_capture: bool = True
    plays_singles: bool = False


@dataclass(frozen=True, kw_only=True)
class LandingRules:
    """What happens where the last seed falls.

    landing
        At most nine clauses, each a condition and its consequences; the first that matches applies (``When``).
    next_skips_stores
        Where clauses speak of the next pit, a store on the way is left out; else it is the next cell.
    grand_slam, slam_scope
        See ``GrandSlam``, ``SlamScope``.
    mark_limit
        The most marked pits that a player may have. 0: no limit.
    marked_pits
        See ``MarkedPits``.
    mirrored_marks
        A player may mark a pit that has the same place on its side as a pit with the opponent's mark has on the other.
    unmarkable
        Pits in which no mark may be made, by their place on each player's own side: 0 is the first from the player's
        left, -1 the last.
    """

    landing: tuple[When, ...] = ()
    next_skips_stores: bool = False
    grand_slam: GrandSlam = GrandSlam.CAPTURE
    slam_scope: SlamScope = SlamScope.ANY
    mark_limit: int = 0
    marked_pits: MarkedPits = MarkedPits.GATHER
    mirrored_marks: bool = True
    unmarkable: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Obligations:
    """What a player must do, and who cannot move.

    feeding
        See ``Feeding``; "if_starved" counts before a capture, as in Oware, but where a seed stays behind or turns
        relay after the whole turn.
    feeding_least
        A player who has to feed ("if_starved") gives this number of seeds or more; where no move gives so many, as many
        as can be given.
    singles
        See ``Singles``.
    barred
        Pits that are played only if nothing else can be (``Barred``).
    forced
        Pits before which no other can be played, said in the same way (``Barred``).
    first_lap
        See ``FirstLap``; a player who has no such move cannot move. Not in the first ``plain_plies``.
    remember, played_again
        See ``Remember``, ``PlayedAgain``.
    opening
        For each ply from the first on, at most 16, the places that may be played in it, 0 being the first from the
        mover's left and -1 the last; () stands for all. A mover who can lift none of them is stuck.
    plain_plies
        In this number of plies from the start on a move is one lap; nothing comes of where it ends, and nothing is
        taken on the way.
    refill_empty_side
        A player all of whose pits are empty lays a seed in each before playing one of them, from the store. What is not
        there is borrowed from the opponent's store, and paid back at the end; see ``State.debt``.
    stuck
        See ``Stuck``.
    explicit_pass
        With ``Stuck.PASS``: the mover who is stuck has one action, the last, that plays no pit. Without it the mover is
        skipped.
    """

    feeding: Feeding = Feeding.NONE
    feeding_least: int = 1
    singles: Singles = Singles.AS_OTHERS
    barred: Barred | None = None
    forced: Barred | None = None
    first_lap: FirstLap = FirstLap.ANYWHERE
    remember: Remember = Remember.NOTHING
    played_again: PlayedAgain = PlayedAgain.AS_OTHERS
    opening: tuple[tuple[int, ...], ...] = ()
    plain_plies: int = 0
    refill_empty_side: bool = False
    stuck: Stuck = Stuck.END
    explicit_pass: bool = False


@dataclass(frozen=True, kw_only=True)
class EndingRules:
    """How the game ends, and who wins.

    goal
        See ``Goal``.
    end_check
        See ``EndCheck``.
    end_reason
        What ``State.termination`` calls that end: "stuck", "famine", "side_empty" or "tutti_a_casa".
    leftover
        Who gets the seeds left on the board: see ``Leftover``.
    end_few, end_flat
        The game ends after a turn that leaves at most ``end_few`` seeds on the board, or no pit with more than
        ``end_flat``. 0: off.
    end_houses
        The game ends after a turn that leaves all pits empty that belong to nobody.
    end_marks
        With ``MarkedPits.TAKEN``: the game ends after a turn that leaves no marked pit.
    target_seeds, below_target
        The game ends as soon as a store holds ``target_seeds``; the rest is not counted. 0: off. For games that end
        before see ``BelowTarget``.
    safe_seeds
        With ``Goal.LAST_MOVER``: a player who cannot move does not lose, but draws, with this number of seeds or more
        in the store. 0: off.
    majority_stop
        The game ends as soon as a store holds more than half of the seeds in the position (pits and stores); the rest
        is not counted.
    indeterminacy_max_seeds
        The game ends when at most this number of seeds is on the board and no capture is possible (exact, by
        exhaustive search). 0: off.
    repetition
        The game ends when a position (pits and mover) occurs for the n-th time since the start, or since seeds were
        last won for good: captured into a store, or laid in marked pits. 0: off.
    repetition_leftover
        See ``RepetitionLeftover``.
    max_plies
        The game ends after this number of plies, scored like any other end. 0: no limit but the 32,000 that can be
        counted.
    """

    goal: Goal = Goal.SEEDS
    end_check: EndCheck = EndCheck.SIDE_TO_MOVE
    end_reason: str = "stuck"
    leftover: Leftover = Leftover.OWNER
    end_few: int = 0
    end_flat: int = 0
    end_houses: bool = False
    end_marks: bool = False
    target_seeds: int = 0
    below_target: BelowTarget = BelowTarget.MORE
    safe_seeds: int = 0
    majority_stop: bool = False
    indeterminacy_max_seeds: int = 0
    repetition: int = 0
    repetition_leftover: RepetitionLeftover = RepetitionLeftover.OWNER
    max_plies: int = 1000


@dataclass(frozen=True, kw_only=True)
class MatchRules:
    """How games make up a match.

    match
        See ``Match``. Plies and repetitions are counted in each game.
    target
        Ends the match: pits owned (``target_pits``; 0: all of them), games won, seeds of difference, or points.
    max_games
        After this number of games (in a refill match also called ``max_rounds``) the match ends, and the player ahead
        wins.
    first_mover, difference, remainder
        See ``FirstMover``, ``Difference``, ``Remainder``.
    unfilled
        See ``Unfilled``. A player who cannot fill a single pit has lost a refill match.
    draw_points
        What a draw adds to both tallies, 0 or 0.5.
    """

    match: Match = Match.NONE
    target: int = 0
    max_games: int = 20
    first_mover: FirstMover = FirstMover.WINNER
    draw_points: float = 0
    difference: Difference = Difference.WINNER
    remainder: Remainder = Remainder.POOL
    unfilled: Unfilled = Unfilled.THINNED


GROUPS = (Title, BoardRules, SowingRules, LandingRules, Obligations, EndingRules, MatchRules)


# The bases stand in reverse: a dataclass takes the fields of the last one first.
@dataclass(frozen=True, kw_only=True)
class RuleBook(MatchRules, EndingRules, Obligations, LandingRules, SowingRules, BoardRules, Title):
    """All groups together, and what follows from them. Not checked: that is for ``Ruleset``."""

    @property
    def pits_per_row(self) -> int:
        """Columns of the board."""
        return self.board.columns

    @property
    def counts_points(self) -> bool:
        """Does a match count points, halves included: wins, or seeds?"""
        return self.match in (Match.WINS, Match.DIFFERENCE, Match.POINTS)

    @property
    def closes_pits(self) -> bool:
        """Are pits closed from game to game of a match?"""
        return self.match is Match.REFILL and self.unfilled not in (Unfilled.THINNED, Unfilled.BORROWED)

    @property
    def players(self) -> int:
        """How many play: 2, or 1 in a solitaire, where South is always to move. There North, and what is told of North,
        is only the other side of the result: South's loss is North's win."""
        return self.board.players

    @property
    def is_line(self) -> bool:
        """Are seeds sown along a row, which ends, and not round a board?"""
        return self.sowing is Sowing.TRACK and self.board.kind == "one_row"

    @cached_property
    def total_seeds(self) -> int:
        """Seeds in play at the start."""
        on_board = self.seeds * self.board.pits if self.setup is None else sum(self.setup)
        return on_board + sum(self.setup_stores) + 2 * self.reserve

    @cached_property
    def num_actions(self) -> int:
        """A: actions are 0..A-1. First those that play a pit, then those that decide something in mid-turn, each about
        a pit as the mover sees them, own side first; the last is a pass, where that is an action.
        """
        return self.num_sowings + self.num_decisions + self.explicit_pass

    @cached_property
    def num_sowings(self) -> int:
        """The number of actions that play a pit: where there is a choice of direction, two for each."""
        return len(self.board.homes[0]) * (2 if self.offers_directions else 1)

    @cached_property
    def offers_directions(self) -> bool:
        """Is there a choice of direction, be it only in some pits or in some turns?"""
        if isinstance(self.direction, tuple):
            return Direction.CHOICE in self.direction or Direction.REVERSE in self.direction
        return self.direction not in (Direction.COUNTERCLOCKWISE, Direction.CLOCKWISE)

    @property
    def reverses(self) -> bool:
        """Are there pits that are sown clockwise only if that captures?"""
        return self.direction is Direction.REVERSE or (
            isinstance(self.direction, tuple) and Direction.REVERSE in self.direction
        )

    @property
    def reversible(self) -> tuple[frozenset[int], frozenset[int]]:
        """The pits that South, and those that North, may sow clockwise if that captures."""
        homes = self.board.homes
        said = self.direction if isinstance(self.direction, tuple) else (self.direction,) * len(homes[0])
        places = [place for place, way in enumerate(said) if way is Direction.REVERSE]
        return frozenset(homes[0][place] for place in places), frozenset(homes[1][place] for place in places)

    @property
    def keeps_direction(self) -> bool:
        """Is a direction chosen for the whole game?"""
        return self.direction in (Direction.CHOSEN_ONCE, Direction.CHOSEN_BY_EACH)

    @property
    def goes_both_ways(self) -> bool:
        """Do the seeds of a player go round now one way and now the other?"""
        return self.turns_round or self.offers_directions or isinstance(self.direction, tuple)

    @cached_property
    def num_decisions(self) -> int:
        """The number of actions that decide something in mid-turn: one for each pit, and one to stop where a turn can
        go on. 0 where no turn is so divided.
        """
        return self.board.pits + self.may_stop if self.has_picks or self.may_stop else 0

    @cached_property
    def may_stop(self) -> bool:
        """Are there turns that may go on, or stop?"""
        return self.stronghold is not None or any(clause.may_stop for clause in self.landing)

    @cached_property
    def has_picks(self) -> bool:
        """Can the mover be asked to pick pits?"""
        return any(clause.picks for clause in self.landing)

    @property
    def decides(self) -> bool:
        """Is the mover ever asked for a decision in mid-turn?"""
        return self.num_decisions > 0 or self.reverse_laps or self.ends is Ends.CHOSEN

    @property
    def counts_seeds(self) -> bool:
        """Are final scores numbers of seeds? Not where nobody wins any, and not in matches that count other things."""
        return self.goal is Goal.SEEDS and self.match in (Match.NONE, Match.REFILL)

    @property
    def has_stores(self) -> bool:
        """Are there stores? Not where seeds are neither won nor counted."""
        captures = self.has_picks or any(
            clause.then != "sow_on" and clause.takes and clause.to != "here" for clause in self.landing
        )
        return captures or self.passing is not None or self.store is not Store.NONE or self.goal is Goal.SEEDS

    @property
    def has_marks(self) -> bool:
        """Can pits be marked?"""
        return self.marked_pits is MarkedPits.TAKEN or any(clause.marks for clause in self.landing)

    @property
    def loses_seeds(self) -> bool:
        """Can seeds leave the board?"""
        return self.sowing is Sowing.NEIGHBOURS or self.marked_pits is MarkedPits.CLOSED

    @property
    def marks_pairs(self) -> bool:
        """Do marks always come in facing pairs?"""
        return self.marked_pits is not MarkedPits.TAKEN and all(
            {*clause.marks} in ({"here", "facing"}, set()) for clause in self.landing
        )

    @property
    def unmarkable_pits(self) -> frozenset[int]:
        """The pits in which no mark may be made."""
        half = self.board.pits // 2
        return frozenset(player * half + place % half for place in self.unmarkable for player in (0, 1))

    @property
    def relays(self) -> bool:
        """Can a turn take more than one lap?"""
        return any(clause.relays for clause in self.landing)
