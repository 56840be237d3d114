"""The functions that play a move, or tell it, made anew for one ruleset: what its rules do not need is left out.

``source`` writes a module from the source of ``engine.turn``, say, and all that it calls. Where that reads the rules,
which are known, the numbers themselves stand, and branches that cannot be taken are gone, with the functions that only
they call. What is left is compiled like any other kernel, in a part of the time, and plays the same games, faster.

Nothing here says what a rule does: an expression is folded only if its value is known. (A condition in a kernel changes
nothing, so that what stands beside a known one can be left out.)
"""

import ast
import contextlib
import copy
import hashlib
import importlib.util
import inspect
import os
import sys
import tempfile
import textwrap
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout as L

HEAD = '''"""A move by one ruleset: written by ``mancala_env.kernels.specialise``, not by hand."""

import numpy as np

from mancala_env.kernels.jit import inlined, njit, part
from mancala_env.kernels.addresses import (
    ADDRESSES, addresses_at, arrays_of, history_at, log_at, mask_at, position_at,
)
from mancala_env.kernels.specialise import ARRAYS
'''
ENTRY = """

@njit
def play(position, width, action, mask, choices, history, hashes, start, log, games, rules):
    position, mask, history = position_at(position, width), mask_at(mask, choices), history_at(history, hashes)
    no_capture_table = arrays_of(addresses_at(rules, ADDRESSES))[2]
    return turn(position, action, mask, history, start, log_at(log, games), TABLES, no_capture_table)
"""
ARRAYS: dict[str, tuple[Any, Any]] = {}  # what a module takes, by its name, when it is imported


def _number(node: ast.AST | None) -> int | None:
    """The number or truth that stands here, if one does."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


class _Fold(ast.NodeTransformer):
    """Writes the rules into a function, and notes what else it needs.

    What depends on the clause of the landing table in question, which lies at ``axes[base]``, has a value for each
    clause, and is folded if these are all the same.
    """

    def __init__(self, axes: npt.NDArray[np.int64], function: Any, tells: bool = False) -> None:
        self.axes, self.globals, self.tells = axes, function.__globals__, tells
        self.tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        self.needs: dict[str, Any] = {}
        arguments = set(inspect.signature(function).parameters)
        names = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name)]
        stored = [node.id for node in names if isinstance(node.ctx, ast.Store)]
        self.once = {name for name in stored if stored.count(name) == 1} - arguments
        self.local = {*stored, *arguments}
        self.clauses = [
            {"base": L.LANDING + k * L.CLAUSE_SIZE, "clause": k, "AXES": axes, "clause_at": lambda _, k=k: k,
             "further_at": lambda _, k=k: L.FURTHER + k * L.FURTHER_SIZE}
            for k in range(max(1, int(axes[L.CLAUSES])))
        ]  # fmt: skip
        self.known: set[str] = set()  # local variables whose values stand there too

    def is_known(self, node: ast.AST) -> bool:
        """Is the value of this expression, whose parts are folded, known for each clause?"""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int)
        if isinstance(node, ast.Name):
            return node.id in self.known
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return node.value.id == "AXES" and all(
                isinstance(each, ast.Constant | ast.operator)
                or (isinstance(each, ast.Name) and self._tells_clause(each))
                for each in ast.walk(node.slice)
                if isinstance(each, ast.Constant | ast.Name | ast.Call)
            )
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
            return all(self.is_known(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        return False

    def _tells_clause(self, name: ast.Name) -> bool:
        return name.id in self.known or name.id in ("base", "clause", "further_at", "clause_at")

    def values(self, node: ast.AST) -> list[int]:
        """The values of a known expression, for each clause."""
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "<rules>", "eval")  # type: ignore[arg-type]
        found = [eval(code, {"__builtins__": {}}, each) for each in self.clauses]
        return [each if isinstance(each, bool) else int(each) for each in found]

    def folded(self, node: ast.expr) -> ast.expr:
        """The number that this expression is, if it is one whatever clause is in question."""
        if not self.is_known(node):
            return node
        values = self.values(node)
        same = all(each == values[0] for each in values) and -(1 << 63) <= values[0] < 1 << 63
        return ast.Constant(values[0]) if same else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "axes":
            return ast.Name("AXES", node.ctx)
        if not isinstance(node.ctx, ast.Load):
            return node
        if node.id in self.local or node.id not in self.globals:
            return self.folded(node)
        value = self.globals[node.id]
        if type(value) in (int, bool):
            return ast.Constant(value)
        if value is not np:
            self.needs[node.id] = value
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        module = self.globals.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if not isinstance(module, ModuleType) or module is np:
            return self.generic_visit(node)
        value = getattr(module, node.attr)
        if type(value) is int:
            return ast.Constant(value)
        self.needs[node.attr] = value
        return ast.Name(node.attr, node.ctx)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self.folded(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return self.folded(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right = _number(node.left), _number(node.right)
        if (isinstance(node.op, ast.BitAnd) and 0 in (left, right)) or (isinstance(node.op, ast.RShift) and left == 0):
            return ast.Constant(0)
        return self.folded(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return self.folded(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decisive = isinstance(node.op, ast.Or)
        left = [each for each in node.values if _number(each) is None or bool(_number(each)) == decisive]
        if any(_number(each) is not None for each in left):
            return ast.Constant(decisive)
        if not left:
            return ast.Constant(not decisive)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.visit(node.test)
        test = _number(node.test)
        if test is not None:
            return self.visit(node.body if test else node.orelse)
        self.generic_visit(node)
        return self.folded(node)

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        test = _number(node.test)
        if test is not None:
            return self.block(node.body if test else node.orelse)
        node.body, node.orelse = self.block(node.body) or [ast.Pass()], self.block(node.orelse)
        return node if node.orelse or not isinstance(node.body[0], ast.Pass) else []

    def visit_For(self, node: Any) -> Any:
        if ast.unparse(node.iter) == "range(axes[L.CLAUSES])":  # written out, clause by clause
            every, lines = self.clauses, []
            for each in every[: int(self.axes[L.CLAUSES])]:
                self.clauses, self.known = [each], self.known | {"base", "clause"}
                lines += self.block(copy.deepcopy(node.body))
            self.clauses, self.known = every, self.known - {"base", "clause"}
            return lines
        node.iter = self.visit(node.iter)
        node.body = self.block(node.body) or [ast.Pass()]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.visit(node.test)
        node.body = self.block(node.body) or [ast.Pass()]
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and all(
            isinstance(each, ast.Name) and each.id in self.once for each in target.elts
        ):  # fmt: skip
            each = zip(target.elts, node.value.elts, strict=True)
            return [line for name, value in each for line in self._assigned(ast.Assign([name], value, lineno=0))]
        return self._assigned(node) if len(node.targets) == 1 else self.generic_visit(node)

    def _assigned(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        name = node.targets[0]
        if isinstance(name, ast.Name) and name.id in self.once and self.is_known(node.value):
            for clause, value in zip(self.clauses, self.values(node.value), strict=True):
                clause[name.id] = value
            self.known.add(name.id)
            return [] if _number(node.value) is not None else [node]
        node.targets = [self.visit(each) for each in node.targets]
        return [node]

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, up to the first after which nothing is reached."""
        kept: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            kept += found if isinstance(found, list) else [found]
            if kept and isinstance(kept[-1], ast.Return | ast.Continue | ast.Break):
                break
        return kept

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        emits = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("emit", "emit_lap")
        if emits and not self.tells:
            return []
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [each for each in node.args if not (isinstance(each, ast.Name) and each.id == "axes")]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if "njit" not in map(ast.unparse, node.decorator_list):  # what Python calls keeps its arguments
            node.args.args = [each for each in node.args.args if each.arg != "axes"]
        says = ast.get_docstring(node)
        body = self.block(node.body[1:] if says else node.body)
        node.body = [ast.Expr(ast.Constant(says.partition("\n\n")[0])), *body] if says else body
        return node


def source(kernel: Any, axes: npt.NDArray[np.int64]) -> str:
    """The module: a kernel and all that it calls, by the rules of ``axes``.

    Either it takes ``events``, or it is ``engine.turn``: then nobody asks for events, and ``play``, which kernels call
    by address, stands at the end.
    """
    tells = "events" in inspect.signature(kernel.py_func).parameters
    written: dict[Any, str] = {}
    imports: dict[str, str] = {}
    names: dict[str, Any] = {}

    def write(kernel: Any) -> None:
        if names.setdefault(kernel.py_func.__name__, kernel) is not kernel:
            raise ValueError(f"two kernels that play a move are called {kernel.py_func.__name__}")
        fold = _Fold(axes, kernel.py_func, tells)
        text = ast.unparse(ast.fix_missing_locations(fold.visit(fold.tree)))
        for name in (each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)):
            value = fold.needs.get(name)
            if hasattr(value, "py_func"):
                if value not in written:
                    write(value)
            elif value is not None and name not in ("part", "inlined"):
                home = L.__name__ if hasattr(L, name) else fold.globals["__name__"]
                imports[name] = f"from {home} import {name}"
        written[kernel] = text  # after all that it calls

    write(kernel)
    arrays = "\nAXES, TABLES = ARRAYS.pop(__name__)\n\n"
    entry = "" if tells else ENTRY
    return "\n".join([HEAD + "\n".join(sorted(imports.values())), arrays, "\n\n\n".join(written.values()), entry])


def name_of(kernel: Any, axes: npt.NDArray[np.int64], tables: npt.NDArray[np.uint8]) -> str:
    """The name of a kernel's module for a ruleset, by its arrays: a game played with altered rules has another one."""
    return f"{kernel.__name__}_{hashlib.sha256(axes.tobytes() + tables.tobytes()).hexdigest()[:16]}"


@cache
def _folder() -> Path:
    """That of all compiled kernels: another version of them does not find what this one has made."""
    from mancala_env.kernels import jit

    return jit.cache_folder(jit.digest((jit.KERNELS,)), jit.KERNELS)


def is_kept(name: str) -> bool:
    """Has a process compiled what is called so?"""
    return (_folder() / f"{name}.compiled").exists()


def keep(name: str) -> None:
    """Note that what is called so has been compiled."""
    with contextlib.suppress(OSError):
        (_folder() / f"{name}.compiled").touch()


def compiled(kernel: Any, name: str, axes: npt.NDArray[np.int64], tables: npt.NDArray[np.uint8]) -> Any:
    """A kernel (``source``) by these rules, from a module that is kept on disk. Not compiled yet."""
    file = _folder() / f"{name}.source"
    if not file.exists():
        handle, written = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "w") as out:
            out.write(source(kernel, axes))
        Path(written).replace(file)  # whole, or not at all
    spec = importlib.util.spec_from_file_location(name, file, loader=SourceFileLoader(name, str(file)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    ARRAYS[name] = axes, tables
    sys.modules[name] = module  # compiled code that is loaded looks for it
    spec.loader.exec_module(module)
    return getattr(module, "play", None) or getattr(module, kernel.__name__)
