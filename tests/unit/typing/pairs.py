"""A type of two values, written as those of `typing/types/` are: all of it is one class.

Below it is what `library/pairs.py` would have: what can be done with the values.
"""

from __future__ import annotations

import sys

from cutaway.extending.registry import fields, primitive
from cutaway.lowering.layout import Value, split
from cutaway.typing.types import Signature
from cutaway.typing.types.conversions import CONVERSIONS, conversion
from cutaway.typing.types.structure import Compound, checked_extent

HOME = "cutaway.typing.types.pairs"  # where it would be
sys.modules[HOME] = sys.modules[__name__]


class Two:
    """Two values; what programs have in Python."""

    def __init__(self, first, second):
        self.first = first
        self.second = second

    def __repr__(self):
        return f"Two({self.first!r}, {self.second!r})"

    def __eq__(self, other):
        return isinstance(other, Two) and repr(self) == repr(other)

    __hash__ = None


class Pair(Compound):
    """The type of a `Two`."""

    __module__ = HOME
    __slots__ = ("first", "second")
    passable = may_be_none = True
    python_classes = (Two,)
    notation = ("Pair",)
    value_class = Two

    @classmethod
    def of_value(cls, value, typeof):
        items = typeof(value.first), typeof(value.second)
        return None if None in items else Pair(*items)

    def __init__(self, first, second):
        self.first = first
        self.second = second
        self._size = checked_extent((first, second))
        self.name = f"Pair({first}, {second})"

    def members(self):
        return (("first", self.first), ("second", self.second))


@CONVERSIONS.add(Pair, Pair)
def _between_pairs(source, wanted):
    return max(conversion(source.first, wanted.first), conversion(source.second, wanted.second))


def _make_rule(arguments):
    fits = len(arguments) == 2
    return Signature(Pair(*arguments.types), arguments.types) if fits else None


@primitive(Two, _make_rule, any_elements=True)
def make(build, sig, args):
    """`Two(first, second)`."""
    return Value(sig.returns, (*args[0].parts, *args[1].parts))


@fields(Pair, lambda ty, name: dict(ty.members()).get(name))
def member(build, sig, args):
    """`pair.first`, `pair.second`."""
    (value,) = args
    kinds = (value.ty.first, value.ty.second)
    place = [name for name, _ in value.ty.members()].index(build.op.attr)
    return Value(kinds[place], list(split(kinds, value.parts))[place])
