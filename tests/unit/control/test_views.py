"""Handlers, managers and generators can be looked at, at every level that they reach."""

from __future__ import annotations

import io

import numpy as np
import pytest

import cutaway
from cutaway.inspection.graphs.flow import ir_flow


def guarded(a, n):
    total = 0
    for i in range(n):
        try:
            total += a[i]
        except IndexError as e:
            total -= len(str(e))
            break
        finally:
            total *= 2
    return total


def managed(path):
    with open(path) as file, io.StringIO() as paper:
        paper.write(file.read())
        return len(paper.getvalue())


def counted(n):
    for i in range(n):
        try:
            yield i
        finally:
            yield {i, -i}


REFUSED = "not supported in compiled code"
PROGRAMS = [
    (guarded, (np.arange(3), 5), False),
    (managed, ("/dev/null",), True),
    (counted, (3,), True),
]
named = pytest.mark.parametrize(
    ("function", "args", "refused"), PROGRAMS, ids=lambda one: str(one)[:20]
)


@named
def test_each_level_is_kept_and_equal_to_python(function, args, refused):
    trace = cutaway.trace(function, *args)
    assert (REFUSED in str(trace.error)) == refused
    words = str(trace.witness())
    assert "different" not in words.partition("equal: what")[0]
    for level in ("bytecode", "cfg", "ir", "ssa"):
        assert trace.at(level).text


@named
def test_a_page_and_a_record_are_made(function, args, refused, tmp_path):
    trace = cutaway.trace(function, *args)
    page = tmp_path / "page.html"
    trace.report(page)
    assert (REFUSED in page.read_text(encoding="utf-8")) == refused
    assert trace.record.functions


def walked(n, step=2):
    low, high = 0, n
    while low < high:
        try:
            yield low
        except ValueError:
            low = n
        yield high + low
        low += step
    yield from range(n)


def test_the_frame_of_a_generator_is_drawn():
    graph = cutaway.trace(walked, 5).at("ssa").graph("frame").graph
    boxes = {node.title: node for node in graph.nodes}
    first = boxes[f"1: yield, line {walked.__code__.co_firstlineno + 4}"]
    kept = [line for line in first.lines if line.startswith("keeps")]
    assert kept == ["keeps low", "keeps n", "keeps step"]  # `high` is another name of `n`
    titles = {node.id: node.title.partition(",")[0] for node in graph.nodes}
    ways = {(titles[e.source], titles[e.target], e.mark, e.has("back")) for e in graph.edges}
    assert ways == {
        ("called", "1: yield", "", False),
        ("called", "3: yield from", "", False),
        ("1: yield", "2: yield", "", False),
        ("2: yield", "1: yield", "", True),
        ("2: yield", "3: yield from", "", False),
        ("3: yield from", "end", "", False),
    }
    (frame,) = (node for node in graph.nodes if node.id == "frame")
    assert frame.title == "frame: 3 variables"
    assert frame.lines[0] == "low: at 1, 2"


def handled(n):
    try:
        yield n
    except ValueError:
        yield -1


def test_what_is_thrown_in_is_a_way_of_its_own():
    graph = cutaway.trace(handled, 5).at("ssa").graph("frame").graph
    raising = [edge for edge in graph.edges if edge.mark == "raises"]
    assert [edge.has("cold") for edge in raising] == [True]
    assert "it never waits" in cutaway.trace(guarded, np.arange(3), 5).at("ssa").graph("frame").text


def test_an_exceptional_edge_is_drawn_dashed_and_a_handler_apart():
    trace = cutaway.trace(guarded, np.arange(3), 5)
    graph = ir_flow(trace.at("ssa").unit.fn)
    raised = [edge for edge in graph.edges if edge.mark == "raises"]
    assert raised and all(edge.has("cold") for edge in raised)
    handlers = {node.id for node in graph.nodes if node.has("handler")}
    assert {edge.target for edge in raised} == handlers
    assert "style=dashed" in trace.at("ssa").graph().source
