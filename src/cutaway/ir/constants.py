"""Constants of a program as text, and back.

Numbers, strings, None, slices and tuples of these are written as Python literals.  Other objects
are written by kind and qualified name, `<module 'numpy'>` or `<function math.sin>`; importable ones
are found again by that, the others are looked up by their text.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import math
import re
from collections.abc import Mapping
from types import CodeType, ModuleType
from typing import Any

from cutaway.foundation import element_functions
from cutaway.foundation.foreign import class_name, is_a, is_of_package, text_attribute
from cutaway.foundation.patterns import Pattern


class _Missing:
    """The value of a missing global or closure variable, and the constant of a variable or an
    argument that is not constant."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING = _Missing()


class Named:
    """A compiler object among the constants; `text` is its notation."""

    text = "object"


def constant_text(value: Any) -> str:
    """Format a constant as text."""
    match value:
        case float() if type(value) is float:
            return repr(value) if math.isfinite(value) else f"float('{value}')"
        case complex() if type(value) is complex:
            return f"complex({constant_text(value.real)}, {constant_text(value.imag)})"
        case tuple() if type(value) is tuple:
            items = ", ".join(map(constant_text, value))
            return f"({items},)" if len(value) == 1 else f"({items})"
        case slice():
            parts = (value.start, value.stop, value.step)
            return f"slice({', '.join(map(constant_text, parts))})"
    if value is ...:
        return "..."
    # By class: a subclass may have any repr, and is not a literal.
    if type(value) in (bool, int, str, bytes, type(None)):
        return repr(value)
    return object_text(value)


def is_compiled(value: Any) -> bool:
    """True if a value is a compiled function; False for one that `jit` left in Python."""
    return (
        is_of_package(value)
        and hasattr(value, "py_func")
        and element_functions.ufunc_half(value) is None
    )


def object_text(value: Any) -> str:
    """Format an object that is not a literal."""
    if is_a(value, Named):
        return f"<{value.text}>"
    if is_a(value, CodeType):
        return f"<code {value.co_name}>"
    if is_compiled(value):
        return f"<compiled {_place(value.py_func)}>"
    place = _place(value)
    if is_a(value, ModuleType):
        return f"<module '{text_attribute(value, '__name__') or 'module'}'>"
    if place is None:
        return f"<{class_name(type(value))}>"
    return f"<class '{place}'>" if is_a(value, type) else f"<function {place}>"


def _place(value: Any) -> str | None:
    name = text_attribute(value, "__qualname__") or text_attribute(value, "__name__")
    module = text_attribute(value, "__module__")
    if name is None or module in (None, "builtins"):
        return name
    return f"{module}.{name}".replace("<locals>.", "")


_OBJECT = Pattern(r"<(?:(?:module|class) '([^']+)'|(?:function|compiled) ([^>#]+|\S*<\w+>))>")
_STRING_OR_OBJECT = Pattern(
    r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*"|(?P<object><[^<>]*(?:<\w+>[^<>]*)*>)"""
)


def parse_constant(text: str, names: Mapping[str, Any]) -> Any:
    """Parse the text of a constant; objects are looked up in `names` by their text, then imported.

    Raises ValueError for an object in neither.
    """
    objects: list[Any] = []

    def take(match: re.Match[str]) -> str:
        if match["object"] is None:
            return match[0]
        objects.append(_object(match[0], names))
        return f"_{len(objects) - 1}"

    plain = _STRING_OR_OBJECT.sub(take, text.strip())
    return _evaluate(ast.parse(plain, mode="eval").body, text, objects)


def _object(text: str, names: Mapping[str, Any]) -> Any:
    if text in names:
        return names[text]
    match = _OBJECT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not among the known objects")
    return _import(match[1] or match[2], text)


def _import(place: str, text: str) -> Any:
    parts = place.split(".")
    # Nothing marks where the module ends and the name in it begins: the longest existing module
    # wins.
    for split in range(len(parts), -1, -1):
        try:
            owner: Any = importlib.import_module(".".join(parts[:split])) if split else builtins
            for name in parts[split:]:
                owner = getattr(owner, name)
        except (ImportError, AttributeError):
            continue
        return owner
    raise ValueError(f"{text} cannot be found")


def _evaluate(node: ast.expr, text: str, objects: list[Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name[:1] == "_" and name[1:].isdigit():
            return objects[int(name[1:])]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, text, objects)
        case ast.Tuple(elts=items):
            return tuple(_evaluate(item, text, objects) for item in items)
        case ast.Call(func=ast.Name(id="float" | "complex" | "slice" as name), args=args):
            function = {"float": float, "complex": complex, "slice": slice}[name]
            return function(*(_evaluate(arg, text, objects) for arg in args))
    raise ValueError(f"{text} is not a constant")


_GENERATOR = 0x20  # CO_GENERATOR of `inspect`
_WAITING = _GENERATOR | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR of `inspect`


def waits(code: CodeType) -> bool:
    """True for the code of a generator or a coroutine: a call returns one without running it."""
    return bool(code.co_flags & _WAITING)


def gives_generators(code: CodeType) -> bool:
    """True for the code of a function whose calls return generators."""
    return bool(code.co_flags & _GENERATOR)
