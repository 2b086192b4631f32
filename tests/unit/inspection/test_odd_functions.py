"""Records of odd functions: nothing hangs, crashes or tells one process from another."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import threading
import time
import weakref
from types import ModuleType

import numpy as np
import pytest

import cutaway
import warm
from cutaway.errors import CutawayError, PipelineError
from cutaway.inspection.record.values import value_text
from cutaway.inspection.witness import copies
from extending.point import Point, make_point

pytestmark = [
    pytest.mark.sampled(test=3, others=9, fast=16),
    pytest.mark.usefixtures("one_processor"),
]

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def scaled(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * x
    return s


def page_of(compilation, folder) -> bytes:
    return compilation.report(folder / "page.html", times=False).read_bytes()


# --- the same text each time --------------------------------------------------------------------


def test_a_lambda_gives_the_same_page_each_time(tmp_path):
    double = lambda x: x * 2.0  # noqa: E731
    first, second = (page_of(cutaway.trace(double, 1.0), tmp_path) for _ in range(2))
    assert first == second


def test_a_name_that_is_not_ascii_gives_the_same_page_each_time(tmp_path):
    def größe(λ):
        return λ + 1

    first, second = (page_of(cutaway.trace(größe, 1), tmp_path) for _ in range(2))
    assert first == second


def test_memory_that_is_not_initialized_is_shown_as_zeros():
    def empty(n):
        a = np.empty(n)
        b = np.empty_like(a)
        return b

    np.full(3, 7.0)  # leaves its memory to the next array of the size
    values = cutaway.trace(empty, 3).record.values
    assert values.of("a")[0].values == values.of("b")[0].values == ("[0., 0., 0.] float64",)


def test_bytecode_tells_no_addresses():
    def outer(x):
        def inner(y):
            return y + x

        return inner(1)

    text = cutaway.trace(outer, 1).at("bytecode").text
    assert "<code inner>" in text and not _ADDRESS.search(text)


def test_a_set_in_the_bytecode_is_in_order():
    space: dict[str, object] = {}
    exec("def f(x):\n    return x in {'c', 'a', 'b'}\n", space)
    text = cutaway.trace(space["f"], "a").at("bytecode").text
    assert "frozenset({'a', 'b', 'c'})" in text


class Rude:
    """Refuses to be shown and to be copied."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __deepcopy__(self, memo: object) -> Rude:
        raise RuntimeError("no")


class Plain:
    """Has an address as its text."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Rude(), "<Rude>"),
        ([Rude()], "<list>"),
        (10**5000, "<int>"),
        (np, "<module 'numpy'>"),
        (ModuleType("m"), "<module 'm'>"),
        ("x" * 10**6, "'" + "x" * 76 + "..."),
        ([1] * 10**6, "[" + "1, " * 25 + "1..."),
    ],
    ids=["rude", "rude item", "long number", "module", "new module", "long text", "long list"],
)
def test_any_value_is_written_in_a_line(value, text):
    assert value_text(value) == text


def test_no_value_is_written_with_its_address():
    assert "0x" not in value_text([Plain()])


def test_remarks_name_functions_as_users_do():
    found = cutaway.trace(lambda x: x + 1, 1).record.remarks
    assert len(found) and not any("$" in row.subject + row.reason for row in found)


def test_functions_of_extensions_give_the_same_page_each_time(tmp_path):
    def sums(x):
        p = make_point(x, x + 1.0)
        return p

    first, second = (page_of(cutaway.trace(sums, 1.0), tmp_path) for _ in range(2))
    assert first == second


# --- what the function does ---------------------------------------------------------------------


def test_an_operation_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("cutaway.inspection.record.values._LAST_SECONDS", 0.3)

    def slow(n):
        return sum(range(n))

    assert "had not ended" in str(cutaway.trace(slow, 10**12).record.values)


def test_a_loop_of_slow_operations_keeps_the_values_that_it_had(monkeypatch):
    monkeypatch.setattr("cutaway.inspection.record.values.MOST_SECONDS", 0.2)

    def slow(n):
        s = 0.0
        for _ in range(10**9):
            s += np.zeros(n).sum()
        return s

    values = cutaway.trace(slow, 200_000).record.values
    assert "took more than 0.2 seconds" in str(values) and values.of("s")


def test_a_crash_of_the_program_is_one_of_its_own_process(monkeypatch):
    def dies(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    monkeypatch.setattr("cutaway.inspection.record.values._run", dies)
    assert "died of SIGSEGV" in str(cutaway.trace(scaled, np.ones(2), 1.0).record.values)


def test_a_record_changes_nothing_of_the_users(capfd):
    def busy(a):
        print("hello")
        a[0] = np.random.random()

    a = np.zeros(2)
    before = np.random.get_state()[1].tolist()
    assert cutaway.trace(busy, a).record.values
    assert capfd.readouterr().out == "" and not a.any()
    assert np.random.get_state()[1].tolist() == before


def test_large_arguments_are_not_copied_and_that_is_said(monkeypatch):
    monkeypatch.setattr(copies, "MOST_BYTES", 1 << 20)
    c = cutaway.trace(scaled, np.ones(300_000), 1.0)
    assert c.arguments is None
    said = "the arguments take 2 MiB"
    assert said in str(c) and said in str(c.record.values)
    assert c.witness().sampled and c.witness(np.ones(3), 2.0).ok


@pytest.mark.parametrize("make", [list, bytearray, lambda n: memoryview(bytes(n)), np.zeros])
def test_the_size_of_arguments_is_known_before_they_are_copied(make, monkeypatch):
    monkeypatch.setattr(copies, "MOST_BYTES", 1000)
    given = make([0] * 2000) if make is list else make(2000)
    assert copies.kept((given,))[0] is None and copies.kept(((1, given),))[0] is None
    assert copies.kept((1, "x", np.zeros(3)))[1] == ""


# --- other threads and processes ----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_is_forked_while_another_thread_makes_a_record():
    compiled = cutaway.njit(scaled)
    started = threading.Event()

    def others() -> None:
        for _ in range(2):
            started.set()
            assert compiled.trace(np.ones(2), 1.0).record

    thread = threading.Thread(target=others)
    thread.start()
    started.wait()
    time.sleep(0.1)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if cutaway.trace(scaled, np.ones(2), 1.0).record.passes else 1)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_a_trace_leaves_no_memory_behind():
    found = cutaway.trace(scaled, np.ones(1000), 2.0, level="rewrite")
    assert found.record.passes
    gone = [weakref.ref(found), weakref.ref(found.record), weakref.ref(found.arguments[0])]
    del found
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


def test_another_process_makes_the_same_page(tmp_path):
    source = tmp_path / "program.py"
    source.write_text(
        "import sys, cutaway\n"
        "def f(x):\n"
        "    k = {'a': 1} if x is None else 2\n"
        "    g = lambda y: y * k\n"
        "    return g(x)\n"
        "cutaway.trace(f, 1.5, level='rewrite').report(sys.argv[1], times=False)\n"
    )
    pages = []
    for seed in ("1", "2"):
        page = tmp_path / f"{seed}.html"
        env = {**os.environ, "PYTHONHASHSEED": seed}
        warm.run([sys.executable, str(source), str(page)], env=env, check=True)
        pages.append(page.read_bytes())
    assert pages[0] == pages[1]


def test_a_failed_compilation_answers_each_question():
    def refused(x):
        return {x, "a"}

    c = cutaway.trace(refused, 1)
    assert c.error is not None and c.record.error is not None
    with pytest.raises((CutawayError, PipelineError)):
        _ = c.cost


def test_a_value_of_an_extension_type_is_known_before_any_call():
    def same(p):
        return p.x

    assert cutaway.trace(same, Point(1.0, 2.0)).at("asm").run(Point(3.0, 4.0)) == 3.0


def test_functions_that_call_each_other_have_a_record():
    @cutaway.njit
    def down(n):
        return 0 if n < 1 else up(n - 1) + 1

    @cutaway.njit
    def up(n):
        return 0.5 if n < 1 else down(n - 1)

    record = down.trace(3).record
    assert record.error is None
    assert record.function.lives["n"]
