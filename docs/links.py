"""Markdown as HTML, with the anchors that GitHub gives its headings, and links that lead nowhere found."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

Readdress = Callable[[str], str]  # a link as it is written, to one that the page can use

_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def parse(text: str) -> list[Token]:
    """The tokens of a Markdown text; its headings have their anchors as ids."""
    tokens = _markdown.parse(text)
    seen: dict[str, int] = {}
    for k, token in enumerate(tokens):
        if token.type == "heading_open":
            anchor = slug(_plain(tokens[k + 1]))
            count = seen[anchor] = seen.get(anchor, -1) + 1
            token.attrSet("id", f"{anchor}-{count}" if count else anchor)
    return tokens


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading.

    Examples
    --------
    >>> slug("What they have in common, `oware_liberta`")
    'what-they-have-in-common-oware_liberta'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _plain(inline: Token) -> str:
    return "".join(token.content for token in inline.children or () if token.type in ("text", "code_inline"))


def anchors_of(text: str) -> set[str]:
    """The anchors in a Markdown text."""
    return {str(token.attrs["id"]) for token in parse(text) if "id" in token.attrs}


def links_of(text: str) -> Iterator[tuple[int, str]]:
    """Line and target of every link and picture in a Markdown text; code has none."""
    for token in parse(text):
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target is not None:
                yield (token.map[0] + 1 if token.map else 0), str(target)


def render(text: str, readdress: Readdress) -> str:
    """A Markdown text as HTML. HTML in it is shown as text, but for comments, which are left out."""
    tokens = parse(re.sub(r"^<!--.*?-->\n", "", text, flags=re.DOTALL | re.MULTILINE))
    for token in tokens:
        for child in token.children or ():
            for name in {"href", "src"} & child.attrs.keys():
                child.attrSet(name, readdress(str(child.attrs[name])))
    html: str = _markdown.renderer.render(tokens, _markdown.options, {})
    return html.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def is_external(target: str) -> bool:
    """Does a link lead out of the project?"""
    return bool(urlsplit(target).scheme or target.startswith("//"))


@dataclass
class Checked:
    """What a check of links found."""

    broken: list[str] = field(default_factory=list)
    external: set[str] = field(default_factory=set)
    internal: int = 0


def check_sources(root: Path, sources: list[Path]) -> Checked:
    """Every link in Markdown files: its file must exist under ``root``, and its anchor in that file."""
    found = Checked()
    anchors: dict[Path, set[str]] = {}
    for source in sources:
        for line, target in links_of(source.read_text(encoding="utf-8")):
            if is_external(target):
                found.external.add(target)
                continue
            found.internal += 1
            path, _, anchor = target.partition("#")
            file = Path(os.path.normpath(source.parent / unquote(path))) if path else source
            where = f"{source.relative_to(root)}:{line}: ({target})"
            if not file.is_file() or not file.is_relative_to(root):
                found.broken.append(f"{where}: there is no such file in the project")
            elif anchor and file.suffix == ".md":
                if file not in anchors:
                    anchors[file] = anchors_of(file.read_text(encoding="utf-8"))
                if unquote(anchor) not in anchors[file]:
                    found.broken.append(f"{where}: {file.relative_to(root)} has no heading with this anchor")
    return found


class Page(HTMLParser):
    """What a page offers to links, and where its own lead."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[tuple[int, str]] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and targets of a tag."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.targets.append((self.getpos()[0], value))
                if tag != "a":
                    self.loads.append(value)


def page_of(path: Path) -> Page:
    """The anchors and links of an HTML file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def check_pages(site: Path) -> Checked:
    """Every link in the HTML files of a folder, and that they load nothing from a network."""
    found = Checked()
    pages = {}
    for built in sorted(site.rglob("*.html")):
        pages[built.relative_to(site).as_posix()] = page_of(built)
    for name, page in pages.items():
        for load in page.loads:
            if is_external(load) and not load.startswith("data:"):
                found.broken.append(f"{name}: ({load}): pages load nothing from a network")
        for line, target in page.targets:
            if is_external(target):
                if not target.startswith("data:"):
                    found.external.add(target)
                continue
            found.internal += 1
            path, _, anchor = target.partition("#")
            to = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name
            where = f"{name}:{line}: ({target})"
            if to not in pages and not (site / to).is_file():
                found.broken.append(f"{where}: there is no such file in the site")
            elif anchor and to in pages and unquote(anchor) not in pages[to].anchors:
                found.broken.append(f"{where}: {to} has no such anchor")
    return found
