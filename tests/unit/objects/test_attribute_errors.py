"""What an AttributeError says, and which tuple a callee gets, in functions of objects."""

from __future__ import annotations

from types import FunctionType, ModuleType

import pytest

import cutaway


class ByGetattr:
    def __getattr__(self, name):
        raise AttributeError("no " + name)


class ByGetattribute:
    def __getattribute__(self, name):
        raise AttributeError("no " + name)


class ByProperty:
    @property
    def missing(self):
        raise AttributeError("not now")


class BySlot:
    __slots__ = ("missing",)


class Named:
    def __getattr__(self, name):
        raise AttributeError("named", name="other", obj=self)


OBJECTS = [ByGetattr(), ByGetattribute(), ByProperty(), BySlot(), Named(), ModuleType("m"), int, 5]


def reads(value):
    return value.missing


def calls(value):
    return value.missing(1)


def said(function, value):
    with pytest.raises(AttributeError) as caught:
        function(value)
    return str(caught.value), caught.value.name, caught.value.obj is value


@pytest.mark.parametrize("value", OBJECTS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("function", [reads, calls])
def test_an_attribute_error_names_the_attribute_and_the_object(function, value):
    compiled = cutaway.jit(forceobj=True)(function)
    for _ in range(3):
        # From 3.12 on code of Python's that has run some times leaves the name out.
        new = FunctionType(function.__code__.replace(), function.__globals__)
        assert said(compiled, value) == said(new, value)


def spread(cls, given):
    return cls(*given)


def spread_with_names(cls, given):
    return cls(*given, **{})


@pytest.mark.parametrize("function", [spread, spread_with_names])
@pytest.mark.parametrize("cls", [ValueError, KeyError, Exception])
def test_a_callee_gets_the_tuple_itself(function, cls):
    given = (1, 2, 3)
    itself = function(cls, given).args is given  # from 3.14 on exceptions make one of their own
    assert (cutaway.jit(forceobj=True)(function)(cls, given).args is given) == itself
