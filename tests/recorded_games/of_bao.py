"""Recorded games of the family ``bao``.

The recorded programs make a placement and the choice of an end, or of a direction, two plies; of these one is made here.
They lay captured seeds in the end pit and sow all that lies there, let a lap capture that ends in an empty pit, and let
the mover choose the end at every capture.
"""

from dataclasses import replace as changed

from mancala_env import Ruleset, ruleset
from tests.recorded_games.records import Choice, Game, Ply, Record
from tests.recorded_games.replay import Difference, Kind, Played

HANDS = (32, 33)
RIGHT_ENDS, LEFT_ENDS = (15, 16), (8, 23)


def in_one_ply(record: Record) -> Record:
    """The record, with each placement and the choice after it as one ply: a pit and a direction."""
    return changed(record, games=tuple(map(_in_one_ply, record.games)))


def _in_one_ply(game: Game) -> Game:
    plies: list[Ply] = []
    for ply in game.plies:
        before = plies[-1] if plies else None
        if before is None or before.chosen.kind != "place" or before.next != before.mover:
            plies.append(ply)
            continue
        site = before.chosen.target
        captures = before.counts[site + 8 if site < 16 else site - 8] > 0
        legal = [_of_pit(choice, site, captures) for choice in ply.legal]
        others = [Choice(each.target, each.target, "") for each in before.legal if each.target != site]
        chosen = _of_pit(ply.chosen, site, captures)
        plies[-1] = ply._replace(legal=(*others, *legal), chosen=chosen, complete=before.complete and ply.complete)
    return changed(game, plies=tuple(plies))


def _of_pit(choice: Choice, site: int, captures: bool) -> Choice:
    """The choice after a placement as one of the pit where the seed was laid; an end is a direction."""
    if not captures:
        return Choice(site, site, choice.label)
    return Choice(site, site, "TrackCCW" if choice.source in RIGHT_ENDS else "TrackCW")


def as_the_programs(name: str) -> Ruleset:
    """What all three programs do."""
    return ruleset(name).changes(
        ends="chosen", end_joins=True, empty_captures=True, captures_later=True, threats=False, stronghold=None
    )


DR_CONGO = as_the_programs("bao_kiswahili").changes(
    setup=(*(0,) * 8, *(1,) * 8) * 2, reserve=24, brings_anywhere=True, must_capture=False, plays_singles=True
)
EAST_AFRICA = as_the_programs("bao_kiswahili").changes(brings_anywhere=True, plays_singles=True)

RECORDED: dict[str, Played] = {
    "bao": Played(as_the_programs("bao_kiswahili"), reads=in_one_ply, hands=HANDS, laps=False),
    "bao_kiswahili_dr_congo": Played(DR_CONGO, reads=in_one_ply, hands=HANDS, laps=False),
    "bao_kiswahili_east_africa": Played(EAST_AFRICA, reads=in_one_ply, hands=HANDS, laps=False),
}
