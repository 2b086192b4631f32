"""Record the machine numbers that changed a result while typed IR was interpreted.

Types turn Python's numbers into the machine's: integers wrap, floats are rounded, an int becomes a
float. The interpreter reports each change here, with its op. Either an entry of the ledger
(`cutaway.ledger`) permits it, or the types are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.function import user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.types import Complex, Float, Integer, Optional, Tuple, Type
from cutaway.typing.values.coercion import coerce

_NUMBERS = (bool, int, float, complex)


class MachineNumbers:
    """An observer of one run of typed IR.

    `entries` are the ledger entries that apply, `wrong` the changes that no entry permits.
    """

    def __init__(self, unit: CompileUnit) -> None:
        self.types = unit.types
        self.declared = {name for name, _ in unit.flags.locals}
        self.entries: dict[str, None] = {}
        self.wrong: list[str] = []
        self.values: dict[str, Any] = {}
        self.op: Op | None = None

    def before(self, op: Op) -> None:
        """Record the op that runs next."""
        self.op = op
        if isinstance(op, nodes.Binary | nodes.Inplace | nodes.Call):
            if any(_has_nan(self.values.get(name)) for name in uses(op)):
                self.entries["nan-identity"] = None

    def observe(self, op: Op, name: str, value: Any) -> None:
        """Record the value of a variable."""
        self.values[name] = value

    def coerce(self, ty: Type, value: Any) -> Any:
        """Coerce a value by `typing.coerce`, and record a change."""
        try:
            result = coerce(ty, value)
        except TypeError:
            if _is_power(self.op) and isinstance(value, complex | np.complexfloating):
                self.entries["real-power"] = None
            raise
        if result is not value:
            self._compare(ty, value, result)
        return result

    def _compare(self, ty: Type, value: Any, coerced: Any) -> None:
        if isinstance(ty, Optional):
            ty = ty.inner
        if isinstance(ty, Tuple):
            for item, one, other in zip(ty.items, value, coerced, strict=True):
                if one is not other:
                    self._compare(item, one, other)
            return
        if isinstance(value, np.generic):
            if value.dtype.kind not in "biufc":
                return
            self.entries["numpy-scalars"] = None
            value = value.item()
        if not isinstance(coerced, _NUMBERS):
            return
        if type(value) is type(coerced) and (value == coerced or value != value):
            return
        if isinstance(self.op, nodes.Unary) and isinstance(ty, Integer) and ty.bits < 64:
            return  # as NumPy's integers, which it is in Python
        entry = self._entry(ty, value, coerced)
        if entry:
            self.entries[entry] = None
        else:
            self.wrong.append(f"{self._place()}{value!r} becomes {coerced!r}, as {ty}")

    def _entry(self, ty: Type, value: Any, coerced: Any) -> str:
        """Return the ledger entry that permits a change; empty if none does."""
        op = self.op
        if any(user_name(name) in self.declared for name in definitions(op) if op is not None):
            return "declared-locals"
        if isinstance(op, nodes.Arg):
            return "signature-conversion"
        match ty:
            case Integer():
                return self._integer_entry(ty, value)
            case Float() | Complex() if type(value) in (bool, int):
                return self._entry_of_mixing(op)
            case Complex() if isinstance(value, float):
                return self._entry_of_mixing(op)
            case Float(bits=16 | 32) | Complex(bits=64):
                return "numpy-scalars" if self._has_single(op) else ""
            case types.Boolean() if value == coerced:
                return "one-type"
        return ""

    def _integer_entry(self, ty: Integer, value: Any) -> str:
        if isinstance(value, float):
            return "int-power" if _is_power(self.op) else ""
        if isinstance(value, bool):
            return "one-type"
        if ty.bits < 64:
            return ""
        return "shifts" if _symbol(self.op) in ("<<", "<<=") else "int64-wrap"

    def _entry_of_mixing(self, op: Op | None) -> str:
        """The ledger entry that permits an int to become a float; empty if the op is itself a
        constant."""
        if op is None or isinstance(op, nodes.Const | nodes.Global | nodes.FreeVar):
            return ""
        operand_types = [self.types.get(name) for name in uses(op)]
        if types.uint64 in operand_types and any(
            isinstance(t, Integer) and t.signed for t in operand_types
        ):
            return "uint64-mix"
        return "one-type"

    def _has_single(self, op: Op | None) -> bool:
        """True if an op has operands of lower precision, or may convert to one."""
        if op is None or isinstance(op, nodes.Phi):
            return op is not None and all(_is_single(self.types.get(n)) for n in uses(op))
        return isinstance(op, nodes.Call) or any(_is_single(self.types.get(n)) for n in uses(op))

    def _place(self) -> str:
        return f"line {self.op.loc.line}: " if self.op is not None and self.op.loc.line else ""


def _is_single(ty: Type | None) -> bool:
    if isinstance(ty, types.Array):
        ty = ty.dtype
    return isinstance(ty, Float) and ty.bits < 64 or isinstance(ty, Complex) and ty.bits == 64


def _symbol(op: Op | None) -> str:
    return op.op.symbol if isinstance(op, nodes.Binary | nodes.Inplace) else ""


def _is_power(op: Op | None) -> bool:
    return _symbol(op) in ("**", "**=") or isinstance(op, nodes.Call)


def _has_nan(value: Any) -> bool:
    """True if a tuple contains a NaN."""
    return isinstance(value, tuple) and any(_is_nan(item) for item in _items(value))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | complex | np.inexact) and bool(value != value)


def _items(value: tuple[Any, ...]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, tuple):
            yield from _items(item)
        else:
            yield item
