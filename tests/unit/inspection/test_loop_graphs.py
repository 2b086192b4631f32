"""Loops over arrays as graphs: operands, operations on elements, results."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.inspection.record.graphs import LOOPS

pytestmark = pytest.mark.sampled(test=2, others=8, fast=8)


def kernel(a, b, m, out):
    d = a - b
    s = np.sqrt(d * d + 1)
    out[1:-1] = a[:-2] + 0.5 * a[2:]
    return (m * s).sum(axis=0)


def traced():
    return cutaway.trace(kernel, np.ones(9), np.ones(9), np.ones((4, 9)), np.ones(9))


def test_each_loop_is_a_frame_before_and_after_fusion():
    c = traced()
    before = c.at("array_expressions").graph("loops").graph
    after = c.at("arrayexpr").graph("loops").graph
    assert len(before.clusters) == 8
    assert len(after.clusters) == 3
    assert after.clusters[2].endswith("i along axis 0, j along axis 1")


def test_operands_tell_the_element_that_a_round_reads_and_what_is_repeated():
    boxes = {node.title: node for node in traced().at("arrayexpr").graph("loops").graph.nodes}
    assert boxes["m :: array(float64, 2d, C)"].lines == ("a round reads m[i, j]",)
    assert "a round reads a[2:][i]" in boxes["a[2:] :: array(float64, 1d, C)"].lines
    assert boxes["0.5 :: float64"].lines == ("the same in each round",)
    line = kernel.__code__.co_firstlineno
    repeated = [node for node in boxes.values() if "the same for each i" in node.lines]
    assert not repeated or f"made by the loop of line {line + 2}" in repeated[0].lines


def test_results_say_where_they_go():
    text = traced().at("arrayexpr").graph("loops").text
    assert "a new array" in text
    assert "in the array that is there" in text
    assert "added up along axis 0 (i)" in text


def test_every_line_of_a_loop_ends_at_its_boxes():
    graph = traced().at("arrayexpr").graph("loops").graph
    frames = {node.id: node.cluster for node in graph.nodes}
    assert graph.edges
    assert all(frames[edge.source] == frames[edge.target] for edge in graph.edges)


def test_a_program_without_such_loops_says_so():
    c = cutaway.trace(lambda x: x + 1, 1)
    assert "it has no loops over arrays" in c.at("arrayexpr").graph("loops").text


def test_the_record_has_the_loops_of_each_state():
    c = traced()
    function = c.record.function
    kept = [state for state in function.states if LOOPS in state.graphs]
    assert [
        len({n.get("cluster") for n in function.graphs[s.graphs[LOOPS]]["nodes"]}) for s in kept
    ][:2] == [8, 3]


def test_the_flow_of_values_shows_formulas_in_the_place_of_bodies():
    text = traced().at("arrayexpr").graph("dataflow").text
    assert "each element: sqrt((a - b) * (a - b) + 1)" in text
    assert "give" not in text
