"""Adji-boto, Adi, Mewegae and Bechi: it matters what has been played before, and the game remembers it, pit by pit."""

from mancala_env.games.clauses import EVEN, PANKHURST, RELAY, chain
from mancala_env.rules import Direction, Goal, Leave, Option, Ruleset, Stuck, When, two_rows

ODD = {1, 3, 5}


def next_pits(from_ply: int) -> When:
    """The pit after the last one is taken if it holds one, three or five, and so are those that follow it."""
    return When(next=ODD, from_ply=from_ply).capture("next", chain=ODD, chain_side="any", chain_direction="forward")


ADJI_BOTO = Ruleset(
    people="Saramaccan Maroons of Suriname",
    source="M. J. Herskovits, Adji-boto, an African game of the Bush-Negroes of Dutch Guiana, 1929",
    about="In the first five turns each player plays five different pits, and captures from the second, or the sixth, "
    "on. A player who cannot move loses, unless they have won fifty seeds, which could fill their pits again: a draw.",
    board=two_rows(5),
    seeds=10,
    min_start=2,
    leave=Leave.FIRST_LAP,
    landing=(next_pits(2),),
    remember="played_last",
    goal=Goal.LAST_MOVER,
    safe_seeds=50,
    options=(
        Option(
            "captures_from",
            "how many moves are played before seeds may be captured",
            {2: next_pits(2), 10: next_pits(10)},
            {2: "one each", 10: "five each"},
        ),
    ),
)

ADI = Ruleset(
    people="Ewe of Togo and Ghana",
    source="Klose, 1906, p. 75, as told by Ludii, Adi",
    about="A pit that has been played may not be played again by its owner before the opponent has sown into it. Of "
    "the match, in which the loser of a round has fewer pits in the next, one round is played.",
    landing=(chain({3}, "opponent"),),
    remember="until_sown",
    stuck=Stuck.PASS,
)

MEWEGAE = Ruleset(
    people="Tigrinya of Eritrea",
    source=PANKHURST,
    about="A last seed in a marked pit of the opponent is taken if not the player's first to end there. One round.",
    landing=(
        When(marked="opponent", remembered=True).capture("last"),
        When(marked=True),
        When(count={4}).mark("here"),
        RELAY,
    ),
    remember="marks",
    stuck=Stuck.PASS,
)

BECHI = Ruleset(
    people="Kunama, Eritrea",
    source=PANKHURST,
    about="An even pit is taken if it has been played in an earlier turn, and the even pits after it. On rows of three "
    "the middle pit goes either way. Of the match, in which pits are closed, one round is played.",
    board=two_rows(4),
    seeds=6,
    direction=(Direction.CLOCKWISE,) * 2 + (Direction.COUNTERCLOCKWISE,) * 2,
    min_start=2,
    leave=Leave.FIRST_LAP,
    landing=(
        When(count="even", remembered=True).capture("here", chain=EVEN, chain_side="any", chain_direction="forward"),
    ),
    remember="played",
    stuck=Stuck.PASS,
)
