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
from mancala_env.rules import Store, When, two_rows
from tests.recorded_games import __path__
from tests.recorded_games.explained import (
    ends_by_vote,
    fixed_first_move,
    only_a_majority_wins,
    pushed_past_origin,
    refuses_the_only_slam,
)
from tests.recorded_games.places import MisfitError
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Played

RELAY = When(was="occupied").relay()
AGAIN = When(store="own").again()
ACROSS = When(side="own", was="empty", facing="occupied").capture("facing")  # the last seed stays
ACROSS_ANYWHERE = When(was="empty", facing="occupied").capture("facing")
SHONO = "oware:seeds=5,grand_slam=capture,feeding=none,majority_stop=false"
NO_SLAM = (pushed_past_origin, refuses_the_only_slam)


def _counted(counts: set[int], columns: int = 6, seeds: int = 4, *, chain: bool = True, **more: Any) -> Ruleset:
    """The pit where the last seed falls is taken if it holds one of these counts, and so are the pits before it."""
    landing = (When(count=counts).capture("here", chain=counts if chain else None, chain_side="any"),)
    return Ruleset(name="counted", board=two_rows(columns), seeds=seeds, landing=landing, **more)


def _store(columns: int, seeds: int, *landing: When, **more: Any) -> Ruleset:
    """Sowing into the own store."""
    return Ruleset(name="store", board=two_rows(columns), seeds=seeds, store=Store.OWN, landing=landing, **more)


def _across(columns: int, seeds: int, *landing: When, **more: Any) -> Ruleset:
    """Relays and captures across."""
    return Ruleset(name="across", board=two_rows(columns), seeds=seeds, landing=landing, **more)


def _ot_tjin(seeds: int) -> Played:
    """Captures of as many seeds as each pit has at the start; the rest goes to the opponent, which ours does not do."""
    return Played(_counted({seeds}, 9, seeds, chain=False, min_start=2), result="none")


def _um_el_bil(columns: int) -> Played:
    """A last seed that falls into an empty pit is taken."""
    return Played(_counted({1}, columns, 4, chain=False, stuck="pass"), explained=(fixed_first_move,))


RECORDED: dict[str, Played] = {
    # the score that the program counts leaves out what was captured
    "adidada": Played("oware:skip_origin=false,grand_slam=capture,feeding=none,majority_stop=false", result="none"),
    # who has an empty row loses, whatever was captured
    "altiev": Played(_across(6, 3, RELAY, ACROSS, end_check="any_side"), result="none"),
    "aw_li_on_nam_ot_tjin": _ot_tjin(3),
    "aw_li_on_nam_ot_tjin__five_counters_observed": _ot_tjin(5),
    "aw_li_on_nam_ot_tjin__four_counters_observed": _ot_tjin(4),
    "aw_li_on_nam_ot_tjin__two_counters_observed": _ot_tjin(2),
    "chongka": Played(_store(7, 7, RELAY, ACROSS, stuck="pass", leftover="none")),
    "chungcajon": Played(_store(7, 7, RELAY, stuck="pass", leftover="none")),
    "das_bohnenspiel": Played(_counted({2, 4, 6}, 6, 6)),
    "fairkalah": Played("kalah:empty_capture=true,start=[4,4,5,4,3,4,4,4,4,4,4,4]"),
    "fondji": Played("oware:majority_stop=false", explained=(*NO_SLAM, ends_by_vote)),
    "french_wari": Played(_across(6, 4, RELAY, ACROSS_ANYWHERE)),
    # later rounds have closed pits, here and below where the first round alone is played
    "galatjang": Played(_store(6, 7, AGAIN, RELAY, ACROSS, stuck="pass"), rounds="first"),
    "hufesay": Played(_across(6, 4, RELAY, ACROSS, end_check="any_side"), rounds="first"),
    "kalah": Played("kalah:end_check=side_to_move"),
    "kpo": Played(_counted({2, 3}, 6, 4, chain=False)),
    "mangala_turkey": Played(_counted({1, 3}, 7, 5, stuck="pass")),
    "mangala_turkey__six_holes_observed": Played(_counted({1, 3}, 6, 5, stuck="pass")),
    "mankala": Played(_counted({2, 4, 6}, 6, 6, stuck="pass", leftover="none")),
    "ntyenge": Played(_counted({2, 4}, 8, 4, chain=False, stuck="pass")),
    "ovalhu": Played(_store(8, 8, AGAIN, RELAY, ACROSS_ANYWHERE, stuck="pass"), rounds="first"),
    "oware": Played("oware:majority_stop=false", explained=(*NO_SLAM, ends_by_vote)),
    "shono": Played(SHONO, explained=(pushed_past_origin,)),
    "shono__children_observed": Played(SHONO, explained=(pushed_past_origin,)),
    "sungka": Played(_store(7, 7, AGAIN, RELAY, ACROSS, stuck="pass"), rounds="each"),
    "um_el_bil": _um_el_bil(6),
    "um_el_bil__eight_holes_observed": _um_el_bil(8),
    "um_el_bil__seven_holes_observed": _um_el_bil(7),
    "unnee_tugalluulax": Played(_counted({4}, 6, 6, chain=False, repetition=2), own_endings=True),
    "unnee_tugalluulax__popova_scholarly": Played(_counted({4}, 6, 6, chain=False)),
    "uril": Played("oware", explained=(*NO_SLAM, only_a_majority_wins)),
    "vai_lung_thlan": Played(_counted({1}, 6, 5, leftover="none")),
    "wari": Played(_counted({6}, 6, 4, chain=False, leftover="none")),
    # who clears the own row wins, whatever was captured
    "waurie": Played(_store(6, 4, AGAIN, end_check="any_side"), result="none"),
    "whyo": Played(_counted({4}, 6, 4, chain=False), rounds="first"),
    "woli": Played("oware:seeds=6,majority_stop=false", explained=(*NO_SLAM, ends_by_vote)),
    "wore": Played(_counted({2, 4, 6}, 4, 6, chain=False, leftover="none")),
    "yovodji": Played(
        _across(
            6, 4, When(side="opponent", count={2, 3}).capture("here"), RELAY,
            When(side="own", was="empty", facing_count=range(2, 62)).capture("facing"), skip_origin=True,
        ),
        explained=(pushed_past_origin, ends_by_vote),
    ),
}  # fmt: skip


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
