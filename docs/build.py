"""The documentation as pages that need no network: ``python -m docs.build --out site``.

A page for each game, every Markdown text, and the reference of the packages, made from their docstrings. A link that
leads nowhere and a public object without a docstring are errors.
"""

import argparse
import html
import os
import pkgutil
import posixpath
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import mancala_env as mancala
from agents.reading import read_json
from docs.docstrings import PACKAGES, ROOT, undocumented
from docs.links import check_pages, check_sources, is_external, page_of, render
from mancala_env import Ruleset, When
from mancala_env.cli import in_words

ALWAYS = ("seeds", "max_plies", "repetition")  # options shown for every game, changed or not
NOT_OPTIONS = ("name", "version", "board")
# Kernels are no interface, and recipes are read rather than imported: they need packages that few have.
NO_REFERENCE = ("mancala_env.kernels", "training.recipes")
MARK = ".made-by-docs-build"  # only a folder that has it is replaced
Cells = Sequence[str]


class DocsError(Exception):
    """The documentation has faults; the text names them all."""


@dataclass
class Site:
    """The pages, written into ``out``; ``root`` holds the texts they are made from."""

    out: Path
    root: Path = ROOT
    reference: bool = True
    used: set[str] = field(default_factory=set)  # files of the project that pages link to

    @cached_property
    def sources(self) -> list[Path]:
        """The Markdown files that become pages."""
        folders = (self.root, self.root / "docs", self.root / "docs" / "images", self.root / "notebooks")
        return [path for folder in folders for path in sorted(folder.glob("*.md"))]

    def address(self, file: str) -> str:
        """The page of a file of the project, given relative to its root."""
        if self.root / file in self.sources:
            return "index.html" if file == "README.md" else file.removesuffix(".md") + ".html"
        self.used.add(file)
        return f"{file}.html" if _is_text(file) else file

    def link(self, target: str, source: str, page: str) -> str:
        """A link of the Markdown file ``source``, as its page, or another that shows its text, has to write it."""
        if is_external(target):
            return target
        path, hash_, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
        if file == "docs/games.md" and anchor in mancala.RULESETS and page.startswith("games/"):
            return relative(f"games/{anchor}.html", page)
        return relative(self.address(file), page) + hash_ + anchor

    def markdown(self, text: str, source: str, page: str) -> str:
        """Markdown of the file ``source`` as HTML for ``page``."""
        return render(text, lambda target: self.link(target, source, page))

    def read(self, file: str) -> str:
        """The text of a file of the project."""
        return (self.root / file).read_text(encoding="utf-8")

    def write(self, page: str, title: str, body: str) -> None:
        """One page, with the same head as all others."""
        links = [("index.html", "mancala_env"), ("games/index.html", "Games")]
        links += [
            (self.address(f"docs/{path.name}"), path.stem.capitalize()) for path in self.sources
            if path.parent == self.root / "docs" and path.stem != "games"
        ]  # fmt: skip
        links += [("docs/games.html", "Rules"), ("CHANGELOG.html", "Changes")]
        if self.reference:
            links.append(("api/index.html", "Reference"))
        menu = "\n".join(f'<a href="{relative(to, page)}">{html.escape(name)}</a>' for to, name in links)
        path = self.out / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'<!doctype html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title)}</title>\n"
            f'<link rel="stylesheet" href="{relative("style.css", page)}">\n</head>\n<body>\n'
            f"<header><nav>\n{menu}\n</nav></header>\n<main>\n{body}\n</main>\n</body>\n</html>\n",
            encoding="utf-8",
        )


def relative(target: str, page: str) -> str:
    """How ``page`` names ``target``, both given relative to the site."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def _is_text(file: str) -> bool:
    return file.endswith((".py", ".json", ".yaml", ".toml", ".txt", ".c")) or "." not in posixpath.basename(file)


def table(head: Cells, rows: Iterable[Cells]) -> str:
    """A table of cells that are HTML already."""
    lines = ['<div class="wide"><table>', "<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table></div>"])


def board(rules: Ruleset, size: int) -> str:
    """The start, drawn for light and for dark pages; the style sheet shows one of them."""
    start = rules.start()
    return "".join(
        f'<span class="{shade}">{start.to_svg(size=size, dark=shade == "dark")}</span>' for shade in ("light", "dark")
    )


def section_of(text: str, name: str) -> str:
    """What stands under a heading of the second level, without that heading; nothing if there is none."""
    found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE)
    return found[1].strip() if found else ""


def meanings() -> dict[str, str]:
    """What ``Ruleset`` says about each of its fields, as HTML."""
    told: dict[str, str] = {}
    names: list[str] = []
    attributes = (Ruleset.__doc__ or "").partition("----------")[2]
    for line in attributes.splitlines():
        if re.fullmatch(r" {4}[a-z_]+(, [a-z_]+)*", line):
            names = line.strip().split(", ")
        else:
            for name in names:
                told[name] = f"{told.get(name, '')} {line.strip()}".strip()
    return {name: re.sub("``(.+?)``", r"<code>\1</code>", html.escape(text)) for name, text in told.items()}


def value_of(value: Any) -> str:
    """The value of an option as one writes it in Python, as HTML; of landing rows only what they set."""
    if isinstance(value, tuple) and value and isinstance(value[0], When):
        return "<br>".join(f"<code>{html.escape(_row(row))}</code>" for row in value)
    plain = str(value) if isinstance(value, str) else value
    return f"<code>{html.escape(repr(plain))}</code>"


def _row(row: When) -> str:
    parts = []
    for part in fields(row):
        value = getattr(row, part.name)
        if value not in (None, (), part.default):
            parts.append(f"{part.name}={sorted(value) if isinstance(value, frozenset) else value!r}")
    return f"When({', '.join(parts)})"


def options(rules: Ruleset, section: str) -> str:
    """The options that make the game what it is, and those that its section tells of."""
    told = meanings()
    named = set(re.findall(r"`([a-z_]+)", "\n".join(re.findall(r"^\| (`[^|]*)\|", section, flags=re.MULTILINE))))
    rows = []
    for part in fields(Ruleset):
        default = None if part.default is MISSING else part.default
        value = getattr(rules, part.name)
        if part.name == "seeds" and rules.setup is not None:
            continue
        if part.name in NOT_OPTIONS or (value == default and part.name not in named and part.name not in ALWAYS):
            continue
        same = "" if value == default else value_of(default)
        meaning = told.get(part.name, "")
        if isinstance(value, StrEnum):
            about = html.escape((type(value).__doc__ or "").partition("\n")[0])
            choices = ", ".join(f"<code>{html.escape(repr(str(choice)))}</code>" for choice in type(value))
            meaning = f"{about} One of {choices}."
        rows.append((f"<code>{part.name}</code>", value_of(value), same, meaning))
    return table(("option", "here", "default, if another", "meaning"), rows)


def statistics(name: str, text: str) -> str:
    """The rows of docs/statistics.md about a game and its variants, one figure a line."""
    tables: list[list[list[str]]] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in ("game", "match"):
            tables.append([cells])
        elif cells[0] == name or cells[0].startswith(f"{name},"):
            tables[-1].append(cells)
    parts = []
    for head, *rows in tables:
        if rows:
            # "max" and "99th %" stand behind the column whose figures they belong to.
            of = ""
            for k, title in enumerate(head):
                of = title.partition(",")[0] if "," in title else of
                head[k] = f"{of}, {title}" if title in ("max", "99th %") else title
            figures = [[html.escape(cells[k]) for cells in (head, *rows)] for k in range(1, len(head))]
            parts.append(table([html.escape(cells[0]) for cells in (head, *rows)], figures))
    return "\n".join(parts)


def policies(rules: Ruleset, site: Site, page: str) -> str:
    """The trained agents of a game, and what they scored when they were added."""
    parts = []
    for path in sorted((site.root / "agents" / "zoo").glob("*/policy.json")):
        told = read_json(path)
        if told["rules"]["id"] != rules.id:
            continue
        file = path.relative_to(site.root).as_posix()
        scores = []
        for one in told["evaluation"]["results"]:
            low, score, high = (f"{100 * one[key]:.1f} %" for key in ("low", "score", "high"))
            searching = ", with search at play" if one["agent"].startswith("mcts") else ""
            scores.append((html.escape(one["opponent"]) + searching, score, f"{low} to {high}", f"{one['pairs']:,}"))
        changes, trained = told["rules"]["changes"], told["training"]
        made = [told["made"]["command"]]
        made += [
            f"# stopped at round {each['at']}, gone on with for {each['minutes']:.0f} minutes in all"
            for each in told["made"].get("resumed", ())
            if each.get("minutes")
        ]
        learnt = f"{trained['steps']:,} steps" if "steps" in trained else f"{trained['positions']:,} positions"
        parts += [
            f'<h3 id="zoo-{path.parent.name}">zoo:{path.parent.name}</h3>',
            f"<p>Input <code>{html.escape(told['encoder']['name'])}</code>, "
            f"{told['network']['parameters']:,} parameters, {learnt}, seed "
            f"{told['made']['seed']}{html.escape(f', changes {changes}') if changes else ''}: "
            f'<a href="{relative(site.address(file), page)}">all that is known about it</a>. Made by</p>',
            f"<pre><code>{html.escape(chr(10).join(made))}</code></pre>",
            table(("opponent", "score", "95 %", "pairs of games"), scores),
        ]
    return "\n".join(parts)


def game_page(rules: Ruleset, site: Site) -> None:
    """All about one game."""
    name, page = rules.name, f"games/{rules.name}.html"
    section, figures = section_of(site.read("docs/games.md"), name), statistics(name, site.read("docs/statistics.md"))
    for what, found in (("docs/games.md", section), ("docs/statistics.md", figures)):
        if not found:
            raise DocsError(f"{what} has nothing about {name}")
    family = next(
        path for path in sorted((site.root / "mancala_env" / "rules").glob("*.py"))
        if re.search(rf"""name=["']{name}["']""", path.read_text(encoding="utf-8"))
    ).relative_to(site.root).as_posix()  # fmt: skip
    names = [alias for alias, of in mancala.rules.ALIASES.items() if of == name]
    trained = policies(rules, site, page)
    body = [
        f"<h1>{name}</h1>",
        f"<p><code>{rules.id}</code>, version {rules.version}; in Python "
        f'<code>mancala.ruleset("{name}")</code>'
        + (f", also by the names {', '.join(f'<code>{alias}</code>' for alias in names)}" if names else "")
        + f'. Defined in <a href="{relative(site.address(family), page)}">{family}</a>.</p>',
        f"<figure>{board(rules, 640)}</figure>",
        '<h2 id="rules">Rules</h2>',
        site.markdown(section, "docs/games.md", page),
        '<h2 id="options">Options</h2>',
        f"<p>What this game sets, and what else can be set; options that all games take alike are in "
        f'<a href="{relative("docs/games.html", page)}#what-they-have-in-common">what they have in common</a>. '
        f"The board: <code>{rules.board.kind}</code>, {len(rules.board.owner)} pits.</p>",
        options(rules, section),
        '<h2 id="statistics">Random play</h2>',
        f'<p>How this was counted: <a href="{relative("docs/statistics.html", page)}">random play</a>.</p>',
        figures,
        '<h2 id="policies">Trained policies</h2>',
        trained or "<p>None ships with the project.</p>",
    ]
    site.write(page, f"{name} · mancala_env", "\n".join(body))


def games_index(site: Site) -> None:
    """All games at a glance."""
    boards = "\n".join(
        f'<figure><a href="{name}.html">{board(rules, 320)}<figcaption>{name}</figcaption></a></figure>'
        for name, rules in mancala.RULESETS.items()
    )
    site.write("games/index.html", "Games · mancala_env", f'<h1>Games</h1>\n<div class="boards">{boards}</div>')


def public_modules() -> list[str]:
    """The modules that the reference describes.

    Raises
    ------
    DocsError
        If one cannot be imported.
    """
    found = []
    for package in PACKAGES:
        there = import_module(package)
        names = [package, *(module.name for module in pkgutil.walk_packages(there.__path__, f"{package}."))]
        for name in names:
            if name.startswith(NO_REFERENCE) or any(part.startswith("_") for part in name.split(".")):
                continue
            try:
                import_module(name)
            except ImportError as error:
                raise DocsError(f"{name}: {error}; the reference needs the extras train and test") from None
            found.append(name)
    return found


def write_reference(out: Path) -> None:
    """The reference of all public modules, by pdoc."""
    import pdoc
    from pygments.formatters.html import HtmlFormatter

    light, dark = (
        HtmlFormatter(style=style).get_style_defs(".pdoc-code") for style in ("friendly", "github-dark")
    )  # fmt: skip
    night = "@media (prefers-color-scheme: dark)"
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # pdoc warns about annotations that only type checkers resolve; it shows these as they are written.
        warnings.simplefilter("ignore")
        templates = Path(folder)
        (templates / "syntax-highlighting.css").write_text(f"{light}\n{night} {{\n{dark}\n}}\n", encoding="utf-8")
        (templates / "theme.css").write_text(_THEME, encoding="utf-8")
        pdoc.render.configure(
            docformat="numpy", template_directory=templates, footer_text=f"mancala_env {mancala.__version__}",
            show_source=False,
        )  # fmt: skip
        pdoc.pdoc(*public_modules(), output_directory=out)
    unlink_undescribed(out)
    for file in (*out.rglob("*.html"), out / "search.js"):
        # The values of constants hold the folder that this was made in, which is nobody's business.
        file.write_text(file.read_text(encoding="utf-8").replace(f"{ROOT}/", ""), encoding="utf-8")
    for page in out.rglob("*.html"):
        home = relative("../index.html", page.relative_to(out).as_posix())
        text = page.read_text(encoding="utf-8")
        back = f'<nav class="pdoc">\n<a class="pdoc-button" href="{home}">Documentation</a>'
        page.write_text(text.replace('<nav class="pdoc">', back, 1), encoding="utf-8")


def reference_index(site: Site) -> None:
    """The modules, and what each is for, in place of the page that pdoc makes."""
    rows = []
    for name in public_modules():
        about = html.escape((import_module(name).__doc__ or "").strip().partition("\n")[0])
        about = re.sub("``(.+?)``", r"<code>\1</code>", about)
        rows.append((f'<a href="{name.replace(".", "/")}.html"><code>{name}</code></a>', about))
    site.write("api/index.html", "Reference · mancala_env", f"<h1>Reference</h1>\n{table(('module', ''), rows)}")


def unlink_undescribed(reference: Path) -> None:
    """Take the links off that pdoc makes to private bases and to what is inherited from other libraries.

    It links to these in the lists of what a class inherits, and describes them nowhere.
    """
    anchors = {path: page_of(path).anchors for path in reference.rglob("*.html")}
    for path in anchors:

        def without(found: re.Match[str], path: Path = path) -> str:
            to = path.parent / found[1] if found[1] else path
            there = anchors.get(Path(os.path.normpath(to)))
            return found[3] if there is not None and found[2] not in there else found[0]

        text = path.read_text(encoding="utf-8")
        pattern = r'<a href="([^"#:]*)#([^"]+)"[^>]*>(.*?)</a>'
        path.write_text(re.sub(pattern, without, text, flags=re.DOTALL), encoding="utf-8")


_DAY = """--pdoc-background: #fcf9f2; --text: #33291e; --muted: #6b5b49; --link: #00568f; --link-hover: #00345a;
--code: #f3ecdf; --active: #f0e2c4; --accent: #f3ecdf; --accent2: #e0d6c4; --nav-hover: rgba(0, 0, 0, 0.07);
--name: #00568f; --def: #1d7a5c; --annotation: #6b4592;"""
_NIGHT = """color-scheme: dark; --pdoc-background: #17130f; --text: #e8ddca; --muted: #b0a18b; --link: #6cc0f0;
--link-hover: #a5daf8; --code: #262019; --active: #4a3c22; --accent: #262019; --accent2: #3a3128;
--nav-hover: rgba(255, 255, 255, 0.1); --name: #6cc0f0; --def: #8fcbb6; --annotation: #b79adb;"""
_THEME = f":root {{ {_DAY} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_NIGHT} }} }}\n"


def build(out: Path, *, root: Path = ROOT, reference: bool = True) -> str:
    """Write the site into ``out``, and check it.

    Parameters
    ----------
    out : a folder that is not there yet, is empty, or was made by this; it is replaced
    root : the project
    reference : with the reference of the packages, which takes most of the time

    Returns
    -------
    str
        What was written and checked, in a line.

    Raises
    ------
    DocsError
        For links that lead nowhere, public objects without a docstring, games without a section, or an ``out`` that
        holds something else.
    """
    faults = [f"{where} has no docstring" for where in undocumented(root)]
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise DocsError(f"{out} holds something else; choose another --out")
    site = Site(out, root, reference)
    sources = check_sources(root, site.sources)
    faults += sources.broken
    if faults:
        raise DocsError("\n".join(faults))

    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / MARK).touch()
    theme = root / "mancala_env" / "replay" / "theme.css"
    (out / "style.css").write_text(theme.read_text("utf-8") + (root / "docs" / "style.css").read_text("utf-8"), "utf-8")
    for path in site.sources:
        file = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        title = re.search(r"^# (.+)", text, flags=re.MULTILINE)
        page = site.address(file)
        site.write(page, title[1] if title else file, site.markdown(text, file, page))
    games_index(site)
    for rules in mancala.RULESETS.values():
        game_page(rules, site)
    for file in sorted(site.used):
        if _is_text(file):
            shown = f"<h1>{html.escape(file)}</h1>\n<pre><code>{html.escape(site.read(file))}</code></pre>"
            site.write(f"{file}.html", file, shown)
        else:
            (out / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / file, out / file)
    if reference:
        write_reference(out / "api")
        reference_index(site)

    pages = check_pages(out)
    if pages.broken:
        raise DocsError("\n".join(pages.broken))
    external = sorted(sources.external | pages.external)
    (out / "external_links.txt").write_text("".join(f"{link}\n" for link in external), encoding="utf-8")
    count = sum(1 for _ in out.rglob("*.html"))
    return (
        f"{count} pages in {out}; {sources.internal + pages.internal:,} links inside them lead somewhere; "
        f"{len(external)} to elsewhere, not looked up, are in external_links.txt"
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser("python -m docs.build", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("site"), help="folder of the pages, replaced (default: site)")
    parser.add_argument("--no-reference", action="store_true", help="leave out the reference, which takes most time")
    arguments = parser.parse_args()
    try:
        print(build(arguments.out, reference=not arguments.no_reference))
    except DocsError as error:
        sys.exit(f"python -m docs.build: error:\n{error}")
    except OSError as error:
        sys.exit(f"python -m docs.build: error: {in_words(error)}")


if __name__ == "__main__":
    main()
