"""What is wrong with a block of `with objmode` is said when the function is compiled; what comes
out of it wrong, when it is run."""

from __future__ import annotations

import sys
import traceback

import numpy as np
import pytest

import cutaway
from cutaway import njit, objmode, types
from cutaway.errors import CutawayError

# --- refused when compiling ---------------------------------------------------------------------


def undeclared(n):
    with objmode():
        y = n
    return y


def returns_from_it(n):
    with objmode(y="int64"):
        y = 1
        return y


def returns_now_and_then(n):
    with objmode(y="int64"):
        y = 1
        if n:
            return y
    return 3


def breaks_now_and_then(n):
    y = 0
    for i in range(n):
        with objmode(y="int64"):
            y = i
            if y > 2:
                break
            y += 1
        y += 4
    return y


def yields_from_it(n):
    with objmode(y="int64"):
        y = 1
        yield y


def nested(n):
    with objmode(y="int64"):
        with objmode(y="int64"):  # noqa: SIM117
            y = 2
    return y


def by_position(n):
    with objmode("int64"):
        pass
    return n


def by_a_dictionary(n):
    with objmode(**{"y": "int64"}):  # noqa: PIE804
        y = n
    return y


def an_unknown_type(n):
    with objmode(y="flot64"):
        y = n
    return y


def no_type(n):
    with objmode(y=3):
        y = n
    return y


def a_type_that_is_computed(n):
    with objmode(y=n):
        y = n
    return y


def no_such_variable(n):
    with objmode(yy="int64"):
        y = 1  # noqa: F841
    return n


def with_a_name(n):
    with objmode(y="int64") as z:
        y = 1
    return y, z


def without_parentheses(n):
    with objmode:
        pass
    return n


def made_before(n):
    m = objmode(y="int64")
    with m:
        y = n
    return y


def memory_that_moves(n):
    with objmode(y="bytearray"):
        y = bytearray(3)
    return y


def a_list_goes_in(n):
    items = [1, 2, n]
    with objmode(y="int64"):
        y = len(items)
    return y


def an_inner_function_goes_in(n):
    def g(x):
        return x + n

    with objmode(y="int64"):
        y = g(1)
    return y


def looks_at_its_frame(n):
    with objmode(y="int64"):
        y = len(locals())
    return y


def a_handler_needs_the_value_of_then(n):
    y = 0
    try:
        with objmode(y="int64"):
            y = 5
            y = {5: 6}[n]
    except KeyError:
        y += 1
    return y


REFUSED = {
    undeclared: (
        "`y` is assigned in the block and used after it",
        "declare its type: objmode(y=...)",
    ),
    returns_from_it: ("cannot be left by `return`", "ask it after the block"),
    returns_now_and_then: ("cannot be left by `return`", "ask it after the block"),
    breaks_now_and_then: ("cannot be left by `return`, `break` or `continue`", "after the block"),
    yields_from_it: ("cannot be left by `yield`", "yield it after the block"),
    nested: ("runs as Python already", "remove the inner"),
    by_position: ("objmode takes each variable by its name", 'objmode(y="float64[:]")'),
    by_a_dictionary: ("objmode takes each variable by its name", 'objmode(y="float64[:]")'),
    an_unknown_type: ("`y`: 'flot64' in 'flot64' is not a type", "did you mean float64?"),
    no_type: ("`y` is declared as <int>, which is no type", 'objmode(y="float64[:]")'),
    a_type_that_is_computed: ("the type of `y` is not known when", "write it as text"),
    no_such_variable: ("`yy` is declared, and the function has no such", "did you mean y?"),
    with_a_name: ("`with objmode(...)` has no value", "leave `as` out"),
    without_parentheses: ("written with parentheses", "write objmode()"),
    made_before: ("in the `with` statement itself", ""),
    memory_that_moves: ("such a value cannot come out of a block", "NumPy array"),
    a_list_goes_in: ("`items` is ListDisplay", "make it in the block"),
    an_inner_function_goes_in: ("cannot be passed to a block", "make it in the block"),
    looks_at_its_frame: ("`locals` looks at the frame", ""),
    a_handler_needs_the_value_of_then: ("reads `y` as it is", "other variables in the block"),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_what_is_refused_is_said_with_its_line_and_a_hint(function):
    message, hint = REFUSED[function]
    with pytest.raises(CutawayError) as raised:
        njit(function)(3)
    assert message in raised.value.message
    assert hint in raised.value.hint
    first = function.__code__.co_firstlineno
    assert first < raised.value.loc.line <= first + 8
    assert raised.value.loc.filename == __file__


# --- raised at the end of the block -------------------------------------------------------------


class Odd:
    """Something that no type is for."""


MISFITS = {
    "float64": ["x", None, 1j, np.ones(2), Odd()],
    "int64": [2.5, "x", None, np.float64(0.5), 1 + 0j, [1]],
    "boolean": [2, "x", None],
    "complex128": ["x", None, (1,)],
    "float64[:]": [
        np.ones(3, np.int64),
        np.ones((2, 2)),
        [1.0],
        np.float64(1),
        None,
        np.ones(3, ">f8"),
        np.frombuffer(b"12345678"),
    ],
    "float64[::1]": [np.ones(6)[::2]],
    "unicode_type": [1, b"x", None],
    "UniTuple(int64, 2)": [(1,), [1, 2], (1, "x"), 1],
    "optional(float64)": ["x", np.ones(2)],
}


@pytest.mark.parametrize(
    ("declared", "value"),
    [(declared, value) for declared, values in MISFITS.items() for value in values],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_an_output_of_another_type_raises_with_its_name(declared, value):
    ty = types.optional(types.float64) if declared.startswith("optional") else declared
    cell = [value]

    @njit
    def f(a):
        b = a + 1
        with objmode(first="float64[:]", y=ty):
            first = b
            y = cell[0]
        return first[0], y

    a = np.ones(3)
    for _ in range(20):
        with pytest.raises(TypeError, match="`y` is .* at the end of the block, which") as raised:
            f(a)
    frames = traceback.extract_tb(raised.value.__traceback__)
    assert frames[-1].name == "f"
    assert frames[-1].line.startswith("with objmode")
    alone = np.ones(3)
    assert sys.getrefcount(a) == sys.getrefcount(alone)


CONVERTED = [
    ("float64", 3, 3.0),
    ("float64", True, 1.0),
    ("float64", np.float32(0.5), 0.5),
    ("int64", True, 1),
    ("int64", 2.0, 2),
    ("int64", np.uint8(7), 7),
    ("float32", 0.1, float(np.float32(0.1))),
    ("complex128", 2, 2 + 0j),
    ("boolean", 1, True),
    ("boolean", np.bool_(False), False),
    ("int8", -128, -128),
]


@pytest.mark.parametrize(("declared", "value", "wanted"), CONVERTED)
def test_outputs_convert_as_arguments_of_a_signature_do(declared, value, wanted):
    cell = [value]

    @njit
    def f():
        with objmode(y=declared):
            y = cell[0]
        return y

    @njit(f"{declared}({declared})")
    def by_signature(x):
        return x

    found = f()
    assert found == wanted == by_signature(value)
    assert type(found) is type(wanted)
    assert cutaway.trace(f.py_func).at("ssa").run() == wanted


@pytest.mark.parametrize(("declared", "value"), [("int64", 2**63), ("uint8", 256), ("int8", -129)])
def test_integers_that_do_not_fit_raise_overflow_errors(declared, value):
    cell = [value]

    @njit
    def f():
        with objmode(y=declared):
            y = cell[0]
        return y

    with pytest.raises(OverflowError, match="`y`: the integer does not fit"):
        f()


def test_what_a_value_itself_raises_goes_on():
    class Bad:
        def __float__(self):
            raise KeyError("mine")

    Bad.__add__ = lambda self, other: self  # a number, as far as C can tell

    @njit
    def f():
        with objmode(y="float64"):
            y = Bad()
        return y

    with pytest.raises(KeyError, match="mine"):
        f()


def test_errors_at_the_end_can_be_caught_around_the_block():
    @njit
    def f(n):
        r = 0
        try:
            with objmode(y="int64"):
                y = "x" if n else 3
            r = y
        except TypeError:
            r = -1
        return r

    assert (f(0), f(1)) == (3, -1)


def test_functions_in_object_mode_cannot_be_called_but_from_a_block():
    @cutaway.jit(forceobj=True)
    def of_objects(x):
        return {x: 1}[x] + x

    @njit
    def f(x):
        with objmode(y="int64"):
            y = of_objects(x)
        return y

    assert f(4) == 5
