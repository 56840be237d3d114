"""A page for each game and each trained policy, and tables of all, written before Sphinx reads its sources.

The folders are ``docs/games/`` and ``docs/zoo/``.

The rules come from the game's section in ``docs/games.md`` or, for most, from its ruleset: ``about`` and
``describe()``. So do its options, mechanisms and board; figures of random play come from ``docs/statistics.md``, where
they are kept because counting takes time, and trained policies from their model cards, ``policy.json``.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import mancala_env as mancala
from agents.play import lobby
from agents.policy import card_page
from agents.reading import read_json
from docs.clauses import asked_and_done, written
from docs.replays import frame
from mancala_env import Ruleset, When, games
from mancala_env.games import ALIASES
from mancala_env.games.mechanisms import MECHANISMS, mechanisms
from mancala_env.games.titles import title_of
from mancala_env.observation import make_encoder
from mancala_env.rules.fields import DEFAULTS

ALWAYS = ("seeds", "max_plies", "repetition")  # options shown for every game, changed or not
NOT_OPTIONS = ("name", "version", "board", "options", "region", "people", "source", "about")
NOWHERE = "no one region"
SCRIPTS = ("board.js", "finder.js", "games.js")  # of the next pages; two belong to ``mancala_env.replay`` and the lobby
WITH_TABLES = ("docs/games/index", "docs/results")
FOUND_BY = ("name", "title", "family", "rows", "region", "kinds", "names", "places")  # and ``happens``, with tags
SEEN = {  # encoders of the environments that show the board alone, and a look ahead
    "onehot": "the number of seeds in each pit, stores and further fields",
    "counts": "shares of all seeds in each pit and store",
    "lookahead1": "`onehot`, and what each action leads to",
}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, of cells in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def section_of(text: str, name: str) -> str:
    """What stands under a heading of the second level, without that heading; nothing if there is none."""
    found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE)
    return found[1].strip() if found else ""


def moved_down(text: str, file: str) -> str:
    """The links of a text of ``docs/``, taken from a file there, as a page one folder further down writes them."""
    return re.sub(r"\]\((?![a-z]+:)([^)#]*)", lambda link: f"](../{link[1] or file}", text)


@cache
def read(path: Path) -> str:
    """The text of a file that many pages are made from."""
    return path.read_text(encoding="utf-8")


@cache
def families() -> dict[str, str]:
    """For each game the file, from the root on, of the family that lists it."""
    found = {}
    for path in sorted(Path(games.__path__[0]).glob("[!_]*.py")):
        module = import_module(f"mancala_env.games.{path.stem}")
        for name in re.findall(r"^([A-Z]\w*) = ", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if isinstance(rules := getattr(module, name), Ruleset):
                found[rules.name] = f"mancala_env/games/{path.name}"
    return found


@cache
def meanings() -> dict[str, str]:
    """What ``Ruleset`` says about each of its fields."""
    meaning: dict[str, str] = {}
    names: list[str] = []
    for line in (Ruleset.__doc__ or "").splitlines():
        if re.fullmatch(r"[a-z_]+(, [a-z_]+)*", line):
            names = line.split(", ")
        elif line and not line.startswith(" "):  # of the group
            names = []
        else:
            for name in names:
                meaning[name] = f"{meaning.get(name, '')} {line.strip()}".strip()
    return meaning


def value_of(value: Any) -> str:
    """The value of an option as one writes it in Python; of landing clauses only what they set."""
    if isinstance(value, tuple) and value and isinstance(value[0], When):
        return "<br>".join(f"`{_row(row)}`" for row in value)
    return f"`{str(value)!r}`" if isinstance(value, str) else f"`{value!r}`"


def _row(row: When) -> str:
    said = row.said.items()
    parts = [f"{name}={sorted(value) if isinstance(value, frozenset) else value!r}" for name, value in said]
    return f"When({', '.join(parts)})"


def options(rules: Ruleset, section: str) -> str:
    """The options that make the game what it is, and those that its section describes."""
    meaning = meanings()
    named = set(re.findall(r"`([a-z_]+)", "\n".join(re.findall(r"^\| (`[^|]*)\|", section, flags=re.MULTILINE))))
    rows = []
    for name, default in DEFAULTS.items():
        value = getattr(rules, name)
        if name == "seeds" and rules.setup is not None:
            continue
        if name in NOT_OPTIONS or (value == default and name not in named and name not in ALWAYS):
            continue
        about = meaning.get(name, "")
        rows.append((f"`{name}`", value_of(value), "" if value == default else value_of(default), about))
    for option in rules.options:
        choices = ", ".join(f"`{choice!r}`" for choice in option.choices)
        about = f"{option.about}. One of {choices}."
        rows.append((f"`{option.name}`", value_of(getattr(rules, option.name)), "", about))
    return table(("option", "here", "default, if another", "meaning"), rows)


@cache
def tables_of(text: str) -> list[list[list[str]]]:
    """The tables of docs/statistics.md, line by line and cell by cell; the first line is the head."""
    tables: list[list[list[str]]] = []
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|-"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] == "game":
                tables.append([])
            tables[-1].append(cells)
    return tables


def statistics(name: str, text: str) -> str:
    """The rows of docs/statistics.md about a game and its variants, one figure a line."""
    parts = []
    for whole, *lines in tables_of(text):
        head, rows = [*whole], [line for line in lines if line[0].partition(":")[0] == name]
        if rows:
            of = ""  # "max" and "99th %" belong to the column before them
            for k, title in enumerate(head):
                of = title.partition(",")[0] if "," in title else of
                head[k] = f"{of}, {title}" if title in ("max", "99th %") else title
            figures = [[cells[k] for cells in (head, *rows)] for k in range(1, len(head))]
            parts.append(table([cells[0] for cells in (head, *rows)], figures))
    return "\n\n".join(parts)


@cache
def cards(root: Path) -> list[tuple[Path, Any]]:
    """The cards of all trained agents, and where they are."""
    found = [path for kind in ("policy", "search") for path in (root / "agents" / "zoo").glob(f"*/{kind}.json")]
    return [(path, read_json(path)) for path in sorted(found)]


def policies(rules: Ruleset, root: Path) -> str:
    """The trained agents of a game in a table, with links to their pages."""
    rows = []
    for path, card in cards(root):
        if card["rules"]["id"] != rules.id:
            continue
        name, changes = path.parent.name, card["rules"]["changes"]
        scores = [
            f"{result.opponent}{f' (with {result.search})' if result.search else ''} {result.percent}"
            for result in card_page.results(card)
        ]
        rows.append((
            f"[zoo:{name}](../zoo/{name}.md)", f"`{card_page.game_of(card)}`" if changes else "", card_page.sees(card),
            card_page.takes(card), ", ".join(scores),
        ))  # fmt: skip
    return table(("policy", "changes", "its input looks", "time", "score"), rows) if rows else ""


def policy_page(path: Path, card: Any, root: Path) -> str:
    """The model card of a trained agent."""
    name, game = path.parent.name, card_page.game_of(card)
    title, _, rest = card_page.to_markdown(card, f"zoo:{name}").partition("\n")
    base = game.partition(":")[0]
    return f"""---
orphan: true
---

{title}

[All policies](index.md) / zoo:{name}. The game: [{base}](../games/{base}.md). The same as a file, with all settings:
[{path.name}](../../{path.relative_to(root).as_posix()}); in a terminal: `mancala train card zoo:{name}`. It plays
as `make_agent("zoo:{name}")`.
{rest}"""


def policies_index(root: Path) -> str:
    """All trained agents in a table."""
    rows = [
        (
            f"[zoo:{path.parent.name}]({path.parent.name}.md)", f"`{card_page.game_of(card)}`", card_page.sees(card),
            card_page.takes(card), *_best(card),
        )
        for path, card in cards(root)
    ]  # fmt: skip
    return f"""# Policies of the zoo

{len(rows)} trained policies and evaluations ship with the repository. The page of each is its model card: what it
sees, how strong it is, how long a move takes, how it was made. [How to use them and add your own](../policies.md);
`mancala train zoo list` prints the same in a terminal.

{table(("policy", "game", "its input looks", "time", "against", "score alone"), rows)}
"""


def _best(card: Any) -> tuple[str, str]:
    """The last opponent of the policy alone, or of the search, which is the strongest, and the score against it."""
    alone = [result for result in card_page.results(card) if not result.search or card_page.is_evaluation(card)]
    return (alone[-1].opponent, alone[-1].percent) if alone else ("", "")


def spaces(rules: Ruleset) -> str:
    """How the environment of a game is made, and the shapes of what goes in and comes out, one encoder a line."""
    actions = rules.num_actions
    rows = [
        (
            "action",
            f"`Discrete({actions})`",
            "a pit, counted from the mover's own left; the page says where it differs",
        ),
        (
            "`action_mask`",
            f"`int8[{actions}]`",
            "1 where legal; in the observation (PettingZoo) or the info (Gymnasium)",
        ),
    ]
    for name, seen in SEEN.items():
        shape = ", ".join(map(str, make_encoder(name, rules).shape))
        rows.append((f'observation, `encoder="{name}"`', f"`float32[{shape}]`", seen))
    position = f"`int16[{rules.fields['width']}]`"
    rows.append(("state", position, "the whole position as the engine has it (`State.array`, `env.state()`)"))
    code = f"""import gymnasium
import pettingzoo
import mancala_env as mancala

games = pettingzoo.make("aec", "{rules.id}")  # {"two players" if rules.players > 1 else "one player"}
learner = gymnasium.make("{rules.id}", opponent="random")
batch = mancala.Batch("{rules.name}", 4096, seed=0)"""
    return f"```python\n{code}\n```\n\n{table(('what', 'space', 'meaning'), rows)}"


def board(name: str, width: str) -> str:
    """The picture of the start, for light pages and for dark ones."""
    return "\n".join(
        f"```{{image}} {name}-{shade}.svg\n:class: only-{shade}\n:alt: {name} at the start\n:width: {width}\n```"
        for shade in ("light", "dark")
    )


def play_link(name: str) -> str:
    """A link to the page on which the game can be played (``docs.browser``)."""
    return (
        f'\n```{{raw}} html\n<a class="play-here" href="../../play/index.html#game={name}">Play it here, in the '
        "browser</a>\n```\n"
    )


def game_page(rules: Ruleset, root: Path, playable: bool = False) -> str:
    """All about one game. No page of the navigation: on every page that would list every game.

    Parameters
    ----------
    rules : Ruleset
    root : Path
        Of the project.
    playable : bool
        Does the site hold the page to play on?

    Raises
    ------
    ExtensionError
        If there is nothing about its rules.
    """
    name, family = rules.name, families().get(rules.name, "")
    text, figures_text = (read(root / "docs" / file) for file in ("games.md", "statistics.md"))
    section, figures = section_of(text, name), statistics(name, figures_text)
    if not section and not rules.about:
        raise ExtensionError(
            f"nothing says how {name} is played: give its ruleset about=..., or docs/games.md a section"
        )
    told = moved_down(section, "games.md") if section else f"{rules.about}\n\n```text\n{rules.describe()}\n```"
    facts = [("Region", rules.region), ("Played", rules.people), ("Source", rules.source)]
    facts += [("Mechanisms", ", ".join(f"{tag} ({MECHANISMS[tag]})" for tag in mechanisms(rules)))]
    aliases = [f"`{alias}`" for alias, of in ALIASES.items() if of == name]
    called = dict.fromkeys(each.lower() for each in (name.replace("_", " "), *lobby.other_names(rules)))
    return f"""---
orphan: true
---

# {title_of(rules)}

```{{index}} {", ".join(f"! {each}" for each in called)}
```

[All games](index.md) / {name}

`{rules.id}`, version {rules.version}; in Python `mancala.ruleset("{name}")`{
        f", also by the names {', '.join(aliases)}" if aliases else ""
    }. Defined in [{family}](../../{family}).

{board(name, "100%")}

{chr(10).join(f"- {what}: {fact}" for what, fact in facts if fact)}
{play_link(name) if playable else ""}
## A game to watch

Between random players; the space bar plays and stops, the arrow keys step.

```{{raw}} html
{frame(name)}
```

## Environment

{spaces(rules)}

## Rules

{told}

## Options

What this game sets, and what else can be set; options that all games take alike are in
[what they have in common](../games.md#what-they-have-in-common). The board: `{rules.board.kind}`,
{len(rules.board.owner)} pits.

{options(rules, section)}

## Random play

How this was counted: [random play](../statistics.md).

{figures or "This game has not been counted yet."}

## Trained policies

{policies(rules, root) or "None ships with the project."}
"""


def counts(found: Iterable[str]) -> list[tuple[str, str]]:
    """How many games there are of each kind, the commonest first."""
    return [(kind, str(number)) for kind, number in Counter(found).most_common()]


def games_index(figures: str) -> str:
    """A table of all games, which ``static/games.js`` sorts and filters as the lobby of the play page, and how many
    there are of each kind.

    Parameters
    ----------
    figures : str
        The text of docs/statistics.md.
    """
    rulesets = mancala.RULESETS.values()
    counted = {row[0]: dict(zip(head, row, strict=True)) for head, *rows in tables_of(figures)[:1] for row in rows}
    columns = ("plies, median", "legal actions, mean", "South wins", "draws")
    rows = [
        (f"[{rules.name}]({rules.name}.md)", str(rules.board), rules.region, ", ".join(mechanisms(rules)),
         *(counted.get(rules.name, {}).get(column, "") for column in columns))
        for rules in rulesets
    ]  # fmt: skip
    kinds = [
        (f"`{tag}`", MECHANISMS[tag], number)
        for tag, number in counts(tag for rules in rulesets for tag in mechanisms(rules))
    ]
    return f"""---
hide-toc: true
---

# All games

{len(rows)} games; their boards are [drawn here](boards.md), and [here](clauses.md) stands what
clauses of their landing tables can ask and do. The figures are those of [random play](../statistics.md).
On a command line, `mancala games` lists and filters the same.

{found_by(tuple(mancala.RULESETS))}

```{{container}} games-table
{table(("game", "board", "region", "mechanisms", *columns), rows)}
```

## By mechanism

{table(("mechanism", "what it means", "games"), kinds)}

## By rows of the board

{table(("rows", "games"), counts(str(rules.board.rows) for rules in rulesets))}

## By region

{table(("region", "games"), counts(rules.region or NOWHERE for rules in rulesets))}

```{{toctree}}
:hidden:

boards
clauses
```
"""


def found_by(games: Sequence[str]) -> str:
    """What ``static/games.js`` finds the rows of a table by, each about one of these games."""
    known = [
        {what: card[what] for what in FOUND_BY}
        | {"happens": [*card["happens"], *mechanisms(mancala.RULESETS[card["name"]])]}
        for card in map(lobby.card, games)
    ]
    said = json.dumps(known).replace("<", chr(92) + "u003c")
    return f'```{{raw}} html\n<script type="application/json" id="cards">{said}</script>\n```'


def results_page(root: Path) -> str:
    """Strength by game and agent, regret and speed: from the model cards, ``docs/results/regret.json`` and the
    benchmark's tables."""
    rows = strengths(root)
    games = [re.sub(r"\[([^]:]*).*", r"\1", row[0]) for row in rows]
    return f"""# Results

All figures on one page; how each was measured is said where it comes from.

## Strength

Shares of points of the zoo's agents, in pairs of games with the seats swapped, with 95 % intervals; from their
[model cards](zoo/index.md). Opponents are random play and alpha-beta to a depth.

{found_by(games)}

```{{container}} games-table of-results
{table(("game", "agent", "against", "score in % (95 % interval)", "games", "time a move"), rows)}
```

## Regret

Seeds that an agent loses a move against perfect play, in late positions that the solver knows
([how it is measured](exact.md#regret)).

{table(("game", "agent", "positions", "number", "seeds lost a move", "95 % interval", "perfect moves"), regrets(root))}

## Speed

The medians of [the benchmark](speed.md), which has ranges, further groups and what they are compared with.

{table(("what", "median", "next to", "ratio"), speeds(root))}
"""


def strengths(root: Path) -> list[tuple[str, ...]]:
    """Every result that a model card of the zoo holds."""
    rows = []
    for path, card in cards(root):
        game, name = card_page.game_of(card), path.parent.name
        base = game.partition(":")[0]
        rows += [
            (
                f"[{game}](games/{base}.md)",
                f"[zoo:{name}](zoo/{name}.md){f' in {each.search}' if each.search else ''}",
                each.opponent.replace("minimax:", "").removeprefix("v1-"),
                f"{each.percent.removesuffix(' %')}{f' ({each.interval})' if each.interval else ''}",
                str(each.games or ""),
                card_page.takes(card).removesuffix(" a move").replace("microseconds", "µs"),
            )
            for each in card_page.results(card)
        ]
    return sorted(rows, key=lambda row: (row[0], row[2]))


def regrets(root: Path) -> list[tuple[str, ...]]:
    """The regrets that are stored: what ``mancala solve regret --json`` wrote, without single moves."""
    said = {"own": "its own games", "fixed": "random games"}
    return [
        (
            f"[{run['rules']}](games/{run['rules'].partition(':')[0]}.md)", f"`{run['agent']}`", said[each["source"]],
            str(each["positions"]), f"{each['mean']:.2f}", f"{each['low']:.2f} to {each['high']:.2f}",
            f"{100 * each['perfect']:.0f} %",
        )
        for run in read_json(root / "docs" / "results" / "regret.json")["runs"]
        for each in run["summaries"]
    ]  # fmt: skip


def speeds(root: Path) -> list[tuple[str, ...]]:
    """The lines of the benchmark that are compared with something."""
    rows: list[tuple[str, ...]] = []
    for line in read(root / "docs" / "speed.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 6 and cells[0] != "what" and not cells[0].startswith("---"):
            what, median, _, ratio, to, _ = cells
            if ratio:
                rows.append((what, median, to, ratio))
    return rows


def clauses_page() -> str:
    """What clauses of a landing table can ask and do, each with a game that uses it."""
    parts = []
    for title, about, rows in asked_and_done():
        lines = [
            (f"`{name}`", meaning, f"[{used.game}]({used.game}.md)" if used else "none yet",
             f"`{written(used.clause)}`" if used else "")
            for name, meaning, used in rows
        ]  # fmt: skip
        parts.append(f"## {title}\n\n{about}")
        if lines:
            parts.append(table(("argument", "meaning", "a game", "its clause"), lines))
    return "# Clauses of landing tables\n\n" + "\n\n".join(parts) + "\n"


def boards_page() -> str:
    """The boards of all games, as they are at the start."""
    pictures = "\n\n".join(
        f"[![]({name}-light.svg){{.only-light}}![]({name}-dark.svg){{.only-dark}} {name}]({name}.md)"
        for name in mancala.RULESETS
    )
    return f"# Boards of all games\n\n```{{container}} games\n{pictures}\n```\n"


def write_pages(app: Sphinx) -> None:
    """Write the pages of games and policies, and their pictures."""
    root = Path(app.srcdir)
    files = {
        "index.md": games_index(read(root / "docs" / "statistics.md")),
        "boards.md": boards_page(),
        "clauses.md": clauses_page(),
    }
    for name, rules in mancala.RULESETS.items():
        files[f"{name}.md"] = game_page(rules, root, app.tags.has("play"))
        # A table of dead positions, which no picture shows, takes seconds where nothing is compiled.
        start = rules.changes(indeterminacy_max_seeds=0).start()
        for shade in ("light", "dark"):
            files[f"{name}-{shade}.svg"] = start.to_svg(size=640, dark=shade == "dark")
    _write(root / "docs" / "games", files)
    policy_pages = {f"{path.parent.name}.md": policy_page(path, card, root) for path, card in cards(root)}
    _write(root / "docs" / "zoo", {"index.md": policies_index(root), **policy_pages})
    _write_one(root / "docs" / "results.md", results_page(root))


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts into a folder; files that are as they should be are left alone, others in the folder go."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        _write_one(folder / name, text)


def _write_one(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def link_to_game_pages(app: Sphinx, doctree: nodes.document) -> None:
    """A link to the section of a game leads to its page, which holds that section and more."""
    for link in doctree.findall(addnodes.pending_xref):
        if link.get("reftarget") == "docs/games" and link.get("reftargetid") in mancala.RULESETS:
            link["reftarget"] = f"docs/games/{link['reftargetid']}"
            link["reftargetid"] = None


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """The scripts of pages with tables that can be searched."""
    for script in SCRIPTS if page in WITH_TABLES else ():
        app.add_js_file(script)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("builder-inited", write_pages)
    app.connect("html-page-context", add_scripts)
    app.connect("doctree-read", link_to_game_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
