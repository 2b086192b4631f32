"""Text in C's way: `printf` and `snprintf`.

C trusts the format; here it is checked against the arguments, for a `%s` of a number would crash
the process.
"""

from __future__ import annotations

import re
from typing import Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending.cgutils.basics import int32_t, intp_t, make_bytearray, voidptr_t
from cutaway.extending.cgutils.memory import alloca_once, get_or_insert_function, global_constant
from cutaway.extending.values import POINTER, pointer_to

_CONVERSION = re.compile(
    r"%(?:%|[-+ #0]*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|j|z|t)?(?P<letter>[diouxXceEfFgGaAsp]))"
)
_BITS = {"l": 64, "ll": 64, "j": 64, "z": 64, "t": 64}  # of integers; others are 32 bits wide


def printf(builder: ir.IRBuilder, format: str, *args: ir.Value) -> ir.Value:  # noqa: A002
    """Write text to C's standard output, which is not `sys.stdout`; returns its length.

    Raises ExtensionError if the format does not match the arguments.
    """
    fmt, promoted = _formatted(builder, format, args)
    kind = ir.FunctionType(int32_t, [POINTER], var_arg=True)
    return builder.call(get_or_insert_function(builder.module, kind, "printf"), [fmt, *promoted])


def snprintf(
    builder: ir.IRBuilder,
    buffer: ir.Value,
    bufsz: Any,
    format: str,  # noqa: A002
    *args: ir.Value,
) -> ir.Value:
    """Write text to memory of a size in bytes, with a terminating zero; returns the length of the
    whole text.

    Raises ExtensionError if the format does not match the arguments.
    """
    fmt, promoted = _formatted(builder, format, args)
    size = ir.Constant(intp_t, bufsz) if isinstance(bufsz, int) else bufsz
    kind = ir.FunctionType(int32_t, [POINTER, intp_t, POINTER], var_arg=True)
    function = get_or_insert_function(builder.module, kind, "snprintf")
    return builder.call(function, [buffer, size, fmt, *promoted])


def snprintf_stackbuffer(
    builder: ir.IRBuilder,
    bufsz: int,
    format: str,  # noqa: A002
    *args: ir.Value,
) -> ir.Value:
    """Write text as `snprintf` does into memory on the stack, and return that."""
    if not isinstance(bufsz, int) or bufsz < 1:
        raise ExtensionError(f"the size of a buffer must be a positive constant, not {bufsz!r}")
    space = alloca_once(builder, ir.ArrayType(ir.IntType(8), bufsz), zfill=True)
    buffer = pointer_to(builder, space, voidptr_t)
    snprintf(builder, buffer, bufsz, format, *args)
    return buffer


def hexdump(builder: ir.IRBuilder, ptr: ir.Value, nbytes: int) -> None:
    """Print a number of bytes of memory, for debugging."""
    pointer = pointer_to(builder, ptr, voidptr_t)
    for k in range(nbytes):
        byte = builder.load(builder.gep(pointer, [ir.Constant(intp_t, k)]))
        printf(builder, " %02x" if k % 16 else "\n%02x", builder.zext(byte, int32_t))
    printf(builder, "\n")


def _formatted(
    builder: ir.IRBuilder, text: str, args: tuple[ir.Value, ...]
) -> tuple[ir.Value, list[ir.Value]]:
    wanted = _kinds(text)
    if len(wanted) != len(args):
        raise ExtensionError(f"the format {text!r} takes {len(wanted)} arguments, not {len(args)}")
    promoted = [_promoted(builder, arg, kind) for arg, kind in zip(args, wanted, strict=True)]
    data = make_bytearray(text.encode() + b"\0")
    return pointer_to(builder, global_constant(builder, "format", data), voidptr_t), promoted


def _kinds(text: str) -> list[ir.Type]:
    """Return the LLVM types of the arguments of a format."""
    if not isinstance(text, str):
        raise ExtensionError(f"a format must be a string, not {text!r}")
    kinds: list[ir.Type] = []
    plain = _CONVERSION.sub("", text)
    if "%" in plain:
        raise ExtensionError(f"the format {text!r} has an invalid % conversion")
    for match in _CONVERSION.finditer(text):
        if match["letter"] is None:
            continue
        kinds += [int32_t for star in (match["width"], match["precision"]) if star == "*"]
        if match["letter"] in "sp":
            kinds.append(voidptr_t)
        elif match["letter"] in "diouxXc":
            kinds.append(ir.IntType(_BITS.get(match["length"], 32)))
        else:
            kinds.append(ir.DoubleType())
    return kinds


def _promoted(builder: ir.IRBuilder, value: Any, wanted: ir.Type) -> ir.Value:
    kind = getattr(value, "type", None)
    match kind, wanted:
        case ir.PointerType(), ir.PointerType():
            return pointer_to(builder, value, wanted)
        case ir.IntType(width=width), ir.IntType(width=most):
            if width == most:
                return value
            if width > most:  # print the low bits, as C does
                return builder.trunc(value, wanted)
            # A bool is 0 or 1; sign-extending its one bit would make it -1.
            return builder.zext(value, wanted) if width == 1 else builder.sext(value, wanted)
        case ir.FloatType(), ir.DoubleType():
            return builder.fpext(value, wanted)
        case ir.DoubleType(), ir.DoubleType():
            return value
    raise ExtensionError(f"an argument of type {kind or repr(value)} does not match the format")
