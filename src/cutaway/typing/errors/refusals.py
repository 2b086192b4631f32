"""Creates the errors of type inference, in source terms.

Inference detects that an op has no type; here the error gets a message, a hint and notes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from cutaway.errors import CompileError, TypingError, UnsupportedTypeError, did_you_mean
from cutaway.foundation.foreign import attribute, bases_of, class_name, is_a, module_of
from cutaway.foundation.options import with_article
from cutaway.foundation.source import span_text
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions
from cutaway.typing import types
from cutaway.typing.errors import remedies
from cutaway.typing.inference.events import RETURN
from cutaway.typing.inference.literals import mixed_hint
from cutaway.typing.inference.questions import Question
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import MISSING, Call, Overload
from cutaway.typing.types import Tuple, Type, texts
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.functions import LentArray
from cutaway.typing.values.holders import raw_attribute
from cutaway.typing.values.typeof import DEEPEST, MOST_ITEMS, typeof_constant

Ops = Sequence[Op]  # all ops of the function


def unknown(ops: Ops, op: Op, name: str) -> TypingError:
    """Return the error for a result whose type inference did not determine."""
    if isinstance(op, nodes.Call):
        return TypingError(
            "the return type of this recursive call cannot be inferred",
            op.loc,
            "one path of the function must return without calling itself again",
        )
    return TypingError(f"the type of {spell(ops, name)} cannot be inferred", op.loc)


def spell(ops: Ops, name: str) -> str:
    """Return a variable in source terms: its name, or the source of the expression."""
    if not is_temporary(name):
        return repr(user_name(name))
    for op in ops:
        if name in definitions(op) and op.loc.line:
            text = span_text(op.loc)
            return f"the expression {text!r}" if text else "an expression in this line"
    return "an expression"


def clash(ops: Ops, name: str, met: tuple[Type | None, Type], op: Op) -> TypingError:
    """Return the error for types without a common one that are merged in one variable."""
    old, new = met
    if name == RETURN:
        message = f"the function returns both {old} and {new}, which have no common type"
        return TypingError(message, op.loc, "return values of one type on every path")
    return TypingError(
        f"{spell(ops, name)} is both {old} and {new}, which have no common type",
        op.loc,
        "use a second variable for the second type",
    )


def no_match(op: Op, question: Question | None, table: Mapping[str, Type]) -> CompileError:
    """Return the error for an op that no overload accepts; `question` is None if it asks none."""
    match op:
        case nodes.StaticGetItem(_, value, _):
            return TypingError(f"a value of type {table[value]} cannot be indexed this way", op.loc)
        case nodes.StaticSetItem(target, _, value):
            return no_assignment(op, table[target], table[value])
        case nodes.Unpack(_, value, _) | nodes.UnpackStar(_, value, _, _):
            return TypingError(f"a value of type {table[value]} cannot be unpacked", op.loc)
        case nodes.Branch(cond, _, _):
            return TypingError(f"a value of type {table[cond]} has no truth value", op.loc)
    assert question is not None
    given_names = [str(ty) for ty in question.call.arguments.types]
    match op:
        case nodes.Binary(_, row, _, _) if row.symbol in ("is", "is not"):
            message = (
                f"`{row.symbol}` between {given_names[0]} and {given_names[1]} is not supported"
            )
            other = "==" if row.symbol == "is" else "!="
            return UnsupportedTypeError(f"{message} in compiled code", op.loc, f"use {other}")
        case nodes.Binary(_, row, _, _) | nodes.Inplace(_, row, _, _):
            message = f"{row.symbol} does not work between {given_names[0]} and {given_names[1]}"
        case nodes.Unary(_, row, _):
            message = f"{row.symbol} does not work on {given_names[0]}"
        case nodes.GetItem():
            message = f"a value of type {given_names[0]} cannot be indexed by {given_names[1]}"
        case nodes.SetItem():
            return no_assignment(op, *question.call.arguments.types[::2])
        case nodes.SetAttr(_, attr, _) | nodes.DelAttr(_, attr):
            what = "set" if isinstance(op, nodes.SetAttr) else "deleted"
            message = f"attribute {attr!r} of a value of type {given_names[0]} cannot be {what}"
            owner = question.call.arguments.types[0]
            hint = field_hint(owner, attr) or "return the new value instead"
            return UnsupportedTypeError(f"{message} in compiled code", op.loc, hint)
        case _:
            message = f"a value of type {given_names[0]} cannot be iterated over"
    given_types = question.call.arguments.types
    hint = elements_hint(given_types) or mixed_hint(given_types)
    if isinstance(op, nodes.Binary) and any(isinstance(ty, _TEXTS) for ty in given_types):
        hint = hint or 'write an f-string, f"{a}{b}": it makes text to print or to raise'
    return TypingError(message, op.loc, hint)


def no_assignment(op: Op, target: Type, value: Type) -> TypingError:
    """Return the error for an item that cannot be assigned."""
    if isinstance(target, types.Array) and target.readonly:
        return TypingError("the array is read-only", op.loc, "pass a writeable array")
    if isinstance(target, Buffer):
        return _no_buffer_assignment(op, target, value)
    if not isinstance(target, types.Array | types.Flat):
        message = f"items of a value of type {target} cannot be assigned to"
        hint = f"make a new {target.word}" if isinstance(target, Tuple) else ""
        return TypingError(message, op.loc, hint)
    return TypingError(f"a value of type {value} cannot be stored in {target}", op.loc)


def _no_buffer_assignment(op: Op, target: Buffer, value: Type) -> TypingError:
    if target.readonly:
        return TypingError(f"items of {target} cannot be assigned to", op.loc, "it is read-only")
    return TypingError(
        f"a value of type {value} cannot be stored in {target}",
        op.loc,
        f"its items are {target.item}, assigned one by one",
    )


def cannot_call(
    op: nodes.Call, target: types.Constant, call: Call, context: TypingContext
) -> CompileError:
    """Return the error for a call that no overload accepts, or of a function without overloads."""
    written, args = remedies.written_call(op.loc)
    name = written or types.describe(target.value)
    overloads = context.overloads_of(target.value)
    if is_a(target.value, type) and BaseException in bases_of(target.value):
        return UnsupportedTypeError(
            "an exception can only be created by the `raise` statement that raises it",
            op.loc,
            f"write raise {name}('a message')",
        )
    if not overloads:
        hint = remedies.on_target(_what_to_call(target.value, name, args), context.runs_python)
        return UnsupportedTypeError(f"{name} cannot be called in compiled code", op.loc, hint)
    notes = tuple(f"candidate: {name}: {s}" for o in overloads for s in o.signatures)
    hint = keyword_hint(overloads, call.keywords) or elements_hint(call.arguments.types)
    hint = hint or parameter_hint(overloads, call)
    return TypingError(f"{name} does not accept ({shown_types(call)})", op.loc, hint, notes)


def parameter_hint(overloads: Iterable[Overload], call: Call) -> str:
    """Return the hint of the first overload that explains which argument it refuses; empty if none
    does."""
    bodies = (o.template for o in overloads if hasattr(o.template, "refusal"))
    return next(filter(None, (one.refusal(call) for one in bodies)), "")


def shown_types(call: Call) -> str:
    """Return the types of a call's arguments, written as in the call."""
    plain, named = call.split_types
    return ", ".join([*map(str, plain), *(f"{word}={ty}" for word, ty in named.items())])


def _what_to_call(function: Any, name: str, args: str) -> str:
    """Return the hint for a function that compiled code cannot call."""
    if function is sorted:
        return "it returns a list; np.sort(a) returns an array, a.sort() sorts in place"
    if function is np.poly1d:
        return "compute with its coefficients: np.polyval(p, x), np.polymul(p, q)"
    if is_a(function, type) and module_of(function).startswith("numpy.polynomial."):
        return "compute with its coefficients: np.polynomial.polynomial.polyval(x, c)"
    if is_a(function, functools.partial):
        return "write a lambda or a function that calls it with these arguments"
    return remedies.for_call(function, name, args)


def no_attribute(op: nodes.GetAttr, owner: Type, context: TypingContext) -> CompileError:
    """Return the error for an attribute that does not exist or that compiled code cannot read."""
    if isinstance(owner, types.Module):
        message = f"module {owner.value.__name__!r} has no attribute {op.attr!r}"
        return TypingError(message, op.loc, did_you_mean(op.attr, dir(owner.value)))
    if isinstance(owner, types.Class):
        return _no_class_attribute(op, owner.value)
    if isinstance(owner, types.ListDisplay) and hasattr(list, op.attr):
        return UnsupportedTypeError(
            f"the method {op.attr!r} of lists is not supported in compiled code", op.loc, _FIXED
        )
    hint = _instead_of(owner, op.attr) or did_you_mean(op.attr, context.attribute_names(owner))
    if isinstance(owner, _TEXTS) and hasattr(str, op.attr):
        hint = remedies.for_text(op.attr, f"{span_text(op.loc)}(...)")
    elif isinstance(owner, types.Function):
        member = attribute(owner.value, op.attr, MISSING)
        if member is not MISSING:
            hint = remedies.for_call(member, span_text(op.loc), "...")
    message = f"a value of type {owner} has no attribute {op.attr!r} in compiled code"
    return TypingError(message, op.loc, remedies.on_target(hint, context.runs_python))


def _instead_of(owner: Type, attr: str) -> str:
    """Return the hint for an attribute with a known alternative; empty for others."""
    is_array = isinstance(owner, types.Array)
    return field_hint(owner, attr) or (_INSTEAD_OF_ARRAYS.get(attr, "") if is_array else "")


_INSTEAD_OF_ARRAYS = {
    "base": "np.shares_memory(a, b) tells whether two arrays have the same memory",
    "ctypes": "pass a.ctypes.data, which is an integer, as an argument",
    "data": "index the array itself, or pass a memoryview of it",
    "setflags": "set the flags in Python, before the array is passed",
}


def no_list(op: Op, item: Type) -> NoReturn:
    """Raise UnsupportedTypeError for a comprehension with items of an unsupported type."""
    message = f"a list of values of type {item} is not supported in compiled code"
    raise UnsupportedTypeError(message, op.loc, "collect numbers or arrays")


_FIXED = "a list can change if its items have one type"


def _no_class_attribute(op: nodes.GetAttr, cls: type) -> CompileError:
    name, raw = class_name(cls), raw_attribute(cls, op.attr)
    if raw is MISSING and attribute(cls, op.attr, MISSING) is MISSING:
        message = f"class {name} has no attribute {op.attr!r}"
        return TypingError(message, op.loc, did_you_mean(op.attr, dir(cls)))
    message = f"compiled code cannot read {name}.{op.attr}"
    hint = "it can read constants of a class, and call static methods that @jit decorates"
    if raw is not MISSING:
        kind = _KINDS.get(type(raw)) or class_name(type(raw))
        message = f"{name}.{op.attr} is {with_article(kind)}, which compiled code cannot use"
    if not remedies.is_users(cls):
        hint = remedies.for_call(attribute(cls, op.attr, raw), span_text(op.loc), "...")
    return UnsupportedTypeError(message, op.loc, hint)


_KINDS = {classmethod: "class method", property: "property"}


def _digits(value: int) -> str:
    # Python writes no integer of more than 4300 digits.
    return types.shortened(str(value), 40) if abs(value) < 10**1000 else "of many digits"


def bad_constant(op: Op, value: Any) -> CompileError:
    """Return the error for a constant that compiled code cannot use."""
    name = getattr(op, "name", None) or getattr(op, "attr", "this constant")
    whole, value = value, _culprit(value)
    if is_a(value, int) and not -(1 << 63) <= int.__index__(value) < 1 << 64:
        message = f"the constant {_digits(value)} does not fit in 64 bits"
        return TypingError(message, op.loc, "use a float, or a smaller constant")
    if is_a(value, frozenset):  # the constant of `x in {1, 2}`
        message = "sets are not supported in compiled code"
        return UnsupportedTypeError(message, op.loc, "use a tuple: x in (1, 2)")
    if type(value) is list and len(value) > MOST_ITEMS:
        message = f"{name} is a list of {len(value)} items, which compiled code cannot use"
        hint = f"make it an array: np.array({name}); each item of a list is a value in the code"
        return UnsupportedTypeError(message, op.loc, hint)
    return UnsupportedTypeError(
        f"{name} is a value of type {class_name(type(value))}, which compiled code cannot use",
        op.loc,
        remedies.for_constant(value, name) if value is whole else remedies.OUTSIDE,
    )


def _culprit(value: Any) -> Any:
    """Return the part of a constant that compiled code cannot use: an item of a tuple, a bound of a
    slice, or the constant itself."""
    for _ in range(DEEPEST):  # a list may be an item of itself
        if type(value) not in (tuple, list, slice):
            break
        if type(value) is list and len(value) > MOST_ITEMS:
            break
        held = (value.start, value.stop, value.step) if type(value) is slice else value
        culprit = next((item for item in held if typeof_constant(item) is None), MISSING)
        if culprit is MISSING:  # nested too deeply
            break
        value = culprit
    return value


def field_hint(owner: Type, name: str) -> str:
    """Return the hint for a field that was read as an attribute; else empty."""
    record = owner.dtype if isinstance(owner, types.Array) else owner
    known = isinstance(record, types.Record) and record.field(name) is not None
    return f"a field is written [{name!r}]" if known else ""


_TEXTS = (texts.Str, texts.String, texts.Choice, texts.Text)


def elements_hint(argtypes: Iterable[Type]) -> str:
    """Return the hint for arrays of elements other than numbers, and for addresses of arrays; empty
    if there are none."""
    argtypes = tuple(argtypes)
    if any(isinstance(ty, LentArray) for ty in argtypes):
        return "the address of an array can be passed to a C function, and nothing else"
    if not any(map(types.has_other_elements, argtypes)):
        return ""
    return "this is not supported yet for arrays of anything but numbers"


def keyword_hint(overloads: Iterable[Overload], keywords: Iterable[str]) -> str:
    """Return the hint for a keyword that no overload has; empty if they have all keywords."""
    known: set[str] = set()
    for overload in overloads:
        known.update(overload.parameters or (), (name for name, _ in overload.named))
        typer = getattr(overload.template, "typer", None)
        if isinstance(typer, FunctionType):
            code = typer.__code__
            known.update(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    strange = [word for word in keywords if word not in known]
    return did_you_mean(strange[0], sorted(known)) if strange else ""
