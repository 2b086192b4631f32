"""Floats of 16 bits are converted in C as NumPy converts them."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from cutaway.runtime import made_up

EVERY = np.arange(1 << 16).astype(np.uint16)


def function(name, *kinds):
    return ctypes.CFUNCTYPE(*kinds)(made_up[name])


extended = function("__extendhfsf2", ctypes.c_float, ctypes.c_float)
of_single = function("__truncsfhf2", ctypes.c_float, ctypes.c_float)
of_double = function("__truncdfhf2", ctypes.c_float, ctypes.c_double)


def passed(bits):
    """The float whose lowest bits are those of a float16."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def numbers():
    random = np.random.default_rng(3)
    halves = EVERY.view(np.float16).astype(np.float64)
    halves = halves[np.isfinite(halves)]
    above = np.nextafter(halves.astype(np.float16), np.float16(np.inf)).astype(np.float64)
    middle = (halves + above)[np.isfinite(above)] / 2
    wide = random.standard_normal(20_000) * 10.0 ** random.integers(-9, 6, 20_000)
    ends = [65504, 65519.99999999999, 65520, 65536, 1e300, 2**-24, 2**-25, 5e-324, np.inf, 0.0]
    found = np.concatenate([halves, middle, np.nextafter(middle, 9e9), np.nextafter(middle, -9e9)])
    return np.concatenate([found, wide, ends, np.negative(ends)])


def test_every_number_is_extended_as_in_numpy():
    wanted = EVERY.view(np.float16).astype(np.float32)
    found = np.array([extended(passed(int(bits))) for bits in EVERY], np.float32)
    same = found.view(np.uint32) == wanted.view(np.uint32)
    assert (same | (np.isnan(found) & np.isnan(wanted))).all()


@pytest.mark.parametrize(
    ("convert", "kind"),
    [(of_double, np.float64), (of_single, np.float32)],
    ids=["double", "single"],
)
def test_numbers_are_rounded_once_to_the_nearest_one(convert, kind):
    with np.errstate(all="ignore"):
        given = numbers().astype(kind)
        wanted = given.astype(np.float16).view(np.uint16)
    found = np.array([bits_of(convert(number)) for number in given.tolist()], np.uint32)
    assert (found == wanted).all(), given[found != wanted][:5]


@pytest.mark.parametrize("convert", [of_double, of_single])
def test_a_nan_stays_one(convert):
    assert bits_of(convert(float("nan"))) & 0x7FFF == 0x7E00
