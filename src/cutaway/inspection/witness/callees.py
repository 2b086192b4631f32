"""Interpret typed IR with the typed IR of the compiled functions that it calls.

The interpreter calls the Python function behind a compiled one, so that faults belong to the
program itself. An integer overflow in a callee, which the ledger permits, then first shows in
machine code. So this module interprets the callees as well, with machine numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.errors import CutawayError
from cutaway.inspection.views import run_interpreted
from cutaway.inspection.witness.execution import plain_python
from cutaway.inspection.witness.machine_numbers import MachineNumbers
from cutaway.ir import nodes
from cutaway.ir.constants import is_compiled
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op, replace
from cutaway.ir.region_views import places
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.values.typeof import typeof


def calls_compiled(unit: CompileUnit) -> bool:
    """True if a function calls compiled ones, other than itself."""
    return any(
        getattr(op.value, "py_func", unit.pyfunc) is not unit.pyfunc
        for op in walk(unit.fn)
        if isinstance(op, nodes.Global | nodes.FreeVar)
    )


class Callees:
    """Interprets a unit and its callees; `with_types` uses machine numbers, else Python's.

    `watched` are the machine numbers of each run of a function.
    """

    def __init__(self, with_types: bool) -> None:
        self.with_types = with_types
        self.watched: list[MachineNumbers] = []
        self._units: dict[object, CompileUnit | None] = {}

    @property
    def entries(self) -> tuple[str, ...]:
        """The ledger entries that applied in any run."""
        return tuple(dict.fromkeys(e for numbers in self.watched for e in numbers.entries))

    @property
    def wrong(self) -> tuple[str, ...]:
        """Changes of numbers that no entry permits."""
        return tuple(text for numbers in self.watched for text in numbers.wrong)[:5]

    def run(self, unit: CompileUnit, args: tuple[Any, ...]) -> Any:
        """Interpret a unit."""
        twin = self._with_callees(unit)
        if not self.with_types:
            return run_interpreted(twin, args, types=None, coerce=None)
        numbers = MachineNumbers(twin)
        self.watched.append(numbers)
        watch = {"coerce": numbers.coerce, "before": numbers.before, "observe": numbers.observe}
        return run_interpreted(twin, args, **watch)

    def _with_callees(self, unit: CompileUnit) -> CompileUnit:
        twin = unit.copy()
        for place in places(twin.fn):
            op = place.op
            if isinstance(op, nodes.Global | nodes.FreeVar) and _is_compiled(op):
                place.put(replace(op, value=self._stand_in(op.value)))
        return twin

    def _stand_in(self, dispatcher: Any) -> Callable[..., Any]:
        plain = plain_python(dispatcher.py_func, {})

        def call(*args: Any, **named: Any) -> Any:
            unit = None if named else self._unit_of(dispatcher, args)
            return plain(*args, **named) if unit is None else self.run(unit, args)

        return call

    def _unit_of(self, dispatcher: Any, args: tuple[Any, ...]) -> CompileUnit | None:
        """The typed unit of a compiled function for arguments; None if it does not compile."""
        try:
            key = (id(dispatcher), *map(typeof, args))
            if key not in self._units:
                trace = dispatcher.trace(*args)
                self._units[key] = trace.at(Level.typed).unit
        except (CutawayError, TypeError):
            return None
        return self._units[key]


def _is_compiled(op: Op) -> bool:
    assert isinstance(op, nodes.Global | nodes.FreeVar)
    return is_compiled(op.value) and isinstance(op.value.py_func, FunctionType)
