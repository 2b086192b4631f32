"""Closures: variables that a function shares with the functions inside of it."""

# ruff: noqa: B006, B007, E701, E731, F821, F841  programs as they may be written

from __future__ import annotations

import functools

from corpus.control.cases import Cases

CASES = Cases()


# --- reading and writing --------------------------------------------------------------------------


@CASES.case((5,), ("a",))
def closure_reads_what_a_variable_is_now(x):
    """An inner function sees the value at the time of the call."""

    def read():
        return x

    found = [read()]
    x = [x]
    found.append(read())
    x.append(read())
    return found


@CASES.case((3,))
def closure_writes_with_nonlocal(n):
    """Two functions share a variable of the outer one, which sees what they do."""
    total = 0

    def add(k):
        nonlocal total
        total += k
        return total

    def reset():
        nonlocal total
        total, before = 0, total
        return before

    found = [add(k) for k in range(n)]
    total *= 10
    return found, reset(), total, add(1), total


@CASES.case((2,))
def closure_changes_a_variable_that_waits(x):
    """A value that was read stays what it was, though the variable changes before it is used."""

    def change():
        nonlocal x
        x += 1
        return x

    found = x + change() * x - change()
    x += change()
    items = [x, change(), x, (change(), x)]
    named = {x: change(), change(): x}
    return found, items, named, f"{x}{change()}{x}", x < change() == x


@CASES.case((1,), only_ir="a variable changes after it was captured")
def closure_three_levels_deep(a):
    """`nonlocal` finds the variable of the nearest function that has one."""
    b = "outer b"

    def middle():
        b = "middle b"

        def inner():
            nonlocal a, b
            a, b = b, a
            return lambda: (a, b)

        return inner(), lambda: b

    first, second = middle()
    a = [a]
    return first(), second(), a, b


@CASES.case((0,), (4,))
def closure_counters_are_apart(n):
    """Each call of the outer function has variables of its own."""

    def counter(start=n):
        def count(step=1):
            nonlocal start
            start += step
            return start

        return count

    a, b = counter(), counter(100)
    return [a(), a(2), b(), a(), b(b())], counter()()


@CASES.case((3,), only_ir="a variable changes after it was captured")
def closure_that_escapes_in_a_list(n):
    """Functions that are kept are called after the variable got its last value."""
    made, last = [], None
    for k in range(n):

        def read(offset=0):
            return k + offset, last

        made.append(read)
    last = "last"
    return [one() for one in made], made[0](10), made[0] is made[1]


@CASES.case((3,))
def closure_defaults_capture_the_moment(n):
    """A default is evaluated where the function is defined."""
    made = []
    for k in range(n):

        def read(k=k, *, twice=k * 2, items=[]):
            items.append(k)
            return k, twice, items

        made.append(read)
    k = "after"
    return [one() for one in made] + [made[1]("given"), made[1](twice=None)], k


@CASES.case((3,), (0,), only_ir="a variable changes after it was captured")
def closure_lambdas_in_comprehensions(n):
    """Lambdas in a comprehension share its variable, which is not the function's."""
    k = "mine"
    late = [lambda: k for k in range(n)]
    early = {k: lambda k=k: k for k in range(n)}
    mixed = [lambda: (k, j) for j in "ab"]
    k = "changed"
    return [f() for f in late], [f() for f in early.values()], [f() for f in mixed]


@CASES.case((3,), only_ir="a variable changes after it was captured")
def closure_of_a_comprehension_that_runs_again(n):
    """Each run of a comprehension has variables of its own, which its lambdas keep."""
    made = []
    for turn in range(n):
        made += [lambda: (turn, k) for k in range(turn + 1)]
    return [one() for one in made]


@CASES.case((2,), only_ir="a variable changes after it was captured")
def closure_nested_comprehensions_with_lambdas(n):
    """Lambdas in nested comprehensions: one cell for each run of the inner one."""
    rows = [[lambda: (x, y, n) for y in range(x + 1)] for x in range(n)]
    n = "changed"
    return [[one() for one in row] for row in rows]


@CASES.case((4,), only_ir="inner functions call each other")
def closure_recursion_of_two_inner_functions(n):
    """Inner functions that call each other."""
    calls = 0

    def even(k):
        nonlocal calls
        calls += 1
        return True if not k else odd(k - 1)

    def odd(k):
        return False if not k else even(k - 1)

    return even(n), odd(n), calls


@CASES.case((4,))
def closure_recursion_of_an_inner_function(n):
    """An inner function that calls itself, with a variable of the outer one."""
    base = n * 10

    def fact(k):
        return k * fact(k - 1) if k else base

    return fact(n), fact(0)


@CASES.case((4,), only_ir="an inner function calls itself")
def closure_recursion_by_an_argument(n):
    """A lambda that calls itself gets itself as an argument."""
    return (lambda f: f(f, n))(lambda f, k: k and k + f(f, k - 1))


@CASES.case((5,), only_ir="an inner function calls itself")
def closure_recursion_by_a_name_that_changes(n):
    """A function that calls itself by name calls what the name means now."""

    def down(k):
        return [k] + (down(k - 1) if k else [])

    keep = down
    found = keep(2)
    down = lambda k: ["other", k]
    return found, keep(n), down(n)


# --- unbound and deleted variables ----------------------------------------------------------------


@CASES.case((True,), (False,))
def closure_of_a_variable_without_a_value(early):
    """NameError where the variable has no value yet; later calls find it."""

    def read():
        return late

    try:
        found = read() if early else "not called"
    except NameError as error:
        found = error
    late = 5
    return found, read()


@CASES.case(([],), ([1],))
def closure_of_a_variable_that_is_deleted(items):
    """After `del` the inner function finds nothing; a new value is found again."""
    x, found = "x", []

    def read():
        return x

    found.append(read())
    del x
    for _ in range(2):
        try:
            found.append(read())
        except NameError as error:
            found.append((type(error).__name__, error.args))
        if items:
            x = items
    return found


@CASES.case((1,))
def closure_deletes_a_variable(x):
    """An inner function deletes the variable; the outer one notices."""

    def forget():
        nonlocal x
        del x

    forget()
    try:
        forget()
    except NameError as error:
        x = error.args
        forget()
        return error.args, x
    return x


@CASES.case((0,), (1,), only_ir="a variable changes after it was captured")
def closure_over_the_name_of_an_exception(n):
    """The name of a handled exception is gone after its handler, for inner functions as well."""
    made = []
    try:
        1 // n
    except ZeroDivisionError as error:
        made.append(lambda: error.args)
        made.append(made[0]())
    try:
        return made and made[0](), made
    except NameError as unbound:
        return unbound.args, made[1]


@CASES.case((3,))
def closure_over_the_target_of_with(n):
    """Targets of `with`, of loops with stars, of `match` and of imports are captured as well."""
    import math as mathematics

    class Manager:
        def __enter__(self):
            return n

        def __exit__(self, *args):
            return bool(args[0])

    def read():
        return given, first, rest, captured, mathematics.floor(2.5)

    with Manager() as given:
        for first, rest in ["ab", "cd"]:
            match rest, n:
                case "d", captured:
                    raise ValueError(captured)
                case captured, 3:
                    found = read()
    return found, read()


@CASES.case((1,))
def closure_over_a_parameter_that_is_deleted_and_made_anew(x):
    """A parameter that is captured, deleted, and assigned once more keeps its cell."""

    def read():
        return x

    del x
    x = "again"
    read_too = lambda: x
    first = read(), read_too()
    x = "changed"
    return first, read(), read_too()


# --- parameters and attributes of inner functions -------------------------------------------------


@CASES.case((1, 2), (None, []), only_ir="**kwargs are refused")
def closure_with_parameters_of_all_kinds(a, b):
    """Positional-only, keyword-only, and collecting parameters of an inner function."""

    def inner(x, y=b, /, z=a, *more, key=b, flag, **named):
        return x, y, z, more, key, flag, named, a

    return (
        inner(0, flag=1),
        inner(0, 1, 2, 3, 4, flag=5, x=6),
        inner(*"ab", **{"flag": 0, "key": 1, "q": 2}),
        inner.__defaults__,
        inner.__kwdefaults__,
    )


@CASES.case((0,), (3,))
def closure_with_defaults_that_are_conditions(n):
    """Defaults, by position and by keyword, that are conditional expressions."""

    def inner(a=n if n else "no", *, b=n and "yes", c="x" if n > 2 else "y", d=0):
        return a, b, c, d

    plus = lambda x=n or 5, *, y=(n or 1) if n < 2 else -1: x + y
    return inner(), inner(d=1), plus()


@CASES.case((2,))
def closure_with_wrong_arguments(n):
    """Calls of inner functions that do not fit, with Python's messages."""

    def inner(a, b=n, *, c):
        return a, b, c

    found = []
    for call in (
        lambda: inner(),
        lambda: inner(1),
        lambda: inner(1, 2, 3, c=4),
        lambda: inner(1, c=2, d=3),
        lambda: inner(1, a=2, c=3),
        lambda: (lambda: None)(1),
    ):
        try:
            found.append(call())
        except TypeError as error:
            found.append(error.args)
    return found, inner(1, c=0)


@CASES.case((2,), only_ir="the call is refused")
def closure_whose_call_fails_in_the_function_itself(n):
    """A call of an inner function with an argument too few."""

    def inner(a, b):
        return a + b + n

    return inner(n)


@CASES.case((1,))
def closure_attributes_of_a_function(x):
    """Names, documentation, defaults and cells of an inner function."""

    def inner(a, b="b", *, c=1.0):
        """What it does."""
        return [a, b, c, x]

    inner.extra = [x]
    nothing = lambda: None
    return (
        (inner.__name__, inner.__qualname__, inner.__doc__, inner.__module__, inner.extra),
        (inner.__defaults__, inner.__kwdefaults__, nothing.__qualname__, nothing.__name__),
        (inner.__closure__[0].cell_contents, inner.__code__.co_freevars),
    )


@CASES.case((1,))
def closure_of_a_function_that_captures_nothing(x):
    """A function without cells has None as its closure."""
    return (lambda x: x).__closure__, len((lambda: x).__closure__)


@CASES.case((3,))
def closure_decorators(n):
    """Decorators with and without arguments, which wrap functions and keep a count."""
    calls = []

    def counted(function):
        @functools.wraps(function)
        def wrapper(*args, **named):
            calls.append((function.__name__, args, named))
            return function(*args, **named)

        return wrapper

    def times(k):
        return lambda function: lambda *args: function(*args) * k

    @times(n)
    @counted
    def add(a, b=1):
        return a + b

    return add(1), add(1, 2), calls, counted(add).__name__


@CASES.case((4,), only_ir="a variable changes after it was captured")
def closure_decorated_function_that_calls_itself(n):
    """A function that calls itself calls what its decorator made of it."""
    calls = []

    def counted(function):
        return lambda k: (calls.append(k), function(k))[1]

    @counted
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n), calls


@CASES.case((2,))
def closure_passed_to_functions_of_python(n):
    """Inner functions as arguments of `sorted`, `map`, `filter` and `reduce`."""
    seen = []

    def key(x):
        seen.append(x)
        return -x % (n + 1)

    items = sorted(range(5), key=key)
    kept = [*filter(lambda x: x % n, map(lambda x: x + n, items))]
    return items, kept, functools.reduce(lambda a, b: a * n + b, kept), seen


@CASES.case((True,), (False,))
def closure_chosen_by_a_condition(which):
    """One of two inner functions is called, whichever was defined."""
    base = 10
    if which:

        def apply(x):
            return base + x

    else:
        apply = str
    other = apply if not which else (lambda x: -x)
    return apply(1), other(2), (apply if which else other)(3)


@CASES.case(([3, 0],), ([1, 2],))
def closure_that_raises(items):
    """An exception leaves an inner function; what it changed before stays changed."""
    done = 0

    def work(x):
        nonlocal done
        done += 1
        try:
            return 6 // x
        finally:
            done += 10

    try:
        return [work(x) for x in items], done
    except ZeroDivisionError as error:
        return error.args, done


@CASES.case((2,), (0,))
def closure_with_return_and_loops_inside(n):
    """An inner function with returns in loops, `try` and `with` is called in an expression."""

    def find(items, wanted):
        for k, x in enumerate(items):
            try:
                if x == wanted:
                    return k
            finally:
                wanted = wanted or n
        else:
            return -1

    return find("abc", "b") + find([n, 1], 1) * 10, find([], 0), find([5, n], None)


@CASES.case((3,), only_ir="a variable changes after it was captured")
def closure_that_is_a_generator(n):
    """A generator inside shares variables with the function, which changes them in between."""

    def count():
        nonlocal n
        while n:
            n -= 1
            yield n

    found = []
    for k in count():
        found.append((k, n))
        if k == 2:
            n = 1
    return found, n


@CASES.case((2,), only_ir="a variable changes after it was captured")
def closure_with_a_class_inside(n):
    """Methods share variables with the function around their class; the body reads them."""

    class Counter:
        start = n
        n = "attribute"

        def count(self):
            nonlocal n
            n += self.start
            return n, self.n, Counter.start

    one = Counter()
    found = [one.count()]
    n = 100
    return found, one.count(), n
