"""The functions that play a move made anew for one ruleset: ``source`` writes a module from a kernel and all that it
calls. Where these read the rules the numbers stand, and branches that cannot be taken are gone, with what only they
call. No rule is known here: an expression is folded if its value is known. (A condition in a kernel changes nothing, so
that what stands beside a known one can be left out.)"""

import ast
import contextlib
import copy
import hashlib
import inspect
import os
import sys
import tempfile
import textwrap
from collections.abc import Callable
from functools import cached_property
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import jit
from mancala_env.kernels import layout as L
from mancala_env.kernels.compilers import AHEAD

HEAD = '"""A move by one ruleset, written by ``mancala_env.kernels.specialise``."""\n\nimport numpy as np\n'
OF_CLAUSE = {"base", "clause"}  # names of what says where a clause lies
OPERATIONS = ast.BinOp | ast.UnaryOp | ast.Compare | ast.operator | ast.unaryop | ast.cmpop


def _number(node: ast.AST | None) -> int | None:
    """The number or truth that stands here, if one does."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


class _Fold(ast.NodeTransformer):
    """Writes the rules into a function, and notes what else it needs. What depends on the clause of the landing table
    in question, at ``axes[base]``, is folded if it is the same for each."""

    def __init__(self, axes: npt.NDArray[np.int64], function: Any, emits: bool = False) -> None:
        self.axes, self.globals, self.emits = axes, function.__globals__, emits
        self.tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        self.needs: dict[str, tuple[Any, str]] = {}  # by their names, with the modules where they are found
        arguments = set(inspect.signature(function).parameters)
        names = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name)]
        stored = [node.id for node in names if isinstance(node.ctx, ast.Store)]
        self.once = {name for name in stored if stored.count(name) == 1} - arguments
        self.local = {*stored, *arguments}
        self.clauses: list[dict[str, Any]] = [
            {"base": L.LANDING + k * L.CLAUSE_SIZE, "clause": k, "axes": axes}
            for k in range(max(1, int(axes[L.CLAUSES])))
        ]
        self.known: set[str] = set()  # local variables whose values stand there too

    def is_known(self, node: ast.AST) -> bool:
        """Is the value of this expression, whose parts are folded, known for each clause?"""
        if isinstance(node, ast.Subscript):
            inside = {each.id for each in ast.walk(node.slice) if isinstance(each, ast.Name)}
            return isinstance(node.value, ast.Name) and node.value.id == "axes" and inside <= self.known | OF_CLAUSE
        if isinstance(node, ast.Name):
            return node.id in self.known
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int)
        return isinstance(node, OPERATIONS) and all(map(self.is_known, ast.iter_child_nodes(node)))

    def values(self, node: ast.AST) -> list[int]:
        """The values of a known expression, for each clause."""
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "<rules>", "eval")  # type: ignore[arg-type]
        found = [eval(code, {"__builtins__": {}}, each) for each in self.clauses]
        return [each if isinstance(each, bool) else int(each) for each in found]

    def visit(self, node: ast.AST) -> Any:
        """What becomes of a node: a number, if it is one whatever clause is in question."""
        node = super().visit(node)
        if isinstance(node, ast.Name | ast.Subscript | ast.BinOp | ast.UnaryOp | ast.Compare) and self.is_known(node):
            first, *others = self.values(node)
            if all(each == first for each in others) and -(1 << 63) <= first < 1 << 63:
                return ast.Constant(first)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = None if node.id in self.local else self.globals.get(node.id)
        if type(value) in (int, bool):
            return ast.Constant(value)
        if value is not None and value is not np:
            self.needs[node.id] = value, self.globals["__name__"]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        module = self.globals.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if not isinstance(module, ModuleType) or module is np:
            return self.generic_visit(node)
        value = getattr(module, node.attr)
        if type(value) is int:
            return ast.Constant(value)
        self.needs[node.attr] = value, module.__name__
        return ast.Name(node.attr, node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right = _number(node.left), _number(node.right)
        is_nothing = 0 in (left, right) if isinstance(node.op, ast.BitAnd) else left == 0
        return ast.Constant(0) if is_nothing and isinstance(node.op, ast.BitAnd | ast.RShift) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decisive, known = isinstance(node.op, ast.Or), [_number(each) for each in node.values]
        if any(each is not None and bool(each) == decisive for each in known):
            return ast.Constant(decisive)
        left = [each for each, number in zip(node.values, known, strict=True) if number is None]
        return ast.BoolOp(node.op, left) if len(left) > 1 else left[0] if left else ast.Constant(not decisive)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if (test := _number(self.visit(node.test))) is not None:
            return self.visit(node.body if test else node.orelse)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        if (test := _number(node.test)) is not None:
            return self.block(node.body if test else node.orelse)
        node.body, node.orelse = self.block(node.body) or [ast.Pass()], self.block(node.orelse)
        return node if node.orelse or not isinstance(node.body[0], ast.Pass) else []

    def visit_For(self, node: ast.For) -> Any:
        if ast.unparse(node.iter) == "range(axes[L.CLAUSES])":  # written out, clause by clause
            every, lines = self.clauses, []
            for each in every[: int(self.axes[L.CLAUSES])]:
                self.clauses, self.known = [each], self.known | {"base", "clause"}
                lines += self.block(copy.deepcopy(node.body))
            self.clauses, self.known = every, self.known - {"base", "clause"}
            return lines
        node.iter, node.body = self.visit(node.iter), self.block(node.body)
        return node if node.body else []

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test, node.body = self.visit(node.test), self.block(node.body) or [ast.Pass()]
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        if len(node.targets) > 1:
            return self.generic_visit(node)
        target, value = node.targets[0], node.value
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and {*map(ast.unparse, target.elts)} <= self.once
        ):
            pairs = zip(target.elts, value.elts, strict=True)
            return [line for name, said in pairs for line in self.visit_Assign(ast.Assign([name], said, lineno=0))]
        node.value = self.visit(value)
        if isinstance(target, ast.Name) and target.id in self.once and self.is_known(node.value):
            for clause, each in zip(self.clauses, self.values(node.value), strict=True):
                clause[target.id] = each
            self.known.add(target.id)
            return [] if _number(node.value) is not None else [node]
        node.targets = [self.visit(target)]
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
        is_event = ast.unparse(node).startswith("emit(")
        return [] if is_event and not self.emits else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self.block(node.body)
        for decorator in node.decorator_list:
            self.visit(decorator)
        return node


def source(kernel: Any, axes: npt.NDArray[np.int64]) -> str:
    """The module: a kernel and all that it calls, by the rules of ``axes``. Events are left out if it takes none."""
    emits = "events" in inspect.signature(kernel.py_func).parameters
    written: dict[Any, str] = {}
    imports: dict[str, str] = {}
    names: dict[str, Any] = {}

    def write(kernel: Any) -> None:
        if names.setdefault(kernel.py_func.__name__, kernel) is not kernel:
            raise ValueError(f"two kernels that play a move are called {kernel.py_func.__name__}")
        fold = _Fold(axes, kernel.py_func, emits)
        text = ast.unparse(ast.fix_missing_locations(fold.visit(fold.tree)))
        for name in (each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)):
            value, home = fold.needs.get(name, (None, ""))
            if hasattr(value, "py_func"):
                if value not in written:
                    write(value)
            elif value is not None:
                imports[name] = f"from {home} import {name}"
        written[kernel] = text  # after all that it calls

    write(kernel)
    return "\n".join([HEAD + "\n".join(sorted(imports.values())), "\n", "\n\n\n".join(written.values()), ""])


class Builds:
    """What is made of a kernel for each ruleset, by its axes, so that a game played with altered rules has another
    build; and the kernel itself, the general build. That takes the time of some six others to make, and plays by any
    rules, slower: it is made after the first ``FEW`` rulesets with nothing on disk have got builds of their own, as
    anything played much does. Callers get what ``ready`` makes of a build."""

    FEW = 5

    def __init__(self, kernel: Any, ready: Callable[[Any], Any] = lambda build: build) -> None:
        self._kernel, self._ready, self._name = kernel, ready, kernel.__name__
        self._made: dict[str, Any] = {}
        self._new = 0  # builds for one ruleset that were not on disk

    @cached_property
    def _marker(self) -> Path:
        """Is there when a process has made the general build; beside all compiled kernels, where no other version of
        them looks."""
        return jit.cache_folder(jit.digest((jit.KERNELS,)), jit.KERNELS) / f"{self._name}.compiled"

    def of(self, axes: npt.NDArray[np.int64], much: bool = False) -> Any:
        """The build that plays by these axes."""
        name = f"{self._name}_{hashlib.sha256(axes.tobytes()).hexdigest()[:16]}"
        if AHEAD is not None and name not in self._made:
            build = AHEAD.kernel(self._kernel, module=name)
            if not build.builds:
                return self.general()
            self._made[name] = self._ready(build)
        if name not in self._made:
            file = self._marker.with_name(f"{name}.source")
            if not file.exists():
                if not much and (self._new >= self.FEW or self._marker.exists()):
                    return self.general()
                self._new += 1
                handle, written = tempfile.mkstemp(dir=file.parent)
                with os.fdopen(handle, "w") as out:
                    out.write(source(self._kernel, axes))
                Path(written).replace(file)  # whole, or not at all
            module = sys.modules[name] = ModuleType(name)  # compiled code that is loaded looks for it
            SourceFileLoader(name, str(file)).exec_module(module)
            self._made[name] = self._ready(getattr(module, self._name))
        return self._made[name]

    def general(self) -> Any:
        """The build that plays by any rules."""
        if self._name not in self._made:
            self._made[self._name] = self._ready(self._kernel)
            if AHEAD is None:
                with contextlib.suppress(OSError):
                    self._marker.touch()
        return self._made[self._name]
