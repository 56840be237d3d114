"""Do the quick tests notice a broken rule? Break the rules of the kernels one by one: ``python -m tests.mutants``.

Each mutant is a copy of the tree with one rule broken, in which the quick tests of the rules run as plain Python, so
that nothing is compiled. A mutant that survives shows a quick test that is missing: these tests did not see the rule
broken, whatever others would have seen. Those of the table are no equivalents: each plays some position otherwise than
the rules say.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KERNELS = Path("mancala_env", "kernels")
COPIED = ("mancala_env", "agents", "training", "docs", "tests", "pyproject.toml")
TIME_LIMIT = 1800  # seconds: a mutant that never ends is killed, too


class Mutant(NamedTuple):
    """One broken rule: ``original``, which stands once in a file of the kernels, becomes ``mutated``."""

    name: str
    file: str
    original: str
    mutated: str
    rule: str


MUTANTS = (
    Mutant(
        "origin", "sowing.py", "skips = axes[L.SKIP_ORIGIN] != 0\n", "skips = False\n",
        "A lap of more than a round passes over the pit that it began in.",
    ),
    Mutant(
        "sown_heaps", "landing.py", "L.WAS_EMPTY if count == fell", "L.WAS_EMPTY if count == 1",
        "Where several seeds fall at once, a pit was empty if it holds no more than those.",
    ),
    Mutant(
        "facing_counts", "landing.py", "matches and (axes[base + L.FACING_COUNTS] >> across) & 1 != 0", "matches",
        "A clause may ask how many seeds lie across.",
    ),
    Mutant(
        "chain_round", "captures.py", "np.int64(0), axes[L.LOOP] - 1", "np.int64(0), axes[L.LOOP]",
        "A chain backwards round the whole board takes each pit once.",
    ),
    Mutant(
        "own_chain", "board.py", "(player if whose == L.CHAIN_OWN else 1 - player)", "1 - player",
        "A chain of own pits ends at the opponent's.",
    ),
    Mutant(
        "gaps", "captures.py", "position[gap] > 0 or position[full] == 0", "position[full] == 0",
        "A capture goes on past empty pits only.",
    ),
    Mutant(
        "slam_pits", "captures.py", "taken >= axes[L.SLAM_MIN_PITS]", "taken > axes[L.SLAM_MIN_PITS]",
        "A capture of everything in so many pits is a grand slam.",
    ),
    Mutant(
        "slam_after_a_round", "legality.py", "period = axes[L.LOOP] - axes[L.SKIP_ORIGIN]", "period = axes[L.LOOP]",
        "A slam with more than a round of seeds is forbidden where its lap, which passes over its origin, ends.",
    ),
    Mutant(
        "feeding_after_relays", "legality.py", "if axes[L.RELAYS] or axes[L.FEEDING]", "if axes[L.FEEDING]",
        "Where turns relay, a move feeds by what is left to the opponent at its end.",
    ),
    Mutant(
        "feeding_least", "legality.py",
        "min(axes[L.FEED_LEAST], feeds(position, player, k, axes, tables))", "axes[L.FEED_LEAST]",
        "Who cannot give as many seeds as are asked for gives the most that can be given.",
    ),
    Mutant(
        "feeding_what_can_be_played", "legality.py", "if position[pit] >= axes[L.MIN_START] and", "if",
        "A move may have to leave the opponent a pit with enough seeds to be played.",
    ),
    Mutant(
        "first_lap", "legality.py", "full = is_pit and (hand > loop or", "full = is_pit and (hand < 0 or",
        "A lap of more than a round ends in a pit with seeds.",
    ),
    Mutant(
        "passing_again", "moves.py", "CAPTURED | TURN_AGAIN if axes[L.PASSING]", "CAPTURED if axes[L.PASSING]",
        "What is taken on the way may earn another turn.",
    ),
    Mutant(
        "other_store", "landing.py", "cell - axes[L.PITS] != player", "cell - axes[L.PITS] == player",
        "A last seed in the own store is not one in the opponent's.",
    ),
    Mutant(
        "lap_limit", "moves.py", "lap == axes[L.LAP_LIMIT]", "lap > axes[L.LAP_LIMIT]",
        "A turn has no more laps than the limit.",
    ),
    Mutant(
        "lap_cycles", "moves.py", " // (lap - noted) * (lap - noted)", " // (lap - noted)",
        "An endless turn ends as if every lap were sown: whole cycles are left out.",
    ),
    Mutant(
        "majority", "ending.py", "> south + north + board", ">= south + north + board",
        "Half of the seeds is no majority.",
    ),
    Mutant(
        "slam_before_pass", "ending.py", "or ended or outcome & SLAM_ENDED:", "or ended:",
        "The rest after a slam is its victim's, even one who would have to pass.",
    ),
    Mutant(
        "either_side", "legality.py", "if axes[L.ENDS_WITH_SIDE] and (own == 0 or other == 0):",
        "if axes[L.ENDS_WITH_SIDE] and own == 0:",
        "An empty side ends the game also if the other player is to move.",
    ),
    Mutant(
        "repeat_gap", "ending.py", "end - axes[L.REPEAT_GAP] + 1", "end - axes[L.REPEAT_GAP]",
        "A position may come back after as few plies as is possible.",
    ),
    Mutant(
        "repeat_mover", "ending.py", "value = np.uint64(position[pits + L.MOVER]) * L.HASH_KEYS[pits]",
        "value = np.uint64(0)",
        "The same seeds with another mover are no repetition.",
    ),
    Mutant(
        "dead_seeds", "ending.py", "board <= axes[L.DEAD_SEEDS]", "board < axes[L.DEAD_SEEDS]",
        "Dead positions of as many seeds as are asked for end the game.",
    ),
    Mutant(
        "max_plies", "ending.py", "position[pits + L.PLY] >= axes[L.PLY_LIMIT]",
        "position[pits + L.PLY] > axes[L.PLY_LIMIT]",
        "A game has no more plies than the limit.",
    ),
    Mutant(
        "leftover_last_mover", "scores.py", "board, north) if mover == 1 else", "board, north) if mover == 0 else",
        "Seeds left go to who has moved last, not to who is to move.",
    ),
    Mutant(
        "tuz_of", "sowing.py", "L.STORES + np.int64(position[axes[L.MARKS] + cell])", "L.STORES + player",
        "A seed that falls in a tuz is its owner's, whoever sows it.",
    ),
    Mutant(
        "tuz_mirror", "landing.py", "position[marks + mirrored] == 1 - player", "position[marks + mirrored] == player",
        "No tuz is made at the place of the opponent's.",
    ),
    Mutant(
        "direction", "board.py", "return chosen < 0 or", "return chosen <= 0 or",
        "Who has chosen to go counter-clockwise keeps to it.",
    ),
    Mutant(
        "refill", "match.py", "(half - 1 - place < laid % half)", "(place < laid % half)",
        "The poorer player lays seeds out from the own right.",
    ),
    Mutant(
        "territory", "match.py", "whole + (2 * rest > axes[L.START_SEEDS])",
        "whole + (2 * rest >= axes[L.START_SEEDS])",
        "Half the seeds of a pit win none.",
    ),
    Mutant(
        "closed_outside", "match.py", "place < (closed + 1) // 2", "place < closed // 2",
        "Of an odd number of closed pits the left end has one more.",
    ),
    Mutant(
        "series", "match.py", "max(south, north) >= axes[L.TARGET]", "max(south, north) > axes[L.TARGET]",
        "Who reaches the target of a series has won it.",
    ),
    Mutant(
        "diffusion_limit", "off_track.py", "position[receiver] >= axes[L.PIT_LIMIT]",
        "position[receiver] > axes[L.PIT_LIMIT]",
        "A full pit takes no more seeds.",
    ),
    Mutant(
        "reaping_from", "off_track.py", "if position[pit] < axes[L.MIN_START]:", "if position[pit] < 1:",
        "Reaping may begin only in pits of so many seeds.",
    ),
    Mutant(
        "bao_corner", "bao.py", "CORNER = 2", "CORNER = 1",
        "Captures in both pits nearest an end are sown from that end.",
    ),
    Mutant(
        "bao_only_pit", "bao.py", "(half - 1 if action < half else row)", "(row if action < half else half - 1)",
        "The only pit of the inner row is not sown round the corner at once.",
    ),
    Mutant(
        "hus_outer", "landing.py", "L.OUTER_FULL if position[outer] > 0", "L.OUTER_FULL if position[outer] > 1",
        "In four rows one seed behind a pit is enough for a capture that needs seeds there.",
    ),
)  # fmt: skip

# In this order: the quickest first.
FILES = (
    "test_more_examples.py",
    "test_marks_and_houses.py",
    "test_rounds.py",
    "test_selection.py",
    "test_decisions.py",
    "test_direction.py",
    "test_ending.py::test_seeds_left_go_to_the_last_mover_also_where_the_other_player_has_to_pass",
    "test_by_hand.py",
    "test_options.py",
    "test_core_games.py",
    "test_rule_examples.py",
)
# What takes long without the compiler, most of it to find the dead positions of games for territory.
LEFT_OUT = (
    "test_by_hand.py::test_by_hand[an endless relay ends as if every lap were sown",
    "test_core_games.py::test_copies_keep_all_that_a_state_has",
    "test_core_games.py::test_every_position_of_a_random_game_is_read_as_it_is_written",
    "test_core_games.py::test_skipping_and_passing_make_the_same_game",
    "test_core_games.py::test_so_many_positions_are_dead",
    "test_core_games.py::test_the_reference_finds_the_same_positions_dead_on_arcs",
    "test_options.py::test_a_search_among_endless_turns_comes_back",
    "test_options.py::test_no_game_outlives_the_counter_of_its_plies",
    "test_options.py::test_the_number_of_dead_positions_is_the_known_one",
)


def mutated(mutant: Mutant) -> str:
    """The text of the file of a mutant, with its rule broken.

    Raises
    ------
    ValueError
        The original text does not stand there exactly once.
    """
    text = (ROOT / KERNELS / mutant.file).read_text(encoding="utf-8")
    if (found := text.count(mutant.original)) != 1:
        raise ValueError(
            f"mutant {mutant.name}: {mutant.original!r} must stand in {(KERNELS / mutant.file).as_posix()} once, not "
            f"{found} times; adapt its texts in tests/mutants.py"
        )
    return text.replace(mutant.original, mutant.mutated)


def run_tests(mutant: Mutant | None) -> tuple[str | None, float]:
    """(The test that fails in a copy of the tree with this mutant, or None, seconds).

    Raises
    ------
    RuntimeError
        The tests could not run.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, tree / name)
        if mutant is not None:
            (tree / KERNELS / mutant.file).write_text(mutated(mutant), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no"]
        command += [f"--deselect=tests/{test}" for test in LEFT_OUT] + [f"tests/{file}" for file in FILES]
        try:
            done = subprocess.run(
                command, cwd=tree, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True,
                timeout=TIME_LIMIT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"(no end in {TIME_LIMIT} s)", time.monotonic() - began
    seconds = time.monotonic() - began
    if done.returncode == 0:
        return None, seconds
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode not in (1, 2) or failed is None:  # 2: a file of tests cannot be imported
        raise RuntimeError(f"the tests could not run:\n{done.stdout}{done.stderr}")
    return failed[1], seconds


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 if every mutant is killed, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    names = [mutant.name for mutant in MUTANTS]
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants; " + ", ".join(names))
    chosen = parser.parse_args(arguments).names
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"unknown mutant {unknown[0]!r}; there are {', '.join(names)}")
    mutants = [mutant for mutant in MUTANTS if not chosen or mutant.name in chosen]
    for mutant in mutants:  # before any test runs
        try:
            mutated(mutant)
        except ValueError as error:
            parser.error(str(error))
    table = []
    if not chosen:
        failed, seconds = run_tests(None)
        if failed is not None:
            print(f"{failed} fails without any mutant", file=sys.stderr)
            return 1
        print(f"the tests pass without a mutant, in {seconds:.0f} s", file=sys.stderr, flush=True)
    for mutant in mutants:
        test, seconds = run_tests(mutant)
        table.append((mutant, test, seconds))
        print(f"{mutant.name}: {test or 'SURVIVED'}, {seconds:.0f} s", file=sys.stderr, flush=True)
    wide = max(len(mutant.name) for mutant in mutants)
    for mutant, test, seconds in table:
        print(f"{mutant.name:{wide}}  {seconds:4.0f} s  {f'killed by {test}' if test else 'SURVIVED'}")
    survived = [mutant for mutant, test, _ in table if test is None]
    print(f"{len(table) - len(survived)} of {len(table)} killed")
    for mutant in survived:
        print(f"none of these tests notices {mutant.name}: {mutant.rule}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
