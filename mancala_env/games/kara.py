"""Kara of the Baggara: small numbers are captured in the opponent's row and at the own right end."""

from mancala_env.rules import Ruleset, When, two_rows

EVEN = {2, 4, 6}

KARA = Ruleset(
    name="kara",
    region="North Africa",
    people="Baggara, Sudan",
    source="R. Davies, Some Arab Games and Puzzles, 1925",
    about=(
        "Two rows of three pits with seven seeds each. Sow a pit of your row counter-clockwise. If the last seed makes"
        " two, four or six in a pit of the opponent, or in the pit at your right end, you take these. (Davies can be"
        " read so that pits which are passed are taken as well.) Where the player to move has nothing to lift, each"
        " gets what lies in the own row."
    ),
    board=two_rows(3),
    seeds=7,
    landing=(
        When(side="opponent", count=EVEN).capture("here"),
        When(side="own", at=(-1,), count=EVEN).capture("here"),
    ),
    repetition=2,
)

GAMES = (KARA,)
