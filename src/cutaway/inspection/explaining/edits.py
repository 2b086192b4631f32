"""Propose small edits of a program that may change a variable's type; they are tried later.

An edit replaces a span of one source line, or the type of an argument. The candidates follow from
the chain of causes: at each link the constant can be written as one of the wanted type, the
expression converted, `/` become `//`.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from tokenize import TokenError
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc, source_line, source_lines
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.typing import types
from cutaway.typing.errors.explanation import Cause
from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: of a span on one line, which may become several lines, or of the type of the
    argument `argument`."""

    loc: Loc
    text: str = ""
    argument: int | None = None
    type: Type | None = None

    @property
    def cost(self) -> tuple[bool, int]:
        """The sort key of an edit: less text first, and source before argument types."""
        return self.argument is not None, len(self.text) - (self.loc.end_col - self.loc.col)


def edits_of(causes: Sequence[Cause], wanted: Type, namespace: dict[str, Any]) -> list[Edit]:
    """Return the edits that may help at each link of a chain of causes, the smallest first."""
    result: dict[Edit, None] = {}
    for cause in causes:
        for edit in _at(cause, wanted, namespace):
            result.setdefault(edit)
    return sorted(result, key=lambda edit: edit.cost)


def _at(cause: Cause, wanted: Type, namespace: dict[str, Any]) -> Iterator[Edit]:
    op = cause.op
    if isinstance(op, nodes.Arg):
        yield from _argument(op, cause.type, wanted)
        return
    text = _text(op.loc)
    if not text:
        return
    if isinstance(op, nodes.Const):
        yield from (Edit(op.loc, new) for new in _literals(op.value, wanted, text))
        if op.value is None:
            text = "0"
    if types.is_integral(wanted):
        yield from _floor_division(op, text)
    if isinstance(op, nodes.Inplace | nodes.IterNext | nodes.Unpack | nodes.Copy | nodes.Cast):
        return
    for form in (*_with_dtype(op, wanted, text, namespace), *_conversions(wanted, namespace)):
        yield Edit(op.loc, form.format(text))


def _argument(op: nodes.Arg, ty: Type, wanted: Type) -> Iterator[Edit]:
    if ty is wanted:
        return
    if isinstance(ty, types.Array) and types.is_number(wanted):
        array: Type = types.Array(wanted, ty.ndim, ty.layout, ty.readonly, ty.aligned)
        yield Edit(op.loc, "", op.index, array)
    elif isinstance(ty, types.Array) == isinstance(wanted, types.Array):
        yield Edit(op.loc, "", op.index, wanted)


def _text(loc: Loc) -> str:
    """Return the source of a span that lies on one line, else an empty string."""
    if not loc.line or loc.line != loc.end_line or loc.end_col <= loc.col:
        return ""
    return source_line(loc.filename, loc.line)[loc.col : loc.end_col]


def _literals(value: Any, wanted: Type, text: str) -> Iterator[str]:
    """Yield ways to write a constant as one of the wanted type."""
    if text != repr(value):
        return
    cls = _CLASSES.get(wanted)
    value = 0 if value is None else value
    if cls is None or not isinstance(value, int | float):
        return
    with suppress(ValueError, OverflowError):
        if cls(value) == value:
            yield repr(cls(value))


_CLASSES: dict[Type, type] = {
    types.int64: int,
    types.float64: float,
    types.complex128: complex,
    types.boolean: bool,
}
_NAMES = {types.int64: "int", types.float64: "float", types.complex128: "complex"}
_NAMES[types.boolean] = "bool"


def _floor_division(op: Op, text: str) -> Iterator[Edit]:
    """Replace `/` by `//`."""
    if isinstance(op, nodes.Inplace) and op.op.symbol == "/=":
        yield Edit(op.loc, text.replace("/=", "//=", 1))
    if not isinstance(op, nodes.Binary) or op.op.symbol != "/" or not text.isascii():
        return
    with suppress(SyntaxError):
        tree = ast.parse(text, mode="eval").body
        if isinstance(tree, ast.BinOp) and tree.left.end_col_offset is not None:
            first, last = tree.left.end_col_offset, tree.right.col_offset
            middle = text[first:last].replace("/", "//", 1)
            yield Edit(op.loc, text[:first] + middle + text[last:])


def _with_dtype(op: Op, wanted: Type, text: str, namespace: dict[str, Any]) -> Iterator[str]:
    """Add the dtype as the last argument of a call that makes an array."""
    numpy = _numpy(namespace)
    is_call = isinstance(op, nodes.Call) and text.endswith(")") and "{" not in text
    if is_call and numpy and isinstance(wanted, types.Array) and types.is_number(wanted.dtype):
        yield f"{text[:-1]}, dtype={numpy}.{_dtype_name(wanted.dtype)})"


def _numpy(namespace: dict[str, Any]) -> str | None:
    """Return the name of NumPy in the user's module."""
    return next((name for name, value in namespace.items() if value is np), None)


def _dtype_name(ty: Type) -> str:
    return "bool_" if ty is types.boolean else str(ty)


def _conversions(wanted: Type, namespace: dict[str, Any]) -> Iterator[str]:
    """Yield calls that convert to the wanted type, with `{}` for the expression."""
    if wanted in _NAMES:
        yield f"{_NAMES[wanted]}({{}})"
    numpy = _numpy(namespace)
    if numpy is None:
        return
    if types.is_number(wanted):
        yield f"{numpy}.{_dtype_name(wanted)}({{}})"
    if isinstance(wanted, types.Array) and wanted.layout == "C":
        yield f"{numpy}.ascontiguousarray({{}})"
        yield "{}.copy()"
    if isinstance(wanted, types.Array) and types.is_number(wanted.dtype):
        yield f"{{}}.astype({numpy}.{_dtype_name(wanted.dtype)})"


# --- a function, edited -------------------------------------------------------------------------


_SERIAL = itertools.count(1)


def edited(function: FunctionType, edits: Sequence[Edit]) -> FunctionType | None:
    """Copy a function with spans of its source replaced; None without a source or if not a
    `def`."""
    changes = [edit for edit in edits if edit.argument is None]
    code = function.__code__
    lines = source_lines(code.co_filename)
    edited_lines = _changed(lines, changes)
    try:
        block = inspect.getblock(edited_lines[code.co_firstlineno - 1 :])
        tree = _tree(block, code)
    except (SyntaxError, TokenError, IndexError, StopIteration):
        return None
    if tree is None:
        return None
    filename = f"<{code.co_filename} edited {next(_SERIAL)}>"
    linecache.cache[filename] = (0, None, edited_lines, filename)
    edited = _code_of(compile(tree, filename, "exec"), code.co_name)
    return None if edited is None else _function(function, edited)


def parsed(function: FunctionType) -> tuple[list[str], ast.FunctionDef, int] | None:
    """Return the lines of a function's file, its tree with their line numbers, and the function's
    indentation; None without source, or if it is not a `def`.

    The tree's columns count bytes: they equal those of characters only in ASCII lines."""
    code = function.__code__
    try:
        lines = source_lines(code.co_filename)
        block = inspect.getblock(lines[code.co_firstlineno - 1 :])
        text = textwrap.dedent("".join(block))
        tree = ast.parse(text).body[0]
    except (SyntaxError, TokenError, IndexError, OSError):
        return None
    if not isinstance(tree, ast.FunctionDef):
        return None
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    return lines, tree, len(block[0]) - len(block[0].lstrip())


def _changed(lines: list[str], edits: Sequence[Edit]) -> list[str]:
    result = list(lines)
    for edit in sorted(edits, key=lambda e: (e.loc.line, e.loc.col), reverse=True):
        row, loc = edit.loc.line - 1, edit.loc
        result[row] = result[row][: loc.col] + edit.text + result[row][loc.end_col :]
    if not any("\n" in edit.text for edit in edits):
        return result
    return [f"{row}\n" for row in "".join(result).split("\n")]


def _tree(block: list[str], code: CodeType) -> ast.Module | None:
    """Parse a function's source, at its own lines, inside a function that binds its free variables;
    None for a lambda."""
    indented = block[0][:1].isspace()
    tree = ast.parse(("if 1:\n" if indented else "") + "".join(block))
    definition = tree.body[0].body[0] if isinstance(tree.body[0], ast.If) else tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None
    definition.decorator_list = []
    ast.increment_lineno(definition, code.co_firstlineno - 1 - indented)
    if not code.co_freevars:
        return ast.Module([definition], [])
    outer = ast.parse(f"def outer({', '.join(code.co_freevars)}): pass")
    function = outer.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [definition]
    return outer


def _code_of(code: CodeType, name: str) -> CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            result = constant if constant.co_name == name else _code_of(constant, name)
            if result is not None:
                return result
    return None


def _function(function: FunctionType, code: CodeType) -> FunctionType | None:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if not set(code.co_freevars) <= set(cells):
        return None
    space = {**function.__globals__, "__edited__": True}  # recursive calls find the copy
    closure = tuple(cells[name] for name in code.co_freevars)
    result = FunctionType(code, space, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    return result
