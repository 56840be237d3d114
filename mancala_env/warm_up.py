"""Compile the kernels of chosen games ahead of time: for machine images, CI, and a quick first move.

``mancala warm-up oware kalah`` plays a few moves of each game through ``State``, ``Batch`` and its encoders, and makes
the build of the engine for its rules, which a game otherwise gets when it has been played much. The kernels are kept
on disk. Agents have kernels of their own, which are compiled when they first move.
"""

import sys
from collections.abc import Sequence

from mancala_env.games import RULESETS, ruleset
from mancala_env.kernels.engine import MUCH
from mancala_env.rules import Ruleset


def warm_up(rules: Ruleset | str) -> None:
    """Compile all kernels that a game needs, but for encoders that look ahead."""
    from mancala_env.batch import Batch

    rules = ruleset(rules)
    state = rules.start()
    if not state.is_over:
        state = state.play(state.legal_actions[0])
    _ = state.scores, state.winner
    rules.encoded.to_play(MUCH)
    batch = Batch(rules, 2)
    batch.play(batch.random_actions())
    batch.observe()


def main(arguments: Sequence[str] | None = None) -> int:
    """``mancala warm-up``."""
    from mancala_env.cli import GAME, Parser, fail, rules_text
    from mancala_env.kernels import engine, specialise

    parser = Parser("mancala warm-up", __doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{GAME} (default: all)")
    parser.add_argument("--source", action="store_true", help="instead, print how the engine plays the games given")
    options = parser.parse_args(arguments)
    games = options.games or list(RULESETS)
    try:
        if options.source:
            each_axes = (ruleset(rules_text(game)).encoded.axes for game in games)
            print(*(specialise.source(engine.turn_at, axes) for axes in each_axes), sep="\n")
            return 0
        for k, game in enumerate(games, 1):
            warm_up(rules_text(game))
            print(f"{k}/{len(games)} {game}", file=sys.stderr, flush=True)
    except (OSError, ValueError) as error:
        fail(parser.prog, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
