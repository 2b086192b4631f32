"""Check that a loaded record is consistent, so that viewers need no checks."""

from __future__ import annotations

from cutaway.inspection.record.model import FunctionRecord, Plain, RecordData

_SPAN = ("file", "line", "column", "end_line", "end_column")


def check(data: RecordData) -> None:
    """Raise IndexError for a dangling index, and KeyError or TypeError for free-form data that
    views cannot show.

    A nested function must come after its parent, so that walks through them end.
    """
    for number, function in enumerate(data.functions):
        _points(function.parent, -1, number, "parent")
        _check_passes(function, number, len(data.functions))
        for state in function.states:
            for position in state.graphs.values():
                _points(position, 0, len(function.graphs), "graphs")
        for explanation in function.explanations.values():
            _check_explanation(explanation)
        if function.calls is not None:
            _check_calls(function.calls)
        for graph in function.graphs:
            _check_graph(graph)


def _check_passes(function: FunctionRecord, number: int, count: int) -> None:
    states = len(function.states)
    if not states:
        raise IndexError("it has no state")
    for entry in function.passes:
        _points(entry.before, 0, states, "before")
        _points(entry.after, 0, states, "after")
        for rewrite in entry.rewrites:
            _points(rewrite.state, -1, states, "state")
        for inner in entry.nested:
            _points(inner, number + 1, count, "nested")
    for step in function.llvm:
        _points(step.state, 0, states, "state")
    for life in function.lives.values():
        for event in life:
            _points(event.position, 0, len(function.passes), "position")


def _points(position: int, first: int, end: int, what: str) -> None:
    if not first <= position < end:
        raise IndexError(f"{what} points to {position} of {end}")


def _check_explanation(explanation: Plain) -> None:
    _texts(explanation, "function", "variable")
    if not explanation["causes"]:
        raise ValueError("an explanation has no cause")
    waiting = list(explanation["causes"])
    while waiting:
        cause = waiting.pop()
        if "see" in cause:
            continue
        _texts(cause, "what", "type", "rule", "remark")
        _check_span(cause["span"])
        waiting += list(cause.get("causes", ()))


def _check_span(span: Plain) -> None:
    _texts(span, "file")
    for name in _SPAN[1:]:
        if type(span[name]) is not int:
            raise TypeError(f"{name} is {span[name]!r}")


def _check_calls(calls: Plain) -> None:
    for site in calls["sites"]:
        _texts(site, "source", "function")
        _check_span(site["span"])
        for name in site["arguments"]:
            _text(name, "arguments")
        if site["returns"] is not None:
            _text(site["returns"], "returns")
        for candidate in site["candidates"]:
            _texts(candidate, "signature", "reason")
            for kind in candidate["conversions"]:
                _text(kind, "conversions")


def _check_graph(graph: Plain) -> None:
    for node in graph["nodes"]:
        _known(node, "id")
        if type(node.get("loc", node.get("line", 0))) is not int:
            raise TypeError("the line of a node is not a number")
    for edge in graph["edges"]:
        _known(edge, "source", "target")


def _known(row: Plain, *names: str) -> None:
    for name in names:
        if not isinstance(row[name], str | int):
            raise TypeError(f"{name} is {row[name]!r}")


def _texts(row: Plain, *names: str) -> None:
    for name in names:
        _text(row[name], name)


def _text(value: Plain, name: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}")
