"""Oware (Wari, Awele, Abapa) and its relatives: capture twos and threes in the enemy's row.

Rules as the Associazione Italiana Oware and the Oware Society give them. A player lifts a pit of his row and sows it
counter-clockwise, leaving out the pit it came from on every lap. If the last seed makes an enemy pit two or three, it
is taken, and the pits behind it as long as they are enemy pits of two or three. Who can must leave a starving enemy
something to play; nobody may take everything the enemy has. More than half of the seeds wins.
"""

from mancala_env.rules import EndCheck, Feeding, GrandSlam, Match, RepetitionLeftover, Ruleset, Stuck, When, arcs

OWARE = Ruleset(
    name="oware",
    skip_origin=True,
    landing=(When(side="enemy", count={2, 3}).capture("here", chain={2, 3}),),
    grand_slam=GrandSlam.FORBIDDEN,
    feeding=Feeding.IF_STARVED,
    end_reason="famine",
    majority_stop=True,
    indeterminacy_max_seeds=3,
    repetition=2,
)

# The rules of the published endgame databases (Allis 1991; Lincke 2002; Romein and Bal 2002): a move must leave the
# enemy seeds whenever some move does, and a repetition halves what is left.
AWARI = OWARE.changes(
    name="awari",
    grand_slam=GrandSlam.CAPTURE,
    feeding=Feeding.ALWAYS,
    majority_stop=False,
    indeterminacy_max_seeds=0,
    repetition_leftover=RepetitionLeftover.SPLIT,
)

# "Tutti a casa": nobody has to feed; the game ends as soon as a row is empty, and each keeps what lies in his own.
OWARE_TUTTI_A_CASA = OWARE.changes(
    name="oware_tutti_a_casa",
    feeding=Feeding.NONE,
    end_check=EndCheck.ANY_SIDE,
    end_reason="tutti_a_casa",
)

# "Libertà al più forte": nobody has to feed; a player without seeds waits until he is given some.
OWARE_LIBERTA = OWARE.changes(
    name="oware_liberta",
    feeding=Feeding.NONE,
    stuck=Stuck.PASS,
)

# "Case supplementari": seeds captured in a game buy pits of the enemy's row for the next, four seeds each.
OWARE_TERRITORY = OWARE.changes(
    name="oware_territory",
    board=arcs(6),
    majority_stop=False,
    match=Match.TERRITORY,
)

OWARE_SERIES_WINS = OWARE.changes(
    name="oware_series_wins",
    match=Match.WINS,
    target=3,
)

OWARE_SERIES_DIFFERENCE = OWARE.changes(
    name="oware_series_difference",
    majority_stop=False,
    match=Match.DIFFERENCE,
    target=24,
)
