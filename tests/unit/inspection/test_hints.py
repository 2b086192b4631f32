"""A hint is shown only if it was tried: each is followed here, and does what it says.

All programs of the case table: `python tests/corpora.py hints`.
"""

from __future__ import annotations

import re
from math import exp

import numpy as np
import pytest

import corpora
import cutaway
from corpus.programs.cases import CASES
from cutaway.errors import CutawayError
from cutaway.inspection.explaining.edits import edited
from cutaway.inspection.hints import trying
from cutaway.inspection.hints.cures import SourceCures
from cutaway.inspection.hints.llvm_loops import loops_in
from cutaway.inspection.hints.trying import flags_with
from cutaway.inspection.witness.outcomes import Tolerance, compare, perform

pytestmark = pytest.mark.sampled(test=2, others=12)

# What stands in LLVM's own messages and means nothing to users: its values, types and passes.
RAW = re.compile(
    r"%[\w$\"]|\$[\d\w]+\.|\.slow\.|FastISel|SelectionDAG|eliminating argument|getelementptr|icmp"
    r"|fcmp|sitofp|insertvalue"
    r"|shufflevector|\bi64 %|\bcost \d|threshold|speculatively|\bphi\b|\bGEP\b"
    r"|Control flow|Cannot |terminator|noalias|llvm\."
)
MATH = Tolerance(4096, 1e-9, zero_signs=False)


@cutaway.jit
def attracted(x, out, m):
    """Two things stand in the way of vectors: a division, and sums in elements of an array."""
    for i in range(len(m)):
        for j in range(len(m)):
            d = x[j] - x[i]
            out[i] += m[j] * (1.0 / (d * d + x[i]))


@cutaway.jit
def waves(a):
    """A function of the C library for one item at a time."""
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = np.sqrt(a[i]) + exp(a[i])
    return out


def running(bright, out):
    """What one iteration writes another one reads: no other array may be written."""
    for y in range(1, len(bright)):
        bright[y] += 0.5 * bright[y - 1] + out[y]
    return bright


def counted(hist, a):
    """An index that each iteration takes from an array."""
    for k in a:
        hist[k] += 1
    return hist


def tallest(a):
    """A maximum of floats."""
    top = 0.0
    for i in range(1, len(a)):
        step = abs(a[i] - a[i - 1])
        if step > top:
            top = step
    return top


def multiplied(a, b):
    """Calls of the library's own functions, which nobody can decorate."""
    return a @ b @ a


def ended(a, out, n):
    """An index that nothing proves."""
    out[n - 1] = a[n - 1]
    return out


TABLE = np.array([2.0, 3.0, 4.0])


def of_a_global(a):
    """The size of a global array is known."""
    s = 0.0
    for i in range(len(a)):
        for k in range(3):
            s += a[i] * TABLE[k]
    return s


A = np.linspace(0.5, 2.0, 40)


def answers_of(compilation):
    """The hints for the remarks of a compilation, with the remarks."""
    remarks = compilation.remarks
    found = compilation.hints.tried.answers
    return [(remarks.rows[number], answer) for number, answer in found.items()]


def follow(compilation, answer) -> None:
    """Do what a hint says, and compare with Python and at every level."""
    function = compilation.unit.pyfunc
    made = edited(function, [edit for cure in answer.cures for edit in cure.edits])
    assert made is not None
    args = compilation.arguments
    assert compare(perform(function, args), perform(made, args)) is None or answer.cures[0].options
    options = {name: value for cure in answer.cures for name, value in cure.options}
    if any(cure.inlined for cure in answer.cures):
        return
    again = cutaway.jit(**options)(made).trace(*args)
    done = perform(cutaway.jit(**options)(made), args)
    assert compare(perform(function, args), done, MATH if options else Tolerance()) is None or (
        again.witness(*args).ok
    )


def check(function, args) -> int:
    """Trace a program, follow each hint, and read all that is said; how many hints there were."""
    try:
        compilation = cutaway.jit(function).trace(*args)
        remarks = compilation.remarks
    except CutawayError:
        return 0
    found = answers_of(compilation)
    for _, answer in found:
        follow(compilation, answer)
    for row in remarks:
        own = re.sub(r"`[^`]*`", "", f"{row.message} {row.hint}")
        assert not RAW.search(own), row.message
    return len(found)


@pytest.mark.parametrize("number", corpora.seeds("HINTS"))
def test_each_hint_for_the_case_table_does_what_it_says(number) -> None:
    case = CASES[number * 37 % len(CASES)]
    check(case.function, case.arguments[0]())


def test_what_stands_in_the_way_is_named_and_cures_are_tried_together() -> None:
    args = (A, np.zeros(40), A[::-1].copy())
    compilation = attracted.trace(*args)
    rows = [row for row in compilation.remarks if row.pass_name == "LoopVectorize"]
    named = next(row for row in rows if "may raise" in row.message)
    assert "`1.0 / (d * d + x[i])`" in named.message
    found = answers_of(compilation)
    hints = [answer for row, answer in found if row is named]
    assert hints and 'error_model="numpy"' in hints[0].words
    assert "the loop is vectorized, " in hints[0].words
    assert str(compilation.remarks).count("hint: ") >= 1
    for _, answer in found:
        follow(compilation, answer)


def test_a_function_that_is_called_for_each_item_is_named() -> None:
    rows = [row for row in waves.trace(A).remarks if row.pass_name == "LoopVectorize"]
    assert any("it calls `exp` for one item at a time" in row.message for row in rows)
    hints = [row.hint for row in rows if row.hint]
    assert hints and all("vector_math=True" in hint for hint in hints)


@pytest.mark.parametrize("function", [running, counted, tallest])
def test_where_nothing_helps_the_cause_is_named_without_advice(function) -> None:
    args = {
        running: (np.ones(40), np.ones(40)),
        counted: (np.zeros(9, np.int64), np.arange(40) % 9),
        tallest: (A,),
    }[function]
    remarks = cutaway.jit(function).trace(*args).remarks
    reasons = " ".join(row.message for row in remarks.of("missed"))
    assert "hint:" not in str(remarks)
    words = {running: "`bright[y - 1]`", counted: "the index of `hist[k]`", tallest: "needs `top`"}
    assert words[function] in reasons


def test_functions_of_the_library_have_no_hint_and_no_name_of_their_own() -> None:
    one = np.ones((30, 30))
    remarks = cutaway.jit(multiplied).trace(one, one).remarks
    inliner = [row for row in remarks if row.pass_name == "Inliner"]
    assert not any("lambda" in row.message or row.hint for row in inliner)


def test_an_assertion_is_shown_if_it_removes_the_check() -> None:
    found = answers_of(cutaway.jit(ended).trace(A, A.copy(), 7))
    assert any("assert 0 <= n - 1 < len(out)" in answer.words for _, answer in found)


def test_the_size_of_a_global_array_is_known() -> None:
    remarks = cutaway.jit(of_a_global).trace(A).remarks
    assert not [row for row in remarks.of("missed") if "TABLE" in row.message]


def test_what_was_not_tried_is_said(monkeypatch) -> None:
    monkeypatch.setattr(trying, "MOST_TRIED", 0)
    remarks = cutaway.jit(ended).trace(A, A.copy(), 7).remarks
    assert "2 hints were not tried: at most 0 programs are compiled for them" in str(remarks)
    assert remarks.to_dict()["untried"] == remarks.untried
    typed = cutaway.jit(ended).trace(*map(cutaway.typeof, (A, A, 7))).remarks
    assert "there are no arguments" in str(typed)


def test_a_record_has_the_hints_that_help_and_no_times() -> None:
    record = cutaway.jit(ended).trace(A, A.copy(), 7).record
    assert any("in front of line" in one.hint for one in record.remarks)
    decisions = [one for entry in record.function.passes for one in entry.decisions]
    assert any("in front of line" in one.hint for one in decisions)
    assert not any("times as" in one.hint for one in record.remarks)


def test_plain_remarks_try_nothing(monkeypatch) -> None:
    monkeypatch.setattr(trying, "in_child", None)  # whoever tries calls it
    remarks = cutaway.jit(ended).trace(A, A.copy(), 7).remarks
    assert any(row.kind == "missed" for row in remarks)


def test_options_of_cures_become_flags() -> None:
    flags = cutaway.jit(ended).trace(A, A.copy(), 7).unit.flags
    cure = trying.Cure("", options=(("fastmath", True),))
    assert flags_with(flags, (cure,)).fastmath
    assert flags_with(flags, ()) == flags


def test_a_loop_of_llvm_has_its_exits_and_calls() -> None:
    text = [
        "define void @f() {",
        "entry:",
        "  br label %head  ; 4:8",
        "head:",
        "  %i = phi i64 [ 0, %entry ], [ %j, %more ]",
        "  %y = call double @exp(double %x)  ; 5:2",
        "  br i1 %c, label %b.raise.1, label %more  ; 5:9",
        "more:",
        "  br i1 %d, label %head, label %out  ; 4:8",
        "b.raise.1:",
        "  ret void",
        "out:",
        "  ret void",
        "}",
    ]
    (loop,) = loops_in(text)
    assert loop.raising == ((5, 9),)
    assert loop.leaving == ((4, 8),)
    assert loop.calls == (("exp", (5, 2)),)
    assert loop.phis == ("i",)


def test_an_assertion_goes_before_the_loops_that_change_none_of_its_names() -> None:
    source = SourceCures.of(of_a_global)
    first = of_a_global.__code__.co_firstlineno
    inner = first + 5  # s += a[i] * TABLE[k]
    outside = source.statement("assert 3 <= len(TABLE)", inner)
    assert f"in front of line {first + 3}" in outside.words
    assert source.statement("assert k < 3", inner) is None
