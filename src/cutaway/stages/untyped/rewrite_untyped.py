"""Fold constants, and rewrite what needs no types (stage 3).

    $2.1 = global(ValueError)
    $2.2 = const('negative')
    $2.3 = call $2.1($2.2)         ->    ...
    raise $2.3                           raise <class 'ValueError'>('negative')

A table of rules, applied until none fires; what the rewritten ops no longer use is left to
`simplify`.
"""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from cutaway.foundation.foreign import is_a, text_attribute
from cutaway.foundation.marks import literally
from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.nodes import Op
from cutaway.ir.operators import binary_of_inplace, formatted
from cutaway.ir.rewriting import UNKNOWN_VALUE, Context, apply_rules
from cutaway.ir.traversal import use_table, walk_block
from cutaway.stages.unit import CompileUnit
from cutaway.typing.overloads.resolution import MISSING
from cutaway.typing.values.holders import held_by

LARGEST_BITS = 4096  # of an integer that folding makes; larger ones only stand for an error
LARGEST_LENGTH = 256  # of a tuple or string that folding makes

_SIMPLE = (bool, int, float, complex, str, bytes, type(None), type(...))


class HugeInteger(int):
    """A constant that is far too large, known by a short text instead of its digits.

    Nothing is folded with it; where it is used, type inference says that it does not fit.
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


UNUSED_EXCEPTION = Rule(
    "unused_exception",
    "an exception object that a static raise does not need => nothing",
    note="{0!v} is raised without being constructed",
)
UNUSED_NAMES = Rule(
    "unused_names",
    "a table of names that a call with them does not need => nothing",
    note="the names and values of {0!v} are the call's own",
)


def run(unit: CompileUnit) -> None:
    """Apply the rules to the whole function."""
    editor = unit.editor()
    apply_rules(editor, RULES)
    _drop_unused(editor)


def _drop_unused(editor: Editor) -> None:
    """Remove the construction of exceptions, and of tables of names, that only ops needed which
    have been rewritten."""
    context = Context(editor.fn)
    used = use_table(editor.fn)
    for block in editor.fn.blocks.values():
        made = [op for op in walk_block(block) if isinstance(op, nodes.Call | nodes.BuildDict)]
        for op in made:
            rule = None if op.result in used else _rule_of_unused(op, context)
            if rule is not None:
                editor.remove(block, op)
                editor.commit(rule, op.loc, op.result)


def _rule_of_unused(op: nodes.Call | nodes.BuildDict, context: Context) -> Rule | None:
    if isinstance(op, nodes.Call):
        return UNUSED_EXCEPTION if _is_exception(context.value(op.func)) else None
    return UNUSED_NAMES if _names_of(op, context) is not None else None


def _names_of(table: nodes.BuildDict, context: Context) -> tuple[str, ...] | None:
    """The keys of a table; None unless all are texts that are known."""
    names = context.values(table.items[::2])
    return names if names is not None and all(type(name) is str for name in names) else None


def _is_exception(value: Any) -> bool:  # Any: a constant of the program
    return isinstance(value, type) and issubclass(value, BaseException)


def is_simple(value: Any) -> bool:  # Any: a constant of the program
    """True if a value may be folded into the program: a number, a string, None, or a small
    tuple of such."""
    if type(value) is tuple:
        return len(value) <= LARGEST_LENGTH and all(map(is_simple, value))
    if type(value) is int:
        return value.bit_length() <= LARGEST_BITS
    if type(value) in (str, bytes):
        return len(value) <= LARGEST_LENGTH
    return type(value) in _SIMPLE


# raise Cls(constants)  =>  raise <Cls>(constants), without making an object
def _static_raise(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Raise):
        return None
    definition = context.definition(op.exception)
    cls, args = context.value(op.exception), ()
    if isinstance(definition, nodes.Call) and not context.is_used_once(op.exception):
        return None  # whoever else uses the object means this very one
    if isinstance(definition, nodes.Call) and not definition.keywords and definition.star is None:
        constants = context.values(definition.args)
        if constants is None or not all(map(is_simple, constants)):
            return None
        cls, args = context.value(definition.func), constants
    if not _is_exception(cls):
        return None
    return nodes.StaticRaise(cls, args)


# raise Cls(values)  =>  raise <Cls> with (values)
def _computed_raise(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Raise):
        return None
    definition = context.definition(op.exception)
    if not isinstance(definition, nodes.Call) or not context.is_used_once(op.exception):
        return None
    cls = context.value(definition.func)
    if not _is_exception(cls):
        return None
    return nodes.RaiseComputed(cls, definition.args, definition.keywords, definition.star)


# raise Cls(values) from cause  =>  raise <Cls> with (values) from cause
def _raise_with_cause(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.RaiseFrom):
        return None
    definition = context.definition(op.exception)
    if not isinstance(definition, nodes.Call):
        cls = context.value(op.exception)
        return nodes.RaiseComputedFrom(cls, (), op.cause) if _is_exception(cls) else None
    cls = context.value(definition.func)
    if not _is_exception(cls) or not context.is_used_once(op.exception):
        return None
    return nodes.RaiseComputedFrom(
        cls, definition.args, op.cause, definition.keywords, definition.star
    )


# f(*items, **{"name": value})  =>  f(*items, name=value), which is how Python compiles the latter
def _spread_by_name(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.CallSpread):
        return None
    table = context.definition(op.named)
    if not isinstance(table, nodes.BuildDict) or not context.is_used_once(op.named):
        return None
    names = _names_of(table, context)
    if names is None:
        return None
    return nodes.Call(op.result, op.func, table.items[1::2], names, op.items)


# f"{1:3d}"  =>  the string that Python writes
def _fold_text(op: Op, context: Context) -> Op | None:
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


# a[constant]  =>  static_getitem(a, constant)
def _static_getitem(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.GetItem):
        return None
    index = _constant_index(op.index, context)
    if index is UNKNOWN_VALUE:
        return None
    return nodes.StaticGetItem(op.result, op.value, index)


# a[constant] = v  =>  static_setitem(a, constant) = v
def _static_setitem(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.SetItem):
        return None
    index = _constant_index(op.index, context)
    if index is UNKNOWN_VALUE:
        return None
    return nodes.StaticSetItem(op.target, index, op.value)


def _constant_index(name: str, context: Context) -> Any:  # Any: an index, or UNKNOWN_VALUE
    definition = context.definition(name)
    match definition:
        case nodes.BuildSlice(_, start, stop, step):
            parts = context.values((start, stop) if step is None else (start, stop, step))
            plain = parts is not None and all(type(p) in (int, type(None)) for p in parts)
            return slice(*parts) if plain and parts is not None else UNKNOWN_VALUE
        case nodes.BuildTuple(_, items):
            parts = tuple(_constant_index(item, context) for item in items)
            return UNKNOWN_VALUE if any(v is UNKNOWN_VALUE for v in parts) else parts
    value = context.value(name)
    plain_types = (int, type(None), type(...))
    if type(value) is tuple:
        return value if all(type(v) in plain_types for v in value) else UNKNOWN_VALUE
    return value if type(value) in plain_types else UNKNOWN_VALUE


# -1, 2 * 3, 4 < 5  =>  the constant that Python computes
def _fold_operator(op: Op, context: Context) -> Op | None:
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


def _makes_long_text(
    function: Any, constants: tuple[Any, ...]
) -> bool:  # Any: operators, constants
    if function.__name__ == "mod" and isinstance(constants[0], str | bytes):
        return True  # "%1000000000d" % 1
    if function.__name__ != "mul":
        return False
    return any(isinstance(v, int) and abs(v) > LARGEST_LENGTH for v in constants) and any(
        isinstance(v, str | bytes | tuple) for v in constants
    )


def _least_bits(function: Any, constants: tuple[int, ...]) -> int:  # Any: operators
    """A lower bound of the bits of 2 ** 10000000 or 1 << 10000000, without computing it."""
    if function.__name__ == "pow" and constants[1] > 0:
        return (abs(constants[0]).bit_length() - 1) * constants[1]
    if function.__name__ == "lshift" and constants[1] > 0 and constants[0]:
        return constants[0].bit_length() + constants[1]
    return 0


def _folded(result: str, function: Any, constants: tuple[Any, ...]) -> Op | None:
    # Any: a pure function of Python and its arguments
    try:
        value = function(*constants)
    except Exception:  # noqa: BLE001  the operation raises, and shall raise when it is executed
        return None
    if type(value) is int and not is_simple(value):
        return nodes.Const(result, HugeInteger(_shortened(value)))
    return nodes.Const(result, value) if is_simple(value) else None


def _shortened(value: int) -> str:
    """A huge integer in short: its first digits, and about how many there are."""
    exponent = math.log10(abs(value))
    digits = 10 ** (exponent % 1)
    return f"{'-' if value < 0 else ''}{digits:.4f}...e+{int(exponent)}"


# BIG, a constant of thousands of digits  =>  a constant that is known by its first digits
def _huge_constant(op: Op, context: Context) -> Op | None:
    match op:
        case nodes.Const(result, value) | nodes.Global(result, _, value):
            huge = value
        case nodes.FreeVar(result, _, value):
            huge = value
        case _:
            return None
    if type(huge) is not int or is_simple(huge):
        return None
    return nodes.Const(result, HugeInteger(_shortened(huge)))


_PURE = (len, abs, min, max, int, float, bool, complex, round, divmod, ord, chr)
_OF_TEXT = (int, float, complex, len, ord)


# len((1, 2)), abs(-3), math.sqrt(2.0)  =>  the constant that Python computes
def _fold_call(op: Op, context: Context) -> Op | None:
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


# Functions whose result has far more digits than what they are given, and how large that may be.
_GROWING = (
    (math.factorial, 200),
    (math.comb, 200),
    (math.perm, 200),
    (math.ldexp, LARGEST_BITS),
    (round, LARGEST_BITS),
)


def _takes_long(function: Any, constants: tuple[Any, ...]) -> bool:  # Any: functions, constants
    # What is not computed here raises, or is computed, when it is executed.
    limit = next((most for candidate, most in _GROWING if function is candidate), None)
    return limit is not None and any(isinstance(v, int) and abs(v) > limit for v in constants)


# math.pi, Class.size  =>  the value;  np.zeros, math.sin  =>  a global by that name
def _module_attribute(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.GetAttr):
        return None
    holder = context.value(op.value)
    value = held_by(holder, op.attr)
    if value is MISSING or (isinstance(holder, type) and not _is_plain(value)):
        return None  # an extension may say what a method of a class does
    if is_simple(value) and type(value) in (bool, int, float, complex):
        return nodes.Const(op.result, value)
    definition = context.definition(op.value)
    owner = (
        definition.name if isinstance(definition, nodes.Global | nodes.FreeVar) else holder.__name__
    )
    return nodes.Global(op.result, f"{owner}.{op.attr}", value)


def _is_plain(value: Any) -> bool:  # Any: an attribute of a class
    return type(value) in (bool, int, float, complex) or isinstance(value, type)


# literally(constant)  =>  the constant
def _known_literally(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Call) or context.value(op.func) is not literally:
        return None
    if len(op.args) != 1 or op.keywords or op.star is not None:
        return None
    value = context.value(op.args[0])
    return nodes.Copy(op.result, op.args[0]) if is_simple(value) else None


# Color["red"]  =>  the member
def _named_member(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.GetItem):
        return None
    cls, name = context.value(op.value), context.value(op.index)
    if not is_a(cls, enum.EnumMeta) or type(name) is not str or name not in cls.__members__:
        return None
    return nodes.Global(op.result, f"{cls.__name__}.{name}", cls.__members__[name])


# getattr(x, "name")  =>  x.name
def _named_attribute(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Call) or context.value(op.func) is not getattr:
        return None
    if len(op.args) != 2 or op.keywords or op.star is not None:
        return None
    name = context.value(op.args[1])
    fits = type(name) is str and name.isidentifier()
    return nodes.GetAttr(op.result, op.args[0], name) if fits else None


# np.s_[index]  =>  the index;  np.index_exp[a, b]  =>  the tuple
def _index_itself(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.GetItem):
        return None
    maker = context.value(op.value)
    if type(maker) is not _INDEX_MAKER:
        return None
    is_tuple = isinstance(context.definition(op.index), nodes.BuildTuple)
    is_tuple = is_tuple or type(context.value(op.index)) is tuple
    if is_tuple or not maker.maketuple:
        return nodes.Copy(op.result, op.index)
    return nodes.BuildTuple(op.result, (op.index,))


_INDEX_MAKER = type(np.s_)


# (1, 2)  =>  the constant (1, 2)
def _constant_tuple(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.BuildTuple):
        return None
    constants = context.values(op.items)
    return (
        nodes.Const(op.result, constants)
        if constants is not None and is_simple(constants)
        else None
    )


# (a, b)[1]  =>  b
def _item_of_tuple(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.StaticGetItem) or type(op.index) is not int:
        return None
    definition = context.definition(op.value)
    if isinstance(definition, nodes.Unpack):
        inner = context.definition(definition.value)
        if isinstance(inner, nodes.BuildTuple) and len(inner.items) == definition.count:
            definition = inner
    if isinstance(definition, nodes.BuildTuple) and -len(definition.items) <= op.index < len(
        definition.items
    ):
        return nodes.Copy(op.result, definition.items[op.index])
    value = definition.value if isinstance(definition, nodes.Const) else None
    if type(value) is tuple and -len(value) <= op.index < len(value):
        return nodes.Const(op.result, value[op.index])
    return None


RULES = (
    Rule("spread_by_name", "f(*items, **{name: value}) => f(*items, name=value)", _spread_by_name),
    Rule("static_raise", "raise Cls(constants) => raise <Cls>(constants)", _static_raise),
    Rule("computed_raise", "raise Cls(values) => raise <Cls> with (values)", _computed_raise),
    Rule(
        "raise_with_cause",
        "raise Cls(values) from cause => raise <Cls> with (values) from cause",
        _raise_with_cause,
    ),
    Rule("fold_text", "f-string of constants => constant", _fold_text),
    Rule("named_member", "Color[name] => the member", _named_member),
    Rule("named_attribute", "getattr(x, name) => x.name", _named_attribute),
    Rule("module_attribute", "module.name => the global or constant", _module_attribute),
    Rule("fold_operator", "constant + constant => constant", _fold_operator),
    Rule("fold_call", "pure(constants) => constant", _fold_call),
    Rule("huge_constant", "10 ** 5000 => a constant that does not fit", _huge_constant),
    Rule("known_literally", "literally(constant) => the constant", _known_literally),
    Rule("constant_tuple", "(constants) => constant", _constant_tuple),
    Rule("item_of_tuple", "(a, b)[1] => b", _item_of_tuple),
    Rule("index_itself", "np.s_[index] => the index", _index_itself),
    Rule("static_getitem", "a[constant] => static_getitem(a, constant)", _static_getitem),
    Rule("static_setitem", "a[constant] = v => static_setitem(a, constant) = v", _static_setitem),
)
