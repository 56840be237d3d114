"""What happens on the board in a game, in tags that are read off its axes: to find games by, and to count them."""

from collections.abc import Callable

from mancala_env.rules.groups import RuleBook
from mancala_env.rules.landing import When

# Tag: what it says of a game, and whether it holds. In the order of a rule book.
MECHANISMS: dict[str, tuple[str, Callable[[RuleBook], bool]]] = {
    "neighbours": ("seeds go to the pits around, not along a track", lambda rules: rules.sowing == "neighbours"),
    "reaping": ("seeds are gathered pit by pit and laid down at once", lambda rules: rules.sowing == "reaping"),
    "piles": ("a seed of each pile goes to a new pile", lambda rules: rules.sowing == "piles"),
    "clockwise": ("seeds are sown clockwise", lambda rules: rules.direction == "clockwise"),
    "direction-chosen": (
        "a player chooses the direction of sowing",
        lambda rules: rules.offers_directions and not rules.reverses,
    ),
    "direction-by-pit": ("pits have directions of their own", lambda rules: isinstance(rules.direction, tuple)),
    "reversed": ("some pits are sown the other way to capture", lambda rules: rules.reverses),
    "laps-reversed": ("later laps of a turn, too, are sown the other way to capture", lambda rules: rules.reverse_laps),
    "heaps": ("several seeds fall into each pit at once", lambda rules: rules.seeds_a_pit > 1),
    "turns-round": ("each lap of a turn goes the other way", lambda rules: rules.turns_round),
    "own-store": ("seeds are sown into the mover's store", lambda rules: rules.store == "own"),
    "both-stores": ("seeds are sown into both stores", lambda rules: rules.store == "both"),
    "origin-skipped": ("no seed falls in the pit that a lap started from", lambda rules: rules.skip_origin),
    "surplus": ("seeds beyond a round fall on the opponent's side", lambda rules: rules.surplus == "opponent"),
    "seed-left": ("one seed stays in the pit that is lifted", lambda rules: rules.leave != "nothing"),
    "relay": (
        "a turn goes on from the pit where a lap ends",
        lambda rules: _any(rules, lambda clause: clause.relays_here) or _from_ends(rules),
    ),
    "relay-next": ("a turn goes on from the pit after that", lambda rules: _then(rules, "relay_next")),
    "sown-on": ("captured seeds are sown on", lambda rules: _then(rules, "sow_on")),
    "again": ("another turn can be earned", lambda rules: _then(rules, "again")),
    "count-capture": (
        "a pit is captured for the number of seeds that it then holds",
        lambda rules: _any(rules, lambda clause: _captures(clause, "here") and _counts(clause)),
    ),
    "place": (
        "what comes of a last seed depends on its place",
        lambda rules: _any(rules, lambda clause: clause.place is not None),
    ),
    "across-capture": ("the pit across is captured", lambda rules: _takes(rules, "facing") or _from_ends(rules)),
    "outer-capture": ("a pit beyond the one across is captured", lambda rules: _takes(rules, "outer")),
    "next-capture": (
        "a pit after the last one is captured",
        lambda rules: _takes(rules, "next", "next2", "facing_next"),
    ),
    "neighbour-capture": ("the pits beside the last one are captured", lambda rules: _takes(rules, "neighbours")),
    "passing-capture": ("pits are captured that seeds pass", lambda rules: rules.passing is not None),
    "passed-over": ("seeds pass over pits with certain numbers", lambda rules: rules.skipping is not None),
    "chain-capture": (
        "a capture goes on to pits next to it",
        lambda rules: _any(rules, lambda clause: clause.chain is not None),
    ),
    "over-gaps": (
        "a capture goes on over empty pits",
        lambda rules: _any(rules, lambda clause: clause.onward is not None),
    ),
    "from-ends": ("captured seeds are sown from an end", lambda rules: rules.sowing == "from_ends"),
    "reserve": ("seeds are brought into play one by one", lambda rules: rules.reserve > 0),
    "may-stop": ("a turn may go on or stop", lambda rules: rules.may_stop),
    "picks": ("the mover picks pits to capture", lambda rules: rules.has_picks),
    "raid": ("a capture takes every pit with certain numbers of seeds", lambda rules: _takes(rules, "every")),
    "marks": ("pits are marked as a player's", lambda rules: rules.has_marks and rules.marked_pits != "taken"),
    "collecting-marks": ("seeds in marked pits are won at once", lambda rules: rules.marked_pits == "collect"),
    "marks-taken": ("pieces are taken with the pits where they lie", lambda rules: rules.marked_pits == "taken"),
    "closed-pits": ("pits are taken out of play", lambda rules: rules.marked_pits == "closed"),
    "grand-slam": ("a capture of everything has a rule of its own", lambda rules: rules.grand_slam != "capture"),
    "feeding": ("the opponent must be left or given seeds", lambda rules: rules.feeding != "none"),
    "singles": ("a single seed moves under conditions only", lambda rules: rules.singles != "as_others"),
    "barred": (
        "some pits are played only if nothing else can be, or before all others",
        lambda rules: rules.barred is not None or rules.forced is not None,
    ),
    "memory": ("the game remembers which pits have been played", lambda rules: rules.remember != "nothing"),
    "first-lap": ("a first lap may end in certain pits only", lambda rules: rules.first_lap != "anywhere"),
    "least-seeds": ("a pit needs two seeds or more to be played", lambda rules: rules.min_start > 1),
    "opening": ("first moves have rules of their own", lambda rules: bool(rules.opening or rules.plain_plies)),
    "pass": ("a player without a move waits", lambda rules: rules.stuck == "pass"),
    "empty-side": ("an empty side ends the game at once", lambda rules: rules.end_check == "any_side"),
    "other-owners": (
        "players play, or own, other pits than the row before them",
        lambda rules: rules.board.kind in ("crossed_rows", "open_rows", "side_blocks"),
    ),
    "houses": ("pits on the way round belong to nobody", lambda rules: bool(rules.board.houses)),
    "refill": ("an empty row is filled again from the store", lambda rules: rules.refill_empty_side),
    "few-seeds": (
        "the game ends when few seeds are left",
        lambda rules: rules.end_few > 0 or rules.end_when == "all_single",
    ),
    "target": ("a number of seeds ends the game", lambda rules: bool(rules.target_seeds)),
    "leftover": ("seeds left go to others than their owners", lambda rules: rules.leftover != "owner"),
    "last-mover": ("a player who cannot move loses", lambda rules: rules.goal == "last_mover"),
    "empty-block": ("the player who is empty first wins", lambda rules: rules.goal == "empty_block"),
    "outlast": ("the player who is empty first loses", lambda rules: rules.goal in ("outlast", "inner_row")),
    "solitaire": ("one player plays alone", lambda rules: rules.players == 1),
    "losing-landing": ("a last seed can lose the game", lambda rules: _then(rules, "lose")),
    "match": ("games make up a match", lambda rules: rules.match != "none"),
    "unfilled-pits": (
        "pits that lack seeds in the next game are closed, or filled with borrowed ones",
        lambda rules: rules.unfilled != "thinned",
    ),
}


def mechanisms(rules: RuleBook) -> tuple[str, ...]:
    """The tags of a game, keys of ``MECHANISMS`` in their order.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> mechanisms(mancala.ruleset("kalah"))
    ('own-store', 'again', 'across-capture', 'empty-side')
    """
    return tuple(tag for tag, (_, holds) in MECHANISMS.items() if holds(rules))


def _any(rules: RuleBook, asked: Callable[[When], bool]) -> bool:
    return any(asked(clause) for clause in rules.landing)


def _then(rules: RuleBook, how: str) -> bool:
    return _any(rules, lambda clause: clause.then == how)


def _from_ends(rules: RuleBook) -> bool:
    return rules.sowing == "from_ends"


def _takes(rules: RuleBook, *pits: str) -> bool:
    return _any(rules, lambda clause: not {*pits}.isdisjoint(clause.takes))


def _captures(clause: When, pit: str) -> bool:
    return pit in clause.takes and clause.then != "sow_on"


def _counts(clause: When) -> bool:
    return clause.count is not None
