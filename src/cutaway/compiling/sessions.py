"""Sessions: one outermost compilation, with all that it compiles on the way.

Each thread has its own.  Nobody else sees the units of a session before all are done: then they are
published, and the first published unit stays.  A session that fails, or that Ctrl-C ends, changes
nothing.  A function that another thread is still compiling is compiled here as well: waiting could
deadlock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any, Protocol

from cutaway.compiling.turns import Turn
from cutaway.errors import InternalError
from cutaway.foundation import interrupts, loading
from cutaway.foundation.loading import guard_forks
from cutaway.foundation.options import Flags
from cutaway.ir.function import Function
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.targets.target import Target
from cutaway.typing.inference.solver import Inference
from cutaway.typing.overloads.parameters import Parameters
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.typing.inference.literals import Places


class Compilable(Protocol):
    """The part of a dispatcher that the compiler needs.

    `literals` are the arguments whose values have to be known, by the types of all; `returns` the
    declared result types by argument types, from explicit signatures. `declared` are the argument
    types of explicit signatures: calls convert to one of them. `itself` is the value of its own
    name while a decorator compiles it.  `is_loop`: NumPy calls it as the inner loop of a ufunc.
    `body` is IR at level ir that was cut out of another function; None where it is built from
    `py_func`.  `target` is the target to compile for; None for the target of the settings.
    `generation` grows when compiled code is forgotten: units begun before are not published.
    """

    py_func: FunctionType
    flags: Flags
    units: dict[tuple[Type, ...], CompileUnit]
    literals: Places
    returns: dict[tuple[Type, ...], Type]
    declared: tuple[tuple[Type, ...], ...]
    is_loop: bool
    generation: int

    # Properties, since some implementations compute them on demand, or never change them.
    @property
    def parameters(self) -> Parameters: ...
    @property
    def pipeline(self) -> Pipeline: ...
    @property
    def itself(self) -> Any: ...
    @property
    def body(self) -> Function | None: ...
    @property
    def target(self) -> Target | None: ...


Key = tuple[Compilable, tuple[Type, ...]]  # a specialization, made or not


class Session:
    """The state of the compilations under way in one thread, one inside the other.

    `units` are those created or met so far, unfinished ones among them; `created` lists them in
    order. `nested` is the chain of units being compiled.  For recursion: `inferences` under way,
    the return types `promised` to callers meanwhile, those `assumed` since an attempt showed them,
    and those that were `nested_deeper` than all before.
    """

    def __init__(self) -> None:
        self.units: dict[Key, CompileUnit] = {}
        self.created: list[tuple[Key, int]] = []
        self.nested: list[CompileUnit] = []
        self.inferences: dict[CompileUnit, Inference] = {}
        self.promised: dict[CompileUnit, Type] = {}
        self.assumed: dict[Key, Type] = {}
        self.nested_deeper: dict[Key, list[Type]] = {}

    def begin_again(self) -> None:
        """Drop all units; assumed return types stay."""
        self.units.clear()
        self.created.clear()

    def find(self, key: Key) -> CompileUnit | None:
        """Return the unit of a specialization, from here or from earlier sessions.

        It stays the same for all of the session, whatever other threads forget or publish.
        """
        function, argtypes = key
        unit = self.units.get(key) or function.units.get(argtypes)
        if unit is not None:
            self.units[key] = unit
        return unit

    @contextmanager
    def registered(self, key: Key, unit: CompileUnit) -> Iterator[None]:
        """Make a unit visible to recursive calls.  On failure drop all units compiled meanwhile as
        well, since they may refer to it."""
        mark = len(self.created)
        self.units[key] = unit
        self.created.append((key, key[0].generation))
        try:
            yield
        except BaseException:
            for dropped, _ in self.created[mark:]:
                self.units.pop(dropped, None)
            del self.created[mark:]
            raise

    @contextmanager
    def compiling(self, unit: CompileUnit) -> Iterator[None]:
        """Push a unit on the chain of units being compiled."""
        self.nested.append(unit)
        try:
            yield
        finally:
            self.nested.pop()
            self.inferences.pop(unit, None)
            self.promised.pop(unit, None)

    def key_of(self, unit: CompileUnit) -> Key:
        """Return the specialization that a unit of this session belongs to."""
        return next(key for key, known in reversed(self.units.items()) if known is unit)

    def publish(self) -> None:
        """Publish the session's units; all of them are finished."""
        for key, generation in self.created:
            function, argtypes = key
            if function.generation == generation:
                # The first one stays: code of another session may refer to it already.
                function.units.setdefault(argtypes, self.units[key])


class _Thread(threading.local):
    """The sessions of a thread, the innermost last: a finalizer or a user's observer that runs
    within a pass may call a compiled function, which is compiled in a session of its own."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []


_THREAD = _Thread()
_TURN = Turn()


def _leave_in_child() -> None:
    _TURN.forget_others()
    _TURN.leave()


# A child process must not inherit the compiler in the middle of another thread's pass.
guard_forks(_TURN.take, _TURN.leave, _leave_in_child, loading.PASSES)


def current() -> Session | None:
    """Return the innermost session of this thread, or None."""
    return _THREAD.sessions[-1] if _THREAD.sessions else None


def required() -> Session:
    """Return the innermost session, for functions called from passes."""
    session = current()
    if session is None:
        raise InternalError("no session is open", hint="compiler.compile_unit opens one")
    return session


@contextmanager
def opened(session: Session | None = None) -> Iterator[Session]:
    """Compile in a new or a continued session, in turn with other threads."""
    session = session or Session()
    with interrupts.deferred(), _TURN.taken():
        _THREAD.sessions.append(session)
        try:
            yield session
        finally:
            _THREAD.sessions.pop()


@contextmanager
def handing_over() -> Iterator[AbstractContextManager[None]]:
    """Hand the sessions to another thread while this one waits; that thread enters the yielded
    context."""
    with interrupts.deferred(), _TURN.put_aside():
        yield _adopted(_THREAD.sessions)


@contextmanager
def _adopted(open_sessions: list[Session]) -> Iterator[None]:
    _THREAD.sessions = open_sessions
    try:
        yield
    finally:
        _THREAD.sessions = []


def pause() -> None:
    """Let other threads have their turns between two passes, and Ctrl-C take effect.

    Raises Interrupted where a signal handler raises.
    """
    _TURN.give_way()
    interrupts.run_noted()


@contextmanager
def out_of_turn() -> Iterator[None]:
    """Release the turn while no shared state is used, so that other threads need not wait."""
    with _TURN.put_aside():
        yield
