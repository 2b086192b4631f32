"""Control flow and calls of LLVM IR as graphs, read from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from cutaway.drawing.model import Edge, Graph, Node, counted, merged
from cutaway.inspection.graphs.roles import control_flow
from cutaway.inspection.llvm import text as llvm_text

_NAME = llvm_text.NAME
_BRANCH = re.compile(rf"^br i1 .*?, label %({_NAME}), label %({_NAME})")
_CASE = re.compile(rf"i\d+ (-?\d+), label %({_NAME})")
_TARGET = re.compile(rf"label %({_NAME})")
_CALLED = re.compile(rf"\bcall .*?@({_NAME})\(")
_WEIGHTS = re.compile(r'^!(\d+) = !\{!"branch_weights", i32 (\d+), i32 (\d+)\}')
_PLACE = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)")
_PROF = re.compile(r"!prof !(\d+)")
_DEBUG = re.compile(r"!dbg !(\d+)")
_SELDOM = 100  # ratio of branch weights above which an edge is cold

Blocks = Mapping[str, Sequence[str]]


def llvm_flow(name: str, text: str) -> Graph:
    """Return the blocks of every function that a module defines, a cluster each."""
    notes = _Notes(text)
    return merged(name, "cfg", llvm_functions(text, notes))


def llvm_functions(text: str, notes: _Notes | None = None) -> Iterator[Graph]:
    """One graph per function."""
    notes = notes or _Notes(text)
    for name, blocks in llvm_text.functions_of(text):
        edges = [edge for label, body in blocks.items() for edge in _edges(label, body, notes)]
        cold = _cold(blocks, edges)
        boxes = [_box(label, body, label in cold, notes) for label, body in blocks.items()]
        yield control_flow(name, boxes, edges)


class _Notes:
    """The metadata of a module: source locations and branch weights."""

    def __init__(self, text: str) -> None:
        self.lines: dict[str, int] = {}
        self.seldom: dict[str, int] = {}  # 0 or 1: the target that is rarely taken
        for line in text.splitlines():
            if place := _PLACE.match(line):
                self.lines[place[1]] = int(place[2])
            elif weights := _WEIGHTS.match(line):
                first, second = int(weights[2]), int(weights[3])
                if max(first, second) >= _SELDOM * min(first, second):
                    self.seldom[weights[1]] = int(first > second)

    def line_of(self, code: str) -> int:
        """Return the line of the source that an instruction came from."""
        match = _DEBUG.search(code)
        return self.lines.get(match[1], 0) if match else 0


def _box(label: str, body: Sequence[str], cold: bool, notes: _Notes) -> Node:
    locs = tuple(map(notes.line_of, body))
    text = tuple(llvm_text.without_metadata(line) for line in body)
    first = next((line for line in locs if line), 0)
    return Node(label, label, text, "cold" if cold else "", first, locs=locs)


def _edges(label: str, body: Sequence[str], notes: _Notes) -> list[Edge]:
    """The edges of a block; only its terminator names labels, but a `switch` has several lines."""
    code = [llvm_text.without_comment(line) for line in body]
    if branch := _BRANCH.match(code[-1]):
        seldom = _seldom(code[-1], notes)
        return [
            Edge(label, _plain(branch[k + 1]), mark, "branch cold" if k == seldom else "branch")
            for k, mark in enumerate(("T", "F"))
        ]
    cases = [case for line in code for case in _CASE.findall(line)]
    if not cases:
        targets = [_plain(target) for line in code for target in _TARGET.findall(line)]
        return [Edge(label, target, "", "branch") for target in dict.fromkeys(targets)]
    switch = next(line for line in code if line.startswith("switch"))
    default = _TARGET.findall(switch)[0]
    values: dict[str, list[str]] = {_plain(default): ["else"]}
    for value, target in cases:
        values.setdefault(_plain(target), []).append(value)
    return [Edge(label, target, ", ".join(v), "branch") for target, v in values.items()]


def _seldom(code: str, notes: _Notes) -> int:
    match = _PROF.search(code)
    return notes.seldom.get(match[1], -1) if match else -1


def _cold(blocks: Blocks, edges: Sequence[Edge]) -> set[str]:
    """Return the blocks that only rarely taken branches lead to."""
    warm = {next(iter(blocks), "")}
    waiting = list(warm)
    after: dict[str, list[str]] = {}
    for edge in edges:
        if not edge.has("cold"):
            after.setdefault(edge.source, []).append(edge.target)
    while waiting:
        new = [target for target in after.get(waiting.pop(), ()) if target not in warm]
        warm.update(new)
        waiting += new
    reached = {edge.target for edge in edges}
    return {label for label in blocks if label not in warm and label in reached}


def llvm_calls(name: str, text: str) -> Graph:
    """Return the call graph of a module; functions that it only declares are external."""
    functions = dict(llvm_text.functions_of(text))
    boxes = {
        function: Node(function, function, (_extent(blocks),), "compiled")
        for function, blocks in functions.items()
    }
    edges = []
    for function, blocks in functions.items():
        called = [_plain(c) for body in blocks.values() for c in _CALLED.findall("\n".join(body))]
        for target in dict.fromkeys(called):
            boxes.setdefault(target, Node(target, target, (), "external"))
            times = called.count(target)
            edges.append(Edge(function, target, f"{times}×" if times > 1 else "", "call"))
    return Graph(name, tuple(boxes.values()), tuple(edges), "calls")


def _extent(blocks: Blocks) -> str:
    count = sum(map(len, blocks.values()))
    return f"{counted(len(blocks), 'block')}, {counted(count, 'instruction')}"


def _plain(name: str) -> str:
    return name.strip('"')
