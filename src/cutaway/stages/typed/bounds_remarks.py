"""Explains bounds checks in the user's words; loaded only while somebody listens.

`a[i]`: proved: `i` runs from 0 to below the size of `a`
`b[k]`: kept: `k` is at least 0, and not known to be below the size of `b`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.affine import Affine
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.function import user_name
from cutaway.ir.induction import Linear
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.ir.versioning import can_version
from cutaway.stages.typed.accesses import AxisAccess, sides
from cutaway.typing.analysis.items import ItemOp, array_of
from cutaway.typing.errors.wording import UNNAMED, quoted, source_of, spelled
from cutaway.typing.types import Array

if TYPE_CHECKING:
    from cutaway.stages.typed.bounds_checks import BoundsAnalysis

_FAR = 2**40
_CONSTANT = "a constant index is compared with the size each time"


class BoundsRemarks:
    """Explains for each index of an array whether its check is proved, hoisted or kept, and why."""

    def __init__(self, bounds: BoundsAnalysis) -> None:
        self.bounds = bounds
        self.items: list[tuple[ItemOp, int]] = []  # with the labels of their blocks
        self.constant = [op for op in walk(bounds.fn) if self._has_constant_index(op)]
        self.hoisted: dict[tuple[int, int], AxisAccess] = {}

    def _has_constant_index(self, op: Op) -> bool:
        match op:
            case nodes.StaticGetItem(_, array, int()) | nodes.StaticSetItem(array, int(), _):
                kept = self.bounds.default == "check"
                return kept and isinstance(self.bounds.types[array], Array)
        return False

    def mark_note(self, op: ItemOp) -> str:
        """Return the sentence about an item op that was marked."""
        if "wrap" in op.bounds and "proved" not in op.bounds:
            return f"{_words(op)} is not checked: checks are off"
        reasons = [self._range(op, axis, name) for axis, name in self._axes(op, "proved")]
        if reasons and set(op.bounds) == {"proved"}:
            return f"{_words(op)} cannot be out of range: {' and '.join(reasons)}"
        if "below" in op.bounds and "check" not in op.bounds:
            return f"{_words(op)} is never negative, and compared with the size each time"
        return f"{_words(op)} is checked each time"

    def versioned(self, accesses: list[AxisAccess]) -> None:
        """Record accesses of a loop with two versions, of which one needs no checks of them."""
        self.hoisted.update(((access.op.id, access.axis), access) for access in accesses)

    def version_note(self, accesses: list[AxisAccess]) -> str:
        """Return the sentence about such a loop."""
        items = " and ".join(dict.fromkeys(_words(access.op) for access in accesses))
        return f"a test before the loop decides if {items} can be out of range"

    def report(self) -> None:
        """Report the decision on each index."""
        for op, block in self.items:
            for axis, name in self.bounds.plain_axes(op):
                self.bounds.unit.note(self._decision(op, axis, name, block))
        for one in self.constant:
            self.bounds.unit.note(self._of_constant(one))

    def _of_constant(self, op: nodes.StaticGetItem | nodes.StaticSetItem) -> Decision:
        array = op.value if isinstance(op, nodes.StaticGetItem) else op.target
        known = self.bounds.sizes.of(array)[0]
        if isinstance(known, int) and -known <= op.index < known:
            reason = f"{self._size(array, 0)} is {known}"
            return Decision(_words(op), DONE, "mark_bounds", reason, op.loc)
        return Decision(_words(op), MISSED, "mark_bounds", _CONSTANT, op.loc)

    def _decision(self, op: ItemOp, axis: int, name: str, block: int) -> Decision:
        subject = _words(op)
        if len(op.bounds) > 1:
            subject += f", axis {axis}"
        if op.bounds[axis] == "proved":
            return Decision(subject, DONE, "mark_bounds", self._range(op, axis, name), op.loc)
        if op.bounds[axis] in ("wrap", "unchecked"):
            return Decision(subject, DONE, "mark_bounds", "checks are off", op.loc)
        hoisted = self.hoisted.get((op.id, axis))
        if hoisted is not None:
            tests = self._tests(hoisted)
            reason = f"it is tested once before the loop that {tests}"
            return Decision(subject, DONE, "version_loop", reason, op.loc)
        needs = self.bounds.needs(name, array_of(op), axis, block)
        reason, cure = self._why_kept(AxisAccess(op, axis, name, block, needs))
        return Decision(subject, MISSED, "mark_bounds", reason, op.loc, cure=cure)

    def _why_kept(self, access: AxisAccess) -> tuple[str, str]:
        """Return why an index is checked each time, and an assertion that might prove it."""
        index = self.bounds.values.affine(access.index)
        if not index.terms:
            return _CONSTANT, ""
        other = [name for name in index.variables if self.bounds.ranges.range_of(name) is None]
        if len(other) == len(index.variables):
            return self._why_unknown(access)
        needs = access.needs or ()
        if any(not need.terms and need.offset < 0 for need in needs):
            array = array_of(access.op)
            size = self.bounds.sizes.of(array)[access.axis]
            range_of = self._range(access.op, access.axis, access.index)
            return f"{range_of}, and {self._size(array, access.axis)} is {size}", ""
        tests = self._tests(access)
        tests = tests or f"{self._named(access.index)} is in range"
        around = [
            loop
            for loop in self.bounds.loops.values()
            if any(o.id == access.op.id for at in loop.body for o in self.bounds.fn.blocks[at].ops)
        ]
        if not any(self.bounds.known_before(access, loop) for loop in around):
            return f"it is only known inside the loop whether {tests}", self._asserted(access)
        if not any(can_version(self.bounds.fn, loop) for loop in around):
            reason = "the loop has several exits, so it cannot have two versions"
            return reason, self._asserted(access)
        return f"it is not known whether {tests}", self._asserted(access)

    def _asserted(self, access: AxisAccess) -> str:
        """Return an assertion of the required sums; empty where the program cannot express it."""
        rows = [self._code_of(need) for need in access.needs or ()]
        return f"assert {' and '.join(rows)}" if rows and all(rows) else ""

    def _code_of(self, need: Affine) -> str:
        less, more = sides(need)
        terms = [(self._code(name), factor) for name, factor in (*less, *more)]
        if not all(code for code, _ in terms):
            return ""
        texts = [f"{factor} * {code}" if factor != 1 else code for code, factor in terms]
        left, right = " + ".join(texts[: len(less)]), " + ".join(texts[len(less) :])
        if not left:
            return f"{-need.offset} <= {right or 0}"
        offset = f" {'+' if need.offset > 0 else '-'} {abs(need.offset)}" if need.offset else ""
        return f"{left} <= {right}{offset}" if right else f"{left} <= {need.offset}"

    def _code(self, name: str) -> str:
        """Return a number in the words of the program; empty where it has none."""
        known = self.bounds.sizes.canonical(Linear(name, 0))
        if known.base is None:
            return str(known.offset)
        place = self.bounds.sizes.place(known.base)
        if place is not None and not place[0].startswith("$"):
            code = self._length(*place)
        else:
            code = "" if known.base.startswith("$") else user_name(known.base)
        return f"{code} + {known.offset}" if code and known.offset else code

    def _why_unknown(self, access: AxisAccess) -> tuple[str, str]:
        """Return why an index that is not a loop counter has no proof."""
        array = array_of(access.op)
        named, size = self._named(access.index), self._size(array, access.axis)
        plain, length = named.strip("`"), self._length(array, access.axis)
        assert isinstance(access.op, ItemOp)
        if self.bounds.is_not_negative(access.op, access.index):
            reason = f"{named} is at least 0, and not known to be below {size}"
            return reason, f"assert {plain} < {length}"
        reason = f"it is not known of {named} that it is at least 0"
        return reason, f"assert 0 <= {plain} < {length}"

    def _length(self, array: str, axis: int) -> str:
        """Return the size of an axis in the words of the program."""
        kind = self.bounds.types[array]
        is_line = isinstance(kind, Array) and kind.ndim == 1
        name = self._named(array).strip("`")
        return f"len({name})" if is_line else f"{name}.shape[{axis}]"

    # --- words ----------------------------------------------------------------------------------

    def _axes(self, op: ItemOp, word: str) -> list[tuple[int, str]]:
        return [(k, name) for k, name in self.bounds.plain_axes(op) if op.bounds[k] == word]

    def _range(self, op: ItemOp, axis: int, name: str) -> str:
        """Return the range of an index, in words."""
        index = self.bounds.values.linear(name)
        if index.base is None:
            array = array_of(op)
            return f"{self._size(array, axis)} is {self.bounds.sizes.of(array)[axis]}"
        counter = self.bounds.counters.get(index.base)
        if (op.id, axis) in self.bounds.by_proof:
            return f"what was compared and computed keeps {self._named(name)} within the axis"
        if counter is None:
            return f"the ranges of the loops around it keep {self._named(name)} within the axis"
        start = self._linear(counter.start.plus(index.offset))
        stop = self._linear(counter.stop.plus(index.offset))
        if counter.step > 0:
            return f"{self._named(name)} runs from {start} to below {stop}"
        return f"{self._named(name)} runs down from {start} to above {stop}"

    def _tests(self, access: AxisAccess) -> str:
        return " and ".join(dict.fromkeys(map(self._requirement, access.needs or ())))

    def _requirement(self, need: Affine) -> str:
        less, more = sides(need)
        if abs(need.offset) >= _FAR and not (less and more):
            return f"{self._total(less or more, 0)} is far from the ends of an int64"
        if not less:
            return f"{-need.offset} is at most {self._total(more, 0)}"
        return f"{self._total(less, 0)} is at most {self._total(more, need.offset)}"

    def _total(self, terms: list[tuple[str, int]], number: int) -> str:
        """Return a sum in words."""
        shown = [
            f"{factor} * {self._linear(Linear(name, 0))}" * (factor != 1)
            or self._linear(Linear(name, 0))
            for name, factor in terms
        ]
        words = " + ".join(shown)
        if not words:
            return str(number)
        return f"{words} {'+' if number > 0 else '-'} {abs(number)}" if number else words

    def _linear(self, value: Linear) -> str:
        known = self.bounds.sizes.canonical(value)
        if known.base is None:
            return str(known.offset)
        place = self.bounds.sizes.place(known.base)
        shown = self._size(*place) if place else self._named(known.base)
        if not known.offset:
            return shown
        return f"{shown} {'+' if known.offset > 0 else '-'} {abs(known.offset)}"

    def _size(self, array: str, axis: int) -> str:
        kind = self.bounds.types[array]
        which = "" if isinstance(kind, Array) and kind.ndim == 1 else f"axis {axis} of "
        return f"the size of {which}{self._named(array)}"

    def _named(self, name: str) -> str:
        op = self.bounds.values.definitions.get(name)
        while isinstance(op, nodes.Cast | nodes.Copy):
            if not name.startswith("$"):
                break
            name = op.value
            op = self.bounds.values.definitions.get(name)
        return quoted(spelled(name, op)) if op is not None else UNNAMED


def _words(op: Op) -> str:
    return quoted(source_of(op) or UNNAMED)
