"""The functions that play a move, made anew for one ruleset: what its rules do not need is left out.

``source`` writes a module from the source of ``engine.turn`` and all that it calls. Where that reads the rules, which
are known, the numbers themselves stand, and branches that cannot be taken are gone, with the functions that only they
call. What is left is compiled like any other kernel, in a part of the time, and plays the same games, faster.

Nothing here decides what a rule does. A condition is folded only if all of it is known, so that leaving this out, as
without a compiler, changes no result.
"""

import ast
import hashlib
import importlib.util
import inspect
import os
import sys
import tempfile
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout as L

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.RShift: ">>",
             ast.LShift: "<<", ast.FloorDiv: "//", ast.Mod: "%"}  # fmt: skip
HEAD = '''"""A move by one ruleset: made by ``mancala_env.kernels.specialise``, not to be edited."""

import numpy as np

from mancala_env.kernels.jit import allocating_part, inlined, part
from mancala_env.kernels.specialise import ARRAYS

AXES, TABLES = ARRAYS.pop(__name__)
'''
ARRAYS: dict[str, tuple[Any, Any]] = {}  # what a module takes, by its name, when it is imported


def _number(node: ast.AST) -> int | bool | None:
    """The number that stands here, if one does."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


class _Fold(ast.NodeTransformer):
    """Writes the rules into one function; notes which other things it needs."""

    def __init__(self, axes: npt.NDArray[np.int64], names: dict[str, Any], arguments: set[str]) -> None:
        self.axes, self.names, self.arguments = axes, names, arguments
        self.needs: dict[str, Any] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "axes":
            return ast.Name("AXES", node.ctx)
        if isinstance(node.ctx, ast.Load) and node.id in self.names and node.id not in self.arguments:
            value = self.names[node.id]
            if type(value) in (int, bool):
                return ast.Constant(value)
            if value is not np:
                self.needs[node.id] = value
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and isinstance(found := self.names.get(node.value.id), ModuleType):
            if found is np:
                return node
            value = getattr(found, node.attr)
            if type(value) is int:
                return ast.Constant(value)
            self.needs[node.attr] = value
            return ast.Name(node.attr, node.ctx)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "AXES" and isinstance(node.ctx, ast.Load):
            at = _number(node.slice)
            return node if at is None else ast.Constant(int(self.axes[at]))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right, sign = _number(node.left), _number(node.right), OPERATORS.get(type(node.op))
        if left is not None and right is not None and sign and (right or sign not in ("//", "%")):
            return ast.Constant(int(eval(f"({int(left)}) {sign} ({int(right)})")))  # noqa: S307 - two numbers
        if isinstance(node.op, ast.BitAnd) and 0 in (left, right) and (left, right) != (False, False):
            return ast.Constant(0)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        value = _number(node.operand)
        if value is None:
            return node
        if isinstance(node.op, ast.Not):
            return ast.Constant(not value)
        if isinstance(node.op, ast.Invert):
            return ast.Constant(~int(value))
        return ast.Constant(-int(value)) if isinstance(node.op, ast.USub) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if isinstance(node.left, ast.Name) and node.left.id == "events":
            return ast.Constant(isinstance(node.ops[0], ast.Is))  # they are not told
        self.generic_visit(node)
        numbers = [_number(each) for each in (node.left, *node.comparators)]
        if any(each is None for each in numbers):
            return node
        text = ast.unparse(ast.Compare(ast.Constant(numbers[0]), node.ops, [ast.Constant(n) for n in numbers[1:]]))
        return ast.Constant(bool(eval(text)))  # noqa: S307 - numbers only

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        left: list[ast.expr] = []
        for each in node.values:
            value = _number(each)
            if value is None:
                left.append(each)
            elif bool(value) == decides:
                return ast.Constant(decides) if not left else ast.BoolOp(node.op, [*left, ast.Constant(decides)])
        if not left:
            return ast.Constant(not decides)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.visit(node.test)
        value = _number(node.test)
        if value is None:
            node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
            return node
        return self.visit(node.body if value else node.orelse)

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        value = _number(node.test)
        if value is None and isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
            value = False if _number(node.test.values[-1]) is False else None  # what stands before it has no effect
        if value is not None:
            return self._block(node.body if value else node.orelse) or ast.Pass()
        node.body, node.orelse = self._block(node.body) or [ast.Pass()], self._block(node.orelse)
        return node

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, up to the first after which nothing is reached."""
        kept: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            kept += found if isinstance(found, list) else [] if found is None else [found]
            if kept and isinstance(kept[-1], ast.Return | ast.Continue | ast.Break):
                break
        return kept

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [each for each in node.args if not (isinstance(each, ast.Name) and each.id == "axes")]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.args.args = [each for each in node.args.args if each.arg != "axes"]
        node.returns, node.body = None, self._block(node.body[1:] if ast.get_docstring(node) else node.body)
        node.decorator_list = [each for each in node.decorator_list if isinstance(each, ast.Name)]
        return node


def source(entry: Any, axes: npt.NDArray[np.int64]) -> str:
    """The module: ``entry``, a part or an inlined kernel, and all that it calls, by the rules of ``axes``."""
    written: dict[Any, str] = {}
    imports: dict[str, str] = {}
    names: dict[str, Any] = {}

    def write(kernel: Any) -> None:
        function = kernel.py_func
        if names.setdefault(function.__name__, kernel) is not kernel:
            raise ValueError(f"two kernels that play a move are named {function.__name__}")
        written[kernel] = ""  # none calls itself
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        fold = _Fold(axes, function.__globals__, set(inspect.signature(function).parameters))
        text = ast.unparse(ast.fix_missing_locations(fold.visit(tree)))
        for name, value in fold.needs.items():
            if not hasattr(value, "py_func"):
                home = getattr(value, "__module__", None) or _home(function.__globals__, name)
                imports[name] = f"from {home} import {name}"
            elif value not in written:
                write(value)
        del written[kernel]
        written[kernel] = text  # after all that it calls

    write(entry)
    return "\n".join([HEAD, *sorted(imports.values()), "", "", "\n\n\n".join(written.values()), ""])


def _home(names: dict[str, Any], name: str) -> str:
    """The module that a constant array comes from: of ``layout``, or of the module that uses it."""
    return L.__name__ if hasattr(L, name) else str(names["__name__"])
