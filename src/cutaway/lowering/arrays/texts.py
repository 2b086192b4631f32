"""Elements of arrays of text and bytes: reading, assignment, comparison.

An element that is read is a copy with memory of its own, as in NumPy: it stays when the array
changes.  Characters of text take 4 bytes in an array, and as few as they can outside.
"""

from __future__ import annotations

from cutaway.errors import UnsupportedError
from cutaway.foundation.dataclass import dataclass
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.shapes import broadcast, strides_over
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, ArrayParts, Value, array_parts, item_size
from cutaway.typing import types
from cutaway.typing.types import Array, FixedString, String, Type
from cutaway.typing.types.buffers import bytes_type

ON_STACK = 1 << 16  # the largest element, in bytes, that may lie on the stack


def taken_out(build: FunctionBuilder, element: Value) -> Value:
    """Copy a text that `load_element` returned into memory of its own, with a new reference; other
    elements are returned unchanged."""
    if not isinstance(element.ty, FixedString):
        return element
    data = element.parts[1]
    unit = _unit(element.ty)
    operands = [("ptr", data), ("i64", str(element.ty.length)), ("i64", str(unit))]
    length = build.call("i64", "cutaway_text_length", operands)
    width = _checked_width(build, data, length) if unit == 4 else "1"
    owner = text_memory(build, build.binary("mul", "i64", length, width))
    copy = build.offset(owner, str(META_BYTES))
    _copied(build, copy, (length, width), data, (length, str(unit)))
    last = ("1",) if element.ty.taken is bytes_type else (width,)
    return Value(element.ty.taken, (owner, copy, length, *last))


def _unit(ty: FixedString) -> int:
    return item_size(ty) // ty.length


def text_memory(build: FunctionBuilder, nbytes: str) -> str:
    """Allocate memory for characters, which begin behind its META_BYTES; returns its owner."""
    owner = build.call("ptr", "cutaway_alloc", [("i64", nbytes)])
    build.raise_if(build.compare("eq", "ptr", owner, "null"), MemoryError)
    return owner


def _checked_width(build: FunctionBuilder, data: str, length: str) -> str:
    width = build.call("i64", "cutaway_text_width", [("ptr", data), ("i64", length)])
    outside = build.compare("eq", "i64", width, "0")
    build.raise_if(outside, SystemError, "invalid maximum character passed to PyUnicode_New")
    return width


def _copied(
    build: FunctionBuilder,
    target: str,
    size: tuple[str, str],
    source: str,
    source_size: tuple[str, str],
) -> None:
    """Copy characters; the sizes are the number of characters and the bytes of each."""
    operands = [("ptr", target), *(("i64", one) for one in size)]
    operands += [("ptr", source), *(("i64", one) for one in source_size)]
    build.call("void", "cutaway_text_copy", operands)


# --- into an array ----------------------------------------------------------------------------


def as_element(build: FunctionBuilder, value: Value, wanted: FixedString) -> Value:
    """Convert a str or bytes to an element in stack memory: truncated, or padded with zeros.

    Raises UnicodeEncodeError for a character that bytes cannot hold.
    """
    if item_size(wanted) > ON_STACK:
        raise UnsupportedError(
            f"elements of type {wanted} are too long to be assigned to in compiled code",
            hint=f"an element may have {ON_STACK:,} bytes",
        )
    _, data, length, width = value.parts
    width = width if value.ty is types.str_type else "1"
    if value.ty is types.str_type and wanted.kind == "S":
        _require_ascii(build, value)
    place = build.alloca("i64", (item_size(wanted) + 7) // 8)
    _copied(build, place, (str(wanted.length), str(_unit(wanted))), data, (length, width))
    return Value(wanted, ("null", place))


def _require_ascii(build: FunctionBuilder, value: Value) -> None:
    data, length, width = value.parts[1:]

    def first(start: str, wanted: str) -> str:
        operands = [("ptr", data), ("i64", length), ("i64", width), ("i64", start)]
        return build.call("i64", "cutaway_text_foreign", [*operands, ("i32", wanted)])

    start = first("0", "1")
    bad, good = build.new_label("raise"), build.new_label("ok")
    build.branch(build.compare("slt", "i64", start, length), bad, good)
    build.start(bad)
    end = first(start, "0")
    texts = [Value(types.constant_type(String, text), ()) for text in _NOT_ASCII]
    places = [Value(types.int64, (place,)) for place in (start, end)]
    build.raise_values(UnicodeEncodeError, [texts[0], value, *places, texts[1]])
    build.start(good)


_NOT_ASCII = "ascii", "ordinal not in range(128)"


# --- comparison -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Operand:
    """Texts to compare: their memory, length in characters, and the bytes of each character."""

    parts: ArrayParts
    length: str
    width: str


def _operand(value: Value) -> _Operand:
    if isinstance(value.ty, Array):
        assert isinstance(value.ty.dtype, FixedString)
        kind = value.ty.dtype
        return _Operand(array_parts(value), str(kind.length), str(_unit(kind)))
    owner, data, length, width = value.parts
    width = width if value.ty is types.str_type else "1"
    return _Operand(ArrayParts(owner, data, (), ()), length, width)


# The outcomes for which an operator is true: the sum of 1 for less, 2 for equal and 4 for greater.
MASKS = {"<": 1, "<=": 3, "==": 2, "!=": 5, ">": 4, ">=": 6}


def compared(build: FunctionBuilder, returns: Type, args: list[Value], sign: str) -> Value:
    """Compare two texts or arrays of texts with an operator, into an array of bools or a bool."""
    first, second = map(_operand, args)
    shape = broadcast(build, [first.parts.shape, second.parts.shape])
    if isinstance(returns, Array):
        result = allocate(build, returns, shape, False)
        out = array_parts(result).data
    else:
        out = build.alloca("i64")
    axes = _words(
        build,
        [
            *shape,
            *strides_over(build, first.parts, shape),
            *strides_over(build, second.parts, shape),
        ],
    )
    sizes = [first.length, first.width, second.length, second.width, str(MASKS[sign])]
    operands = [("ptr", out), ("i64", str(len(shape))), ("ptr", axes)]
    operands += [("ptr", first.parts.data), ("ptr", second.parts.data)]
    build.call("void", "cutaway_compare_texts", [*operands, ("ptr", _words(build, sizes))])
    if isinstance(returns, Array):
        return result
    return Value(returns, (build.compare("ne", "i8", build.load("i8", out, 1), "0"),))


def _words(build: FunctionBuilder, numbers: list[str]) -> str:
    memory = build.alloca("i64", max(len(numbers), 1))
    for k, number in enumerate(numbers):
        build.store("i64", number, build.offset(memory, str(8 * k)), 8)
    return memory
