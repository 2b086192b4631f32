"""Array operations as rows: a function of NumPy, which is its Python meaning, and its kind.

A reduction combines elements by an element-wise operation; a product combines pairs of them.  The
module of its subject registers each with an implementation: `reductions`, `products`.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np


class Product(NamedTuple):
    """An operation that multiplies lines of elements and adds up: the sum of `combined` pairs."""

    function: Any
    combined: np.ufunc
    methods: tuple[str, ...] = ()


PRODUCTS = (
    Product(np.dot, np.multiply, ("dot",)),
    Product(np.matmul, np.multiply),
    Product(operator.matmul, np.multiply),
)
