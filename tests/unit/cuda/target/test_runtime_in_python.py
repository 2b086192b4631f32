"""Functions of the runtime that a GPU has in Python do what C's do, for the same bits.

They are compiled for this machine here, with the options of kernels.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import random

import numpy as np
import pytest

import corpora
import cutaway
from cutaway.library.gpu.runtime import IMPLEMENTATIONS
from runtime.test_numeric import DOUBLE, EDGES, HIGH, LOW, WHOLE, WORD, a_float, function, same

COUNT = corpora.count("VALUES") // 12
ROWS = {name: (values, expected) for name, values, expected in WHOLE}
IN_PYTHON = sorted(ROWS.keys() & IMPLEMENTATIONS.keys())


def compiled(name, signature):
    """A function as kernels call it."""
    return cutaway.njit(signature, error_model="numpy")(IMPLEMENTATIONS[name])


def of_words(name, count):
    return compiled(name, f"int64({', '.join(['int64'] * count)})")


@pytest.mark.parametrize("name", IN_PYTHON)
def test_functions_of_integers_do_what_pythons_do(name):
    values, expected = ROWS[name]
    rng = random.Random(corpora.seed("VALUES", f"gpu {name}"))
    call = of_words(name, len(values(rng)))
    for _ in range(COUNT if name not in SLOW else COUNT // 10):
        given = values(rng)
        assert call(*given) == expected(*given), given


# Powers modulo numbers of 64 bits go bit by bit.
SLOW = ("cutaway_math_powmod",)

EDGY = {
    "cutaway_math_inverse": lambda a, b: b not in (0, 1, -1),
    "cutaway_math_perm": lambda n, k: n >= 0 <= k,
    "cutaway_math_comb": lambda n, k: n >= 0 <= k,
}


@pytest.mark.parametrize("name", EDGY)
def test_they_do_what_c_does_at_the_edges(name):
    mine, theirs = of_words(name, 2), function(name, WORD, WORD, WORD)
    for a, b in itertools.product(EDGES, repeat=2):
        if EDGY[name](a, b):
            assert mine(a, b) == theirs(a, b), (a, b)


def test_roots_and_factorials_at_the_edges():
    root, factors = of_words("cutaway_math_isqrt", 1), of_words("cutaway_math_perm", 2)
    near = [k * k + d for k in (1, 2, 3037000498, 3037000499) for d in (-1, 0, 1)]
    for n in (*filter(lambda n: 0 <= n <= HIGH, (*EDGES, *near)),):
        assert root(n) == math.isqrt(n), n
    for n in range(30):
        assert factors(n, n) == (math.factorial(n) if n <= 20 else -1)


def test_powers_modulo_at_the_edges():
    mine = of_words("cutaway_math_powmod", 3)
    for base, exponent, modulus in itertools.product(EDGES, (0, 1, 2, 63, HIGH), EDGES):
        if modulus:
            assert mine(base, exponent, modulus) == pow(base, exponent, modulus)


@pytest.mark.parametrize("signed", [0, 1])
def test_whether_a_power_is_too_large(signed):
    name = "cutaway_math_ipow_overflows"
    mine, theirs = of_words(name, 3), function(name, WORD, WORD, WORD, WORD)
    for base in (*EDGES, 6, 7, -3, 4294967295, 4294967296, 65536, -65536):
        for exponent in (*range(70), HIGH):
            assert bool(mine(base, exponent, signed)) == bool(theirs(base, exponent, signed)), (
                base,
                exponent,
            )


def test_rounding_to_tens():
    name = "cutaway_math_round_signed"
    mine, theirs = of_words(name, 2), function(name, WORD, WORD, WORD)
    near = (5, 15, 25, -5, -15, 50, 150, -150, 45, 55, 5 * 10**17, 15 * 10**17)
    for digits in (*range(-25, 3), LOW, HIGH):
        for x in (*EDGES, *near):
            assert mine(x, digits) == theirs(x, digits), (x, digits)


@pytest.mark.parametrize("signed", [True, False])
def test_quotients_of_integers_are_within_two_units_in_the_last_place(signed):
    name = f"cutaway_math_divide_{'signed' if signed else 'unsigned'}"
    mine, theirs = compiled(name, "float64(int64, int64)"), function(name, DOUBLE, WORD, WORD)
    for a, b in itertools.product(EDGES, repeat=2):
        quotient, wanted = mine(a, b), theirs(a, b)
        if math.isfinite(wanted):
            assert abs(quotient - wanted) <= 1.5 * math.ulp(wanted), (a, b)
        elif a or b:
            assert same(quotient, wanted), (a, b)


def test_rounding_of_floats_is_off_by_a_last_digit_at_most():
    mine = compiled("cutaway_round", "float64(float64, int64)")
    theirs = function("cutaway_round", DOUBLE, DOUBLE, WORD)
    rng = random.Random(corpora.seed("VALUES", "gpu round"))
    for _ in range(COUNT):
        x, digits = a_float(rng), rng.randrange(-25, 25)
        found, wanted = mine(x, digits), theirs(x, digits)
        if math.isfinite(wanted) and math.isfinite(x):
            step = 10.0**-digits + 2 * math.ulp(wanted)
            assert abs(found - wanted) <= step, (x, digits)
        else:
            assert not math.isfinite(x) or abs(x) > 1e290, (x, digits)


def test_rounding_of_single_precision_is_numpys():
    single = ctypes.c_float
    mine = compiled("cutaway_math_round_single", "float32(float32, int64)")
    theirs = function("cutaway_math_round_single", single, single, WORD)
    rng = random.Random(corpora.seed("VALUES", "gpu round_single"))
    with np.errstate(all="ignore"):
        for _ in range(COUNT):
            x, digits = np.float32(a_float(rng)), rng.randrange(-8, 9)
            assert same(float(mine(x, digits)), theirs(float(x), digits)), (x, digits)
