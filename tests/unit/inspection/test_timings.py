"""Times are a tree that adds up; memory is counted pass by pass."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
from fakes import fresh_unit, inner_compilation, pipeline_with, type_error

import cutaway
from cutaway.inspection.observers.timings import MOST, Timing, Timings
from cutaway.inspection.recording.recorder import record
from cutaway.inspection.trace import Compilation
from cutaway.stages.runner import PassManager


def compilation_of_add(**runs) -> Compilation:
    """A recorded run of the fake compiler."""
    return record(fresh_unit(), pipeline_with(**runs), PassManager.run)


def total(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


@cutaway.jit
def helper(x):
    return x * 2


def caller(a, x):
    return total_of(a) + helper(x)


total_of = cutaway.jit(total)


@pytest.fixture(scope="module")
def nested() -> Compilation:
    """A function that calls two others that were not compiled before."""
    return cutaway.trace(caller, np.zeros(3), 2)


def test_own_times_add_up_to_the_passes_of_the_outermost_function(nested) -> None:
    assert nested.timings.total == pytest.approx(sum(p.seconds for p in nested.passes))
    assert all(row.own_seconds >= 0 for row in nested.timings)


def test_a_nested_compilation_stands_below_the_pass_that_asked_for_it(nested) -> None:
    rows = list(nested.timings)
    names = [row.title for row in rows]
    assert names[0] == "caller(array(float64, 1d, C), int64)"
    asked = names.index("infer_types")
    assert names[asked + 1] == "total(array(float64, 1d, C))"
    inside = [row for row in rows if row.depth == 1]
    assert rows[asked].seconds >= sum(row.own_seconds for row in inside)
    assert "helper(int64)" in {row.title for row in inside}


def test_the_passes_of_llvm_stand_below_its_pass_and_small_ones_are_one_row(nested) -> None:
    rows = list(nested.timings)
    (place,) = (k for k, row in enumerate(rows) if row.name == "optimize_llvm")
    below = [row for row in rows[place + 1 :] if row.kind == "llvm"]
    assert 1 < len(below) <= MOST + 1
    assert below[-1].name.endswith(" others")
    seconds = [row.seconds for row in below[:-1]]
    assert seconds == sorted(seconds, reverse=True)
    own = rows[place].own_seconds + sum(row.own_seconds for row in below)
    assert own == pytest.approx(rows[place].seconds)


def test_the_lines_of_the_tree_lead_from_each_row_to_the_one_it_belongs_to() -> None:
    rows = [
        Timing("f", 0, "", "", 3.0, 0.0, "function"),
        Timing("f", 0, "infer_types", "", 2.0, 1.0),
        Timing("g", 1, "", "", 1.0, 0.5, "function"),
        Timing("g", 1, "ssa", "", 0.5, 0.5),
        Timing("f", 0, "optimize_llvm", "", 1.0, 0.25),
        Timing("f", 0, "GVN", "", 0.75, 0.75, "llvm"),
    ]
    timings = Timings(tuple(rows))
    assert [branch + row.title for branch, row in timings.tree()] == [
        "f",
        "├─ infer_types",
        "│  └─ g",
        "│     └─ ssa",
        "└─ optimize_llvm",
        "   └─ GVN",
    ]
    lines = str(timings).splitlines()
    assert lines[1].split() == ["3000.000", "f"]
    assert lines[3].split() == ["500.000", "1000.000", "16.7%", "│", "└─", "g"]
    assert lines[-1] == " 3000.000 ms total"


def test_small_passes_of_nested_compilations_are_shown_as_one_row() -> None:
    rows = [
        Timing("f", 0, "", "", 3.0, 0.0, "function"),
        Timing("f", 0, "ssa", "", 0.001, 0.001),
        Timing("f", 0, "infer_types", "", 2.999, 1.0),
        Timing("g", 1, "", "", 1.999, 0.0, "function"),
        Timing("g", 1, "ssa", "", 0.001, 0.001),
        Timing("g", 1, "infer_types", "", 1.997, 0.997),
        Timing("h", 2, "", "", 1.0, 0.0, "function"),
        Timing("h", 2, "ssa", "", 0.5, 0.5),
        Timing("h", 2, "simplify", "", 0.499, 0.499),
        Timing("h", 2, "refcounts", "", 0.001, 0.001),
        Timing("g", 1, "simplify", "", 0.001, 0.001),
        Timing("k", 1, "", "", 0.0, 0.0, "function"),
    ]
    folded = Timings(tuple(rows)).folded()
    assert folded.total == pytest.approx(Timings(tuple(rows)).total)
    assert [branch + row.title for branch, row in folded.tree()] == [
        "f",
        "├─ ssa",
        "└─ infer_types",
        "   ├─ g",
        "   │  ├─ infer_types",
        "   │  │  └─ h",
        "   │  │     ├─ ssa",
        "   │  │     ├─ simplify",
        "   │  │     └─ refcounts",
        "   │  └─ 2 others",
        "   └─ k",
    ]


def test_the_time_of_llvms_passes_is_shown_where_the_environment_asks(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_TIME_PASSES", "1")
    cutaway.jit(lambda a: a + 1)(1)
    out = capsys.readouterr().out
    assert "├─ optimize_llvm" in out
    assert "│  └─ " in out


def test_a_pass_says_how_many_objects_it_left_allocated() -> None:
    found = {p.name: p.memory for p in compilation_of_add().passes}
    assert found["build_ir"].objects > 5
    assert found["build_ir"].bytes is None
    assert str(found["build_ir"]).endswith(" objects")


@pytest.mark.parametrize("collect", [False, True])
def test_objects_are_counted_across_a_collection(collect: bool) -> None:
    def hold(unit) -> None:
        unit.held = [[k] for k in range(300)]
        if collect:
            gc.collect()
        unit.held += [[k] for k in range(200)]

    found = {p.name: p.memory for p in compilation_of_add(simplify=hold).passes}
    assert 300 < found["simplify"].objects < 520
    assert not [c for c in gc.callbacks if "Meter" in repr(c)]


def test_bytes_are_counted_where_they_are_asked_for() -> None:
    trace = cutaway.trace(total, np.zeros(3), memory=True)
    built = next(p.memory for p in trace.passes if p.name == "build_ir")
    assert 0 < built.bytes <= built.peak
    assert "kB, at most" in str(built)
    assert not tracemalloc.is_tracing()


def _compile_and_hold(unit) -> None:
    unit.held = [bytes(100_000)]
    inner_compilation(unit)


def test_the_memory_of_a_pass_includes_what_is_nested_in_it() -> None:
    def hold(unit) -> None:
        unit.kept = bytes(50_000)
        del unit.kept
        unit.nothing = None

    pipeline = pipeline_with(infer_types=_compile_and_hold, simplify=hold)
    found = record(fresh_unit(), pipeline, PassManager.run, memory=True)
    by_name = {p.name: p for p in found.passes}
    infer, simplify = by_name["infer_types"], by_name["simplify"]
    assert infer.memory.bytes >= 100_000
    assert simplify.memory.bytes < 50_000 <= simplify.memory.peak
    inner = infer.nested[0].passes[-1]
    assert inner.memory is not None and inner.memory.bytes < 50_000


def test_counting_ends_where_a_pass_fails() -> None:
    pipeline = pipeline_with(infer_types=type_error)
    found = record(fresh_unit(), pipeline, PassManager.run, memory=True)
    assert found.passes[-1].memory is not None
    assert not tracemalloc.is_tracing()
