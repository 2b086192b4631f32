"""The functions of the `operator` module that have no operator symbol.

The functions behind the operators (`operator.add`, `operator.getitem`, ...) need no rows: the
operators themselves are registered under them.
"""

from __future__ import annotations

import operator

from cutaway.extending.bodies import Takes, body
from cutaway.typing.types import has_other_elements

Plain = Takes("anything but an array of other than numbers", lambda a: not has_other_elements(a))


@body(operator.truth)
def _truth(a: Plain):
    return bool(a)


@body(operator.abs)
def _abs(a: Plain):
    return abs(a)


@body(operator.contains)
def contains(a: Plain, b):
    """`in`, with its operands exchanged."""
    return b in a


@body(operator.concat)
def _concat(a: Plain, b: Plain):
    return a + b


@body(operator.index)
def _index(a: Plain):
    return a | 0


@body(operator.countOf)
def _count_of(a: Plain, b):
    total = 0
    for item in a:
        if item == b:
            total += 1
    return total


@body(operator.indexOf)
def _index_of(a: Plain, b):
    for place, item in enumerate(a):
        if item == b:
            return place
    raise ValueError("sequence.index(x): x not in sequence")


@body(operator.iconcat)
def concatenated(a, b, /):
    a += b
    return a


@body(operator.length_hint)
def expected_length(obj, default=0, /):
    return len(obj)
