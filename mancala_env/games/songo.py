"""Songo, Kara and Koro: one lap, and it matters where a pit lies."""

from mancala_env.games.clauses import chain, taken
from mancala_env.rules import Barred, Direction, Feeding, Goal, GrandSlam, Option, Ruleset, When, two_rows

FIRST_REACHED = {-1}  # "case 1": the first pit of the opponent that a player sows, going clockwise
FULL_ROUND = 14  # a hand of so many seeds passes all the other pits
LAST_ON_THE_WAY = {0}  # "case 7": the own pit from which the opponent's row begins
TWO_TO_FOUR = chain({2, 3, 4}, "opponent")


SONGO = Ruleset(
    people="Ewondo and other Ekang of Cameroon, Gabon and Equatorial Guinea",
    source="Club Awale, Comment jouer le Songo; Mancala World, Songo Ewondo; P. H. G. Powell-Cotton, 1931",
    about="The opponent's first pit reached, case 1, is not taken by a last seed there; the last own pit on the way "
    "out, case 7, is hardly played with one or two seeds. Who faces an empty row must give seven seeds, or as many as "
    "possible. Only forty seeds win, else it is a draw. Which numbers are captured is agreed: counts.",
    board=two_rows(7),
    seeds=5,
    direction=Direction.CLOCKWISE,
    skip_origin=True,
    surplus="opponent",
    landing=(
        When(side="opponent", place=FIRST_REACHED, lifted=FULL_ROUND).capture("last"),
        When(side="opponent", place=FIRST_REACHED),
        TWO_TO_FOUR,
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
            {"2-4": TWO_TO_FOUR, "2 or 4": chain({2, 4}, "opponent"), "3-4": chain({3, 4}, "opponent")},
            {"2-4": "two, three and four", "2 or 4": "two and four", "3-4": "three and four"},
        ),
    ),
)

KARA = Ruleset(
    people="Baggara, Sudan",
    source="R. Davies, Some Arab games and puzzles, Sudan Notes and Records 8, 1925",
    about="Twos, fours and sixes are won in the opponent's row and in the mover's pit at the right. In another reading "
    "every such pit that the lap has passed is taken.",
    board=two_rows(3),
    seeds=7,
    landing=(taken({2, 4, 6}, "opponent"), When(place={-1}, count={2, 4, 6}).capture("here")),
)

KORO = Ruleset(
    people="Dogon, Mali",
    source="M. Griaule, Jeux dogons, 1938",
    about="Nothing is captured. The rightmost pit, the hogon, is left alone until it holds fourteen seeds: then it "
    "must be played. Rows of five with five or six seeds each are used, too, with fifteen and sixteen for fourteen.",
    min_start=2,
    barred=Barred({-1}, range(1, 14)),
    forced=Barred({-1}, range(14, 62)),
    goal=Goal.LAST_MOVER,
)
