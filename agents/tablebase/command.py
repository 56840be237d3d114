"""``mancala solve tables``: build endgame tables, and check their files.

``get`` builds them once, into the cache (``tables`` in $MANCALA_ENV_CACHE, else in the user's cache folder, mostly
~/.cache/mancala_env), where players with the setting tables= find them: minimax:depth=8,tables=12.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from agents.tablebase import files, table
from agents.tablebase.retrograde import build
from mancala_env.cli import GAME, Namespace, Parser, in_words, rules_text
from mancala_env.games import ruleset
from mancala_env.progress import Progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status: 0, 1 if a file is damaged, 2 if something else is wrong."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        return {"build": _build, "get": _get, "check": _check}[asked.command](asked[asked.command])
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {in_words(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped; the same command goes on from the last finished file", file=sys.stderr)
        return 130


def _parser() -> Parser:
    parser = Parser("mancala solve tables", __doc__, allow_abbrev=False)
    builder = parser.add_command("build", "write the tables for 0 to N seeds on the board; whole files are kept")
    builder.add_argument("--out", type=Path, default=Path("tables"), help="folder of the files")
    getter = parser.add_command("get", "have the tables for 0 to N seeds in the cache; says their size first")
    for each in (builder, getter):
        most = {"required": True} if each is builder else {"default": 12}
        each.add_argument(
            "--seeds-on-board", type=int, metavar="N", help="maximum number of seeds on the board", **most
        )
        each.add_argument("--threads", type=int, help="by default one for each processor")
        each.add_argument("rules", metavar="GAME", help=GAME)
    checker = parser.add_command("check", "read every file and compare its digests")
    checker.add_argument("folder", type=Path, metavar="FOLDER")
    return parser


def _build(asked: Namespace) -> int:
    paths = _built(asked, asked.out)
    print(f"{len(paths)} tables, {_megabytes(sum(path.stat().st_size for path in paths))} in {asked.out}")
    return 0


def _get(asked: Namespace) -> int:
    rules, folder, most = ruleset(rules_text(asked.rules)), table.tables_folder(), asked.seeds_on_board
    files.check_seeds(rules, most)
    size = _megabytes(sum(files.table_size(rules, n) for n in range(most + 1)))
    print(f"{rules.name}, tables for 0 to {most} seeds, {size} in {folder}", flush=True)
    _built(asked, folder)
    print(f"done: a player uses them with tables={most}, as in minimax:depth=8,tables={most}")
    return 0


def _built(asked: Namespace, folder: Path) -> list[Path]:
    rules, most = ruleset(rules_text(asked.rules)), asked.seeds_on_board
    pits = rules.board.pits
    with Progress(rules.name, files.first_number(pits, max(most, 0) + 1)) as progress:

        def report(seeds: int, share: float, what: str) -> None:
            text = f"{rules.name}, {seeds} seeds: {what}"
            if share == 1.0 or what.startswith("built again"):
                print("\r\x1b[K" * sys.stderr.isatty() + text, file=sys.stderr, flush=True)
            progress(files.first_number(pits, seeds) + share * files.layer_size(pits, seeds), what=f"{text}, positions")

        return build(rules, most, folder, asked.threads, report)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _check(asked: Namespace) -> int:
    paths = sorted(asked.folder.glob(f"*{files.SUFFIX}"))
    if not paths:
        raise ValueError(f"there are no endgame tables in {asked.folder}")
    damaged = 0
    for path in paths:
        try:
            files.read_table(path)
            print(f"{path}: whole")
        except files.DamagedTable as error:
            damaged += 1
            print(f"damaged: {error}", file=sys.stderr)
    print(f"{len(paths) - damaged} of {len(paths)} tables are whole")
    return 1 if damaged else 0
