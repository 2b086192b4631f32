"""Phis: lines that are written when the values of all predecessors are known.

A phi names values of blocks that are lowered after it, so that its lines are reserved first.  Where
several back edges merge in a loop's latch (`latches`), some of its header's phis move there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.lowering import latches, regions, sums
from cutaway.lowering.build.builder import CodeLine
from cutaway.lowering.layout import Value, part_types, zero_value
from cutaway.typing import types

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


@dataclass(slots=True)
class _Pending:
    """A phi whose line is written when all values are known."""

    op: nodes.Phi
    label: int | None
    lines: list[CodeLine]
    names: tuple[str, ...]

    @property
    def parts(self) -> range:
        """The indices of the parts of its values."""
        return range(len(self.names))


class Phis:
    """The phis of one function."""

    def __init__(self, into: FunctionLowering) -> None:
        self.into = into
        self.pending: list[_Pending] = []

    def reserve(self, op: nodes.Phi) -> None:
        """Name the parts of a phi, and reserve its lines."""
        ty = self.into.types[op.result]
        kinds = part_types(ty)
        names = tuple(self.into.build.fresh() for _ in kinds)
        lines = [self.into.build.reserve() for _ in kinds]
        self.pending.append(_Pending(op, self.into.label, lines, names))
        self.into.values[op.result] = Value(ty, names)

    def write(self) -> None:
        """Write all lines, and the latches of loops."""
        met: dict[int, list[_Pending]] = {header: [] for header in self.into.latches.sources}
        for phi in self.pending:
            if phi.label in met:
                met[phi.label].append(phi)
            else:
                self._write(phi, [self._pairs(phi, phi.op.labels, k) for k in phi.parts])
        for header, phis in met.items():
            self._write_latch(header, phis)

    def _write(self, phi: _Pending, pairs: list[list[tuple[str, str]]]) -> None:
        kinds = part_types(self.into.types[phi.op.result])
        for line, name, kind, incoming in zip(phi.lines, phi.names, kinds, pairs, strict=True):
            if not incoming:  # in a handler of a block that never raises
                line.text = f"{name} = freeze {kind} poison"
                continue
            texts = ", ".join(f"[ {value}, %{label} ]" for value, label in incoming)
            line.text = f"{name} = phi {kind} {texts}"

    def _write_latch(self, header: int, phis: list[_Pending]) -> None:
        """Emit the latch of a header, and the header's phis."""
        build, latch = self.into.build, latches.latch_name(header)
        back = self.into.latches.sources[header]
        first = len(build.code.lines)
        build.start(latch)
        build.at(self.into.fn.blocks[header].ops[-1].loc)
        # A block begins with all of its phis: computations with them come after the last one.
        met = {
            (phi.op.id, k): self._meeting(phi, back, k, kind)
            for phi in phis
            for k, kind in zip(phi.parts, part_types(self.into.types[phi.op.result]), strict=True)
        }
        for phi in phis:
            build.hint = phi.op.result
            before = [label for label in phi.op.labels if label not in back]
            build.at(self.into.fn.blocks[header].ops[-1].loc)
            returning = [[(met[phi.op.id, k](), latch)] for k in phi.parts]
            self._write(phi, [self._pairs(phi, before, k) + returning[k] for k in phi.parts])
        build.at(self.into.fn.blocks[header].ops[-1].loc)
        build.jump(regions.block_name(header))
        self.into.mark_loop(header)
        self.into.lines[header] += build.code.lines[first:]

    def _meeting(
        self, phi: _Pending, back: Collection[int], part: int, kind: str
    ) -> Callable[[], str]:
        """Return the value of a part of a phi in the next iteration: emits a phi, and returns the
        code that completes it."""
        into, build, returning = self.into, self.into.build, self._pairs(phi, back, part)
        build.hint = phi.op.result
        summed = sums.conditional_sum(
            phi.op, back, into.types, lambda: into.sizes.values.definitions
        )
        if summed is not None and not build.flags.fastmath:
            build.hint = summed.name
            ways = {into.exits[at]: name for at, name in summed.added.items() if at in into.exits}
            texts = {label: into.values[name].parts[0] for label, name in ways.items()}
            added = build.phi(kind, [(texts.get(at, summed.neutral), at) for _, at in returning])

            def add() -> str:
                build.at(summed.loc)
                build.hint = summed.name
                return build.binary(summed.opcode, kind, phi.names[part], added)

            return add
        values = {value for value, _ in returning}
        value = values.pop() if len(values) == 1 else build.phi(kind, returning)
        return lambda: value

    def _pairs(self, phi: _Pending, labels: Collection[int], part: int) -> list[tuple[str, str]]:
        """Return the values of a part of a phi by predecessor, as pairs with the LLVM blocks."""
        ends = {label: self._end(label, phi.label) for label in labels}
        return [
            (self._incoming(value, phi.op, part), end)
            for label, value in zip(phi.op.labels, phi.op.values, strict=True)
            if (end := ends.get(label)) is not None
        ]

    def _end(self, label: int, target: int | None) -> str | None:
        """Return the LLVM block that jumps from one block to another; None if none does."""
        if self.into.handlers is not None and self.into.fn.blocks[label].handler == target:
            return self.into.handlers.exits.get(label)
        return self.into.exits.get(label)

    def _incoming(self, name: str, op: nodes.Phi, part: int) -> str:
        value = self.into.values[name]
        if value.ty is types.undefined:
            value = zero_value(self.into.types[op.result])
        return value.parts[part]
