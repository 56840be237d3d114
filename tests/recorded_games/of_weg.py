"""Recorded games of the families ``weg`` and ``leyla_gobale``: marks, and captures from marked pits."""

from dataclasses import replace

from mancala_env import ruleset
from mancala_env.games.weg import OPPONENTS_FOUR, RELAY, STAY
from mancala_env.rules import When
from mancala_env.trace import EventKind
from tests.recorded_games.explained import ends_when_a_side_is_stuck
from tests.recorded_games.records import Record
from tests.recorded_games.replay import Difference, Kind, Played


def forgets_emptied_marks(difference: Difference) -> bool:
    """The program forgets whose a marked pit is when a raid has emptied it."""
    after = difference.after
    if difference.kind is not Kind.BOARD or after is None or difference.pits != after.pits:
        return False
    raided = [mark == owner ^ 1 for mark, owner in zip(after.marks, after.rules.board.owner, strict=True)]
    marks = [
        -1 if was and not seeds else int(mark) for was, seeds, mark in zip(raided, after.pits, after.marks, strict=True)
    ]
    return difference.stores == after.stores and difference.marks == tuple(marks)


def passes_in_a_marked_pit(difference: Difference) -> bool:
    """The program lets a player go on whose last seed has fallen in a marked pit, which cannot be lifted."""
    if difference.kind is not Kind.PASS or difference.last is None:
        return False
    before, action = difference.last
    (*_, last) = (event.target for event in before.trace(action).events if event.kind is EventKind.LAND)
    return before.player == difference.state.player and difference.state.marks[last or 0] >= 0


def opens_without_a_mark(difference: Difference) -> bool:
    """The first player has chosen the opening that makes threes and fives, and no mark."""
    threes = tuple(3 + pit % 2 * 2 for pit in range(len(difference.state.pits)))
    state = difference.state
    return difference.kind is Kind.START and state.pits == threes[::-1] and max(state.marks) < 0


def marks_from_lists(record: Record) -> Record:
    """The record with marks where it keeps a list of the pits of each player."""
    games = []
    for game in record.games:
        plies = []
        for ply in game.plies:
            lists = {player: ply.remembered.get(f"CapturedP{player}", ()) for player in (1, 2)}
            plies.append(ply._replace(marks={site: player for player, sites in lists.items() for site in sites}))
        games.append(replace(game, plies=tuple(plies)))
    return replace(record, games=tuple(games))


SHOA = Played("gabata_shoa_i:marks_in=both_rows", rounds="first")

RECORDED: dict[str, Played] = {
    # a raid in the program gives the last seed to the opponent
    "awagagae": Played(
        ruleset("gabata_shoa_i").changes(
            landing=(When(marked="opponent").capture("last", to="opponent"), STAY, OPPONENTS_FOUR, RELAY)
        ),
        rounds="first",
        reads=marks_from_lists,
    ),
    "gabata_shoa_and_adegrat": Played("gabata_shoa_and_adegrat:raid_again=false", rounds="first", begins="turn"),
    "gabata_shoa_i": SHOA,
    "gabata_shoa_i__five_holes_observed": Played("gabata_shoa_i:marks_in=both_rows,pits_per_row=5", rounds="first"),
    # the program sows only one lap in the first turn
    "gabata_shoa_i__gabata_3_observed": Played(
        ruleset("gabata_shoa_iii:marks_in=both_rows").changes(raid_again=False, plain_plies=1),
        rounds="first",
        begins=6,
    ),
    "gabata_shoa_i__seven_holes_observed": Played("gabata_shoa_i:marks_in=both_rows,pits_per_row=7", rounds="first"),
    "gamacha_nobility": Played("gamacha_nobility", explained=(passes_in_a_marked_pit,)),
    "leyla": Played("leyla", rounds="each", explained=(ends_when_a_side_is_stuck,)),
    # in later rounds the program lets one player lift nothing, and sows one lap
    "leyla_gobale_gabradarre": Played(
        "leyla_gobale_gabradarre", rounds="first", explained=(ends_when_a_side_is_stuck,)
    ),
    "leyla_gobale_somaliland": Played("leyla_gobale_somaliland", explained=(ends_when_a_side_is_stuck,)),
    "qelat": Played("weg", rounds="first"),
    "tuz": Played("tuz:raid_again=false", rounds="first", begins="turn", explained=(opens_without_a_mark,)),
    "um_el_banat": Played("um_el_banat", rounds="first", explained=(forgets_emptied_marks,)),
}
