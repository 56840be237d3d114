"""Recorded games in which a rule of its own says what may be played, or what is captured where."""

from mancala_env import Barred, ruleset
from mancala_env.trace import EventKind
from tests.recorded_games.explained import pushed_past_origin
from tests.recorded_games.of_fours import looks_for_fours_in_too_few_pits
from tests.recorded_games.replay import Difference, Kind, Played

FOUR, FEW = 4, 8  # seeds: of a pit that is taken, and of all pits when Duene ends in another way


def forgets_nothing_after_a_round(difference: Difference) -> bool:
    """After a lap of a round or more the program forgets none of the pits, though it has sown them all."""
    state, after, action = difference.state, difference.after, difference.action
    if difference.kind is not Kind.BOARD or after is None or action is None:
        return False
    pit, memory = state.pit(action) or 0, [*state.memory]
    memory[pit] = 1
    same = after.pits == difference.pits and after.stores == difference.stores
    return same and state.pits[pit] >= len(memory) and tuple(memory) == difference.memory


def opens_with_two_seeds(difference: Difference) -> bool:
    """The first move of the program's second player lifts two seeds of the ninth or the eleventh pit."""
    state, action = difference.state, difference.action
    if state.ply > 0:
        return False
    if difference.kind is Kind.LEGAL:
        home = state.rules.board.homes[state.player]
        return difference.legal == {state.rules.action(state.player, home[place]) for place in (8, 10)}
    if difference.kind is not Kind.BOARD or action is None:
        return False
    pit, pits = state.pit(action) or 0, [*state.pits]
    pits[pit] -= 2
    for step in (1, 2):
        pits[(pit + step) % len(pits)] += 1
    return (tuple(pits), state.stores) == (difference.pits, difference.stores)


def lays_the_last_seed_across(difference: Difference) -> bool:
    """In the first turn of each player the program lays a last seed that would fall in the own row in the first pit of
    the other."""
    state, after, action = difference.state, difference.after, difference.action
    if difference.kind is not Kind.BOARD or after is None or action is None or state.ply >= state.rules.plain_plies:
        return False
    homes = state.rules.board.homes
    (last,) = [event.target for event in state.trace(action).events if event.kind is EventKind.LAND]
    pits = [*after.pits]
    pits[last or 0] -= 1
    pits[homes[1 - state.player][0]] += 1
    return last in homes[state.player] and tuple(pits) == difference.pits


def notices_a_turn_late_that_only_single_seeds_are_left(difference: Difference) -> bool:
    """The program looks when a player has moved, not when they are to move, whether only single seeds are left."""
    state = difference.state
    own = [state.pit(action) or 0 for action in range(state.rules.num_actions)]
    filled = {action for action, pit in enumerate(own) if state.pits[pit] > 0}
    return difference.kind is Kind.LEGAL and difference.legal == filled and all(state.pits[pit] <= 1 for pit in own)


def looks_for_fours_from_the_first_pit_to_the_last(difference: Difference) -> bool:
    """The program looks for fours from the pit that was lifted to the last one, though the lap went round further."""
    return sum(difference.state.pits) > FEW and _is_played_as_duene(difference)


def goes_on_from_the_last_pit_before(difference: Difference) -> bool:
    """With eight seeds or fewer left the program goes on from the last pit of the last lap before, or passes there."""
    state, before = difference.state, difference.before
    if difference.kind is Kind.PASS:  # the player to move has just moved
        stays = before is not None and before.mover == state.player + 1
        return stays and sum(state.pits) <= FEW and state.pits[_last_pit(difference)] == 0
    return sum(state.pits) <= FEW and _is_played_as_duene(difference)


def _last_pit(difference: Difference) -> int:
    """Our pit that the program has noted as the last one of a lap; it does so with more than eight seeds only."""
    site = difference.before.variables.get("To", 1) if difference.before else 1
    return site - 1 if site < 7 else 18 - site


def _is_played_as_duene(difference: Difference) -> bool:
    """Does the program come to the recorded board?"""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    pits, stores, size = [*state.pits], [*state.stores], len(state.pits)
    pit, noted, goes_on = state.pit(action) or 0, _last_pit(difference), True
    while goes_on and pits[pit]:
        many = sum(pits) > FEW
        seeds, pits[pit] = pits[pit], 0
        for step in range(1, seeds + 1):
            pits[(pit + step) % size] += 1
        last = (pit + seeds) % size
        goes_on = pits[last] not in (1, FOUR)
        if many:
            noted, at = last, last
            while pits[at] == FOUR:
                stores[state.player], pits[at] = stores[state.player] + FOUR, 0
                at = (at - 1) % size
            for at in ((pit + step) % size for step in range(seeds % size + 1)):
                if pits[at] == FOUR:
                    stores[int(state.owner[at])], pits[at] = stores[int(state.owner[at])] + FOUR, 0
        elif pits[last] == FOUR:
            stores[state.player] += sum(pits)
            pits = [0] * size
        pit = noted
    return (tuple(pits), tuple(stores)) == (difference.pits, difference.stores)


def chains_over_empty_pits(difference: Difference) -> bool:
    """The program counts nought as an even number, so that its chains go on over empty pits, up to a seventh pit."""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    seeds, last, step = [*state.pits, *state.stores], None, -1 if state.direction(action) == 1 else 1
    for event in state.trace(action).events:
        if event.kind is EventKind.TAKE:
            last = event.source
            break
        event.happen(seeds)
    if last is None:
        return False
    pits, stores, at = seeds[:-2], seeds[-2:], last
    for _ in range(7):
        if pits[at] % 2:
            break
        stores[state.player], pits[at] = stores[state.player] + pits[at], 0
        at = (at + step) % len(pits)
    return (tuple(pits), tuple(stores)) == (difference.pits, difference.stores)


def ends_between_laps(difference: Difference) -> bool:
    """The program ends the round when the row of the player to move is empty between two laps of a turn."""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    seeds = [*state.pits, *state.stores]
    for event in state.trace(action).events:
        row = state.rules.board.homes[state.player]
        if event.kind is EventKind.LIFT and event.clause is not None and not any(seeds[pit] for pit in row):
            return (tuple(seeds[:-2]), tuple(seeds[-2:])) == (difference.pits, difference.stores)
        event.happen(seeds)
    return False


def chains_no_further_than_the_pit_across(difference: Difference) -> bool:
    """The pit across comes before the last one, and the program, which has just emptied it, ends the chain there."""
    state, action, size = difference.state, difference.action, len(difference.state.pits)
    if difference.kind is not Kind.BOARD or action is None:
        return False
    seeds, last = [*state.pits, *state.stores], 0
    for event in state.trace(action).events:
        if event.kind is EventKind.LAND:
            last = event.target or 0
        across = state.rules.board.facing[last]
        if event.kind is EventKind.TAKE and event.source not in (last, across) and (last - across) % size == 1:
            return (tuple(seeds[:size]), tuple(seeds[size:])) == (difference.pits, difference.stores)
        event.happen(seeds)
    return False


def passes_with_only_the_last_pit_left(difference: Difference) -> bool:
    """The program's first player passes where only the last pit can be played, which the second one plays."""
    state = difference.state
    return difference.kind is Kind.PASS and state.player == 0 and state.legal_actions == (state.rules.num_actions - 1,)


KORO = (passes_with_only_the_last_pit_left,)


def _koro(columns: int, seeds: int, full: int) -> Played:
    """Koro on a board of another size, whose last pit is played with another number of seeds."""
    barred, forced = Barred({-1}, range(1, full)), Barred({-1}, range(full, 62))
    return Played(
        ruleset("koro", pits_per_row=columns, seeds=seeds, barred=barred, forced=forced),
        explained=KORO,
    )


RECORDED: dict[str, Played] = {
    "adi": Played("adi", rounds="first", memory=("P1SowFrom", "P2SowFrom"), explained=(forgets_nothing_after_a_round,)),
    "adjiboto": Played("adji_boto:captures_from=10", result="winner"),
    "baqura": Played(
        "baqura",
        rounds="each",
        begins="lift",
        explained=(ends_between_laps, chains_no_further_than_the_pit_across),
    ),
    "bechi": Played("bechi", rounds="each", memory=("HolesSowed",), explained=(chains_over_empty_pits,)),
    "bechi__three_holes_observed": Played(
        ruleset("bechi", pits_per_row=3, direction=("clockwise", "choice", "counterclockwise")),
        rounds="each",
        memory=("HolesSowed",),
        explained=(chains_over_empty_pits,),
    ),
    "duene": Played(
        "duene", explained=(looks_for_fours_from_the_first_pit_to_the_last, goes_on_from_the_last_pit_before)
    ),
    "english_wari_st_lucia": Played("english_wari_st_lucia", begins="turns", explained=(pushed_past_origin,)),
    "gamacha": Played("gamacha", begins="turn"),
    "intotoi": Played("intotoi", begins="turn", explained=(opens_with_two_seeds,)),
    "kara": Played("kara"),
    "koro": Played("koro", explained=KORO),
    "koro__five_holes_observed": _koro(5, 5, full=15),
    "koro__six_holes_observed": _koro(5, 6, full=16),
    "lam_waladach": Played(
        "lam_waladach:end_few=0", rounds="each", begins="turn", explained=(looks_for_fours_in_too_few_pits,)
    ),
    "mewegae": Played("mewegae", rounds="first"),
    "quiela": Played(
        "quiela", begins="lift", explained=(notices_a_turn_late_that_only_single_seeds_are_left,), result="winner"
    ),
    "sonka": Played("sonka", rounds="each"),
    "tapata": Played(
        "tapata",
        pits=(*range(12), *range(23, 11, -1)),
        stores=False,
        explained=(lays_the_last_seed_across,),
        result="winner",
    ),
    "yovodi": Played("yovodi"),
}
