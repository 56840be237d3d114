"""The table of recorded games: by which rules of ours each is played, and what explains differences that remain.

Families of games have files of their own beside this one, ``of_<family>.py``, each with its part of the table,
``RECORDED``. One line a game, in alphabetical order; the key is the name of the recorded file without ``.jsonl.gz``::

    "kalah": Played("kalah:end_check=side_to_move"),

Pits, stores, directions and the set-up follow from the header of the file (``places``), laps from the plies
(``replay``). ``Played`` says what else an entry may have.
"""

from importlib import import_module
from pkgutil import iter_modules

from tests.recorded_games import __path__
from tests.recorded_games.explained import (
    ends_by_vote,
    pushed_past_origin,
    refuses_the_only_slam,
)
from tests.recorded_games.missing import MISSING
from tests.recorded_games.places import MisfitError
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Played

NO_SLAM = (pushed_past_origin, refuses_the_only_slam)


RECORDED: dict[str, Played] = {
    "kalah": Played("kalah:end_check=side_to_move"),
    "oware": Played("oware:majority_stop=false", explained=(*NO_SLAM, ends_by_vote)),
}


for _file in sorted(each.name for each in iter_modules(__path__) if each.name.startswith("of_")):
    for _name, _entry in import_module(f"{__package__}.{_file}").RECORDED.items():
        if _name in RECORDED:
            raise ValueError(f"{_name} has two entries; one is in {_file}.py")
        RECORDED[_name] = _entry
RECORDED = dict(sorted(RECORDED.items()))


class NotPlayedError(Exception):
    """A recorded game is listed as one that our rules cannot play; the message is one line."""


def entry_of(record: Record) -> tuple[str, Played]:
    """The key and the entry by which a file is played.

    Raises
    ------
    NotPlayedError
        If ``missing`` says why the table has none.
    MisfitError
        If the table has none, and nothing says why.
    """
    for name in record.names:
        if name in RECORDED:
            return name, RECORDED[name]
        if name in MISSING:
            raise NotPlayedError(f"{name}: not played, for our rules lack: {MISSING[name]}")
    raise MisfitError(f"{record.names[0]}: no entry in the table says by which rules of ours it is played")
