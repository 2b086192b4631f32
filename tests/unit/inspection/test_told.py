"""What is told of lines, variables, loops and counts is so, by other means than told it.

CUTAWAY_TEST_SENTENCES=all looks at every program of the table (`make sentences`), else at every
so-many-eth.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from test_sentences import sample
from told import Source, of_decision, problems
from told_programs import PROGRAMS

import cutaway
from cutaway.errors import PipelineError
from cutaway.inspection.record.encoding import from_json, to_json
from cutaway.inspection.record.recorded import Record

pytestmark = pytest.mark.sampled(test=8, others=48, fast=0)


@cache
def traced(name: str) -> Any:
    function, make = PROGRAMS[name]
    return function.trace(*make())


def lives_of(name: str) -> dict[str, str]:
    """What is said of each variable of a program at last."""
    lives = traced(name).record.function.lives
    return {name: life[-1].text for name, life in lives.items() if life}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_that_is_told_of_these_programs_is_false(name):
    assert list(problems(traced(name))) == []


@pytest.mark.parametrize("case", sample(25))
def test_nothing_that_is_told_of_the_table_is_false(case):
    assert list(problems(cutaway.trace(case.function, *case.arguments[0]()))) == []


def test_false_sentences_are_found():
    source = Source(PROGRAMS["waves"][0].py_func)
    line = next(k for k, text in source.lines.items() if "rho = " in text)
    for reason in (
        f"it is used 2 times, on lines {line} and {line + 1}",
        f"line {source.first + 1} uses it in a loop",
        "it is not known whether the size of `x` is at most the size of `x`",
        "it is not known whether 9 is at most 4",
    ):
        assert list(of_decision("out = x * 2", reason, source)), reason


# --- lives --------------------------------------------------------------------------------------


def test_variables_are_followed_into_the_bodies_of_parallel_loops():
    said = lives_of("julia")
    for name in ("z", "k", "total", "c", "limit", "x"):
        assert re.match(r"is in `", said[name]), (name, said[name])
    life = [event.text for event in traced("julia").record.function.lives["total"]]
    assert any("after the parallel loop it is `$total" in text for text in life)
    assert not any(text.startswith("is the constant") for text in life)


def test_arguments_and_counters_are_followed_to_registers():
    said = lives_of("bodies")
    for name in ("pos", "soft", "steps", "i", "r2"):
        assert said[name].startswith("is in `"), (name, said[name])
    assert said["k"].startswith("is `0`, `1`, `2`"), said["k"]
    assert "3" not in said["k"]  # which ends the loop


def test_what_puts_a_value_in_a_register_is_what_writes_to_it():
    written = re.findall(r"`(v?\w+sd) [^`]*, (%xmm\d+)`", lives_of("bodies")["r2"])
    assert written and all(f"`{register}`" in lives_of("bodies")["r2"] for _, register in written)


def test_variables_of_object_code_are_in_stack_slots():
    said = lives_of("report")
    assert re.fullmatch(r"is in `\d*\(%rsp\)`", said["total"]), said["total"]


# --- lines and loops ----------------------------------------------------------------------------


def test_uses_are_on_the_lines_that_read_the_variable():
    text = str(traced("waves").why_not_fused("x"))
    source = Source(PROGRAMS["waves"][0].py_func)
    read = ("x * 0.5", "+ x[1:-1]", "return out, x, (f * f).sum()")
    (listed,) = re.findall(r"on lines? ([\d, and]+?) that", text)
    lines = {int(line) for line in re.findall(r"\d+", listed)}
    expected = {k for k, row in source.lines.items() if row.strip() in read}
    assert expected and lines == expected, text


def test_what_is_assigned_to_parts_of_arrays_is_told_of_these():
    c = traced("waves")
    assert "f[1:-1, 2:] - f[1:-1, :-2]" in str(c.why_fused("out"))
    assert "f[k] + CX[k] * u" in str(c.why_not_fused("f"))
    assert "f.sum(axis=0)" in str(c.why_fused("rho"))
    with pytest.raises(PipelineError) as raised:
        c.why_fused("size")
    assert "size" not in raised.value.hint and "out" in raised.value.hint


def test_sizes_of_constant_arrays_are_known():
    rows = [row for row in traced("waves").remarks if "`CX[k]`" in row.message]
    assert rows and all(row.kind == "done" for row in rows)
    rows = [row for row in traced("beyond").remarks if "`TABLE[i, 0]`, axis 0" in row.message]
    assert [row.message.partition(": ")[2] for row in rows] == [
        "`i` runs from 0 to below 4, and the size of axis 0 of `TABLE` is 3"
    ]


# --- counts -------------------------------------------------------------------------------------


def test_code_that_hardly_ever_runs_is_counted_apart():
    c = traced("bodies")
    rare = sum(row.rare for row in c.cost)
    assert rare and sum(line.rare and line.text[:1] == "\t" for line in c.record.at("asm").lines)
    text = next(row.message for row in c.remarks if row.message.startswith("the copies"))
    assert f" have {rare} machine instructions" in text
    hot = next(row.message for row in c.remarks if row.message.startswith("the function has"))
    assert f" has {sum(row.machine for row in c.cost)} machine instructions" in hot
    again = Record(from_json(to_json(c.record.data)))
    assert again.at("asm").lines == c.record.at("asm").lines


def test_loops_of_object_code_have_the_outcome_of_their_runs():
    def said() -> list[str]:
        rows = function.trace(*make()).remarks
        return [row.message for row in rows if row.pass_name == "lift_loops"]

    function, make = PROGRAMS["report"]
    assert all("where none fits, it runs as objects" in text for text in said())
    function(*make())
    first, second = said()
    assert "runs as objects; with `table` dict[], `names` list[str]: `table` is a dict" in first
    assert "is lifted: it runs with types" in second
    assert all(row.machine for row in traced("report").cost if row.line)
