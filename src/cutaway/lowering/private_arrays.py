"""Arrays that each part of a parfor has for itself: their memory, and their combination.

    block                   one for all parts, which the caller of the parts frees
      acc of part 0, of part 1, ...         each in cache lines of its own
      other of part 0, ...

A part sets its array to the identity of its operator, and the caller combines them in the order of
the parts.  If out of memory the loop runs as a whole, with the array itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.lowering.arrays.elements import element_pointer, load_element, store_element
from cutaway.lowering.arrays.memory import contiguous_strides
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, ArrayParts, Value, array_parts, item_size
from cutaway.lowering.parfor_kernels import identity, joined
from cutaway.typing.types import Array

LINE = 128  # bytes that processors fetch together
_ZEROS = frozenset(("add", "or", "xor"))


@dataclass(slots=True)
class _Row:
    """An array: its operator, the bytes of each part's copy, and the address of part 0's."""

    value: Value
    operator: str
    bytes: str
    base: str = ""

    @property
    def ty(self) -> Array:
        """Its type."""
        assert isinstance(self.value.ty, Array)
        return self.value.ty


class PrivateArrays:
    """The private arrays of one parfor, at its call."""

    def __init__(self, build: FunctionBuilder, values: Mapping[str, Value], how: Sequence[str]):
        self.build, self.owner, self.slot = build, "", ""
        self.rows = {
            name: _Row(value, operator, self._bytes(value))
            for (name, value), operator in zip(values.items(), how, strict=True)
        }

    def _bytes(self, value: Value) -> str:
        build, parts = self.build, array_parts(value)
        assert isinstance(value.ty, Array)
        count = element_count(build, parts.shape)
        size = build.binary("mul", "i64", count, str(item_size(value.ty.dtype)))
        rounded = build.binary("add", "i64", size, str(LINE - 1))
        return build.binary("and", "i64", rounded, str(-LINE))

    def total(self) -> str:
        """Compute the bytes of a part, as a double, which may exceed the memory that exists."""
        build, total = self.build, "0.0"
        for row in self.rows.values():
            size = build.convert("uitofp", "i64", row.bytes, "double")
            total = build.binary("fadd", "double", total, size)
        return total

    def allocate(self, parts: str, otherwise: str) -> None:
        """Allocate the memory of all parts, or jump to a label."""
        build, total = self.build, "0"
        for row in self.rows.values():
            total = build.binary("add", "i64", total, row.bytes)
        total = build.binary("mul", "i64", total, parts)
        self.owner = build.call("ptr", "cutaway_alloc", [("i64", total)])
        there = build.new_label("private")
        build.branch(build.compare("eq", "ptr", self.owner, "null"), otherwise, there)
        build.start(there)
        self.slot = build.keep(self.owner)
        base = build.offset(self.owner, str(META_BYTES))
        for row in self.rows.values():
            row.base = base
            base = build.offset(base, build.binary("mul", "i64", row.bytes, parts))

    def value_of(self, name: str) -> Value:
        """Return the array of part 0."""
        row, build = self.rows[name], self.build
        shape = array_parts(row.value).shape
        strides = contiguous_strides(build, shape, item_size(row.ty.dtype), row.ty.layout)
        return Value(row.ty, (self.owner, row.base, *shape, *strides))

    def sizes(self) -> list[tuple[str, str]]:
        """Return the bytes of the arrays, which a part needs besides those of part 0."""
        return [("i64", row.bytes) for row in self.rows.values()]

    def combine(self, parts: str) -> None:
        """Combine the arrays of all parts with those of the loop, and free them."""
        build = self.build
        for name, row in self.rows.items():
            target, own = array_parts(row.value), array_parts(self.value_of(name))

            def one(
                part: str, row: _Row = row, target: ArrayParts = target, own: ArrayParts = own
            ) -> None:
                distance = build.binary("mul", "i64", part, row.bytes)
                data = build.offset(own.data, distance)

                def element(index: tuple[str, ...]) -> None:
                    place = element_pointer(build, target.data, target.strides, index)
                    other = element_pointer(build, data, own.strides, index)
                    a, b = load_element(build, row.ty, place), load_element(build, row.ty, other)
                    store_element(build, row.ty, joined(build, row.operator, a, b), place)

                build.loop_nest(target.shape, element)

            build.loop(parts, one, plain=True)
        build.let_go(self.slot)
        build.call("void", "cutaway_decref", [("ptr", self.owner)])


def begin(
    build: FunctionBuilder, value: Value, operator: str, part: str, size: str
) -> tuple[str, ...]:
    """Initialize the array of a part, from that of part 0, set to the identity of its operator."""
    ty, parts = value.ty, array_parts(value)
    assert isinstance(ty, Array)
    data = build.offset(parts.data, build.binary("mul", "i64", part, size))
    if operator in _ZEROS:
        arguments = [("ptr", data), ("i8", "0"), ("i64", size), ("i1", "false")]
        build.call("void", "llvm.memset.p0.i64", arguments)
    else:
        first = identity(build, operator, ty.dtype)

        def element(k: str) -> None:
            place = build.offset(data, build.binary("mul", "i64", k, str(item_size(ty.dtype))))
            store_element(build, ty, first, place)

        build.loop(element_count(build, parts.shape), element)
    return (parts.owner, data, *value.parts[2:])
