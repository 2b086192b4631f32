"""What differs between two moments of a compilation, and between two compilations."""

from __future__ import annotations

import time

import pytest
from records import compilation_of, everything

import cutaway
from cutaway.errors import RecordError
from cutaway.inspection.record import model
from cutaway.inspection.record.comparing import Diff, Row
from cutaway.inspection.record.model import Line
from cutaway.inspection.record.points import Point
from cutaway.inspection.record.recorded import Record

pytestmark = [pytest.mark.sampled(fast=8), pytest.mark.usefixtures("one_processor")]


def kinds(diff: Diff) -> list[tuple[str, str]]:
    """What became of each line that is not the same."""
    return [(row.kind, row.line.text.strip().split("  [")[0]) for row in diff.changes]


def between(old: list[Line], new: list[Line], language: str = "cutaway") -> Diff:
    """The comparison of two programs."""
    states = tuple(model.State(language, language, tuple(lines)) for lines in (old, new))
    source = model.Source("f.py", 1, ())
    function = model.FunctionRecord("f", "f()", -1, (), "", "", (), source, states, ())
    return Diff(Point(function, 0, "a"), Point(function, 1, "b"))


def ops(*texts: str) -> list[Line]:
    """Operations `id text`."""
    return [Line("    " + text[2:], op=text[0]) for text in texts]


def test_an_op_is_kept_changed_moved_added_or_removed() -> None:
    diff = between(
        ops("1 a = const(1)", "2 b = const(2)", "3 c = a + b", "4 del a"),
        ops("2 b = const(2)", "1 a = const(1)", "3 c = a + 2", "5 return c"),
    )
    assert sorted(kinds(diff)) == [
        ("added", "return c"),
        ("changed", "c = a + 2"),
        ("moved", "b = const(2)"),
        ("removed", "del a"),
    ]
    assert diff.counts == {"kept": 1, "removed": 1, "changed": 1, "moved": 1, "added": 1}


def test_no_line_is_lost() -> None:
    record = compilation_of("total").record
    points = [record.at(k) for k in range(len(record.function.states))]
    for before, after in zip(points, points[1:]):
        if "llvm" in (before.language, after.language):
            continue
        rows = Diff(before, after).rows
        new = [row.new for row in rows if row.new is not None]
        assert new == list(after.lines)
        moved = [row.old for row in rows if row.kind == "moved"]
        old = [row.old for row in rows if row.old is not None and row.kind != "moved"]
        assert sorted(map(id, old + moved)) == sorted(map(id, before.lines))


def test_columns_and_the_list_of_variables_do_not_count() -> None:
    assert between(ops("1 a = const(1)   ['a']"), ops("1 a =  const(1) ['a', 'b']")).same


def test_the_difference_is_told_in_words() -> None:
    words = compilation_of("total").record
    assert "dels added" in words.diff("insert_dels#0", "insert_dels").summary
    assert words.diff("simplify#0", "simplify").summary.startswith("3 ops removed")
    assert "1 phi added" in words.diff("ir", "ssa").summary
    assert "ops get types" in words.diff("ssa", "infer_types").summary
    assert words.diff("ssa", "ssa").summary == "nothing differs"
    assert "lines of source become" in words.diff("source", "bytecode").summary
    assert "lines of cfg become" in words.diff("cfg", "ir").summary


def test_many_kinds_of_ops_are_counted_together() -> None:
    diff = between([], ops("1 a = phi(x)", "2 b = call f()", "3 jump 1", "4 del a", "5 del b"))
    assert diff.summary == "5 lines (2 dels, 1 phi, 1 call, ...) added"


def test_numbers_that_llvm_gives_anew_do_not_count() -> None:
    old = ["entry:", "  %s.2.14 = add i64 %a.1, 1, !dbg !3", '  br label %"B1.i", !dbg !4']
    new = ["entry:  ; preds", '  %"s.2.99.i" = add i64 %a.7, 1, !dbg !8', "  br label %B1"]
    more = ["!3 = !DILocation(line: 1)", "", "declare void @f()", "attributes #0 = { }"]
    assert between(list(map(Line, old)), list(map(Line, new + more)), "llvm").same


def test_an_instruction_that_is_much_like_another_has_changed() -> None:
    old = ["  %x = load i64, ptr %p, align 8", "  ret void"]
    new = ["  %x = load i64, ptr %p, align 4", "  unreachable"]
    diff = between(list(map(Line, old)), list(map(Line, new)), "llvm")
    assert [row.kind for row in diff.rows] == ["changed", "added", "removed"]


def test_the_text_has_signs_and_leaves_out_what_is_far_from_any_change() -> None:
    old = ops(*(f"{k} x{k} = const({k})" for k in range(1, 10)))
    new = [*old[:-1], Line("    x9 = const(90)", op="9")]
    text = str(between(old, new))
    assert "@@ 6 lines as before @@" in text
    assert "-     x9 = const(9)\n+     x9 = const(90)" in text
    assert text.startswith("a (cutaway) -> b (cutaway): 1 const changed")


def test_a_diff_is_plain_data_too() -> None:
    found = everything().diff("build_ir", "fold").to_dict()
    assert found["summary"] == "1 const removed, 1 op changed"
    assert {"kind", "old", "new", "op", "line"} == set(found["rows"][0])


def test_points_of_two_records_are_compared_by_text() -> None:
    a, b = compilation_of("add").record, compilation_of("twice").record
    diff = a.diff("ir", b.at("ir"))
    assert not diff.by_id and not diff.same


def test_long_texts_are_compared_in_a_moment() -> None:
    old = [Line(f"  %x.{k} = add i64 %y, {k % 50}") for k in range(4000)]
    new = [line for k, line in enumerate(old) if k % 7]
    started = time.perf_counter()
    assert isinstance(between(old, new, "llvm").rows[0], Row)
    assert time.perf_counter() - started < 20


# --- two compilations ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def comparison():
    def add(a, b):
        return a + b

    f = cutaway.njit(add)
    return cutaway.diff(f.trace(1, 2), f.trace(1.0, 2))


def test_two_compilations_tell_their_types_sizes_and_times(comparison) -> None:
    facts = {row.subject: (row.left, row.right) for row in comparison.facts if not row.same}
    assert facts == {"argument a": ("int64", "float64"), "returns": ("int64", "float64")}
    sizes = {row.subject: row for row in comparison.sizes}
    assert int(sizes["ssa (ops)"].left) == int(sizes["ssa (ops)"].right)
    assert "asm (instructions)" in sizes and "llvm (LLVM instructions)" in sizes
    assert all(row.left.endswith(" ms") for row in comparison.times)
    assert "levels:" in str(comparison) and "llvm: " in str(comparison)
    assert not comparison.same


def test_a_level_of_two_compilations_is_compared_on_demand(comparison) -> None:
    assert comparison.at("ir").same
    assert not comparison.at("typed").same
    assert set(comparison.to_dict()) == {"facts", "passes", "sizes", "times", "levels"}


def test_the_same_compilation_does_not_differ_from_itself() -> None:
    assert cutaway.diff(compilation_of("add"), compilation_of("add")).same


def test_options_that_differ_are_named() -> None:
    def add(a, b):
        return a + b

    left = cutaway.njit(add).trace(1, 2)
    right = cutaway.njit(boundscheck=False)(add).trace(1, 2)
    row = next(r for r in cutaway.diff(left, right).facts if r.subject == "options")
    assert (row.left, row.right) == ("boundscheck=True", "boundscheck=False")


def test_files_and_records_are_compared_too(tmp_path) -> None:
    compilation_of("add").save(tmp_path / "a.cutaway")
    found = cutaway.diff(tmp_path / "a.cutaway", compilation_of("add").record)
    assert isinstance(found.left, Record) and found.same
    with pytest.raises(RecordError, match="int is not a compilation"):
        cutaway.diff(3, 4)
