"""The ops: one frozen class an operation, each field annotated with its role.

Roles are all that the generic tools need: `traversal` reads definitions and uses and renames
from them, `printer` and `parser` follow `TEXT`, and an op with a region (a loop nest, a kernel)
is walked into without being registered anywhere.  A field without a role is refused when the
class is made.  To change the IR put a new op into a block's list; never set a field.

`TEXT` is the text form, with a placeholder a field: `{result} = {lhs} {op} {rhs}` prints and
parses `$0.3 = a + b`.  A region is printed below its op, under the name of its field.
"""

from collections.abc import Mapping
from enum import Enum
from typing import (
    Annotated,
    Any,
    ClassVar,
    TypeVar,
    dataclass_transform,
    get_origin,
    get_type_hints,
)

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import FrozenError, dataclass, initializer
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir.effects import ANYTHING, CHANGES, COMPUTES, MAKES, NOTHING, RAISES, SHOWN, Effect
from cutaway.ir.operators import BINARY, INPLACE, UNARY, Operator
from cutaway.ir.regions import FrozenBlock, Region


class Role(Enum):
    """What a field of an op means to the generic tools."""

    DEF = "defines a variable"
    USE = "uses a variable"
    OPTIONAL_USE = "uses a variable, or is None"
    USES = "uses each of a tuple of variables"
    LABEL = "names the block that control goes to"
    LABELS = "names predecessor blocks, one for each of a phi's uses"
    REGION = "holds blocks that the op runs"
    ATTRIBUTE = "anything else: names, constants, operators"


class Codec(Enum):
    """How an attribute is written in the text form."""

    INT = "a decimal integer"
    NAME = "an identifier or a dotted name"
    STRING = "a quoted string"
    OPERATOR = "an operator's symbol"
    CONSTANT = "a Python literal, or an object that the parser is given by name"
    NAMES = "a tuple of identifiers"
    TAGS = "words joined by commas; nothing at all when there are none"


Def = Annotated[str, Role.DEF]
Use = Annotated[str, Role.USE]
OptionalUse = Annotated[str | None, Role.OPTIONAL_USE]
Uses = Annotated[tuple[str, ...], Role.USES]
Label = Annotated[int, Role.LABEL]
Labels = Annotated[tuple[int, ...], Role.LABELS]
Body = Annotated[Region, Role.REGION]
Int = Annotated[int, Codec.INT]
Name = Annotated[str, Codec.NAME]
String = Annotated[str, Codec.STRING]
UnaryOperator = Annotated[Operator, Codec.OPERATOR, tuple(UNARY)]
BinaryOperator = Annotated[Operator, Codec.OPERATOR, tuple(BINARY)]
InplaceOperator = Annotated[Operator, Codec.OPERATOR, tuple(INPLACE)]
Constant = Annotated[Any, Codec.CONSTANT]  # Any: every constant of the user's program
Names = Annotated[tuple[str, ...], Codec.NAMES]
Tags = Annotated[tuple[str, ...], Codec.TAGS]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One declared field of an op class."""

    name: str
    role: Role
    codec: Codec | None


class Op:
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
    DROPPABLE: ClassVar[bool] = False  # by EFFECT: nobody misses it when its results are unused
    REGIONS: ClassVar[tuple[str, ...]] = ()  # the fields that hold a region
    loc: Loc
    id: int

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenError(f"an op never changes: put a new {type(self).__name__} in place")

    def __delattr__(self, name: str) -> None:
        raise FrozenError("an op never changes")

    def __repr__(self) -> str:
        fields = ", ".join(f"{s.name}={getattr(self, s.name)!r}" for s in type(self).FIELDS)
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _content(self) == _content(other)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash(_content(self))


OPS: dict[str, type[Op]] = {}


def _content(op: Op) -> tuple[Any, ...]:  # Any: keys of fields
    """What makes two ops of a class the same: all fields but the span and the value id."""
    return tuple(
        _constant_key(getattr(op, spec.name))
        if spec.codec is Codec.CONSTANT
        else getattr(op, spec.name)
        for spec in type(op).FIELDS
    )


def _constant_key(value: Any) -> Any:  # Any: a constant of the program, and its key
    # 1, 1.0 and True are equal in Python, 0.0 and -0.0 too, and none is the same constant.
    if type(value) is tuple:
        return tuple(map(_constant_key, value))
    if type(value) is slice:
        return (slice, value.start, value.stop, value.step)
    if type(value) in (bool, int, str, bytes, type(None)):
        return (type(value), value)
    if type(value) in (float, complex):
        return (type(value), repr(value))
    return id(value)


def _field_spec(owner: str, name: str, hint: Any) -> FieldSpec:  # Any: a typing construct
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


@dataclass_transform(frozen_default=True)
def op(cls: type) -> type:
    """Class decorator: what a frozen, slotted dataclass would be, with the fields' roles kept.

    Thirty such classes are made whenever the compiler is loaded; making them here takes a fifth
    of the time that `dataclasses` takes, and they are used in the same way (`replace` below).
    """
    hints = cls.__dict__.get("__annotations__", {})
    if any(isinstance(hint, str) for hint in hints.values()):  # postponed annotations
        resolved = get_type_hints(cls, include_extras=True)
        hints = {name: resolved[name] for name in hints}
    specs = tuple(
        _field_spec(cls.__name__, name, hint)
        for name, hint in hints.items()
        if get_origin(hint) is not ClassVar
    )
    names = tuple(spec.name for spec in specs)
    namespace = {k: v for k, v in cls.__dict__.items() if k not in (*names, *_OWN)}
    namespace["__slots__"] = (*names, "loc", "id")
    namespace["__match_args__"] = names
    namespace["FIELDS"] = specs
    namespace["REGIONS"] = tuple(spec.name for spec in specs if spec.role is Role.REGION)
    namespace["DROPPABLE"] = _is_droppable(cls)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    namespace["__init__"] = initializer(names, defaults, True, {"loc": UNKNOWN, "id": 0})
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    OPS[made.__name__] = made
    return made


_OWN = ("__dict__", "__weakref__")  # of the class before it has slots


def _is_droppable(cls: Any) -> bool:  # Any: an op class in the making
    return not cls.TERMINATOR and SHOWN.isdisjoint(cls.EFFECT)


OpType = TypeVar("OpType", bound=Op)
T = TypeVar("T")


class OpTable(dict[type[Op], T]):
    """What each class of ops means at one level: a row each.  A new op brings its own."""

    def __init__(self, what: str, rows: Mapping[type[Op], T]) -> None:
        super().__init__(rows)
        self.what = what

    def __missing__(self, cls: type[Op]) -> T:
        raise InternalError(f"no {self.what} for {cls.__name__}")


def replace(op: OpType, **changes: Any) -> OpType:  # Any: fields of the op
    """The op with some fields changed; span and value id stay unless they are given.

    Raises TypeError for a field that the op does not have.
    """
    values = [changes.pop(spec.name, getattr(op, spec.name)) for spec in type(op).FIELDS]
    loc, number = changes.pop("loc", op.loc), changes.pop("id", op.id)
    if changes:
        raise TypeError(f"{type(op).__name__} has no field {', '.join(changes)}")
    return type(op)(*values, loc=loc, id=number)


@dataclass(slots=True)
class Block:
    """A basic block: a label and a mutable list of frozen ops, the last one a terminator."""

    label: int
    ops: list[Op]

    @property
    def terminator(self) -> Op:
        """The op that ends the block."""
        return self.ops[-1]

    def copy(self) -> "Block":
        """A block with a list of its own; the frozen ops are shared."""
        return Block(self.label, list(self.ops))

    def frozen(self) -> FrozenBlock:
        """The block as a region holds it."""
        return FrozenBlock(self.label, tuple(self.ops))


# --- where values come from -------------------------------------------------------------------


@op
class Arg(Op):
    """The value of a parameter."""

    result: Def
    index: Int
    name: Name
    TEXT = "{result} = arg({index}, name={name})"
    EFFECT = NOTHING


@op
class Const(Op):
    """A constant of the code object."""

    result: Def
    value: Constant
    TEXT = "{result} = const({value})"
    EFFECT = NOTHING


@op
class Global(Op):
    """A global or builtin name, frozen at compile time."""

    result: Def
    name: Name
    value: Constant
    TEXT = "{result} = global({name}: {value})"
    EFFECT = NOTHING


@op
class FreeVar(Op):
    """A variable of the enclosing function, frozen at compile time."""

    result: Def
    name: Name
    value: Constant
    TEXT = "{result} = freevar({name}: {value})"
    EFFECT = NOTHING


@op
class Undef(Op):
    """No value: a variable on a path where it is not bound.  Never read at run time."""

    result: Def
    TEXT = "{result} = undef()"
    EFFECT = NOTHING


@op
class Copy(Op):
    """Another name for the same value."""

    result: Def
    value: Use
    TEXT = "{result} = {value}"
    EFFECT = NOTHING


@op
class Deref(Op):
    """What a captured variable holds where an inner function reads it."""

    result: Def
    value: Use
    TEXT = "{result} = deref({value})"
    EFFECT = NOTHING


@op
class Cast(Op):
    """The value as the type of the result: made where a value leaves the function."""

    result: Def
    value: Use
    TEXT = "{result} = cast(value={value})"
    EFFECT = NOTHING


@op
class Unwrap(Op):
    """The value behind one that may be None; raises the exception where it is None."""

    result: Def
    value: Use
    exception: Constant
    message: String
    TEXT = "{result} = unwrap({value}, or {exception}: {message})"
    EFFECT = RAISES


@op
class Phi(Op):
    """SSA merge: the value that belongs to the predecessor control came from."""

    result: Def
    labels: Labels
    values: Uses
    TEXT = "{result} = phi({labels}: {values})"
    EFFECT = NOTHING


# --- operators and calls ----------------------------------------------------------------------


@op
class Unary(Op):
    """`-a`, `+a`, `~a`, `not a`, and `bool a` for a truth test that is a value."""

    result: Def
    op: UnaryOperator
    value: Use
    TEXT = "{result} = unary(fn={op}, value={value})"
    EFFECT = COMPUTES


@op
class Binary(Op):
    """A binary operator or a comparison."""

    result: Def
    op: BinaryOperator
    lhs: Use
    rhs: Use
    TEXT = "{result} = {lhs} {op} {rhs}"
    EFFECT = COMPUTES


@op
class Inplace(Op):
    """An augmented assignment's operator; may change `lhs` in place."""

    result: Def
    op: InplaceOperator
    lhs: Use
    rhs: Use
    TEXT = "{result} = {lhs} {op} {rhs}"


@op
class Call(Op):
    """A call.  The last `len(keywords)` of `args` are passed by these names."""

    result: Def
    func: Use
    args: Uses
    keywords: Names
    star: OptionalUse = None
    TEXT = "{result} = call {func}({args}, kws=({keywords}), vararg={star})"


@op
class MakeFunction(Op):
    """An inner function or lambda: its code, values of its defaults, names it closes over.

    The last `len(keywords)` of `defaults` belong to the keyword-only parameters of these names.
    `itself` are the names among those it closes over that hold the function itself.
    """

    result: Def
    name: Name
    code: Constant
    defaults: Uses
    keywords: Names
    captured: Uses
    itself: Names = ()
    TEXT = (
        "{result} = make_function({name}: {code}, defaults=({defaults}), kws=({keywords}),"
        " closure=({captured}), itself=({itself}))"
    )
    EFFECT = MAKES


# --- data -------------------------------------------------------------------------------------


@op
class BuildTuple(Op):
    """`(a, b, c)`."""

    result: Def
    items: Uses
    TEXT = "{result} = build_tuple(items=({items}))"
    EFFECT = NOTHING


@op
class BuildSlice(Op):
    """`start:stop:step`, each part a value (None where it is left out)."""

    result: Def
    start: Use
    stop: Use
    step: OptionalUse = None
    TEXT = "{result} = build_slice({start}, {stop}, {step})"
    EFFECT = NOTHING


@op
class Unpack(Op):
    """The value as a tuple of exactly `count` items, ValueError otherwise."""

    result: Def
    value: Use
    count: Int
    TEXT = "{result} = exhaust_iter(value={value}, count={count})"
    EFFECT = COMPUTES


@op
class UnpackStar(Op):
    """The value as a tuple of `before` items, a tuple of those between, and `after` items;
    ValueError where there are fewer than `before + after`."""

    result: Def
    value: Use
    before: Int
    after: Int
    TEXT = "{result} = exhaust_iter(value={value}, before={before}, after={after})"
    EFFECT = COMPUTES


@op
class GetItem(Op):
    """`value[index]`.

    `bounds` is empty (every index checked, negative ones wrapped) or holds one word an axis:
    `check`, `proved` (0 <= index < size is known) or, with bounds checks off, `wrap`.
    """

    result: Def
    value: Use
    index: Use
    bounds: Tags = ()
    TEXT = "{result} = getitem(value={value}, index={index}{bounds})"
    EFFECT = COMPUTES


@op
class StaticGetItem(Op):
    """`value[index]` with an index known at compile time."""

    result: Def
    value: Use
    index: Constant
    TEXT = "{result} = static_getitem(value={value}, index={index})"
    EFFECT = COMPUTES


@op
class SetItem(Op):
    """`target[index] = value`; `bounds` as in GetItem."""

    target: Use
    index: Use
    value: Use
    bounds: Tags = ()
    TEXT = "{target}[{index}{bounds}] = {value}"
    EFFECT = CHANGES


@op
class StaticSetItem(Op):
    """`target[index] = value` with an index known at compile time."""

    target: Use
    index: Constant
    value: Use
    TEXT = "static_setitem(value={target}, index={index}) = {value}"
    EFFECT = CHANGES


@op
class GetAttr(Op):
    """`value.attr`."""

    result: Def
    value: Use
    attr: Name
    TEXT = "{result} = getattr(value={value}, attr={attr})"
    EFFECT = COMPUTES


@op
class SetAttr(Op):
    """`target.attr = value`."""

    target: Use
    attr: Name
    value: Use
    TEXT = "setattr(target={target}, attr={attr}, value={value})"
    EFFECT = CHANGES


@op
class DelAttr(Op):
    """`del target.attr`."""

    target: Use
    attr: Name
    TEXT = "delattr(target={target}, attr={attr})"
    EFFECT = CHANGES


@op
class GetIter(Op):
    """`iter(value)`."""

    result: Def
    value: Use
    TEXT = "{result} = getiter(value={value})"
    EFFECT = COMPUTES


@op
class IterNext(Op):
    """The next item, and whether there was one; `result` means nothing when `valid` is false."""

    result: Def
    valid: Def
    iterator: Use
    TEXT = "{result}, {valid} = iternext(value={iterator})"
    EFFECT = CHANGES


@op
class FormatValue(Op):
    """`{value!conversion:spec}` in an f-string; the conversion is empty or one of `s r a`."""

    result: Def
    value: Use
    conversion: String
    spec: OptionalUse = None
    TEXT = "{result} = format(value={value}, conversion={conversion}, spec={spec})"
    EFFECT = COMPUTES


@op
class BuildString(Op):
    """The pieces of an f-string, joined."""

    result: Def
    pieces: Uses
    TEXT = "{result} = build_string({pieces})"
    EFFECT = MAKES


# --- lifetimes --------------------------------------------------------------------------------


@op
class Del(Op):
    """The variable's life ends here (liveness, not the user's `del`)."""

    value: Use
    TEXT = "del {value}"
    EFFECT = frozenset({Effect.WRITES})


@op
class Incref(Op):
    """One more owner of the memory behind the value."""

    value: Use
    TEXT = "incref {value}"
    EFFECT = frozenset({Effect.WRITES})


@op
class Decref(Op):
    """One owner fewer; frees the memory when it was the last."""

    value: Use
    TEXT = "decref {value}"
    EFFECT = frozenset({Effect.WRITES})


# --- terminators ------------------------------------------------------------------------------


@op
class Jump(Op):
    """Go on at a block."""

    target: Label
    TEXT = "jump {target}"
    EFFECT = NOTHING
    TERMINATOR = True


@op
class Branch(Op):
    """Go on at `then` where the value is true (Python's truth), else at `orelse`."""

    cond: Use
    then: Label
    orelse: Label
    TEXT = "branch {cond}, {then}, {orelse}"
    EFFECT = COMPUTES
    TERMINATOR = True


@op
class Return(Op):
    """Leave the function with a value."""

    value: Use
    TEXT = "return {value}"
    EFFECT = NOTHING
    TERMINATOR = True


@op
class Raise(Op):
    """Raise an exception value."""

    exception: Use
    TEXT = "raise {exception}"
    EFFECT = RAISES
    TERMINATOR = True


@op
class StaticRaise(Op):
    """Raise an exception whose class and arguments are known at compile time."""

    exception: Constant
    args: Constant
    TEXT = "raise {exception}{args}"
    EFFECT = RAISES
    TERMINATOR = True


@op
class Unreachable(Op):
    """Control never gets here: an op before it, in this block or on every way to it, raises."""

    TEXT = "unreachable"
    EFFECT = RAISES
    TERMINATOR = True


@op
class RaiseComputed(Op):
    """Raise an exception of a known class with arguments computed at run time."""

    exception: Constant
    args: Uses
    TEXT = "raise {exception} with ({args})"
    EFFECT = RAISES
    TERMINATOR = True


@op
class Yield(Op):
    """End a run of a region, and give each of the carried variables its value for the next."""

    values: Uses
    TEXT = "yield ({values})"
    EFFECT = NOTHING
    TERMINATOR = True
