"""The `operator` module: what has no sign of its own in an expression.

The functions behind the operators (`operator.add`, `operator.getitem`, ...) need no rows: the
operators themselves are registered under them.
"""

from __future__ import annotations

import operator

from cutaway.extending.overloads import overload
from cutaway.typing.types import has_other_elements


@overload(operator.truth)
def _truth(a):
    return None if has_other_elements(a) else (lambda a: bool(a))


@overload(operator.abs)
def _abs(a):
    return None if has_other_elements(a) else (lambda a: abs(a))


@overload(operator.contains)
def contains(a, b):
    """The typer of `operator.contains`, which is `in` with its operands exchanged."""
    return None if has_other_elements(a) else _contains


def _contains(a, b):
    return b in a


@overload(operator.concat)
def _concat(a, b):
    return None if has_other_elements(a) or has_other_elements(b) else (lambda a, b: a + b)


@overload(operator.index)
def _index(a):
    return None if has_other_elements(a) else (lambda a: a | 0)


@overload(operator.countOf)
def _count_of(a, b):
    def count_of(a, b):
        total = 0
        for item in a:
            if item == b:
                total += 1
        return total

    return None if has_other_elements(a) else count_of


@overload(operator.indexOf)
def _index_of(a, b):
    def index_of(a, b):
        for place, item in enumerate(a):
            if item == b:
                return place
        raise ValueError("sequence.index(x): x not in sequence")

    return None if has_other_elements(a) else index_of
