"""Streams of all kinds, and events."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cutaway import cuda
from cutaway.cuda.driver.streams import handle_of
from cutaway.errors import CudaError


class Torch:
    cuda_stream = 0xF000000000000010


class CuPy:
    ptr = 0xF000000000000020


class Core:
    def __cuda_stream__(self):
        return 0, 0xF000000000000030


class OldCore:
    __cuda_stream__ = (0, 0xF000000000000030)


class Bindings:
    def __int__(self):
        return 0xF000000000000040


@cuda.jit
def nothing():
    pass


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 0),
        (0, 0),
        (0xF000000000000001, 0xF000000000000001),
        (Torch(), 0xF000000000000010),
        (CuPy(), 0xF000000000000020),
        (Core(), 0xF000000000000030),
        (OldCore(), 0xF000000000000030),
        (Bindings(), 0xF000000000000040),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_launch_takes_the_streams_of_other_libraries(fake, stream, handle):
    nothing[1, 1, stream]()
    assert fake.last_stream() == handle
    assert cuda.external_stream(stream).handle == handle
    cuda.to_device(np.arange(3), stream).copy_to_host(stream=stream)


def test_what_is_no_stream_is_refused(fake):
    class Newer:
        def __cuda_stream__(self):
            return 1, 5

    for wrong in ("a", 1.5, -1, True, [], Newer()):
        with pytest.raises(CudaError):
            handle_of(wrong)


def test_the_default_streams(fake):
    for stream, handle in (
        (cuda.default_stream(), 0),
        (cuda.legacy_default_stream(), 1),
        (cuda.per_thread_default_stream(), 2),
    ):
        nothing[1, 1, stream]()
        assert fake.last_stream() == handle == int(stream)
        assert stream.query() and "default stream" in repr(stream)
        stream.synchronize()


def test_a_stream_waits_calls_back_and_synchronizes(fake):
    stream, told = cuda.stream(), []
    with stream.auto_synchronize():
        stream.add_callback(lambda *what: told.append(what), "arg")
    assert told == [(stream, 0, "arg")]
    event = cuda.event()
    event.record(stream)
    event.wait(cuda.stream())
    stream.wait(event)
    assert stream.__cuda_stream__() == (0, stream.handle)


def test_a_coroutine_waits_for_a_stream(fake):
    async def work():
        stream = cuda.stream()
        return await stream.async_done() is stream

    with ThreadPoolExecutor(1) as pool:  # in this one the tests of pages may have a loop
        assert pool.submit(lambda: asyncio.run(work())).result()


def test_events_tell_the_time_between_them(fake):
    start, end = cuda.event(), cuda.event()
    with pytest.raises(CudaError, match="not there any more|CUDA_ERROR_INVALID_HANDLE"):
        start.elapsed_time(end)
    start.record()
    end.record()
    assert end.query()
    end.synchronize()
    assert 0 <= cuda.event_elapsed_time(start, end) < 1000
    assert isinstance(start, cuda.Event) and isinstance(cuda.stream(), cuda.Stream)


def test_an_array_that_is_bound_to_a_stream_is_copied_in_it(fake):
    stream = cuda.stream()
    data = cuda.to_device(np.arange(4.0)).bind(stream)
    fake.keep_trail(1)
    found = data.copy_to_host()
    assert found.tolist() == [0, 1, 2, 3]
    assert data.stream is stream and data[1:].stream is stream
    assert data.__cuda_array_interface__["stream"] == stream.handle


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_in_a_callback_is_written_and_nothing_else(fake):
    def fails(*told):
        raise ValueError("not heard")

    cuda.stream().add_callback(fails)
