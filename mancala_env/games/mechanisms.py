"""What happens on the board in a game, in tags that are read off its axes: to find games by, and to count them."""

from collections.abc import Callable

from mancala_env.rules.checks import holds
from mancala_env.rules.encode import RuleBook

# Tag: what it says of a game, and the facts of which one must hold. In the order of a rule book.
_TAGS: dict[str, tuple[str, str | Callable[[RuleBook], bool]]] = {
    "neighbours": ("seeds go to the pits around, not along a track", "sowing='neighbours'"),
    "reaping": ("seeds are gathered pit by pit and laid down at once", "sowing='reaping'"),
    "piles": ("a seed of each pile goes to a new pile", "sowing='piles'"),
    "clockwise": ("seeds are sown clockwise", "direction='clockwise'"),
    "direction-chosen": (
        "a player chooses the direction of sowing",
        lambda rules: rules.offers_directions and not rules.reverses,
    ),
    "direction-by-pit": ("pits have directions of their own", "a direction for each pit"),
    "reversed": ("some pits are sown the other way to capture", "direction='reverse'"),
    "turns-round": ("each lap of a turn goes the other way", "direction='choice_turning'"),
    "own-store": ("seeds are sown into the mover's store", "store='own'"),
    "origin-skipped": ("no seed falls in the pit that a lap started from", "skip_origin"),
    "seed-left": ("one seed stays in the pit that is lifted", "leave"),
    "relay": ("a turn goes on from the pit where a lap ends", "When(then='relay')|or_stop()|sowing='bao'"),
    "relay-next": ("a turn goes on from the pit after the last one", "When(then='relay_next')"),
    "sown-on": ("captured seeds are sown on", "sow_on()"),
    "again": ("another turn can be earned", "When(then='again')"),
    "count-capture": (
        "a pit is captured for the number of seeds that it then holds",
        lambda rules: any(
            "here" in clause.takes and clause.count is not None and clause.then != "sow_on" for clause in rules.landing
        ),
    ),
    "place": (
        "what comes of a last seed depends on its place",
        lambda rules: any(isinstance(clause.place, frozenset) for clause in rules.landing),
    ),
    "across-capture": ("the pit across is captured", "capture('facing')|sowing='bao'"),
    "outer-capture": ("a pit beyond the one across is captured", "capture('outer')"),
    "next-capture": ("a pit after the last one is captured", "capture('next')|capture('next2')|capture('facing_next')"),
    "neighbour-capture": ("the pits beside the last one are captured", "capture('neighbours')"),
    "passing-capture": ("pits are captured that seeds pass", "passing"),
    "passed-over": ("seeds pass over pits with certain numbers", "skipping"),
    "chain-capture": ("a capture goes on to pits next to it", "capture(chain=...)"),
    "over-gaps": (
        "a capture goes on over empty pits",
        "capture(chain_direction='gaps')|capture(chain_direction='across')",
    ),
    "from-ends": ("captured seeds are sown from an end", "sowing='bao'"),
    "may-stop": ("a turn may go on or stop", "reserve|or_stop()"),
    "picks": ("the mover picks pits to capture", "pick()"),
    "raid": ("a capture takes every pit with certain numbers of seeds", "capture('every')"),
    "marks": ("pits become a player's, or closed", lambda rules: rules.has_marks and rules.marked_pits != "taken"),
    "grand-slam": ("a capture of everything has a rule of its own", "grand_slam"),
    "feeding": ("the opponent must be left or given seeds", "feeding"),
    "singles": ("a single seed moves under conditions only", "singles"),
    "barred": ("some pits are played only if nothing else can be, or before all others", "barred|forced"),
    "memory": ("the game remembers which pits have been played", "remember"),
    "first-lap": ("a first lap may end in certain pits only", "first_lap"),
    "least-seeds": ("a pit needs two seeds or more to be played", "min_start"),
    "opening": ("first moves have rules of their own", "opening"),
    "pass": ("a player without a move waits", "stuck='pass'"),
    "empty-side": ("an empty side ends the game at once", "end_check='any_side'"),
    "other-owners": ("players play, or own, other pits than the row before them", "crossed_rows|open_rows|side_blocks"),
    "few-seeds": ("the game ends when few seeds are left", "end_few|end_when='all_single'"),
    "leftover": ("seeds left go to others than their owners", "leftover"),
    "last-mover": ("a player who cannot move loses", "goal='last_mover'"),
    "empty-block": ("the player who is empty first wins", "goal='empty_block'"),
    "outlast": ("the player who is empty first loses", "goal='outlast'|goal='inner_row'"),
    "solitaire": ("one player plays alone", "solo_row|piles"),
    "match": ("games make up a match", "match"),
    "unfilled-pits": ("pits that lack seeds in the next game are closed, or filled with borrowed ones", "unfilled"),
}
MECHANISMS = {tag: about for tag, (about, _) in _TAGS.items()}


def mechanisms(rules: RuleBook) -> tuple[str, ...]:
    """The tags of a game, keys of ``MECHANISMS`` in their order, as ('own-store', 'again', 'across-capture')."""
    return tuple(
        tag for tag, (_, says) in _TAGS.items() if (holds(rules, says) if isinstance(says, str) else says(rules))
    )
