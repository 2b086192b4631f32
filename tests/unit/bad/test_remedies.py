"""Every hint of the table of remedies works: a program that meets it, and the same as it says."""

from __future__ import annotations

import datetime
import decimal
import fractions
import functools
import io
import itertools
import json
import logging
import math
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from dataclasses import astuple, dataclass
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

import cutaway
from cutaway import jit
from cutaway.errors import CutawayError
from cutaway.typing.errors import remedies

# ruff: noqa: C400, C416, C417, SIM115, B023
NUMBERS = np.array([3.0, 1.0, 2.0])


def installed(name, function):
    """A function as if it was from an installed package."""
    code = function.__code__.replace(co_filename=f"/usr/lib/site-packages/{name}.py")
    made = type(function)(code, function.__globals__, function.__name__)
    made.__module__ = name
    return made


class Column(list):
    def to_numpy(self):
        return np.array(self)


Series = type("Series", (Column,), {"__module__": "pandas.core.series"})
DataFrame = type("DataFrame", (dict,), {"__module__": "pandas"})
minimize = installed("scipy.optimize", lambda f, x: x + 0.5)
plot = installed("matplotlib.pyplot", lambda ys: None)
log = logging.getLogger("remedies")
table = {1: 1.5, 2: 2.5}
special = ModuleType("special")
for name in ("erf", "erfc", "gamma", "gammaln"):
    setattr(special, name, installed("scipy.special", lambda x: 0.5))
    getattr(special, name).__name__ = name


@dataclass
class Point:
    x: float
    y: float


class Pair(NamedTuple):
    x: float
    y: float


class Plain:
    def __init__(self):
        self.x = 1.5


def total(xs):
    s = 0.0
    for x in xs:
        s += x
    return s


def half(x):
    return x / 2


compiled_half = jit(half)

# A value, the hint as it begins, and what it says to pass.
ARGUMENTS = {
    "mixed list": ([1.0, "a"], "pass a tuple, or items of one type", lambda xs: xs[:1]),
    "mixed set": ({1.0, "a"}, "pass a tuple, or items of one type", lambda xs: {1.0}),
    "mixed dict": ({1.0: 2.0, "a": 3.0}, "pass a tuple, or items of one type", lambda xs: {1.0: 2}),
    "generator": (
        (float(k) for k in range(3)),
        "pass an array: np.array(list(xs))",
        lambda xs: np.array(list(xs)),
    ),
    "Series": (Series([1.0, 2.0]), "pass xs.to_numpy()", lambda xs: xs.to_numpy()),
    "DataFrame": (
        DataFrame({"name": Series([1.0, 2.0])}),
        'pass its columns as arrays: xs["name"].to_numpy()',
        lambda xs: xs["name"].to_numpy(),
    ),
    "dataclass": (
        Point(1.0, 2.0),
        "pass its fields, or make the class a typing.NamedTuple",
        astuple,
    ),
    "object": (Plain(), "pass its numbers and arrays one by one", lambda p: (p.x,)),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_without_a_type_has_a_remedy_that_works(name):
    value, words, remedy = ARGUMENTS[name]
    with pytest.raises(CutawayError) as caught:
        jit(total)(value)
    assert words in caught.value.hint
    passed = remedy(value)
    function = (lambda xs: len(xs)) if name == "texts" else total
    assert jit(function)(passed) == function(passed)


SCALARS = {
    "date": (datetime.date(2020, 1, 2), "pass np.datetime64(x)", np.datetime64),
    "datetime": (datetime.datetime(2020, 1, 2, 3), "pass np.datetime64(x)", np.datetime64),
    "timedelta": (datetime.timedelta(1), "pass np.timedelta64(x)", np.timedelta64),
    "Fraction": (fractions.Fraction(1, 2), "pass float(x)", float),
    "Decimal": (decimal.Decimal("1.5"), "pass float(x)", float),
    "function": (half, "decorate it with @cutaway.jit", jit),
    "an installed function": (
        minimize,
        "call x before, and pass its result",
        lambda f: f(None, 1.0),
    ),
}


@pytest.mark.parametrize("name", SCALARS)
def test_a_scalar_without_a_type_has_a_remedy_that_works(name):
    value, words, remedy = SCALARS[name]

    def same(x):
        return 1.0 if x is None else 2.0

    with pytest.raises(CutawayError) as caught:
        jit(same)(value)
    assert caught.value.hint == words
    assert jit(same)(remedy(value)) == 2.0


# --- calls ----------------------------------------------------------------------------------------

CASES: list[tuple] = []


def case(words, *args, check=None):
    """A function that is refused with `words` in its hint; the next function is its remedy."""

    def keep(function):
        CASES.append((function, args, words, check))
        return function

    return keep


REMEDIES: dict = {}


def remedy_of(function):
    """The program as the hint says."""

    def keep(other):
        REMEDIES[function] = other
        return other

    return keep


def positive(y):
    return y >= 0


@case("use np.random.random()", 1, check=positive)
def random_random(n):
    return random.random()


@remedy_of(random_random)
def np_random(n):
    return np.random.random()


@case("use np.random.randint(low, high + 1)", 3, check=positive)
def random_randint(n):
    return random.randint(0, n)


@remedy_of(random_randint)
def np_randint(n):
    return np.random.randint(0, n + 1)


@case("use np.random.randint(n)", 3, check=positive)
def random_randrange(n):
    return random.randrange(n)


@remedy_of(random_randrange)
def np_randrange(n):
    return np.random.randint(n)


@case("use np.random.uniform(1.0, x)", 3.0, check=positive)
def random_uniform(x):
    return random.uniform(1.0, x)


@remedy_of(random_uniform)
def np_uniform(x):
    return np.random.uniform(1.0, x)


@case("use np.random.normal(x, 0.1)", 3.0, check=positive)
def random_gauss(x):
    return random.gauss(x, 0.1)


@remedy_of(random_gauss)
def np_normal(x):
    return np.random.normal(x, 0.1)


@case("use np.random.choice(a)", NUMBERS, check=positive)
def random_choice(a):
    return random.choice(a)


@remedy_of(random_choice)
def np_choice(a):
    return np.random.choice(a)


@case("use np.random.shuffle(a) on an array", NUMBERS)
def random_shuffle(a):
    random.shuffle(a)
    return len(a)


@remedy_of(random_shuffle)
def np_shuffle(a):
    np.random.shuffle(a)
    return len(a)


@case("use np.random.seed(n)", 3)
def random_seed(n):
    random.seed(n)
    return n


@remedy_of(random_seed)
def np_seed(n):
    np.random.seed(n)
    return n


@case("use a function of np.random", 0.5, check=positive)
def random_other(x):
    return random.betavariate(x, x)


@remedy_of(random_other)
def np_other(x):
    return np.random.beta(x, x)


@case("use np.mean(a)", NUMBERS)
def statistics_mean(a):
    return statistics.mean(a)


@remedy_of(statistics_mean)
def np_mean(a):
    return np.mean(a)


@case("use np.median(a)", NUMBERS)
def statistics_median(a):
    return statistics.median(a)


@remedy_of(statistics_median)
def np_median(a):
    return np.median(a)


@case("use np.std(a, ddof=1)", NUMBERS)
def statistics_stdev(a):
    return statistics.stdev(a)


@remedy_of(statistics_stdev)
def np_std(a):
    return np.std(a, ddof=1)


@case("use np.std(a)", NUMBERS)
def statistics_pstdev(a):
    return round(statistics.pstdev(a), 9)


@remedy_of(statistics_pstdev)
def np_pstd(a):
    return round(np.std(a), 9)


@case("use np.var(a, ddof=1)", NUMBERS)
def statistics_variance(a):
    return statistics.variance(a)


@remedy_of(statistics_variance)
def np_var(a):
    return np.var(a, ddof=1)


@case("use math.erf(x) for each number", 0.5, check=positive)
def scipy_erf(x):
    return special.erf(x)


@remedy_of(scipy_erf)
def math_erf(x):
    return math.erf(x)


@case("use math.erfc(x) for each number", 0.5, check=positive)
def scipy_erfc(x):
    return special.erfc(x)


@remedy_of(scipy_erfc)
def math_erfc(x):
    return math.erfc(x)


@case("use math.gamma(x) for each number", 0.5, check=positive)
def scipy_gamma(x):
    return special.gamma(x)


@remedy_of(scipy_gamma)
def math_gamma(x):
    return math.gamma(x)


@case("use math.lgamma(x) for each number", 0.5, check=positive)
def scipy_gammaln(x):
    return special.gammaln(x)


@remedy_of(scipy_gammaln)
def math_lgamma(x):
    return math.lgamma(x)


@case('with cutaway.objmode(y="float64"): y = minimize(None, x), where "float64" stands for', 0.5)
def scipy_minimize(x):
    return minimize(None, x)


@remedy_of(scipy_minimize)
def minimize_as_python(x):
    with cutaway.objmode(y="float64"):
        y = minimize(None, x)
    return y


@case("with cutaway.objmode(): plot([x])", 0.5)
def matplotlib_plot(x):
    plot([x])
    return x


@remedy_of(matplotlib_plot)
def plot_as_python(x):
    with cutaway.objmode():
        plot([x])
    return x


@case("with cutaway.objmode(): logging.debug('%d', n)", 3)
def logging_debug(n):
    logging.debug("%d", n)
    return n


@remedy_of(logging_debug)
def logging_as_python(n):
    with cutaway.objmode():
        logging.debug("%d", n)
    return n


@case("with cutaway.objmode(): log...", 3)
def a_logger(n):
    log.debug("x")
    return n


@remedy_of(a_logger)
def a_logger_as_python(n):
    with cutaway.objmode():
        log.debug("x")
    return n


@case("with cutaway.objmode(): time.sleep(0.0)", 3)
def time_sleep(n):
    time.sleep(0.0)
    return n


@remedy_of(time_sleep)
def sleep_as_python(n):
    with cutaway.objmode():
        time.sleep(0.0)
    return n


@case('with cutaway.objmode(y="float64"): y = time.time()', 3, check=positive)
def time_time(n):
    return time.time()


@remedy_of(time_time)
def time_as_python(n):
    with cutaway.objmode(y="float64"):
        y = time.time()
    return y


@case("with cutaway.objmode(y=\"str\"): y = re.sub('a', 'b', s)", "banana")
def re_sub(s):
    return re.sub("a", "b", s)


@remedy_of(re_sub)
def sub_as_python(s):
    with cutaway.objmode(y="str"):
        y = re.sub("a", "b", s)
    return y


@case('with cutaway.objmode(y="str"): y = json.dumps(n)', 3)
def json_dumps(n):
    return json.dumps(n)


@remedy_of(json_dumps)
def dumps_as_python(n):
    with cutaway.objmode(y="str"):
        y = json.dumps(n)
    return y


@case("y = open(s).read()", "/dev/null")
def opened(s):
    return open(s).read()


@remedy_of(opened)
def open_as_python(s):
    with cutaway.objmode(y="str"):
        y = open(s).read()
    return y


@case("put it into a block that runs as Python: with cutaway.objmode(): ...", 3)
def a_with(n):
    with io.StringIO() as file:
        file.write("x")
    return n


@remedy_of(a_with)
def with_as_python(n):
    with cutaway.objmode():
        with io.StringIO() as file:
            file.write("x")
    return n


@case("pass it as a constant, or write the loops", 4)
def permutations(n):
    s = 0
    for row in itertools.permutations(range(n)):
        s += row[0]
    return s


@remedy_of(permutations)
def of_four(n):
    s = 0
    for row in itertools.permutations(range(n), 4):
        s += row[0]
    return s


@case("decorate the function with @cutaway.vectorize, outside", NUMBERS)
def np_vectorize(a):
    return np.vectorize(half)(a).sum()


vectorized_half = cutaway.vectorize(half)


@remedy_of(np_vectorize)
def vectorized(a):
    return vectorized_half(a).sum()


@case("to count values, use np.unique(a, return_counts=True)", np.array([1, 2, 1]))
def a_counter(a):
    return Counter(a).total()


@remedy_of(a_counter)
def counted(a):
    values, counts = np.unique(a, return_counts=True)
    return counts.sum()


@case(
    "or np.bincount(a); otherwise compile it with @cutaway.jit(forceobj=True)", np.array([1, 2, 1])
)
def a_defaultdict(a):
    counts = defaultdict(int)
    for x in a:
        counts[x] += 1
    return counts[1]


@remedy_of(a_defaultdict)
def binned(a):
    return np.bincount(a)[1]


@case("decorate it with @cutaway.jit", 3.0)
def an_undecorated_function(x):
    return half(x)


@remedy_of(an_undecorated_function)
def decorated(x):
    return compiled_half(x)


@case("make the class a typing.NamedTuple", 3.0)
def a_dataclass(x):
    return Point(x, x).x


@remedy_of(a_dataclass)
def a_named_tuple(x):
    return Pair(x, x).x


@case("make arrays: np.array(list(table)) and np.array(list(table.values()))", 3.0)
def a_global_dict(x):
    return table[1] * x


values_of_table = np.array(list(table.values()))


@remedy_of(a_global_dict)
def values_of_a_dict(x):
    return values_of_table[0] * x


@case('with cutaway.objmode(y="str"): y = s.title(...)', "ab")
def title(s):
    return s.title()


@remedy_of(title)
def title_as_python(s):
    with cutaway.objmode(y="str"):
        y = s.title()
    return y


@case('with cutaway.objmode(y="int64"): y = s.count(...)', "ab")
def count(s):
    return s.count("b")


@remedy_of(count)
def count_as_python(s):
    with cutaway.objmode(y="int64"):
        y = s.count("b")
    return y


@case('with cutaway.objmode(y="bool"): y = s.isalpha(...)', "ab")
def is_alpha(s):
    return s.isalpha()


@remedy_of(is_alpha)
def is_alpha_as_python(s):
    with cutaway.objmode(y="bool"):
        y = s.isalpha()
    return y


@case("raise an exception", 3)
def sys_exit(n):
    if n < 0:
        sys.exit(1)
    return n


@remedy_of(sys_exit)
def raised(n):
    if n < 0:
        raise ValueError("n is negative")
    return n


@case('where "float64" stands for the type of y', 3, check=positive)
def a_method_of_an_installed_class(n):
    return datetime.datetime.now().year


@remedy_of(a_method_of_an_installed_class)
def a_method_as_python(n):
    with cutaway.objmode(y="int64"):
        y = datetime.datetime.now().year
    return y


@functools.cache
def hint_of(position):
    function, args, _, _ = CASES[position]
    with pytest.raises(CutawayError) as caught:
        jit(function)(*args)
    return caught.value.hint


@pytest.mark.parametrize("position", range(len(CASES)), ids=[row[0].__name__ for row in CASES])
def test_a_hint_names_what_works(position):
    function, args, words, check = CASES[position]
    assert words in hint_of(position)
    result = jit(REMEDIES[function])(*args)
    expected = function(*args) if check is None else None
    assert check(result) if check is not None else result == expected


FORCED = """
def words(s): return len(s.split())
def counted(s): return Counter(s.split())["a"]
def object_made(n): return Plain().x
"""
exec(FORCED)


@pytest.mark.parametrize("name", re.findall(r"def (\w+)", FORCED))
def test_object_mode_is_a_remedy_where_a_hint_names_it(name):
    function = globals()[name]
    arg = "a b a" if "s" in function.__code__.co_varnames else 3
    with pytest.raises(CutawayError, match=r"@cutaway\.jit\(forceobj=True\)"):
        jit(function)(arg)
    assert jit(forceobj=True)(function)(arg) == function(arg)


def test_every_row_of_the_table_is_tried():
    assert len(remedies.ARGUMENTS) + len(remedies.CALLS) >= 30
    hints = list(map(hint_of, range(len(CASES))))
    for row in set(remedies.CALLS.values()):
        pattern = ".*".join(map(re.escape, re.split(r"\{x\}|\{args\}", row)))
        assert any(re.fullmatch(pattern, hint) for hint in hints), row


def test_a_function_of_an_installed_package_is_never_to_be_decorated():
    def calls_it(x):
        return minimize(None, x)

    with pytest.raises(CutawayError) as caught:
        jit(calls_it)(1.0)
    assert "decorate" not in str(caught.value)
    assert "minimize cannot be called" in caught.value.message
