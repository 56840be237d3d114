"""The choices that a ruleset is made of, each value with what it means."""

from enum import StrEnum
from typing import Self

SLAM = "A grand slam, a capture of everything that the opponent has, "
CLOSED = (
    "For the next game each player fills pits of their own row with {{seeds}} each, and keeps the rest in reserve. "
    "{where}: seeds pass over them in that game, and they may be filled again in a later one. A player who cannot fill "
    "one pit has lost the match. After {{limit}} the player with more seeds wins."
)


class Choice(StrEnum):
    """A word that is chosen, and the ``sentence`` by which a player is told of it; what it leaves open stands there as
    ``{seeds}``, and what goes without saying has none."""

    sentence: str

    def __new__(cls, word: str, sentence: str = "") -> Self:
        """A value of a choice."""
        choice = str.__new__(cls, word)
        choice._value_, choice.sentence = word, sentence
        return choice


class Direction(Choice):
    """Which way seeds go round, as seen from above.

    Where it is not the same for every pit, ``Ruleset.direction`` is a tuple: for each place of a player, from the left,
    a direction of its own. Where there is a choice, actions 0, 1, ... sow the places counter-clockwise, and the same
    number of further ones sow them clockwise.
    """

    COUNTERCLOCKWISE = "counterclockwise"  # along the own row from left to right
    CLOCKWISE = "clockwise"
    CHOICE = "choice", "The mover chooses the direction in every turn."
    CHOICE_TURNING = "choice_turning", ("The mover chooses the direction in every turn. Each further lap of a turn "
        "goes the other way than the lap before it.")  # fmt: skip
    REVERSE = "reverse"  # counter-clockwise, or clockwise if that captures: the first lap of a turn
    REVERSE_LAPS = "reverse_laps"  # any lap: where a later one could capture so, the mover chooses in mid-turn
    CHOSEN_ONCE = "chosen_once", ("The player who makes the first move of the game chooses the direction for both "
        "players and the whole game.")  # fmt: skip
    CHOSEN_BY_EACH = "chosen_by_each", ("Each player chooses a direction in their first turn, and keeps it for the "
        "game.")  # fmt: skip


class Store(Choice):
    """Which stores a player's seeds fall into while sowing. (Where captures go does not depend on it.)"""

    NONE = "none"
    OWN = "own", "One seed also falls into the own store, after the last own pit, each time it is passed."
    BOTH = "both", "One seed also falls into each store that is passed; a store comes after its owner's last pit."


class Leave(Choice):
    """Does a seed stay in the pit that is lifted?"""

    NOTHING = "nothing"
    FIRST_LAP = "first_lap", ("One seed stays in the pit that is played; a seed that lies alone moves all the "
        "same.")  # fmt: skip
    UNLESS_ALONE = "unless_alone", ("One seed stays in the pit that is played; a seed that lies alone stays, and "
        "playing it ends the turn.")  # fmt: skip
    EVERY_LAP = "every_lap", ("One seed stays in the pit that is lifted, for the first lap or a later one; a seed that "
        "lies alone moves all the same.")  # fmt: skip


class GrandSlam(Choice):
    """A capture that would take everything the opponent has: the readings that rule books of Oware give."""

    CAPTURE = "capture"  # like any other capture
    FORBIDDEN = "forbidden", (SLAM + "may not be made while there is another move; if there is none, nothing is "
        "captured.")  # fmt: skip
    NO_CAPTURE = "no_capture", SLAM + "may be played, but captures nothing."
    REST_TO_OPPONENT = "rest_to_opponent", (SLAM + "ends the game at once, and the opponent gets what is left on the "
        "board.")  # fmt: skip
    SPARE_LAST = "spare_last", SLAM + "leaves the pit where the last seed fell."
    SPARE_FIRST = "spare_first", SLAM + "leaves the captured pit that is nearest to the mover's side."


class Feeding(Choice):
    """Must a move give the opponent seeds?

    ``IF_STARVED`` is Oware's rule: a move feeds even if it then takes all that it gave. In a game that relays the
    whole turn counts."""

    NONE = "none"
    IF_STARVED = "if_starved", ("If the opponent has no seeds, only moves that give them some may be played; what "
        "counts is the board {when}. A player who has no such move cannot move.")  # fmt: skip
    ALWAYS = "always", "A move must leave the opponent seeds, captures included, unless no move does."
    MUST_LEAVE = "must_leave", ("A move must leave the opponent seeds, captures included; a player who has no such "
        "move cannot move.")  # fmt: skip
    LEAVE_MOVE = "leave_move", ("A move must leave the opponent a pit that has seeds enough to be played, captures "
        "included; a player who has no such move cannot move.")  # fmt: skip


class Stuck(Choice):
    """What happens to a mover without a legal move."""

    END = "end"  # the game ends
    PASS = "pass", "A player who cannot move {passes} until they can."
    REFILL = "refill", ("A player to move all of whose pits are empty first lays a seed in each of them from the "
        "store, borrowing from the opponent's store what is missing; debts are paid back at the end. Who cannot borrow "
        "enough cannot move.")  # fmt: skip


class Leftover(Choice):
    """Who gets the seeds left on the board at the end."""

    OWNER = "owner", "At the end each player takes the seeds left in their own pits."
    EMPTIER = "emptier", ("At the end the player whose pits are all empty takes all seeds left on the board; where "
        "neither player's are, each takes those in their own pits.")  # fmt: skip
    NONE = "none", "Seeds left on the board at the end belong to nobody."
    LAST_MOVER = "last_mover", "At the end all seeds left on the board go to the player who is not to move."
    HALVED = "halved", "At the end each player gets half of the seeds left on the board."


class Sowing(Choice):
    """How seeds move."""

    TRACK = "track"  # along the player's loop; the landing table says what comes of it
    NEIGHBOURS = "neighbours", ("A player lifts all seeds of any pit, on either side, and gives one each to the places "
        "around it, counter-clockwise, as far as they go: from a pit of the lower row to the right, above right, "
        "above, above left and left, in this order; from one of the upper row to the left, below left, below, below "
        "right and right. A seed for a place beyond a short end of the board leaves the board. A pit holds at most "
        "five; one more leaves the board.")  # fmt: skip
    REAPING = "reaping", ("A player chooses a pit that has an empty one somewhere after it: to its right for South, to "
        "its left for North. From that pit up to the nearest empty one a seed is taken out of each pit, and all of "
        "them are laid into the empty one.")  # fmt: skip
    BAO = "bao", ("A pit of 2 to {most} seeds is sown round the own two rows, if that captures at once. A "
        "lap captures if it ends in an inner pit that held seeds, across from seeds of the opponent. These are sown "
        "from an end of the own inner row: from the nearest end if the capture was made in one of the two pits there, "
        "else from the end that keeps the direction. A lap that ends in other seeds lifts these and goes on in the "
        "same direction; in an empty pit the turn ends. A turn whose first lap captures nothing captures nothing at "
        "all. Such a turn is allowed only where no first lap can capture: with two seeds or more of an inner pit, or "
        "if there is none of an outer one. The only inner pit with seeds is not sown round the corner into the outer "
        "row. No turn may go on for ever, that is for more than {laps}.")  # fmt: skip
    PILES = "piles", ("There is one move: a seed is taken from each pile, and these make a new pile. Piles have no "
        "order; they are listed from the largest to the smallest.")  # fmt: skip


class MarkedPits(Choice):
    """What becomes of seeds that are due in a marked pit, which nobody lifts."""

    GATHER = "gather", "A mark is its maker's. A marked pit{word} is sown into, but nobody lifts it{kept}."
    COLLECT = "collect", ("A mark is its maker's. A seed that falls into a marked pit{word} goes to the store of the "
        "mark's owner at once, and nobody lifts the pit. No mark is made where the opponent's mark has the same place "
        "on its side, counted from the left.")  # fmt: skip
    CLOSED = "closed", ("A closed pit{word} is out of play: players jump those of their own side, and a seed due in "
        "one of the opponent's leaves the game; if it is the last one, the turn ends.")  # fmt: skip
    TAKEN = "taken", ("A marked pit{word} is sown into, but nobody lifts it; the first capture from it takes its mark "
        "away.")  # fmt: skip


class Goal(Choice):
    """Who wins."""

    SEEDS = "seeds"  # the player with more seeds
    LAST_MOVER = "last_mover", "Make the last move: the player who cannot move loses"
    EMPTY_BLOCK = "empty_block", "Empty {own} before your opponent empties theirs"
    OUTLAST = "outlast", "Take all your opponent's seeds, or leave them no move"
    INNER_ROW = "inner_row", "Empty your opponent's inner row, or leave them no move"
    CLEAR = "clear", "Bring all seeds into the store"
    STANDSTILL = "standstill", "Bring the piles to a standstill, where a move changes nothing"


class Match(Choice):
    """How games make up a match. A match is one episode: the next game begins as soon as one ends."""

    NONE = "none"  # one game
    TERRITORY = "territory", ("For the next game each player fills pits with the seeds of the last one: first those of "
        "the nearest row, then the winner those of the other row, from the opponent's left on. Who fills a pit owns "
        "it. Who owns {pits} wins the match; after {limit} who owns more, and between equals who won the last game."
    )  # fmt: skip
    WINS = "wins", ("The first player to reach {points} wins the match; a game won is a point, a draw {half}. After "
        "{limit} the player ahead wins.")  # fmt: skip
    DIFFERENCE = "difference"  # differences of scores are added up
    REFILL = "refill"  # seeds of a game are laid out for the next, until a player has too few: see ``Unfilled``
    POINTS = "points", ("Each player adds the seeds won in a game to their tally; the first to reach {target} wins the "
        "match, and if both do so in the same game the one with more. After {limit} the player ahead wins."
    )  # fmt: skip


class Unfilled(Choice):
    """What becomes of pits that a player lacks the seeds to fill, in a refill match."""

    THINNED = "thinned", ("For the next game the player with fewer seeds lays out all of them, one at a time from "
        "their right to their left and round again, and the other player as many; the rest waits in reserve. A player "
        "with fewer seeds than own pits has lost the match. After {limit} the player ahead wins.")  # fmt: skip
    LEFT = "left", CLOSED.format(where="Pits that lack seeds are closed, from the player's left on")
    RIGHT = "right", CLOSED.format(where="Pits that lack seeds are closed, from the player's right on")
    OUTSIDE = "outside", CLOSED.format(where="Pits that lack seeds are closed, from the ends of the row inwards, the "
        "left one first")  # fmt: skip
    COLUMNS = "columns", CLOSED.format(where="Both fill as many pits as the player with fewer seeds can; the other "
        "columns are closed, from the right of the player who begins")  # fmt: skip
    BORROWED = "borrowed", ("The next game begins like the first one, each player laying out half of the seeds: who "
        "has fewer borrows what lacks, and pays it back from what the game brings. A player whose seeds do not fill "
        "one pit has lost the match. After {limit} the player with more seeds wins.")  # fmt: skip
