"""Streams, in which work is queued, and events, which mark points in it.

A stream may be ours, or that of another library: a number, CuPy's, PyTorch's, or any object with
`__cuda_stream__`, such as the streams of cuda.core.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cutaway.cuda.driver import access, reports
from cutaway.errors import CudaError

if TYPE_CHECKING:
    import asyncio

LEGACY_DEFAULT, PER_THREAD_DEFAULT = 1, 2  # predefined handles
_WITHOUT_TIMING = 2


class Stream:
    """A stream: its work is executed in the order of queueing."""

    __slots__ = ("resource", "number", "_name", "__weakref__")

    def __init__(self, resource: Any, number: int, name: str = "") -> None:
        self.resource = resource
        self.number = number
        self._name = name

    @property
    def handle(self) -> int:
        """The driver's handle.

        Raises CudaError after its end.
        """
        return self.number if self.resource is None else int(self.resource.handle)

    def __int__(self) -> int:
        return self.handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __repr__(self) -> str:
        return f"<{self._name or 'stream'}>" if self._name else f"<stream {self.handle:#x}>"

    def synchronize(self) -> None:
        """Wait for all queued work, and raise the exception of a kernel's thread, if any."""
        access.driver().stream_synchronize(self.handle)
        reports.raise_first()

    def query(self) -> bool:
        """True if all queued work is done."""
        return bool(access.driver().stream_query(self.handle))

    def wait(self, event: Any) -> None:
        """Let work queued from now on wait for an event of another stream."""
        access.driver().stream_wait(self.handle, int(getattr(event, "handle", event)))

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait for the stream at the end of a `with` block."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], object], arg: Any = None) -> None:
        """Call `callback(stream, 0, arg)` after the work queued so far, in a thread of the driver;
        it must not use the GPU."""
        access.driver().call_later(self.handle, lambda: callback(self, 0, arg))

    def async_done(self) -> asyncio.Future[Stream]:
        """Return a future that resolves to the stream after the work queued so far."""
        loop = importlib.import_module("asyncio").get_running_loop()
        done: asyncio.Future[Stream] = loop.create_future()

        def settle() -> None:
            if not done.done():  # not canceled
                done.set_result(self)

        self.add_callback(lambda *told: loop.call_soon_threadsafe(settle))
        return done


class Event:
    """An event: a point in a stream."""

    __slots__ = ("resource", "__weakref__")

    def __init__(self, timing: bool = True) -> None:
        self.resource = access.driver().new_event(0 if timing else _WITHOUT_TIMING)

    @property
    def handle(self) -> int:
        """The driver's handle."""
        return int(self.resource.handle)

    def record(self, stream: Any = 0) -> None:
        """Record the event after all work queued so far."""
        access.driver().event_record(self.handle, handle_of(stream))

    def query(self) -> bool:
        """True if the event is complete."""
        return bool(access.driver().event_query(self.handle))

    def wait(self, stream: Any = 0) -> None:
        """Let work queued in the stream from now on wait for the event."""
        access.driver().stream_wait(handle_of(stream), self.handle)

    def synchronize(self) -> None:
        """Wait for the event."""
        access.driver().event_synchronize(self.handle)
        reports.raise_first()

    def elapsed_time(self, evtend: Event) -> float:
        """Return the milliseconds from this event to another one."""
        return float(access.driver().elapsed_time(self.handle, evtend.handle))


def stream() -> Stream:
    """Make a new stream."""
    made = access.driver().new_stream(0)
    return Stream(made, made.handle)


def default_stream() -> Stream:
    """Return the stream of work without a named stream."""
    return Stream(None, 0, "default stream")


def legacy_default_stream() -> Stream:
    """Return the default stream that synchronizes with all others."""
    return Stream(None, LEGACY_DEFAULT, "legacy default stream")


def per_thread_default_stream() -> Stream:
    """Return the default stream of the current thread."""
    return Stream(None, PER_THREAD_DEFAULT, "default stream of the thread")


def external_stream(ptr: Any) -> Stream:
    """Wrap a stream that another library made and owns."""
    return Stream(None, handle_of(ptr), "")


def event(timing: bool = True) -> Event:
    """Make a new event; without `timing` it is cheaper, and measures no times."""
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Return the milliseconds from one event to another one."""
    return evtstart.elapsed_time(evtend)


def handle_of(stream: Any) -> int:
    """Return the driver's handle of a stream.

    Raises CudaError for anything but a stream.
    """
    if stream is None:
        return 0
    if type(stream) is int and stream >= 0:
        return stream
    if isinstance(stream, Stream):
        return stream.handle
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version, handle = protocol() if callable(protocol) else protocol
        if version == 0:
            return int(handle)
        raise CudaError(f"__cuda_stream__ of version {version} is not known; 0 is")
    for name in ("cuda_stream", "ptr"):  # PyTorch's, CuPy's
        if type(getattr(stream, name, None)) is int:
            return int(getattr(stream, name))
    if hasattr(type(stream), "__int__") and not isinstance(stream, bool | float | int):
        return int(stream)  # cuda-bindings'
    raise CudaError(
        f"{stream!r} is not a stream",
        hint="cuda.stream() makes one; a number is the driver's handle of one",
    )
