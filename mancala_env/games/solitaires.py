"""Solitaires: Tchuka Ruma, and Bulgarian solitaire, which plays itself."""

from mancala_env.games.clauses import AGAIN, RELAY
from mancala_env.rules import Goal, Ruleset, Sowing, Store, When, piles, solo_row

TCHUKA_RUMA = Ruleset(
    name="tchuka_ruma",
    people="described by Henri Delannoy as Tchouka Roumi",
    source="H. Delannoy, 1895; P. J. Campbell and D. P. Chavey, Tchuka Ruma Solitaire, 1995",
    about="A solitaire: four holes in a line with two balls each, and after the last one an empty store, the ruma. The "
    "player lifts a hole and sows its balls to the right, the next after the last hole into the ruma, and after that "
    "from the left hole on. If the last ball falls into the ruma, the player is free to choose again; if it falls into "
    "a hole with balls, these are sown on; if it falls into an empty hole, the game is lost. It is won when all balls "
    "are in the ruma. Four holes with two balls can be won by holes 2, 3, 2, 3, 1, 3, counted from 0. Holes and balls "
    "are options: pits_per_row and seeds.",
    board=solo_row(4),
    seeds=2,
    store=Store.OWN,
    landing=(AGAIN, RELAY, When(was="empty").lose()),
    goal=Goal.CLEAR,
    max_plies=0,  # every lap brings seeds nearer to the store
)

BULGARIAN_SOLITAIRE = Ruleset(
    name="bulgarian_solitaire",
    people="made known in Bulgaria and Russia about 1980",
    source="Kvant, 1980; M. Gardner, Scientific American, 1983",
    about="A puzzle rather than a game: there is one move. The seeds lie in piles (start=[10]); one is taken from each "
    "pile, and these make a new pile. It is won when the piles stand still, as 4, 3, 2 and 1 do, which is only "
    "possible with 1, 3, 6, 10, 15 ... seeds, and then always happens, with k piles after k times k - 1 moves at the "
    "latest. With other numbers a position comes back, and the game is lost.",
    board=piles(10),
    setup=(10, *[0] * 9),
    sowing=Sowing.PILES,
    goal=Goal.STANDSTILL,
    repetition=2,
)

GAMES = (TCHUKA_RUMA, BULGARIAN_SOLITAIRE)
