"""Scopes: locals, globals, cells, names that are not there, and names that are deleted."""

# ruff: noqa: B006, B007, E731, F821, F841  programs as they may be written

from __future__ import annotations

import builtins

from corpus.control.cases import Cases

CASES = Cases()

setting = "first"
table = {"calls": 0}


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


def read_setting():
    """The global variable as a helper sees it."""
    return setting


def write_setting(value):
    """Change the global variable, give the one before."""
    global setting
    before, setting = setting, value
    return before


def applied(function, *args):
    """Call a function."""
    return function(*args)


# --- closures -------------------------------------------------------------------------------------


@CASES.case((3,), (0,))
def scopes_counters_that_share_a_variable(n):
    """Two inner functions and the outer one write one variable."""
    total = n

    def up(by=1):
        nonlocal total
        total += by
        return total

    def read():
        return total

    up()
    total *= 10
    found = [read(), up(5), total]
    total = "text"
    try:
        up()
    except TypeError as error:
        found.append(error.args)
    return found, read()


@CASES.case((2,))
def scopes_each_call_has_cells_of_its_own(n):
    """A maker that is called twice makes variables twice."""

    def maker(start):
        items = [start]

        def add(item):
            nonlocal start
            start += item
            items.append(start)
            return tuple(items)

        return add

    one, two = maker(n), maker(n * 10)
    one(1), two(2), one(3)
    return one(0), two(0), one.__closure__[0] is two.__closure__[0], len(one.__code__.co_freevars)


@CASES.case((3,), (1,))
def scopes_closures_of_a_loop_see_its_last_turn(n):
    """One cell for all turns; a default or a maker keeps each turn's value."""
    late, early, made = [], [], []
    for k in range(n):
        late.append(lambda: k)
        early.append(lambda k=k: k)
        made.append((lambda value: lambda: value)(k))
    before = [f() for f in late]
    k = "changed"
    return before, [f() for f in late], [f() for f in early], [f() for f in made]


@CASES.case((True,), (False,))
def scopes_inner_functions_before_their_variable(which):
    """A variable that has no value yet, when an inner function reads it."""

    def read():
        return later

    try:
        found = read()
    except NameError as error:
        found = type(error).__name__, error.args, error.name
    if which:
        later = "now"
    try:
        return found, read()
    except NameError as error:
        return found, error.args


@CASES.case((1,), (2,))
def scopes_cells_that_are_deleted(n):
    """`del` empties a cell, for the inner functions as well."""
    value = n

    def read():
        return value

    def drop():
        nonlocal value
        del value

    found = [read()]
    if n == 1:
        del value
    else:
        drop()
    for action in (read, drop):
        try:
            found.append(action())
        except NameError as error:
            found.append((type(error).__name__, error.args))
    try:
        found.append(value)
    except NameError as error:
        found.append((type(error).__name__, error.args))
    value = "again"
    return found, read()


@CASES.case(("a", "b"), (1, [2]))
def scopes_parameters_that_are_captured(x, y):
    """Arguments are variables as others."""

    def swap():
        nonlocal x, y
        x, y = y, x

    def show(x):
        return x, y, (lambda y: (x, y))("inner")

    before = show(0)
    swap()
    after = x, y
    x = "new"
    swap()
    return before, after, show(1), x, y


@CASES.case((3,))
def scopes_functions_in_functions_in_functions(n):
    """Names are looked for from the inside to the outside."""
    a = b = c = "outer"

    def one():
        nonlocal b
        a, b = "one", "changed by one"

        def two():
            nonlocal a
            a += "+two"
            c = "two"

            def three(b):
                return a, b, c, n

            return three

        return two()("argument"), a, b, c

    return one(), a, b, c


@CASES.case((4,))
def scopes_state_in_functions_of_several_kinds(n):
    """The same counter as a closure, an object, a generator, and a default."""

    def closure():
        count = 0

        def step():
            nonlocal count
            count += 1
            return count

        return step

    class Counter:
        count = 0

        def __call__(self):
            self.count += 1
            return self.count

    def default(kept=[0]):
        kept[0] += 1
        return kept[0]

    lazy = iter(range(1, 100))
    steps = closure(), Counter(), default, lambda: next(lazy)
    return [[step() for _ in range(n)] for step in steps]


@CASES.case((0,), (5,))
def scopes_cells_in_try_and_with(n):
    """Captured variables that handlers and `finally` change."""
    log, value, error = [], "start", "none"

    def note():
        log.append(value)

    def note_error():
        log.append((value, str(error)))

    try:
        note()
        value = 10 // n
        note()
    except ZeroDivisionError as error:
        value = "failed"
        note_error()
    finally:
        value = (value, "end")
        note()
    try:
        note_error()
        return log, error
    except NameError as raised:
        return log, type(raised).__name__, raised.args


# --- unbound names --------------------------------------------------------------------------------


@CASES.case((0,), (1,), (2,), (3,), (4,), (5,))
def scopes_variables_without_a_value(kind):
    """All statements that read a variable which has none."""
    if kind == 9:
        x = 1
    if kind == 0:
        return x
    if kind == 1:
        x += 1
    elif kind == 2:
        del x
    elif kind == 3:
        return [x]
    elif kind == 4:
        return (lambda: x)()
    else:
        x.attribute = 5
    return "never"


@CASES.case((0,), (1,), (2,), (3,))
def scopes_names_that_are_nowhere(kind):
    """NameError says the name, and has it as an attribute."""
    try:
        if kind == 0:
            return not_there_at_all
        if kind == 1:
            not_there_either(1, 2)
        elif kind == 2:
            return [lost for k in "a"]
        else:
            del table["calls"], nothing[0]
    except NameError as error:
        return type(error).__name__, error.args, error.name
    finally:
        table.setdefault("calls", 0)


@CASES.case((0,), (1,), (3,))
def scopes_loop_variables_after_their_loop(n):
    """A loop variable stays, and is unbound where the loop had no turn."""
    for k in range(n):
        last = k
    found = []
    try:
        found.append(k)
        found.append(last)
    except UnboundLocalError as error:
        found.append(error.args)
    for k in ():
        pass
    else:
        k = "else"
    return found, k


@CASES.case((True,), (False,))
def scopes_names_bound_on_one_way_only(which):
    """Names that imports, classes, functions, `with` and walrus bind, or do not."""
    if which:
        import math as module

        def function():
            return "function"

        class Class:
            pass

        (walrus := 5)
    found = []
    for k in range(4):
        try:
            if k == 0:
                found.append(module.__name__)
            elif k == 1:
                found.append(function())
            elif k == 2:
                found.append(Class.__name__)
            else:
                found.append(walrus)
        except UnboundLocalError as error:
            found.append(error.args)
    return found


@CASES.case(([1, 2, 3],), ([],))
def scopes_names_that_are_deleted_and_bound_again(items):
    """`del` in loops, in chains, of several names."""
    found = []
    for item in items:
        kept = item * 2
        found.append(kept)
        del kept, item
    try:
        found.append(item)
    except UnboundLocalError as error:
        found.append(error.args)
    a = b = c = items
    del a, (b, c)
    a = "again"
    try:
        return found, a, b
    except UnboundLocalError as error:
        del items
        return found, a, error.args


# --- globals and builtins -------------------------------------------------------------------------


@CASES.case(("second",), (None,), ([1],))
def scopes_globals_that_a_helper_changes(value):
    """A helper changes a global between two reads of a function that writes it as well."""
    global setting
    found = [setting]
    before = write_setting(value)
    try:
        found += [setting, read_setting(), setting is value]
        write_setting("third")
        found.append(setting)
        setting = ["fourth"]
        found.append(read_setting())
    finally:
        setting = before
    return found, setting, read_setting()


@CASES.case(("x",), (5,))
def scopes_globals_that_the_function_changes(value):
    """`global` in the function, and in functions inside of it."""
    global setting
    kept = setting
    setting = value

    def inner():
        global setting
        setting = ("inner", setting)
        return setting

    def shadowed():
        setting = "local"
        return setting

    try:
        found = read_setting(), inner(), shadowed(), setting, read_setting()
        for setting in ("a", "b"):
            found += (read_setting(),)
        del setting
        try:
            found += (read_setting(),)
        except NameError as error:
            found += error.args
        return found
    finally:
        setting = kept


@CASES.case((3,), (0,))
def scopes_globals_that_are_changed_in_place(n):
    """A global dictionary that is written without `global`."""
    for _ in range(n):
        table["calls"] += 1
    try:
        return table["calls"], list(table)
    finally:
        table["calls"] = 0


@CASES.case(([3, 1],))
def scopes_builtins_that_are_hidden(items):
    """Local names that hide functions of Python, and what is there after."""
    len = lambda x: "hidden"
    found = [len(items), max(items)]
    del len
    try:
        found.append(len(items))
    except UnboundLocalError as error:
        found.append(error.args)
    for sum in items:
        found.append(sum)
    return found, builtins.len(items), [list for list in items], applied(builtins.sum, items)


@CASES.case((1,))
def scopes_builtins_that_a_global_hides(n):
    """A global of the name of a builtin function comes before it."""
    global abs
    found = [abs(-n)]
    abs = lambda x: ("mine", x)
    try:
        found.append(abs(-n))
    finally:
        del abs
    found.append(abs(-n))
    try:
        del abs
    except NameError as error:
        found.append(said(error))
    return found


@CASES.case(("a", 1), (None, ()))
def scopes_lambdas_of_all_kinds(x, y):
    """Lambdas with defaults, stars, in displays, and called in place."""
    made = {
        "none": lambda: x,
        "args": lambda *args, **named: (args, named, y),
        "default": lambda a, b=y, /, c=x, *, d: (a, b, c, d),
        "nested": lambda a: lambda b: lambda: (a, b, x),
        "conditional": lambda a: a if a else lambda: a,
        "walrus": lambda a: (z := a, z),
    }
    x = "changed"
    first = made["none"](), made["args"](1, k=2), made["default"](0, d=9), made["nested"](1)(2)()
    return first, made["conditional"](0)(), made["walrus"](3), (lambda: (yield x))().__name__
