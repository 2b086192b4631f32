"""What is released when, and what is left to use after it."""

from __future__ import annotations

import gc
import os
import random
import threading

import numpy as np
import pytest

from cutaway import cuda
from cutaway.cuda.driver import devices
from cutaway.driver_c import _driver
from cutaway.errors import CudaError
from cutaway.foundation.sandbox import in_child

from .conftest import EVENT, HOST, MEMORY, MODULE, STREAM


def kernel():
    return cuda.jit(lambda x: None)


def test_memory_goes_with_the_last_array_that_uses_it(fake):
    whole = cuda.to_device(np.arange(10.0))
    part = whole[2:5]
    del whole
    assert fake.live(MEMORY) == 1 and part.copy_to_host().tolist() == [2, 3, 4]
    del part
    assert fake.live(MEMORY) == 0


def test_streams_and_events_go_with_the_last_reference(fake):
    made = [cuda.stream(), cuda.event()]
    assert (fake.live(STREAM), fake.live(EVENT)) == (1, 1)
    del made
    assert fake.live(0) == 0


def test_a_kernel_keeps_its_module_and_its_streams(fake):
    one, stream = kernel(), cuda.stream()
    one[1, 1, stream](1.0)
    del stream
    assert (fake.live(MODULE), fake.live(STREAM)) == (1, 1)
    del one
    gc.collect()
    assert fake.live(0) == 0


def test_a_module_is_loaded_once_into_each_context(fake):
    one = kernel()
    for _ in range(3):
        one[1, 1](1.0)
    assert fake.live(MODULE) == 1
    cuda.select_device(1)
    one[1, 1](1.0)
    assert fake.live(MODULE) == 2 and fake.shape[3] == 1
    cuda.select_device(0)
    one[1, 1](1.0)
    assert fake.live(MODULE) == 2 and fake.shape[3] == 0


def test_each_gpu_gets_code_for_its_own_capability(fake):
    one = kernel()
    one[1, 1](1.0)
    with cuda.gpus[1]:
        one[1, 1](1.0)
    assert {cc for _, cc in one.half.codes} == {(8, 0), (9, 0)}
    assert cuda.get_current_device().id == 0


def test_after_closing_everything_can_be_used_anew_and_nothing_old(fake):
    one, data, stream = kernel(), cuda.to_device(np.arange(4.0)), cuda.stream()
    with_stream = one[1, 1, stream]
    one[1, 1](data)
    with_stream(1.0)
    cuda.close()
    assert fake.live(0) == 0 and fake.contexts() == 0
    for use in (data.copy_to_host, lambda: one[1, 1](data), stream.synchronize):
        with pytest.raises(CudaError, match="was released"):
            use()
    with pytest.raises(CudaError, match="stream was released"):
        with_stream(1.0)
    one[1, 1](cuda.to_device(np.arange(4.0)))
    assert fake.launches() == 3


def test_memory_of_the_host_outlives_the_end_of_its_context(fake):
    held = cuda.pinned_array(1000)
    held[:] = 7
    part = np.asarray(held)[10:20]
    cuda.close()
    assert held.sum() == 7000
    del held
    gc.collect()
    assert part.sum() == 70 and fake.live(HOST) == 1
    del part
    assert fake.live(HOST) == 0
    _driver.select(0)  # what is left of the old context goes with the new one
    devices.forget()
    fake.library.cuDevicePrimaryCtxRelease_v2(0)


def test_nothing_is_freed_while_cleaning_up_is_deferred(fake):
    with cuda.defer_cleanup():
        with cuda.defer_cleanup():
            cuda.to_device(np.arange(4.0))
        assert fake.live(MEMORY) == 1
    assert fake.live(MEMORY) == 0


def test_memory_is_freed_in_its_own_context_by_any_thread(fake):
    data = [cuda.to_device(np.arange(4.0))]

    def drop():
        cuda.select_device(1)
        data.clear()

    run_in_threads(drop)
    assert fake.live(MEMORY) == 0


def run_in_threads(work, count=1):
    failed = []

    def safely():
        try:
            work()
        except BaseException as error:  # of another thread, raised here
            failed.append(error)

    threads = [threading.Thread(target=safely) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_threads_launch_one_kernel_with_their_own_grids(fake):
    one = kernel()
    seen = []

    def work():
        me = threading.get_ident()
        for k in range(200):
            one[1 + k % 3, 1 + k % 5](k)
            one[2, 2](np.arange(3.0))
        seen.append(me)

    run_in_threads(work, 4)
    assert len(seen) == 4 and fake.launches() == 1600
    assert fake.live(MODULE) <= 2 * 4  # of two signatures; threads may load it at once


def test_threads_make_and_drop_what_others_use(fake):
    shared, arrays = kernel(), [cuda.to_device(np.arange(5.0)) for _ in range(4)]

    def work():
        mine, choose = kernel(), random.Random(threading.get_ident())
        for k in range(150):
            one = choose.choice((mine, shared))
            one[1, 1 + k % 7, choose.choice((0, cuda.stream()))](choose.choice(arrays))
            arrays[choose.randrange(4)] = cuda.to_device(np.arange(5.0))
            if k % 20 == 0:
                mine = kernel()
                cuda.select_device(choose.randrange(2))
            with cuda.defer_cleanup():
                one[1, 1](np.arange(3.0))

    run_in_threads(work, 4)


def test_each_thread_selects_its_own_gpu(fake):
    cuda.select_device(1)
    found = []
    run_in_threads(lambda: found.append(cuda.get_current_device().id))
    assert found == [0] and cuda.get_current_device().id == 1


def test_a_context_that_is_current_is_used_whoever_made_it_so(fake):
    cuda.select_device(1)
    cuda.to_device(np.arange(3))
    fake.library.cuCtxSetCurrent(None)
    cuda.select_device(0)
    assert cuda.current_context() == cuda.current_context(0) != cuda.current_context(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_is_told_that_it_cannot_use_the_gpu(fake):
    data, one = cuda.to_device(np.arange(4.0)), kernel()
    one[1, 1](data)

    def work():
        told = []
        for use in (data.copy_to_host, lambda: one[1, 1](1.0), cuda.stream, cuda.synchronize):
            try:
                use()
            except CudaError as error:
                told.append(str(error))
        return told, cuda.is_available(), _driver.count_open()

    told, is_available, left = in_child(work, 60).value
    assert len(told) == 4 and all("forked child" in text or "released" in text for text in told)
    assert not is_available and left == 0
    assert data.copy_to_host().tolist() == [0, 1, 2, 3]


def test_a_forked_child_of_a_parent_that_used_none_has_the_gpu(fake):
    def work():
        return cuda.to_device(np.arange(3)).copy_to_host().tolist()

    assert in_child(work, 60).value == [0, 1, 2]
