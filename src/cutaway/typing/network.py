"""The constraint network as DOT text: a box a constraint, an ellipse a type variable.

Edges go from the variables that an op reads to it, and from it to those it defines.  What one
step has changed is red.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.dot import LONGEST_LINE, escaped
from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import definitions, uses
from cutaway.typing.events import RETURN
from cutaway.typing.types import Type, shortened

_HEAD = (
    "  rankdir=TB;",
    '  node [fontname="monospace" fontsize=10];',
    '  edge [fontname="monospace" fontsize=9];',
)
_RED = ' color="red" fontcolor="red"'


def network_dot(
    name: str,
    ops: Sequence[Op],
    table: Mapping[str, Type],
    changed: Collection[str] = (),
    visited: Op | None = None,
) -> str:
    """The network of a function's ops with the types in `table`; `changed` are the variables, and
    `visited` is the op, of the last step."""
    lines = [f'digraph "{escaped(name)}" {{', *_HEAD]
    constrained = [(k, op) for k, op in enumerate(ops) if uses(op) or _results(op)]
    for variable in dict.fromkeys(v for _, op in constrained for v in (*uses(op), *_results(op))):
        lines.append(_variable(variable, table.get(variable), variable in changed))
    for number, op in constrained:
        mark = _RED if op is visited else ""
        text = escaped(shortened(op_text(op), LONGEST_LINE))
        lines.append(f'  "op {number}" [shape=box label="{text}"{mark}];')
        lines += [
            f'  "{escaped(used)}" -> "op {number}"{_edge(op is visited)};' for used in uses(op)
        ]
        for made in _results(op):
            red = op is visited and made in changed
            lines.append(f'  "op {number}" -> "{escaped(made)}"{_edge(red)};')
    return "\n".join([*lines, "}", ""])


def _variable(name: str, ty: Type | None, changed: bool) -> str:
    known = "?" if ty is None else shortened(str(ty), LONGEST_LINE)
    mark = _RED if changed else ' style="dashed"' if ty is None else ""
    return f'  "{escaped(name)}" [shape=ellipse label="{escaped(name)}\\n{escaped(known)}"{mark}];'


def _edge(red: bool) -> str:
    return ' [color="red"]' if red else ""


def _results(op: Op) -> tuple[str, ...]:
    return (RETURN,) if isinstance(op, nodes.Return) else definitions(op)
