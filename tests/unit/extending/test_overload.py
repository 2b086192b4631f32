"""`overload` and its kin: what a typer is asked with, and what becomes of what it gives."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import (
    CutawayError,
    ExtensionError,
    ForceLiteralArg,
    OptionError,
    RequireLiteralValue,
    TypingError,
    UnsupportedError,
)
from cutaway.extending import (
    as_cutaway_type,
    is_jitted,
    overload,
    overload_attribute,
    overload_classmethod,
    overload_method,
    register_jitable,
)
from extending.point import Point, PointType, make_point, point_type

pytestmark = pytest.mark.sampled(fast=6)


def run(function, *args):
    return cutaway.jit(function)(*args)


# --- parameters -------------------------------------------------------------------------------


def test_defaults_and_keywords():
    def stub(a, b=2, *, c=3):
        raise NotImplementedError

    asked = []

    @overload(stub)
    def typer(a, b=2, *, c=3):
        asked.append((a, b, c))
        return lambda a, b=2, *, c=3: a * 100 + b * 10 + c

    assert run(lambda a: stub(a), 1) == 123
    assert run(lambda a: stub(a, 5), 1) == 153
    assert run(lambda a: stub(a, c=7), 1) == 127
    assert run(lambda a: stub(b=a, a=4, c=a), 1) == 411
    assert asked[0] == (types.int64, 2, 3)


def test_a_default_that_is_none():
    def stub(a, b=None):
        raise NotImplementedError

    @overload(stub)
    def typer(a, b=None):
        if b is None or isinstance(b, types.NoneType | types.Omitted):
            return lambda a, b=None: a
        return lambda a, b=None: a + b

    assert run(lambda a: (stub(a), stub(a, None), stub(a, a)), 2) == (2, 2, 4)


def test_star_arguments():
    def stub(a, *rest):
        raise NotImplementedError

    asked = []

    @overload(stub)
    def typer(a, *rest):
        asked.append(rest)
        return lambda a, *rest: (a, len(rest), rest)

    assert run(lambda a: stub(a), 1) == (1, 0, ())
    assert run(lambda a: stub(a, 2.5, True), 1) == (1, 2, (2.5, True))
    assert run(lambda t: stub(*t), (1, 2.0)) == (1, 1, (2.0,))
    assert asked[0] == ()


def test_calls_that_do_not_fit_the_parameters():
    def stub(a, *, c=3):
        raise NotImplementedError

    @overload(stub)
    def typer(a, *, c=3):
        return lambda a, *, c=3: a + c

    for call in (lambda a: stub(), lambda a: stub(a, a), lambda a: stub(a, d=a)):
        with pytest.raises(TypingError, match="stub"):
            run(call, 1)


# --- which typer is asked ---------------------------------------------------------------------


def test_the_typer_that_was_registered_last_is_asked_first():
    def stub(x):
        raise NotImplementedError

    @overload(stub)
    def numbers(x):
        return lambda x: 1

    @overload(stub)
    def floats(x):
        if isinstance(x, types.Float):
            return lambda x: 2

    assert run(lambda x: stub(x), 1) == 1
    assert run(lambda x: stub(x), 1.5) == 2


def test_a_typer_that_is_registered_later_is_found_by_later_compilations():
    def stub(x):
        raise NotImplementedError

    @overload(stub)
    def first(x):
        return lambda x: 1

    @cutaway.jit
    def f(x):
        return stub(x)

    assert f(1) == 1

    @overload(stub)
    def second(x):
        return lambda x: 2

    assert f(1) == 1 and f(1.0) == 2


def test_literals_last_and_first():
    def stub(x):
        raise NotImplementedError

    def typer(x):
        asked.append(x)
        if isinstance(x, types.IntegerLiteral):
            n = x.literal_value * 10
            return lambda x: n

    asked = []
    overload(stub)(typer)
    assert run(lambda: stub(4)) == 40
    assert asked[0] is types.int64 and len(asked) == 2

    def other(x):
        raise NotImplementedError

    asked = []
    overload(other, prefer_literal=True)(typer)
    assert run(lambda: other(4)) == 40
    assert len(asked) == 1


def test_options_of_jit():
    def stub(x):
        raise NotImplementedError

    @overload(stub, jit_options={"error_model": "numpy"})
    def typer(x):
        return lambda x: 1.0 / x

    assert run(lambda x: stub(x), 0.0) == np.inf
    with pytest.raises(OptionError, match="nonsense"):
        overload(stub, jit_options={"nonsense": True})


# --- implementations --------------------------------------------------------------------------


def test_an_implementation_that_calls_itself():
    def factorial(n):
        raise NotImplementedError

    @overload(factorial)
    def typer(n):
        return lambda n: 1 if n < 2 else n * factorial(n - 1)

    assert run(lambda n: factorial(n), 5) == 120


def test_implementations_that_call_each_other():
    def even(n):
        raise NotImplementedError

    def odd(n):
        raise NotImplementedError

    @overload(even)
    def type_even(n):
        def implementation(n):
            if n == 0:
                return True
            return odd(n - 1)

        return implementation

    @overload(odd)
    def type_odd(n):
        def implementation(n):
            if n == 0:
                return False
            return even(n - 1)

        return implementation

    assert run(lambda n: (even(n), odd(n)), 7) == (False, True)


def test_an_implementation_that_closes_over_types_and_values():
    def stub(x):
        raise NotImplementedError

    @overload(stub)
    def typer(x):
        dtype, table = np.float32, (1, 2, 3)

        def implementation(x):
            return np.zeros(2, dtype), table[1]

        return implementation

    found, n = run(lambda x: stub(x), 1)
    assert found.dtype == np.float32 and n == 2


def test_an_exception_from_an_implementation():
    def stub(x):
        raise NotImplementedError

    @overload(stub)
    def typer(x):
        def implementation(x):
            if x > 2:
                raise ValueError("too large", x)
            return x

        return implementation

    @cutaway.jit
    def f(x):
        return stub(x)

    assert f(1) == 1
    with pytest.raises(ValueError, match="too large") as caught:
        f(3)
    assert caught.value.args == ("too large", 3)


def test_a_class_as_what_is_overloaded():
    class Thing:
        def __init__(self, x):
            self.x = x

    @overload(Thing)
    def typer(x):
        return lambda x: make_point(x, 0)

    assert run(lambda x: Thing(x), 4) == Point(4.0, 0.0)


def test_a_function_that_compiled_code_already_knows_the_name_of():
    @overload(np.linalg.norm)
    def norm(a):
        if a is point_type:
            return lambda a: (a.x * a.x + a.y * a.y) ** 0.5

    assert run(lambda p: np.linalg.norm(p), Point(3.0, 4.0)) == 5.0


# --- methods and attributes -------------------------------------------------------------------


@overload_method(PointType, "scaled")
def scaled(p, by=2, *, shift=0.0):
    return lambda p, by=2, *, shift=0.0: make_point(p.x * by + shift, p.y * by + shift)


def test_methods_take_defaults_and_keywords():
    p = Point(1.0, 2.0)
    assert run(lambda p: p.scaled(), p) == Point(2.0, 4.0)
    assert run(lambda p: p.scaled(by=3, shift=1.0), p) == Point(4.0, 7.0)
    with pytest.raises(TypingError, match="scaled"):
        run(lambda p: p.scaled(1, 2, 3), p)


def test_a_method_as_a_value():
    def f(p):
        g = p.scaled
        return g(3)

    assert run(f, Point(1.0, 2.0)) == Point(3.0, 6.0)


def test_attributes_that_are_not_there():
    with pytest.raises(TypingError, match="nothing"):
        run(lambda p: p.nothing, Point(1.0, 2.0))

    def f(p):
        p.x = 3.0

    with pytest.raises(UnsupportedError, match="attribute 'x' of a value of type Point"):
        run(f, Point(1.0, 2.0))


class Origin:
    """Tells a compiled class method from others."""


class OriginType(types.Type):
    def __init__(self):
        super().__init__(name="Origin")


def test_class_methods():
    as_cutaway_type.register(Origin, OriginType())

    @overload_classmethod(OriginType, "at")
    def at(cls, x, y=0):
        return lambda cls, x, y=0: make_point(x, y)

    assert run(lambda: (Origin.at(3), Origin.at(1, y=2))) == (Point(3.0, 0.0), Point(1.0, 2.0))
    with pytest.raises(TypingError, match="at"):
        run(lambda: Origin.at())
    with pytest.raises(TypingError, match="elsewhere"):
        run(lambda: Origin.elsewhere())


def test_as_cutaway_type():
    assert as_cutaway_type(Point) is point_type
    assert as_cutaway_type(tuple[Point, int]) is types.Tuple((point_type, types.int64))
    with pytest.raises(TypingError, match="no type is known"):
        as_cutaway_type(dict[int, object])

    @cutaway.jit(locals={"p": point_type})
    def f(p):
        return p.x

    assert f(Point(1.0, 2.0)) == 1.0


# --- register_jitable -------------------------------------------------------------------------


def test_register_jitable():
    @register_jitable
    def plain(x, n=2):
        return x * n

    @register_jitable(error_model="numpy")
    def divided(x):
        return 1.0 / x

    assert plain(3) == 6 and not is_jitted(plain)
    assert run(lambda x: (plain(x), plain(x, n=5)), 3) == (6, 15)
    assert run(lambda x: divided(x), 0.0) == np.inf
    with pytest.raises(ZeroDivisionError):
        divided(0.0)
    with pytest.raises(OptionError):
        register_jitable(3)
    with pytest.raises(OptionError):
        register_jitable(nonsense=True)


def test_is_jitted():
    assert is_jitted(cutaway.jit(lambda x: x))
    assert not is_jitted(lambda x: x)
    assert not is_jitted(None)


# --- attributes with setters ------------------------------------------------------------------


def test_an_attribute_of_several_types_and_a_getter_that_fails():
    @overload_attribute(PointType, "inverse")
    def inverse(p):
        def get(p):
            if p.x == 0:
                raise ZeroDivisionError("no inverse")
            return 1 / p.x

        return get

    assert run(lambda p: p.inverse, Point(4.0, 0.0)) == 0.25
    with pytest.raises(ZeroDivisionError, match="no inverse"):
        run(lambda p: p.inverse, Point(0.0, 0.0))


def test_an_attribute_that_only_some_types_have():
    @overload_attribute(types.Array, "diagonal_sum")
    def diagonal_sum(a):
        if a.ndim == 2:

            def get(a):
                total = 0.0
                for k in range(min(a.shape)):
                    total += a[k, k]
                return total

            return get

    assert run(lambda a: a.diagonal_sum, np.eye(3)) == 3.0
    with pytest.raises(TypingError, match="diagonal_sum"):
        run(lambda a: a.diagonal_sum, np.ones(3))


def test_a_setter_and_a_deleter_that_are_not_there():
    @overload_attribute(PointType, "fixed")
    def fixed(p):
        return lambda p: 1

    def sets(p):
        p.fixed = 2

    def deletes(p):
        del p.fixed

    for function in (sets, deletes):
        with pytest.raises(CutawayError, match="fixed"):
            run(function, Point(1.0, 2.0))


def test_an_array_has_a_setter():
    @overload_attribute(types.Array, "first")
    def first(a):
        def get(a):
            return a[0]

        def set_(a, value):
            a[0] = value

        def delete(a):
            a[0] = 0

        return get, set_, delete

    def f(a):
        a.first = 7
        before = a.first
        a.first += 1
        after = a.first
        del a.first
        return before, after, a.first

    assert run(f, np.ones(3)) == (7.0, 8.0, 0.0)


def test_the_parameters_of_the_typer_itself_are_checked():
    def stub(x):
        raise NotImplementedError

    @overload(stub)
    def typer(x, y):  # the stub has one
        return lambda x, y: x

    with pytest.raises((TypingError, ExtensionError)):
        run(lambda x: stub(x), 1)


# --- values that have to be known ---------------------------------------------------------------


def item_of(t, k=0):
    return t[k]


@pytest.fixture
def forced():
    @overload(item_of)
    def typer(t, k=0):
        if isinstance(k, types.Omitted | int):
            return lambda t, k=0: t[0]
        if not isinstance(k, types.IntegerLiteral):
            raise ForceLiteralArg({1})
        known = k.literal_value
        return lambda t, k=0: t[known]


def test_a_typer_may_have_the_value_of_an_argument_made_known(forced):
    @cutaway.jit
    def compiled(t, k):
        return item_of(t, k)

    assert (compiled((1, 2.5), 1), compiled((1, 2.5), 0)) == (2.5, 1)
    assert len(compiled.signatures) == 2
    assert run(lambda t: item_of(t), (1, 2.5)) == 1
    assert run(lambda t: item_of(k=1, t=t), (1, 2.5)) == 2.5


def test_a_value_that_cannot_be_made_known_is_an_error_of_the_call(forced):
    with pytest.raises(TypingError, match="this one is computed"):
        run(lambda t, k: item_of(t, k + 1), (1, 2.5), 0)


def test_a_typer_that_asks_for_the_value_of_no_parameter_is_at_fault():
    def stub(x):
        raise NotImplementedError

    @overload(stub)
    def typer(x):
        raise ForceLiteralArg([3])

    with pytest.raises(ExtensionError, match="has no parameters"):
        run(lambda x: stub(x), 1)


def test_a_typer_that_requires_a_literal_is_asked_with_one():
    def stub(t, k):
        raise NotImplementedError

    @overload(stub)
    def typer(t, k):
        if not isinstance(k, types.Literal):
            raise RequireLiteralValue("the place must be a constant")
        known = k.literal_value
        return lambda t, k: t[known]

    assert run(lambda t: stub(t, 1), (1, 2.5)) == 2.5
    with pytest.raises(TypingError, match="the place must be a constant"):
        run(lambda t, k: stub(t, k), (1, 2.5), 1)


# --- class methods ------------------------------------------------------------------------------


class Measure:
    UNIT = 10

    @staticmethod
    def of(x):
        return x * Measure.UNIT


class MeasureType(types.Type):
    def __init__(self):
        super().__init__("measure")


def test_what_an_extension_says_of_a_class_comes_before_what_the_class_holds():
    as_cutaway_type.register(Measure, MeasureType())

    @overload_classmethod(MeasureType, "of")
    def typer(cls, x):
        return lambda cls, x: x * 100

    assert run(lambda x: Measure.of(x) + Measure.UNIT, 2) == 210
