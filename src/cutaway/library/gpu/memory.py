"""Arrays in GPU memory spaces: shared by a block, local to a thread, constant."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from cutaway.errors import TypingError
from cutaway.gpu import words
from cutaway.library.arrays.kit.dtypes import dtype_of
from cutaway.library.gpu.registry import constant_of, word
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_value, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING, REQUIRED, Arguments, Rule, Signature
from cutaway.typing.types import Array

SHARED, CONSTANT = 3, 4  # address spaces of NVPTX
DYNAMIC = "cutaway_dynamic_shared"
ALIGNMENT = 16  # bytes: the alignment of the widest load
_PARAMETERS, _DEFAULTS = ("shape", "dtype"), (REQUIRED, REQUIRED)


def _shape_rule(what: str) -> Rule:
    def rule(arguments: Arguments) -> Signature | None:
        dtype = dtype_of(arguments.types[1], types.float64)
        if dtype is None or arguments.types[1] is types.none:
            return None
        shape = _constant_shape(arguments, what)
        _check_size(what, prod(shape) * item_size(dtype))
        return Signature(Array(dtype, len(shape), "C"), arguments.types)

    return rule


# Limits in bytes: per block for memory reserved at compile time, per thread, and in total.
_MOST = {"shared": 48 << 10, "local": 512 << 10, "const": 64 << 10}


def _check_size(what: str, nbytes: int) -> None:
    """Raise TypingError for an array larger than its memory."""
    most = _MOST[what]
    if nbytes > most:
        raise TypingError(
            f"a {what} array of {nbytes} bytes is too large: there are {most} of this memory",
            hint="take shape 0, and say at the launch how many bytes: kernel[blocks, threads,"
            " stream, bytes]"
            if what == "shared"
            else "pass an array",
        )


def _constant_shape(arguments: Arguments, what: str) -> tuple[int, ...]:
    """The sizes of an array, which must be constants.

    Raises TypingError for computed sizes.
    """
    shape = constant_of(arguments, 0)
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    if shape is MISSING or not all(isinstance(size, int) for size in sizes):
        raise TypingError(
            f"the shape of a {what} array must be constant: the memory is set aside when the "
            "kernel is compiled",
            hint="use a number or a global, or for shared memory shape 0 and the launch's size:"
            " kernel[blocks, threads, stream, bytes]"
            if what == "shared"
            else "use a number or a global, or cutaway.literally",
        )
    if min(sizes, default=1) < 0:
        raise TypingError(f"the shape of a {what} array has a negative size")
    return tuple(map(int, sizes))


def _sizes(shape: Value) -> tuple[int, ...]:
    """The sizes that a call was typed with: constants are numbers as text."""
    return tuple(map(int, shape.parts))


def _contiguous(ty: Array, data: str, shape: Sequence[str | int]) -> Value:
    strides, stride = [], item_size(ty.dtype)
    for size in reversed(shape):
        strides.append(str(stride))
        stride *= int(size) if len(shape) > 1 else 1
    sizes = tuple(map(str, shape))
    return array_value(ty, ArrayParts("null", data, sizes, tuple(reversed(strides))))


def _generic(name: str, space: int) -> str:
    """A global's address in an address space, cast to a generic pointer."""
    return f"addrspacecast (ptr addrspace({space}) {symbol(name)} to ptr)"


@word(words.shared.array, _shape_rule("shared"), _PARAMETERS, _DEFAULTS)
def shared_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`shared.array(shape, dtype)`: the same memory at each execution of this line."""
    ty, shape = sig.returns, _sizes(args[0])
    assert isinstance(ty, Array)
    if 0 in shape:
        return _dynamic(build, ty, shape)
    name = f"{build.code.name}.shared.{len(build.code.globals)}"
    nbytes = item_size(ty.dtype) * prod(shape)
    build.code.globals[name] = (
        f"{symbol(name)} = internal addrspace({SHARED}) global [{nbytes} x i8] undef,"
        f" align {ALIGNMENT}"
    )
    return _contiguous(ty, _generic(name, SHARED), shape)


def _dynamic(build: FunctionBuilder, ty: Array, shape: tuple[int, ...]) -> Value:
    """All dynamic shared memory of the launch; each such array of a kernel starts at offset 0."""
    if len(shape) > 1:
        raise TypingError(
            "a shared array whose size the launch says has one dimension",
            build.loc,
            "take shape 0, and compute the place of an element from its indices",
        )
    build.code.globals[DYNAMIC] = (
        f"{symbol(DYNAMIC)} = external addrspace({SHARED}) global [0 x i8], align {ALIGNMENT}"
    )
    nbytes = build.once('call i32 asm "mov.u32 $0, %dynamic_smem_size;", "=r"()')
    wide = build.convert("zext", "i32", nbytes, "i64")
    count = build.binary("udiv", "i64", wide, str(item_size(ty.dtype)))
    return _contiguous(ty, _generic(DYNAMIC, SHARED), (count,))


@word(words.local.array, _shape_rule("local"), _PARAMETERS, _DEFAULTS)
def local_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`local.array(shape, dtype)`: in registers if all indices are constants."""
    ty, shape = sig.returns, _sizes(args[0])
    assert isinstance(ty, Array)
    nbytes = item_size(ty.dtype) * prod(shape)
    return _contiguous(ty, build.alloca("i64", max((nbytes + 7) // 8, 1)), shape)


def _like_rule(arguments: Arguments) -> Signature | None:
    value = constant_of(arguments, 0)
    if not isinstance(value, np.ndarray):
        raise TypingError(
            "the array of const.array_like must be a global or closure variable",
            hint="its elements go into the code",
        )
    frozen = arguments.types[0]
    assert isinstance(frozen, Array)
    _check_size("const", value.nbytes)
    if frozen.layout == "A":
        raise TypingError(
            "the array of const.array_like must be contiguous",
            hint="make it so where it is defined: np.ascontiguousarray(...)",
        )
    return Signature(frozen, arguments.types)


@word(words.const.array_like, _like_rule, any_elements=True)
def const_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`const.array_like(a)`: a copy in constant memory."""
    owner, data, *sizes = args[0].parts
    original = data.removeprefix("@").strip('"')
    name = f"{original}.const"
    words = build.code.globals[original].partition(" constant ")[2]
    build.code.globals[name] = f"{symbol(name)} = internal addrspace({CONSTANT}) constant {words}"
    return Value(sig.returns, (owner, _generic(name, CONSTANT), *sizes))
