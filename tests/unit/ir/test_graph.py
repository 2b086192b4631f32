"""Orders, dominators and loops, against their definitions on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cutaway.ir.graph import Graph
from unhurried import unhurried

# The two examples of the seed: one block, and a loop with a break.
LOOP = {0: [6], 6: [19], 19: [54, 22], 22: [19, 47], 47: [55], 54: [55], 55: []}


def test_one_block():
    graph = Graph([0], {0: []}, 0)
    assert graph.dominators() == graph.post_dominators() == {0: {0}}
    assert graph.loops() == {} and graph.node_to_loops() == {0: []}


def test_a_loop_with_a_break():
    graph = Graph(LOOP, LOOP, 0)
    assert graph.dominators()[22] == {0, 6, 19, 22}
    assert graph.post_dominators()[19] == {19, 55}
    assert graph.post_dominators()[47] == {47, 55}
    assert graph.back_edges() == [(22, 19)]
    loop = graph.loops()[19]
    assert (loop.entries, loop.exits, loop.header, loop.body) == ({6}, {54, 47}, 19, {19, 22})
    assert graph.node_to_loops()[22] == [19] and graph.node_to_loops()[54] == []


def test_a_loop_without_end_and_what_cannot_be_reached():
    graph = Graph([0, 1, 2], {0: [1], 1: [1], 2: [1]}, 0)
    assert graph.reverse_postorder() == [0, 1]
    assert graph.post_dominators()[1] == {1}
    assert graph.loops()[1].entries == {0}


edges = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=2), min_size=n, max_size=n)
)


def reachable(graph: Graph, start: int, without: int | None = None) -> set[int]:
    seen: set[int] = set()
    waiting = [start] if start != without else []
    while waiting:
        node = waiting.pop()
        if node not in seen and node != without:
            seen.add(node)
            waiting += graph.successors(node)
    return seen


@unhurried
@given(edges)
def test_dominators_are_what_every_path_goes_through(rows):
    graph = Graph(range(len(rows)), dict(enumerate(rows)), 0)
    found = graph.dominators()
    reached = reachable(graph, 0)
    assert set(found) == set(graph.reverse_postorder()) == reached
    for node in reached:
        assert found[node] == {
            d for d in reached if d == node or node not in reachable(graph, 0, without=d)
        }
        for other in reached:
            assert graph.dominates(other, node) == (other in found[node])


@unhurried
@given(edges)
def test_frontiers_are_just_beyond_what_a_node_dominates(rows):
    graph = Graph(range(len(rows)), dict(enumerate(rows)), 0)
    dominators = graph.dominators()
    for node, frontier in graph.dominance_frontiers().items():
        expected = {
            target
            for target in dominators
            for source in graph.predecessors(target)
            if source in dominators
            and node in dominators[source]
            and (node not in dominators[target] or node == target)
        }
        assert frontier == expected


@unhurried
@given(edges)
def test_in_reverse_postorder_only_back_edges_of_cycles_go_back(rows):
    graph = Graph(range(len(rows)), dict(enumerate(rows)), 0)
    number = {node: k for k, node in enumerate(graph.reverse_postorder())}
    for node in number:
        for target in graph.successors(node):
            assert number[target] > number[node] or node in reachable(graph, target)
