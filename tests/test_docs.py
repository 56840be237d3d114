"""The documentation can be built, is whole, and what is broken in it is found."""

import base64
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from agents import zoo
from agents.reading import read_json
from docs import build, notebooks
from docs.clauses import VERBS, arguments_said, asked_and_done, conditions_said
from docs.game_pages import NOWHERE, clauses_page, families, game_page, games_index, meanings, section_of
from docs.pictures import IMAGES, board
from mancala_env import RULESETS, When
from mancala_env.games.mechanisms import mechanisms
from mancala_env.observation import make_encoder
from mancala_env.rules.fields import DECLARED
from mancala_env.rules.landing import CLAUSE
from tests.games import CORE
from tests.processes import ROOT

SITE = "MANCALA_ENV_SITE"
PACKAGES = ("mancala_env", "agents", "training")


@pytest.fixture(scope="module")
def site():
    """The documentation as pages, where the gate, which tells it in ``SITE``, has built it."""
    if SITE not in os.environ:
        pytest.skip(f"{SITE} says where there is a site: sphinx-build -W -c docs . site")
    return Path(os.environ[SITE])


@pytest.mark.pages
@pytest.mark.parametrize("name", CORE)
def test_a_game_has_a_page(site, name):
    page = (site / "docs" / "games" / f"{name}.html").read_text("utf-8")
    rules, statistics = page.split('<section id="random-play">')
    assert RULESETS[name].id in rules
    family = families()[name]
    assert (ROOT / family).is_file()
    assert f">{family}</span>" in rules
    for shade in ("light", "dark"):
        assert re.search(rf'<img [^>]*class="only-{shade}"[^>]*src="../../_images/{name}-{shade}.svg"', rules)
        assert f"<title>{name}: " in (site / "_images" / f"{name}-{shade}.svg").read_text("utf-8"), "no board"
    assert ">max_plies</span>" in rules.split('<section id="options">')[1]
    assert '<iframe class="replay" src="replays/' in rules
    assert "start" in (site / "docs" / "games" / "replays" / f"{name}.html").read_text("utf-8")
    shape = RULESETS[name].num_actions, make_encoder("counts", RULESETS[name]).shape[0]
    assert all(f">{kind}[{size}]</span>" in rules for kind, size in zip(("int8", "float32"), shape, strict=True))
    assert "play/index.html" not in rules, "this site was built without -t play"
    assert "<td><p>plies, median</p></td>" in statistics
    assert "<td><p>South wins</p></td>" in statistics


@pytest.mark.pages
def test_a_trained_policy_has_a_page_which_that_of_its_game_links_to(site):
    index = (site / "docs" / "zoo" / "index.html").read_text("utf-8")
    assert zoo.names()
    for name in zoo.names():
        card = read_json(zoo.beside(zoo.find(name)))
        game = card["rules"]["id"].removeprefix("mancala/").rpartition("-v")[0]
        assert f'href="../zoo/{name}.html"' in (site / "docs" / "games" / f"{game}.html").read_text("utf-8")
        assert f'href="{name}.html"' in index
        page = (site / "docs" / "zoo" / f"{name}.html").read_text("utf-8")
        assert f'href="../games/{game}.html"' in page
        assert page.count('<svg xmlns="http://www.w3.org/2000/svg" viewBox') >= 1
        for result in card["evaluation"]["results"]:
            assert f"<td><p>{100 * result['score']:.1f} %</p></td>" in page
    strength = (site / "docs" / "results.html").read_text("utf-8").split('<section id="regret">')[0]
    cards = map(read_json, (ROOT / "agents" / "zoo").glob("*/*.json"))
    measured = [len(card["evaluation"]["results"]) for card in cards if "evaluation" in card]  # none of all games
    assert strength.count("<tr ") == 1 + sum(measured)


@pytest.mark.pages
def test_all_games_are_in_one_table_that_sorts_and_finds(site, browser):
    page = browser.new_page()
    page.goto((site / "docs" / "games" / "index.html").as_uri())
    rows = page.locator(".games-table tbody tr")
    names = page.locator(".games-table tbody tr:visible td:first-child")
    assert names.all_text_contents() == list(RULESETS)
    field = page.get_by_label("Find a game")
    for words, game in (
        ("RELAY 4x8", "hus"),
        ("kalaha", "kalah"),
        ("ghana", "oware"),
        ("herero", "hus"),
        ("grand-slam", "oware"),
    ):
        field.fill(words)
        assert game in names.all_text_contents(), words
        assert names.count() < len(RULESETS) / 2
    for label, choice in (("Region", "West Africa"), ("Rows", "2"), ("What happens", "feed the opponent")):
        page.get_by_label(label, exact=True).select_option(choice)
    found = names.all_text_contents()
    assert "oware" in found
    assert {(RULESETS[name].region, RULESETS[name].board.rows) for name in found} == {("West Africa", 2)}
    for label in ("Region", "Rows", "What happens"):
        page.get_by_label(label, exact=True).select_option("")
    field.fill("relay")
    assert rows.count() == len(RULESETS)
    assert page.locator(".games-table output").text_content() == f"{names.count()} of {len(RULESETS)} games"
    field.fill("")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        boxes = page.locator("html, .games-table .table-wrapper")
        assert boxes.evaluate_all("(all) => all.filter((box) => box.scrollWidth > box.clientWidth).length") == 0, width
    page.set_viewport_size({"width": 1440, "height": 900})
    lengths = page.locator(".games-table tbody tr td:nth-child(5)")
    head = page.get_by_role("button", name="plies, median")
    for turned in (False, True):
        head.click()
        figures = [float(text) for text in lengths.all_text_contents() if text]
        assert figures == sorted(figures, reverse=turned)
        assert figures[0] != figures[-1]
    page.get_by_role("button", name="game", exact=True).click()
    assert names.all_text_contents() == sorted(RULESETS)
    page.get_by_role("link", name="hus", exact=True).last.click()
    assert page.locator("h1").text_content().startswith("Hus")
    page.close()


SEARCHES = {
    "train against my own opponent": "docs/training", "Tianshou": "docs/environments", "TorchRL": "docs/environments",
    "tournament": "docs/tournaments", "bots": "docs/protocol", "relay": "docs/play", "kalaha": "docs/games/kalah",
    "wari": "docs/games/oware", "layli goobalay": "docs/games/layli_goobalay", "position editor": "docs/play",
}  # fmt: skip


@pytest.mark.pages
def test_a_search_finds_guides_before_games_and_games_by_each_of_their_names(site):
    if shutil.which("node") is None:
        pytest.skip("there is no node, which runs the search")
    command = ["node", str(ROOT / "tests" / "site_search.mjs"), str(site), *SEARCHES]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in told.stdout.splitlines()] == [*SEARCHES.values()]


def test_all_games_are_counted_by_what_they_are():
    index = games_index((ROOT / "docs" / "statistics.md").read_text("utf-8"))
    for heading, kinds in (
        ("By rows of the board", [str(rules.board.rows) for rules in RULESETS.values()]),
        ("By region", [rules.region or NOWHERE for rules in RULESETS.values()]),
    ):
        rows = re.findall(r"^\| (.+) \| (\d+) \|$", section_of(index, heading), flags=re.MULTILINE)
        assert {kind: int(number) for kind, number in rows} == Counter(kinds)
    told = dict(re.findall(r"^\| `(.+)` \| .+ \| (\d+) \|$", section_of(index, "By mechanism"), flags=re.MULTILINE))
    assert {tag: int(number) for tag, number in told.items()} == Counter(
        tag for rules in RULESETS.values() for tag in mechanisms(rules)
    )


def test_a_game_without_a_section_is_told_by_its_ruleset(monkeypatch):
    rules = RULESETS["kalah"].changes(name="sparse", seeds=3, region="Somewhere", about="Sow, and sow again.")
    monkeypatch.setitem(RULESETS, rules.name, rules)
    page = game_page(rules, ROOT)
    for told in (
        "- Region: Somewhere\n", "- Mechanisms: own-store (seeds are sown into", "## Rules\n\nSow, and sow again.\n",
        rules.describe(), "This game has not been counted yet.",
    ):  # fmt: skip
        assert told in page
    with pytest.raises(ExtensionError, match="nothing says how sparse is played"):
        game_page(rules.changes(about=""), ROOT)


@pytest.mark.pages
def test_every_text_is_a_page_and_every_page_is_found_from_the_first(site):
    assert 'href="docs/games/oware.html"' in (site / "README.html").read_text("utf-8"), "a link to its section"
    assert 'href="awari.html"' in (site / "docs" / "games" / "oware.html").read_text("utf-8")
    texts = [ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]
    for path in [*texts, ROOT / "docs" / "games" / "index.md"]:
        page = path.relative_to(ROOT).with_suffix(".html")
        assert (site / page).is_file()
        assert f'href="{page.as_posix()}"' in (site / "README.html").read_text("utf-8")
    for name in RULESETS:
        assert (site / "docs" / "games" / f"{name}.html").is_file()
        assert f'href="{name}.html"' in (site / "docs" / "games" / "index.html").read_text("utf-8")
    first = (site / "index.html").read_text("utf-8")
    for target in ("README.html", "docs/games/index.html", "docs/results.html", "docs/games/replays/front.html"):
        assert f'"{target}"' in first
        assert (site / target).is_file()


@pytest.mark.pages
def test_pages_load_nothing_from_elsewhere(site):
    for kind, loads in (
        ("html", r'<(?:script|img|iframe|link)\b[^>]*(?:src|href)="(?:https?:)?//'),
        ("css", r"(?:@import|url\()\s*[\"']?(?:https?:)?//"),
    ):
        found = [path.name for path in site.rglob(f"*.{kind}") if re.search(loads, path.read_text("utf-8"))]
        assert found == []


def test_every_option_has_a_meaning_and_the_picture_of_the_readme_is_that_of_its_command():
    assert DECLARED.keys() == meanings().keys()
    assert (IMAGES / "board.svg").read_text("utf-8") == board() + "\n"


def test_the_command_says_how_it_calls_sphinx(monkeypatch, capsys, tmp_path):
    called, out = [], str(tmp_path / "pages")
    failed = subprocess.CompletedProcess([], 2)
    monkeypatch.setattr(subprocess, "run", lambda command, cwd, check: called.append((cwd, command)) or failed)
    assert build.main(["--no-reference", "--play", "--out", out]) == 2
    options = ["-W", "-c", "docs", "-t", "texts_only", "-t", "play", ".", out]
    assert called == [(ROOT, [sys.executable, "-m", "sphinx", *options])]
    assert f"sphinx-build -W -c docs -t texts_only -t play . {out}" in capsys.readouterr().err


def test_a_notebook_is_shown_with_what_it_printed_and_drew():
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["\x1b[1mdone\x1b[0m\n"]},
        {"output_type": "stream", "name": "stderr", "text": "compiling\n"},
        {"output_type": "display_data", "data": {"image/png": base64.b64encode(b"png").decode(), "text/plain": "<F>"}},
        {"output_type": "execute_result", "data": {"text/html": "<b>rich</b>", "text/plain": "poor"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# One\n", "[x](../docs/exact.md) [y](02.ipynb) [z](https://a.b)"]},
        {"cell_type": "code", "source": "%cd -q ..", "outputs": outputs},
    ]
    text, pictures = notebooks.page({"cells": cells}, "01_one", executed=True)
    assert pictures == {"01_one-0.png": b"png"}
    for there in (
        "[x](../exact.md) [y](../../notebooks/02.ipynb) [z](https://a.b)", "```python\n%cd -q ..\n```",
        "```text\ndone\n```", "(01_one-0.png)", "```{raw} html\n<b>rich</b>\n```", ", executed.",
    ):  # fmt: skip
        assert there in text
    assert "compiling" not in text
    assert "poor" not in text


@pytest.mark.pages
def test_the_reference_describes_the_public_modules(site):
    reference = site / "docs" / "api"
    described = {path.stem for path in reference.glob("*.html")} - {"index"}
    there = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            private = any(part.startswith("_") and part != "__init__" for part in parts)
            if not private and not {"kernel", "kernels", "recipes"} & set(parts):
                there.add(".".join(parts).removesuffix(".__init__"))
    assert described == there
    state = (reference / "mancala_env.state.html").read_text("utf-8")
    assert 'id="mancala_env.state.State.play"' in state
    batch = (reference / "mancala_env.batch.html").read_text("utf-8")
    assert 'href="mancala_env.state.html#mancala_env.state.State"' in batch, "a type in a signature is a link"
    assert not [path for path in site.rglob("*.html") if f"{ROOT}/" in path.read_text("utf-8")]


def test_every_argument_of_a_clause_and_of_its_verbs_is_explained_with_a_game_that_uses_it():
    of_verbs = {"takes", "chain", "every", "to", "then", "first", "stops",
                "marks", "picks", "sparing"}  # fmt: skip
    conditions = {name for name in CLAUSE if name.partition("_")[0] not in of_verbs} - of_verbs
    assert {name for name, _ in conditions_said()} == conditions
    methods = {name: inspect.signature(method) for name, method in vars(When).items() if inspect.isfunction(method)}
    verbs = {name for name, taken in methods.items() if taken.return_annotation in (When, "When")}
    assert set(VERBS) == verbs
    for verb in verbs:
        asked = [name for name in methods[verb].parameters if name != "self"]
        assert [name for name, _ in arguments_said(verb)] == asked
    unused = set()
    for title, about, rows in asked_and_done():
        assert len(about) > 20, title
        for name, meaning, used in rows:
            assert len(meaning) > 10, (title, name)
            assert f"| `{name}` | {meaning.replace('|', '')} |" in clauses_page()
            unused |= set() if used else {name}
    assert not unused


@pytest.mark.integration
def test_only_what_is_wider_than_the_page_takes_the_focus_of_the_keyboard(browser, tmp_path):
    script = (ROOT / "docs" / "static" / "wide.js").read_text("utf-8")
    boxes = "".join(
        f'<pre id="{name}" style="overflow: auto">{"x" * n}</pre>' for name, n in (("wide", 900), ("fits", 40))
    )
    (tmp_path / "page.html").write_text(f"<script>{script}</script>{boxes}", "utf-8")
    tab = browser.new_page(viewport={"width": 800, "height": 600})
    tab.goto((tmp_path / "page.html").as_uri())
    focusable = "[...document.querySelectorAll('[tabindex=\"0\"]')].map((box) => box.id)"
    assert tab.evaluate(focusable) == ["wide"]
    tab.set_viewport_size({"width": 200, "height": 600})
    tab.wait_for_function(f"{focusable}.length === 2")
    tab.close()


@pytest.mark.pages
@pytest.mark.parametrize(
    "name", ["index", "README", "search", "docs/training", "docs/statistics", "docs/games/kalah", "docs/protocol"]
)
def test_axe_finds_nothing_on_the_pages(site, browser, name):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for shade in ("light", "dark"):
        tab = browser.new_page(color_scheme=shade, viewport={"width": 390, "height": 844})
        tab.goto((site / f"{name}.html").resolve().as_uri())
        found = {each["id"]: [node["html"] for node in each["nodes"]] for each in axe.run(tab).response["violations"]}
        tab.close()
        assert found == {}, shade
