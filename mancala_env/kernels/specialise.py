"""The functions that play a move made anew for one ruleset: ``source`` writes a module from a kernel and all that it
calls. Where these read the rules the numbers stand, and branches that cannot be taken are gone, with what only they
call. (A condition in a kernel changes nothing, so that what stands beside a known one can be left out.)"""

import ast
import copy
import inspect
import textwrap
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout as L

HEAD = '"""A move by one ruleset, written by ``mancala_env.kernels.specialise``."""\n\n'
OF_CLAUSE = {"base", "clause"}  # names of what says where a clause lies
FOLDED = ast.BinOp | ast.UnaryOp | ast.Compare | ast.operator | ast.unaryop | ast.cmpop | ast.Attribute | ast.Load


class _Fold(ast.NodeTransformer):
    """Writes the rules into a function; of clauses (at ``axes[base]``) what is the same for all."""

    def __init__(self, axes: npt.NDArray[np.int64], function: Any, emits: bool) -> None:
        self.globals, self.emits = function.__globals__, emits
        self.tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        arguments = set(inspect.signature(function).parameters)
        every = ast.walk(self.tree)
        stored = [each.id for each in every if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
        self.once = {name for name in stored if stored.count(name) == 1} - arguments
        self.local = {*stored, *arguments}
        self.known = {  # names whose values stand here: numbers, modules with some, and soon local variables
            name for name, value in self.globals.items() if type(value) in (int, bool, ModuleType)
        } - self.local
        self.clauses: list[dict[str, Any]] = [  # what is known of each
            {"base": L.LANDING + k * L.CLAUSE_SIZE, "clause": k, "axes": axes.tolist()}
            for k in range(max(1, int(axes[L.CLAUSES])))
        ]

    def is_known(self, node: ast.AST, known: set[str]) -> bool:
        """Is the value of this expression, whose parts are folded, known for each clause?"""
        match node:
            case ast.Subscript(ast.Name("axes"), place):
                return self.is_known(place, known | OF_CLAUSE)
            case ast.Name(name, ast.Load()):
                return name in known
            case ast.Constant(value):
                return isinstance(value, int)
        return isinstance(node, FOLDED) and all(self.is_known(each, known) for each in ast.iter_child_nodes(node))

    def values(self, node: ast.AST) -> list[Any]:
        """The values of a known expression, for each clause."""
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "<rules>", "eval")  # type: ignore[arg-type]
        return [eval(code, self.globals, each) for each in self.clauses]

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        if isinstance(node, ast.expr) and not isinstance(node, ast.Constant) and self.is_known(node, self.known):
            first, *others = self.values(node)
            if type(first) in (int, bool) and all(each == first for each in others) and abs(first) < 1 << 63:
                return ast.Constant(first)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decisive = isinstance(node.op, ast.Or)
        left = [each for each in node.values if not isinstance(each, ast.Constant) or bool(each.value) == decisive]
        if not left or any(isinstance(each, ast.Constant) for each in left):
            return ast.Constant(decisive if left else not decisive)
        return ast.BoolOp(node.op, left) if len(left) > 1 else left[0]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return node if not isinstance(node.test, ast.Constant) else node.body if node.test.value else node.orelse

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        if isinstance(node.test, ast.Constant):
            return self.block(node.body if node.test.value else node.orelse)
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node if node.orelse or not isinstance(node.body[0], ast.Pass) else []

    def visit_For(self, node: ast.For) -> Any:
        if ast.unparse(node.iter) == "range(axes[L.CLAUSES])":  # written out, clause by clause
            every, known, lines = self.clauses, self.known, []
            for each in every[: every[0]["axes"][L.CLAUSES]]:
                self.clauses, self.known = [each], known | OF_CLAUSE
                lines += self.block(copy.deepcopy(node.body))
            self.clauses, self.known = every, known
            return lines
        self.generic_visit(node)
        return node if node.body else []

    def visit_Assign(self, node: ast.Assign) -> Any:
        match node.targets, node.value:
            case [ast.Tuple(targets)], ast.Tuple(values) if {*map(ast.unparse, targets)} <= self.once:
                each = [ast.Assign([target], value, lineno=0) for target, value in zip(targets, values, strict=True)]
                return self.block(each)
        self.generic_visit(node)
        match node.targets:
            case [ast.Name(name)] if name in self.once and self.is_known(node.value, self.known):
                for clause, value in zip(self.clauses, self.values(node.value), strict=True):
                    clause[name] = value
                self.known.add(name)
                return [] if isinstance(node.value, ast.Constant) else node
        return node

    def generic_visit(self, node: ast.AST) -> Any:
        """Visit all parts; of statements those up to the first after which nothing is reached stay."""
        super().generic_visit(node)
        for name in ("body", "orelse"):
            lines: Any = getattr(node, name, None)
            for k, line in enumerate(lines if isinstance(lines, list) else []):
                if isinstance(line, ast.Return | ast.Continue | ast.Break):
                    del lines[k + 1 :]
        return node

    def block(self, body: list[Any]) -> Any:
        """Statements, visited."""
        return self.generic_visit(ast.Module(body, [])).body

    def visit_Expr(self, node: ast.Expr) -> Any:
        is_event = ast.unparse(node).startswith("emit(")
        return [] if is_event and not self.emits else self.generic_visit(node)


def source(kernel: Any, axes: npt.NDArray[np.int64]) -> str:
    """The module: a kernel and all that it calls, by the rules of ``axes``. Events are left out if it takes none."""
    emits = "events" in inspect.signature(kernel.py_func).parameters
    kernels: dict[str, Any] = {}
    written: dict[str, str] = {}
    imports: dict[str, str] = {}

    def write(kernel: Any) -> None:
        function = kernel.py_func
        if kernels.setdefault(function.__name__, kernel) is not kernel:
            raise ValueError(f"two kernels that play a move are called {function.__name__}")
        if function.__name__ in written:
            return
        fold = _Fold(axes, function, emits)
        tree = ast.fix_missing_locations(fold.visit(fold.tree))
        for name in dict.fromkeys(each.id for each in ast.walk(tree) if isinstance(each, ast.Name)):
            value = None if name in fold.local else fold.globals.get(name)
            if hasattr(value, "py_func"):
                write(value)
            elif isinstance(value, ModuleType):
                imports[name] = f"import {value.__name__} as {name}"
            elif value is not None:
                imports[name] = f"from {function.__module__} import {name}"
        written[function.__name__] = ast.unparse(tree)  # after all that it calls

    write(kernel)
    return "\n".join([HEAD + "\n".join(sorted(imports.values())), "\n", "\n\n\n".join(written.values()), ""])
