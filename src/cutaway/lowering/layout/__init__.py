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
    CAPACITY,
    ITEM_BYTES,
    ITEMS,
    LIST_CHANGES,
    META_BYTES,
    MOST,
    OWNERS,
    SIZE,
    Value,
    float_type,
    forget_layouts,
    is_extension,
    item_bytes,
    item_size,
    key_fields,
    memory_type,
    owner_bits,
    owner_positions,
    part_names,
    part_types,
    slot_parts,
    slot_types,
    without_known,
    zero,
    zero_value,
)
