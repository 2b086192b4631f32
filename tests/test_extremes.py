"""Integer arithmetic at the edges of the machine's integers: 64-bit wrapping, never a crash."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import cutaway

LOW, HIGH = -(2**63), 2**63 - 1
EDGES = (0, 1, -1, 2, -2, 63, 64, LOW, LOW + 1, HIGH, HIGH - 1, 2**32, -(2**31))


def wrapped(value: int) -> int:
    return (value - LOW) % 2**64 + LOW


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, n: a << n if n < 64 else 0,
    ">>": lambda a, n: a >> min(n, 64),
    "<": operator.lt,
    "==": operator.eq,
}


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_wrap_at_64_bits(symbol):
    space: dict[str, object] = {}
    exec(f"def f(a, b):\n    return a {symbol} b\n", space)  # noqa: S102
    compiled = cutaway.jit(space["f"])
    for a, b in itertools.product(EDGES, EDGES):
        try:
            expected = OPERATORS[symbol](a, b)
        except (ZeroDivisionError, ValueError) as error:
            with pytest.raises(type(error), match=str(error)):
                compiled(a, b)
            continue
        found = compiled(a, b)
        assert found == (expected if isinstance(expected, bool) else wrapped(expected)), (a, b)


def test_signs_and_powers_wrap_at_64_bits():
    @cutaway.jit
    def f(a):
        return -a, abs(a), ~a, a**2, a**3

    for a in EDGES:
        assert f(a) == tuple(map(wrapped, (-a, abs(a), ~a, a**2, a**3)))


def test_integers_compare_exactly_with_floats_and_unsigned_integers():
    @cutaway.jit
    def compare(a, b):
        return a < b, a <= b, a == b, a != b, a > b, a >= b, b < a

    floats = (0.0, -0.5, 0.5, 2.0**53, 2.0**63, -(2.0**63), 1e300, float("inf"), float("nan"))
    for a in (*EDGES, 2**53 + 1):
        for b in floats:
            assert compare(a, b) == compare.py_func(a, b), (a, b)
        for b in (0, 1, HIGH, 2**63, 2**64 - 1):
            assert compare(a, np.uint64(b)) == compare.py_func(a, b), (a, b)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"])
def test_every_integer_type_goes_in_and_out_of_arrays(dtype):
    @cutaway.jit
    def copy(a, b):
        for i in range(len(a)):
            b[i] = a[i]
        return a[0], a[-1]

    info = np.iinfo(dtype)
    a = np.array([info.min, 1, info.max], dtype)
    b = np.zeros_like(a)
    assert copy(a, b) == (info.min, info.max)
    assert (a == b).all()
    wide = np.zeros(3, np.int64)
    copy(a, wide)
    assert (wide == a.astype(np.int64)).all()
