"""The `operator` module: what has no sign of its own in an expression.

The functions behind the operators (`operator.add`, `operator.getitem`, ...) need no rows: the
operators themselves are registered under them.
"""

from __future__ import annotations

import operator

from cutaway.extending.registry import implemented
from cutaway.typing.overloads.resolution import Arguments


def _always(arguments: Arguments) -> bool:
    return True


@implemented(operator.truth, _always)
def _truth(a):  # type: ignore[no-untyped-def]
    return bool(a)


@implemented(operator.abs, _always)
def _abs(a):  # type: ignore[no-untyped-def]
    return abs(a)


@implemented(operator.contains, _always)
def _contains(a, b):  # type: ignore[no-untyped-def]
    return b in a


@implemented(operator.concat, _always)
def _concat(a, b):  # type: ignore[no-untyped-def]
    return a + b


@implemented(operator.index, _always)
def _index(a):  # type: ignore[no-untyped-def]
    return a | 0


@implemented(operator.countOf, _always)
def _count_of(a, b):  # type: ignore[no-untyped-def]
    total = 0
    for item in a:
        if item == b:
            total += 1
    return total


@implemented(operator.indexOf, _always)
def _index_of(a, b):  # type: ignore[no-untyped-def]
    for place, item in enumerate(a):
        if item == b:
            return place
    raise ValueError("sequence.index(x): x not in sequence")
