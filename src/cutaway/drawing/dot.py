"""Write a graph as DOT text, and restyle Graphviz's SVG of it in our colors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.drawing.svg import CLASS, label_of, tip_of
from cutaway.drawing.theme import EDGES, MARKS, NODES, color, style

_FONT = "DejaVu Sans Mono,Menlo,Consolas,monospace"


def to_dot(graph: Graph) -> str:
    """Write the DOT text; each cluster is a subgraph."""
    lines = [
        f"digraph {_quoted(graph.name)} {{",
        f'  graph [fontname="{_FONT}" fontsize=11 nodesep=0.35 ranksep=0.4];',
        f'  node [shape=box style="filled" fillcolor="{color("box")}" color="{color("line")}"'
        f' fontname="{_FONT}" fontsize=10 margin="0.1,0.06"];',
        f'  edge [color="{color("edge")}" fontname="{_FONT}" fontsize=10 arrowsize=0.7];',
    ]
    lines += _nodes([node for node in graph.nodes if not node.cluster], "  ")
    for number, cluster in enumerate(graph.clusters):
        lines.append(f"  subgraph cluster_{number} {{ label={_quoted(cluster)};")
        lines += _nodes([node for node in graph.nodes if node.cluster == cluster], "    ")
        lines.append("  }")
    lines += [f"  {_quoted(e.source)} -> {_quoted(e.target)}{_edge(e)};" for e in graph.edges]
    return "\n".join([*lines, "}", ""])


def _nodes(nodes: list[Node], indent: str) -> Iterator[str]:
    for node in nodes:
        yield f"{indent}{_quoted(node.id)} [{_attributes(node)}];"


def _attributes(node: Node) -> str:
    parts = [f"label={_label(node)}"]
    words = [word for word in node.kind.split() if word in NODES]
    if words:
        parts.append(f'class="{" ".join(words)}"')
    # The last word in the table wins, as in the style sheet of SVG.
    for word in [word for word in NODES if word in words][-1:]:
        inside, border, dashed = NODES[word]
        parts.append(f'fillcolor="{color(inside)}" color="{color(border)}"')
        if dashed:
            parts.append('style="filled,dashed"')
    if node.has("variable"):
        parts.append("shape=ellipse")
    parts.append(f"tooltip={_quoted(tip_of(node))}")
    return " ".join(parts)


def _label(node: Node) -> str:
    if not node.text:
        return _quoted(node.title)
    end = "\\n" if node.has("variable") else "\\l"
    return '"' + "".join(f"{_escaped(line)}{end}" for line in (node.title, *node.text)) + '"'


def _edge(edge: Edge) -> str:
    parts = []
    words = [word for word in edge.kind.split() if word in EDGES]
    name, dashed = EDGES[words[-1]] if words else ("", False)
    if edge.mark in MARKS:
        words.append(f"mark-{edge.mark}")
    if edge.mark:
        parts.append(f"label={_quoted(' ' + edge.mark)}")
    if words:
        parts.append(f'class="{" ".join(words)}"')
    letter = MARKS[edge.mark][0] if edge.mark in MARKS else name
    if letter:
        parts.append(f'color="{color(name or letter)}" fontcolor="{color(letter)}"')
    if dashed:
        parts.append("style=dashed")
    return f" [{' '.join(parts)}]" if parts else ""


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'.replace("\n", "\\n")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# --- the SVG of Graphviz -------------------------------------------------------------------------

_HEAD = re.compile(r"<svg ")
_FIRST_GROUP = re.compile(r"(<svg [^>]*>)")
_GROUND = re.compile(r'<polygon fill="white"')


def dressed(graph: Graph, drawn: str) -> str:
    """Add our style sheet to Graphviz's SVG, which makes it readable in dark mode too."""
    body = drawn[drawn.index("<svg ") :]
    head = f'<svg class="{CLASS}" role="img" aria-label={quoteattr(label_of(graph))} '
    body = _HEAD.sub(lambda _: head, body, count=1)
    sheet = f"<style>\n{style('.' + CLASS)}\n</style>"
    body = _FIRST_GROUP.sub(lambda match: f"{match[1]}\n{sheet}", body, count=1)
    return _GROUND.sub('<polygon class="ground" fill="white"', body, count=1)
