"""Gabata of Adegrat, Ethiopia: a turn goes on from the pit after the last seed, or takes it."""

from mancala_env.games.weg import PANKHURST
from mancala_env.rules import EndCheck, Ruleset, When

GABATA_ADEGRAT = Ruleset(
    name="gabata_adegrat",
    region="Horn of Africa",
    people="of Adegrat, Ethiopia",
    source=f"{PANKHURST}, p. 172",
    about="Lift a pit of your row and sow it counter-clockwise. After a last seed in an occupied pit lift the pit that "
    "follows and sow on; if that is empty, the turn ends. A last seed in an empty pit takes what lies in the pit that "
    "follows, and the turn ends. The game ends as soon as a row is empty, and the other player takes what is left. In "
    "later rounds three seeds buy a pit; what is here is one round.",
    seeds=3,
    landing=(When(was="occupied", next="occupied").relay("next"), When(was="empty", next="occupied").capture("next")),
    end_check=EndCheck.ANY_SIDE,
    end_reason="side_empty",
)

GAMES = (GABATA_ADEGRAT,)
