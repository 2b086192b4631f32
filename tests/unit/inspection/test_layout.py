"""The layout of graphs: whatever the graph, nothing lies on anything else."""

from __future__ import annotations

import time
from itertools import combinations, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cutaway.drawing.layout import Layout, layout, size_of, stable_layouts
from cutaway.drawing.model import MOST_NODES, Edge, Graph, Node, merged
from cutaway.drawing.outline import LARGE_TREE
from cutaway.drawing.svg import svg
from cutaway.errors import PipelineError

pytestmark = pytest.mark.sampled(others=4, fast=6)

Pairs = list[tuple[int, int]]


def graph_of(count: int, pairs: Pairs, name: str = "f") -> Graph:
    """A graph with boxes of several sizes."""
    nodes = tuple(Node(str(k), f"block {k}", ("x = y + z",) * (k % 4)) for k in range(count))
    return Graph(name, nodes, tuple(Edge(str(a), str(b)) for a, b in pairs))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph of a few nodes: loops, loops with two entries, parallel edges, several parts."""
    count = draw(st.integers(1, 14))
    node = st.integers(0, count - 1)
    return graph_of(count, draw(st.lists(st.tuples(node, node), max_size=26)))


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two rectangles share more than a border."""
    across = a[0] < b[0] + b[2] and b[0] < a[0] + a[2]
    return across and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def is_drawn_well(graph: Graph, found: Layout) -> None:
    """Check all that a layout promises."""
    assert set(found.boxes) == {node.id for node in graph.nodes}
    for a, b in combinations(found.boxes.values(), 2):
        assert not overlap(a, b)
    for x, y, width, height in found.boxes.values():
        assert x >= -0.01 and y >= -0.01
        assert x + width <= found.width + 0.01 and y + height <= found.height + 0.01
    assert [(e.source, e.target) for e in found.edges] == [
        (e.source, e.target) for e in graph.edges
    ]
    for line in found.edges:
        is_a_good_line(line, found)


def is_a_good_line(line, found: Layout) -> None:
    """Check that a line leads from its source down into its target, and over no box."""
    (sx, sy), (tx, ty) = line.points[0], line.points[-1]
    x, y, width, height = found.boxes[line.source]
    assert sy == y + height and x <= sx <= x + width
    x, y, width, height = found.boxes[line.target]
    assert ty == y and x <= tx <= x + width
    assert line.points[-2][1] < ty
    for (ax, ay), (bx, by) in pairwise(line.points):
        assert ax == bx or ay == by
        assert 0 <= ay <= found.height and 0 <= by <= found.height
        stretch = (min(ax, bx), min(ay, by), abs(ax - bx), abs(ay - by))
        for box in found.boxes.values():
            assert not overlap(stretch, box)


@settings(max_examples=80, deadline=None)
@example(graph_of(1, [(0, 0)]))
@example(graph_of(2, [(0, 1), (0, 1), (1, 0), (1, 0), (1, 1)]))
@example(graph_of(3, [(0, 1), (0, 2), (1, 2), (2, 1)]))  # a loop with two entries
@example(graph_of(5, [(0, 1), (2, 1), (3, 4), (4, 3)]))  # what nothing reaches
@given(graphs())
def test_boxes_and_lines_do_not_overlap(graph: Graph) -> None:
    is_drawn_well(graph, layout(graph))


@settings(max_examples=25, deadline=None)
@given(graphs())
def test_a_graph_has_one_layout_and_one_drawing(graph: Graph) -> None:
    first, second = layout(graph), layout(graph)
    assert first == second
    assert svg(graph, first) == svg(graph, second)


@settings(max_examples=25, deadline=None)
@given(graphs(), st.integers(1, 13))
def test_what_stays_from_graph_to_graph_does_not_move(graph: Graph, count: int) -> None:
    kept = {node.id for node in graph.nodes[:count]}
    rest = Graph(
        graph.name,
        tuple(node for node in graph.nodes if node.id in kept),
        tuple(e for e in graph.edges if e.source in kept and e.target in kept),
    )
    whole, part = stable_layouts([graph, rest])
    is_drawn_well(graph, whole)
    is_drawn_well(rest, part)
    assert all(part.boxes[name] == whole.boxes[name] for name in kept)
    assert {e.points for e in part.edges} <= {e.points for e in whole.edges}


def test_a_block_that_shrinks_stays_where_it_is() -> None:
    edges = (Edge("a", "b", "T"), Edge("a", "a", "F"))
    long = Graph("f", (Node("a", "a", ("x = 1",) * 9), Node("b", "b")), edges)
    short = Graph("f", (Node("a", "a", ("x = 1",)), Node("b", "b")), edges)
    before, after = stable_layouts([long, short])
    assert before.boxes["b"] == after.boxes["b"]
    assert before.boxes["a"][:3] == after.boxes["a"][:3]
    assert after.boxes["a"][3] == size_of(short.nodes[0])[1]
    is_drawn_well(short, after)


def test_no_graphs_have_no_layouts() -> None:
    assert stable_layouts([]) == ()
    assert layout(Graph("f", (), ())).to_dict()["boxes"] == {}


def test_a_loop_is_above_what_it_leads_to_and_goes_back_at_its_left() -> None:
    found = layout(graph_of(5, [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1)]))
    tops = [found.boxes[str(k)][1] for k in range(5)]
    assert tops == sorted(tops)
    back = found.edges[4]
    assert min(x for x, _ in back.points) < min(found.boxes[k][0] for k in "123")


def test_a_block_that_ends_the_function_stays_beside_the_loop() -> None:
    found = layout(graph_of(6, [(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (4, 1)]))
    assert found.boxes["3"][1] == found.boxes["4"][1]
    assert found.boxes["5"][1] > found.boxes["4"][1]


def test_a_chain_is_one_straight_line() -> None:
    found = layout(graph_of(4, [(0, 1), (1, 2), (2, 3)]))
    assert all(len(line.points) == 2 for line in found.edges)


def test_loops_inside_one_another_do_not_cross() -> None:
    found = layout(graph_of(4, [(0, 1), (1, 2), (2, 3), (3, 2), (3, 1), (3, 0)]))
    backs = [line.points for line in found.edges[3:]]
    assert all(crossings(a, b) == 0 for a, b in combinations(backs, 2))


def test_ways_back_from_one_row_do_not_cross_wherever_it_is_ordered() -> None:
    for pairs in ([(2, 1), (3, 1)], [(3, 1), (2, 1)]):
        found = layout(graph_of(4, [(0, 1), (1, 2), (1, 3), *pairs]))
        assert crossings(*(line.points for line in found.edges[3:])) == 0


def crossings(first, second) -> int:
    """How often two lines cross."""
    return sum(
        min(ax, bx) < cx < max(ax, bx) and min(cy, dy) < ay < max(cy, dy)
        for one, other in ((first, second), (second, first))
        for (ax, ay), (bx, by) in pairwise(one)
        if ay == by
        for (cx, cy), (dx, dy) in pairwise(other)
        if cx == dx
    )


def test_clusters_are_drawn_in_frames_side_by_side() -> None:
    part = graph_of(3, [(0, 1), (0, 2)])
    graph = merged("f", "cfg", [part, graph_of(3, [(0, 1), (1, 2)], "g")])
    found = layout(graph)
    is_drawn_well(graph, found)
    assert list(found.frames) == ["f", "g"]
    assert not overlap(found.frames["f"], found.frames["g"])
    for node in graph.nodes:
        x, y, width, height = found.boxes[node.id]
        left, top, wide, high = found.frames[node.cluster]
        assert left < x and top < y and x + width < left + wide and y + height < top + high


def test_a_large_tree_is_an_outline() -> None:
    count = LARGE_TREE + 6
    graph = graph_of(count, [((k - 1) // 3, k) for k in range(1, count)])
    found = layout(graph)
    assert found.width < 400
    assert not any(overlap(a, b) for a, b in combinations(found.boxes.values(), 2))


def test_a_layout_is_plain_data() -> None:
    found = layout(graph_of(2, [(0, 1)])).to_dict()
    assert set(found) == {"width", "height", "boxes", "edges", "frames"}
    assert found["edges"][0]["source"] == "0"


def ladder(count: int) -> Graph:
    """A program of many blocks: loops in loops, branches, and a common end."""
    pairs = [(k, k + 1) for k in range(count - 1)]
    pairs += [(k, k + 3) for k in range(0, count - 4, 4)]
    pairs += [(k + 6, k) for k in range(1, count - 8, 9)]
    return graph_of(count, pairs + [(k, count - 1) for k in range(0, count - 2, 15)])


def test_two_hundred_blocks_are_laid_out_within_a_second() -> None:
    graph = ladder(200)
    start = time.process_time()
    found = layout(graph)
    assert time.process_time() - start < 1.0
    is_drawn_well(graph, found)


def test_a_graph_that_nobody_can_read_is_refused() -> None:
    with pytest.raises(PipelineError, match="too large") as raised:
        layout(graph_of(MOST_NODES + 1, []))
    assert "source" in raised.value.hint
