"""Run IR: the oracle of the test suite, which makes every level executable.

Operators and calls are Python's own, so that an untyped function behaves like its source.  With
`coerce` and `types` each result is converted to its declared type, as in compiled code: integers
wrap, floats are rounded.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CellType, FunctionType
from typing import Any

from cutaway.errors import InterpreterError
from cutaway.foundation.lazy import cached_property
from cutaway.ir import (
    array_execution,
    frame_functions,
    frames,
    nodes,
    object_execution,
    own_streams,
    parfor_elements,
)
from cutaway.ir.constants import MISSING, is_compiled
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.iterations import run_parfor
from cutaway.ir.nodes import Block, Op, OpTable
from cutaway.ir.object_execution import NO_VALUE
from cutaway.ir.operators import INPLACE, formatted
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import bound_names, by_place_and_name, definitions, walk

AnyBlock = Block | FrozenBlock
Coerce = Callable[[Any, Any], Any]
Instead = Callable[[Op, Callable[[str], Any], Exception], Any]
Observe = Callable[[Op, str, Any], None]


class Undefined:
    """The value of an unbound variable."""

    def __repr__(self) -> str:
        return "<undefined>"


UNDEFINED = Undefined()
_PACKAGE = __name__.partition(".")[0]


def interpret(
    fn: Function,
    *args: Any,
    types: Mapping[str, Any] | None = None,
    coerce: Coerce | None = None,
    observe: Observe | None = None,
    max_steps: int | None = None,
    instead: Instead | None = None,
    before: Callable[[Op], None] | None = None,
) -> Any:
    """Call a function of the IR; returns its result, or raises its exception.

    `observe` is called with every value at its definition, `before` with each op in front of it.
    `instead` computes the result of an op that Python cannot execute: it receives the op, a
    function that returns the value of a variable, and the error.

    A user variable that is read unbound raises UnboundLocalError, as in Python.  Raises
    InterpreterError for invalid IR (a temporary without a value, a wrong bounds proof), and after
    `max_steps` ops.
    """
    return _Run(fn, args, types, coerce, observe, max_steps, instead, before).run()


class _Run:
    """One call."""

    def __init__(
        self,
        fn: Function,
        args: tuple[Any, ...],
        types: Mapping[str, Any] | None,
        coerce: Coerce | None,
        observe: Observe | None,
        max_steps: int | None,
        instead: Instead | None,
        before: Callable[[Op], None] | None,
    ) -> None:
        self.fn = fn
        self.args = args
        self.types = types if coerce is not None else None
        self.coerce = coerce
        self.observe = observe
        self.steps_left = max_steps
        self.instead = instead
        self.before = before
        self.values: dict[str, Any] = {}
        self.cells: dict[str, CellType] = {}  # of variables that an inner function captured
        self.came_from: int | None = None
        self.caught: BaseException | None = None  # on its way to a handler
        self.streams: own_streams.Streams | None = None  # of the parallel loop that is running
        # For each region, by its identity: its blocks, and the variables that live for one run.
        self.inside: dict[int, tuple[dict[int, FrozenBlock], tuple[str, ...]]] = {}

    def run(self) -> Any:
        """Execute from the entry to a return."""
        if self.fn.generator:
            return frames.generate(self)
        if frames.needs_frame(self.fn):
            op = frames.call(self)
        else:
            op = self._run_blocks(self.fn.blocks, self.fn.entry)
        if not isinstance(op, nodes.Return):
            raise InterpreterError("a yield outside of a region", op.loc)
        return self.value(op.value)

    def region(
        self, op: Op, region: Region, indices: Sequence[Any] = (), carried: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        """Run a region of an op once, with these values of its arguments; returns the yielded
        values.

        `begin` returns its initial carried values.
        """
        if id(region) not in self.inside:
            blocks = {block.label: block for block in region.blocks}
            self.inside[id(region)] = blocks, tuple(_defined_in(region))
        blocks, own = self.inside[id(region)]
        for name in own:
            self.values.pop(name, None)
            self.cells.pop(name, None)
        for name, value in zip(region.arguments, (*indices, *carried), strict=True):
            self.set(op, name, value)
        # Phis select by predecessor, and the blocks of a region have predecessors in it alone.
        came_from, self.came_from = self.came_from, None
        end = self._run_blocks(blocks, region.blocks[0])
        self.came_from = came_from
        if not isinstance(end, nodes.Yield):
            raise InterpreterError("a return inside of a region", end.loc)
        return tuple(map(self.value, end.values))

    def begin(self, region: Region) -> tuple[Any, ...]:
        """Return the initial carried values of a region, UNDEFINED for unbound ones."""
        return tuple(map(self.held, region.initial))

    def _run_blocks(self, blocks: Mapping[int, AnyBlock], block: AnyBlock) -> Op:
        """Execute from a block on; returns the op that ends this."""
        while True:
            rest = self.enter(block)
            for op in rest:
                self.count(op)
                if op.TERMINATOR:
                    following = self.leave(op)
                    if following is None:
                        return op
                    self.came_from = block.label
                    block = blocks[following]
                    break
                self.execute(op)
            else:
                raise InterpreterError(f"block {block.label} has no terminator")

    def execute(self, op: Op) -> None:
        """Execute an op that is not a terminator."""
        if self.instead is None:
            EXECUTED[type(op)](self, op)
            return
        try:
            EXECUTED[type(op)](self, op)
        # Python's errors where a class lacks a feature that an extension added for compiled code.
        except (AttributeError, NotImplementedError, TypeError) as error:
            self._do_instead(op, error)

    def _do_instead(self, op: Op, error: Exception) -> None:
        if op.REGIONS:  # an op in the region was tried by itself
            raise error
        result = self.instead(op, self.value, error)
        for name in definitions(op):
            self.set(op, name, result)

    def count(self, op: Op) -> None:
        """Count an op that is about to be executed."""
        if self.steps_left is not None:
            self.steps_left -= 1
            if self.steps_left < 0:
                raise InterpreterError("the program takes too many steps")
        if self.before is not None:
            self.before(op)

    def enter(self, block: AnyBlock) -> Sequence[Op]:
        """Perform the phis, all at once; returns the other ops."""
        # All values are read before the first is assigned: a phi may use another phi of the block,
        # as in a loop that swaps two variables.
        phis = [op for op in block.ops if isinstance(op, nodes.Phi)]
        taken = []
        for op in phis:
            if self.came_from not in op.labels:
                raise InterpreterError(f"a phi of label {block.label} has nothing to take")
            taken.append(self.held(op.values[op.labels.index(self.came_from)]))
        for op, value in zip(phis, taken, strict=True):
            if self.before is not None:
                self.before(op)
            self.set(op, op.result, value)
        return block.ops[len(phis) :]

    def leave(self, op: Op) -> int | None:
        """Return the label that a terminator jumps to; None if it ends the run."""
        match op:
            case nodes.Jump(target):
                return target
            case nodes.Branch(cond, then, orelse):
                return then if self.value(cond) else orelse
            case nodes.Return() | nodes.Yield() | nodes.Give():
                return None
            case nodes.StaticRaise(exception, args):
                raise exception(*args)
            case nodes.RaiseComputed(exception):
                raise self.call_as_written(op, exception)
            case nodes.Raise(exception):
                raise self.value(exception)
            case nodes.Reraise(exception):
                frames.raise_as_it_is(self.value(exception))
            case nodes.RaiseFrom(exception, cause):
                raise self.value(exception) from self.value(cause)
            case nodes.RaiseComputedFrom(exception, _, cause):
                raise self.call_as_written(op, exception) from self.value(cause)
            case nodes.RaiseCurrent():
                raise  # noqa: PLE0704  the exception that a caller is handling
            case nodes.Unreachable():
                raise InterpreterError("what is marked as unreachable was reached", op.loc)
        raise InterpreterError(f"{type(op).__name__} cannot be interpreted", op.loc)

    def called(self, function: Any) -> Any:
        """Return the Python function to call in place of a compiled one."""
        function = _in_python(function)
        return function if self.streams is None else self.streams.method(function)

    def call_as_written(self, op: Any, function: Any) -> Any:
        """Call a function, or an exception class, with the arguments of an op."""
        args, named = by_place_and_name([self.value(name) for name in op.args], op.keywords)
        if op.star is None:
            if function is globals and not args:
                return self.fn.namespace
            frame_functions.check(function, args, named)
            return function(*args, **named)
        star = self.value(op.star)
        # By itself: the error message names the function if it is not iterable.
        return function(*args, *star, **named) if args else function(*star, **named)

    # --- variables ------------------------------------------------------------------------------

    def value(self, name: str) -> Any:
        """Return the value of a variable."""
        held = self.held(name)
        if held is not UNDEFINED:
            return held
        if is_temporary(name):
            raise InterpreterError(f"{name} has no value")
        raise UnboundLocalError(
            f"cannot access local variable '{user_name(name)}' where it is not associated with a"
            " value"
        )

    @cached_property
    def namespace(self) -> dict[str, Any]:
        """The globals of the user's module, with Python functions in place of compiled ones."""
        if all(_in_python(value) is value for value in self.fn.namespace.values()):
            return self.fn.namespace  # which functions may change
        return {name: _in_python(value) for name, value in self.fn.namespace.items()}

    def held(self, name: str) -> Any:
        """Return the value of a variable, UNDEFINED if it is unbound."""
        if name not in self.cells:
            return self.values.get(name, UNDEFINED)
        try:
            return self.cells[name].cell_contents
        except ValueError:  # empty
            return UNDEFINED

    def has_value(self, name: str) -> bool:
        """True if a variable is bound."""
        return self.held(name) is not UNDEFINED

    def is_constant(self, name: str) -> bool:
        """True if a variable is a constant of the program."""
        constants = (nodes.Const, nodes.Global, nodes.FreeVar)
        return any(isinstance(op, constants) and op.result == name for op in walk(self.fn))

    def cell(self, name: str) -> CellType:
        """Return the cell through which an inner function shares a variable."""
        if name not in self.cells and name in self.fn.closure:
            return self.fn.closure[name]
        if name not in self.cells:
            held = self.held(name)
            self.cells[name] = CellType() if held is UNDEFINED else CellType(held)
        return self.cells[name]

    def forget(self, name: str) -> None:
        """Unbind a variable."""
        self.values.pop(name, None)
        if self.held(name) is not UNDEFINED:
            del self.cells[name].cell_contents

    def set(self, op: Op, name: str, value: Any) -> None:
        """Bind a variable to a value, converted to its type if types are known."""
        if self.types is not None and name in self.types and value is not UNDEFINED:
            assert self.coerce is not None
            value = self.coerce(self.types[name], value)
        if value is UNDEFINED:
            self.forget(name)
        elif name in self.cells:
            self.cells[name].cell_contents = value
        else:
            self.values[name] = value
        if self.observe is not None:
            self.observe(op, name, value)


def _defined_in(region: Region) -> Iterator[str]:
    for block in region.blocks:
        for op in block.ops:
            yield from bound_names(op)


Execute = Callable[[_Run, Any], None]
EXECUTED: OpTable[Execute] = OpTable("interpretation", {})


def _executes(cls: type[Op]) -> Callable[[Execute], Execute]:
    def register(function: Execute) -> Execute:
        EXECUTED[cls] = function
        return function

    return register


@_executes(nodes.Arg)
def _arg(run: _Run, op: nodes.Arg) -> None:
    run.set(op, op.result, run.args[op.index])


@_executes(nodes.Const)
@_executes(nodes.Global)
@_executes(nodes.FreeVar)
def _constant(run: _Run, op: nodes.Const | nodes.Global | nodes.FreeVar) -> None:
    if isinstance(op, nodes.Global) and op.value is MISSING:
        raise NameError(f"name '{op.name}' is not defined", name=op.name)
    if isinstance(op, nodes.FreeVar) and op.value is MISSING:
        raise NameError(NO_VALUE.format(op.name), name=op.name)
    run.set(op, op.result, op.value)


@_executes(nodes.Undef)
def _undef(run: _Run, op: nodes.Undef) -> None:
    if op.cell:
        run.cells.pop(op.result, None)
        run.values.pop(op.result, None)
    run.forget(op.result)


@_executes(nodes.Copy)
@_executes(nodes.Cast)
def _copy(run: _Run, op: nodes.Copy | nodes.Cast) -> None:
    held = run.held(op.value) if _is_handed_on(op) else run.value(op.value)
    run.set(op, op.result, held)


def _is_handed_on(op: nodes.Copy | nodes.Cast) -> bool:
    """True if a copy is not a read by the user: of a temporary, or of another version of the same
    variable, which a phi with one value has become."""
    if is_temporary(op.value):
        return True
    return op.result != op.value and user_name(op.result) == user_name(op.value)


@_executes(nodes.Move)
def _move(run: _Run, op: nodes.Move) -> None:
    held = run.value(op.value)
    run.forget(op.value)
    run.set(op, op.result, held)


@_executes(nodes.Deref)
def _deref(run: _Run, op: nodes.Deref) -> None:
    held = run.held(op.value)
    if held is UNDEFINED:
        raise NameError(NO_VALUE.format(user_name(op.value)), name=user_name(op.value))
    run.set(op, op.result, held)


@_executes(nodes.Unwrap)
def _unwrap(run: _Run, op: nodes.Unwrap) -> None:
    held = run.value(op.value)
    if held is None:
        raise op.exception(op.message)
    run.set(op, op.result, held)


@_executes(nodes.Unary)
def _unary(run: _Run, op: nodes.Unary) -> None:
    run.set(op, op.result, op.op.function(run.value(op.value)))


@_executes(nodes.Binary)
def _binary(run: _Run, op: nodes.Binary) -> None:
    run.set(op, op.result, op.op.function(run.value(op.lhs), run.value(op.rhs)))


@_executes(nodes.Inplace)
def _inplace(run: _Run, op: nodes.Inplace) -> None:
    run.set(op, op.result, INPLACE[op.op.symbol].function(run.value(op.lhs), run.value(op.rhs)))


@_executes(nodes.Call)
def _call(run: _Run, op: nodes.Call) -> None:
    function = run.called(run.value(op.func))
    try:
        result = run.call_as_written(op, function)
    except OverflowError:
        args = tuple(run.value(name) for name in op.args)
        if run.types is None or not _makes_number(function, args) or run.is_constant(op.args[0]):
            raise
        (result,) = args  # it wraps when it is converted to its type
    run.set(op, op.result, result)


def _makes_number(function: Any, args: tuple[Any, ...]) -> bool:
    """True if a call is `np.uint8(n)` or the like. NumPy wraps its own integers and refuses those
    of Python, which compiled code distinguishes for constants alone."""
    of_numpy = isinstance(function, type) and function.__module__ == "numpy"
    return of_numpy and len(args) == 1 and isinstance(args[0], int)


def _in_python(value: Any) -> Any:
    """Return the Python function behind a compiled one; any other object unchanged."""
    # User objects are not inspected: they may have any attribute, or record who reads it.
    package = str(type(value).__module__).partition(".")[0]
    return value.py_func if package == _PACKAGE and is_compiled(value) else value


@_executes(nodes.MakeFunction)
def _make_function(run: _Run, op: nodes.MakeFunction) -> None:
    shared = iter(op.captured)
    # The cell of its own name is filled at the end: a recursive inner function closes over itself.
    own = CellType()
    cells = tuple(
        own if name in op.itself else run.cell(next(shared)) for name in op.code.co_freevars
    )
    function = FunctionType(op.code, run.namespace, op.name, None, cells or None)
    defaults, named = by_place_and_name([run.value(name) for name in op.defaults], op.keywords)
    function.__defaults__ = defaults or None
    function.__kwdefaults__ = named or None
    own.cell_contents = function
    run.set(op, op.result, function)


@_executes(nodes.BuildTuple)
def _build_tuple(run: _Run, op: nodes.BuildTuple) -> None:
    run.set(op, op.result, tuple(run.value(name) for name in op.items))


@_executes(nodes.BuildList)
@_executes(nodes.MakeList)
def _build_list(run: _Run, op: nodes.BuildList | nodes.MakeList) -> None:
    run.set(op, op.result, [run.value(name) for name in op.items])


@_executes(nodes.ListAppend)
def _list_append(run: _Run, op: nodes.ListAppend) -> None:
    items = run.value(op.items)
    items.append(run.value(op.item))
    run.set(op, op.result, items)


@_executes(nodes.BuildSlice)
def _build_slice(run: _Run, op: nodes.BuildSlice) -> None:
    step = None if op.step is None else run.value(op.step)
    run.set(op, op.result, slice(run.value(op.start), run.value(op.stop), step))


@_executes(nodes.GetItem)
def _getitem(run: _Run, op: nodes.GetItem) -> None:
    value, index = run.value(op.value), run.value(op.index)
    _check_proofs(op, value, index, op.bounds)
    run.set(op, op.result, value[index])


@_executes(nodes.SetItem)
def _setitem(run: _Run, op: nodes.SetItem) -> None:
    target, index = run.value(op.target), run.value(op.index)
    _check_proofs(op, target, index, op.bounds)
    operator.setitem(target, index, run.value(op.value))


def _check_proofs(op: Op, array: Any, index: Any, bounds: tuple[str, ...]) -> None:
    if {"proved", "below", "unchecked"}.isdisjoint(bounds):
        return
    parts = index if isinstance(index, tuple) else (index,)
    for axis, (part, word) in enumerate(zip(parts, bounds, strict=False)):
        if word == "proved" and not 0 <= part < array.shape[axis]:
            message = f"index {part} of axis {axis} was proved to be in range, and is not"
            raise InterpreterError(message, op.loc)
        if word in ("below", "unchecked") and part < 0:
            message = f"index {part} of axis {axis} was proved not to be negative, and is"
            raise InterpreterError(message, op.loc)


@_executes(nodes.StaticGetItem)
def _static_getitem(run: _Run, op: nodes.StaticGetItem) -> None:
    run.set(op, op.result, run.value(op.value)[op.index])


@_executes(nodes.StaticSetItem)
def _static_setitem(run: _Run, op: nodes.StaticSetItem) -> None:
    operator.setitem(run.value(op.target), op.index, run.value(op.value))


@_executes(nodes.GetAttr)
def _getattr(run: _Run, op: nodes.GetAttr) -> None:
    owner = run.value(op.value)
    if run.types is not None and op.value in run.types:
        owner = run.types[op.value].with_attribute(owner, op.attr)
    run.set(op, op.result, getattr(owner, op.attr))


@_executes(nodes.SetAttr)
def _setattr(run: _Run, op: nodes.SetAttr) -> None:
    setattr(run.value(op.target), op.attr, run.value(op.value))


@_executes(nodes.DelAttr)
def _delattr(run: _Run, op: nodes.DelAttr) -> None:
    delattr(run.value(op.target), op.attr)


@_executes(nodes.GetIter)
def _getiter(run: _Run, op: nodes.GetIter) -> None:
    run.set(op, op.result, iter(run.value(op.value)))


@_executes(nodes.IterNext)
def _iternext(run: _Run, op: nodes.IterNext) -> None:
    # No StopIteration: the op returns a flag, which the loop's branch tests.
    item = next(run.value(op.iterator), UNDEFINED)
    run.set(op, op.valid, item is not UNDEFINED)
    run.set(op, op.result, item)


@_executes(nodes.FormatValue)
def _format_value(run: _Run, op: nodes.FormatValue) -> None:
    spec = "" if op.spec is None else run.value(op.spec)
    run.set(op, op.result, formatted(run.value(op.value), op.conversion, spec))


@_executes(nodes.BuildString)
def _build_string(run: _Run, op: nodes.BuildString) -> None:
    run.set(op, op.result, "".join(run.value(name) for name in op.pieces))


EXECUTED[nodes.Parfor] = run_parfor
for _more in (array_execution, parfor_elements, own_streams, frames, object_execution):
    EXECUTED.update(_more.EXECUTED)


@_executes(nodes.Del)
def _del(run: _Run, op: nodes.Del) -> None:
    run.values.pop(op.value, None)
    run.cells.pop(op.value, None)  # an inner function may keep the cell


@_executes(nodes.Incref)
@_executes(nodes.Decref)
def _count_reference(run: _Run, op: nodes.Incref | nodes.Decref) -> None:
    """Do nothing: Python counts references.  The item of an exhausted iterator is unbound."""


INTERPRETED = frozenset(EXECUTED) | {
    nodes.Phi,
    nodes.Jump,
    nodes.Branch,
    nodes.Return,
    nodes.Raise,
    nodes.RaiseFrom,
    nodes.RaiseComputedFrom,
    nodes.RaiseCurrent,
    nodes.Reraise,
    nodes.StaticRaise,
    nodes.RaiseComputed,
    nodes.Unreachable,
    nodes.Yield,
    nodes.Give,
}
