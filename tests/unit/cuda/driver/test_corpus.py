"""Kernels of the corpus, launched: the fake driver reads their parameters as PTX declares them, and
the simulator runs them on the memory that these name."""

from __future__ import annotations

import copy
import ctypes

import numpy as np
import pytest

import corpora
from corpus.kernels.corpus import RIGHT
from corpus.kernels.emitting import emitted
from cutaway import cuda
from cutaway.lowering.layout import slot_types
from cutaway.lowering.slots import values_from_slots
from cutaway.targets.ptx.entry import kernel_parameters
from cutaway.typing import types

assert emitted  # imported for the rows of the corpus

BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "half": 2,
    "float": 4,
    "double": 8,
    "ptr": 8,
}


def slots_of(argtypes, addresses):
    """The slots of the arguments, of the bytes that the driver was given."""
    count = sum(len(slot_types(ty)) for ty in argtypes)
    slots = bytearray(8 * count)
    for (slot, kind), address in zip(kernel_parameters(argtypes), addresses, strict=True):
        raw = ctypes.string_at(address, BYTES[kind])
        slots[8 * slot : 8 * slot + len(raw)] = raw
    return slots


def value_of(ty, slots):
    """A value from its slots; arrays and records lie in the memory of the fake GPU."""
    words = np.frombuffer(slots, np.uint64).tolist()
    if isinstance(ty, types.Array):
        shape, strides = words[2 : 2 + ty.ndim], words[2 + ty.ndim :]
        strides = [step - 2**64 if step >= 2**63 else step for step in strides]
        dtype = types.to_dtype(ty.dtype)
        low = sum(min(0, (n - 1) * step) for n, step in zip(shape, strides))
        high = sum(max(0, (n - 1) * step) for n, step in zip(shape, strides)) + dtype.itemsize
        if 0 in shape:
            return np.zeros(shape, dtype)
        memory = (ctypes.c_ubyte * (high - low)).from_address(words[1] + low)
        row = np.frombuffer(memory, dtype, (high - low) // dtype.itemsize)
        return np.ndarray(shape, dtype, row.data, -low, strides)
    if isinstance(ty, types.Tuple | types.NamedTuple):
        items, at = [], 0
        for item in ty.items:
            size = 8 * len(slot_types(item))
            items.append(value_of(item, slots[at : at + size]))
            at += size
        return ty.value_class(*items) if isinstance(ty, types.NamedTuple) else tuple(items)
    return values_from_slots((ty,), bytes(slots))[0]


def values_of(argtypes, addresses):
    slots, at, values = slots_of(argtypes, addresses), 0, []
    for ty in argtypes:
        size = 8 * len(slot_types(ty))
        values.append(value_of(ty, slots[at : at + size]))
        at += size
    return values


@pytest.mark.usefixtures("without_ptxas")
@pytest.mark.part
@pytest.mark.parametrize("row", corpora.sample(8, RIGHT), ids=lambda row: row.name)
def test_a_kernel_that_is_launched_gets_what_it_was_called_with(fake, row):
    def launched(kernel, grid, block, shared):
        def play(name, addresses):
            values = values_of(kernel.signatures[-1], addresses)
            cuda.simulate(kernel)[grid, block, 0, shared](*values)

        fake.play(play)
        return kernel[grid, block, 0, shared]

    given = row.given()
    wanted = row.answer(**copy.deepcopy(given))
    row.steps(launched, **given)
    for name, value in wanted.items():
        for field in value.dtype.names or [...]:
            np.testing.assert_allclose(
                given[name][field], value[field], rtol=row.close, atol=row.close, err_msg=name
            )
