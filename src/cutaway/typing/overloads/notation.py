"""Parses types and signatures written as text: `float64(float64, int64[:, ::1])` (SPEC A6).

It also parses the names that types print (`array(float64, 1d, C)`), for the text form of
typed IR.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

import numpy as np

from cutaway.errors import SignatureError, TypingError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.patterns import Pattern
from cutaway.typing import types
from cutaway.typing.types import Array, Range, Signature, Tuple, Type
from cutaway.typing.types.buffers import (
    FORMATS,
    array_type,
    memoryview_type,
)
from cutaway.typing.types.interning import WRITTEN
from cutaway.typing.values.names import NAMES


@dataclass(frozen=True, slots=True)
class WrittenSignature:
    """A signature as the user wrote it; without a return type `returns` is None."""

    returns: Type | None
    args: tuple[Type, ...]


def parse_signature(text: str) -> WrittenSignature:
    """Parse `float64(int64, float64[:])` or `(int64, float64[:])`.

    Raises SignatureError, with the expected form, for anything else.
    """
    tree = _expression(_evaluable(text))
    match tree:
        case ast.Call(func=func, args=args, keywords=[]):
            return WrittenSignature(_type(func, text), tuple(_type(a, text) for a in args))
        case ast.Tuple(elts=items):
            return WrittenSignature(None, tuple(_type(item, text) for item in items))
    return WrittenSignature(None, (_type(tree, text),))


def written_signature(signature: Any) -> WrittenSignature:
    """Convert a signature in any form that a decorator accepts: text, signature, tuple, or type.

    Raises SignatureError for anything else.
    """
    if isinstance(signature, str):
        return parse_signature(signature)
    if isinstance(signature, Signature):
        return WrittenSignature(signature.returns, signature.args)
    args = signature if isinstance(signature, tuple) else (signature,)
    if not all(isinstance(ty, Type) for ty in args):
        raise SignatureError(
            f"{signature!r} is not a signature", hint="for example 'float64(float64)'"
        )
    return WrittenSignature(None, args)


def parse_type(text: str) -> Type:
    """Parse one type, in the notation of signatures or as types print themselves.

    Raises SignatureError for anything else.
    """
    return _type(_expression(_evaluable(text)), text)


# `array(float64, 1d, C)`, `UniTuple(int64 x 3)`, `range(int64, step=1)` as Python expressions.
_REWRITES = (
    (Pattern(r"(\d+)d\b"), r"\1"),
    (Pattern(r" x (\d+)\)"), r", \1)"),
)


def _evaluable(text: str) -> str:
    for pattern, new in _REWRITES:
        text = pattern.sub(new, text)
    return text


def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # raised by the parser
        raise SignatureError(
            f"{text!r} is not a signature", hint="for example 'float64(float64, int64)'"
        ) from None


def _type(node: ast.expr, text: str) -> Type:
    match node:
        case ast.Name(id=name) if name in NAMES:
            return NAMES[name]
        case ast.Constant(value=None):
            return types.none
        case ast.Attribute(attr=name) if name in NAMES:
            return NAMES[name]
        case ast.Subscript(value=ast.Name(id="datetime64" | "timedelta64"), slice=ast.Name()):
            return _dated(ast.unparse(node), text)
        case ast.Subscript(value=value, slice=dims):
            return _array(_type(value, text), dims, text)
        case ast.Call(func=ast.Attribute(attr="array"), args=[ast.Constant(value=str(code))]):
            ty = array_type(code)
            if ty is not None:
                return ty
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            return _compound(name, args, keywords, text)
        case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=keywords):
            return _compound(name, args, keywords, text)  # types.UniTuple(...)
    written = ast.unparse(node)
    known = f"types: {', '.join(types.SCALARS)}, and arrays such as float64[:]"
    hint = did_you_mean(written, NAMES, known) if isinstance(node, ast.Name) else known
    raise SignatureError(f"{written!r} in {text!r} is not a type", hint=hint)


def _dated(written: str, text: str) -> Type:
    try:
        ty = types.element_type(np.dtype(written))
    except TypeError:
        message = f"{written!r} in {text!r} has no unit of time"
        raise SignatureError(message, hint="for example datetime64[ns]") from None
    assert ty is not None
    return ty


def _array(dtype: Type, dims: ast.expr, text: str) -> Array:
    axes = dims.elts if isinstance(dims, ast.Tuple) else [dims]
    known = {":": slice(None), "::1": slice(None, None, 1)}
    steps = [known.get(ast.unparse(axis).removesuffix(" ")) for axis in axes]
    try:
        return types.array_of(dtype, tuple(steps))
    except TypingError as error:
        raise SignatureError(f"{text!r}: {error.message}", hint=error.hint) from None


def _compound(name: str, args: list[ast.expr], keywords: list[ast.keyword], text: str) -> Type:
    match name, args:
        case "array", [dtype, ast.Constant(value=int(ndim)), ast.Name(id=layout), *flags]:
            marks = {flag.id for flag in flags if isinstance(flag, ast.Name)}
            aligned = "unaligned" not in marks
            if layout not in ("A", "C", "F"):
                raise SignatureError(
                    f"{text!r}: the layout of an array must be C, F or A, not {layout}"
                )
            return Array(_type(dtype, text), ndim, layout, "readonly" in marks, aligned)
        case "memoryview", [ast.Constant(value=format), dims, ast.Name(id=layout), *flags] if (
            format in FORMATS and isinstance(dims, ast.Constant)
        ):
            return memoryview_type(format, dims.value, layout, bool(flags))
        case "Array", _:
            return _called_array(args, keywords, text)
        case "FunctionType", _:
            raise SignatureError(
                f"{text!r}: the type of a passed function cannot be written",
                hint="remove the signatures: the function is compiled once per passed function",
            )
        case "NPDatetime", [ast.Constant(value=str(unit))]:
            return _dated(f"datetime64[{unit}]", text)
        case "NPTimedelta", [ast.Constant(value=str(unit))]:
            return _dated(f"timedelta64[{unit}]", text)
        case "UniTuple", [item, ast.Constant(value=int(count))]:
            return Tuple((_type(item, text),) * _length(count, text))
        case "Tuple", [ast.Tuple(elts=items) | ast.List(elts=items)]:
            return Tuple(tuple(_type(item, text) for item in items))
        case "Tuple", items:
            return Tuple(tuple(_type(item, text) for item in items))
        case "range", [dtype]:
            ty, step = _type(dtype, text), _step(keywords, text)
            if not isinstance(ty, types.Integer):
                raise SignatureError(f"{text!r}: the items of a range are integers, not {ty}")
            return Range(ty, step)
        case "iter", [ast.Call(func=ast.Name(id="iter"))]:
            pass
        case "iter", [source]:
            ty = _type(source, text).iterator()
            if ty is not None:
                return ty
    cls = WRITTEN.get(name)
    if cls is None or len(args) != cls.__init__.__code__.co_argcount - 1:
        raise SignatureError(f"{text!r} is not a type")
    combined: Type = cls(*(_type(arg, text) for arg in args))
    return combined


def _length(count: int, text: str) -> int:
    if not 0 <= count <= types.LARGEST_TUPLE:
        raise SignatureError(f"{text!r}: a tuple has at most {types.LARGEST_TUPLE:,} items")
    return count


def _called_array(args: list[ast.expr], keywords: list[ast.keyword], text: str) -> Array:
    """Return the type written as `Array(dtype, ndim, layout, readonly=False, aligned=True)`."""
    try:
        dtype, *rest = [*args, *(word.value for word in keywords if word.arg == "dtype")]
        positional = [ast.literal_eval(value) for value in rest]
        named = {w.arg: ast.literal_eval(w.value) for w in keywords if w.arg not in (None, "dtype")}
        array: Array = Array(_type(dtype, text), *positional, **named)
    except (TypeError, ValueError, TypingError) as error:
        raise SignatureError(f"{text!r}: {error}", hint="Array(float64, 2, 'C')") from None
    return array


def _step(keywords: list[ast.keyword], text: str) -> int | None:
    match keywords:
        case []:
            return None
        case [ast.keyword(arg="step", value=value)]:
            with suppress(ValueError):
                step = ast.literal_eval(value)
                if isinstance(step, int) and step:
                    return step
    raise SignatureError(f"{text!r}: a range accepts only step=, with an integer")
