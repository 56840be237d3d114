"""Leyla Gobale: relatives of Layli Goobalay of Ethiopia and Somaliland, in which the capturing seed stays."""

from mancala_env.games.layli_goobalay import LAYLI_GOOBALAY
from mancala_env.games.weg import PANKHURST
from mancala_env.rules import Direction, When

LEYLA_GOBALE_GABRADARRE = LAYLI_GOOBALAY.changes(
    name="leyla_gobale_gabradarre",
    region="Horn of Africa",
    people="Somali of Gabradarre, Ogaden, Ethiopia",
    source=f"{PANKHURST}, p. 181",
    about="Sow counter-clockwise, on from occupied pits. A last seed in an empty pit of the mover's row takes what "
    "lies across, but of three seeds there one is moved across instead, and both pits become yours; nobody lifts them. "
    "The capturing seed stays. The game ends when the player to move has nothing to lift; each has what was taken, the "
    "seeds in their own marked pits and the rest of their own row. Further rounds, in which the poorer player lays out "
    "their seeds evenly and the other does the same, are not played here.",
    seeds=5,
    landing=(*LAYLI_GOOBALAY.landing[:-1], When(side="own", facing="occupied").capture("facing")),
    repetition=0,
)

LEYLA_GOBALE_SOMALILAND = LEYLA_GOBALE_GABRADARRE.changes(
    name="leyla_gobale_somaliland",
    people="Somali, Somaliland",
    source="G. Marin, Somali Games, 1931",
    about="As in Gabradarre, but sown clockwise, with four seeds in each pit, and the first move of the game is from "
    "the player's right end. Rows of eight and twelve pits are played, too.",
    seeds=4,
    direction=Direction.CLOCKWISE,
    opening=((-1,),),
)

GAMES = (LEYLA_GOBALE_GABRADARRE, LEYLA_GOBALE_SOMALILAND)
