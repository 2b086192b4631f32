"""Notes why a loop is marked as not vectorized; loaded only while remarks are collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.ir import nodes
from cutaway.ir.decisions import MISSED, Decision
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import Graph
from cutaway.ir.nodes import Op
from cutaway.lowering.sums import FLOATS
from cutaway.typing.analysis.items import is_checked
from cutaway.typing.errors.wording import UNNAMED, quoted, source_of
from cutaway.typing.types import Type

MARKED = "loop_marks"  # the rule of these decisions
_WITHOUT = "it makes no vectors"


def notes_of(
    fn: Function, table: Mapping[str, Type], graph: Graph, marks: Mapping[int, tuple[str, ...]]
) -> Iterator[Decision]:
    """Yield the decisions about marked innermost loops, except those that rarely run."""
    rare = _rarely_run(fn, graph)
    for header, loop in graph.loops().items():
        if header not in graph.innermost or header in rare:
            continue
        ops = [op for label in sorted(loop.body) for op in fn.blocks[label].ops]
        reason, cure = "", ""
        if "plain" in marks[header]:
            checked = [op for op in ops if is_checked(op)]
            reason = f"{_WITHOUT}: each iteration compares the index of {_named(checked)}"
        elif "sums" in marks[header]:
            added = [op for op in fn.blocks[header].ops if _is_sum(op, table)]
            reason = f"{_WITHOUT}: it does little but add floats to {_variables(added)}, in order"
            cure = "@jit(fastmath=True)"
        elif "gaps" in marks[header]:
            reason = f"{_WITHOUT}: its step is not 1, and it writes one element at a time"
        if reason:
            loc = fn.blocks[header].ops[-1].loc
            yield Decision("the loop", MISSED, MARKED, reason, loc, cure=cure)


def _rarely_run(fn: Function, graph: Graph) -> set[int]:
    """Return the labels that are only reached when checks before a loop failed."""
    heads = [
        op.orelse
        for block in fn.blocks.values()
        if isinstance(op := block.ops[-1], nodes.Branch) and "orelse" in op.rare
    ]
    return {label for label in fn.blocks if any(graph.dominates(head, label) for head in heads)}


def _is_sum(op: Op, table: Mapping[str, Type]) -> bool:
    return isinstance(op, nodes.Phi) and table[op.result] in FLOATS


def _variables(ops: list[Op]) -> str:
    names = [user_name(op.result) for op in ops if isinstance(op, nodes.Phi)]
    own = [quoted(name) for name in dict.fromkeys(names) if not is_temporary(name)]
    return " and ".join(own) or "a variable"


def _named(ops: list[Op]) -> str:
    return " and ".join(dict.fromkeys(quoted(source_of(op) or UNNAMED) for op in ops))
