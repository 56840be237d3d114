"""How Sphinx makes the documentation: ``sphinx-build -W -c docs . site``, in the root of the repository.

The root is the source folder, so that a link between two files leads to the same place here and on a hosting site.
``-t texts_only`` leaves out the reference, which takes most of the time and needs the extra train. ``-t play`` adds the
page on which games are played without a server (``docs.browser``), ``-t notebooks`` executes notebooks whose output is
not kept yet (``docs.notebooks``).
"""

import os
import re
import sys
from pathlib import Path
from types import GenericAlias

import numpy.typing
from sphinx.application import Sphinx
from sphinx.ext import apidoc

ROOT = Path(__file__).parent.parent
PACKAGES = ("mancala_env", "agents", "training")
# Public is what has no leading underscore, but for kernels, which are no interface, and recipes, which are read rather
# than imported: they need packages that few have.
NOT_PUBLIC = ("mancala_env/kernels", "mancala_env/family/kernels.py", "agents/*/kernel.py", "training/recipes")
FOLDERS = [path.name for path in ROOT.iterdir() if path.is_dir()]

sys.path.insert(0, str(ROOT))
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # nothing is compiled, and functions that would be have docstrings
for name in ("NDArray", "ArrayLike"):  # signatures show these by name, not the long unions that they stand for
    shown = type(name, (), {"__module__": "numpy.typing", "__class_getitem__": classmethod(GenericAlias)})
    setattr(numpy.typing, name, shown)

import mancala_env  # noqa: E402, after the lines above, which it must see

project = "mancala_env"
version = release = mancala_env.__version__
root_doc = "README"
exclude_patterns = [folder for folder in FOLDERS if folder not in ("docs", "notebooks")]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "docs.game_pages",
    "docs.code_links",
    "docs.notebooks",
    "docs.replays",
    "docs.browser",
]
TEXTS_ONLY = tags.has("texts_only")  # type: ignore[name-defined]  # noqa: F821, Sphinx puts it here
if TEXTS_ONLY:
    exclude_patterns.append("docs/api")

nitpicky = True
# ``train`` of a trainer is a method of a class, which autodoc takes for a function: a warning without a subtype. Those
# with one, such as a module that cannot be imported, are shown.
suppress_warnings = ["autodoc.None"]
nitpick_ignore_regex = [
    # Names of other packages: looking them up would need a network. Types of our own without a public name.
    ("py:.*", rf"(?!({'|'.join(PACKAGES)})\.)\w+\..*|DataFrame"),
    ("py:class", r"(.*\.)?_\w+|.*\.(Stopwatch|StateT|Turns|Leaves|K|T)|CompiledRules|Encoded|Key|defaultdict|deque"),
    ("py:class", r".*\.kernel\.\w+"),  # modules of kernels have no page
]
linkcheck_timeout = 20

myst_heading_anchors = 3
myst_enable_extensions = ["attrs_inline"]

autosummary_generate = False
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "ignore-module-all": True,  # a thing is described where it is defined, and only there
    "no-value": True,
}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
napoleon_google_docstring = False
# Types in docstrings are written for people ("int8[n], 1 where legal"), so they are no references.
napoleon_use_param = napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_title = "mancala_env"
html_static_path = ["static", "../agents/play/finder.js", "../mancala_env/replay/board.js"]
html_css_files = ["site.css"]
html_js_files = ["frames.js", "wide.js"]
html_search_scorer = str(ROOT / "docs" / "scorer.js")
copybutton_exclude = ".linenos, .gp, .go"
templates_path = ["templates"]
html_additional_pages = {"index": "index.html"}
html_context = {
    "games": len(mancala_env.RULESETS),
    "playable": tags.has("play"),  # type: ignore[name-defined]  # noqa: F821, as above
    "install": "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e .",
}
html_copy_source = False
html_show_copyright = False
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
_SANS = 'system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
_MONO = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace'
_FONTS = {"font-stack": _SANS, "font-stack--monospace": _MONO}
html_theme_options = {
    "light_css_variables": _FONTS | {
        "color-background-primary": "#fcf9f2",
        "color-background-secondary": "#f7f2e7",
        "color-background-hover": "#f3ecdf",
        "color-background-border": "#e0d6c4",
        "color-foreground-primary": "#33291e",
        "color-foreground-secondary": "#6b5b49",
        "color-foreground-muted": "#6b5b49",
        "color-foreground-border": "#8a7a66",
        "color-code-background": "#f3ecdf",
        "color-code-foreground": "#33291e",
        "color-inline-code-background": "#f3ecdf",
        "color-brand-primary": "#00568f",
        "color-brand-content": "#00568f",
        "color-brand-visited": "#6b4592",
        "color-api-name": "#00568f",
        "color-api-pre-name": "#6b5b49",
    },
    "dark_css_variables": _FONTS | {
        "color-background-primary": "#17130f",
        "color-background-secondary": "#1e1914",
        "color-background-hover": "#262019",
        "color-background-border": "#3a3128",
        "color-foreground-primary": "#e8ddca",
        "color-foreground-secondary": "#b0a18b",
        "color-foreground-muted": "#b0a18b",
        "color-foreground-border": "#8a7a66",
        "color-code-background": "#1e1914",
        "color-code-foreground": "#e8ddca",
        "color-inline-code-background": "#262019",
        "color-brand-primary": "#6cc0f0",
        "color-brand-content": "#6cc0f0",
        "color-brand-visited": "#b79adb",
        "color-api-name": "#6cc0f0",
        "color-api-pre-name": "#b0a18b",
    },
}  # fmt: skip

CONTENTS = {
    "Games": ["docs/games/index", "Rules of all games <docs/games>", "docs/statistics", "docs/random_games"],
    "Guides": [
        "docs/environments", "docs/family", "docs/play", "docs/training", "docs/evaluate", "docs/benchmark",
        "docs/controls", "docs/policies", "docs/zoo/index", "docs/exact", "docs/tournaments",
        "docs/protocol", "notebooks/README",
    ],
    "Results": ["docs/results", "docs/speed", "docs/recorded_games"],
    "Project": ["CONTRIBUTING", "docs/moves", "CHANGELOG", "Pictures <docs/images/README>"],
}  # fmt: skip
if not TEXTS_ONLY:
    CONTENTS["Reference"] = ["docs/api/index"]


def write_reference_sources(app: Sphinx) -> None:
    """A page for each public module, found by walking the packages."""
    if TEXTS_ONLY:
        return
    others = [folder for folder in FOLDERS if folder not in PACKAGES]
    apidoc.main([
        *("-q", "--force", "--remove-old", "--separate", "-H", "Reference", "--tocfile", "index"),
        *("--templatedir", str(ROOT / "docs" / "templates" / "apidoc"), "-o", str(ROOT / "docs" / "api"), str(ROOT)),
        *(str(ROOT / path) for path in (*others, *NOT_PUBLIC)),
    ])  # fmt: skip


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """The menu of all pages stands in the first, out of sight, where a hosting site does not show it as text."""
    if page == root_doc:
        for caption, pages in CONTENTS.items():
            source[0] += "\n```{toctree}\n:hidden:\n:caption: " + "\n".join([caption, "", *pages]) + "\n```\n"


def only_own_branch(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """The menu beside a page opens the branch that the page is on: with all of the others, 300 modules and 200 games,
    on each of 500 pages it would be most of the site, and half of the time that making it takes."""
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **settings: toctree(**settings | {"collapse": True})


def accessible(page: str) -> str:
    """A page with names for its landmarks, levels for the captions of its menu, and no header cells without text."""
    page = page.replace('role="heading"><span', 'role="heading" aria-level="2"><span')
    page = page.replace('<aside class="sidebar-drawer"', '<aside aria-label="All pages" class="sidebar-drawer"')
    page = page.replace('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer')
    return re.sub(r"<th class=\"head[^>]*>(<p></p>)?</th>", "<td></td>", page)


def add_filters(app: Sphinx) -> None:
    """What templates call, where pages have some."""
    if app.builder.format == "html":
        app.builder.templates.environment.filters["accessible"] = accessible


def list_exports(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """A package says what can be imported from it that its modules define."""
    if what == "module" and hasattr(obj, "__path__"):
        found = [getattr(obj, export) for export in getattr(obj, "__all__", ())]
        places = [f"~{it.__module__}.{it.__qualname__}" for it in found if hasattr(it, "__qualname__")]
        places = [place for place in places if not place.startswith(f"~{name}.{place.rpartition('.')[2]}")]
        if places:
            lines += ["", "Offers, from its modules:", "", ".. autosummary::", "   :nosignatures:", ""]
            lines += [f"   {place.replace(f'~{name}.', '~')}" for place in places]


def without_factories(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """``<factory>``, a default that dataclasses make anew for each object, as Sphinx can read it."""
    return signature and signature.replace("<factory>", "..."), returns


def without_namesakes(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Of a module and a function beside it that has the same full name, only the module can be described."""
    return True if f"{getattr(obj, '__module__', '')}.{name}" in sys.modules else None


def attribute_docstrings(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Docstrings of attributes are sentences, and those that named tuples make by themselves say nothing."""
    if what in ("attribute", "data", "property"):
        if lines and lines[0].startswith("Alias for field number"):
            lines.clear()
        else:
            lines[:0] = ["..", ""]  # else napoleon takes what stands before a colon for a type


def setup(app: Sphinx) -> None:
    """What Sphinx calls."""
    app.connect("builder-inited", write_reference_sources)
    app.connect("builder-inited", add_filters)
    app.connect("source-read", add_contents)
    app.connect("html-page-context", only_own_branch, priority=400)  # before the theme asks for the menu
    app.connect("autodoc-process-docstring", list_exports)
    app.connect("autodoc-skip-member", without_namesakes)
    app.connect("autodoc-process-signature", without_factories)
    app.connect("autodoc-process-docstring", attribute_docstrings, priority=400)  # before napoleon
