"""Literal types: types with one value, for arguments that are constants.

Inference itself knows constants apart from types (`Arguments.constants`); a literal type is made
where somebody asks by types alone, and taken off again before anything is compiled for it.
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
    """An integer that is known."""

    __slots__ = ("value",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
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
        """See Literal."""
        return self.value

    @property
    def literal_type(self) -> Integer:
        """See Literal."""
        ty = of_constant(self.value)
        assert isinstance(ty, Integer)
        return ty


class KnownInteger(IntegerLiteral):
    """An integer that is known, of a parameter that stays an ordinary number: it decides branches,
    and takes no other type in arithmetic."""

    __slots__ = ()
    is_written = False

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.name = f"Known[int]({value})"


class BooleanLiteral(Literal, Boolean):
    """A bool that is known."""

    __slots__ = ("value",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
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
        """See Literal."""
        return self.value

    @property
    def literal_type(self) -> Type:
        """See Literal."""
        return types.boolean


def maybe_literal(value: Any) -> Type | None:
    """The type that holds a value; None for one that no type holds."""
    match value:
        case bool():
            return BooleanLiteral(value)
        case int() if type(value) is int and of_constant(value) is not None:
            return IntegerLiteral(value)
        case str() | bytes() if type(value) in (str, bytes):
            return String(value)
    return None


def literal(value: Any) -> Type:
    """The type that holds a value: an int, a bool, a str or bytes.

    Raises TypingError for any other.
    """
    ty = maybe_literal(value)
    if ty is None:
        message = f"no type holds the value {describe(value)}"
        raise TypingError(message, hint="only 64-bit ints, bools and strings have literal types")
    return ty


def unliteral(ty: Type) -> Type:
    """The type of values that are not known, in the place of a literal one; also in tuples."""
    match ty:
        case String(value=bytes()):
            return bytes_type
        case Literal():
            return ty.literal_type
        case Tuple(items=items) if any(unliteral(item) is not item for item in items):
            return ty.of(tuple(map(unliteral, items)))
    return ty


def literal_types(arguments: Arguments) -> tuple[Type, ...]:
    """The types of arguments, literal ones for those that are constants."""
    literals = []
    for ty, value in zip(arguments.types, arguments.constants, strict=True):
        held = None if value is MISSING else maybe_literal(value)
        literals.append(ty if held is None else held)
    return tuple(literals)


def plain_types(call: Call) -> tuple[Type, ...]:
    """The types of a call's arguments, literal ones only for values that were asked for."""
    known = enumerate(zip(call.arguments.types, call.arguments.constants, strict=True))
    return tuple(literal(value) if k in call.literal else unliteral(ty) for k, (ty, value) in known)


def mixed_hint(items: Sequence[Type]) -> str:
    """The hint for a tuple whose items differ, where their common type is needed."""
    if not items or not isinstance(items[0], Tuple) or items[0].uniform is not None:
        return ""
    if len(items) == 1:
        return "use for x in cutaway.literal_unroll(t): its body is compiled once per item"
    return "use a constant index, or for x in cutaway.literal_unroll(t), which has each in turn"


# --- literally: values that have to be known ------------------------------------------------------


class LiteralNeeded(TypingError):
    """The values of some arguments have to be known; `places` are those of the parameters of the
    function that is being compiled, or of the arguments of a call of it."""

    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, places: Iterable[int], loc: Loc, name: str) -> LiteralNeeded:
        """The error, to be shown only if the value stays unknown."""
        needed = cls(
            f"literally({name}) needs a value that is known at compile time",
            loc,
            "pass a constant, or a parameter of the calling function",
        )
        needed.places = tuple(places)
        return needed


def unknown_value_error(op: nodes.Call, ops: Sequence[Op]) -> TypingError:
    """The error for a call of `literally` whose argument is no constant."""
    if len(op.args) != 1 or op.keywords or op.star is not None:
        return TypingError("literally takes one argument", op.loc)
    return _traced(op.args, ops, op.loc, "x")


def literal_needed_error(
    error: LiteralNeeded, variables: Sequence[str], op: Op, ops: Sequence[Op]
) -> TypingError:
    """The error for an op whose arguments, these variables, have to be constants at some places."""
    if isinstance(op, nodes.Call) and op.star is not None:
        return TypingError(error.message, op.loc, error.hint)
    return _traced([variables[place] for place in error.places], ops, op.loc, "x")


def _traced(names: Sequence[str], ops: Sequence[Op], loc: Loc, shown: str) -> TypingError:
    """The parameters whose values these variables are; an error for any other variable."""
    makers = {name: op for op in ops for name in definitions(op)}
    places = []
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
        places.append(op.index)
        shown = op.name
    return LiteralNeeded.of(places, loc, shown)


# For each function, by plain argument types: the places whose values have to be known.
Places = dict[tuple[Type, ...], frozenset[int]]


def require_values(known: Places, plain: tuple[Type, ...], error: LiteralNeeded) -> frozenset[int]:
    """Take note of places; gives all of them.  Raises the error where it is no news."""
    before = known.get(plain, frozenset())
    if before.issuperset(error.places):
        raise error
    known[plain] = before.union(error.places)
    return known[plain]
