"""Calls: how arguments find their parameters, and what is called."""

# ruff: noqa: B006, B008, B026, E731  programs as they may be written

from __future__ import annotations

import functools
import operator

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


def kinds(a, b=2, /, c=3, *rest, d, e=5, **named):
    """A function with parameters of each kind."""
    return a, b, c, rest, d, e, named


def plain(a, b, c=3):
    """A function that takes its arguments by place or by name."""
    return a, b, c


def only_named(*, x, y=2):
    """A function that takes no argument by place."""
    return x, y


def only_placed(x, y=2, /):
    """A function that takes no argument by name."""
    return x, y


class Callable:
    """An object that can be called."""

    def __init__(self, base=0):
        self.base = base

    def __call__(self, *args, **named):
        return self.base, args, named

    def method(self, a, b=2, *rest, key=None):
        return self.base, a, b, rest, key

    @classmethod
    def of_class(cls, a=1):
        return cls.__name__, a

    @staticmethod
    def static(*args):
        return args


# --- arguments and parameters ---------------------------------------------------------------------


@CASES.case((1,), ("x",))
def calls_with_parameters_of_each_kind(x):
    """Arguments by place, by name, and those that are left over."""
    first = kinds(x, d=4), kinds(x, x, d=4), kinds(1, 2, x, d=x, e=6)
    second = kinds(1, 2, 3, x, 5, d=4), kinds(1, c=x, d=4, f=x), kinds(1, d=4, a=x, b=x)
    return first, second


@CASES.case(*((k,) for k in range(12)))
def calls_with_wrong_arguments_of_each_kind(k):
    """What is missing, left over, or given twice."""
    if k == 0:
        return plain()
    if k == 1:
        return plain(1)
    if k == 2:
        return plain(1, 2, 3, 4)
    if k == 3:
        return plain(1, 2, a=3)
    if k == 4:
        return plain(1, 2, z=3)
    if k == 5:
        return kinds(1)
    if k == 6:
        return kinds(d=1)
    if k == 7:
        return only_named(1, x=2)
    if k == 8:
        return only_named(y=1)
    if k == 9:
        return only_placed(x=1)
    if k == 10:
        return only_placed(1, y=2)
    return only_placed(1, 2, 3)


@CASES.case(([1, 2], {"d": 4}), ((1,), {"d": 4, "c": 5}), ("abcd", {"d": 0, "z": 9}), ([], {}))
def calls_with_stars(items, named):
    """Stars are taken apart, and both are left as they were."""
    try:
        return kinds(*items, **named), kinds(0, *items, *items, d=1), items, named
    except TypeError as error:
        return said(error), kinds(0, 0, 0, *items, e=7, **{"d": 1}, **dict.fromkeys("xy", 0))


@CASES.case((5,), (None,), ([1, None],), ({1: 2},), (iter([1, 2]),))
def calls_with_a_star_of_anything(value):
    """One star takes what can be iterated over."""
    return plain(*value), plain(0, *value)


@CASES.case((5,), (None,), ([("a", 1)],), ({"a": 1, "b": 2},), ({1: 2},), ({"c": 9},))
def calls_with_two_stars_of_anything(value):
    """Two stars take a mapping whose keys are texts."""
    return plain(**value), plain(0, **value)


@CASES.case(({"a": 1},), ({"b": 1},), ({"z": 1},))
def calls_with_names_given_twice(named):
    """A name from two stars, or from a star and by hand."""
    try:
        first = kinds(1, **named, **{"d": 1, "z": 2})
    except TypeError as error:
        first = said(error)
    try:
        return first, plain(1, b=2, **named)
    except TypeError as error:
        return first, said(error)


@CASES.case(([],))
def calls_compute_their_arguments_in_order(log):
    """The function, then places, stars and names from left to right."""

    def note(value):
        log.append(value if not callable(value) else "function")
        return value

    first = note(kinds)(note(1), *note([2, 3]), d=note(4), **note({"e": 5}))
    second = note(plain)(*note((1,)), note(2), *note("c"))
    third = note(kinds)(d=note("d"), *note("ab"), c=note("c"))
    return first, second, third, log


@CASES.case(([],), ([1],))
def calls_copy_what_stars_take(items):
    """The function gets a tuple and a dictionary of its own."""
    named = {"k": items}

    def keep(*args, **given):
        given["new"] = 1
        given["k"].append(len(args))
        return args, given

    return keep(*items, **named), named, items, keep(*(pair := (1, 2)), k=[])[0] is pair


# --- defaults -------------------------------------------------------------------------------------


@CASES.case((1,), ("a",))
def calls_share_a_default_that_changes(x):
    """A default is computed once, where the function is made."""

    def collect(item, items=[]):
        items.append(item)
        return items

    first, second = collect(x), collect(x, [0])
    return first, second, collect("end"), first is collect(1), collect.__defaults__


@CASES.case((3,), (0,))
def calls_of_functions_with_defaults_of_a_loop(n):
    """Each function keeps the default of its own turn."""
    made = [lambda x, k=k, *, sign=-k: (x, k, sign) for k in range(n)]
    for k in range(n):
        made.append(lambda x=k * 10: x + k)
    return [f(100) for f in made], [f.__defaults__ for f in made]


@CASES.case(([],))
def calls_compute_defaults_in_order(log):
    """Defaults by place, then those by name; a decorator before both."""

    def note(value):
        log.append(value)
        return value

    def kept(function):
        log.append("made")
        return function

    @note(kept)
    def one(a=note(1), b=note(2), *, c=note(3), d=note(4)):
        return a, b, c, d

    log[0] = "decorator"
    return one(), one(5, d=6), one.__kwdefaults__, log


@CASES.case((1,))
def calls_after_defaults_are_changed(x):
    """Defaults are attributes of the function."""

    def one(a, b=2, *, c=3):
        return a, b, c

    before = one(x)
    one.__defaults__ = (10, 20)
    one.__kwdefaults__ = {"c": 30}
    between = one()
    one.__defaults__ = one.__kwdefaults__ = None
    try:
        return before, between, one(1, 2)
    except TypeError as error:
        return before, between, said(error)


# --- what is called -------------------------------------------------------------------------------


@CASES.case(*((value,) for value in (5, None, "text", [], ..., 2.5, NotImplemented)))
def calls_of_what_cannot_be_called(value):
    """The arguments are computed before it is noticed."""
    log = []
    try:
        value(log.append("computed"))
    except TypeError as error:
        log.append(said(error))
    try:
        value(*[1], **{"a": 2})
    except TypeError as error:
        return log, said(error)


@CASES.case((1,), ([],))
def calls_of_methods_in_all_ways(x):
    """Through the object, the class, a bound method, and a star."""
    one = Callable("base")
    bound = one.method
    first = one.method(x), one.method(x, x, x, key=x), bound(1, *[2, 3]), Callable.method(one, x)
    second = one(x), one(*[x], a=x), Callable.of_class(), one.of_class(a=x), one.static(x, one.base)
    return (
        first,
        second,
        Callable.static(),
        bound.__self__ is one,
        bound.__func__ is Callable.method,
    )


@CASES.case((0,), (1,), (2,), (3,), (4,), (5,))
def calls_of_methods_with_wrong_arguments(k):
    """The messages count the object itself."""
    one = Callable()
    if k == 0:
        return one.method()
    if k == 1:
        return one.method(1, a=2)
    if k == 2:
        return one.of_class(1, 2)
    if k == 3:
        return Callable.method()
    if k == 4:
        return one.static(key=1)
    return one.nothing()


@CASES.case(([3, 1, 2],), ([],))
def calls_of_methods_of_lists(items):
    """Methods of Python's own types, found once and called often."""
    append, pop = items.append, items.pop
    for k in range(3):
        append(k)
    taken = pop(), pop(0)
    items.extend(x for x in taken)
    items.insert(1, "in")
    items.remove("in")
    items.reverse()
    return (
        items,
        taken,
        items.index(taken[0]),
        items.count(1),
        items.copy() is items,
        list.pop(items),
    )


@CASES.case(*((k,) for k in range(9)))
def calls_of_builtins_with_wrong_arguments(k):
    """What functions of Python say about their arguments."""
    if k == 0:
        return len()
    if k == 1:
        return len(1, 2)
    if k == 2:
        return len(5)
    if k == 3:
        return [].append()
    if k == 4:
        return "a".split(sep=",", most=1)
    if k == 5:
        return isinstance(1, "int")
    if k == 6:
        return sorted([1], lambda x: x)
    if k == 7:
        return abs(x=1)
    return getattr(1)


@CASES.case((2, 3), ("a", "b"))
def calls_of_what_is_computed(a, b):
    """A function from a dictionary, a condition, a call, an item, or a lambda in place."""
    table = {"add": operator.add, "pair": lambda *args: args}
    name = "pair" if a == 2 else "add"
    maker = lambda outer: lambda inner: (outer, inner)
    items = [plain, kinds]
    first = table[name](a, b), (plain if b == 3 else only_placed)(a, b), maker(a)(b)
    return first, items[0](a, b), (lambda x, *, y=b: x * 2 + y)(a), [maker][0](1)(*[2])


@CASES.case((1, 2), ("x", "y"))
def calls_of_partial_functions(a, b):
    """Arguments that were given before come first; names may be given again."""
    one = functools.partial(kinds, a, d=b)
    two = functools.partial(one, b, d="new", k=1)
    return one(), two(), two(*[5, 6], k=2), two.args, two.keywords, functools.reduce(max, [3, 5, 4])


@CASES.case((5,), (0,), (12,))
def calls_of_itself_by_a_helper(n):
    """Recursion in inner functions, one that calls itself and two that call each other."""

    def factorial(k):
        return 1 if k < 2 else k * factorial(k - 1)

    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return factorial(n), even(n), odd(n), (lambda f: f(f, n))(lambda f, k: k and k + f(f, k - 1))


@CASES.case(([],))
def calls_of_decorated_functions(log):
    """Decorators are computed from the top, and applied from the bottom."""

    def tag(name):
        log.append(("computed", name))

        def apply(function):
            log.append(("applied", name))

            @functools.wraps(function)
            def wrapper(*args, **named):
                log.append(("called", name))
                return name, function(*args, **named)

            return wrapper

        return apply

    @tag("first")
    @tag("second")
    def one(a, *, b=2):
        """What it does."""
        return a, b

    return one(1), one(1, b=3), one.__name__, one.__doc__, one.__wrapped__.__name__, log


@CASES.case((3,), (1000,))
def calls_with_many_arguments(n):
    """A star of many items, and a call with many names."""
    wide = functools.partial(lambda *args, **named: (len(args), sorted(named.items())[:2]))
    first = wide(*range(n), *range(n), **{f"k{i}": i for i in range(n)})
    second = wide(
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, n, n, n, a=1, b=2,
        c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, q=17, r=18,
    )  # fmt: skip
    return first, second, max(*range(n), -1), print.__name__
