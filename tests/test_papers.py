"""What is said beside the code is true: how to cite, what hosted CI runs, and the paths that CONTRIBUTING.md names."""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

import mancala_env

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
STEPS = WORKFLOW["jobs"]["tests"]["steps"]
COMMANDS = [command for step in STEPS if "run" in step for command in step["run"].split(" && ")]
CHECKS = (
    "ruff check", "ruff format --check", "mypy", "lint-imports", "sphinx-build -W -q -c docs . site",
    "python -m pytest --doctest-modules --ignore docs/conf.py mancala_env agents training docs",
    "python -m pytest -n auto", "python -m pytest -n auto -m integration",
    "MANCALA_ENV_SITE=site python -m pytest -m pages tests/test_docs.py",
)  # fmt: skip


def test_the_citation_speaks_of_this_version():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["version"] == mancala_env.__version__
    assert (CITATION["title"], CITATION["abstract"]) == (PROJECT["name"], PROJECT["description"])
    assert (CITATION["license"], CITATION["keywords"]) == (PROJECT["license"], PROJECT["keywords"])
    assert all(set(author) == {"name"} for author in CITATION["authors"])
    assert CITATION["authors"]
    assert CITATION["message"]


def test_hosted_ci_runs_on_every_python_that_is_supported():
    pythons = WORKFLOW["jobs"]["tests"]["strategy"]["matrix"]["python"]
    supported = SpecifierSet(PROJECT["requires-python"])
    assert all(isinstance(python, str) and python in supported for python in pythons)  # 3.10 unquoted would be 3.1
    oldest, newest = min(map(Version, pythons)), max(map(Version, pythons))
    assert str(oldest) == PROJECT["requires-python"].removeprefix(">=")
    assert pythons == [f"3.{minor}" for minor in range(oldest.minor, newest.minor + 1)]


def test_hosted_ci_may_read_alone_and_runs_every_check():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in WORKFLOW["jobs"]["tests"]
    assert WORKFLOW["concurrency"]["cancel-in-progress"] is True
    assert [command for command in CHECKS if command not in COMMANDS] == []
    extras = re.search(r'pip install -c constraints\.txt -e "\.\[([\w,]+)\]"', "\n".join(COMMANDS))
    assert extras, COMMANDS
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])


def paths_of(text):
    """The paths in backquotes and in commands: words with a slash, and names of files."""
    code = [
        *re.findall(r"`([^`\n]+)`", text),
        *re.findall(r"^```bash\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE),
    ]
    words = {word.strip("\"'(),:;") for part in code for word in part.split() if ".venv" not in word}  # the reader's
    files = r"[\w.-]+\.(md|py|txt|toml|cff|yml|jsonl)"
    return sorted(word for word in words if "://" not in word and re.fullmatch(rf"[\w./-]*/[\w./-]*|{files}", word))


def modules_of(text):
    return sorted(set(re.findall(r"python3? -m ([a-z_][\w.]*)", text)))


@pytest.mark.parametrize("path", paths_of(CONTRIBUTING))
def test_a_path_of_the_guide_is_there(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("module", modules_of(CONTRIBUTING))
def test_a_module_of_the_guide_is_there(module):
    assert find_spec(module) is not None


def test_functions_of_the_guide_are_in_the_files_named_beside_them():
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", CONTRIBUTING)
    assert len(named) > 2
    assert [name for name in named if f"def {name}(" not in tests] == []
