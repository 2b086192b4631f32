"""The return type of a written signature: results are converted to it."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError

pytestmark = pytest.mark.sampled(fast=4)


def same(x):
    return x


def pair(x):
    return x, x


def maybe(x):
    if x > 2:
        return x
    return None


CONVERTED = [
    ("float64(int64)", same, 3, 3.0),
    ("int64(float64)", same, 3.7, 3),
    ("int32(int64)", same, 2**40, 0),
    ("uint8(int64)", same, 300, 44),
    ("bool(int64)", same, 3, True),
    ("complex128(int64)", same, 3, 3 + 0j),
    ("float32(float64)", same, 0.1, float(np.float32(0.1))),
    ("int64(bool)", same, True, 1),
    ("optional(int64)(int64)", same, 3, 3),
    ("optional(float64)(int64)", maybe, 3, 3.0),
    ("optional(float64)(int64)", maybe, 1, None),
    ("Tuple((float64, int64))(int64)", pair, 3, (3.0, 3)),
    ("UniTuple(float64, 2)(int64)", pair, 3, (3.0, 3.0)),
]
REFUSED = [
    ("float64(complex128)", same),
    ("int64(none)", same),
    ("none(int64)", same),
    ("float64(float64[:])", same),
    ("float64[::1](float64[:])", same),
    ("float64(int64)", maybe),
    ("unicode_type(int64)", same),
]


@pytest.mark.parametrize(("signature", "function", "given", "wanted"), CONVERTED)
def test_a_result_is_converted(signature, function, given, wanted):
    f = cutaway.jit(signature)(function)
    found = f(given)
    assert found == wanted and type(found) is type(wanted)
    assert f.trace(given).at("typed").run(given) == wanted


@pytest.mark.parametrize(("signature", "function"), REFUSED)
def test_one_that_does_not_convert_is_refused_where_it_is_returned(signature, function):
    with pytest.raises(TypingError, match="its signature says"):
        cutaway.jit(signature)(function)


def test_arrays_convert_to_any_layout():
    f = cutaway.jit("float64[:](float64[::1])")(same)
    assert f(np.arange(3.0)).tolist() == [0, 1, 2]


def test_callers_get_the_converted_result():
    f = cutaway.jit("float64(int64)")(same)

    @cutaway.jit
    def g(x):
        return f(x), f(x) / 2

    assert [type(v) for v in g(4)] == [float, float]


def test_a_recursive_function_finds_itself_while_it_is_decorated():
    @cutaway.jit("float64(int64)")
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    assert factorial(5) == 120.0 and type(factorial(5)) is float


def test_a_recursive_function_of_a_module_finds_itself_too():
    space = {"cutaway": cutaway}
    code = "@cutaway.jit('(int64,)')\ndef f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
    exec(code, space)
    assert space["f"](10) == 55


def test_a_function_that_only_raises_fits_any_return_type():
    @cutaway.jit("float64(int64)")
    def f(x):
        raise ValueError("never")

    with pytest.raises(ValueError, match="never"):
        f(1)


def test_why_names_the_signature():
    f = cutaway.jit("float64(int64)")(same)
    assert "the type in the signature" in str(f.trace(1).why("return"))


def test_a_specialization_is_compiled_anew_for_another_return_type():
    f = cutaway.jit(same)
    assert type(f(1)) is int
    f.compile("float64(int64)")
    assert type(f(1)) is float
    with pytest.raises(TypingError, match="its signature says none"):
        f.compile("none(int64)")
    assert type(f(1)) is float
