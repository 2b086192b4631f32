"""Symbolic execution of a block: from a stack machine to registers (stage 2).

The value stack holds names of variables instead of values.  Each instruction is a row of
`HANDLERS`: it takes names off the stack, adds ops to the block, and puts names on the stack.
A local variable is put on the stack under its own name; should it be assigned while it is
there, the old value is first saved under a temporary name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.versions import VERSION
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY, INPLACE, UNARY


class _Null:
    """The empty slot that calls keep beside a function."""

    def __repr__(self) -> str:
        return "NULL"


class _Missing:
    """The value of a global or closure variable that is not there."""

    def __repr__(self) -> str:
        return "<missing>"


NULL = _Null()
MISSING = _Missing()


class Names:
    """Where names outside of the function lead: globals, builtins, closure cells."""

    def __init__(
        self,
        code: CodeType,
        namespace: dict[str, Any],  # Any: the globals of a user's module
        builtins: dict[str, Any],  # Any: Python's builtins
        captured: dict[str, Any],  # Any: the values of closure cells
    ) -> None:
        self.code = code
        self.namespace = namespace
        self.builtins = builtins
        self.captured = captured

    def lookup(self, name: str) -> Any:  # Any: a global of the user's program
        """The value of a global name, or MISSING."""
        if name in self.namespace:
            return self.namespace[name]
        return self.builtins.get(name, MISSING)


class BlockBuilder:
    """The execution of one block; `stack` is what it starts with, and in the end leaves."""

    def __init__(self, names: Names, stack: list[Any], fresh: Callable[[], str]) -> None:
        # Any in the stack: names of variables, NULL, tuples of captured names
        self.names = names
        self.stack = stack
        self.fresh = fresh
        self.ops: list[Op] = []
        self.keywords: tuple[str, ...] = ()
        self.instruction: Instruction | None = None

    def run(self, instructions: tuple[Instruction, ...]) -> None:
        """Execute all instructions but a jump at the end, which the caller sees to."""
        for instruction in instructions:
            self.instruction = instruction
            handler = HANDLERS.get(instruction.name)
            if handler is None:
                what = instruction.name.lower().replace("_", " ")
                raise UnsupportedError(
                    f"this is not supported in compiled code ({what})", instruction.loc
                )
            handler(self, instruction)

    # --- the stack and the ops ------------------------------------------------------------------

    def pop(self) -> Any:  # Any: see __init__
        """Take the topmost entry."""
        return self.stack.pop()

    def pop_many(self, count: int) -> list[Any]:  # Any: see __init__
        """Take the topmost entries, the deepest first."""
        if not count:
            return []
        taken = self.stack[-count:]
        del self.stack[-count:]
        return taken

    def add(self, cls: type[Op], *args: Any) -> None:  # Any: fields of the op class
        """Add an op at the place of the current instruction."""
        assert self.instruction is not None
        self.ops.append(cls(*args, loc=self.instruction.loc))

    def push(self, cls: type[Op], *args: Any) -> str:  # Any: fields of the op class
        """Add an op whose result goes onto the stack."""
        result = self.fresh()
        self.add(cls, result, *args)
        self.stack.append(result)
        return result

    def store(self, name: str, value: str) -> None:
        """Assign to a local variable."""
        if name in self.stack:
            saved = self.fresh()
            self.add(nodes.Copy, saved, name)
            self.stack = [saved if entry == name else entry for entry in self.stack]
        self.add(nodes.Copy, name, value)

    def unsupported(self, what: str, hint: str = "") -> UnsupportedError:
        """The error for something at the current instruction."""
        assert self.instruction is not None
        return UnsupportedError(
            f"{what} not supported in compiled code", self.instruction.loc, hint
        )


Handler = Callable[[BlockBuilder, Instruction], None]


# --- variables --------------------------------------------------------------------------------


def _load_const(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.Const, i.value)


def _load_fast(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(i.value)


def _store_fast(block: BlockBuilder, i: Instruction) -> None:
    block.store(i.value, block.pop())


def _load_global(block: BlockBuilder, i: Instruction) -> None:
    with_null = bool(i.arg & 1)
    if with_null and VERSION.null_first:
        block.stack.append(NULL)
    block.push(nodes.Global, i.value, block.names.lookup(i.value))
    if with_null and not VERSION.null_first:
        block.stack.append(NULL)


def _load_deref(block: BlockBuilder, i: Instruction) -> None:
    if i.value in block.names.code.co_freevars:
        block.push(nodes.FreeVar, i.value, block.names.captured.get(i.value, MISSING))
    else:
        block.stack.append(i.value)


def _store_deref(block: BlockBuilder, i: Instruction) -> None:
    if i.value in block.names.code.co_freevars:
        raise block.unsupported(
            "assigning to a variable of the enclosing function is", "return the new value instead"
        )
    block.store(i.value, block.pop())


def _load_closure(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(i.value)


# --- the stack itself -------------------------------------------------------------------------


def _pop_top(block: BlockBuilder, i: Instruction) -> None:
    block.pop()


def _push_null(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(NULL)


def _copy(block: BlockBuilder, i: Instruction) -> None:
    block.stack.append(block.stack[-i.arg])


def _swap(block: BlockBuilder, i: Instruction) -> None:
    block.stack[-1], block.stack[-i.arg] = block.stack[-i.arg], block.stack[-1]


def _end_for(block: BlockBuilder, i: Instruction) -> None:
    block.pop_many(VERSION.end_for_pops)


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


_UNARY_POSITIVE, _LIST_TO_TUPLE = 5, 6


def _call_intrinsic(block: BlockBuilder, i: Instruction) -> None:
    if i.arg != _UNARY_POSITIVE:
        raise block.unsupported("this is")
    block.push(nodes.Unary, UNARY["+"], block.pop())


# --- data -------------------------------------------------------------------------------------


def _build_tuple(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.BuildTuple, tuple(block.pop_many(i.arg)))


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


def _binary_subscr(block: BlockBuilder, i: Instruction) -> None:
    value, index = block.pop_many(2)
    block.push(nodes.GetItem, value, index)


def _store_subscr(block: BlockBuilder, i: Instruction) -> None:
    value, target, index = block.pop_many(3)
    block.add(nodes.SetItem, target, index, value)


def _load_attr(block: BlockBuilder, i: Instruction) -> None:
    method = i.name == "LOAD_METHOD" or (VERSION.method_bit and bool(i.arg & 1))
    owner = block.pop()
    if method and VERSION.null_first:
        block.stack.append(NULL)
    block.push(nodes.GetAttr, owner, i.value)
    if method and not VERSION.null_first:
        block.stack.append(NULL)


def _get_iter(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.GetIter, block.pop())


# --- calls ------------------------------------------------------------------------------------


def _kw_names(block: BlockBuilder, i: Instruction) -> None:
    block.keywords = i.value


def _call(block: BlockBuilder, i: Instruction) -> None:
    args = block.pop_many(i.arg)
    keywords, block.keywords = block.keywords, ()
    function, args = _callee(block, args)
    block.push(nodes.Call, function, tuple(args), keywords)


def _callee(block: BlockBuilder, args: list[Any]) -> tuple[Any, list[Any]]:  # Any: stack entries
    pair = [entry for entry in block.pop_many(2) if entry is not NULL]
    return (pair[0], args) if len(pair) == 1 else (pair[0], [pair[1], *args])


def _call_kw(block: BlockBuilder, i: Instruction) -> None:
    names = block.pop()
    constant = next(op for op in reversed(block.ops) if names in (getattr(op, "result", None),))
    assert isinstance(constant, nodes.Const)
    block.ops.remove(constant)
    block.keywords = constant.value
    _call(block, i)


def _call_function_ex(block: BlockBuilder, i: Instruction) -> None:
    if i.arg & 1:
        raise block.unsupported("calls with **kwargs are", "name each argument")
    star = block.pop()
    pair = [entry for entry in block.pop_many(2) if entry is not NULL]
    block.push(nodes.Call, pair[0], (), (), star)


def _load_assertion_error(block: BlockBuilder, i: Instruction) -> None:
    block.push(nodes.Global, "AssertionError", AssertionError)


_DEFAULTS, _KWDEFAULTS, _ANNOTATIONS, _CLOSURE = 1, 2, 4, 8


def _make_function(block: BlockBuilder, i: Instruction) -> None:
    code = _constant_of(block, block.pop())
    parts: dict[int, Any] = {}  # Any: stack entries
    if VERSION.null_first:  # until 3.12 the flags are the argument
        for flag in (_CLOSURE, _ANNOTATIONS, _KWDEFAULTS, _DEFAULTS):
            if i.arg & flag:
                parts[flag] = block.pop()
    if _KWDEFAULTS in parts:
        raise block.unsupported("keyword-only defaults of inner functions are")
    _push_function(block, code, parts)


def _push_function(block: BlockBuilder, code: CodeType, parts: dict[int, Any]) -> None:
    # Any: stack entries
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise block.unsupported("generators and coroutines are", "fill an array and return it")
    if code.co_name.startswith("<") and code.co_name != "<lambda>":
        raise block.unsupported("comprehensions are", "write a loop that fills an array")
    defaults = _items_of(block, parts[_DEFAULTS]) if _DEFAULTS in parts else ()
    captured = _items_of(block, parts[_CLOSURE]) if _CLOSURE in parts else ()
    block.push(nodes.MakeFunction, code.co_name, code, defaults, captured)


def _set_function_attribute(block: BlockBuilder, i: Instruction) -> None:
    function = block.pop()
    value = block.pop()
    made = next(op for op in block.ops if getattr(op, "result", None) == function)
    assert isinstance(made, nodes.MakeFunction)
    if i.arg == _KWDEFAULTS:
        raise block.unsupported("keyword-only defaults of inner functions are")
    block.ops.remove(made)
    items = _items_of(block, value)
    defaults = items if i.arg == _DEFAULTS else made.defaults
    captured = items if i.arg == _CLOSURE else made.captured
    block.push(nodes.MakeFunction, made.name, made.code, defaults, captured)


def _constant_of(block: BlockBuilder, name: str) -> Any:  # Any: a constant of the program
    for op in block.ops:
        if isinstance(op, nodes.Const) and op.result == name:
            block.ops.remove(op)
            return op.value
    raise AssertionError("the code of an inner function is a constant")


def _items_of(block: BlockBuilder, name: str) -> tuple[str, ...]:
    """The variables in a tuple that was built, or was a constant, in this block."""
    made = next(op for op in block.ops if getattr(op, "result", None) == name)
    block.ops.remove(made)
    if isinstance(made, nodes.BuildTuple):
        return made.items
    assert isinstance(made, nodes.Const)
    found = []
    for value in made.value:
        found.append(block.fresh())
        block.add(nodes.Const, found[-1], value)
    return tuple(found)


# --- the ends of blocks -----------------------------------------------------------------------


def _return_value(block: BlockBuilder, i: Instruction) -> None:
    result = block.fresh()
    block.add(nodes.Cast, result, block.pop())
    block.add(nodes.Return, result)


def _raise_varargs(block: BlockBuilder, i: Instruction) -> None:
    if i.arg == 0:
        raise block.unsupported("raising again is")
    if i.arg == 2:
        raise block.unsupported("`raise ... from` is", "leave the cause out")
    block.add(nodes.Raise, block.pop())


HANDLERS: dict[str, Handler] = {
    "BINARY_OP": _binary_op,
    "BINARY_SUBSCR": _binary_subscr,
    "BUILD_SLICE": _build_slice,
    "BUILD_TUPLE": _build_tuple,
    "CALL": _call,
    "CALL_FUNCTION_EX": _call_function_ex,
    "CALL_INTRINSIC_1": _call_intrinsic,
    "CALL_KW": _call_kw,
    "COMPARE_OP": _compare,
    "CONTAINS_OP": _contains_op,
    "COPY": _copy,
    "END_FOR": _end_for,
    "GET_ITER": _get_iter,
    "IS_OP": _is_op,
    "KW_NAMES": _kw_names,
    "LOAD_ASSERTION_ERROR": _load_assertion_error,
    "LOAD_ATTR": _load_attr,
    "LOAD_CLOSURE": _load_closure,
    "LOAD_CONST": _load_const,
    "LOAD_DEREF": _load_deref,
    "LOAD_FAST": _load_fast,
    "LOAD_GLOBAL": _load_global,
    "LOAD_METHOD": _load_attr,
    "MAKE_FUNCTION": _make_function,
    "POP_TOP": _pop_top,
    "PUSH_NULL": _push_null,
    "RAISE_VARARGS": _raise_varargs,
    "RETURN_VALUE": _return_value,
    "SET_FUNCTION_ATTRIBUTE": _set_function_attribute,
    "STORE_DEREF": _store_deref,
    "STORE_FAST": _store_fast,
    "STORE_SUBSCR": _store_subscr,
    "SWAP": _swap,
    "UNARY_INVERT": _unary("~"),
    "UNARY_NEGATIVE": _unary("-"),
    "UNARY_NOT": _unary("not"),
    "UNARY_POSITIVE": _unary("+"),
    "UNPACK_SEQUENCE": _unpack_sequence,
}
