"""The colors of drawings, for paper and screen, light and dark: one table for SVG and DOT.

A page or a notebook sets `--cutaway-NAME` to choose its own color.
"""

from __future__ import annotations

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

# Name, light color, dark color.
COLORS: dict[str, tuple[str, str]] = {
    "bg": ("#ffffff", "#0d1117"),
    "fg": ("#1f2328", "#e6edf3"),
    "dim": ("#636c76", "#9198a1"),
    "box": ("#f6f8fa", "#161b22"),
    "line": ("#8c959f", "#6e7681"),
    "edge": ("#57606a", "#9198a1"),
    "true": ("#1a7f37", "#3fb950"),
    "false": ("#bc1c2c", "#ff7b72"),
    "back": ("#8250df", "#b794f6"),
    "loop": ("#f5f0ff", "#211735"),
    "entry": ("#e6f6ea", "#11291a"),
    "exit": ("#e7f3ff", "#0f2440"),
    "exit-line": ("#0969da", "#58a6ff"),
    "cold": ("#fff3e8", "#2b1b0e"),
    "cold-line": ("#bc4c00", "#e3873e"),
    "changed": ("#cf222e", "#ff7b72"),
}

# By the word of a node's kind: fill color, border color, whether it is dashed.
NODES: dict[str, tuple[str, str, bool]] = {
    "entry": ("entry", "true", False),
    "exit": ("exit", "exit-line", False),
    "loop": ("loop", "back", False),
    "cold": ("cold", "cold-line", True),
    "handler": ("cold", "cold-line", False),
    "unreachable": ("bg", "dim", True),
    "user": ("exit", "exit-line", False),
    "phi": ("loop", "back", False),
    "effect": ("cold", "cold-line", False),
    "temporary": ("bg", "line", False),
    "constant": ("bg", "line", True),
    "constraint": ("bg", "line", False),
    "variable": ("exit", "exit-line", False),
    "unknown": ("bg", "dim", True),
    "known": ("bg", "line", True),
    "external": ("bg", "dim", True),
    "compiled": ("box", "exit-line", False),
    "note": ("bg", "dim", True),
    "changed": ("bg", "changed", False),
    "visited": ("bg", "changed", False),
}

# By the word of an edge's kind: its color, and whether it is dashed.
EDGES: dict[str, tuple[str, bool]] = {
    "back": ("back", False),
    "cold": ("cold-line", True),
    "control": ("dim", True),
    "changed": ("changed", False),
}

# The meaning of a branch's mark.
MARKS = {"T": ("true", "if the condition is true"), "F": ("false", "if the condition is false")}


def style(selector: str) -> str:
    """Return the style sheet of a drawing: for our own SVG, and for Graphviz's."""
    parts = [
        f"{selector}{{{_variables(0)}color:var(--g-fg);background:var(--g-bg)}}",
        f"@media (prefers-color-scheme:dark){{{selector}{{{_variables(1)}}}}}",
        f"{selector} text{{font-family:{FONT};fill:var(--g-fg);white-space:pre;stroke:none}}",
        f"{selector} .ground{{fill:var(--g-bg);stroke:none}}",
        f"{selector} .title{{font-weight:600}}",
        f"{selector} .hidden{{fill:var(--g-dim)}}",
        _shapes(selector, "node", "fill:var(--g-box);stroke:var(--g-line)"),
        _shapes(selector, "cluster", "fill:none;stroke:var(--g-line)"),
        f"{selector} .edge path{{fill:none;stroke:var(--g-edge);stroke-width:1.3}}",
        f"{selector} .edge polygon{{fill:var(--g-edge);stroke:var(--g-edge)}}",
        f"{selector} .edge text{{fill:var(--g-edge);font-weight:600}}",
    ]
    parts += [_node(selector, word, *row) for word, row in NODES.items()]
    parts.append(f"{selector} .temporary text,{selector} .constant text{{fill:var(--g-dim)}}")
    parts += [_edge(selector, f"mark-{mark}", name, False) for mark, (name, _) in MARKS.items()]
    parts += [_edge(selector, word, *row) for word, row in EDGES.items()]
    parts += [  # the letter keeps its color on a back edge
        f"{selector} .edge.mark-{mark} text{{fill:var(--g-{name})}}"
        for mark, (name, _) in MARKS.items()
    ]
    return "\n".join(parts)


def color(name: str) -> str:
    """Return the light-mode color of a name."""
    return COLORS[name][0]


def _variables(which: int) -> str:
    return "".join(
        f"--g-{name}:var(--cutaway-{name},{values[which]});" for name, values in COLORS.items()
    )


def _shapes(selector: str, word: str, rules: str) -> str:
    shapes = ("rect", "polygon", "ellipse", "path")
    return ",".join(f"{selector} .{word} {shape}" for shape in shapes) + f"{{{rules}}}"


def _node(selector: str, word: str, inside: str, border: str, dashed: bool) -> str:
    dash = ";stroke-dasharray:4 3" if dashed else ""
    rules = f"fill:var(--g-{inside});stroke:var(--g-{border}){dash}"
    return _shapes(selector, f"node.{word}", rules)


def _edge(selector: str, word: str, name: str, dashed: bool) -> str:
    edge = f"{selector} .edge.{word}"
    dash = ";stroke-dasharray:5 3" if dashed else ""
    return (
        f"{edge} path{{stroke:var(--g-{name}){dash}}}"
        f"{edge} polygon{{fill:var(--g-{name});stroke:var(--g-{name})}}"
        f"{edge} text{{fill:var(--g-{name})}}"
    )
