"""Fold constants, and rewrite what needs no types (stage 3).

    $2.1 = global(ValueError)
    $2.2 = const('negative')
    $2.3 = call $2.1($2.2)         ->    ...
    raise $2.3                           raise <class 'ValueError'>('negative')

A table of rules, applied until none fires; `simplify` removes the operands that the rewritten ops
no longer use.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from cutaway.foundation import marks
from cutaway.foundation.foreign import is_a
from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.folding import (
    CONSTANT_TUPLE,
    FOLD_CALL,
    FOLD_OPERATOR,
    FOLD_TEXT,
    HugeInteger,
    is_simple,
    shortened,
)
from cutaway.ir.nodes import Op
from cutaway.ir.rewriting import Context, apply_rules
from cutaway.ir.traversal import use_table, walk_block
from cutaway.stages.unit import CompileUnit
from cutaway.typing.overloads.resolution import MISSING
from cutaway.typing.values import holders

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

MAKE_FROZENSET = Rule(
    "make_frozenset",
    "a constant frozenset that is more than asked and gone through => frozenset((...))",
    note="{0!v} is made of its items: other uses than `in` and a loop need a set",
)


def run(unit: CompileUnit) -> None:
    """Apply the rules to the whole function."""
    editor = unit.editor()
    apply_rules(editor, RULES)
    _drop_unused(editor)
    _make_frozensets(editor)


def _make_frozensets(editor: Editor) -> None:
    """Make the constant frozensets for whose uses a display of their items does not do."""
    fn, used = editor.fn, use_table(editor.fn)
    for block in fn.blocks.values():
        for position, op in reversed(list(enumerate(block.ops))):
            if not isinstance(op, nodes.Const | nodes.Global | nodes.FreeVar):
                continue
            if type(op.value) is not frozenset or len(set(map(type, op.value))) > 1:
                continue
            if all(_only_reads(use, op.result) for use in used.get(op.result, ())):
                continue
            names = [fn.fresh("item") for _ in op.value]
            ops: list[Op] = [
                nodes.Const(name, item, loc=op.loc, id=fn.new_id())
                for name, item in zip(names, op.value, strict=True)
            ]
            func, items = fn.fresh("frozenset"), fn.fresh("items")
            ops.append(nodes.Global(func, "frozenset", frozenset, loc=op.loc, id=fn.new_id()))
            if names:
                built = nodes.BuildTuple(items, tuple(names), loc=op.loc, id=fn.new_id())
                ops.append(built)
            args = (items,) if names else ()
            call = nodes.Call(op.result, func, args, (), loc=op.loc, id=op.id)
            editor.replace(block, position, *ops, call)
            editor.commit(MAKE_FROZENSET, op.loc, op.result)


def _only_reads(op: Op, name: str) -> bool:
    """True if an op asks for an item of a container, or goes through it."""
    if isinstance(op, nodes.Binary):
        return op.rhs == name != op.lhs and op.op.symbol in ("in", "not in")
    return isinstance(op, nodes.GetIter)


def _drop_unused(editor: Editor) -> None:
    """Remove the construction of exceptions, and of tables of names, that only rewritten ops
    used."""
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
    """Return the keys of a table; None unless all are known texts."""
    names = context.values(table.items[::2])
    return names if names is not None and all(type(name) is str for name in names) else None


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


# raise Cls(constants)  =>  raise <Cls>(constants), without making an object
def _static_raise(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Raise):
        return None
    definition = context.definition(op.exception)
    cls, args = context.value(op.exception), ()
    if isinstance(definition, nodes.Call) and not context.is_used_once(op.exception):
        return None  # other users need this very object
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


# a[constant]  =>  static_getitem(a, constant)
def _static_getitem(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.GetItem):
        return None
    index = _constant_index(op.index, context)
    if index is MISSING:
        return None
    return nodes.StaticGetItem(op.result, op.value, index)


# a[constant] = v  =>  static_setitem(a, constant) = v
def _static_setitem(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.SetItem):
        return None
    index = _constant_index(op.index, context)
    if index is MISSING:
        return None
    return nodes.StaticSetItem(op.target, index, op.value)


def _constant_index(name: str, context: Context) -> Any:
    definition = context.definition(name)
    match definition:
        case nodes.BuildSlice(_, start, stop, step):
            parts = context.values((start, stop) if step is None else (start, stop, step))
            plain = parts is not None and all(type(p) in (int, type(None)) for p in parts)
            return slice(*parts) if plain and parts is not None else MISSING
        case nodes.BuildTuple(_, items):
            parts = tuple(_constant_index(item, context) for item in items)
            return MISSING if any(v is MISSING for v in parts) else parts
    value = context.value(name)
    if type(value) is tuple:
        return value if all(map(_is_plain_index, value)) else MISSING
    return value if _is_plain_index(value) else MISSING


def _is_plain_index(value: Any) -> bool:
    if type(value) is slice:
        parts = (value.start, value.stop, value.step)
        return all(type(part) in (int, type(None)) for part in parts)
    return type(value) in (int, type(None), type(...))


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
    return nodes.Const(result, HugeInteger(shortened(huge)))


# math.pi, Class.size  =>  the value;  np.zeros, math.sin  =>  a global by that name
def _module_attribute(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.GetAttr):
        return None
    holder = context.value(op.value)
    value = holders.held_by(holder, op.attr)
    if value is MISSING or (isinstance(holder, type) and not _is_plain(value)):
        return None  # an extension may define a method of a class
    if is_simple(value) and type(value) in (bool, int, float, complex):
        return nodes.Const(op.result, value)
    definition = context.definition(op.value)
    owner = (
        definition.name if isinstance(definition, nodes.Global | nodes.FreeVar) else holder.__name__
    )
    return nodes.Global(op.result, f"{owner}.{op.attr}", value)


def _is_plain(value: Any) -> bool:
    return type(value) in (bool, int, float, complex) or isinstance(value, type)


# literally(constant)  =>  the constant
def _known_literally(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Call) or context.value(op.func) is not marks.literally:
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
    FOLD_TEXT,
    Rule("named_member", "Color[name] => the member", _named_member),
    Rule("named_attribute", "getattr(x, name) => x.name", _named_attribute),
    Rule("module_attribute", "module.name => the global or constant", _module_attribute),
    FOLD_OPERATOR,
    FOLD_CALL,
    Rule("huge_constant", "10 ** 5000 => a constant that does not fit", _huge_constant),
    Rule("known_literally", "literally(constant) => the constant", _known_literally),
    CONSTANT_TUPLE,
    Rule("item_of_tuple", "(a, b)[1] => b", _item_of_tuple),
    Rule("index_itself", "np.s_[index] => the index", _index_itself),
    Rule("static_getitem", "a[constant] => static_getitem(a, constant)", _static_getitem),
    Rule("static_setitem", "a[constant] = v => static_setitem(a, constant) = v", _static_setitem),
)
