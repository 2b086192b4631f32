"""`a.flags`: the memory layout and writability of an array; `a.tobytes()`."""

from __future__ import annotations

import operator

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload, overload_method
from cutaway.extending.registry import attribute, fields, primitive
from cutaway.ir import nodes
from cutaway.library.arrays.kit.typers import OPTIONS, array_alone, left_out, said
from cutaway.lowering.arrays.shapes import is_in_order, or_empty
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size
from cutaway.typing import types
from cutaway.typing.overloads.context import AttributeSetter
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, ArrayFlags, String
from cutaway.typing.types.buffers import bytes_type


@attribute(Array, "flags", ArrayFlags, any_elements=True)
def flags(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flags`: the array itself, whose flags are computed when read."""
    return Value(sig.returns, args[0].parts)


# --- each flag --------------------------------------------------------------------------------

# The keys of `a.flags["C"]` besides the attributes' names in capitals.
_SHORT = {
    **{"C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous"},
    **{"FORTRAN": "f_contiguous", "W": "writeable", "A": "aligned", "B": "behaved"},
    **{"O": "owndata", "CA": "carray", "FA": "farray", "X": "writebackifcopy"},
}
_FLAGS = (
    *("c_contiguous", "f_contiguous", "contiguous", "writeable", "aligned", "behaved", "carray"),
    *("farray", "fnc", "forc", "writebackifcopy"),
)
_UNKNOWN = {"owndata": "whether an array has memory of its own", "num": "the sum of all flags"}


def _flag_type(name: str) -> types.Type | None:
    if name in _UNKNOWN:
        raise TypingError(
            f"{_UNKNOWN[name]} is not known in compiled code",
            hint="ask it of the array in Python, and pass the answer",
        )
    return types.boolean if name in _FLAGS else None


@fields(ArrayFlags, lambda owner, name: _flag_type(name))
def flag(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flags.c_contiguous` and the like."""
    assert isinstance(build.op, nodes.GetAttr)
    return Value(types.boolean, (_asked(build, args[0], build.op.attr),))


def _item_rule(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    if not isinstance(owner, ArrayFlags) or not isinstance(index, String):
        return None
    if _flag_type(_name_of(index)) is None:
        raise TypingError(f"there is no flag {index.value!r}", hint='as in a.flags["C_CONTIGUOUS"]')
    return Signature(types.boolean, arguments.types)


def _name_of(index: String) -> str:
    name = str(index.value)
    return _SHORT.get(name, name.lower() if name.isupper() and name != "NUM" else "")


@primitive(operator.getitem, _item_rule)
def flag_of_name(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flags["C_CONTIGUOUS"]`."""
    assert isinstance(args[1].ty, String)
    return Value(types.boolean, (_asked(build, args[0], _name_of(args[1].ty)),))


def _asked(build: FunctionBuilder, value: Value, name: str) -> str:
    """An i1: whether a flag of an array is set."""
    assert isinstance(value.ty, ArrayFlags)
    array = Value(value.ty.array, value.parts)

    def ask(other: str) -> str:
        return _asked(build, value, other)

    match name:
        case "c_contiguous" | "contiguous":
            return "true" if value.ty.array.is_c_contig else is_in_order(build, array, "C")
        case "f_contiguous":
            return "true" if value.ty.array.is_f_contig else is_in_order(build, array, "F")
        case "writeable":
            return "false" if value.ty.array.readonly else "true"
        case "aligned":
            return "true" if value.ty.array.aligned else _is_aligned(build, array)
        case "behaved":
            return build.binary("and", "i1", ask("aligned"), ask("writeable"))
        case "carray":
            return build.binary("and", "i1", ask("behaved"), ask("c_contiguous"))
        case "farray":  # NumPy is satisfied by one of the three
            any_ = build.binary("or", "i1", ask("f_contiguous"), ask("writeable"))
            any_ = build.binary("or", "i1", any_, ask("aligned"))
            return build.binary("and", "i1", any_, _not(build, ask("c_contiguous")))
        case "fnc":
            return build.binary("and", "i1", ask("f_contiguous"), _not(build, ask("c_contiguous")))
        case "forc":
            return build.binary("or", "i1", ask("f_contiguous"), ask("c_contiguous"))
    return "false"  # write-back copies are resolved before the call


def _not(build: FunctionBuilder, flag: str) -> str:
    return build.binary("xor", "i1", flag, "true")


def _is_aligned(build: FunctionBuilder, array: Value) -> str:
    """An i1: whether every element's address is a multiple of its dtype's alignment."""
    assert isinstance(array.ty, Array)
    parts = array_parts(array)
    places = build.convert("ptrtoint", "ptr", parts.data, "i64")
    for size, stride in zip(parts.shape, parts.strides, strict=True):
        several = build.compare("sgt", "i64", size, "1")
        places = build.binary("or", "i64", places, build.select(several, "i64", stride, "0"))
    rest = build.binary("and", "i64", places, str(types.to_dtype(array.ty.dtype).alignment - 1))
    return or_empty(build, parts.shape, build.compare("eq", "i64", rest, "0"))


@overload(AttributeSetter("writeable"), jit_options=OPTIONS)
@overload(AttributeSetter("aligned"), jit_options=OPTIONS)
def _set_flag(owner, value):
    if isinstance(owner, ArrayFlags):
        raise TypingError(
            "whether an array may be written to is part of its type, and does not change",
            hint="set it in Python, before the array is passed",
        )


# --- bytes ------------------------------------------------------------------------------------


def bytes_of(line):
    """The bytes of a new array in C order that has no other owner."""
    return line.tobytes()


def _bytes_rule(arguments: Arguments) -> Signature | None:
    return None if array_alone(arguments) is None else Signature(bytes_type, arguments.types)


@primitive(bytes_of, _bytes_rule, any_elements=True)
def take_bytes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The array's memory as bytes, without a copy."""
    assert isinstance(args[0].ty, Array)
    parts = array_parts(args[0])
    size = build.binary("mul", "i64", parts.shape[0], str(item_size(args[0].ty.dtype)))
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    return Value(bytes_type, (parts.owner, parts.data, size, "1"))


@overload_method(Array, "tobytes")
def _tobytes(a, order="C"):
    if not isinstance(order, str | String | types.Omitted) and not left_out(order):
        return None
    name = str(said(order) or "C").upper()
    if name in ("F", "A"):
        return lambda a, order="C": bytes_of(a.flatten(name))
    if name in ("C", "K"):
        return lambda a, order="C": bytes_of(a.flatten())

    def refused(a, order="C"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")

    return refused
