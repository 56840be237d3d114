"""The table of recorded games: by which rules of ours each is played, and what explains differences that remain.

One line a game, in alphabetical order; the key is the name of the recorded file without ``.jsonl.gz``::

    "kalah": Played("kalah:end_check=side_to_move"),

Pits, stores, directions and the set-up follow from the header of the file (``places``), laps from the plies
(``replay``). ``Played`` says what else an entry may have.
"""

from mancala_env import Ruleset
from mancala_env.rules import When
from tests.recorded_games.explained import ends_when_a_side_is_stuck, fixed_first_move, pushed_past_origin
from tests.recorded_games.replay import Played

RECORDED: dict[str, Played] = {
    "kalah": Played("kalah:end_check=side_to_move"),
    "oware": Played("oware:majority_stop=false", explained=(pushed_past_origin,)),
    "uril": Played("oware", explained=(pushed_past_origin,)),
}
