"""Attributes: where they are looked for, descriptors, properties, slots."""

# ruff: noqa: B018  programs as they may be written

from __future__ import annotations

import types

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Plain:
    """An object with any attributes."""

    shared = "class"

    def __init__(self, **named):
        self.__dict__.update(named)


class Dynamic:
    """An object that makes up attributes that are not there."""

    real = "real"

    def __init__(self, log):
        self.log = log

    def __getattr__(self, name):
        self.log.append(name)
        if name.startswith("no"):
            raise AttributeError(name, "made up")
        return name * 2


class Guarded:
    """An object that notes all that is done to its attributes."""

    def __init__(self, log):
        object.__setattr__(self, "log", log)

    def __getattribute__(self, name):
        log = object.__getattribute__(self, "log")
        log.append(("get", name))
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        object.__getattribute__(self, "log").append(("set", name, value))
        if name == "fixed":
            raise AttributeError("fixed")
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        object.__getattribute__(self, "log").append(("del", name))
        object.__delattr__(self, name)


class Descriptor:
    """A descriptor that keeps a value for each object."""

    def __set_name__(self, owner, name):
        self.place = "_" + name
        self.owner = owner.__name__

    def __get__(self, one, owner):
        if one is None:
            return self.owner, owner.__name__
        return one.__dict__.get(self.place, "unset")

    def __set__(self, one, value):
        if value == "refused":
            raise ValueError(self.place, value)
        one.__dict__[self.place] = value

    def __delete__(self, one):
        del one.__dict__[self.place]


class Lazy:
    """A descriptor without `__set__`, which an attribute of the object hides."""

    def __get__(self, one, owner):
        if one is None:
            return self
        one.log.append("computed")
        one.value = 42
        return one.value


class WithDescriptors:
    """A class with both kinds of descriptors."""

    kept = Descriptor()
    value = Lazy()

    def __init__(self, log):
        self.log = log


class Slotted:
    """An object with two attributes and no others."""

    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


class Temperature:
    """A class with a property of all three parts, and one that can only be read."""

    def __init__(self, celsius):
        self.celsius = celsius

    @property
    def fahrenheit(self):
        """Degrees of another scale."""
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9

    @fahrenheit.deleter
    def fahrenheit(self):
        self.celsius = None

    @property
    def kelvin(self):
        return self.celsius + 273.15


# --- plain attributes -----------------------------------------------------------------------------


@CASES.case((1,), ([],))
def attributes_of_the_object_hide_those_of_the_class(value):
    """Assignment goes to the object, and `del` shows the class again."""
    one = Plain()
    found = [one.shared]
    one.shared = value
    found += [one.shared, Plain.shared, "shared" in one.__dict__]
    del one.shared
    found.append(one.shared)
    try:
        del one.shared
    except AttributeError as error:
        found.append(error.args)
    return found


@CASES.case(("x",), ("shared",), ("nothing",), ("__class__",), ("",))
def attributes_by_names_that_are_computed(name):
    """`getattr` with and without a default, `hasattr`, `setattr`, `delattr`."""
    one = Plain(x=1)
    found = [hasattr(one, name), getattr(one, name, "default") == getattr(one, name, None)]
    if name != "__class__":
        setattr(one, name + "_new", 5)
        found.append(sorted(one.__dict__))
        delattr(one, name + "_new")
    found.append(getattr(one, name) is not None)
    return found


@CASES.case((5,), (None,), ([],), ("text",), (len,), (2.5,))
def attributes_that_objects_of_python_do_not_have(value):
    """Reading, writing and deleting fail in ways of their own."""
    found = []
    try:
        value.nothing
    except AttributeError as error:
        found.append((error.args, error.name, error.obj is value))
    try:
        value.nothing = 1
    except AttributeError as error:
        found.append(error.args)
    try:
        del value.nothing
    except AttributeError as error:
        found.append(error.args)
    return found, value.__class__.__name__


@CASES.case((1,), ("a",), ([2],))
def attributes_in_augmented_assignments(value):
    """The object is computed once; a class attribute becomes the object's."""
    log = []

    def made():
        log.append("made")
        return one

    one = Plain(total=value, deep=Plain(items=[value]))
    made().total += value
    made().deep.items += [0]
    made().deep.items[0] *= 2
    one.shared += "!"
    return one.total, one.deep.items, one.shared, Plain.shared, log


@CASES.case((3,))
def attributes_of_functions_and_modules(n):
    """Functions and modules have attributes as well."""

    def one(x):
        one.calls += 1
        return x * one.factor

    one.calls, one.factor = 0, n
    module = types.ModuleType("made")
    module.run = one
    found = [module.run(k) for k in range(n)]
    module.run.factor = "x"
    del one.calls
    try:
        module.run(2)
    except AttributeError as error:
        return found, error.args, module.__name__, one.__dict__
    return found


@CASES.case((2,))
def attributes_in_chains_and_as_targets(n):
    """Attributes as targets of loops, unpacking, `with`-less assignments in chains."""
    a = Plain(b=Plain(c=Plain()))
    a.b.c.d = a.x = n
    a.y, (a.b.e, *a.b.c.rest) = 1, "text"
    for a.b.k in range(n):
        a.x += a.b.k
    found = [a.z for a.z in range(3)]
    a.b.c, a.b = 0, a.b.c
    return a.b.d, a.b.rest, a.x, a.y, a.z, found


# --- looked up by methods -------------------------------------------------------------------------


@CASES.case((["start"],))
def attributes_that_are_made_up(log):
    """`__getattr__` is asked only where nothing else is found."""
    one = Dynamic(log)
    found = [one.real, one.other, hasattr(one, "nothing"), getattr(one, "none", 0), one.log is log]
    one.other = 5
    found.append(one.other)
    try:
        one.no
    except AttributeError as error:
        found.append(error.args)
    return found, log


@CASES.case(([],))
def attributes_that_are_guarded(log):
    """All reads go by `__getattribute__`, all writes by `__setattr__`."""
    one = Guarded(log)
    one.x = 1
    one.x += 1
    try:
        one.fixed = 2
    except AttributeError as error:
        log.append(error.args)
    try:
        one.fixed
    except AttributeError as error:
        log.append(error.args)
    del one.x
    return hasattr(one, "x"), log


@CASES.case((ValueError("other"),), (AttributeError("same"),), (KeyError("k"),))
def attributes_whose_search_raises(error):
    """`hasattr` and defaults swallow an AttributeError and nothing else."""

    class Raises:
        def __getattr__(self, name):
            raise error

        @property
        def own(self):
            raise AttributeError("inner")

    one = Raises()
    found = []
    for action in (hasattr, lambda x, name: getattr(x, name, "default")):
        for name in ("anything", "own"):
            try:
                found.append(action(one, name))
            except Exception as raised:
                found.append(said(raised))
    return found, one.own


# --- descriptors ----------------------------------------------------------------------------------


@CASES.case(([], 1), ([], "refused"), ([], None))
def attributes_by_descriptors(log, value):
    """A descriptor with `__set__` is asked before the object's own attributes."""
    one = WithDescriptors(log)
    found = [one.kept, WithDescriptors.kept]
    one.__dict__["kept"] = "hidden"
    found.append(one.kept)
    try:
        one.kept = value
        found += [one.kept, one.__dict__["_kept"]]
        del one.kept
        found.append(one.kept)
        del one.kept
    except (ValueError, KeyError) as error:
        found.append(said(error))
    return found


@CASES.case(([],))
def attributes_by_descriptors_that_can_be_hidden(log):
    """A descriptor without `__set__` is asked until the object has its own attribute."""
    one = WithDescriptors(log)
    found = [one.value, one.value, log[:]]
    del one.value
    found += [one.value, len(log), type(WithDescriptors.value).__name__]
    one.value += 1
    return found, one.value


@CASES.case((20,), (-40.0,), (True,), ("cold",))
def attributes_that_are_properties(celsius):
    """A property reads, writes and deletes by functions."""
    one = Temperature(celsius)
    try:
        found = [one.fahrenheit]
        one.fahrenheit = 212
        found += [one.celsius, one.kelvin]
        one.fahrenheit -= 180
        found.append(one.celsius)
        del one.fahrenheit
        found.append(one.celsius)
        one.kelvin = 0
    except (AttributeError, TypeError) as error:
        return found if celsius != "cold" else "cold", said(error)


@CASES.case((0,), (1,), (2,))
def attributes_that_are_properties_without_parts(kind):
    """What is missing in a property is named by the error."""

    class Partly:
        x = property()
        y = property(lambda self: 5, doc="five")

        def _set(self, value):
            self.set = value

        z = property(None, _set)

    one = Partly()
    one.z = 3
    found = [one.y, Partly.y.__doc__, one.set]
    try:
        if kind == 0:
            return one.x
        if kind == 1:
            del one.y
        found.append(one.z)
    except AttributeError as error:
        return found, error.args


@CASES.case((1,), ([],))
def attributes_in_slots(value):
    """Slots take no other attributes, and may be empty."""
    one = Slotted(value)
    found = [one.x, hasattr(one, "y"), hasattr(one, "__dict__")]
    one.y = one.x
    del one.x
    for name in ("x", "z"):
        try:
            found.append(getattr(one, name))
        except AttributeError as error:
            found.append(error.args)
    try:
        one.z = 1
    except AttributeError as error:
        found.append(error.args)
    return found, one.y, Slotted.__slots__


@CASES.case((5,))
def attributes_that_are_methods(x):
    """A function of the class is bound when it is read; one of the object is not."""
    one = Plain(x=x)
    Plain.late = lambda self, y=1: (self.x, y)
    try:
        one.own = lambda y: ("own", y)
        bound = types.MethodType(lambda self, y: (self.x, "bound", y), one)
        one.bound = bound
        again = one.late
        found = [one.late(), one.late(2), one.own(3), one.bound(4), again(5), again == one.late]
        one.late = lambda: "hidden"
        return found, one.late(), again()
    finally:
        del Plain.late


@CASES.case((3,))
def attributes_of_the_class_that_count(n):
    """A class attribute that objects count up, through the class and through themselves."""

    class Counter:
        made = 0
        names = []

        def __init__(self):
            Counter.made += 1
            self.made += 10
            self.names.append(self.made)

    kept = [Counter() for _ in range(n)]
    found = [one.made for one in kept], Counter.made, Counter().__class__ is Counter
    Counter.made = "changed"
    try:
        Counter()
    except TypeError as error:
        return found, Counter.made, Counter.names, error.args


@CASES.case((1,))
def attributes_with_two_underscores(x):
    """Names in a class body are changed by the class's name."""

    class Own:
        __hidden = x

        def __init__(self):
            self.__own = x + 1

        def read(self):
            return self.__own, self.__hidden, Own.__hidden

    class Other(Own):
        def read_other(self):
            return self.__own

    one = Other()
    found = [one.read(), sorted(one.__dict__), one._Own__own]
    try:
        return found, one.read_other()
    except AttributeError as error:
        return found, error.args


@CASES.case((0,), (1,), (2,), (3,))
def attributes_of_classes_and_metaclasses(kind):
    """The metaclass's descriptors come first, then the class's attributes, then the metaclass's."""

    class Meta(type):
        first = property(lambda cls: ("meta", cls.__name__))
        second = "meta"
        third = "meta"

        def __getattr__(cls, name):
            return "made", cls.__name__, name

    class One(metaclass=Meta):
        second = "class"

    One.fourth = 4
    found = One.first, One.second, One.third, One.fourth, One.fifth
    if kind == 1:
        del One.second
        return found, One.second
    if kind == 2:
        One.first = 1
    if kind == 3:
        return found, One().third
    return found
