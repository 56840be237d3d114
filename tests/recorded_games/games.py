"""The table of recorded games: by which rules of ours each is played, and what explains differences that remain.

Families of games have files of their own beside this one, ``of_<family>.py``, each with its part of the table,
``RECORDED``. One line a game, in alphabetical order; the key is the name of the recorded file without ``.jsonl.gz``::

    "kalah": Played("kalah:end_check=side_to_move"),

Pits, stores, directions and the set-up follow from the header of the file (``places``), laps from the plies
(``replay``). ``Played`` says what else an entry may have.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from mancala_env import Ruleset
from mancala_env.rules import When, two_rows
from tests.recorded_games import __path__
from tests.recorded_games.explained import (
    ends_by_vote,
    ends_when_a_side_is_stuck,
    fixed_first_move,
    pushed_past_origin,
    refuses_the_only_slam,
)
from tests.recorded_games.places import MisfitError
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Played

RELAY = When(was="occupied").relay()
ACROSS = When(side="own", was="empty", facing="occupied").capture("facing")  # the last seed stays
LEYLA_GOBALE = (When(marked=True), RELAY, When(side="own", facing_count={3}).mark_pair(), ACROSS)
NO_SLAM = (pushed_past_origin, refuses_the_only_slam)


def _across(columns: int, seeds: int, *landing: When, **more: Any) -> Ruleset:
    """Relays and captures across."""
    return Ruleset(name="across", board=two_rows(columns), seeds=seeds, landing=landing, **more)


RECORDED: dict[str, Played] = {
    "kalah": Played("kalah:end_check=side_to_move"),
    # in later rounds the program lets one player lift nothing, and sows one lap
    "leyla_gobale_gabradarre": Played(
        _across(6, 5, *LEYLA_GOBALE), explained=(ends_when_a_side_is_stuck,), rounds="first"
    ),
    "leyla_gobale_somaliland": Played(
        _across(6, 4, *LEYLA_GOBALE), explained=(ends_when_a_side_is_stuck, fixed_first_move)
    ),
    "oware": Played("oware:majority_stop=false", explained=(*NO_SLAM, ends_by_vote)),
}


for _file in sorted(each.name for each in iter_modules(__path__) if each.name.startswith("of_")):
    for _name, _entry in import_module(f"{__package__}.{_file}").RECORDED.items():
        if _name in RECORDED:
            raise ValueError(f"{_name} has two entries; one is in {_file}.py")
        RECORDED[_name] = _entry
RECORDED = dict(sorted(RECORDED.items()))


def entry_of(record: Record) -> tuple[str, Played]:
    """The key and the entry by which a file is played.

    Raises
    ------
    MisfitError
        If the table has none.
    """
    for name in record.names:
        if name in RECORDED:
            return name, RECORDED[name]
    raise MisfitError(f"{record.names[0]}: no entry in the table says by which rules of ours it is played")
