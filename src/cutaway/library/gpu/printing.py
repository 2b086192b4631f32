"""`print` in a kernel: the driver prints the lines after the kernel has ended."""

from __future__ import annotations

from cutaway.errors import UnsupportedError
from cutaway.library.gpu.registry import GPU
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Boolean, Float, Integer, String, Tuple, Type

MOST_VALUES = 32  # the limit of the driver's `vprintf`


def _rule(arguments: Arguments) -> Signature | None:
    *values, sep, end, flush = arguments.types
    for ty in values:
        if not _is_printed(ty):
            raise UnsupportedError(
                f"a kernel cannot print a value of type {ty}",
                hint="print numbers and texts that are constants",
            )
    return Signature(types.none, arguments.types)


def _is_printed(ty: Type) -> bool:
    if isinstance(ty, Tuple):
        return all(map(_is_printed, ty.items))
    return isinstance(ty, Integer | Float | Boolean | String | types.Complex) or ty is types.none


def _print(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`print(...)`: emit a format, and the values contiguously, each aligned to its size."""
    *values, sep, end, _ = args
    pieces: list[str] = []
    operands: list[tuple[str, str]] = []
    for number, value in enumerate(values):
        if number:
            pieces.append(_text(sep, " "))
        _add(build, value, pieces, operands)
    pieces.append(_text(end, "\n"))
    if len(operands) > MOST_VALUES:
        raise UnsupportedError(
            f"a kernel prints at most {MOST_VALUES} numbers at a time", build.loc, "print twice"
        )
    row = build.alloca("i64", max(len(operands), 1))
    for k, (kind, part) in enumerate(operands):
        build.store(kind, part, build.offset(row, str(8 * k)), 8)
    build.call("i32", "vprintf", [("ptr", _format(build, "".join(pieces))), ("ptr", row)])
    return Value(types.none, ())


def _text(value: Value, default: str) -> str:
    text = value.ty.value if isinstance(value.ty, String) else default
    return str(text).replace("%", "%%")


def _add(
    build: FunctionBuilder, value: Value, pieces: list[str], operands: list[tuple[str, str]]
) -> None:
    """Add a value's piece of the format and its operand, which takes 8 bytes."""
    match value.ty:
        case String():
            pieces.append(_text(value, ""))
        case Tuple(items=items):
            pieces.append("(")
            start = 0
            for k, item in enumerate(items):
                if k:
                    pieces.append(", ")
                count = len(part_types(item))
                _add(build, Value(item, value.parts[start : start + count]), pieces, operands)
                start += count
            pieces.append(",)" if len(items) == 1 else ")")
        case Float():
            pieces.append("%f")
            operands.append(("double", build.cast(value, types.float64).parts[0]))
        case types.Complex():
            pieces.append("(%f%+fj)")
            wide = build.cast(value, types.complex128).parts
            operands.extend(("double", part) for part in wide)
        case Boolean():
            pieces.append("%s")
            word = build.select(
                value.parts[0], "ptr", _format(build, "True"), _format(build, "False")
            )
            operands.append(("ptr", word))
        case Integer(signed=signed):
            pieces.append("%lld" if signed else "%llu")
            wanted = types.int64 if signed else types.uint64
            operands.append(("i64", build.cast(value, wanted).parts[0]))
        case _:
            pieces.append("None")


def _format(build: FunctionBuilder, text: str) -> str:
    data = text.encode() + b"\0"
    name = f"{build.code.name}.text.{len(build.code.globals)}"
    escaped = "".join(f"\\{byte:02X}" for byte in data)
    words = "internal unnamed_addr addrspace(1) constant"
    build.code.globals[name] = f'{symbol(name)} = {words} [{len(data)} x i8] c"{escaped}"'
    return f"addrspacecast (ptr addrspace(1) {symbol(name)} to ptr)"


_NAMED = (("sep", " "), ("end", "\n"), ("flush", False))
GPU.add(print, Overload(_rule, (), _print, named=_NAMED, any_elements=True))
