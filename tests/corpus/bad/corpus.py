"""Programs that are wrong, or that Cutaway does not compile: one idea each.

Each is a function with the arguments it is called with:

    @bad(1, 2.0, boundscheck=False)
    def name(x, y): ...

Keyword arguments of `bad` are options of `@jit`, but for these: `signature` is the signature
that is given to `@jit`, `keywords` are keyword arguments of the call, `python=False` says not to
run the function in Python too (it would take forever), and `carets=False` that the carets
differ between versions of Python, which give an operation another place.  A function under `@uses` is run as it
is: it is a user's module that uses `jit` wrongly.  `made` adds a program whose text is made.
"""

# ruff: noqa

from __future__ import annotations

import array
import cmath
import collections
import datetime
import enum
import functools
import itertools
import linecache
import math
import operator
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

import cutaway
from cutaway import jit


@dataclass
class Program:
    """A bad program and how it is run."""

    section: str
    name: str
    function: FunctionType
    args: tuple = ()
    keywords: dict = field(default_factory=dict)
    signature: Any = None
    options: dict = field(default_factory=dict)
    python: bool = True
    carets: bool = True
    as_it_is: bool = False
    source: str = ""  # where the text is made: what to show of it


PROGRAMS: list[Program] = []
_section = [""]


def section(name: str) -> None:
    """What follows belongs to this section."""
    _section[0] = name


def bad(
    *args: Any,
    signature: Any = None,
    keywords: Any = None,
    python: bool = True,
    carets: bool = True,
    **options: Any,
) -> Callable[[FunctionType], FunctionType]:
    """A program that is compiled with these options and called with these arguments."""

    def add(function: FunctionType) -> FunctionType:
        PROGRAMS.append(
            Program(
                _section[0],
                function.__name__,
                function,
                args,
                keywords or {},
                signature,
                options,
                python,
                carets,
            )
        )
        return function

    return add


def uses(function: FunctionType) -> FunctionType:
    """A program that calls `jit` itself."""
    PROGRAMS.append(
        Program(_section[0], function.__name__, function, python=False, as_it_is=True)
    )
    return function


def made(name: str, text: str, *args: Any, python: bool = True, show: str = "") -> None:
    """A program that is too long to write down."""
    filename = f"{name}.py"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space: dict[str, Any] = dict(globals())
    exec(compile(text, filename, "exec"), space)
    function = space[name]
    function.__module__ = __name__
    PROGRAMS.append(
        Program(_section[0], name, function, args, python=python, source=show or text)
    )


# --- what the programs use --------------------------------------------------------------------

A = np.arange(3.0)
I = np.arange(4)
M = np.arange(6.0).reshape(2, 3)
FROZEN = np.arange(3.0)
FROZEN.flags.writeable = False


class Point:
    """A class of the user's."""

    def __init__(self, x):
        self.x = x


class Color(enum.Enum):
    """An enumeration of the user's."""

    RED = 1


class Pair(collections.namedtuple("Pair", "left right")):
    """A named tuple."""


class TooBig(Exception):
    """An exception of the user's."""


class NeedsTwo(Exception):
    """An exception whose constructor wants two arguments."""

    def __init__(self, a, b):
        super().__init__(a, b)


POINT = Point(1)
TABLE = {"a": 1}
NUMBERS = list(range(1000))
NAMES = {"x", "y"}
TEXT = "text"
HUGE = 2**80
TOO_NEGATIVE = -(2**63) - 1
counter = 0


def plain(x):
    return x + 1


@jit
def add(a, b):
    return a + b


@jit
def scaled(x, factor=2):
    return x * factor


@jit
def positional(x, /, y):
    return x - y


@jit
def keyword_only(x, *, y):
    return x - y


@jit
def both(a, b):
    return a, b


@jit
def item(a, i):
    return a[i]


@jit
def wrong_inside(x):
    return x.nothing


@jit
def through(x):
    return wrong_inside(x)


# --- syntax -----------------------------------------------------------------------------------

section("syntax")


@bad(1)
def try_except(x):
    try:
        return 1 // x
    except ZeroDivisionError:
        return 0


@bad(1)
def try_finally(x):
    try:
        y = 1 // x
    finally:
        y = 2
    return y


@bad(1)
def try_bare_except(x):
    y = 0
    try:
        y = 1 // x
    except:
        pass
    return y


@bad(1)
def try_star(x):
    try:
        return 1 // x
    except* ZeroDivisionError:
        x = 0
    return x


@bad(1)
def try_in_a_loop(n):
    total = 0
    for i in range(n):
        try:
            total += 1 // i
        except ZeroDivisionError:
            continue
    return total


@bad("name", carets=False)
def with_open(name):
    with open(name) as f:
        return f.read()


@bad(1, carets=False)
def with_errstate(x):
    with np.errstate(all="ignore"):
        return 1 / x


@bad(3)
def yields(n):
    for i in range(n):
        yield i


@bad(A)
def yields_from(a):
    yield from a


@bad(3)
def yields_and_receives(n):
    got = yield n
    return got


@bad(3)
def sum_of_generator(n):
    return sum(i * i for i in range(n))


@bad(A)
def any_of_generator(a):
    return any(x > 1 for x in a)


@bad(1)
def list_display(x):
    y = [x, x + 1]
    return y[0]


@bad()
def empty_list():
    return []


@bad(3)
def list_and_append(n):
    out = []
    for i in range(n):
        out.append(i)
    return out


@bad()
def list_of_constants():
    return [1, 2, 3]


@bad(2)
def array_of_list(x):
    return np.array([x, 1.0])


@bad(3)
def list_repeated(n):
    return [0] * n


@bad((1, 2))
def list_with_star(t):
    return [*t, 3]


@bad(1)
def dict_display(x):
    return {"a": x}


@bad()
def empty_dict():
    counts = {}
    counts[1] = 2
    return counts


@bad(1)
def set_display(x):
    return {x, 2}


@bad(1)
def in_a_set_of_constants(x):
    return x in {1, 2, 3}


@bad(1)
def in_a_tuple_of_constants(x):
    return x in (1, 2, 3)


@bad(1)
def in_a_list_of_constants(x):
    return x in [1, 2, 3]


@bad(3)
def list_comprehension(n):
    return [i for i in range(n)]


@bad(3)
def comprehension_with_condition(n):
    return len([i for i in range(n) if i > 1])


@bad(3)
def dict_comprehension(n):
    return {i: i for i in range(n)}


@bad(3)
def set_comprehension(n):
    return {i for i in range(n)}


@bad(3, carets=False)
def f_string(x):
    return f"x is {x}"


@bad(3, carets=False)
def f_string_with_format(x):
    s = f"{x:.3f}"
    return len(s)


@bad(3)
def percent_format(x):
    return "%d" % x


@bad(3)
def str_format(x):
    return "{}".format(x)


@bad(1)
def string_variable(x):
    s = "a"
    return s + "b"


@bad(1)
def string_compare(x):
    mode = "fast"
    if mode == "fast":
        return x
    return -x


@bad(1)
def global_statement(x):
    global counter
    counter = counter + x
    return counter


@bad(3)
def nonlocal_statement(n):
    total = 0

    def step(i):
        nonlocal total
        total += i

    for i in range(n):
        step(i)
    return total


@bad(1)
def class_statement(x):
    class Local:
        y = 1

    return x


@bad(1)
def import_statement(x):
    import math

    return math.sin(x)


@bad(1)
def from_import(x):
    from math import sin

    return sin(x)


@bad(1, python=False)
async def coroutine(x):
    return x


@bad(1, python=False)
async def awaits(x):
    return await x


@bad(1, python=False, carets=False)
async def async_for(x):
    async for y in x:
        return y


@bad(1)
def raise_from(x):
    raise ValueError("bad") from TypeError("worse")


@bad(1)
def raise_from_none(x):
    raise ValueError("bad") from None


@bad(1)
def bare_raise(x):
    raise


@bad(1)
def raises_with_variable(x):
    raise ValueError("bad value", x)


@bad(1, carets=False)
def raises_f_string(x):
    raise ValueError(f"bad value {x}")


@bad(1)
def raises_a_number(x):
    raise x


@bad(1)
def raises_a_class_of_no_exception(x):
    raise Point


@bad(1)
def takes_keywords(x, **options):
    return x


@bad(1, 2, 3)
def takes_star_args(x, *rest):
    return x + len(rest)


@bad(1)
def calls_with_keywords(x):
    return add(**{"a": x, "b": x})


@bad((1, 2))
def match_sequence(t):
    match t:
        case (a, b):
            return a + b
    return 0


@bad(1)
def match_mapping(x):
    match x:
        case {"a": y}:
            return y
    return 0


@bad(1)
def match_class(x):
    match x:
        case int():
            return 1
    return 0


@bad(1)
def lambdas_in_a_tuple(x):
    ops = (lambda v: v + 1, lambda v: v - 1)
    return ops[0](x)


@bad(1)
def returns_a_lambda(x):
    return lambda y: x + y


@bad(1)
def returns_an_inner_function(x):
    def inner(y):
        return x + y

    return inner


@bad(1)
def lambda_on_two_paths(x):
    if x > 0:
        f = lambda v: v + 1
    else:
        f = lambda v: v - 1
    return f(x)


@bad(3)
def passes_a_lambda(x):
    return apply(lambda v: v + 1, x)


@jit
def apply(f, x):
    return f(x)


@bad(A)
def map_with_lambda(a):
    total = 0.0
    for x in map(lambda v: v * v, a):
        total += x
    return total


@bad(3)
def recursive_inner_function(n):
    def factorial(k):
        return 1 if k < 2 else k * factorial(k - 1)

    return factorial(n)


@bad((1, 2, 3))
def starred_assignment(t):
    first, *rest = t
    return first


@bad((1, 2, 3))
def starred_middle(t):
    first, *_, last = t
    return first + last


@bad(A)
def deletes_an_item(a):
    del a[0]
    return a


@bad(1)
def deletes_a_variable(x):
    y = x
    del y
    return x


@bad(Point(1))
def deletes_an_attribute(p):
    del p.x


@bad(Point(1), 3)
def assigns_an_attribute(p, x):
    p.x = x


@bad(1)
def prints(x):
    print("x =", x)


@bad(1)
def prints_with_end(x):
    print(x, end="")


@bad(A)
def enumerates(a):
    total = 0.0
    for i, x in enumerate(a):
        total += i * x
    return total


@bad(A)
def zips(a):
    total = 0.0
    for x, y in zip(a, a):
        total += x * y
    return total


@bad(A)
def reverses(a):
    for x in reversed(a):
        return x


@bad(A)
def sorts(a):
    return sorted(a)


@bad(1)
def decorated_inside(x):
    @functools.cache
    def inner(y):
        return y

    return inner(x)


@bad(1)
def jits_inside(x):
    @jit
    def inner(y):
        return y + 1

    return inner(x)


@bad(1)
def isinstance_check(x):
    if isinstance(x, int):
        return 1
    return 2


@bad(1)
def type_of(x):
    return type(x)


@bad(3)
def walrus_in_comprehension(n):
    return [y := i for i in range(n)]


@bad(1)
def inverse_of_a_line(x):
    return np.linalg.inv(M[0])


@bad(A)
def whole_array_sum(a):
    return a.sum() + np.sum(a)


@bad(A)
def whole_array_arithmetic(a):
    return a * 2 + 1


@bad(A)
def fancy_index(a):
    return a[a > 1]


@bad(A, I[:2])
def index_by_array(a, i):
    return a[i]


@bad("abc", carets=False)
def iterates_over_string(s):
    n = 0
    for c in s:
        n += 1
    return n


@bad(1)
def lambda_in_a_lambda(x):
    f = lambda a: (lambda b: b + x)(a)
    return f(1)


@bad((1, 2), 3)
def repeats_a_tuple(t, n):
    return t * n


@bad(1)
def raises_an_exception_group(x):
    raise ExceptionGroup("several", (ValueError("a"), TypeError("b")))



# --- types ------------------------------------------------------------------------------------

section("types")


@bad(1)
def int_plus_str(x):
    return x + "a"


@bad(1)
def none_plus_int(x):
    y = None
    return y + x


@bad(1)
def tuple_plus_int(x):
    return (x, x) + x


@bad(A, (1, 2))
def array_plus_tuple(a, t):
    return a + t


@bad(1)
def augmented_with_none(x):
    x += None
    return x


@bad((1, 2))
def negates_a_tuple(t):
    return -t


@bad(1.5)
def inverts_a_float(x):
    return ~x


@bad(1.5, 2)
def shifts_a_float(x, n):
    return x << n


@bad(1.5)
def float_and_int(x):
    return x & 1


@bad(1j)
def floor_divides_complex(z):
    return z // 2


@bad(1j, 2j)
def compares_complex(z, w):
    return z < w


@bad(1)
def int_or_tuple(x):
    y = 0
    if x > 0:
        y = (1, 2)
    return y


@bad(A)
def number_or_array(a):
    y = 0.0
    if len(a) > 2:
        y = a
    return y


@bad(3, carets=False)
def none_or_number(n):
    best = None
    for i in range(n):
        if best is None or i > best:
            best = i
    return best


@bad(3, carets=False)
def tuple_grows_in_a_loop(n):
    t = ()
    for i in range(n):
        t = t + (i,)
    return t


@bad(A)
def tuples_of_two_lengths(a):
    shape = (1, 2)
    if len(a) > 1:
        shape = (1, 2, 3)
    return shape


@bad(M)
def arrays_of_two_dimensions(m):
    v = m
    while v.ndim > 1:
        v = v[0]
    return v


@bad(A)
def arrays_of_two_dtypes(a):
    b = np.zeros(3)
    if len(a) > 1:
        b = np.zeros(3, np.int64)
    return b


@bad(3)
def variable_changes_its_kind(x):
    x = np.zeros(x)
    x = x[0]
    x = (x, x)
    return x[0]


@bad(1)
def returns_int_or_tuple(x):
    if x > 0:
        return 1
    return (1, 2)


@bad(1)
def returns_none_or_number(x):
    if x > 5:
        return x


@bad(A)
def returns_array_or_number(a):
    if len(a) > 5:
        return a
    return 0.0


@bad(1)
def returns_none_on_one_path_explicitly(x):
    if x > 5:
        return None
    return 1.5


@bad(1, (1, 2))
def compares_int_and_tuple(x, t):
    return x < t


@bad(1)
def compares_with_none(x):
    return x < None


@bad(A)
def compares_array_and_none(a):
    return a == None


@bad(A, carets=False)
def array_as_condition(a):
    if a:
        return 1
    return 0


@bad(A)
def array_in_while(a):
    while a > 1:
        a = a - 1
    return a


@bad(A)
def not_of_array(a):
    return not a


@bad(A, A)
def and_of_arrays(a, b):
    return a and b


@bad(1)
def calls_a_number(x):
    return x(2)


@bad((1, 2))
def calls_a_tuple(t):
    return t(0)


@bad(A)
def calls_an_array(a):
    return a(0)


@bad(1)
def indexes_a_number(x):
    return x[0]


@bad(1.0)
def item_of_a_float(x):
    x[0] = 1


@bad((1, 2))
def assigns_a_tuple_item(t):
    t[0] = 5
    return t


@bad((1, 2.5), 1)
def mixed_tuple_by_variable(t, i):
    return t[i]


@bad((1, 2))
def tuple_out_of_range(t):
    return t[2]


@bad((1, 2))
def tuple_by_float(t):
    return t[1.0]


@bad((1, 2.5), carets=False)
def iterates_over_mixed_tuple(t):
    total = 0.0
    for x in t:
        total += x
    return total


@bad(range(3))
def slices_a_range(r):
    return r[1:]


@bad(1)
def number_attribute(x):
    return x.size


@bad(1)
def number_method(x):
    return x.bit_length()


@bad(1.5)
def float_method(x):
    return x.is_integer()


@bad(A)
def array_attribute(a):
    return a.length


@bad(A)
def array_method(a):
    return a.mean()


@bad(A)
def array_attribute_misspelled(a):
    return a.shpae


@bad((1, 2))
def tuple_method(t):
    return t.count(1)


@bad(Pair(1, 2))
def named_tuple_field(p):
    return p.left


@bad(1)
def none_attribute(x):
    y = None
    return y.x


@bad(A)
def assigns_array_shape(a):
    a.shape = (3, 1)


@bad(3, carets=False)
def iterates_over_number(n):
    for i in n:
        return i
    return 0


@bad(3, carets=False)
def iterates_over_none(n):
    y = None
    for i in y:
        n += 1
    return n


@bad(3)
def unpacks_a_number(n):
    a, b = n
    return a + b


@bad((1, 2, 3))
def unpacks_too_few(t):
    a, b = t
    return a + b


@bad((1, 2))
def unpacks_too_many(t):
    a, b, c = t
    return a + b + c


@bad(A)
def unpacks_an_array(a):
    x, y, z = a
    return x + y + z


@bad(A)
def unpacks_a_wrong_array(a):
    x, y = a
    return x + y


@bad(range(3))
def unpacks_a_range(r):
    x, y, z = r
    return x + y + z


@bad(A, 0.5)
def array_by_float(a, x):
    return a[x]


@bad(A)
def array_by_none(a):
    return a[None]


@bad(A)
def array_by_string(a):
    return a["x"]


@bad(A)
def array_too_many_indices(a):
    return a[0, 1]


@bad(M)
def array_of_scalar_indexed_again(m):
    return m[0, 1][0]


@bad(A)
def stores_tuple_in_array(a):
    a[0] = (1, 2)


@bad(A)
def stores_none_in_array(a):
    a[0] = None


@bad(A.copy())
def stores_complex_in_float_array(a):
    a[0] = 1j


@bad(A)
def stores_array_in_element(a):
    a[0] = a


@bad(A, 0.0, 2.0, carets=False)
def slices_by_floats(a, i, j):
    return a[i:j]


@bad(2.5)
def range_of_float(x):
    total = 0
    for i in range(x):
        total += i
    return total


@bad(2)
def len_of_number(x):
    return len(x)


@bad("1")
def int_of_string(x):
    return int(x)


@bad(1j)
def int_of_complex(x):
    return int(x)


@bad(A)
def float_of_array(a):
    return float(a)


@bad((1, 2))
def abs_of_tuple(t):
    return abs(t)


@bad(A)
def max_of_array(a):
    return max(a)


@bad(1)
def max_of_one_number(x):
    return max(x)


@bad(1, (1, 2))
def min_of_number_and_tuple(x, t):
    return min(x, t)


@bad(A)
def sqrt_of_array(a):
    return math.sqrt(a)


@bad(1j)
def sqrt_of_complex(z):
    return math.sqrt(z)


@bad(A)
def sin_of_array_by_numpy(a):
    return np.sin(a)


@bad(2.5)
def gcd_of_floats(x):
    return math.gcd(x, 2)


@bad(3)
def zeros_of_string_dtype(n):
    return np.zeros(n, "float64")


@bad(3)
def zeros_of_text(n):
    return np.zeros(n, dtype=str)


@bad(2.5)
def zeros_of_float(x):
    return np.zeros(x)


@bad((2, 2.5))
def zeros_of_mixed_shape(shape):
    return np.zeros(shape)


@bad(1)
def tuple_in_condition_chain(x):
    return 0 < x < (1, 2)


@bad((1, 2))
def tuple_times_float(t):
    return t * 1.5


@bad(2, 1)
def int_is_int(x, y):
    return x is y


@bad(1)
def error_two_calls_down(x):
    return through(x)


@bad(1)
def slice_object(x):
    s = slice(0, x)
    return A[s]


@bad(1.0)
def modulo_by_string(x):
    return "%f" % x


@bad(A)
def in_an_array(a):
    return 1.0 in a


@bad((1, 2), (1, 2))
def orders_tuples(t, u):
    return t < u


@bad(2, (1, 2))
def tuple_power(x, t):
    return x**t


@bad(3)
def zeros_of_unknown_dtype(n):
    return np.zeros(n, "spam")


@bad(12345)
def rounds_an_int(x):
    return round(x, -2)


@bad(2.5)
def rounds_to_none(x):
    return round(x, None)


@bad((1, 2))
def compares_tuple_and_number(t):
    return t == 1


@bad(A)
def compares_array_and_number(a):
    return a == 1


@bad(np.zeros((2, 2)).view(np.matrix))
def row_of_a_matrix(m):
    return m[0].ndim


@bad(np.zeros((2, 2)))
def two_ellipses(m):
    return m[..., ...]



# --- values from outside ----------------------------------------------------------------------

section("values")


@bad(1)
def global_dict(x):
    return TABLE["a"] + x


@bad(1)
def global_list(x):
    return NUMBERS[x]


@bad(1)
def global_set(x):
    return x in NAMES


@bad(1)
def global_string(x):
    if TEXT == "text":
        return x
    return 0


@bad(1)
def global_object(x):
    return POINT.x + x


@bad(1)
def global_class(x):
    return Point


@bad(1)
def global_enum(x):
    return Color.RED


@bad(1)
def global_module_as_value(x):
    return math


@bad(1)
def global_named_tuple(x):
    return PAIR.left + x


PAIR = Pair(1, 2)


@bad(1)
def global_object_array(x):
    return OBJECTS[x]


OBJECTS = np.array([1, "a", None], dtype=object)


@bad(1)
def global_array_is_written(x):
    WRITTEN[0] = x
    return WRITTEN[0]


WRITTEN = np.arange(3.0)


@bad(1)
def global_list_of_lists(x):
    return MATRIX[0][1]


MATRIX = [[1, 2], [3, {4}]]


@bad(1)
def global_datetime(x):
    return MOMENT.year


MOMENT = datetime.datetime(2020, 1, 1)


@bad(1)
def global_huge_integer(x):
    return x + HUGE


@bad(1)
def global_too_negative_integer(x):
    return x + TOO_NEGATIVE


@bad(1)
def function_as_value(x):
    f = add
    return f(x, x)


@bad(1)
def function_on_two_paths(x):
    f = add if x > 0 else both
    return f(x, x)


@bad("a")
def string_argument(s):
    return s


@bad(b"a")
def bytes_argument(s):
    return s[0]


@bad({"a": 1})
def dict_argument(d):
    return d["a"]


@bad([1, 2])
def list_argument(v):
    return v[0]


@bad([])
def empty_list_argument(v):
    return len(v)


@bad({1, 2})
def set_argument(s):
    return len(s)


@bad(Point(1))
def object_argument(p):
    return p.x


@bad(Color.RED)
def enum_argument(c):
    return c


@bad(plain)
def function_argument(f):
    return f(1)


@bad(add)
def compiled_function_argument(f):
    return f(1, 2)


@bad(float)
def class_argument(kind):
    return kind(1)


@bad(math)
def module_argument(m):
    return m.pi


@bad((1, [2]))
def list_in_tuple_argument(t):
    return t[0]


@bad((1, "a"))
def string_in_tuple_argument(t):
    return t[0]


@bad(array.array("d", [1.0]))
def array_module_argument(a):
    return a[0]


@bad(memoryview(b"ab"))
def memoryview_argument(m):
    return m[0]


@bad(datetime.date(2020, 1, 1))
def date_argument(d):
    return d


@bad(slice(0, 2))
def slice_argument(s):
    return A[s]


@bad(np.array([1, "a"], dtype=object))
def object_array_argument(a):
    return a[0]


@bad(np.array(["a", "b"]))
def text_array_argument(a):
    return len(a)


@bad(np.array([b"a"]))
def bytes_array_argument(a):
    return len(a)


@bad(np.array(["2020-01-01"], dtype="datetime64[D]"))
def datetime_array_argument(a):
    return a[0]


@bad(np.zeros(2, [("x", float), ("y", int)]))
def structured_array_argument(a):
    return a[0]["x"]


@bad(np.zeros((2, 2)).view(np.matrix))
def matrix_argument(a):
    return a.T


@bad(np.zeros(2, np.longdouble))
def longdouble_array_argument(a):
    return a[0]


@bad(np.zeros(2, ">f8"))
def big_endian_array_argument(a):
    return a[0]


@bad(np.ma.masked_array([1.0, 2.0], [True, False]))
def masked_array_argument(a):
    return a[0]


@bad(np.longdouble(1))
def longdouble_argument(x):
    return x


@bad(np.datetime64("2020-01-01"))
def datetime64_argument(t):
    return t


@bad(np.str_("a"))
def numpy_string_argument(s):
    return s


@bad(...)
def ellipsis_argument(x):
    return x


@bad(iter((1, 2)))
def iterator_argument(it):
    for x in it:
        return x


@bad(2**70)
def huge_argument(x):
    return x


@bad(-(2**63) - 1)
def too_negative_argument(x):
    return x


@bad((1, 2**70))
def huge_in_tuple_argument(t):
    return t[0]


# --- names ------------------------------------------------------------------------------------

section("names")


@bad(1)
def undefined_global(x):
    return x + undefined_name


@bad(1)
def misspelled_local(x):
    total = x
    return totl


@bad(1)
def misspelled_global(x):
    return scaled_(x)


@bad(0)
def unbound_local(x):
    if x > 0:
        y = 1
    return y


@bad(0)
def unbound_after_loop(n):
    for i in range(n):
        last = i
    return last


@bad(0)
def unbound_loop_variable(n):
    for i in range(n):
        pass
    return i


@bad(1)
def unbound_always(x):
    y = z
    z = x
    return y


@bad(1)
def local_shadows_global(x):
    y = counter + x
    counter = y
    return counter


@bad(0)
def unbound_in_a_sum(n):
    for i in range(n):
        total += i
    return total


@bad(1)
def deleted_variable(x):
    y = x
    del y
    return y


@bad(1)
def missing_in_math(x):
    return math.sinus(x)


@bad(1)
def misspelled_sqrt(x):
    return math.sqr(x)


@bad(1)
def missing_in_numpy(x):
    return np.zeroes(x)


@bad(1)
def unsupported_in_numpy(x):
    return np.linspace(0, 1, x)


@bad(1)
def missing_constant(x):
    return math.PI


@bad(1, python=False)
def other_module(x):
    return random.random()


@bad(1j)
def cmath_function(z):
    return cmath.exp(z)


@bad(1)
def missing_builtin(x):
    return power(x, 2)


@bad(1)
def unsupported_builtin(x):
    return callable(x)


@bad(1)
def builtin_of_text(x):
    return str(x)


@bad(1, python=False)
def builtin_input(x):
    return input()


def _makes_unassigned():
    def uses_later(x):
        return x + later

    if len(TABLE) > 5:
        later = 1
    return uses_later


uses_later = bad(1)(_makes_unassigned())


@bad(1)
def inner_uses_unassigned(x):
    def inner():
        return y

    z = inner()
    y = x
    return z


@bad(1)
def inner_sees_later_value(x):
    y = 1

    def inner():
        return y

    y = 2
    return inner()


@bad(0)
def inner_uses_maybe_unassigned(x):
    if x > 0:
        y = 1

    def inner():
        return y

    return inner()


@bad(1)
def attribute_of_function(x):
    return add.cache


@bad(1)
def submodule(x):
    return np.lib.stride_tricks.sliding_window_view(A, 2)


# --- calls ------------------------------------------------------------------------------------

section("calls")


@bad()
def misses_its_argument(x):
    return x


@bad(1, 2)
def gets_too_many(x):
    return x


@bad(1, keywords={"z": 2})
def gets_unknown_keyword(x):
    return x


@bad(1, keywords={"x": 2})
def gets_argument_twice(x):
    return x


@bad(keywords={"x": 1, "y": 2})
def gets_positional_only_by_keyword(x, /, y):
    return x


@bad(1, 2)
def gets_keyword_only_by_position(x, *, y):
    return x


@bad(1)
def misses_keyword_only(x, *, y):
    return x


@bad(1)
def calls_with_too_few(x):
    return add(x)


@bad(1)
def calls_with_too_many(x):
    return add(x, x, x)


@bad(1)
def calls_with_unknown_keyword(x):
    return scaled(x, divisor=3)


@bad(1)
def calls_with_argument_twice(x):
    return scaled(x, x=3)


@bad(1)
def calls_positional_only_by_keyword(x):
    return positional(x=x, y=x)


@bad(1)
def calls_keyword_only_by_position(x):
    return keyword_only(x, x)


@bad(1)
def calls_without_keyword_only(x):
    return keyword_only(x)


@bad(A)
def star_args_of_array(a):
    return add(*a)


@bad((1, 2, 3))
def star_args_of_wrong_length(t):
    return add(*t)


@bad(1)
def star_args_of_number(x):
    return add(*x)


@bad(1)
def len_of_two(x):
    return len((x,), (x,))


@bad(1)
def abs_of_nothing(x):
    return abs()


@bad(1)
def range_of_nothing(x):
    for i in range():
        x += i
    return x


@bad(1)
def range_of_four(x):
    for i in range(0, x, 1, 2):
        x += i
    return x


@bad(1)
def range_by_keyword(x):
    for i in range(stop=x):
        x += i
    return x


@bad(1.0)
def sin_of_two(x):
    return math.sin(x, x)


@bad(1.0)
def sin_by_keyword(x):
    return math.sin(x=x)


@bad(1)
def atan2_of_one(x):
    return math.atan2(x)


@bad(1)
def zeros_of_nothing(x):
    return np.zeros()


@bad(1)
def zeros_with_unknown_keyword(x):
    return np.zeros(x, kind=float)


@bad(1)
def zeros_of_dimensions(x):
    return np.zeros(x, x)


@bad(1)
def max_of_nothing(x):
    return max()


@bad(1, 2)
def max_with_key(x, y):
    return max(x, y, key=abs)


@bad(2)
def pow_of_three(x):
    return pow(x, 3, 5)


@bad(2.567)
def round_to_float(x):
    return round(x, 1.5)


@bad(1)
def int_with_base(x):
    return int(x, 10)


@bad(1)
def calls_plain_python(x):
    return plain(x)


@bad(1)
def calls_a_class(x):
    return Point(x)


@bad(1)
def calls_a_named_tuple(x):
    return Pair(x, x)


@bad(1)
def calls_operator_function(x):
    return operator.add(x, x)


@bad(1)
def calls_a_partial(x):
    return increment(x)


increment = functools.partial(plain)


@bad(1)
def calls_lru_cached(x):
    return remembered(x)


remembered = functools.lru_cache(plain)


@bad(1)
def calls_itertools(x):
    for i in itertools.count(x):
        return i


@bad(1)
def calls_a_ufunc(x):
    return np.add(x, 1)


@bad(1)
def inner_with_wrong_arity(x):
    def inner(a, b):
        return a + b

    return inner(x)


@bad(1)
def lambda_with_wrong_arity(x):
    f = lambda: 1
    return f(x)


@bad(A)
def passes_wrong_type_down(a):
    return add(a, None)


@bad(1)
def calls_numpy_dtype(x):
    return np.longdouble(x)


@bad(1)
def calls_a_global_number(x):
    return counter(x)


@bad(1)
def calls_a_string_method(x):
    return "a,b".split(",")


@bad(1)
def calls_module(x):
    return math(x)


# --- recursion --------------------------------------------------------------------------------

section("recursion")


@bad(1)
def no_base_case(n):
    return no_base_case(n + 1)


@bad(1)
def no_base_case_with_operation(n):
    return 1 + no_base_case(n + 1)


@bad(1)
def never_reaches_base(n):
    if n == 0:
        return 0
    return never_reaches_base(n + 1) + 1


@bad(1)
def mutual_first(n):
    if n == 0:
        return 0
    return mutual_second(n + 1)


@jit
def mutual_second(n):
    if n == -1:
        return 1
    return mutual_first(n + 1)


@bad(1)
def mutual_without_base(n):
    return mutual_partner(n)


@jit
def mutual_partner(n):
    return mutual_without_base(n)


@bad(3, ())
def growing_tuple(n, t):
    if n == 0:
        return 0
    return growing_tuple(n - 1, (n, t))


@bad(3, (0,))
def growing_tuple_as_result(n, t):
    if n == 0:
        return t
    return growing_tuple_as_result(n - 1, t + (n,))


@bad(3)
def result_type_grows(n):
    if n == 0:
        return 0
    return (result_type_grows(n - 1), n)


@bad(3, A)
def array_then_view(n, a):
    if n == 0:
        return a[0]
    return array_then_view(n - 1, a[1:])


@bad(M)
def recursion_over_dimensions(m):
    if m.ndim == 1:
        return m[0]
    return recursion_over_dimensions(m[0])


@bad(3)
def int_and_float_recursion(n):
    if n <= 0:
        return 0
    return int_and_float_recursion(n - 0.5) + 1


@bad(3)
def recursive_none(n):
    if n > 0:
        recursive_none(n - 1)


@bad(1)
def recursion_with_wrong_arity(n):
    if n == 0:
        return 0
    return recursion_with_wrong_arity(n - 1, n)


@bad(1)
def recursion_with_type_error(n):
    if n == 0:
        return 0
    return recursion_with_type_error(n - 1) + None


@bad(4)
def mutual_even(n):
    if n == 0:
        return True
    return mutual_odd(n - 1)


@jit
def mutual_odd(n):
    if n == 0:
        return False
    return mutual_even(n - 1)



# --- sizes ------------------------------------------------------------------------------------

section("sizes")


@bad(-1)
def zeros_negative(n):
    return np.zeros(n)


@bad()
def zeros_negative_constant():
    return np.zeros(-1)


@bad(2, -3)
def empty_negative_axis(n, m):
    return np.empty((n, m))


@bad(10**18)
def zeros_huge(n):
    return np.zeros(n)


@bad(2**62)
def ones_huge(n):
    return np.ones((n, 16))


@bad(2**63 - 1)
def zeros_largest(n):
    return np.zeros(n, np.int8)


@bad()
def zeros_huge_constant():
    return np.zeros(10**30)


@bad(0)
def zeros_empty_by_huge(n):
    return np.zeros((n, 2**62, 2**62)).size


@bad(1)
def constant_beyond_64_bits(x):
    return x + 2**70


@bad(1)
def constant_beyond_64_bits_literal(x):
    return x + 1180591620717411303424


@bad(1)
def constant_of_unsigned_range(x):
    return x + 18446744073709551615


@bad(1)
def constant_negative_beyond(x):
    return x - 9223372036854775809


@bad(1)
def smallest_integer_literal(x):
    return x * 0 - 9223372036854775808


@bad(1)
def huge_shift_constant(x):
    return x + (1 << 100000)


@bad(100000)
def huge_shift_variable(n):
    return 1 << n


@bad(64)
def shift_by_word_size(n):
    return 1 << n


@bad(100)
def power_wraps(n):
    return 3**n


@bad(1)
def huge_power_constant(x):
    return x + 10**5000


@bad(2**63 - 1)
def sum_wraps(x):
    return x + 1


@bad(-(2**63))
def negation_wraps(x):
    return -x


@bad(-(2**63))
def abs_wraps(x):
    return abs(x)


@bad(-(2**63), -1)
def floor_division_wraps(x, y):
    return x // y


@bad(2**62, 2)
def range_bound_wraps(n, k):
    total = 0
    for i in range(n * k, n * k + 3):
        total += 1
    return total


@bad(1)
def range_of_huge_constants(x):
    for i in range(2**70):
        return i + x


@bad(2**63 - 1)
def range_to_the_end(n):
    total = 0
    for i in range(n - 2, n):
        total += 1
    for i in range(n - 3, n, 2):
        total += 1
    return total


@bad(2**63 - 1)
def len_of_long_range(n):
    return len(range(-n, n))


@bad(A, 2**64)
def index_beyond_64_bits(a, i):
    return a[i]


@bad(1e308)
def float_overflows(x):
    return x * 10


@bad(10.0, 400.0)
def power_overflows(x, y):
    return x**y


@bad(1e400)
def int_of_infinity(x):
    return int(x)


@bad(1e30)
def int_of_large_float(x):
    return int(x)


@bad(1e30)
def floor_of_large_float(x):
    return math.floor(x)


@bad(1e30)
def round_of_large_float(x):
    return round(x)


@bad(30)
def factorial_wraps(n):
    return math.factorial(n)


made(
    "tuple_of_2000",
    f"def tuple_of_2000(x):\n    t = ({'x, ' * 2000})\n    return t[1999]\n",
    1,
    show="def tuple_of_2000(x):\n    t = (x, x, ...)  # 2000 of them\n    return t[1999]\n",
)
made(
    "many_parameters",
    "def many_parameters({}):\n    return p0 + p299\n".format(
        ", ".join(f"p{i}" for i in range(300))
    ),
    *range(300),
    show="def many_parameters(p0, p1, ...):  # 300 of them\n    return p0 + p299\n",
)
made(
    "many_parameters_one_missing",
    "def many_parameters_one_missing({}):\n    return p0 + p299\n".format(
        ", ".join(f"p{i}" for i in range(300))
    ),
    *range(299),
    show="def many_parameters_one_missing(p0, p1, ...):  # 300 of them\n    return p0\n",
)
made(
    "two_thousand_lines",
    "def two_thousand_lines(x):\n" + "    x = x * 3 + 1\n" * 2000 + "    return x.y\n",
    1,
    show="def two_thousand_lines(x):\n    x = x * 3 + 1  # 2000 of them\n    return x.y\n",
)
made(
    "thousand_branches",
    "def thousand_branches(x):\n"
    + "".join(f"    if x == {i}:\n        return {i}\n" for i in range(1000))
    + "    return x.y\n",
    1,
    show="def thousand_branches(x):\n    if x == 0:  # 1000 of them\n        return 0\n"
    "    return x.y\n",
)
made(
    "deep_expression",
    f"def deep_expression(x):\n    return {'(' * 199}x + 1{' + 1)' * 199} + None\n",
    1,
    show="def deep_expression(x):\n    return ((...(x + 1) + 1) + ...) + None  # 200 deep\n",
)
made(
    "deep_conditional",
    f"def deep_conditional(x):\n    return {'(1 if x else ' * 90}None{')' * 90} + 1\n",
    1,
    show="def deep_conditional(x):\n    return (1 if x else (1 if x else (...None))) + 1\n",
)
made(
    "deep_calls",
    f"def deep_calls(x):\n    return {'abs(' * 190}x{')' * 190}.y\n",
    1,
    show="def deep_calls(x):\n    return abs(abs(...(x))).y  # 190 deep\n",
)
made(
    "deep_tuple",
    f"def deep_tuple(x):\n    t = {'(' * 100}x{',)' * 100}\n    return t + 1\n",
    1,
    show="def deep_tuple(x):\n    t = ((((x,),),),)  # 100 deep\n    return t + 1\n",
)
made(
    "deep_ifs",
    "def deep_ifs(x):\n"
    + "".join(f"{'    ' * (i + 1)}if x > {i}:\n" for i in range(15))
    + f"{'    ' * 16}return 1\n    return x.y\n",
    1,
    show="def deep_ifs(x):\n    if x > 0:\n        if x > 1:  # 15 deep\n            return 1\n"
    "    return x.y\n",
)
made(
    "deep_loops",
    "def deep_loops(x):\n    n = 0\n"
    + "".join(f"{'    ' * (i + 1)}for i{i} in range(x):\n" for i in range(15))
    + f"{'    ' * 16}n += i0 * i14\n    return n.y\n",
    1,
    show="def deep_loops(x):\n    n = 0\n    for i0 in range(x):\n"
    "        for i1 in range(x):  # 15 deep\n            n += i0\n    return n.y\n",
)
made(
    "long_chain_of_ands",
    f"def long_chain_of_ands(x):\n    return {'x > 1 and ' * 500}x.y\n",
    2,
    show="def long_chain_of_ands(x):\n    return x > 1 and x > 1 and ... and x.y  # 500 of them\n",
)


@bad(np.uint64(2**64 - 1), python=False)
def range_of_unsigned(n):
    count = 0
    for i in range(n):
        count += 1
        if count > 5:
            break
    return count


@bad(A, np.uint64(2**64 - 1))
def index_by_large_unsigned(a, i):
    return a[i]


@bad(np.uint64(2**64 - 1))
def zeros_of_large_unsigned(n):
    return np.zeros(n)


@bad(np.array([0, 1, 200], np.uint8))
def small_unsigned_items(a):
    return a[0] - a[1]


@bad(functools.reduce(lambda t, _: (t,), range(5000), 1))
def very_deep_tuple_argument(t):
    return 1



# --- run time ---------------------------------------------------------------------------------

section("runtime")


@bad(A, 3)
def index_out_of_range(a, i):
    return a[i]


@bad(A, -4)
def negative_index_out_of_range(a, i):
    return a[i]


@bad(M, 2, 0)
def first_axis_out_of_range(m, i, j):
    return m[i, j]


@bad(M, 0, 3)
def second_axis_out_of_range(m, i, j):
    return m[i, j]


@bad(np.zeros((2, 3, 4)), 4)
def third_axis_out_of_range(a, k):
    return a[1, 2, k]


@bad(np.zeros((2, 3, 4)), 4)
def last_axis_by_ellipsis(a, k):
    return a[..., k]


@bad(M, 2)
def row_out_of_range(m, i):
    return m[i]


@bad(M, 2)
def row_then_column_out_of_range(m, i):
    return m[0][i + 1]


@bad(A.copy(), 3)
def store_out_of_range(a, i):
    a[i] = 1


@bad(A.copy(), 3)
def augmented_store_out_of_range(a, i):
    a[i] += 1


@bad(np.zeros(0))
def first_of_empty(a):
    return a[0]


@bad((1, 2), 2)
def uniform_tuple_out_of_range(t, i):
    return t[i]


@bad((), 0)
def empty_tuple_item(t, i):
    return t[i]


@bad(3, 5)
def range_item_out_of_range(n, i):
    return range(n)[i]


@bad(A)
def constant_index_out_of_range(a):
    return a[7]


@bad(A, 5)
def out_of_range_in_callee(a, i):
    x = 1.0
    return x + item(a, i)


@bad(A, 5)
def out_of_range_in_inner_function(a, i):
    def inner(k):
        return a[k]

    return inner(i)


@bad(A)
def out_of_range_in_loop(a):
    total = 0.0
    for i in range(len(a) + 1):
        total += a[i]
    return total


@bad(A)
def out_of_range_on_a_long_line(a):
    return a[0] + a[1] + (
        a[2]
        + a[3]
    )


@bad(1, 0)
def int_division_by_zero(x, y):
    return x / y


@bad(1.0, 0.0)
def float_division_by_zero(x, y):
    return x / y


@bad(1j, 0j)
def complex_division_by_zero(x, y):
    return x / y


@bad(1, 0)
def floor_division_by_zero(x, y):
    return x // y


@bad(1.0, 0.0)
def float_floor_division_by_zero(x, y):
    return x // y


@bad(1, 0)
def modulo_by_zero(x, y):
    return x % y


@bad(1.0, 0.0)
def float_modulo_by_zero(x, y):
    return x % y


@bad(1, 0)
def divmod_by_zero(x, y):
    return divmod(x, y)


@bad(1.0, 0.0)
def float_divmod_by_zero(x, y):
    return divmod(x, y)


@bad(1)
def division_by_constant_zero(x):
    return x / 0


@bad(True, False)
def bool_division_by_zero(x, y):
    return x // y


@bad(0, -1)
def zero_to_a_negative_power(x, n):
    return x**n


@bad(0.0)
def float_zero_to_minus_one(x):
    return x**-1


@bad(0j, -1)
def complex_zero_to_a_negative_power(x, n):
    return x**n


@bad(2, -1)
def int_to_a_negative_power(x, n):
    return x**n


@bad(-8.0, 0.5)
def negative_to_a_fraction(x, y):
    return x**y


@bad(float("nan"))
def int_of_nan(x):
    return int(x)


@bad(float("inf"))
def int_of_inf(x):
    return int(x)


@bad(float("-inf"))
def round_of_inf(x):
    return round(x)


@bad(float("nan"))
def floor_of_nan(x):
    return math.floor(x)


@bad(-1.0)
def sqrt_of_negative(x):
    return math.sqrt(x)


@bad(0.0)
def log_of_zero(x):
    return math.log(x)


@bad(-1)
def log2_of_negative_int(x):
    return math.log2(x)


@bad(2.0)
def acos_of_two(x):
    return math.acos(x)


@bad(1000.0)
def exp_overflows(x):
    return math.exp(x)


@bad(-1)
def factorial_of_negative(n):
    return math.factorial(n)


@bad(0.0)
def gamma_of_zero(x):
    return math.gamma(x)


@bad(1.0, 0.0)
def fmod_by_zero(x, y):
    return math.fmod(x, y)


@bad(float("inf"))
def sin_of_infinity(x):
    return math.sin(x)


@bad(-3, 2)
def comb_of_negative(n, k):
    return math.comb(n, k)


@bad(FROZEN)
def writes_read_only(a):
    a[0] = 1.0


@bad(FROZEN)
def writes_read_only_slice(a):
    a[:] = 0.0


@bad(FROZEN)
def writes_view_of_read_only(a):
    b = a[1:]
    b[0] = 1.0


@bad(A.copy(), np.zeros(2))
def assigns_wrong_shape(a, b):
    a[:] = b


@bad(M.copy(), np.zeros(2))
def assigns_wrong_row(m, b):
    m[0] = b


@bad(M.copy(), np.zeros((3, 2)))
def assigns_wrong_matrix(m, b):
    m[:, :] = b


@bad(A.copy(), M)
def assigns_matrix_to_vector(a, m):
    a[:] = m


@bad(3, 0)
def zero_range_step(n, step):
    for i in range(0, n, step):
        return i
    return 0


@bad(3)
def zero_range_step_constant(n):
    for i in range(0, n, 0):
        return i
    return 0


@bad(A, 0)
def zero_slice_step(a, step):
    return a[::step]


@bad(A)
def zero_slice_step_constant(a):
    return a[::0]


@bad(1, -1)
def negative_shift(x, n):
    return x << n


@bad(1, -1)
def negative_right_shift(x, n):
    return x >> n


@bad(1)
def negative_shift_constant(x):
    return x << -1


@bad(1)
def assert_false(x):
    assert x > 5


@bad(1)
def assert_with_message(x):
    assert x > 5, "x is too small"


@bad(1)
def assert_with_number(x):
    assert x > 5, 42


@bad(1, carets=False)
def assert_with_variable(x):
    assert x > 5, x


@bad(1, carets=False)
def assert_with_f_string(x):
    assert x > 5, f"{x} is too small"


@bad(1)
def assert_with_tuple(x):
    assert x > 5, ("too small", 5)


@bad(1)
def raises_value_error(x):
    raise ValueError("bad value")


@bad(1)
def raises_class_alone(x):
    raise ValueError


@bad(1)
def raises_several_arguments(x):
    raise ValueError("bad value", 1, None, 2.5)


@bad(1)
def raises_custom(x):
    raise TooBig("too big", 3)


@bad(1)
def raises_custom_bare(x):
    raise TooBig


@bad(1)
def raises_class_that_needs_two(x):
    raise NeedsTwo("a")


@bad(1)
def raises_with_keyword(x):
    raise ImportError("no module", name="spam")


@bad(1)
def raises_stop_iteration(x):
    raise StopIteration


@bad(1)
def raises_keyboard_interrupt(x):
    raise KeyboardInterrupt


@bad(1)
def raises_system_exit(x):
    raise SystemExit(3)


@bad(1)
def raises_an_instance(x):
    raise INSTANCE


INSTANCE = TooBig("made before")


@bad(3)
def raises_in_a_loop(n):
    for i in range(n):
        if i == 2:
            raise IndexError("third")
    return 0


@bad(A)
def int_array_gets_nan(a):
    b = np.zeros(2, np.int64)
    b[0] = a[0] / 0.0
    return b


@bad(300)
def small_array_overflows(x):
    b = np.zeros(1, np.int8)
    b[0] = x
    return b[0]


@bad(float("nan"))
def nan_into_int_array(x):
    b = np.zeros(1, np.int64)
    b[0] = x
    return b[0]


@bad(-1)
def negative_into_unsigned_array(x):
    b = np.zeros(1, np.uint8)
    b[0] = x
    return b[0]


@bad(A, 3, boundscheck=False)
def unchecked_bad_type(a, i):
    return a[i, i]


@bad(1, 0, error_model="numpy")
def numpy_model_int_modulo(x, y):
    return x % y


@bad(1, 0, error_model="numpy")
def numpy_model_int_floor_division(x, y):
    return x // y


@bad(-1.0, error_model="numpy")
def numpy_model_sqrt(x):
    return math.sqrt(x)


@bad((1, 2), 3)
def wrong_number_to_unpack_by_branch(t, n):
    if n > 2:
        a, b, c = t
        return a
    return 0


@bad(A)
def unpacks_array_of_other_length(a):
    x, y, z, w = a
    return x


# --- parallel loops ---------------------------------------------------------------------------

section("parallel")


@bad(A, parallel=True)
def left_by_break(a):
    for i in cutaway.prange(len(a)):
        if a[i] > 1:
            break


@bad(A, parallel=True)
def left_by_return(a):
    for i in cutaway.prange(len(a)):
        if a[i] > 1:
            return i
    return -1


@bad(A, parallel=True)
def carried_through_a_parallel_loop(a):
    s = 0.0
    for i in cutaway.prange(len(a)):
        s = a[i] - s
    return s


@bad(A, parallel=True)
def sum_seen_in_a_parallel_loop(a):
    s = 0.0
    for i in cutaway.prange(len(a)):
        s += a[i]
        a[i] = s


@bad(A, parallel=True)
def array_changed_by_all(a):
    acc = np.zeros(3)
    for i in cutaway.prange(len(a)):
        acc += a[i]
        acc *= 2.0
    return acc


@bad(A, parallel=True)
def element_changed_by_all(a):
    for i in cutaway.prange(len(a)):
        a[0] += a[i]


@bad(A, parallel=True)
def element_of_the_next_iteration(a):
    for i in cutaway.prange(len(a) - 1):
        a[i + 1] = a[i] * 2


@bad(A, parallel=True)
def element_stored_by_two_iterations(a):
    for i in cutaway.prange(1, len(a)):
        a[i] = 1.0
        a[i - 1] = 2.0


@bad(A, np.array([0, 1, 1]), parallel="check")
def race_on_these_arguments(a, places):
    for i in cutaway.prange(len(places)):
        a[places[i]] += a[i]


# --- options ----------------------------------------------------------------------------------

section("options")


@bad(1, bounds_check=True)
def unknown_option_near(x):
    return x


@bad(1, parallel="all")
def option_parallel(x):
    return x


@bad(1, parallel={"pranges": True})
def option_parallel_part(x):
    return x


@bad(1, parallel={"races": "some"})
def option_parallel_races(x):
    return x


@bad(1, signature="int64(int64)", parallel="check")
def option_parallel_check_with_signature(x):
    return x


@bad(1, cache="yes")
def option_cache(x):
    return x


@bad(1, nogil=1)
def option_nogil(x):
    return x


@bad(1, spam=1)
def unknown_option(x):
    return x


@bad(1, boundscheck="yes")
def boundscheck_text(x):
    return x


@bad(1, boundscheck=1)
def boundscheck_number(x):
    return x


@bad(1, error_model="fast")
def error_model_wrong(x):
    return x


@bad(1, error_model=["numpy"])
def error_model_list(x):
    return x


@bad(1, error_model=None)
def error_model_none(x):
    return x


@bad(1, fastmath={"quick"})
def fastmath_unknown_flag(x):
    return x


@bad(1, fastmath="nnan")
def fastmath_text(x):
    return x


@bad(1, fastmath=3)
def fastmath_number(x):
    return x


@bad(1, fastmath=[1, 2])
def fastmath_numbers(x):
    return x


@bad(1, fastmath=None)
def fastmath_none(x):
    return x


@bad(1, nopython=False)
def nopython_off(x):
    return x


@bad(1, forceobj=True, parallel=True)
def option_forceobj(x):
    return x


@bad(1, pipeline="ssa")
def pipeline_text(x):
    return x


@bad(1, pipeline=[])
def pipeline_list(x):
    return x


@bad(1, pipeline=42)
def pipeline_number(x):
    return x


@bad(1, pipeline=Point)
def pipeline_class(x):
    return x


@uses
def jit_of_a_class():
    return jit(Point)


@uses
def jit_of_a_builtin():
    return jit(len)


@uses
def jit_of_a_math_function():
    return jit(math.sin)


@uses
def jit_of_a_number():
    return jit(3)


@uses
def jit_of_none_called():
    return jit(None)(None)


@uses
def jit_with_options_of_a_class():
    return jit(boundscheck=False)(Point)


@uses
def jit_of_a_bound_method():
    return jit("a".upper)


@uses
def jit_of_a_partial():
    return jit(functools.partial(plain, 1))


@uses
def jit_of_a_static_method():
    class Holder:
        @jit
        @staticmethod
        def method(x):
            return x

    return Holder.method(1)


@uses
def jit_of_a_property():
    class Holder:
        @jit
        @property
        def value(self):
            return 1

    return Holder().value


@uses
def jit_of_a_method():
    class Holder:
        @jit
        def method(self, x):
            return x

    return Holder().method(1)


@uses
def jit_of_a_class_method():
    class Holder:
        @classmethod
        @jit
        def method(cls, x):
            return x

    return Holder.method(1)


@uses
def jit_twice():
    return jit(jit(plain))


@uses
def jit_twice_with_options():
    return jit(fastmath=True)(jit(plain))


@uses
def jit_of_several_functions():
    return jit(plain, plain)


@uses
def jit_with_pipeline_without_lowering():
    short = cutaway.pipelines.nopython.until("ssa")
    return jit(pipeline=short)(plain)(1)


@uses
def jit_without_a_needed_pass():
    return jit(pipeline=cutaway.pipelines.nopython.without("infer_types"))(plain)(1)


@uses
def pipeline_of_unknown_pass():
    return cutaway.Pipeline.parse("decode_bytecode, spam")


@uses
def pipeline_out_of_order():
    return cutaway.Pipeline.parse("infer_types,decode_bytecode")


@uses
def until_unknown_pass():
    return cutaway.pipelines.nopython.until("sssa")


@uses
def missing_in_cutaway():
    return cutaway.jitt


@uses
def unknown_config():
    return cutaway.config.DUMP_IRR


@uses
def trace_at_unknown_level():
    return scaled.trace(1).at("spam")


@uses
def trace_of_wrong_level_word():
    return scaled.trace(1, level="all")


@uses
def trace_of_a_class():
    return cutaway.trace(Point, 1)


@uses
def trace_of_a_number():
    return cutaway.trace(3)


@uses
def trace_with_wrong_arguments():
    return scaled.trace(1, 2, 3)


@uses
def typeof_a_list():
    return cutaway.typeof([1])


@uses
def inspect_what_was_not_compiled():
    function = jit(plain)
    function(1)
    return function.inspect_llvm("(float32,)")


# --- signatures -------------------------------------------------------------------------------

section("signatures")


@bad(1, signature="float64(spam)")
def unknown_type(x):
    return x


@bad(1, signature="float64(flaot64)")
def misspelled_type(x):
    return x


@bad(1, signature="float64(float64")
def missing_parenthesis(x):
    return x


@bad(1, signature="")
def empty_signature(x):
    return x


@bad(1, signature="float64 float64")
def no_signature(x):
    return x


@bad(1, signature="float64(float64, float64)")
def signature_of_two(x):
    return x


@bad(1, signature="float64()")
def signature_of_none(x):
    return x


@bad(1j, signature="float64(complex128)")
def wrong_return_type(x):
    return x


@bad(1, signature="float64(float64[3])")
def array_with_size(x):
    return x[0]


@bad(1, signature="float64(float64[::2])")
def array_with_step(x):
    return x[0]


@bad(1, signature="float64(float64[:, ::1, :])")
def contiguous_in_the_middle(x):
    return x[0, 0, 0]


@bad(1, signature="float64(str)")
def signature_of_text_type(x):
    return x


@bad(1, signature="float64(list(float64))")
def signature_of_list(x):
    return x[0]


@bad(1, signature="float64(x=float64)")
def signature_with_names(x):
    return x


@bad(1, signature="float64(*float64)")
def signature_with_star(x):
    return x


@bad(1, signature="lambda: 1")
def signature_is_lambda(x):
    return x


@bad(1, signature="float64 -> float64")
def signature_with_arrow(x):
    return x


@bad(1, signature=["float64(float64)", "spam(float64)"])
def second_signature_is_wrong(x):
    return x


@bad(1, signature=["float64(float64)", "float64(float64)"])
def signature_twice(x):
    return x


@bad(1, signature=[])
def no_signatures(x):
    return x


@bad(1, signature=3)
def signature_is_number(x):
    return x


@bad(1, signature=float)
def signature_is_python_type(x):
    return x


@bad(1, signature=(float, int))
def signature_of_python_types(x):
    return x


@bad(1, signature=np.float64)
def signature_is_numpy_type(x):
    return x


@bad(1, signature={"x": "float64"})
def signature_is_dict(x):
    return x


@bad(1, signature="float64(UniTuple(float64, -1))")
def tuple_of_negative_size(x):
    return 1.0


@bad(1, signature="float64(array(float64, 1d, Z))")
def array_of_unknown_layout(x):
    return x[0]


@bad(1, signature="float64(range(float64))")
def range_of_floats(x):
    return 1.0


@bad(1, signature="float64(undefined)")
def signature_of_undefined(x):
    return 1.0


@bad(1, signature="void(float64)")
def void_that_returns(x):
    return x


@bad(1, signature="float64(float64)")
def body_does_not_compile(x):
    return x.nothing


@bad(2**70, signature="int64(int64)")
def integer_too_large_for_signature(x):
    return x


@bad(-1, signature="uint64(uint64)")
def negative_for_unsigned(x):
    return x


@bad(300, signature="int8(int8)")
def too_large_for_int8(x):
    return x


@bad(2**40, signature="int32(int32)")
def too_large_for_int32(x):
    return x


@bad(256, signature="uint8(uint8)")
def too_large_for_uint8(x):
    return x


@bad(1.5, signature="int64(int64)")
def float_for_int(x):
    return x


@bad(1j, signature="float64(float64)")
def complex_for_float(x):
    return x


@bad(None, signature="float64(float64)")
def none_for_float(x):
    return x


@bad("1.0", signature="float64(float64)")
def text_for_float(x):
    return x


@bad(1e300, signature="float32(float32)")
def too_large_for_float32(x):
    return x


@bad(2, signature="boolean(boolean)")
def number_for_bool(x):
    return x


@bad(np.zeros(3, np.float32), signature="float64(float64[:])")
def wrong_dtype_for_signature(a):
    return a[0]


@bad(I, signature="float64(float64[:])")
def int_array_for_float_array(a):
    return a[0]


@bad(M, signature="float64(float64[:])")
def wrong_dimensions_for_signature(a):
    return a[0]


@bad(np.zeros(6)[::2], signature="float64(float64[::1])")
def strided_for_contiguous(a):
    return a[0]


@bad(FROZEN, signature="void(float64[:])")
def read_only_for_signature(a):
    a[0] = 1.0


@bad(1.0, signature="float64(float64[:])")
def number_for_array(a):
    return a[0]


@bad([1.0], signature="float64(float64[:])")
def list_for_array(a):
    return a[0]


@bad(A, signature="float64(float64)")
def array_for_number(x):
    return x


@bad((1, 2, 3), signature="float64(UniTuple(float64, 2))")
def wrong_tuple_length(t):
    return t[0]


@bad((1, 2**70), signature="int64(UniTuple(int64, 2))")
def tuple_with_huge_integer(t):
    return t[0]


@bad(signature="float64(float64)")
def missing_against_signature(x):
    return x


@bad(1.0, 2.0, signature="float64(float64)")
def too_many_against_signature(x):
    return x


@bad(1, 2.0, signature=["float64(float64, int64)", "float64(int64, float64)"], python=True)
def ambiguous_is_not(x, y):
    return x * 1.0 + y


@bad(1, 2, signature=["float64(float64, int64)", "float64(int64, float64)"])
def ambiguous_signatures(x, y):
    return x * 1.0 + y


@bad(np.float32(1), signature=["int64(int64)", "complex128(complex128)"])
def float32_for_int_or_complex(x):
    return x


# --- what classes hold --------------------------------------------------------------------------

section("classes")


class Held:
    SIZE = 3

    @property
    def size(self):
        return 3

    @classmethod
    def made(cls):
        return 3

    @staticmethod
    def doubled(x):
        return x * 2


HELD = Held()


@bad(1)
def an_attribute_that_a_class_has_not(x):
    return x + Held.SIZES


@bad(1)
def a_property_of_a_class(x):
    return Held.size


@bad(1)
def a_class_method(x):
    return Held.made()


@bad(1)
def a_static_method_that_is_not_compiled(x):
    return Held.doubled(x)


@bad(1)
def a_constant_of_an_object(x):
    return HELD.SIZE


@bad(1)
def the_name_of_a_class(x):
    return Held.__name__


# --- constants that do not fit, and types that grow ---------------------------------------------

section("sizes")

LARGE = (1, (2.5, 2**64))


@bad(1)
def a_folded_constant_in_a_tuple(x):
    v = 2**62 * 8
    return (v,)


@bad(1)
def a_large_integer_in_a_global_tuple(x):
    return LARGE[1][0]


@bad(1)
def a_large_bound_of_a_slice(x):
    return slice(2**70)


@bad(3)
def a_result_that_holds_a_result_of_its_own(n):
    return None if n <= 0 else (n, a_result_that_holds_a_result_of_its_own(n - 1))


@jit
def longer(n):
    return None if n <= 0 else (n, shorter(n - 1))


@jit
def shorter(n):
    return None if n <= 0 else (n, longer(n - 1))


@bad(3)
def results_that_two_functions_make_ever_larger(n):
    return longer(n)


@bad(3)
def a_variable_that_holds_what_it_held(n):
    x = None
    for i in range(n):
        x = (x, i)
    return x


@bad(np.arange(3), 1)
def a_slice_that_may_have_no_end_as_result(a, k):
    return slice(k if k > 1 else None)


@bad(np.arange(3.0))
def a_reduction_by_a_ufunc_of_one_operand(a):
    return np.exp.reduce(a)


@bad(np.arange(3.0))
def a_reduction_by_a_ufunc_of_two_results(a):
    return np.divmod.accumulate(a)


@bad(np.ones((2, 2)))
def a_reduction_of_axes_whose_order_counts(a):
    return np.subtract.reduce(a, None)


@bad(np.ones((2, 2)))
def a_reduction_along_half_an_axis(a):
    return np.subtract.reduce(a, 0.5)


@bad(np.ones((2, 2)), np.ones((2, 2)))
def an_output_with_too_many_axes(a, out):
    return np.sum(a, axis=0, out=out)


@bad(np.ones(3), np.ones(3, bool))
def a_mask_without_a_start(a, mask):
    return np.max(a, where=mask)


@bad(np.ones(3), np.ones(3))
def a_mask_of_floats(a, mask):
    return np.sum(a, where=mask)


@bad(np.ones(3))
def a_change_of_elements_without_an_operand(a):
    np.add.at(a, 0)


@bad(np.ones(3))
def a_method_that_ufuncs_do_not_have(a):
    return np.add.fold(a)



@bad(np.ones(3))
def an_object_for_a_polynomial(a):
    return np.poly1d(a)(2.0)


@bad(np.ones(3))
def an_object_for_a_series(a):
    return np.polynomial.Chebyshev(a)(2.0)


section("stencils")


@uses
def a_stencil_with_an_unknown_option():
    cutaway.stencil(neighborhod=((-1, 1),))


@uses
def a_stencil_that_wraps_around():
    cutaway.stencil("wrap")


@uses
def a_neighborhood_that_is_no_pair_of_integers():
    cutaway.stencil(neighborhood=(-1, 1))


@uses
def a_neighborhood_from_right_to_left():
    cutaway.stencil(neighborhood=((1, -1),))


@uses
def a_border_of_text():
    cutaway.stencil(cval="x")


@uses
def usual_indices_of_no_parameter():
    @cutaway.stencil(standard_indexing=("weight",))
    def smooth(a, weights):
        return a[0] * weights[0]


@uses
def a_kernel_with_any_number_of_arrays():
    cutaway.stencil(lambda *arrays: arrays[0][0])


@uses
def a_kernel_that_writes_to_its_array():
    @cutaway.stencil
    def erase(a):
        a[0] = 0.0
        return a[1]

    erase(np.ones(4))


@uses
def a_stencil_of_numbers_alone():
    @cutaway.stencil
    def right(a):
        return a[1]

    right(2.0)


@uses
def a_kernel_with_one_index_for_two_dimensions():
    @cutaway.stencil
    def right(a):
        return a[1]

    right(np.ones((3, 3)))


@uses
def a_kernel_that_returns_an_array():
    @cutaway.stencil
    def pair(a):
        return np.full(2, a[0])

    pair(np.ones(4))


@uses
def a_loop_without_a_neighborhood():
    @cutaway.stencil
    def total(a):
        result = 0.0
        for k in range(-2, 3):
            result += a[k]
        return result

    total(np.ones(8))


@uses
def a_neighborhood_of_another_number_of_dimensions():
    @cutaway.stencil(neighborhood=((-1, 1),))
    def right(a):
        return a[0, 1]

    right(np.ones((3, 3)))


@uses
def a_constant_index_outside_of_the_neighborhood():
    @cutaway.stencil(neighborhood=((-1, 1),))
    def far(a):
        return a[2]

    far(np.ones(4))


@uses
def a_relative_index_that_is_no_integer():
    @cutaway.stencil
    def between(a):
        return a[0.5]

    between(np.ones(4))


@uses
def a_kernel_that_reads_nothing():
    @cutaway.stencil
    def one(a):
        return 1.0

    one(np.ones(4))


@uses
def a_border_that_results_cannot_be():
    @cutaway.stencil(cval=0.5)
    def right(a):
        return a[1]

    right(np.arange(4))


@uses
def a_second_array_with_more_dimensions():
    @cutaway.stencil
    def product(a, b):
        return a[0] * b[0]

    product(np.ones(4), np.ones((4, 4)))


@uses
def an_array_that_is_passed_on_by_a_kernel():
    @jit
    def helper(a):
        return a[1]

    @cutaway.stencil
    def right(a):
        return helper(a)

    right(np.ones(4))


@uses
def a_relative_slice_without_an_end():
    @cutaway.stencil(neighborhood=((-1, 1),))
    def total(a):
        return np.sum(a[-1:])

    total(np.ones(4))


@uses
def a_relative_slice_with_a_step():
    @cutaway.stencil(neighborhood=((-1, 1),))
    def total(a):
        return np.sum(a[-1:2:2])

    total(np.ones(4))


@uses
def an_array_of_another_shape_for_the_results():
    @cutaway.stencil
    def right(a):
        return a[1]

    right(np.ones(4), out=np.ones((4, 4)))


@uses
def a_kernel_that_calls_its_own_stencil():
    @cutaway.stencil(standard_indexing=("b",))
    def again(a, b):
        return a[0] + again(b, b)[0]

    again(np.ones(4), np.ones(4))


# --- blocks that run as Python ----------------------------------------------------------------

section("objmode")


@bad(3)
def a_block_without_a_declaration(n):
    with cutaway.objmode():
        y = n + 1
    return y


@bad(3)
def a_block_that_returns(n):
    with cutaway.objmode(y="int64"):
        y = n + 1
        return y


@bad(3)
def a_block_that_is_left_early(n):
    y = 0
    while y < n:
        with cutaway.objmode(y="int64"):
            y = y + 1
            if y == 2:
                break
            y = y + 1
    return y


@bad(3)
def a_block_in_a_block(n):
    with cutaway.objmode(y="int64"):
        with cutaway.objmode(y="int64"):
            y = n + 1
    return y


@bad(3)
def a_declaration_by_position(n):
    with cutaway.objmode("int64"):
        print(n)
    return n


@bad(3)
def a_declaration_of_an_unknown_type(n):
    with cutaway.objmode(y="flaot64"):
        y = n + 1.0
    return y


@bad(3)
def a_declaration_of_no_variable(n):
    with cutaway.objmode(result="int64"):
        results = n + 1
    return n


@bad(3)
def a_declared_type_that_is_computed(n):
    with cutaway.objmode(y=str(n)):
        y = n + 1
    return y


@bad(3)
def a_block_that_is_given_a_list(n):
    items = [1, 2, n]
    with cutaway.objmode(y="int64"):
        y = len(items)
    return y


@bad(3)
def a_block_that_gives_another_type(n):
    with cutaway.objmode(y="float64[:]"):
        y = np.arange(n)
    return y


@bad(0)
def a_block_that_gives_nothing(n):
    with cutaway.objmode(y="int64"):
        if n:
            y = 1
    return y


@bad(300)
def a_block_that_gives_too_much(n):
    with cutaway.objmode(y="int8"):
        y = n
    return y


@bad(0)
def a_block_that_raises(n):
    with cutaway.objmode(y="float64"):
        y = 1 / n
    return y


@bad(3)
def objmode_outside_of_a_with(n):
    m = cutaway.objmode(y="int64")
    with m:
        y = n
    return y
