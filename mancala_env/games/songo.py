"""Songo, Kara and Koro: one lap, and it matters where a pit lies."""

from mancala_env.rules import Barred, Direction, Feeding, Goal, GrandSlam, Option, Ruleset, Surplus, When, two_rows

FIRST_REACHED = {-1}  # "case 1": the first pit of the opponent that a player sows, going clockwise
FULL_ROUND = 14  # a hand of so many seeds passes all the other pits
LAST_ON_THE_WAY = {0}  # "case 7": the own pit from which the opponent's row begins


def chain(counts: set[int]) -> When:
    """The pit is taken if it is the opponent's and now holds one of these numbers, and so are those before it."""
    return When(side="opponent", count=counts).capture("here", chain=counts)


SONGO = Ruleset(
    name="songo",
    region="Central Africa",
    people="Ewondo and other Ekang of Cameroon, Gabon and Equatorial Guinea",
    source="Club Awale, Comment jouer le Songo; Mancala World, Songo Ewondo; P. H. G. Powell-Cotton, 1931",
    about="Sow clockwise. From a pit of fourteen seeds or more each of the other thirteen pits gets one, and the rest "
    "falls into the opponent's row only, from its first pit on. A last seed that makes an opponent's pit two, three or "
    "four (counts says which) takes it, and the pits before it in that row while they hold as many. The first pit "
    "reached of that row, case 1, is not taken by a last seed there, but at the end of a chain; after a full round a "
    "last seed in it wins itself alone. A capture that would empty the row is not made. The last own pit on the way "
    "out, case 7, is not played with one or two seeds while there is something else to play and the opponent has "
    "seeds. A player who faces an empty row must give seven seeds, or as many as possible; if none can be given, the "
    "game is over. It also ends with forty seeds won, or fewer than ten on the board; then each keeps their own row. "
    "Only forty seeds win, else it is a draw.",
    board=two_rows(7),
    seeds=5,
    direction=Direction.CLOCKWISE,
    skip_origin=True,
    surplus=Surplus.OPPONENT,
    landing=(
        When(side="opponent", place=FIRST_REACHED, lifted=FULL_ROUND).capture("last"),
        When(side="opponent", place=FIRST_REACHED),
        chain({2, 3, 4}),
    ),
    grand_slam=GrandSlam.NO_CAPTURE,
    feeding=Feeding.IF_STARVED,
    feeding_least=7,
    barred=Barred(LAST_ON_THE_WAY, {1, 2}),
    end_few=9,
    end_reason="famine",
    target_seeds=40,
    options=(
        Option(
            "counts",
            "which numbers of seeds are captured, as the players agree",
            {"2-4": chain({2, 3, 4}), "2 or 4": chain({2, 4}), "3-4": chain({3, 4})},
            {"2-4": "two, three and four", "2 or 4": "two and four", "3-4": "three and four"},
        ),
    ),
)

KARA_COUNTS = {2, 4, 6}

KARA = Ruleset(
    name="kara",
    region="North Africa",
    people="Baggara, Sudan",
    source="R. Davies, Some Arab games and puzzles, Sudan Notes and Records 8, 1925",
    about="Two rows of three with seven seeds each. One lap counter-clockwise. A last seed that makes two, four or six "
    "in one of the opponent's pits, or in the mover's pit at the right, takes these. A player who cannot move ends the "
    "game, and each keeps their own row. In another reading every such pit that the lap has passed is taken.",
    board=two_rows(3),
    seeds=7,
    landing=(
        When(side="opponent", count=KARA_COUNTS).capture("here"),
        When(place={-1}, count=KARA_COUNTS).capture("here"),
    ),
)

HOGON = {-1}  # the rightmost pit
FULL = 14

KORO = Ruleset(
    name="koro",
    region="West Africa",
    people="Dogon, Mali",
    source="M. Griaule, Jeux dogons, 1938",
    about="Pits of two seeds or more are sown one lap counter-clockwise; nothing is captured. The rightmost pit, the "
    "hogon, is left alone while there is anything else to play, until it holds fourteen seeds: then it must be played. "
    "A player who has single seeds only loses. Boards of five pits a row with five or six seeds each are used, too, "
    "with fifteen and sixteen for fourteen.",
    min_start=2,
    barred=Barred(HOGON, range(1, FULL)),
    forced=Barred(HOGON, range(FULL, 62)),
    goal=Goal.LAST_MOVER,
)
