"""The rules of matches once more, slowly: what the end of a game means for the match, and how the next one starts.

Like ``tests.reference``, which plays the games, this file shares no code with the package."""

from collections.abc import Sequence
from typing import NamedTuple

from mancala_env import Ruleset


class Outcome(NamedTuple):
    """How the match stands after a game, and the next game, should there be one."""

    standing: tuple[float, float]  # pits owned, tallies or totals
    decided: bool
    pits: tuple[int, ...]
    stores: tuple[int, int]
    owner: tuple[int, ...]
    reserve: tuple[int, int]
    tally: tuple[float, float]
    closed: frozenset[int] = frozenset()


def after_game(
    rules: Ruleset,
    reserve: tuple[int, int],
    tally: tuple[float, float],
    scores: tuple[float, float],
    winner: int | None,
    first: int,
) -> Outcome:
    """A game has ended with these scores. ``reserve`` and ``tally`` are those it was played with, and
    ``first`` will begin the next one."""
    if rules.match == "territory":
        return after_territory(rules, scores)
    if rules.match == "refill" and rules.unfilled != "thinned":
        return after_own_refill(rules, (reserve[0] + scores[0], reserve[1] + scores[1]), first)
    if rules.match == "refill":
        return after_refill(rules, (reserve[0] + scores[0], reserve[1] + scores[1]))
    if rules.match == "points":
        tally = tally[0] + scores[0], tally[1] + scores[1]
    else:
        tally = add_win(rules, tally, winner) if rules.match == "wins" else add_difference(rules, tally, scores)
    return Outcome(tally, max(tally) >= rules.target, start(rules), (0, 0), rules.board.owner, (0, 0), tally)


def after_territory(rules: Ruleset, scores: tuple[float, float]) -> Outcome:
    """The winner of the game owns a pit more for every pit's worth of seeds above one half, and fills the board anew.
    The extra pits are the loser's first ones in sowing order: those next to the winner's right-hand end."""
    row, full = rules.board.columns, rules.seeds
    owner = [0] * row + [1] * row
    pits, stores = [full] * (2 * row), [0, 0]
    winner = 1 if scores[1] > scores[0] else 0
    loser = 1 - winner
    row_of_loser = [pit for pit in range(2 * row) if owner[pit] == loser]
    whole, rest = divmod(max(0, max(scores) - row * full), full)
    extra = int(whole) + (1 if 2 * rest > full else 0)  # a pit goes to who fills more than half of it
    for pit in row_of_loser[:extra]:
        owner[pit] = winner
    if rules.remainder == "keep" and rest > 0:
        border = row_of_loser[int(whole)]  # the pit that neither can fill alone
        if 2 * rest > full:
            pits[border] = rest
            stores[loser] = full - rest
        elif 2 * rest < full:
            pits[border] = full - rest
            stores[winner] = rest
        else:
            pits[border] = 0
            stores = [rest, rest]
    owned = (owner.count(0), owner.count(1))
    decided = max(owned) >= (rules.target or 2 * row)
    return Outcome(owned, decided, tuple(pits), (stores[0], stores[1]), tuple(owner), (0, 0), (0, 0))


def after_refill(rules: Ruleset, totals: tuple[float, float]) -> Outcome:
    """Both players lay out as many seeds as the poorer has, from right to left; the richer keeps the rest aside."""
    row = rules.board.columns
    least = min(totals)
    one_row = [0] * row
    if least >= row:
        for k in range(least):
            one_row[row - 1 - k % row] += 1
    reserve = (totals[0] - least, totals[1] - least)
    return Outcome(totals, least < row, (*one_row, *one_row), (0, 0), rules.board.owner, reserve, (0, 0))


def after_own_refill(rules: Ruleset, totals: tuple[float, float], first: int) -> Outcome:
    """Each player fills their own pits. Pits without seeds for them are closed, or seeds are borrowed for them."""
    seeds_of, homes = start(rules), rules.board.homes
    full = seeds_of[homes[0][0]]
    filled = [min(int(seeds // full), len(home)) for seeds, home in zip(totals, homes, strict=True)]
    if rules.unfilled == "borrowed":
        half = sum(seeds_of) // 2  # of houses that belong to nobody each player fills one half
        reserve = (totals[0] - half, totals[1] - half)
        return Outcome(totals, min(totals) < full, seeds_of, (0, 0), rules.board.owner, reserve, (0, 0))
    if rules.unfilled == "columns":
        filled = [min(filled)] * 2
    closed = []
    for player, home in enumerate(homes):
        still_open = list(home)  # from the player's left to the right
        while len(still_open) > filled[player]:
            at_left = {
                "left": True,
                "right": False,
                "outside": (len(home) - len(still_open)) % 2 == 0,
                "columns": player != first,  # the right of one is the left of the other
            }[rules.unfilled]
            closed.append(still_open.pop(0 if at_left else -1))
    pits = tuple(0 if pit in closed else seeds for pit, seeds in enumerate(seeds_of))
    reserve = (totals[0] - full * filled[0], totals[1] - full * filled[1])
    return Outcome(totals, 0 in filled, pits, (0, 0), rules.board.owner, reserve, (0, 0), frozenset(closed))


def add_win(rules: Ruleset, tally: tuple[float, float], winner: int | None) -> tuple[float, float]:
    """A win is a point; a draw is nothing, or half a point each."""
    south, north = tally
    if winner is None:
        return south + rules.draw_points, north + rules.draw_points
    return (south + 1, north) if winner == 0 else (south, north + 1)


def add_difference(rules: Ruleset, tally: tuple[float, float], scores: tuple[float, float]) -> tuple[float, float]:
    """The winner's tally grows by the difference; where it is "signed", the loser's lead shrinks first."""
    south, north = tally
    lead = scores[0] - scores[1]
    if rules.difference == "signed":
        total = south - north + lead
        return max(total, 0), max(-total, 0)
    return south + max(lead, 0), north + max(-lead, 0)


def start(rules: Ruleset) -> tuple[int, ...]:
    """The pits before the first move."""
    return rules.start_pits


def next_first(rules: Ruleset, first: int, winner: int | None) -> int:
    """Who begins the next game, after one that ``first`` began and ``winner`` won."""
    if rules.first_mover == "south":
        return 0
    if rules.first_mover == "alternate":
        return 1 - first
    if winner is None:
        return first
    return winner if rules.first_mover == "winner" else 1 - winner


def match_winner(rules: Ruleset, standing: tuple[float, float], last_scores: tuple[float, float]) -> int | None:
    """Who has more; of two with as many pits the winner of the last game."""
    if standing[0] == standing[1] and rules.match == "territory":
        return higher(last_scores)
    return higher(standing)


def higher(scores: Sequence[float]) -> int | None:
    """0 or 1, whoever has more; None if both have the same."""
    if scores[0] == scores[1]:
        return None
    return 0 if scores[0] > scores[1] else 1
