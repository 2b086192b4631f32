"""Literal types: types with one value, for arguments that are constants.

Inference keeps constants apart from types (`Arguments.constants`); a literal type is created for
queries by types alone, and replaced by the plain type before a function is compiled for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cutaway.errors import TypingError
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call
from cutaway.typing.types import Boolean, Integer, Literal, String, Tuple, Type, describe
from cutaway.typing.types.absent import of_constant
from cutaway.typing.types.buffers import bytes_type


class IntegerLiteral(Literal, Integer):
    """The type of an integer constant."""

    __slots__ = ("value",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        (value,) = args
        if type(value) is not int or of_constant(value) is None:
            raise TypeError(f"an integer literal must be a 64-bit int, not {describe(value)}")
        return cls, args

    def __init__(self, value: int) -> None:
        self.value = value
        plain = self.literal_type
        super().__init__(plain.bits, plain.signed)
        self.name = f"Literal[int]({value})"

    @property
    def literal_value(self) -> int:
        return self.value

    @property
    def literal_type(self) -> Integer:
        ty = of_constant(self.value)
        assert isinstance(ty, Integer)
        return ty


class KnownInteger(IntegerLiteral):
    """The type of an integer parameter whose value is known: it decides branches, but the parameter
    keeps its type in arithmetic."""

    __slots__ = ()
    is_written = False

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.name = f"Known[int]({value})"


class BooleanLiteral(Literal, Boolean):
    """The type of a bool constant."""

    __slots__ = ("value",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        (value,) = args
        if type(value) is not bool:
            raise TypeError(f"a bool literal must be True or False, not {describe(value)}")
        return cls, args

    def __init__(self, value: bool) -> None:
        self.value = value
        super().__init__()
        self.name = f"Literal[bool]({value})"

    @property
    def literal_value(self) -> bool:
        return self.value

    @property
    def literal_type(self) -> Type:
        return types.boolean


def maybe_literal(value: Any) -> Type | None:
    """Return the literal type of a value; None if it has none."""
    match value:
        case bool():
            return BooleanLiteral(value)
        case int() if type(value) is int and of_constant(value) is not None:
            return IntegerLiteral(value)
        case str() | bytes() if type(value) in (str, bytes):
            return String(value)
    return None


def literal(value: Any) -> Type:
    """Return the literal type of a value: an int, a bool, a str or bytes.

    Raises TypingError for any other.
    """
    ty = maybe_literal(value)
    if ty is None:
        message = f"no type holds the value {describe(value)}"
        raise TypingError(message, hint="only 64-bit ints, bools and strings have literal types")
    return ty


def unliteral(ty: Type) -> Type:
    """Return the plain type of a literal one; also within tuples."""
    match ty:
        case String(value=bytes()):
            return bytes_type
        case Literal():
            return ty.literal_type
        case Tuple(items=items) if any(unliteral(item) is not item for item in items):
            return ty.of(tuple(map(unliteral, items)))
    return ty


def literal_types(arguments: Arguments) -> tuple[Type, ...]:
    """Return the types of arguments, literal ones for constants."""
    literals = []
    for ty, value in zip(arguments.types, arguments.constants, strict=True):
        held = None if value is MISSING else maybe_literal(value)
        literals.append(ty if held is None else held)
    return tuple(literals)


def plain_types(call: Call) -> tuple[Type, ...]:
    """Return the types of a call's arguments, literal ones only for the requested values."""
    pairs = enumerate(zip(call.arguments.types, call.arguments.constants, strict=True))
    return tuple(literal(value) if k in call.literal else unliteral(ty) for k, (ty, value) in pairs)


def mixed_hint(items: Sequence[Type]) -> str:
    """Return the hint for a tuple whose items differ in type, where a common type is needed."""
    if not items or not isinstance(items[0], Tuple) or items[0].uniform is not None:
        return ""
    if len(items) == 1:
        return "use for x in cutaway.literal_unroll(t): its body is compiled once per item"
    return "use a constant index, or for x in cutaway.literal_unroll(t), which has each in turn"


# --- literally: values that must be known ---------------------------------------------------------


class OtherTypesNeeded(TypingError):
    """Raised if a function has to be compiled for other types of its arguments."""


class ItemsNeeded(OtherTypesNeeded):
    """Raised if a function puts items into a list that is passed to it empty: `needed` has the
    types of parameters, or of the arguments of a call, by position."""

    def __init__(self, needed: dict[int, Type], loc: Loc) -> None:
        super().__init__("this function puts items into a list that is passed to it empty", loc)
        self.needed = needed
        self.explained = True


class LiteralNeeded(OtherTypesNeeded):
    """Raised if the values of some arguments must be known; `places` are the positions of the
    parameters of the function that is being compiled, or of the arguments of a call of it."""

    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, places: Iterable[int], loc: Loc, name: str) -> LiteralNeeded:
        """Return the error, which is shown only if the value stays unknown."""
        needed = cls(
            f"literally({name}) needs a value that is known at compile time",
            loc,
            "pass a constant, or a parameter of the calling function",
        )
        needed.places = tuple(places)
        return needed


def unknown_value_error(op: nodes.Call, ops: Sequence[Op]) -> TypingError:
    """Return the error for a call of `literally` whose argument is not a constant."""
    if len(op.args) != 1 or op.keywords or op.star is not None:
        return TypingError("literally takes one argument", op.loc)
    return _traced(op.args, ops, op.loc, "x")


def literal_needed_error(
    error: LiteralNeeded, variables: Sequence[str], op: Op, ops: Sequence[Op]
) -> TypingError:
    """Return the error for an op some of whose arguments, `variables`, must be constants."""
    if isinstance(op, nodes.Call) and op.star is not None:
        return TypingError(error.message, op.loc, error.hint)
    return _traced([variables[position] for position in error.places], ops, op.loc, "x")


def _traced(names: Sequence[str], ops: Sequence[Op], loc: Loc, shown: str) -> TypingError:
    """Return the error that requests the parameters that these variables are copies of; a final
    error if one is computed."""
    makers = {name: op for op in ops for name in definitions(op)}
    positions = []
    for name in names:
        op = makers.get(name)
        while isinstance(op, nodes.Copy | nodes.Cast):
            op = makers.get(op.value)
        if not isinstance(op, nodes.Arg):
            return TypingError(
                "literally needs a value that is known at compile time, but this one is computed",
                loc,
                "pass a constant, or a parameter that is not assigned to",
            )
        positions.append(op.index)
        shown = op.name
    return LiteralNeeded.of(positions, loc, shown)


# For each function, by plain argument types: the positions of parameters that must be known.
Places = dict[tuple[Type, ...], frozenset[int]]


def require_values(known: Places, plain: tuple[Type, ...], error: LiteralNeeded) -> frozenset[int]:
    """Add the error's positions to the known ones, and return all; raise it if none is new."""
    before = known.get(plain, frozenset())
    if before.issuperset(error.places):
        raise error
    known[plain] = before.union(error.places)
    return known[plain]
