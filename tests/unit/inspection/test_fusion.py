"""Which operations on whole arrays share a loop, why others do not, and what would help."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.__main__ import main
from cutaway.errors import PipelineError
from cutaway.inspection.record.recorded import load

pytestmark = pytest.mark.sampled(test=2, others=6, fast=5)

A, B, C = (np.random.default_rng(k).random(8) for k in range(3))


def chain(a, b, c):
    t = a * b
    s = t + c
    return np.sum(s)


def twice(a, b):
    d = a - b
    return np.sum(d * 2), np.max(d)


def written(a, b):
    d = a - b
    a[0] = 1.0
    e = d * 2
    return e


def returned_at_once(a, b):
    d = a - b
    a[0] = 1.0
    return d * 2


def parts(a, b, out):
    s = a * b
    out[1:-1] = s[:-2] + s[2:]


def repeated(m, v):
    w = np.sqrt(v)
    return m * w


def branched(a, b, k):
    d = a - b
    if k:
        return d * 2
    return a * 1


def in_a_loop(a, b):
    e = a * b
    s = 0.0
    for k in range(3):
        s += np.sum(e * k)
    return s


def sizes(a, b, out):
    d = a - b
    out[0] = 1.0
    e = d * 2
    return e


def carried(a, b):
    for _ in range(3):
        a = a + b
    return a


def dotted(a, b):
    return np.dot(a * b, b)


def text_of(function, *args, what=None):
    return str(cutaway.trace(function, *args).why_not_fused(what))


def test_what_became_a_part_of_another_loop_says_so_with_its_lines():
    c = cutaway.trace(chain, A, B, C)
    line = chain.__code__.co_firstlineno
    answer = c.why_not_fused(line + 1)
    assert answer.fused
    assert f"`t = a * b` is computed in the loop of line {line + 3}; no array" in str(answer)
    loops = str(c.why_fused("s"))
    assert "one loop computes `sum(a * b + c)`" in loops
    assert "2 arrays are not made: 16 bytes per element" in loops


@pytest.mark.parametrize(
    ("function", "args", "reason"),
    [
        (twice, (A, B), "it is used 2 times, on line"),
        (written, (A, B), "may change `a` or `b`, which it is computed of, before the loop"),
        (sizes, (A, B, C), "writes to `out`, which may share memory with `a` or `b`"),
        (parts, (A, B, C), "parts of it are taken on line"),
        (repeated, (np.ones((3, 8)), A), "it has 1 axis, line"),
        (branched, (A, B, True), "behind a branch"),
        (in_a_loop, (A, B), "in a loop, where each round would compute it again"),
        (carried, (A, B), "it goes into the next round of a loop"),
        (dotted, (A, B), "passes it to `np.dot`, which takes a whole array"),
    ],
)
def test_the_reason_is_told_in_the_words_of_the_user(function, args, reason):
    text = text_of(function, *args)
    assert "is a loop of its own, and its result an array of 8 bytes per element" in text
    assert reason in text


@pytest.mark.parametrize(
    ("function", "args", "fix"),
    [
        (twice, (A, B), "np.sum((a - b) * 2), np.max(a - b), which computes it 2 times"),
        (written, (A, B), "behind line"),
        (parts, (A, B, C), "out[1:-1] = (a[:-2] * b[:-2]) + (a[2:] * b[2:])"),
        (branched, (A, B, True), "return (a - b) * 2"),
    ],
)
def test_what_would_help_was_tried(function, args, fix):
    assert fix in text_of(function, *args)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (returned_at_once, (A, B)),
        (repeated, (np.ones((3, 8)), A)),
        (in_a_loop, (A, B)),
        (dotted, (A, B)),
    ],
)
def test_what_does_not_help_is_not_told(function, args):
    c = cutaway.trace(function, *args)
    assert not any(part["fixes"] for part in c.fusion["parts"])


def test_an_edit_that_changes_the_result_is_not_told():
    def shifted(a, b):
        d = a - b
        a[0] = 7.0
        e = d * a[0]
        return e

    assert "tried with" not in text_of(shifted, A, B)


def test_an_edit_is_what_it_says():
    fix = cutaway.trace(written, A, B).why_not_fused("d").parts[0]["fixes"][0]
    line = written.__code__.co_firstlineno
    assert [number for number, _ in fix["lines"]] == [line + 2, line + 3]
    assert [text.strip() for _, text in fix["lines"]] == ["e = d * 2", "a[0] = 1.0"]


def test_a_record_from_a_file_gives_the_same_answers(tmp_path):
    c = cutaway.trace(written, A, B)
    c.save(tmp_path / "w.cutaway")
    read = load(tmp_path / "w.cutaway")
    for what in (None, "d", written.__code__.co_firstlineno + 3):
        assert str(read.why_not_fused(what)) == str(c.why_not_fused(what))
        assert str(read.why_fused(what)) == str(c.why_fused(what))


def test_where_there_is_nothing_the_error_says_where_there_is():
    c = cutaway.trace(written, A, B)
    with pytest.raises(PipelineError, match="no operation on whole arrays in 'x'") as raised:
        c.why_not_fused("x")
    assert "d, e" in raised.value.hint
    with pytest.raises(PipelineError, match="no loops over arrays were looked for"):
        cutaway.jit(pipeline=cutaway.pipelines.nopython.without("fuse_arrays"))(written).trace(
            A, B
        ).why_fused()


def test_operations_that_are_not_element_wise_are_named_where_their_line_is_asked():
    line = dotted.__code__.co_firstlineno + 1
    assert "`np.dot(a * b, b)` is no part of a loop over elements" in text_of(
        dotted, A, B, what=line
    )


def test_of_each_expression_the_remarks_have_the_last_decision():
    c = cutaway.trace(in_a_loop, A, B)
    remarks = [r for r in c.remarks if r.pass_name == "fuse_arrays"]
    assert [r.kind for r in remarks] == ["missed", "done"]
    assert "each round would compute it again" in remarks[0].message


def test_the_life_of_a_fused_variable_says_where_it_is_computed():
    c = cutaway.trace(chain, A, B, C)
    line = chain.__code__.co_firstlineno
    text = str(c.biography("t"))
    assert f"is computed in the loop of line {line + 3}: no array holds it" in text


def test_both_passes_are_printed_on_request(monkeypatch, capsys):
    monkeypatch.setenv("CUTAWAY_PRINT_BEFORE", "fuse_arrays")
    monkeypatch.setenv("CUTAWAY_PRINT_AFTER", "array_expressions,fuse_arrays")
    cutaway.jit(lambda a, b: a * b + 1.0)(A, B)
    out = capsys.readouterr().out
    assert "AFTER array_expressions" in out and "BEFORE fuse_arrays" in out
    assert "expr=a * b + 1.0" in out.partition("AFTER fuse_arrays")[2]


def test_the_command_line_explains(tmp_path, capsys):
    program = tmp_path / "program.py"
    program.write_text("def f(a, b):\n    t = a * b\n    return t + 1.0\n")
    arguments = "__import__('numpy').ones(3), __import__('numpy').ones(3)"
    assert main(["explain", f"{program}:f", "--args", arguments, "--fused"]) == 0
    out = capsys.readouterr().out
    assert "one loop computes" in out and "no array holds it" in out
