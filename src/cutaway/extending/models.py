"""Data models: the members of values of new types (SPEC D3).

A model is a class that is registered for a class of types, and instantiated once per type, with
`(dmm, fe_type)`.  `StructModel` has named members with their types; the others describe a value as
one LLVM value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.errors import ExtensionError
from cutaway.extending import registry, values
from cutaway.extending.users import call_extension, check_type_class, extension_error
from cutaway.foundation import registrations
from cutaway.foundation.source import is_ours
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, forget_layouts, split
from cutaway.lowering.models import MACHINE_TYPES, MEMBERS, MachineType
from cutaway.typing.types import Array, Signature, Tuple, Type, boolean, uint64
from cutaway.typing.types.kinds import MemInfoPointer, voidptr
from cutaway.typing.types.primitives import Repeated
from cutaway.typing.types.structure import REPRESENTATIONS, members_of


class DataModel:
    """The base class of models; `representation` is the type that represents the new one."""

    representation: Type

    def __init__(self, dmm: DataModelManager, fe_type: Type) -> None:
        self._dmm = dmm
        self._fe_type = fe_type

    @property
    def fe_type(self) -> Type:
        """The type whose values the model describes."""
        return self._fe_type

    def get_value_type(self) -> Any:
        """The LLVM type of the type's values in registers."""
        return values.value_type(self._fe_type)

    def get_data_type(self) -> Any:
        """The LLVM type of the type's values in memory."""
        return values.data_type(self._fe_type)

    get_argument_type = get_return_type = get_value_type


class PrimitiveModel(DataModel):
    """One LLVM value; `be_type` is its type: from llvmlite.ir, or as text ("i64")."""

    def __init__(self, dmm: DataModelManager, fe_type: Type, be_type: Any) -> None:
        super().__init__(dmm, fe_type)
        self.be_type = be_type
        shown = str(be_type)
        text = "ptr" if shown.endswith("*") else shown
        if text not in MACHINE_TYPES:
            raise ExtensionError(
                f"a value of {fe_type} cannot be of LLVM type {be_type}",
                hint=f"a primitive model has one of {', '.join(MACHINE_TYPES)}; a StructModel more",
            )
        if text == "ptr" and not isinstance(be_type, str):
            values.POINTERS[shown] = be_type
        self.representation = MachineType(text, shown if text == "ptr" else "")


class OpaqueModel(PrimitiveModel):
    """An opaque pointer, also for values that need no memory."""

    def __init__(self, dmm: DataModelManager, fe_type: Type) -> None:
        super().__init__(dmm, fe_type, "ptr")


class PointerModel(PrimitiveModel):
    """A pointer to values of the type's `dtype`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        to = values.data_type(fe_type.dtype)
        super().__init__(dmm, fe_type, to.as_pointer())


class ProxyModel(DataModel):
    """A value with the same representation as those of another type."""

    def __init__(self, dmm: DataModelManager, fe_type: Type, proxied: Type) -> None:
        super().__init__(dmm, fe_type)
        self.representation = proxied


class EnumModel(ProxyModel):
    """A value with the same representation as those of the type's `dtype`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, fe_type.dtype)


class MemInfoModel(ProxyModel):
    """An owner of memory, with counted references."""

    def __init__(self, dmm: DataModelManager, fe_type: Type) -> None:
        super().__init__(dmm, fe_type, MemInfoPointer(voidptr))


class ArrayModel(ProxyModel):
    """An array of the type's `dtype`, `ndim` and `layout`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, Array(fe_type.dtype, fe_type.ndim, fe_type.layout))


class BooleanModel(PrimitiveModel):
    """A truth value."""

    def __init__(self, dmm: DataModelManager, fe_type: Type) -> None:
        super().__init__(dmm, fe_type, "i1")


class IntegerModel(PrimitiveModel):
    """An integer of the type's `bitwidth`, 64 bits by default."""

    def __init__(self, dmm: DataModelManager, fe_type: Type, be_type: Any = None) -> None:
        super().__init__(dmm, fe_type, be_type or f"i{getattr(fe_type, 'bitwidth', 64)}")


class FloatModel(PrimitiveModel):
    """A float of the type's `bitwidth`, 64 bits by default."""

    def __init__(self, dmm: DataModelManager, fe_type: Type) -> None:
        kinds = {16: "half", 32: "float"}
        super().__init__(dmm, fe_type, kinds.get(getattr(fe_type, "bitwidth", 64), "double"))


class CompositeModel(DataModel):
    """The base class of models with several members."""


class StructModel(CompositeModel):
    """Named members, each with the type of its values: `[("lo", types.float64), ...]`."""

    def __init__(
        self, dmm: DataModelManager, fe_type: Type, members: Sequence[tuple[str, Type]]
    ) -> None:
        super().__init__(dmm, fe_type)
        self.members = tuple((str(name), ty) for name, ty in members)
        for name, ty in self.members:
            if not isinstance(ty, Type):
                raise ExtensionError(
                    f"member {name!r} of {fe_type} has {ty!r} as its type",
                    hint="the type of a member must be one of cutaway.types",
                )
        self.representation = Tuple(tuple(ty for _, ty in self.members))

    @property
    def field_count(self) -> int:
        """The number of members."""
        return len(self.members)

    def get_member_fe_type(self, name: str) -> Type:
        """The type of a member."""
        return dict(self.members)[name]

    def get_field_position(self, name: str) -> int:
        """The position of a member."""
        return [known for known, _ in self.members].index(name)


class PairModel(StructModel):
    """Two members, `first` and `second`, of the type's `first_type` and `second_type`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        members = [("first", fe_type.first_type), ("second", fe_type.second_type)]
        super().__init__(dmm, fe_type, members)


class OptionalModel(StructModel):
    """A value of the type's `type` in `data`, and a flag `valid`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, [("data", fe_type.type), ("valid", boolean)])


class ComplexModel(StructModel):
    """`real` and `imag`, of the type's `underlying_float`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        part = fe_type.underlying_float
        super().__init__(dmm, fe_type, [("real", part), ("imag", part)])


class UnionModel(StructModel):
    """A value of one of the type's `types`: `tag` is its position among them, and `payload` has
    room for a value of each."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        members = [("tag", uint64), ("payload", Tuple(tuple(fe_type.types)))]
        super().__init__(dmm, fe_type, members)


class StructRefModel(StructModel):
    """A reference to a shared struct: `meminfo`, its memory."""

    def __init__(self, dmm: DataModelManager, fe_type: Type) -> None:
        super().__init__(dmm, fe_type, [("meminfo", MemInfoPointer(voidptr))])


class TupleModel(StructModel):
    """Unnamed members: the types in the type's `types`."""

    def __init__(self, dmm: DataModelManager, fe_type: Any) -> None:
        members = [(f"f{k}", ty) for k, ty in enumerate(fe_type.types)]
        super().__init__(dmm, fe_type, members)


class UniTupleModel(TupleModel):
    """The same with members of one type."""


class DataModelManager:
    """The factory of models: looks up the model of a type."""

    def __init__(self) -> None:
        self._classes: dict[type[Type], type[DataModel]] = {}
        self._models: dict[Type, DataModel] = {}

    def register(self, owner: type[Type], model: type[DataModel]) -> None:
        """Have types of class `owner` described by a model class."""
        self._classes[owner] = model
        self._models.clear()
        REPRESENTATIONS[owner] = lambda ty: self.lookup(ty).representation
        MEMBERS.pop(owner, None)
        if issubclass(model, StructModel):
            MEMBERS[owner] = self._members
        forget_layouts()

    def lookup(self, ty: Type) -> DataModel:
        """The model of a type.

        Raises ExtensionError where there is none, or where it fails.
        """
        if ty not in self._models:
            cls = next((c for c in type(ty).__mro__ if c in self._classes), None)
            if cls is None:
                raise extension_error(type(ty), f"type {ty} has no data model")
            model = self._classes[cls]
            instance = call_extension(model, f"the data model of {ty}", self, ty)
            if not isinstance(getattr(instance, "representation", None), Type):
                raise extension_error(
                    model,
                    f"the data model of {ty} does not define its members",
                    "call super().__init__ with the members",
                )
            self._models[ty] = instance
            if _holds(instance.representation, ty, set()):
                del self._models[ty]
                raise extension_error(
                    model,
                    f"a value of type {ty} is a member of itself, so its size has no end",
                    "hold a types.voidptr, or an index, in its place",
                )
        return self._models[ty]

    __getitem__ = lookup

    def _members(self, ty: Type) -> tuple[tuple[str, Type], ...]:
        data_model = self.lookup(ty)
        assert isinstance(data_model, StructModel)
        return data_model.members


def _holds(ty: Type, wanted: Type, seen: set[Type]) -> bool:
    """True if a value of a type is one of another type, or has one among its members."""
    if ty is wanted or ty in seen:
        return ty is wanted
    seen.add(ty)
    members = [member for _, member in members_of(ty) or ()]
    inner = [member.member if isinstance(member, Repeated) else member for member in members]
    return any(isinstance(one, Type) and _holds(one, wanted, seen) for one in inner)


default_manager = DataModelManager()


def register_model(owner: type[Type]) -> Callable[[type[DataModel]], type[DataModel]]:
    """Register the data model of the types of a class of your own.

    Raises ExtensionError for a class of built-in types, and if the argument is not a model.
    """
    check_type_class(owner, "register_model")

    def register(model: type[DataModel]) -> type[DataModel]:
        if not (isinstance(model, type) and issubclass(model, DataModel)):
            raise ExtensionError(
                f"{model!r} is not a data model", hint="subclass models.StructModel"
            )
        if is_ours(owner):
            raise extension_error(model, f"the data model of {owner.__name__} is built in")
        registrations.register("register_model", model, owner)
        default_manager.register(owner, model)
        return model

    return register


def make_attribute_wrapper(owner: type[Type], field: str, attribute: str) -> None:
    """Let compiled code read a member of a struct model as an attribute (SPEC D3).

    Raises ExtensionError for a class of types whose model is not a StructModel.  A missing member
    is reported when the attribute is first used: each type has its own members.
    """
    check_type_class(owner, "make_attribute_wrapper")
    if not any(cls in MEMBERS for cls in owner.__mro__):
        raise ExtensionError(
            f"values of {owner.__name__} have no members by name",
            hint=f"register a StructModel: @register_model({owner.__name__})",
        )

    registrations.register("make_attribute_wrapper", owner, field, attribute)

    def rule(ty: Type) -> Type:
        return _member(ty, field)[1]

    @registry.attribute(owner, attribute, rule, any_elements=True)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        (value,) = args
        model = default_manager.lookup(value.ty)
        assert isinstance(model, StructModel)
        index = _member(value.ty, field)[0]
        kinds = tuple(ty for _, ty in model.members)
        return Value(kinds[index], list(split(kinds, value.parts))[index])


def _member(ty: Type, field: str) -> tuple[int, Type]:
    """Return the index and type of a member.

    Raises ExtensionError where the type has none of that name.
    """
    model = default_manager.lookup(ty)
    assert isinstance(model, StructModel)
    names = [name for name, _ in model.members]
    if field not in names:
        raise extension_error(
            type(model),
            f"the data model of {ty} has no member {field!r}",
            f"members: {', '.join(names) or 'none'}",
        )
    return names.index(field), model.members[names.index(field)][1]
