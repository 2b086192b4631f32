"""Constant folding: operations on constants, as rules that query a context for values.

    $2.1 = 2 ** 3      ->    $2.1 = const(8)

Nothing is folded that raises, takes long, or makes a value too large for a program's text.
"""

from __future__ import annotations

import math
from typing import Any

from cutaway.foundation.foreign import text_attribute
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.editing import Rule
from cutaway.ir.nodes import Op
from cutaway.ir.operators import binary_of_inplace, formatted


class Constants:
    """The context of folding rules: the constants that variables hold."""

    def value(self, name: str) -> Any:
        """Return the constant that a variable holds; MISSING if it holds none."""
        raise NotImplementedError

    def values(self, names: tuple[str, ...]) -> tuple[Any, ...] | None:
        """Return the constants that variables hold; None unless all are constants."""
        values = tuple(map(self.value, names))
        return None if any(value is MISSING for value in values) else values


LARGEST_BITS = 4096  # of an integer that folding makes; larger ones only stand for an error
LARGEST_LENGTH = 256  # of a tuple or string that folding makes

_SIMPLE = (bool, int, float, complex, str, bytes, type(None), type(...))


class HugeInteger(int):
    """A constant that is far too large, represented by a short text instead of its digits.

    Nothing is folded with it; where it is used, type inference reports that it does not fit.
    """

    text: str

    def __new__(cls, text: str) -> HugeInteger:
        huge = super().__new__(cls, 1 << 64)
        huge.text = text
        return huge

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return self.text


def is_simple(value: Any) -> bool:
    """True if a value may be folded into the program: a number, a string, None, or a small
    tuple of such."""
    if type(value) is tuple:
        return len(value) <= LARGEST_LENGTH and all(map(is_simple, value))
    if type(value) is int:
        return value.bit_length() <= LARGEST_BITS
    if type(value) in (str, bytes):
        return len(value) <= LARGEST_LENGTH
    return type(value) in _SIMPLE


# f"{1:3d}"  =>  the string that Python writes
def _fold_text(op: Op, context: Constants) -> Op | None:
    match op:
        case nodes.FormatValue(result, value, _, spec):
            constants = context.values((value,) if spec is None else (value, spec))
        case nodes.BuildString(result, pieces):
            constants = context.values(pieces)
        case _:
            return None
    if constants is None or not all(map(is_simple, constants)):
        return None
    if isinstance(op, nodes.BuildString):
        return _folded(result, "".join, (constants,))
    return _folded(result, formatted, (constants[0], op.conversion, *(constants[1:] or ("",))))


# -1, 2 * 3, 4 < 5  =>  the constant that Python computes
def _fold_operator(op: Op, context: Constants) -> Op | None:
    match op:
        case nodes.Unary(result, row, value):
            names: tuple[str, ...] = (value,)
            function = row.function
        case nodes.Binary(result, row, lhs, rhs):
            names, function = (lhs, rhs), row.function
        case nodes.Inplace(result, row, lhs, rhs):
            names, function = (lhs, rhs), binary_of_inplace(row).function
        case _:
            return None
    constants = context.values(names)
    if constants is None or not all(map(is_simple, constants)):
        return None
    if _makes_long_text(function, constants):
        return None
    if (
        all(isinstance(v, int) for v in constants)
        and _least_bits(function, constants) > LARGEST_BITS
    ):
        return nodes.Const(
            result, HugeInteger(f"{constants[0]} {op.op.symbol.strip('=')} {constants[1]}")
        )
    return _folded(result, function, constants)


def _makes_long_text(function: Any, constants: tuple[Any, ...]) -> bool:
    if function.__name__ == "mod" and isinstance(constants[0], str | bytes):
        return True  # "%1000000000d" % 1
    if function.__name__ != "mul":
        return False
    return any(isinstance(v, int) and abs(v) > LARGEST_LENGTH for v in constants) and any(
        isinstance(v, str | bytes | tuple) for v in constants
    )


def _least_bits(function: Any, constants: tuple[int, ...]) -> int:
    """Return a lower bound of the bits of 2 ** 10000000 or 1 << 10000000, without computing it."""
    if function.__name__ == "pow" and constants[1] > 0:
        return (abs(constants[0]).bit_length() - 1) * constants[1]
    if function.__name__ == "lshift" and constants[1] > 0 and constants[0]:
        return constants[0].bit_length() + constants[1]
    return 0


def _folded(result: str, function: Any, constants: tuple[Any, ...]) -> Op | None:
    try:
        value = function(*constants)
    except Exception:  # noqa: BLE001  the operation raises, and must raise when it is executed
        return None
    if type(value) is int and not is_simple(value):
        return nodes.Const(result, HugeInteger(shortened(value)))
    return nodes.Const(result, value) if is_simple(value) else None


def shortened(value: int) -> str:
    """Abbreviate a huge integer: its leading digits and its decimal exponent."""
    exponent = math.log10(abs(value))
    digits = 10 ** (exponent % 1)
    return f"{'-' if value < 0 else ''}{digits:.4f}...e+{int(exponent)}"


_PURE = (len, abs, min, max, int, float, bool, complex, round, divmod, ord, chr)
_OF_TEXT = (int, float, complex, len, ord)


# len((1, 2)), abs(-3), math.sqrt(2.0)  =>  the constant that Python computes
def _fold_call(op: Op, context: Constants) -> Op | None:
    if not isinstance(op, nodes.Call) or op.keywords or op.star is not None:
        return None
    function = context.value(op.func)
    constants = context.values(op.args)
    if constants is None or not constants or not all(map(is_simple, constants)):
        return None
    of_text = any(function is candidate for candidate in _OF_TEXT)
    if any(isinstance(v, str | bytes) for v in constants) and not of_text:
        return None
    pure = any(function is candidate for candidate in _PURE)
    if not pure and text_attribute(function, "__module__") != math.__name__:
        return None
    if _takes_long(function, constants):
        return None
    return _folded(op.result, function, constants)


# Functions whose result has far more digits than their arguments, and the largest argument to fold.
_GROWING = (
    (math.factorial, 200),
    (math.comb, 200),
    (math.perm, 200),
    (math.ldexp, LARGEST_BITS),
    (round, LARGEST_BITS),
)


def _takes_long(function: Any, constants: tuple[Any, ...]) -> bool:
    # If it is not folded it raises, or is computed, at run time.
    limit = next((most for candidate, most in _GROWING if function is candidate), None)
    return limit is not None and any(isinstance(v, int) and abs(v) > limit for v in constants)


# (1, 2)  =>  the constant (1, 2)
def _constant_tuple(op: Op, context: Constants) -> Op | None:
    if not isinstance(op, nodes.BuildTuple):
        return None
    constants = context.values(op.items)
    return (
        nodes.Const(op.result, constants)
        if constants is not None and is_simple(constants)
        else None
    )


FOLD_TEXT = Rule("fold_text", "f-string of constants => constant", _fold_text)
FOLD_OPERATOR = Rule("fold_operator", "constant + constant => constant", _fold_operator)
FOLD_CALL = Rule("fold_call", "pure(constants) => constant", _fold_call)
CONSTANT_TUPLE = Rule("constant_tuple", "(constants) => constant", _constant_tuple)
