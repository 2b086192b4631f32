"""The interpreter for functions with handlers and for generators.

Both use Python's own mechanisms.  A handler runs within an `except` of this module, so that Python
itself tracks the exception being handled: exceptions raised there get its `__context__`, and
`sys.exc_info` returns it.  A generator is a Python generator, which suspends with its function.

All of it runs in generators, since only these can suspend in the middle.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

from cutaway.errors import InterpreterError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.python_words import LOOKS_UP_EXIT_FIRST
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block

Steps = Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class _Resumed:
    """The end of a handler: control continues in a block, at a position."""

    block: Block
    position: int


@dataclass(frozen=True, slots=True)
class _Escaped:
    """An exception that leaves a handler, or is a StopIteration, which a generator cannot
    propagate, and the block that raised it."""

    error: BaseException
    block: Block


def needs_frame(fn: Function) -> bool:
    """True if a function has handlers, or is a generator."""
    return fn.generator or any(block.handler is not None for block in fn.blocks.values())


def call(run: Any) -> Any:
    """Execute a function that is not a generator."""
    try:
        next(_steps(run, run.fn.entry, 0))
    except StopIteration as ended:
        end = ended.value
    if isinstance(end, _Escaped):
        raise_as_it_is(end.error)
    return end


def generate(run: Any) -> Steps:
    """Return the generator that a call of a generator function returns."""
    generator = _steps(run, run.fn.entry, 0)
    generator.__name__ = generator.__qualname__ = run.fn.name
    return generator


def raise_as_it_is(error: BaseException) -> None:
    """Raise an exception again, with its context unchanged."""
    # A `raise` sets its context to the exception being handled, and cuts cycles in the chain.
    contexts = [(error, CONTEXT.__get__(error))]
    seen, other = {id(error)}, sys.exc_info()[1]
    while other is not None and id(other) not in seen:
        seen.add(id(other))
        contexts.append((other, CONTEXT.__get__(other)))
        other = contexts[-1][1]
    try:
        raise error
    finally:
        for one, context in contexts:
            CONTEXT.__set__(one, context)


# From the class: an object's own `__setattr__` must not run.
CONTEXT: Any = vars(BaseException)["__context__"]


def _steps(run: Any, block: Block, level: int) -> Steps:
    """Execute from a block on, while `level` exceptions are being handled.

    Returns the op that ends the function, a `_Resumed` where the innermost handler ends, or an
    `_Escaped`.
    """
    blocks = run.fn.blocks
    position, escaped = -1, None  # -1: the block is entered
    while True:
        try:
            if escaped is not None:
                raise_as_it_is(escaped)
            ops = run.enter(block) if position < 0 else block.ops[position:]
            for op in ops:
                run.count(op)
                if op.TERMINATOR:
                    outcome = run.leave(op)
                    if outcome is None:
                        return _ended(run, op, level)
                    break
                match op:
                    case nodes.EndHandler() if level:
                        return _Resumed(block, block.ops.index(op) + 1)
                    case nodes.Suspend():
                        run.set(op, op.result, (yield run.value(op.value)))
                    case nodes.Delegate():
                        run.set(op, op.result, (yield from run.value(op.iterator)))
                    case _:
                        run.execute(op)
        except InterpreterError:
            raise
        except BaseException as error:
            if not _is_handled(run, block, level):
                if level or (isinstance(error, StopIteration) and not run.fn.generator):
                    return _Escaped(error, block)
                raise
            run.came_from, run.caught = block.label, error
            inner = _steps(run, blocks[block.handler], level + 1)
            # Not `yield from`: that closes its inner generator when a GeneratorExit is thrown in,
            # and a handler may continue after one.
            outcome, item = _advanced(inner.__next__)
            while outcome is _WAITS:
                thrown = None
                try:
                    sent = yield item
                except BaseException as arrived:
                    thrown = arrived
                # Outside the `except`: a thrown exception is handled where it is caught.
                step = partial(inner.send, sent) if thrown is None else partial(inner.throw, thrown)
                outcome, item = _advanced(step)
        position, escaped = -1, None
        match outcome:
            case int():
                run.came_from = block.label
                block = blocks[outcome]
            case _Resumed():
                block, position = outcome.block, outcome.position
            case _Escaped():
                block, escaped = outcome.block, outcome.error
            case _:
                return _ended(run, outcome, level)


def _ended(run: Any, end: nodes.Op, level: int) -> Any:
    """Return the result of the op that ends a function: for a generator its return value."""
    return run.value(end.value) if run.fn.generator and not level else end


_WAITS = object()  # in place of an outcome


def _advanced(step: Callable[[], Any]) -> tuple[Any, Any]:
    """Advance a generator: returns its result, or that it waits, and the yielded item."""
    try:
        return _WAITS, step()
    except StopIteration as ended:
        return ended.value, None


def _is_handled(run: Any, block: Block, level: int) -> bool:
    """True if the handler of a block runs while `level` exceptions are being handled."""
    if block.handler is None:
        return False
    caught = next(op for op in run.fn.blocks[block.handler].ops if isinstance(op, nodes.Caught))
    return caught.depth == level


# --- ops ------------------------------------------------------------------------------------------


def _caught(run: Any, op: nodes.Caught) -> None:
    error, run.caught = run.caught, None
    run.set(op, op.result, error)


def _matches(run: Any, op: nodes.Matches) -> None:
    classes = run.value(op.classes)
    for one in classes if isinstance(classes, tuple) else (classes,):
        if not isinstance(one, type) or not issubclass(one, BaseException):
            raise TypeError(
                "catching classes that do not inherit from BaseException is not allowed"
            )
    # As in Python: a metaclass's `__subclasscheck__` does not count.
    ancestors = type(run.value(op.exception)).__mro__
    run.set(op, op.result, any(one is cls for cls in ancestors for one in _flat(classes)))


def _flat(classes: Any) -> list[Any]:
    return (
        [one for each in classes for one in _flat(each)]
        if isinstance(classes, tuple)
        else [classes]
    )


_NOTHING = object()


def _special(manager: Any, name: str) -> Any:
    """Return a special method, which is looked up in the class alone."""
    for cls in type(manager).__mro__:
        if name in vars(cls):
            attribute = vars(cls)[name]
            bind = getattr(type(attribute), "__get__", None)
            return attribute if bind is None else bind(attribute, manager, type(manager))
    return _NOTHING


def name_of(cls: type) -> str:
    """Return the name of a class in Python's messages: that of a class in C may contain dots."""
    other: Any = list if issubclass(cls, int) else int
    try:
        other.__new__(cls)
    except TypeError as error:  # int.__new__(collections.deque): ... is not a subtype of int
        return str(error).partition("(")[2].partition(")")[0]
    return cls.__name__


def _enter(run: Any, op: nodes.Enter) -> None:
    manager = run.value(op.manager)
    names = ("__enter__", "__exit__")
    order = reversed(names) if LOOKS_UP_EXIT_FIRST else names
    methods = {name: _special(manager, name) for name in order}
    enter, leave = map(methods.__getitem__, names)
    if enter is _NOTHING or leave is _NOTHING:
        with manager:  # Python reports the missing method
            pass
        raise TypeError(f"{name_of(type(manager))} is no context manager")
    run.set(op, op.exit, leave)
    run.set(op, op.value, enter())


def _exit_with(run: Any, op: nodes.ExitWith) -> None:
    error = run.value(op.exception)
    run.set(op, op.result, run.value(op.exit)(type(error), error, error.__traceback__))


def _waits(run: Any, op: nodes.Op) -> None:
    raise InterpreterError("only a generator can wait", op.loc)


EXECUTED: dict[type[nodes.Op], Callable[[Any, Any], None]] = {
    nodes.Caught: _caught,
    nodes.Matches: _matches,
    nodes.EndHandler: lambda run, op: None,
    nodes.Enter: _enter,
    nodes.ExitWith: _exit_with,
    nodes.Suspend: _waits,
    nodes.Delegate: _waits,
}
