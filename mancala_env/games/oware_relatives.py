"""Relatives of Oware in West Africa and on Cape Verde: single laps that capture two, three or four."""

from mancala_env.games.clauses import chain
from mancala_env.games.oware import OWARE
from mancala_env.rules import Direction, Feeding, GrandSlam, Ruleset, Stuck, When

# Oware without a rule of feeding or of grand slams, until the mover has no seeds.
_TWOS_AND_THREES = Ruleset(skip_origin=True, landing=OWARE.landing)

ADIDADA = _TWOS_AND_THREES.changes(
    people="Ewe, Togo and Ghana",
    source="described in 1908; Ludii, Adidada",
    about="Oware in which nobody has to feed the opponent, and long laps drop a seed in their first pit, too.",
    skip_origin=False,
)

SHONO = _TWOS_AND_THREES.changes(
    people="Fang, Gabon",
    source="described in 1912; Ludii, Shono",
    about="Oware with five seeds in each pit, in which nobody has to feed the opponent.",
    seeds=5,
)

WOLI = _TWOS_AND_THREES.changes(
    people="Peoples of the Senegal valley",
    source="C. Béart, Jeux et jouets de l'Ouest africain, 1955",
    about="Oware with six seeds in each pit, sown clockwise, in which no move may leave the opponent without seeds. "
    "The players may agree on the end when a position has come back.",
    seeds=6,
    direction=Direction.CLOCKWISE,
    feeding=Feeding.MUST_LEAVE,
    end_reason="famine",
)

FONDJI = WOLI.changes(
    people="Peoples of Benin",
    about="As Woli, but with four seeds, sown counter-clockwise, and twos and threes are taken in the mover's row. "
    "Another reading takes them in the opponent's row, as Oware does.",
    seeds=4,
    direction=Direction.COUNTERCLOCKWISE,
    landing=(chain({2, 3}, "own"),),
)

ENINDJI = FONDJI.changes(
    about="Where the last seed makes four these go to the player in whose row they lie, whoever moved. The players may "
    "agree on the end when a position has come back.",
    landing=(When(count={4}).capture("here", to="owner"),),
    stuck=Stuck.PASS,
    end_reason="stuck",
)

URIL = OWARE.changes(
    people="Cape Verdeans",
    source="described from 2006 to 2017; Ludii, Uril",
    about="Oware of Cape Verde, in which no move may leave the opponent without seeds. By other accounts a pit of one "
    "seed may be played only where there is no larger one, and a capture of everything earns another turn.",
    grand_slam=GrandSlam.CAPTURE,
    feeding=Feeding.MUST_LEAVE,
    stuck=Stuck.PASS,
    indeterminacy_max_seeds=0,
)

ENGLISH_WARI_ST_LUCIA = Ruleset(
    people="St. Lucia",
    source="M. J. Herskovits, Wari in the New World, 1932, p. 31",
    about="Fours are won in chains through both rows, and a move must leave the opponent a pit of two or more. At the "
    "beginning each player lays all seeds of one pit in the next, which is not played here.",
    skip_origin=True,
    min_start=2,
    landing=(chain({4}),),
    feeding=Feeding.LEAVE_MOVE,
)
