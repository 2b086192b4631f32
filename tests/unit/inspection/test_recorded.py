"""A record answers as the compilation does that it was made of."""

from __future__ import annotations

import io

import numpy as np
import pytest
from records import compilation_of, everything, total
from rich.console import Console

import cutaway
from cutaway.errors import PipelineError
from cutaway.inspection.record import encoding
from cutaway.inspection.record.recorded import Record
from cutaway.inspection.showing.page import page

pytestmark = [pytest.mark.sampled(others=3, fast=10), pytest.mark.usefixtures("one_processor")]

NAMES = ["add", "total", "wrong"]


def loaded(name: str) -> Record:
    """The record of a compilation as it comes back from a file."""
    return Record(encoding.from_bytes(encoding.to_bytes(compilation_of(name).record.data)))


def drawn(shown, width: int = 120) -> str:
    """What is drawn, as text."""
    out = io.StringIO()
    Console(file=out, width=width).print(shown)
    return out.getvalue()


def inner_loops(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j > 1:
                total += j
    return total


def with_inlining(k, x):
    double = lambda v: v * 2  # noqa: E731
    found = None
    for i in range(k):
        found = double(x) if i else x
    return 0.0 if found is None else found


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_record_says_what_the_live_compilation_says(name) -> None:
    live, back = compilation_of(name), loaded(name)
    assert str(back) == str(live.record) == str(live)
    assert drawn(back) == drawn(live.record)
    assert back.signature == live.signature
    assert back.levels == live.levels
    assert [str(p) for p in back.passes] == [str(p) for p in live.passes]
    assert [p.changed for p in back.passes] == [p.changed for p in live.passes]
    for level in ("source", "bytecode", "cfg", "ir", "ssa"):
        assert back.at(level).text == live.at(level).text.rstrip("\n")
    assert str(back.timings) == str(live.timings)
    assert str(back.typing) == str(live.typing)


def test_types_and_calls_are_explained_in_the_same_words() -> None:
    live, back = compilation_of("total"), loaded("total")
    assert str(back.why("s")) == str(live.why("s"))
    assert str(back.why()) == str(live.why())
    assert back.why("s").to_dict() == live.why("s").to_dict()
    assert drawn(back.why("s")) == drawn(live.why("s"))


def test_calls_are_explained_in_the_same_words() -> None:
    live = total.trace(np.arange(3.0), 2)  # afresh: the library has more candidates with time
    back = live.record
    assert str(back.why_call()) == str(live.why_call())
    assert drawn(back.why_call()) == drawn(live.why_call())
    line = back.why_call().sites[0].loc.line
    assert str(back.why_call(line)) == str(live.why_call(line))


def test_the_table_of_a_live_compilation_is_the_one_of_its_record() -> None:
    live = compilation_of("add")
    assert drawn(live) == drawn(live.record)


def test_a_version_is_explained_in_the_line_that_makes_it() -> None:
    back = loaded("total")
    spans = [cause["span"]["line"] for cause in back.why("s").to_dict()["causes"]]
    assert back.why("s", line=spans[0]).type == "int64"
    with pytest.raises(PipelineError, match=f"they are assigned in line {spans[0]}, {spans[1]}"):
        back.why("s", line=1)
    with pytest.raises(PipelineError, match="did you mean scale"):
        back.why("scal")
    with pytest.raises(PipelineError, match="the record has no call in line 1"):
        back.why_call(line=1)


@pytest.mark.parametrize(
    ("word", "state", "title"),
    [
        ("ir", 3, "ir"),
        ("fold", 3, "after fold"),
        ("fold#0", 1, "before fold"),
        ("fold#1", 2, "after rewrite 1 of fold, swap"),
        ("llvm", 4, "llvm"),
        ("llvm#1", 5, "after LLVM's SROA (llvm#1)"),
        ("llvm:InstCombine", 6, "after LLVM's InstCombine (llvm#2)"),
        ("llvm:InstCombine#1", 6, "after LLVM's InstCombine (llvm#2)"),
        (2, 2, "state 2"),
        (-1, 7, "state 7"),
    ],
)
def test_a_word_means_a_moment(word, state, title) -> None:
    point = everything().at(word)
    assert (point.position, point.title) == (state, title)
    assert point.text == point.state.text == str(point)
    assert title in repr(point) or title == point.level


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("fald", "did you mean fold?"),
        ("llvm_op", "did you mean llvm_opt?"),
        ("llvm:SRAO", "did you mean llvm:SROA?"),
        ("nonsense!", "levels: source, ir, llvm, llvm_opt, asm; passes: build_ir, quiet"),
        ("fold#3", "was not recorded"),
        ("fold#9", "it has rewrites 1 to 3"),
        ("quiet#1", "none of its rewrites were recorded"),
        ("fold#x", "is not a point"),
        ("llvm#3", "known: llvm#1 to llvm#2"),
        ("llvm:SROA#2", "known: llvm:SROA#1 to llvm:SROA#1"),
        (99, "states 0 to 7 exist"),
        (None, "there is no level or pass"),
    ],
)
def test_a_word_that_means_nothing_says_what_there_is(word, message) -> None:
    with pytest.raises(PipelineError) as caught:
        everything().at(word)
    assert message in str(caught.value)


def test_a_pass_that_failed_has_nothing_behind_it() -> None:
    inner = everything().functions[1]
    with pytest.raises(PipelineError, match="use `build_ir#0`, the program before it"):
        inner.at("build_ir")
    assert inner.at("build_ir#0").level == "source"
    with pytest.raises(PipelineError, match="it ended early: no"):
        inner.at("xyz")


@pytest.mark.parametrize("ask", [lambda p: p.run(1), lambda p: p.verify(), lambda p: p.edit("")])
def test_what_needs_the_program_says_so(ask) -> None:
    with pytest.raises(PipelineError, match="contains the program's text") as caught:
        ask(everything().at("ir"))
    assert "f.trace(*args).at('ir')" in caught.value.hint


def test_a_graph_of_the_record_is_given_to_graphviz() -> None:
    point = everything().at("build_ir")
    source = point.graph().source
    assert source.startswith("digraph")
    assert "label 0" in source and "s = a + 2" in source and "true" in source
    with pytest.raises(PipelineError, match="graphs: cfg"):
        point.graph("network")
    with pytest.raises(PipelineError, match="no graph 'cfg'"):
        everything().at("asm").graph()


def test_functions_inside_are_records_of_their_own() -> None:
    record = loaded("total")
    assert [one.name for one in record.functions] == ["total", "twice"]
    assert record.functions[0] is record
    assert "x * 2.0" in record.functions[1].at("source").text
    infer = next(p for p in record.passes if p.name == "infer_types")
    assert infer.nested == (record.functions[1],)
    assert record.functions[1].timings.total > 0


def test_a_pass_tells_what_it_did() -> None:
    fold = everything().passes[2]
    assert (fold.level, fold.memory, fold.own_seconds, fold.summary) == ("ir", 5, 0.25, "Fold")
    assert fold.broken and fold.decisions[0].subject == "`a + 2`"
    assert fold.before == everything().at("fold#0").text
    assert fold.after == everything().at("fold").text
    assert "1 op changed" in fold.diff().summary


def test_values_decisions_and_remarks_are_listed() -> None:
    record = everything()
    assert [seen.last for seen in record.values.of("s")] == ["4"]
    assert "3, 4 (from 3 to 4)" in str(record.values)
    assert record.values.outcome == "returns 3"
    assert "fold: `a + 2`: done, 2 is a constant [f.py:2]" in str(record.decisions)
    assert "hint: make it smaller" in str(record.remarks)
    assert [step.name for step in record.llvm] == ["SROA", "InstCombine"]
    assert [step.number for step in record.typing.of("s")] == [1]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_everything_of_a_record_is_drawn_at_every_width(width) -> None:
    record = everything()
    shown = [record, record.functions[1], *record.passes, record.values, record.decisions]
    shown += [record.remarks, record.timings, record.typing, record.biography("s")]
    shown += [record.at(k) for k in range(8)]
    shown += [record.diff("build_ir", "fold"), record.diff("source", "ir")]
    shown += [record.diff("llvm", "llvm_opt"), cutaway.diff(record, everything())]
    for one in shown:
        lines = drawn(one, width).splitlines()
        assert lines and max(map(len, lines)) <= width, one
        assert str(one)
        assert one._repr_mimebundle_()["text/html"].startswith("<")


def test_the_error_of_a_compilation_is_told_with_its_line_and_hint() -> None:
    back = loaded("wrong")
    assert back.error.kind == "TypingError"
    assert "failed: a value of type int64 has no attribute 'nothing'" in str(back)
    assert "failed: no (TypingError, line 8)\n    a note\n    hint: try" in str(
        everything().functions[1]
    )


def test_a_page_is_written_of_the_same_data(monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(page, "write", lambda path, data, times: calls.append((path, data, times)))
    record = everything()
    record.report("f.html", times=False)
    compilation_of("add").report("g.html")
    assert calls == [
        ("f.html", record.data, False),
        ("g.html", compilation_of("add").record.data, True),
    ]


def test_a_compilation_passes_questions_on_to_its_record() -> None:
    live = compilation_of("total")
    assert str(live.biography("s")) == str(live.record.biography("s"))
    assert str(live.diff("ir", "ssa")) == str(live.record.diff("ir", "ssa"))


@pytest.mark.parametrize("function, args", [(inner_loops, (4,)), (with_inlining, (3, 2.0))])
def test_the_last_rewrite_of_a_pass_leaves_what_the_pass_leaves(function, args) -> None:
    data = cutaway.trace(function, *args, level="rewrite").record.data
    main = data.functions[0]
    seen = 0
    for entry in main.passes:
        if entry.rewrites:
            last, after = main.states[entry.rewrites[-1].state], main.states[entry.after]
            if last.level == after.level:
                assert last.text == after.text, entry.name
                seen += 1
    assert seen > 2
