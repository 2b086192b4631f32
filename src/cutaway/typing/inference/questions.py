"""The questions that ops ask the typing context: a function and its arguments."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

from cutaway.errors import ExtensionError, TypingError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.foreign import key_of
from cutaway.foundation.source import place_of
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.typing.overloads.context import AttributeDeleter, AttributeSetter, TypingContext
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call
from cutaway.typing.types import (
    Boolean,
    BoundMethod,
    Dict,
    List,
    Literal,
    Set,
    Tuple,
    Type,
    int64,
    is_integral,
)
from cutaway.typing.types.texts import may_change
from cutaway.typing.values.typeof import typeof_constant


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the context: the function, the call, and the variables of the arguments."""

    function: Any
    call: Call
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ElementFunction:
    """The key of an element-wise operation: the `function` of a `nodes.Element`."""

    name: str


def is_boolean(ty: Type) -> bool:
    """True for bools, literal ones included."""
    return isinstance(ty, Boolean)


# Functions whose result Python requires to be of a class: a test of its type, and the class's name.
_DEMANDED: dict[Any, tuple[Callable[[Type], bool], str]] = {
    bool: (is_boolean, "a bool"),
    operator.not_: (is_boolean, "a bool"),
    operator.contains: (is_boolean, "a bool"),
    len: (is_integral, "an int"),
    hash: (is_integral, "an int"),
}


def check_result(question: Question, returned: Type | None, implementation: FunctionType) -> None:
    """Raise ExtensionError if an implementation of an extension returns another type than Python
    requires."""
    demanded = _DEMANDED.get(key_of(question.function))
    if demanded is None or returned is None or demanded[0](returned):
        return
    name, shown = question.function.__name__, ", ".join(map(str, question.call.arguments.types))
    raise ExtensionError(
        f"this implementation of {name} for ({shown}) returns {returned}, not {demanded[1]}",
        place_of(implementation),
        f"return {'bool' if demanded[0] is is_boolean else 'int'}(...)",
    )


# The methods by which a display takes over the items of an iterable.
UPDATES = {
    "list_extend": (List, "extend"),
    "set_update": (Set, "update"),
    "dict_update": (Dict, "update"),
}
NO_FACTS: Mapping[str, Any] = {}
_PLAIN = (bool, int, float, complex, str, bytes, type(None), tuple, list)


def constants_of(fn: Function) -> dict[str, Any]:
    """Return the variables of an SSA function that hold a constant, with the value.

    Displays of tuples and lists count if all items are numbers, strings, or such displays: nothing
    changes a list display.
    """
    constants: dict[str, Any] = {}
    for op in walk(fn):
        match op:
            case nodes.Const(result, value) | nodes.Global(result, _, value):
                constants[result] = value
            case nodes.FreeVar(result, _, value):
                constants[result] = value
            case nodes.Copy(result, source) if source in constants:
                constants[result] = constants[source]
            case nodes.BuildTuple(result, items) if _are_plain(items, constants):
                constants[result] = tuple(constants[item] for item in items)
            case nodes.BuildList(result, items) if items and _are_plain(items, constants):
                constants[result] = [constants[item] for item in items]
    return constants


def _are_plain(items: tuple[str, ...], constants: Mapping[str, Any]) -> bool:
    """True if all items are constants that a constant tuple or list may contain."""
    return all(type(constants.get(item, MISSING)) in _PLAIN for item in items)


def question_of(op: Op, types: Mapping[str, Type], constants: Mapping[str, Any]) -> Question | None:
    """Return the question that an op asks; None for one that asks none, and for calls and
    attributes, where the type of the callee or owner decides."""
    match op:
        case nodes.Unary(_, row, value):
            return _question(row.function, (value,), types, constants)
        case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
            return _question(row.function, (lhs, rhs), types, constants)
        case nodes.GetItem(_, value, index, _):
            return _question(operator.getitem, (value, index), types, constants)
        case nodes.SetItem(target, index, value, _):
            return _question(operator.setitem, (target, index, value), types, constants)
        case nodes.DelItem(target, index):
            return _question(operator.delitem, (target, index), types, constants)
        case nodes.SetAttr(target, attr, value):
            return _question(AttributeSetter(attr), (target, value), types, constants)
        case nodes.DelAttr(target, attr):
            return _question(AttributeDeleter(attr), (target,), types, constants)
        case nodes.ListAppend(_, items, item):
            return _question(appended, (items, item), types, constants)
        case nodes.GetIter(_, value):
            return _question(iterate, (value,), types, constants)
        case nodes.IterNext(_, _, iterator):
            return _question(advance, (iterator,), types, constants)
        case nodes.StaticGetItem(_, value, index):
            return _static_question(operator.getitem, index, (value,), types)
        case nodes.StaticSetItem(target, index, value):
            return _static_question(operator.setitem, index, (target, value), types)
        case nodes.Extend(_, how, container, items) if how in UPDATES:
            return _question(UPDATES[how], (container, *items), types, constants)
        case nodes.FormatValue(_, value) if may_change(types[value]):
            return _question(snapshot, (value,), types, constants)
        case nodes.Element(_, function, args):
            return _question(ElementFunction(function), args, types, constants)
        case nodes.Branch(cond, _, _):
            return Question(bool, Call(Arguments((types[cond],), (MISSING,))), (cond,))
        case nodes.Unpack(_, value, count):
            arguments = Arguments((types[value], int64), (MISSING, count))
            return Question(unpack, Call(arguments), (value,))
        case nodes.UnpackStar(_, value, before, after):
            arguments = Arguments((types[value], int64, int64), (MISSING, before, after))
            return Question(unpack_starred, Call(arguments), (value,))
    return None


def _question(
    function: Any,
    variables: tuple[str, ...],
    types: Mapping[str, Type],
    constants: Mapping[str, Any],
) -> Question:
    values = tuple(constants.get(name, MISSING) for name in variables)
    arguments = Arguments(tuple(types[name] for name in variables), values)
    return Question(function, Call(arguments), variables)


def _static_question(
    function: Any, index: Any, variables: tuple[str, ...], types: Mapping[str, Type]
) -> Question | None:
    """Return the question of an item op with a constant index; None if the index has no type."""
    index_type = typeof_constant(index)
    if index_type is None:
        return None
    owner, *value = (types[name] for name in variables)
    constants = (MISSING, index, *[MISSING] * len(value))
    return Question(function, Call(Arguments((owner, index_type, *value), constants)), variables)


def known_arguments(fn: Function, argtypes: Sequence[Type]) -> dict[str, Any]:
    """Return the variables of parameters with known values that are not constants."""
    values = {
        index: ty.literal_value
        for index, ty in enumerate(argtypes)
        if isinstance(ty, Literal) and not ty.is_written
    }
    facts: dict[str, Any] = {}
    for op in walk(fn) if values else ():
        match op:
            case nodes.Arg(result, index) if index in values:
                facts[result] = values[index]
            case nodes.Copy(result, source) if source in facts:
                facts[result] = facts[source]
    return facts


def call_arguments(
    op: nodes.Call,
    types: Mapping[str, Type],
    constants: Mapping[str, Any],
    facts: Mapping[str, Any] = NO_FACTS,
) -> Call:
    """Return the arguments of a call op; those of `*star` follow the positional ones.  `facts` are
    known values of variables that are not constants."""
    positional = len(op.args) - len(op.keywords)
    argtypes = [types[name] for name in op.args]
    known = [constants.get(name, MISSING) for name in op.args]
    beside = [facts.get(name, MISSING) for name in op.args] if facts else []
    if op.star is not None:
        items = starred_items(op, types)
        argtypes[positional:positional] = items
        known[positional:positional] = [MISSING] * len(items)
        if facts:
            beside[positional:positional] = [MISSING] * len(items)
    return Call(Arguments(tuple(argtypes), tuple(known)), op.keywords, facts=tuple(beside))


def starred_items(
    op: nodes.Call | nodes.RaiseComputed | nodes.RaiseComputedFrom, types: Mapping[str, Type]
) -> tuple[Type, ...]:
    """Return the types of the arguments that an op's `*star` is unpacked to.

    Raises TypingError if it is not a tuple.
    """
    assert op.star is not None
    star = types[op.star]
    if not isinstance(star, Tuple):
        raise TypingError(
            f"only a tuple can be passed as *args, not a value of type {star}",
            op.loc,
            "make it a tuple, or pass the arguments one by one",
        )
    return star.items


def method_call(context: TypingContext, target: BoundMethod, call: Call) -> tuple[Any, Call]:
    """Return a method call as a call of the method's overloads, with the owner first."""
    types, constants = call.arguments.types, call.arguments.constants
    arguments = Arguments((target.owner, *types), (MISSING, *constants))
    facts = (MISSING, *call.facts) if call.facts else ()
    of_owner = Call(arguments, call.keywords, facts=facts)
    return context.method_of(target.owner, target.attr), of_owner


def iterate(value: object) -> None:
    """Key of the overloads that create an iterator."""


def appended(items: list[object], item: object) -> None:
    """Key of the overloads that append an item to a list."""


def listed(items: Iterable[Any]) -> list[Any]:
    """Key of the overloads that make a list of a tuple; in Python, `list(items)`."""
    return list(items)


def emptied(items: object) -> None:
    """Key of the overloads that make an empty container, of the type of the argument."""


def advance(iterator: object) -> None:
    """Key of the overloads that read the next item; they lower to (item, whether there is one)."""


def unpack(value: object, count: int) -> None:
    """Key of the overloads that unpack a value to `count` targets."""


def unpack_starred(value: object, before: int, after: int) -> None:
    """Key of the overloads that unpack a value to targets of which one is starred."""


def snapshot(value: Any) -> Any:
    """Key of the overloads that copy a value which may change, for a text that is made of it."""
    return copy.deepcopy(value)
