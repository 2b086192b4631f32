"""Constants of the program as LLVM values."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cutaway.errors import ExtensionError
from cutaway.foundation.foreign import is_a
from cutaway.foundation.source import place_of
from cutaway.lowering.build.builder import Builder, symbol
from cutaway.lowering.build.patterns import Implementations
from cutaway.lowering.layout import Value, zero
from cutaway.runtime import numpy_random
from cutaway.runtime.frozen import ALIGNMENT, LARGEST_IN_CODE, freeze, hold
from cutaway.typing.types import Float, Type, float16, float32, float64
from cutaway.typing.types.primitives import NOTHING, Kept, Known, Member, Owner, Repeated, Word
from cutaway.typing.types.structure import leaves_of, members_of
from cutaway.typing.values.typeof import typeof_constant

# The code of extensions for constants of their types.
CONSTANTS = Implementations("constant")

# For a class whose objects stand for a number that the machine supplies, the code that reads it.
EMITTED: dict[type, Callable[[Any], str]] = {}


def constant(build: Builder, ty: Type, value: Any) -> Value:
    """Emit a Python constant as a value of type `ty`."""
    emit = EMITTED.get(type(value)) if EMITTED else None
    if emit is not None:
        return Value(ty, (emit(build),))
    cached = build.large_constants.get(id(value))
    if cached is not None:
        return Value(ty, cached[1])
    items = ty.taken_apart(value)
    if items is not None:
        members = members_of(ty) or ()
        pairs = zip(members, items, strict=True)
        parts = tuple(part for (_, member), item in pairs for part in _parts(build, member, item))
        if is_a(value, np.ndarray) and value.nbytes > LARGEST_IN_CODE:
            if not any(part.startswith("%") for part in parts):  # registers of one block
                build.large_constants[id(value)] = value, parts
        return Value(ty, parts)
    lower = CONSTANTS.find((ty,))
    if lower is None:
        raise ExtensionError(
            f"a value of type {ty} cannot be a constant of a compiled function",
            place_of(type(ty)),
            "register a lowering: @lower_constant",
        )
    result: Value = lower(build, ty, value)
    return result


def _parts(build: Builder, member: Member, item: Any) -> Sequence[str]:
    """Emit the parts of one member (Any: its value)."""
    if item is NOTHING:
        return [zero(leaf.llvm) for leaf in leaves_of(member) if isinstance(leaf, Word | Owner)]
    match member:
        case Type():
            return constant(build, member, item).parts
        case Repeated(inner, _):
            return [part for one in item for part in _parts(build, inner, one)]
        case Known():
            return ()
        case Owner() if isinstance(item, Kept):
            return (_kept_object(build, item.value),)
        case Owner():
            # The memory of a constant is part of the code, and not reference-counted.
            return ("null",)
        case Word("ptr"):
            data = frozen_bytes(build, item.data)
            return (build.offset(data, str(item.offset)) if item.offset else data,)
        case Word("i1"):
            return ("true" if item else "false",)
        case Word("double"):
            return (float_text(item, float64),)
        case Word("float"):
            return (float_text(item, float32),)
        case Word("half"):
            return (float_text(item, float16),)
    return (str(int(item)),)


def typed_constant(build: Builder, value: Any) -> Value:
    """Emit a Python constant as a value of its own type."""
    ty = typeof_constant(value)
    assert ty is not None, f"{value!r} has no type"
    return constant(build, ty, value)


def float_text(value: float, ty: Float) -> str:
    """Return a float literal: the bits of a double also for 32 bits, its own for 16 bits."""
    value = ty.coerced(value)
    if ty.bits == 16:
        return f"0xH{int(np.float16(value).view(np.uint16)):04X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _kept_object(build: Builder, value: Any) -> str:
    """Load the owner of a Python object, whose symbol is bound when the code is loaded."""
    owner = getattr(value, "_owner", None)
    if owner is not None:  # of a native container
        memory = hold(value, owner)
        build.code.frozen[memory.name] = memory
        build.code.globals[memory.name] = f"{symbol(memory.name)} = external constant ptr"
        return build.load("ptr", symbol(memory.name), 8)
    name = numpy_random.kept(value)
    build.code.globals[name] = f"{symbol(name)} = external constant {{ ptr, ptr }}"
    return build.load("ptr", build.offset(symbol(name), "8"), 8)


def frozen_bytes(build: Builder, data: bytes | bytearray) -> str:
    """Return the address of constant bytes."""
    if len(data) > LARGEST_IN_CODE and build.links.target.hosted:
        memory = freeze(data)
        build.code.frozen[memory.name] = memory
        declared = f"external constant [{len(data)} x i8], align {ALIGNMENT}"
        build.code.globals[memory.name] = f"{symbol(memory.name)} = {declared}"
        return symbol(memory.name)
    name = f"{build.code.name}.data.{len(build.code.globals)}"
    text = "".join(f"\\{byte:02X}" for byte in data)
    kind = f"private unnamed_addr constant [{len(data)} x i8]"
    build.code.globals[name] = f'{symbol(name)} = {kind} c"{text}", align {ALIGNMENT}'
    return symbol(name)
