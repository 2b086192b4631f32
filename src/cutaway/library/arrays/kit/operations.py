"""Array operations as rows: a function of NumPy, which is its Python meaning, and its kind.

A reduction combines elements by an element-wise operation; a product combines pairs of them.  The
module of its subject registers each with an implementation: `reductions`, `products`.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np


class Reduction(NamedTuple):
    """An operation that combines the elements of an array, or those along an axis, by `combined`;
    `gives` is "total" (which takes a dtype), "mean", "element" or "place"."""

    function: Any
    combined: np.ufunc
    gives: str
    also: tuple[Any, ...] = ()


class Product(NamedTuple):
    """An operation that multiplies lines of elements and adds up: the sum of `combined` pairs."""

    function: Any
    combined: np.ufunc
    methods: tuple[str, ...] = ()


REDUCTIONS = (
    Reduction(np.sum, np.add, "total"),
    Reduction(np.prod, np.multiply, "total"),
    Reduction(np.mean, np.add, "mean"),
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
