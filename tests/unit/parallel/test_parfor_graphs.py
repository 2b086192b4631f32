"""Parallel loops in graphs: a line in the block where they stand, and a box with their bodies."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import prange

pytestmark = pytest.mark.sampled(test=2, others=12)


@cutaway.jit(parallel=True)
def by_twos(a):
    s, last = 0.0, 0
    for i in prange(2, len(a) - 1, 2):
        s += a[i]
        last = i
    for i in prange(len(a)):
        a[i] = last
    return s


A = np.ones(100)


@pytest.fixture(scope="module")
def record():
    return cutaway.trace(by_twos, A)


def heads_of(graph):
    return [head.partition(": ")[2] for head in graph.clusters]


def test_each_body_is_a_box_under_what_its_loop_goes_over(record):
    graph = record.at("parfor").graph().graph
    assert "i in 2 .. len(a) - 1 by 2; last by last, s by add; static" in heads_of(graph)
    assert "i in 0 .. len(a); static" in heads_of(graph)
    frames = {node.id: node.cluster for node in graph.nodes}
    assert all(frames[edge.source] == frames[edge.target] for edge in graph.edges)
    lines = [line for node in graph.nodes for line in node.lines]
    assert set(graph.clusters) <= set(lines)  # where it stands, too


def test_parfors_of_array_expressions_have_boxes_with_their_sizes():
    @cutaway.jit(parallel=True)
    def total(m):
        return np.sum(m * 2.0)

    graph = cutaway.trace(total, np.ones((3, 4))).at("parfor").graph().graph
    (head,) = heads_of(graph)
    assert "i in 0 .. m.shape[0], j in 0 .. m.shape[1]" in head
    assert head.endswith("; the result by add; static")


def test_before_the_pass_there_are_no_such_boxes(record):
    assert record.at("arrayexpr").graph().graph.clusters == ()


def test_the_terminal_and_trees_of_dominators_have_them_too(record):
    view = record.at("parfor")
    for text in (view.graph().text, view.graph("dominators").text):
        assert "i in 0 .. len(a); static:" in text
    assert "cluster_0" in view.graph().source


def test_the_record_has_frames_where_there_are_parfors_and_nowhere_else(record):
    function = record.record.function
    levels = {}
    for state in function.states:
        if "cfg" in state.graphs:
            levels.setdefault(state.level, []).append(function.graphs[state.graphs["cfg"]])
    assert not any(graph["frames"] for graph in levels["arrayexpr"])
    for graph in levels["parfor"]:
        assert len(graph["frames"]) == len(record.at("parfor").graph().graph.clusters)


def test_boxes_stay_where_they_are_while_loops_are_fused_and_numbered_anew():
    @cutaway.jit(parallel=True)
    def several(a, b):
        t = a * 2.0
        u = t + 1.0
        for i in prange(len(b)):
            b[i] += 1.0
        v = b * 3.0
        return t, u, v

    function = cutaway.trace(several, A, A.copy()).record.function
    places = {}
    counts = []
    for state in function.states:
        if state.level != "parfor" or "cfg" not in state.graphs:
            continue
        graph = function.graphs[state.graphs["cfg"]]
        clusters = {node["cluster"] for node in graph["nodes"] if node.get("cluster")}
        assert set(graph["frames"]) == clusters
        counts.append(len(clusters))
        for node in graph["nodes"]:
            if node.get("cluster"):
                frame = tuple(graph["frames"][node["cluster"]])
                assert places.setdefault(node["id"], frame) == frame
    assert max(counts) > counts[-1] >= 3
