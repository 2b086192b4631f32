"""What the expressions of a function are, observed while Python runs it: nothing of the compiler.

seen = observed(function, args)
seen["w is not None", 5]      the values that this expression of line 5 took
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import defaultdict
from types import FunctionType
from typing import Any

Seen = dict[tuple[str, int], list[Any]]


def observed(function: FunctionType, args: tuple[Any, ...]) -> Seen | None:
    """The values of all expressions of a function by their text and line, from one call; None
    where its source cannot be run alone."""
    lines, first = inspect.getsourcelines(function)
    text = textwrap.dedent("".join(lines))
    tree = ast.parse(text)
    found = next(
        (
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.FunctionDef) and n.name == function.__name__
        ),
        None,
    )
    if found is None or function.__closure__:
        return None
    seen: Seen = defaultdict(list)
    found.decorator_list = []
    changed = _Observing(text, first - 1).visit(found)
    module = ast.fix_missing_locations(ast.Module([changed], []))
    space = dict(function.__globals__)
    space["__seen__"] = lambda key, line, value: seen[key, line].append(value) or value
    exec(compile(module, "<observed>", "exec"), space)
    twin = space[function.__name__]
    twin.__defaults__, twin.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    try:
        twin(*args)
    except Exception:  # noqa: BLE001, S110  whatever the program raises: what was seen counts
        pass
    return dict(seen)


class _Observing(ast.NodeTransformer):
    """Puts a call around each expression that is read; comparisons of a chain one by one."""

    def __init__(self, text: str, shift: int) -> None:
        self.text = text
        self.shift = shift
        self.inside = False

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            if self.inside:
                return node  # an inner function is compiled by itself
            self.inside = True
        if isinstance(node, ast.match_case):
            made = (self.visit(one) for one in node.body)
            node.body = [n for one in made for n in (one if isinstance(one, list) else [one])]
            return node
        if isinstance(node, ast.JoinedStr | ast.arguments):
            return node
        if isinstance(node, ast.AugAssign | ast.Assign) and _is_name(node):
            return [self.generic_visit(node), self._noted(node)]
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self._chain(node)
        made = self.generic_visit(node)
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if not isinstance(node, ast.Starred | ast.Slice | ast.NamedExpr):
                return self._call(node, self._segment(node), made)
        return made

    def _chain(self, node: ast.Compare) -> ast.expr:
        """`a < b < c` as `a < (t := b) and t < c`, each comparison observed."""
        operands = [node.left, *node.comparators]
        pairs: list[ast.expr] = []
        for k, op in enumerate(node.ops):
            left, right = operands[k], operands[k + 1]
            key = " ".join(_between(self.text, left, right).split())
            line = left.lineno
            first = ast.Name(f"t_{k}", ast.Load()) if k else self.visit(left)
            second = ast.NamedExpr(ast.Name(f"t_{k + 1}", ast.Store()), self.visit(right))
            pair = ast.Compare(first, [op], [second])
            pair.lineno = line
            pairs.append(self._call(pair, key, pair))
        return ast.BoolOp(ast.And(), pairs)

    def _noted(self, node: Any) -> ast.stmt:
        target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
        value = ast.Name(target.id, ast.Load())
        return ast.Expr(self._call(node, self._segment(node), value))

    def _segment(self, node: ast.AST) -> str:
        return " ".join((ast.get_source_segment(self.text, node) or "").split())

    def _call(self, node: Any, key: str, value: ast.expr) -> ast.expr:
        arguments = [ast.Constant(key), ast.Constant(node.lineno + self.shift), value]
        return ast.Call(ast.Name("__seen__", ast.Load()), arguments, [])


def _between(text: str, first: ast.expr, last: ast.expr) -> str:
    """The source from the beginning of one expression to the end of another."""
    lines = [line.encode() for line in text.split("\n")[first.lineno - 1 : last.end_lineno]]
    lines[-1] = lines[-1][: last.end_col_offset]
    lines[0] = lines[0][first.col_offset :]
    return b" ".join(lines).decode()


def _is_name(node: ast.AugAssign | ast.Assign) -> bool:
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name)
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
