"""The layout of values: parts in LLVM, slots, and how they cross to Python."""

from __future__ import annotations

from cutaway.lowering.layout.composites import (
    ArrayParts,
    array_parts,
    array_value,
    functions_in,
    make_tuple,
    slice_bounds,
    split,
    tuple_items,
)
from cutaway.lowering.layout.crossing import BOXED, descriptor
from cutaway.lowering.layout.parts import (
    META_BYTES,
    Value,
    float_type,
    forget_layouts,
    is_extension,
    item_size,
    memory_type,
    owner_positions,
    part_names,
    part_types,
    slot_parts,
    slot_types,
    without_known,
    zero,
    zero_value,
)

__all__ = [
    "ArrayParts",
    "BOXED",
    "META_BYTES",
    "Value",
    "array_parts",
    "array_value",
    "descriptor",
    "float_type",
    "forget_layouts",
    "functions_in",
    "is_extension",
    "item_size",
    "make_tuple",
    "memory_type",
    "owner_positions",
    "part_names",
    "part_types",
    "slice_bounds",
    "slot_parts",
    "slot_types",
    "split",
    "tuple_items",
    "without_known",
    "zero",
    "zero_value",
]
