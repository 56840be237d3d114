"""Bao of the Swahili coast: four rows, captured seeds that come back into play from the ends of the inner row.

What the pages of these games call a house is the ``stronghold`` here, and seeds in hand are the ``reserve``. A turn
that captures nothing is a takata; the pit under a ``threat`` is takasiaed.
"""

from mancala_env.rules import Direction, Goal, Ruleset, Sowing, four_rows

BAO_KUJIFUNZA = Ruleset(
    name="bao_kujifunza",
    region="East Africa",
    people="Swahili coast",
    source="J. Donkers, Nosce Hostem, 2003; N. Vessella's rules for beginners",
    about=(
        "Bao for beginners: two seeds lie in each pit. A pit of 2 to 15 seeds is sown either way; if the last seed"
        " falls into an inner pit that held seeds, across from seeds of the opponent, these are captured and sown from"
        " an end of the mover's inner row: from the nearest end if the lap ended in one of the two pits there, else"
        " from the end that keeps the direction. Laps that end in seeds go on, and capture again where they can. If no"
        " first lap can capture, a pit of two seeds or more is sown without captures, from the inner row if there is"
        " one. A player whose inner row is empty, or who cannot move, loses."
    ),
    board=four_rows(8),
    seeds=2,
    sowing=Sowing.FROM_ENDS,
    direction=Direction.CHOICE,
    goal=Goal.INNER_ROW,
    max_laps=500,
)

BAO_KISWAHILI = BAO_KUJIFUNZA.changes(
    name="bao_kiswahili",
    source="A. J. de Voogt, Limits of the Mind, 1995; J. Donkers, Nosce Hostem, 2003",
    about=(
        "Each player has 22 seeds in hand and ten on the inner row: six in the house, its fifth pit from the left,"
        " and two and two to the right of it. While there are seeds in hand every turn brings one into an inner pit"
        " that holds seeds. If the pit across holds seeds, too, these are captured and sown from an end of the mover's"
        " inner row, at will from the four pits in the middle, else from the nearest end; a player who can capture has"
        " to. Laps that end in seeds go on and capture again. A turn without a capture sows the pit where the seed was"
        " laid; the house, while it holds six or more and was never emptied, only if there is no other, and then two"
        " of its seeds. A turn that ends there without captures stops, and one that has captured may. Later pits of 2"
        " to 15 seeds of both rows are played as in Bao for beginners; then a pit that is the only one under attack"
        " may not flee. A player whose inner row is empty, or who cannot move, loses. Recorded programs differ: they"
        " lay captured seeds in the end pit and sow all that lies there, capture from empty pits, too, also after a"
        " first lap without a capture, and let the player choose an end at every capture, which are options of this"
        " game. They sow North's seeds from the far end if these were captured beside an end, end a turn in the house"
        " and the game in mid-turn; one of them lets turns begin that end across from own seeds, and one captures"
        " nothing with first laps once the hands are empty. These are taken for faults and not played here."
    ),
    start=((0,) * 9 + (2, 2, 6) + (0,) * 4) * 2,
    reserve=22,
)
