"""The entry point of a kernel: its parameters, and the call of the compiled function with them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.errors import UnsupportedError
from cutaway.foundation.source import place_of
from cutaway.lowering.build.builder import Builder, FunctionCode, local, symbol
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import Value, part_names, part_types, slot_types, without_known
from cutaway.lowering.slots import load_slots
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.types.elements import alignment_of
from cutaway.typing.types.primitives import Known, Owner
from cutaway.typing.types.structure import leaves

Parameter = tuple[int, str]  # the slot that holds it, and its type in LLVM

_MOST_ELEMENTS = 2**48  # an array on a GPU has fewer along each axis

_ODD = re.compile(r"\W", re.ASCII)


def plain_name(name: str) -> str:
    """Convert a function's name to a valid one in PTX: letters, digits and underscores."""
    text = _ODD.sub("_", name)
    if text == "WARP_SZ":  # a constant of PTX
        return "WARP_SZ_"
    return text if text.strip("_") else f"function{text}"


def kernel_name(callee: Callee) -> str:
    """Return the name of a kernel in PTX."""
    return callee.symbol.partition("$")[0]


def kernel_parameters(argtypes: tuple[Type, ...]) -> tuple[Parameter, ...]:
    """Return the parameters of a kernel: the slots of its arguments, except owners of memory and
    constants."""
    return tuple(
        (slot, kind)
        for slot, (leaf, kind) in enumerate(_slots(argtypes))
        if not isinstance(leaf, Owner | Known)
    )


def _slots(argtypes: tuple[Type, ...]) -> Iterator[tuple[object, str]]:
    for ty in argtypes:
        for leaf, (kind, _) in zip(leaves(ty), slot_types(ty), strict=True):
            yield leaf, kind


def kernel_text(callee: Callee, attributes: str = "") -> str:
    """Return the entry point of a kernel: its parameters have their natural types, a bool is a
    byte.

    Raises UnsupportedError for a function that returns a value.
    """
    _check_returns(callee)
    build = Builder(kernel_name(callee))
    build.start("entry")
    parameters, operands = [], []
    assert callee.parameters is not None
    for name, ty in zip(callee.parameters.names, callee.argtypes, strict=True):
        value = _argument(build, name, ty, parameters)
        pairs = zip(part_types(ty), value.parts, strict=True)
        operands += [f"{kind} {part}" for kind, part in pairs]
    ret = build.alloca("i64")
    passed = ", ".join([f"ptr {ret}", "ptr null", *operands])
    build.emit(f"call i32 {symbol(callee.symbol)}({passed})")
    build.emit("ret void")
    build.closed = True
    words = ["define ptx_kernel void", f"{symbol(build.code.name)}({', '.join(parameters)})"]
    code = build.finish(" ".join([*words, "nounwind", *filter(None, [attributes]), "{"]))
    return _text(code)


def _text(code: FunctionCode) -> str:
    lines = [line.text if line.text.endswith(":") else f"  {line.text}" for line in code.lines]
    return "\n".join([code.header, *lines, "}", ""])


def _argument(build: Builder, name: str, ty: Type, parameters: list[str]) -> Value:
    """Return the value of an argument, whose parameters are added to the others."""
    slots = []
    labels = iter(part_names(ty, name))
    for leaf, (kind, _), known in zip(leaves(ty), slot_types(ty), _known(ty), strict=True):
        label = "" if isinstance(leaf, Known) else next(labels)
        if isinstance(leaf, Owner | Known):
            slots.append("null")
            continue
        parameter = local(label)
        parameters.append(f"{'i8' if kind == 'i1' else kind}{known} {parameter}")
        if kind == "i1":
            build.hint = label
            parameter = build.convert("trunc", "i8", parameter, "i1")
        slots.append(parameter)
    return without_known(ty, slots)


def _known(ty: Type) -> Iterator[str]:
    """Yield the LLVM attributes of each leaf of an argument.

    An array has no negative size, and none larger than the memory of a GPU: from that LLVM derives
    that an index is not negative and does not wrap around.
    """
    match ty:
        case Array(ndim=ndim):
            yield ""
            yield f" align {alignment_of(ty.dtype)}" if ty.aligned else ""
            yield from [f" range(i64 0, {_MOST_ELEMENTS})"] * ndim
            yield from [""] * ndim
        case Tuple(items=items):
            for item in items:
                yield from _known(item)
        case _:
            yield from [""] * len(leaves(ty))


def _check_returns(callee: Callee) -> None:
    assert callee.returns is not None
    if callee.returns.is_none is not True and not callee.never_returns:
        assert callee.origin is not None
        raise UnsupportedError(
            f"a kernel returns nothing, and {callee.origin.__name__} returns {callee.returns}",
            place_of(callee.origin),
            "write results into an array, or make it a device function: @cuda.jit(device=True)",
        )


def function_text(callee: Callee) -> str:
    """Return the entry point of a function for code of other compilers, with C's convention: it
    returns its value, of several parts as a struct."""
    build = Builder(kernel_name(callee))
    build.start("entry")
    assert callee.parameters is not None and callee.returns is not None
    parameters, operands = [], []
    for name, ty in zip(callee.parameters.names, callee.argtypes, strict=True):
        value = _argument(build, name, ty, parameters)
        operands += [
            f"{kind} {part}" for kind, part in zip(part_types(ty), value.parts, strict=True)
        ]
    ret = build.alloca("i64", max(len(slot_types(callee.returns)), 1))
    passed = ", ".join([f"ptr {ret}", "ptr null", *operands])
    build.emit(f"call i32 {symbol(callee.symbol)}({passed})")
    kind = _return_value(build, load_slots(build, callee.returns, ret))
    build.closed = True
    name = symbol(build.code.name)
    code = build.finish(f"define {kind} {name}({', '.join(parameters)}) nounwind {{")
    return _text(code)


def _return_value(build: Builder, value: Value) -> str:
    """Emit the return of a value; returns its type in LLVM."""
    pairs = [
        (kind, part)
        for kind, part in zip(part_types(value.ty), value.parts, strict=True)
        if kind != "ptr"
    ]
    if not pairs:
        build.emit("ret void")
        return "void"
    if len(pairs) == 1:
        ((kind, part),) = pairs
        if kind == "i1":
            kind, part = "i8", build.convert("zext", "i1", part, "i8")
        build.emit(f"ret {kind} {part}")
        return kind
    whole = f"{{ {', '.join(kind for kind, _ in pairs)} }}"
    made = "undef"
    for place, (kind, part) in enumerate(pairs):
        made = build.result(f"insertvalue {whole} {made}, {kind} {part}, {place}")
    build.emit(f"ret {whole} {made}")
    return whole
