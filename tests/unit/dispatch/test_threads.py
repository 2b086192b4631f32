"""Threads that call and compile at once, interrupts, re-entrancy, and calls without the GIL."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import cutaway
import warm
from cutaway.compiling import attempts, compiler, sessions
from cutaway.compiling.turns import Turn
from cutaway.dispatch import resolution
from cutaway.foundation import interrupts
from cutaway.foundation.python_words import FREE_THREADED
from cutaway.runtime import stats
from cutaway.stages.observers import Observer
from cutaway.targets.cpu import engine
from cutaway.typing import types

pytestmark = pytest.mark.sampled(others=5, fast=8)

HERE = Path(__file__).parent
SECONDS = os.environ.get("CUTAWAY_HAMMER_SECONDS", "2")


def together(*works) -> list:
    """What calls give or raise, each in a thread of its own, begun at the same time."""
    results: list = [None] * len(works)
    gate = threading.Barrier(len(works))

    def run(k: int) -> None:
        gate.wait()
        try:
            results[k] = works[k]()
        except BaseException as error:  # noqa: BLE001  what the test asks for
            results[k] = error

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "the threads wait for each other"
    return results


def run_script(name: str, *arguments: object, timeout: float = 280) -> str:
    found = warm.run(
        [sys.executable, str(HERE / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return found.stdout


class Watch(Observer):
    """Calls `at(pass name)` in front of each pass, and counts the compilations."""

    listens = False

    def __init__(self, at=lambda unit, name: None) -> None:
        self.at = at
        self.units: list = []

    def compilation_started(self, unit, pipeline) -> None:
        self.units.append(unit)

    def before_pass(self, unit, step) -> None:
        self.at(unit, step.name)


@pytest.fixture
def watched(monkeypatch):
    """Attach an observer to every compilation that calls begin."""

    def attach(at=lambda unit, name: None) -> Watch:
        watch = Watch(at)
        specialize = compiler.specialize
        monkeypatch.setattr(
            compiler, "specialize", lambda half, argtypes, _: specialize(half, argtypes, (watch,))
        )
        return watch

    return attach


# --- compiling at once ------------------------------------------------------------------------


def test_threads_that_want_one_signature_compile_it_once(watched):
    @cutaway.jit
    def f(x):
        return x + 1

    watch = watched()
    assert together(*[lambda: f(1)] * 6) == [2] * 6
    assert len(set(map(id, watch.units))) == 1
    assert f.stats.compilations == 1


def test_each_thread_gets_an_error_of_its_own():
    @cutaway.jit
    def f(x):
        return x + "text"

    errors = together(*[lambda: f(1)] * 4)
    assert all(isinstance(error, cutaway.errors.TypingError) for error in errors)
    assert len(set(map(id, errors))) == 4
    assert all(error.__traceback__.tb_next is not None for error in errors)


def test_a_function_compiles_while_a_larger_one_does(watched):
    """The larger one stands in front of a pass until the smaller one has been called."""
    done = threading.Event()

    @cutaway.jit
    def small(x):
        return x + 1

    @cutaway.jit
    def large(x):
        return x * 2

    def call_small() -> int:
        assert reached.wait(30)
        found = small(1)
        done.set()
        return found

    def hold(unit, name) -> None:
        if unit.pyfunc is large.py_func and name == "ssa":
            reached.set()
            while not done.is_set():
                sessions.pause()

    reached = threading.Event()
    watched(hold)
    assert together(lambda: large(3), call_small) == [6, 2]


def test_functions_that_call_each_other_compile_in_two_threads():
    for _ in range(5):
        space: dict = {"cutaway": cutaway}
        exec(
            "@cutaway.jit\ndef f(n):\n    return 0 if n < 1 else g(n - 1) + 1\n"
            "@cutaway.jit\ndef g(n):\n    return 0 if n < 1 else f(n - 1) + 2\n",
            space,
        )
        f, g = space["f"], space["g"]
        assert together(lambda: f(4), lambda: g(4), lambda: f(5), lambda: g(5)) == [6, 6, 7, 8]


def test_what_a_failed_compilation_made_is_seen_by_nobody():
    @cutaway.jit
    def good(x):
        return x + 1

    @cutaway.jit
    def bad(x):
        return good(x) + "text"

    with pytest.raises(cutaway.errors.TypingError):
        bad(1)
    assert not good.units and not bad.units
    assert good(1) == 2


def test_what_was_begun_before_a_forget_is_not_kept(watched):
    @cutaway.jit
    def f(x):
        return x + 1

    def forget(unit, name) -> None:
        if name == "ssa":
            f.forget()

    watched(forget)
    assert f(1) == 2
    assert f.signatures == [] and not f.units


def test_types_are_interned_once_by_threads_at_once():
    for k in range(50):
        items = (types.int64,) * (k % 7 + 2) + (types.Optional(types.float64),) * (k + 1)
        found = together(*[lambda: types.Tuple(items)] * 4)
        assert len(set(map(id, found))) == 1


# --- compiling inside of compiling ------------------------------------------------------------


def test_a_compilation_may_call_other_compiled_functions(watched):
    @cutaway.jit
    def other(x):
        return x * 3

    @cutaway.jit
    def f(x):
        return other(x) + 1

    results: list = []

    def call(unit, name) -> None:
        if unit.pyfunc is f.py_func and name in ("ssa", "lower_llvm", "link"):
            results.append(other(2))
            results.append(other(2.5))

    watched(call)
    assert f(2) == 7
    assert results == [6, 7.5] * 3


def test_a_compilation_may_call_the_function_itself(watched):
    @cutaway.jit
    def f(x):
        return x + 1

    results: list = []

    def call(unit, name) -> None:
        if name == "ssa" and not results:
            results.append(None)
            results.append(f(1))

    watched(call)
    assert f(1) == 2
    assert results == [None, 2]
    assert len(f.signatures) == 1


def test_a_compilation_that_calls_itself_without_end_says_so(watched):
    @cutaway.jit
    def f(x):
        return x + 1

    def call(unit, name) -> None:
        if name == "ssa":
            f(1)

    watched(call)
    with pytest.raises(cutaway.errors.CutawayError, match="compiling f for .int64. itself calls f"):
        f(1)
    assert not attempts._UNDER_WAY


def test_a_finalizer_may_compile_anywhere():
    @cutaway.jit
    def f(x):
        return x + 1

    class Late:
        def __init__(self, n: int) -> None:
            self.value, self.me = (n,) * (n % 9 + 1), self

        def __del__(self) -> None:
            found.append(g(self.value))

    @cutaway.jit
    def g(x):
        return x[0]

    found: list = []

    def compile_some() -> None:
        for k in range(4):
            for n in range(9):
                Late(n)
            assert cutaway.jit(f.py_func)(k) == k + 1
            gc.collect()

    assert together(compile_some, compile_some) == [None, None]
    assert sorted(found) == sorted(list(range(9)) * 8)


# --- turns ------------------------------------------------------------------------------------


def test_a_turn_goes_to_who_waits_for_it():
    turn, order = Turn(), []

    def work(name: str, other: str) -> None:
        with turn.taken():
            for _ in range(3):
                order.append(name)
                while not turn._waiting and order.count(other) < 3:
                    pass
                turn.give_way()

    together(lambda: work("a", "b"), lambda: work("b", "a"))
    assert order in (list("ababab"), list("bababa"))


def test_a_turn_taken_twice_is_put_aside_and_taken_up_again():
    turn = Turn()
    with turn.taken(), turn.taken():
        with turn.put_aside():
            assert not turn._is_mine()
        assert turn._is_mine()
        turn.give_way()
    assert not turn._is_mine()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_compiles_while_other_threads_do():
    script = """
import os, sys, threading, cutaway
def make(k):
    space = {"cutaway": cutaway}
    exec(f"@cutaway.jit\\ndef f(x):\\n    return x + {k}", space)
    return space["f"]
stop = False
def work():
    k = 0
    while not stop:
        k += 1
        assert make(k)(1) == k + 1
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for t in threads: t.start()
for k in range(12):
    pid = os.fork()
    if not pid:
        import faulthandler
        faulthandler.dump_traceback_later(60, exit=True)
        os._exit(0 if make(k)(1) == k + 1 else 1)
    assert os.waitpid(pid, 0)[1] == 0
stop = True
for t in threads: t.join()
"""
    done = warm.run([sys.executable, "-c", script], timeout=100, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


# --- interrupts -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "seed", "kind"), [(12, 1, "warm"), (2, 2, "fresh")])
def test_interrupts_at_random_leave_everything_usable(rounds, seed, kind):
    interrupted, late = map(int, run_script("interrupted.py", rounds, seed, kind).split())
    assert interrupted + late >= rounds
    assert interrupted > 0


def test_an_interrupt_takes_effect_between_passes(watched):
    @cutaway.jit
    def f(x):
        return x + 1

    seen: list = []

    def ring(unit, name) -> None:
        seen.append(name)
        if name == "ssa":
            signal.raise_signal(signal.SIGINT)
            seen.append("went on")

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        watch = watched(ring)
        with pytest.raises(KeyboardInterrupt):
            f(1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)
    assert seen[-2:] == ["ssa", "went on"]
    assert not f.units and not sessions._THREAD.sessions and not attempts._UNDER_WAY
    watch.at = lambda unit, name: None
    assert f(1) == 2


def test_an_interrupt_ends_waiting_for_another_thread(watched):
    @cutaway.jit
    def f(x):
        return x + 1

    reached, go_on = threading.Event(), threading.Event()

    def hold(unit, name) -> None:
        if name == "link":
            reached.set()
            assert go_on.wait(30)

    watched(hold)
    other = threading.Thread(target=f, args=(1,))
    other.start()
    assert reached.wait(30)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            f(1)
    finally:
        signal.signal(signal.SIGINT, handler)
        go_on.set()
        other.join()
    assert f(1) == 2 and f.stats.compilations == 1


def test_what_a_handler_raises_is_what_comes_out():
    class Mine(Exception):
        pass

    def ring(number, frame) -> None:
        raise Mine

    before = signal.signal(signal.SIGUSR1, ring)
    try:
        with pytest.raises(Mine):
            with interrupts.deferred():
                signal.raise_signal(signal.SIGUSR1)
                interrupts.run_noted()
        with pytest.raises(Mine):
            with interrupts.deferred():
                signal.raise_signal(signal.SIGUSR1)
        assert signal.getsignal(signal.SIGUSR1) is ring
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_handler_that_was_set_meanwhile_stays():
    seen: list = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append("old"))
    try:
        with interrupts.deferred():
            signal.raise_signal(signal.SIGUSR1)
            new = lambda number, frame: seen.append("new")  # noqa: E731
            signal.signal(signal.SIGUSR1, new)
        assert signal.getsignal(signal.SIGUSR1) is new
        assert seen == ["new"]
    finally:
        signal.signal(signal.SIGUSR1, before)


# --- without the GIL --------------------------------------------------------------------------


def test_python_runs_during_a_call_without_the_gil():
    @cutaway.jit(nogil=True)
    def busy(n):
        s = 0.0
        for _ in range(n):
            s = s * 1.0000001 + 1.0
        return s

    busy(1)
    turns, interval = 0, sys.getswitchinterval()
    sys.setswitchinterval(100)  # a thread keeps the GIL until it gives it up
    try:
        thread = threading.Thread(target=busy, args=(3 * 10**8,))
        thread.start()
        while thread.is_alive():
            turns += 1
            threading.Event().wait(0.001)
    finally:
        sys.setswitchinterval(interval)
    assert turns > 2  # with the GIL held, one turn before the call and one after it


@cutaway.jit
def descend(n):
    return 0 if n == 0 else descend(n - 1) + 1


def test_calls_without_the_gil_do_what_others_do(capsys):
    def everything(a, k):
        if k == 1:
            raise ValueError("no", k)
        if k == 2:
            print("printed", k)
        if k == 3:
            return a[len(a) : k], descend(10)
        made = np.zeros(k)
        made[0] = round(a[0], 2) + descend(k)
        return a[1:], made.size

    held, free = cutaway.jit(everything), cutaway.jit(nogil=True)(everything)
    array = np.arange(5.0)
    count, (allocated, released) = sys.getrefcount(array), stats()
    for k in (2, 3, 4):
        for _ in range(5):
            (view, number), (expected, wanted) = free(array, k), held(array, k)
            assert view.base is array and np.array_equal(view, expected) and number == wanted
    assert free(array[1:], 4)[0].tolist() == [2.0, 3.0, 4.0]
    for _ in range(5):
        with pytest.raises(ValueError) as raised:
            free(array, 1)
        assert raised.value.args == ("no", 1)
    assert capsys.readouterr().out == "printed 2\n" * 10
    with pytest.raises(RecursionError):
        cutaway.jit(nogil=True)(descend.py_func)(10**9)
    del view, expected
    assert sys.getrefcount(array) == count
    assert np.subtract(*stats()) == allocated - released


def test_the_last_reference_to_an_array_may_go_without_the_gil():
    """The array's class has a finalizer in Python, run by compiled code that has no GIL."""

    class Buffer:
        def __init__(self) -> None:
            self.array = np.arange(4.0)

        @property
        def __array_interface__(self):
            return self.array.__array_interface__

        def __del__(self) -> None:
            gone.append(total(np.ones(3)))

    @cutaway.jit(nogil=True)
    def total(a):
        s = 0.0
        for x in a[1:]:
            s += x
        return s

    gone: list = []
    works = [lambda: [total(np.asarray(Buffer())) for _ in range(50)]] * 4
    assert together(*works) == [[6.0] * 50] * 4
    gc.collect()
    assert gone == [2.0] * 200


def test_nogil_is_part_of_the_call_and_not_of_the_code():
    one, other = cutaway.jit(nogil=True)(descend.py_func), cutaway.jit(descend.py_func)
    assert one.half.flags == other.half.flags
    assert one.half.flags.nogil and not other.half.flags.nogil
    with pytest.raises(cutaway.errors.OptionError, match="nogil must be True or False"):
        cutaway.jit(nogil=1)


def test_a_dispatcher_may_go_while_it_runs_without_the_gil():
    def busy(n):
        s = 0
        for k in range(n):
            s += k % 7 * (s & 3)
        return s

    compiled = cutaway.jit(nogil=True)(busy)
    compiled(1)
    gone, results = weakref.ref(compiled), []
    thread = threading.Thread(target=lambda f: results.append(f(10**8)), args=(compiled,))
    thread.start()
    compiled.forget()
    del compiled
    gc.collect()
    cutaway.jit(busy)(5)
    thread.join()
    del thread
    gc.collect()
    assert gone() is None
    assert results == [cutaway.jit(busy)(10**8)]


# --- calls inside of calls, and small stacks --------------------------------------------------


def test_a_function_may_be_forgotten_by_what_it_calls(capsys, monkeypatch):
    @cutaway.jit
    def f(x):
        print(x)
        return x + 1

    monkeypatch.setattr(sys.stdout, "write", lambda text: (f.forget(), gc.collect(), 1)[-1])
    assert [f(1), f(1.5)] == [2, 2.5]


def test_recursion_through_exceptions_ends_in_an_exception():
    depth = 0

    class Failed(Exception):
        def __init__(self, *args) -> None:
            nonlocal depth
            depth += 1
            fail(1)

    @cutaway.jit
    def fail(x):
        if x > 0:
            raise Failed("again")
        return x

    with pytest.raises(RecursionError):
        fail(1)
    assert depth > 10
    assert fail(0) == 0


@pytest.mark.parametrize("nogil", [False, True])
# From 3.14 on Python's parser finds so small a stack too small.
@pytest.mark.parametrize("kilobytes", [128 if sys.version_info >= (3, 14) else 64, 256])
def test_small_stacks_end_in_an_exception(kilobytes, nogil):
    results: list = []

    def run() -> None:
        compiled = cutaway.jit(nogil=nogil)(descend.py_func)
        results.append(descend(10))
        for n in (20, 10**9, 30):
            try:
                results.append(compiled(n))
            except RecursionError as error:
                results.append(str(error))
        results.append(
            cutaway.jit(nogil=nogil)(lambda a: (a * a).sum() if False else a[0])(np.arange(3.0))
        )

    def descend_in_python(n: int) -> None:
        if n:
            descend_in_python(n - 1)
        else:
            run()

    before = threading.stack_size(kilobytes * 1024)
    try:
        thread = threading.Thread(target=descend_in_python, args=(50,))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert results == [10, 20, "maximum recursion depth exceeded", 30, 0.0]


# --- in a free-threaded Python, and in others ----------------------------------------------------


def test_importing_and_compiling_leaves_the_gil_as_it_is():
    program = "import sys, cutaway; from cutaway import cuda; import numpy as np"
    program += "; from cutaway.driver_c import _driver"
    program += "; cutaway.vectorize(lambda a: a + 1)(1.0)"
    program += "; cutaway.jit(lambda: np.random.random())()"
    program += "; assert cutaway.jit(lambda a: a + 1)(1) == 2; print(sys._is_gil_enabled())"
    if not hasattr(sys, "_is_gil_enabled"):
        program = program.replace("sys._is_gil_enabled()", "True")
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", program],
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHON_GIL"},
    )
    assert run.stdout == f"{not FREE_THREADED}\n", run.stderr


@pytest.mark.parametrize("forceobj", [False, True])
def test_a_generator_goes_on_in_one_thread(forceobj):
    reached, go_on = threading.Event(), threading.Event()

    def meet() -> None:
        reached.set()
        assert go_on.wait(30)

    if forceobj:

        @cutaway.jit(forceobj=True)
        def waiting():
            yield 1
            meet()
            yield 2

    else:

        @cutaway.jit
        def waiting():
            yield 1
            with cutaway.objmode():
                meet()
            yield 2

    generator, items = waiting(), []
    assert next(generator) == 1
    thread = threading.Thread(target=lambda: items.append(next(generator)))
    thread.start()
    try:
        assert reached.wait(30)
        for ask in (lambda: next(generator), generator.close):
            with pytest.raises(ValueError, match="generator already executing"):
                ask()
    finally:
        go_on.set()
        thread.join()
    assert items == [2] and list(generator) == []


def test_what_is_dropped_during_a_call_goes_after_it():
    reached, go_on = threading.Event(), threading.Event()

    def meet() -> None:
        reached.set()
        assert go_on.wait(30)

    @cutaway.jit(forceobj=True)
    def busy():
        meet()
        return 7

    @cutaway.jit
    def dropped(x):
        return x + 1

    results = []
    busy_thread = threading.Thread(target=lambda: results.append(busy()))
    busy_thread.start()
    assert reached.wait(30) and dropped(1) == 2
    (made,) = dropped._made
    dropped.forget()
    go_on.set()
    busy_thread.join()
    assert results == [7] and dropped(1.5) == 2.5
    assert made(1) == 2 and sys.getrefcount(made) <= 2
    dropped.forget()


# --- all at once ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_hammer():
    seed = os.environ.get("CUTAWAY_HAMMER_SEED", "1")
    done = run_script("hammer.py", SECONDS, seed, timeout=3600)  # it notices when all threads wait
    kinds = "share own refuse forget collect install carry trace iterate describe"
    assert all(f"'{kind}'" in done for kind in kinds.split())


def test_resolution_is_loaded_once():
    from cutaway.dispatch import dispatcher

    assert dispatcher._resolution() is resolution


def test_a_thread_that_compiles_may_wait_for_llvm_while_another_one_forks():
    begun = threading.Event()

    def compiles() -> None:
        sessions._TURN.take()
        begun.set()
        time.sleep(0.3)  # the other thread is forking by now
        with engine._LOCK:
            pass
        sessions._TURN.leave()

    thread = threading.Thread(target=compiles)
    thread.start()
    begun.wait()
    signal.alarm(20)  # ends the process where each waits for the other
    child = os.fork()
    if child == 0:
        os._exit(0)
    signal.alarm(0)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
