"""Members of a value by name, for extensions that write LLVM IR.

A proxy keeps the value in stack memory, so that members can be set on some paths only; LLVM
promotes that to registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending import values
from cutaway.lowering.layout import item_size, part_types
from cutaway.lowering.models import MEMBERS
from cutaway.typing.types import Array, Complex, Optional, Range, Slice, Str, Type
from cutaway.typing.types.buffers import Buffer

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
        ref: ir.Value | None = None,
    ) -> None:
        # Bypasses `__setattr__`, which sets members of the value.
        names, kind = member_names(ty), values.value_type(ty)
        known = self.__dict__
        known.update(_builder=builder, _type=ty, _kind=kind, _names=names)
        known["_pointer"] = _place_for(builder, kind, value, ref)

    def _getvalue(self) -> ir.Value:
        """Load the value."""
        return self._builder.load(self._pointer)

    def _setvalue(self, value: ir.Value) -> None:
        """Set all members."""
        self._builder.store(value, self._pointer)

    def _getpointer(self) -> ir.Value:
        """Return the address of the struct."""
        return self._pointer

    def _member(self, name: str) -> tuple[ir.Value, ir.Type]:
        """Return the address of a member, and its type: an opaque pointer lacks it."""
        if name not in self._names:
            raise _no_member(self._type, name, self._names)
        number = self._names.index(name)
        indices = [ir.Constant(ir.IntType(32), k) for k in (0, number)]
        pointer = self._builder.gep(self._pointer, indices, inbounds=True)
        return pointer, self._kind.elements[number]

    def __getattr__(self, name: str) -> Any:
        # Python and llvmlite look up special methods, which are not members.
        if name.startswith("__"):
            raise AttributeError(name)
        pointer, kind = self._member(name)
        return self._builder.load(pointer, typ=kind)

    def __setattr__(self, name: str, value: ir.Value) -> None:
        pointer, kind = self._member(name)
        if getattr(value, "type", None) != kind:
            raise _wrong_kind(self._type, name, kind, value)
        self._builder.store(value, pointer)

    def _get_ptr_by_name(self, name: str) -> ir.Value:
        """Return the address of a member."""
        return self._member(name)[0]

    def _get_ptr_by_index(self, number: int) -> ir.Value:
        """Return the address of the member at an index."""
        return self._member(self._names[number])[0]


def _place_for(
    builder: ir.IRBuilder, kind: ir.Type, value: ir.Value | None, ref: ir.Value | None
) -> ir.Value:
    """Return memory for a value: that of `ref`, or of the stack, initialized to the value or 0."""
    if ref is not None:
        if not isinstance(getattr(ref, "type", None), ir.PointerType):
            raise ExtensionError(f"ref must be a pointer, not {getattr(ref, 'type', repr(ref))}")
        return values.pointer_to(builder, ref, kind.as_pointer())
    # LLVM promotes only allocas of the entry block to registers.
    with builder.goto_entry_block():
        pointer = builder.alloca(kind)
    builder.store(ir.Constant(kind, None) if value is None else value, pointer)
    return pointer


class ArrayProxy:
    """An array, or bytes and the like, by `data`, `shape`, `strides`, `itemsize`, `nitems`,
    `meminfo`, `parent`.

    The members of a new one are zeros, and are set, all at once by `populate`.  `meminfo` owns the
    memory; it is the only owner, so `parent` reads as the same, and only null can be assigned to
    it.
    """

    def __init__(
        self,
        context: TargetContext,
        builder: ir.IRBuilder,
        ty: Array | Buffer,
        value: ir.Value | None = None,
        ref: ir.Value | None = None,
    ) -> None:
        shown = ty.array if isinstance(ty, Buffer) else ty
        axes = ir.ArrayType(_I64, ty.ndim)
        kinds = {
            "meminfo": values.BYTES,
            "data": values.data_type(shown.dtype).as_pointer(),
            "shape": axes,
            "strides": axes,
        }
        self.__dict__.update(_builder=builder, _type=ty, _array=shown, _places={})
        loaded = ir.Constant(values.value_type(ty), None) if value is None else value
        if ref is not None:
            loaded = builder.load(_place_for(builder, values.value_type(ty), None, ref))
        owner, data, *rest = values.to_parts(builder, ty, loaded)
        first = {
            "meminfo": owner,
            "data": values.pointer_to(builder, data, kinds["data"]),
            "shape": values.aggregate(builder, axes, rest[: ty.ndim]),
            "strides": values.aggregate(builder, axes, rest[ty.ndim :]),
        }
        for name, kind in kinds.items():
            self._places[name] = _place_for(builder, kind, first[name], None)

    def __getattr__(self, name: str) -> Any:
        if name in self._places:
            return self._builder.load(self._places[name])
        if name == "parent":
            return self._builder.load(self._places["meminfo"])
        if name == "itemsize":
            return ir.Constant(_I64, item_size(self._array.dtype))
        if name == "nitems":
            return self._count()
        raise _no_member(self._type, name, _OF_ARRAYS) if name[0] != "_" else AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("shape", "strides"):
            value = self._axes(name, value)
        if name in self._places:
            place = self._places[name]
            kind = place.type.pointee
            if isinstance(kind, ir.PointerType) and values.is_pointer(getattr(value, "type", None)):
                value = values.pointer_to(self._builder, value, kind)
            if getattr(value, "type", None) != kind:
                raise _wrong_kind(self._type, name, kind, value)
            self._builder.store(value, place)
        elif name not in _COMPUTED:
            raise _no_member(self._type, name, _OF_ARRAYS)

    def populate(self, **members: Any) -> ArrayProxy:
        """Set members; omitted ones, or None, keep their values."""
        for name, value in members.items():
            if name == "parent" and value is not None and not _is_null(value):
                raise ExtensionError(
                    f"an array of type {self._type} has no parent", hint="pass it as meminfo"
                )
            if value is not None:
                setattr(self, name, value)
        return self

    def _getpointer(self) -> ir.Value:
        """Refuse: C code would look for other members there.

        Raises ExtensionError.
        """
        raise ExtensionError(
            f"an array of type {self._type} is no struct in memory that C code could read",
            hint="pass its data, shape and strides one by one",
        )

    def _axes(self, name: str, value: Any) -> ir.Value:
        if isinstance(value, ir.Value):
            return value
        axes = [ir.Constant(_I64, k) if isinstance(k, int) else k for k in value]
        if len(axes) != self._type.ndim:
            raise ExtensionError(f"{name} has {self._type.ndim} entries, not {len(axes)}")
        return values.aggregate(self._builder, ir.ArrayType(_I64, len(axes)), axes)

    def _count(self) -> ir.Value:
        shape, count = self.shape, ir.Constant(_I64, 1)
        for k in range(self._type.ndim):
            count = self._builder.mul(count, self._builder.extract_value(shape, k))
        return count

    def _getvalue(self) -> ir.Value:
        """The array."""
        build, ty = self._builder, self._type
        parts = [self.meminfo, values.pointer_to(build, self.data, values.BYTES)]
        for each in (self.shape, self.strides):
            parts += [build.extract_value(each, k) for k in range(ty.ndim)]
        return values.from_parts(build, ty, parts)


class PartsProxy:
    """A built-in value of several members by the names that extensions use for them: a slice, a
    str, a value that may be None.

    A missing bound of a slice reads as Python's default for it.
    """

    def __init__(
        self,
        context: TargetContext,
        builder: ir.IRBuilder,
        ty: Type,
        value: ir.Value | None = None,
        ref: ir.Value | None = None,
    ) -> None:
        self.__dict__.update(_builder=builder, _type=ty, _places={}, _kinds={})
        kind = values.value_type(ty)
        loaded = ir.Constant(kind, None) if value is None else value
        if ref is not None:
            loaded = builder.load(_place_for(builder, kind, None, ref))
        parts = values.to_parts(builder, ty, loaded)
        renamed = _renamed(ty)
        for own, member in ty.known_members() or ():
            count = len(part_types(member)) if isinstance(member, Type) else 1
            if count:
                mine, parts = parts[:count], parts[count:]
                whole = isinstance(member, Type)
                one = values.from_parts(builder, member, mine) if whole else mine[0]  # type: ignore[arg-type]
                self._places[renamed.get(own, own)] = _place_for(builder, one.type, one, None)
                self._kinds[renamed.get(own, own)] = one.type

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._places:
            loaded = self._builder.load(self._places[name], typ=self._kinds[name])
            return self._builder.trunc(loaded, _I32) if name in _NARROW else loaded
        if isinstance(self._type, Slice) and name in _OPEN:
            return ir.Constant(_I64, _OPEN[name])
        if isinstance(self._type, Str) and name == "parent":
            return self.meminfo
        raise _no_member(self._type, name, tuple(self._places))

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(self._type, Str) and name in _UNKEPT:
            return
        if name not in self._places:
            raise _no_member(self._type, name, tuple(self._places))
        kind, given = self._kinds[name], getattr(value, "type", None)
        if values.is_pointer(kind) and values.is_pointer(given):
            value = values.pointer_to(self._builder, value, kind)
        elif name in _NARROW and given == _I32:
            value = self._builder.zext(value, kind)
        if getattr(value, "type", None) != kind:
            raise _wrong_kind(self._type, name, kind, value)
        self._builder.store(value, self._places[name])

    def _getvalue(self) -> ir.Value:
        """The value."""
        build, ty, renamed = self._builder, self._type, _renamed(self._type)
        parts: list[ir.Value] = []
        for own, member in ty.known_members() or ():
            name = renamed.get(own, own)
            if name in self._places:
                one = build.load(self._places[name], typ=self._kinds[name])
                is_whole = isinstance(member, Type)
                parts += values.to_parts(build, member, one) if is_whole else [one]
        return values.from_parts(build, ty, parts)


# Extensions' names of the members of built-in types.
_NAMES: dict[type[Type], dict[str, str]] = {
    Optional: {"there": "valid", "inner": "data"},
    Str: {"owner": "meminfo", "width": "kind"},
    Slice: {},
    Range: {},
}
_OPEN = {"start": 0, "stop": 2**63 - 1, "step": 1}  # bounds of a slice that has none
_NARROW = ("kind",)  # i32 for extensions
_UNKEPT = ("is_ascii", "hash", "parent")  # of a str, which compiled code does not keep


def _renamed(ty: Type) -> dict[str, str]:
    return next(names for cls, names in _NAMES.items() if isinstance(ty, cls))


def proxy_of(ty: Type) -> type[StructProxy | ArrayProxy | PartsProxy]:
    """Return the class of proxies for values of a type."""
    if isinstance(ty, Array | Buffer):
        return ArrayProxy
    return PartsProxy if isinstance(ty, tuple(_NAMES)) else StructProxy


_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_COMPUTED = ("itemsize", "nitems", "parent")  # what is assigned to them is known already
_OF_ARRAYS = ("data", "shape", "strides", "meminfo", *_COMPUTED)


def _is_null(value: ir.Value) -> bool:
    return isinstance(value, ir.Constant) and value.constant in (None, "null")


def _no_member(ty: Type, name: str, known: Sequence[str]) -> ExtensionError:
    return ExtensionError(
        f"the data model of {ty} has no member {name!r}",
        hint=f"members: {', '.join(known) or 'none'}",
    )


def _wrong_kind(ty: Type, name: str, kind: ir.Type, value: Any) -> ExtensionError:
    actual = getattr(value, "type", repr(value))
    return ExtensionError(
        f"member {name!r} of {ty} is {kind}, not {actual}",
        hint="convert it: context.cast, or a method of builder",
    )


def member_names(ty: Type) -> tuple[str, ...]:
    """Return the names of a value's members.  Raises ExtensionError for a type that has none."""
    if isinstance(ty, Complex):
        return _COMPLEX
    for cls in type(ty).__mro__:
        if cls in MEMBERS:
            return tuple(name for name, _ in MEMBERS[cls](ty))
    raise ExtensionError(f"values of type {ty} have no members by name")
