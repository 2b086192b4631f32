"""Exceptions that compiled code handles: their texts, classes and arguments.

The type of an argument is only known at run time, so numbers are converted explicitly:
`int(e.args[0])`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from cutaway.extending.registry import attribute, primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.exception_questions import asked
from cutaway.lowering.layout import Value
from cutaway.lowering.slots import load_slots
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Rule, Signature
from cutaway.typing.types import Type

# The runtime's query codes, see runtime/exceptions.c.
_CLASS, _ARGUMENTS, _ITEM, _NAME = "0", "1", "2", "3"
_FLOAT, _INT, _LENGTH = "0", "1", "2"

_HANDLED = (types.caught_exception, types.exception_argument, types.exception_class)


def _takes(returns: Type, *taken: Type) -> Rule:
    def rule(arguments: Arguments) -> Signature | None:
        return Signature(returns, arguments.types) if arguments.types == taken else None

    return rule


def _text_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and arguments.types[0] in _HANDLED
    return Signature(types.str_type, arguments.types) if fits else None


@primitive(str, _text_rule)
def text_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`str(e)`, `str(e.args[0])`."""
    return _text(build, args[0].parts[0])


@primitive(type, _takes(types.exception_class, types.caught_exception))
def class_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`type(e)`."""
    return _part(build, types.exception_class, args[0], _CLASS)


@attribute(
    types.CaughtException,
    "args",
    lambda ty: types.exception_arguments if ty is types.caught_exception else None,
    gives_new_reference=True,
)
def arguments_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`e.args`."""
    return _part(build, types.exception_arguments, args[0], _ARGUMENTS)


@attribute(
    types.ExceptionPart,
    "__name__",
    lambda ty: types.str_type if ty is types.exception_class else None,
    gives_new_reference=True,
)
def name_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`type(e).__name__`."""
    name = _part(build, types.exception_argument, args[0], _NAME)
    text = _text(build, name.parts[0])
    build.call("void", "cutaway_decref", [("ptr", name.parts[0])])
    return text


@primitive(
    operator.getitem,
    _takes(types.exception_argument, types.exception_arguments, types.int64),
    gives_new_reference=True,
)
def argument_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`e.args[k]`."""
    return _part(build, types.exception_argument, args[0], _ITEM, args[1].parts[0])


@primitive(len, _takes(types.int64, types.exception_arguments))
def count_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(e.args)`."""
    return _number(build, types.int64, args[0], _LENGTH)


@primitive(int, _takes(types.int64, types.exception_argument))
def int_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`int(e.args[k])`."""
    return _number(build, types.int64, args[0], _INT)


@primitive(float, _takes(types.float64, types.exception_argument))
def float_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`float(e.args[k])`."""
    return _number(build, types.float64, args[0], _FLOAT)


def _comparison_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or arguments.types[0] is not types.exception_class:
        return None
    fits = isinstance(arguments.types[1], types.Class)
    return Signature(types.boolean, arguments.types) if fits else None


def _compared(function: Callable[[Any, Any], bool]) -> None:
    @primitive(function, _comparison_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """`type(e) is cls`."""
        other = sig.args[1]
        assert isinstance(other, types.Class)
        return asked(build, partial(_answer, function, other.value), args[0])


def _answer(function: Callable[[Any, Any], bool], other: type, cls: Any) -> bool:
    return function(cls, other)


for _function in (operator.is_, operator.is_not, operator.eq, operator.ne):
    _compared(_function)


def _text(build: FunctionBuilder, owner: str) -> Value:
    place = build.alloca("i64", 4)
    _ask(build, "cutaway_exception_text", ("ptr", owner), ("ptr", place))
    return load_slots(build, types.str_type, place)


def _part(build: FunctionBuilder, ty: Type, whole: Value, what: str, index: str = "0") -> Value:
    place = build.alloca("ptr")
    asked_for = (("i32", what), ("i64", index), ("ptr", place))
    _ask(build, "cutaway_exception_part", ("ptr", whole.parts[0]), *asked_for)
    return Value(ty, (build.load("ptr", place, 8),))


def _number(build: FunctionBuilder, ty: Type, value: Value, how: str) -> Value:
    place = build.alloca("i64")
    _ask(build, "cutaway_exception_number", ("ptr", value.parts[0]), ("i32", how), ("ptr", place))
    return Value(ty, (build.load("double" if ty is types.float64 else "i64", place, 8),))


def _ask(build: FunctionBuilder, name: str, *operands: tuple[str, str]) -> None:
    status = build.call("i32", name, list(operands))
    build.propagate_if(build.compare("ne", "i32", status, "0"), status)
