"""Members of a value by name, for extensions that write LLVM IR.

A proxy keeps the value in memory of the stack, so that members can be set on some paths only;
LLVM turns that into registers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending import values
from cutaway.lowering.layout import item_size
from cutaway.lowering.models import MEMBERS
from cutaway.typing.types import Array, Complex, Type

if TYPE_CHECKING:
    from cutaway.extending.target_context import TargetContext

_COMPLEX = ("real", "imag")


class StructProxy:
    """The members of a value of a struct model, or of a complex number, as attributes."""

    def __init__(
        self,
        context: TargetContext,
        builder: ir.IRBuilder,
        ty: Type,
        value: ir.Value | None = None,
    ) -> None:
        kind = values.value_type(ty)
        with builder.goto_entry_block():
            pointer = builder.alloca(kind)
        builder.store(ir.Constant(kind, None) if value is None else value, pointer)
        known = self.__dict__
        known.update(_builder=builder, _type=ty, _pointer=pointer, _names=member_names(ty))

    def _getvalue(self) -> ir.Value:
        """The value as it is here."""
        return self._builder.load(self._pointer)

    def _getpointer(self) -> ir.Value:
        """Where it is kept."""
        return self._pointer

    def _member(self, name: str) -> tuple[ir.Value, ir.Type]:
        """Where a member is kept, and its type: that of a pointer does not tell it."""
        if name not in self._names:
            raise ExtensionError(
                f"the data model of {self._type} has no member {name!r}",
                hint=f"it has {', '.join(self._names) or 'none'}",
            )
        number = self._names.index(name)
        place = [ir.Constant(ir.IntType(32), k) for k in (0, number)]
        pointer = self._builder.gep(self._pointer, place, inbounds=True)
        return pointer, self._pointer.allocated_type.elements[number]

    def __getattr__(self, name: str) -> Any:  # Any: an ir.Value
        if name.startswith("__"):
            raise AttributeError(name)
        pointer, kind = self._member(name)
        return self._builder.load(pointer, typ=kind)

    def __setattr__(self, name: str, value: ir.Value) -> None:
        pointer, kind = self._member(name)
        if getattr(value, "type", None) != kind:
            given = getattr(value, "type", repr(value))
            raise ExtensionError(
                f"member {name!r} of {self._type} is {kind}, not {given}",
                hint="convert it: context.cast, or a method of builder",
            )
        self._builder.store(value, pointer)


class ArrayProxy:
    """An array by `data`, `shape`, `strides`, `itemsize`, `nitems`, `parent`: to be read."""

    def __init__(
        self, context: TargetContext, builder: ir.IRBuilder, ty: Array, value: ir.Value
    ) -> None:
        i64 = ir.IntType(64)
        owner, self.data, *rest = values.to_parts(builder, ty, value)
        self.meminfo = self.parent = owner
        self._value = value
        shape, strides = rest[: ty.ndim], rest[ty.ndim :]
        kind = ir.ArrayType(i64, ty.ndim)
        self.shape = values.aggregate(builder, kind, shape)
        self.strides = values.aggregate(builder, kind, strides)
        self.itemsize = ir.Constant(i64, item_size(ty.dtype))
        self.nitems = ir.Constant(i64, 1)
        for size in shape:
            self.nitems = builder.mul(self.nitems, size)

    def _getvalue(self) -> ir.Value:
        """The array."""
        return self._value


def member_names(ty: Type) -> tuple[str, ...]:
    """The names of a value's members.

    Raises ExtensionError for a type that has none.
    """
    if isinstance(ty, Complex):
        return _COMPLEX
    for cls in type(ty).__mro__:
        if cls in MEMBERS:
            return tuple(name for name, _ in MEMBERS[cls](ty))
    raise ExtensionError(f"values of type {ty} have no members by name")
