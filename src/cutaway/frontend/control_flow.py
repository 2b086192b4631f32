"""Basic blocks of bytecode and the control flow between them, by bytecode offset (stage 1)."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.frontend.bytecode import Bytecode, Instruction
from cutaway.frontend.versions import CONDITIONAL_JUMPS, ENDS, JUMPS, QUIET
from cutaway.ir.graph import Graph

if TYPE_CHECKING:
    from cutaway.frontend.reaches import Reach


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """The reachable blocks of a function by offset, and their control-flow graph.

    `handlers` maps a block to the reach that it is in: its exceptions go to the block at `target`.
    """

    blocks: dict[int, tuple[Instruction, ...]]
    graph: Graph
    handlers: dict[int, Reach]

    def __str__(self) -> str:
        graph = self.graph
        return "\n".join(
            [
                "CFG adjacency lists:",
                str({node: list(graph.successors(node)) for node in sorted(self.blocks)}),
                "CFG dominators:",
                _sets(graph.dominators()),
                "CFG post-dominators:",
                _sets(graph.post_dominators()),
                f"CFG back edges: {sorted(graph.back_edges())}",
                "CFG loops:",
                str({header: loop for header, loop in sorted(graph.loops().items())}),
                "CFG node-to-loops:",
                str({node: loops for node, loops in sorted(graph.node_to_loops().items())}),
            ]
        )


def _sets(table: dict[int, set[int]]) -> str:
    rows = (f"{node}: {{{', '.join(map(str, sorted(table[node])))}}}" for node in sorted(table))
    return "{" + ",\n ".join(rows) + "}"


def analyze(bytecode: Bytecode) -> ControlFlow:
    """Split a function into basic blocks, and find the edges between them."""
    blocks = _split(bytecode)
    starts = sorted(blocks)
    following = dict(zip(starts, starts[1:], strict=False))
    handlers = _handlers(bytecode, blocks, starts)
    edges: dict[int, list[int]] = {}
    waiting = [starts[0]]
    while waiting:
        offset = waiting.pop()
        if offset in edges:
            continue
        edges[offset] = _successors(blocks[offset], following.get(offset), starts)
        if offset in handlers:
            edges[offset].append(handlers[offset].target)
        waiting += edges[offset]
    reached = {offset: blocks[offset] for offset in starts if offset in edges}
    handlers = {offset: reach for offset, reach in handlers.items() if offset in reached}
    return ControlFlow(reached, Graph(list(reached), edges, starts[0]), handlers)


def _handlers(
    bytecode: Bytecode, blocks: dict[int, tuple[Instruction, ...]], starts: list[int]
) -> dict[int, Reach]:
    """Return the reach of each block that is in one and has an instruction that may raise."""
    code = bytecode.code
    count = code.co_argcount + code.co_kwonlyargcount
    deleted = {one.value for one in bytecode.instructions if one.name == "DELETE_FAST"}
    bound = set(code.co_varnames[:count]) - deleted  # variables that are never unbound

    def is_quiet(one: Instruction) -> bool:
        return one.name in QUIET or (one.name == "LOAD_FAST" and one.value in bound)

    handlers: dict[int, Reach] = {}
    for reach in bytecode.reaches:
        target = _at_or_after(reach.target, starts)
        for offset in starts[bisect_left(starts, reach.start) :]:
            if offset >= reach.end:
                break
            if not all(map(is_quiet, blocks[offset])):
                handlers[offset] = replace(reach, target=target)
    return handlers


def _split(bytecode: Bytecode) -> dict[int, tuple[Instruction, ...]]:
    instructions = bytecode.instructions
    offsets = [instruction.offset for instruction in instructions]
    leaders = {offsets[0]}
    for reach in bytecode.reaches:
        for offset in (reach.start, reach.end, reach.target):
            if offset <= offsets[-1]:
                leaders.add(_at_or_after(offset, offsets))
    for instruction, after in zip(instructions, [*instructions[1:], None], strict=True):
        if instruction.name in JUMPS:
            leaders.add(_at_or_after(instruction.value, offsets))
        if after is not None and (instruction.name in JUMPS or instruction.name in ENDS):
            leaders.add(after.offset)
    blocks: dict[int, list[Instruction]] = {}
    current: list[Instruction] = []
    for instruction in instructions:
        if instruction.offset in leaders and instruction.offset not in blocks:
            current = blocks[instruction.offset] = []
        current.append(instruction)
    return {offset: tuple(block) for offset, block in blocks.items()}


def _at_or_after(offset: int, offsets: list[int]) -> int:
    # The target of a jump may have been dropped (NOP, RESUME): the next instruction counts.
    return offsets[bisect_left(offsets, offset)]


def _successors(block: tuple[Instruction, ...], after: int | None, starts: list[int]) -> list[int]:
    last = block[-1]
    if last.name == "JUMP":
        return [_at_or_after(last.value, starts)]
    if last.name in ENDS:
        return []
    assert after is not None, "control runs off the end of the bytecode"
    if last.name in CONDITIONAL_JUMPS:
        return [after, _at_or_after(last.value, starts)]
    return [after]
