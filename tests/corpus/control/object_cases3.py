"""Python's objects: globals, classes, loops."""

# ruff: noqa: B007, B008, B018, E731, F821  programs as they may be written

from __future__ import annotations

import collections
import dataclasses
import enum
import functools

from corpus.control.cases import Cases

CASES = Cases()

counter = 10
names = ["first"]


class Base:
    """A class with hooks for its subclasses."""

    made = []

    def __init_subclass__(cls, /, tag=None, **named):
        super().__init_subclass__(**named)
        cls.tag = tag

    def __init__(self, x):
        self.x = x

    def where(self):
        return ["Base", self.x]


class Meta(type):
    """A metaclass that logs what is asked of it."""

    def __prepare__(name, bases, **named):
        return {"prepared": (name, sorted(named))}

    def __new__(cls, name, bases, body, **named):
        return super().__new__(cls, name, bases, dict(body))

    def __init__(cls, name, bases, body, **named):
        super().__init__(name, bases, body)
        cls.given = named


class Number:
    """An object whose operators say what was asked of it."""

    def __add__(self, other):
        return ("add", other) if other != "no" else NotImplemented

    def __radd__(self, other):
        return "radd", other

    def __isub__(self, other):
        return "isub", other

    def __sub__(self, other):
        return "sub", other

    def __matmul__(self, other):
        return "matmul", other

    def __index__(self):
        return 2

    def __neg__(self):
        return "neg"

    def __getitem__(self, index):
        if index > 2:
            raise IndexError(index)
        return index * 10


class Iterates:
    """An object whose `__iter__` gives what it is told to."""

    def __init__(self, given):
        self.given = given

    def __iter__(self):
        return self.given


def read_counter():
    """The global variable as another function sees it."""
    return counter


def reached(*args, **named):
    """Raises with what it was called with."""
    raise OSError(args, named)


# --- global variables -----------------------------------------------------------------------------


@CASES.case((5,), ("a",))
def global_that_is_written_and_read(x):
    """Another function sees the new value, also where an exception follows."""
    global counter
    before = counter
    try:
        counter = x
        counter += 1
        return before, counter, read_counter()
    except TypeError as error:
        return error.args, read_counter()
    finally:
        counter = before


@CASES.case()
def global_that_is_deleted():
    """After `del` neither function finds the variable; a second `del` raises as well."""
    global counter
    found = []
    del counter
    try:
        for function in (read_counter, lambda: counter):
            try:
                function()
            except NameError as error:
                found.append(error)
        try:
            del counter
        except NameError as error:
            found.append(error)
        counter += 1
    except NameError as error:
        found.append(error)
    finally:
        counter = 10
    return found


@CASES.case()
def global_that_hides_a_builtin():
    """A global variable named as a builtin function hides it until it is deleted."""
    global len
    before = len
    len = lambda items: "hidden"
    try:
        hidden = len([])
    finally:
        del len
    return hidden, len([]), before is len


@CASES.case((3,))
def global_as_target_of_statements(n):
    """A loop, `with`, `except`, `import`, `def` and `class` assign to global variables."""
    global g_loop, g_error, g_math, g_function, g_class
    for g_loop in range(n):
        pass
    try:
        g_class
    except NameError as g_error:
        found = [g_loop, g_error.args]
    import math as g_math

    def g_function():
        return g_loop, g_math.floor(2.5)

    class g_class:
        x = g_loop

    try:
        return found, g_function(), g_class.x, g_class.__qualname__, g_error
    except NameError as error:
        return found, g_function(), g_class.x, g_class.__qualname__, error.args
    finally:
        del g_loop, g_math, g_function, g_class


@CASES.case(([1, 2, 3],))
def global_that_an_inner_function_writes(items):
    """An inner function writes a global variable, which all others see."""
    global counter

    def add(x):
        global counter
        counter += x
        return counter

    try:
        counter = 0
        return [add(x) for x in items], counter, read_counter()
    finally:
        counter = 10


@CASES.case(
    ([1, 2, 3],), only_ir="a called function reads globals as they were when it was compiled"
)
def global_that_inner_functions_read(items):
    """A lambda and a generator expression read what the function has written."""
    global counter
    try:
        counter = items
        found = (lambda: counter)(), [*(counter for _ in range(1))]
        counter = 1
        return found, (lambda: counter)()
    finally:
        counter = 10


@CASES.case(([1, 2, 3],))
def global_in_comprehensions(items):
    """A comprehension's variable hides the global one, a walrus assigns to it."""
    global counter
    try:
        found = [counter for counter in items]
        before = counter
        last = [counter := x for x in items]
        return found, before, counter, read_counter(), last
    finally:
        counter = 10


@CASES.case()
def global_that_is_not_there():
    """A name that nothing defines: NameError, which is handled in the function."""
    try:
        not_defined_anywhere(reached())
    except NameError as error:
        return error, len(names)


# --- classes --------------------------------------------------------------------------------------


@CASES.case((3,))
def class_with_methods_and_super(n):
    """A class in a function: `super`, class attributes, properties, private names."""

    class Inner(Base):
        """Inside."""

        kind, __hidden = "inner", n
        items = [n, kind]

        def __init__(self, x, y=n):
            super().__init__(x)
            self.__hidden += y

        def where(self):
            return [*super().where(), __class__.__name__, self.__hidden]

        @property
        def twice(self):
            return self.x * 2

        @classmethod
        def made_by(cls, x):
            return cls(x, 0)

        @staticmethod
        def plain(x):
            return x

    one = Inner.made_by(5)
    return one.where(), Inner(1).where(), one.twice, Inner.plain(7), Inner.items, Inner.__doc__


@CASES.case(({"tag": "t"},), ({},), ({"other": 1},))
def class_with_keywords(named):
    """Keywords of a class statement, given with two stars."""

    class Inner(Base, **named):
        x = 1

    return Inner.tag, Inner.__qualname__, Inner.__mro__[1].__name__


@CASES.case((1,), ("x",))
def class_with_a_metaclass(x):
    """The metaclass prepares the names, and gets the keywords."""

    class Inner(*(() if x == 1 else (Base,)), metaclass=Meta if x == 1 else type):
        seen = x
        if x == 1:
            taken = prepared

    class Other(metaclass=Meta, flag=x):
        y = prepared[0]

    return sorted(vars(Inner))[-2:], type(Inner).__name__, Other.given, Other.y


@CASES.case((0,), (2,))
def class_whose_body_raises(n):
    """An exception in the body of a class is handled in the function around it."""
    x = "outer"
    try:

        class Inner:
            x = 1 // n
            y = [x for _ in range(2)]

            def __repr__(self):
                return f"Inner({x}, {self.x}, {self.y})"
    except ZeroDivisionError as error:
        try:
            return Inner
        except UnboundLocalError as unbound:
            return error.args, unbound.args
    return repr(Inner())


@CASES.case((3,), only_ir="a variable changes after it was captured")
def class_made_in_a_loop(n):
    """Each turn makes a class of its own."""
    made = []
    for k in range(n):

        class Turn:
            number = k

            def number_now(self):
                return k, self.number, Turn.number

        made.append(Turn)
    return [(one.number, one().number_now()) for one in made], made[0] is made[1]


@CASES.case((2,))
def class_with_decorators(n):
    """Decorators are computed from the top, and applied from the bottom."""
    log = []

    def tagged(name):
        log.append(name)

        def apply(one):
            log.append((name, one.__name__))
            one.tags = [*getattr(one, "tags", []), name]
            return one

        return apply

    @tagged("outer")
    @tagged("inner")
    class Inner:
        @tagged("method")
        @staticmethod
        def method():
            return log

    @tagged("function")
    @functools.lru_cache(maxsize=n)
    def function(x, *, y=tagged("default") and n):
        return x * y

    return log, Inner.tags, Inner.method() is log, function(3), function.__wrapped__.__kwdefaults__


@CASES.case((1, 2))
def class_made_by_the_library(a, b):
    """Classes of `dataclasses`, `enum` and `collections` in a function."""

    @dataclasses.dataclass(order=True)
    class Pair:
        a: int
        b: list = dataclasses.field(default_factory=list)

    class Color(enum.Enum):
        RED = a
        BLUE = b

        def other(self):
            cls = type(self)
            return cls.RED if self is cls.BLUE else cls.BLUE

    named = collections.namedtuple("named", "x y", defaults=[b])
    first, second = Pair(a), Pair(b, [a])
    first.b += [named(a)]
    match second:
        case Pair(x, [y]) if first < second:
            return x, y, repr(named(a)), Color(a).other().name, first.b, second != first


@CASES.case(("x",), ("odd",))
def class_attributes_that_are_asked_for(name):
    """`__getattr__`, `__setattr__`, `__slots__` and descriptors of a class in a function."""
    log = []

    class Inner:
        __slots__ = ("x", "__dict__")

        def __getattr__(self, name):
            log.append(name)
            if name == "odd":
                raise AttributeError(name, "not here")
            return name

        def __setattr__(self, name, value):
            log.append((name, value))
            super().__setattr__(name, value)

    one = Inner()
    one.x = one.y = 1
    one.x += 1
    del one.x
    try:
        del one.x
    except AttributeError as error:
        log.append(error.args)
    return one.y, one.x, getattr(one, name), log


# --- loops ----------------------------------------------------------------------------------------


@CASES.case(([1, 2, 3],), ([1, -1, 3],), ([0, 5],), ([],))
def loop_else_of_nested_loops(items):
    """`else` belongs to the loop that was not broken, whichever way it ended."""
    log = []
    for x in items:
        while x > 0:
            x -= 2
            if not x:
                break
            if x == 1:
                continue
        else:
            log.append("while")
            if x < -1:
                return log
            continue
        log.append("broken")
        if len(items) > 2:
            break
    else:
        log.append("for")
    return log


@CASES.case(([1, 2, 3],), ([],))
def loop_over_what_it_changes(items):
    """A list may grow in its loop, a dictionary must not."""
    for x in items:
        if len(items) < 6:
            items.append(x * 10)
    named = dict.fromkeys(items)
    for key in named:
        named[key, 0] = 1
    return named


@CASES.case(([1, 2],), ([],))
def loop_variable_after_the_loop(items):
    """The variable keeps its last value, and has none where there was no item."""
    k = "before"
    for k, x in enumerate(items):
        k += 10
    return k, x


@CASES.case((Number(),), (Iterates(iter("ab")),), (Iterates([1]),), (Iterates(None),), (5,), (int,))
def loop_over_objects_of_the_users(one):
    """What can be iterated over, and the messages for what cannot."""
    found = []
    for x in one:
        found.append(x)
    return found


@CASES.case()
def loop_over_an_iterator_that_goes_on_after_its_end():
    """A loop ends at the first StopIteration, and `iter` with a sentinel at its value."""
    items = [1, 2]
    ended = iter(items)
    found = [list(ended), items.append(3), list(ended)]
    for x in iter(items.pop, 1):
        found.append(x)
    return found, items


@CASES.case((3,))
def loop_with_constant_conditions(n):
    """Loops and branches whose condition is a constant."""
    found = []
    while True:
        n -= 1
        if 0:
            found.append("never")
        elif n < 0:
            break
        while ():
            found.append("never")
        else:
            found.append(n if 1 else "never")
        if not __debug__:
            return "never"
    while not found.pop():
        pass
    return found
