"""Games of two rows without marks: by which rules of ours they are played, and faults of the recorded programs."""

from mancala_env import Ruleset, State, ruleset
from mancala_env.rules import When
from mancala_env.trace import EventKind
from tests.recorded_games.explained import (
    ends_by_vote,
    only_a_majority_wins,
    pushed_past_origin,
)
from tests.recorded_games.replay import Difference, Kind, Played

RELAY = When(was="occupied").relay()
AGAIN = When(store="own").again()
ACROSS = When(side="own", facing="occupied").capture("facing")  # the last seed stays


def ends_between_laps(difference: Difference) -> bool:
    """The program ends the game or round as soon as a row is empty after a lap, though the turn goes on."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    state = difference.state
    seeds, homes = [*state.pits, *state.stores], state.rules.board.homes
    for event in state.trace(difference.action).events:
        rows = [sum(seeds[pit] for pit in home) for home in homes]
        if event.kind is EventKind.LIFT and 0 in rows:
            totals = tuple(store + row for store, row in zip(seeds[-2:], rows, strict=True))
            if any(difference.pits):
                return difference.over and (tuple(seeds[:-2]), tuple(seeds[-2:])) == (
                    difference.pits,
                    difference.stores,
                )
            return totals == difference.stores
        event.happen(seeds)
    return False


def ends_with_few_seeds_between_laps(difference: Difference) -> bool:
    """The program ends the game as soon as few enough seeds are left after a lap, though the turn goes on."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    state = difference.state
    seeds = [*state.pits, *state.stores]
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.LIFT and sum(seeds[:-2]) <= state.rules.end_few:
            return (tuple(seeds[:-2]), tuple(seeds[-2:])) == (difference.pits, difference.stores)
        event.happen(seeds)
    return False


def feeds_with_the_first_lap(difference: Difference) -> bool:
    """The program looks after the first lap of a turn whether the opponent has seeds, ours after the whole turn."""
    if difference.kind not in (Kind.LEGAL, Kind.PASS):
        return False
    state = difference.state
    free = state.rules.changes(feeding="none").position(state.pits, state.stores, state.player)
    feeding = {action for action in free.legal_actions if _opponent_after_a_lap(free, action)}
    return feeding == (difference.legal or set())


def _opponent_after_a_lap(state: State, action: int) -> int:
    """Seeds of the opponent after the first lap of a turn."""
    seeds, opponent = [*state.pits, *state.stores], state.rules.board.homes[1 - state.player]
    for lap, event in enumerate(state.trace(action).events):
        if lap and event.kind is EventKind.LIFT and event.clause is not None:
            break
        event.happen(seeds)
    return sum(seeds[pit] for pit in opponent)


def takes_the_last_eight(difference: Difference) -> bool:
    """With eight seeds or fewer on the board the program lets a capture take them all."""
    state, after = difference.state, difference.after
    if difference.kind is not Kind.BOARD or after is None or sum(state.pits) > 8 or any(difference.pits):
        return False
    all_of_it = [*state.stores]
    all_of_it[state.player] += sum(state.pits)
    return after.stores != state.stores and tuple(all_of_it) == difference.stores


def chains_back_to_the_next_pit_at_most(difference: Difference) -> bool:
    """After a lap of more than a round the program's chain goes back to the pit after the one that was played."""
    state, size = difference.state, len(difference.state.pits)
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    seeds, origin = [*state.pits, *state.stores], state.pit(difference.action)
    lifted = seeds[origin or 0]
    for event in state.trace(difference.action).events:
        if event.kind is EventKind.TAKE and event.source == origin and lifted % size:
            return (tuple(seeds[:-2]), tuple(seeds[-2:])) == (difference.pits, difference.stores)
        event.happen(seeds)
    return False


def _changed(name: str, *landing: When) -> Ruleset:
    """A game of the table with another landing table: the program's reading."""
    return ruleset(name).changes(landing=landing)


def _fish(seeds: int) -> Ruleset:
    """Aw-li on-nam ot-tjin with fish of another number of seeds."""
    return ruleset("aw_li_on_nam_ot_tjin").changes(seeds=seeds, landing=(When(count={seeds}).capture("here"),))


RECORDED: dict[str, Played] = {
    # the score that the program counts leaves out what was captured
    "adidada": Played("adidada", result="none"),
    "altiev": Played("altiev", explained=(ends_between_laps,)),
    # the program gives the other player all seeds of the game but those that this player has captured
    "aw_li_on_nam_ot_tjin": Played("aw_li_on_nam_ot_tjin", result="none"),
    "aw_li_on_nam_ot_tjin__five_counters_observed": Played(_fish(5), result="none"),
    "aw_li_on_nam_ot_tjin__four_counters_observed": Played(_fish(4), result="none"),
    "aw_li_on_nam_ot_tjin__two_counters_observed": Played(_fish(2), result="none"),
    "bosh": Played("bosh", explained=(ends_between_laps,), rounds="first"),
    "boukerourou": Played("boukerourou", explained=(ends_between_laps,)),
    "chongka": Played("chongka"),
    "chungcajon": Played("chungcajon"),
    "dabuda": Played("dabuda"),
    "dabuda__afar_observed": Played(ruleset("dabuda").changes(opening=((-1,),) * 2)),
    "das_bohnenspiel": Played("bohnenspiel", explained=(chains_back_to_the_next_pit_at_most,)),
    "en_gehe": Played("en_gehe_40"),
    "enindji": Played("enindji", explained=(pushed_past_origin, ends_by_vote)),
    "erherhe": Played("erherhe", rounds="first"),
    "fairkalah": Played("fairkalah"),
    "foji": Played("foji", explained=(pushed_past_origin, feeds_with_the_first_lap, ends_by_vote)),
    # the program captures in the opponent's row
    "fondji": Played(
        ruleset("fondji").changes(landing=ruleset("oware").landing),
        explained=(pushed_past_origin, ends_by_vote),
    ),
    "french_wari": Played("french_wari"),
    # in the program the last seed stays, and the turn ends
    "gabata_ansaba": Played(_changed("gabata_ansaba", RELAY, ACROSS), explained=(ends_between_laps,), rounds="each"),
    # later rounds have closed pits, here and below where the first round alone is played
    "galatjang": Played("galatjang", rounds="first"),
    # the program sows a single lap, and counts what was captured
    "hoyito": Played(
        ruleset("hoyito_3").changes(
            landing=(When(count={4}).capture("here"),), stuck="end", leftover="none", end_few=0
        ),
        explained=(takes_the_last_eight,),
    ),
    "hufesay": Played("hufesay", explained=(ends_between_laps,), rounds="first"),
    "i": Played("i"),
    "jimafesosh": Played("jimafesosh", explained=(ends_with_few_seeds_between_laps,), begins=6, rounds="first"),
    "jodu": Played("jodu", explained=(feeds_with_the_first_lap,)),
    "kay": Played("kay", explained=(pushed_past_origin,)),
    "khrour": Played("khrour", rounds="first"),
    "kpo": Played("kpo"),
    # the program sows a single lap, and adds the mover's row to both scores
    "lab_akila": Played(
        _changed("lab_akila", ruleset("lab_akila").landing[0]),
        explained=(chains_back_to_the_next_pit_at_most,),
        result="none",
    ),
    "main_chongkak": Played("main_chongkak", explained=(ends_between_laps,), rounds="first"),
    "mangala_turkey": Played("mangala_turkey", explained=(chains_back_to_the_next_pit_at_most,)),
    "mangala_turkey__six_holes_observed": Played(
        "mangala_turkey:pits_per_row=6", explained=(chains_back_to_the_next_pit_at_most,)
    ),
    "mankala": Played("mankala", explained=(chains_back_to_the_next_pit_at_most,)),
    "mawkar_katiya": Played("mawkar_katiya", rounds="first"),
    "meusueb": Played("meusueb"),
    "motiq": Played("motiq", explained=(ends_between_laps,), rounds="first"),
    "ntyenge": Played("ntyenge"),
    "oure_ngat": Played("oure_ngat"),
    "ovalhu": Played("ovalhu", rounds="first"),
    # the program takes an occupied next pit, and sows on the last one
    "pachgarhwa": Played(
        _changed("pachgarhwa", When(next="occupied").capture("next").relay(), ruleset("pachgarhwa").landing[1]),
        explained=(ends_with_few_seeds_between_laps,),
    ),
    "shono": Played("shono", explained=(pushed_past_origin,)),
    "shono__children_observed": Played("shono", explained=(pushed_past_origin,)),
    # the program leaves the last seed of a capture where it fell
    "sungka": Played(_changed("sungka", AGAIN, RELAY, ACROSS), rounds="each"),
    "um_el_bil": Played("um_el_bil"),
    "um_el_bil__eight_holes_observed": Played("um_el_bil:pits_per_row=8"),
    "um_el_bil__seven_holes_observed": Played("um_el_bil:pits_per_row=7"),
    # the program takes fours in either row
    "unnee_tugalluulax": Played(_changed("unnee_tugalluulax", When(count={4}).capture("here")), own_endings=True),
    "unnee_tugalluulax__popova_scholarly": Played(_changed("unnee_tugalluulax", When(count={4}).capture("here"))),
    "uril": Played("uril", explained=(pushed_past_origin, only_a_majority_wins)),
    # the program ends the game where ours passes, and counts captured seeds only
    "vai_lung_thlan": Played(
        "vai_lung_thlan:stuck=end,leftover=none", explained=(chains_back_to_the_next_pit_at_most,)
    ),
    # the program takes sixes in either row
    "wari": Played(_changed("wari_ashanti", When(count={6}).capture("here"))),
    "waurie": Played("waurie"),
    # the program sows a single lap
    "whyo": Played(_changed("whyo", When(count={4}).capture("here")), rounds="first"),
    "woli": Played("woli", explained=(pushed_past_origin, ends_by_vote)),
    "wore": Played("wore"),
    "wouri": Played("wouri", explained=(pushed_past_origin, feeds_with_the_first_lap)),
    "yovodji": Played("yovodji", explained=(pushed_past_origin, ends_by_vote)),
}
