"""Memory of compiled code, calls that an exception leaves through, and results that fail."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import cutaway
from cutaway.dispatch_c import _dispatch
from cutaway.runtime import stats, symbols

pytestmark = pytest.mark.sampled(others=6, fast=15)

WORD = ctypes.c_int64
META = 64  # bytes in front of the data
ROUNDS = 100


def function(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)(symbols[name])


alloc = function("cutaway_alloc", ctypes.c_void_p, WORD)
alloc_zeroed = function("cutaway_alloc_zeroed", ctypes.c_void_p, WORD)
incref = function("cutaway_incref", None, ctypes.c_void_p)
decref = function("cutaway_decref", None, ctypes.c_void_p)


def live() -> int:
    allocated, released = stats()
    return allocated - released


SIZES = [0, 1, 7, 63, 64, 65, 100, 4096, 128 * 1024 - 128, 128 * 1024, 1 << 20, (1 << 26) + 3]


@pytest.mark.parametrize("make", [alloc, alloc_zeroed])
@pytest.mark.parametrize("size", SIZES)
def test_data_is_aligned_to_a_cache_line(make, size):
    blocks = [make(size) for _ in range(5)]
    for block in blocks:
        assert block % 64 == 0
        if make is alloc_zeroed:
            data = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(block + META))
            assert not data.any()
        ctypes.memset(block + META, 255, size)  # all of it is ours
    for block in blocks:
        decref(block)
    again = alloc_zeroed(size)  # where there was something else before
    assert ctypes.string_at(again + META, min(size, 4096)) == bytes(min(size, 4096))
    decref(again)


LARGE = 8_000_000
# The sanitizer watches for uses after the end of a block's life: no block is kept there.
keeps_blocks = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="free blocks are not kept"
)


@keeps_blocks
def test_a_large_block_that_is_free_is_given_to_the_next_who_asks():
    first = alloc(LARGE)
    ctypes.memset(first + META, 255, LARGE)
    decref(first)
    again = alloc(LARGE - LARGE // 20)
    assert again == first
    decref(again)
    clean = alloc_zeroed(LARGE)
    assert clean == first
    assert not np.ctypeslib.as_array((ctypes.c_uint8 * LARGE).from_address(clean + META)).any()
    other = alloc(LARGE)
    assert other != clean  # that one is in use
    much_less = alloc(LARGE // 2)
    assert much_less not in (other, clean)
    for block in (clean, other, much_less):
        decref(block)


# In a process of its own: where others have freed large blocks, the C library takes blocks of this
# size from its heap, and keeps them there as long as anything lies above them.
RESIDENT = """
import ctypes

from cutaway.runtime import symbols

META = 64
alloc = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(symbols["cutaway_alloc"])
decref = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(symbols["cutaway_decref"])


def resident() -> int:
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * 4096


before = resident()
blocks = [alloc(1 << 24) for _ in range(12)] + [alloc(1 << 25)]
for block in blocks:
    ctypes.memset(block + META, 1, 1 << 24)
most = resident()
for block in blocks:
    decref(block)
print(most - before, resident() - before)
"""


@keeps_blocks
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="asks Linux")
def test_not_all_that_is_free_is_kept():
    done = subprocess.run(
        [sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=True
    )
    most, left = map(int, done.stdout.split())
    assert most > 200 << 20
    assert left < 80 << 20


def test_threads_never_have_the_same_large_block():
    wrong = []

    def work(mark):
        for k in range(ROUNDS):
            size = 200_000 + 60_000 * (k % 5)
            block = alloc(size)
            words = np.ctypeslib.as_array((ctypes.c_int64 * 1000).from_address(block + META))
            words[:] = mark
            for _ in range(5):
                time.sleep(0)
                if (words != mark).any():
                    wrong.append(mark)
            decref(block)

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("size", [-1, -(2**63), 2**63 - 1, 2**63 - 192, 2**62])
def test_a_size_that_cannot_be_gives_nothing(size):
    before = live()
    assert alloc(size) is None and alloc_zeroed(size) is None
    assert live() == before


def test_references_are_counted_and_the_last_frees():
    before = stats()
    block = alloc(100)
    for _ in range(3):
        incref(block)
    for _ in range(3):
        decref(block)
        assert live() == before[0] - before[1] + 1
    decref(block)
    assert stats() == (before[0] + 1, before[1] + 1)
    incref(None)
    decref(None)
    array = np.zeros(3)
    count = sys.getrefcount(array)
    incref(id(array) | 1)
    assert sys.getrefcount(array) == count + 1
    decref(id(array) | 1)
    assert sys.getrefcount(array) == count


class Record(ctypes.Structure):
    """cutaway_exc."""

    _fields_ = [
        ("table", ctypes.c_void_p),
        ("index", WORD),
        ("payload", WORD * 4),
        ("stack_limit", ctypes.c_void_p),
        ("frames", WORD),
        ("handled", ctypes.c_void_p),
        ("values", WORD * 32),
        ("frame", (WORD * 2) * 16),
        ("behind", WORD * 8),
    ]


def test_only_the_innermost_calls_are_noted():
    note = function("cutaway_frame", None, ctypes.c_void_p, ctypes.c_char_p, WORD)
    record, table = Record(), b"table"
    for k in range(40):
        note(ctypes.addressof(record), table, k)
    assert record.frames == 16
    assert [frame[1] for frame in record.frame] == list(range(16))
    assert not any(record.behind)


@pytest.mark.parametrize("depth", [0, 1, 14, 15, 16, 17, 40, 500])
def test_an_exception_leaves_through_many_calls(depth):
    @cutaway.jit
    def inner(a, n):
        if n == 0:
            return a[10]
        return inner(a, n - 1) + 1.0

    array = np.zeros(3)
    for _ in range(5):
        with pytest.raises(IndexError) as caught:
            inner(array, depth)
        lines = [entry for entry in caught.traceback if entry.name == "inner"]
        assert 1 <= len(lines) <= 17
    count = sys.getrefcount(array)
    with pytest.raises(IndexError):
        inner(array, depth)
    del caught
    gc.collect()
    assert sys.getrefcount(array) <= count


NO_HOOK = """
import ctypes
from cutaway.runtime import symbols
kinds = [ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
call = ctypes.PYFUNCTYPE(ctypes.c_int32, *kinds)(symbols["cutaway_call_python"])
for _ in range(3):
    try:
        call(b"table", 3, None, 0)
    except SystemError as error:
        print(error)
from cutaway.runtime import _runtime
seen = []
_runtime.set_call_hook(lambda *given: seen.append(given))
values = (ctypes.c_int64 * 2)(5, -1)
print(call(b"table", 3, ctypes.addressof(values), 2), seen)
for answer in (KeyError("given"), "no exception"):
    _runtime.set_call_hook(lambda *given: answer)
    try:
        call(b"table", 3, None, 0)
    except BaseException as error:
        print(type(error).__name__)
_runtime.set_call_hook(lambda *given: 1 / 0)
try:
    call(b"table", 3, None, 0)
except ZeroDivisionError as error:
    print(error)
"""


def test_a_call_of_python_without_a_hook_is_an_exception():
    done = subprocess.run(
        [sys.executable, "-c", NO_HOOK], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    values = (5).to_bytes(8, "little") + bytes([255]) * 8
    assert done.stdout.splitlines() == [
        *["no hook for calls of Python is set"] * 3,
        f"0 [('table', 3, {values})]",
        "KeyError",
        "SystemError",
        "division by zero",
    ]


def test_what_python_raises_in_a_call_comes_out_of_compiled_code(monkeypatch):
    class Full:
        def write(self, text):
            raise OSError("no space")

        def flush(self):
            pass

    @cutaway.jit
    def speaks(a):
        b = np.ones(a.shape[0])
        print(b[0])
        return b

    array = np.zeros(3)
    speaks(array)
    before, count = live(), sys.getrefcount(array)
    monkeypatch.setattr(sys, "stdout", Full())
    for _ in range(ROUNDS):
        with pytest.raises(OSError, match="no space"):
            speaks(array)
    gc.collect()
    assert live() == before and abs(sys.getrefcount(array) - count) < ROUNDS // 2


# --- results that cannot be made ------------------------------------------------------------------

GOOD, BAD, HUGE, OBJECT = "good", "bad", "huge", "object"
CASES = [
    [BAD],
    [BAD, GOOD],
    [GOOD, BAD, GOOD],
    [GOOD, GOOD, BAD],
    [BAD, BAD, GOOD],
    [OBJECT, BAD, OBJECT],
    [HUGE, GOOD, OBJECT, BAD],
    [GOOD, OBJECT],
]


@pytest.mark.parametrize("kinds", CASES, ids="-".join)
@pytest.mark.parametrize("nested", [False, True])
def test_all_memory_finds_an_end_where_a_result_cannot_be_made(kinds, nested):
    array = np.zeros(4)
    given: list[int] = []

    @ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.POINTER(WORD), ctypes.c_void_p, ctypes.c_void_p)
    def entry(result, arguments, exc):
        for k, slot in enumerate(given):
            result[k] = slot
        return 0

    def owners():
        for kind in kinds:
            owner = id(array) | 1 if kind == OBJECT else alloc(64)
            if kind == OBJECT:
                incref(owner)
            data = array.ctypes.data if kind == OBJECT else owner + META
            yield [owner, data, {BAD: -1, HUGE: 2**61}.get(kind, 4), 8]

    one = b"A\x0c\x01C\x00"
    text = b"(" + one * len(kinds) + b"RS\x07N)"
    text = b"(i8(" + text + b"M" + one + b"))" if nested else text
    tail = [1, 5, 2, 1, 2, 3]
    spec = _dispatch.Specialization(ctypes.cast(entry, ctypes.c_void_p).value, (), text, ())
    before, count = live(), sys.getrefcount(array)
    for _ in range(ROUNDS):
        given = [slot for slots in owners() for slot in slots] + tail
        if nested:
            last = alloc(64)
            given = [3, *given, 1, last, last + META, 4, 8]
        if BAD in kinds or HUGE in kinds:
            with pytest.raises(ValueError, match="negative dimensions|too big|larger"):
                spec()
        else:
            assert len(spec()) == (2 if nested else len(kinds) + 3)
    gc.collect()
    assert live() == before and abs(sys.getrefcount(array) - count) < ROUNDS // 2
