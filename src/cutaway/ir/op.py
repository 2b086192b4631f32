"""The base of ops: a frozen class whose fields are annotated with their roles.

The ops themselves are in `nodes`, which exports all of this.
"""

from collections.abc import Mapping
from enum import Enum
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    TypeVar,
    dataclass_transform,
    get_origin,
    get_type_hints,
)

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import FrozenError, Later, dataclass, initializer
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir.effects import ANYTHING, SHOWN, Effect
from cutaway.ir.operators import BINARY, INPLACE, UNARY, Operator
from cutaway.ir.regions import FrozenBlock, Region


class Role(Enum):
    """The role of a field of an op, for the generic tools."""

    DEF = "defines a variable"
    DEFS = "defines each of a tuple of variables"
    USE = "uses a variable"
    OPTIONAL_USE = "uses a variable, or is None"
    USES = "uses each of a tuple of variables"
    LABEL = "names the block that control goes to"
    LABELS = "names predecessor blocks, one for each of a phi's uses"
    REGION = "holds blocks that the op runs"
    ATTRIBUTE = "anything else: names, constants, operators"


class Codec(Enum):
    """The notation of an attribute in the text form."""

    INT = "a decimal integer"
    NAME = "an identifier or a dotted name"
    STRING = "a quoted string"
    WORDS = "text as it is, for readers"
    OPERATOR = "an operator's symbol"
    CONSTANT = "a Python literal, or an object that the parser is given by name"
    NAMES = "a tuple of identifiers"
    TAGS = "words joined by commas; nothing at all when there are none"


Def = Annotated[str, Role.DEF]
Defs = Annotated[tuple[str, ...], Role.DEFS]
Use = Annotated[str, Role.USE]
OptionalUse = Annotated[str | None, Role.OPTIONAL_USE]
Uses = Annotated[tuple[str, ...], Role.USES]
Label = Annotated[int, Role.LABEL]
Labels = Annotated[tuple[int, ...], Role.LABELS]
Body = Annotated[Region, Role.REGION]
Int = Annotated[int, Codec.INT]
Name = Annotated[str, Codec.NAME]
String = Annotated[str, Codec.STRING]
Words = Annotated[str, Codec.WORDS]
UnaryOperator = Annotated[Operator, Codec.OPERATOR, tuple(UNARY)]
BinaryOperator = Annotated[Operator, Codec.OPERATOR, tuple(BINARY)]
InplaceOperator = Annotated[Operator, Codec.OPERATOR, tuple(INPLACE)]
Constant = Annotated[Any, Codec.CONSTANT]
Names = Annotated[tuple[str, ...], Codec.NAMES]
Tags = Annotated[tuple[str, ...], Codec.TAGS]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One declared field of an op class."""

    name: str
    role: Role
    codec: Codec | None


OpClass = TypeVar("OpClass")

if TYPE_CHECKING:

    def _slot(*, init: bool = True, kw_only: bool = False, default: Any = ...) -> Any: ...

    @dataclass_transform(frozen_default=True, field_specifiers=(_slot,))
    def op_base(cls: type[OpClass]) -> type[OpClass]: ...
else:

    def op_base(cls):
        """Return the class unchanged; type checkers read the common constructor arguments here."""
        return cls


def _field_spec(owner: str, name: str, hint: Any) -> FieldSpec:
    role: Role | None = None
    codec: Codec | None = None
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(mark, Role):
            role = mark
        elif isinstance(mark, Codec):
            role, codec = Role.ATTRIBUTE, mark
    if role is None:
        raise TypeError(f"{owner}.{name}: the field of an op needs a role, see ir/nodes.py")
    return FieldSpec(name, role, codec)


# Results of `traversal` that are needed again and again; cached on the op, which never changes.
_ANSWERS = ("known_definitions", "known_uses", "known_targets")


class OpType(type):
    """The metaclass of ops: it builds a frozen class with slots, like that of a dataclass, with the
    fields' roles.

    Eighty such classes are made whenever the compiler is loaded; this takes less than a fifth of
    the time of `dataclasses`, and they are used in the same way (`replace` below).
    """

    def __new__(
        meta, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> type:
        if not bases:
            return super().__new__(meta, name, bases, namespace)
        hints = namespace.get("__annotations__")
        if hints is None or any(isinstance(hint, str) for hint in hints.values()):  # postponed
            plain = super().__new__(meta, name, bases, {**namespace})
            resolved = get_type_hints(plain, include_extras=True)
            hints = {key: resolved[key] for key in plain.__annotations__}
        specs = tuple(
            _field_spec(name, field, hint)
            for field, hint in hints.items()
            if get_origin(hint) is not ClassVar
        )
        names = tuple(spec.name for spec in specs)
        defaults = {key: namespace.pop(key) for key in names if key in namespace}
        given = {"loc": UNKNOWN, "id": 0}
        namespace["__slots__"] = (*names, "loc", "id", *_ANSWERS)
        namespace["__match_args__"] = names
        namespace["FIELDS"] = specs
        namespace["REGIONS"] = tuple(spec.name for spec in specs if spec.role is Role.REGION)
        namespace["__init__"] = Later(lambda: initializer(names, defaults, True, given))
        cls = super().__new__(meta, name, bases, namespace)
        cls.DROPPABLE = not cls.TERMINATOR and SHOWN.isdisjoint(cls.EFFECT)
        return cls


@op_base
class Op(metaclass=OpType):
    """Base of all ops; the concrete classes are final.

    `id` is the stable value id: a pass that replaces an op one for one keeps it, so that a
    value can be followed through every pass.  `loc` is the span of source that the op came
    from.  Neither takes part in `==`.
    """

    __slots__ = ()
    FIELDS: ClassVar[tuple[FieldSpec, ...]] = ()
    TEXT: ClassVar[str] = ""
    TERMINATOR: ClassVar[bool] = False
    EFFECT: ClassVar[frozenset[Effect]] = ANYTHING  # of the op itself; its regions add theirs
    DROPPABLE: ClassVar[bool] = False  # by EFFECT: it can be removed if its results are unused
    REGIONS: ClassVar[tuple[str, ...]] = ()  # the fields that hold a region
    if TYPE_CHECKING:  # every constructor takes the first two, by name
        loc: Loc = _slot(kw_only=True, default=UNKNOWN)
        id: int = _slot(kw_only=True, default=0)
        known_definitions: tuple[str, ...] = _slot(init=False)
        known_uses: tuple[str, ...] = _slot(init=False)
        known_targets: tuple[int, ...] = _slot(init=False)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenError(f"an op never changes: put a new {type(self).__name__} in place")

    def __delattr__(self, name: str) -> None:
        raise FrozenError("an op never changes")

    def __repr__(self) -> str:
        fields = ", ".join(f"{s.name}={getattr(self, s.name)!r}" for s in type(self).FIELDS)
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _content(self) == _content(other)

    def __hash__(self) -> int:
        return hash(_content(self))


keep_answer = object.__setattr__  # caches a value on an op, under one of the names `known_...`

OPS: dict[str, type[Op]] = {}


def _content(op: Op) -> tuple[Any, ...]:
    """Return the fields that make two ops of a class equal: all but the span and the value id."""
    return tuple(
        _constant_key(getattr(op, spec.name))
        if spec.codec is Codec.CONSTANT
        else getattr(op, spec.name)
        for spec in type(op).FIELDS
    )


def _constant_key(value: Any) -> Any:
    # 1, 1.0 and True are equal in Python, 0.0 and -0.0 too, but each is a distinct constant.
    if type(value) is tuple:
        return tuple(map(_constant_key, value))
    if type(value) is slice:
        return (slice, value.start, value.stop, value.step)
    if type(value) in (bool, int, str, bytes, type(None)):
        return (type(value), value)
    if type(value) in (float, complex):
        return (type(value), repr(value))
    # Any other constant is an object of the program: equal ones may diverge later.
    return id(value)


@dataclass_transform(frozen_default=True)
def op(cls: type[OpClass]) -> type[OpClass]:
    """Register a class of ops by its name."""
    OPS[cls.__name__] = cls
    return cls


OpType = TypeVar("OpType", bound=Op)
T = TypeVar("T")


class OpTable(dict[type[Op], T]):
    """The meaning of each class of ops at one level: a row each.  A new op adds its own."""

    def __init__(self, what: str, rows: Mapping[type[Op], T]) -> None:
        super().__init__(rows)
        self.what = what

    def __missing__(self, cls: type[Op]) -> T:
        raise InternalError(f"no {self.what} for {cls.__name__}")


def replace(op: OpType, **changes: Any) -> OpType:
    """Copy an op with some fields changed; span and value id stay unless they are passed.

    Raises TypeError for a field that the op does not have.
    """
    values = [changes.pop(spec.name, getattr(op, spec.name)) for spec in type(op).FIELDS]
    loc, number = changes.pop("loc", op.loc), changes.pop("id", op.id)
    if changes:
        raise TypeError(f"{type(op).__name__} has no field {', '.join(changes)}")
    return type(op)(*values, loc=loc, id=number)


@dataclass(slots=True)
class Block:
    """A basic block: a label and a mutable list of frozen ops, the last one a terminator.

    Exceptions of its ops go to the block with the label `handler`; None: they leave the function.
    """

    label: int
    ops: list[Op]
    handler: int | None = None

    @property
    def terminator(self) -> Op:
        """The op that ends the block."""
        return self.ops[-1]

    def copy(self) -> "Block":
        """Copy the block with a list of its own; the frozen ops are shared."""
        return Block(self.label, list(self.ops), self.handler)

    def frozen(self) -> FrozenBlock:
        """Return the block in the immutable form of regions."""
        return FrozenBlock(self.label, tuple(self.ops))
