"""Koro of the Dogon: nothing is captured, and who has single seeds only has lost."""

from mancala_env.rules import Barred, Goal, Ruleset

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

GAMES = (KORO,)
