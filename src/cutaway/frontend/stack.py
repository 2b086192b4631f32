"""Executes instructions symbolically: from a stack machine to registers (stage 2).

The value stack holds names of variables instead of values.  Each instruction is a row of
`HANDLERS`: it pops names, emits ops into the block, and pushes names.
A local variable is pushed under its own name; if it is assigned while it is on the stack, its
old value is first copied to a temporary.
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.frontend import displays, exceptions, objects, splicing
from cutaway.frontend.block_builder import NULL, BlockBuilder, Handler
from cutaway.frontend.bytecode import Instruction, place_of_iteration
from cutaway.frontend.versions import VERSION
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.operators import BINARY, INPLACE, UNARY

# --- variables --------------------------------------------------------------------------------


def _load_const(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.Const, i.value)


def _load_fast(block: BlockBuilder, i: Instruction) -> None:
    if i.value in block.names.doubtful:  # it must be bound here, not where it is used
        block.push(_copied(block, i), i.value)
    else:
        block.stack.append(i.value)


def _copied(block: BlockBuilder, i: Instruction) -> type[nodes.Copy | nodes.Deref]:
    """Return the op class that reads a maybe unbound variable; it determines the error message."""
    return nodes.Deref if i.arg == splicing.FROM_OUTSIDE and block.names.live else nodes.Copy


def _load_fast_and_clear(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(NULL)  # no value to save: the comprehension's variables have unique names
    if i.arg:  # each run of it has new variables, which inner functions may capture
        block.add(nodes.Undef, i.value, ("new",))


def _store_fast(block: BlockBuilder, i: Instruction) -> None:
    value = block.pop()
    if value is not NULL:  # pushed by `LOAD_FAST_AND_CLEAR`
        block.store(i.value, value)


def _nothing(block: BlockBuilder, i: Instruction) -> None:
    pass


def _load_global(block: BlockBuilder, i: Instruction) -> None:
    # The lowest bit requests NULL beside a function that is about to be called.  3.11 and 3.12 push
    # it first, 3.13 last.
    with_null = bool(i.arg & 1)
    if with_null and VERSION.null_first:
        block.stack.append(NULL)
    if i.value in block.names.written:
        block.push(nodes.ReadOuter, "global", i.value, None)
    else:
        block.push(nodes.Global, i.value, block.names.lookup(i.value))
    if with_null and not VERSION.null_first:
        block.stack.append(NULL)


def _store_global(block: BlockBuilder, i: Instruction) -> None:
    block.add(nodes.WriteOuter, "global", i.value, None, block.pop())


def _delete_global(block: BlockBuilder, i: Instruction) -> None:
    block.add(nodes.DeleteOuter, "global", i.value, None)


def _load_deref(block: BlockBuilder, i: Instruction) -> None:
    if i.value not in block.names.code.co_freevars:
        # A function that captured it may assign to it while the value is on the stack.
        block.push(_copied(block, i), i.value)
    elif i.value in block.names.rebound:
        block.push(nodes.ReadOuter, "nonlocal", i.value, block.names.rebound[i.value])
    else:
        block.push(nodes.FreeVar, i.value, block.names.captured.get(i.value, MISSING))


def _store_deref(block: BlockBuilder, i: Instruction) -> None:
    if i.value in block.names.rebound:
        cell = block.names.rebound[i.value]
        block.add(nodes.WriteOuter, "nonlocal", i.value, cell, block.pop())
        return
    block.store(i.value, block.pop())


def _delete(block: BlockBuilder, i: Instruction) -> None:
    if i.value in block.names.rebound:
        block.add(nodes.DeleteOuter, "nonlocal", i.value, block.names.rebound[i.value])
        return
    # The read raises if the variable is unbound.
    if i.value in block.names.code.co_freevars:
        _load_deref(block, i)
        block.pop()
    else:
        block.store(block.fresh(), i.value)
    if block.holds(i.value):
        block.save(i.value)
    block.add(nodes.Undef, i.value)


def _load_closure(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(i.value)


# --- the stack itself -------------------------------------------------------------------------


def _pop_top(block: BlockBuilder, i: Instruction) -> None:
    block.drop_iterators([block.pop()])


def _push_null(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(NULL)


def _copy(block: BlockBuilder, i: Instruction) -> None:
    block.stack[-i.arg] = block.settled(block.stack[-i.arg])  # both entries must be the same list
    block.stack.append(block.stack[-i.arg])


def _swap(block: BlockBuilder, i: Instruction) -> None:
    block.stack[-1], block.stack[-i.arg] = block.stack[-i.arg], block.stack[-1]


def _end_for(block: BlockBuilder, i: Instruction) -> None:
    block.pop_many(VERSION.end_for_pops)
    if VERSION.end_for_pops == 1:  # a pop follows, of the iterator that FOR_ITER has dropped
        block.stack[-1 - VERSION.pairs_iterators] = NULL


def _pop_iter(block: BlockBuilder, i: Instruction) -> None:
    block.drop_iterators(block.pop_many(1 + VERSION.pairs_iterators)[:1])


# --- operators --------------------------------------------------------------------------------


def _unary(symbol: str) -> Handler:
    def handle(block: BlockBuilder, i: Instruction) -> None:
        block.push(nodes.Unary, UNARY[symbol], block.pop())

    return handle


def _binary_op(block: BlockBuilder, i: Instruction) -> None:
    lhs, rhs = block.pop_many(2)
    if i.value in INPLACE:
        block.push(nodes.Inplace, INPLACE[i.value], lhs, rhs)
    else:
        block.push(nodes.Binary, BINARY[i.value], lhs, rhs)


def _compare(block: BlockBuilder, i: Instruction) -> None:
    lhs, rhs = block.pop_many(2)
    block.push(nodes.Binary, BINARY[i.value], lhs, rhs)


def _is_op(block: BlockBuilder, i: Instruction) -> None:
    lhs, rhs = block.pop_many(2)
    block.push(nodes.Binary, BINARY["is not" if i.arg else "is"], lhs, rhs)


def _contains_op(block: BlockBuilder, i: Instruction) -> None:
    lhs, rhs = block.pop_many(2)
    block.push(nodes.Binary, BINARY["not in" if i.arg else "in"], lhs, rhs)


# Arguments of CALL_INTRINSIC_1 in 3.12 and later; 3.11 has an instruction for each.
_UNARY_POSITIVE, _LIST_TO_TUPLE = 5, 6


def _call_intrinsic(block: BlockBuilder, i: Instruction) -> None:
    if i.arg == _LIST_TO_TUPLE:
        displays.list_to_tuple(block, i)
    elif i.arg == _UNARY_POSITIVE:
        block.push(nodes.Unary, UNARY["+"], block.pop())
    else:
        raise block.unsupported("this is")


# --- data -------------------------------------------------------------------------------------


def _build_tuple(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.BuildTuple, tuple(block.pop_many(i.arg)))


_CONVERSIONS = ("", "s", "r", "a")


def _format_value(block: BlockBuilder, i: Instruction) -> None:
    """FORMAT_VALUE, until 3.12: the argument encodes the conversion and the presence of a spec"""
    spec = block.pop() if i.arg & 4 else None
    block.push(nodes.FormatValue, block.pop(), _CONVERSIONS[i.arg & 3], spec)


def _convert_value(block: BlockBuilder, i: Instruction) -> None:
    names = [one.name for one in block.rest[:2]]
    if names[:1] == ["FORMAT_SIMPLE"] or names == ["LOAD_CONST", "FORMAT_WITH_SPEC"]:
        block.stack.append(_Converted(block.pop(), _CONVERSIONS[i.arg]))
    else:  # the conversion runs before the format spec is evaluated
        block.push(nodes.FormatValue, block.pop(), _CONVERSIONS[i.arg], None)


@dataclass(frozen=True, slots=True)
class _Converted:
    """A stack entry whose conversion the next formatting instruction applies."""

    value: str
    conversion: str


def _format_simple(block: BlockBuilder, i: Instruction) -> None:
    _push_formatted(block, block.pop(), None)


def _format_with_spec(block: BlockBuilder, i: Instruction) -> None:
    spec = block.pop()
    _push_formatted(block, block.pop(), spec)


def _push_formatted(block: BlockBuilder, value: Any, spec: str | None) -> None:
    if type(value) is _Converted:
        block.push(nodes.FormatValue, value.value, value.conversion, spec)
    else:
        block.push(nodes.FormatValue, value, "", spec)


def _build_string(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.BuildString, tuple(block.pop_many(i.arg)))


def _build_slice(block: BlockBuilder, i: Instruction) -> None:
    parts = block.pop_many(i.arg)
    block.push(nodes.BuildSlice, parts[0], parts[1], parts[2] if len(parts) == 3 else None)


def _unpack_sequence(block: BlockBuilder, i: Instruction) -> None:
    value = block.fresh()
    block.add(nodes.Unpack, value, block.pop(), i.arg)
    items = []
    for k in range(i.arg):
        items.append(block.fresh())
        block.add(nodes.StaticGetItem, items[-1], value, k)
    block.stack += reversed(items)


def _unpack_ex(block: BlockBuilder, i: Instruction) -> None:
    value, before, after = block.fresh(), i.arg & 0xFF, i.arg >> 8
    block.add(nodes.UnpackStar, value, block.pop(), before, after)
    items = []
    for k in range(before + 1 + after):
        items.append(block.fresh())
        block.add(nodes.StaticGetItem, items[-1], value, k)
    block.stack += reversed(items)


def _binary_subscr(block: BlockBuilder, i: Instruction) -> None:
    value, index = block.pop_many(2)
    block.push(nodes.GetItem, value, index)


def _store_subscr(block: BlockBuilder, i: Instruction) -> None:
    value, target, index = block.pop_many(3)
    block.add(nodes.SetItem, target, index, value)


def _load_attr(block: BlockBuilder, i: Instruction) -> None:
    method = i.name == "LOAD_METHOD" or (VERSION.method_bit and bool(i.arg & 1))
    load_attribute(block, block.pop(), i.value, method)


def load_attribute(block: BlockBuilder, owner: str, name: str, method: bool) -> None:
    """Emit the read of an attribute, and push it; for a method call with NULL beside it."""
    if method and VERSION.null_first:
        block.stack.append(NULL)
    block.push(nodes.GetAttr, owner, name)
    if method and not VERSION.null_first:
        block.stack.append(NULL)


def _load_super_attr(block: BlockBuilder, i: Instruction) -> None:
    # CPython pushes the class and the object even if the program writes `super()`.
    function, cls, owner = block.pop_many(3)
    block.push(nodes.Call, function, (cls, owner), ())
    load_attribute(block, block.pop(), i.value, bool(i.arg & 1))


def _store_attr(block: BlockBuilder, i: Instruction) -> None:
    value, target = block.pop_many(2)
    block.add(nodes.SetAttr, target, i.value, value)


def _delete_attr(block: BlockBuilder, i: Instruction) -> None:
    block.add(nodes.DelAttr, block.pop(), i.value)


def _get_iter(block: BlockBuilder, i: Instruction) -> None:
    block.names.iterators.add(block.push(nodes.GetIter, block.pop()))


# --- calls ------------------------------------------------------------------------------------


def _kw_names(block: BlockBuilder, i: Instruction) -> None:
    block.keywords = i.value


def _call(block: BlockBuilder, i: Instruction) -> None:
    args = block.pop_many(i.arg)
    keywords, block.keywords = block.keywords, ()
    function, args = _callee(block, args)
    if VERSION.pairs_iterators and len(args) == 1:
        args = _given_to_generator(block, function, args)
    if not args and not keywords and block.names.live:
        args = objects.given_to_super(block, function)
    block.push(nodes.Call, function, tuple(args), keywords)


def _given_to_generator(block: BlockBuilder, function: Any, args: list[Any]) -> list[Any]:
    """Return the arguments of a call; for a generator expression the iterator of its iterable,
    which it would otherwise create itself."""
    made = block.sources_of(function) & set(block.names.generators)
    if not made:
        return args
    iterator, code = block.fresh(), block.names.generators[made.pop()]
    value = block.settled(args[0])
    block.ops.append(nodes.GetIter(iterator, value, loc=place_of_iteration(code)))
    return [iterator]


def _callee(block: BlockBuilder, args: list[Any]) -> tuple[Any, list[Any]]:
    # Below the arguments are NULL and the function, in the order of the version, or a function and
    # its first argument.
    pair = [entry for entry in block.pop_many(2) if entry is not NULL]
    return (pair[0], args) if len(pair) == 1 else (pair[0], [pair[1], *args])


def _call_kw(block: BlockBuilder, i: Instruction) -> None:
    names = block.pop()
    # From 3.13 on the names are a constant on the stack; before, KW_NAMES has them.
    constant = next(op for op in reversed(block.ops) if names in (getattr(op, "result", None),))
    assert isinstance(constant, nodes.Const)
    block.ops.remove(constant)
    block.keywords = constant.value
    _call(block, i)


def _call_function_ex(block: BlockBuilder, i: Instruction) -> None:
    named = block.pop() if VERSION.spread_null or i.arg & 1 else NULL
    star = block.pop()
    pair = [entry for entry in block.pop_many(2) if entry is not NULL]
    if named is NULL:
        block.push(nodes.Call, pair[0], (), (), star)
    else:
        block.push(nodes.CallSpread, pair[0], star, named)


def _load_builtin(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.Global, i.value.__name__, i.value)


def _load_assertion_error(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.Global, "AssertionError", AssertionError)


_DEFAULTS, _KWDEFAULTS, _ANNOTATIONS, _CLOSURE, _ANNOTATE = 1, 2, 4, 8, 16


def _make_function(block: BlockBuilder, i: Instruction) -> None:
    code = block.constant_of(block.pop())
    made = block.push(nodes.MakeFunction, code.co_name, code, (), (), ())
    if code.co_name == "<genexpr>":
        block.names.generators[made] = code
    # Below the code object are the attributes that the flags name, the closure topmost.
    if VERSION.null_first:  # until 3.12 the flags are the argument
        function = block.pop()
        for flag in (_CLOSURE, _ANNOTATIONS, _KWDEFAULTS, _DEFAULTS):
            if i.arg & flag:
                function = _with_attribute(block, function, flag, block.pop())
        block.stack.append(function)


def _set_function_attribute(block: BlockBuilder, i: Instruction) -> None:
    function, value = block.pop(), block.pop()
    block.stack.append(_with_attribute(block, function, i.arg, value))


def _with_attribute(block: BlockBuilder, function: str, flag: int, value: str) -> str:
    """Add defaults, annotations or a closure to the op that creates an inner function."""
    maker = next(op for op in block.ops if getattr(op, "result", None) == function)
    assert isinstance(maker, nodes.MakeFunction)
    positional = maker.defaults[: len(maker.defaults) - len(maker.keywords)]
    named = maker.defaults[len(positional) :]
    keywords, captured = maker.keywords, maker.captured
    notes = [op for op in block.ops if isinstance(op, nodes.SetAttr) and op.target == function]
    block.ops = [op for op in block.ops if op is not maker and op not in notes]
    if flag == _ANNOTATIONS and not block.names.live:
        _forget(block, value)
    elif flag == _ANNOTATIONS:  # they are set after the function is created
        block.add(nodes.BuildDict, table := block.fresh(), _items_of(block, value))
        block.add(nodes.SetAttr, function, "__annotations__", table)
        notes = [block.ops.pop()]
    elif flag == _ANNOTATE:  # the function that computes them when they are read
        if block.names.live:
            block.add(nodes.SetAttr, function, "__annotate__", value)
            notes = [block.ops.pop()]
        else:
            block.ops.remove(block.maker_of(value))
    elif flag == _DEFAULTS:
        positional = _values_now(block, _items_of(block, value))
    elif flag == _KWDEFAULTS:
        keywords, items = _named_items_of(block, value)
        named = _values_now(block, items)
    elif flag == _CLOSURE:
        captured = _items_of(block, value)
    defaults = (*positional, *named)
    block.add(nodes.MakeFunction, function, maker.name, maker.code, defaults, keywords, captured)
    block.ops += notes
    return function


def _forget(block: BlockBuilder, value: str) -> None:
    """Remove the ops of annotations, with the names and constants in them."""
    maker = block.maker_of(value)
    names = {value, *(maker.items if isinstance(maker, nodes.BuildTuple) else ())}
    kinds = (nodes.BuildTuple, nodes.Const, nodes.Global)
    block.ops = [op for op in block.ops if not (isinstance(op, kinds) and op.result in names)]


def _values_now(block: BlockBuilder, names: tuple[str, ...]) -> tuple[str, ...]:
    """Copy the current values of variables: a default is evaluated once, at the definition."""
    values = []
    for name in names:
        values.append(block.fresh())
        block.add(nodes.Copy, values[-1], name)
    return tuple(values)


def _items_of(block: BlockBuilder, name: str) -> tuple[str, ...]:
    """Return the variables of the items of a tuple that was built or is a constant."""
    maker = block.maker_of(name)
    if maker in block.ops:
        block.ops.remove(maker)
    elif isinstance(maker, nodes.BuildTuple):  # in an earlier block, where it stays
        return _items_by_place(block, name, len(maker.items))
    if isinstance(maker, nodes.BuildTuple):
        return maker.items
    assert isinstance(maker, nodes.Const)
    items = []
    for value in maker.value:
        items.append(block.fresh())
        block.add(nodes.Const, items[-1], value)
    return tuple(items)


def _items_by_place(block: BlockBuilder, name: str, count: int) -> tuple[str, ...]:
    items = [block.fresh() for _ in range(count)]
    for k, item in enumerate(items):
        block.add(nodes.StaticGetItem, item, name, k)
    return tuple(items)


def _named_items_of(block: BlockBuilder, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and the variables of a dictionary of keyword-only defaults."""
    maker = block.maker_of(name)
    assert isinstance(maker, nodes.BuildDict)
    if maker in block.ops:
        block.ops.remove(maker)
        keys = tuple(block.take_constant(key) for key in maker.items[::2])
        return keys, maker.items[1::2]
    constants = [block.maker_of(key) for key in maker.items[::2]]
    keys = tuple(one.value for one in constants if isinstance(one, nodes.Const))
    values = []
    for key in maker.items[::2]:
        values.append(block.fresh())
        block.add(nodes.GetItem, values[-1], name, key)
    return keys, tuple(values)


# --- the ends of blocks -----------------------------------------------------------------------


def _return_value(block: BlockBuilder, i: Instruction) -> None:
    # Inference sets the type of the cast: paths may return values of different types.
    result = block.fresh()
    block.add(nodes.Cast, result, block.pop())
    block.add(nodes.Return, result)


HANDLERS: dict[str, Handler] = {
    "BEFORE_WITH": lambda block, i: exceptions.before_with(block, i),
    "BINARY_OP": _binary_op,
    "BINARY_SUBSCR": _binary_subscr,
    "BUILD_CONST_KEY_MAP": lambda block, i: objects.build_const_key_map(block, i),
    "BUILD_LIST": lambda block, i: displays.build_list(block, i),
    "BUILD_MAP": lambda block, i: objects.build_map(block, i),
    "BUILD_SET": lambda block, i: objects.build_set(block, i),
    "BUILD_SLICE": _build_slice,
    "BUILD_STRING": _build_string,
    "BUILD_TUPLE": _build_tuple,
    "CALL": _call,
    "CALL_FUNCTION_EX": _call_function_ex,
    "CALL_INTRINSIC_1": _call_intrinsic,
    "CALL_KW": _call_kw,
    "CHECK_EXC_MATCH": lambda block, i: exceptions.check_exc_match(block, i),
    "COMPARE_OP": _compare,
    "CONTAINS_OP": _contains_op,
    "CONVERT_VALUE": _convert_value,
    "COPY": _copy,
    "DELETE_ATTR": _delete_attr,
    "DELETE_DEREF": _delete,
    "DELETE_FAST": _delete,
    "DELETE_GLOBAL": _delete_global,
    "DELETE_SUBSCR": lambda block, i: objects.delete_subscr(block, i),
    "DICT_MERGE": lambda block, i: objects.dict_merge(block, i),
    "DICT_UPDATE": lambda block, i: objects.dict_update(block, i),
    "END_FOR": _end_for,
    "FORMAT_SIMPLE": _format_simple,
    "FORMAT_VALUE": _format_value,
    "FORMAT_WITH_SPEC": _format_with_spec,
    "GET_ITER": _get_iter,
    "GET_LEN": lambda block, i: objects.get_len(block, i),
    "IMPORT_FROM": lambda block, i: objects.import_from(block, i),
    "IMPORT_NAME": lambda block, i: objects.import_name(block, i),
    "IS_OP": _is_op,
    "KW_NAMES": _kw_names,
    "LIST_APPEND": lambda block, i: displays.list_append(block, i),
    "LIST_EXTEND": lambda block, i: displays.list_extend(block, i),
    "LIST_TO_TUPLE": lambda block, i: displays.list_to_tuple(block, i),
    "LOAD_ASSERTION_ERROR": _load_assertion_error,
    "LOAD_ATTR": _load_attr,
    "LOAD_BUILTIN": _load_builtin,
    "LOAD_BUILD_CLASS": lambda block, i: objects.load_build_class(block, i),
    "LOAD_CLOSURE": _load_closure,
    "LOAD_CONST": _load_const,
    "LOAD_DEREF": _load_deref,
    "LOAD_FAST": _load_fast,
    "LOAD_FAST_AND_CLEAR": _load_fast_and_clear,
    "LOAD_GLOBAL": _load_global,
    "LOAD_METHOD": _load_attr,
    "LOAD_SUPER_ATTR": _load_super_attr,
    "MAKE_FUNCTION": _make_function,
    "MAP_ADD": lambda block, i: objects.map_add(block, i),
    "MATCH_CLASS": lambda block, i: objects.match_class(block, i),
    "MATCH_KEYS": lambda block, i: objects.match_keys(block, i),
    "MATCH_MAPPING": lambda block, i: objects.match_mapping(block, i),
    "MATCH_SEQUENCE": lambda block, i: objects.match_sequence(block, i),
    "NOP": _nothing,
    "POP_EXCEPT": lambda block, i: exceptions.pop_except(block, i),
    "POP_ITER": _pop_iter,
    "POP_TOP": _pop_top,
    "PUSH_EXC_INFO": lambda block, i: exceptions.push_exc_info(block, i),
    "PUSH_NULL": _push_null,
    "RAISE_VARARGS": lambda block, i: exceptions.raise_varargs(block, i),
    "RERAISE": lambda block, i: exceptions.reraise(block, i),
    "RETURN_VALUE": _return_value,
    "SET_ADD": lambda block, i: objects.set_add(block, i),
    "SET_FUNCTION_ATTRIBUTE": _set_function_attribute,
    "SET_UPDATE": lambda block, i: objects.set_update(block, i),
    "STORE_ATTR": _store_attr,
    "STORE_DEREF": _store_deref,
    "STORE_FAST": _store_fast,
    "STORE_GLOBAL": _store_global,
    "STORE_SUBSCR": _store_subscr,
    "SWAP": _swap,
    "UNARY_INVERT": _unary("~"),
    "UNARY_NEGATIVE": _unary("-"),
    "UNARY_NOT": _unary("not"),
    "UNARY_POSITIVE": _unary("+"),
    "UNPACK_EX": _unpack_ex,
    "UNPACK_SEQUENCE": _unpack_sequence,
    "WITH_EXCEPT_START": lambda block, i: exceptions.with_except_start(block, i),
    "YIELD_FROM": lambda block, i: exceptions.yield_from(block, i),
    "YIELD_VALUE": lambda block, i: exceptions.yield_value(block, i),
}
