"""The ops: one frozen class per operation, each field annotated with its role.

Roles are all that the generic tools need: `traversal` reads definitions and uses and renames from
them, `printer` and `parser` follow `TEXT`, and regions are walked without registering their ops.  A
field without a role is refused.  To change the IR put a new op into a block's list; never set a
field.

`TEXT` is the text form, with a placeholder per field: `{result} = {lhs} {op} {rhs}` prints and
parses `$0.3 = a + b`.  A region is printed below its op, under the name of its field.
"""

from cutaway.ir.effects import CHANGES, COMPUTES, MAKES, NOTHING, RAISES, Effect
from cutaway.ir.exception_nodes import (
    Caught,
    Delegate,
    EndHandler,
    Enter,
    ExitWith,
    Matches,
    RaiseComputedFrom,
    RaiseCurrent,
    RaiseFrom,
    Reraise,
    Suspend,
)
from cutaway.ir.object_nodes import (
    BuildDict,
    BuildList,
    BuildSet,
    BuildSlice,
    BuildString,
    CallSpread,
    DeleteOuter,
    DelItem,
    Extend,
    FormatValue,
    Import,
    ImportFrom,
    IsPattern,
    ListAppend,
    MakeList,
    MatchClass,
    MatchKeys,
    ReadOuter,
    RunLoop,
    RunObjects,
    Unpack,
    UnpackStar,
    WriteOuter,
)
from cutaway.ir.op import (
    OPS,
    BinaryOperator,
    Block,
    Body,
    Codec,
    Constant,
    Def,
    FieldSpec,
    InplaceOperator,
    Int,
    Label,
    Labels,
    Name,
    Names,
    Op,
    OpTable,
    OptionalUse,
    Role,
    String,
    Tags,
    UnaryOperator,
    Use,
    Uses,
    op,
    replace,
)
from cutaway.ir.parfor_nodes import (
    Apart,
    Line,
    Load,
    NewArray,
    OwnStreams,
    Parfor,
    RequireElements,
    SizesOf,
    Store,
)
from cutaway.ir.whole_nodes import ArrayExpr, ArrayReduce, ArrayStore, Element

# --- definitions -------------------------------------------------------------------------------


@op
class Arg(Op):
    """The value of a parameter.  The `effect` on containers in it is `changed`, `unchanged`, or
    empty: it is unknown."""

    result: Def
    index: Int
    name: Name
    effect: Tags = ()
    TEXT = "{result} = arg({index}, name={name}{effect})"
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
    """No value: a variable on a path where it is unbound.  Never read at run time.

    With `cell=(new)` functions that captured the variable keep its old cell: each run of a
    comprehension has variables of its own.
    """

    result: Def
    cell: Tags = ()
    TEXT = "{result} = undef(){cell}"
    EFFECT = NOTHING


@op
class Copy(Op):
    """Another name for the same value."""

    result: Def
    value: Use
    TEXT = "{result} = {value}"
    EFFECT = NOTHING


@op
class Move(Op):
    """Another variable for the same value, which takes over its reference."""

    result: Def
    value: Use
    TEXT = "{result} = move {value}"
    EFFECT = NOTHING


@op
class Deref(Op):
    """The value of a captured variable that an inner function reads."""

    result: Def
    value: Use
    TEXT = "{result} = deref({value})"
    EFFECT = NOTHING


@op
class Cast(Op):
    """Conversion of a value to the result's type, where the value leaves the function."""

    result: Def
    value: Use
    TEXT = "{result} = cast(value={value})"
    EFFECT = NOTHING


@op
class Unwrap(Op):
    """The value of an optional; raises the exception if it is None."""

    result: Def
    value: Use
    exception: Constant
    message: String
    TEXT = "{result} = unwrap({value}, or {exception}: {message})"
    EFFECT = RAISES


@op
class Phi(Op):
    """SSA merge: selects the value of the predecessor that control came from."""

    result: Def
    labels: Labels
    values: Uses
    TEXT = "{result} = phi({labels}: {values})"
    EFFECT = NOTHING


# --- operators and calls ----------------------------------------------------------------------


@op
class Unary(Op):
    """`-a`, `+a`, `~a`, `not a`, and `bool a` for a truth test whose result is a value."""

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
    """An inner function or lambda: its code, values of its defaults, variables it closes over.

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
class GetItem(Op):
    """`value[index]`.

    `bounds` is empty (fully checked) or holds a word per axis: `check`, `proved` (0 <= index < size
    is known), `below` (0 <= index is); with checks off `wrap` or `unchecked` (0 <= index is).
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
    """The next item, and whether there was one; `result` is undefined if `valid` is false."""

    result: Def
    valid: Def
    iterator: Use
    TEXT = "{result}, {valid} = iternext(value={iterator})"
    EFFECT = CHANGES


# --- lifetimes --------------------------------------------------------------------------------


@op
class Del(Op):
    """The end of a variable's live range (by liveness, not the user's `del`)."""

    value: Use
    TEXT = "del {value}"
    EFFECT = frozenset({Effect.WRITES})


@op
class Incref(Op):
    """Increment the reference count of the memory behind a value."""

    value: Use
    TEXT = "incref {value}"
    EFFECT = frozenset({Effect.WRITES})


@op
class Decref(Op):
    """Decrement the reference count; frees the memory at 0."""

    value: Use
    TEXT = "decref {value}"
    EFFECT = frozenset({Effect.WRITES})


# Ops that end a variable or count the references of its value: they read none of it.
LIFETIMES = (Del, Incref, Decref)


# --- terminators ------------------------------------------------------------------------------


@op
class Jump(Op):
    """Jump to a block."""

    target: Label
    TEXT = "jump {target}"
    EFFECT = NOTHING
    TERMINATOR = True


@op
class Branch(Op):
    """Jump to `then` if the condition is truthy, else to `orelse`; `rare`: unlikely targets."""

    cond: Use
    then: Label
    orelse: Label
    rare: Tags = ()
    TEXT = "branch {cond}, {then}, {orelse}{rare}"
    EFFECT = COMPUTES
    TERMINATOR = True


@op
class Return(Op):
    """Return a value from the function."""

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
    """Unreachable code: an op before it, in this block or on every path to it, raises."""

    TEXT = "unreachable"
    EFFECT = RAISES
    TERMINATOR = True


@op
class RaiseComputed(Op):
    """Raise an exception of a known class with a call's arguments, computed at run time."""

    exception: Constant
    args: Uses
    keywords: Names = ()
    star: OptionalUse = None
    TEXT = "raise {exception} with ({args}, kws=({keywords}), vararg={star})"
    EFFECT = RAISES
    TERMINATOR = True


@op
class Yield(Op):
    """End a run of a region, with the values of the carried variables for the next one."""

    values: Uses
    TEXT, EFFECT, TERMINATOR = "yield ({values})", NOTHING, True


@op
class Give(Op):
    """End a run of the body of an array expression, with the element that it computes."""

    value: Use
    TEXT, EFFECT, TERMINATOR = "give {value}", NOTHING, True
