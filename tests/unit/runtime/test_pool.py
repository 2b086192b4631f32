"""The pool of threads: how loops are divided, who runs the pieces, and what becomes of errors."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutaway
import cutaway.errors
import warm
from cutaway.lowering.build import raising
from cutaway.runtime import _runtime, symbols

HERE = Path(__file__).parent
RUNTIME = Path(_runtime.__file__).parent
POOL = [str(RUNTIME / f"{part}.c") for part in ("threads", "pieces", "team", "watching")]
COMPILER = shutil.which("cc") or shutil.which("gcc")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")

int64, pointer = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)


class Record(ctypes.Structure):
    _fields_ = [
        *(("table", ctypes.c_char_p), ("index", int64), ("payload", int64 * 4)),
        *(("stack_limit", ctypes.c_size_t), ("frames", int64)),
        *(("handled", pointer), ("values", int64 * 32), ("frame", int64 * 32)),
    ]


KERNEL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, pointer, int64, ctypes.POINTER(Record))
_RUN = (KERNEL, ctypes.c_void_p, int64, pointer, int64, int64, ctypes.POINTER(Record))
_parallel = ctypes.PYFUNCTYPE(ctypes.c_int32, *_RUN)(symbols["cutaway_parallel"])
_parts = ctypes.PYFUNCTYPE(int64, int64, pointer, int64, ctypes.c_double)(symbols["cutaway_parts"])
_schedule = ctypes.PYFUNCTYPE(None, int64, pointer, int64, pointer)(
    symbols["cutaway_do_scheduling"]
)
STATIC, DYNAMIC, STATIC_NEST, DYNAMIC_NEST = range(4)


def parts_of(sizes, schedule=STATIC, cost=1e6):
    return _parts(len(sizes), (int64 * len(sizes))(*sizes), schedule, cost)


def test_what_stands_above_the_schedule_changes_nothing():
    for schedule in (STATIC, DYNAMIC):
        for sizes in ((1000,), (30, 40)):
            assert parts_of(sizes, schedule | 7 << 8) == parts_of(sizes, schedule)


def boxes_of(sizes, parts):
    """The boxes of all pieces: pairs of start and stop."""
    found = np.zeros((parts, len(sizes), 2), np.int64)
    where = found.ctypes.data_as(pointer)
    _schedule(len(sizes), (int64 * len(sizes))(*sizes), parts, where)
    return found


def run(function, parts, sizes=(1000,), schedule=STATIC, context=None, record=None):
    """Run the pieces of a loop: `function(bounds, part)`, or a kernel in C."""
    if not isinstance(function, ctypes._CFuncPtr):
        python = function

        def piece(context, bounds, part, exc):
            python(bounds[: 2 * len(sizes)], part)
            return 0

        function = KERNEL(piece)
    record = Record() if record is None else record
    place = (int64 * len(sizes))(*sizes)
    return _parallel(function, context, len(sizes), place, schedule, parts, ctypes.byref(record))


@pytest.fixture
def threads():
    """Set how many threads there may be; for loops of this thread, too."""
    before = _runtime.most_threads(), _runtime.thread_count(), _runtime.chunk_size()

    def use(most):
        _runtime.set_most_threads(most)
        _runtime.set_thread_count(most)

    yield use
    _runtime.set_most_threads(before[0])
    _runtime.set_thread_count(before[1])
    _runtime.set_chunk_size(before[2])


def in_a_process(code, timeout=120, **environment):
    """What a program prints in a process of its own, which has to end by itself."""
    done = warm.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        cwd=HERE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split("\n")[:-1]


# --- pieces ---------------------------------------------------------------------------------------


sizes_of_loops = st.lists(st.integers(1, 13), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(sizes_of_loops, st.integers(1, 40))
def test_boxes_tile_the_space(sizes, parts):
    parts = min(parts, int(np.prod(sizes)))
    seen = np.zeros(sizes, int)
    for box in boxes_of(sizes, parts):
        assert all(start < stop for start, stop in box), "no piece is empty"
        seen[tuple(slice(start, stop) for start, stop in box)] += 1
    assert (seen == 1).all()


@given(st.integers(1, 2**62), st.integers(1, 1024))
def test_pieces_of_a_line_are_in_order_and_of_nearly_one_size(size, parts):
    parts = min(parts, size)
    boxes = boxes_of([size], parts)[:, 0]
    assert boxes[0, 0] == 0 and boxes[-1, 1] == size
    assert (boxes[1:, 0] == boxes[:-1, 1]).all()
    lengths = boxes[:, 1] - boxes[:, 0]
    assert lengths.max() - lengths.min() <= 1


@pytest.mark.parametrize("parts", [2, 3, 4, 7, 16])
def test_boxes_of_a_large_space_are_of_nearly_one_size(parts):
    for sizes in ([1000, 1000], [5000, 200], [100, 100, 100]):
        places = np.prod(np.diff(boxes_of(sizes, parts), axis=2), axis=1)
        assert places.max() < 1.2 * places.min()


def test_dimensions_are_cut_in_proportion_to_their_sizes():
    boxes = boxes_of([1000, 1000], 4)
    assert boxes.tolist() == [[[a, a + 500], [b, b + 500]] for a, b in product((0, 500), (0, 500))]
    assert boxes_of([4000, 2], 4)[:, 1].tolist() == [[0, 2]] * 4


def test_small_loops_are_not_divided(threads):
    threads(8)
    assert parts_of([1000], cost=1.0) == 1
    assert parts_of([10000], cost=1.0) == 8
    assert parts_of([3], cost=1e6) == 3
    assert parts_of([0]) == parts_of([-5]) == parts_of([7, 0]) == 1
    assert parts_of([10000], cost=0.4) == 4  # a piece takes a microsecond at least
    assert parts_of([10000], cost=float("nan")) == 1
    threads(1)
    assert parts_of([10000]) == 1


def test_dynamic_loops_have_several_pieces_for_each_thread(threads):
    threads(4)
    assert parts_of([1000], DYNAMIC) == 32
    assert parts_of([5, 1000], DYNAMIC) == 5
    seen = []
    run(lambda bounds, part: seen.append((part, bounds)), 5, (5, 7), DYNAMIC)
    assert sorted(seen) == [(k, [k, k + 1, 0, 7]) for k in range(5)]


def test_nests_are_cut_along_their_first_dimension_where_it_is_long_enough(threads):
    threads(4)
    assert parts_of([1000, 1000], STATIC_NEST) == parts_of([2, 1000], STATIC_NEST) == 4
    assert parts_of([1000, 1000], DYNAMIC_NEST) == parts_of([5, 1000], DYNAMIC_NEST) == 32
    for schedule, sizes, rows_alone in (
        *[(STATIC_NEST, (40, 7), True), (STATIC_NEST, (8, 9), True), (STATIC_NEST, (5, 90), False)],
        *[(DYNAMIC_NEST, (33, 7), True), (DYNAMIC_NEST, (5, 90), False)],
    ):
        parts, seen, covered = parts_of(sizes, schedule), [], np.zeros(sizes, int)
        run(lambda bounds, part, seen=seen: seen.append(bounds), parts, sizes, schedule)
        for top, bottom, left, right in seen:
            covered[top:bottom, left:right] += 1
        assert (covered == 1).all()
        assert all(box[2:] == [0, sizes[1]] for box in seen) == rows_alone


def test_the_size_of_chunks_says_how_many_pieces_there_are(threads):
    threads(4)
    _runtime.set_chunk_size(10)
    assert parts_of([1000]) == parts_of([1000], DYNAMIC) == parts_of([10, 100]) == 100
    assert parts_of([30]) == 4
    assert parts_of([1_000_000]) == 1024


# --- threads --------------------------------------------------------------------------------------


def build(into, sources, *flags):
    subprocess.run(
        [COMPILER, "-O1", "-std=c11", "-D_GNU_SOURCE", f"-I{RUNTIME}", "-o", into, *sources]
        + [*flags, "-lm", "-pthread"],
        check=True,
    )


@needs_compiler
@pytest.mark.parametrize("count", ["1", "2", "8", "16"])
def test_the_pool_stands_many_callers_nested_loops_failures_and_forks(tmp_path, count):
    build(tmp_path / "hammer", [*POOL, str(HERE / "pool_hammer.c")])
    # AddressSanitizer, which tests/sanitize.sh preloads, leaves its memory locked in a child.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        [tmp_path / "hammer", count, "60"],
        **{"capture_output": True, "text": True, "timeout": 300, "env": environment},
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("ok\n", "", 0)


def test_pieces_run_at_the_same_time_on_threads_of_different_numbers(threads):
    threads(2)
    both, seen = threading.Barrier(2, timeout=60), []

    def piece(bounds, part):
        both.wait()  # each needs the other one, and the GIL
        seen.append((part, _runtime.thread_id(), threading.get_ident()))

    assert run(piece, 2) == 0
    assert sorted(one[0] for one in seen) == sorted(one[1] for one in seen) == [0, 1]
    assert threading.get_ident() in {one[2] for one in seen}
    assert len({one[2] for one in seen}) == 2
    assert _runtime.thread_id() == 0


def test_other_threads_of_python_run_while_a_loop_does(threads):
    threads(2)
    begun, done = threading.Event(), threading.Event()

    def other():
        begun.wait(60)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert run(lambda bounds, part: begun.set() or done.wait(60), 2) == 0
    assert done.is_set()
    thread.join()


@pytest.mark.parametrize("most", [2, 8, 16])
def test_many_threads_of_python_begin_loops_at_the_same_time(threads, most):
    threads(most)
    counts = [0] * 4

    def caller(number):
        _runtime.set_thread_count(most)
        for _ in range(20):
            seen = []
            assert run(lambda bounds, part: seen.append(part), most) == 0  # noqa: B023
            assert sorted(seen) == list(range(most))
            counts[number] += 1

    callers = [threading.Thread(target=caller, args=(number,)) for number in range(4)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    assert counts == [20] * 4


def test_loops_stand_within_loops(threads):
    threads(4)
    seen = []

    def outer(bounds, part):
        before = _runtime.thread_id()
        run(lambda bounds, inner: seen.append((part, inner)), 4)
        assert _runtime.thread_id() == before

    assert run(outer, 4) == 0
    assert sorted(seen) == list(product(range(4), range(4)))


def test_a_loop_in_one_piece_runs_on_its_caller(threads):
    threads(4)
    seen = []
    assert run(lambda *given: seen.append((*given, threading.get_ident())), 1, (5, 6)) == 0
    assert seen == [([0, 5, 0, 6], 0, threading.get_ident())]


FORKING = """
import os, sys, threading
from runtime.test_pool import _runtime, run
_runtime.set_most_threads(4)
inside, ended = threading.Event(), threading.Event()
def piece(bounds, part):
    inside.set()
    ended.wait(60)
thread = threading.Thread(target=run, args=(piece, 4))
thread.start()
inside.wait(60)
for _ in range(3):
    child = os.fork()
    if not child:
        seen = []
        done = run(lambda bounds, part: seen.append(part), 4)
        os._exit(0 if done == 0 and sorted(seen) == [0, 1, 2, 3] else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
ended.set()
thread.join()
"""


def test_a_child_that_is_forked_meanwhile_has_a_pool_of_its_own():
    assert in_a_process(FORKING, PYTHONWARNINGS="ignore") == ["0"] * 3


FORKED_WITHIN = """
import os
from runtime.test_pool import _runtime, run
_runtime.set_most_threads(2)
def piece(bounds, part):
    if part == 0:
        both.wait()
        child = os.fork()
        if child:
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        else:
            children.append(part)
    else:
        both.wait()
        after.wait(60)
import threading
both, after, children = threading.Barrier(2, timeout=60), threading.Event(), []
def release():
    after.set()
def first(bounds, part):
    piece(bounds, part)
    if part == 0:
        release()
try:
    run(first, 2)
except RuntimeError as error:
    os._exit(3 if children and "forked" in str(error) else 4)
if children:
    os._exit(5)
"""


def test_a_child_that_is_forked_by_a_piece_does_not_wait_for_threads_that_it_has_not():
    (status,) = in_a_process(FORKED_WITHIN, PYTHONWARNINGS="ignore")
    assert status in ("3", "0")  # 0: the piece ran on a thread of the pool, the child's only one


OVERSUBSCRIBED = """
import atexit
from runtime.test_pool import run
import cutaway
print(cutaway.get_num_threads())
def count():
    seen = []
    assert run(lambda bounds, part: seen.append(part), 16) == 0
    return len(set(seen))
print(sum(count() for _ in range(50)))
atexit.register(lambda: print("at exit", count()))
class Late:
    def __del__(self, count=count):
        print("late", count())
import builtins
builtins.late = Late()
"""


@pytest.mark.parametrize("name", ["CUTAWAY_NUM_THREADS", "NUMBA_NUM_THREADS"])
def test_a_process_with_many_idle_threads_ends(name):
    first, second, *_, last = in_a_process(OVERSUBSCRIBED, **{name: "16"})
    assert (first, second) == ("16", "800")
    assert last in ("at exit 16", "late 16")  # what comes after the end of modules is Python's


DAEMON = """
import threading
from runtime.test_pool import _runtime, run
import cutaway
import numpy as np
_runtime.set_most_threads(4)

@cutaway.jit(nogil=True)
def work(a):
    return a[::2], a + 1

given = np.arange(100.0)
begun = threading.Event()

def loop():
    while True:
        run(lambda bounds, part: work(given), 4)
        begun.set()

threading.Thread(target=loop, daemon=True).start()
begun.wait(60)
print("ends")
"""


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="Python ends the thread within C code, and its frames stay noted as being in use",
)
def test_the_interpreter_may_end_while_a_loop_runs():
    for _ in range(3):
        assert in_a_process(DAEMON) == ["ends"]


@cutaway.jit(nogil=True)
def half_of(a):
    return a[::2], a + 1


def test_pieces_call_compiled_functions_that_release_the_gil(threads):
    threads(4)
    given, seen = np.arange(1000.0), []
    half_of(given)
    before = sys.getrefcount(given)

    def piece(bounds, part):
        for _ in range(20):
            half, more = half_of(given)
            seen.append(half[1] + more[0])

    assert run(piece, 16) == 0
    assert seen == [3.0] * 320
    assert sys.getrefcount(given) == before


# --- errors ---------------------------------------------------------------------------------------


class What(ctypes.Structure):
    _fields_ = [
        *(("failing", int64), ("failed", ctypes.c_void_p), ("incref", ctypes.c_void_p)),
        *(("decref", ctypes.c_void_p), ("owner", ctypes.c_void_p)),
    ]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("kernels") / "kernels.so"
    include = f"-I{sysconfig.get_paths()['include']}"
    build(library, [str(HERE / "pieces_for_python.c")], include, "-shared", "-fPIC")
    loaded = ctypes.CDLL(str(library))

    def kernel(name):
        return KERNEL(ctypes.cast(getattr(loaded, name), ctypes.c_void_p).value)

    return kernel


def told(failing=0, owner=None):
    names = ("cutaway_numpy_failed", "cutaway_incref", "cutaway_decref")
    what = What(failing, *(symbols[name] for name in names), owner)
    return ctypes.cast(ctypes.pointer(what), ctypes.c_void_p)


@pytest.mark.parametrize("most", [1, 2, 8])
@pytest.mark.parametrize("failing", [0, 1, 5])
def test_the_exception_of_the_first_piece_reaches_the_caller(threads, kernels, most, failing):
    threads(most)
    for _ in range(20):
        with pytest.raises(LookupError, match=f"^piece {failing}$") as caught:
            run(kernels("set_exception"), 8, context=told(failing))
        assert caught.value.__context__ is None
    assert run(kernels("set_exception"), 8, context=told(8)) == 0


@pytest.mark.parametrize("most", [1, 2, 8])
@pytest.mark.parametrize("failing", [0, 1, 5])
def test_the_record_of_the_first_piece_reaches_the_caller(threads, kernels, most, failing):
    threads(most)
    dropped = []
    _runtime.set_drop_hook(lambda table, index, values: dropped.append((table, index, values[:8])))
    try:
        for _ in range(20):
            record = Record(stack_limit=77)
            assert run(kernels("describe"), 8, context=told(failing), record=record) == 1
            assert (record.table, record.index) == (b"some table", failing)
            assert (record.frames, record.frame[1], record.stack_limit) == (1, failing, 77)
    finally:
        _runtime.set_drop_hook(raising.drop_values)
    # What was raised by pieces behind it is released.
    for table, index, values in dropped:
        assert table == "some table" and index > failing
        assert values == (10 * index).to_bytes(8, "little")


def test_what_a_record_owns_that_nobody_raises_is_released():
    owner = object()
    before = sys.getrefcount(owner)
    table = raising.RaiseTable("of this test")
    array = cutaway.types.float64[:]
    site = raising.RaiseSite(ValueError, (), raising.Loc(1, 0, 1, 0, "a file"), "f", types=(array,))
    place = table.add(site)
    ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(symbols["cutaway_incref"])(id(owner) | 1)
    assert sys.getrefcount(owner) == before + 1
    raising.drop_values(table.symbol, place, (id(owner) | 1).to_bytes(8, "little") + bytes(24))
    assert sys.getrefcount(owner) == before


def test_references_of_objects_are_counted_on_every_thread(threads, kernels):
    threads(4)
    owner = object()
    before = sys.getrefcount(owner)
    for _ in range(5):
        assert run(kernels("count"), 16, context=told(owner=id(owner) | 1)) == 0
    assert sys.getrefcount(owner) == before


def test_a_signal_does_not_disturb_a_loop(threads, kernels):
    threads(4)
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *given: seen.append(given))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        for _ in range(3):
            assert run(kernels("sleep_a_little"), 4) == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen


# --- the functions of users -----------------------------------------------------------------------


@cutaway.jit
def set_and_get(count):
    cutaway.set_num_threads(count)
    return cutaway.get_num_threads(), cutaway.get_thread_id(), cutaway.threading_layer()


@cutaway.jit
def chunks(size):
    before = cutaway.set_parallel_chunksize(size)
    return before, cutaway.get_parallel_chunksize(), cutaway.set_parallel_chunksize(before)


@pytest.mark.parametrize("function", [set_and_get, set_and_get.py_func], ids=["compiled", "python"])
def test_the_number_of_threads_is_set_for_the_thread(threads, function):
    threads(4)
    assert function(2) == (2, 0, "cutaway")
    other = []
    thread = threading.Thread(target=lambda: other.append(cutaway.get_num_threads()))
    thread.start()
    thread.join()
    assert (cutaway.get_num_threads(), other) == (2, [4])
    for wrong in (0, -1, 5):
        with pytest.raises(ValueError, match=f"must be between 1 and 4, not {wrong}$"):
            function(wrong)
    assert function(np.int32(3))[0] == cutaway.get_num_threads() == 3
    with pytest.raises((TypeError, cutaway.errors.TypingError)):
        function(1.5)
    seen = []
    run(lambda bounds, part: seen.append(cutaway.get_num_threads()), 3)
    assert seen == [3] * 3, "pieces begin with what the caller has"


def test_what_a_piece_sets_holds_for_that_piece(threads):
    threads(4)
    seen = []

    def piece(bounds, part):
        seen.append(cutaway.get_num_threads())
        cutaway.set_num_threads(1 + part % 4)

    assert run(piece, 64) == 0
    assert seen == [4] * 64
    assert cutaway.get_num_threads() == 4


@pytest.mark.parametrize("function", [chunks, chunks.py_func], ids=["compiled", "python"])
def test_the_size_of_chunks_is_set_for_the_thread(threads, function):
    assert function(7) == (0, 7, 7)
    with pytest.raises(ValueError, match="must be 0 or more, not -1$"):
        function(-1)
    with pytest.raises((TypeError, cutaway.errors.TypingError)):
        function(1.5)
    with cutaway.parallel_chunksize(9):
        assert function(3) == (9, 3, 3)
    assert cutaway.get_parallel_chunksize() == 0


def test_the_largest_number_of_threads_is_a_setting(threads):
    threads(2)
    with cutaway.config.using(NUM_THREADS=5):
        cutaway.set_num_threads(5)
        assert cutaway.get_num_threads() == 5
        with pytest.raises(ValueError, match="between 1 and 5, not 6"):
            cutaway.set_num_threads(6)


COUNT = "import cutaway; print(cutaway.get_num_threads())"


def test_a_number_of_threads_that_is_none_is_told():
    done = in_a_process(
        "import warnings; warnings.simplefilter('ignore');" + COUNT, CUTAWAY_NUM_THREADS="many"
    )
    assert 1 <= int(done[0]) <= len(os.sched_getaffinity(0))
    with pytest.raises(AssertionError, match="the value must be a number from 1 on"):
        in_a_process(COUNT, CUTAWAY_NUM_THREADS="many")
