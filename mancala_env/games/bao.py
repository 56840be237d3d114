"""Bao of the Swahili coast: four rows, captured seeds that come back into play from the ends of the inner row. What
pages of these games call a house is the ``stronghold`` here, and seeds in hand are the ``reserve``. A turn that
captures nothing is a takata; the pit under a ``threat`` is takasiaed."""

from mancala_env.rules import Direction, Goal, Ruleset, Sowing, four_rows

BAO_KUJIFUNZA = Ruleset(
    people="Swahili coast",
    source="J. Donkers, Nosce Hostem, 2003; N. Vessella's rules for beginners",
    about="Bao for beginners, without seeds in hand or a house. Captured seeds come back into play from an end of the "
    "mover's inner row; a player whose inner row is empty, or who cannot move, loses.",
    board=four_rows(8),
    seeds=2,
    sowing=Sowing.BAO,
    direction=Direction.CHOICE,
    goal=Goal.INNER_ROW,
    max_laps=500,
)

BAO_KISWAHILI = BAO_KUJIFUNZA.changes(
    source="A. J. de Voogt, Limits of the Mind, 1995; J. Donkers, Nosce Hostem, 2003",
    about="The full game: 22 seeds in hand come in one by one, and meanwhile the house, six seeds in the fifth inner "
    "pit from the left, has privileges. Then it is Bao for beginners, but the only pit under attack may not flee.",
    start=((0,) * 9 + (2, 2, 6) + (0,) * 4) * 2,
    reserve=22,
)
