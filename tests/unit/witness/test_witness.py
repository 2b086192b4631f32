"""Every pass, tried out on the user's arguments."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

import cutaway
from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import replace
from cutaway.inspection.witness.judge import Mark
from cutaway.ir import nodes
from cutaway.stages.catalog import PASSES
from extending.point import make_point

pytestmark = pytest.mark.sampled(test=4, others=12, fast=0)

REAL = {step.name: step for step in PASSES}
SCALE = 3
FAR_APART = np.zeros(10**7)[:: 10**6]


def with_pass(name, run):
    """The pipeline with another pass in the place of one."""
    return cutaway.pipelines.nopython.replace(name, replace(REAL[name], run=run))


def marks(found):
    """The passes by their marks, those with the same mark in a row as one."""
    rows = []
    for row in found:
        if not rows or rows[-1] != row.described:
            rows.append(row.described)
    return rows


def test_a_sound_compilation_is_equal_behind_every_pass():
    f = cutaway.jit(lambda a, n: a * n + 1)
    found = f.trace(3, 4).witness(3, 4)
    assert found.ok
    assert marks(found) == ["equal"]
    assert [row.name for row in found] == list(cutaway.pipelines.nopython.names)
    assert str(found).splitlines()[-1] == (
        "no pass of 25 changed what it does; this is evidence for these arguments, not a proof"
        " for others"
    )


def test_without_arguments_small_ones_are_made_up():
    found = cutaway.jit(lambda a, b: a + b).trace(cutaway.int64, cutaway.float64).witness()
    assert found.ok
    assert "with sample arguments" in str(found)


@pytest.mark.parametrize(
    ("function", "args", "entry", "first"),
    [
        (lambda n: n * n, (2**40,), "int64-wrap", "infer_types"),
        (lambda n: 1 << n, (64,), "shifts", "infer_types"),
        (lambda c: 1 if c else 0.5, (True,), "one-type", "infer_types"),
        (lambda a: a[0] - a[1], (np.array([1, 2], np.uint8),), "numpy-scalars", "infer_types"),
        (lambda a, n: a[0] + n, (np.array([2], np.uint64), 3), "uint64-mix", "infer_types"),
        (lambda x: (x, 1) == (x, 1), (float("nan"),), "nan-identity", "lower_llvm"),
        (lambda a, b: a**b, (2, -1), "int-power", "infer_types"),
        (lambda a, b: a**b, (-8.0, 0.5), "real-power", "infer_types"),
        (lambda: FAR_APART.strides, (), "packed-globals", "lower_llvm"),
    ],
)
def test_what_the_ledger_permits_is_named_where_it_comes_in(function, args, entry, first):
    found = cutaway.jit(function).trace(*args).witness(*args)
    assert found.ok, str(found)
    within = next(row for row in found if row.mark is Mark.declared)
    assert within.name == first, str(found)
    assert entry in within.entries, str(found)


def store(a, n):
    a[0] = n
    return a


def test_a_store_that_wraps_is_named():
    args = (np.zeros(2, np.uint8), 300)
    found = cutaway.jit(store).trace(*args).witness(*args)
    assert marks(found) == ["equal", "declared difference: store-wrap"]


def unpack(t):
    _, *rest = t
    return rest


def test_a_starred_target_is_named():
    found = cutaway.jit(unpack).trace((1, 2, 3)).witness((1, 2, 3))
    assert marks(found) == ["equal", "declared difference: starred-tuple"]
    assert next(row.name for row in found if row.entries) == "infer_types"


def sum_of(a):
    s = 0.0
    for x in a:
        s += x
    return s


def test_fastmath_is_named_only_where_it_is_on():
    args = (np.random.default_rng(1).random(1000),)
    found = cutaway.jit(fastmath=True)(sum_of).trace(*args).witness(*args)
    assert found.ok
    assert "fastmath" in found.rows[-1].entries
    plain = cutaway.jit(sum_of).trace(*args).witness(*args)
    assert plain.rows[-1].entries == ("numpy-scalars",)


def inverse(x):
    return 1.0 / x


def item(a):
    return a[4]


def test_options_that_change_meaning_are_named():
    found = cutaway.jit(error_model="numpy")(inverse).trace(0.0).witness(0.0)
    assert marks(found) == ["equal", "declared difference: error-model"]
    args = (np.arange(10.0)[:3],)
    found = cutaway.jit(boundscheck=False)(item).trace(*args).witness(*args)
    assert found.rows[-1].entries == ("no-bounds-check",)


@cutaway.jit
def inner(n):
    return n * n // 7


def test_what_wraps_in_a_function_that_is_called_is_named():
    found = cutaway.jit(lambda n: inner(n) + 1).trace(2**40 + 1).witness(2**40 + 1)
    assert found.ok, str(found)
    assert found.rows[-1].entries == ("int64-wrap",)


def test_a_declared_variable_is_named():
    def declared(x):
        y = x
        return y

    found = cutaway.jit(locals={"y": "int64"})(declared).trace(2.75).witness(2.75)
    assert "declared-locals" in found.rows[-1].entries


def test_a_global_that_changed_meanwhile_is_named(monkeypatch):
    trace = cutaway.jit(lambda x: x * SCALE).trace(2)
    monkeypatch.setitem(globals(), "SCALE", 5)
    found = trace.witness(2)
    assert marks(found) == ["equal", "declared difference: frozen-globals"]


def test_an_entry_excuses_nothing_but_what_it_names():
    """The integer wraps, by right; the wrong constant behind it has none."""

    def wrong(unit):
        REAL["simplify"].run(unit)
        unit.fn.blocks[0].ops[:] = [
            nodes.replace(op, value=2) if getattr(op, "value", None) == 1 else op
            for op in unit.fn.blocks[0].ops
        ]

    f = cutaway.jit(pipeline=with_pass("simplify", wrong))(lambda n: n * n + 1)
    found = f.trace(2**40).witness(2**40)
    assert found.first_different.name == "simplify"
    assert found.rows[-1].mark is Mark.different


def test_types_that_no_entry_permits_are_told():
    def wrong(unit):
        REAL["infer_types"].run(unit)
        for name, ty in unit.types.items():
            if ty is cutaway.float64:
                unit.types[name] = cutaway.float32

    f = cutaway.jit(pipeline=with_pass("infer_types", wrong))(lambda x, y: x * y + 0.1)
    found = f.trace(0.1, 3.0).witness(0.1, 3.0)
    assert found.first_different.name == "infer_types"
    assert "as float32" in found.first_different.words


def test_arguments_that_overlap_are_passed_so():
    def moves(a, b):
        for i in range(len(b)):
            a[i] = b[i] + 1.0

    memory = np.arange(6.0)
    args = (memory[1:], memory[:-1])
    found = cutaway.jit(moves).trace(*args).witness(*args)
    assert found.ok
    assert memory.tolist() == list(range(6))


def test_each_run_begins_with_the_state_that_the_others_had():
    def draws(n):
        return n

    random.seed(3)
    before = random.getstate()
    assert cutaway.jit(draws).trace(1).witness(1).ok
    assert random.getstate() == before


def test_what_python_does_not_do_twice_is_not_judged(monkeypatch):
    calls = []

    def clock(x):
        return x

    def unsteady(self, unit):
        calls.append(1)
        from_time = real(self, unit)
        outcomes = tuple(replace(one, value=time.perf_counter()) for one in from_time.outcomes)
        return replace(from_time, outcomes=outcomes)

    trace = cutaway.jit(clock).trace(1)
    from cutaway.inspection.witness.runs import Runner

    real = Runner.python
    monkeypatch.setattr(Runner, "python", unsteady)
    found = trace.witness(1)
    assert found.ok
    assert found.rows[-1].words == "Python itself does something else the second time"


def test_prints_are_compared():
    def says(x):
        print("x is", x)
        return x

    found = cutaway.jit(says).trace(3).witness(3)
    assert found.ok, str(found)


def test_several_calls_in_a_row_are_compared():
    args = (np.zeros(2), 3)
    found = cutaway.jit(store).trace(*args).witness(*args, repeat=3)
    assert found.ok


def test_a_program_that_does_not_end_is_not_judged():
    def forever(n):
        while n > 0:
            n = n + 1 if n < 5 else n - 1
        return n

    found = cutaway.jit(forever).trace(1).witness(1, seconds=0.2)
    assert found.ok
    assert found.rows[0].words == "Python itself had not ended after 0.2 seconds"
    assert found.summary == "nothing could be run: no result"


def test_what_is_too_slow_for_the_interpreter_is_not_judged_there():
    def long(n):
        s = 0
        for i in range(n):
            s += i % 7
        return s

    found = cutaway.jit(long).trace(1).witness(1_000_000, seconds=1.5)
    assert found.ok, str(found)
    assert "the interpreter is slow" in found.rows[2].words
    assert found.rows[-1].mark is Mark.equal


def test_where_typed_ir_is_too_slow_nobody_is_accused():
    def powers(n):
        s = 1
        for i in range(n):
            s = (s * 3 + i) % 1000003 if i < n - 1 else s << 70
        return s

    found = cutaway.jit(powers).trace(1).witness(1_000_000, seconds=1.5)
    assert found.ok, str(found)
    assert "typed IR was too slow to check" in found.rows[-1].words


def test_a_compilation_that_failed_is_judged_as_far_as_it_went():
    found = cutaway.jit(lambda x: x.nothing).trace(1).witness(1)
    assert found.ok
    assert found.rows[-1].mark is Mark.skipped
    assert "the compilation ended here" in found.rows[-1].words


@pytest.mark.parametrize("args", [(1.5,), (np.zeros(2),), (1, 2), (object(),)])
def test_arguments_of_other_types_are_refused(args):
    with pytest.raises(PipelineError, match=r"is not of type|takes|argument"):
        cutaway.jit(lambda n: n + 1).trace(1).witness(*args)


def test_where_there_are_no_samples_that_is_said():
    trace = cutaway.jit(lambda t: len(t)).trace(cutaway.typeof("text"))
    with pytest.raises(PipelineError, match="no sample arguments"):
        trace.witness()


def test_it_is_drawn_and_given_as_data():
    found = cutaway.jit(lambda n: n * n).trace(2**40).witness(2**40)
    data = found.to_dict()
    assert data["ok"] is True
    assert data["rows"][-1]["entries"] == ["int64-wrap"]
    html = found._repr_mimebundle_()["text/html"]
    assert "declared difference" in html
    assert "int64-wrap" in html


@pytest.mark.parametrize(
    ("function", "argument"),
    [(lambda x: x, 2**70), (lambda x: int(x), 1e30)],
    ids=["argument", "conversion"],
)
def test_an_integer_that_does_not_fit_is_within_the_ledger(function, argument):
    witness = cutaway.trace(function, argument).witness()
    assert witness.ok, str(witness)
    assert "int64-wrap" in str(witness)


def test_what_only_compiled_code_can_call_is_not_called_different():
    def made(x):
        return make_point(x, x)

    witness = cutaway.trace(made, 1.0).witness()
    assert witness.ok and "make_point is an intrinsic" in str(witness)


def test_a_name_that_is_not_there_is_missed_at_each_level():
    def uses(x):
        return x + no_such_name  # noqa: F821

    witness = cutaway.trace(uses, 1).witness()
    assert witness.ok and "raises NameError" in str(witness)
