"""Functions of the library that are written once: what they take, what decides their branches."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError
from cutaway.extending import bodies
from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.takes import Axis, Flag, Numbers, Output
from cutaway.typing import types


def total(a, axis=None, keepdims=False, out=None):
    """What the body below says, in Python."""
    return np.sum(a, axis=axis, keepdims=keepdims)


@static
def is_long(argument):
    """True for an array of numbers of 64 bits."""
    return types.to_dtype(argument.dtype).itemsize == 8


@static
def wide_dtype(argument):
    """The dtype of floats that hold the elements of an array."""
    return np.result_type(types.to_dtype(argument.dtype), np.float64)


@body(total, boundscheck=True)
def total_of(a: Numbers, axis: Axis = None, keepdims: Flag = False, out: Output = None):
    """A sum with the axes that a constant keeps."""
    if not is_long(a):
        refuse("only numbers of 64 bits are added up", "convert them")
    if axis is None:
        result = a.sum()
        return np.full((1,) * a.ndim, result, wide_dtype(a)) if keepdims else result
    if axis == 0:
        return np.sum(a, 0, keepdims=keepdims)
    return np.sum(a, axis, keepdims=keepdims)


TABLE = np.arange(6.0).reshape(2, 3)


@cutaway.jit
def sums(a):
    return total(a), total(a, keepdims=True), total(a, 0), total(a, axis=1, keepdims=True)


def test_a_body_does_what_its_function_does():
    found, wanted = sums(TABLE), sums.py_func(TABLE)
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(one, other) and np.shape(one) == np.shape(other)


def compiled_error(function, *args):
    with pytest.raises(TypingError) as caught:
        cutaway.jit(function)(*args)
    return caught.value


def test_an_argument_that_is_not_taken_is_refused_by_its_name():
    error = compiled_error(lambda a: total(a, 1.5), TABLE)
    assert error.hint == "`axis` has to be an int or None"
    error = compiled_error(lambda a, k: total(a, keepdims=k), TABLE, True)
    assert error.hint == "`keepdims` has to be a constant bool"


def test_a_refusal_in_a_body_is_one_of_the_call():
    error = compiled_error(lambda a: total(a), TABLE.astype(np.float32))
    assert error.message == "only numbers of 64 bits are added up"
    assert error.hint == "convert them"
    assert error.loc.filename == __file__


def test_a_static_function_answers_in_python_for_values():
    assert is_long(TABLE) is True
    assert is_long(TABLE.astype(np.int8)) is False
    assert wide_dtype(TABLE.astype(np.int8)) == np.float64


def answers(a):
    return 1 if is_long(a) else "short"


def test_what_a_static_function_answers_decides_branches_and_is_a_constant():
    compiled = cutaway.jit(answers)
    assert compiled(TABLE) == 1
    assert compiled(TABLE.astype(np.float32)) == "short"
    decided = compiled.trace(TABLE).record.decisions
    assert [one.by for one in decided if "branch" in one.by or "decide" in one.by]


def by_axis(a, axis):
    """A number for axis 0, an array for others."""
    return a.sum() if axis == 0 else a


@body(by_axis)
def by_axis_body(a: Numbers, axis: Axis):
    return a.sum() if axis == 0 else a


def test_a_body_is_compiled_for_the_values_that_its_parameters_ask_for():
    assert cutaway.jit(lambda a: by_axis(a, 0))(TABLE) == TABLE.sum()
    assert np.array_equal(cutaway.jit(lambda a: by_axis(a, 1))(TABLE), TABLE)
    error = compiled_error(lambda a, k: by_axis(a, k), TABLE, 1)
    assert "no common type" in error.message


def unlike(a):
    return a


def test_an_annotation_of_ones_own():
    even = Takes("an array with two axes", lambda ty: getattr(ty, "ndim", 0) == 2)

    @body(unlike)
    def second(a: even):
        return a[1]

    second.__annotations__["a"] = even
    assert np.array_equal(cutaway.jit(lambda a: unlike(a))(TABLE), TABLE[1])
    error = compiled_error(lambda a: unlike(a), TABLE[0])
    assert error.hint == "`a` has to be an array with two axes"


def first_of(items):
    return items[0]


@body(first_of)
def first_of_tuple(items):
    return items[0] if isinstance(items, tuple) else refuse("a body has lists as tuples")


def test_a_list_that_is_written_out_is_a_tuple_in_a_body():
    assert cutaway.jit(lambda x: first_of([x, 2.0]))(1) == 1
    assert np.array_equal(
        cutaway.jit(lambda a: np.roll(a, [1, 1], [0, 1]))(TABLE), np.roll(TABLE, [1, 1], [0, 1])
    )


def test_an_axis_that_is_none_of_an_array_raises_what_numpy_raises():
    for program in (lambda a: np.sum(a, 7), lambda a: np.var(a, -9), lambda a: np.mean(a, 7)):
        with pytest.raises(np.exceptions.AxisError):
            cutaway.jit(program)(TABLE)


def count_of_axes(*arrays):
    """What the body below says, in Python."""
    return sum(np.ndim(one) for one in arrays)


@body(count_of_axes)
def axes_of_all(*arrays: Numbers):
    """The number of axes of all."""
    count = 0
    for one in literal_unroll(arrays):
        count += one.ndim
    return count


def test_what_star_parameters_take_is_asked_of_each_argument():
    @cutaway.jit
    def axes(a):
        return count_of_axes(a, a[0]), count_of_axes()

    assert axes(TABLE) == (3, 0)
    assert "each of `arrays` has to be an array of numbers" in str(
        compiled_error(lambda a: count_of_axes(a, 1), TABLE)
    )


def kind_named(a, text="kind"):
    """What the function below says, in Python."""
    return f"{text} {a.dtype.kind}"


@bodies.answers(kind_named)
def kind_of_array(a, text="kind"):
    """An answer about types alone, with a default and a constant."""
    name = text.value if isinstance(text, types.Omitted | types.String) else None
    return f"{name} {types.to_dtype(a.dtype).kind}" if isinstance(a, types.Array) else None


def test_a_function_about_types_answers_calls_with_constants():
    @cutaway.jit
    def kinds(a):
        return kind_named(a), kind_named(a, "a"), kind_named(text="b", a=a)

    assert kinds(TABLE) == ("kind f", "a f", "b f")
    assert "does not accept (int64)" in str(compiled_error(lambda a: kind_named(1), TABLE))
