"""What recorded programs let players choose, or do before our game begins, that our rules do not have.

Such choices are left out of the record that is read, or read as something that our rules have, and what was chosen is
explained.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mancala_env import State
from tests.recorded_games.explained import comes_to, goes_on, is_recorded, lift, sow, told
from tests.recorded_games.places import Places, pit_and_direction
from tests.recorded_games.records import PASS, Choice, Game, Ply, Record, in_each_game
from tests.recorded_games.replay import Difference, Kind, allows
from tests.recorded_games.sowings import LEFT, PASSES, pit_of_two_rows

# Where our game begins: how many plies there are before.


def after_first_moves(game: Game) -> int:
    """The plies until each player has lifted a pit, which is a set one, in a lap that captures nothing."""
    lifts = [at for at, ply in enumerate(game.plies, 1) if ply.chosen.kind == "lift"]
    return lifts[1] if len(lifts) > 1 else len(game.plies)


def after_first_turns(game: Game) -> int:
    """The plies of an opening in which players take pits of the opponent at will, and then each makes one turn."""
    plies, at = game.plies, 0
    while at < len(plies) and plies[at].chosen.kind != "lift":
        at += 1
    for _ in ("the first player", "the second"):
        mover = plies[at].mover if at < len(plies) else 0
        while at < len(plies) and plies[at].mover == mover:
            at += 1
    return at


def after_both_distributions(game: Game) -> int:
    """The plies of an opening in which each player lays two pits out at will: until both have done so."""
    return next((at for at, ply in enumerate(game.plies, 1) if ply.values == (1, 1)), len(game.plies))


def after_the_stores_are_empty(game: Game) -> int:
    """The plies of the opening, which lays seeds in the stores, and then from there in the pits of the block."""
    filled = False
    for at, ply in enumerate(game.plies, 1):
        held = [ply.counts[site] for site in (0, 13)]  # the stores
        if filled and not any(held):
            return at
        filled = filled or any(held)
    return len(game.plies)


# Simple readings.


@in_each_game
def with_passes(game: Game) -> Iterator[Ply]:
    """Keep after each ply how many passes were made in a row."""
    passes = 0
    for ply in game.plies:
        passes = passes + 1 if ply.chosen.kind == "pass" else 0
        yield ply._replace(variables={PASSES: passes})


@in_each_game
def with_directions(game: Game) -> Iterator[Ply]:
    """Say of the pits that are played the direction of their half of the board."""
    for ply in game.plies:
        label = "TrackCW" if pit_of_two_rows(ply.chosen.source) in LEFT else "TrackCCW"
        yield ply._replace(chosen=ply.chosen._replace(label=label)) if ply.chosen.kind == "lift" else ply


@in_each_game
def marks_from_lists(game: Game) -> Iterator[Ply]:
    """Make marks of the lists of the pits of each player."""
    for ply in game.plies:
        lists = {player: ply.remembered.get(f"CapturedP{player}", ()) for player in (1, 2)}
        yield ply._replace(marks={site: player for player, sites in lists.items() for site in sites})


@in_each_game
def marks_from_values(game: Game) -> Iterator[Ply]:
    """Make marks of the sites that the values of players name."""
    for ply in game.plies:
        yield ply._replace(marks={site: player for player, site in enumerate(ply.values, 1) if site >= 0})


# Quela, a kin of Tsoro that begins with small pits.

QUELA_STORES = (24, 25)  # sites
SMALL = 2  # the most seeds of a pit that is played before a player has lost
LOSS = 2  # so many seeds
LARGEST = ("South played a largest pit", "North played a largest pit")  # what is kept after each ply


@in_each_game
def with_largest_pits(game: Game) -> Iterator[Ply]:
    """Keep after each ply whether a player has had a turn since two seeds were lost."""
    counts, had = game.start, dict.fromkeys(LARGEST, 0)
    for ply in game.plies:
        lost = counts[QUELA_STORES[2 - ply.mover]] >= LOSS
        had = had | ({LARGEST[ply.mover - 1]: 1} if lost else {})
        yield ply._replace(variables=had)
        counts = ply.counts


def begins_with_small_pits(difference: Difference) -> bool:
    """In the program a player plays pits of one and two seeds until two seeds are lost, and then once a largest one."""
    state, before = difference.state, difference.before
    has_lost = state.stores[1 - state.player] >= LOSS
    if difference.kind is not Kind.LEGAL or (has_lost and (before is None or before.variables[LARGEST[state.player]])):
        return False
    held = {action: state.pits[state.pit(action) or 0] for action in state.legal_actions}
    largest = max(held.values())
    return difference.legal == {
        action for action, seeds in held.items() if (seeds == largest if has_lost else seeds <= SMALL)
    }  # fmt: skip


# Papan Dakon, in which a lap that ends in own seeds may capture instead of being sown on. It is read as if laps were
# always sown on, and the turns that ended with a capture are explained.


@in_each_game
def without_the_choice(game: Game) -> list[Ply]:
    """Let a lap that ends in own seeds across from seeds be sown on without a choice."""
    plies: list[Ply] = []
    for ply in game.plies:
        sites = [(choice.source, choice.target) for choice in ply.legal]
        across = sites[0][0] + (7 if ply.mover == 1 else -7)
        if sites != [(sites[0][0], sites[0][0]), (sites[0][0], across)]:
            plies.append(ply)
        elif ply.chosen.kind == "lift":
            plies.append(ply._replace(legal=ply.legal[:1]))
        else:  # it belongs to the lap before, and ends the turn
            plies[-1] = plies[-1]._replace(counts=ply.counts, next=ply.next)
    return plies


def captures_instead_of_sowing_on(difference: Difference) -> bool:
    """With the last seed of a lap, which fell in own seeds, the player captured the pit across, and ended the turn."""
    state, board = difference.state, difference.state.rules.board
    for event, before in told(difference):
        if goes_on(event):
            last, seeds = event.source or 0, [*before]
            seeds[last] -= 1
            seeds[board.pits + state.player] += 1 + lift(seeds, board.facing[last])
            if is_recorded(difference, seeds):
                return last in board.homes[state.player]
    return False


# Lobudok, a kin of Ryakati. Seeds pass over the pits of the end columns, so it is played on the six between them.

ENDS = frozenset({0, 7, 8, 15, 16, 23, 24, 31})  # the sites of the end columns


@allows  # the laps are not foretold
def plays_an_end_column(difference: Difference) -> bool:
    """A player who can play nothing else plays a pit of the end columns, which brings its seeds into play."""
    choice = difference.choice
    return difference.kind is Kind.END and choice is not None and choice.kind == "lift" and choice.source in ENDS


# I Pere, in which a player once has to sow the own store, when it is full enough. The last pit of each row is a store,
# into which both players sow.

STORES = (4, 5)  # sites
SOWN = ("South's store has been sown", "North's store has been sown")  # what is kept after each ply
FULL = 13
TAKEN = frozenset({2, 3})


def with_stores_on_the_board(record: Record) -> Record:
    """The record, with the stores where the seeds lie that players win, which keeps whether they have been sown."""
    return replace(_with_sown_stores(record), stores=STORES)


@in_each_game
def _with_sown_stores(game: Game) -> Iterator[Ply]:
    sown = dict.fromkeys(SOWN, 0)
    for ply in game.plies:
        if ply.chosen.kind == "lift" and ply.chosen.source in STORES:
            sown = sown | {SOWN[ply.mover - 1]: 1}
        yield ply._replace(variables=sown)


def sows_the_store(difference: Difference) -> bool:
    """Once in the game a player with thirteen seeds in the store has to sow them, and takes all twos and threes across.

    They fall in pits only, from the first after the store on.
    """
    state, choice, player = difference.state, difference.choice, difference.state.player
    if difference.kind is not Kind.LEGAL or choice is None or choice.source != STORES[player]:
        return False
    if difference.choices != {choice} or difference.before is None or difference.before.variables[SOWN[player]]:
        return False
    pits, stores, homes = [*state.pits], [*state.stores], state.rules.board.homes
    sow(pits, range(len(pits)), homes[player][-1], lift(stores, player))
    stores[player] = sum(lift(pits, pit) for pit in homes[1 - player] if pits[pit] in TAKEN)
    return state.stores[player] >= FULL and is_recorded(difference, [*pits, *stores])


# Lontu-Holo: each player sows round an own block of two by three pits, and wins by clearing it. A last seed that makes
# four gives these away, one by one, to pits of the opponent that the player chooses. In ours a four earns another turn.

LONTU_HOLO = (1, 2, 3, 9, 8, 7, 12, 11, 10, 4, 5, 6)
TWO = 2  # the least seeds of a pit that gets more


def gives_a_seed_away(difference: Difference) -> bool:
    """The player gives the four seeds of the last pit away, one by one, to pits of the opponent with two or more."""
    state, choice, before, pits = difference.state, difference.choice, difference.before, [*difference.state.pits]
    if difference.kind is not Kind.LEGAL or choice is None or choice.kind != "place" or before is None:
        return False
    source = LONTU_HOLO[_last_pit(difference)] if before.chosen.kind == "lift" else before.chosen.source
    theirs = [pit for pit in state.rules.board.homes[1 - state.player] if pits[pit] >= TWO]
    pits[LONTU_HOLO.index(source)] -= 1
    pits[LONTU_HOLO.index(choice.target)] += 1
    choices = {Choice(source, LONTU_HOLO[pit], choice.label) for pit in theirs}
    return difference.choices == choices and tuple(pits) == difference.pits


def _last_pit(difference: Difference) -> int:
    """The pit in which the last seed of the turn before fell."""
    state, action = difference.last or (difference.state, difference.state.legal_actions[0])
    loop = state.rules.board.loops[state.player]
    pit = state.pit(action) or 0
    return loop[(loop.index(pit) + state.pits[pit]) % len(loop)]


def has_nobody_to_give_to(difference: Difference) -> bool:
    """The player passes instead, as no pit of the opponent has two."""
    state, last = difference.state, difference.last
    theirs = state.rules.board.homes[1 - state.player]
    is_due = last is not None and last[0].player == state.player
    return difference.kind is Kind.PASS and is_due and all(state.pits[pit] < TWO for pit in theirs)


# Mwambulula, in which each player first takes the seeds of the inner row into the hand. Once in the game a player may,
# instead of a move, lay one of them in each own pit. That is left out of what is legal, and made a pass where it was
# chosen.


@in_each_game
def without_the_hand(game: Game) -> Iterator[Ply]:
    """Let the hand be played by passing, and offer it in no other ply while there are seeds in it."""
    counts = game.start
    for ply in game.plies:
        hand = {1: 32, 2: 33}[ply.mover]  # a site
        offered, held = Choice(hand, hand, "") in ply.legal, counts[hand] > 0
        counts = ply.counts
        if ply.chosen.source == hand:
            forced = Choice(PASS, PASS, "")
            yield ply._replace(legal=(forced,), chosen=forced)
        elif offered and held:
            yield ply._replace(legal=tuple(choice for choice in ply.legal if choice.source != hand))
        else:
            yield ply


def brings_the_hand_in(difference: Difference) -> bool:
    """The player lays a seed from the hand in each own pit, which is a turn of its own."""
    state = difference.state
    if difference.kind not in (Kind.PASS, Kind.BOARD) or difference.action is not None:
        return False
    laid = [seeds + (pit in state.rules.board.homes[state.player]) for pit, seeds in enumerate(state.pits)]
    return difference.pits == tuple(laid)


# Picks, and turns that may stop.


def picked_into_the_hand(board: Places, state: State, choice: Choice) -> int:
    """The action for a choice; a pit is picked by moving its seeds into the hand."""
    if choice.kind == "place" and choice.source in board.pits:
        return state.rules.action(state.player, board.pits.index(choice.source))
    return pit_and_direction(board, state, choice)


def or_stops(places: Places, state: State, choice: Choice) -> int:
    """Sow the chosen site; or where a turn may stop, which is recorded as a pass, go on from it or stop."""
    if state.pending is None or state.pending.kind != "go_on":
        return pit_and_direction(places, state, choice)
    return state.legal_actions[-1 if choice.kind == "pass" else 0]


def picks_due(places: Places, before: Sequence[int], ply: Ply) -> tuple[str, int] | None:
    """The picks that are left, which the record that is read numbers as the ply's ``values``."""
    return ("pick", ply.values[0]) if ply.values[0] else None


@allows  # it is not foretold when
def leaves_picks_to_the_opponent(difference: Difference) -> bool:
    """A player could not make all picks, as only special pits were left; the program lets the opponent make them."""
    state, rules = difference.state, difference.state.rules
    if difference.kind is not Kind.LEGAL or state.pending is not None:
        return False
    theirs, special = rules.board.homes[1 - state.player], rules.landing[-1].sparing or ()
    filled = [pit for place, pit in enumerate(theirs) if state.pits[pit] and place not in special]
    picks = {rules.action(state.player, pit) for pit in filled}
    picked = tuple(0 if pit == difference.pit else seeds for pit, seeds in enumerate(state.pits))
    return difference.legal == picks and picked == difference.pits


# Misoro Tsoro, in which the players first choose their special pits. Ours has them in set places. So these records are
# played as Tsoro, where no turn may stop; a lap from a special pit of the mover is one without a choice, and the turns
# that were stopped are explained.

PICKS_LEFT = "ExtraCapture"  # the number that the program keeps of picks that are still to be made


@in_each_game
def with_forced_laps(game: Game) -> list[Ply]:
    """Leave out the choice to stop wherever a lap begins in a special pit of the mover, and only there."""
    plies: list[Ply] = []
    for before, ply in zip((None, *game.plies), game.plies, strict=False):
        lifts = [choice for choice in ply.legal if choice.kind == "lift"]
        stops = len(lifts) == 1 and sorted(choice.kind for choice in ply.legal) == ["lift", "pass"]
        if before is None or not stops or ply.marks.get(lifts[0].source) != ply.mover:
            plies.append(ply)
        elif ply.chosen.kind == "lift":
            plies.append(ply._replace(legal=tuple(lifts)))
        else:
            plies[-1] = plies[-1]._replace(next=ply.next)  # the turn ends with the lap before
    return plies


def with_numbered_picks(record: Record) -> Record:
    """The same, and each pick has as ``values`` how many this player makes from there on."""
    return _with_numbered_picks(with_forced_laps(record))


@in_each_game
def _with_numbered_picks(game: Game) -> list[Ply]:
    plies, left = list[Ply](), 0
    for ply in reversed(game.plies):
        theirs = (ply.chosen.source < len(ply.counts) // 2) == (ply.mover == 2)  # in the opponent's half of the board
        picks = ply.chosen.kind == "lift" and theirs
        left = (left + 1 if plies and plies[-1].mover == ply.mover else 1) if picks else 0
        plies.append(ply._replace(values=(left, left)))
    return plies[::-1]


@allows  # at which of them is the player's choice
def stops_at_a_special_pit(difference: Difference) -> bool:
    """The player stopped with a lap that ended in one of the special pits that this player had chosen."""
    for event, seeds in told(difference):
        if goes_on(event) and tuple(seeds[:-2]) == difference.pits:
            return difference.marks[event.source or 0] == difference.state.player
    return False


def spares_special_pits(difference: Difference) -> bool:
    """The special pits that the opponent has chosen cannot be picked."""
    state = difference.state
    if difference.kind is not Kind.LEGAL or state.pending is None or state.pending.kind != "pick":
        return False
    pits = {action: state.pit(action) or 0 for action in state.legal_actions}
    return difference.legal == {action for action, pit in pits.items() if difference.marks[pit] < 0}


def leaves_a_pick_to_the_opponent(difference: Difference) -> bool:
    """A player to whom only special pits are left to pick passes, and the opponent makes the pick."""
    state, choice = difference.state, difference.choice
    if difference.kind is not Kind.PASS or choice is None or choice.kind != "pass":
        return False
    theirs = [pit for pit in state.rules.board.homes[1 - state.player] if state.pits[pit]]
    is_due = difference.before is not None and difference.before.variables.get(PICKS_LEFT, 0) > 0
    return is_due and all(difference.marks[pit] >= 0 for pit in theirs)


# Tsoro of the Baia, in which a turn begins behind an empty pit, and the first captures earn more picks: five, three,
# and then always two. Our rules have neither; where all pits behind an empty one can be played, others are left open.

LOOPS = {  # sites in sowing order
    1: (*range(13), *range(25, 12, -1)),
    2: (*range(26, 39), *range(51, 38, -1)),
}
EARNED = (5, 3)  # by the first captures
LATER = 2
CAPTURES = "captures"  # the number that is kept after each pick: how many times this player has captured


@in_each_game
def as_tsoro(game: Game) -> list[Ply]:
    """Ask of no pit that it lie behind an empty one, and give each ply the picks that are left as ``values``."""
    plies, counts, left, captures = list[Ply](), game.start, 0, {1: 0, 2: 0}
    for ply in game.plies:
        loop = LOOPS[ply.mover]
        if ply.chosen.kind == "place":
            if left == 0 and plies[-1].chosen.kind != "place":
                captures[ply.mover] += 1
                left = (*EARNED, *[LATER] * captures[ply.mover])[captures[ply.mover] - 1]
            plies.append(ply._replace(values=(left, left), variables={CAPTURES: captures[ply.mover]}))
            left = max(0, left - 1)
        else:
            left = 0
            behind = {site for before, site in zip((loop[-1], *loop), loop, strict=False) if not counts[before]}
            known = {choice.source for choice in ply.legal} == {site for site in behind if counts[site]}
            is_lap = bool(plies) and plies[-1].mover == plies[-1].next and plies[-1].chosen.kind == "lift"
            complete = ply.complete and (is_lap or not known)
            plies.append(ply._replace(values=(0, 0), complete=complete))
        counts = ply.counts
    return plies


def earns_fewer_picks(difference: Difference) -> bool:
    """All captures of a player after the second earn two picks, not three."""
    pending = difference.state.pending
    is_last = pending is not None and pending[:2] == ("pick", EARNED[1] - LATER)
    is_later = difference.before is not None and difference.before.variables.get(CAPTURES, 0) > len(EARNED)
    return difference.kind is Kind.MOVER and is_last and is_later


@comes_to
def captures_nothing_with_a_single_seed(state: State, action: int) -> list[int] | None:
    """A lap of a single seed captures nothing."""
    home, pit, pits = state.rules.board.homes[state.player], state.pit(action) or 0, [*state.pits]
    following = home[(home.index(pit) + 1) % len(home)]
    if pits[pit] != 1 or pits[following] != 0:
        return None
    pits[pit], pits[following] = 0, 1
    return [*pits, *state.stores]


# Tchela, in which each player has an extra pit that a lap may take in, if it is empty, or leave out. The choice is left
# out of what is legal, and the turns in which a seed was laid in it are explained.

TCHELA = (
    *(0, 1, 2, 3, 16, 17, 18, 19, 23, 22, 21, 20, 7, 6, 5, 4),
    *(31, 30, 29, 28, 15, 14, 13, 12, 8, 9, 10, 11, 24, 25, 26, 27),
)
TCHELA_OF_SIX = (
    *(0, 1, 2, 12, 13, 14, 17, 16, 15, 5, 4, 3),
    *(23, 22, 21, 11, 10, 9, 6, 7, 8, 18, 19, 20),
)


def _extra_pits(columns: int) -> tuple[int, int]:
    """The sites of South's and North's extra pit."""
    return 4 * columns, 4 * columns + 1


@in_each_game
def without_the_extra_pit(game: Game) -> Iterator[Ply]:
    """Make one choice of a pit, whichever way it goes, and offer the extra pit only where it was played."""
    extra = _extra_pits(8 if len(game.start) > 4 * 8 else 6)
    for ply in game.plies:
        chosen = ply.chosen._replace(label="")
        others = [choice._replace(label="") for choice in ply.legal if choice.source not in extra]
        yield ply._replace(legal=tuple(dict.fromkeys([*others, chosen])), chosen=chosen)


@allows  # where the seed falls is not foretold
def plays_the_extra_pit(difference: Difference) -> bool:
    """The seed of the extra pit was played."""
    choice, extra = difference.choice, _extra_pits(difference.state.rules.board.columns)
    return difference.kind in (Kind.LEGAL, Kind.END) and choice is not None and choice.source in extra


@allows  # whether it is taken in, and when, is the player's choice
def lays_a_seed_in_the_extra_pit(difference: Difference) -> bool:
    """The player took the extra pit in, in which a seed of the lap then lies."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    passes, laid = 1, 0
    while laid < passes:  # when the pit is passed for the first time, for the second time, and so on
        turn = _with_the_extra_pit(difference, difference.action, laid)
        passes = turn.passes
        if laid < passes and is_recorded(difference, turn.seeds):
            return True
        laid += 1
    return False


def captures_as_on_eight_columns(difference: Difference) -> bool:
    """The program takes pits as many sites ahead as on a board of eight columns, and so others than those across."""
    if difference.kind is not Kind.BOARD or difference.action is None:
        return False
    return is_recorded(difference, _with_the_extra_pit(difference, difference.action, None).seeds)


class _Turn(NamedTuple):
    """Pits and stores after a turn, and how often it passed the extra pit."""

    seeds: list[int]
    passes: int


def _with_the_extra_pit(difference: Difference, action: int, laid: int | None) -> _Turn:
    """A turn in which a seed is laid in the extra pit after so many passes, or in none."""
    state, before = difference.state, difference.before
    board, loop, pits, stores = state.rules.board, state.rules.board.loops[state.player], [*state.pits], [*state.stores]
    place, passes = loop.index(state.pit(action) or 0), 0
    for _ in range(state.rules.max_laps):
        hand = lift(pits, loop[place])
        while hand > 0:
            if (place + 1) % len(loop) == 3 * board.columns // 2:  # the extra pit lies in the middle of the inner row
                hand -= passes == laid
                passes += 1
                if hand == 0:  # the last seed lies in the extra pit
                    return _Turn([*pits, *stores], passes)
            place = sow(pits, loop, place, 1)
            hand -= 1
        if pits[loop[place]] == 1:
            sites, known = _across(state, loop[place]), TCHELA if board.columns == 8 else TCHELA_OF_SIX
            taken = [known.index(site) for site in sites if site in known]
            if taken and pits[taken[0]]:
                stores[state.player] += sum(lift(pits, pit) for pit in taken)
                extra = [site for site in sites if site in _extra_pits(board.columns)]
                stores[state.player] += sum(before.counts[site] for site in extra) if before else 0
            break
    return _Turn([*pits, *stores], passes)


def _across(state: State, last: int) -> list[int]:
    """The sites that a last seed in this empty pit captures, if the first holds seeds; none in an outer pit.

    On six columns the program counts sites as on eight.
    """
    board = state.rules.board
    if board.facing[last] == last:
        return []
    if board.columns == 8:
        return [TCHELA[board.facing[last]], TCHELA[board.outer[last]]]
    return [TCHELA_OF_SIX[last] + step * (1 - 2 * state.player) for step in (4, 8)]
