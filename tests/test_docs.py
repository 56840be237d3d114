"""The documentation can be built, is whole, and what is broken in it is found."""

import shutil
from dataclasses import fields
from pathlib import Path

import pytest

from docs.build import DocsError, build, main, meanings, public_modules
from docs.docstrings import undocumented
from docs.links import anchors_of, check_pages, check_sources, render, slug
from docs.pictures import IMAGES, board
from mancala_env import RULESETS, Ruleset

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without the reference."""
    out = tmp_path_factory.mktemp("docs") / "site"
    build(out, reference=False)
    return out


@pytest.mark.parametrize("name", RULESETS)
def test_a_game_has_a_page(site, name):
    page = (site / "games" / f"{name}.html").read_text("utf-8")
    rules, statistics = page.split('id="statistics"')
    assert RULESETS[name].id in rules
    assert f"<title>{name}: " in rules, "no board"
    assert rules.count("<svg") == 2, "one board for light pages, one for dark ones"
    assert "<td><code>max_plies</code></td>" in rules.split('id="options"')[1]
    assert "<td>plies, median</td>" in statistics
    assert "<td>South wins</td>" in statistics
    policies = [path.parent.name for path in (ROOT / "agents" / "zoo").glob("*/policy.json")]
    assert name not in policies or f'id="zoo-{name}"' in statistics


def test_every_text_is_a_page_and_every_page_is_found_from_the_first(site):
    for path in [ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]:
        assert (site / path.relative_to(ROOT)).with_suffix(".html").is_file()
    first = (site / "index.html").read_text("utf-8")
    assert 'href="games/index.html"' in first
    listed = (site / "games" / "index.html").read_text("utf-8")
    assert all(f'href="{name}.html"' in listed for name in RULESETS)


def test_the_pages_know_light_and_dark_and_load_nothing_from_elsewhere(site):
    assert "prefers-color-scheme: dark" in (site / "style.css").read_text("utf-8")
    checked = check_pages(site)
    assert not checked.broken
    assert checked.internal > 500


@pytest.fixture
def project(tmp_path):
    """What the documentation is made from, to break something in."""
    root = tmp_path / "project"
    for name in ("docs", "notebooks", "mancala_env", "agents", "training"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors"))
    for path in ROOT.glob("*.md"):
        shutil.copy(path, root)
    return root


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("[x](nowhere.md)", "docs/exact.md:1: (nowhere.md): there is no such file in the project"),
        ("[x](games.md#chess)", "docs/exact.md:1: (games.md#chess): docs/games.md has no heading with this anchor"),
        ("[x](#chess)", "docs/exact.md:1: (#chess): docs/exact.md has no heading with this anchor"),
        ("![x](images/none.svg)", "docs/exact.md:1: (images/none.svg): there is no such file in the project"),
        ("[x](../../outside.md)", "docs/exact.md:1: (../../outside.md): there is no such file in the project"),
    ],
)
def test_a_broken_link_fails_the_build(project, link, why):
    page = project / "docs" / "exact.md"
    page.write_text(f"{link}\n\n{page.read_text('utf-8')}", encoding="utf-8")
    with pytest.raises(DocsError) as error:
        build(project.parent / "site", root=project, reference=False)
    assert str(error.value) == why
    assert not (project.parent / "site").exists(), "nothing is written for faulty texts"


def test_a_broken_link_in_a_built_page_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<p id="there"></p><a href="b.html#there">x</a>\n<a href="#here">y</a>', "utf-8")
    (tmp_path / "b.html").write_text('<a href="a.html#there">x</a><script src="https://x.org/x.js"></script>', "utf-8")
    assert check_pages(tmp_path).broken == [
        "a.html:1: (b.html#there): b.html has no such anchor",
        "a.html:2: (#here): a.html has no such anchor",
        "b.html: (https://x.org/x.js): pages load nothing from a network",
    ]


def test_links_to_elsewhere_are_listed_and_code_has_none(tmp_path):
    text = tmp_path / "a.md"
    text.write_text("[x](https://example.org/y) `[a](b)`\n\n```\n[c](d)\n```\n", encoding="utf-8")
    checked = check_sources(tmp_path, [text])
    assert (checked.broken, checked.external, checked.internal) == ([], {"https://example.org/y"}, 0)


def test_a_public_object_without_a_docstring_fails_the_build(project):
    module = project / "agents" / "evaluation" / "openings.py"
    module.write_text(
        module.read_text("utf-8") + "\n\nclass Bare:\n    def method(self): ...\n    def _own(self): ...\n", "utf-8"
    )
    with pytest.raises(DocsError) as error:
        build(project.parent / "site", root=project, reference=False)
    names = [line.split(": ")[1] for line in str(error.value).splitlines()]
    assert names == [
        "agents.evaluation.openings.Bare has no docstring",
        "agents.evaluation.openings.Bare.method has no docstring",
    ]


def test_every_public_object_has_a_docstring():
    assert undocumented() == []


def test_every_option_has_a_meaning():
    assert {part.name for part in fields(Ruleset)} == meanings().keys()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "thesis.txt").write_text("mine", "utf-8")
    monkeypatch.setattr("sys.argv", ["docs.build", "--no-reference", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="holds something else; choose another --out"):
        main()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_made_is_named_in_a_line(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine", "utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "site", Path("/proc/nowhere/site")):
        monkeypatch.setattr("sys.argv", ["docs.build", "--no-reference", "--out", str(out)])
        with pytest.raises(SystemExit) as stop:
            main()
        said = str(stop.value.code)
        assert str(out if tmp_path in out.parents else out.parent) in said
        assert "name another place" in said or "check the path" in said
        assert len(said.splitlines()) == 1
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_anchors_are_those_that_github_makes():
    assert slug("What they have in common") == "what-they-have-in-common"
    assert slug("Limits: `--memory`, time & co.") == "limits---memory-time--co"
    assert anchors_of("# A\n\n## `oware_liberta`\n\n# A\n\n```\n# no heading\n```\n") == {"a", "a-1", "oware_liberta"}


def test_html_in_a_text_is_shown_and_not_obeyed():
    shown = render("<!-- command: main -->\nx <script>alert(1)</script> [y](javascript:alert(1))\n", str)
    assert "<script>" not in shown
    assert "command: main" not in shown
    assert 'href="javascript' not in shown


def test_the_picture_of_the_readme_is_the_one_that_its_command_makes():
    assert (IMAGES / "board.svg").read_text("utf-8") == board() + "\n"


@pytest.mark.slow
def test_the_reference_describes_the_public_modules(tmp_path):
    build(tmp_path / "site")
    for name in public_modules():
        assert (tmp_path / "site" / "api" / f"{name.replace('.', '/')}.html").is_file()
    assert 'id="State.play"' in (tmp_path / "site" / "api" / "mancala_env" / "state.html").read_text("utf-8")
    assert not [path for path in (tmp_path / "site").rglob("*.html") if f"{ROOT}/" in path.read_text("utf-8")]
