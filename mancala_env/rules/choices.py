"""The choices that a ruleset is made of, each value with what it means."""

from enum import StrEnum

END_REASONS = ("stuck", "famine", "side_empty", "tutti_a_casa")


class Direction(StrEnum):
    """Which way seeds go round, as seen from above.

    Where it is not the same for every pit, ``Ruleset.direction`` is a tuple: for each place of a player, from the left,
    one of the first four. Where there is a choice, actions 0, 1, ... sow the places counter-clockwise, and the same
    number of further ones sow them clockwise.
    """

    COUNTERCLOCKWISE = "counterclockwise"  # along the own row from left to right
    CLOCKWISE = "clockwise"
    CHOICE = "choice"  # as the mover likes, in every turn
    REVERSE = "reverse"  # counter-clockwise, or clockwise if that captures: the first lap of a turn, or all
    CHOSEN_ONCE = "chosen_once"  # as the mover of the first turn likes, for both players and the whole game
    CHOSEN_BY_EACH = "chosen_by_each"  # as each player likes in their first turn, for their whole game


class Store(StrEnum):
    """Which stores a player's seeds fall into while sowing. (Where captures go does not depend on it.)"""

    NONE = "none"
    OWN = "own"
    BOTH = "both"


class Leave(StrEnum):
    """Does a seed stay in the pit that is lifted?"""

    NOTHING = "nothing"
    FIRST_LAP = "first_lap"  # one, in the pit that is played; a seed that lies alone moves all the same
    UNLESS_ALONE = "unless_alone"  # the same, but a seed that lies alone stays: nothing moves, and the turn is over
    EVERY_LAP = "every_lap"  # one, also in pits that are lifted for another lap


class Singles(StrEnum):
    """When a pit of one seed may be played."""

    AS_OTHERS = "as_others"
    LAST_RESORT = "last_resort"  # only where no pit of two or more can be played
    LAST_RESORT_INTO_EMPTY = "last_resort_into_empty"  # and then only if the cell after it is empty
    INTO_EMPTY = "into_empty"  # always, but only if the cell after it is empty
    INTO_EMPTY_AT_LAST = "into_empty_at_last"  # always, but where there is no pit of more only into an empty cell


class FirstLap(StrEnum):
    """Where the first lap of a turn may end."""

    ANYWHERE = "anywhere"
    NOT_IN_OWN_FULL = "not_in_own_full"  # in no own pit that has seeds when the last one falls
    IN_FULL = "in_full"  # only in a pit that has seeds when the last one falls


class Surplus(StrEnum):
    """Where the seeds of a lap go that are more than a round takes."""

    ROUND = "round"  # on and on round the board
    OPPONENT = "opponent"  # into the opponent's pits only, from the first that the mover reaches


class Remember(StrEnum):
    """Which pits a game remembers, and whether these may be played again."""

    NOTHING = "nothing"
    PLAYED = "played"  # those that have been played in earlier turns
    PLAYED_LAST = "played_last"  # the same, which may be played again only if no other can
    UNTIL_SOWN = "until_sown"  # those that have been played, until the opponent sows into them: not to be played again
    MARKS = "marks"  # marked pits in which a last seed of the player has fallen who did not mark them


class GrandSlam(StrEnum):
    """A capture that would take everything the opponent has: the readings that rule books of Oware give."""

    CAPTURE = "capture"  # like any other capture
    FORBIDDEN = "forbidden"  # illegal while there is another move, else nothing is captured
    NO_CAPTURE = "no_capture"  # legal, nothing is captured
    REST_TO_OPPONENT = "rest_to_opponent"  # the game ends at once and what is left on the board is the opponent's
    SPARE_LAST = "spare_last"  # the pit where the last seed fell is left
    SPARE_FIRST = "spare_first"  # the pit nearest the mover's field is left


class SlamScope(StrEnum):
    """Which captures of everything count as a grand slam."""

    ANY = "any"
    MULTI_PIT = "multi_pit"  # only those that take seeds from two of the opponent's pits or more


class Feeding(StrEnum):
    """Must a move give the opponent seeds?

    ``IF_STARVED`` counts after the sowing and before a capture, which is Oware's rule: a move feeds even if it then
    takes all that it gave. In a game that relays it counts after the whole turn.
    """

    NONE = "none"
    IF_STARVED = "if_starved"  # when the opponent has none; a player who cannot do so has no legal move
    ALWAYS = "always"  # the opponent must have seeds after the move, captures included, unless no move leaves any
    MUST_LEAVE = "must_leave"  # the same, and where no move leaves any there is no legal move
    LEAVE_MOVE = "leave_move"  # the same, and the opponent must have a pit with seeds enough to be played


class Stuck(StrEnum):
    """What happens to a mover without a legal move."""

    END = "end"  # the game ends
    PASS = "pass"  # the other player moves on; the game ends when both are stuck


class EndCheck(StrEnum):
    """When an empty side ends the game."""

    SIDE_TO_MOVE = "side_to_move"  # only by leaving its owner stuck
    ANY_SIDE = "any_side"  # at once, no matter who is to move


class Leftover(StrEnum):
    """Who gets the seeds left on the board at the end."""

    OWNER = "owner"  # each player those in the own pits
    EMPTIER = "emptier"  # all of them the player whose side is empty; where neither is, each the own
    NONE = "none"  # nobody
    LAST_MOVER = "last_mover"  # all of them the player who has moved last
    HALVED = "halved"  # half of them each, half seeds included


class Sowing(StrEnum):
    """How seeds move."""

    TRACK = "track"  # along the player's loop; the landing table says what comes of it
    NEIGHBOURS = "neighbours"  # to the pits around, counter-clockwise, and at the short ends off the board
    REAPING = "reaping"  # one from each pit up to the nearest empty one, which gets them all
    FROM_ENDS = "from_ends"  # round the own two rows; captured seeds from an end of the inner one (``kernels.bao``)
    PILES = "piles"  # one from each pile, which make a new pile; there is no other move


class MarkedPits(StrEnum):
    """What becomes of seeds that are due in a marked pit, which nobody lifts."""

    GATHER = "gather"  # they lie there, and at the end belong to the owner of the mark
    COLLECT = "collect"  # each goes to the store of the mark's owner at once
    CLOSED = "closed"  # the pit is out of play: a player jumps those of the own side; one due in the opponent's is lost
    TAKEN = "taken"  # they lie there; marks are those of the start, and the first capture from the pit takes its mark


class Goal(StrEnum):
    """Who wins."""

    SEEDS = "seeds"  # the player with more seeds
    LAST_MOVER = "last_mover"  # the mover without a legal move loses; a game stopped by ``max_plies`` is a draw
    EMPTY_BLOCK = "empty_block"  # the player whose pits are empty first
    OUTLAST = "outlast"  # the player whose pits are empty first loses, and so does one who is stuck; see ``Stuck``
    INNER_ROW = "inner_row"  # the same, but the pits of the inner row count
    CLEAR = "clear"  # of a solitaire: all seeds must get into the store; every other end is lost
    STANDSTILL = "standstill"  # of a solitaire: piles that the next move would leave as they are; every other is lost


class EndWhen(StrEnum):
    """After what kind of turn the game ends, besides what ends every game."""

    NEVER = "never"
    ALL_SINGLE = "all_single"  # one that leaves no pit with more than one seed
    HOUSES_EMPTY = "houses_empty"  # one that leaves all pits empty that belong to nobody
    MARKS_TAKEN = "marks_taken"  # one that leaves no marked pit, with ``MarkedPits.TAKEN``


class Match(StrEnum):
    """How games make up a match. A match is one episode: the next game begins as soon as one ends."""

    NONE = "none"  # one game
    TERRITORY = "territory"  # seeds of a game buy pits of the next; the match is about pits
    WINS = "wins"  # games won are counted
    DIFFERENCE = "difference"  # differences of scores are added up
    REFILL = "refill"  # seeds of a game are laid out for the next, until a player has too few: see ``Unfilled``
    POINTS = "points"  # scores are added up


class Unfilled(StrEnum):
    """What becomes of pits that a player lacks the seeds to fill, in a refill match.

    Pits that are closed hold nothing in this game: seeds pass over them. They may be filled again in a later one.
    """

    THINNED = "thinned"  # both lay out as many seeds as the poorer has, evenly, as long as each pit gets one
    LEFT = "left"  # each player closes own pits from the left on
    RIGHT = "right"  # or from the right on
    OUTSIDE = "outside"  # or from the ends inwards, the left one first
    COLUMNS = (
        "columns"  # both play on as many columns as the poorer fills; others are closed, from the beginner's right on
    )
    BORROWED = "borrowed"  # none: what lacks is borrowed, and paid back from what the next game brings


class FirstMover(StrEnum):
    """Who begins the next game of a match. After a draw, winner and loser mean who began the game before."""

    WINNER = "winner"
    LOSER = "loser"
    ALTERNATE = "alternate"
    SOUTH = "south"


class Difference(StrEnum):
    """How a match by difference counts."""

    WINNER = "winner"  # each has a tally, to which the winner of a game adds the difference
    SIGNED = "signed"  # one running total, to which South's lead is added; it is the tally of the player ahead


class Remainder(StrEnum):
    """Where seeds go that do not fill a pit, when a territory match deals out the pits."""

    POOL = "pool"  # those of both players fill up the pit on the border, which goes to the player with more of them
    KEEP = "keep"  # they are that pit's start, if one has more of them, or wait in the stores and count in the game


class RepetitionLeftover(StrEnum):
    """Who gets the seeds left when the game ends by repetition."""

    OWNER = "owner"
    SPLIT = "split"  # half each, half seeds included
