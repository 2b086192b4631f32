"""Element accesses: an index becomes a unit of memory, and the access is logged.

    v = x[i]        k = i if 0 <= i < x_n0 else t.wrapped(i, x, 0)
                    r3(x_at + k)                    access 3, a read, at this address
                    v = x_cells[k]
                    if v is None: t.unset(...)      if the memory may be uninitialized

The sites of accesses are a table of the program (`Site`); `r3` appends to the list of the third.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.cuda.simulator import arithmetic, shapes
from cutaway.cuda.simulator.memory import c_strides
from cutaway.cuda.simulator.threads import Thread
from cutaway.errors import UnsupportedError
from cutaway.gpu import words
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.typing import types
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Array, Record, Tuple, Type

if TYPE_CHECKING:
    from cutaway.cuda.simulator.writing import FunctionWriter

Part = tuple[str, Type, Any]


def is_element(w: FunctionWriter, array: Array, index: list[Part]) -> bool:
    """True if an index selects one element."""
    return len(index) == array.ndim and all(types.is_integral(ty) for _, ty, _ in index)


def index_parts(w: FunctionWriter, index: str) -> list[Part]:
    """Return the parts of an index that is a variable."""
    ty, maker = w.types[index], w.makers.get(index)
    if isinstance(ty, Tuple):
        if isinstance(maker, nodes.BuildTuple):
            return [(w.use(name), w.types[name], w.interval(name)) for name in maker.items]
        text = w.use(index)
        if not text.isidentifier():
            name = w.fresh("place")
            w.text.line(f"{name} = {text}")
            text = name
        return [(f"{text}[{k}]", item, None) for k, item in enumerate(ty.items)]
    return [(w.use(index), ty, w.interval(index))]


def constant_parts(index: Any) -> list[Part]:
    """Return the parts of a constant index."""
    items = index if isinstance(index, tuple) else (index,)
    return [_constant_part(item) for item in items]


def _constant_part(item: Any) -> Part:
    if isinstance(item, int):
        return repr(item), types.int64, (item, item)
    if isinstance(item, slice):
        return f"slice({item.start!r}, {item.stop!r}, {item.step!r})", types.none, None
    return ("..." if item is Ellipsis else repr(item)), types.none, None


# --- elements -----------------------------------------------------------------------------------


def unit_of(
    w: FunctionWriter, array: str, parts: list[Part], bounds: tuple[str, ...], op: Op
) -> str:
    """Write the checks of an index; returns the element's unit, relative to the view's first."""
    ty = w.types[array]
    assert isinstance(ty, Array)
    key = (array, *(text for text, _, _ in parts))
    known = w.indices.get(key)
    if known is not None:
        return known
    terms = []
    last = {"C": ty.ndim - 1, "F": 0}.get(ty.layout)
    is_dense = memory_of(w, array) in ("global", "local", "shared")
    for axis, (text, _, interval) in enumerate(parts):
        word = bounds[axis] if axis < len(bounds) else "wrap"
        place = _checked(w, array, axis, text, interval, word)
        stride = "1" if is_dense and axis == last else part(w, array, "s", axis)
        terms.append(place if stride == "1" else f"{place} * {stride}")
    if len(terms) == 1 and (terms[0].isidentifier() or terms[0].isdigit()):
        unit = terms[0]
    else:
        unit = w.fresh("k")
        w.text.line(f"{unit} = {' + '.join(terms) or '0'}")
    w.indices[key] = unit
    return unit


def part(w: FunctionWriter, array: str, letter: str, axis: int) -> str:
    """Return a size (`n`) or a stride (`s`) of an array: a constant if the kernel makes it."""
    shape = _known_shape(w, array)
    if shape is None:
        return w.part_name(array, f"{letter}{axis}")
    return str((shape if letter == "n" else c_strides(shape))[axis])


def _known_shape(w: FunctionWriter, array: str) -> tuple[int, ...] | None:
    maker = w.makers.get(array)
    if not isinstance(maker, nodes.Call):
        return None
    if w.program.calling.callee_of(w, maker) not in (words.shared.array, words.local.array):
        return None
    shape = shapes.shape_of(w, maker)
    return None if 0 in shape else shape


def _checked(w: FunctionWriter, array: str, axis: int, text: str, interval: Any, word: str) -> str:
    """Return an index of one axis that is in range, with a check if necessary."""
    if word == "proved":
        return text
    size = part(w, array, "n", axis)
    low, high = interval if interval is not None else (-1, 0)
    if low >= 0 and size.isdigit() and high < int(size):
        return text
    value = text
    if not text.isidentifier() and not text.isdigit():
        value = w.fresh("i")
        w.text.line(
            f"{value} = {text.removeprefix('(').removesuffix(')') if _simple(text) else text}"
        )
    inside = f"{value} < {size}" if low >= 0 or word == "unchecked" else f"0 <= {value} < {size}"
    place = w.fresh("k")
    where = f"{w.use(array)}, {axis}, {w.program.place(w.text.place)}"
    w.text.line(f"{place} = {value} if {inside} else t.wrapped({value}, {where})")
    return place


def _simple(text: str) -> bool:
    return text.startswith("(") and text.count("(") == 1 and text.endswith(")")


def may_be_unset(w: FunctionWriter, array: str) -> bool:
    """True if uninitialized elements of an array may be read."""
    return memory_of(w, array) != "global"


def memory_of(w: FunctionWriter, array: str) -> str:
    """Return an array's kind of memory: global, shared, local, dynamic; empty if unknown."""
    maker = w.makers.get(array)
    while isinstance(maker, nodes.Copy | nodes.Cast | nodes.StaticGetItem | nodes.GetItem):
        if _element(w.types.get(maker.value)) is not _element(w.types.get(array)):
            return ""  # a field
        array = maker.value
        maker = w.makers.get(array)
    if isinstance(maker, nodes.Arg) and w.is_kernel and isinstance(w.types[array], Array | Tuple):
        return "global"
    if isinstance(maker, nodes.Call):
        resolved = w.program.calling.callee_of(w, maker)
        if resolved is words.shared.array:
            return "dynamic" if 0 in shapes.shape_of(w, maker) else "shared"
        if resolved is words.local.array:
            return "local"
        if resolved is words.const.array_like:
            return "global"
    if isinstance(maker, nodes.Global | nodes.FreeVar):
        return "global"
    return ""


def _element(ty: Type | None) -> Type | None:
    return ty.dtype if isinstance(ty, Array) else None


def note(w: FunctionWriter, op: Op, array: str, unit: str, kind: str) -> None:
    """Write the logging of an access: a read, a write, or an atomic operation (`r`, `w`, `a`)."""
    if memory_of(w, array) != "local":
        site = w.program.site(op, w, kind, array)
        at = w.part_name(array, "at")
        w.text.line(f"{kind}{site}({at} + {unit})")


def read(w: FunctionWriter, op: Op, array: str, unit: str, result: str) -> None:
    """Write the read of an element."""
    cells = w.part_name(array, "cells")
    note(w, op, array, unit, "r")
    if not w.users.get(result):
        return
    name = w.name_of(result)
    w.text.line(f"{name} = {cells}[{unit}]")
    if may_be_unset(w, array):
        _check_set(w, array, unit, name)
    w.define(result)


def _check_set(w: FunctionWriter, array: str, unit: str, name: str) -> None:
    w.text.line(f"if {name} is None:")
    with w.text.indented():
        where = f"{w.use(array)}, {unit}, {w.program.place(w.text.place)}"
        w.text.line(f"{name} = t.unset({where})")


def elements(w: FunctionWriter, op: Op, text: str, array: str) -> str:
    """Return an iterator over an array."""
    site = w.program.site(op, w, "r", array)
    return f"t.{Thread.elements.__name__}({text}, r{site})"


# --- ops ------------------------------------------------------------------------------------------


def get(w: FunctionWriter, op: nodes.GetItem | nodes.StaticGetItem) -> None:
    """Write `value[index]`."""
    ty = w.types[op.value]
    if isinstance(ty, Tuple):
        _tuple_item(w, op, ty)
        return
    resolved = w.unit.resolutions.get(op.id)
    if isinstance(resolved, Chosen) and resolved.resolution.implementation is not None:
        static = isinstance(op, nodes.StaticGetItem)
        args = [op.value, repr(op.index) if static else op.index]
        if not static:
            w.program.calling.implementation(w, op, resolved, args)
            return
    if isinstance(ty, Record):
        _field(w, op, ty)
        return
    if not isinstance(ty, Array):
        _any_item(w, op)
        return
    field = op.index if isinstance(op, nodes.StaticGetItem) else w.constants.get(op.index)
    if isinstance(field, str):
        w.assign(op.result, f"column({w.use(op.value)}, {field!r})")
        return
    parts = index_parts(w, op.index) if isinstance(op, nodes.GetItem) else constant_parts(op.index)
    bounds = op.bounds if isinstance(op, nodes.GetItem) else ()
    if is_element(w, ty, parts):
        unit = unit_of(w, op.value, parts, bounds, op)
        if isinstance(ty.dtype, Record):
            name = w.name_of(op.result)
            w.text.line(f"{name} = row({w.use(op.value)}, {unit})")
            return
        read(w, op, op.value, unit, op.result)
        return
    _check_parts(parts, op)
    index = ", ".join(text for text, _, _ in parts)
    text = f"{w.use(op.value)}.part(({index},), t)"
    w.text.line(f"{w.name_of(op.result)} = {text}")
    w.define(op.result)


def _check_parts(parts: list[Part], op: Op) -> None:
    if any(isinstance(ty, Array) for _, ty, _ in parts):
        raise UnsupportedError(
            "the simulator cannot index an array by an array", op.loc, "write a loop"
        )


def _tuple_item(w: FunctionWriter, op: nodes.GetItem | nodes.StaticGetItem, ty: Tuple) -> None:
    maker = w.makers.get(op.value)
    while isinstance(maker, nodes.Unpack | nodes.Copy):
        maker = w.makers.get(maker.value)
    if isinstance(op, nodes.StaticGetItem):
        if isinstance(maker, nodes.GetAttr) and maker.attr in ("shape", "strides"):
            array = w.types.get(maker.value)
            if isinstance(array, Array) and maker.attr == "shape" and isinstance(op.index, int):
                text = f"{w.use(maker.value)}.shape[{op.index}]"
                if w.has_elements(maker.value):
                    text = w.part_name(maker.value, f"n{op.index % array.ndim}")
                w.assign(op.result, text, pure=True)
                return
        index = op.index
        shown = (
            f"{index.start if index.start is not None else ''}"
            f":{index.stop if index.stop is not None else ''}"
            f"{'' if index.step is None else f':{index.step}'}"
            if isinstance(index, slice)
            else repr(index)
        )
        w.assign(op.result, f"{w.use(op.value)}[{shown}]", pure=True)
        return
    text = f"t.item({w.use(op.value)}, {w.use(op.index)}, {w.program.place(op.loc)})"
    w.assign(op.result, text)


def _any_item(w: FunctionWriter, op: nodes.GetItem | nodes.StaticGetItem) -> None:
    if isinstance(op, nodes.StaticGetItem):
        index = w.program.value(op.index, None)
        w.program.calling.outside_text(w, op, "getitem", [w.use(op.value), index], op.result)
    else:
        w.program.calling.outside_text(
            w, op, "getitem", [w.use(op.value), w.use(op.index)], op.result
        )


def put(w: FunctionWriter, op: nodes.SetItem | nodes.StaticSetItem) -> None:
    """Write `target[index] = value`."""
    ty = w.types[op.target]
    resolved = w.unit.resolutions.get(op.id)
    if isinstance(resolved, Chosen) and resolved.resolution.implementation is not None:
        if isinstance(op, nodes.SetItem):
            w.program.calling.implementation(w, op, resolved, [op.target, op.index, op.value])
            return
    if isinstance(ty, Record):
        index = op.index if isinstance(op, nodes.StaticSetItem) else w.constants.get(op.index)
        _put_field(w, op, ty, index, op.value)
        return
    if not isinstance(ty, Array):
        raise UnsupportedError(f"the simulator cannot store into {ty}", op.loc)
    parts = index_parts(w, op.index) if isinstance(op, nodes.SetItem) else constant_parts(op.index)
    bounds = op.bounds if isinstance(op, nodes.SetItem) else ()
    if is_element(w, ty, parts):
        value = w.use(op.value)
        if isinstance(ty.dtype, Record):
            unit = unit_of(w, op.target, parts, bounds, op)
            site = w.program.site(op, w, "w", op.target)
            read = w.program.site(op, w, "r", op.value)
            w.text.line(f"row({w.use(op.target)}, {unit}).take({value}, w{site}, r{read})")
            return
        value = arithmetic.cast(w, value, w.types[op.value], ty.dtype)
        unit = unit_of(w, op.target, parts, bounds, op)
        note(w, op, op.target, unit, "w")
        w.text.line(f"{w.part_name(op.target, 'cells')}[{unit}] = {value}")
        return
    _check_parts(parts, op)
    index = ", ".join(text for text, _, _ in parts)
    site = w.program.site(op, w, "w", op.target)
    reads = ""
    if isinstance(w.types[op.value], Array):
        reads = f", r{w.program.site(op, w, 'r', op.value)}"
    w.text.line(f"t.put({w.use(op.target)}, ({index},), {w.use(op.value)}, w{site}{reads})")


# --- records ------------------------------------------------------------------------------------


def _field(w: FunctionWriter, op: nodes.GetItem | nodes.StaticGetItem, ty: Record) -> None:
    index = op.index if isinstance(op, nodes.StaticGetItem) else w.constants.get(op.index)
    read_field(w, op, op.value, index, op.result)


def read_field(w: FunctionWriter, op: Op, record: str, field: Any, result: str) -> None:
    """Write the read of a field of a record."""
    site = w.program.site(op, w, "r", record)
    text = f"{w.use(record)}.field({w.program.literal(field)}, r{site})"
    w.text.line(f"{w.name_of(result)} = {text}")
    w.define(result)


def _put_field(
    w: FunctionWriter, op: nodes.SetItem | nodes.StaticSetItem, ty: Record, field: Any, value: str
) -> None:
    _store_field(w, op, op.target, ty, field, value)


def put_attribute(w: FunctionWriter, op: nodes.SetAttr) -> None:
    """Write `target.attr = value`."""
    ty = w.types[op.target]
    if not isinstance(ty, Record):
        raise UnsupportedError(f"the simulator cannot set attributes of {ty}", op.loc)
    _store_field(w, op, op.target, ty, op.attr, op.value)


def _store_field(
    w: FunctionWriter, op: Op, record: str, ty: Record, field: Any, value: str
) -> None:
    name = ty.fields[field][0] if isinstance(field, int) else field
    found = ty.field(name)
    assert found is not None
    site = w.program.site(op, w, "w", record)
    text = arithmetic.cast(w, w.use(value), w.types[value], found[0])
    read = w.program.site(op, w, "r", value)
    w.text.line(f"{w.use(record)}.put({name!r}, {text}, w{site}, r{read})")
