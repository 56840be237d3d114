"""The value of a game: ``mancala solve value kalah:pits_per_row=4,seeds=3``.

Games in which no position comes back (Kalah and its relatives) are solved by null-window searches to the end of the
game. Others are searched deeper and deeper until no line is cut off, which ends on small boards only.
"""

import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.provenance import provenance
from agents.search import Searcher
from agents.search.limits import MAX_DEPTH, check_limit, check_memory
from agents.search.proof import prove, solved_at_once
from agents.search.searcher import NotSolved
from agents.tablebase import build
from agents.tablebase.files import check_rules, is_exact, why_none
from agents.tablebase.probe import NO_TABLE, Probe, load
from mancala_env.games import ruleset as named
from mancala_env.progress import at_work
from mancala_env.rules import Match, Ruleset
from mancala_env.state import State, the_state


@dataclass(frozen=True)
class Solution:
    """A solved position."""

    position: str  # as ``State.parse`` reads it
    value: float  # the final margin for the mover, with best play by both, in seeds; else as ``Found.value``
    values: dict[int, float]  # that of every legal action
    best: tuple[int, ...]  # the actions of the highest value
    nodes: int  # positions made
    seconds: float


class Solver:
    """Exact values of positions of one ruleset, each in at most ``nodes``; two ``threads`` prove from both sides."""

    def __init__(
        self,
        rules: Ruleset | str,
        memory: int = 256,
        nodes: int | None = None,
        tables: Probe = NO_TABLE,
        threads: int = 1,
    ) -> None:
        self.rules = named(rules)
        if self.rules.match is not Match.NONE:
            raise ValueError(f"{self.rules.name} is a match of many games, which no search sees to its end")
        if threads < 1:
            raise ValueError(f"threads must be 1 or more, not {threads}")
        check_limit("nodes", nodes)
        self.nodes = 0
        self._limit = nodes
        self._searcher = Searcher(self.rules, memory, tables=tables)
        if solved_at_once(self.rules):  # compiles now, if need be, and not while time is measured
            prove(self._searcher, self.rules.start(), nodes=1)
        else:
            self._searcher.search(self.rules.start(), 1)
        self._helper = self._searcher.partner() if threads > 1 else None

    def value(self, state: State) -> float:
        """The mover's final margin in seeds. NotSolved at a limit; ValueError if over."""
        state = the_state(state)
        if not solved_at_once(self.rules):
            found = self._searcher.search(state, MAX_DEPTH, self._limit, ties=False)
            self.nodes += found.nodes
            if not found.exact:
                raise NotSolved(
                    f"{self.rules.name}: looked {found.depth} plies ahead ({found.nodes:,} positions) without reaching "
                    f"the end of all lines from {state}; take a smaller board or a position with fewer seeds"
                )
            return found.value
        before = self._made
        solved = prove(self._searcher, state, nodes=self._limit, helper=self._helper)
        self.nodes += self._made - before
        if solved is None:
            raise NotSolved(f"{self.rules.name}: not solved within {self._limit:,} nodes: {state}")
        return solved.value

    def move_values(self, state: State, progress: Callable[[int, float], None] | None = None) -> dict[int, float]:
        """The value of every legal action for the mover, in seeds; ``progress`` gets each. Errors as ``value``."""
        values = {}
        for action in the_state(state).legal_actions:
            child = state.play(action)
            if child.is_over:
                value = final_margin(child, state.player)
            else:
                sign = 1 if child.player == state.player else -1
                value = sign * self.value(child)
                if not self.rules.counts_seeds:  # each ply that a win takes costs 1
                    value -= math.copysign(1, value) if value else 0
            values[action] = value + 0.0  # no negative zeros
            if progress is not None:
                progress(action, values[action])
        return values

    def solution(self, state: State, progress: Callable[[int, float], None] | None = None) -> Solution:
        """Everything about a position. Errors as ``value``."""
        begin, nodes = time.perf_counter(), self.nodes
        value = self.value(state)
        values = self.move_values(state, progress)
        best = tuple(action for action, each in values.items() if each == value)
        return Solution(str(state), value, values, best, self.nodes - nodes, time.perf_counter() - begin)

    @property
    def _made(self) -> int:
        return self._searcher.made + (self._helper.made if self._helper else 0)


def final_margin(state: State, player: int) -> float:
    """The lead of ``player`` when the game is over, in seeds; in games without scores +-10,000, as in search."""
    if state.scores is None:
        return 10_000.0 * state.returns[player]
    if state.winner is None:  # also with more seeds than the other, where these do not win
        return 0.0
    return float(state.scores[player] - state.scores[1 - player])


def endgames(rules: Ruleset, seeds: int, folder: Path | None = None, quiet: bool = True) -> Probe:
    """Exact tables of a game for at most ``seeds`` seeds, built if need be. ValueError if there can be none."""
    check_rules(rules)
    if not is_exact(rules):
        raise ValueError(f"{rules.name}: endgame tables of these rules hold bounds, not values: give --endgames 0")
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mancala-endgames-")))
        place.mkdir(parents=True, exist_ok=True)
        if not quiet:
            print(f"endgames of up to {seeds} seeds: building, or reading {place}", file=sys.stderr)
        build(rules, seeds, place, threads=os.cpu_count() or 1)
        return load(place, rules, seeds)


def _worthwhile(rules: Ruleset, state: State) -> int:
    """The default number of seeds of endgame tables: 0 where building them would take longer than the search."""
    pits, seeds = rules.board.pits, sum(state.pits)
    if pits > 12 or why_none(rules) is not None or not is_exact(rules):
        return 0
    if rules.repetition:  # no search would see its end
        return seeds if seeds <= 15 else 0
    if seeds <= 24:
        return 0
    return 12 if seeds <= 40 else 18


def _parser() -> Any:
    from mancala_env.cli import GAME, Parser

    parser = Parser("mancala solve value", __doc__)
    parser.add_argument("rules", metavar="GAME", help=GAME)
    parser.add_argument("--position", metavar="TEXT", help="this one, as printed by State, perhaps with: moves C F")
    parser.add_argument("--memory", type=int, default=1024, metavar="MB", help="of the table")
    parser.add_argument("--endgames", type=int, metavar="N", help="build tables of up to N seeds first; 0: none")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="keep these tables here, and use them if they are")
    parser.add_argument("--nodes", type=int, metavar="N", help="maximum number of nodes per position")
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count() or 1, metavar="N", help="1, or 2 (default with two cores or more)"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """The command. Exits with status 2 and one line on bad input, 130 when interrupted."""
    from mancala_env.cli import fail, rules_text

    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        rules = named(rules_text(options.rules))
        state = State.parse(rules, options.position) if options.position is not None else rules.start()
        check_memory(options.memory)  # before anything is built
        begin = time.perf_counter()
        covered = _worthwhile(rules, state) if options.endgames is None else options.endgames
        if options.tables and options.endgames is None:
            covered = max(covered, min(12, sum(state.pits)))
        if covered < 0:
            raise ValueError(f"--endgames must be 0 or more, not {covered}")
        tables = NO_TABLE
        if covered > 0:
            tables = endgames(rules, covered, options.tables, quiet=options.json)
        solver = Solver(rules, options.memory, options.nodes, tables, options.threads)
        prepared = time.perf_counter() - begin

        def tell(action: int, value: float) -> None:
            print(f"  {state.name(action)}: {value:+g}  ({solver.nodes:,} nodes so far)", file=sys.stderr, flush=True)

        with at_work(parser.prog):
            solution = solver.solution(state, None if options.json else tell)
    except (ValueError, OSError) as why:
        fail(parser.prog, why)
    except MemoryError:
        fail(parser.prog, "there is no memory for this; give less --memory, or fewer --endgames")
    except KeyboardInterrupt:
        fail(parser.prog, "interrupted; nothing is kept", 130)
    _show(solution, state, prepared, rules, options)


def _show(solution: Solution, state: State, prepared: float, rules: Ruleset, options: Any) -> None:
    if options.json:
        made = {**provenance(rules, seed=0), "preparation_seconds": prepared}
        names = {
            "best_moves": [state.name(action) for action in solution.best],
            "move_values": {state.name(action): value for action, value in solution.values.items()},
        }
        print(json.dumps({"game": rules.name, **made, **asdict(solution), **names}))
        return
    print(solution.position)
    if rules.players == 1:
        print(f"value       {'can be won' if solution.value > 0 else 'cannot be won'}")
    else:
        print(f"value       {solution.value:+g} for the mover, with best play by both")
    print(f"best        {', '.join(map(state.name, solution.best))}")
    alone = {action: "won" if value > 0 else "lost" for action, value in solution.values.items()}
    told = alone if rules.players == 1 else {action: f"{value:+g}" for action, value in solution.values.items()}
    print("each move   " + "  ".join(f"{state.name(action)}: {value}" for action, value in told.items()))
    rate = solution.nodes / max(solution.seconds, 1e-9)
    print(f"effort      {solution.nodes:,} nodes, {solution.seconds:.2f} s, {rate / 1e6:.1f} M nodes/s")
    print(f"before that {prepared:.2f} s for endgame tables, memory, and compiling")
