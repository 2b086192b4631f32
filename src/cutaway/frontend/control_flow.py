"""Basic blocks of bytecode and the control flow between them, by bytecode offset (stage 1)."""

from __future__ import annotations

from bisect import bisect_left

from cutaway.foundation.dataclass import dataclass
from cutaway.frontend.bytecode import Bytecode, Instruction
from cutaway.frontend.versions import CONDITIONAL_JUMPS, ENDS
from cutaway.ir.graph import Graph


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """The reachable blocks of a function by offset, and the graph that they make.

    What only an exception leads to is not reachable.
    """

    blocks: dict[int, tuple[Instruction, ...]]
    graph: Graph

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
    """Find the blocks of a function and how control goes between them."""
    blocks = _split(bytecode)
    starts = sorted(blocks)
    following = dict(zip(starts, starts[1:], strict=False))
    edges: dict[int, list[int]] = {}
    waiting = [starts[0]]
    while waiting:
        offset = waiting.pop()
        if offset in edges:
            continue
        edges[offset] = _successors(blocks[offset], following.get(offset), starts)
        waiting += edges[offset]
    reached = {offset: blocks[offset] for offset in starts if offset in edges}
    return ControlFlow(reached, Graph(list(reached), edges, starts[0]))


def _split(bytecode: Bytecode) -> dict[int, tuple[Instruction, ...]]:
    instructions = bytecode.instructions
    jumps = CONDITIONAL_JUMPS | {"JUMP"}
    offsets = [instruction.offset for instruction in instructions]
    leaders = {offsets[0]}
    for instruction, after in zip(instructions, [*instructions[1:], None], strict=True):
        if instruction.name in jumps:
            leaders.add(_at_or_after(instruction.value, offsets))
        if after is not None and (instruction.name in jumps or instruction.name in ENDS):
            leaders.add(after.offset)
    blocks: dict[int, list[Instruction]] = {}
    current: list[Instruction] = []
    for instruction in instructions:
        if instruction.offset in leaders and instruction.offset not in blocks:
            current = blocks[instruction.offset] = []
        current.append(instruction)
    return {offset: tuple(block) for offset, block in blocks.items()}


def _at_or_after(offset: int, offsets: list[int]) -> int:
    # A jump may go to an instruction that was left out (NOP, RESUME): what follows counts.
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
