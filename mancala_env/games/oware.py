"""Oware (Wari, Awele, Abapa) and its relatives: capture twos and threes in the opponent's row."""

from mancala_env.games.clauses import chain
from mancala_env.rules import Feeding, GrandSlam, Match, Ruleset, Stuck, arcs

OWARE = Ruleset(
    people="Akan, Ewe, Yoruba and others, and the Caribbean",
    source="Associazione Italiana Oware; Oware Society",
    about="Seeds are sown counter-clockwise, past the pit they came from. If the last one makes two or three in a pit "
    "of the opponent, these are captured, and so are the pits before it that hold two or three. Nobody may take all "
    "that the opponent has, and an opponent without seeds has to be given some.",
    skip_origin=True,
    landing=(chain({2, 3}, "opponent"),),
    grand_slam=GrandSlam.FORBIDDEN,
    feeding=Feeding.IF_STARVED,
    end_reason="famine",
    majority_stop=True,
    indeterminacy_max_seeds=3,
    repetition=2,
)

# The rules of the published endgame databases: a repetition halves what is left.
AWARI = OWARE.changes(
    source="Allis 1991; Lincke 2002; Romein and Bal 2002",
    about="Oware as solved by computers: a capture may take all, but a move must leave the opponent seeds if one can.",
    grand_slam=GrandSlam.CAPTURE,
    feeding=Feeding.ALWAYS,
    majority_stop=False,
    indeterminacy_max_seeds=0,
    repetition_leftover="split",
)

OWARE_TUTTI_A_CASA = OWARE.changes(
    about="Oware in which nobody has to feed: the game ends when a row is empty, and the other player keeps the rest.",
    feeding=Feeding.NONE,
    end_check="any_side",
    end_reason="tutti_a_casa",
)

OWARE_LIBERTA = OWARE.changes(
    about="Oware in which nobody has to feed: a player without seeds waits until some arrive.",
    feeding=Feeding.NONE,
    stuck=Stuck.PASS,
)

# "Case supplementari": seeds captured in a game buy pits of the opponent's row for the next, four seeds each.
OWARE_TERRITORY = OWARE.changes(board=arcs(6), majority_stop=False, match=Match.TERRITORY)

OWARE_SERIES_WINS = OWARE.changes(match=Match.WINS, target=3)

OWARE_SERIES_DIFFERENCE = OWARE.changes(majority_stop=False, match=Match.DIFFERENCE, target=24)
