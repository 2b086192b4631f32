"""The functions that one compilation compiled, and their calls: one box per specialization.

Functions compiled earlier have no time.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import TYPE_CHECKING

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import Recording


def compiled_calls(compilation: Recording) -> Graph:
    """Return the calls of a compilation and of all that were nested in it."""
    everything = list(_all_of(compilation))
    names = {id(one): str(number) for number, one in enumerate(everything)}
    boxes = [_box(one, names[id(one)]) for one in everything]
    edges: list[Edge] = []
    for one in everything:
        for function, lines in _called_in(one).items():
            targets = [other for other in everything if other.unit.pyfunc is function]
            nested = [other for other in targets if _is_nested(one, other)] or targets
            for other in nested:
                edges.append(_edge(names[id(one)], names[id(other)], lines))
            if not nested:
                name = f"before {function.__qualname__}"
                if all(box.id != name for box in boxes):
                    boxes.append(_known(name, function))
                edges.append(_edge(names[id(one)], name, lines))
        called = {edge.target for edge in edges if edge.source == names[id(one)]}
        edges += [  # calls by library rules have no line in the program
            Edge(names[id(one)], names[id(other)], "", "call")
            for record in one.passes
            for other in record.nested
            if names[id(other)] not in called
        ]
    return Graph(compilation.signature, tuple(boxes), tuple(edges), "calls")


def _all_of(compilation: Recording) -> Iterator[Recording]:
    yield compilation
    for record in compilation.passes:
        for inner in record.nested:
            yield from _all_of(inner)


def _is_nested(outer: Recording, inner: Recording) -> bool:
    return any(inner is one for record in outer.passes for one in record.nested)


def _box(compilation: Recording, name: str) -> Node:
    code = compilation.unit.pyfunc.__code__
    own = sum(record.own_seconds for record in compilation.passes)
    lines = [f"{own * 1e3:.2f} ms in itself"]
    whole = sum(record.seconds for record in compilation.passes)
    if any(record.nested for record in compilation.passes):
        lines.append(f"{whole * 1e3:.2f} ms including its calls")
    asked = _asked_by(compilation)
    if asked:
        lines.append(f"calls compiled in pass {asked}")
    kind = "compiled"
    if compilation.error is not None:
        lines.append(f"failed: {type(compilation.error).__name__}")
        kind = "compiled cold"
    first = code.co_firstlineno
    return Node(name, compilation.signature, tuple(lines), kind, first, compilation.name)


def _asked_by(compilation: Recording) -> str:
    """Return the passes that compiled other functions."""
    return ", ".join(record.name for record in compilation.passes if record.nested)


def _known(name: str, function: FunctionType) -> Node:
    line = function.__code__.co_firstlineno
    title = function.__qualname__.replace("<locals>.", "")
    return Node(name, title, ("compiled before",), "known", line, title)


def _edge(source: str, target: str, lines: list[int]) -> Edge:
    where = ", ".join(map(str, lines))
    word = "lines" if len(lines) > 1 else "line"
    return Edge(source, target, f"{word} {where}", "call")


def _called_in(compilation: Recording) -> dict[FunctionType, list[int]]:
    """Return the compiled functions that a function calls, each with the lines of its calls."""
    fn = _ir_of([record.unit_after for record in compilation.passes])
    if fn is None:
        return {}
    functions: dict[str, FunctionType] = {}
    for op in walk(fn):
        if isinstance(op, nodes.Global | nodes.FreeVar):
            pyfunc = getattr(op.value, "py_func", None)
            if isinstance(pyfunc, FunctionType):
                functions[op.result] = pyfunc
    result: dict[FunctionType, list[int]] = {}
    for op in walk(fn):
        if isinstance(op, nodes.Call) and op.func in functions:
            lines = result.setdefault(functions[op.func], [])
            if op.loc.line not in lines:
                lines.append(op.loc.line)
    return result


def _ir_of(units: list[CompileUnit | None]) -> Function | None:
    """Return the IR of a function before type inference, or the nearest available."""
    with_ir = [unit for unit in units if unit is not None and unit.has("fn")]
    untyped = [unit for unit in with_ir if not unit.has("types")]
    return (untyped or with_ir)[-1].fn if with_ir else None
