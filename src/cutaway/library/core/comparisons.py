"""`== != < <= > >= is in`, and truth.

Numbers of any types compare by value: a signed with an unsigned integer, and an integer with a
float, as in exact arithmetic.
"""

from __future__ import annotations

import operator

from cutaway.extending.registry import primitive
from cutaway.ir.operators import BINARY, COMPARISONS
from cutaway.library.core.applied import applied, resolved
from cutaway.library.elements.comparisons import compared_complex, compared_integers
from cutaway.library.math.numbers import Instructions, boolean, both_ways, is_literal
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Boolean, Complex, Constant, Container, Float, Integer, Tuple, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.conversions import unify
from cutaway.typing.types.enums import is_plain_member

_EQUALITY = ("==", "!=")


def _comparison_rule(symbol: str, arguments: Arguments) -> Signature | None:
    lhs, rhs = arguments.types
    if not (types.is_number(lhs) and types.is_number(rhs)):
        return None
    if isinstance(lhs, Complex) or isinstance(rhs, Complex):
        ty = unify(lhs, rhs)
        return Signature(types.boolean, (ty, ty)) if ty and symbol in _EQUALITY else None
    return Signature(types.boolean, (lhs, rhs))


def compare(build: FunctionBuilder, symbol: str, lhs: Value, rhs: Value) -> str:
    """Compare two real numbers (or complex ones for equality) exactly; an i1."""
    row = COMPARISONS[symbol]
    match lhs.ty, rhs.ty:
        case Complex() as ty, Complex():
            return compared_complex(Instructions(build, ty), row.floats, *lhs.parts, *rhs.parts)
        case Float(), Float():
            return _compare_floats(build, symbol, lhs, rhs)
        case Float(), _:
            return _compare_with_float(build, row.mirrored, rhs, lhs)
        case _, Float():
            return _compare_with_float(build, symbol, lhs, rhs)
    return compared_integers(build, row.integers, lhs, rhs)


def _compare_floats(build: FunctionBuilder, symbol: str, lhs: Value, rhs: Value) -> str:
    ty = unify(lhs.ty, rhs.ty)
    assert isinstance(ty, Float)
    a, b = build.cast(lhs, ty).parts[0], build.cast(rhs, ty).parts[0]
    return Instructions(build, ty).compare(COMPARISONS[symbol].floats, a, b)


def _compare_with_float(build: FunctionBuilder, symbol: str, lhs: Value, rhs: Value) -> str:
    rhs = build.cast(rhs, types.float64)
    exact = isinstance(lhs.ty, Boolean) or (isinstance(lhs.ty, Integer) and lhs.ty.bits < 64)
    if exact or (is_literal(lhs.parts[0]) and abs(int(lhs.parts[0])) <= 2**53):
        return _compare_floats(build, symbol, build.cast(lhs, types.float64), rhs)
    assert isinstance(lhs.ty, Integer)
    return _compare_wide_with_float(build, symbol, lhs, lhs.ty, rhs.parts[0])


def _compare_wide_with_float(
    build: FunctionBuilder, symbol: str, lhs: Value, ty: Integer, f: str
) -> str:
    """A 64-bit integer with a double: round the double toward the side that keeps the answer.

    `a < f` is `a < ceil(f)` and `a <= f` is `a <= floor(f)`; beyond the integers' range the
    double decides alone.
    """
    n = Instructions(build, types.float64)
    high, low = n.number(float(ty.high + 1)), n.number(float(ty.low))
    below_high = n.compare("olt", f, high)
    if symbol in _EQUALITY:
        return _equals_float(n, symbol, lhs, f, below_high)
    rounded = Value(n.ty, (n.math("ceil" if symbol in ("<", ">=") else "floor", f),))
    answer = compared_integers(build, COMPARISONS[symbol].integers, lhs, build.cast(rounded, ty))
    if symbol in ("<", ">"):
        outside = n.compare("oge", f, high) if symbol == "<" else n.compare("olt", f, low)
        return n.either(n.both(answer, n.compare("ord", f, f)), outside)
    return n.both(answer, n.compare("oge", f, low) if symbol == "<=" else below_high)


def _equals_float(n: Instructions, symbol: str, lhs: Value, f: str, below_high: str) -> str:
    back = n.build.cast(Value(n.ty, (f,)), lhs.ty).parts[0]
    same = n.build.compare("eq", "i64", lhs.parts[0], back)
    whole = n.compare("oeq", n.build.cast(lhs, n.ty).parts[0], f)
    equal = n.both(n.both(same, whole), below_high)
    return equal if symbol == "==" else n.build.binary("xor", "i1", equal, "true")


def _register_comparison(symbol: str) -> None:
    function = COMPARISONS[symbol].function

    @primitive(function, lambda arguments: _comparison_rule(symbol, arguments))
    def compare_numbers(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return boolean(compare(build, symbol, *args))


for _symbol in COMPARISONS:
    _register_comparison(_symbol)


# --- equality of constants and of tuples ------------------------------------------------------


def _known_equality(arguments: Arguments) -> bool | None:
    lhs, rhs = arguments.types
    asked = types.Optional | types.Array | types.Record | types.Opaque
    if isinstance(lhs, asked) or isinstance(rhs, asked):
        return None
    if isinstance(lhs, Constant) and isinstance(rhs, Constant):
        return bool(lhs.value == rhs.value)
    if types.none in (lhs, rhs) and lhs is not rhs:
        return False
    classes = types.text_classes(lhs), types.text_classes(rhs)
    buffers = isinstance(lhs, Buffer) or isinstance(rhs, Buffer)
    if any(classes) and not buffers and classes[0].isdisjoint(classes[1]):
        return False  # a string only equals strings
    if lhs is not rhs and (is_plain_member(lhs) or is_plain_member(rhs)):
        return False  # a member that is not an integer only equals itself
    return True if lhs is rhs is types.none else None


def _known_equality_rule(arguments: Arguments) -> Signature | None:
    answer = _known_equality(arguments)
    return None if answer is None else Signature(types.boolean, arguments.types)


@both_ways(operator.eq, operator.ne, _known_equality_rule)
def _known_equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return "true" if _known_equality(Arguments((lhs.ty, rhs.ty), ())) else "false"


def is_comparable(lhs: Type, rhs: Type) -> bool:
    """True if `equal_values` accepts values of these types."""
    if isinstance(lhs, Tuple) and isinstance(rhs, Tuple):
        same = lhs.word == rhs.word and len(lhs.items) == len(rhs.items)
        return not same or all(map(is_comparable, lhs.items, rhs.items))
    if types.is_number(lhs) and types.is_number(rhs):
        return True
    result = resolved(operator.eq, lhs, rhs)
    return result is not None and result.signature.returns is types.boolean


def _tuple_rule(arguments: Arguments) -> Signature | None:
    lhs, rhs = arguments.types
    tuples = isinstance(lhs, Tuple) and isinstance(rhs, Tuple)
    return Signature(types.boolean, (lhs, rhs)) if tuples and is_comparable(lhs, rhs) else None


@both_ways(operator.eq, operator.ne, _tuple_rule)
def _tuples_equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return equal_values(build, lhs, rhs)


def equal_values(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    """True if two values, or tuples of comparable values, are equal; an i1."""
    if not isinstance(lhs.ty, Tuple) or not isinstance(rhs.ty, Tuple):
        if not (types.is_number(lhs.ty) and types.is_number(rhs.ty)):
            answer: str = applied(build, operator.eq, lhs, rhs).parts[0]
            return answer
        ty = unify(lhs.ty, rhs.ty) if isinstance(unify(lhs.ty, rhs.ty), Complex) else None
        pair = (build.cast(lhs, ty), build.cast(rhs, ty)) if ty else (lhs, rhs)
        return compare(build, "==", *pair)
    left, right = tuple_items(lhs), tuple_items(rhs)
    if len(left) != len(right) or lhs.ty.word != rhs.ty.word:
        return "false"
    answer = "true"
    for a, b in zip(left, right, strict=True):
        answer = build.binary("and", "i1", answer, equal_values(build, a, b))
    return answer


def _membership_rule(arguments: Arguments) -> Signature | None:
    item, container = arguments.types
    if not isinstance(container, Tuple):
        return None
    fits = all(is_comparable(item, member) for member in container.items)
    return Signature(types.boolean, arguments.types) if fits else None


@primitive(BINARY["in"].function, _membership_rule)
def contains(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`item in (a, b, c)`."""
    return boolean(_contains(build, *args))


@primitive(BINARY["not in"].function, _membership_rule)
def not_contains(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`item not in (a, b, c)`."""
    return boolean(build.binary("xor", "i1", _contains(build, *args), "true"))


def _contains(build: FunctionBuilder, item: Value, container: Value) -> str:
    answer = "false"
    for candidate in tuple_items(container):
        answer = build.binary("or", "i1", answer, equal_values(build, item, candidate))
    return answer


# --- identity ---------------------------------------------------------------------------------


def _identity(arguments: Arguments) -> bool | None:
    lhs, rhs = arguments.types
    if isinstance(lhs, types.Undefined) or isinstance(rhs, types.Undefined):
        return False
    if isinstance(lhs, types.Optional) or isinstance(rhs, types.Optional):
        return None
    if not {types.none, types.ellipsis}.isdisjoint((lhs, rhs)):  # singletons
        return lhs is rhs
    if isinstance(lhs, Constant) and isinstance(rhs, Constant):
        return lhs.value is rhs.value
    first, second = lhs.value_class, rhs.value_class  # a user's `==` never compares them
    differ = first is not None and second is not None and first is not second
    return False if differ else None


def _identity_rule(arguments: Arguments) -> Signature | None:
    answer = _identity(arguments)
    return None if answer is None else Signature(types.boolean, arguments.types)


@both_ways(operator.is_, operator.is_not, _identity_rule, any_elements=True)
def _same(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return "true" if _identity(Arguments((lhs.ty, rhs.ty), ())) else "false"


def _boolean_identity_rule(arguments: Arguments) -> Signature | None:
    both = all(isinstance(ty, Boolean) for ty in arguments.types)
    return Signature(types.boolean, arguments.types) if both else None


@both_ways(operator.is_, operator.is_not, _boolean_identity_rule)
def _same_boolean(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return compare(build, "==", lhs, rhs)


def _container_identity_rule(arguments: Arguments) -> Signature | None:
    first, second = arguments.types
    both = isinstance(first, Container) and type(first) is type(second)
    return Signature(types.boolean, arguments.types) if both else None


@both_ways(operator.is_, operator.is_not, _container_identity_rule, any_elements=True)
def _same_container(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return build.compare("eq", "ptr", lhs.parts[0], rhs.parts[0])


# --- truth ------------------------------------------------------------------------------------


def _number_truth_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    return Signature(types.boolean, (types.boolean,))


@both_ways(bool, operator.not_, _number_truth_rule)
def _truth_of_number(build: FunctionBuilder, value: Value) -> str:
    return value.parts[0]


def _known_truth(ty: Type) -> bool | None:
    match ty:
        case types.NoneType() | types.Undefined():
            return False
        case Tuple(items=items):
            return bool(items)
        case Constant(value=value):
            return bool(value)
    return None


def _known_truth_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or _known_truth(arguments.types[0]) is None:
        return None
    return Signature(types.boolean, arguments.types)


@both_ways(bool, operator.not_, _known_truth_rule)
def _truth_of_constant(build: FunctionBuilder, value: Value) -> str:
    return "true" if _known_truth(value.ty) else "false"


@primitive(bool, lambda arguments: None if len(arguments) else Signature(types.boolean, ()))
def no_truth(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`bool()`."""
    return boolean("false")
