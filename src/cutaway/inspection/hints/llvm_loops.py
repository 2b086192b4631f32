"""Loops in LLVM IR: their exits and their calls.

B54:                                            a loop that LLVM does not vectorize, since
  %inv = fcmp oeq double %r, 0.0  ; 45:22       `1.0 / r` in line 45 may raise
  br i1 %inv, label %B54.raise.97, ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.llvm.text import NAME, functions_of
from cutaway.ir.graph import Graph

_PLACE = re.compile(r"  ; (\d+):(\d+)(?: inside: (.*))?$")
_TARGET = re.compile(rf"label %({NAME})")
_CALL = re.compile(rf"\bcall .*?@({NAME})\(")
_PHI = re.compile(rf"%({NAME}) = phi ")
_RAISES = ".raise"  # in the labels of blocks that raise

Place = tuple[int, int]  # line and column


@dataclass(frozen=True, slots=True)
class LlvmLoop:
    """An innermost loop: the locations of its header, of its raising exits, of its other exits, its
    calls with their locations, and its loop-carried values."""

    heads: frozenset[Place]
    raising: tuple[Place, ...]
    leaving: tuple[Place, ...]
    calls: tuple[tuple[str, Place], ...]
    phis: tuple[str, ...]


def loops_in(lines: Sequence[str]) -> Iterator[LlvmLoop]:
    """Yield the innermost loops of a function, from its lines."""
    for _, blocks in functions_of("\n".join(lines)):
        labels = list(blocks)
        number = {label: k for k, label in enumerate(labels)}
        edges = {
            number[label]: tuple(dict.fromkeys(number[t] for t in _targets(body) if t in number))
            for label, body in blocks.items()
        }
        graph = Graph(edges, edges, 0)
        for header, loop in graph.loops().items():
            if header in graph.innermost:
                yield _loop(header, loop.body, labels, blocks, edges)


def _targets(body: Sequence[str]) -> list[str]:
    return [name.strip('"') for line in body for name in _TARGET.findall(line.split("  ; ")[0])]


def _loop(
    header: int,
    body: Sequence[int] | frozenset[int],
    labels: Sequence[str],
    blocks: dict[str, list[str]],
    edges: dict[int, tuple[int, ...]],
) -> LlvmLoop:
    before = [k for k, targets in edges.items() if header in targets and k not in body]
    ends = [blocks[labels[k]][-1] for k in (header, *before)]
    raising: list[Place] = []
    leaving: list[Place] = []
    calls: list[tuple[str, Place]] = []
    for k in sorted(body):
        lines = blocks[labels[k]]
        for line in lines:
            if (match := _CALL.search(line)) and (place := _place(line)):
                calls.append((match[1].strip('"'), place))
        place = _place(lines[-1])
        for out in edges[k]:
            if out not in body and place is not None:
                (raising if _RAISES in labels[out] else leaving).append(place)
    heads = {place for line in ends if (place := _place(line)) is not None}
    return LlvmLoop(
        frozenset(heads),
        tuple(dict.fromkeys(raising)),
        tuple(dict.fromkeys(leaving)),
        tuple(dict.fromkeys(calls)),
        tuple(m[1] for line in blocks[labels[header]] if (m := _PHI.match(line))),
    )


def _place(line: str) -> Place | None:
    match = _PLACE.search(line)
    return None if match is None else (int(match[1]), int(match[2]))
