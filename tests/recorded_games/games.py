"""The table of recorded games: by which rules of ours each is played, and what explains differences that remain.

Most of it is ``tests/data/recorded/games.toml``, a line a game. Here stand the rules that no text can say: those of
games that ours are only kin of, and the readings of recorded programs where they are others than ours."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from mancala_env import Barred, Ruleset, Skipping, ruleset
from mancala_env.games.relays_across import MANGALA_SUEZ
from mancala_env.games.relays_across import RELAY as RELAY_OF_SUEZ
from mancala_env.games.tsoro import HAWALIS, INNER_PIT, RELAY
from mancala_env.games.weg import OPPONENTS_FOUR, STAY
from mancala_env.games.weg import RELAY as RELAY_OF_WEG
from mancala_env.rules import Passing, When, four_rows, three_rows_horn, two_rows
from tests.recorded_games import explained, readings
from tests.recorded_games.places import MisfitError
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Played

RECORDS = Path(__file__).parent.parent / "data" / "recorded"

OCCUPIED = When(was="occupied").relay()
FULL = When(was="occupied", facing="occupied")
BOTH_FULL = When(was="occupied", facing="occupied", outer="occupied")
EVEN = range(2, 62, 2)
FOURS = When(count={4}).capture("here")


def _changed(name: str, /, *landing: When, **changes: Any) -> Ruleset:
    """A game of ours with another landing table: the program's reading."""
    return ruleset(name).changes(landing=landing, **changes)


def _later(plies: int, rules: Ruleset) -> Ruleset:
    """A game in whose first plies nothing comes of where a lap ends."""
    return rules.changes(landing=tuple(replace(clause, from_ply=plies) for clause in rules.landing))


def _oware(**changes: Any) -> Ruleset:
    """Kin of Oware in which slams capture, nothing is dead, and a majority goes on."""
    plain = {"grand_slam": "capture", "indeterminacy_max_seeds": 0, "majority_stop": False}
    return ruleset("oware").changes(**plain, **changes)


def _wins_the_pit(name: str, full: When, min_start: int) -> Ruleset:
    """The program wins the pit that captures, with what it captures, and goes on from the next; seeds are counted."""
    takes = full.capture("here", "facing", "outer")
    landing = replace(takes, next=range(2, 62)).relay("next"), takes, RELAY
    return _changed(name, *landing, min_start=min_start, goal="seeds")


def _fish(seeds: int) -> Ruleset:
    """Aw-li on-nam ot-tjin with fish of another number of seeds."""
    return _changed("aw_li_on_nam_ot_tjin", When(count={seeds}).capture("here"), seeds=seeds)


def _koro(seeds: int, full: int) -> Ruleset:
    """Koro on five columns, whose last pit is played with another number of seeds."""
    barred, forced = Barred({-1}, range(1, full)), Barred({-1}, range(full, 62))
    return ruleset("koro", pits_per_row=5, seeds=seeds, barred=barred, forced=forced)


RULES: dict[str, Ruleset] = {
    "aw_li_on_nam_ot_tjin__five_counters_observed": _fish(5),
    "aw_li_on_nam_ot_tjin__four_counters_observed": _fish(4),
    "aw_li_on_nam_ot_tjin__two_counters_observed": _fish(2),
    # a raid in the program gives the last seed to the opponent
    "awagagae": _changed(
        "gabata_shoa_i",
        When(marked="opponent").capture("last", to="opponent"), STAY, OPPONENTS_FOUR, RELAY_OF_WEG,
    ),
    "awari": _oware(feeding="must_leave", stuck="pass", end_when="all_single", leftover="none"),
    "bechi__three_holes_observed": ruleset(
        "bechi", pits_per_row=3, direction=("clockwise", "choice", "counterclockwise")
    ),
    # laid out evenly, both players first take three pits of the opponent, and sow clockwise
    "chisolo__nambidi_observed": ruleset("chisolo").changes(setup=(2,) * 28),
    "chisolo__one_counter_observed": ruleset("chisolo").changes(setup=(1,) * 28),
    # as Namudilakunze, with a pick after each capture
    "chisolo__namudilakunze_observed": _changed(
        "namudilakunze",
        OCCUPIED, When(place="inner", facing="empty", outer="occupied").capture("outer").pick(1), goal="last_mover",
    ),
    "dabuda__afar_observed": ruleset("dabuda").changes(opening=((-1,),) * 2),
    # in the program three closes any pit, from the first move on
    "deka": _changed("deka", When(count={3}).close(), OCCUPIED),
    # the program captures in the opponent's row
    "fondji": _changed("fondji", *ruleset("oware").landing),
    # in the program the last seed stays, and the turn ends
    "gabata_ansaba": _changed("gabata_ansaba", OCCUPIED, When(side="own", facing="occupied").capture("facing")),
    # the program sows only one lap in the first turn
    "gabata_shoa_i__gabata_3_observed": _later(1, ruleset("gabata_shoa_iii:marks_in=both_rows,raid_again=false")),
    # fours go to the mover in the program
    "gabata_wuqro": ruleset("gabata_wuqro", passing=Passing(counts={4}, when="after_lap")),
    # the program neither relays nor takes outer pits, moves single seeds anywhere and counts seeds at the end
    "hawalis": HAWALIS.changes(landing=(INNER_PIT,), singles="last_resort", goal="seeds"),
    # the program sows a single lap, and counts what was captured
    "hoyito": _changed("hoyito_3", FOURS, stuck="end", leftover="none", end_few=0),
    "hus_damara": _wins_the_pit("hus_damara", BOTH_FULL, 1),
    "hus_damara__wagner_observed": _wins_the_pit("hus_damara", BOTH_FULL, 2),
    # in the program a capture needs seeds in the inner pit only, and ends the turn
    "hus_nama": _changed("hus_nama", FULL.sow_on("facing", "outer", stops=True), OCCUPIED),
    "koro__five_holes_observed": _koro(5, full=15),
    "koro__six_holes_observed": _koro(6, full=16),
    # the program sows a single lap, and adds the mover's row to both scores
    "lab_akila": _changed("lab_akila", ruleset("lab_akila").landing[0]),
    # the program leaves a seed in the opener's last pit that should fall into the pit that is taken
    "lamosh": ruleset("lamosh", start=[0, *[5, 3] * 5, 5, 0, 3]),
    # the program captures also where one of the two pits across is empty
    "lisolo": _changed(
        "lisolo",
        FULL.capture("facing", "outer"), When(was="occupied", outer="occupied").capture("outer"), RELAY,
    ),
    # each player has 32 seeds, those in the end columns included
    "lobudok": ruleset("ryakati").changes(
        name="lobudok", board=four_rows(6), setup=(32, *[0] * 11) * 2, goal="last_mover", stuck="end"
    ),
    # the Bedouins' Mangala: one player lays the seeds out, and the other may take them instead
    "mangala_bedouin": Ruleset(
        name="mangala_bedouin", board=two_rows(6), setup=(0, 0, 5, 4, 0, 0, 0, 0, 4, 4, 0, 0), direction="clockwise",
        landing=(
            When(count=range(11, 62)).relay(),  # so many seeds are always sown on
            When(count="even", side="opponent").capture("here"),
            When(count="even", facing="empty").capture("here"),
            When(count="even", facing=EVEN).capture("here", "facing"),
            When(count="even").relay(),
        ),
        end_check="any_side", end_reason="side_empty", leftover="none",
    ),
    # in the program nobody captures in the first three turns
    "mangala_suez": ruleset("mangala_suez", landing=(RELAY_OF_SUEZ, replace(MANGALA_SUEZ.landing[1], from_ply=3))),
    # the program captures from a pit that held seeds
    "nsolo": _changed("nsolo", BOTH_FULL.capture("facing", "outer").pick(1), FULL.capture("facing"), RELAY),
    # the program takes one square, and its houses end every turn that comes to them
    "o_an_quan": ruleset("o_an_quan", captures="one").changes(stops_at="any"),
    # pits of twelve seeds or more are passed over, which goes without feeding in our rules, and 25 seeds win
    "oware__awari_suggested": _oware(
        skipping=Skipping(counts=range(12, 62)), feeding="none", target_seeds=25, stuck="pass"
    ),
    "owela_benguela": _wins_the_pit("owela_benguela", FULL, 2),
    # the program takes an occupied next pit, and sows on the last one
    "pachgarhwa": _changed(
        "pachgarhwa", When(next="occupied").capture("next").relay(), ruleset("pachgarhwa").landing[1]
    ),
    "quela": ruleset("nchuwa").changes(name="quela", setup=(2,) * 24),
    # the mark that a four of the opponent gets does not keep it from being played
    "selus": Ruleset(
        name="selus_eritrea", board=three_rows_horn(6), seeds=3, goal="last_mover",
        skipping=Skipping(counts={3}, side="opponent"), barred=Barred(places={0, 1, 2}, counts={1, 2, 3}),
        landing=(When(side="opponent", count={4}), OCCUPIED),
    ),
    # the program leaves the last seed of a capture where it fell
    "sungka": _changed(
        "sungka", When(store="own").again(), OCCUPIED, When(side="own", facing="occupied").capture("facing")
    ),
    # Oware in which single seeds capture nothing, and twos and threes of either row are taken
    "ti": _oware(
        landing=(When(count={2, 3}, lifted=2).capture("here", chain={2, 3}, chain_side="any"),), feeding="must_leave"
    ),
    "toguz_kumalak": _changed("toguz", *ruleset("toguz").landing[1:], majority_stop=False),
    # the program moves single seeds at any time, takes an outer pit by itself and lets a player without seeds lose
    "tshuba": _changed(
        "tshuba", RELAY, When(place="inner").capture("facing", "outer").pick(1),
        pits_per_row=4, singles="as_others", goal="outlast", stuck="pass",
    ),
    # the program takes fours in either row
    "unnee_tugalluulax": _changed("unnee_tugalluulax", FOURS),
    "unnee_tugalluulax__popova_scholarly": _changed("unnee_tugalluulax", FOURS),
    # the program takes sixes in either row
    "wari": _changed("wari_ashanti", When(count={6}).capture("here")),
    # the program sows a single lap
    "whyo": _changed("whyo", FOURS),
}  # fmt: skip

NAMED = {**vars(explained), **vars(readings)}


def _entry(name: str, values: dict[str, Any]) -> Played:
    """An entry of the file: what it names of ``Played`` that are functions or places are names of these modules."""
    found = dict(values)
    for key in ("begins", "reads", "action", "pits"):
        if isinstance(value := found.get(key), str) and value not in ("turn", "turns", "lift"):
            found[key] = NAMED[value]
    if "pits" in found:
        found["pits"] = tuple(found["pits"])
    found["explained"] = tuple(NAMED[each] for each in values.get("explained", ()))
    return Played(RULES.get(name, found.pop("rules", name)), **found)


_TABLE = tomllib.loads((RECORDS / "games.toml").read_text(encoding="utf-8"))
RECORDED = {name: _entry(name, values) for name, values in _TABLE["played"].items()}
MISSING: dict[str, str] = _TABLE["missing"]
ALLOWED: dict[str, int] = _TABLE["allowed"]  # plies of each file in which something is only allowed


class NotPlayedError(Exception):
    """A recorded game is listed as one that our rules cannot play; the message is one line."""


def entry_of(record: Record) -> tuple[str, Played]:
    """The key and the entry by which a file is played; NotPlayedError or MisfitError says why there is none."""
    for name in record.names:
        if name in RECORDED:
            return name, RECORDED[name]
        if name in MISSING:
            raise NotPlayedError(f"{name}: not played, for our rules lack: {MISSING[name]}")
    raise MisfitError(f"{record.names[0]}: no entry in the table says by which rules of ours it is played")
