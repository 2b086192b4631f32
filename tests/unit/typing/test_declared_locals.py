"""`locals=`: variables of declared types."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import OptionError, SignatureError, TypingError


def total(a):
    s = 0
    for x in a:
        s += x
    return s


def test_a_declared_variable_has_its_type_from_the_start():
    f = cutaway.jit(locals={"s": types.float32})(total)
    data = np.full(100, 0.1)
    wanted = np.float32(0)
    for x in data:
        wanted = np.float32(wanted + x)
    assert f(data) == float(wanted) != total(data)
    assert f.trace(data).at("typed").run(data) is not None


@pytest.mark.parametrize("declared", ["float32", types.float32, cutaway.float32])
def test_a_type_is_written_as_text_or_is_one(declared):
    @cutaway.jit(locals={"y": declared})
    def f(x):
        y = x
        return y

    assert f(0.1) == float(np.float32(0.1))
    assert f(1) == 1.0


def test_values_are_converted_even_where_something_is_lost():
    @cutaway.jit(locals={"n": "int8", "b": "boolean", "z": "complex128"})
    def f(x):
        n = x
        b = x
        z = x
        return n, b, z

    assert f(300) == (300 - 256, True, 300 + 0j)
    assert f(2.75) == (2, True, 2.75 + 0j)


def test_merged_versions_have_the_declared_type():
    @cutaway.jit(locals={"y": "complex128"})
    def f(x, c):
        if c:
            y = x
        else:
            y = 2.0
        y = y * 2
        return y

    assert f(3, True) == 6 + 0j
    assert f(3, False) == 4 + 0j


def test_a_parameter_and_a_loop_variable_are_variables():
    @cutaway.jit(locals={"x": "float32", "k": "int8"})
    def f(x, n):
        s = 0
        for k in range(n):
            s += k
        return x, s

    assert f(0.1, 200) == (
        float(np.float32(0.1)),
        int(np.arange(200).astype(np.int8).astype(int).sum()),
    )


def test_an_unpacked_target_is_converted():
    @cutaway.jit(locals={"b": "float32"})
    def f(t):
        a, b = t
        return a, b

    assert f((0.1, 0.1)) == (0.1, float(np.float32(0.1)))


def test_an_optional_variable_can_be_declared():
    @cutaway.jit(locals={"y": "optional(int64)"})
    def f(c):
        y = None
        if c:
            y = 3
        return y

    assert [f(True), f(False)] == [3, None]


def test_a_value_that_does_not_convert_is_refused_with_its_line():
    @cutaway.jit(locals={"y": types.float64})
    def f(a):
        y = a
        return y

    with pytest.raises(TypingError, match="'y' is declared as float64, but array") as caught:
        f(np.zeros(3))
    assert caught.value.loc.line


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"t": "float32"}, "no variable 't'"),
        ({"s": 3}, "the type of 's' is 3"),
        ({"s": float}, "the class float"),
        ({3: "float32"}, "dict of variables"),
        ("s", "dict of variables"),
    ],
)
def test_a_wrong_declaration_is_refused_at_decoration(declared, said):
    with pytest.raises(OptionError, match=said):
        cutaway.jit(locals=declared)(total)


def test_text_that_is_no_type_is_refused_when_it_is_read():
    f = cutaway.jit(locals={"s": "flaot32"})(total)
    with pytest.raises(SignatureError, match="flaot32"):
        f(np.zeros(2))


def test_a_function_of_the_library_has_variables_of_its_own():
    @cutaway.jit(locals={"item": "int8"})
    def f(a):
        item = 300
        return any(a), item

    assert f(np.array([256])) == (True, 300 - 256)


def test_nothing_is_declared_without_the_option():
    assert cutaway.jit(locals={})(total)(np.ones(3)) == 3.0


@pytest.mark.parametrize(
    "decorator",
    [
        cutaway.jit,
        cutaway.vectorize,
        lambda **options: cutaway.guvectorize("(n)->(n)", **options),
        cutaway.stencil,
        cutaway.cuda.jit,
        lambda **options: cutaway.vectorize(target="cuda", **options),
    ],
    ids=["jit", "vectorize", "guvectorize", "stencil", "cuda", "vectorize on a GPU"],
)
def test_every_decorator_refuses_a_variable_that_there_is_not(decorator):
    def kernel(a, b):
        number = a
        return number

    with pytest.raises(OptionError, match="kernel has no variable 'numbre'") as refused:
        decorator(locals={"numbre": "float64"})(kernel)
    assert refused.value.hint == "did you mean number?"
