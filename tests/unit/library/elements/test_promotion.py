"""The types that operations compute in are those of NumPy, and so are the words of refusals."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

import corpora
from cutaway.errors import TypingError
from cutaway.typing import types
from cutaway.typing.ufuncs import loop_of
from library.elements.operands import UFUNCS

pytestmark = pytest.mark.sampled(others=3, fast=0)


class Operand(NamedTuple):
    """A value for NumPy, and its type."""

    what: str
    value: Any
    ty: types.Type


DTYPES = "? b B h H i I l L e f d F D M8[s] M8[D] m8[ms]".split()
NUMBERS = (
    ("int", 1, types.int64),
    ("float", 1.0, types.float64),
    ("complex", 1j, types.complex128),
)


def operands() -> list[Operand]:
    found = [Operand(*number) for number in NUMBERS]
    python = {ty for _, _, ty in NUMBERS}
    for dtype in DTYPES:
        array = np.ones(2, dtype) if dtype[0] not in "Mm" else np.ones(2, "i8").view(dtype)
        element = types.element_type(np.dtype(dtype))
        found.append(Operand(dtype, array, types.Array(element, 1, "C")))
        if element not in python:
            found.append(Operand(f"one {dtype}", array[0], element))
    return found


def in_numpy(function: np.ufunc, given: tuple[Operand, ...]) -> tuple[np.dtype[Any], ...] | str:
    try:
        results = function(*(one.value for one in given))
    except TypeError as error:
        return str(error)
    results = results if isinstance(results, tuple) else (results,)
    return tuple(np.asarray(result).dtype for result in results)


def here(function: np.ufunc, given: tuple[Operand, ...]) -> tuple[np.dtype[Any], ...] | str | None:
    try:
        loop = loop_of(function.__name__, tuple(one.ty for one in given))
    except TypingError as error:
        return error.message
    return None if loop is None else tuple(map(types.to_dtype, loop.outputs))


def is_compiled(expected: tuple[np.dtype[Any], ...] | str) -> bool:
    return isinstance(expected, str) or all(map(types.element_type, expected))


@pytest.mark.part
@pytest.mark.parametrize("name", corpora.sample(8, sorted(UFUNCS)))
def test_the_types_of_results_are_those_of_numpy(name):
    function = UFUNCS[name]
    with np.errstate(all="ignore"):
        for given in product(operands(), repeat=function.nin):
            expected, found = in_numpy(function, given), here(function, given)
            if "numpy.dtypes._Py" in expected:  # the classes of Python numbers, in words
                continue
            wanted = expected if is_compiled(expected) else None
            assert found == wanted, [one.what for one in given]
