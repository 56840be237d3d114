"""Which public objects have no docstring.

Ruff's rules D1 take what ``__all__`` leaves out for private; this holds everything without a leading underscore to it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("mancala_env", "agents", "training")

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def undocumented(root: Path = ROOT) -> list[str]:
    """Public modules, classes, functions and methods without a docstring, as ``file:line: name``."""
    found = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            where = path.relative_to(root)
            if any(part.startswith("_") and not part.startswith("__") for part in where.parts):
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"), str(where))
            module = ".".join(where.with_suffix("").parts).removesuffix(".__init__")
            for name, node in _public(tree, module):
                if not ast.get_docstring(node):
                    found.append(f"{where}:{getattr(node, 'lineno', 1)}: {name}")
    return found


def _public(node: Documented, name: str) -> Iterator[tuple[str, Documented]]:
    yield name, node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    for child in node.body:
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not child.name.startswith("_") and not _speaks_elsewhere(child):
            yield from _public(child, f"{name}.{child.name}")


def _speaks_elsewhere(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Overloads, setters and overrides: what they do is written at the thing they belong to."""
    marks = {ast.unparse(mark).split("(")[0].rpartition(".")[2] for mark in node.decorator_list}
    return bool(marks & {"overload", "setter", "override"})
