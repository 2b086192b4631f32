"""Loops that are lifted out of functions in object mode: compiled at their first run.

A loop has a dispatcher of its own, which chooses or compiles by the types of the loop's inputs.
Where that fails the loop runs as objects, and the reason is recorded.
"""

from __future__ import annotations

import threading
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any

from cutaway.dispatch.binding import argument_types
from cutaway.dispatch.dispatcher import Answer, Half, dispatcher_of, shape_of
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.errors import CompileError, CutawayError, TypingError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.loading import guard_forks
from cutaway.foundation.options import Flags
from cutaway.foundation.patterns import Pattern
from cutaway.ir.function import Function
from cutaway.ir.interpreter import interpret
from cutaway.ir.lifted import Attempt, LiftedLoop, NotLifted, Outer
from cutaway.stages import pipelines
from cutaway.stages.unit import CompileUnit
from cutaway.typing.types import Container, Type
from cutaway.typing.types.texts import Str
from cutaway.typing.values.typeof import may_have_type

PATIENCE = 8  # runs in a row without fitting types, until only classes are checked
MOST_RENEWALS = 16  # of a loop that calls another function each time
MOST_KEPT = 100  # reasons of one loop

CHANGING = threading.RLock()  # guards the state of all lifted loops


def _unlocked() -> None:
    """Replace the lock in a child process, where no other thread changes anything."""
    global CHANGING
    CHANGING = threading.RLock()


guard_forks(lambda: None, lambda: None, _unlocked)


class LiftedHalf(Half):
    """The Python half of a lifted loop.

    `attempts` are the failed ones, by the types of the inputs, or by the message of the error.
    """

    def __init__(self, loop: LiftedLoop, unbound: frozenset[str], unit: CompileUnit) -> None:
        self.loop = loop
        self.unbound = unbound
        self.body = loop.function(unbound)
        self.attempts: dict[tuple[Any, ...], Attempt] = {}
        self.failures = 0  # in a row
        function = _stand_in(unit.pyfunc, self.body)
        super().__init__(function, _flags(unit.flags), pipeline=pipelines.lifted_loop)
        self.binder = lambda *args: args
        function.__dict__["half"] = self  # for tools that compile it once more
        dispatcher_of(self, shape_of(function.__code__))

    def __repr__(self) -> str:
        return f"<loop at line {self.loop.loc.line} of {self.py_func.__qualname__}>"

    def resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Answer | BaseException:
        """Return the specialization for the loop's inputs; NotLifted, to be raised, where there is
        none."""
        self._resolution()
        try:
            key: tuple[Any, ...] = argument_types(self, args)
        except CutawayError as error:
            said = self._in_loop(error)
            return self._refused((said.message,), None, said)
        known = self.attempts.get(key)
        if known is not None:
            return self._refused(key, key, known.error)
        reason = self._grown_text(key) or self._copied_container(key)
        if reason is not None:
            return self._refused(key, key, reason)
        answer = super().resolve(args, kwargs)
        if isinstance(answer, CompileError):
            return self._refused(key, key, _of_loop(answer))
        self.failures = 0
        return answer

    def _grown_text(self, types: tuple[Type, ...]) -> CutawayError | None:
        """Return why the loop is left to Python if it reassigns a text; else None."""
        changed = self.loop.outline.outputs
        pairs = zip(self.body.params, types, strict=True)  # type: ignore[union-attr]
        name = next((one for one, ty in pairs if isinstance(ty, Str) and one in changed), None)
        return name and TypingError(
            f"{self.loop.shown(name)} is a text that grows, which Python does in place",
            self.loop.loc,
            "collect the parts, and join them after the loop",
        )

    def _copied_container(self, types: tuple[Type, ...]) -> CutawayError | None:
        """Return why the loop is left to Python if a container is passed to it; else None."""
        pairs = zip(self.body.params, types, strict=True)  # type: ignore[union-attr]
        found = next(((one, ty) for one, ty in pairs if isinstance(ty, Container)), None)
        return found and TypingError(
            f"{self.loop.shown(found[0])} is a {found[1].word}, which each run of the loop would"
            " copy",
            self.loop.loc,
            "compile the whole function",
        )

    def _in_loop(self, error: CutawayError) -> CutawayError:
        """Reword an error about an argument as one about the loop's input."""
        for name in self.body.params:  # type: ignore[union-attr]
            before = f"argument {name!r} of {self.py_func.__name__}: "
            if error.message.startswith(before):
                what = error.message.removeprefix(before)
                return TypingError(f"{self.loop.shown(name)}: {what}", self.loop.loc, error.hint)
        return error

    def _refused(
        self, key: tuple[Any, ...], types: tuple[Type, ...] | None, error: CutawayError
    ) -> NotLifted:
        self.failures += 1
        self.note(key, types, error)
        return NotLifted(self.failures >= PATIENCE)

    def note(
        self, key: tuple[Any, ...], types: tuple[Type, ...] | None, error: CutawayError
    ) -> None:
        """Record why no types fit, without references to the values."""
        error.__traceback__ = error.__context__ = error.__cause__ = None
        if len(self.attempts) < MOST_KEPT:
            self.attempts.setdefault(key, Attempt(types, error))


@dataclass(slots=True)
class Lifting:
    """The runner of one loop: a dispatcher for all inputs, and others for runs in which some of
    them have no value.  C code calls it (`runtime/object_loops.c`)."""

    loop: LiftedLoop
    unit: CompileUnit
    halves: dict[int, LiftedHalf]
    renewals: int = 0

    def dispatcher(self, mask: int) -> Dispatcher:
        """Return the dispatcher for runs in which the inputs of a mask have no value."""
        return self._half(mask).dispatcher

    def _half(self, mask: int) -> LiftedHalf:
        with CHANGING:
            if mask not in self.halves:
                self.halves[mask] = LiftedHalf(self.loop, self.loop.unbound(mask), self.unit)
            return self.halves[mask]

    def allows(self, place: int, cls: type) -> bool:
        """True if an object of a class, the input at index `place`, may have a type; the object
        itself is not asked, since that would run the program's own code."""
        if may_have_type(cls):
            return True
        half = self._half(0)
        name = self.loop.shown(half.body.params[place])  # type: ignore[union-attr]
        error = TypingError(
            f"{name} is an object of class {cls.__name__}, which has no type in compiled code",
            self.loop.loc,
        )
        half.note((error.message,), None, error)  # a class created in each call is a new one
        return False

    def renew(self, state: tuple[Any, ...]) -> None:
        """Recompile: an outer variable that is compiled in, and part of the state, has changed."""
        with CHANGING:
            if self.loop.state is not state:  # another thread has already recompiled it
                return
            self.loop.sort()
            self.halves.clear()
            self.renewals += 1
            if self.renewals > MOST_RENEWALS:
                self.loop.state = None
            else:
                self.install()

    def install(self) -> None:
        """Pass the loop's state to the C code."""
        loop = self.loop

        def place(outer: Outer) -> tuple[CellType | None, str, tuple[str, ...]]:
            scope, name, *attributes = outer
            return loop.cells.get(name) if scope == "nonlocal" else None, name, tuple(attributes)

        frozen = tuple((*place(outer), value) for outer, value in loop.frozen.items())
        passed = tuple(place(outer) for outer in loop.passed)
        same = loop.passed_on()
        loop.state = (self.dispatcher(0), frozen, passed, loop.refused, NotLifted, self, same)


def prepare(unit: CompileUnit, loop: LiftedLoop) -> None:
    """Make a loop compilable at its first run, with the options of the function around it."""
    loop.lifting = Lifting(loop, unit, {})
    loop.lifting.install()


_GIVEN = Pattern(r"a value of type Tuple\(int64, (.*)\) cannot be returned")


def _of_loop(error: CompileError) -> CompileError:
    """Reword an error about the loop's outputs for users, who do not know of the tuple."""
    match = _GIVEN.fullmatch(error.message)
    if match is None:
        return error
    message = f"the loop gives {match[1]}, which cannot be made an object of Python's"
    return type(error)(message, error.loc, "collect numbers in an array")


def _flags(flags: Flags) -> Flags:
    return replace(flags, forceobj=False, looplift=True)


def _stand_in(function: FunctionType, body: Function) -> FunctionType:
    """Return a Python function that interprets a loop's IR, with the loop's parameters.  Tools that
    inspect its source find that of the function around the loop."""

    def run(args: tuple[Any, ...]) -> Any:
        return interpret(body, *args)

    names, plain = body.params, _template(len(body.params))
    code = plain.replace(
        co_varnames=names,
        co_consts=(*plain.co_consts, function.__code__),  # whose lines are the loop's
        co_filename=function.__code__.co_filename,
        co_name=function.__name__,
        co_qualname=function.__qualname__,
        co_firstlineno=function.__code__.co_firstlineno,
    )
    space, name = function.__globals__, function.__name__
    made = FunctionType(code, space, name, None, (CellType(run),))
    made.__module__ = function.__module__
    return made


@cache
def _template(count: int) -> CodeType:
    """Return the code of a function that passes `count` arguments on as a tuple."""
    names = [f"a{k}" for k in range(count)]
    given = "".join(f"{name}, " for name in names)
    source = f"def outer(run):\n def loop({', '.join(names)}): return run(({given}))\n return loop"
    space: dict[str, Any] = {}
    exec(source, space)  # noqa: S102
    code: CodeType = space["outer"](None).__code__
    return code
