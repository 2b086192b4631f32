"""Array operations as rows: a function of NumPy, which is its Python meaning, and its kind.

An element-wise operation does the same with each element, or pair of elements; a reduction
combines elements by an element-wise one; a product combines pairs of them.  The module of its
subject registers each with an implementation: `updates` and `elementwise`, `reductions`,
`products`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cutaway.library.arrays.kit.order import is_finite, is_inf, is_nan, larger, smaller

Meaning = Callable[..., Any]  # Any: numbers


class ElementWise(NamedTuple):
    """An operation on each element by itself: `of_elements` is what it does with numbers."""

    function: np.ufunc
    of_elements: Meaning
    in_place: Meaning | None = None  # Python's operator that stores the result in the array
    # Of LLVM, for integers, floats and bools; empty where there is none, or more than one.
    opcodes: tuple[str, str, str] = ("", "", "")


class Reduction(NamedTuple):
    """An operation that combines the elements of an array, or those along an axis, by `combined`;
    `gives` is "total" (which takes a dtype), "element" or "place"."""

    function: Any  # Any: of NumPy
    combined: np.ufunc
    gives: str
    also: tuple[Any, ...] = ()  # Any: its other names in NumPy


class Product(NamedTuple):
    """An operation that multiplies lines of elements and adds up: the sum of `combined` pairs."""

    function: Any  # Any: of NumPy, or Python's operator
    combined: np.ufunc
    methods: tuple[str, ...] = ()


ARITHMETIC = (
    ElementWise(np.add, operator.add, operator.iadd, ("add", "fadd", "or")),
    ElementWise(np.subtract, operator.sub, operator.isub, ("sub", "fsub", "")),
    ElementWise(np.multiply, operator.mul, operator.imul, ("mul", "fmul", "and")),
    ElementWise(np.true_divide, operator.truediv, operator.itruediv),
    ElementWise(np.floor_divide, operator.floordiv, operator.ifloordiv),
    ElementWise(np.remainder, operator.mod, operator.imod),
    ElementWise(np.bitwise_and, operator.and_, operator.iand, ("and", "", "and")),
    ElementWise(np.bitwise_or, operator.or_, operator.ior, ("or", "", "or")),
    ElementWise(np.bitwise_xor, operator.xor, operator.ixor, ("xor", "", "xor")),
)
CHOICES = (
    ElementWise(np.maximum, larger),
    ElementWise(np.minimum, smaller),
)
TESTS = (
    ElementWise(np.isnan, is_nan),
    ElementWise(np.isinf, is_inf),
    ElementWise(np.isfinite, is_finite),
)
REDUCTIONS = (
    Reduction(np.sum, np.add, "total"),
    Reduction(np.prod, np.multiply, "total"),
    Reduction(np.mean, np.add, "total"),
    Reduction(np.min, np.minimum, "element", (np.amin,)),
    Reduction(np.max, np.maximum, "element", (np.amax,)),
    Reduction(np.any, np.logical_or, "element"),
    Reduction(np.all, np.logical_and, "element"),
    Reduction(np.argmin, np.minimum, "place"),
    Reduction(np.argmax, np.maximum, "place"),
)
PRODUCTS = (
    Product(np.dot, np.multiply, ("dot",)),
    Product(np.matmul, np.multiply),
    Product(operator.matmul, np.multiply),
)
