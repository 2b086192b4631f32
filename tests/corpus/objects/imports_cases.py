"""Imports inside of functions."""

# ruff: noqa: E401, F401, F811, F821, I001  programs as they may be written

from __future__ import annotations

import sys
import types

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Modules:
    """Modules made by hand, for the time of a block."""

    def __init__(self, **named):
        self.named = named

    def __enter__(self):
        for name, values in self.named.items():
            module = types.ModuleType(name)
            module.__dict__.update(values)
            sys.modules[name] = module
        return self

    def __exit__(self, *args):
        for name in self.named:
            sys.modules.pop(name, None)


@CASES.case((2.5,), (-1,))
def imports_of_modules_and_names(x):
    """The names that each form binds."""
    import math, operator as op
    import os.path
    from math import floor, ceil as up
    from collections import (
        OrderedDict,
        deque as queue,
    )

    return (
        math.floor(x) == floor(x),
        up(x),
        op.neg(x),
        os.path.sep == os.sep,
        queue([x]),
        OrderedDict(a=x),
    )


@CASES.case((True,), (False,))
def imports_on_one_way_only(which):
    """An import is a binding as any other."""
    if which:
        import string as found
    try:
        return found.digits
    except UnboundLocalError as error:
        return error.args


@CASES.case((0,), (1,), (2,), (3,), (4,))
def imports_that_fail(kind):
    """Modules and names that are not there."""
    try:
        if kind == 0:
            import no_such_module_here
        elif kind == 1:
            import math.no_such_part
        elif kind == 2:
            from math import no_such_name
        elif kind == 3:
            from no_such_module_here.inner import name
        else:
            import os.no_such_part as other
    except ModuleNotFoundError as error:
        return "module", error.args, error.name
    except ImportError as error:
        return "name", error.name, getattr(error, "name_from", None)


@CASES.case(("value",), ([1],))
def imports_of_modules_made_by_hand(value):
    """Names are read when the import runs, and do not follow the module."""
    with Modules(by_hand={"x": value, "change": lambda: None}):
        import by_hand
        from by_hand import x, x as again

        by_hand.x = "changed"
        before = x, again, by_hand.x
        from by_hand import x

        del by_hand.x
        try:
            from by_hand import x
        except ImportError as error:
            return before, x, error.args[0].split(" (")[0], hasattr(by_hand, "x")


@CASES.case((3,), (0,))
def imports_in_loops(n):
    """A module is made once, a name is bound each time."""
    found = []
    for k in range(n):
        import functools
        from functools import reduce as joined

        found.append(joined(lambda a, b: a + b, range(k + 1)))
        found.append(sys.modules["functools"] is functools)
        del functools
    try:
        return found, functools
    except UnboundLocalError as error:
        return found, error.args


@CASES.case(([5, 3],), ([],))
def imports_used_by_inner_functions(items):
    """An imported name is a variable that functions close over."""
    import heapq as heap
    from bisect import insort

    def sort():
        waiting = []
        for item in items:
            heap.heappush(waiting, item)
        return [heap.heappop(waiting) for _ in items]

    def insert(values=()):
        found = []
        for value in items:
            insort(found, value)
        return found

    found = sort(), insert()
    heap = None
    try:
        return found, sort()
    except AttributeError as error:
        return found, said(error)


@CASES.case(("json",), ("math",), ("no_such_module_here",), ("",), (5,))
def imports_by_a_name_that_is_computed(name):
    """`__import__` and `import_module`."""
    from importlib import import_module

    try:
        one = __import__(name)
        return one.__name__, import_module(name) is one, __import__("os.path").__name__
    except (ImportError, ValueError, TypeError) as error:
        return type(error).__name__


@CASES.case((1,))
def imports_that_hide_names(x):
    """Imports rebind arguments, globals' names, and names of functions of Python."""
    before = x
    import math as x
    from builtins import len as sys, max as len
    from math import pi as said

    return before, x.__name__, sys([1, 2]), len([1, 2]), said > 3


@CASES.case((0,), (1,))
def imports_of_what_a_module_makes_up(kind):
    """A module's `__getattr__` is asked for names that it does not have."""
    log = []

    def made_up(name):
        log.append(name)
        if name == "missing" or name.startswith("__"):
            raise AttributeError(name)
        return name.upper()

    with Modules(makes_up={"__getattr__": made_up, "there": 1}):
        from makes_up import there, other

        found = [there, other]
        try:
            if kind:
                from makes_up import missing
        except ImportError as error:
            found.append(error.name)
    return found, [name for name in log if not name.startswith("__")]


@CASES.case((0,), (1,))
def imports_in_classes_and_in_try(kind):
    """An import in a class body makes attributes; one in a handler makes up for another."""
    try:
        if kind:
            import no_such_module_here as text
        import textwrap as text
    except ImportError:
        import string as text
    finally:
        import operator

    class Tools:
        import math as mathmod
        from operator import add, neg as negative

        def both(self, a, b):
            return self.mathmod.floor(a), operator.add(a, b)

    return (
        text.__name__,
        Tools().both(1.5, 2),
        Tools.add(1, 2),
        Tools.negative(3),
        Tools.mathmod.__name__,
    )
