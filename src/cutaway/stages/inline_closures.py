"""Put the bodies of inner functions in the place of their calls (stage 3).

    def f(a):
        def twice(x):               x@twice = a
            return x + x      ->    $twice.1 = x@twice + x@twice
        return twice(a)             return $twice.1

An inner function shares variables with the function around it: what it captures is read when
it is called, which is what the inlined body does.  Its own variables get its name behind an @.
Functions that are passed on to other inner functions are followed; one that is called in no
way that can be seen here stays, and is refused when types are inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CodeType

from cutaway.errors import TypingError, UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import (
    definition_table,
    definitions,
    rename_definitions,
    rename_uses,
    retarget,
    use_table,
)
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Inline until no call of an inner function is left."""
    if not any(isinstance(op, nodes.MakeFunction) for b in unit.fn.blocks.values() for op in b.ops):
        return
    inlining = _Inlining(unit)
    while inlining.inline_one():
        pass
    inlining.drop_unused()


class _Inlining:
    """The state of the inlining into one function."""

    def __init__(self, unit: CompileUnit) -> None:
        self.fn = unit.fn
        self.unit = unit
        code = unit.pyfunc.__code__
        cells = unit.pyfunc.__closure__ or ()
        self.cells = dict(zip(code.co_freevars, cells, strict=True))
        self.inside: dict[int, tuple[CodeType, ...]] = {}  # what each block was inlined from
        self.counts: dict[str, int] = {}

    def inline_one(self) -> bool:
        """Inline the first call that can be; False when there is none."""
        made = {name: ops[0] for name, ops in definition_table(self.fn).items() if len(ops) == 1}
        for block in list(self.fn.blocks.values()):
            for position, op in enumerate(block.ops):
                if isinstance(op, nodes.Call):
                    function = _follow(op.func, made)
                    if function is not None:
                        self._inline(block, position, op, function)
                        return True
        return False

    def drop_unused(self) -> None:
        """Remove inner functions, and copies of them, that nothing uses any more."""
        while True:
            used = use_table(self.fn)
            made = {n: ops[0] for n, ops in definition_table(self.fn).items() if len(ops) == 1}
            gone = {
                op.result
                for op in made.values()
                if isinstance(op, nodes.MakeFunction | nodes.Copy)
                and op.result not in used
                and _follow(op.result, made) is not None
            }
            if not gone:
                return
            for block in self.fn.blocks.values():
                block.ops[:] = [op for op in block.ops if not gone & set(definitions(op))]

    def _inline(
        self, block: Block, position: int, call: nodes.Call, function: nodes.MakeFunction
    ) -> None:
        stack = self.inside.get(block.label, ())
        if function.code in stack:
            raise UnsupportedError(
                f"the inner function {function.name} calls itself",
                call.loc,
                "make it a compiled function of its own",
            )
        body = self.unit.services.build_ir(function.code, self.unit.pyfunc.__globals__)
        rest = Block(self.fn.new_label(), block.ops[position + 1 :])
        self.fn.blocks[rest.label] = rest
        self.inside[rest.label] = stack
        rename = self._renaming(function.name, body)
        labels = self._copy_blocks(body, rename, call, rest.label, (*stack, function.code))
        bound = self._bind(call, function, body, rename)
        jump = nodes.Jump(labels[body.entry.label], loc=call.loc, id=self.fn.new_id())
        block.ops[position:] = [*bound, jump]
        captured = dict(zip(function.code.co_freevars, function.captured, strict=True))
        self._resolve_captured(captured, labels.values())

    def _renaming(self, name: str, body: Function) -> Callable[[str], str]:
        count = self.counts[name] = self.counts.get(name, 0) + 1
        stem = "lambda" if name == "<lambda>" else name
        suffix = f"@{stem}" if count == 1 else f"@{stem}{count}"
        names = {
            old: self.fn.fresh(stem) if is_temporary(old) else old + suffix
            for old in definition_table(body)
        }
        return lambda old: names.get(old, old + suffix)

    def _bind(
        self,
        call: nodes.Call,
        function: nodes.MakeFunction,
        body: Function,
        rename: Callable[[str], str],
    ) -> list[Op]:
        """Copies of arguments, or of defaults, into the renamed parameters."""
        positional = len(call.args) - len(call.keywords)
        given = dict(zip(body.params, call.args[:positional], strict=False))
        given.update(zip(call.keywords, call.args[positional:], strict=True))
        defaults = dict(
            zip(body.params[len(body.params) - len(function.defaults) :], function.defaults)
        )
        values = {**defaults, **given}
        if (
            call.star is not None
            or positional > len(body.params)
            or set(values) != set(body.params)
        ):
            wanted = ", ".join(body.params)
            raise TypingError(
                f"the arguments of this call do not fit {function.name}({wanted})", call.loc
            )
        return [
            nodes.Copy(rename(name), values[name], loc=call.loc, id=self.fn.new_id())
            for name in body.params
        ]

    def _copy_blocks(
        self,
        body: Function,
        rename: Callable[[str], str],
        call: nodes.Call,
        after: int,
        stack: tuple[CodeType, ...],
    ) -> dict[int, int]:
        first = self.fn.new_label()
        labels = {old: first + k for k, old in enumerate(body.blocks)}
        labels[LEAVE] = after
        for old, source in body.blocks.items():
            ops: list[Op] = []
            for op in source.ops:
                if isinstance(op, nodes.Arg):
                    continue  # bound in front
                renamed = rename_uses(rename_definitions(op, rename), rename)
                ops += _left(renamed, call.result)
            self.fn.blocks[labels[old]] = Block(
                labels[old],
                [replace(retarget(op, labels.__getitem__), id=self.fn.new_id()) for op in ops],
            )
            self.inside[labels[old]] = stack
        return {old: new for old, new in labels.items() if old != LEAVE}

    def _resolve_captured(self, captured: dict[str, str], labels: Iterable[int]) -> None:
        """Read captured variables where the inner function does."""
        for label in labels:
            ops = self.fn.blocks[label].ops
            for position, op in enumerate(ops):
                if isinstance(op, nodes.FreeVar) and op.name in captured:
                    ops[position] = self._captured(op, captured[op.name])

    def _captured(self, op: nodes.FreeVar, name: str) -> Op:
        cell = self.cells.get(name)
        if cell is None:
            return nodes.Copy(op.result, name, loc=op.loc, id=op.id)
        return nodes.FreeVar(op.result, name, cell.cell_contents, loc=op.loc, id=op.id)


LEAVE = -1  # stands for the block behind the call while a body is being copied


def _left(op: Op, result: str) -> list[Op]:
    """A return becomes an assignment and a jump to behind the call."""
    if not isinstance(op, nodes.Return):
        return [op]
    return [nodes.Copy(result, op.value, loc=op.loc), nodes.Jump(LEAVE, loc=op.loc)]


def _follow(name: str, made: dict[str, Op]) -> nodes.MakeFunction | None:
    """The inner function that a variable holds, if it can hold nothing else."""
    op = made.get(name)
    while isinstance(op, nodes.Copy):
        op = made.get(op.value)
    return op if isinstance(op, nodes.MakeFunction) else None
