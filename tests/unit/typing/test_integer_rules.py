"""What integers of two types give: each rule, and the ledger's entry where Python differs."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.ledger import ENTRIES
from cutaway.typing.types.conversions import unify

BIG = np.uint64(2**63 + 1)

# A rule, its program, arguments, what compiled code gives, and the entry of the ledger.
RULES = [
    (
        "narrow integers compute in 64 bits",
        lambda a: a << 1,
        (np.uint8(200),),
        400,
        "numpy-scalars",
    ),
    ("but keep their type when inverted", lambda a: ~a, (np.uint8(200),), 55, ""),
    ("and negated", lambda a: -a, (np.uint16(200),), 2**16 - 200, ""),
    ("those with a sign as well", lambda a: -a, (np.int8(-128),), -128, ""),
    (
        "two narrow ones in bits have the wider",
        lambda a, b: ~(a ^ b),
        (np.uint8(1), np.uint16(3)),
        2**16 - 3,
        "",
    ),
    (
        "with a constant that fits too",
        lambda a: ~((a >> 4) & 255),
        (np.uint32(0xFFF),),
        2**32 - 256,
        "",
    ),
    ("with one that does not fit they widen", lambda a: ~(a | 256), (np.uint8(1),), -258, ""),
    ("of unlike signs as well", lambda a, b: ~(a ^ b), (np.uint8(1), np.int8(-1)), 1, ""),
    ("a bool is no narrow integer", lambda a: ~a, (True,), -2, ""),
    (
        "and where the absolute value has a bit more",
        lambda a: abs(a),
        (np.int8(-128),),
        128,
        "numpy-scalars",
    ),
    ("a uint64 with a constant stays one", lambda a: a + 1, (BIG,), 2**63 + 2, ""),
    ("a uint64 is shifted by any count", lambda a, n: a >> n, (BIG, 3), 2**60, ""),
    ("its highest bit is no sign", lambda a: a >> 1, (BIG,), 2**62, ""),
    ("a uint64 with an int64 in bits", lambda a, n: a & n, (BIG, -1), 2**63 + 1, ""),
    ("a uint64 plus an int64", lambda a, n: a + n, (np.uint64(5), 3), 8.0, "uint64-mix"),
    ("a uint64 over an int64", lambda a, n: a // n, (np.uint64(5), 2), 2.0, "uint64-mix"),
    ("a comparison is exact", lambda a, n: a > n, (BIG, -1), True, ""),
    ("equality is exact", lambda a, n: a == n, (BIG, 2**62), False, ""),
    ("minus a uint64 wraps", lambda a: -a, (np.uint64(1),), 2**64 - 1, "int64-wrap"),
    ("a shift beyond all bits", lambda n: 1 << n, (64,), 0, "shifts"),
    ("a shift to the right keeps the sign", lambda n: -1 >> n, (70,), -1, ""),
    ("a shift of a uint64 beyond all bits", lambda a, n: a >> n, (BIG, 64), 0, ""),
    ("two bools are added as integers", lambda a, b: a + b, (True, True), 2, ""),
]


@pytest.mark.parametrize(
    ("function", "args", "wanted", "entry"), [row[1:] for row in RULES], ids=[r[0] for r in RULES]
)
def test_a_rule(function, args, wanted, entry):
    found = cutaway.jit(function)(*args)
    assert (type(found), found) == (type(wanted), wanted)
    assert not entry or entry in ENTRIES


def test_a_negative_shift_raises():
    with pytest.raises(ValueError, match="negative shift count"):
        cutaway.jit(lambda n: 1 << n)(-1)


def test_a_loop_over_uint64_stays_in_uint64():
    @cutaway.jit
    def mixed(a):
        a ^= a << 13
        a ^= a >> 7
        a ^= a << 17
        for _ in range(3):
            a = a + 1
        return a

    with np.errstate(over="ignore"):
        assert mixed(BIG) == int(mixed.py_func(BIG))


UNIONS = [
    (types.int8, types.uint8, types.int16),
    (types.int16, types.uint8, types.int16),
    (types.int32, types.uint32, types.int64),
    (types.int64, types.uint32, types.int64),
    (types.int64, types.uint64, types.float64),
    (types.int8, types.uint64, types.float64),
    (types.boolean, types.uint8, types.uint8),
]


@pytest.mark.parametrize(("first", "second", "union"), UNIONS, ids=str)
def test_the_union_of_two_integer_types_holds_both(first, second, union):
    assert unify(first, second) is unify(second, first) is union
    arrays = np.zeros(1, str(first)) + np.zeros(1, str(second))
    assert str(union) == str(arrays.dtype)  # NumPy's own rule for arrays
