"""Graphs of programs: what is in them, and that they draw themselves with and without Graphviz."""

from __future__ import annotations

import io
import shutil
import xml.etree.ElementTree as ET

import graphviz
import numpy as np
import pytest
from rich.console import Console

import cutaway
from cutaway.drawing.drawing import Drawing
from cutaway.drawing.model import (
    MANY_NODES,
    MOST_NODES,
    VERY_MANY_NODES,
    Edge,
    Graph,
    Node,
    around,
    readable,
)
from cutaway.drawing.picture import picture
from cutaway.errors import PipelineError
from cutaway.inspection.graphs.assembly import assembly_flow
from cutaway.inspection.graphs.flow import ir_flow
from cutaway.inspection.graphs.llvm import llvm_calls, llvm_flow
from cutaway.inspection.graphs.trees import dominator_tree
from cutaway.ir.parser import parse

pytestmark = [pytest.mark.sampled(others=4, fast=5), pytest.mark.usefixtures("one_processor")]

SVG = "{http://www.w3.org/2000/svg}"


@cutaway.jit
def halved(x):
    """A function that another one calls."""
    return x / 2


@cutaway.jit
def factorial(n):
    """A function that calls itself."""
    return 1 if n < 2 else n * factorial(n - 1)


def total(a, n):
    """A loop, a branch, a call, and an error."""
    if n > len(a):
        raise ValueError("too many")
    s = 0.0
    for i in range(n):
        if a[i] > 1.0:
            s += halved(a[i])
    return s


@pytest.fixture(scope="module")
def traced():
    """The record of one compilation."""
    return cutaway.trace(total, np.ones(3), 3)


@pytest.fixture
def no_dot(monkeypatch):
    """No Graphviz on PATH."""
    monkeypatch.setenv("PATH", "/nowhere")


KINDS = [
    ("bytecode", "cfg"),
    ("cfg", "cfg"),
    ("cfg", "dominators"),
    ("ir", "dataflow"),
    ("ssa", "cfg"),
    ("ssa", "network"),
    ("ssa", "frame"),
    ("typed", "cfg"),
    ("typed", "dominators"),
    ("typed", "dataflow"),
    ("typed", "network"),
    ("llvm", "cfg"),
    ("llvm", "dominators"),
    ("llvm", "calls"),
    ("llvm_opt", "cfg"),
    ("llvm_opt", "calls"),
    ("asm", "cfg"),
    ("asm", "dominators"),
]


@pytest.mark.parametrize(("level", "kind"), KINDS)
def test_each_kind_draws_itself_without_graphviz(traced, no_dot, level, kind) -> None:
    drawing = traced.at(level).graph(kind)
    assert isinstance(drawing, graphviz.Source)
    assert drawing.source.startswith("digraph")
    assert drawing.graph.kind == kind
    shown = drawing._repr_mimebundle_()
    root = ET.fromstring(shown["image/svg+xml"])
    drawn = [g.get("data-node") for g in root.iter(f"{SVG}g") if g.get("data-node")]
    assert drawn == [node.id for node in drawing.graph.nodes]
    assert root.get("role") == "img" and root.get("aria-label") == drawing.__repr__()[1:-1]
    assert shown["text/plain"] == drawing.text
    assert drawing.svg() == traced.at(level).graph(kind).svg()


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize(("level", "kind"), KINDS[::4])
def test_graphviz_draws_it_where_it_is_installed(traced, level, kind) -> None:
    drawing = traced.at(level).graph(kind)
    svg = drawing.svg("dot")
    root = ET.fromstring(svg)
    assert root.get("class") == "cutaway-graph"
    assert sum(g.get("class", "").startswith("node") for g in root.iter(f"{SVG}g")) == len(
        drawing.graph.nodes
    )
    assert drawing.svg() == (svg if len(drawing.graph.nodes) <= MANY_NODES else drawing.svg("own"))


def test_graphviz_is_asked_for_in_vain(traced, no_dot) -> None:
    with pytest.raises(PipelineError, match="not installed") as raised:
        traced.at("ssa").graph(layout="dot").svg()
    assert "own" in raised.value.hint


def test_kinds_that_are_not_there_are_named(traced) -> None:
    with pytest.raises(PipelineError, match="'dataflow'") as raised:
        traced.at("llvm").graph("dataflow")
    assert raised.value.hint.startswith(
        "graphs: cfg, dominators, calls; 'dataflow' is at ir, objects, ssa"
    )
    with pytest.raises(PipelineError) as raised:
        traced.at("ssa").graph("domintors")
    assert raised.value.hint == "did you mean dominators?"
    with pytest.raises(PipelineError) as raised:
        traced.at("ssa").graph("calls")
    assert "c.graph()" in raised.value.hint
    with pytest.raises(PipelineError, match="no graph") as raised:
        traced.at("source").graph()
    assert "ssa" in raised.value.hint
    with pytest.raises(PipelineError) as raised:
        traced.graph("cfg")
    assert "at(" in raised.value.hint
    with pytest.raises(PipelineError, match="layout 'round'"):
        traced.at("ssa").graph().svg("round")


# --- what is in them -----------------------------------------------------------------------------


def ends_of(graph: Graph, word: str) -> list[str]:
    """The ids of the nodes of a kind."""
    return [node.id for node in graph.nodes if node.has(word)]


def test_blocks_say_what_they_are(traced) -> None:
    graph = traced.at("ssa").graph().graph
    by_id = {node.id: node for node in graph.nodes}
    assert ends_of(graph, "entry") == [graph.nodes[0].id]
    (header,) = ends_of(graph, "loop")
    assert by_id[header].title == f"label {header} · loop header"
    (cold,) = ends_of(graph, "cold")
    assert "unusual" in by_id[cold].title and by_id[cold].lines[-1].startswith("raise")
    assert all(edge.target == header for edge in graph.edges if edge.has("back"))
    assert any(edge.has("back") for edge in graph.edges)
    assert {e.mark for e in graph.edges if e.source == header} == {"T", "F"}
    first = total.__code__.co_firstlineno
    assert by_id[cold].loc == first + 3


def test_typed_blocks_tell_types(traced) -> None:
    lines = [line for node in traced.at("typed").graph().graph.nodes for line in node.lines]
    assert "s = const(0.0) :: float64" in lines
    assert not any(" :: " in line for n in traced.at("ssa").graph().graph.nodes for line in n.lines)


def test_bytecode_tells_items_from_the_end(traced) -> None:
    graph = traced.at("cfg").graph().graph
    (header,) = ends_of(graph, "loop")
    assert {e.mark for e in graph.edges if e.source == header} == {"item", "end"}


def test_an_empty_call_is_short_and_a_full_one_is_not(traced) -> None:
    text = "\n".join(n for node in traced.at("ssa").graph().graph.nodes for n in node.lines)
    assert "vararg" not in text
    kept = cutaway.trace(lambda f: int("1", base=2), 1).at("ir").graph().graph
    assert any("kws=(base)" in line for node in kept.nodes for line in node.lines)


TWO_ENTRIES = """\
func f(c):
label 0:
    c = arg(0, name=c)
    branch c, 1, 2
label 1:
    jump 2
label 2:
    branch c, 1, 3
label 3:
    return c
label 4:
    jump 3
"""


def test_a_loop_with_two_entries_and_what_nothing_reaches_are_drawn() -> None:
    graph = ir_flow(parse(TWO_ENTRIES).fn)
    assert ends_of(graph, "unreachable") == ["4"]
    assert ends_of(graph, "loop") == []
    assert "unreachable" in Drawing(graph).svg("own")
    tree = dominator_tree(graph)
    assert [(e.source, e.target) for e in tree.edges] == [("0", "1"), ("0", "2"), ("2", "3")]
    assert [node.lines for node in tree.nodes][1] == ("frontier: label 2",)


def test_both_ways_of_a_branch_to_one_block_are_drawn() -> None:
    graph = ir_flow(parse(TWO_ENTRIES.replace("branch c, 1, 3", "branch c, 3, 3")).fn)
    assert [e.mark for e in graph.edges if (e.source, e.target) == ("2", "3")] == ["T", "F"]


def test_values_flow_from_definitions_to_uses(traced) -> None:
    graph = traced.at("typed").graph("dataflow").graph
    titles = {node.id: node.title for node in graph.nodes}
    lines = {(titles[e.source], titles[e.target]) for e in graph.edges}
    merge = next(node for node in graph.nodes if node.has("phi") and node.title.startswith("s."))
    assert ("s :: float64", merge.title) in lines
    assert any(e.has("back") and e.target == merge.id for e in graph.edges)
    assert all(e.mark for e in graph.edges if e.target == merge.id)
    assert any(node.has("temporary") for node in graph.nodes)
    assert not any("const(" in line for n in graph.nodes if n.has("temporary") for line in n.lines)
    assert any("halved(" in line for node in graph.nodes for line in node.lines)


def test_a_compilation_has_a_graph_of_calls(traced) -> None:
    graph = traced.graph().graph
    first = total.__code__.co_firstlineno
    titles = [node.title for node in graph.nodes]
    assert titles == ["total(array(float64, 1d, C), int64)", "halved(float64)"]
    (edge,) = graph.edges
    assert edge.mark == f"line {first + 7}"
    assert any("ms" in line for node in graph.nodes for line in node.lines)


def test_a_function_that_was_compiled_before_is_known() -> None:
    factorial(3)
    graph = cutaway.trace(lambda x: factorial(x) + factorial(x + 1), 3).graph().graph
    assert [(node.title, node.kind) for node in graph.nodes][1:] == [("factorial", "known")]
    assert len(graph.edges) == 1


def test_a_function_that_calls_itself_has_an_edge_to_itself() -> None:
    graph = factorial.trace(3).graph().graph
    assert [(e.source, e.target) for e in graph.edges] == [("0", "0")]


def test_blocks_keep_their_places_from_pass_to_pass(traced) -> None:
    main = traced.record.data.functions[0]
    states = {p.name: main.states[p.after] for p in main.passes}
    drawn = {
        name: main.graphs[state.graphs["cfg"]]
        for name, state in states.items()
        if state.language == "cutaway"
    }
    assert list(drawn)[0] == "build_ir" and len(drawn) > 5
    places: dict[str, set[tuple[float, float]]] = {}
    for graph in drawn.values():
        assert set(graph["boxes"]) == {node["id"] for node in graph["nodes"]}
        for name, (x, y, _, _) in graph["boxes"].items():
            places.setdefault(name, set()).add((x, y))
    assert all(len(found) == 1 for found in places.values())


# --- LLVM and assembly ---------------------------------------------------------------------------

MODULE = """
declare void @gone(i64)

define internal i32 @"loop$1"(i64 %n) nounwind !dbg !4 {
  %c = icmp sgt i64 %n, 0
  br i1 %c, label %body, label %"the end", !prof !0
body:                                      ; preds = %body, %0
  switch i64 %n, label %body [
    i64 1, label %"the end"
    i64 2, label %"the end"
  ]
"the end":
  call void @gone(i64 1)
  ret i32 0, !dbg !7
}

define i32 @other() {
entry:
  ret i32 1
}
!0 = !{!"branch_weights", i32 1, i32 1048575}
!7 = !DILocation(line: 12, column: 1, scope: !4)
"""


def test_llvm_functions_are_clusters_with_branches_and_switches() -> None:
    graph = llvm_flow("f", MODULE)
    assert graph.clusters == ("loop$1", "other")
    assert [(e.source, e.target, e.mark) for e in graph.edges] == [
        ("0:entry", "0:body", "T"),
        ("0:entry", "0:the end", "F"),
        ("0:body", "0:body", "else"),
        ("0:body", "0:the end", "1, 2"),
    ]
    end = next(node for node in graph.nodes if node.id == "0:the end")
    assert end.lines[-1] == "ret i32 0" and end.loc == 12
    assert ends_of(graph, "loop") == ["0:body"]
    assert ends_of(graph, "cold") == ["0:body"]
    assert ends_of(graph, "entry") == ["0:entry", "1:entry"]


def test_llvm_calls_tell_what_is_only_declared() -> None:
    graph = llvm_calls("f", MODULE)
    assert [(node.id, node.kind) for node in graph.nodes] == [
        ("loop$1", "compiled"),
        ("other", "compiled"),
        ("gone", "external"),
    ]
    assert [(e.source, e.target) for e in graph.edges] == [("loop$1", "gone")]


X86 = """
	.type	f,@function
f:
.Lfunc_begin0:
	.loc	1 7 0
	cmpq	$3, %rdi
	ja	.LBB0_3
	leaq	.LJTI0_0(%rip), %rcx
	jmpq	*%rcx
.LBB0_2:                                # the loop
	decq	%rdi
	jne	.LBB0_2
	jmp	other@PLT
.LBB0_3:
	ud2
.Lfunc_end0:
	.section	.rodata
.LJTI0_0:
	.long	.LBB0_2-.LJTI0_0
	.long	.LBB0_3-.LJTI0_0
"""


def test_x86_blocks_end_at_jumps_and_labels() -> None:
    graph = assembly_flow("f", X86)
    assert [(e.source, e.target, e.mark) for e in graph.edges] == [
        ("0:f", "0:.LBB0_3", "ja"),
        ("0:f", "0:f+1", ""),
        ("0:f+1", "0:.LBB0_2", ""),
        ("0:f+1", "0:.LBB0_3", ""),
        ("0:.LBB0_2", "0:.LBB0_2", "jne"),
        ("0:.LBB0_2", "0:.LBB0_2+1", ""),
    ]
    assert graph.nodes[0].lines == ("cmpq $3, %rdi", "ja .LBB0_3")
    assert graph.nodes[0].loc == 7
    assert ends_of(graph, "cold") == ["0:.LBB0_3"]
    assert ends_of(graph, "exit") == ["0:.LBB0_2+1"]


AARCH64 = """
	.type	f,@function
f:
	cbz	x0, .LBB0_2
.LBB0_1:
	subs	x0, x0, #1
	tbnz	w1, #3, .LBB0_2
	b.ne	.LBB0_1
	b	.LBB0_2
.LBB0_2:
	bl	g
	ret
.Lfunc_end0:
"""


def test_aarch64_blocks_end_at_jumps_and_labels() -> None:
    graph = assembly_flow("f", AARCH64)
    assert [(e.source[2:], e.target[2:], e.mark) for e in graph.edges] == [
        ("f", ".LBB0_2", "cbz"),
        ("f", ".LBB0_1", ""),
        (".LBB0_1", ".LBB0_2", "tbnz"),
        (".LBB0_1", ".LBB0_1+1", ""),
        (".LBB0_1+1", ".LBB0_1", "b.ne"),
        (".LBB0_1+1", ".LBB0_1+2", ""),
        (".LBB0_1+2", ".LBB0_2", ""),
    ]


@pytest.mark.parametrize("text", ["", "no assembly: at all", "\t.type f,@function\nf:\n"])
def test_what_is_no_program_is_an_empty_graph(text) -> None:
    for graph in (assembly_flow("f", text), llvm_flow("f", text)):
        assert not graph.edges
        assert Drawing(graph).svg("own").startswith("<svg")
        assert Drawing(graph).text


# --- large graphs, parts of them, and writing them down ------------------------------------------


def chain(count: int) -> Graph:
    """Blocks in a row, of six lines each."""
    nodes = tuple(Node(str(k), f"label {k}", ("x = y + z",) * 6) for k in range(count))
    return Graph("f", nodes, tuple(Edge(str(k), str(k + 1)) for k in range(count - 1)))


def test_a_large_graph_has_short_boxes_and_a_huge_one_is_a_remark() -> None:
    assert readable(chain(5)) == chain(5)
    short = readable(chain(MANY_NODES + 1)).nodes[0]
    assert len(short.lines) == 3 and short.text[-1] == "… 3 more lines"
    assert readable(chain(VERY_MANY_NODES + 1)).nodes[0].text == ("… 6 more lines",)
    huge = Drawing(chain(MOST_NODES + 1))
    assert "too many to draw" in huge.svg("own") and "too many to draw" in huge.text
    assert huge.source.count(" -> ") == MOST_NODES


def test_hidden_lines_are_in_the_tooltip() -> None:
    root = ET.fromstring(Drawing(chain(MANY_NODES + 1)).svg("own"))
    node = next(g for g in root.iter(f"{SVG}g") if g.get("data-node") == "0")
    assert node.find(f"{SVG}title").text.count("x = y + z") == 6


def test_a_part_of_a_graph_is_what_is_near_a_name(traced) -> None:
    part = around(chain(9), "label 4", 2)
    assert [node.id for node in part.nodes] == ["2", "3", "4", "5", "6"]
    near = traced.at("typed").graph("dataflow").around("s", 1)
    assert 3 < len(near.graph.nodes) < len(traced.at("typed").graph("dataflow").graph.nodes)
    with pytest.raises(PipelineError, match="no node 'nothing'"):
        traced.at("ssa").graph().around("nothing")


def test_texts_are_escaped_everywhere() -> None:
    graph = Graph("a<b", (Node('"&<', "<&>", ('\\l "x" <b>',), loc=3),), ())
    drawing = Drawing(graph)
    root = ET.fromstring(drawing.svg("own"))
    assert any(g.get("data-node") == '"&<' and g.get("data-line") == "3" for g in root.iter())
    if shutil.which("dot"):
        assert "&lt;&amp;&gt;" in drawing.svg("dot")


def test_a_drawing_is_saved_shown_and_copied(tmp_path, monkeypatch) -> None:
    drawing = Drawing(chain(2), "own")
    assert drawing.save_svg(tmp_path / "f.svg").read_text() == drawing.svg()
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert drawing.show().read_text() == drawing.svg()
    assert len(opened) == 1
    assert drawing.copy().svg() == drawing.svg()
    assert drawing._repr_mimebundle_(exclude=["text/plain"]).keys() == {"image/svg+xml"}


PICTURE = """\
control flow of f
      ┌─ a
      ↓ T
╭────▶┌─ b
│     │  x
├─────├─ → b
│ ╭───├─ F → d
│ │   └─
│ │   ┌─ c
╰─┼───├─ → b
  │   └─
  ╰──▶┌─ d
      └─
"""


def test_a_terminal_gets_blocks_with_arrows_at_the_side() -> None:
    nodes = (Node("a", "a"), Node("b", "b", ("x",)), Node("c", "c"), Node("d", "d"))
    edges = (Edge("a", "b", "T"), Edge("b", "b"), Edge("b", "d", "F"), Edge("c", "b"))
    graph = Graph("f", nodes, edges)
    assert picture(graph) == PICTURE
    assert picture(graph, ascii_only=True).isascii()
    console = Console(width=16, file=io.StringIO())
    console.print(Drawing(graph))
    assert console.file.getvalue().splitlines()[1:] == PICTURE.splitlines()[1:]


def test_a_tree_is_indented_in_a_terminal(traced) -> None:
    lines = traced.at("ssa").graph("dominators").text.splitlines()
    assert lines[1].startswith("label 0 · entry")
    assert lines[2].startswith(("├─ label", "└─ label"))


def test_a_graph_is_plain_data(traced) -> None:
    data = traced.at("ssa").graph().graph.to_dict()
    assert data["kind"] == "cfg"
    assert {node["id"] for node in data["nodes"]} >= {edge["source"] for edge in data["edges"]}
