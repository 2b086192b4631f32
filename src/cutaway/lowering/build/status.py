"""Exceptions by status: a function that raises describes the exception in a record and returns 1.

Compiled code never makes an exception object.  It stores the number of the raise site, and the
caller propagates the status, adding its own location to the traceback (`raising`).
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.errors import UnsupportedError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.source import Loc
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import (
    PAYLOAD_SLOTS,
    RAISED,
    STACK_LIMIT,
    VALUE_SLOTS,
    VALUES,
    RaiseSite,
    table_name,
)
from cutaway.lowering.layout import Value, owner_positions, slot_types
from cutaway.lowering.slots import store_slots
from cutaway.targets.target import Exceptions


class ByStatus(Exceptions):
    """Exceptions that functions of a module propagate as a status and a record."""

    def raise_site(self, build: FunctionBuilder, site: RaiseSite, payload: Sequence[str]) -> None:
        """Raise the exception of a site; the payload are the integers for its format string."""
        stages = _stages(build, site.loc)
        cls = site.exception
        if not (isinstance(cls, type) and issubclass(cls, StopIteration)):
            stages = [sum(stages)]
        number = build.table.add(replace(site, frames=stages[0]))
        numbers = [str(number), *payload]
        numbers += ["0"] * (1 + PAYLOAD_SLOTS - len(numbers))
        operands = [("ptr", "%exc"), _table(build), *(("i64", number) for number in numbers)]
        build.call("void", "cutaway_describe", operands)
        self._leave(build, RAISED, site.loc, stages)

    def raise_values(
        self,
        build: FunctionBuilder,
        exception: type[BaseException],
        args: Sequence[Value],
        keywords: tuple[str, ...],
    ) -> None:
        """Raise an exception with computed arguments, the last of them by these names.

        Raises UnsupportedError if they take more slots than the record has.
        """
        kinds = tuple(value.ty for value in args)
        if sum(len(slot_types(ty)) for ty in kinds) > VALUE_SLOTS:
            raise UnsupportedError(
                "an exception with so many values is not supported in compiled code",
                build.loc,
                f"it can carry {VALUE_SLOTS} numbers",
            )
        offset = VALUES
        for value in args:
            for place in owner_positions(value.ty):  # a reference each, until the exception is made
                build.call("void", "cutaway_incref", [("ptr", value.parts[place])])
            store_slots(build, value, build.offset("%exc", str(offset)))
            offset += 8 * len(slot_types(value.ty))
        site = RaiseSite(exception, (), build.loc, build.function, types=kinds, keywords=keywords)
        self.raise_site(build, site, ())

    def propagate(self, build: FunctionBuilder, status: str) -> None:
        """Leave with the status of a callee that failed, adding this location to the traceback."""
        stages = _stages(build, build.loc)
        _add_frames(build, build.loc, stages[0])
        self._leave(build, status, build.loc, stages)

    def pass_on(self, build: FunctionBuilder, status: str) -> None:
        self._leave(build, status, build.loc, _stages(build, build.loc), 1)

    def _leave(
        self, build: FunctionBuilder, status: str, loc: Loc, stages: list[int], done: int = 0
    ) -> None:
        """Leave with a status, through the inlined generators, each of which ends a stage of
        inlined calls; all frames of the first stage have been added, or `done` of them."""
        calls = (loc, *(through.call for through in loc.calls))
        if done and stages[0] > done:
            _add_frames(build, calls[done], stages[0] - done)
        place = stages[0]
        for stage in stages[1:]:
            operands = [("ptr", "%exc"), ("i32", status)]
            status = build.call("i32", "cutaway_generator_raised", operands)
            _add_frames(build, calls[place], stage)
            place += stage
        build.leave(status)

    def check_stack(self, build: FunctionBuilder) -> None:
        """Raise RecursionError if the stack is nearly used up."""
        frame = build.call("ptr", "llvm.frameaddress.p0", [("i32", "0")])
        limit = build.load("ptr", build.offset("%exc", str(STACK_LIMIT)), 8)
        too_deep = build.compare("ult", "ptr", frame, limit)
        build.raise_if(too_deep, RecursionError, "maximum recursion depth exceeded")


def _stages(build: FunctionBuilder, loc: Loc) -> list[int]:
    """Count the frames that an exception gets on its way to its handler, or out of the function:
    one, and another one for each inlined call; a new stage begins behind each generator."""
    calls = loc.calls
    stages = [1]
    for through in calls[: len(calls) - (0 if build.landing is None else build.landing.depth)]:
        if through.waits:
            stages.append(1)
        else:
            stages[-1] += 1
    return stages


def _add_frames(build: FunctionBuilder, loc: Loc, count: int) -> None:
    site = build.table.add(RaiseSite(None, (), loc, build.function, frames=count))
    build.call("void", "cutaway_frame", [("ptr", "%exc"), _table(build), ("i64", str(site))])


def _table(build: FunctionBuilder) -> tuple[str, str]:
    return "ptr", symbol(table_name(build.code.name))
