"""Operators and conversions as Python: with the machine's ranges, and its rounding.

    int64: a + b        a + b, wrapped around if it leaves the range
    float32: a * b      rounded through a memory cell: F[0] = a * b; t = F[0]

If an integer's interval proves that it stays in range, no check is written.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy

from cutaway.cuda.simulator.values import half, quiet, single
from cutaway.ir import nodes
from cutaway.ir.operators import COMPARISONS, binary_of_inplace
from cutaway.typing import types
from cutaway.typing.analysis.intervals import RULES, Interval
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import (
    Array,
    Boolean,
    Complex,
    Float,
    Integer,
    Literal,
    Optional,
    Tuple,
    Type,
)
from cutaway.typing.types.conversions import Conversion, conversion

if TYPE_CHECKING:
    from cutaway.cuda.simulator.writing import FunctionWriter

_BITS = frozenset({"&", "|", "^"})


def is_number(ty: Type | None) -> bool:
    """True for the types whose values are Python numbers in generated code."""
    return isinstance(ty, Boolean | Integer | Float | Complex)


# --- conversions ------------------------------------------------------------------------------


def cast(w: FunctionWriter, text: str, source: Type, target: Type) -> str:
    """Convert an expression from one type to another."""
    source, target = _plain(source), _plain(target)
    if source is target:
        return text
    if isinstance(target, Optional):
        if source is types.none:
            return text
        inner = source.inner if isinstance(source, Optional) else source
        if inner is target.inner:
            return text
        changed = cast(w, text, inner, target.inner)
        return (
            f"(None if {text} is None else {changed})" if isinstance(source, Optional) else changed
        )
    if isinstance(source, Optional):
        return cast(w, text, source.inner, target)
    if not is_number(source) and is_number(target):  # a member of an enumeration
        return cast(w, f"int({text})", types.int64, target)
    if isinstance(target, Boolean) and is_number(source):
        return f"({text} != 0)"
    if isinstance(target, Integer):
        return _to_integer(w, text, source, target)
    if isinstance(target, Float):
        return _to_float(text, source, target)
    if isinstance(target, Complex) and is_number(source):
        whole = text if isinstance(source, Complex) else f"complex({text})"
        return whole if target.bits == 128 else f"single_complex({whole})"
    if isinstance(target, Tuple) and isinstance(source, Tuple):
        return _to_tuple(w, text, source, target)
    return text


def as_asked(w: FunctionWriter, text: str, source: Type, target: Type, name: str) -> str:
    """Convert an argument to the type of a signature; a number that the type cannot hold raises,
    with the name of the parameter."""
    changed, kind = cast(w, text, source, target), _plain(source)
    if not is_number(kind) or not is_number(target):
        return changed
    if conversion(kind, target) is not Conversion.UNSAFE:
        return changed
    return f"as_asked({text}, {changed}, {str(target)!r}, {name!r})"


def _plain(ty: Type) -> Type:
    return ty.plain if isinstance(ty, Literal) and hasattr(ty, "plain") else ty


def _to_integer(w: FunctionWriter, text: str, source: Type, target: Integer) -> str:
    if isinstance(source, Boolean):
        return f"(+{text})"
    if isinstance(source, Float):
        low, high = target.low, target.high
        if target.bits < 32:  # through a wider type
            return _wrapped_text(f"truncated({text}, {-(2**31)}, {2**31 - 1})", target)
        return f"truncated({text}, {low}, {high})"
    if isinstance(source, Integer) and not (
        target.low <= source.low and source.high <= target.high
    ):
        if text.isdigit() and int(text) <= target.high:
            return text
        return _wrapped_text(text, target)
    return text


def _wrapped_text(text: str, ty: Integer) -> str:
    """Wrap an integer to fewer bits, in one expression."""
    mask = (1 << ty.bits) - 1
    if not ty.signed:
        return f"({text} & {mask:#x})"
    half = 1 << (ty.bits - 1)
    return f"(({text} + {half:#x} & {mask:#x}) - {half:#x})"


def _to_float(text: str, source: Type, target: Float) -> str:
    if isinstance(source, Integer | Boolean):
        if text.isdigit():
            value = float(text)
            return repr({64: float, 32: single, 16: half}[target.bits](value))
        if target.bits == 64:
            return f"float({text})"
        small = isinstance(source, Boolean) or source.bits <= 16
        return f"float({text})" if small and target.bits == 32 else _rounder(target, text, source)
    if isinstance(source, Float) and source.bits > target.bits:
        return f"{'single' if target.bits == 32 else 'half'}({text})"
    return text


def _rounder(target: Float, text: str, source: Type) -> str:
    return f"exact_single({text})" if target.bits == 32 else f"half({text})"


def _to_tuple(w: FunctionWriter, text: str, source: Tuple, target: Tuple) -> str:
    if len(source.items) != len(target.items) or source.items == target.items:
        return text
    whole = text if text.isidentifier() else f"({text})"
    items = [
        cast(w, f"{whole}[{k}]", one, other)
        for k, (one, other) in enumerate(zip(source.items, target.items, strict=True))
    ]
    return f"({', '.join(items)},)"


def truth(w: FunctionWriter, variable: str) -> str:
    """Return a value as a condition."""
    return _truth_text(w, w.use(variable), w.types[variable])


def _truth_text(w: FunctionWriter, text: str, ty: Type) -> str:
    if isinstance(ty, Array):
        return f"({text}.size > 0)"
    return text


# --- results ----------------------------------------------------------------------------------


def give(
    w: FunctionWriter, result: str, text: str, ty: Type, exact: Interval | None = None
) -> None:
    """Assign a number to a variable, brought into the range of its type; `exact` is the interval of
    an integer before that."""
    if isinstance(ty, Integer):
        whole = Interval(ty.low, ty.high)
        if exact is not None and exact.within(whole):
            w.assign(result, text, pure=True)
        elif not ty.signed:
            w.assign(result, f"({text} & {ty.high:#x})", pure=True)
        else:
            _wrap(w, result, text, ty)
    elif isinstance(ty, Float) and ty.bits == 32:
        if not w.users.get(result):
            return
        w.text.line(f"F[0] = {text}")
        w.text.line(f"{w.name_of(result)} = F[0]")
    elif isinstance(ty, Float) and ty.bits == 16:
        w.assign(result, f"half({text})", pure=True)
    elif isinstance(ty, Complex) and ty.bits == 64:
        w.assign(result, f"single_complex({text})", pure=True)
    else:
        w.assign(result, text, pure=True)


def _wrap(w: FunctionWriter, result: str, text: str, ty: Integer) -> None:
    if not w.users.get(result):
        return
    name = w.name_of(result)
    w.text.line(f"{name} = {text}")
    w.text.line(f"if not {-ty.high - 1:#x} <= {name} <= {ty.high:#x}:")
    with w.text.indented():
        w.text.line(f"{name} = {_wrapped_text(name, ty)[1:-1]}")


# --- unary ------------------------------------------------------------------------------------


def unary(w: FunctionWriter, op: nodes.Unary) -> None:
    """Write `-a`, `~a`, `not a`."""
    chosen = w.unit.resolutions.get(op.id)
    source, result = w.types[op.value], w.types[op.result]
    if op.op.symbol == "not":
        w.assign(op.result, f"(not {truth(w, op.value)})", pure=True)
        return
    if op.op.symbol == "bool":
        if isinstance(source, Boolean):
            w.assign(op.result, w.use(op.value), pure=True)
        elif is_number(source):
            w.assign(op.result, f"({w.use(op.value)} != 0)", pure=True)
        else:
            w.assign(op.result, f"bool({truth(w, op.value)})", pure=True)
        return
    if not (is_number(source) and is_number(result)):
        w.program.calling.outside(w, op, op.op.function, [op.value], op.result)
        return
    wanted = chosen.resolution.signature.args[0] if isinstance(chosen, Chosen) else result
    text = w.use_as(op.value, wanted)
    exact = None
    if isinstance(result, Integer):
        known = w.interval(op.value)
        if op.op.symbol == "-":
            exact = Interval(-known.high, -known.low)
        elif op.op.symbol == "~" and result.signed:
            exact = Interval(~known.high, ~known.low)
        elif op.op.symbol == "+":
            exact = known
    give(w, op.result, f"({op.op.symbol}{text})", result, exact)


# --- binary -----------------------------------------------------------------------------------


def binary(w: FunctionWriter, op: nodes.Binary | nodes.Inplace) -> None:
    """Write an operator between two values."""
    row = op.op if isinstance(op, nodes.Binary) else binary_of_inplace(op.op)
    resolved = w.unit.resolutions.get(op.id)
    left, right = w.types[op.lhs], w.types[op.rhs]
    result = w.types[op.result]
    symbol = row.symbol
    if isinstance(op, nodes.Inplace) and isinstance(left, Array):
        w.program.calling.update(w, op, row.function)
        return
    if symbol in ("is", "is not") or types.none in (left, right):
        _identity(w, op, symbol)
        return
    if not isinstance(resolved, Chosen):
        w.program.calling.outside(w, op, row.function, [op.lhs, op.rhs], op.result)
        return
    signature = resolved.resolution.signature
    if resolved.resolution.implementation is not None:
        w.program.calling.implementation(w, op, resolved, [op.lhs, op.rhs])
        return
    kinds = signature.args
    if len(kinds) != 2 or not all(map(is_number, kinds)) or not is_number(result):
        w.program.calling.outside(w, op, row.function, [op.lhs, op.rhs], op.result)
        return
    a, b = w.use_as(op.lhs, kinds[0]), w.use_as(op.rhs, kinds[1])
    if symbol in COMPARISONS:
        w.assign(op.result, f"({a} {symbol} {b})", pure=True)
    elif isinstance(result, Integer | Boolean):
        _integers(w, op, symbol, a, b, result)
    else:
        give(w, op.result, _floating(w, symbol, a, b, result), result)


def _identity(w: FunctionWriter, op: nodes.Binary | nodes.Inplace, symbol: str) -> None:
    word = {"==": "is", "!=": "is not"}.get(symbol, symbol)
    w.assign(op.result, f"({w.use(op.lhs)} {word} {w.use(op.rhs)})", pure=True)


def _integers(
    w: FunctionWriter,
    op: nodes.Binary | nodes.Inplace,
    symbol: str,
    a: str,
    b: str,
    result: Integer | Boolean,
) -> None:
    if isinstance(result, Boolean) or symbol in _BITS:
        exact = Interval(result.low, result.high) if isinstance(result, Integer) else None
        give(w, op.result, f"({a} {symbol} {b})", result, exact)
        return
    kinds = w.unit.resolutions[op.id].resolution.signature.args
    left, right = (_within(w.interval(one), ty) for one, ty in zip((op.lhs, op.rhs), kinds))
    if not result.signed:  # operands have been converted to the range of the type
        left = left if left.low >= 0 else Interval(0, result.high)
        right = right if right.low >= 0 else Interval(0, result.high)
    if symbol in ("+", "-", "*"):
        give(w, op.result, f"({a} {symbol} {b})", result, RULES[symbol](left, right))
    elif symbol in ("//", "%"):
        _quotient(w, op, symbol, a, b, result, left, right)
    elif symbol == "<<":
        small = 0 <= right.low and right.high < 64
        text = f"({a} << {b})" if small else f"shifted_left({a}, {b})"
        exact = RULES["<<"](left, right) if small else None
        give(w, op.result, text, result, exact)
    elif symbol == ">>":
        text = f"({a} >> {b})" if right.low >= 0 else f"shifted_right({a}, {b})"
        w.assign(op.result, text, pure=right.low >= 0)
    else:
        give(w, op.result, f"integer_power({a}, {b}, {result.bits})", result)


def _within(found: Interval, ty: Type) -> Interval:
    """Return the interval of an operand after its conversion to a type."""
    if not isinstance(ty, Integer):
        return found
    whole = Interval(ty.low, ty.high)
    return found if found.within(whole) else whole


def raised(w: FunctionWriter, result: str, a: str, b: str, ty: Type) -> None:
    """Write a power."""
    if isinstance(ty, Integer):
        give(w, result, f"integer_power({a}, {b}, {ty.bits})", ty)
    else:
        give(w, result, _floating(w, "**", a, b, ty), ty)


def _quotient(
    w: FunctionWriter,
    op: nodes.Binary | nodes.Inplace,
    symbol: str,
    a: str,
    b: str,
    result: Integer,
    left: Interval,
    right: Interval,
) -> None:
    never_zero = right.low > 0 or right.high < 0
    exact = (
        None
        if left.low <= result.low and right.low < 0 and symbol == "//"
        else (Interval(result.low, result.high))
    )
    text = f"({a} {symbol} {b})"
    if never_zero:
        give(w, op.result, text, result, exact)
    else:
        w.text.line(f"if {b} == 0:")
        with w.text.indented():
            w.text.line("raise ZeroDivisionError('division by zero')")
        give(w, op.result, text, result, exact)


_HELPERS = {"/": "divided", "//": "floored", "%": "rest"}


def _floating(w: FunctionWriter, symbol: str, a: str, b: str, result: Type) -> str:
    if isinstance(result, Complex):
        if symbol == "/":
            return f"complex_divided({a}, {b})"
        return f"complex_power({a}, {b})" if symbol == "**" else f"({a} {symbol} {b})"
    if symbol == "**":
        return f"power({a}, {b})"
    if symbol in _HELPERS:
        if _is_nonzero(b):
            return f"({a} {symbol} {b})"
        if w.unit.flags.error_model == "python":
            return f"({a} {symbol} nonzero({b}))"
        helped = f"{_HELPERS[symbol]}({a}, {b})"
        return f"({a} {symbol} {b} if {b} else {helped})" if b.isidentifier() else helped
    return f"({a} {symbol} {b})"


def _is_nonzero(text: str) -> bool:
    try:
        return float(text.strip("()")) != 0
    except ValueError:
        return False


def function_of(name: str, may_raise: bool) -> Any:
    """Return a function of `math`, or else of NumPy, with C's results instead of exceptions unless
    it may raise."""
    of_math = getattr(math, name, None)
    function = of_math if of_math is not None else getattr(numpy, name)
    return function if may_raise else quiet(function)
