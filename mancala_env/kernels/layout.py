"""Where things lie in the flat arrays that kernels work on: a position and the two arrays of a ruleset.

A position is one array of int16 (``position`` in the code); on a board of ``N`` pits:

    0 .. N-1     seeds in each pit, in canonical order (``mancala_env.rules.board`` draws it)
    N, N+1       the stores of South and North
    N+2          the mover (0 South, 1 North)
    N+3          plies played, in a match in the game in progress
    N+4          plies since the last capture
    N+5          0 while the game (or match) runs, else why it ended (an index into ``TERMINATIONS``)

and after these what the game asks for, in this order, each part at the offset that its axis names (0: not there):

    OWNERS       N fields: who owns each pit (0, 1), where that changes from game to game of a match
    MARKS        N fields: whose mark lies on each pit, -1 for none
    REMOVED      1 field: seeds that have left the board
    MATCH        MATCH_FIELDS fields, named below: where a match stands
    CHOSEN       2 fields: the way that South, and that North, has chosen to sow for the whole game, -1 for not yet
    PENDING      PENDING_FIELDS fields, named below: a decision that the mover has to make before the turn goes on
    MEMORY       N fields: 1 for each pit that is remembered, else 0
    HANDS        2 fields: seeds that South, and that North, has still to bring into play
    STRONGHOLD   2 fields: has South's stronghold, and has North's, never been emptied?
    THREAT       1 field: the pit that may not be played because the opponent threatens it, plus 1; 0 for none
    DEBT         1 field: seeds that South owes North; below 0 those that North owes South
    CLOSED       N fields: 1 for each pit that is closed in this game of a match, else 0

Pits and stores are *cells*. Action k of player p plays pit ``k + p * A`` where each player owns and plays one half of
the board, else the pit that table HOMES names.

A ruleset is ``axes``, int64[AXES], numbers named by the constants below, and ``tables``, uint8[2, TABLES or more],
cells in the order in which each player meets them; where seeds go round both ways it has four lines: 0 and 1 for South
and North the first way, which is counter-clockwise where a player chooses, 2 and 3 for the other.
"""

import numpy as np

MAX_PITS = 100
MAX_FIELDS = 768  # of a position, which has at most five for each pit and a few
MAX_PLY = 32_000  # plies are counted in int16
MAX_LOOP = 120  # the most cells on the loop of one player's sowing

# Fields of a position, counted from the number of pits.
STORES, MOVER, PLY, PLIES_SINCE_CAPTURE, OVER, POSITION_FIELDS = 0, 2, 3, 4, 5, 6

# Fields of a match, counted from axes[MATCH]. Scores are doubled: there can be half seeds.
GAME = 0  # the number of the game in progress, from 1
FIRST = 1  # who moved first in it
TALLY = 2  # two fields: doubled tallies of a series; seeds in reserve (refill; below 0: owed); pits owned (territory)
LAST = 4  # two fields: the doubled final scores of the game before
LAST_OVER = 6  # why that one ended; 0 if there was none
MATCH_FIELDS = 7

# A decision that is due, counted from axes[PENDING]: what is to be decided, a number, and the pit it is about.
DECISION, LEFT, AT = range(3)
PENDING_FIELDS = 3
# Of DECISION. PICK: the mover captures LEFT more pits at will. GO_ON: the turn may go on from pit AT, by way LEFT.
# CHOOSE_DIRECTION: LEFT seeds of pit AT are sown, this way or that.
NOTHING_DUE, PICK, GO_ON, CHOOSE_DIRECTION = 0, 1, 2, 4
MAY_STOP = 16  # of a clause that goes on only if the mover wants it

# Why a game ended, and the numbers of some reasons. Append only: the numbers are stored in positions.
TERMINATIONS = (
    "", "majority", "famine", "indeterminacy", "repetition", "max_plies", "grand_slam", "side_empty", "stuck",
    "tutti_a_casa", "block_empty", "match_target", "max_games", "max_rounds", "few_seeds", "target_seeds",
    "houses_empty", "marks_taken", "cleared", "standstill", "lost_by_landing",
)  # fmt: skip
(
    _, MAJORITY, _, INDETERMINACY, REPETITION, MAX_PLIES, GRAND_SLAM, SIDE_EMPTY, _, _, BLOCK_EMPTY, MATCH_TARGET,
    GAMES_PLAYED, ROUNDS_PLAYED, FEW_SEEDS, TARGET_REACHED, HOUSES_EMPTY, MARKS_TAKEN, CLEARED, STANDSTILL,
    LOST_BY_LANDING,
) = range(len(TERMINATIONS))  # fmt: skip
ENDS_OF_MATCHES = MATCH_TARGET, GAMES_PLAYED, ROUNDS_PLAYED
ENDS_OF_GAMES = tuple(over for over in range(1, len(TERMINATIONS)) if over not in ENDS_OF_MATCHES)

# axes: first those that hold a field of a ruleset as ``rules.fields`` declares it
(
    SOWING, SKIP_ORIGIN, MIN_START, LEAVE, SEEDS_A_PIT, SURPLUS, LAP_LIMIT,
    SLAM, MARK_LIMIT, FEEDING, FEED_LEAST, SINGLES, FIRST_LAP, REMEMBERS,
    PASSES, PASS_ACTION, GOAL, ENDS_WITH_SIDE, END_REASON, LEFTOVER, END_FEW, END_WHEN,
    TARGET_SEEDS, SAFE_SEEDS, MAJORITY_STOP, NO_CAPTURE_SEEDS, REPEATS, REPEAT_SPLITS,
    PLY_LIMIT, MATCH_KIND, MAX_GAMES, FIRST_MOVER, DRAW_POINTS, SIGNED, KEEPS, UNFILLED,
    # Where in a position the fields begin that are not there in every game; 0: it has none of these.
    OWNERS, MARKS, REMOVED, MATCH, CHOSEN, PENDING, MEMORY, HANDS, STRONGHOLD, THREAT, DEBT, CLOSED,
    # What follows from the fields, and from the board.
    PITS,
    WIDTH,  # fields of a position
    ACTIONS,  # that play a pit
    DECISIONS,  # the number of actions that make decisions in mid-turn, after those that play a pit
    HALVES,  # each player owns and plays one half of the board, in canonical order
    LOOP,  # cells in a player's loop
    LINE,  # the track has two ends: a hand must fit between its pit and the end
    SHARED,  # some pits belong to nobody, though seeds are sown along a track
    TOTAL_SEEDS,  # in play at the start
    START_SEEDS,  # in each pit at the start of a game of a match that lays them evenly
    STRONGHOLD_PLACE,  # on a player's loop
    NEXT_SKIPS,  # the next cell is the next pit: stores do not count
    SLAM_MIN_PITS,  # a capture of fewer pits is no grand slam
    REPEAT_GAP,  # a position cannot come back in fewer plies than this
    RELAYS,  # some clause sows another lap
    ASKED,  # further facts that some clause asks for
    ONE_CHAIN,  # the landing table is one clause, which takes a chain from the opponent
    SLAM_MOST,  # then the opponent can lose everything only if no pit there holds more seeds
    SLAMS_KNOWN,  # and where a lap must end to be a grand slam can be told from the counts (``legality.slam_ends``)
    TARGET,  # doubled where tallies are
    PASSING_COUNTS,  # the numbers of seeds that are taken on the way, as bits; 0: none
    PASSING,  # the PASSING_ bits
    SKIP_COUNTS,  # pits that hold these numbers of seeds are passed over, as bits
    SKIPPING,  # CHAIN_ of the side, and SKIP_BUT_LAST
    SKIP_FROM,  # only from this ply on
    BY_SEED,  # what is looked at before each seed falls, as the bits below; 0: nothing
    MARKS_GO,  # a capture takes the mark of its pit away; marks are those of the start
    BARRED,  # a bit for each action that plays a pit only if nothing else can be played
    BARRED_COUNTS,  # if it holds one of these numbers of seeds, as bits; 0: any
    FORCED,  # a bit for each action that plays a pit before which no other can be played
    FORCED_COUNTS,  # if it holds one of these numbers of seeds, as bits; 0: any
    SPARED,  # a bit for each place on its owner's side that is never picked
    NO_MIRROR,  # no mark at the place where the opponent has one on the other side
    TURNS_ROUND,  # each further lap of a turn goes the other way
    TWO_WAYS,  # seeds go round now one way and now the other: ``tables`` has four lines
    SECOND_WAY,  # a bit for each action with which they first go the second way
    NEVER,  # a bit for each action that may never be played
    CHOSEN_BY_EACH,  # each player chooses for themselves; else the first to move for both
    REVERSES,  # the REVERSE_ bits
    BY_PLY,  # in this number of plies the rules depend on how many have been played
    OPENING_PLIES,  # in this number of plies ``OPENING`` says what may be played
    CLAUSES,
    OPENING,  # for each ply a bit for each action that may be played; 0: all
) = range(91)  # fmt: skip
MAX_OPENING = 16
LANDING = OPENING + MAX_OPENING  # the clauses of the landing table

# One clause: four numbers say when it applies, four what it does; then what few clauses say, 0 where they do not.
(
    NEEDS, VALUE, COUNTS, FACING_COUNTS, TAKE, CHAIN, CHAIN_COUNTS, THEN,
    FURTHER,  # some of the next six are conditions
    OUTER_COUNTS,  # seeds in the opponent's outer pit, as bits
    NEXT_COUNTS,  # seeds in the next cell
    PLACES,  # a bit for each place of the pit on its owner's side
    FEW,  # only with at most this number of seeds on the board
    FROM_PLY,
    LIFTED,  # only in turns that begin with this number of seeds
    EVERY_COUNTS,
    EVERY_SIDE,  # one of the CHAIN_ values
    AFTER,  # the bits AFTER_LAP_START, INCLUDING, STOPS
    PICKS,  # the number of pits that the mover then captures at will, and MAY_STOP
    CLAUSE_SIZE,
) = range(20)  # fmt: skip
MAX_CLAUSES = 9
AXES = LANDING + MAX_CLAUSES * CLAUSE_SIZE
STRONGHOLD_LEAST = 6  # with fewer seeds it has no privileges
STRONGHOLD_TAX = 2  # so many of its seeds are sown where it would not be played otherwise

# Facts about the cell where the last seed fell: a clause matches when ``facts & NEEDS == VALUE``.
IN_STORE, OWN_SIDE, WAS_EMPTY, IS_EVEN, FACING_FULL, MARKED, OUTER_FULL, OWN_MARK = 1, 2, 4, 8, 16, 32, 64, 128
IN_OTHER_STORE, NEXT_FULL, NEXT2_FULL, FACING_NEXT_FULL, IS_INNER = 256, 512, 1024, 2048, 4096
NEXT_NOBODYS = 8192  # the next cell is a pit that belongs to nobody
IN_STORES, NEXT_HOUSE = IN_STORE | IN_OTHER_STORE, NEXT_NOBODYS | NEXT_FULL
VISITED = 16384  # the turn has dropped a seed on the opponent's side
NOBODYS, KNOWN = 32768, 65536  # the pit belongs to nobody; it is remembered
AHEAD = NEXT_FULL | NEXT2_FULL | FACING_NEXT_FULL | NEXT_NOBODYS  # facts about the cells after it
TOP_COUNT = 62  # larger counts share this bit of a count set

TAKE_HERE, TAKE_FACING, TAKE_OUTER = 1, 2, 4
CARRY_AND_MARK, MARK_HERE, MARK_FACING = 8, 16, 32  # the first: a seed comes across, and both pits are marked
MARKS_HERE, MARKS_FACING = CARRY_AND_MARK | MARK_HERE, CARRY_AND_MARK | MARK_FACING
TAKE_NEXT, TAKE_NEXT2, TAKE_FACING_NEXT, TAKE_LAST, TAKE_LAST_AND_ONE = 64, 128, 256, 512, 1024
TAKE_EVERY, TAKE_NEIGHBOURS, TO_OWNER, TO_HERE, CHAIN_FACING = 2048, 4096, 8192, 16384, 32768
ONWARD_GAPS, ONWARD_ACROSS, TO_OPPONENT = 65536, 131072, 262144
TO_ELSEWHERE = TO_OWNER | TO_HERE | TO_OPPONENT  # not to the mover's store
MARKING = MARKS_HERE | MARKS_FACING  # a clause that makes marks applies only where all of them may be made
NO_CHAIN, CHAIN_OPPONENT, CHAIN_ANY, CHAIN_OWN = 0, 1, 2, 3
CHAIN_FORWARD = 4  # added to one of these: pits after the last one, not before it
STOP, AGAIN, RELAY, SOW_ON, RELAY_NEXT, LOSE = range(6)
AFTER_LAP_START, INCLUDING, STOPS = 1, 4, 8
# First laps of a turn are sown the second way only if they capture, and others the first way; so may be later laps.
REVERSE_TURNS, REVERSE_LAPS = 1, 2
PASSING_TO_OWNER, PASSING_LAST, PASSING_AFTER, PASSING_AGAIN = 4, 8, 16, 32
SEEDS_COLLECTED, PITS_CLOSED, PITS_SKIPPED, PITS_JUMPED = 1, 2, 4, 8  # of ``axes[BY_SEED]``
SKIP_BUT_LAST = 4  # not by the last seed of a lap
LEAVE_NOTHING, LEAVE_FIRST_LAP, LEAVE_UNLESS_ALONE, LEAVE_EVERY_LAP = range(4)
SINGLE_AS_OTHERS, SINGLE_LAST_RESORT, SINGLE_LAST_RESORT_INTO_EMPTY, SINGLE_INTO_EMPTY = range(4)
SINGLE_INTO_EMPTY_AT_LAST = 4

REMEMBER_NOTHING, REMEMBER_PLAYED, REMEMBER_PLAYED_LAST, REMEMBER_UNTIL_SOWN, REMEMBER_MARKS = range(5)
END_NEVER, END_ALL_SINGLE, END_HOUSES_EMPTY, END_MARKS_TAKEN = range(4)
FIRST_LAP_ANYWHERE, FIRST_LAP_NOT_IN_OWN_FULL, FIRST_LAP_IN_FULL = range(3)

SLAM_CAPTURE, SLAM_NOTHING, SLAM_FORBIDDEN, SLAM_REST, SLAM_SPARE_LAST, SLAM_SPARE_FIRST = range(6)
FEED_NONE, FEED_STARVED, FEED_ALWAYS, FEED_MUST_LEAVE, FEED_LEAVE_MOVE = range(5)
LEFT_OWNER, LEFT_EMPTIER, LEFT_NOBODY, LEFT_LAST_MOVER, LEFT_HALVED = range(5)
NEIGHBOURS = 5  # of a pit, where seeds go to these: it holds no more
SOW_TRACK, SOW_NEIGHBOURS, SOW_REAPING, SOW_BAO, SOW_PILES = range(5)
GOAL_SEEDS, GOAL_LAST_MOVER, GOAL_EMPTY_BLOCK, GOAL_OUTLAST, GOAL_INNER_ROW, GOAL_CLEAR, GOAL_STANDSTILL = range(7)
SOLITAIRES = GOAL_CLEAR  # goals from here on are those of games for one player, in which South is always to move
NO_MATCH, MATCH_TERRITORY, MATCH_WINS, MATCH_DIFFERENCE, MATCH_REFILL, MATCH_POINTS = range(6)
UNFILLED_THINNED, UNFILLED_LEFT, UNFILLED_RIGHT, UNFILLED_OUTSIDE, UNFILLED_COLUMNS, UNFILLED_BORROWED = range(6)
FIRST_WINNER, FIRST_LOSER, FIRST_ALTERNATES, FIRST_SOUTH = range(4)

# tables
TRACK = 0  # a player's loop, twice round, so that a lap is a plain run of entries
PLACE = TRACK + 2 * MAX_LOOP  # where on the loop a pit lies
OWNER = PLACE + MAX_PITS  # 0 or 1 (the same in both rows); 2: nobody
FACING = OWNER + MAX_PITS  # the pit across; itself where there is none
OUTER = FACING + MAX_PITS  # the outer pit of its column; itself where there is none
VIEW = OUTER + MAX_PITS  # pits as the player sees them, own side first
HOMES = VIEW + MAX_PITS  # the pit of each action
SETUP = HOMES + MAX_PITS  # seeds in each pit at the start
LAPS = SETUP + MAX_PITS  # on a board of COMMON_PITS, what a lap adds to each cell: see ``sowing.sow``
COMMON_ACTIONS, COMMON_PITS = 6, 12  # the board most games are played on
LAP_WIDTH = 16  # its cells, rounded up to whole vectors
TABLES = LAPS  # more where there are laps

NO_LOG = np.zeros((0, 3), dtype=np.int16)  # where the games of a match need not be logged

# Seeds of the position hash, fixed for ever so that hashes can be compared between runs.
HASH_KEYS = np.random.default_rng(20080806).integers(0, 2**64, MAX_PITS + 3, dtype=np.uint64) | np.uint64(1)

ANY_COUNT = (1 << (TOP_COUNT + 1)) - 1
