"""Pickling of compiled functions, as Python's own are pickled.

A function that is found by its module and name is pickled as that name.  Any other, and one of
`__main__` under cloudpickle, goes by value: the Python function, the options and the attributes set
by users, in a pickle of its own (the *parcel*), together with all compiled functions that it refers
to.  cloudpickle makes the parcel where it can be imported; where it cannot, a function that
`pickle` refuses raises the same error as a Python function.

Either way the machine code of its specializations goes along (`caching/carried.py`), so that the
same function on a computer of the same kind need not be compiled again.  So that a process which
receives a function again and again makes it once, a function by value has an identity that all its
copies share: a process that holds a copy, or received one lately, does not open the parcel.
"""

from __future__ import annotations

import importlib
import io
import pickle
import sys
import threading
import uuid
from collections import deque
from functools import cache
from functools import reduce as reduce_with
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from cutaway.caching.carried import Carried, offer, stored
from cutaway.dispatch.dispatcher import (
    Half,
    Shape,
    compile_closed,
    compile_written,
    dispatcher_of,
    give_defaults,
    shape_of,
)
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.loading import OUTERMOST, guard_forks
from cutaway.foundation.options import Flags

if TYPE_CHECKING:
    from cutaway.stages.pipeline import Pipeline
    from cutaway.typing.types import Type

RECENT = 32  # functions received lately are kept: often only a task refers to one


@dataclass(frozen=True, slots=True)
class _Content:
    """The content that fills a dispatcher of a parcel."""

    py_func: FunctionType
    flags: Flags
    written: tuple[Any, ...]
    pipeline: Pipeline | None
    replaced: dict[str, Any]
    attributes: dict[str, Any]
    closed: tuple[tuple[Type, ...], ...] | None  # argument types it is closed for


@dataclass(slots=True)
class _Opening:
    """The state of the parcel being opened."""

    begun: dict[str, Dispatcher] = field(default_factory=dict)
    filled: list[tuple[Half, _Content]] = field(default_factory=list)


class _Copies:
    """The functions of this process that have an identity; guarded by the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.known: WeakValueDictionary[str, Dispatcher] = WeakValueDictionary()
        self.recent: deque[Dispatcher] = deque(maxlen=RECENT)
        self.openings: list[_Opening] = []  # nested openings, the innermost last


_COPIES = _Copies()
# Opening a parcel may compile.
guard_forks(_COPIES.lock.acquire, _COPIES.lock.release, rank=OUTERMOST)


# --- into a pickle -----------------------------------------------------------------------------


def reduce(dispatcher: Dispatcher) -> str | tuple[Any, ...]:
    """Return the result of `__reduce__`.

    Raises the error of `pickle` for a Python function that it cannot pickle.
    """
    at_work = _cloudpickle_at_work()
    carried = leaving(dispatcher.half)
    if _goes_by_name(dispatcher, at_work or pickle):
        name = dispatcher.__qualname__
        return (found, (str(dispatcher.__module__), name, carried)) if carried else name
    parcel = _parcel(dispatcher, at_work or _best_pickle())
    return restore, (_identity(dispatcher), parcel, carried)


def leaving(half: Half) -> dict[str, Carried]:
    """Return the machine code for a function's pickle, by the names of argument types."""
    carried = stored(half)
    if half.identities:
        carried.update(half._resolution().compiled_here(half))
    return carried


def _goes_by_name(dispatcher: Dispatcher, module: ModuleType) -> bool:
    """True if `pickle` or a cloudpickle would pickle such a function by its name."""
    module_name = str(dispatcher.__module__)
    value: Any = sys.modules.get(module_name)
    for name in dispatcher.__qualname__.split("."):
        value = getattr(value, name, None)
    if value is not dispatcher or module is pickle:
        return value is dispatcher
    registered = getattr(module, "list_registry_pickle_by_value", set)()  # type: ignore[var-annotated]
    parents = {module_name.rsplit(".", k)[0] for k in range(module_name.count(".") + 1)}
    return module_name != "__main__" and not parents & registered


def _cloudpickle_at_work() -> ModuleType | None:
    """Return the cloudpickle, maybe a copy in another package, that is pickling in this thread."""
    # `__reduce__` does not know its pickler, and cloudpickle sends functions of `__main__` by value
    # where `pickle` sends a name.
    frame = sys._getframe()
    while frame is not None:
        parts = frame.f_globals.get("__name__", "").split(".")
        if "cloudpickle" in parts:
            package = sys.modules.get(".".join(parts[: parts.index("cloudpickle") + 1]))
            if hasattr(package, "CloudPickler"):
                return package
        frame = frame.f_back  # type: ignore[assignment]
    return None


@cache
def _best_pickle() -> ModuleType:
    """Return cloudpickle where it can be imported, else `pickle`."""
    try:
        return importlib.import_module("cloudpickle")
    except ImportError:
        return pickle


def _identity(dispatcher: Dispatcher) -> str:
    half = dispatcher.half
    with _COPIES.lock:
        if half._identity is None:
            half._identity = uuid.uuid4().hex
            _COPIES.known[half._identity] = dispatcher
        return half._identity


def _parcel(dispatcher: Dispatcher, module: ModuleType) -> bytes:
    """Return the pickle of a function by value."""
    buffer = io.BytesIO()
    pickler = _parcel_pickler(module)(dispatcher, buffer, pickle.HIGHEST_PROTOCOL)  # type: ignore[arg-type]
    pickler.dump(dispatcher)
    return buffer.getvalue()


@cache
def _parcel_pickler(module: ModuleType) -> type[pickle.Pickler]:
    """Return a subclass of a module's pickler that pickles compiled functions inside of the parcel:
    each is begun before its content, since functions may refer to each other."""
    base = module.Pickler if module is pickle else module.CloudPickler

    class ParcelPickler(base):  # type: ignore[misc, valid-type]
        def __init__(self, wanted: Dispatcher, *args: Any) -> None:
            super().__init__(*args)
            self.wanted = wanted

        def reducer_override(self, thing: Any) -> Any:
            if type(thing) is Dispatcher:
                return self.reduce_part(thing)
            inherited = getattr(super(), "reducer_override", None)
            return NotImplemented if inherited is None else inherited(thing)

        def reduce_part(self, part: Dispatcher) -> Any:
            if part is not self.wanted and _goes_by_name(part, module):
                return part.__qualname__
            begun = (_identity(part), shape_of(part.py_func.__code__))
            # As state, which `pickle` writes after the object: functions that call each other find
            # it begun.
            return _begin, begun, _content(part), None, None, _fill

    return ParcelPickler


def _content(dispatcher: Dispatcher) -> _Content:
    half = dispatcher.half
    return _Content(
        half.py_func,
        half.flags,
        half.written,
        half._pipeline,
        dict(half._replaced),
        dict(vars(dispatcher)),
        tuple(half.signatures) if dispatcher._mode == "closed" else None,
    )


# --- and out of it -----------------------------------------------------------------------------


def found(module: str, name: str, carried: dict[str, Carried]) -> Any:
    """Return a module's attribute; a compiled function may use the code that came along.

    Raises AttributeError or ImportError where it does not exist.
    """
    value = named(module, name)
    if type(value) is Dispatcher:
        offer(value.half, carried)
    return value


def named(module: str, name: str) -> Any:
    """Return a module's attribute by its qualified name.

    Raises AttributeError or ImportError where it does not exist.
    """
    return reduce_with(getattr, name.split("."), importlib.import_module(module))


def restore(identity: str, parcel: bytes, carried: dict[str, Carried] | None = None) -> Dispatcher:
    """Return this process's function of that identity, or that of the parcel; it may use the code
    that came along.

    Raises CompileError where it has signatures for which it cannot be compiled.
    """
    with _COPIES.lock:
        dispatcher = _COPIES.known.get(identity)
        if dispatcher is None:
            dispatcher = _opened(parcel, carried or {})
        else:
            offer(dispatcher.half, carried or {})
        if dispatcher not in _COPIES.recent:
            _COPIES.recent.append(dispatcher)
    return dispatcher


def _opened(parcel: bytes, carried: dict[str, Carried]) -> Dispatcher:
    opening = _Opening()
    _COPIES.openings.append(opening)
    try:
        dispatcher: Dispatcher = pickle.loads(parcel)  # noqa: S301  it came in a pickle
    finally:
        _COPIES.openings.pop()
    offer(dispatcher.half, carried)
    for half, content in opening.filled:  # now that all its callees are filled
        compile_written(half)
        if content.closed is not None:
            compile_closed(half, content.closed)
    _COPIES.known.update(opening.begun)
    return dispatcher


def _begin(identity: str, shape: Shape) -> Dispatcher:
    """Return the function of that identity, or a new one for `_fill` to initialize."""
    begun = _COPIES.openings[-1].begun
    dispatcher = _COPIES.known.get(identity) or begun.get(identity)
    if dispatcher is None:
        half = Half.__new__(Half)
        half._identity = identity
        dispatcher = begun[identity] = dispatcher_of(half, shape)
    return dispatcher


def _fill(dispatcher: Dispatcher, content: _Content) -> None:
    half = dispatcher.half
    if hasattr(half, "py_func"):  # it was here before
        return
    identity = half._identity
    half.__init__(content.py_func, content.flags, content.written, content.pipeline)  # type: ignore[misc]
    half._identity, half._replaced = identity, content.replaced
    give_defaults(half)
    dispatcher.__dict__.update(content.attributes)
    _COPIES.openings[-1].filled.append((half, content))
